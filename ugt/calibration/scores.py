"""Scores and distances of predicted probabilities against label histograms, for each case."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from functools import partial
from typing import Any

import numpy as np

from .. import resampling
from .._base import notices
from .._base.arrays import Array, NDArray
from .._base.checks import error, flag, option
from .._base.lazy import cached_property
from ..annotations.joins import tells_joins
from ..annotations.named import per_class
from ..plausibilities.estimates import MeanOfCases, mean_of
from ..resampling import NumberFacts, Panel, over
from ..resampling.case_weights import Counts, sampled
from .bins import Bins
from .input import NO_LABELS, NO_WEIGHT, Histograms, array_of, counts_of, named
from .log_parts import PARTS, LogLossPart
from .score_rules import BoundedScore, brier, earth_mover, log_loss, manhattan, ranked, shares_of, sum_of_logs
from .sums import Loss

UNKNOWN = Loss(float("nan"), float("nan"), float("nan"))


@dataclass(frozen=True, eq=False, repr=False)
class HistogramScore(MeanOfCases):
    """A score or distance that is a mean over cases.

    Attributes
    ----------
    value : float
        Weighted mean over the cases with labels.
    per_case : (N,) array
        Score of each case; NaN for a case without labels.
    n_cases, left_out : int, mapping
        Cases with labels and a weight above 0, and cases left out by reason.
    weights : (N,) array or None
        Weights of the cases, if any.

    Examples
    --------
    >>> import ugt
    >>> found = ugt.calibration.manhattan_distance([[3, 1], [0, 2], [0, 0]], [[0.5, 0.5], [0.1, 0.9], [0.5, 0.5]])
    >>> round(found.value, 3), found.per_case, found.left_out
    (0.35, array([0.5, 0.2, nan]), {'case without labels': 1})
    """

    value: float
    per_case: Array
    n_cases: int
    left_out: Mapping[str, int] = field(default_factory=dict)
    weights: Array | None = None
    _data: Histograms | None = field(default=None, repr=False)
    _rule: BoundedScore | None = field(default=None, repr=False)
    _times: Array | None = field(default=None, repr=False)
    _sampled: bool = field(default=False, repr=False)

    @cached_property
    def statistic(self) -> resampling.Statistic:
        bad = np.isinf(self.contributions[0])
        if bad.any():
            raise error("score", "have finite values to be resampled", self.value, f"case {int(np.argmax(bad))}")
        if self._data is None or self._rule is None:
            plain = self.weights is None and self._times is None
            found = resampling.Ratios.of(self.per_case if plain else self.contributions)
        else:
            found = OfLabels(self.contributions, self._data, self._rule)
        found.times, found.case_weights = self._times, self.weights if self._sampled else None
        return sampled(found)

    @property
    def counts(self) -> Counts | None:
        if self._sampled and self.weights is not None:
            return Counts(self.weights, True)
        return None if self._times is None else Counts(self._times, False)

    @property
    def case_ids(self) -> NDArray[Any] | None:
        """(N,) ids of the cases; None if they have none."""
        return None if self._data is None else self._data.case_ids

    @property
    def contributions(self) -> tuple[Array, Array]:
        """(N,) contributions of the cases to the numerator and (N,) to the denominator; NaN for a case that does not count."""
        return _weighed(self.per_case if self._times is None else np.where(self._times > 0, self.per_case, np.nan), self.weights)

    def interval(self, level: float = 0.95, **options: Any) -> tuple[float, float]:
        """Return the interval of ``value`` over cases or clusters, as for all metrics (:meth:`Estimate.interval`); NaN if infinite."""
        if np.isinf(self.contributions[0]).any():
            level = resampling.check_level(level)
            return float("nan"), float("nan")
        return super().interval(level, **options)


@dataclass(frozen=True, eq=False, repr=False)
class HistogramLogLoss(HistogramScore):
    """The log loss, with its parts: entropy of the labels and divergence of the prediction.

    Attributes
    ----------
    value, per_case, n_cases, left_out
        As of :class:`HistogramScore`, in nats; infinite if an observed class has probability 0, and then without intervals.
        Intervals of entropy and divergence are those of their :meth:`part`.
    n_infinite : int
        Cases for which the loss is infinite.
    entropy : Loss
        Mean entropy of the label probabilities: that of the shares (``plugin``), its bias -(classes observed - 1) / (2 n) (Miller & Madow),
        and the difference (``debiased``).
    divergence : Loss
        Log loss less entropy: mean Kullback-Leibler divergence of the prediction from the label probabilities, EL of [B eq. 6].
    calibration, refinement : Loss
        CL and RL of [B eq. 5]: as ``part("calibration").loss`` and ``part("refinement").loss``.

    Examples
    --------
    >>> import ugt
    >>> found = ugt.calibration.histogram_log_loss([[3, 1], [0, 4]], [[0.6, 0.4], [0.1, 0.9]])
    >>> round(found.value, 3), round(found.entropy.plugin, 3), round(found.entropy.debiased, 3), round(found.divergence.debiased, 3)
    (0.359, 0.281, 0.344, 0.015)
    """

    n_infinite: int = 0
    entropy: Loss = UNKNOWN
    divergence: Loss = UNKNOWN
    _entropy: Array = field(default_factory=lambda: np.empty(0), repr=False)
    _bias: Array = field(default_factory=lambda: np.empty(0), repr=False)

    @cached_property
    def calibration(self) -> Loss:
        return self._grouped("calibration", 15, True).loss

    @cached_property
    def refinement(self) -> Loss:
        return self._grouped("refinement", 15, True).loss

    def part(self, name: str, estimate: str = "debiased", *, n_bins: int = 15) -> HistogramScore | LogLossPart:
        """Return a part with intervals: entropy or divergence of each case, or calibration or refinement in groups of cases.

        Parameters
        ----------
        name : {"entropy", "divergence", "calibration", "refinement"}
            Name of the part.
        estimate : {"debiased", "plugin"}
            Estimate with or without correction for the bias.
        n_bins : int
            Number of bins of equal width of the probability of the most probable class, for calibration and refinement.
        """
        debiased = option("estimate", estimate, ("debiased", "plugin")) == "debiased"
        if option("name", name, ("entropy", "divergence", *PARTS)) in PARTS:
            return self._grouped(name, n_bins, debiased)
        entropy = self._entropy - self._bias if debiased else self._entropy
        values = entropy if name == "entropy" else self.per_case - entropy
        value = getattr(getattr(self, name), estimate)
        return HistogramScore(value, values, self.n_cases, self.left_out, self.weights, _times=self._times, _sampled=self._sampled)

    def _grouped(self, name: str, n_bins: int, debiased: bool) -> LogLossPart:
        assert self._data is not None
        rows = self._data.rows(Bins.of_width(1, self._data.shape[1]))
        again = log_loss(rows.share, rows.prob)
        if not (again == self.per_case)[rows.cell[:, 0] >= 0].all():
            raise error("counts and probs", "be as they were when the log loss was computed", "other numbers")
        return LogLossPart.of(rows, n_bins, name, debiased, self._data)


@tells_joins
def histogram_log_loss(
    counts: object, probs: object, *, fractional: bool = False, weights: object = None, frequency: object = None,
    case_weights: object = None,
) -> HistogramLogLoss:  # fmt: skip
    """Return the log loss of predicted probabilities, mean over the labels of each case: ``-Σ_k m_k log z_k``, m the shares of labels.

    Parameters
    ----------
    counts, probs, fractional, weights, frequency, case_weights
        As for :func:`histogram_losses`; the errors are the same, too.

    Returns
    -------
    HistogramLogLoss
        The loss; infinite, with a warning, if a class among the labels of a case has probability 0.

    Notes
    -----
    The bias of the entropy is corrected to the first order in 1/n only, and for observed instead of possible classes. With few labels per
    case a considerable part of the bias remains.

    References
    ----------
    [B] Mimori et al. (2021), sec. 2.3, eq. 6 (decomposition). Miller (1955), "Note on the bias of information estimates".

    Examples
    --------
    >>> import ugt
    >>> ugt.calibration.histogram_log_loss([[2, 2], [4, 0]], [[0.5, 0.5], [1.0, 0.0]]).per_case.round(3)
    array([0.693, 0.   ])
    """
    data = Histograms.of(counts, probs, fractional=fractional, weights=weights, frequency=frequency, case_weights=case_weights)
    per_case, entropy, bias = (np.full(data.shape[0], np.nan) for _ in range(3))
    for begin, end, y, z in data.checked():
        n, m = shares_of(y)
        per_case[begin:end] = log_loss(m, z)
        entropy[begin:end] = 0.0 - sum_of_logs(m, m)
        bias[begin:end] = np.where(n > 0, -over((y > 0).sum(axis=1) - 1, 2 * n), np.nan)
    found = _score(per_case, data, 3)
    of_labels = Loss.of(_mean(entropy, data)[0], _mean(bias, data)[0])
    of_model = Loss.of(found.value - of_labels.plugin, -of_labels.bias)
    infinite = np.flatnonzero(np.isinf(found.contributions[0]))
    n_infinite = len(infinite) if data.times is None else int(data.times[infinite].sum())
    if len(infinite):
        cases = f"{n_infinite:,} case{'s' * (n_infinite > 1)}, first in case {data.case(int(infinite[0]))}"
        notices.warn(f"infinite: probability 0 for a class that was observed in {cases}")
    parts = data.weights, data, BoundedScore(log_loss), data.times, data.sampled, n_infinite, of_labels, of_model, entropy, bias
    return HistogramLogLoss(found.value, per_case, found.n_cases, found.left_out, *parts)


@tells_joins
def histogram_brier_score(
    counts: object, probs: object, *, fractional: bool = False, weights: object = None, frequency: object = None,
    case_weights: object = None,
) -> HistogramScore:  # fmt: skip
    """Return the Brier score of predicted probabilities, mean over the labels of each case: ``Σ_k (m_k - z_k)² + m_k (1 - m_k)``.

    It lies between 0 and 2, and its mean is the L_sq of :func:`histogram_losses`. Arguments and errors are those of
    :func:`histogram_log_loss`; the result is a :class:`HistogramScore`.

    References
    ----------
    [B] Mimori et al. (2021), eq. 7. Brier (1950).

    Examples
    --------
    >>> import ugt
    >>> ugt.calibration.histogram_brier_score([[2, 2], [4, 0]], [[0.5, 0.5], [0.9, 0.1]]).per_case.round(3)
    array([0.5 , 0.02])
    """
    data = Histograms.of(counts, probs, fractional=fractional, weights=weights, frequency=frequency, case_weights=case_weights)
    return _by_rule(data, BoundedScore(brier, 2.0))


@tells_joins
def ranked_probability_score(
    counts: object, probs: object, *, normalized: bool = False, fractional: bool = False, weights: object = None, frequency: object = None,
    case_weights: object = None,
) -> HistogramScore:  # fmt: skip
    """Return the ranked probability score for ordered classes, mean over the labels of each case.

    The score of a case is ``Σ_{k<K} (M_k - Z_k)² + M_k (1 - M_k)``, with M and Z the cumulative shares and probabilities: the sum of the
    Brier scores of "at most class k". The result is a :class:`HistogramScore`.

    Parameters
    ----------
    counts, probs, fractional, weights, frequency, case_weights
        As for :func:`histogram_log_loss`, with classes in their order as columns; the errors are the same, too.
    normalized : bool
        Whether to divide by K - 1, which gives scores from 0 to 1.

    References
    ----------
    Epstein (1969); Murphy (1971).

    Examples
    --------
    >>> import ugt
    >>> ugt.calibration.ranked_probability_score([[2, 0, 0], [2, 0, 0]], [[0.5, 0.5, 0.0], [0.5, 0.0, 0.5]]).per_case
    array([0.25, 0.5 ])
    """
    rows: dict[str, Any] = {"weights": weights, "frequency": frequency, "case_weights": case_weights}
    data = Histograms.of(counts, probs, fractional=fractional, ordinal=True, **rows)
    normalized = flag("normalized", normalized)
    return _by_rule(data, BoundedScore(partial(ranked, normalized=normalized), 1.0 if normalized else data.shape[1] - 1.0))


@tells_joins
def manhattan_distance(
    counts: object, probs: object, *, fractional: bool = False, weights: object = None, frequency: object = None,
    case_weights: object = None,
) -> HistogramScore:  # fmt: skip
    """Return the Manhattan distance of the shares of labels and the predicted probabilities, ``Σ_k |m_k - z_k|``, from 0 to 2.

    Arguments and errors are those of :func:`histogram_log_loss`; the result is a :class:`HistogramScore`.

    Notes
    -----
    The distance is to the observed shares, not to the label probabilities that they estimate. It is above 0 even for predictions that
    equal these probabilities, and larger with fewer labels. The epistemic loss of :func:`histogram_losses` is corrected for this.
    This is the soft measure of LeWiDi 2025 for classes without an order; :func:`multilabel_mean` has that for several labels per case.

    Examples
    --------
    >>> import ugt
    >>> ugt.calibration.manhattan_distance([[1, 1, 2]], [[0.25, 0.5, 0.25]]).value
    0.5
    """
    data = Histograms.of(counts, probs, fractional=fractional, weights=weights, frequency=frequency, case_weights=case_weights)
    return _by_rule(data, BoundedScore(manhattan, 2.0))


@tells_joins
def wasserstein_distance(
    counts: object, probs: object, *, positions: object = None, fractional: bool = False, weights: object = None, frequency: object = None,
    case_weights: object = None,
) -> HistogramScore:  # fmt: skip
    """Return the Wasserstein (earth mover's) distance of the shares of labels and the predicted probabilities, for ordered classes.

    The distance of a case is ``Σ_{k<K} |M_k - Z_k| (p_{k+1} - p_k)``, with M and Z the cumulative shares and probabilities, and p the
    positions of the classes. The note of :func:`manhattan_distance` applies. With the default positions this is the soft measure of
    LeWiDi 2025 for ratings. The result is a :class:`HistogramScore`.

    Parameters
    ----------
    counts, probs, fractional, weights, frequency, case_weights
        As for :func:`histogram_log_loss`, with classes in their order as columns; the errors are the same, too.
    positions : (K,) array, optional
        Positions of the classes, which must ascend. Default: 0 to K-1.

    Examples
    --------
    >>> import ugt
    >>> ugt.calibration.wasserstein_distance([[4, 0, 0]], [[0.5, 0.25, 0.25]]).value
    0.75
    """
    rows: dict[str, Any] = {"weights": weights, "frequency": frequency, "case_weights": case_weights}
    data = Histograms.of(counts, probs, fractional=fractional, ordinal=positions is None, **rows)
    at, must = np.arange(data.shape[1]), f"be {data.shape[1]} ascending numbers"
    if positions is not None:
        at = array_of("positions", per_class("positions", positions, data.classes), must).astype(np.float64)
        if at.shape != (data.shape[1],) or not np.isfinite(at).all() or not (np.diff(at) > 0).all():
            raise error("positions", must, repr(positions))
    return _by_rule(data, BoundedScore(partial(earth_mover, steps=np.diff(at)), float(at[-1] - at[0])))


class OfLabels(resampling.Ratios):
    """The mean of scores against shares of labels, which can be computed without some of the annotators."""

    def __init__(self, contributions: tuple[Array, Array], data: Histograms, rule: BoundedScore) -> None:
        base = resampling.Ratios.of(contributions)
        super().__init__(base.columns, base.of_number)
        self.data, self.rule = data, rule

    @property
    def _spans(self) -> Array:
        """(1, 2) ends of the value."""
        return np.array([[0.0, self.rule.largest]])

    @property
    def facts(self) -> NumberFacts:
        return super().facts._replace(scales=("identity",))  # the same as for L_sq

    @property
    def panel(self) -> Panel:
        return super().panel._replace(annotations=lambda: named(self.data.labels), judged_by=self._judged_by)

    def _judged_by(self, annotators: NDArray[Any]) -> OfLabels:
        other = replace(self.data, counts=counts_of(self.data.labels, annotators), labels=None)
        return OfLabels(_weighed(_per_case(other, self.rule), other.weights), other, self.rule)


def _per_case(data: Histograms, rule: BoundedScore) -> Array:
    found = np.empty(data.shape[0])
    for begin, end, y, z in data.checked():
        found[begin:end] = rule.score(shares_of(y)[1], z)
    return found


def _by_rule(data: Histograms, rule: BoundedScore) -> HistogramScore:
    return _score(_per_case(data, rule), data, 4, rule)


def _weighed(per_case: Array, weights: Array | None) -> tuple[Array, Array]:
    """Return (N,) contributions to the numerator and (N,) to the denominator; NaN for a case that does not count."""
    if weights is None:
        return per_case, np.where(np.isnan(per_case), np.nan, 1.0)
    below = np.where(np.isnan(per_case) | (weights == 0), np.nan, weights)
    with np.errstate(invalid="ignore"):  # inf * nan is NaN, as it should be
        return per_case * below, below


def _mean(per_case: Array, data: Histograms) -> tuple[float, int]:
    """Return the weighted mean over the cases that count (NaN if there are none), and their number."""
    if data.weights is None:
        return mean_of(per_case) if data.times is None else Counts(data.times, False).mean(per_case)
    above, below = (x[~np.isnan(x)] for x in _weighed(per_case, data.weights))
    return (float(above.sum() / below.sum()) if len(below) else float("nan")), len(below)


def _score(per_case: Array, data: Histograms, stacklevel: int, rule: BoundedScore | None = None) -> HistogramScore:
    (value, n), weights = _mean(per_case, data), data.weights
    if n == 0:
        notices.undefined("no case has labels" + ("" if weights is None else " and a weight above 0"), stacklevel=stacklevel)
    without = 0 if weights is None else int((weights == 0).sum())
    reasons = (NO_LABELS, data.n_all - n - without), (NO_WEIGHT, without)
    left_out = {reason: left for reason, left in reasons if left}
    return HistogramScore(value, per_case, n, left_out, weights, data, rule, data.times, data.sampled)
