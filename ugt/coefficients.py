"""Agreement between annotators: percent, kappas, alpha, AC1, AC2 and intraclass correlations, with missing labels and any annotators."""

from __future__ import annotations

from typing import Any

from . import _checks
from ._coefficients import judgements as make
from ._coefficients.icc import KINDS
from ._coefficients.pairs import PairwiseAgreement, pairwise_agreement
from ._coefficients.record import Agreement
from ._coefficients.rows import AgreementTable, agreement_table
from ._coefficients.table import read
from .annotations import Labels, Ratings

__all__ = [
    "Agreement",
    "AgreementTable",
    "PairwiseAgreement",
    "agreement_table",
    "cohen_kappa",
    "fleiss_kappa",
    "gwet_ac1",
    "gwet_ac2",
    "intra_annotator_agreement",
    "intraclass_correlation",
    "krippendorff_alpha",
    "pairwise_agreement",
    "percent_agreement",
    "scott_pi",
]

REPEATED = {
    "percent": lambda judged: make.shared(judged, "none"),
    "fleiss": lambda judged: make.shared(judged, "fleiss"),
    "ac1": lambda judged: make.shared(judged, "gwet"),
}


def percent_agreement(labels: Any, *, weights: Any = None, classes: Any = None) -> Agreement:
    r"""How often two annotators of a case agree.

    With :math:`r_{ik}` of the :math:`r_i` annotators of case i in class k, and weights w (1 for the same class, else 0),

    .. math:: p_a = \frac1{n'} \sum_{i: r_i \ge 2} \sum_{kl} w_{kl} \frac{r_{ik} (r_{il} - [k = l])}{r_i (r_i - 1)}

    Parameters
    ----------
    labels : Labels, or (N, A) table
        Of integers or strings; None or NaN where an annotator gave no label.
    weights : None, "linear", "quadratic" or (K, K) table
        How much two classes agree, in [0, 1], symmetric, 1 for the same class. Linear: ``1 - |k - l| / (K - 1)`` for the classes in
        their order; quadratic: ``1 - (k - l)² / (K - 1)²``.
    classes : number K or sequence of K names, optional
        The label set, for a table; classes that nobody used count. Default: those that occur, sorted.

    Returns
    -------
    Agreement

    Raises
    ------
    TypeError
        If ``labels`` are of another kind.
    ValueError
        If labels are ratings, a class is unknown or ``weights`` are not as they must be.

    Notes
    -----
    The labels that one annotator gave to one case are a single judgement: that two annotators agree is then the mean over the pairs of
    their labels. Cases with fewer than two annotators are left out, and counted.

    References
    ----------
    Gwet, "Handbook of Inter-Rater Reliability" (4th ed., 2014), for any number of annotators.

    Examples
    --------
    >>> found = percent_agreement([["a", "a", "b"], ["b", "b", None], ["a", None, None]])
    >>> round(found.value, 3), found.n_cases, found.left_out
    (0.667, 2, {'case with a single annotator': 1})
    """
    return make.shared(make.labels_of("labels", labels, classes, "labels"), "none", weights)


def cohen_kappa(labels: Any, *, weights: Any = None, annotators: Any = None, classes: Any = None) -> Agreement:
    r"""Cohen's kappa of two annotators, :math:`κ = (p_a - p_e) / (1 - p_e)` with :math:`p_e = \sum_{kl} w_{kl} p_k q_l`.

    Parameters
    ----------
    labels : Labels, or (N, A) table
        As for :func:`percent_agreement`. p and q are the shares of the classes of either annotator in the cases that both labelled.
    weights : None, "linear", "quadratic" or (K, K) table
        As for :func:`percent_agreement`.
    annotators : two ids, optional
        Whose agreement, if there are more than two; columns of a table are 0 to A-1.
    classes : number K or sequence of K names, optional
        As for :func:`percent_agreement`; here it matters for weights only.

    Returns
    -------
    Agreement
        Its standard error is that of Fleiss, Cohen & Everitt.

    Raises
    ------
    TypeError, ValueError
        As for :func:`percent_agreement`; if annotators have no names, or are not two.

    Notes
    -----
    Where both annotators chose a single class, the same, kappa is 0 / 0: the value is 1 by convention, with a reason. Where classes are
    rare kappa is low though annotators nearly always agree: look at ``observed`` and ``prevalence`` beside it.

    References
    ----------
    Cohen, Educational and Psychological Measurement 20 (1960) 37; Psychological Bulletin 70 (1968) 213 (weights).
    Fleiss, Cohen & Everitt, Psychological Bulletin 72 (1969) 323, eq. 13 (standard error).

    Examples
    --------
    >>> found = cohen_kappa([[0, 0], [1, 1], [2, 2], [0, 1], [1, 1], [2, 1]], weights="linear")
    >>> round(found.value, 3), round(found.std_error, 3), found.per_class.round(2)
    (0.571, 0.247, array([0.57, 0.4 , 0.57]))
    """
    return make.two(make.labels_of("labels", labels, classes, "annotators"), annotators, weights, pooled=False)


