"""Uncertainty-adjusted metrics of predictions: expected agreement with a truth drawn from the posterior of the plausibilities [A 2.4].

All take the truth first (plausibilities, or arrays (N, K) of certain ones, (N, draws, K) of draws), scores (N, K) second.
"""

from __future__ import annotations

from functools import partial
from typing import Any

from .._base import checks
from .._base.arrays import Int64
from .._base.ragged import sizes_of
from ..plausibilities import Plausibilities, as_plausibilities
from ..plausibilities import estimates as results
from ..plausibilities.estimates import means
from ..plausibilities.metric import METRICS
from ..plausibilities.orders import Sets
from ..plausibilities.sets import as_sets
from .bounds import AccuracyBounds, accuracy_bounds
from .given import looks_like_scores, orders_of
from .groups import ua_group_accuracy
from .next_annotator import NextAnnotatorAgreement, next_annotator_agreement

__all__ = [
    "AccuracyBounds", "NextAnnotatorAgreement", "accuracy_bounds", "next_annotator_agreement",
    "ua_average_overlap", "ua_coverage", "ua_footrule_distance", "ua_group_accuracy", "ua_kendall_distance", "ua_ndcg", "ua_overlap",
    "ua_plausibility_mass", "ua_rank_biased_overlap", "ua_set_accuracy", "ua_topk_accuracy", "ua_weighted_kendall_distance",
]  # fmt: skip


def _mean_size(sets: Sets, truth: Plausibilities) -> float:
    sizes = sizes_of(sets.offsets)[truth.defined]
    return float(sizes.mean()) if len(sizes) else float("nan")


def _metric(truth: Any, scores: Any, name: str, k: int, ties: str, parameter: float | None = None) -> results.Estimate:
    post = as_plausibilities(truth)
    return METRICS[name].of(post, orders_of(post, scores, k, ties), k, ties=ties, parameter=parameter)


def ua_topk_accuracy(truth: Any, scores: Any, k: int = 1, *, j: int = 1, ties: str = "expectation") -> results.Estimate:
    """Uncertainty-adjusted top-k accuracy: is the most plausible class, or are the j most plausible, among the model's best k?

    Per case ``E_λ 1[top-j(λ) ⊆ C_k]``, C_k the k highest scores; the value is the mean over cases. At j = 1, the default, this is
    ``E_λ 1[argmax λ ∈ C_k]`` [A eq. 8]; at j = k it is :func:`ua_set_accuracy` [A eq. 9].

    Parameters
    ----------
    truth : Point, Dirichlet, Draws, or array (N, K) or (N, draws, K)
        Plausibilities. Cases without annotations are left out and counted.
    scores : (N, K) array
        Higher = better; infinities are allowed, NaN is not.
    k : int
        1 to K.
    j : int
        1 to k: how many of the most plausible classes must be among the model's k [A section 2.4, "assuming j ≤ k"].
    ties : {"expectation", "first"}
        Tied scores and tied plausibilities: expectation over random tie-breaking, or by position. Classes of
        plausibility exactly 0 in a Dirichlet posterior are always taken by expectation.

    Returns
    -------
    Estimate
        In [0, 1]; exact for Point and Dirichlet, with Monte Carlo error for Draws.

    Raises
    ------
    ValueError, TypeError
        If shapes do not fit, a score is NaN, k lies outside 1 to K or j outside 1 to k, or ``ties`` is unknown; if ``truth`` is neither
        plausibilities nor such an array.

    Notes
    -----
    With a one-hot ``Point`` this is ordinary top-k accuracy. It is the expected agreement with a truth drawn from the posterior. It is the
    probability that the true class is among the k only if the model knows nothing about a case beyond its annotations: with π the
    probabilities of the classes to be the most plausible one, a model that is always right gets the mean of Σ π² at k = 1, and no model
    more than the certainty, which takes a copy of the annotations. :func:`accuracy_bounds` has both, and what the accuracy can be.

    References
    ----------
    [A] Stutz et al., "Evaluating AI systems under uncertain ground truth: a case study in dermatology", section 2.4.

    Examples
    --------
    >>> import ugt
    >>> post = ugt.dirichlet(ugt.Labels.from_counts([[6, 2, 0], [1, 1, 3]]), prior=0.5)
    >>> ua = ugt.ua_topk_accuracy(post, [[0.7, 0.2, 0.1], [0.5, 0.3, 0.2]])
    >>> round(ua.value, 4), ua.per_case.round(4), round(ua.draw_std, 4)
    (0.5268, array([0.9213, 0.1323]), 0.2164)

    Both of the two most plausible classes among the model's best three of four:

    >>> round(ugt.ua_topk_accuracy(ugt.Dirichlet.from_array([[6, 3, 1, 1]]), [[0.5, 0.1, 0.3, 0.2]], k=3, j=2).value, 4)
    0.2084
    """
    post = as_plausibilities(truth)
    best = checks.whole("j", j, 1, checks.whole("k", k, 1, post.n_classes))
    return _metric(post, scores, "topk_accuracy", k, ties, float(best))


