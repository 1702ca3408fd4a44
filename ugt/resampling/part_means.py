"""Means over parts of the cases, such as strata, all on the same resamples."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING

import numpy as np

from .._base.arrays import Array, Bools, Int64
from .._base.lazy import cached_property
from .design import by_case
from .number_facts import NumberFacts
from .ratios import over
from .statistic import Statistic
from .sums import Alike, GroupSums, Repeated

if TYPE_CHECKING:
    from .design import Design


class PartMeans(Statistic):
    """M means over each of G parts of the cases, which may share cases: G x M numbers, part after part.

    Parameters
    ----------
    n_cases : int
        Cases N of the data.
    parts : iterable of ((r,) int, (r, M) float)
        The cases of each part, at least one, and their contributions; NaN if a case does not count.
    """

    def __init__(self, n_cases: int, parts: Iterable[tuple[Int64, Array]]) -> None:
        self.n_cases = n_cases
        rows, tables, codes, n = [], [], [], 0
        for of_part, given in parts:  # only the distinct entries of each are kept, if these are few
            few = Repeated.of(given)
            own, code = (given, np.arange(len(given), dtype=np.int32)) if few is None else few
            rows.append(of_part)
            tables.append(own)
            codes.append(code + np.int32(n))
            n += len(own)
        table, self._m = np.concatenate(tables), tables[0].shape[1]
        counts = ~np.isnan(table)
        if (counts == counts[:, :1]).all():  # numbers with the same cases need one column of counts
            counts = counts[:, :1]
        self._table = np.concatenate([np.where(counts, table, 0.0), counts], axis=1)
        self._rows, self._entry = np.concatenate(rows), np.concatenate(codes)
        self._starts = np.concatenate([[0], np.cumsum([len(of_part) for of_part in rows])])
        group = np.repeat(np.arange(len(tables), dtype=np.int32), [len(own) for own in tables])
        alike = Alike(self._rows, self._entry, Repeated(table, self._entry).first) if n < len(self._rows) else None
        self._grouped = GroupSums(self._rows, group, self._table, len(tables), alike)
        self.names = tuple(map(str, range(len(tables) * self._m)))

    @property
    def work(self) -> int:
        """The number of products per resample."""
        return int(len(self._entry) * self._table.shape[1])

    @property
    def _counts(self) -> Bools:
        return np.asarray((self._table[:, self._m :] != 0)[self._entry])

    @property
    def kept(self) -> Bools:
        """The (N,) cases that count in a part."""
        found = np.zeros(self.n_cases, bool)
        found[self._rows[self._counts.any(axis=1)]] = True
        return found

    def sums(self, cases: Array | None = None) -> Array:
        """Return the sums (B, S) of the numbers of each part, and of the cases that count."""
        own = np.ones((1, self.n_cases)) if self.times is None else self.times[None]
        weights = by_case(own if cases is None else cases)
        return self._grouped.sums(weights).reshape(weights.shape[1], -1)

    def answer(self, sums: Array) -> Array:
        """Return the numbers (B, G x M)."""
        found = sums.reshape(len(sums), -1, self._table.shape[1])
        return over(found[..., : self._m], found[..., self._m :]).reshape(len(sums), -1)

    def influence(self) -> Array:
        """Return the influence (N, G x M), L = (a - θ b) / Σ b; 0 if a number is undefined."""
        found = np.zeros((self.n_cases, len(self.names)))
        for part, (begin, end) in enumerate(zip(self._starts[:-1], self._starts[1:])):
            numbers = slice(part * self._m, (part + 1) * self._m)
            above, below = np.split(self._table[self._entry[begin:end]], [self._m], axis=1)
            size = below.sum(axis=0) if self.times is None else self.times[self._rows[begin:end]] @ below
            own = over(above - np.nan_to_num(self.estimate[numbers]) * below, size)
            found[self._rows[begin:end], numbers] = own
        return found

    @property
    def facts(self) -> NumberFacts:
        return NumberFacts.of(len(self.names), lambda: self._spans)._replace(counting=self._counting, varies=self._varies)

    @cached_property
    def _spans(self) -> Array:
        """The ranges (G x M, 2), from 0 to 1 if all contributions to a part are in it."""
        table = self._table[:, : self._m]
        inside = np.logical_and.reduceat(((table >= 0) & (table <= 1))[self._entry], self._starts[:-1])
        return np.where(inside.reshape(-1, 1), [0.0, 1.0], [-np.inf, np.inf])

    def _counting(self, kept: Bools, design: Design) -> Array:
        unit = np.full(len(kept), -1)
        unit[kept] = design.unit
        found, seen = [], np.empty(design.n_units + 1, bool)
        for begin, end in zip(self._starts[:-1], self._starts[1:]):
            of_row, counts = unit[self._rows[begin:end]], self._counts[begin:end]
            n = []
            for column in counts.T:
                seen[:] = False
                seen[of_row[column]] = True
                n.append(int(np.count_nonzero(seen) if design.times is None else design.times[seen[:-1]].sum()))
            found += [n[0]] * self._m if len(n) == 1 else n
        return np.array(found, np.float64)

    def _varies(self, kept: Bools, design: Design) -> Bools:
        """Return (G x M,) whether two units of some stratum count in a number."""
        unit = np.full(len(kept), -1)
        unit[kept] = design.place[design.unit]
        of_entry, counts = unit[self._rows, None], self._counts
        times = None if design.placed_times is None else np.append(design.placed_times, 0.0)[of_entry]
        several = np.zeros((len(self._starts) - 1, counts.shape[1]), bool)
        for low, high in zip(design.strata[:-1], design.strata[1:]):
            here = counts & (of_entry >= low) & (of_entry < high)
            if times is not None:
                several |= np.add.reduceat(np.where(here, times, 0.0), self._starts[:-1]) >= 2
                continue
            first = np.minimum.reduceat(np.where(here, of_entry, high), self._starts[:-1])
            several |= first < np.maximum.reduceat(np.where(here, of_entry, low - 1), self._starts[:-1])
        return np.broadcast_to(several[..., None], (*several.shape, self._m // several.shape[1])).reshape(-1)
