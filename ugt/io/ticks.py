"""Answers in which several choices are ticked: each tick is a label, or the set of ticks is one class."""

from __future__ import annotations

import re
from collections.abc import Sequence

import numpy as np

from .._base.checks import error
from .._base.names import BRACKETS, is_list
from .._base.wording import arg
from .._tabular.cells import Coded
from .._tabular.roles import has_comma, is_number

TICKS = ("ask", "each", "sets")
BETWEEN = " + "  # the ticks of a set, in the order of their names
QUOTED, BRACKETED, SIGNS = re.compile(r"""["']([^"']*)["']"""), re.compile(r"\[([^\[\]]+)\]"), re.compile(r"[;,|\n]")


def set_of(ticks: list[str]) -> str:
    """Return the class of a set of ticks: their names in alphabetical order."""
    return BETWEEN.join(sorted({one.strip() for one in ticks} - {""}))


def ticks_of(text: str) -> list[str]:
    """Return the ticks of a cell: a list of JSON or Python, words in brackets, or words between commas, semicolons, bars or line ends."""
    if BRACKETS.fullmatch(text):
        return QUOTED.findall(text) or BRACKETED.findall(text)
    return SIGNS.split(text)


def with_sets(cells: Coded, ticks: str) -> Coded:
    """Return the cells with one class for each set of ticks, if this is wanted."""
    if ticks != "sets":
        return cells
    index: dict[str, int] = {}
    new = [index.setdefault(set_of(ticks_of(value)), len(index)) for value in cells.values]
    return Coded([*index], np.array(new, np.int32)[cells.codes])


def ask_ticks(got: str, where: str = "") -> ValueError:
    """Return the error that asks how answers of several ticks are read."""
    way = "one class for each set of ticks, in any order: " + arg("ticks", "sets")
    way += "; each tick of an export as a label, each cell of a table as it is: " + arg("ticks", "each")
    return error("ticks", "be given for answers of several ticks", got, where, way=way)


def asked_of(given: Sequence[str]) -> str | None:
    """Return the first label that looks like several ticks; None if none does, and lists in brackets are few."""
    known, lists = set(given), [value for value in given if BRACKETS.fullmatch(value)]
    if lists and 2 * len(lists) > len(given):
        return lists[0]
    numbers = all(has_comma(value) or is_number(value) for value in given)  # decimal commas are refused elsewhere
    return None if numbers else next((value for value in given if len(ticks_of(value)) > 1 and is_list(value, known)), None)


def way_of_ticks(equal: bool) -> str:
    """Return what to do with several labels of one annotator for a case in an export with choices; nothing if they are equal."""
    return (
        ""
        if equal
        else "if they are ticks of one answer, two equal answers of two ticks agree by one half: " + arg("ticks", "sets") + " compares sets"
    )
