"""The frozen records that functions return for comparisons with plausibilities."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import partial
from typing import TYPE_CHECKING, Any, Callable

import numpy as np

from .._base import notices
from .._base.arrays import Array, Int64, NDArray
from .._base.checks import error
from .._base.lazy import cached_property
from ..resampling import Panel, Ratios, Result, Statistic, check_level
from ..resampling.case_weights import Counts
from ..resampling.counted import CountedQuotient
from .comparisons import Comparison, Law
from .frequent import counted, counts_of

if TYPE_CHECKING:
    from ..resampling.panels import Panels
    from .made_of import MadeOf

# Work for the exact distribution over draws (cases x width of the distribution), above which its normal limit is used.
EXACT_LAW_WORK = 1e8
NO_ANNOTATIONS = "case without annotations"
NO_WEIGHT = "case of weight 0"
Span = tuple[float, float]
SHARE: Span = (0.0, 1.0)
ERRORS = ("draw_std", "mc_error")


class MeanOfCases(Result):
    """A result that is a mean over the defined cases."""

    per_case: Array
    n_cases: int
    left_out: Mapping[str, int]

    _added: Any = None  # a function of what the fit of a prior adds to the numbers of the cases, over resamples
    _times: Any = None  # how often each case counts, as Counts

    @cached_property
    def statistic(self) -> Statistic:
        found = Ratios.of(self.contributions)
        if self._extra is not None:
            found.span = tuple(Ratios.of(self.per_case).facts.spans[0].tolist())  # what is added to a case may lie outside
        return found if self._times is None else self._times.of(found)

    @property
    def contributions(self) -> Any:
        """The (N,) numbers of the cases that vary over cases as the value does, or those above and below the line of a ratio."""
        return self.per_case if self._extra is None else self.per_case + self._extra

    @property
    def resampled(self) -> Any:
        """The contributions, if they are not the numbers of the cases, because a prior was fitted; else None."""
        return None if self._extra is None else self.contributions

    @cached_property
    def _extra(self) -> Array | None:
        return None if self._added is None else self._added()


@dataclass(frozen=True, eq=False, repr=False)
class Certainty(MeanOfCases):
    """The annotation certainty: the probability, given the annotations, that the leading classes are the most plausible ones.

    Attributes
    ----------
    value, per_case, mc_error, n_cases, left_out
        As in :class:`Estimate`.

    Examples
    --------
    >>> import ugt
    >>> ugt.annotation_certainty([[0.5, 0.5, 0.0], [0.9, 0.1, 0.0]]).per_case
    array([0.5, 1. ])
    """

    value: float
    per_case: Array
    mc_error: float
    n_cases: int
    left_out: Mapping[str, int] = field(default_factory=dict)
    _ids: Any = field(default=None, repr=False)
    _added: Callable[[], Array] | None = field(default=None, repr=False)
    _times: Counts | None = field(default=None, repr=False)


@dataclass(frozen=True, eq=False, repr=False)
class Estimate(MeanOfCases):
    """The value of a metric that takes the uncertainty of the truth into account.

    It has two separate spreads: over **draws** of the plausibilities (another truth compatible with the annotations:
    ``draw_std``, :meth:`draw_interval`) and over **cases** (another test set: :meth:`interval`).

    Attributes
    ----------
    value : float
        Mean over cases of the posterior expectation of the metric; NaN if no case has annotations.
    per_case : (N,) array
        The expectation per case; NaN for a case without annotations.
    draw_std : float
        Standard deviation of the data-set value over draws; exact for Dirichlet posteriors, 0 for certain plausibilities.
    mc_error : float
        Monte Carlo standard error of ``value``; 0 if the value is exact.
    n_cases, left_out : int, mapping
        Number of cases that count; number of cases left out, by reason.
    per_draw : (draws,) array or None
        The data-set value of each draw; None without draws.
    mean_set_size : float or None
        Mean number of classes in the evaluated sets; None without sets.
    weight : (N,) array or None
        The weight of each case in ``value``, which is then Σ weight per_case / Σ weight; None if cases have equal weights.
    span : (low, high)
        The range of the metric.

    Examples
    --------
    >>> import ugt
    >>> found = ugt.ua_topk_accuracy(ugt.Dirichlet.from_array([[3, 1], [2, 2], [1, 5]]), [[0.6, 0.4]] * 3)
    >>> round(found.value, 3), round(found.draw_std, 3), found.draw_quantile([0.05, 0.5, 0.95]).round(3)
    (0.469, 0.208, array([0.   , 0.333, 0.667]))
    """

    value: float
    per_case: Array
    draw_std: float
    mc_error: float
    n_cases: int
    left_out: Mapping[str, int] = field(default_factory=dict)
    per_draw: Array | None = None
    mean_set_size: float | None = None
    weight: Array | None = None
    _law: Callable[[float], Law | None] | None = field(default=None, repr=False)
    _made_of: Any = field(default=None, repr=False)
    _again: Callable[..., Comparison] | None = field(default=None, repr=False)
    span: Span = SHARE
    _ids: Any = field(default=None, repr=False)
    _added: Callable[[], Array] | None = field(default=None, repr=False)
    _times: Counts | None = field(default=None, repr=False)

    @cached_property
    def statistic(self) -> Statistic:
        columns = _columns(self.per_case, self.weight)
        if self._again is not None:
            found: Ratios = OfTruth(columns, self._made_of, self._again, self._extra)
        else:
            found = Ratios(_plus(columns, self._extra), np.zeros(1, np.int64))
        found.span, found.shares = self.span, self.span == SHARE and self._added is None
        return found if self._times is None else self._times.of(found)

    @property
    def expected_weight(self) -> float:
        """The sum of the weights of all cases."""
        weight = np.ones(len(self.per_case)) if self.weight is None else self.weight
        return float(np.nansum(weight if self._times is None else weight * self._times.times))

    def draw_interval(self, level: float = 0.95) -> tuple[float, float]:
        """Return the central interval over draws: see :meth:`draw_quantile`."""
        level = check_level(level)
        low, high = self.draw_quantile(np.array([0.5 - level / 2, 0.5 + level / 2]))
        return float(low), float(high)

    def draw_quantile(self, q: Array | float) -> Array:
        """Return quantiles of the data-set value over draws of the plausibilities.

        For draws they are the quantiles of the draws. For Dirichlet posteriors they are exact: the distribution of a sum of
        independent cases, by convolution, or its normal limit if this would take over 1e8 operations. If ties in the scores put
        values of a case between the points of its lattice, these are split so that means remain exact.

        Parameters
        ----------
        q : float or array
            Probabilities in [0, 1].

        Raises
        ------
        ValueError
            If a probability lies outside [0, 1].
        """
        probabilities = np.asarray(q, np.float64)
        if not ((probabilities >= 0) & (probabilities <= 1)).all():
            raise error("q", "hold probabilities from 0 to 1", q)
        if self.n_cases == 0:
            return np.full(probabilities.shape, np.nan)
        if self.per_draw is not None:
            return np.asarray(np.quantile(self.per_draw, probabilities))
        if self.draw_std == 0:
            return np.full(probabilities.shape, self.value)
        # The work: joining the distributions of two halves of the cases, some 24 standard deviations wide, and reading that of each case.
        finest = min(math.sqrt(EXACT_LAW_WORK) / (24 * self.draw_std), EXACT_LAW_WORK / 4) / self.n_cases
        law = self._law(finest) if self._law is not None else None
        if law is None:
            from scipy.special import ndtri  # noqa: PLC0415  (scipy is slow to import and rarely needed here)

            return np.asarray(np.clip(self.value + self.draw_std * ndtri(probabilities), *self.span))
        return law.quantiles(probabilities) / self.n_cases


def left_out(per_case: Array, reason: str = NO_ANNOTATIONS, counts: Counts | None = None) -> dict[str, int]:
    """Return the number of undefined cases by reason, and warn if no case is defined."""
    if counts is not None:
        undefined = counts.number(np.isnan(per_case))
        if undefined == counts.number(np.ones(len(per_case), bool)):
            notices.undefined(f"no case is left ({reason}: {undefined})", stacklevel=4)
        found = {reason: undefined, NO_WEIGHT: int(np.count_nonzero(counts.times == 0)) if counts.weighted else 0}
        return {why: n for why, n in found.items() if n}
    undefined = int(np.count_nonzero(per_case != per_case))  # noqa: PLR0124  (NaN)
    if undefined == 0:
        return {}
    if undefined == len(per_case):
        notices.undefined(f"no case is left ({reason}: {undefined})", stacklevel=4)
    return {reason: undefined}


def mean_of(per_case: Array) -> tuple[float, int]:
    """Return the mean over defined cases (NaN if there are none) and their number."""
    total = float(np.add.reduce(per_case))
    if len(per_case) and math.isfinite(total):
        return total / len(per_case), len(per_case)
    defined = per_case[per_case == per_case]  # noqa: PLR0124  (not NaN)
    return (float(np.add.reduce(defined)) / len(defined) if len(defined) else float("nan")), len(defined)


def certainty(
    per_case: Array,
    of: Any,
    mc_error: float = 0.0,
    reason: str = NO_ANNOTATIONS,
    again: Callable[..., Array] | None = None,
    added: Callable[[], Array] | None = None,
    frequency: object = None,
    case_weights: object = None,
) -> Certainty:
    """Return the certainty of the cases of a truth ``of`` them; ``again`` computes it for another truth of these cases."""
    counts = counts_of(frequency, case_weights, of)
    if counts is not None:
        counted(Comparison(per_case, 0.0, mc_error), counts)
        value, n = counts.mean(per_case)
        return Certainty(value, per_case, mc_error, n, left_out(per_case, reason, counts), of.ids_or_none, None, counts)
    value, n = mean_of(per_case)
    if again is not None and of.made_of is not None:
        added = of.made_of.added(again)
    return Certainty(value, per_case, mc_error, n, left_out(per_case, reason), of.ids_or_none, added)


def estimate(
    found: Comparison,
    of: Any,
    mean_set_size: float | None = None,
    reason: str = NO_ANNOTATIONS,
    again: Callable[..., Comparison] | None = None,
    span: Span = SHARE,
    added: Callable[[], Array] | None = None,
    frequency: object = None,
    case_weights: object = None,
) -> Estimate:
    """Return the estimate of a comparison with a truth ``of`` some cases, each of which counts once, or by frequencies or weights.

    ``again`` computes the comparison for another truth of n cases and their positions (n,); ``added``: see ``FittedPrior.added``.
    """
    per_case = _within(found, span)
    if again is not None and of.made_of is not None:
        added = of.made_of.added(partial(_again_within, again, span))
    counts = counts_of(frequency, case_weights, of)
    if counts is None:
        value, n = mean_of(per_case)
        missing = left_out(per_case, reason) if n < len(per_case) else {}
    else:
        found, (value, n) = counted(found, counts), counts.mean(per_case)
        missing = left_out(per_case, reason, counts)
    spread = found.draw_std, found.mc_error
    source = _source(of, again)
    return Estimate(
        value, per_case, *spread, n, missing, found.per_draw, mean_set_size, None, found.law, *source, span, of.ids_or_none, added, counts
    )


def _within(found: Comparison, span: Span) -> Array:
    return np.minimum(np.maximum(found.per_case, span[0]), span[1])  # integrals add up to 1 only within some 1e-13


def _again_within(again: Callable[..., Comparison], span: Span, truth: Any) -> Array:
    return _within(again(truth, np.arange(truth.n_cases, dtype=np.int64)), span)


def _source(of: Any, again: Callable[..., Any] | None) -> tuple[Any, Any]:
    """Return what the truth is made of and ``again``, if the comparison can be computed without an annotator."""
    return (None, None) if again is None or of.made_of is None else (of.made_of, again)


def _columns(per_case: Array, weight: Array | None = None) -> Array:
    """Return what each case adds (N, 2) to the numerator and the denominator; 0 if it is undefined."""
    counts = ~np.isnan(per_case)
    below = counts.astype(np.float64) if weight is None else np.where(counts, weight, 0.0)
    return np.stack([np.where(counts, per_case, 0.0) * below, below], axis=1)


def _plus(columns: Array, added: Array | None) -> Array:
    """Return columns (N, 2) with what the fit of a prior adds to the numerators of cases that count."""
    return columns if added is None else columns + np.stack([np.where(columns[:, 1] > 0, added, 0.0), np.zeros(len(columns))], axis=1)


def ratio(
    above: Comparison,
    below: Comparison,
    slope: Callable[[float], Comparison],
    reason: str,
    of: Any,
    again: Callable[..., tuple[Comparison, Comparison]] | None = None,
    frequency: object = None,
) -> Estimate:
    """Return the estimate of a ratio of two means over cases ``of`` a truth; ``slope(r)`` is the comparison of above - r below.

    The spread over draws is that of the slope at the value, which is the ratio's to first order. Values of draws are kept.
    """
    counts, weight = counts_of(frequency, None, of), np.maximum(below.per_case, 0.0)
    with np.errstate(invalid="ignore", divide="ignore"):
        per_case = np.minimum(np.maximum(above.per_case / weight, 0.0), 1.0)
        per_draw = None if above.per_draw is None or below.per_draw is None else above.per_draw / below.per_draw
    columns, number = _columns(per_case, weight), np.count_nonzero if counts is None else counts.number
    columns = columns.sum(axis=0) if counts is None else counts.times @ columns
    n, missing = int(number(weight > 0)), {NO_ANNOTATIONS: int(number(np.isnan(weight))), reason: int(number(weight == 0))}
    left = {name: count for name, count in missing.items() if count}
    if n == 0:
        notices.undefined(f"no case is left ({reason}: {missing[reason]})", stacklevel=4)
        return Estimate(np.nan, per_case, np.nan, np.nan, 0, left, weight=weight, _ids=of.ids_or_none)
    value, mean = float(columns[0] / columns[1]), float(np.nanmean(weight)) if counts is None else counts.mean(weight)[0]
    change = slope(value) if counts is None else counted(slope(value), counts)
    if per_draw is not None and np.isnan(per_draw).any():
        per_draw = None  # in some draws no case counts
    spread, source = (change.draw_std / mean, change.mc_error / mean), _source(of, again)
    added = None if again is None or of.made_of is None else of.made_of.added(partial(_gap, again, value))
    more = {"_ids": of.ids_or_none, "_added": added, "_times": counts}
    return Estimate(value, per_case, *spread, n, left, per_draw, None, weight, None, *source, **more)


def _gap(again: Callable[..., tuple[Comparison, Comparison]], value: float, truth: Any) -> Array:
    """Return the numerators (n,) less the value of the ratio times the denominators."""
    above, below = again(truth, np.arange(truth.n_cases, dtype=np.int64))
    return above.per_case - value * below.per_case


class OfTruth(Ratios):
    """A mean over cases, or a ratio of two such means, of comparisons with a truth that can be recomputed without an annotator."""

    def __init__(self, columns: Array, made_of: MadeOf, again: Callable[..., Any], added: Array | None = None) -> None:
        super().__init__(_plus(columns, added), np.zeros(1, np.int64))
        self.made_of, self.again, self.added = made_of, again, added

    @property
    def panel(self) -> Panel:
        named = lambda: self.made_of.annotations_by_name  # noqa: E731
        return super().panel._replace(annotations=named, judged_by=self._judged_by, counted=self._counted)

    def _counted(self, number: int) -> CountedQuotient | None:
        labels = self.made_of.counted
        if labels is None:
            return None
        alike = None if self.made_of.of_cases is not None else getattr(self.again, "alike", None)
        return CountedQuotient(labels, self.made_of.rows, alike, self._of_counts)

    def _of_counts(self, panels: Panels, counts: Int64, case: Int64) -> Array:
        return self._of(self.made_of.of_counts(panels, counts, case), case).columns

    def _judged_by(self, annotators: NDArray[Any]) -> Ratios:
        return self._of(self.made_of.judged_by(annotators), np.arange(self.n_cases, dtype=np.int64))

    def _of(self, truth: object, rows: Int64) -> Ratios:
        found = self.again(truth, rows)
        if isinstance(found, Comparison):
            columns = _columns(_within(found, self.span))
        else:
            columns = np.nan_to_num(np.stack([one.per_case for one in found], axis=1))
        return Ratios(_plus(columns, None if self.added is None else self.added[rows]), np.zeros(1, np.int64))

    def _without_pairs(self) -> tuple[Int64, Int64, Array]:
        case, annotator, truth = self.made_of.without_each
        return case, annotator, self._of(truth, case).columns
