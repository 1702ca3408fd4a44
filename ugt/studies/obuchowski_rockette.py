"""Obuchowski and Rockette's analysis of variance with Hillis' degrees of freedom, from readers' figures and their covariances."""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from .._base.arrays import Array, Bools
from .both_random import ReadersAndCases
from .covariances import IN_READERS, IN_TESTS, SPLIT

BOTH, CASES, READERS = ("readers", "cases"), ("cases",), ("readers",)
ALIKE = 1e-24  # a smaller variance is rounding: the figures are equal


class Estimated(NamedTuple):
    """A figure or a difference with its variance and degrees of freedom; the reason if the variance cannot be used, else empty."""

    value: float
    variance: float
    df: float
    reason: str = ""
    parts: ReadersAndCases | None = None  # None: Student's law of the degrees of freedom

    def plus(self, variance: float, df: float, why: str) -> Estimated:
        """Return the number with an independent part added to its variance; degrees of freedom after Satterthwaite."""
        if self.reason:
            return self
        if math.isnan(variance):
            return self._replace(variance=math.nan, df=math.nan, reason=why)
        if self.parts is not None:
            both = self.parts._replace(more=variance, more_df=df)
            return self._replace(variance=both.variance, df=both.df, parts=both)
        total = self.variance + variance
        below = self.variance**2 / self.df + variance**2 / df
        return self._replace(variance=total, df=total**2 / below if below > 0 else math.inf)


def by_parts(value: float, parts: ReadersAndCases) -> Estimated:
    """Return the number with the law of these parts of its variance."""
    found = estimated(value, parts.variance, parts.df)
    return found if found.reason else found._replace(parts=parts)


def estimated(value: float, variance: float, df: float) -> Estimated:
    """Return the number, with the reason if the variance is not positive."""
    if math.isnan(value):
        return Estimated(value, math.nan, math.nan, "the figure is undefined")
    if math.isnan(variance):
        return Estimated(value, math.nan, math.nan, "the covariances cannot be estimated: too few cases were read by the same readers")
    if variance <= -ALIKE:
        return Estimated(value, math.nan, math.nan, f"the estimated variance is negative ({variance:.3g})")
    if variance <= ALIKE:
        return Estimated(value, math.nan, math.nan, "the estimated variance is 0: the figures do not vary")
    return Estimated(value, variance, df)


class ErrorCovariances(NamedTuple):
    """Means over (pairs of) cells: variance; covariances of one reader in two tests (1), of two readers in a test (2), and of neither (3).

    ``of_test`` (T, 2): the variance and covariance 2 of each test alone.
    """

    error: float
    cov1: float
    cov2: float
    cov3: float
    of_test: Array

    @classmethod
    def of(cls, covariance: Array, there: Bools, design: str) -> ErrorCovariances:
        """Return the means of a table (G, G) of the cells that exist in (T, R)."""
        test, reader = np.nonzero(there)
        alike = {name: code[:, None] == code for name, code in (("test", test), ("reader", reader))}

        def mean(kept: Array) -> float:
            return float(covariance[kept].mean()) if kept.any() else 0.0

        one = mean(~alike["test"] & alike["reader"]) if design not in (IN_TESTS, SPLIT) else 0.0
        two = mean(alike["test"] & ~alike["reader"]) if design != IN_READERS else 0.0
        three = mean(~alike["test"] & ~alike["reader"]) if design not in (IN_READERS, IN_TESTS) else 0.0
        own = [np.equal.outer(test == t, test == t) & (test == t) for t in range(len(there))]
        of_test = [
            (mean(rows & np.eye(len(test), dtype=bool)), 0.0 if design == IN_READERS else mean(rows & ~alike["reader"])) for rows in own
        ]
        return cls(float(np.diagonal(covariance).mean()), one, two, three, np.array(of_test))

    @property
    def alone_and_shared(self) -> tuple[float, float]:
        """What readers do not share over cases, in the variance of a difference of tests, and what they share."""
        return self.error - self.cov1, self.cov2 - self.cov3

    @classmethod
    def unknown(cls, t: int) -> ErrorCovariances:
        """Return unknown covariances, for fixed cases."""
        return cls(math.nan, math.nan, math.nan, math.nan, np.full((t, 2), math.nan))


