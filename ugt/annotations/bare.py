"""The meaning of an array without a type: one rule for all functions that accept such an array."""

from __future__ import annotations

from typing import Any

import numpy as np

from .._base import identifiers
from .._base.checks import error
from .._tabular.rows import as_floats, is_number

ROWS = 4096  # rows checked at a time: the first ones nearly always decide
WAYS = "use Labels.from_wide for labels (one column per annotator), Labels.from_counts for counts or Point.from_array for plausibilities"


def check_bare(argument: str, given: Any, *, truth: bool = False, ways: str = WAYS) -> None:
    """Reject a table of whole numbers, which may be labels of annotators, counts of labels or plausibilities.

    Text, negative numbers and empty cells among others mean labels of annotators: one row per case, one column per annotator.
    Numbers with fractions are plausibilities if ``truth``, else ratings. If ``truth``, whole numbers are plausibilities if each row has
    a single 1 and zeros.
    """
    table = identifiers.as_array(given)
    if table.ndim != 2 or table.size == 0 or table.dtype.kind not in "biufO":
        return
    certain, seen = truth, 0
    for begin in range(0, len(table), ROWS):
        numbers = _whole(table[begin : begin + ROWS])
        if numbers is None:
            return
        seen += len(numbers)
        certain = certain and bool((numbers.sum(axis=1) == 1).all())
    if seen and not certain:
        raise error(argument, f"have a type if it holds whole numbers: {ways}", f"a bare table of shape {table.shape}")


def _whole(block: Any) -> Any:
    """Return a block as floats if it holds only whole numbers of at least 0, in rows without gaps; else None."""
    if block.dtype.kind == "O":
        if not all(is_number(cell) or identifiers.is_null(cell) for cell in block.ravel().tolist()):
            return None
        block = np.array([as_floats(row) for row in block])
    if block.dtype.kind == "f":
        if block.item(0) % 1 > 0 or (block > np.floor(block)).any():  # the first cell nearly always decides
            return None
        block = block[~np.isnan(block).all(axis=1)]
    return block if np.isfinite(block).all() and (block >= 0).all() else None
