"""The interval of a paired difference of two shares that few cases decide: Tango's score interval, scaled to values between 0 and 1."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from .._base.arrays import Array, Bools, Int64
from .._base.laws import t_quantile
from .design import Design
from .ratios import over
from .statistic import Statistic

FEW_DISCORDANT = 20  # differences that fewer discordant cases, or clusters, make up have this interval
STEPS = 60  # of bisection: an end within 2^-60


class PairedDifferences(NamedTuple):
    """What the interval must know of M paired differences ``Σ w d / Σ w``, each d from -1 to 1.

    Attributes
    ----------
    n : (M,) array
        The effective number of cases: (Σ w)² / Σ w², divided by the design effect of clusters.
    mean, second, fourth : (M,) arrays
        Σ w d / Σ w, and the same of d² and d⁴.
    n_units : (M,) array
        The number of cases or clusters that count.
    """

    n: Array
    mean: Array
    second: Array
    fourth: Array
    n_units: Array

    @classmethod
    def of(cls, above: Array, below: Array, design: Design) -> PairedDifferences:
        """Return the numbers for columns (N, M) of w d and of w; NaN where a column is."""
        d, total, squares = np.where(below > 0, over(above, below), 0.0), below.sum(axis=0), (below**2).sum(axis=0)
        placed = design.added_up(below)
        found = cls(
            over(total**2, squares),
            over(above.sum(axis=0), total),
            over((above * d).sum(axis=0), total),
            over((above * d**3).sum(axis=0), total),
            np.where(np.isnan(total), np.nan, (placed > 0).sum(axis=0)),
        )
        return found if design.n_units == design.n_cases else found._replace(n=found.n / _design_effect(above, placed, squares, design))

    def take(self, at: Int64) -> PairedDifferences:
        """Return some of the differences, by position."""
        return PairedDifferences(*(part[at] for part in self))

    @property
    def discordant(self) -> Array:
        """The effective number (M,) of discordant cases, n m2² / m4: those with d ≠ 0 if every d is -1, 0 or 1."""
        return np.asarray(np.where(self.fourth > 0, over(self.n * self.second**2, self.fourth), self.n * 0.0))

    def ends_of_few(self, level: float) -> Array:
        """Return (M, 2) the intervals of differences that fewer than 20 discordant cases make up, else NaN."""
        with np.errstate(invalid="ignore"):
            return np.where((self.discordant < FEW_DISCORDANT)[:, None], self.ends(level), np.nan)

    def ends(self, level: float) -> Array:
        """Return the intervals (M, 2); NaN if fewer than two units count.

        With k = n m2² / m4 discordant cases, ``a² = (k m4 / m2 + ½) / (k + ½)`` is the size of d², shrunk to that of a certain case.
        b - c = n θ / a and b + c = n m2 / a² take the place of the numbers of discordant pairs in the score interval.

        References
        ----------
        Tango, "Equivalence test and confidence interval for the difference in proportions for the paired-sample design",
        Statistics in Medicine 17 (1998) 891-908, eq. 13 and 17.
        """
        known = self.n_units >= 2
        n, k = np.where(known, self.n, 1.0), np.where(known, self.discordant, 0.0)
        scale = np.sqrt(np.where(k > 0, over(k * over(self.fourth, self.second) + 0.5, k + 0.5), 1.0))
        s = np.where(known, n * self.mean / scale, 0.0)
        q = np.maximum(np.where(known, n * self.second / scale**2, 0.0), np.abs(s))
        t = t_quantile(np.where(known, self.n_units - 1, 1.0), 0.5 + level / 2)
        ends = np.stack([-_upper(-s, q, n, t), _upper(s, q, n, t)], axis=1) * scale[:, None]
        return np.where(known[:, None], np.clip(ends, -1.0, 1.0), np.nan)


class Terms(NamedTuple):
    """The columns (N, M) of w x and of w of shares ``Σ w x / Σ w`` of the kept cases, NaN for other numbers; and their units."""

    above: Array
    below: Array
    design: Design

    @classmethod
    def of(cls, one: Statistic, kept: Bools, design: Design, at: Int64) -> Terms:
        """Return the columns of some numbers of a statistic."""
        spans, shape = one.facts.spans, (int(kept.sum()), len(at))
        above, below = np.full(shape, np.nan), np.full(shape, np.nan)
        for j, number in enumerate(at.tolist()):
            found = one.quotient(number) if tuple(spans[number]) == (0.0, 1.0) else None
            if found is not None:
                above[:, j], below[:, j] = found[0][kept], found[1][kept]
        return cls(above, below, design)

    @classmethod
    def beside(cls, parts: list[Terms]) -> Terms:
        """Return the columns of several parts, one after the other."""
        above, below = (np.concatenate(tables, axis=1) for tables in zip(*(one[:2] for one in parts)))
        return cls(above, below, parts[0].design)

    def take(self, at: Int64) -> Terms:
        return self._replace(above=self.above[:, at], below=self.below[:, at])

    def minus(self, j: int) -> PairedDifferences:
        """Return the differences to number j; NaN for its own, and where another number has other weights."""
        found = self.less(self.take(np.array([j], np.int64)))
        return found._replace(n_units=np.where(np.arange(len(found.n)) == j, np.nan, found.n_units))

    def less(self, other: Terms) -> PairedDifferences:
        """Return the differences to the numbers of another, or to its only one."""
        same = (self.below == other.below).all(axis=0)
        return PairedDifferences.of(np.where(same, self.above - other.above, np.nan), np.where(same, self.below, np.nan), self.design)


def _design_effect(above: Array, placed: Array, squares: Array, design: Design) -> Array:
    """Return (M,) by how much clusters widen: as seen in discordant clusters, drawn to the middle of 1 and its largest value."""
    most = over((placed**2).sum(axis=0), squares)
    own = (above**2).sum(axis=0)
    k = (design.added_up(above**2) > 0).sum(axis=0)
    seen = np.where(own > 0, over((design.added_up(above) ** 2).sum(axis=0), own), most)
    return np.asarray(np.maximum((k * seen + (1.0 + most) / 2) / (k + 1.0), 1.0))


def _upper(s: Array, q: Array, n: Array, t: Array) -> Array:
    """Return the upper ends (M,) for b - c = s and b + c = q of n pairs: where (s - n D) / √(n (2 p + D (1 - D))) = -t, or 1."""
    c = (q - s) / 2

    def above(at: Array) -> Array:
        slope, constant = (2 * n - s) * at - q, -c * at * (1 - at)
        p = (np.sqrt(np.maximum(slope**2 - 8 * n * constant, 0.0)) - slope) / (4 * n)
        spread = np.sqrt(np.maximum(n * (2 * p + at * (1 - at)), 0.0))
        return np.asarray(s - n * at > -t * spread)

    low, high = np.clip(s / n, -1.0, 1.0), np.ones_like(s)
    open_ = above(high)
    for _ in range(STEPS):
        middle = (low + high) / 2
        beyond = above(middle)
        low, high = np.where(beyond, middle, low), np.where(beyond, high, middle)
    return np.asarray(np.where(open_, 1.0, (low + high) / 2))
