"""The record of a corrected mean, and the function that makes it."""

from __future__ import annotations

import math
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any

import numpy as np

from ..._base import identifiers, notices
from ..._base.arrays import Array, Int64, NDArray
from ..._base.checks import error, option, scalar, whole
from ..._base.laws import t_quantile
from ..._base.ragged import row_of
from ...resampling import Result, ResultDifference, check_level, ids_of_cases, seed_of
from ...resampling.spread import FEW_ANNOTATORS, RANDOM, with_annotators
from ..components import ScoredLabels
from ..solving import least_people, precision
from .corrected import Corrected, CorrectedPair
from .input import read

if TYPE_CHECKING:
    from ...resampling import Seed

UNLIKE = 0.01  # p-value below which labelled cases are said to be unlike the others
FEW_ERRORS = 10  # labelled cases with an error of the judge that an interval needs
MOST_ANNOTATORS = 1000


class OverBoth(Result):
    """A result whose intervals are over cases and annotators unless it is asked for others."""

    def interval(
        self,
        level: float = 0.95,
        *,
        of: str | None = None,
        kind: str = "auto",
        clusters: Any = None,
        strata: Any = None,
        n_resamples: int = 1000,
        seed: Seed = 0,
        random: tuple[str, ...] = RANDOM,
    ) -> tuple[float, float]:
        """Return the interval over cases (or clusters) and annotators, or over cases alone.

        Parameters
        ----------
        random : ("cases", "annotators") or ("cases",)
            Population of the interval: other cases judged by other annotators (default; needs two named annotators), or other cases
            judged by the same annotators.
        kind : str
            Over cases alone, ``"auto"``: Student's t with one degree of freedom less than there are labelled cases (clusters);
            ``"analytic"``: the normal quantile, as published; others by resamples, as for the other results.
        level, of, clusters, strata, n_resamples, seed
            As for the other results.

        Returns
        -------
        (low, high)
            NaN, with a warning of the reason, if there is none.
        """
        return super().interval(
            level, of=of, kind=kind, clusters=clusters, strata=strata, n_resamples=n_resamples, seed=seed, random=random
        )

    def _ends(self, number: int, level: float, kind: str, given: dict[str, Any], random: tuple[str, ...]) -> tuple[float, float]:
        if kind != "auto" or given["strata"] is not None or with_annotators(random):
            return super()._ends(number, level, kind, given, random)
        whole("n_resamples", given["n_resamples"]), seed_of(given["seed"])  # which this interval does not need
        one, design = self.statistic, self._design(given["clusters"], None)
        n = one.n_annotated(one.kept, design)
        influence = one.influence()
        assert influence is not None
        spread = math.sqrt(float((design.added_up(influence) ** 2).sum()) * n / (n - 1)) if n > 1 else math.nan
        half = float(t_quantile(max(n - 1, 1), 0.5 + level / 2)) * spread
        low, high = np.clip([self.value - half, self.value + half], *one.spans[0]).tolist()
        return (low, high) if half > 0 else (math.nan, math.nan)


@dataclass(frozen=True, eq=False, repr=False)
class CorrectedDifference(OverBoth, ResultDifference):
    """The paired difference of two corrected means of the same cases, labelled by the same annotators.

    Examples
    --------
    >>> import numpy as np, ugt
    >>> first = ugt.Ratings.from_wide([[4, 5], [3, 3], [5, 4], [2, 4]] * 5 + [[None, None]] * 20)
    >>> second = ugt.Ratings.from_wide([[3, 5], [2, 2], [5, 3], [3, 4]] * 5 + [[None, None]] * 20)
    >>> judge = np.tile([4.5, 3.5, 4, 3], 10)
    >>> found = ugt.corrected_mean(first, judge).minus(ugt.corrected_mean(second, judge - 0.5))
    >>> round(found.value, 2), [round(end, 2) for end in found.interval(random=("cases",))]
    (0.38, [0.13, 0.62])
    """


