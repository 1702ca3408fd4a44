"""Orders of classes with their ties, from scores or plausibilities, and the sets of their best k."""

from __future__ import annotations

from collections.abc import Hashable
from dataclasses import dataclass
from typing import Any, Callable

import numpy as np

from .._base import parallel
from .._base.arrays import Array, Int32, Int64, NDArray
from .._base.checks import room
from .._base.lazy import cached_property
from .._base.ragged import alike, dense, offsets_of, row_of, sizes_of, take
from .._core import _order
from ..resampling import distinct_rows

Parts = tuple[Int64, Int32, Int32]

NONE, CERTAIN, TIED = 0, 1, 2  # roles of classes in a set, as in ugt.h
CHUNK = 2**22  # cells in a chunk
TIED_CLASSES = "classes that are tied among the best"
LONGEST = 4  # the longest of ragged rows, in mean rows, that are compared as rows of a table
AN_ENTRY = 8  # bytes of a class and its start


class Kept:
    """The cached results of an object: all results of a question, or the last one.

    A key holds numbers, texts, and objects that are equal to themselves only.
    """

    def __init__(self) -> None:
        self._answers: dict[Hashable, Any] = {}
        self._last: dict[str, tuple[Hashable, Any]] = {}

    def every(self, key: Hashable, make: Callable[[], Any]) -> Any:
        """Return the result for a key, which is kept permanently."""
        if key not in self._answers:
            self._answers[key] = make()
        return self._answers[key]

    def last(self, question: str, key: Hashable, make: Callable[[], Any]) -> Any:
        """Return the result of a question for a key, kept until another key is asked for, as consecutive metrics ask for the same."""
        found = self._last.get(question)
        if found is None or found[0] != key:
            found = self._last[question] = key, make()
        return found[1]

    def deepest(self, question: str, depth: int, make: Callable[[], Any]) -> Any:
        """Return the result of a question with at least this depth."""
        found = self._last.get(question)
        if found is None or found[0] < depth:  # type: ignore[operator]
            found = self._last[question] = depth, make()
        return found[1]


def distinct_ragged(offsets: Int64, *columns: Any, rest: Any = ()) -> tuple[Int64, Int32] | None:
    """Return a row of each distinct ragged row, and the distinct row of each row; None if there are too many, or if a row is very long.

    ``columns``: values (E,) of the entries; ``rest``: values (N,) of the rows.
    """
    sizes = sizes_of(offsets)
    width, row = int(sizes.max(initial=0)), row_of(offsets)
    if width * len(sizes) > LONGEST * (len(row) + len(sizes)):
        return None
    place = np.arange(len(row)) - offsets[:-1].repeat(sizes)
    table = np.full((len(sizes), len(columns) * width + len(rest)), -1.0)
    for j, column in enumerate(columns):
        table[row, j * width + place] = column
    for j, column in enumerate(rest):
        table[:, len(columns) * width + j] = column
    return distinct_rows(table)


@dataclass(frozen=True, eq=False)
class Sets:
    """The sets of all rows: classes certainly in the set, and classes tied for the ``n_open`` remaining places.

    ``offsets`` (N + 1,), ``index`` and ``role`` list classes; ``rest_role`` (N,) is the role of all others.
    """

    offsets: Int64
    index: Int32
    role: NDArray[np.int8]
    rest_role: NDArray[np.int8]
    n_classes: int

    def count(self, role: int) -> Array:
        """Return the number (N,) of classes with a role."""
        unlisted = np.where(self.rest_role == role, self.n_classes - sizes_of(self.offsets), 0.0)
        listed = self.role == role
        return unlisted + np.bincount(row_of(self.offsets)[listed], minlength=len(unlisted)) if listed.any() else unlisted

    def take(self, rows: Int64) -> Sets:
        """Return the sets of some rows."""
        offsets, at = take(self.offsets, rows)
        return Sets(offsets, self.index[at], self.role[at], self.rest_role[rows], self.n_classes)

    def shares(self, k: int) -> tuple[Array, Array]:
        """Return the probability over random tie-breaking to be in the set of k: of the listed classes, and (N,) of each other class."""
        open_share = (k - self.count(CERTAIN)) / np.maximum(self.count(TIED), 1)
        listed = np.where(self.role == CERTAIN, 1.0, np.where(self.role == TIED, open_share[row_of(self.offsets)], 0.0))
        return listed, np.where(self.rest_role == CERTAIN, 1.0, np.where(self.rest_role == TIED, open_share, 0.0))

    def membership(self, k: int) -> Array:
        """Return the probabilities of :meth:`shares` as a table (N, K)."""
        listed, rest = self.shares(k)
        return dense(self.offsets, self.index, listed, self.n_classes, rest)


def _listed(rows: Callable[..., None], n: int, usual: int, listed: list[int], copies: int) -> Parts:
    """Return offsets, classes and starts of n rows, which the core writes; ``usual`` is the number of entries without ties."""
    offsets = np.zeros(n + 1, np.int64)
    index, start = np.empty(usual, np.int32), np.empty(usual, np.int32)
    rows(offsets, index, start)
    total = int(offsets[-1])
    listed[0] += total
    room(TIED_CLASSES, copies * AN_ENTRY * listed[0])
    if total > usual:
        index, start = np.empty(total, np.int32), np.empty(total, np.int32)
        rows(offsets, index, start)
    elif total < usual:
        index, start = index[:total].copy(), start[:total].copy()
    return offsets, index, start


