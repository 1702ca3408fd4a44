"""The manual page, made from the parser: roff with the ``man`` macros."""

from __future__ import annotations

import argparse
import re
from collections.abc import Iterator

from .._version import __version__
from .command import ENVIRONMENT, EXIT_CODES, commands_of, helps_of


def page(parser: argparse.ArgumentParser) -> str:
    """The manual page of the command and of all its commands."""
    return "\n".join([*_head(parser), *_commands(parser), *_tail()]) + "\n"


def _head(parser: argparse.ArgumentParser) -> Iterator[str]:
    yield f'.TH UGT 1 "" "ugt {__version__}" "User Commands"'
    yield from (".nh", ".ad l")  # no hyphens that could be taken for a part of an option
    yield from (".SH NAME", r"ugt \- evaluate models when the ground truth is uncertain")
    yield from (".SH SYNOPSIS", r".B ugt", r"\fICOMMAND\fR [\fIoptions\fR]", ".SH DESCRIPTION")
    yield from _paragraphs(parser.description or "")
    yield ".SH COMMANDS"
    for name, text in helps_of(parser).items():
        yield from (".TP", rf"\fB{roff(name)}\fR", roff(text))


def _commands(parser: argparse.ArgumentParser) -> Iterator[str]:
    for name, command in commands_of(parser).items():
        yield f'.SH "UGT {roff(name.upper())}"'
        yield from (".B " + roff(" ".join(command.format_usage().removeprefix("usage: ").split())), ".PP")
        yield from _paragraphs(command.description or "")
        for group in command._action_groups:
            if group._group_actions:
                yield f'.SS "{roff(group.title or "")}"'
                for action in group._group_actions:
                    yield from _option(command, action)
        yield from _examples(command.epilog or "")


def _option(parser: argparse.ArgumentParser, action: argparse.Action) -> Iterator[str]:
    formatter = parser._get_formatter()
    yield from (".TP", rf"\fB{roff(formatter._format_action_invocation(action))}\fR")
    yield roff(formatter._expand_help(action)) if action.help else ""


def _examples(epilog: str) -> Iterator[str]:
    found = re.search(r"examples:\n(.*?)\n\n", epilog, re.DOTALL)
    if found:
        yield from ('.SS "examples"', ".nf", *map(roff, found[1].splitlines()), ".fi")


def _paragraphs(text: str) -> Iterator[str]:
    for i, part in enumerate(text.split("\n\n")):
        if i:
            yield ".PP"
        yield from map(roff, part.splitlines())


def _tail() -> Iterator[str]:
    yield '.SH "EXIT STATUS"'
    for code, meaning in EXIT_CODES.items():
        yield from (".TP", rf"\fB{code}\fR", roff(meaning))
    yield ".SH ENVIRONMENT"
    for name, meaning in ENVIRONMENT.items():
        yield from (".TP", rf"\fB{roff(name)}\fR", roff(meaning))


def roff(text: str) -> str:
    """Text as roff takes it: nothing in it is an escape or a request."""
    text = text.replace("\\", r"\e").replace("-", r"\-").replace('"', r"\(dq")
    return r"\&" + text if text[:1] in (".", "'") else text
