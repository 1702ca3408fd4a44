"""Metrics of a model's order of the classes: its best k, as a set or as a list, beside the best of the truth [A 2.4]."""

from __future__ import annotations

from .._base import checks
from ..annotations.joins import tells_joins
from ..plausibilities import as_plausibilities
from ..plausibilities import estimates as results
from ..plausibilities.means import means
from ..plausibilities.metric import METRICS
from .coverage import of_sets, ua_coverage, ua_plausibility_mass
from .given import looks_like_scores, orders_of


def _metric(
    truth: object, scores: object, name: str, k: int, ties: str, parameter: float | None = None, *, frequency: object, case_weights: object
) -> results.Estimate:
    post = as_plausibilities(truth)
    return METRICS[name].of(
        post, orders_of(post, scores, k, ties), k, ties=ties, parameter=parameter, frequency=frequency, case_weights=case_weights
    )


@tells_joins
def ua_topk_accuracy(
    truth: object,
    scores: object,
    k: int = 1,
    *,
    j: int = 1,
    ties: str = "expectation",
    frequency: object = None,
    case_weights: object = None,
) -> results.Estimate:
    """Return how often the k highest scores hold the top class, or all top j classes, of a truth drawn from the posterior.

    This is uncertainty-adjusted (UA) top-k accuracy. The value of a case is ``E_λ 1[top-j(λ) ⊆ C_k]``, with C_k the classes of the k
    highest scores; the value is the mean over cases. At j = 1, the default, it is ``E_λ 1[argmax λ ∈ C_k]`` [A eq. 8]; at j = k it is
    :func:`ua_set_accuracy` [A eq. 9].

    Parameters
    ----------
    truth : Point, Dirichlet, Draws, or array (N, K) or (N, draws, K)
        Plausibilities. Cases without annotations are left out and counted.
    scores : (N, K) array, or table with names
        Scores of the model, higher is better; infinities are allowed, NaN is not. A frame, a mapping or :class:`ugt.Predictions` is joined
        by case id and class name; an array is in the order of the truth.
    k : int
        Number of highest scores that count, 1 to K.
    j : int
        Number of most plausible classes that must all be among the model's k, 1 to k [A section 2.4, "assuming j ≤ k"].
    ties : {"expectation", "first"}
        Rule for tied scores and tied plausibilities: expectation over random tie-breaking, or by position. Classes of
        plausibility exactly 0 in a Dirichlet posterior are always taken by expectation.
    frequency : (N,) whole numbers, Series or mapping of case id to number, optional
        How many equal cases each row f_i stands for, at least 0: the value is ``Σ f x / Σ f``. All numbers and intervals are those of the
        rows repeated so often. Only of Point and Dirichlet truths, without names of annotators.
    case_weights : (N,) numbers of at least 0, Series or mapping of case id to number, optional
        How many cases of a population each sampled case ω_i represents, such as N_h / n_h in a stratified sample; only their ratios
        matter. The value is ``Σ ω x / Σ ω``. In intervals each case is one case, in the ``strata=`` and ``clusters=`` of the sample; a note
        says if one case makes up more than 5% of the weight. Only of Point and Dirichlet truths, and not with ``frequency``.

    Returns
    -------
    Estimate
        The value, in [0, 1]: exact for Point and Dirichlet, with a Monte Carlo error for Draws.

    Raises
    ------
    ValueError, TypeError
        If shapes do not fit, a score is NaN, k lies outside 1 to K or j outside 1 to k, or ``ties`` is unknown; if ``truth`` is neither
        plausibilities nor such an array; if a frequency is negative, not whole or missing, all are 0, or the truth cannot have any.

    Notes
    -----
    With a one-hot ``Point`` this is ordinary top-k accuracy. Otherwise it is agreement, not accuracy: the true accuracy may be higher or
    lower. The two are equal only if the model knows nothing about a case beyond its annotations. Let π be the probabilities of the
    classes to be the most plausible one. At k = 1 a model that is always right gets the mean of Σ π², and no model can exceed the mean
    certainty, which a copy of the annotations reaches. :func:`accuracy_bounds` gives both numbers and bounds of the accuracy.

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

    The two most plausible classes are both among the model's best three of four:

    >>> round(ugt.ua_topk_accuracy(ugt.Dirichlet.from_array([[6, 3, 1, 1]]), [[0.5, 0.1, 0.3, 0.2]], k=3, j=2).value, 4)
    0.2084
    """
    post = as_plausibilities(truth)
    k = checks.whole("k", k, 1, post.n_classes)
    return _metric(
        post, scores, "topk_accuracy", k, ties, float(checks.whole("j", j, 1, k)), frequency=frequency, case_weights=case_weights
    )


