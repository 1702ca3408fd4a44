"""The law of a number of a reader study if readers and cases are random and its variance is that of intervals over cases and annotators."""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from .._base.arrays import Array, Int64
from .._base.laws import t_quantile
from .._base.notes import Note
from ..resampling.spread import df_of, half_width_of, total_of
from .figures import FigureOfMerit, ReadingCells

FEW_DECIDING = 25  # cases of the rarer kind below which a note says so
LEAST_READERS = 2
LEAST_TAIL = 1e-15


class ReadersAndCases(NamedTuple):
    """The parts of a variance: over cases with these readers, over readers with these cases, and what both include, the error.

    With V their sum less the error, the half-width of intervals is that of :class:`ugt.resampling.TwoWay`, which is never below that over
    readers or cases alone. ``more`` is an independent variance, with its degrees of freedom.
    """

    cases: float
    readers: float
    error: float
    n_cases: float  # those that decide: of the rarer kind
    n_readers: float  # their degrees of freedom, plus one
    more: float = 0.0
    more_df: float = math.inf

    @property
    def variance(self) -> float:
        return float(total_of(*self[:3])) + self.more

    @property
    def df(self) -> float:
        """Satterthwaite's degrees of freedom."""
        own = self.variance - self.more
        found = float(df_of(*self[:5]))
        below = (own**2 / found if found > 0 else 0.0) + self.more**2 / self.more_df
        return self.variance**2 / below if below > 0 else math.inf

    def half_width(self, q: float) -> float:
        """Return the half-width of the interval whose upper end is the quantile q."""
        own = float(half_width_of(*self[:5], q))
        return math.hypot(own, float(t_quantile(self.more_df, q)) * math.sqrt(self.more)) if self.more else own

    def above(self, distance: float) -> float:
        """Return the one-sided p-value of a number that is so far above the tested one: the limit at 1 - p is where that one is."""
        from scipy.optimize import brentq  # noqa: PLC0415  (scipy is slow to import)

        if distance < 0:
            return 1.0 - self.above(-distance)
        if distance == 0 or self.half_width(1 - LEAST_TAIL) <= distance:
            return 0.5 if distance == 0 else LEAST_TAIL
        root = brentq(lambda log_p: self.half_width(1 - math.exp(log_p)) - distance, math.log(LEAST_TAIL), math.log(0.5), xtol=1e-12)
        return math.exp(float(root))


def deciding_cases(figure: FigureOfMerit, cells: ReadingCells, unit: Int64) -> float:
    """Return how many cases (units) decide how far the figure varies: for areas under a curve (Σ p)² / Σ p² of the rarer kind."""
    counted = figure.counting(cells)
    at = np.unique(unit[counted], return_inverse=True)[1].reshape(-1)
    found = float(at.max(initial=-1) + 1)
    if not figure.of_rarer:
        return found
    sums = [np.bincount(at, p) for p in (cells.p[counted], 1 - cells.p[counted])]
    return min(found, *(float(one.sum() ** 2 / (one @ one)) if one.any() else 0.0 for one in sums))


OF_TESTS = "equal tests were found different at 5% in 4 to 9% of the studies, and 95% intervals of a test held its figure in 90 to 95%"
OF_A_MODEL = "models at the margin were called not inferior, at 5%, in 2 to 10% of the studies"


def few_deciding(n: float, seen: str) -> list[Note]:
    """Return the note on so few cases of the rarer kind, with what simulations have seen."""
    if n >= FEW_DECIDING:
        return []
    words = "{n:.3g} cases of the rarer kind decide how far the figures vary. In simulations with 8 of 120, {seen}."
    return [Note("few_deciding_cases", words, n=n, seen=seen)]


def two_readers(n: Array) -> list[Note]:
    """Return the note on tests with two readers, by the numbers of readers of the tests."""
    if n.min() > LEAST_READERS:
        return []
    words = "With {n} readers per test intervals are wide: in simulations 95% intervals held the true figure in {low} to {high}%."
    return [Note("two_readers_per_test", words, n=LEAST_READERS, low=94, high=99)]
