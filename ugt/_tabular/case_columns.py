"""Columns that identify a case only together, such as the patient and the lesion."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from .._base import identifiers
from .._base.checks import error
from .._base.names import listed
from .._base.wording import arg
from .annotator_columns import TIMES
from .csv_table import CellTable
from .roles import OTHERS, RESTORE, is_id, plain, rounded

REMARKS = OTHERS | TIMES  # they may differ between two readings of one case


def check_case(table: CellTable, key: Sequence[int], alone: bool = False) -> None:
    """Reject a column of cases, the first of ``key``, if another one with the name of an id differs within cases.

    ``alone``: only if no two rows are alike in both, as in tables with one row per case.
    """
    case = table.header[key[0]]
    others, row = _apart(table, key, [c for c, name in enumerate(table.header) if c not in key and is_id(name)], alone=alone)
    if others:
        names = [table.header[c] for c in others]
        way = f"{_together(case, names)}, or name the column that identifies a case: " + arg("columns", {"case": ...})
        within = "a case and annotator" if len(key) > 1 else "a case"
        got = f"{case!r}, which repeats {within} in rows that differ by {listed(map(repr, names))}"
        raise error("case column", "identify a case", got, table.place(row), way=way)


def way_out(table: CellTable, key: Sequence[int], equal: bool) -> str:
    """Return what to do with several rows of one ``key`` (case, annotator) if they differ by another column; else "".

    Columns of ids may; of rows that are ``equal`` in case, annotator and label, so may all columns with few values.
    """
    free = [c for c in range(len(table.header)) if c not in {c for used in table.used.values() for c in used}]
    others, _ = _apart(table, key, [c for c in free if is_id(table.header[c])])
    if equal and not others:
        others, _ = _apart(table, key, [c for c in free if plain(table.header[c]) not in REMARKS], few=True)
    names = [table.header[c] for c in others]
    if not names and rounded(table.coded(key[:1])[0].values):
        return RESTORE
    return f"if cases differ by {listed(map(repr, names))}, {_together(table.header[key[0]], names)}" if names else ""


def _together(case: str, names: Sequence[str]) -> str:
    return f"write {' and '.join(map(repr, [case, *names]))} into one column"


def _apart(table: CellTable, key: Sequence[int], among: Sequence[int], few: bool = False, alone: bool = False) -> tuple[list[int], int]:
    """Return the columns that differ in at least half of the groups of rows that share a ``key``, and the first row that repeats one.

    ``few``: only columns whose values occur twice on average, so that they are not numbers or times of rows. ``alone``: only
    columns that differ in all rows that share a key.
    """
    if not among:
        return [], 0
    (shared, *others) = table.coded(key, *([c] for c in among))
    code, first = identifiers.factorize(shared.codes)
    several = np.bincount(code, minlength=len(first)) > 1
    if not several.any():
        return [], 0

    def differ(columns: Sequence[int]) -> bool:
        of = code[identifiers.factorize(np.column_stack([code, *(others[i].codes for i in columns)]))[1]]
        if alone and len(of) < len(code):
            return False
        return bool((np.bincount(of, minlength=len(first)) > 1)[several].mean() >= 0.5)

    every = [i for i, cells in enumerate(others) if not few or 2 * len(cells.values) <= len(code)]
    found = next((columns for columns in (*([i] for i in every), every) if columns and differ(columns)), [])
    return [among[i] for i in found], identifiers.repeated(code, first)
