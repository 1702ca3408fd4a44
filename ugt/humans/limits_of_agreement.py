"""Bland-Altman: differences between two readers' ratings, or between a model's and the readers', with limits of agreement."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import combinations
from typing import Any, NamedTuple

import numpy as np

from .._base import checks
from .._base.arrays import Array, Int64, NDArray
from .._base.axes import Frozen
from .._base.laws import t_quantile
from .._base.ragged import row_at, row_of
from ..agreement.scales import as_ratings
from ..annotations import Labels, Ratings
from ..annotations.joins import tells_joins
from ..resampling import ids_of_cases, over
from .distance_rule import checked
from .input import as_annotations, check_all, joined, numbers

EVERYONE, MODEL = "annotators", "model"
ALIKE = "all differences are alike, which leaves no spread to estimate"
ROUNDING = 1e-12  # a relative spread of differences that is rounding only


@dataclass(frozen=True, eq=False, repr=False)
class LimitsOfAgreement(Frozen):
    """Differences of two readers, or of a model and the readers: one of the pairs of :func:`bland_altman`.

    Attributes
    ----------
    first, second : str
        Whose ratings are compared; differences are first less second.
    n_cases, n_clusters : int
        Cases that both rated, and the number of clusters that these cases are in (of cases if there are no clusters).
    bias : float
        Mean difference (mean over clusters of their means).
    sd : float
        Standard deviation of the difference of two single ratings of a case.
    lower, upper : float
        Limits of agreement, bias ± z sd: the difference of a new case lies between them with the probability ``coverage``, if
        differences are normal.
    bias_interval, lower_interval, upper_interval : (low, high)
        Intervals of these three, over cases (clusters).
    mean, difference : (n_cases,) arrays
        Mean and difference of each case, for a plot; several ratings by one reader are averaged.
    reason : str
        Why limits are NaN, such as differences that are all alike; empty if they are defined.

    Examples
    --------
    >>> import ugt
    >>> found = ugt.humans.bland_altman([[1.0, 2.0], [3.0, 3.5], [5.0, 5.0], [2.0, 3.5]]).pairs[0]
    >>> found.bias, round(found.sd, 3), round(found.lower, 2), round(found.upper, 2)
    (-0.75, 0.645, -2.02, 0.52)
    """

    first: str
    second: str
    n_cases: int
    n_clusters: int
    bias: float
    sd: float
    lower: float
    upper: float
    bias_interval: tuple[float, float]
    lower_interval: tuple[float, float]
    upper_interval: tuple[float, float]
    mean: Array
    difference: Array
    reason: str


@dataclass(frozen=True, eq=False, repr=False)
class BlandAltman(Frozen):
    """Limits of agreement of all pairs of readers, and of a model with each and with all of them; made by :func:`bland_altman`.

    Attributes
    ----------
    pairs : tuple of LimitsOfAgreement
        Pairs of readers in their order; then the model with each of them; then the model with ``"annotators"``, all together.
    coverage, level : float
    population : LimitsOfAgreement
        Limits for any two annotators like these, whose bias is 0 on average: their differences in strictness are part of the spread, and
        intervals are over cases and annotators. From the cases that all annotators rated; NaN with clusters. See the notes of
        :func:`bland_altman`.

    Examples
    --------
    >>> import ugt
    >>> found = ugt.humans.bland_altman([[1.0, 2.0], [3.0, 3.5], [5.0, 5.0], [2.0, 3.5]], [1.0, 3, 5, 3])
    >>> [(row["first"], row["second"], round(row["bias"], 2)) for row in found.table()]
    [('0', '1', -0.75), ('model', '0', 0.25), ('model', '1', -0.5), ('model', 'annotators', -0.12)]
    """

    pairs: tuple[LimitsOfAgreement, ...]
    coverage: float
    level: float
    population: LimitsOfAgreement

    @property
    def largest_bias(self) -> LimitsOfAgreement | None:
        """The pair of annotators whose bias is furthest from 0, the first of equal ones; None if no two share a case.

        It was picked as the largest, so its interval, which is of one pair, is too short: :func:`annotator_strictness` tests all together.
        """
        known = [one for one in self.pairs if one.first != MODEL and not math.isnan(one.bias)]
        return max(known, key=lambda one: abs(one.bias), default=None)

    def table(self) -> list[dict[str, Any]]:
        """Return one row per pair: ``first, second, n_cases, n_clusters, bias, sd, lower, upper``, and ``_low, _high`` of three."""
        rows = []
        for one in self.pairs:
            row = {name: getattr(one, name) for name in ("first", "second", "n_cases", "n_clusters", "bias", "sd", "lower", "upper")}
            for name in ("bias", "lower", "upper"):
                row[f"{name}_low"], row[f"{name}_high"] = getattr(one, f"{name}_interval")
            rows.append(row)
        return rows


class OneSide(NamedTuple):
    """The ratings by one side of some cases: the mean of each case, their number, and the sum of squares within cases."""

    mean: Array
    n: Int64
    squares: Array

    def take(self, cases: Any) -> OneSide:
        return OneSide(self.mean[cases], self.n[cases], self.squares[cases])


class VariancePart(NamedTuple):
    """A variance with its weight in the variance of single differences, and its degrees of freedom."""

    weight: float
    variance: float
    df: float


@tells_joins
def bland_altman(
    annotations: Any,
    predictions: object = None,
    *,
    clusters: object = None,
    coverage: float = 0.95,
    level: float = 0.95,
    missing: str = "error",
) -> BlandAltman:
    r"""Return bias and limits of agreement of every pair of readers, and of a model with them.

    .. math:: \bar d \pm z \sqrt{s_{\bar d}^2 + \Bigl(1 - \overline{1/m_1}\Bigr) s_1^2 + \Bigl(1 - \overline{1/m_2}\Bigr) s_2^2}

    with d the difference between the two means of a case, m the ratings of each side per case, and s² the variance of ratings of one side
    within cases; with one rating each, sd is the standard deviation of the differences.

    Parameters
    ----------
    annotations : Ratings, ordered Labels, or (N, A) array of numbers
        A reader may rate a case several times. Ordered labels count with ``labels.grades``.
    predictions : (N,) numbers or mapping of case id to number, optional
        A model's ratings, NaN or None if there is none.
    clusters : (N,) ids, mapping of case id to id, or (case ids, ids), optional
        Such as the patient of each case; cases of one cluster have different true values. Every cluster has the same weight, and the
        variance between cases of a cluster is added, weighted by :math:`1 - \overline{1/k}` for k cases.
    coverage : float
        In (0, 1): share of differences between the limits; 0.95 has z = 1.96.
    level : float
        Level of the intervals, in (0, 1).
    missing : {"error", "drop"}
        What to do with cases without a prediction.

    Returns
    -------
    BlandAltman

    Raises
    ------
    ValueError
        If annotations are neither ratings nor ordered labels, if there are fewer than two sides, if predictions do not fit, or if a number
        is beyond 1e100 on either side of 0.

    Notes
    -----
    Limits are for single ratings and assume normal differences whose mean and spread do not change with the size of the ratings (see the
    plot). They are in the units of the ratings and are not relative to the range of the cases. Intervals use Student's t for the bias
    and, for limits, the variance recovered from the intervals of its parts (MOVER). A comparison with all annotators treats them as
    replicates of one reader: their biases are part of the spread, and other annotators are not covered by the intervals.

    ``population`` is for two other annotators: annotators and cases are random effects (two-way, no replicates needed), and sd² is
    :math:`2(σ^2_{annotator} + σ^2_{error})`, with the interval by MOVER from the mean squares of the analysis of variance. With two or
    three annotators that interval is very wide, as it must be. In simulations
    with normal differences of 20 to 30 cases (replicates, clusters) the intervals of limits covered them in 95 to 97% at level 0.95 (Monte
    Carlo error 0.4%).

    References
    ----------
    Bland & Altman (1986), "Statistical methods for assessing agreement between two methods of clinical measurement", Lancet 327; (1999),
    "Measuring agreement in method comparison studies", Statistical Methods in Medical Research 8(2), sec. 5; (2007), "Agreement between
    methods of measurement with multiple observations per individual", Journal of Biopharmaceutical Statistics 17(4); Zou (2013),
    "Confidence interval estimation for the Bland-Altman limits of agreement with multiple observations per individual", Statistical
    Methods in Medical Research 22(6).

    Examples
    --------
    >>> import ugt
    >>> found = ugt.humans.bland_altman([[1.0, 2.0], [3.0, 3.5], [5.0, 5.0], [2.0, 3.5]], [1.0, 3, 5, 3])
    >>> last = found.pairs[-1]
    >>> last.second, last.bias, [round(end, 2) for end in last.bias_interval]
    ('annotators', -0.125, [-0.64, 0.39])
    """
    coverage, level = checks.scalar("coverage", coverage, positive=True), checks.scalar("level", level, positive=True)
    for name, share in (("coverage", coverage), ("level", level)):
        if share >= 1:
            raise checks.error(name, "be a number between 0 and 1", share)
    ordered = isinstance(annotations, Labels) and annotations.ordered and len(annotations.annotators) > 0
    held = as_annotations(as_ratings(annotations) if ordered else annotations, [], "squared")
    if not isinstance(held, Ratings):
        raise checks.error("annotations", "be Ratings, ordered Labels by named annotators, or an array of numbers", type(held).__name__)
    checked(held.value, "annotations", lambda r: f"case {held.case_name(row_at(held.offsets, r))}")
    sides = [(str(who), _readings(held, j)) for j, who in enumerate(held.annotators)]
    pairs = list(combinations(sides, 2))
    if predictions is not None:
        model = checked(numbers(joined(predictions, held), held), "predictions", lambda i: f"case {held.case_name(i)}", missing=True)
        if checks.option("missing", missing, ("error", "drop")) == "error":
            check_all("predictions", ~np.isnan(model), held)
        own = OneSide(model, (~np.isnan(model)).astype(np.int64), np.zeros(len(model)))
        pairs += [((MODEL, own), other) for other in [*sides, (EVERYONE, _everyone([one for _, one in sides]))]]
    if not pairs:
        raise checks.error("annotations", "hold two annotators, or one and predictions", len(held.annotators))
    ids = np.arange(held.n_cases, dtype=np.int64) if clusters is None else ids_of_cases("clusters", clusters, held.n_cases, held.case_ids)
    compared = tuple(_compared(first, second, ids, coverage, level) for first, second in pairs)
    return BlandAltman(compared, coverage, level, _of_population([one for _, one in sides], clusters is None, coverage, level))


def _readings(held: Ratings, j: int) -> OneSide:
    rows = held.annotator == j
    case, value, n_cases = row_of(held.offsets)[rows], held.value[rows], held.n_cases
    n = np.bincount(case, minlength=n_cases)
    mean = over(np.bincount(case, value, n_cases), n)
    squares: Array = np.bincount(case, (value - mean[case]) ** 2, n_cases).astype(np.float64)
    return OneSide(mean, n, squares)


def _everyone(sides: list[OneSide]) -> OneSide:
    """Return all annotators as one reader, who rates a case as often as it has annotators."""
    means = np.array([one.mean for one in sides])
    known = ~np.isnan(means)
    n = known.sum(axis=0)
    mean = over(np.where(known, means, 0.0).sum(axis=0), n)
    return OneSide(mean, n, np.asarray((np.where(known, means - mean, 0.0) ** 2).sum(axis=0)))


def _compared(one: tuple[str, OneSide], other: tuple[str, OneSide], ids: NDArray[Any], coverage: float, level: float) -> LimitsOfAgreement:
    from scipy.special import ndtri  # noqa: PLC0415  (scipy is slow to import)

    (first, a), (second, b) = one, other
    both = np.flatnonzero((a.n > 0) & (b.n > 0))
    a, b, (_, at) = a.take(both), b.take(both), np.unique(ids[both], return_inverse=True)
    difference, mean, at = a.mean - b.mean, (a.mean + b.mean) / 2, at.reshape(-1)
    k = np.bincount(at)
    of_cluster = np.bincount(at, difference) / k
    g, nan = len(k), (math.nan, math.nan)
    if g < 2:
        reason, bias = (
            f"fewer than two {'cases' if g == len(both) else 'clusters'} that both rated",
            float(difference.mean()) if g else math.nan,
        )
        return LimitsOfAgreement(first, second, len(both), g, bias, *(math.nan,) * 3, nan, nan, nan, mean, difference, reason)
    bias, between = float(of_cluster.mean()), float(of_cluster.var(ddof=1))
    parts = [VariancePart(1.0, between, g - 1.0), *_within(k, float(((difference - of_cluster[at]) ** 2).sum()))]
    for side in (a, b):
        parts += _within(side.n, float(side.squares.sum()))
    variance = sum(part.weight * part.variance for part in parts)
    if math.sqrt(variance) <= ROUNDING * float(np.abs([mean, difference]).max()):
        return LimitsOfAgreement(first, second, len(both), g, bias, 0.0, math.nan, math.nan, nan, nan, nan, mean, difference, ALIKE)
    low, high = _ends(parts, variance, level)
    half = float(t_quantile(g - 1.0, (1 + level) / 2)) * math.sqrt(between / g)
    z, sd = float(ndtri((1 + coverage) / 2)), math.sqrt(variance)
    inner, outer = math.hypot(half, z * (sd - math.sqrt(low))), math.hypot(half, z * (math.sqrt(high) - sd))
    lower, upper = bias - z * sd, bias + z * sd
    ends = (bias - half, bias + half), (lower - outer, lower + inner), (upper - inner, upper + outer)
    return LimitsOfAgreement(first, second, len(both), g, bias, sd, lower, upper, *ends, mean, difference, "")


def _of_population(sides: list[OneSide], single: bool, coverage: float, level: float) -> LimitsOfAgreement:
    """Return the limits of any two annotators, from the mean squares of a two-way table of the cases that all of them rated."""
    from scipy.special import ndtri  # noqa: PLC0415  (scipy is slow to import)

    k, every = len(sides), np.flatnonzero(np.min([one.n for one in sides], axis=0) > 0)
    names, n, none = ("annotator", "other annotator", len(every), len(every)), len(every), np.empty(0)
    nan = (math.nan, math.nan)
    if n < 2 or k < 2 or not single:
        reason = "clusters" if not single else "fewer than two annotators" if k < 2 else "fewer than two cases that all annotators rated"
        return LimitsOfAgreement(*names, *(math.nan,) * 4, nan, nan, nan, none, none, reason)
    table = np.array([one.mean[every] for one in sides])
    rows, columns, middle = table.mean(axis=1), table.mean(axis=0), table.mean()
    residual = float(((table - rows[:, None] - columns + middle) ** 2).sum())
    parts = [VariancePart(2 / n, n * float(rows.var(ddof=1)), k - 1.0)]
    parts += [VariancePart(2 * (n - 1) / n, residual / ((n - 1) * (k - 1)), float((n - 1) * (k - 1)))]
    times = np.concatenate([one.n[every] for one in sides])
    parts += [VariancePart(2 * w, s2, df) for w, s2, df in _within(times, float(sum(one.squares[every].sum() for one in sides)))]
    variance, z = sum(part.weight * part.variance for part in parts), float(ndtri((1 + coverage) / 2))
    if math.sqrt(variance) <= ROUNDING * float(np.abs(table).max()):
        return LimitsOfAgreement(*names, 0.0, 0.0, math.nan, math.nan, nan, nan, nan, none, none, ALIKE)
    low, high = (z * math.sqrt(end) for end in _ends(parts, variance, level))
    sd = math.sqrt(variance)
    return LimitsOfAgreement(*names, 0.0, sd, -z * sd, z * sd, (0.0, 0.0), (-high, -low), (low, high), none, none, "")


def _within(n: Int64, squares: float) -> Iterator[VariancePart]:
    """Yield the variance of single ratings about the mean of n, if any case has several."""
    df = float((n - 1).sum())
    if df:
        yield VariancePart(float(1 - (1 / n).mean()), squares / df, df)


def _ends(parts: list[VariancePart], variance: float, level: float) -> tuple[float, float]:
    """Return the interval of a sum of weighted variances, from the interval of each (MOVER)."""
    from scipy.special import chdtri  # noqa: PLC0415  (scipy is slow to import)

    below = math.hypot(*(weight * one * (1 - df / float(chdtri(df, (1 - level) / 2))) for weight, one, df in parts))
    above = math.hypot(*(weight * one * (df / float(chdtri(df, (1 + level) / 2)) - 1) for weight, one, df in parts))
    return max(0.0, variance - below), variance + above
