"""Figures of tests and their differences, with intervals and claims about margins."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from .._base import checks
from .._base.laws import above, holm, t_quantile
from .._base.records import Record
from ..resampling import check_level, check_one_sided
from .both_random import ReadersAndCases
from .gallas import law
from .obuchowski_rockette import Estimated


@dataclass(frozen=True, eq=False, repr=False)
class MarginClaim(Record):
    """A claim that a difference of tests is beyond a margin; made by ``non_inferiority``, ``superiority`` and ``equivalence``.

    Attributes
    ----------
    claim : str
        ``"non-inferiority"``, ``"superiority"`` or ``"equivalence"``.
    estimate, low, high : float
        The difference, first test less second, and the ends of its interval that decide: one-sided at ``level``. The other end of a
        one-sided claim is infinite. NaN if the difference has no interval.
    margin, level : float
        The margin on the scale of the figure; 1 less the probability of the claim if the difference lies at the margin.
    p_value : float
        Of the hypothesis that the claim is not true; NaN if there is no interval.
    decision : bool
        Whether the claim is shown. False does not show the contrary.

    Examples
    --------
    >>> import ugt
    >>> a = [[1, 2, 3, 4, 2, 1, 3, 3, 4, 1], [2, 2, 3, 3, 1, 1, 4, 3, 4, 2], [1, 3, 3, 3, 1, 2, 4, 2, 4, 3]]
    >>> b = [[1, 1, 4, 4, 2, 2, 3, 1, 4, 3], [1, 2, 4, 3, 1, 1, 4, 2, 4, 2], [2, 1, 3, 4, 1, 2, 4, 3, 4, 3]]
    >>> found = ugt.reader_study([0, 0, 1, 1, 0, 0, 1, 0, 1, 1], ugt.studies.Readings.from_array([a, b], tests=["a", "b"]))
    >>> claim = found.non_inferiority("b", "a", 0.05)
    >>> round(claim.low, 3), claim.decision
    (-0.046, True)
    """

    claim: str
    estimate: float
    low: float
    high: float
    margin: float
    level: float
    p_value: float
    decision: bool


@dataclass(frozen=True, eq=False, repr=False)
class OfReaders(Record):
    """The base of a number with a standard error and degrees of freedom (inf: the normal law)."""

    value: float
    std_error: float
    df: float
    reason: str
    level: float
    _law: float | ReadersAndCases = field(repr=False)

    def _ends(self, level: float | None) -> tuple[float, float]:
        """Return the number less and plus the half-width: by default a quantile times the standard error."""
        level = check_level(self.level if level is None else level)
        law = self._law
        half = law.half_width(0.5 + level / 2) if isinstance(law, ReadersAndCases) else _quantile(law, level) * self.std_error
        return self.value - half, self.value + half

    def _tail(self, at: float) -> float:
        """Return the one-sided p-value for the number ``at``."""
        return _tail(self.value - at, self.std_error, self._law)


@dataclass(frozen=True, eq=False, repr=False)
class ReaderFigure(OfReaders):
    """The mean figure of the readers in one test.

    Attributes
    ----------
    name : id
        Name of the test.
    value, std_error, df : float
        The mean over readers, its standard error and degrees of freedom; inf: the normal law.
    n_readers : int
    reason : str
        Why there is no standard error; empty if there is one.
    level : float
        Level of intervals by default.

    Examples
    --------
    >>> import ugt
    >>> a = [[1, 2, 3, 4, 2, 1, 3, 3, 4, 1], [2, 2, 3, 3, 1, 1, 4, 3, 4, 2], [1, 3, 3, 3, 1, 2, 4, 2, 4, 3]]
    >>> one = ugt.reader_study([0, 0, 1, 1, 0, 0, 1, 0, 1, 1], ugt.studies.Readings.from_array([a])).tests[0]
    >>> round(one.value, 3), [round(end, 3) for end in one.interval()], [round(end, 3) for end in one.interval(scale="identity")]
    (0.873, [0.595, 0.97], [0.703, 1.0])
    """

    name: Any
    n_readers: int
    _bounded: bool = field(repr=False)

    def interval(self, level: float | None = None, *, scale: str | None = None) -> tuple[float, float]:
        """Return the interval of the mean figure of the readers.

        Parameters
        ----------
        level : float, optional
            Default: that of the study.
        scale : {"logit", "identity"}, optional
            Symmetric on the logit scale, or on that of the figure and cut at 0 and 1, as published [H]. Default: logit for figures from
            0 to 1; figures by your own function have ``"identity"`` only, and are not cut.
        """
        low, high = self._ends(level)
        name = checks.option("scale", scale or ("logit" if self._bounded else "identity"), ("logit", "identity"))
        if not self._bounded:
            if name == "logit":
                raise checks.error("scale", "be 'identity' for figures that may lie outside of 0 to 1", repr(name))
            return low, high
        if name == "identity" or not 0 < self.value < 1 or math.isnan(low):
            return (low, high) if math.isnan(low) else (max(low, 0.0), min(high, 1.0))
        middle, reach = math.log(self.value / (1 - self.value)), (high - self.value) / (self.value * (1 - self.value))
        with np.errstate(over="ignore"):
            ends = 1 / (1 + np.exp(-np.array([middle - reach, middle + reach])))
        return float(ends[0]), float(ends[1])


@dataclass(frozen=True, eq=False, repr=False)
class ReaderDifference(OfReaders):
    """The difference of two tests, or of a model and readers: the first less the second.

    Attributes
    ----------
    first, second : id
        Names of the tests.
    value, std_error, df : float
        The difference, its standard error and degrees of freedom; inf: the normal law.
    p_value, adjusted_p_value : float
        Two-sided, for a difference of 0; unadjusted, and by Holm's method over all pairs of tests of the study.
    reason, level
        As of :class:`ReaderFigure`.

    Examples
    --------
    >>> import ugt
    >>> a = [[1, 2, 3, 4, 2, 1, 3, 3, 4, 1], [2, 2, 3, 3, 1, 1, 4, 3, 4, 2], [1, 3, 3, 3, 1, 2, 4, 2, 4, 3]]
    >>> b = [[1, 1, 4, 4, 2, 2, 3, 1, 4, 3], [1, 2, 4, 3, 1, 1, 4, 2, 4, 2], [2, 1, 3, 4, 1, 2, 4, 3, 4, 3]]
    >>> readings = ugt.studies.Readings.from_array([a, b], tests=["a", "b"])
    >>> found = ugt.reader_study([0, 0, 1, 1, 0, 0, 1, 0, 1, 1], readings).difference("b", "a")
    >>> round(found.value, 3), [round(end, 3) for end in found.interval()], found.non_inferiority(0.05).decision
    (0.1, [-0.106, 0.306], True)
    """

    first: Any
    second: Any
    p_value: float
    adjusted_p_value: float
    _bounded: bool = field(repr=False)

    def interval(self, level: float | None = None) -> tuple[float, float]:
        """Return the interval of the difference; ``level`` is by default that of the study."""
        return self._ends(level)

    def non_inferiority(self, margin: float, *, level: float = 0.95) -> MarginClaim:
        """Test whether the first test is worse than the second by less than ``margin``, by the one-sided lower limit at ``level``.

        Raises
        ------
        ValueError
            If the margin is not a finite number of at least 0, or not below 1 for figures from 0 to 1; if the level is not above 0.5
            and below 1.
        """
        return self._beyond("non-inferiority", -self._margin(margin), level)

    def superiority(self, margin: float = 0.0, *, level: float = 0.95) -> MarginClaim:
        """Test whether the first test is better than the second by more than ``margin``. Options and errors of :meth:`non_inferiority`."""
        return self._beyond("superiority", self._margin(margin), level)

    def equivalence(self, margin: float, *, level: float = 0.95) -> MarginClaim:
        """Test whether the tests differ by less than ``margin``, by two one-sided tests at ``level``; errors of :meth:`non_inferiority`."""
        width = self._margin(margin)
        level = check_one_sided(level)
        low, high = self._ends(2 * level - 1)
        p = max(self._tail(-width), 1 - self._tail(width))
        return MarginClaim("equivalence", self.value, low, high, width, level, p, bool(-width < low and high < width))

    def _margin(self, margin: object) -> float:
        width = checks.scalar("margin", margin)
        if self._bounded and width >= 1:
            raise checks.error("margin", "be below 1, as figures are from 0 to 1 (five points are 0.05)", repr(margin))
        return width

    def _beyond(self, claim: str, least: float, level: float) -> MarginClaim:
        level = check_one_sided(level)
        low, _ = self._ends(2 * level - 1)
        high = math.nan if math.isnan(low) else math.inf
        return MarginClaim(claim, self.value, low, high, abs(least), level, self._tail(least), bool(low > least))


def turned(one: ReaderDifference) -> ReaderDifference:
    fixed = one.std_error, one.df, one.reason, one.level, one._law
    return ReaderDifference(-one.value, *fixed, one.second, one.first, one.p_value, one.adjusted_p_value, one._bounded)


def figure_record(name: object, found: Estimated, n_readers: int, level: float, bounded: bool, imrmc: bool) -> ReaderFigure:
    return ReaderFigure(*_common(found, level, imrmc), name, n_readers, bounded)


def differences(
    found: Mapping[tuple[Any, Any], Estimated], level: float, bounded: bool, imrmc: bool = False
) -> tuple[ReaderDifference, ...]:
    """Return the differences of all pairs, with their p-values adjusted together."""
    common = [_common(one, level, imrmc) for one in found.values()]
    p = [2 * _tail(abs(one[0]), one[1], one[-1]) for one in common]
    return tuple(ReaderDifference(*one, *names, *both, bounded) for names, one, both in zip(found, common, zip(p, holm(p))))


def _tail(distance: float, std_error: float, held: float | ReadersAndCases) -> float:
    """Return P(T > t) of a distance, in standard errors unless the law has parts."""
    return held.above(distance) if isinstance(held, ReadersAndCases) else above(distance / std_error, held)


def _common(found: Estimated, level: float, imrmc: bool) -> tuple[float, float, float, str, float, float | ReadersAndCases]:
    if found.reason:
        return found.value, math.nan, math.nan, found.reason, level, math.nan
    df = float(found.df)
    held = law(df) if imrmc else df if found.parts is None else found.parts
    return found.value, math.sqrt(found.variance), df, "", level, held


def _quantile(df: float, level: float) -> float:
    """Return the quantile of the two-sided interval, by Student's law or the normal one."""
    from scipy.special import ndtri  # noqa: PLC0415  (scipy is slow to import)

    return float(ndtri(0.5 + level / 2) if math.isinf(df) else t_quantile(df, 0.5 + level / 2))
