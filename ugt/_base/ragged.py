"""Ragged arrays: row i of ``values`` is ``values[offsets[i]:offsets[i + 1]]``."""

from __future__ import annotations

from typing import Any

import numpy as np

from .._core import _tables
from .arrays import Int64, NDArray


def offsets_of(sizes: NDArray[np.integer]) -> Int64:
    """Return the offsets (n + 1,) of rows with these sizes (n,)."""
    offsets = np.zeros(len(sizes) + 1, np.int64)
    np.add.accumulate(sizes, out=offsets[1:])
    return offsets


def sizes_of(offsets: Int64) -> Int64:
    """Return the sizes (n,) of rows with these offsets (n + 1,), for few rows in a fifth of the time of numpy.diff."""
    return np.asarray(offsets[1:] - offsets[:-1])


def row_of(offsets: Int64) -> Int64:
    """Return the row of each value."""
    return np.arange(len(offsets) - 1, dtype=np.int64).repeat(sizes_of(offsets))


def row_at(offsets: Int64, position: int) -> int:
    """Return the row of one value."""
    return int(np.searchsorted(offsets, position, side="right")) - 1


def take(offsets: Int64, rows: NDArray[np.integer]) -> tuple[Int64, Int64]:
    """Return ``(new offsets, positions)``: the positions of the values of these rows, one row after the other."""
    sizes = sizes_of(offsets)[rows]
    taken = offsets_of(sizes)
    return taken, np.arange(taken[-1], dtype=np.int64) + (offsets[:-1][rows] - taken[:-1]).repeat(sizes)


def dense(offsets: Int64, index: NDArray[np.integer], value: object, n_columns: int, rest: Any = 0.0) -> NDArray[Any]:
    """Return a table (n, n_columns) with these values (or one value) at the columns ``index`` of each row, and else the row's ``rest``."""
    table = np.empty((len(offsets) - 1, n_columns), np.asarray(value).dtype)
    table[...] = np.reshape(rest, (-1, 1))
    table[row_of(offsets), index] = value
    return table


def distinct(keys: Int64) -> tuple[Int64, Int64]:
    """Return the first place of each distinct key, lowest key first, and the number of every place's key; in linear time if keys ascend."""
    changes = keys[1:] != keys[:-1]
    if (keys[1:] >= keys[:-1]).all():
        return np.flatnonzero(np.append(True, changes)[: len(keys)]), np.append(0, np.cumsum(changes))[: len(keys)]
    _, first, number = np.unique(keys, return_index=True, return_inverse=True)
    return first, number.reshape(-1)


def distinct_pairs(first: NDArray[np.integer], second: NDArray[np.integer]) -> tuple[Int64, Int64]:
    """Return the same of pairs of numbers of at least 0."""
    return distinct(first.astype(np.int64) * (int(second.max(initial=0)) + 1) + second)


def alike(offsets: Int64, index: NDArray[Any], value: NDArray[Any]) -> tuple[Int64, Int64]:
    """Return a code (n,) of each row of pairs of an index and a whole number, the same for equal rows, and the first row of each code."""
    n = len(offsets) - 1
    if not len(index):
        return np.zeros(n, np.int64), np.zeros(min(n, 1), np.int64)
    found = _tables.distinct_rows(offsets, np.ascontiguousarray(index, np.int32), np.ascontiguousarray(value, np.int64), n)
    assert found is not None
    return found[0].astype(np.int64), found[1]


def n_empty(offsets: Int64) -> int:
    """Return how many rows have no values."""
    return int(np.count_nonzero(offsets[1:] == offsets[:-1]))