def ua_set_accuracy(truth: Any, predicted: Any, k: int | None = None, *, ties: str = "expectation") -> results.Estimate:
    r"""Uncertainty-adjusted set accuracy: are the \|C\| most plausible classes exactly the model's set C?

    Per case ``P(top-|C|(λ) = C)`` as sets; the value is the mean over cases [A eq. 9]. ``per_case`` is also the certainty of a given set
    [A eq. 6], whoever gave it: :func:`annotation_certainty` is the highest that any set has.

    Parameters
    ----------
    truth, ties
        As in :func:`ua_topk_accuracy`, errors too.
    predicted : (N, K) array of scores, or sets
        With ``k`` scores: C is the model's best k. Without it given sets, of any size for each case, as in :func:`ua_coverage`.
    k : int, optional
        1 to K.

    Returns
    -------
    Estimate
        In [0, 1], exact as in :func:`ua_topk_accuracy`; of given sets with ``mean_set_size``.

    Notes
    -----
    An empty set has 0, as in :func:`ua_coverage`: it names no class. (By the letter of the formula it has 1, being the best 0 classes; a
    model would gain by saying nothing.)

    Where fewer than \|C\| classes are plausible at all, the rest of the truth's set is a random choice among the others, so
    that the probability is small: prefer :func:`ua_overlap` there.

    Examples
    --------
    >>> import ugt
    >>> post = ugt.dirichlet(ugt.Labels.from_counts([[6, 3, 0], [1, 1, 3]]), prior=0.5)
    >>> ugt.ua_set_accuracy(post, [[0.5, 0.3, 0.2], [0.1, 0.2, 0.7]], k=2).per_case.round(4)
    array([0.9656, 0.4718])
    >>> ugt.ua_set_accuracy(post, [[0, 1], [2]]).per_case.round(4)
    array([0.9656, 0.7354])
    """
    return _of_scores_or_sets(truth, predicted, "set_accuracy", k, ties)


def ua_overlap(truth: Any, predicted: Any, k: int | None = None, *, ties: str = "expectation") -> results.Estimate:
    r"""Uncertainty-adjusted overlap: which share of the \|C\| most plausible classes is in the model's set C?

    Per case ``E_λ |C ∩ top-|C|(λ)| / |C|`` [A eq. 10, 11]; the value is the mean over cases.

    Arguments, errors and range as in :func:`ua_set_accuracy`. An empty set has 0 here too (its share is 0/0). Quantiles over draws are
    exact where all values lie on 720 points from 0 to 1, such as those of sets of up to seven classes.

    Examples
    --------
    >>> import ugt
    >>> post = ugt.dirichlet(ugt.Labels.from_counts([[6, 3, 0], [1, 1, 3]]), prior=0.5)
    >>> round(ugt.ua_overlap(post, [[0.5, 0.1, 0.4], [0.1, 0.2, 0.7]], k=2).value, 4)
    0.6261
    >>> found = ugt.ua_overlap(post, [[0, 2], []])
    >>> found.per_case.round(4), found.mean_set_size
    (array([0.5163, 0.    ]), 1.0)
    """
    return _of_scores_or_sets(truth, predicted, "overlap", k, ties)


