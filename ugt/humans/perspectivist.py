"""Predictions of each annotator's own label or rating, compared with the labels that these annotators gave."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from .._base.arrays import Array, Int64, NDArray
from .._base.checks import error, scalar
from .._base.lazy import cached_property
from .._base.ragged import row_of
from .._base.wording import arg
from ..annotations import Labels, Ratings
from ..plausibilities.estimates import MeanOfCases, left_out, mean_of
from ..plausibilities.frequent import rows_of
from ..plausibilities.means import means
from ..resampling import Panel, Ratios, Statistic
from ..resampling.case_weights import Counts
from .multilabel import multilabel_mean
from .perspectivist_join import Annotations, Joined, case_ids_of, joined, positions


@dataclass(frozen=True, eq=False, repr=False)
class PerspectivistScore(MeanOfCases):
    """How far predictions of each annotator's own label are from these labels: a mean over the annotators of a case, then over cases.

    Attributes
    ----------
    value : float
        Mean over the cases with labels.
    per_case : (N,) array
        Mean over the labels of each case; NaN for a case without labels.
    n_cases, left_out : int, mapping
        Cases with labels, and cases left out by reason.
    per_annotator : (A,) array
        Mean over the labels of each annotator, in the order of the annotators of the labels; NaN without labels.
    n_unused : int
        Number of predictions for an annotator and a case whom this annotator did not label. They do not count.

    Examples
    --------
    >>> import ugt
    >>> labels = ugt.Labels.from_long(["p", "p", "q"], ["ann", "bob", "ann"], ["cat", "dog", "dog"])
    >>> predicted = ugt.Labels.from_long(["p", "p", "q"], ["ann", "bob", "ann"], ["cat", "cat", "dog"])
    >>> found = ugt.humans.perspectivist_error_rate(labels, predicted)
    >>> found.value, found.per_case, found.per_annotator
    (0.25, array([0.5, 0. ]), array([0., 1.]))
    """

    value: float
    per_case: Array
    n_cases: int
    left_out: Mapping[str, int]
    per_annotator: Array
    n_unused: int
    _statistic: Any = field(repr=False)
    _times: Counts | None = field(default=None, repr=False)

    @cached_property
    def statistic(self) -> Statistic:
        """The mean over cases, which can be computed without some of the annotators."""
        found: Statistic = self._statistic
        return found

    @property
    def case_ids(self) -> NDArray[Any] | None:
        """(N,) ids of the cases; None if they have none."""
        found: NDArray[Any] | None = self._statistic.case_ids
        return found


class OwnLabels(Ratios):
    """The mean over cases of the mean loss of the labels of a case, which can be computed without some of the annotators."""

    def __init__(self, annotations: Annotations, loss: Array, weight: Array, span: tuple[float, float]) -> None:
        self.annotations, self.span, self.case_ids = annotations, span, case_ids_of(annotations)
        self._case, self._loss, self._weight = row_of(annotations.offsets), loss, weight
        self._sums = self._added(self._case, len(annotations.offsets) - 1)
        super().__init__(_columns(self._sums), np.zeros(1, np.int64))

    def _added(self, at: Int64, n: int) -> Array:
        """Return (n, 2) sums of losses and of weights."""
        return np.stack([np.bincount(at, column, n) for column in (self._loss * self._weight, self._weight)], axis=1)

    @property
    def per_annotator(self) -> Array:
        return self.of_annotators(None)

    def of_annotators(self, times: Array | None) -> Array:
        """Return the means of annotators over the labels of cases that count so often (N,)."""
        weight = self._weight if times is None else self._weight * times[self._case]
        at, n = self.annotations.annotator, len(self.annotations.annotators)
        above, below = (np.bincount(at, column, n) for column in (self._loss * weight, weight))
        return np.asarray(np.divide(above, below, out=np.full(len(above), np.nan), where=below > 0))

    @property
    def panel(self) -> Panel:
        if self.times is not None:
            return Panel(self._refuse)
        return super().panel._replace(annotations=lambda: self.annotations, judged_by=self._judged_by)

    def _refuse(self) -> Any:
        must = "be ('cases',) with " + arg("frequency", ...) + ", for which the spread over annotators is not computed"
        raise error("random", must, "annotators")

    def _judged_by(self, annotators: NDArray[Any]) -> OwnLabels:
        weight = self._weight * (np.asarray(annotators) != 0)[self.annotations.annotator]
        return OwnLabels(self.annotations, self._loss, weight, self.span)

    def _without_pairs(self) -> tuple[Int64, Int64, Array]:
        """Return case, annotator and the case's contributions without this annotator."""
        n = len(self.annotations.annotators)
        pairs, of = np.unique(self._case * n + self.annotations.annotator, return_inverse=True)
        case, annotator = np.divmod(pairs, n)
        return case, annotator, _columns(np.maximum(self._sums[case] - self._added(of.reshape(-1), len(pairs)), 0.0))


