"""Rows of a table that are none of its annotations by their looks: headers, sums."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from .._base.checks import error
from .._base.names import note_alike
from .._base.notices import note
from .._tabular.cells import Coded
from .._tabular.csv_table import CellTable
from .._tabular.roles import SUMS, plain

FEW_CASES = 20_000  # whose names are looked at, which takes 0.1 s


def check_rows(table: CellTable, groups: Sequence[tuple[Coded, Sequence[int]]]) -> None:
    """Refuse the header where it stands again, as in files that were put one below the other; note cases whose names look alike."""
    case = groups[0][0]
    rows: Any = np.arange(len(case.codes))
    for cells, columns in sorted(groups, key=lambda one: len(one[0].values)):  # of few values first: most tables are done then
        for at, c in enumerate(columns):
            if len(rows) and table.header[c] in cells.values:
                rows = np.intersect1d(rows, np.flatnonzero(cells.codes[:, at] == cells.values.index(table.header[c])))
            else:
                rows = ()
                break
    if len(rows) > 0:
        raise error("rows", "not repeat the header (take it out)", "it again", table.place(int(rows[0])))
    if len(case.values) <= FEW_CASES:
        note_alike("cases", np.array(case.values), way="write them alike")


def note_rows(case: Coded, alone: bool) -> None:
    """Note a row below the header, or above the end, that is none of the table by its looks."""
    last = case.values[int(case.codes[-1, 0])]
    if plain(last) in SUMS:
        note(f"Read the last row, {last!r}, like the others (if it sums them up, take it out of the file).")
    if alone:
        note("Read the row below the header like the others, though it shares nothing with them (if it is a second header, take it out).")