@dataclass(frozen=True, eq=False, repr=False)
class CorrectedMean(OverBoth):
    """The mean label of all cases, from a judge's scores and labels of some cases; made by :func:`corrected_mean`.

    ``std_error`` is over cases alone, as published. Its intervals are over cases and annotators.

    Attributes
    ----------
    value : float
    tuning : float
        λ, the weight of the judge: 0 without it.
    judge : float
        Mean of the judge's scores over all cases, not corrected.
    n_cases, n_labelled, n_annotators : int
        Cases with a score; those with labels; named annotators.
    effective_labels : float
        Number of labelled cases that would give the same standard error over cases without the judge.
    notes : tuple of str
        Limits of the result.

    Examples
    --------
    >>> import numpy as np, ugt
    >>> rng = np.random.default_rng(0)
    >>> quality = rng.normal(size=500)
    >>> lenient = np.array([-0.5, -0.2, 0.0, 0.1, 0.3, 0.6])  # annotators differ
    >>> case = np.repeat(np.arange(100), 2)  # 100 cases have two labels each
    >>> annotator = (case + np.tile([0, 3], 100)) % 6
    >>> right = quality[case] + lenient[annotator] + rng.logistic(size=200) > 0
    >>> labels = ugt.Ratings.from_long(case, annotator, right * 1.0, cases=np.arange(500))
    >>> found = ugt.corrected_mean(labels, quality + rng.logistic(size=500) > 0.2)
    >>> round(found.value, 2), round(found.tuning, 2), round(found.judge, 2)
    (0.52, 0.16, 0.45)
    """

    value: float
    tuning: float
    judge: float
    n_cases: int
    n_labelled: int
    n_annotators: int
    effective_labels: float
    notes: tuple[str, ...]
    _statistic: Corrected = field(repr=False)

    @property
    def without_judge(self) -> CorrectedMean:
        """The same without the judge (λ = 0): the mean of the labels."""
        return record_of(self._statistic.with_tuning(0.0))

    def weights_of_labelled(self) -> Array:
        """Return the (N,) weights of cases in the mean of the labels, N in all; 0 for cases without labels."""
        return self._statistic.balance()

    def minus(self, other: Result, *, tuning: str = "each") -> CorrectedDifference:
        """Return the paired difference to another corrected mean of the same cases, such as that of another model under test.

        Parameters
        ----------
        other : CorrectedMean
            Of the same cases, in any order. Labels may be of other cases and by other annotators; annotators are matched by name.
        tuning : {"each", "joint"}
            ``"each"`` (default): λ of either mean as it is, so that the value is the difference of the two values. ``"joint"``: the two
            λ in [0, 1] that make the variance of the difference over cases the smallest, which is never wider over cases.

        Returns
        -------
        CorrectedDifference

        Raises
        ------
        TypeError
            If it is not a corrected mean.
        ValueError
            If it is of other cases, or if the tuning is unknown.
        """
        if not isinstance(other, CorrectedMean):
            raise TypeError(f"other must be a corrected mean. Got {type(other).__name__}.")
        found = CorrectedPair.of(self._statistic, other._statistic)
        if option("tuning", tuning, ("each", "joint")) == "joint":
            found = found.tuned()
        return CorrectedDifference(float(found.estimate[0]), None, found, self._statistic.case_ids)

    def expected_width(
        self, n_annotators: int, n_labelled: int | None = None, n_labels: float | None = None, *, level: float = 0.95
    ) -> float:
        """Return the expected width of the interval over cases and annotators for other numbers of annotators and labels.

        From the variance components of label less λ times the judge's score, with annotators who share the labels evenly. If no case has
        two labels, more labels per case are not credited with anything.

        Parameters
        ----------
        n_annotators : int
            At least 2.
        n_labelled : int, optional
            Number of labelled cases. Default: as here.
        n_labels : float, optional
            Labels per labelled case, at most ``n_annotators``. Default: as here.
        level : float
        """
        one, a = self._statistic, whole("n_annotators", n_annotators, 2)
        n = self.n_labelled if n_labelled is None else whole("n_labelled", n_labelled, 2)
        k = min(len(one.labels.value) / self.n_labelled, a) if n_labels is None else scalar("n_labels", n_labels)
        if not 1 <= k <= a:
            raise error("n_labels", f"be from 1 to the {a} annotators", k)
        check_level(level)
        return float(self._half_widths(np.array([a], np.int64), n, k, 0.5 + level / 2)[0]) * 2

    def annotators_needed(self, width: float, *, level: float = 0.95) -> int | None:
        """Return the fewest annotators for this expected width, with as many labels as here; None if up to 1,000 are too few."""
        wanted, k = scalar("width", width, positive=True), len(self._statistic.labels.value) / self.n_labelled
        check_level(level)

        def enough(a: int) -> bool:
            half = self._half_widths(np.array([a], np.int64), self.n_labelled, min(k, a), 0.5 + level / 2)[0]
            return bool(a >= 2 and 2 * half <= wanted)

        return least_people(enough, MOST_ANNOTATORS)

    def _half_widths(self, a: Int64, n: int, k: float, q: float) -> Array:
        one = self._statistic
        case = row_of(one.labels.offsets)
        score = one.labels.value - one.tuning * one.judge[case]
        n_annotators, count = len(one.labels.annotators), np.ones(len(case))
        scored = ScoredLabels.of(case, one.labels.annotator, score, count, one.n_cases, n_annotators)
        parts = scored.components
        if np.isnan(parts.cases):  # one label per case: its variance and that of cases are one, which more labels do not lower
            parts = parts._replace(cases=float(scored.score.var()) - np.fmax(parts.annotators, 0.0), labels=np.zeros(()))
        elsewhere = ~one.labelled
        rest = float(((one.tuning * one.influences()[1])[elsewhere] ** 2).sum())
        return precision(parts._replace(cases=np.fmax(parts.cases, 0.0) + rest * n), n, k, a, q).half_width


