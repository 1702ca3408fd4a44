"""Rows of a table that look like headers or sums rather than annotations."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from .._base.checks import error
from .._base.names import note_alike
from .._base.notes import Note
from .._base.notices import note
from .._tabular.cells import Coded
from .._tabular.csv_table import CellTable
from .._tabular.roles import SUMS, is_number, plain, rounded

SOME_VALUES = 1000  # most classes of a table whose last row is looked at
FEW_CASES = 20_000  # most cases whose names are compared, which takes 0.1 s


def check_rows(table: CellTable, groups: Sequence[tuple[Coded, Sequence[int]]]) -> None:
    """Reject a repeated header, as in files that were joined one below the other; note cases whose names look alike."""
    case = groups[0][0]
    rows: Any = np.arange(len(case.codes))
    for cells, columns in sorted(groups, key=lambda one: len(one[0].values)):  # columns with few values first, as they decide most tables
        for at, c in enumerate(columns):
            if len(rows) and table.header[c] in cells.values:
                rows = np.intersect1d(rows, np.flatnonzero(cells.codes[:, at] == cells.values.index(table.header[c])))
            else:
                rows = ()
                break
    if len(rows) > 0:
        raise error("rows", "not repeat the header (remove the repeated one)", "the header again", table.place(int(rows[0])))
    if len(case.values) <= FEW_CASES:
        if found := rounded(case.values):
            words = (
                "Case ids such as {id!r} look like numbers that a spreadsheet rounded: different cases may have one id (save the ids as "
                "text)."
            )
            note(Note("rounded_ids", words, id=found))
        note_alike("cases", np.array(case.values), way="write them alike")


def _numbers_last(cells: Coded, missing: Sequence[str]) -> bool:
    """Return whether the last row has numbers only, and four of five filled cells have none, such as a row of kappas."""
    if len(cells.values) > SOME_VALUES:
        return False
    number = np.array([value not in missing and is_number(value.rstrip("% ")) for value in cells.values], bool)
    filled = ~np.array([value in missing for value in cells.values], bool)[cells.codes]
    return bool(number[cells.codes[-1]].all() and 5 * number[cells.codes].sum() <= filled.sum())


def note_rows(case: Coded, alone: bool, cells: Coded | None = None, missing: Sequence[str] = ()) -> None:
    """Note a first row that looks like a second header and a last row that looks like a sum, or like statistics of the ``cells``."""
    last = case.values[int(case.codes[-1, 0])]
    if plain(last) in SUMS:
        words = "Read the last row, {row!r}, like the others (if it is a sum of the others, remove it from the file)."
        note(Note("odd_last_row", words, row=last))
    elif cells is not None and _numbers_last(cells, missing):
        words = "Read the last row, {row!r}, like the others, though it has numbers (if it is no case, remove it from the file)."
        note(Note("odd_last_row", words, row=last))
    if alone:
        words = "Read the row below the header like the others, though it shares no value with them (if it is a second header, remove it)."
        note(Note("odd_first_row", words))
