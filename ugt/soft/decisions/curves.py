"""The records of measures of decisions along thresholds."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import numpy as np

from ..._base.arrays import Array, NDArray
from ..._base.checks import error, instance, option
from ..._base.laws import t_quantile
from ..._base.records import Record
from ...resampling import Difference, Results, Statistic, check_level
from ...resampling.result import ResultsOf

if TYPE_CHECKING:
    from ...resampling.design import Seed


class AlongThresholds(Results):
    """The base of records of several measures at T thresholds."""

    thresholds: Array
    _measures: tuple[str, ...]
    _parts: Mapping[str, Statistic]

    @property
    def statistic(self) -> Statistic:
        """The first measure at all thresholds, whose are also the resamples."""
        return self._parts[self._measures[0]]

    def of(self, measure: str) -> Statistic:
        """Return the statistic of one measure at all thresholds."""
        return self._parts[measure]

    def _first(self, of: str | None) -> str:
        return self._measures[0] if of is None else of

    def _alone(self, measure: str) -> ResultsOf:
        return ResultsOf(self.of(option("of", measure, self._measures)), self)

    def intervals(self, level: float = 0.95, *, of: str | None = None, **given: Any) -> Array:
        """Return the (T, 2) intervals of a measure, each for its threshold alone; other arguments and errors as of ``Result.interval``."""
        return self._alone(self._first(of)).intervals(level, **given)

    def band(
        self,
        level: float = 0.95,
        *,
        of: str | None = None,
        clusters: object = None,
        strata: object = None,
        n_resamples: int = 1000,
        seed: Seed = 0,
    ) -> Array:
        """Return the (T, 2) simultaneous band of a measure: with this probability it holds the curve at all thresholds at once.

        It is value ± c s, with s the standard deviation over resamples and c the quantile of the largest distance in units of s over the
        thresholds (Pfeiffer & Gail 2020, "Estimating the decision curve and its precision from three study designs").

        Parameters
        ----------
        level : float
            In (0, 1).
        of : str, optional
            Name of a measure; by default the first.
        clusters, strata, n_resamples, seed
            As for :meth:`resamples`.

        Returns
        -------
        (T, 2) array
            NaN where the measure is undefined or no resample changes it.
        """
        level = check_level(level)
        one = self._alone(self._first(of))
        drawn = one.resamples(clusters=clusters, strata=strata, n_resamples=n_resamples, seed=seed)
        statistic = one.statistic
        n = float(one._design(clusters, strata).size)
        return simultaneous(drawn.estimate, drawn.values, level, statistic.facts.spans, n)

    def by_annotators(self, *, of: str | None = None) -> AnnotatorCurves:
        """Return the curve of a measure against the labels of each single annotator, in the cases which he or she labelled.

        Parameters
        ----------
        of : str, optional
            Name of a measure; by default the first.

        Returns
        -------
        AnnotatorCurves

        Raises
        ------
        ValueError
            If annotators are not named.
        """
        one = self._alone(self._first(of)).statistic
        annotators = one.panel.annotations().annotators
        each = [one.panel.judged_by(np.eye(len(annotators))[a]) for a in range(len(annotators))]
        return AnnotatorCurves(
            annotators, self.thresholds, np.stack([part.estimate for part in each]), np.array([int(part.kept.sum()) for part in each])
        )


@dataclass(frozen=True, eq=False, repr=False)
class AnnotatorCurves(Record):
    """A measure along thresholds against the labels of each single annotator.

    Attributes
    ----------
    annotators : (A,) array
    thresholds : (T,) array
    values : (A, T) array
        NaN where undefined.
    n_cases : (A,) array
        Cases that each annotator labelled.

    Examples
    --------
    >>> import ugt
    >>> labels = ugt.Labels.from_wide([["1", "1"], ["1", "0"], ["0", "0"], ["0", "1"]], classes=["0", "1"], annotators=["A", "B"])
    >>> found = ugt.soft.net_benefit(labels, [0.9, 0.6, 0.7, 0.2], [0.1, 0.5]).by_annotators()
    >>> found.values.round(3), found.range[1].round(3)
    (array([[ 0.444,  0.25 ],
           [ 0.444, -0.25 ]]), array([-0.25,  0.25]))
    """

    annotators: NDArray[Any]
    thresholds: Array
    values: Array
    n_cases: NDArray[Any]

    @property
    def range(self) -> Array:
        """The least and the greatest value (T, 2) over annotators; NaN where it is undefined for all."""
        with np.errstate(invalid="ignore"):
            known = ~np.isnan(self.values)
            low = np.where(known, self.values, np.inf).min(axis=0)
            high = np.where(known, self.values, -np.inf).max(axis=0)
        return np.where(np.asarray(known.any(axis=0))[:, None], np.stack([low, high], axis=1), np.nan)


def simultaneous(estimate: Array, values: Array, level: float, spans: Array, n: float) -> Array:
    """Return the band (T, 2) from values (B, T) of resamples of n units; where they do not vary, it is undefined.

    Resamples of n units have the variance of n - 1; the quantile is one of Student's law with as many degrees of freedom.
    """
    values = np.where(np.isfinite(values), values, np.nan)
    known = np.isfinite(estimate) & ((~np.isnan(values)).sum(axis=0) > 1)
    found = np.full((len(estimate), 2), np.nan)
    if not known.any():
        return found
    centre, some = estimate[known], values[:, known]
    spread = np.nanstd(some, axis=0, ddof=1)
    varies = spread > 1e-12 * np.maximum(np.abs(centre), 1e-12)
    if varies.any():
        with np.errstate(invalid="ignore"):
            largest = np.nanmax(np.abs(some[:, varies] - centre[varies]) / spread[varies], axis=1)
        from scipy.special import ndtr  # noqa: PLC0415  (scipy is slow to import)

        quantile = t_quantile(max(n - 1, 1.0), float(ndtr(np.nanquantile(largest, level))))
        half = float(quantile) * math.sqrt(n / max(n - 1, 1.0)) * spread
        found[known] = np.where(varies[:, None], np.stack([centre - half, centre + half], axis=1), np.nan)
    return np.asarray(np.clip(found, spans[:, 0, None], spans[:, 1, None]))


@dataclass(frozen=True, eq=False, repr=False)
class DiagnosticCurve(AlongThresholds):
    """Measures of decisions at several thresholds, as :func:`diagnostic_accuracy` returns them.

    Attributes
    ----------
    thresholds : (T,) array
        In ascending order.
    values : mapping of name to (T,) array
        The measures, see :class:`DiagnosticAccuracy`.
    spread : mapping of name to (T,) array
        Their standard deviations over truths.
    prevalence : float
    n_cases, left_out : int, mapping

    Examples
    --------
    >>> import ugt
    >>> p, scores = [1.0, 0.8, 0.3, 0.0, 0.1], [0.9, 0.6, 0.7, 0.2, 0.1]
    >>> found = ugt.soft.diagnostic_accuracy(p, scores, threshold=[0.15, 0.5])
    >>> found.values["specificity"].round(3)
    array([0.321, 0.679])
    """

    thresholds: Array
    values: Mapping[str, Array]
    spread: Mapping[str, Array]
    prevalence: float
    n_cases: int
    left_out: Mapping[str, int]
    _parts: Mapping[str, Statistic] = field(repr=False)

    @property
    def _measures(self) -> tuple[str, ...]:  # type: ignore[override]
        return tuple(self.values)

    def minus(self, other: DiagnosticCurve) -> CurveDifference:
        """Return the paired differences to the same measures of another model at the same thresholds and cases."""
        return _difference(self, other, DiagnosticCurve)


@dataclass(frozen=True, eq=False, repr=False)
class NetBenefit(AlongThresholds):
    """Net benefit along thresholds, as :func:`net_benefit` returns it.

    ``intervals``, ``band`` and ``minus`` take a measure by its name in ``of``: ``"net_benefit"``, ``"treat_all"``, ``"over_all"``,
    ``"standardized"`` or ``"avoided"``.

    Attributes
    ----------
    thresholds : (T,) array
        Probabilities at which one would treat, in ascending order.
    value : (T,) array
        The net benefit of treating cases whose score reaches the threshold: true positives less t / (1 - t) false positives, per case.
    treat_all : (T,) array
        That of treating every case; that of treating none is 0.
    over_all : (T,) array
        ``value - treat_all``.
    standardized : (T,) array
        ``value`` divided by the prevalence, which is the largest net benefit; NaN without positives.
    avoided : (T,) array
        Unnecessary treatments avoided per 100 cases, compared with treating all, without missing more positives; NaN at 0.
    spread : (T,) array
        The standard deviation of ``value`` over truths, each case's drawn on its own. It is no part of intervals.
    prevalence : float
        The expected share of positive cases, or the stated one.
    n_cases, left_out : int, mapping
        Cases counted; cases left out, by reason.

    Examples
    --------
    >>> import ugt
    >>> p, scores = [1.0, 0.8, 0.3, 0.0, 0.1], [0.9, 0.6, 0.7, 0.2, 0.1]
    >>> found = ugt.soft.net_benefit(p, scores, [0.15, 0.5])
    >>> found.value.round(3), found.treat_all.round(3)
    (array([0.353, 0.24 ]), array([ 0.341, -0.12 ]))
    """

    thresholds: Array
    value: Array
    treat_all: Array
    over_all: Array
    standardized: Array
    avoided: Array
    spread: Array
    prevalence: float
    n_cases: int
    left_out: Mapping[str, int]
    _parts: Mapping[str, Statistic] = field(repr=False)

    @property
    def _measures(self) -> tuple[str, ...]:  # type: ignore[override]
        return tuple(self._parts)

    def minus(self, other: NetBenefit) -> CurveDifference:
        """Return the paired differences to another model at the same thresholds and cases.

        Parameters
        ----------
        other : NetBenefit

        Returns
        -------
        CurveDifference

        Raises
        ------
        TypeError
            If it is no net benefit.
        ValueError
            If it is of other cases, another truth's prevalence or other thresholds.
        """
        return _difference(self, other, NetBenefit)


@dataclass(frozen=True, eq=False, repr=False)
class CurveDifference(AlongThresholds):
    """Paired differences of two models along thresholds, made by ``minus``.

    Attributes
    ----------
    thresholds : (T,) array
    values : mapping of name to (T,) array
        First less second, by measure.

    Examples
    --------
    >>> import ugt
    >>> p = [1.0, 0.8, 0.3, 0.0, 0.1]
    >>> one, other = (ugt.soft.net_benefit(p, s, [0.15, 0.5]) for s in ([0.9, 0.6, 0.7, 0.2, 0.1], [0.9, 0.1, 0.7, 0.2, 0.6]))
    >>> one.minus(other).values["net_benefit"].round(3)
    array([0.165, 0.28 ])
    """

    thresholds: Array
    values: Mapping[str, Array]
    _parts: Mapping[str, Statistic] = field(repr=False)
    _ids: NDArray[Any] | None = field(default=None, repr=False)

    @property
    def _measures(self) -> tuple[str, ...]:  # type: ignore[override]
        return tuple(self._parts)


def _difference(one: Any, other: Any, kind: type) -> CurveDifference:
    instance("other", other, kind, "be a record of the same function")
    if not np.array_equal(one.thresholds, other.thresholds):
        raise error("other", "have the same thresholds", "others")
    mine, its = one.statistic, other.statistic
    if mine.n_cases != its.n_cases:
        raise error("other", f"be of the same {mine.n_cases} cases", its.n_cases)
    if not np.isclose(one.prevalence, other.prevalence, rtol=1e-9, atol=0):
        raise error("other", f"have the same prevalence, {one.prevalence:g}", f"{other.prevalence:g}")
    parts = {name: Difference(one.of(name), other.of(name)) for name in one._measures}
    return CurveDifference(one.thresholds, {name: part.estimate for name, part in parts.items()}, parts, one.case_ids)
