"""Agreement coefficients of labels, each declared once: name, agreement by chance, and the tables and options that have it."""

from __future__ import annotations

from typing import NamedTuple

from .chances import Chance, CongerChance, GwetChance, UniformChance
from .costs import Cost, Nominal, weighted_of
from .kappas import Shared, Two
from .reading import labels_of, pair_named
from .record import Agreement
from .table import Judgements
from .two_vectors import labels_of_two

__all__ = [
    "brennan_prediger", "cohen_kappa", "conger_kappa", "fleiss_kappa", "gwet_ac1", "gwet_ac2", "percent_agreement", "scott_pi",
]  # fmt: skip


MOST_SEVERAL = 20  # annotators up to which tables show a coefficient of several annotators by name


class Coefficient(NamedTuple):
    """A declared agreement coefficient of labels."""

    title: str  # its name in tables
    chance: Chance | None  # None: not corrected for chance
    word: str = ""  # its name as an option of pairwise_agreement and intra_annotator_agreement
    two: bool = False  # whether it compares two annotators by name
    pairs: bool = True  # whether pairwise_agreement offers it; intra_annotator_agreement does not if `two`
    weighted: bool | None = None  # whether tables of all coefficients show it only with weights, only without, or (None) both

    @property
    def several(self) -> bool:
        """Whether it compares any number of annotators by name."""
        return self.chance is not None and self.chance.by_annotator

    @property
    def alike(self) -> str:
        """Return what alike cases have in common, as in `read`."""
        return "annotators" if self.two or self.several else "labels"

    def tells(self, n_annotators: int) -> bool:
        """Return whether tables show it for this number of annotators with names."""
        return n_annotators == 2 if self.two else 2 < n_annotators <= MOST_SEVERAL if self.several else True

    def form(
        self, judged: Judgements | None, cost: Cost, columns: tuple[int, int] = (0, 1), named: bool = False, n_annotators: int = 0
    ) -> Shared | Two:
        """Return the coefficient as a function of sums over cases; ``columns`` are the two annotators of a coefficient of two.

        A form without judgements needs ``n_annotators``, if it is one of several annotators by name.
        """
        if not self.two:
            return Shared(judged, cost, self.chance, n_annotators)
        assert self.chance is not None
        return Two(judged, columns, named, cost, self.chance)

    def unweighted(self, judged: Judgements) -> Shared | Two:
        """Return the form without weights between classes."""
        return self.form(judged, Nominal(judged.n_classes))

    def of(self, judged: Judgements, weights: object = None, annotators: object = None) -> Agreement:
        cost = weighted_of(weights, judged)
        if self.several:
            judged.check_named()
        columns = pair_named(judged.annotators, annotators) if self.two else (0, 1)
        title = self.title if weights is None else f"{self.title} ({weights if isinstance(weights, str) else 'weighted'})"
        return Agreement.of(title, self.form(judged, cost, columns, annotators is not None))


# The keys are names of functions; the order is that of tables.
DECLARED = {
    "percent_agreement": Coefficient("percent agreement", None, "percent"),
    "cohen_kappa": Coefficient("Cohen's kappa", Chance(pooled=False), "cohen", two=True),
    "scott_pi": Coefficient("Scott's pi", Chance(), "scott", two=True),
    "fleiss_kappa": Coefficient("Fleiss' kappa", Chance(), "fleiss", pairs=False),
    "gwet_ac1": Coefficient("Gwet's AC1", GwetChance(least_classes=2), "ac1", weighted=False),
    "gwet_ac2": Coefficient("Gwet's AC2", GwetChance(least_classes=2), weighted=True),
    "brennan_prediger": Coefficient("Brennan-Prediger", UniformChance(least_classes=2), "bp"),
    "conger_kappa": Coefficient("Conger's kappa", CongerChance()),
}
OF_PAIRS = {one.word: one for one in DECLARED.values() if one.word and one.pairs}
OF_REPEATS = {one.word: one for one in DECLARED.values() if one.word and not one.two}


def _agreement(
    name: str,
    labels: object,
    classes: object,
    weights: object = None,
    annotators: object = None,
    other: object = None,
    frequency: object = None,
    case_weights: object = None,
) -> Agreement:
    """Return the result of the public function of this name."""
    one = DECLARED[name]
    if other is None:
        return one.of(labels_of(labels, classes, one.alike).occurring("labels", frequency, case_weights), weights, annotators)
    judged = labels_of(labels_of_two(labels, other, classes, annotators), None, one.alike)
    judged.stated, judged.stated_by = judged.stated or classes is not None, "classes"
    return one.of(judged, weights)


