"""Metrics against soft labels: AUROC, average precision, diagnostic accuracy and net benefit against probabilities [D].

A case is positive with probability p and negative with probability 1 - p. With labels 0 and 1 every function gives the ordinary metric.
The first argument is the truth: an array of p, labels (their shares), or plausibilities (their means).
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from .._base import checks, notices
from .._base.arrays import Array
from .._base.notes import Note
from .._base.records import Record
from .._base.wording import arg
from .._core import _soft
from ..annotations.joins import tells_joins
from ..resampling import Part
from .columns import SELF_PAIRS, Auroc, Precision, ScoreColumn, quotient
from .decisions import accuracy_by_class, diagnostic_accuracy, expected_cost, net_benefit
from .decisions.by_class import AccuracyByClass, ExpectedCost
from .decisions.chosen import Chosen
from .decisions.curves import AnnotatorCurves, CurveDifference, DiagnosticCurve, NetBenefit
from .decisions.records import DiagnosticAccuracy
from .input import Input, check_threshold, read
from .models import HardAgainstSoft, hard_against_soft
from .order import ScoreOrder
from .parts import PART
from .ranking import Metric, SoftRanking, SoftScore
from .stability import RankingStability, ranking_stability

__all__ = [
    "AccuracyByClass", "AnnotatorCurves", "Chosen", "CurveDifference", "DiagnosticAccuracy", "DiagnosticCurve", "ExpectedCost",
    "HardAgainstSoft", "NetBenefit", "PrecisionRecallCurve", "RankingStability", "RocCurve", "ScoreOrder", "SoftScore",
    "accuracy_by_class", "diagnostic_accuracy", "expected_cost", "hard_against_soft", "net_benefit", "ranking_stability", "soft_auroc",
    "soft_average_precision", "soft_precision_recall_curve", "soft_roc_curve",
]  # fmt: skip


NO_BOTH = "class without positives or negatives"
NO_POSITIVES = "class without positives"
OF_NO_PAIR = "In {} of {} columns no two cases are a positive and a negative, and the area follows from self_pairs ="
WHOLE = ", since the mean over all orders of tied cases is known for whole numbers of cases"
NO_PAIR = "pair of classes without cases of one of them"


@tells_joins
def soft_auroc(
    p: object,
    scores: object,
    *,
    self_pairs: str = "exclude",
    threshold: float = 0.5,
    multiclass: str = "ovr",
    average: str = "macro",
    frequency: object = None,
    case_weights: object = None,
) -> SoftScore:
    """Return the area under the ROC curve against probabilities of being positive.

    It is ``(Σ_i Σ_j p_i (1 - p_j) [s_i > s_j, a half if equal] + c Σ_i p_i (1 - p_i)) / (Σ p Σ (1 - p))``. In the sum, a pair of a case
    with itself (i = j) counts a half; c = -1/2, 0 or 1/2 excludes, halves or includes these pairs [D eq. 4].

    Parameters
    ----------
    p : (N,) or (N, K) array or table with names in [0, 1], Labels, or plausibilities
        Probability of being positive; K columns are classes, each against the rest, or separate findings. Labels count by their shares,
        plausibilities by their means; with two classes and one column of scores, the second class is the positive one. A case
        with NaN is left out.
    scores : array of the shape of p, table with names, or ScoreOrder
        Scores of the model: higher means more probably positive; infinities are allowed. A Series, frame, mapping or
        :class:`ugt.Predictions` is joined to p by case id and class name. A :class:`ScoreOrder` is sorted once for several
        calls.
    self_pairs : {"exclude", "half", "include", "unbiased"}
        ``"exclude"``: the second form of the equation, used for the tables of [D]. ``"half"``: equal to doubling the data with
        weights p and 1 - p. ``"include"``: the first form. ``"unbiased"``: as ``"exclude"``, with Σ p (1 - p) subtracted from the
        denominator, too, which gives the mean over pairs of two cases. All are equal for labels 0 and 1.
    threshold : float
        Threshold of the hard labels of ``hard``: ``p > threshold``.
    multiclass : {"ovr", "ovo"}
        Each class against the rest; or each pair of classes, both ways (Hand & Till 2001).
    average : {"macro", "weighted"}
        Equal weights of the columns, or weights by their positives (of pairs, by their cases).
    frequency : (N,) whole numbers, Series or mapping of case id to number, optional
        How many equal cases each row stands for, at least 0. Values, standard errors and intervals are those of the rows repeated so often.
        Not with labels of named annotators.
    case_weights : (N,) numbers, Series or mapping of case id to weight, optional
        How many cases of a population each case represents, at least 0; only their ratios matter. Values are those of the population,
        intervals those of a sample of cases with these weights. Not with a frequency.

    Returns
    -------
    SoftScore
        The area; NaN without positives or without negatives.

    Raises
    ------
    ValueError
        If shapes do not fit, p is out of [0, 1], a score is NaN, a weight is negative or not finite, a
        frequency is negative or not whole, all of these are 0, or an option is unknown.

    Notes
    -----
    A model with one score for all cases has 0.5 with ``"half"``. With ``"exclude"`` it has 0.5 - Σ p (1 - p) / (2 Σ p Σ (1 - p)), because
    pairs of a case with itself are excluded from the numerator but not from the denominator. Models that guess have this value on average,
    and the highest value is as far below 1: 0.475 and 0.975 for 20 cases with p = 1/2. These differences shrink as 1 / N. ``"half"`` has
    no such difference for a score without information. ``"unbiased"`` has none at all: it is 0.5 on average for models that guess, and
    equals the share of pairs in the right order.

    With weights w, sums have w p and w (1 - p) in place of p and 1 - p: a pair of two cases counts ``w_i w_j``, and that of a case with
    itself ``w_i²``, as the case is one case.

    If no two cases are a positive and a negative, as if there is one case with p = 1/2, the formula alone gives 0 with ``"exclude"``, 0.5
    with ``"half"`` and 1 with ``"include"``; a note says so. ``"unbiased"`` is NaN.

    The default interval has as many degrees of freedom as the positives and negatives support (effective numbers (Σ p)² / Σ p²). With
    fewer than 20 positives or negatives, and fewer than one in ten cases, it may be too narrow, and a note says so. In simulations 95%
    intervals held the AUROC in 87% to 94% of the data sets with 5 to 15 positives of 1,000 cases.

    References
    ----------
    [D] Lionetti et al., eq. 4. DeLong et al. (1988) for standard errors. Hand & Till (2001) for pairs of classes. Lamiroy & Sun (2011) add
    one annotator who labels all cases positive and one who labels all negative: ``soft_auroc(dirichlet(labels, prior=1), scores)``. Martin
    et al. (2004) take the mean over annotators: ``by_annotators(soft_auroc(labels, scores)).mean()``.

    Examples
    --------
    >>> import ugt
    >>> p = [1.0, 0.8, 0.3, 0.6, 0.0, 0.2, 0.1]
    >>> scores = [0.9, 0.8, 0.7, 0.6, 0.55, 0.4, 0.2]
    >>> found = ugt.soft_auroc(p, scores)
    >>> round(found.value, 4), round(found.hard, 4), round(ugt.soft_auroc(p, scores, self_pairs="half").value, 4)
    (0.8142, 0.9167, 0.85)
    """
    checks.option("self_pairs", self_pairs, tuple(SELF_PAIRS))
    pairs = checks.option("multiclass", multiclass, ("ovr", "ovo")) == "ovo"
    given = read(p, scores, frequency=frequency, case_weights=case_weights)
    level = check_threshold(threshold)
    if pairs and (given.p.ndim == 1 or given.p.shape[1] < 2):
        raise checks.error("multiclass", "be 'ovr' for one column", repr(multiclass))
    return _score(given, given.columns(level, pairs=pairs), Auroc(self_pairs), average, pairs)


@tells_joins
def soft_average_precision(
    p: object,
    scores: object,
    *,
    self_term: str = "certain",
    ties: str = "group",
    threshold: float = 0.5,
    average: str = "macro",
    frequency: object = None,
    case_weights: object = None,
) -> SoftScore:
    """Return the average precision against probabilities of being positive.

    With cases in descending order of scores it is ``Σ_i p_i (1 + Σ_{j<i} p_j) / i / Σ p``, the mean over positives of the expected
    precision at i given that i is positive [D eq. 5, as it was computed]. ``self_term="probability"`` has p_i in place of the 1, as in
    the printed equation.

    Parameters
    ----------
    p, scores, threshold, average, frequency, case_weights
        As for :func:`soft_auroc`; the errors are the same, too.
    self_term : {"certain", "probability"}
        Weight of a case at its own position: 1, or its p. Both are equal for labels 0 and 1.
    ties : {"group", "expected"}
        Precision of tied cases: that at the end of their group, as in scikit-learn, or the mean over all their orders, which is not
        available with ``case_weights``.

    Returns
    -------
    SoftScore
        The average precision; NaN without positives.

    References
    ----------
    [D] Lionetti et al., eq. 5.

    Examples
    --------
    >>> import ugt
    >>> found = ugt.soft_average_precision([1.0, 0.8, 0.3, 0.6], [0.9, 0.8, 0.7, 0.6])
    >>> round(found.value, 4), round(found.hard, 4)
    (0.9426, 0.9167)
    """
    checks.option("self_term", self_term, ("certain", "probability"))
    expected = checks.option("ties", ties, ("group", "expected")) == "expected"
    given = read(p, scores, frequency=frequency, case_weights=case_weights)
    if expected and given.weights is not None:
        raise checks.error("ties", "be 'group' with " + arg("case_weights", ...) + WHOLE, repr(ties))
    return _score(given, given.columns(check_threshold(threshold), expected), Precision(self_term), average, False)


@dataclass(frozen=True, eq=False, repr=False)
class RocCurve(Record):
    """The ROC curve against probabilities, from (0, 0) to (1, 1) with thresholds descending from infinity.

    ``area`` is the AUROC with ``self_pairs="half"``.

    Examples
    --------
    >>> import ugt
    >>> curve = ugt.soft.soft_roc_curve([0.9, 0.5, 0.1], [3.0, 2.0, 1.0])
    >>> curve.false_positive_rate.round(3), round(curve.area, 3)
    (array([0.   , 0.067, 0.4  , 1.   ]), 0.856)
    """

    false_positive_rate: Array
    true_positive_rate: Array
    thresholds: Array
    area: float


@dataclass(frozen=True, eq=False, repr=False)
class PrecisionRecallCurve(Record):
    """The precision-recall curve against probabilities; its last point (precision 1, recall 0) has no threshold.

    ``area`` is the step area, the average precision with ``self_term="probability"``.

    Examples
    --------
    >>> import ugt
    >>> ugt.soft.soft_precision_recall_curve([0.9, 0.4, 0.1], [3.0, 2.0, 1.0]).precision.round(3)
    array([0.467, 0.65 , 0.9  , 1.   ])
    """

    precision: Array
    recall: Array
    thresholds: Array
    area: float


@tells_joins
def soft_roc_curve(
    p: object, scores: object, *, drop_intermediate: bool = True, frequency: object = None, case_weights: object = None
) -> RocCurve:
    """Return the ROC curve against probabilities: ``Σ w p / Σ p`` over ``Σ w (1 - p) / Σ (1 - p)``, for cases from each score upwards.

    Parameters
    ----------
    p, scores, frequency, case_weights
        As for :func:`soft_auroc`, with one column; the errors are the same, too.
    drop_intermediate : bool
        Whether to leave out points on a straight line between their neighbours, which does not change the area.

    Returns
    -------
    RocCurve
        The curve; rates are NaN without positives or without negatives.

    Examples
    --------
    >>> import ugt
    >>> ugt.soft.soft_roc_curve([1, 1, 0, 0], [4, 3, 2, 1]).true_positive_rate
    array([0., 1., 1.])
    """
    positive, negative, thresholds = _curve(p, scores, frequency, case_weights)
    x, y = np.append(0.0, negative), np.append(0.0, positive)
    area = float(quotient(np.dot(np.diff(x), (y[1:] + y[:-1]) / 2), x[-1] * y[-1]))
    thresholds = np.append(np.inf, thresholds)
    if checks.flag("drop_intermediate", drop_intermediate):
        dx, dy = np.diff(x), np.diff(y)
        moved = np.flatnonzero((dx > 0) | (dy > 0))  # steps of length 0 have no direction
        turns = dx[moved][:-1] * dy[moved][1:] != dx[moved][1:] * dy[moved][:-1]
        keep = np.concatenate([[0], moved[:-1][turns] + 1, moved[-1:] + 1])
        x, y, thresholds = x[keep], y[keep], thresholds[keep]
    return RocCurve(quotient(x, negative[-1]), quotient(y, positive[-1]), thresholds, area)


@tells_joins
def soft_precision_recall_curve(
    p: object, scores: object, *, drop_intermediate: bool = True, frequency: object = None, case_weights: object = None
) -> PrecisionRecallCurve:
    """Return the precision-recall curve against probabilities: ``Σ w p / Σ w`` and ``Σ w p / Σ p``, for cases from each score upwards.

    Arguments and errors are those of :func:`soft_roc_curve`, except that ``drop_intermediate`` leaves out points at which recall does not
    change, which does not change the step area. Recall is NaN without positives.

    Examples
    --------
    >>> import ugt
    >>> curve = ugt.soft.soft_precision_recall_curve([0.9, 0.4, 0.1], [3.0, 2.0, 1.0])
    >>> curve.recall.round(3), curve.thresholds
    (array([1.   , 0.929, 0.643, 0.   ]), array([1., 2., 3.]))
    """
    positive, negative, thresholds = _curve(p, scores, frequency, case_weights)
    step = np.diff(positive, prepend=0.0)
    precision = quotient(positive, positive + negative)
    area = float(quotient(np.dot(step, np.nan_to_num(precision)), positive[-1]))
    if checks.flag("drop_intermediate", drop_intermediate):
        keep = step > 0
        keep[-1] = True
        positive, precision, thresholds = positive[keep], precision[keep], thresholds[keep]
    recall = quotient(positive, positive[-1])
    return PrecisionRecallCurve(np.append(precision[::-1], 1.0), np.append(recall[::-1], 0.0), thresholds[::-1], area)


# ---- the common part ----


def _curve(truth: object, table: object, frequency: object, case_weights: object) -> tuple[Array, Array, Array]:
    given = read(truth, table, in_range=True, frequency=frequency, case_weights=case_weights)
    if given.p.ndim != 1:
        raise checks.error("p", "be of shape (N,) for a curve", given.p.shape)
    p, scores, weights = given.counted()
    if weights is not None and (weights > 0).any():
        counted = weights > 0
        p, scores, weights = p[counted], scores[counted], weights[counted]
    return _soft.Scores(np.ascontiguousarray(scores)).curve(np.ascontiguousarray(p), weights)


def _score(given: Input, columns: tuple[ScoreColumn, ...], metric: Metric, average: str, pairs: bool) -> SoftScore:
    weighted = checks.option("average", average, ("macro", "weighted")) == "weighted"
    one = SoftRanking(columns, (metric,), weighted=weighted, pairs=pairs, labels=given.labels)
    soft_by, hard_by = None, None
    if len(columns) == 1 and not columns[0].apart:  # floats are faster than arrays of length 1
        sums = columns[0].sums.tolist()
        value, hard = metric.values(sums), metric.hard_values(sums)
        undefined = int(math.isnan(value))
    else:
        value, hard = one.estimate.tolist()
        undefined = int(np.isnan(one.per_class(metric, one.sums())[0]).sum())
    if given.p.ndim == 2 and not pairs:
        soft_by, hard_by = (values[0] for values in one.per_class(metric, one.sums()))
    left_out = given.left_out
    if undefined:
        reason = NO_PAIR if pairs else NO_BOTH if isinstance(metric, Auroc) else NO_POSITIVES
        left_out[reason] = undefined // 2 if pairs else undefined  # each pair has two columns
        if undefined == len(columns):
            notices.undefined(reason, stacklevel=3)
    if isinstance(metric, Auroc) and (alone := sum(metric.of_no_pair(column.sums.tolist()) for column in columns)):
        words = "{what} {self_pairs!r} (it is undefined with self_pairs='unbiased')"
        notices.note(Note("no_pairs", words, what=OF_NO_PAIR.format(alone, len(columns)), self_pairs=metric.self_pairs))
    return SoftScore(value, hard, soft_by, hard_by, given.n_cases, left_out, one, given.case_ids)


PARTS: Mapping[str, Part] = {"soft_auroc": PART, "soft_average_precision": PART}
