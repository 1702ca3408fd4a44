"""Texts of the library in terms of the command that runs: the options for which the arguments of Python that they name stand."""

from __future__ import annotations

import argparse
from collections.abc import Mapping
from contextvars import ContextVar

from .._base.notes import Note
from .._base.wording import Arg, Named, Text
from .._tabular.windows import typed

# The parser of the command that runs, whose options texts name, and what was given to it.
speaking: ContextVar[tuple[argparse.ArgumentParser, argparse.Namespace] | None] = ContextVar("ugt_speaking", default=None)

# Arguments of Python functions whose options have other names, unless the value is a choice of the option of the same name.
KEYWORDS = {"missing": "na"}


def worded(text: str) -> str:
    """Return a text in terms of the command that runs: ``missing='drop'`` becomes ``--missing drop``; a text without parts is as it was."""
    known = speaking.get()
    return text.worded(_Options(*known)) if isinstance(text, Text) and known is not None else str(text)


def worded_note(note: Note) -> Note:
    """Return a note in terms of the command that runs."""
    return note.with_text(worded(note.text))


class _Options:
    """The words for arguments in a command; an argument without an option is named as in Python."""

    def __init__(self, parser: argparse.ArgumentParser, given: argparse.Namespace) -> None:
        self.actions = {action.dest: action for action in parser._actions if action.option_strings}
        self.given = given

    def __call__(self, named: Named) -> str:
        if not isinstance(named, Arg):
            name = named.name.replace(" column", "_column")
            return self._flag(name) if name in self.actions and (named.needed or self._is_meant(name)) else named.name
        if isinstance(named.value, Mapping):
            return self._of_keys(named, named.value)
        name = KEYWORDS.get(named.name, named.name)
        if named.value in (getattr(self.actions.get(named.name), "choices", None) or ()):
            name = named.name
        if named.value is False and f"no_{name}" in self.actions:
            return self._flag(f"no_{name}")
        if name not in self.actions:
            return str(named)
        between = " " if self.actions[name].nargs == "+" else ","
        return self._flag(name) if named.value in (None, ...) else f"{self._flag(name)} {_typed(named.value, between)}"

    def _flag(self, name: str) -> str:
        return self.actions[name].option_strings[0]

    def _is_meant(self, name: str) -> bool:
        """Return whether a message about an argument is about the option, not about what is in a file."""
        action = self.actions[name]
        given = "FILE" not in str(action.metavar) and getattr(self.given, name, action.default) != action.default
        return bool(action.choices or given or name.endswith("_column"))

    def _of_keys(self, named: Arg, keys: Mapping[str, object]) -> str:
        """Return the options for a mapping: one for each column, or one that takes ``KEY=NAME``."""
        own = {f"{key}_column": value for key, value in keys.items()}
        if named.name == "columns" and own.keys() <= self.actions.keys():
            return ", ".join(f"{self._flag(name)} {_typed(value, ' ')}" for name, value in own.items())
        if named.name == "columns" or named.name not in self.actions:
            return str(named)
        return ", ".join(f"{self._flag(named.name)} {key}={_typed(value)}" for key, value in keys.items())


def _typed(value: object, between: str = ",") -> str:
    """Return a value as it is typed: ``NAME`` for any, commas or blanks ``between`` several."""
    if isinstance(value, list):
        return between.join("..." if one is ... else typed([str(one)]) if between == " " else str(one) for one in value)
    return "NAME" if value is ... else typed([str(value)])