def percent_agreement(
    labels: object, *, weights: object = None, classes: object = None, frequency: object = None, case_weights: object = None
) -> Agreement:
    r"""Return how often two annotators of a case agree.

    If :math:`r_{ik}` of the :math:`r_i` annotators of case i choose class k, and w are weights (1 for the same class, else 0),

    .. math:: p_a = \frac1{n'} \sum_{i: r_i \ge 2} \sum_{kl} w_{kl} \frac{r_{ik} (r_{il} - [k = l])}{r_i (r_i - 1)}

    Parameters
    ----------
    labels : Labels, or (N, A) table
        Labels as strings, or with ``classes`` as integers; None or NaN where an annotator gave no label. Without ``classes``, integers
        could also be counts, and are refused (use Labels.from_wide or Labels.from_counts).
    weights : None, "linear", "quadratic", "ordinal" or (K, K) table
        Degree of agreement of two classes, in [0, 1], symmetric, 1 for the same class. Linear: ``1 - |k - l| / (K - 1)`` for the classes
        in their order; quadratic: ``1 - (k - l)² / (K - 1)²``; ordinal: ``1 - d (d + 1) / (K (K - 1))`` for ``d = |k - l|``.
        These refuse three or more classes that are texts without a stated order.
    classes : number K or sequence of K names, optional
        The label set of a table, including classes that no annotator used. Default: the classes that occur, sorted.
    frequency : (N,) whole numbers, Series or mapping of case id to number, optional
        How many equal cases each row of counts stands for, at least 0. All numbers and intervals are those of the rows repeated so often.
        Labels of annotators with names are refused.
    case_weights : (N,) numbers of at least 0, Series or mapping of case id to number, optional
        How many cases of a population each sampled case represents, such as N_h / n_h in a stratified sample; only their ratios matter.
        Each case counts by its weight in all sums, and in intervals it is one case, in the ``strata=`` and ``clusters=`` of the sample. Not
        with ``frequency``; ``weights`` are those between classes.

    Returns
    -------
    Agreement

    Raises
    ------
    TypeError, ValueError
        If ``labels`` are of another kind or ratings; if a class is unknown or ``weights`` do not have the form above; if a frequency is
        negative, not whole or missing, or all are 0.

    Notes
    -----
    All labels that one annotator gave to one case are a single judgement: the agreement of two annotators is then the mean over the pairs
    of their labels. Cases with fewer than two annotators are left out and counted.

    References
    ----------
    Gwet, "Handbook of Inter-Rater Reliability" (4th ed., 2014), for any number of annotators.

    Examples
    --------
    >>> found = percent_agreement([["a", "a", "b"], ["b", "b", None], ["a", None, None]])
    >>> round(found.value, 3), found.n_cases, found.left_out
    (0.667, 2, {'case with a single annotator': 1})
    """
    return _agreement("percent_agreement", labels, classes, weights, frequency=frequency, case_weights=case_weights)


def cohen_kappa(
    labels: object, other: object = None, *, weights: object = None, annotators: object = None, classes: object = None
) -> Agreement:
    r"""Return Cohen's kappa of two annotators, :math:`κ = (p_a - p_e) / (1 - p_e)` with :math:`p_e = \sum_{kl} w_{kl} p_k q_l`.

    Parameters
    ----------
    labels : Labels, or (N, A) table
        As for :func:`percent_agreement`. p and q are the two annotators' shares of the classes in the cases that both labelled. With
        ``other``: the labels (N,) of one annotator.
    other : (N,) labels, optional
        The labels of the second annotator. Two Series are joined by their index and two mappings by their keys, where a case of one alone
        is left out and counted; other vectors are joined by position.
    weights : None, "linear", "quadratic", "ordinal" or (K, K) table
        As for :func:`percent_agreement`.
    annotators : two ids, optional
        The two annotators, needed if there are more than two; columns of a table are 0 to A-1.
    classes : number K or sequence of K names, optional
        As for :func:`percent_agreement`; matters only with weights.

    Returns
    -------
    Agreement
        Its standard error is that of Fleiss, Cohen & Everitt.

    Raises
    ------
    TypeError, ValueError
        As for :func:`percent_agreement`; if annotators have no names, or not exactly two are chosen; if two vectors differ in length, or
        no case is in the index of both.

    Notes
    -----
    If both annotators chose the same single class throughout, kappa is 0 / 0: the value is 1 by convention, and ``reason`` says so. If
    a class is rare, kappa can be low although annotators nearly always agree: read ``observed`` and ``prevalence`` with it.

    References
    ----------
    Cohen, Educational and Psychological Measurement 20 (1960) 37; Psychological Bulletin 70 (1968) 213 (weights).
    Fleiss, Cohen & Everitt, Psychological Bulletin 72 (1969) 323, eq. 13 (standard error).

    Examples
    --------
    >>> import ugt
    >>> found = cohen_kappa(ugt.Labels.from_wide([[0, 0], [1, 1], [2, 2], [0, 1], [1, 1], [2, 1]]), weights="linear")
    >>> round(found.value, 3), round(found.std_error, 3), found.per_class.round(2)
    (0.571, 0.247, array([0.57, 0.4 , 0.57]))
    >>> round(cohen_kappa([0, 1, 2, 0, 1, 2], [0, 1, 2, 1, 1, 1], weights="linear").value, 3)
    0.571
    """
    return _agreement("cohen_kappa", labels, classes, weights, annotators, other)


