"""Weighted sums of the columns of tables; if few rows are distinct, the number of times that each occurs is enough."""

from __future__ import annotations

from threading import local
from typing import TYPE_CHECKING, Any, NamedTuple
from weakref import ref

import numpy as np

from .._base import identifiers
from .._base.arrays import Array, Bools, Int32, Int64, NDArray
from .._base.checks import room
from .._core import _resample
from .design import by_case, strips

if TYPE_CHECKING:
    from collections.abc import Sequence

    from .design import Design

# A task of so many products (draws count as five) takes a third of a second, so that Ctrl-C is noticed; eight resamples share a pass.
WORK = 2**28
PASS, MOST = 8, 64
ROOM = 1 << 18  # weights of cases that a thread holds at a time: 2 MB
TIMES_FEWER = 4  # rows per distinct row from which counting the distinct ones is faster
TIMES_FEWER_JOINTLY = 8  # the same for the rows of several tables side by side
SOME, SHARE = 4096, 64  # rows of a first trial, or one of so many rows: if over half of them are distinct, all rows are taken to be
COLUMNS = 32  # columns that are compared at a time, so that no copy of a wide table is needed


class Alike:
    """Entries (n,) of cases ``row`` (None: a case each), each like one of D distinct ones, ``code[i]``, which is the entry ``first``."""

    def __init__(self, row: Int64 | None, code: Int32, first: Int64) -> None:
        self._kept = local()
        self._row = None if row is None else np.asarray(row, np.int64)  # Windows: numpy before 2 counts in 32 bits
        self._code, self.first = code, first

    def __reduce__(self) -> tuple[Any, ...]:
        return Alike, (self._row, self._code, self.first)

    def __len__(self) -> int:
        return len(self.first)

    def beside(self, other: Alike) -> Alike | None:
        """Return the distinct pairs of entries of two tables of the same cases; None if there are too many."""
        found = distinct_rows(self._code.astype(np.int64) * len(other) + other._code, TIMES_FEWER_JOINTLY)
        return None if found is None else Alike(self._row, found[1], found[0])

    def at_places(self, places: Int64) -> Alike:
        """Return the entries at some places, as if these were the cases."""
        return Alike(None, self._code[places], self.first)

    def times(self, weights: Array) -> Array:
        """Return the number of times (D, B) that each distinct entry occurs, under weights of the cases (N, B)."""
        out = np.empty((weights.shape[1], len(self), 1))
        _resample.grouped_sums(self._row, self._code, None, weights, out)
        return np.ascontiguousarray(out[..., 0].T)

    def times_in(self, cases: Array) -> Array:
        """Return the same under weights (B, N), computed once for several statistics that one thread asks in turn."""
        last = getattr(self._kept, "last", None)
        if last is None or last[0]() is not cases:
            last = self._kept.last = ref(cases), self.times(by_case(cases))
        return np.asarray(last[1])


class Repeated(NamedTuple):
    """A table (N, S) of cases with few distinct rows: row ``code`` (N,) of the table ``rows`` (D, S)."""

    rows: Array
    code: Int32

    @classmethod
    def of(cls, table: Array) -> Repeated | None:
        """Return a table with its distinct rows; None if there are too many."""
        found = distinct_rows(table)
        return None if found is None else cls(table[found[0]], found[1])

    def of_cases(self, kept: Bools) -> Repeated:
        """Return the table of some of the cases, with the rows that they have."""
        code, first = identifiers.factorize(self.code[kept])
        return Repeated(self.rows[self.code[kept][first]], code)

    @property
    def first(self) -> Int64:
        """A case of each row (D,), if each has one."""
        found = np.empty(len(self.rows), np.int64)
        found[self.code[::-1]] = np.arange(len(self.code), dtype=np.int64)[::-1]  # the last assignment, of the first case, remains
        return found


def whole(table: Array | Repeated) -> Array:
    """Return a table (N, S) with a row for each case."""
    return table.rows[table.code] if isinstance(table, Repeated) else table


class GroupSums:
    """Sums over groups of the columns of a table (n, S) of entries, each of a case ``row`` (None: a case each) and of a group.

    If it is known which entries are alike, the groups (D,) and the table (D, S) are those of the distinct entries.
    """

    def __init__(self, row: Int64 | None, group: Int32, table: Array, n_groups: int, alike: Alike | None = None) -> None:
        table = np.asarray(table, np.float64)
        if alike is None:
            found = distinct_rows(table, code=group if n_groups > 1 else None)
            if found is not None:
                alike, group, table = Alike(row, found[1], found[0]), group[found[0]], table[found[0]]
        self.alike, self.n_groups = alike, n_groups
        entries = None if row is None or alike is not None else np.asarray(row, np.int64)
        if n_groups > 1:  # the entries of a group together, in their order: a run is added faster
            order = np.argsort(group, kind="stable")
            entries, group, table = order if entries is None else entries[order], group[order], table[order]
        self._entries = entries, group, table

    def sums(self, weights: Array) -> Array:
        """Return the sums (B, groups, S) under weights of cases (N, B)."""
        return self.sums_of(weights if self.alike is None else self.alike.times(weights))

    def sums_of(self, times: Array) -> Array:
        """Return the same from the number of times (D, B) of each distinct entry."""
        out = np.empty((times.shape[1], self.n_groups, self._entries[2].shape[1]))
        _resample.grouped_sums(*self._entries, times, out)
        return out


