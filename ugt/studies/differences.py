"""Figures of tests and their differences, with intervals and claims about margins."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from .._base import checks
from .._base.claims import LeadEnds, Whom, claim_of
from .._base.laws import above, holm, t_quantile
from .._base.records import Record
from ..resampling import check_level, check_one_sided
from .both_random import ReadersAndCases
from .claims import Population, known
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
        Whether this interval, over what was random in the study, shows the claim. False does not show the contrary.
    cases_low, cases_high : float
        The ends with other cases and these readers; NaN if cases are fixed.
    whom : str or None
        For whom the claim is shown, as in :class:`ReaderVerdict`: with three to five readers a claim about others holds only if readers
        vary like a normal law. None if cases are fixed.
    missing_share : float
        Kinds of readers that make up less of all may be missing; NaN if only cases are random.

    Examples
    --------
    >>> import ugt
    >>> a = [[1, 2, 3, 4, 2, 1, 3, 3, 4, 1], [2, 2, 3, 3, 1, 1, 4, 3, 4, 2], [1, 3, 3, 3, 1, 2, 4, 2, 4, 3]]
    >>> b = [[1, 1, 4, 4, 2, 2, 3, 1, 4, 3], [1, 2, 4, 3, 1, 1, 4, 2, 4, 2], [2, 1, 3, 4, 1, 2, 4, 3, 4, 3]]
    >>> found = ugt.reader_study([0, 0, 1, 1, 0, 0, 1, 0, 1, 1], ugt.studies.Readings.from_array([a, b], tests=["a", "b"]))
    >>> claim = found.non_inferiority("b", "a", 0.05)
    >>> round(claim.low, 3), claim.decision, claim.whom
    (-0.046, True, 'others if normal')
    """

    claim: str
    estimate: float
    low: float
    high: float
    margin: float
    level: float
    p_value: float
    decision: bool
    cases_low: float
    cases_high: float
    whom: str | None
    missing_share: float
    _about: Whom = field(repr=False)


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
    cases_std_error : float
        Standard error over cases, with these readers and this truth; NaN if there is none.
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
    cases_std_error: float
    _bounded: bool = field(repr=False)
    _population: Population = field(repr=False)

    def interval(self, level: float | None = None, *, random: str | tuple[str, ...] | None = None) -> tuple[float, float]:
        """Return the interval of the difference, cut at -1 and 1 for figures from 0 to 1.

        Parameters
        ----------
        level : float, optional
            Default: that of the study.
        random : ("cases",), optional
            The interval for other cases and these readers, also if readers were random. Default: what was random in the study.
        """
        if random is None:
            low, high = self._ends(level)
        else:
            if random not in ("cases", ("cases",), ["cases"]):
                raise checks.error("random", "be ('cases',), or be left out for what was random in the study", repr(random))
            half = _quantile(math.inf, check_level(self.level if level is None else level)) * self.cases_std_error
            low, high = self.value - half, self.value + half
        return (max(low, -1.0), min(high, 1.0)) if self._bounded and not math.isnan(low) else (low, high)

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
        low, high = self.interval(2 * level - 1)
        p = max(self._tail(-width), 1 - self._tail(width))
        fixed = self.interval(2 * level - 1, random=("cases",))
        ends = self._ends_of(2 * level - 1)
        whom = self._whom((ends, ends.turned), -width)
        shown = p, bool(-width < low and high < width)
        return MarginClaim("equivalence", self.value, low, high, width, level, *shown, *fixed, whom, *self._population.beside)

    def _margin(self, margin: object) -> float:
        width = checks.scalar("margin", margin)
        if self._bounded and width >= 1:
            raise checks.error("margin", "be below 1, as figures are from 0 to 1 (five points are 0.05)", repr(margin))
        return width

    def _beyond(self, claim: str, least: float, level: float) -> MarginClaim:
        level = check_one_sided(level)
        low, _ = self.interval(2 * level - 1)
        fixed, _ = self.interval(2 * level - 1, random=("cases",))
        high, fixed_high = (math.nan if math.isnan(one) else math.inf for one in (low, fixed))
        whom = self._whom((self._ends_of(2 * level - 1),), least)
        shown = self._tail(least), bool(low > least)
        return MarginClaim(claim, self.value, low, high, abs(least), level, *shown, fixed, fixed_high, whom, *self._population.beside)

    def _ends_of(self, level: float) -> LeadEnds:
        """Return the difference as a lead, with its intervals for these readers, and for others."""
        both = self.interval(level) if self._population.n is not None else (math.nan, math.nan)
        low, high, two_way_low, two_way_high = map(known, (*self.interval(level, random=("cases",)), *both))
        return LeadEnds(self.value, low, high, two_way_low, two_way_high, self._population.n)

    def _whom(self, leads: tuple[LeadEnds, ...], margin: float) -> str | None:
        return claim_of(leads, margin) if self._population.of_cases else None


def turned(one: ReaderDifference) -> ReaderDifference:
    fixed = one.std_error, one.df, one.reason, one.level, one._law
    p = one.p_value, one.adjusted_p_value
    return ReaderDifference(-one.value, *fixed, one.second, one.first, *p, one.cases_std_error, one._bounded, one._population)


def figure_record(name: object, found: Estimated, n_readers: int, level: float, bounded: bool, imrmc: bool) -> ReaderFigure:
    return ReaderFigure(*_common(found, level, imrmc), name, n_readers, bounded)


def differences(
    found: Mapping[tuple[Any, Any], tuple[Estimated, Population]], level: float, bounded: bool, imrmc: bool = False
) -> tuple[ReaderDifference, ...]:
    """Return the differences of all pairs, with their p-values adjusted together."""
    common = [_common(one, level, imrmc) for one, _ in found.values()]
    p = [2 * _tail(abs(one[0]), one[1], one[-1]) for one in common]
    rows = zip(found.items(), common, zip(p, holm(p)))
    return tuple(ReaderDifference(*one, *names, *both, held.std_error, bounded, held) for (names, (_, held)), one, both in rows)


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