def _columns(sums: Array) -> Array:
    """Return (n, 2) contributions to the numerator and the denominator; 0 without labels."""
    counts = sums[:, 1] > 0
    return np.stack([np.divide(sums[:, 0], sums[:, 1], out=np.zeros(len(sums)), where=counts), counts], axis=1)


def perspectivist_error_rate(
    labels: Labels, predicted: Labels, *, frequency: object = None, case_weights: object = None
) -> PerspectivistScore:
    """Return how often predictions of each annotator's own label are wrong: the share of a case's labels, and its mean over cases.

    A case contributes ``1/n Σ_a 1[predicted label of a is not the label of a]``, with the sum over its n labels. The range is 0 to 1.

    Parameters
    ----------
    labels : Labels
        Labels of named annotators.
    predicted : Labels
        The predictions, in the same form: which label the model predicts for each annotator and case. Cases, annotators and classes are
        joined by name. Predictions for cases that an annotator did not label do not count.
    frequency : (N,) whole numbers, Series or mapping of case id to number, optional
        How many equal cases each row stands for, all of which the annotators of the row labelled so. Intervals are over cases only.
    case_weights : (N,) numbers of at least 0, Series or mapping of case id to number, optional
        How many cases of a population each sampled case represents, as for :func:`ua_topk_accuracy`. Not with a frequency.

    Returns
    -------
    PerspectivistScore

    Raises
    ------
    TypeError
        If an argument is not Labels.
    ValueError
        If annotators are not named; if a label has no prediction or two; if a case, an annotator or a class of the predictions is not
        among those of the labels; if frequencies or weights do not fit. The message names the first.

    Notes
    -----
    This is the error rate of the perspectivist task of LeWiDi 2025. Each label of an annotator who labelled a case twice counts. For
    several yes-or-no questions about each case, see :func:`multilabel_mean`.

    References
    ----------
    Leonardelli et al. (2025), "LeWiDi-2025 at NLPerspectives".

    Examples
    --------
    >>> import ugt
    >>> labels = ugt.Labels.from_wide([[0, 1, 1], [1, 1, None]], classes=2)
    >>> ugt.humans.perspectivist_error_rate(labels, ugt.Labels.from_wide([[0, 0, 1], [1, 1, 1]], classes=2)).per_case.round(3)
    array([0.333, 0.   ])
    """
    _check(labels, predicted, (Labels,))
    at = joined(labels, predicted)
    wrong = _classes(labels, predicted, at) != labels.label
    return _score(labels, wrong.astype(np.float64), (0.0, 1.0), at.n_unused, frequency, case_weights)