class Analysis(NamedTuple):
    """Mean squares of figures (T, R), NaN if a reader is not in a test, with error covariances (NaN if cases are fixed)."""

    figures: Array
    errors: ErrorCovariances
    nested: bool  # readers in tests
    random: tuple[str, ...]
    deciding: float = math.inf  # cases that decide how far figures vary

    @property
    def n_readers(self) -> Array:
        """The (T,) numbers of readers of each test."""
        return np.asarray((~np.isnan(self.figures)).sum(axis=1), np.float64)

    @property
    def means(self) -> Array:
        """The (T,) means over readers."""
        return np.asarray(np.nanmean(self.figures, axis=1))

    def mean_squares(self) -> tuple[float, float, float]:
        """Return MS(T), MS(R) and MS(TR); if readers are nested in tests, NaN for readers and MS(R(T)) for the last."""
        y, (t, r) = self.figures, self.figures.shape
        n, means = self.n_readers, self.means
        whole = float((n * means).sum() / n.sum())
        between = float((n * (means - whole) ** 2).sum() / (t - 1)) if t > 1 else math.nan
        inside = np.nansum((y - means[:, None]) ** 2)
        if self.nested:
            return between, math.nan, float(inside / (n.sum() - t)) if n.sum() > t else math.nan
        by_reader = y.mean(axis=0)
        reader = float(t * ((by_reader - whole) ** 2).sum() / (r - 1)) if r > 1 else math.nan
        rest = (y - means[:, None] - by_reader + whole) ** 2
        return between, reader, float(rest.sum() / ((t - 1) * (r - 1))) if t > 1 and r > 1 else math.nan

    @property
    def df(self) -> float:
        """The degrees of freedom of the mean square in the denominator."""
        t, r = self.figures.shape
        return float(self.n_readers.sum() - t if self.nested else (t - 1) * (r - 1))

    def denominator(self, per_test: float) -> tuple[float, float]:
        """Return the expected mean square of equal tests with ``per_test`` readers in each, and its degrees of freedom."""
        error, one, two, three = self.errors[:4]
        square = self.mean_squares()[2]
        if self.random == CASES:
            return error - (two if self.nested else one) + (per_test - (not self.nested)) * (two - three), math.inf
        found = square if self.random == READERS else square + per_test * max(two - three, 0.0)
        return found, found**2 / (square**2 / self.df) if square > ALIKE else math.inf

    def difference(self, a: int, b: int) -> Estimated:
        """Return the difference of two tests, with the variance (1 / r_a + 1 / r_b) D."""
        n = self.n_readers
        twice = 1 / n[a] + 1 / n[b]
        value = float(self.means[a] - self.means[b])
        if self.nested and self.random == BOTH:
            _, _, two, three = self.errors[:4]
            return by_parts(value, self._parts(twice, self.mean_squares()[2], self.df, self.errors.error - two, 2 * (two - three)))
        d, df = self.denominator(2 / twice)
        return estimated(value, twice * d, df)

    def _parts(self, per: float, square: float, df: float, alone: float, shared: float) -> ReadersAndCases:
        """Return the parts of the variance: ``per`` times the mean square and the error of one reader, and what readers share."""
        own = per * max(alone, 0.0)
        return ReadersAndCases(own + max(shared, 0.0), per * square, own, self.deciding, df + 1)

    def all_tests(self) -> tuple[float, float, float, float]:
        """Return MS(T), its expectation if tests are equal, and degrees of freedom, inf for the law of chi-square."""
        n, t = self.n_readers, len(self.figures)
        per_test = float((n.sum() - (n**2).sum() / n.sum()) / (t - 1)) if self.nested else n[0]
        d, df = self.denominator(per_test)
        return self.mean_squares()[0], d, t - 1.0, df

    def one_test(self, t: int) -> Estimated:
        """Return the mean figure of a test, from the data of that test only."""
        y = self.figures[t][~np.isnan(self.figures[t])]
        r, (error, two) = len(y), self.errors.of_test[t]
        if r == 1 and self.random != CASES:
            return Estimated(float(y[0]), math.nan, math.nan, "one reader does not show how readers differ")
        square = float(y.var(ddof=1)) if r > 1 else math.nan
        if self.random == CASES:
            return estimated(float(y.mean()), (error + (r - 1) * max(two, 0.0)) / r, math.inf)
        if self.nested and self.random == BOTH:
            return by_parts(float(y.mean()), self._parts(1 / r, square, r - 1.0, error - two, two))
        total = square + (r * max(two, 0.0) if self.random == BOTH else 0.0)
        return estimated(float(y.mean()), total / r, total**2 / (square**2 / (r - 1)) if square > ALIKE else math.inf)

    def components(self) -> tuple[float, float]:
        """Return σ² of readers and of readers by tests, which may be negative; NaN if the design does not identify them."""
        _, reader, both = self.mean_squares()
        error, one, two, three = self.errors[:4]
        if self.nested:
            return both - error + two, math.nan
        return (reader - both) / len(self.figures) - one + three, both - error + one + two - three