@dataclass(frozen=True, eq=False)
class Orders:
    """The rows of classes, best first, with the start of the bucket of ties of each class.

    Unlisted classes form one last bucket, which starts where the row ends. Only buckets that start before ``depth`` are listed.
    The probability over random tie-breaking that a class is among the best k (k <= depth) is ``clip((k - start) / size, 0, 1)``.
    """

    offsets: Int64
    index: Int32
    start: Int32
    n_classes: int
    depth: int

    def __len__(self) -> int:
        return len(self.offsets) - 1

    @classmethod
    def from_dense(cls, values: Array, depth: int, ties: str) -> Orders:
        listed = [0]  # by all parts: all tied classes are listed, which may be all cells
        step = max(1, min(16_384, CHUNK // values.shape[1]))
        copies = 1 + (len(values) > step)  # parts, then all

        def part(begin: int, end: int) -> Orders:
            block = np.ascontiguousarray(values[begin:end], np.float64)

            def rows(*out: Any) -> None:
                _order.dense_rows(block, depth, ties == "first", *out)

            return cls(*_listed(rows, end - begin, (end - begin) * depth, listed, copies), values.shape[1], depth)

        return cls.joined(parallel.run(part, len(values), step, "ordering scores"))

    def take(self, rows: Int64) -> Orders:
        """Return some of the rows."""
        offsets, at = take(self.offsets, rows)
        return Orders(offsets, self.index[at], self.start[at], self.n_classes, self.depth)

    @classmethod
    def joined(cls, parts: list[Orders]) -> Orders:
        """Return the rows of several orders, one after the other."""
        if len(parts) == 1:
            return parts[0]
        sizes = np.concatenate([sizes_of(one.offsets) for one in parts])
        index, start = (np.concatenate([getattr(one, name) for one in parts]) for name in ("index", "start"))
        return cls(offsets_of(sizes), index, start, parts[0].n_classes, parts[0].depth)

    @classmethod
    def from_ragged(cls, offsets: Int64, index: Int32, value: Array, n_classes: int, depth: int, ties: str) -> Orders:
        """Return the orders of ragged rows of positive values; unlisted classes have 0."""

        def rows(*out: Any) -> None:
            _order.ragged_rows(offsets, index, value, n_classes, depth, ties == "first", *out)

        n = len(offsets) - 1
        orders = cls(*_listed(rows, n, min(n * depth, len(index)), [0], 1), n_classes, depth)
        return orders._filled_up() if ties == "first" else orders

    @classmethod
    def from_top(cls, top: Int32, n_classes: int) -> Orders:
        """Return orders without ties from rows of best classes (rows, depth), -1 after the last one."""
        _rows, depth = top.shape
        listed = top >= 0
        start = np.broadcast_to(np.arange(depth, dtype=np.int32), top.shape)
        return cls(offsets_of(listed.sum(1)), top[listed], start[listed], n_classes, depth)

    def _filled_up(self) -> Orders:
        """Return the orders with rows shorter than ``depth`` filled with the first unlisted classes: ties are broken by position."""
        sizes = sizes_of(self.offsets)
        short = np.flatnonzero(sizes < self.depth)
        if len(short) == 0:
            return self
        index = [self.index[self.offsets[i] : self.offsets[i + 1]] for i in range(len(self))]
        for i in short:  # among the first ``depth`` classes, enough are unlisted
            others = np.setdiff1d(np.arange(self.depth, dtype=np.int32), index[i])
            index[i] = np.concatenate([index[i], others[: self.depth - sizes[i]]])
        offsets = offsets_of(np.array([len(row) for row in index]))
        start = np.arange(offsets[-1], dtype=np.int64) - np.repeat(offsets[:-1], sizes_of(offsets))
        return Orders(offsets, np.concatenate(index).astype(np.int32), start.astype(np.int32), self.n_classes, self.depth)

    @cached_property
    def has_ties(self) -> bool:
        """Whether any bucket that starts before ``depth`` holds more than one class."""
        sizes = sizes_of(self.offsets)
        place = np.arange(len(self.start)) - self.offsets[:-1].repeat(sizes)  # without ties, as many classes are better
        return bool((self.start != place).any() or ((sizes < self.depth) & (sizes < self.n_classes - 1)).any())

    @cached_property
    def distinct(self) -> tuple[Int64, Int32] | None:
        """A row of each distinct order, and the distinct order of each row; None if there are too many."""
        return distinct_ragged(self.offsets, self.index, self.start)

    @cached_property
    def _kept(self) -> Kept:
        return Kept()

    def alike(self, k: int) -> Int64:
        """Return codes (n,) of the rows, equal for those with the same best k classes and the same ties among them."""

        def make() -> Int64:
            best = self.start < k
            offsets = np.append(0, np.cumsum(best))[self.offsets].astype(np.int64)
            return alike(offsets, self.index[best], self.start[best])[0]

        return np.asarray(self._kept.every(("alike", k), make))

    def sets(self, k: int) -> Sets:
        def make() -> Sets:
            role, rest = np.empty(len(self.start), np.int8), np.empty(len(self), np.int8)
            _order.roles(self.offsets, self.start, self.n_classes, k, role, rest)
            return Sets(self.offsets, self.index, role, rest, self.n_classes)

        found: Sets = self._kept.every(k, make)
        return found
