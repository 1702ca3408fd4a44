"""Agreement coefficients of labels, each declared once: its name, what agrees by chance, and where it stands."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from .._base import checks, identifiers
from .._base.arrays import Array
from ..annotations import Ratings
from .costs import Chance, Cost, Nominal, weighted
from .kappas import Shared, Two
from .record import Agreement
from .table import Judgements, read

__all__ = ["brennan_prediger", "cohen_kappa", "fleiss_kappa", "gwet_ac1", "gwet_ac2", "percent_agreement", "scott_pi"]


class Coefficient(NamedTuple):
    """A coefficient of labels."""

    title: str  # what tables call it
    chance: Chance | None  # None: not corrected
    word: str = ""  # as an option of pairwise_agreement and intra_annotator_agreement
    two: bool = False  # whether it is of two annotators by name
    pairs: bool = True  # whether it is told of pairs of annotators; one of two by name is not told of repeats
    weighted: bool | None = None  # in tables of all coefficients only with weights, only without, or both

    def form(self, judged: Judgements | None, cost: Cost, columns: tuple[int, int] = (0, 1), named: bool = False) -> Shared | Two:
        """As a function of sums over cases; of two annotators those in two columns, whether or not they were named."""
        if not self.two:
            return Shared(judged, cost, self.chance)
        assert self.chance is not None
        return Two(judged, columns, named, cost, self.chance)

    def unweighted(self, judged: Judgements) -> Shared | Two:
        """The same without weights."""
        return self.form(judged, Nominal(judged.n_classes))

    def of(self, judged: Judgements, weights: Any = None, annotators: Any = None) -> Agreement:
        cost = weighted(weights, judged.n_classes)
        columns = pair_named(judged.annotators, annotators) if self.two else (0, 1)
        title = self.title if weights is None else f"{self.title} ({weights if isinstance(weights, str) else 'weighted'})"
        return Agreement.of(title, self.form(judged, cost, columns, annotators is not None))


class GwetChance(Chance):
    """The less, the more one class is common."""

    def _expected(self, cost: Cost, p: Array, q: Array) -> Array:
        return np.asarray(1 - self._scale(cost) * (1 - (p * q).sum(axis=1)))

    def _slopes(self, cost: Cost, p: Array, q: Array) -> tuple[Array, Array]:
        scale = self._scale(cost)
        return scale * q, scale * p

    def _scale(self, cost: Cost) -> float:
        """Σ w / (K (K - 1))."""
        k, ones = cost.n_classes, np.ones((1, cost.n_classes))
        return float(k * k - cost.bilinear(ones, ones)[0]) / (k * (k - 1)) if k > 1 else 0.0


class UniformChance(Chance):
    """All classes alike."""

    def _expected(self, cost: Cost, p: Array, q: Array) -> Array:
        alike = np.full((1, cost.n_classes), 1 / cost.n_classes)
        return np.repeat(cost.bilinear(alike, alike), len(p))

    def _slopes(self, cost: Cost, p: Array, q: Array) -> tuple[Array, Array]:
        return np.zeros_like(p), np.zeros_like(q)


# By the name of the function, in the order of tables.
DECLARED = {
    "percent_agreement": Coefficient("percent agreement", None, "percent"),
    "cohen_kappa": Coefficient("Cohen's kappa", Chance(pooled=False), "cohen", two=True),
    "scott_pi": Coefficient("Scott's pi", Chance(), "scott", two=True),
    "fleiss_kappa": Coefficient("Fleiss' kappa", Chance(), "fleiss", pairs=False),
    "gwet_ac1": Coefficient("Gwet's AC1", GwetChance(least_classes=2), "ac1", weighted=False),
    "gwet_ac2": Coefficient("Gwet's AC2", GwetChance(least_classes=2), weighted=True),
    "brennan_prediger": Coefficient("Brennan-Prediger", UniformChance(least_classes=2), "bp"),
}
OF_PAIRS = {one.word: one for one in DECLARED.values() if one.word and one.pairs}
OF_REPEATS = {one.word: one for one in DECLARED.values() if one.word and not one.two}


def _agreement(name: str, labels: Any, classes: Any, weights: Any = None, annotators: Any = None) -> Agreement:
    """What the function of this name finds."""
    one = DECLARED[name]
    return one.of(labels_of(labels, classes, "annotators" if one.two else "labels"), weights, annotators)


def labels_of(given: Any, classes: Any, alike: str | None = None) -> Judgements:
    """Judgements of labels."""
    if isinstance(given, Ratings):
        raise TypeError("labels must be Labels or a table of labels, cases x annotators. Got Ratings.")
    return read("labels", given, classes, ratings=False, alike=alike)


def pair_named(names: Any, annotators: Any, may_lack: bool = False) -> tuple[int, int]:
    """Positions of the two annotators among all; ``may_lack``: -1 for one that is not among them."""
    if len(names) == 0:
        raise checks.error("labels", "name their annotators", "counts")
    if annotators is None:
        if len(names) != 2:
            raise checks.error("annotators", "name two, where labels are not of two annotators", f"None, and {len(names)} annotators")
        return 0, 1
    pair = identifiers.distinct("annotators", annotators)
    if len(pair) != 2:
        raise checks.error("annotators", "be two", len(pair))
    position = identifiers.lookup(names, pair)
    if (position < 0).any() and not (may_lack and identifiers.is_text(names) == identifiers.is_text(pair)):
        j = int((position < 0).argmax())
        raise checks.error("annotators", "be among those of labels", identifiers.name(pair[j]), f"position {j}")
    return int(position[0]), int(position[1])


def percent_agreement(labels: Any, *, weights: Any = None, classes: Any = None) -> Agreement:
    r"""How often two annotators of a case agree.

    With :math:`r_{ik}` of the :math:`r_i` annotators of case i in class k, and weights w (1 for the same class, else 0),

    .. math:: p_a = \frac1{n'} \sum_{i: r_i \ge 2} \sum_{kl} w_{kl} \frac{r_{ik} (r_{il} - [k = l])}{r_i (r_i - 1)}

    Parameters
    ----------
    labels : Labels, or (N, A) table
        Of integers or strings; None or NaN where an annotator gave no label. A table of integers without a gap may be counts as well:
        it is refused unless ``classes`` are given (say Labels.from_wide or Labels.from_counts).
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
    TypeError, ValueError
        If ``labels`` are of another kind; if labels are ratings, a class is unknown or ``weights`` are not as they must be.

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
    return _agreement("percent_agreement", labels, classes, weights)


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
    >>> import ugt
    >>> found = cohen_kappa(ugt.Labels.from_wide([[0, 0], [1, 1], [2, 2], [0, 1], [1, 1], [2, 1]]), weights="linear")
    >>> round(found.value, 3), round(found.std_error, 3), found.per_class.round(2)
    (0.571, 0.247, array([0.57, 0.4 , 0.57]))
    """
    return _agreement("cohen_kappa", labels, classes, weights, annotators)


def scott_pi(labels: Any, *, weights: Any = None, annotators: Any = None, classes: Any = None) -> Agreement:
    r"""Scott's pi of two annotators: kappa with :math:`p_e = \sum_{kl} w_{kl} π_k π_l`, :math:`π_k = (p_k + q_k) / 2`.

    Parameters
    ----------
    labels, weights, annotators, classes
        As for :func:`cohen_kappa`, which says, too, what is returned and raised.

    References
    ----------
    Scott, Public Opinion Quarterly 19 (1955) 321.

    Examples
    --------
    >>> import ugt
    >>> round(scott_pi(ugt.Labels.from_wide([[0, 0], [1, 1], [2, 2], [0, 1], [1, 1], [2, 1]])).value, 3)
    0.467
    """
    return _agreement("scott_pi", labels, classes, weights, annotators)


def fleiss_kappa(labels: Any, *, weights: Any = None, classes: Any = None) -> Agreement:
    r"""Fleiss' kappa of any annotators, :math:`κ = (p_a - p_e) / (1 - p_e)` with :math:`p_e = \sum_{kl} w_{kl} π_k π_l`.

    Parameters
    ----------
    labels, weights, classes
        As for :func:`percent_agreement`, which is :math:`p_a`, and which says, too, what is raised.

    Returns
    -------
    Agreement
        ``per_class`` are Fleiss' kappas of the classes.

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
    >>> import ugt
    >>> found = fleiss_kappa(ugt.Labels.from_counts([[3, 0], [2, 1], [0, 3], [1, 2]]))
    >>> round(found.value, 3), round(found.observed, 3), round(found.expected, 3)
    (0.333, 0.667, 0.5)
    """
    return _agreement("fleiss_kappa", labels, classes, weights)


def gwet_ac1(labels: Any, *, classes: Any = None) -> Agreement:
    r"""Gwet's AC1, chance-corrected by :math:`p_e = \frac1{K - 1} \sum_k π_k (1 - π_k)`, which stays low where one class is common.

    Parameters
    ----------
    labels, classes
        As for :func:`percent_agreement`, which says, too, what is returned and raised. K counts the classes that nobody used.

    Notes
    -----
    π as for :func:`fleiss_kappa`. Defined without variation too, unless the label set has a single class.

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
    return _agreement("gwet_ac1", labels, classes)


def gwet_ac2(labels: Any, *, weights: Any = "quadratic", classes: Any = None) -> Agreement:
    r"""Gwet's AC2: AC1 with weights, :math:`p_e = \frac{\sum_{kl} w_{kl}}{K (K - 1)} \sum_k π_k (1 - π_k)`.

    Parameters
    ----------
    labels, weights, classes
        As for :func:`percent_agreement`, which says, too, what is returned and raised.

    References
    ----------
    Gwet, "Handbook of Inter-Rater Reliability" (4th ed., 2014), sec. 5.4.

    Examples
    --------
    >>> round(gwet_ac2([[0, 0], [1, 2], [2, 2], [0, 1], [1, 1]], weights="linear", classes=3).value, 3)
    0.556
    """
    return _agreement("gwet_ac2", labels, classes, weights)


def brennan_prediger(labels: Any, *, weights: Any = None, classes: Any = None) -> Agreement:
    r"""Brennan and Prediger's coefficient, chance-corrected by :math:`p_e = \frac1{K^2} \sum_{kl} w_{kl}`: by chance all classes are alike.

    Parameters
    ----------
    labels, weights, classes
        As for :func:`percent_agreement`, which says, too, what is returned and raised. K counts the classes that nobody used: name them.
        As an option of :func:`pairwise_agreement` and :func:`intra_annotator_agreement` the coefficient is ``"bp"``.

    Notes
    -----
    Without weights :math:`p_e = 1 / K`, whatever annotators choose: the coefficient rises with classes that are there and never used.

    References
    ----------
    Brennan & Prediger, Educational and Psychological Measurement 41 (1981) 687.
    Gwet, "Handbook of Inter-Rater Reliability" (4th ed., 2014), sec. 4.5 and 5.5 (any annotators, weights, standard error).

    Examples
    --------
    >>> round(brennan_prediger([[0, 0], [1, 2], [2, 2], [0, 1], [1, 1]], classes=3).value, 3)
    0.4
    """
    return _agreement("brennan_prediger", labels, classes, weights)