def scott_pi(
    labels: object, other: object = None, *, weights: object = None, annotators: object = None, classes: object = None
) -> Agreement:
    r"""Return Scott's pi of two annotators: kappa with :math:`p_e = \sum_{kl} w_{kl} π_k π_l`, :math:`π_k = (p_k + q_k) / 2`.

    Parameters
    ----------
    labels, other, weights, annotators, classes
        As for :func:`cohen_kappa`; result and errors are the same, too.

    References
    ----------
    Scott, Public Opinion Quarterly 19 (1955) 321.

    Examples
    --------
    >>> import ugt
    >>> round(scott_pi(ugt.Labels.from_wide([[0, 0], [1, 1], [2, 2], [0, 1], [1, 1], [2, 1]])).value, 3)
    0.467
    """
    return _agreement("scott_pi", labels, classes, weights, annotators, other)


def fleiss_kappa(
    labels: object, *, weights: object = None, classes: object = None, frequency: object = None, case_weights: object = None
) -> Agreement:
    r"""Return Fleiss' kappa of any number of annotators, :math:`κ = (p_a - p_e) / (1 - p_e)`, :math:`p_e = \sum_{kl} w_{kl} π_k π_l`.

    Parameters
    ----------
    labels, weights, classes, frequency, case_weights
        As for :func:`percent_agreement`, which is :math:`p_a`; the errors are the same, too.

    Returns
    -------
    Agreement
        ``per_class`` has Fleiss' kappas of the classes.

    Notes
    -----
    For unequal numbers of annotators this is Gwet's generalisation, :math:`π_k = \frac1n \sum_i r_{ik} / r_i`. Every case counts equally
    in π, including cases with a single annotator, which are left out of :math:`p_a`. For equal numbers it is Fleiss' own coefficient.
    Standard errors and intervals differ from Gwet's, who counts all n cases: here, only cases with two annotators are units, since no
    other case shows how annotators agree. Intervals are never narrower than those of these cases alone would be: if all of them agree, one
    more that does not would lower kappa by 1 / (1 - p_e), with p_e from their own classes.

    References
    ----------
    Fleiss, Psychological Bulletin 76 (1971) 378, eq. 7 (value), 16 (classes).
    Gwet, "Handbook of Inter-Rater Reliability" (4th ed., 2014), sec. 5.3 (unequal numbers, weights, standard error).

    Examples
    --------
    >>> import ugt
    >>> found = fleiss_kappa(ugt.Labels.from_counts([[3, 0], [2, 1], [0, 3], [1, 2]]))
    >>> round(found.value, 3), round(found.observed, 3), round(found.expected, 3)
    (0.333, 0.667, 0.5)
    """
    return _agreement("fleiss_kappa", labels, classes, weights, frequency=frequency, case_weights=case_weights)