def joined(tables: Sequence[Alike]) -> list[tuple[Alike, list[tuple[int, Alike]]]]:
    """Return groups of tables of the same cases that have few distinct rows side by side.

    A group has these rows, and for each of its tables the number and the table's distinct entries among these rows.
    """
    groups: list[tuple[Alike, list[int]]] = []
    for j in sorted(range(len(tables)), key=lambda j: len(tables[j])):
        at, every, members = len(groups), tables[j], [j]
        for i, (one, others) in enumerate(groups):
            both = one.beside(tables[j])
            if both is not None:
                at, every, members = i, both, [*others, j]
                break
        groups[at:] = [(every, members), *groups[at + 1 :]]
    return [(every, [(j, tables[j].at_places(every.first)) for j in members]) for every, members in groups]


def distinct_rows(table: NDArray[Any], fewer: int = TIMES_FEWER, code: Int32 | None = None) -> tuple[Int64, Int32] | None:
    """Return an entry of each distinct row, and the distinct row of each (n,) row; None if there are too many.

    Rows with different ``code`` (n,) are different, too.
    """
    some = max(SOME, len(table) // SHARE)
    if len(table) > 2 * some and _distinct_rows(table[:some], 2, None if code is None else code[:some]) is None:
        return None
    return _distinct_rows(table, fewer, code)


def _distinct_rows(table: NDArray[Any], fewer: int, code: Int32 | None) -> tuple[Int64, Int32] | None:
    columns = table if table.ndim > 1 else table[:, None]
    found: tuple[Int64, Int32] | None = None
    for begin in range(0, max(1, columns.shape[1]), COLUMNS):
        before, some = code if found is None else found[1], columns[:, begin : begin + COLUMNS]
        found = identifiers.factorize(some if before is None else np.concatenate([before[:, None], some], axis=1))[::-1]
        if len(found[0]) * fewer > len(table):
            return None
    return found


def added(table: Array | Repeated, cases: Array | None) -> Array:
    """Return the sums (B, S) of the columns of a table under weights of cases (B, N), or (1, S) with every case once."""
    if cases is None:  # a column's sum must not depend on the others
        rows, code = table if isinstance(table, Repeated) else (table, ...)
        return np.array([[np.ascontiguousarray(column)[code].sum() for column in rows.T]])
    return np.asarray(np.einsum("bn,ns->bs", cases, whole(table)))  # not a matrix product, whose last bits depend on the threads


class Sums:
    """Sums over n resamples of the columns of some tables, of the cases of a design.

    If all units of a stratum add the same to a column, its sum is known. Tables with few distinct rows are summed by counting these,
    those of several tables at a time. The other columns are summed case by case as cases are drawn.
    """

    def __init__(self, design: Design, n: int) -> None:
        self._design, self._n = design, n
        self._placed: list[tuple[Array, Int64, Array]] = []
        self._alike: list[tuple[Array, Int64, GroupSums]] = []

    def take(self, table: Array | Repeated, only_alike: bool = False) -> Array | None:
        """Add a table (N, S) and return the array (n, S) that :meth:`add` fills; None if ``only_alike`` and its rows are not."""
        few: Repeated | None = table if isinstance(table, Repeated) and self._design.plain else None
        placed = self._design.added_up(whole(table)) if few is None else few.rows
        if few is None and self._design.plain:
            few = Repeated.of(placed)
        if only_alike and few is None:
            return None
        room(f"{self._n} resamples", 8.0 * self._n * placed.shape[1])
        varies = np.flatnonzero(~self._design.constant(placed))
        times = None if self._design.placed_times is None else self._design.placed_times[None]
        found = np.tile(added(placed if few is None else few, times), (self._n, 1))
        if few is None:
            self._placed.append((found, varies, placed))
            return found
        first, own = few.first, np.ascontiguousarray(few.rows[:, varies])
        alike = Alike(None, few.code, first)
        self._alike.append((found, varies, GroupSums(first, np.zeros(len(own), np.int32), own, 1, alike)))
        return found

    def complete(self, n_cases: int) -> int:
        """End the taking of tables; return the resamples of a task, in whole passes.

        A task takes about a third of a second, and a thread can hold its weights of ``n_cases``.
        """
        design, columns = self._design, [table[:, j] for _, varies, table in self._placed for j in varies]
        self._at, self._width = [(found, varies) for found, varies, _ in self._placed], len(columns)
        self._strips = strips(columns, design.n_units)
        self._placed.clear()
        self._counted = joined([grouped.alike for *_, grouped in self._alike if grouped.alike is not None])
        work = max(1, min(MOST, WORK // (design.n_units * (self._width + 5))) // PASS)
        n_held = max(n_cases, design.n_cases if self._alike else 0)
        held = max(1, ROOM // n_held // PASS) if n_held else work
        return int(PASS * min(work, held))

    def add(self, seed: int, begin: int, end: int, with_weights: bool) -> Array | None:
        """Fill the sums of resamples begin to end; return, if wanted, the weights of the cases (end - begin, n)."""
        sums, at = np.empty((end - begin, self._width)), 0
        weights = self._design.drawn(seed, begin, end, self._strips, sums, with_weights or bool(self._alike))
        for found, varies in self._at:
            found[begin:end, varies] = sums[:, at : at + len(varies)]
            at += len(varies)
        if weights is not None:
            for every, members in self._counted:
                times = every.times(weights.T)
                for j, one in members:
                    found, varies, grouped = self._alike[j]
                    found[begin:end, varies] = grouped.sums_of(one.times(times))[:, 0]
        return weights if with_weights else None