def corrected_mean(
    labels: Any, judge: Any, *, values: Any = None, tuning: float | None = None, probabilities: Any = None, strata: Any = None
) -> CorrectedMean:
    r"""Return the mean label of all cases by a judge's scores, corrected by the labels that annotators gave to some of the cases.

    With the judge's score f of every case, the mean label ȳ of each of n labelled cases, and N other cases,

    .. math:: \hat θ = \frac1n \sum_{labelled} (\bar y_i - λ f_i) + \frac{λ}{N} \sum_{others} f_i

    estimates the mean label over cases and annotators, however good or bad the judge is, if the labelled cases are a random sample. The
    better the judge predicts labels, the narrower is the interval over cases. It does not tell how annotators differ: only more
    annotators make that part of the interval narrower.

    Parameters
    ----------
    labels : Ratings or Labels
        Numbers (such as 0 and 1, or grades) or classes that annotators gave to some of the cases; cases without labels count as others.
    judge : (N,) array, mapping of case id to score, (case ids, scores), or pandas Series
        The score of every case, a number or the name of a class. An array is in the order of the cases of ``labels``, so that these must
        include all cases (``cases=``); the other forms are joined by case id, and may include cases that ``labels`` do not have.
    values : (K,) array or mapping of class to number, optional
        The number of each class of Labels: for a share 1 and 0; for a win rate 1, 0.5 (tie) and 0; for an ordinal mean the grades.
        Default: the classes themselves, if they are integers.
    tuning : float, optional
        λ >= 0: 0 ignores the judge, 1 trusts its scale. Default: the λ in [0, 1] with the smallest variance over cases.
    probabilities : (N,) numbers, mapping of case id to number, or (case ids, numbers), optional
        The probability in (0, 1] with which each case was chosen to be labelled, if it was not the same for all. Labelled cases have the
        weight 1 / probability, and the judge's mean is over all cases.
    strata : (N,) ids, mapping of case id to id, or (case ids, ids), optional
        Strata within which cases were chosen to be labelled; each is corrected by itself and counts by its number of cases.

    Returns
    -------
    CorrectedMean
        Its ``interval`` is over cases and annotators. Clusters of cases, such as conversations or patients, are given there.

    Raises
    ------
    TypeError
        If labels are of another kind.
    ValueError
        If a case has no score, if a stratum has fewer than two labelled cases, if values or ids do not fit.

    Notes
    -----
    Published intervals of prediction-powered inference take the labels as the truth: they are over cases alone
    (``random=("cases",)``, equal with ``kind="analytic"``), and too narrow for annotators who differ. For the variance over annotators
    see :class:`TwoWay`; λ is held fixed in it. Labels and scores of a difference of two systems: ``minus``.

    References
    ----------
    Angelopoulos, Bates, Fannjiang, Jordan & Zrnic, Science 382 (2023) 669. Angelopoulos, Duchi & Zrnic (2023), "PPI++: efficient
    prediction-powered inference", arXiv:2311.01453, sec. 6 (λ). Fisch et al. (2024), "Stratified prediction-powered inference for
    effective hybrid evaluation of language models", NeurIPS.

    Examples
    --------
    >>> import ugt
    >>> verdicts = {f"q{i}": "good" if i % 3 else "bad" for i in range(60)}
    >>> case, annotator = [f"q{i // 2}" for i in range(40)], ["ann", "bob", "cid", "dee"] * 10  # two labels for each of 20 cases
    >>> label = ["good" if i % 4 else "bad" for i in range(40)]
    >>> labels = ugt.Labels.from_long(case, annotator, label)
    >>> found = ugt.corrected_mean(labels, verdicts, values={"good": 1, "bad": 0})
    >>> round(found.value, 3), found.n_labelled, found.n_cases
    (0.751, 20, 60)
    """
    given = read(labels, judge, values)
    n, ids = len(given.judge), given.labels.case_ids
    labelled = np.diff(given.labels.offsets) > 0
    if labelled.sum() < 2:
        raise error("labels", "be of at least 2 cases", int(labelled.sum()))
    weight, other = np.ones(n), (~labelled).astype(np.float64)
    if probabilities is not None:
        weight, other = 1 / _probabilities(probabilities, n, ids), np.ones(n)
    stratum = np.zeros(n, np.int64) if strata is None else _strata(ids_of_cases("strata", strata, n, ids), labelled)
    one = Corrected(given, weight, other, stratum, None if tuning is None else scalar("tuning", tuning))
    found = record_of(one, tuple(_notes(one)))
    if 2 <= found.n_annotators < FEW_ANNOTATORS:
        found = replace(found, notes=(*found.notes, _ask_more(found)))
    for note in found.notes:
        notices.note(f"{note}.")
    return found


