"""Options and their help, as argparse has them by its own classes."""

from __future__ import annotations

import argparse
import textwrap
from typing import Any, Callable


class Help(argparse.RawDescriptionHelpFormatter):
    """A formatter that keeps paragraphs and examples as written, with options in a narrow column."""

    def __init__(self, prog: str, **keywords: Any) -> None:
        super().__init__(prog, **{"max_help_position": 26, **keywords})

    def _split_lines(self, text: str, width: int) -> list[str]:
        return textwrap.wrap(text, width, break_on_hyphens=False)  # plackett-luce stays one word

    def _format_action(self, action: argparse.Action) -> str:
        if isinstance(action, argparse._SubParsersAction):  # argparse would indent the commands under COMMAND
            return "".join(f"  {one.dest:<14}{one.help}\n" for one in action._choices_actions)
        return super()._format_action(action)


def number(kind: Callable[[str], Any]) -> Callable[[str], Any]:
    """Return the type of an option of numbers, which says how to write them if there is a comma."""

    def read(text: str) -> Any:
        if "," in text:
            raise argparse.ArgumentTypeError(f"must be numbers with points, and blanks between them. Got {text!r}")
        return kind(text)

    read.__name__ = getattr(kind, "__name__", "number")  # argparse says it
    return read


class Given(argparse.Action):
    """The values of an option. If it takes several, they may be given in several places; otherwise the second place is refused."""

    def __call__(self, parser: argparse.ArgumentParser, namespace: argparse.Namespace, values: Any, option_string: object = None) -> None:
        given = namespace.__dict__.setdefault("_given", set())
        before = getattr(namespace, self.dest) if self.dest in given else None
        if before is not None and self.nargs not in ("+", "*"):
            parser.error(f"argument {option_string}: must be given once. Got {before!r} and {values!r}.")
        given.add(self.dest)
        setattr(namespace, self.dest, values if before is None else [*before, *values])


class OfFile(argparse.Action):
    """The values of an option of columns: given once, or once for each file, as FILE=NAME."""

    def __call__(self, parser: argparse.ArgumentParser, namespace: argparse.Namespace, values: Any, option_string: object = None) -> None:
        before = getattr(namespace, self.dest)
        given = [] if before is None else [before] if isinstance(before, str) else before
        if given and not all("=" in word for word in [*given[1:], values]):
            parser.error(f"argument {option_string}: must be given once, or as FILE=NAME. Got {given[0]!r} and {values!r}.")
        setattr(namespace, self.dest, [*given, values] if given else values)