def ua_average_overlap(truth: Any, scores: Any, k: int = 3, *, ties: str = "expectation") -> results.Estimate:
    """Uncertainty-adjusted average overlap@k: the mean of the overlaps of the best 1, 2, …, k classes [A eq. 12].

    Arguments, errors and range as in :func:`ua_topk_accuracy`. The value is exact for a Dirichlet posterior; so is its spread over draws,
    unless a case has more than 20,000 possible lists: then the spread is that of 1,000 draws (``per_draw``).

    Examples
    --------
    >>> import ugt
    >>> round(ugt.ua_average_overlap(ugt.dirichlet(ugt.Labels.from_counts([[6, 3, 0]]), prior=0.5), [[0.5, 0.4, 0.1]], k=2).value, 4)
    0.9112
    """
    return _metric(truth, scores, "average_overlap", k, ties)


def ua_rank_biased_overlap(truth: Any, scores: Any, k: int = 3, *, persistence: float = 0.9, ties: str = "expectation") -> results.Estimate:
    """Uncertainty-adjusted rank-biased overlap of the model's and the truth's lists of the best k classes, extrapolated.

    ``E_λ [p^k A_k + (1 - p) Σ_{d≤k} p^(d-1) A_d]`` with the overlap ``A_d = |C_d ∩ top-d(λ)| / d`` and the persistence p, the probability
    that a reader of a list who looks at one class looks at the next: what the deepest overlap would give if it went on for ever
    (Webber, Moffat & Zobel 2010, eq. 32).

    Parameters
    ----------
    truth, scores, k, ties
        As in :func:`ua_topk_accuracy`, errors too.
    persistence : float
        p in (0, 1), else a ValueError. Small: the first class decides; near 1: all k depths count alike.

    Returns
    -------
    Estimate
        In [0, 1], 1 = the same list. For a Dirichlet posterior exact (quantiles over draws to 1/720 of a case), or by 1,000 draws with
        ``mc_error`` where a case has more than 20,000 possible lists.

    References
    ----------
    Webber, Moffat & Zobel, "A similarity measure for indefinite rankings", ACM Transactions on Information Systems 28 (2010) 20.

    Examples
    --------
    >>> import ugt
    >>> round(ugt.ua_rank_biased_overlap([[0.5, 0.3, 0.2, 0.0]], [[0.3, 0.5, 0.2, 0.0]], k=3, persistence=0.5).value, 4)
    0.5
    """
    if not 0 < checks.scalar("persistence", persistence) < 1:
        raise checks.error("persistence", "be a number between 0 and 1", persistence)
    return _metric(truth, scores, "rank_biased_overlap", k, ties, float(persistence))


def ua_kendall_distance(truth: Any, scores: Any, k: int = 3, *, penalty: float = 0.0, ties: str = "expectation") -> results.Estimate:
    """Uncertainty-adjusted Kendall distance between the model's and the truth's lists of the best k classes.

    ``E_λ K^(p)(C_k, top-k(λ)) / (k² + p k (k - 1))``: pairs of classes in opposite orders, where a class beyond its list comes after all in
    it, and pairs of one list that the other lacks altogether count p (Fagin, Kumar & Sivakumar 2003, section 3.1).

    Parameters
    ----------
    truth, scores, k, ties
        As in :func:`ua_topk_accuracy`, errors too.
    penalty : float
        p in [0, 1], else a ValueError; 0 (optimistic) or ½ (neutral) are usual.

    Returns
    -------
    Estimate
        In [0, 1], 0 = the same list. Exact for a Dirichlet posterior, or by 1,000 draws as in :func:`ua_rank_biased_overlap`.

    Examples
    --------
    >>> import ugt
    >>> ugt.ua_kendall_distance([[0.5, 0.3, 0.2, 0.0]], [[0.3, 0.5, 0.2, 0.0]], k=3).value
    0.1111111111111111
    """
    if checks.scalar("penalty", penalty) > 1:
        raise checks.error("penalty", "be a number from 0 to 1", penalty)
    return _metric(truth, scores, "kendall_distance", k, ties, float(penalty))


