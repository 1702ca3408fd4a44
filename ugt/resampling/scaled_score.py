"""The interval of a paired difference of two shares that few cases decide: Tango's score interval, scaled to values between 0 and 1."""

from __future__ import annotations

from collections.abc import Iterable
from typing import NamedTuple

import numpy as np

from .._base.arrays import Array, Bools, Int64
from .._base.laws import t_quantile
from .design import Design
from .ratios import over
from .statistic import Statistic

FEW_DISCORDANT = 20  # differences that fewer discordant cases, or clusters, make up have this interval
STILL = 1e-12  # share of the mean square of differences that is rounding
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
    def of(cls, columns: Iterable[tuple[Array, Array] | None], design: Design) -> PairedDifferences:
        """Return the numbers for each pair of columns (N,), of w d and of w; NaN for those that are None."""
        unknown = (np.nan,) * len(cls._fields)
        return cls(*np.array([unknown if one is None else _numbers(*one, design) for one in columns], np.float64).reshape(-1, 5).T)

    def take(self, at: Int64) -> PairedDifferences:
        """Return some of the differences, by position."""
        return PairedDifferences(*(part[at] for part in self))

    @property
    def discordant(self) -> Array:
        """The effective number (M,) of discordant cases, n m2² / m4: those with d ≠ 0 if every d is -1, 0 or 1."""
        return np.asarray(np.where(self.fourth > 0, over(self.n * self.second**2, self.fourth), self.n * 0.0))

    def ends_of_few(self, level: float) -> Array:
        """Return (M, 2) the intervals of differences that fewer than 20 discordant cases make up, or that are alike in all, else NaN."""
        found = np.full((len(self.n), 2), np.nan)
        with np.errstate(invalid="ignore"):
            still = self.second - self.mean**2 <= STILL * self.second  # all cases alike, which has no width by Student's law
            at = np.flatnonzero((self.discordant < FEW_DISCORDANT) | still)
        if len(at):
            found[at] = self.take(at).ends(level)
        return found

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
        upper = _upper(np.stack([-s, s], axis=1), q[:, None], n[:, None], t[:, None])
        return np.where(known[:, None], np.clip(upper * [-1.0, 1.0] * scale[:, None], -1.0, 1.0), np.nan)


class Terms(NamedTuple):
    """The columns (N,) of w x and of w of shares ``Σ w x / Σ w`` of the kept cases, None for other numbers; and the units of the cases."""

    columns: list[tuple[Array, Array] | None]
    design: Design

    @classmethod
    def of(cls, one: Statistic, kept: Bools, design: Design, at: Int64) -> Terms:
        """Return the columns of some numbers of a statistic."""
        spans, rows = one.facts.spans, slice(None) if kept.all() else kept
        found = [one.quotient(number) if tuple(spans[number]) == (0.0, 1.0) else None for number in at.tolist()]
        return cls([None if each is None else (each[0][rows], each[1][rows]) for each in found], design)

    @classmethod
    def beside(cls, parts: list[Terms]) -> Terms:
        """Return the columns of several parts, one after the other."""
        return cls([each for one in parts for each in one.columns], parts[0].design)

    def take(self, at: Int64) -> Terms:
        return self._replace(columns=[self.columns[i] for i in at.tolist()])

    def minus(self, j: int) -> PairedDifferences:
        """Return the differences to number j; NaN for its own, and where another number has other weights."""
        other = self.columns[j]
        return self.less([None if i == j else other for i in range(len(self.columns))])

    def less(self, others: list[tuple[Array, Array] | None]) -> PairedDifferences:
        """Return the differences to the numbers of others, one by one."""
        return PairedDifferences.of(map(_less, self.columns, others), self.design)


def _less(one: tuple[Array, Array] | None, other: tuple[Array, Array] | None) -> tuple[Array, Array] | None:
    """Return the columns of a difference of shares; None if a share is unknown or their weights differ."""
    return None if one is None or other is None or not np.array_equal(one[1], other[1]) else (one[0] - other[0], one[1])


def _numbers(above: Array, below: Array, design: Design) -> tuple[float, ...]:
    """Return what is to be known of one difference, from columns (N,) of w d and of w."""
    d, times = np.divide(above, below, out=np.zeros(len(above)), where=below > 0), design.times
    weight = below if times is None else below * times
    total, squares = float(weight.sum()), float(weight @ below)
    above = above if times is None else above * times
    square = above * d
    n, n_units = over(total**2, squares), np.count_nonzero(below) if times is None else times[below != 0].sum()
    if not design.plain:
        placed = design.added_up(below[:, None])[:, 0]
        n, n_units = n / _design_effect(above, placed, squares, design), np.count_nonzero(placed)
    moments = (over(part, total) for part in (above.sum(), square.sum(), square @ (d * d)))
    return float(n), *map(float, moments), float(n_units)


def _design_effect(above: Array, placed: Array, squares: float, design: Design) -> float:
    """Return by how much clusters widen: as seen in discordant clusters, drawn to the middle of 1 and its largest value."""
    most, own = float(over(placed @ placed, squares)), float(above @ above)
    sums = design.added_up(np.stack([above, above**2], axis=1))
    k = np.count_nonzero(sums[:, 1])
    seen = float(sums[:, 0] @ sums[:, 0]) / own if own > 0 else most
    return max(float((k * seen + (1.0 + most) / 2) / (k + 1.0)), 1.0)


def _upper(s: Array, q: Array, n: Array, t: Array) -> Array:
    """Return the upper ends, of the shape of s, for b - c = s and b + c = q of n pairs: (s - n D) / √(n (2 p + D (1 - D))) = -t, or 1."""
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
