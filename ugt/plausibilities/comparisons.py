"""Comparisons of predictions with a truth: the expectation of each case, and the distribution over draws of the mean over cases."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from functools import partial
from typing import Any, Callable

import numpy as np

from .._base.arrays import Array, Bools, Int32, Int64
from .._base.checks import room
from .._base.identifiers import factorize
from .._core import _resample

NO_SPREAD = 1e-15  # a smaller variance is rounding: a million such cases change the mean by less than 1e-10


@dataclass(frozen=True, eq=False)
class Law:
    """The distribution over draws of what each case adds to a sum: ``least`` (N,), and a distribution on 0, 1/n, …, 1 for cases that vary.

    ``pmf`` (cases that vary, n + 1): probabilities of the lattice points of a case. ``rows``: the cases of the sum, if they are not these.
    ``times`` (N,): how often each of these cases occurs in the sum; None: once.
    """

    least: Array
    varies: Bools
    pmf: Array
    rows: Int64 | Int32 | None = None
    times: Array | None = None

    def take(self, rows: Int64 | Int32) -> Law:
        """Return the distribution of some cases, which may be repeated."""
        return replace(self, rows=rows if self.rows is None else self.rows[rows])

    def quantiles(self, q: Array) -> Array:
        """Return quantiles of the sum, in which NaN counts as 0."""
        if self.times is not None:
            return float(np.nansum(self.least * self.times)) + _lattice_quantile(self.pmf, self.times[self.varies].astype(np.int64), q)
        rows = np.arange(len(self.least)) if self.rows is None else self.rows
        times = np.bincount(rows, minlength=len(self.least))[self.varies]
        return float(np.nansum(self.least[rows])) + _lattice_quantile(self.pmf, times, q)


@dataclass(frozen=True, eq=False)
class Comparison:
    """The expectation per case (NaN: undefined), the standard deviation over draws of the mean over cases, and its distribution."""

    per_case: Array
    draw_std: float
    mc_error: float = 0.0
    per_draw: Array | None = None
    law: Callable[[float], Law | None] | None = None  # None if the law would have more cells than given
    variance: Array | None = None  # (N,) over draws of each case, if cases are independent

    @classmethod
    def independent(cls, per_case: Array, variance: Array, law: Callable[[float], Law | None] | None = None) -> Comparison:
        """Return the comparison of cases that are independent, with their variances (N,) over draws."""
        return cls(per_case, spread_of(variance), law=law, variance=variance)

    def take(self, rows: Int64 | Int32) -> Comparison:
        """Return the comparison of some of these independent cases, which may be repeated."""
        assert self.variance is not None
        return Comparison.independent(self.per_case[rows], self.variance[rows], partial(_law_taken, self.law, rows))

    def occurring(self, times: Array, weighted: bool) -> Comparison:
        """Return the comparison of independent cases, each of which occurs so often (N,) or, if ``weighted``, counts so much."""
        if self.variance is None:  # nothing varies
            return self
        spread = spread_of(self.variance, times, times**2 if weighted else times)
        return replace(self, draw_std=spread, law=None if weighted else partial(_law_of_equal, self.law, times))

    @classmethod
    def of_values(cls, values: Array, law: Array, n_points: int) -> Comparison:
        """Return the comparison with values (N, V) and their probabilities (N, V); n_points: of the lattice of the values."""
        per_case = (values * law).sum(1)
        variance = ((values - per_case[:, None]) ** 2 * law).sum(1)
        return cls.independent(per_case, variance, partial(_law_of_table, values, law, per_case, variance, n_points))

    @classmethod
    def of_chances(cls, chance: Array, settled: Bools | None = None) -> Comparison:
        """Return the comparison with values 1, with probability ``chance`` (N,), or 0; settled: cases whose draws all equal ``chance``."""
        variance = chance * (1.0 - chance)
        if settled is not None:
            variance[settled] *= 0.0  # NaN of an undefined case remains NaN
        return cls.independent(chance, variance, partial(_law_of_chances, chance, variance))


def spread_of(variance: Array, times: Array | None = None, of_variance: Array | None = None) -> float:
    """Return the standard deviation of the mean over defined cases, which are independent.

    Cases count once or ``times`` (N,) in the mean, and ``of_variance`` (N,) times in the variance of the sum.
    """
    if times is not None and of_variance is not None:
        defined = ~np.isnan(variance)
        total, each = float(times[defined].sum()), np.where(variance > NO_SPREAD, variance, 0.0)
        return math.sqrt(each @ of_variance) / total if total else float("nan")
    n = int(np.count_nonzero(variance == variance))  # noqa: PLR0124  (not NaN)
    return math.sqrt(np.add.reduce(variance[variance > NO_SPREAD])) / n if n else float("nan")


def _law_of_table(values: Array, law: Array, *of: Any) -> Law | None:
    return law_of(np.arange(len(values)).repeat(values.shape[1]), values.ravel(), law.ravel(), *of)


def law_of(row: Int64, values: Array, chance: Array, mean: Array, variance: Array, n_points: int, finest: float) -> Law | None:
    """Return the law of the sum over cases (N,), of which ``row`` (V,) has each value and its chance.

    Values between two points of the lattice are split between them with the same mean.
    """
    if n_points > finest:
        return None
    varies = variance > NO_SPREAD  # false for an undefined case
    used = np.flatnonzero(varies[row])
    at, cell = values[used] * n_points, (np.cumsum(varies) - 1)[row[used]] * (n_points + 2)
    low = np.minimum(np.floor(at + 1e-9), n_points).astype(np.int64)
    split = np.where(np.abs(at - low) < 1e-9, 0.0, at - low)
    n = int(np.count_nonzero(varies))
    room("the law of a metric", 8 * n * (n_points + 2))
    pmf: Array = np.bincount(cell + low, chance[used] * (1.0 - split), n * (n_points + 2)).astype(np.float64)
    pmf += np.bincount(cell + low + 1, chance[used] * split, n * (n_points + 2))
    return Law(np.where(varies, 0.0, mean), varies, pmf.reshape(n, n_points + 2)[:, : n_points + 1])


def _law_taken(law: Callable[[float], Law | None] | None, rows: Int64 | Int32, finest: float) -> Law | None:
    found = None if law is None else law(finest)
    return None if found is None else found.take(rows)


def _law_of_equal(law: Callable[[float], Law | None] | None, times: Array, finest: float) -> Law | None:
    found = None if law is None else law(finest)
    if found is None:
        return None
    if found.rows is not None:  # cases that share the law of one
        times = np.bincount(found.rows, times, len(found.least)).astype(np.float64)
    return replace(found, rows=None, times=times)


def _law_of_chances(p: Array, variance: Array, finest: float) -> Law | None:
    if finest < 1:
        return None
    varies = variance > NO_SPREAD
    return Law(np.where(varies, 0.0, p), varies, np.stack([1.0 - p[varies], p[varies]], 1))


def _lattice_quantile(pmf: Array, times: Int64, q: Array) -> Array:
    """Return the quantiles of the sum over cases, of which ``times`` have each distribution."""
    if len(pmf) == 0:  # the only spread is rounding
        return np.zeros(q.shape)
    if pmf.shape[1] > 2:  # sums of two values take as long as looking for equal distributions
        code, first = factorize(pmf)
        pmf, times = pmf[first], np.bincount(code, times).astype(np.int64)
    starts = np.append(0, np.cumsum(times))
    law = np.empty(starts[-1] * (pmf.shape[1] - 1) + 1)
    _resample.law_of_sum(np.ascontiguousarray(pmf), starts, law)
    cumulative = np.cumsum(law)
    # 1e-12: probabilities add up to 1 within rounding; for q = 0 or 1 the worst or best value must be more probable than this
    return np.asarray(np.searchsorted(cumulative, np.maximum(np.minimum(q, cumulative[-1]) - 1e-12, 1e-12)) / float(pmf.shape[1] - 1))
