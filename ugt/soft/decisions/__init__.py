"""Decisions at a threshold against an uncertain truth: diagnostic accuracy, net benefit, and both at another prevalence.

A case is positive with probability p. Each measure is that of the expected table, in which it counts as p positive and 1 - p negative
cases; with labels 0 and 1 every function gives the ordinary measure. The truth is an array, labels (their shares) or plausibilities.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import numpy as np

from ..._base import checks, notices
from ..._base.arrays import Array, Int32
from ..._base.notes import Note
from ..._base.wording import arg
from ...annotations.joins import tells_joins
from ...resampling import Statistic, seed_of
from .by_class import AccuracyByClass, ClassDecisions, CostSums, ExpectedCost, best_by_cost, costs_of, shares_of_decisions
from .chosen import CHOICES, Chosen, decisions
from .curves import DiagnosticCurve, NetBenefit
from .decided import Decided, OfMeans
from .input import Classes, Decisions, called, left_out_of, prevalence_of, reached, read, read_classes, thresholds_of
from .measures import MEASURES, CellMeasure, at_prevalence, benefits
from .records import DiagnosticAccuracy

if TYPE_CHECKING:
    from ...resampling.design import Seed


@tells_joins
def diagnostic_accuracy(
    truth: object,
    scores: object,
    *,
    threshold: object = None,
    positive_class: object = None,
    prevalence: float | None = None,
    prevalence_error: float = 0.0,
    frequency: object = None,
    case_weights: object = None,
    seed: Seed = 0,
) -> Any:
    """Return sensitivity, specificity, predictive values and related measures of decisions against an uncertain truth.

    With p the probability that a case is positive and d its decision, 0 or 1, the expected table has ``TP = Σ p d``, ``FP = Σ (1 - p) d``,
    ``FN = Σ p (1 - d)`` and ``TN = Σ (1 - p)(1 - d)``. Sensitivity is TP / (TP + FN), F1 is 2 TP / (2 TP + FP + FN), and so on.

    Parameters
    ----------
    truth : (N,) or (N, K) array or table with names in [0, 1], Labels, or plausibilities
        Probability of being positive, or of K classes. Labels count by their shares, plausibilities by their means. A case with NaN is
        left out.
    scores : (N,) or (N, K) array, Series, frame, mapping or Predictions
        Scores of the model, higher means more probably positive; or, without a threshold, decisions 0 and 1.
    threshold : float, (T,) floats, or name of a measure, optional
        Cases with scores of at least the threshold are called positive. ``"youden"``, ``"f1"``, ``"mcc"``, ``"accuracy"``,
        ``"balanced_accuracy"`` or ``"jaccard"``: in each of ten folds by the threshold that is best on the other nine, because a threshold
        that is best on the same cases makes measures too high.
    positive_class : class name, optional
        Needed for K classes, unless two have names that show it, such as 0 and 1 or ``healthy`` and ``disease``.
    prevalence : float, optional
        Of the population, between 0 and 1: predictive values, accuracy, F1, Jaccard, MCC and the share of calls are those of a population
        whose positive and negative cases are called as the sample's. It is not valid if the scores decided which cases were sampled.
    prevalence_error : float
        Standard error of the prevalence, from a study of other cases; it widens intervals.
    frequency : (N,) whole numbers, Series or mapping of case id to number, optional
        How many equal cases each row stands for.
    case_weights : (N,) numbers, Series or mapping of case id to number, optional
        How many cases of a population each case represents; a case stays one case in intervals.
    seed : int, Generator or SeedSequence
        Of the folds of a threshold that is chosen.

    Returns
    -------
    DiagnosticAccuracy
        For one threshold or for decisions. Measures are NaN if undefined, such as the predictive value if no case is called.
    DiagnosticCurve
        For several thresholds, without the choice of one.

    Raises
    ------
    ValueError
        If shapes do not fit, a probability is out of [0, 1], a score is NaN, decisions are not 0 and 1, or the positive class is not known.

    Notes
    -----
    A measure of the expected table is not the mean of the measure over truths, except where it is linear, such as the predictive values
    and the accuracy. Sensitivities differ by about 1 / Σ p. Intervals take thresholds that were chosen as given. They include the fit of a
    prior that was fitted to the same labels.

    References
    ----------
    Matthews (1975) for MCC; Youden (1950). Intervals are over cases, by the influence of each case on the four sums.

    Examples
    --------
    >>> import ugt
    >>> labels = ugt.Labels.from_counts([[0, 4], [1, 3], [3, 1], [4, 0], [4, 1]])
    >>> found = ugt.soft.diagnostic_accuracy(labels, [0.9, 0.6, 0.7, 0.2, 0.1], threshold=0.5)
    >>> round(found.sensitivity, 3), round(found.specificity, 3)
    (0.909, 0.643)
    """
    given = read(truth, scores, positive_class, frequency, case_weights)
    q, spread = prevalence_of(prevalence, prevalence_error)
    measures, word = at_prevalence(MEASURES, q, spread), seed_of(seed)
    if not (threshold is None or isinstance(threshold, str) or np.ndim(threshold) == 0):  # type: ignore[arg-type]
        several = thresholds_of(threshold, "threshold", False)
        one = _decided(given, reached(given.scores, several), several, measures)
        found = _by_measure(one, one.estimate)
        about = _prevalence(one, q), _n(one, given), _left_out(given, found)
        return DiagnosticCurve(several, found, _by_measure(one, one.spread_of_truths()), *about, _parts(one, given))
    calls, at, chosen = _calls(given, threshold, word)
    one = _decided(given, calls, None, measures)
    values = _by_measure(one, one.estimate)
    if (youden := float(one.answer(one.sums())[0, list(MEASURES).index("youden")])) < 0:
        words = (
            "Sensitivity + specificity is {sum:.2f}, below 1: the scores may be of the other class (" + arg("positive_class", ...) + ")."
        )
        notices.note(Note("below_chance", words, sum=1 + youden))
    return DiagnosticAccuracy(
        **{name: float(part[0]) for name, part in values.items()},
        prevalence=_prevalence(one, q),
        table=one.table[0][[3, 1, 2, 0]].reshape(2, 2),
        spread={name: float(part[0]) for name, part in _by_measure(one, one.spread_of_truths()).items()},
        threshold=at,
        chosen=chosen,
        n_cases=_n(one, given),
        left_out=_left_out(given, values),
        _statistic=_counted(one, given),
    )


def _calls(given: Decisions, threshold: object, seed: int) -> tuple[Int32, float | None, Chosen | None]:
    """Return decisions (N,), the threshold if there is one, and how it was chosen if it was."""
    if threshold is None:
        return called(given.scores), None, None
    if not isinstance(threshold, str):
        at = thresholds_of(threshold, "threshold", False)
        return reached(given.scores, at), float(at[0]), None
    by = checks.option("threshold", threshold, CHOICES)
    if given.counts is not None and not given.counts.weighted:
        must = "be left out with a threshold that is chosen, since folds are of single cases"
        raise checks.error("frequency", must, arg("threshold", by))
    return decisions(given.p, given.scores, np.ones(len(given.p)) if given.counts is None else given.counts.times, by, seed)


@tells_joins
def accuracy_by_class(truth: object, scores: object, *, frequency: object = None, case_weights: object = None) -> AccuracyByClass:
    """Return measures of each class against the others for decisions among K classes, with their macro and micro averages.

    The decision is the class with the highest score; tied ones share it. For class k a case with probabilities p has p_k positives and
    1 - p_k negatives, and measures are those of :func:`diagnostic_accuracy`.

    Parameters
    ----------
    truth : (N, K) array or table with names in [0, 1], Labels, or plausibilities
        As for :func:`diagnostic_accuracy`.
    scores : (N, K) array, frame, mapping or Predictions
        Scores of the classes; a table with 1 for the decided class gives decisions.
    frequency, case_weights
        As for :func:`diagnostic_accuracy`.

    Returns
    -------
    AccuracyByClass

    Raises
    ------
    ValueError
        As for :func:`diagnostic_accuracy`.

    Notes
    -----
    The macro mean is over the classes in which a measure is defined. The micro average adds the tables of all classes: its sensitivity,
    predictive value and F1 are the accuracy.

    Examples
    --------
    >>> import ugt
    >>> labels = ugt.Labels.from_counts([[3, 1, 0], [0, 4, 0], [0, 1, 3]])
    >>> found = ugt.soft.accuracy_by_class(labels, [[0.7, 0.2, 0.1], [0.1, 0.6, 0.3], [0.2, 0.5, 0.3]])
    >>> found.values["ppv"].round(3), round(found.micro["ppv"], 3)
    (array([0.75 , 0.625,   nan]), 0.667)
    """
    given = read_classes(truth, scores, frequency, case_weights)
    decided = shares_of_decisions(given.scores)
    one = ClassDecisions(given.p, decided, MEASURES, given.labels, given.classes)
    one.case_ids = given.case_ids
    statistic = _counted(one, given)
    by_measure = dict(zip(MEASURES, one.estimate.reshape(len(MEASURES), -1)))
    values = {name: part[:-2] for name, part in by_measure.items()}
    macro, micro = ({name: float(part[at]) for name, part in by_measure.items()} for at in (-2, -1))
    counted = np.where(one.kept[:, None], given.p, 0.0) * (1.0 if one.times is None else one.times[:, None])
    table = np.einsum("nt,nc->tc", counted, decided)
    return AccuracyByClass(given.classes, values, macro, micro, table, _n(one, given), _left_out(given, values), statistic)


@tells_joins
def expected_cost(
    truth: object,
    scores: object,
    costs: object,
    *,
    decide: str = "class",
    frequency: object = None,
    case_weights: object = None,
) -> ExpectedCost:
    """Return the mean cost of decisions among K classes under an uncertain truth.

    With probabilities p of the classes, decision c and costs C it is the mean of ``Σ_t p_t C[t, c]``. The best constant decision has
    ``min_c Σ_t p̄_t C[t, c]`` with the mean probabilities p̄, and perfect ones have ``Σ_t p̄_t min_c C[t, c]``.

    Parameters
    ----------
    truth, frequency, case_weights
        As for :func:`accuracy_by_class`.
    scores : (N, K) array, frame, mapping or Predictions
        Scores of the classes.
    costs : (K, K) numbers, or a frame with the classes as index and columns
        Cost of each decision (columns) if a class is true (rows).
    decide : {"class", "cost"}
        The class with the highest score; or the one with the least expected cost, if scores are probabilities.

    Returns
    -------
    ExpectedCost

    Raises
    ------
    ValueError
        If costs do not fit, if scores are no probabilities with ``decide="cost"``, or as for :func:`diagnostic_accuracy`.

    Notes
    -----
    For two classes and ``costs=[[0, k], [1, 0]]`` with k = t / (1 - t) the value is the prevalence less the net benefit at t.

    Examples
    --------
    >>> import ugt
    >>> truth, scores = [[0.9, 0.1], [0.2, 0.8], [0.6, 0.4]], [[0.8, 0.2], [0.3, 0.7], [0.7, 0.3]]
    >>> found = ugt.soft.expected_cost(truth, scores, [[0, 1], [5, 0]], decide="cost")
    >>> round(found.value, 3), found.best_constant
    (0.567, '1')
    """
    given = read_classes(truth, scores, frequency, case_weights)
    table = costs_of(costs, given.names)
    by_cost = checks.option("decide", decide, ("class", "cost")) == "cost"
    decided = best_by_cost(given.scores, table) if by_cost else shares_of_decisions(given.scores)
    one = CostSums(given.p, decided, table, given.labels)
    one.case_ids = given.case_ids
    statistic = _counted(one, given)
    best = given.classes[int(np.argmin(one.sums()[0, 1:-1] @ table))]
    left_out = _left_out(given, {"standardized": one.estimate[3:]})
    value, constant, perfect, standardized = one.estimate.tolist()
    return ExpectedCost(value, constant, perfect, standardized, best, _n(one, given), left_out, statistic)


@tells_joins
def net_benefit(
    truth: object,
    scores: object,
    thresholds: object,
    *,
    positive_class: object = None,
    prevalence: float | None = None,
    prevalence_error: float = 0.0,
    frequency: object = None,
    case_weights: object = None,
) -> NetBenefit:
    """Return the net benefit of treating cases whose risk reaches a threshold, against an uncertain truth.

    At threshold t it is ``(TP - t / (1 - t) FP) / N`` of the expected table, see :func:`diagnostic_accuracy`; in a population with
    prevalence q it is ``q sensitivity - t / (1 - t) (1 - q)(1 - specificity)``.

    Parameters
    ----------
    truth, positive_class, prevalence, prevalence_error, frequency, case_weights
        As for :func:`diagnostic_accuracy`.
    scores : (N,) or (N, K) array, Series, frame, mapping or Predictions
        Risks, in [0, 1]: probabilities of being positive.
    thresholds : (T,) floats
        In [0, 1): risks at which one would treat.

    Returns
    -------
    NetBenefit

    Raises
    ------
    ValueError
        If scores are no risks, a threshold is outside [0, 1), or as for :func:`diagnostic_accuracy`.

    Notes
    -----
    ``by_annotators()`` has the curve against the labels of each single annotator: by whose judgement the model helps. The best of model,
    all and none has no interval, because it is a maximum.

    References
    ----------
    Vickers & Elkin, "Decision curve analysis" (2006). Kerr et al. (2016) for the standardised net benefit; Pfeiffer & Gail
    (2020) for bands.

    Examples
    --------
    >>> import ugt
    >>> labels = ugt.Labels.from_counts([[0, 4], [1, 3], [3, 1], [4, 0], [4, 1]])
    >>> found = ugt.soft.net_benefit(labels, [0.9, 0.6, 0.7, 0.2, 0.1], [0.1, 0.5])
    >>> found.value.round(3), found.avoided.round(1)
    (array([0.378, 0.2  ]), array([ 0., 32.]))
    """
    given = read(truth, scores, positive_class, frequency, case_weights)
    check_risks(given.scores)
    q, spread = prevalence_of(prevalence, prevalence_error)
    at = thresholds_of(thresholds, "thresholds", True)
    one = _decided(given, reached(given.scores, at), at, at_prevalence(benefits(at), q, spread))
    found = _by_measure(one, one.estimate)
    left_out = _left_out(given, {name: part for name, part in found.items() if name != "avoided"})
    spread_of, parts = _by_measure(one, one.spread_of_truths()), _parts(one, given)
    value, treat_all, over_all, standardized, avoided = found.values()
    own = next(iter(spread_of.values()))
    about = _prevalence(one, q), _n(one, given), left_out
    return NetBenefit(at, value, treat_all, over_all, standardized, avoided, own, *about, parts)


def check_risks(scores: Array) -> None:
    """Refuse scores that are no probabilities."""
    bad = (scores < 0) | (scores > 1)
    if bad.any():
        i = int(np.argmax(bad))
        way = "calibrate them first, such as with ugt.calibration; diagnostic_accuracy takes any scores"
        raise checks.error("scores", "be risks, from 0 to 1, for net benefit", f"{scores[i]:.6g}", f"case {i}", way=way)


def _decided(given: Decisions, above: Int32, thresholds: Array | None, measures: Mapping[str, CellMeasure]) -> Decided:
    n = 1 if thresholds is None else len(thresholds)
    one = Decided(given.p, above, n, measures, thresholds=thresholds, labels=given.labels, positive=given.positive, case_ids=given.case_ids)
    if given.counts is not None:
        given.counts.of(one)  # sets how often each case counts
    return one


def _counted(one: OfMeans, given: Decisions | Classes) -> Statistic:
    return one.refitted() if given.counts is None else given.counts.of(one)  # a prior fitted to the labels is part of intervals


def _parts(one: Decided, given: Decisions) -> dict[str, Statistic]:
    return {
        name: _counted(one._like(one.p, one.above, one.n_thresholds, {name: part}, one.thresholds), given)
        for name, part in one.measures.items()
    }


def _by_measure(one: Decided, numbers: Array) -> dict[str, Array]:
    return dict(zip(one.measures, numbers.reshape(-1, one.n_thresholds)))


def _prevalence(one: Decided, stated: float | None) -> float:
    tp, fp, fn, tn = one.table[0].tolist()
    return (tp + fn) / (tp + fp + fn + tn) if stated is None else stated


def _n(one: OfMeans, given: Decisions | Classes) -> int:
    return one.number_of(one.kept) if given.counts is None else given.counts.number(one.kept)


def _left_out(given: Decisions | Classes, values: Mapping[str, Array]) -> dict[str, int]:
    """Return the cases without a truth, and the measures that are undefined, by reason."""
    found = {reason: n for reason, n in left_out_of(given.p, given.counts).items() if n}
    for name, part in values.items():
        if undefined := int(np.isnan(part).sum()):
            found[f"undefined {name}"] = undefined
    return found