def ua_weighted_kendall_distance(
    truth: Any, scores: Any, k: int = 3, *, penalty: float = 0.0, ties: str = "expectation"
) -> results.Estimate:
    """Uncertainty-adjusted weighted Kendall distance: classes that the truth ranks high count more.

    As :func:`ua_kendall_distance`, but a pair of classes at ranks r and s of the truth counts ``1/r + 1/s``, where a class beyond the
    truth's best k adds 0 (Shieh 1998, with the additive hyperbolic weights of Vigna 2015). It is divided by its largest value,
    ``(k + p (k - 1)) Σ_{r≤k} 1/r``, that of lists without a common class.

    Arguments, errors, range and exactness as in :func:`ua_kendall_distance`; quantiles over draws to 1/720 of a case.

    Notes
    -----
    With all classes (k = K) and p = 0, ``1 - 2 d k / (k - 1)`` of a distance d is the weighted tau of ``scipy.stats.weightedtau`` with the
    ranks of the truth.

    References
    ----------
    Shieh, "A weighted Kendall's tau statistic", Statistics & Probability Letters 39 (1998) 17-24; Vigna, "A weighted correlation index for
    rankings with ties", WWW 2015, 1166-1176. Both are cited by [A] section 2.4.

    Examples
    --------
    >>> import ugt
    >>> first, last = [[0.3, 0.5, 0.2, 0.0]], [[0.5, 0.2, 0.3, 0.0]]
    >>> [round(ugt.ua_weighted_kendall_distance([[0.5, 0.3, 0.2, 0.0]], scores, k=3).value, 4) for scores in (first, last)]
    [0.2727, 0.1515]
    """
    if checks.scalar("penalty", penalty) > 1:
        raise checks.error("penalty", "be a number from 0 to 1", penalty)
    return _metric(truth, scores, "weighted_kendall_distance", k, ties, float(penalty))


def ua_ndcg(truth: Any, scores: Any, k: int = 3, *, ties: str = "expectation") -> results.Estimate:
    """Uncertainty-adjusted normalised discounted cumulative gain of the model's best k classes.

    ``E_λ [Σ_{r≤k} gain(C_r) / log2(1 + r)] / Σ_{r≤k} (k + 1 - r) / log2(1 + r)``, with C_r the model's class at rank r: the class at rank s
    of the truth gains k + 1 - s, one beyond its best k nothing (Järvelin & Kekäläinen 2002, with the discount 1 / log2(1 + r) from the
    first rank on).

    Arguments, errors and exactness as in :func:`ua_rank_biased_overlap`; in [0, 1], 1 = the same list.

    Notes
    -----
    Gains depend on the order of the truth's classes, not on how plausible they are.

    References
    ----------
    Järvelin & Kekäläinen, "Cumulated gain-based evaluation of IR techniques", ACM Transactions on Information Systems 20 (2002) 422-446; of
    the measures that [A] section 2.4 refers to (Sakai 2013).

    Examples
    --------
    >>> import ugt
    >>> round(ugt.ua_ndcg([[0.5, 0.3, 0.2, 0.0]], [[0.3, 0.5, 0.2, 0.0]], k=3).value, 4)
    0.9225
    """
    return _metric(truth, scores, "ndcg", k, ties)


def ua_footrule_distance(truth: Any, scores: Any, k: int = 3, *, ties: str = "expectation") -> results.Estimate:
    """Uncertainty-adjusted Spearman footrule between the model's and the truth's lists of the best k classes.

    ``E_λ Σ_y |pos(y) - pos_λ(y)| / (k (k + 1))``, with position k + 1 for a class beyond its list (Fagin, Kumar &
    Sivakumar 2003, section 3.3, location k + 1).

    Arguments and errors as in :func:`ua_topk_accuracy`; range and exactness as in :func:`ua_kendall_distance`.

    Examples
    --------
    >>> import ugt
    >>> round(ugt.ua_footrule_distance([[0.5, 0.3, 0.2, 0.0]], [[0.3, 0.5, 0.2, 0.0]], k=3).value, 4)
    0.1667
    """
    return _metric(truth, scores, "footrule_distance", k, ties)