@tells_joins
def ua_set_accuracy(
    truth: object,
    predicted: object,
    k: int | None = None,
    *,
    ties: str = "expectation",
    frequency: object = None,
    case_weights: object = None,
) -> results.Estimate:
    r"""Return how often the model's set C is exactly the set of the \|C\| top classes of a truth drawn from the posterior.

    This is uncertainty-adjusted set accuracy [A eq. 9]. The value of a case is ``P(top-|C|(λ) = C)``, compared as sets; the value is the
    mean over cases. ``per_case`` is also the certainty of a given set [A eq. 6]; :func:`annotation_certainty` is the highest certainty
    that any set has.

    Parameters
    ----------
    truth, ties, frequency, case_weights
        As in :func:`ua_topk_accuracy`; the errors are the same, too.
    predicted : (N, K) array of scores, or sets
        With ``k``, scores: C is the model's best k. Without ``k``, given sets of any size for each case, as in :func:`ua_coverage`.
    k : int, optional
        Number of highest scores that make the set, 1 to K.

    Returns
    -------
    Estimate
        The value, in [0, 1], exact as in :func:`ua_topk_accuracy`; for given sets with ``mean_set_size``.

    Notes
    -----
    An empty set has the value 0, as in :func:`ua_coverage`, because it names no class. (The formula gives 1, since the set holds the best
    0 classes; a model would then gain from empty sets.)

    If fewer than \|C\| classes are plausible at all, the rest of the truth's set is a random choice among the others, and the value is
    small. Use :func:`ua_overlap` for such data.

    Examples
    --------
    >>> import ugt
    >>> post = ugt.dirichlet(ugt.Labels.from_counts([[6, 3, 0], [1, 1, 3]]), prior=0.5)
    >>> ugt.metrics.ua_set_accuracy(post, [[0.5, 0.3, 0.2], [0.1, 0.2, 0.7]], k=2).per_case.round(4)
    array([0.9656, 0.4718])
    >>> ugt.metrics.ua_set_accuracy(post, [[0, 1], [2]]).per_case.round(4)
    array([0.9656, 0.7354])
    """
    return _of_scores_or_sets(truth, predicted, "set_accuracy", k, ties, frequency=frequency, case_weights=case_weights)


@tells_joins
def ua_overlap(
    truth: object,
    predicted: object,
    k: int | None = None,
    *,
    ties: str = "expectation",
    frequency: object = None,
    case_weights: object = None,
) -> results.Estimate:
    r"""Return the expected share of the \|C\| top classes of a truth drawn from the posterior that the model's set C holds.

    This is uncertainty-adjusted overlap [A eq. 10, 11]. The value of a case is ``E_λ |C ∩ top-|C|(λ)| / |C|``; the value is the mean over
    cases. Arguments, errors and range are those of :func:`ua_set_accuracy`. An empty set has the value 0 here, too (its share is 0/0).
    Quantiles over draws are exact if all values lie on 720 points from 0 to 1, such as those of sets of up to seven classes.

    Examples
    --------
    >>> import ugt
    >>> post = ugt.dirichlet(ugt.Labels.from_counts([[6, 3, 0], [1, 1, 3]]), prior=0.5)
    >>> round(ugt.metrics.ua_overlap(post, [[0.5, 0.1, 0.4], [0.1, 0.2, 0.7]], k=2).value, 4)
    0.6261
    >>> found = ugt.metrics.ua_overlap(post, [[0, 2], []])
    >>> found.per_case.round(4), found.mean_set_size
    (array([0.5163, 0.    ]), 1.0)
    """
    return _of_scores_or_sets(truth, predicted, "overlap", k, ties, frequency=frequency, case_weights=case_weights)


@tells_joins
def ua_average_overlap(
    truth: object, scores: object, k: int = 3, *, ties: str = "expectation", frequency: object = None, case_weights: object = None
) -> results.Estimate:
    """Return the uncertainty-adjusted average overlap@k: the mean of the overlaps of the best 1, 2, …, k classes [A eq. 12].

    Arguments, errors and range are those of :func:`ua_topk_accuracy`. The value is exact for a Dirichlet posterior. Its spread over draws
    is exact if no case has more than 20,000 possible lists; otherwise the spread is that of 1,000 draws (``per_draw``).

    Examples
    --------
    >>> import ugt
    >>> round(ugt.ua_average_overlap(ugt.dirichlet(ugt.Labels.from_counts([[6, 3, 0]]), prior=0.5), [[0.5, 0.4, 0.1]], k=2).value, 4)
    0.9112
    """
    return _metric(truth, scores, "average_overlap", k, ties, frequency=frequency, case_weights=case_weights)