def scott_pi(labels: Any, *, weights: Any = None, annotators: Any = None, classes: Any = None) -> Agreement:
    r"""Scott's pi of two annotators: kappa with :math:`p_e = \sum_{kl} w_{kl} π_k π_l`, :math:`π_k = (p_k + q_k) / 2`.

    Parameters
    ----------
    labels, weights, annotators, classes
        As for :func:`cohen_kappa`.

    Returns
    -------
    Agreement

    Raises
    ------
    TypeError, ValueError
        As for :func:`cohen_kappa`.

    References
    ----------
    Scott, Public Opinion Quarterly 19 (1955) 321.

    Examples
    --------
    >>> round(scott_pi([[0, 0], [1, 1], [2, 2], [0, 1], [1, 1], [2, 1]]).value, 3)
    0.467
    """
    return make.two(make.labels_of("labels", labels, classes, "annotators"), annotators, weights, pooled=True)


def fleiss_kappa(labels: Any, *, weights: Any = None, classes: Any = None) -> Agreement:
    r"""Fleiss' kappa of any annotators, :math:`κ = (p_a - p_e) / (1 - p_e)` with :math:`p_e = \sum_{kl} w_{kl} π_k π_l`.

    Parameters
    ----------
    labels, weights, classes
        As for :func:`percent_agreement`, which is :math:`p_a`.

    Returns
    -------
    Agreement
        ``per_class`` are Fleiss' kappas of the classes.

    Raises
    ------
    TypeError, ValueError
        As for :func:`percent_agreement`.

    Notes
    -----
    For unequal numbers of annotators this is Gwet's generalisation: :math:`π_k = \frac1n \sum_i r_{ik} / r_i`, in which every case
    counts the same, those with a single annotator too, which are left out of :math:`p_a`. For equal numbers it is Fleiss' own.

    References
    ----------
    Fleiss, Psychological Bulletin 76 (1971) 378, eq. 7 (value), 16 (classes).
    Gwet, "Handbook of Inter-Rater Reliability" (4th ed., 2014), sec. 5.3 (unequal numbers, weights, standard error).

    Examples
    --------
    >>> found = fleiss_kappa(Labels.from_counts([[3, 0], [2, 1], [0, 3], [1, 2]]))
    >>> round(found.value, 3), round(found.observed, 3), round(found.expected, 3)
    (0.333, 0.667, 0.5)
    """
    return make.shared(make.labels_of("labels", labels, classes, "labels"), "fleiss", weights)


def gwet_ac1(labels: Any, *, classes: Any = None) -> Agreement:
    r"""Gwet's AC1, chance-corrected by :math:`p_e = \frac1{K - 1} \sum_k π_k (1 - π_k)`, which stays low where one class is common.

    Parameters
    ----------
    labels, classes
        As for :func:`percent_agreement`. K counts the classes that nobody used.

    Returns
    -------
    Agreement

    Raises
    ------
    TypeError, ValueError
        As for :func:`percent_agreement`.

    Notes
    -----
    π as for :func:`fleiss_kappa`. Defined without variation too, unless the label set has a single class.

    References
    ----------
    Gwet, British Journal of Mathematical and Statistical Psychology 61 (2008) 29, eq. 6 (value), 37 (standard error).

    Examples
    --------
    >>> nearly = [[0, 0]] * 47 + [[0, 1]] * 2 + [[1, 0]]
    >>> round(gwet_ac1(nearly).value, 3), round(cohen_kappa(nearly).value, 3)
    (0.936, -0.027)
    """
    return make.shared(make.labels_of("labels", labels, classes, "labels"), "gwet")