def conger_kappa(labels: object, *, weights: object = None, classes: object = None) -> Agreement:
    r"""Return Conger's kappa of any number of annotators by name, which is Cohen's kappa of two.

    If :math:`p_{gk}` is the share of class k among the labels of annotator g, of R annotators,

    .. math:: κ = \frac{p_a - p_e}{1 - p_e}, \quad p_e = \frac{1}{R (R - 1)} \sum_{g \ne h} \sum_{kl} w_{kl} p_{gk} p_{hl}

    Parameters
    ----------
    labels, weights, classes
        As for :func:`percent_agreement`, which is :math:`p_a`; result and errors are the same, too. Annotators must have names.

    Notes
    -----
    The more annotators differ in how often they choose a class, the lower is the agreement by chance; :func:`fleiss_kappa` takes them
    for alike. With missing labels this is Gwet's generalisation: all labels of an annotator count in p, also of cases without others. It
    can then be below -1. Units of intervals are those of :func:`fleiss_kappa`. Tables of all coefficients show it for 3 to 20 annotators.

    References
    ----------
    Conger, Psychological Bulletin 88 (1980) 322.
    Gwet, "Handbook of Inter-Rater Reliability" (4th ed., 2014), sec. 2 and 5 (unequal numbers, weights).

    Examples
    --------
    >>> import ugt
    >>> labels = ugt.Labels.from_wide([[0, 0, 1], [0, 0, 0], [1, 1, 1], [0, 1, 1], [0, 0, 1]])
    >>> round(conger_kappa(labels).value, 3), round(fleiss_kappa(labels).value, 3)
    (0.286, 0.196)
    """
    return _agreement("conger_kappa", labels, classes, weights)


def gwet_ac1(labels: object, *, classes: object = None, frequency: object = None, case_weights: object = None) -> Agreement:
    r"""Return Gwet's AC1, with agreement by chance :math:`p_e = \frac1{K - 1} \sum_k π_k (1 - π_k)`, low if one class is common.

    Parameters
    ----------
    labels, classes, frequency, case_weights
        As for :func:`percent_agreement`; result and errors are the same, too. K includes the classes that no annotator used.

    Notes
    -----
    π and the units of intervals are those of :func:`fleiss_kappa`. AC1 is defined without variation, too, unless the label set has a
    single class.

    References
    ----------
    Gwet, British Journal of Mathematical and Statistical Psychology 61 (2008) 29, eq. 6 (value), 37 (standard error).

    Examples
    --------
    >>> import ugt
    >>> nearly = ugt.Labels.from_wide([[0, 0]] * 47 + [[0, 1]] * 2 + [[1, 0]])
    >>> round(gwet_ac1(nearly).value, 3), round(cohen_kappa(nearly).value, 3)
    (0.936, -0.027)
    """
    return _agreement("gwet_ac1", labels, classes, frequency=frequency, case_weights=case_weights)


def gwet_ac2(
    labels: object, *, weights: object = "quadratic", classes: object = None, frequency: object = None, case_weights: object = None
) -> Agreement:
    r"""Return Gwet's AC2, which is AC1 with weights, :math:`p_e = \frac{\sum_{kl} w_{kl}}{K (K - 1)} \sum_k π_k (1 - π_k)`.

    Parameters
    ----------
    labels, weights, classes, frequency, case_weights
        As for :func:`percent_agreement`; result and errors are the same, too.

    References
    ----------
    Gwet, "Handbook of Inter-Rater Reliability" (4th ed., 2014), sec. 5.4.

    Examples
    --------
    >>> round(gwet_ac2([[0, 0], [1, 2], [2, 2], [0, 1], [1, 1]], weights="linear", classes=3).value, 3)
    0.556
    """
    return _agreement("gwet_ac2", labels, classes, weights, frequency=frequency, case_weights=case_weights)


def brennan_prediger(
    labels: object, *, weights: object = None, classes: object = None, frequency: object = None, case_weights: object = None
) -> Agreement:
    r"""Return Brennan and Prediger's coefficient, :math:`p_e = \frac1{K^2} \sum_{kl} w_{kl}`: by chance all classes are equally likely.

    Parameters
    ----------
    labels, weights, classes, frequency, case_weights
        As for :func:`percent_agreement`; result and errors are the same, too. K includes the classes that no annotator used, so name all
        classes. As an option of :func:`pairwise_agreement` and :func:`intra_annotator_agreement` the coefficient is ``"bp"``.

    Notes
    -----
    Without weights :math:`p_e = 1 / K`, whatever annotators choose, so adding classes that no annotator uses raises the coefficient.
    It is a linear function of percent agreement, for two classes :math:`2 p_a - 1`, and so are its standard error and its intervals.

    References
    ----------
    Brennan & Prediger, Educational and Psychological Measurement 41 (1981) 687.
    Gwet, "Handbook of Inter-Rater Reliability" (4th ed., 2014), sec. 4.5 and 5.5 (any annotators, weights, standard error).

    Examples
    --------
    >>> round(brennan_prediger([[0, 0], [1, 2], [2, 2], [0, 1], [1, 1]], classes=3).value, 3)
    0.4
    """
    return _agreement("brennan_prediger", labels, classes, weights, frequency=frequency, case_weights=case_weights)
