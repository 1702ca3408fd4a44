"""Answers in which several choices are ticked: each tick is a label, or the set of ticks is one class."""

from __future__ import annotations

import re

import numpy as np

from .._base.names import BRACKETS
from .._base.wording import arg
from .._tabular.cells import Coded

TICKS = ("each", "sets")
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


def way_of_ticks(equal: bool) -> str:
    """Return what to do with several labels of one annotator for a case in an export with choices; nothing if they are equal."""
    return (
        ""
        if equal
        else "if they are ticks of one answer, two equal answers of two ticks agree by one half: " + arg("ticks", "sets") + " compares sets"
    )
