"""Rows of work that was withdrawn, or that tests the annotator: columns on the status of work say so."""

from __future__ import annotations

import numpy as np

from .._base.arrays import Bools
from .._tabular.csv_table import CellTable
from .._tabular.role_words import STATUS, WITHDRAWN_WORDS, YES
from .._tabular.roles import plain

WITHDRAWN = ("drop", "keep")
KNOWN_ANSWER = "GOLDEN:"  # columns of Toloka with the known answer of tasks that test annotators


def is_status(name: str) -> bool:
    """Return whether a column or field is about the status of work."""
    return plain(name) in STATUS or name.startswith(KNOWN_ANSWER)


def withdrawn_rows(table: CellTable, used: set[int], dropped: dict[str, int]) -> Bools | None:
    """Return which rows were withdrawn, and add the number of each reason to ``dropped``; None if no column is about the status."""
    found: Bools | None = None
    for c in [c for c, name in enumerate(table.header) if c not in used and is_status(name)]:
        name = table.header[c]
        if name.startswith(KNOWN_ANSWER):
            (cells,) = table.coded([c])
            rows = np.array([value != "" for value in cells.values], bool)[cells.codes[:, 0]]
            dropped |= {f"row with a value in the column {name!r}": int(rows.sum())} if rows.any() else {}
            found = rows if found is None else found | rows
            continue
        words = YES if plain(name) in WITHDRAWN_WORDS else WITHDRAWN_WORDS
        (cells,) = table.coded([c])
        for code, value in enumerate(cells.values):
            if plain(value) in words:
                rows = cells.codes[:, 0] == code
                dropped[f"row with {value} in the column {name!r}"] = int(np.count_nonzero(rows))
                found = rows if found is None else found | rows
    return found
