"""The cells of a table of label counts, read some rows at a time."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from .._base import identifiers
from .._base.arrays import Int64, NDArray
from .._base.checks import error, room
from .._core import _tables

if TYPE_CHECKING:
    from .._base.axes import Axes
BLOCK = 2**20  # cells of a table of counts read at a time
FRACTIONS = "be whole numbers (for fractional counts c: dirichlet(Labels.from_counts(np.sign(c)), reliability=c))"


def table_of(counts: object, case_ids: object, classes: object) -> tuple[NDArray[Any], Any, Any]:
    """Return a table of numbers, and the case ids and classes: those given, else those of a data frame."""
    if identifiers.is_frame(counts):
        from .._tabular.frames import wide_names  # noqa: PLC0415  (only files and frames need it)

        case_ids, classes, _ = wide_names(counts, case_ids, classes, 0, of="classes")
    table = identifiers.as_array(counts)
    if table.ndim != 2 or table.dtype.kind not in "iuf":
        raise error("counts", "be a table of numbers, cases x classes", f"{table.dtype} of shape {table.shape}")
    return table, case_ids, classes


def read_counts(table: NDArray[Any], axes: Axes) -> tuple[Any, Any, Any]:
    """Return the classes with labels of each case: offsets, classes, numbers of labels. Reads blocks of rows to save memory."""
    n, step = len(table), max(1, BLOCK // max(1, table.shape[1]))
    blocks = [(0, n, table)] if n <= step else [(begin, min(begin + step, n), table[begin : begin + step]) for begin in range(0, n, step)]
    offsets = np.zeros(n + 1, np.int64)
    for begin, end, block in blocks:
        of_block = offsets[begin : end + 1]
        if table.dtype.kind != "i" or _tables.count_cells(_cells(block), of_block) >= 0:
            _check_counts(block, axes, begin)
            _tables.count_cells(_cells(block), of_block)
    total = int(offsets[-1])
    room("counts", 16 * total)  # and the annotators, who have no names
    index, count = np.empty(total, np.int32), np.empty(total, np.int64)
    for begin, end, block in blocks:
        _tables.read_cells(_cells(block), offsets[begin : end + 1], index, count)
    return offsets, index, count


def _cells(block: NDArray[Any]) -> Int64:
    return np.ascontiguousarray(block, np.int64)


def _check_counts(table: NDArray[Any], axes: Axes, first: int) -> None:
    whole = table.dtype.kind != "f"
    for may_be, find, must in (
        (not whole, lambda: ~np.isfinite(table), "be finite"),
        (table.dtype.kind != "u", lambda: table < 0, "not be negative"),
        (not whole, lambda: table != np.floor(table), FRACTIONS),
    ):
        bad = find() if may_be else np.zeros(1, bool)
        if bad.any():
            i, k = (int(j) for j in np.argwhere(bad)[0])
            raise error("counts", must, identifiers.name(table[i, k]), f"case {axes.case_name(first + i)}, class {axes.class_name(k)}")
    totals = table.sum(axis=1, dtype=np.float64)
    for i in np.flatnonzero(totals >= identifiers.MAX_WHOLE).tolist():  # such a sum may have been rounded
        total = sum(map(int, table[i].tolist()))
        if total > identifiers.MAX_WHOLE:
            raise error("counts", "add up to at most 2**53 in a case", total, f"case {axes.case_name(first + i)}")