@tells_joins
def ua_rank_biased_overlap(
    truth: object,
    scores: object,
    k: int = 3,
    *,
    persistence: float = 0.9,
    ties: str = "expectation",
    frequency: object = None,
    case_weights: object = None,
) -> results.Estimate:
    """Return the uncertainty-adjusted rank-biased overlap, extrapolated, of the model's and the truth's lists of the best k classes.

    The value of a case is ``E_λ [p^k A_k + (1 - p) Σ_{d≤k} p^(d-1) A_d]``, with the overlap ``A_d = |C_d ∩ top-d(λ)| / d``. The
    persistence p is the probability that a reader of the list who looks at one class looks at the next. Beyond depth k the overlap is
    taken to stay A_k for ever (Webber, Moffat & Zobel 2010, eq. 32).

    Parameters
    ----------
    truth, scores, k, ties, frequency, case_weights
        As in :func:`ua_topk_accuracy`; the errors are the same, too.
    persistence : float
        p in (0, 1); other numbers raise a ValueError. If p is small, the first class decides; near 1, all k depths count alike.

    Returns
    -------
    Estimate
        The value, in [0, 1], 1 = the same list. It is exact for a Dirichlet posterior (quantiles over draws to 1/720 of a case), or from
        1,000 draws with ``mc_error`` if a case has more than 20,000 possible lists.

    References
    ----------
    Webber, Moffat & Zobel, "A similarity measure for indefinite rankings", ACM Transactions on Information Systems 28 (2010) 20.

    Examples
    --------
    >>> import ugt
    >>> round(ugt.metrics.ua_rank_biased_overlap([[0.5, 0.3, 0.2, 0.0]], [[0.3, 0.5, 0.2, 0.0]], k=3, persistence=0.5).value, 4)
    0.5
    """
    if not 0 < checks.scalar("persistence", persistence) < 1:
        raise checks.error("persistence", "be a number between 0 and 1", persistence)
    return _metric(truth, scores, "rank_biased_overlap", k, ties, float(persistence), frequency=frequency, case_weights=case_weights)


@tells_joins
def ua_kendall_distance(
    truth: object,
    scores: object,
    k: int = 3,
    *,
    penalty: float = 0.0,
    ties: str = "expectation",
    frequency: object = None,
    case_weights: object = None,
) -> results.Estimate:
    """Return the uncertainty-adjusted Kendall distance between the model's and the truth's lists of the best k classes.

    The value of a case is ``E_λ K^(p)(C_k, top-k(λ)) / (k² + p k (k - 1))``. K counts the pairs of classes in opposite orders; a class
    beyond a list comes after all classes in the list. A pair in one list that is missing altogether from the other counts p (Fagin, Kumar
    & Sivakumar 2003, section 3.1).

    Parameters
    ----------
    truth, scores, k, ties, frequency, case_weights
        As in :func:`ua_topk_accuracy`; the errors are the same, too.
    penalty : float
        p in [0, 1]; other numbers raise a ValueError. 0 (optimistic) and ½ (neutral) are usual.

    Returns
    -------
    Estimate
        The value, in [0, 1], 0 = the same list. It is exact for a Dirichlet posterior, or from 1,000 draws as in
        :func:`ua_rank_biased_overlap`.

    Examples
    --------
    >>> import ugt
    >>> ugt.metrics.ua_kendall_distance([[0.5, 0.3, 0.2, 0.0]], [[0.3, 0.5, 0.2, 0.0]], k=3).value
    0.1111111111111111
    """
    if checks.scalar("penalty", penalty) > 1:
        raise checks.error("penalty", "be a number from 0 to 1", penalty)
    return _metric(truth, scores, "kendall_distance", k, ties, float(penalty), frequency=frequency, case_weights=case_weights)


