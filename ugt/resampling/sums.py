"""Weighted sums of the columns of tables; if few rows are distinct, the number of times that each occurs is enough."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from .._base import identifiers
from .._base.arrays import Array, Int32, Int64
from .._base.checks import room
from .._core import _resample
from .design import strips

if TYPE_CHECKING:
    from collections.abc import Sequence

    from .design import Design

# A task of so many products (draws count as five) takes a third of a second, so that Ctrl-C is noticed; eight resamples share a pass.
WORK = 2**28
PASS, MOST = 8, 64
ROOM = 1 << 18  # weights of cases that a thread holds at a time: 2 MB
TIMES_FEWER = 4  # rows per distinct row from which counting the distinct ones is faster
SOME = 4096  # rows of a first trial: if over half of them are distinct, all rows are taken to be


class Alike:
    """Entries (n,) of cases ``row``; entry i equals the distinct entry ``code[i]`` of D."""

    def __init__(self, row: Int64, code: Int32, n_different: int) -> None:
        self._row, self._code, self._n = np.asarray(row, np.int64), code, n_different  # Windows: numpy before 2 counts in 32 bits

    def times(self, weights: Array) -> Array:
        """Return the number of times (D, B) that each distinct entry occurs, under weights of the cases (N, B)."""
        out = np.empty((weights.shape[1], self._n, 1))
        _resample.grouped_sums(self._row, self._code, None, weights, out)
        return np.ascontiguousarray(out[..., 0].T)


class GroupSums:
    """Sums over groups of the columns of a table (n, S) of entries, each of a case ``row`` and of a group."""

    def __init__(self, row: Int64, group: Int32, table: Array, n_groups: int) -> None:
        self.n_groups, found = n_groups, _different(np.concatenate([group[:, None], table], axis=1))
        self.alike = None if found is None else Alike(row, found[1], len(found[0]))
        self._entries = np.asarray(row, np.int64), group, table
        if found is not None:
            self._entries = np.arange(len(found[0]), dtype=np.int64), group[found[0]], table[found[0]]

    def sums(self, weights: Array) -> Array:
        """Return the sums (B, groups, S) under weights of cases (N, B)."""
        times = weights if self.alike is None else self.alike.times(weights)
        out = np.empty((weights.shape[1], self.n_groups, self._entries[2].shape[1]))
        _resample.grouped_sums(*self._entries, times, out)
        return out


def _different(table: Array, fewer: int = TIMES_FEWER) -> tuple[Int64, Int32] | None:
    """Return an entry of each distinct row, and the distinct row of each (n,) row; None if there are too many."""
    if len(table) > 2 * SOME and _different(table[:SOME], 2) is None:
        return None
    code, first = identifiers.factorize(np.ascontiguousarray(table, np.float64))
    return None if len(first) * fewer > len(table) else (first, code)


def added(columns: Array, cases: Array | None) -> Array:
    if cases is None:
        return np.asarray(np.ascontiguousarray(columns.T).sum(axis=1)[None])  # a column's sum must not depend on the others
    return np.asarray(np.einsum("bn,ns->bs", cases, columns))  # not a matrix product, whose last bits depend on the threads


class Sums:
    """Sums over resamples of the columns of some tables.

    If all units of a stratum add the same to a column, its sum is known. Tables with few distinct rows are summed by counting these. The
    other columns are summed case by case as cases are drawn.
    """

    def __init__(self, tables: Sequence[Array], design: Design, n: int) -> None:
        """Prepare the sums of tables (n, S) of the cases of a design."""
        room(f"{n} resamples", 8.0 * n * sum(table.shape[1] for table in tables))
        self.found, self._grouped, placed, at = [], [], [np.empty((design.n_units, 0))], []
        for table in map(design.added_up, tables):
            found = np.tile(added(table, None), (n, 1))
            varies = np.flatnonzero(~design.constant(table))
            rows, one = np.arange(len(table), dtype=np.int64), np.zeros(len(table), np.int32)
            grouped = GroupSums(rows, one, table[:, varies], 1) if design.plain else None
            if grouped is not None and grouped.alike is not None:
                self._grouped.append((found, varies, grouped))
            else:
                placed.append(table[:, varies])
                at.append((found, varies))
            self.found.append(found)
        self._at, self._placed = at, strips(np.concatenate(placed, axis=1))
        self.width = sum(len(varies) for _, varies in at)

    def chunk(self, design: Design, n_cases: int) -> int:
        """Return the resamples of a task, in whole passes: about a third of a second, with weights that a thread can hold."""
        work = max(1, min(MOST, WORK // (design.n_units * (self.width + 5))) // PASS)
        n_held = max(n_cases, design.n_cases if self._grouped else 0)
        held = max(1, ROOM // n_held // PASS) if n_held else work
        return int(PASS * min(work, held))

    def add(self, design: Design, seed: int, begin: int, end: int, with_weights: bool) -> Array | None:
        """Fill the sums of resamples begin to end; return, if wanted, the weights of the cases (end - begin, n)."""
        sums = np.empty((end - begin, self.width))
        weights = design.drawn(seed, begin, end, self._placed, sums, with_weights or bool(self._grouped))
        for (found, varies), part in zip(self._at, np.split(sums, np.cumsum([len(varies) for _, varies in self._at])[:-1], axis=1)):
            found[begin:end, varies] = part
        if weights is not None:
            for found, varies, grouped in self._grouped:
                found[begin:end, varies] = grouped.sums(weights.T)[:, 0]
        return weights if with_weights else None