def ua_coverage(truth: Any, sets: Any, *, j: int = 1, ties: str = "expectation") -> results.Estimate:
    """Coverage of given prediction sets: the probability that the most plausible class, or the j most plausible, are in the set.

    Per case ``P(top-j(λ) ⊆ C)``, at j = 1 ``P(argmax λ ∈ C)``; the record also says the mean size of the sets.

    Parameters
    ----------
    truth, ties
        As in :func:`ua_topk_accuracy`.
    sets : (N, K) boolean mask, (N, m) integers, N sequences of class positions or of names of classes, or PredictionSets
        A set may be empty: it covers nothing.
    j : int
        1 to K. A set of fewer than j classes has 0.

    Returns
    -------
    Estimate
        In [0, 1], with ``mean_set_size``.

    Raises
    ------
    ValueError
        If there are not N sets, a class is unknown, out of range or twice in a set, or j lies outside 1 to K.

    Examples
    --------
    >>> import ugt
    >>> post = ugt.dirichlet(ugt.Labels.from_counts([[6, 2, 0], [1, 1, 3]], classes=["eczema", "psoriasis", "tinea"]), prior=0.5)
    >>> covered = ugt.ua_coverage(post, [["eczema"], ["psoriasis", "tinea"]])
    >>> round(covered.value, 4), covered.mean_set_size
    (0.8945, 1.5)
    """
    post = as_plausibilities(truth)
    return _of_sets(post, sets, "topk_accuracy", checks.whole("j", j, 1, post.n_classes), ties)


def _of_scores_or_sets(truth: Any, predicted: Any, name: str, k: int | None, ties: str) -> results.Estimate:
    if k is not None:
        return _metric(truth, predicted, name, k, ties)
    post = as_plausibilities(truth)
    if looks_like_scores(post, predicted):
        raise checks.error("k", "be given with scores (a set of all classes: give sets as a mask)", None)
    return _of_sets(post, predicted, name, 1, ties)


def _of_sets(post: Plausibilities, sets: Any, name: str, j: int, ties: str) -> results.Estimate:
    given, metric = as_sets(sets, post.axes), METRICS[name]
    options: dict[str, Any] = {"metric": metric, "j": j, "ties": checks.option("ties", ties, checks.TIES)}
    again = partial(_of_rows, given, type(post).compare_sets, options)
    return results.estimate(post.compare_sets(given, **options), _mean_size(given, post), made_of=post.made_of, again=again)


def ua_plausibility_mass(truth: Any, sets: Any) -> results.Estimate:
    """Plausibility mass of given prediction sets ("aggregated coverage"): how much plausibility the set holds.

    Per case ``E_λ Σ_{y ∈ C} λ_y``; for a Dirichlet posterior the mass is Beta distributed, mean and variance exact.

    Arguments, errors and range as in :func:`ua_coverage`. Quantiles over draws of a Dirichlet posterior are those of the normal limit.

    Examples
    --------
    >>> import ugt
    >>> mass = ugt.ua_plausibility_mass(ugt.dirichlet(ugt.Labels.from_counts([[6, 2, 0], [1, 1, 3]]), prior=0.5), [[0], [1, 2]])
    >>> round(mass.value, 4), round(mass.draw_std, 4)
    (0.7267, 0.1052)
    """
    post = as_plausibilities(truth)
    given = as_sets(sets, post.axes)
    again = partial(_of_rows, given, type(post).mass, {})
    return results.estimate(post.mass(given), _mean_size(given, post), made_of=post.made_of, again=again)


def _of_rows(given: Sets, compare: Any, options: dict[str, Any], truth: Plausibilities, rows: Int64) -> results.Comparison:
    """The comparison of some of the sets with a truth of as many cases."""
    found: results.Comparison = compare(truth, given.take(rows), **options)
    return found


PARTS = means(*(globals()[one.function] for one in METRICS.values()), ua_coverage, ua_plausibility_mass)