def perspectivist_distance(
    ratings: Labels | Ratings, predicted: Labels | Ratings, *, divide_by: float = 1.0, frequency: object = None, case_weights: object = None
) -> PerspectivistScore:
    """Return the absolute distance of predictions of each annotator's own rating from it: the mean of a case, and its mean over cases.

    A case contributes ``1/n Σ_a |predicted rating of a - rating of a| / d``, with the sum over its n ratings and d ``divide_by``. The
    unit is that of the ratings, if d is 1.

    Parameters
    ----------
    ratings : Ratings or ordered Labels
        Ratings of named annotators. Of labels, the numbers of the grades count (``Labels.grades``).
    predicted : Ratings or Labels
        The predictions in the same form, joined as by :func:`perspectivist_error_rate`.
    divide_by : float
        Number above 0 by which distances are divided. The largest possible distance gives numbers from 0 to 1. LeWiDi 2025 takes the
        number of grades, which is larger by one: 11 for -5 to 5, 6 for 1 to 6.
    frequency, case_weights
        As for :func:`perspectivist_error_rate`.

    Returns
    -------
    PerspectivistScore

    Raises
    ------
    TypeError, ValueError
        As :func:`perspectivist_error_rate`; if ``divide_by`` is not a finite number above 0.

    References
    ----------
    Leonardelli et al. (2025), "LeWiDi-2025 at NLPerspectives": the average normalised absolute distance.

    Examples
    --------
    >>> import ugt
    >>> ratings = ugt.Ratings.from_wide([[-5, 5], [0, None]])
    >>> ugt.humans.perspectivist_distance(ratings, ugt.Ratings.from_wide([[-5, -5], [1, 0]]), divide_by=11).per_case.round(3)
    array([0.455, 0.091])
    """
    divisor = scalar("divide_by", divide_by, positive=True)
    _check(ratings, predicted, (Ratings, Labels))
    at = joined(ratings, predicted)
    given: Any = predicted
    if isinstance(ratings, Labels):
        loss = ratings.grades[_classes(ratings, given, at)] - ratings.grades[ratings.label]
    else:
        loss = given.value[at.row] - ratings.value
    return _score(ratings, np.abs(loss) / divisor, (0.0, math.inf), at.n_unused, frequency, case_weights)


def _check(known: object, predicted: object, kinds: tuple[type, ...]) -> None:
    """Reject annotations of other kinds, and predictions of another kind than the annotations."""
    argument = "labels" if kinds == (Labels,) else "ratings"
    if not isinstance(known, kinds):
        raise TypeError(f"{argument} must be {' or ordered '.join(kind.__name__ for kind in kinds)}. Got {type(known).__name__}.")
    if type(predicted) is not type(known):
        kind = type(known).__name__
        way = f"{kind}.from_long(case, annotator, prediction)"
        raise TypeError(f"predicted must be {kind}, as {argument} are ({way}). Got {type(predicted).__name__}.")


def _classes(labels: Labels, predicted: Labels, at: Joined) -> NDArray[Any]:
    """Return the predicted class (R,) of each label, by its position among the classes of the labels."""
    chosen = predicted.label[at.row]
    return positions("a class", predicted.axes.classes, labels.axes.classes, np.unique(chosen))[chosen]


def _score(
    annotations: Annotations, loss: Array, span: tuple[float, float], n_unused: int, frequency: object, case_weights: object
) -> PerspectivistScore:
    weight = annotations.count.astype(np.float64) if isinstance(annotations, Labels) else np.ones(len(loss))
    one = OwnLabels(annotations, loss, weight, span)
    per_case = np.where(one.columns[:, 1] > 0, one.columns[:, 0], np.nan)
    times, weights = rows_of("labels", None, frequency, case_weights, len(per_case), one.case_ids)
    if times is None and weights is None:
        value, n = mean_of(per_case)
        return PerspectivistScore(value, per_case, n, left_out(per_case), one.per_annotator, n_unused, one)
    counts = Counts(times, False) if weights is None else Counts(weights, True)  # type: ignore[arg-type]
    value, n = counts.mean(per_case)
    missing, by_annotator = left_out(per_case, counts=counts), one.of_annotators(counts.times)
    return PerspectivistScore(value, per_case, n, missing, by_annotator, n_unused, counts.of(one), counts)


PARTS = {
    **means(perspectivist_error_rate),
    **means(perspectivist_distance, multilabel_mean, span=(0.0, math.inf)),
}
