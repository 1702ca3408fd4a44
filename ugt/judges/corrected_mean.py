"""The record of a corrected mean, and the function that makes it."""

from __future__ import annotations

import math
from dataclasses import dataclass, field, replace
from typing import Any, NamedTuple

import numpy as np

from .._base import notices
from .._base.arrays import Array
from .._base.checks import error, instance, option, scalar, whole
from .._base.laws import t_quantile
from .._base.notes import Note
from .._base.ragged import row_of
from .._base.wording import arg
from ..annotations.joins import tells_joins
from ..resampling import Result, ResultDifference, TwoWay, check_level, ids_of_cases, seed_of
from ..resampling.spread import FEW_ANNOTATORS, RANDOM, few_annotators, say, with_annotators
from ..studies.components import Components, ScoredLabels
from ..studies.solving import least_people, precision
from .corrected import Corrected, CorrectedPair
from .input import probabilities_of, read, strata_of
from .limits import limits_of

MOST_ANNOTATORS = 1000
ALIKE = (
    "labels, or their differences, are all alike (at an end of a stated scale they have an interval: " + arg("scale", ...) + " of Ratings)"
)
TOO_FEW = "fewer than two annotators have two labels, which do not show how annotators differ"


class OverBoth(Result):
    """A result whose intervals are over cases and annotators unless it is asked for others.

    Over cases alone they are Student's t with one degree of freedom less than there are labelled cases (clusters), as published with
    ``kind="analytic"`` (the normal quantile).
    """

    _random = RANDOM

    def intervals(self, level: float = 0.95, **asked: Any) -> Array:
        """Return the (1, 2) interval; arguments and errors as of ``interval``."""
        return np.array([self.interval(level, **asked)])

    def _ends(self, number: int, level: float, kind: str, given: dict[str, Any], random: tuple[str, ...]) -> tuple[float, float]:
        if kind != "auto" or given["strata"] is not None or with_annotators(random):
            low, high = super()._ends(number, level, kind, given, random)
        else:
            whole("n_resamples", given["n_resamples"]), seed_of(given["seed"])  # which this interval does not need
            low, high = self._without_resamples(number, level, (given["clusters"], None)) or self._student(level, given["clusters"])
        if low < high or math.isnan(low):
            return low, high
        notices.warn("no interval: " + ALIKE, stacklevel=3)
        return math.nan, math.nan

    def _two_way(self, number: int, clusters: object) -> TwoWay:
        """Return the spread over cases and annotators; Banerjee's interval contains that of :meth:`_student`."""
        return replace(super()._two_way(number, clusters), _cases=None)

    def _student(self, level: float, clusters: object) -> tuple[float, float]:
        one, design = self.statistic, self._design(clusters, None)
        n = one.facts.n_annotated(one.kept, design)
        influence = one.influence()
        assert influence is not None
        if n < 2:
            notices.warn("no interval: fewer than two clusters have labels", stacklevel=4)
            return math.nan, math.nan
        spread = math.sqrt(float((design.added_up(influence) ** 2).sum()) * n / (n - 1))
        half = float(t_quantile(n - 1, 0.5 + level / 2)) * spread
        low, high = np.clip([self.value - half, self.value + half], *one.facts.spans[0]).tolist()
        return low, high


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
    notes : tuple of notes
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
    notes: tuple[Note, ...]
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
        instance("other", other, CorrectedMean, "be a corrected mean")
        found = CorrectedPair.of(self._statistic, other._statistic)
        if option("tuning", tuning, ("each", "joint")) == "joint":
            found = found.tuned()
        return CorrectedDifference(float(found.estimate[0]), None, found, self._statistic.case_ids)

    def expected_width(
        self, n_annotators: int, n_labelled: int | None = None, n_labels: float | None = None, *, level: float = 0.95
    ) -> float:
        """Return the expected width of the interval over cases and annotators for other numbers of annotators and labels.

        From the variance components of label less λ times the judge's score, with annotators who share the labels evenly. In simulations
        the mean width was 10% to 15% larger. More labels per case are credited with something only if some cases have two labels.

        Parameters
        ----------
        n_annotators : int
            At least 2.
        n_labelled : int, optional
            Number of labelled cases. Default: as here.
        n_labels : float, optional
            Labels per labelled case, at most ``n_annotators``. Default: as here.
        level : float

        Returns
        -------
        float
            NaN, with a warning, if fewer than two annotators have two labels: such labels do not show how annotators differ.
        """
        one, a = self._statistic, whole("n_annotators", n_annotators, 2)
        n = self.n_labelled if n_labelled is None else whole("n_labelled", n_labelled, 2)
        k = min(len(one.labels.value) / self.n_labelled, a) if n_labels is None else scalar("n_labels", n_labels)
        if not 1 <= k <= a:
            raise error("n_labels", f"be from 1 to the {a} annotators", k)
        level = check_level(level)
        found = self._expected()
        return math.nan if found is None else found.width(a, n, k, level)

    def annotators_needed(self, width: float, *, level: float = 0.95) -> int | None:
        """Return the fewest annotators for this expected width, with as many labels as here.

        None if up to 1,000 are too few and, with a warning, if fewer than two annotators have two labels.
        """
        wanted, n, k = scalar("width", width, positive=True), self.n_labelled, len(self._statistic.labels.value) / self.n_labelled
        level = check_level(level)
        found = self._expected()
        if found is None:
            return None
        expected = found.width
        return least_people(lambda a: expected(a, n, min(k, a), level) <= wanted, MOST_ANNOTATORS)

    def _expected(self) -> _Expected | None:
        """Return what expected widths depend on; None, with a warning, if the labels do not show how annotators differ."""
        one = self._statistic
        case = row_of(one.labels.offsets)
        score = one.labels.value - one.tuning * one.judge[case]
        n_annotators, count = len(one.labels.annotators), np.ones(len(case))
        scored = ScoredLabels.of(case, one.labels.annotator, score, count, one.n_cases, n_annotators)
        parts = scored.components
        if np.isnan(parts.annotators):
            notices.warn(f"no expected width: {TOO_FEW}", stacklevel=3)
            return None
        if np.isnan(parts.cases):  # one label per case: its variance and that of cases are one, which more labels do not lower
            parts = parts._replace(cases=float(scored.score.var()) - np.fmax(parts.annotators, 0.0), labels=np.zeros(()))
        elsewhere = ~one.labelled
        rest = float(((one.tuning * one.influences()[1])[elsewhere] ** 2).sum())
        return _Expected(parts, rest)


