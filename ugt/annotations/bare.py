"""The meaning of an array without a type: one rule for all functions that accept such an array."""

from __future__ import annotations

from typing import Any

import numpy as np

from .._base import identifiers
from .._base.checks import error
from .._tabular.rows import as_floats, is_number
from . import Labels

ROWS = 4096  # rows checked at a time: the first ones nearly always decide
WAYS = "use Labels.from_wide for labels (one column per annotator), Labels.from_counts for counts or Point.from_array for plausibilities"
OF_PANEL = "use Labels.from_wide or Ratings.from_wide (one row per case, one column per annotator), or Labels.from_counts for counts"


def check_bare(argument: str, given: object, *, truth: bool = False, ways: str = WAYS) -> None:
    """Reject a table of whole numbers or bools, with or without empty cells.

    It may hold labels of annotators, counts of labels, ratings or plausibilities. Text means labels of annotators: one row per case, one
    column per annotator. Numbers with fractions are plausibilities if ``truth``, else ratings. If ``truth``, whole numbers are
    plausibilities if each row has a single 1 and zeros, or is empty.
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
        certain = certain and bool((numbers >= 0).all() and (numbers.sum(axis=1) == 1).all())
    if seen and not certain:
        raise error(argument, f"have a type if it holds whole numbers: {ways}", f"a bare table of shape {table.shape}")


def labels_of_text(given: object) -> Any:
    """Return Labels of a list or an array (N, A) of text, in which cells may be empty; None of anything else."""
    if identifiers.is_frame(given) or not (identifiers.is_array(given) or isinstance(given, (list, tuple))):
        return None
    table = identifiers.as_array(given)
    text = table.ndim == 2 and table.dtype.kind in "UTO" and any(isinstance(cell, str) for cell in table.ravel().tolist())
    return Labels.from_wide(given) if text else None


def _whole(block: Any) -> Any:
    """Return the rows of a block that are not empty as floats if it holds only whole numbers, bools and empty cells; else None."""
    if block.dtype.kind == "O":
        if not all(is_number(cell) or isinstance(cell, (bool, np.bool_)) or identifiers.is_null(cell) for cell in block.ravel().tolist()):
            return None
        block = np.array([as_floats(row) for row in block])
    if block.dtype.kind == "f":
        if block.item(0) % 1 > 0 or (block > np.floor(block)).any():  # the first cell nearly always decides
            return None
        block = block[~np.isnan(block).all(axis=1)]
    return None if np.isinf(block).any() else block