@tells_joins
def ua_weighted_kendall_distance(
    truth: object,
    scores: object,
    k: int = 3,
    *,
    penalty: float = 0.0,
    ties: str = "expectation",
    frequency: object = None,
    case_weights: object = None,
) -> results.Estimate:
    """Return the uncertainty-adjusted weighted Kendall distance, in which classes that the truth ranks high count more.

    It differs from :func:`ua_kendall_distance` in that a pair of classes at ranks r and s of the truth counts ``1/r + 1/s``; a class
    beyond the truth's best k adds 0 (Shieh 1998, with the additive hyperbolic weights of Vigna 2015). It is divided by its largest value,
    ``(k + p (k - 1)) Σ_{r≤k} 1/r``, which lists without a common class have.

    Arguments, errors, range and exactness are those of :func:`ua_kendall_distance`; quantiles over draws are exact to 1/720 of a case.

    Notes
    -----
    With all classes (k = K) and p = 0, a distance d gives ``1 - 2 d k / (k - 1)``, the weighted tau of ``scipy.stats.weightedtau`` with
    the ranks of the truth.

    References
    ----------
    Shieh, "A weighted Kendall's tau statistic", Statistics & Probability Letters 39 (1998) 17-24; Vigna, "A weighted correlation index for
    rankings with ties", WWW 2015, 1166-1176. [A] cites both in section 2.4.

    Examples
    --------
    >>> import ugt
    >>> first, last = [[0.3, 0.5, 0.2, 0.0]], [[0.5, 0.2, 0.3, 0.0]]
    >>> [round(ugt.papers.ua_weighted_kendall_distance([[0.5, 0.3, 0.2, 0.0]], scores, k=3).value, 4) for scores in (first, last)]
    [0.2727, 0.1515]
    """
    if checks.scalar("penalty", penalty) > 1:
        raise checks.error("penalty", "be a number from 0 to 1", penalty)
    return _metric(truth, scores, "weighted_kendall_distance", k, ties, float(penalty), frequency=frequency, case_weights=case_weights)


@tells_joins
def ua_ndcg(
    truth: object, scores: object, k: int = 3, *, ties: str = "expectation", frequency: object = None, case_weights: object = None
) -> results.Estimate:
    """Return the uncertainty-adjusted normalised discounted cumulative gain of the model's best k classes.

    The value of a case is ``E_λ [Σ_{r≤k} gain(C_r) / log2(1 + r)] / Σ_{r≤k} (k + 1 - r) / log2(1 + r)``, with C_r the model's class at
    rank r. The class at rank s of the truth gains k + 1 - s, and a class beyond the truth's best k gains 0 (Järvelin & Kekäläinen 2002,
    with the discount 1 / log2(1 + r) from the first rank on).

    Arguments, errors and exactness are those of :func:`ua_rank_biased_overlap`. The value lies in [0, 1], 1 = the same list.

    Notes
    -----
    Gains depend on the order of the truth's classes only, whatever their plausibilities.

    References
    ----------
    Järvelin & Kekäläinen, "Cumulated gain-based evaluation of IR techniques", ACM Transactions on Information Systems 20 (2002) 422-446:
    one of the measures that [A] section 2.4 refers to (Sakai 2013).

    Examples
    --------
    >>> import ugt
    >>> round(ugt.papers.ua_ndcg([[0.5, 0.3, 0.2, 0.0]], [[0.3, 0.5, 0.2, 0.0]], k=3).value, 4)
    0.9225
    """
    return _metric(truth, scores, "ndcg", k, ties, frequency=frequency, case_weights=case_weights)


@tells_joins
def ua_footrule_distance(
    truth: object, scores: object, k: int = 3, *, ties: str = "expectation", frequency: object = None, case_weights: object = None
) -> results.Estimate:
    """Return the uncertainty-adjusted Spearman footrule distance between the model's and the truth's lists of the best k classes.

    The value of a case is ``E_λ Σ_y |pos(y) - pos_λ(y)| / (k (k + 1))``, with position k + 1 for a class beyond a list (Fagin, Kumar &
    Sivakumar 2003, section 3.3, location k + 1).

    Arguments and errors are those of :func:`ua_topk_accuracy`, range and exactness those of :func:`ua_kendall_distance`.

    Examples
    --------
    >>> import ugt
    >>> round(ugt.papers.ua_footrule_distance([[0.5, 0.3, 0.2, 0.0]], [[0.3, 0.5, 0.2, 0.0]], k=3).value, 4)
    0.1667
    """
    return _metric(truth, scores, "footrule_distance", k, ties, frequency=frequency, case_weights=case_weights)


def _of_scores_or_sets(
    truth: object, predicted: object, name: str, k: int | None, ties: str, *, frequency: object, case_weights: object
) -> results.Estimate:
    if k is not None:
        return _metric(truth, predicted, name, k, ties, frequency=frequency, case_weights=case_weights)
    post = as_plausibilities(truth)
    if looks_like_scores(post, predicted):
        raise checks.error("k", "be given with scores (for sets of all classes, give a boolean mask)", None)
    return of_sets(post, predicted, name, 1, ties, frequency, case_weights)


PARTS = means(*(globals()[one.function] for one in METRICS.values()), ua_coverage, ua_plausibility_mass)