def _ask_more(found: CorrectedMean) -> str:
    now, more = found.n_annotators, 2 * found.n_annotators
    width = found.expected_width(more)
    return (
        f"{now} annotators: the interval depends on their differences; "
        f"with {more} annotators who share the labels, an interval of width {width:.2g} is expected"
    )


def _probabilities(given: Any, n: int, ids: NDArray[Any]) -> Array:
    column = ids_of_cases("probabilities", given, n, ids, what="a probability")
    found = column.astype(np.float64) if column.dtype.kind in "biuf" else np.full(n, np.nan)
    if not ((found > 0) & (found <= 1)).all():
        i = int(np.argmin((found > 0) & (found <= 1)))
        raise error("probabilities", "be above 0 and at most 1", column[i], f"case {identifiers.name(ids[i])}")
    return found


def _strata(given: NDArray[Any], labelled: NDArray[Any]) -> Int64:
    column = identifiers.number("strata", given)
    n = np.bincount(column.code[labelled], minlength=len(column.ids))
    if (n < 2).any():
        must = "have at least 2 labelled cases each (merge small strata)"
        raise error("strata", must, int(n.min()), f"stratum {identifiers.name(column.ids[int(np.argmin(n))])}")
    return column.code.astype(np.int64)


def record_of(one: Corrected, notes: tuple[str, ...] = ()) -> CorrectedMean:
    """Return the record of a corrected mean."""
    plain, now = (float(found.std_error()[0]) for found in (one.with_tuning(0.0), one))
    labelled = int(one.labelled.sum())
    effective = labelled * (plain / now) ** 2 if now > 0 else math.nan
    value, judge, people = float(one.estimate[0]), float(one.judge.mean()), len(one.labels.annotators)
    return CorrectedMean(value, one.tuning, judge, one.n_cases, labelled, people, effective, notes, one)


def _notes(one: Corrected) -> list[str]:
    """Return the limits of the result that the data show."""
    from scipy.special import erfc  # noqa: PLC0415  (scipy is slow to import)

    notes, labelled = [], int(one.labelled.sum())
    if labelled == one.n_cases:
        notes.append("all cases are labelled: the judge adds nothing")
    _, correction, _ = one.influences()
    spread, apart = float(np.sqrt(correction @ correction)), one.with_tuning(1.0).estimate[0] - one.with_tuning(0.0).estimate[0]
    if spread > 1e-12 * np.abs(one.judge).max() and erfc(abs(apart) / spread / math.sqrt(2)) < UNLIKE:
        notes.append(
            f"the judge's scores of labelled cases are unlike those of the others (by {-apart:.2g}, p < {UNLIKE}): "
            "if they were not chosen at random, give probabilities or strata"
        )
    errors = int((one.mean != one.judge)[one.labelled].sum())
    if errors < FEW_ERRORS and one.tuning > 0 and labelled < one.n_cases:
        notes.append(f"the judge differs from the labels in {errors} of {labelled} labelled cases: too few to show how often it errs")
    return notes
