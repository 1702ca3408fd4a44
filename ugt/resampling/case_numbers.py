"""Numbers of cases by column; those that are functions of a few different cases are kept for these only."""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from typing import overload

import numpy as np

from .._base.arrays import Array, Int32, Int64
from .._base.lazy import cached_property
from .ratios import Ratios
from .sums import SOME, distinct_rows


class AlikeColumns:
    """Columns (N,) with few distinct rows: ``code`` (N,) is the row of each case, ``first`` (D,) a case of each row; None: with many."""

    def __init__(self, n_cases: int) -> None:
        self.rows: list[Array] = []
        many = n_cases >= 2 * SOME
        self.code: Int32 | None = np.zeros(n_cases, np.int32) if many else None
        self.first = np.zeros(1 if many else 0, np.int64)

    def add(self, column: Array) -> None:
        """Add a column."""
        if self.code is not None and not _same(column[self.first][self.code], column):
            found = distinct_rows(np.stack([self.code.astype(np.int64), column.view(np.int64)], axis=1))
            at = self.code if found is None else self.code[found[0]]
            self.rows = [row[at] for row in self.rows]
            self.first, self.code = (self.first[:0], None) if found is None else found
        self.rows.append(column if self.code is None else column[self.first])

    def column(self, j: int) -> Array:
        """Return a column (N,)."""
        return self.rows[j] if self.code is None else self.rows[j][self.code]


def _same(one: Array, other: Array) -> bool:
    return bool((one.view(np.int64) == other.view(np.int64)).all())  # NaN, too


class CaseNumbers(Sequence[Array]):
    """Columns (N,) of numbers of cases, NaN for cases that do not count; those of one block are likely to repeat their rows together."""

    def __init__(self) -> None:
        self._blocks: dict[Hashable, AlikeColumns] = {}
        self._at: list[tuple[Hashable, int]] = []
        self._own: list[Array | None] = []  # columns whose means vary over cases as those of others do, which are resampled

    def add(self, column: Array, block: Hashable = None, resampled: Array | None = None) -> None:
        """Add a column to a block; its mean varies over cases as that of ``resampled``, if that is given."""
        self._own.append(None if resampled is None else column)
        column = np.ascontiguousarray(column if resampled is None else resampled, np.float64)
        own = self._blocks.setdefault(block, AlikeColumns(len(column)))
        self._at.append((block, len(own.rows)))
        own.add(column)

    def extend(self, others: CaseNumbers) -> None:
        """Add the columns of others to the same blocks."""
        for (block, j), own in zip(others._at, others._own):
            column = others._blocks[block].column(j)
            self.add(*(column, block) if own is None else (own, block, column))

    def __len__(self) -> int:
        return len(self._at)

    @overload
    def __getitem__(self, at: int) -> Array: ...
    @overload
    def __getitem__(self, at: slice) -> list[Array]: ...
    def __getitem__(self, at: int | slice) -> Array | list[Array]:
        if isinstance(at, slice):
            return [self[i] for i in range(*at.indices(len(self)))]
        own, (block, j) = self._own[at], self._at[at]
        return self._blocks[block].column(j) if own is None else own

    @cached_property
    def means(self) -> list[Ratios]:
        """The means of the columns, a statistic for each block."""
        return [Ratios.of(np.stack(one.rows, axis=1), code=one.code) for one in self._blocks.values()]

    @property
    def places(self) -> Int64:
        """The place of each column among the numbers of all blocks, one block after the other."""
        begin, found = 0, {}
        for block, own in self._blocks.items():
            found[block], begin = begin, begin + len(own.rows)
        return np.array([found[block] + j for block, j in self._at], np.int64)