def gwet_ac2(labels: Any, *, weights: Any = "quadratic", classes: Any = None) -> Agreement:
    r"""Gwet's AC2: AC1 with weights, :math:`p_e = \frac{\sum_{kl} w_{kl}}{K (K - 1)} \sum_k π_k (1 - π_k)`.

    Parameters
    ----------
    labels, weights, classes
        As for :func:`percent_agreement`.

    Returns
    -------
    Agreement

    Raises
    ------
    TypeError, ValueError
        As for :func:`percent_agreement`.

    References
    ----------
    Gwet, "Handbook of Inter-Rater Reliability" (4th ed., 2014), sec. 5.4.

    Examples
    --------
    >>> round(gwet_ac2([[0, 0], [1, 2], [2, 2], [0, 1], [1, 1]], weights="linear", classes=3).value, 3)
    0.556
    """
    return make.shared(make.labels_of("labels", labels, classes, "labels"), "gwet", weights, "Gwet's AC2")


def krippendorff_alpha(annotations: Any, level: str = "nominal", *, values: Any = None, classes: Any = None) -> Agreement:
    r"""Krippendorff's alpha, :math:`α = 1 - D_o / D_e`, of any annotators, missing labels, and four kinds of scales.

    :math:`D_o = \frac1n \sum_i \frac1{r_i - 1} \sum_{a \ne b} δ²(x_{ia}, x_{ib})` over the cases with at least two annotators, with n
    judgements in all, and :math:`D_e` the mean of δ² over all pairs of these judgements.

    Parameters
    ----------
    annotations : Labels, Ratings, or (N, A) table
        A table of text or whole numbers holds labels, of other numbers ratings; None or NaN where there is none.
    level : {"nominal", "ordinal", "interval", "ratio"}
        δ² is 1 for different values; the squared difference of mid-ranks among all judgements; of values; or
        ``((x - y) / (x + y))²`` for values that are not negative.
    values : (K,) numbers, optional
        Of the classes of labels. Default: their names if these are numbers; for ordinal scales the order of the classes.
    classes : number K or sequence of K names, optional
        As for :func:`percent_agreement`. Classes that nobody used do not change alpha.

    Returns
    -------
    Agreement
        ``observed`` and ``expected`` are 1 - D, in units of the largest δ² between values in use (for ratios: of 1). ``per_class`` is
        nominal at all levels.

    Raises
    ------
    TypeError, ValueError
        As for the others; if values are missing, not finite, negative for a ratio scale or equal for an ordinal one.

    Notes
    -----
    The labels that one annotator gave to one case are a single judgement, of which each label is an equal share; δ² of two judgements
    is the mean over the pairs of their labels. Without variation (one value throughout) alpha is 0 / 0: the value is 1 by convention,
    with a reason. Time: nominal, ordinal and interval O(labels + K); ratio the pairs of distinct values of a case, and K².

    References
    ----------
    Krippendorff, "Computing Krippendorff's Alpha-Reliability" (2011), sections C and D (values).
    Gwet, "On Krippendorff's alpha coefficient" (2011) (linearisation).

    Examples
    --------
    >>> found = krippendorff_alpha([[1, 1, None], [2, 2, 3], [3, 3, 3], [1, 2, 2]], "interval")
    >>> round(found.value, 3), found.per_class.round(2), found.left_out
    (0.737, array([0.58, 0.29, 0.64]), {})
    """
    return make.alpha(read("annotations", annotations, classes, alike="labels"), level, values)