class _Expected(NamedTuple):
    """Variance components of label less λ times the judge's score, and the variance of the judge's mean over cases without labels."""

    parts: Components
    rest: float

    def width(self, a: int, n: int, k: float, level: float) -> float:
        parts = self.parts._replace(cases=np.fmax(self.parts.cases, 0.0) + self.rest * n)
        return 2 * float(precision(parts, n, k, a, 0.5 + level / 2).half_width)


@tells_joins
def corrected_mean(
    labels: object,
    judge: object,
    *,
    values: object = None,
    tuning: float | None = None,
    probabilities: object = None,
    strata: object = None,
    missing: str = "error",
    folds: object = None,
    seed: object = 0,
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
    judge : (N,) array, mapping of case id to score, (case ids, scores), pandas Series, or function
        The score of every case, a number or the name of a class. An array is in the order of the cases of ``labels``, so that these must
        include all cases (``cases=``); the other forms are joined by case id, and may include cases that ``labels`` do not have. The judge
        must not have been fitted to these labels. One that is to be fitted is a function ``fit(cases, means)``: from positions of
        labelled cases and their mean labels, it returns a score for each of the N cases.
    values : (K,) array or mapping of class to number, optional
        The number of each class of Labels: for a share 1 and 0; for a win rate 1, 0.5 (tie) and 0; for an ordinal mean the grades. A
        mapping may also have verdicts that only the judge gives. Default: the classes themselves, if they are integers.
    tuning : float, optional
        λ >= 0: 0 ignores the judge, 1 trusts its scale. Default: the λ in [0, 1] with the smallest variance over cases.
    probabilities : (N,) numbers, mapping of case id to number, or (case ids, numbers), optional
        The probability in (0, 1] with which each case was chosen to be labelled, if it was not the same for all. Labelled cases have the
        weight 1 / probability, and the judge's mean is over all cases.
    strata : (N,) ids, mapping of case id to id, or (case ids, ids), optional
        Strata within which cases were chosen to be labelled; each is corrected by itself and counts by its number of cases.
    missing : {"error", "drop"}
        Labelled cases without a score, None or NaN: refuse them, or leave them out and count them in a note, so that the mean is of the
        cases that the judge scored (give probabilities, strata and clusters by case id).
    folds : int, (N,) ids, or mapping of case id to id, optional
        For a judge that is a function: the number of random folds of the labelled cases, or the fold of each, such as its cluster. A
        labelled case has the score of a fit without its fold, any other case the mean of all fits (cross-prediction). Default: 10.
    seed : int or Generator
        Random seed of the folds.

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
    effective hybrid evaluation of language models", NeurIPS. Zrnic & Candès, "Cross-prediction-powered inference", PNAS 121 (2024)
    e2322083121 (folds).

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

    A judge that is fitted to the labels, here a line through a feature of the cases:

    >>> import numpy as np
    >>> rng = np.random.default_rng(1)
    >>> x = rng.normal(size=200)
    >>> graded = ugt.Ratings.from_wide(np.where(np.arange(200) < 50, x + rng.normal(size=200), np.nan)[:, None])
    >>> found = ugt.corrected_mean(graded, lambda cases, means: np.polyval(np.polyfit(x[cases], means, 1), x), folds=5)
    >>> round(found.value, 2), round(found.tuning, 2), found.n_labelled
    (-0.25, 0.63, 50)
    """
    given = read(labels, judge, values, missing, folds, seed)
    n, ids = len(given.judge), given.labels.case_ids
    labelled = np.diff(given.labels.offsets) > 0
    if labelled.sum() < 2:
        raise error("labels", "be of at least 2 cases", int(labelled.sum()))
    given_p = None if probabilities is None else probabilities_of(probabilities, n, ids)
    weight, other = (np.ones(n), (~labelled).astype(np.float64)) if given_p is None else (1 / given_p, np.ones(n))
    stratum = np.zeros(n, np.int64) if strata is None else strata_of(ids_of_cases("strata", strata, n, ids), labelled)
    one = Corrected(given, weight, other, stratum, None if tuning is None else scalar("tuning", tuning))
    found = record_of(one, (*given.notes, *limits_of(one)))
    if 2 <= found.n_annotators < FEW_ANNOTATORS:
        found = replace(found, notes=(*found.notes, *_ask_more(found)))
    say(None, found.notes)
    return found


def _ask_more(found: CorrectedMean) -> list[Note]:
    now, more = found.n_annotators, 2 * found.n_annotators
    with notices.heard():
        width = found.expected_width(more)
    if not width > 0:  # nothing is known of how labels differ
        return few_annotators(now)
    words = (
        "{now} annotators: the interval depends on their differences; with {more} annotators who share the labels, an interval of width "
    )
    return [Note("interval_of_few_annotators", words + "{width:.2g} is expected.", now=now, more=more, width=width)]


def record_of(one: Corrected, notes: tuple[Note, ...] = ()) -> CorrectedMean:
    """Return the record of a corrected mean."""
    plain, now = (float(found.std_error()[0]) for found in (one.with_tuning(0.0), one))
    labelled = int(one.labelled.sum())
    effective = labelled * (plain / now) ** 2 if now > 0 else math.nan
    value, judge, people = float(one.estimate[0]), float(one.judge.mean()), len(one.labels.annotators)
    return CorrectedMean(value, one.tuning, judge, one.n_cases, labelled, people, effective, notes, one)