def intraclass_correlation(ratings: Any, kind: str = "A,1") -> Agreement:
    r"""Intraclass correlation of ratings, from mean squares of an analysis of variance.

    ============  =====================================================================  ============================================
    kind          formula                                                                Shrout & Fleiss
    ============  =====================================================================  ============================================
    ``"1"``       ``(MSR - MSW) / (MSR + (k - 1) MSW)``                                  (1,1) annotators are interchangeable
    ``"A,1"``     ``(MSR - MSE) / (MSR + (k - 1) MSE + k / n (MSC - MSE))``              (2,1) absolute agreement
    ``"C,1"``     ``(MSR - MSE) / (MSR + (k - 1) MSE)``                                  (3,1) consistency: annotators may be offset
    ``"1k"``      ``(MSR - MSW) / MSR``                                                  (1,k) of means over k annotators
    ``"A,k"``     ``(MSR - MSE) / (MSR + (MSC - MSE) / n)``                              (2,k)
    ``"C,k"``     ``(MSR - MSE) / MSR``                                                  (3,k)
    ============  =====================================================================  ============================================

    R between cases, W within cases, C between annotators, E what is left; n cases, k annotators.

    Parameters
    ----------
    ratings : Ratings, Labels with numbers as class names, or (N, A) table
        None or NaN where there is no rating. Several ratings of one annotator in one case are averaged.
    kind : str
        As above.

    Returns
    -------
    Agreement
        Without ``observed``, ``expected`` and what is per class or case. Its analytic interval is that of McGraw & Wong, for normal data;
        of kinds "A,1" and "A,k" it is short where few annotators differ much (91 % instead of 95 % in simulation for 4).

    Raises
    ------
    TypeError, ValueError
        If ratings are no numbers, annotators have no names, or ``kind`` is unknown.

    Notes
    -----
    Missing ratings: kinds "1" and "1k" take all cases, with ``k = (Σ k_i - Σ k_i² / Σ k_i) / (n - 1)`` for unequal numbers; the others
    only cases that all annotators rated (all with at least one rating), and count the rest as left out.

    References
    ----------
    McGraw & Wong, Psychological Methods 1 (1996) 30, tables 4 and 7. Shrout & Fleiss, Psychological Bulletin 86 (1979) 420.

    Examples
    --------
    >>> scores = [[9, 2, 5, 8], [6, 1, 3, 2], [8, 4, 6, 8], [7, 1, 2, 6], [10, 5, 6, 9], [6, 2, 4, 7]]
    >>> [round(intraclass_correlation(scores, kind).value, 2) for kind in ("1", "A,1", "C,1", "1k", "A,k", "C,k")]
    [0.17, 0.29, 0.71, 0.44, 0.62, 0.91]
    """
    _checks.option("kind", kind, KINDS)
    return make.icc(make.ratings_of(ratings), kind)


def intra_annotator_agreement(annotations: Labels | Ratings, coefficient: str = "percent", *, level: str = "nominal") -> Agreement:
    """Agreement of annotators with themselves, where they labelled a case several times.

    Parameters
    ----------
    annotations : Labels or Ratings
        With names of annotators.
    coefficient : {"percent", "fleiss", "ac1", "alpha"}
        Computed as between annotators, with (case, annotator) in the place of a case and its labels in the place of annotators; alpha
        for ratings.
    level : {"nominal", "ordinal", "interval", "ratio"}
        Of alpha.

    Returns
    -------
    Agreement
        With ``per_annotator``: the coefficient on the labels of each, NaN where there are no repeats. ``n_cases`` are cases with repeats;
        resampled are cases (or clusters), with all their annotators.

    Raises
    ------
    TypeError
        If ``annotations`` are neither Labels nor Ratings.
    ValueError
        If an option is unknown, or another coefficient than alpha is asked for ratings.

    Examples
    --------
    >>> labels = Labels.from_long([0, 0, 0, 1, 1, 1], ["ann", "ann", "bob", "ann", "bob", "bob"], [1, 1, 0, 0, 0, 1], classes=2)
    >>> found = intra_annotator_agreement(labels)
    >>> found.value, found.per_annotator, found.n_cases
    (0.5, array([1., 0.]), 2)
    """
    _checks.option("coefficient", coefficient, (*REPEATED, "alpha"))
    alpha = make.alpha_at(level)
    if not isinstance(annotations, (Labels, Ratings)):
        raise TypeError(f"annotations must be Labels or Ratings. Got {type(annotations).__name__}.")
    if isinstance(annotations, Ratings) and coefficient != "alpha":
        raise _checks.error("coefficient", "be 'alpha' for ratings", repr(coefficient))
    return make.intra(annotations, alpha if coefficient == "alpha" else REPEATED[coefficient])
