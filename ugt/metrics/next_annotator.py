"""Agreement of a model with one more annotator, next to the agreement of annotators with each other."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from .._base.arrays import Array, Int64, NDArray
from .._base.checks import instance, room
from .._base.ragged import distinct, row_of, take
from .._core import _tables
from ..annotations import Labels, Rankings
from ..annotations.adjudication import drawn_alike
from ..annotations.first_choices import FirstChoices, first_choices
from ..annotations.joins import tells_joins
from ..annotations.other_annotators import one_of_each, only
from ..plausibilities.estimates import NO_ANNOTATIONS
from ..resampling import Panel, Ratios, Result
from ..resampling.counted import CountedQuotient
from ..resampling.frequencies import check_counts, frequency_of
from ..resampling.panels import Panels
from ..resampling.ratios import over
from .given import orders_of


@dataclass(frozen=True, eq=False, repr=False)
class NextAnnotatorAgreement(Result):
    """The agreement of a model with one more annotator. :meth:`interval` takes ``model``, ``annotators`` or ``difference``.

    Attributes
    ----------
    value : float
        ``model``: how often an annotator, drawn from those of a case, chose the model's first choice; mean over cases.
    annotators : float
        How often two annotators of a case chose the same class; mean over the cases with two or more annotators.
    difference : float
        The model's agreement less the annotators' agreement, over the cases with two or more annotators.
    per_case : (N,) array
        The model's agreement in each case; NaN for a case without annotations.
    n_cases, left_out : int, mapping
        Cases counted, and cases left out by reason.

    Examples
    --------
    >>> import ugt
    >>> labels = ugt.Labels.from_counts([[3, 1], [0, 2], [1, 0]])
    >>> found = ugt.metrics.next_annotator_agreement(labels, [[0.8, 0.2], [0.6, 0.4], [0.9, 0.1]])
    >>> found.per_case, round(found.annotators, 3), round(found.difference, 3)
    (array([0.75, 0.  , 1.  ]), 0.75, -0.375)
    """

    value: float
    annotators: float
    difference: float
    per_case: Any
    n_cases: int
    left_out: Mapping[str, int] = field(default_factory=dict)
    _statistic: Any = field(default=None, repr=False)


@tells_joins
def next_annotator_agreement(
    annotations: Labels | Rankings, scores: object, *, ties: str = "expectation", frequency: object = None
) -> NextAnnotatorAgreement:
    r"""Return the agreement of a model's first choice with one more annotator, and that of annotators with each other.

    Let a case have n annotators, ``s_a(k)`` be the share of class k in the choice of annotator a (1 for a single label), and C be the
    model's first choice. The case contributes ``Σ_a s_a(C) / n`` to the model's agreement. To the annotators' agreement it contributes
    ``Σ_{a ≠ b} Σ_k s_a(k) s_b(k) / (n (n - 1))``, which for n_k single labels is ``Σ_k n_k (n_k - 1) / (n (n - 1))``. Both are unbiased
    for another annotator like these if the model has not seen the annotations; they need no prior and no assumption on the true class.

    Parameters
    ----------
    annotations : Labels or Rankings
        Annotations of N cases. Of each ranking the first block counts, with equal shares for its classes.
    scores : (N, K) array, or table with names
        Scores of the model, higher is better; infinities are allowed, NaN is not.
    ties : {"expectation", "first"}
        Rule for tied scores: expectation over random tie-breaking, or by position.
    frequency : (N,) whole numbers, Series or mapping of case id to number, optional
        How many equal cases each row of counts stands for, as in :func:`ua_topk_accuracy`.

    Returns
    -------
    NextAnnotatorAgreement

    Raises
    ------
    TypeError
        If annotations are neither labels nor rankings.
    ValueError
        If scores do not fit, or one is NaN; if frequencies are negative, not whole or missing, or beside annotators with names.

    Notes
    -----
    Agreement is not correctness: a model that agrees with annotators better than they do with each other may have learnt the errors that
    they share. A case with one annotation does not count for the agreement of annotators.

    Examples
    --------
    >>> import ugt
    >>> labels = ugt.Labels.from_wide([["a", "a", "b"], ["b", "b", "b"]])
    >>> round(ugt.metrics.next_annotator_agreement(labels, [[0.7, 0.3], [0.2, 0.8]]).value, 4)
    0.8333
    """
    instance("annotations", annotations, (Labels, Rankings), "be Labels or Rankings")
    if isinstance(annotations, Labels):
        annotations = drawn_alike(annotations)
    room("agreement with annotators", 32.0 * annotations.n_cases * annotations.n_classes)
    one = NextAgreement(annotations, orders_of(annotations, scores, 1, ties).sets(1).membership(1))
    if frequency is not None:
        check_counts("annotations", annotations)
        one.times = frequency_of(frequency, one.n_cases, annotations.axes.case_ids)
    counted, of_all = one.n_counted, one.number_of(np.ones(one.n_cases, bool))
    left_out = {NO_ANNOTATIONS: of_all - counted} if counted < of_all else {}
    value, among, difference = (float(number) for number in one.estimate)
    model = np.where(one.kept, one.columns[:, 0], np.nan)
    return NextAnnotatorAgreement(value, among, difference, model, counted, left_out, one)


class NextAgreement(Ratios):
    """The agreement of first choices (N, K) with an annotator, that of annotators, and the difference in cases with two annotators."""

    def __init__(self, annotations: Labels | Rankings, chosen: Array) -> None:
        self.annotations, self.chosen, self.case_ids = annotations, chosen, annotations.axes.ids_or_none
        *_, hits, pairs, n = self._read()
        super().__init__(_columns(hits, pairs, n), np.array([0, 1, 1]), ("model", "annotators", "difference"))
        self.compact()

    def _read(self) -> tuple[FirstChoices, Array, Array, Array, Array]:
        """Return the first choices of annotators, their sums (N, K), and of each case the hits, agreeing pairs, and annotators."""
        n_cases, n_classes = self.chosen.shape
        found = first_choices(self.annotations)
        weight = found.share * found.times
        total = np.bincount(found.case * n_classes + found.label, weight, n_cases * n_classes)
        said: Array = np.asarray(total, np.float64).reshape(n_cases, n_classes)
        pairs = (said**2).sum(axis=1) - np.bincount(found.case, found.share * weight, n_cases)
        return found, said, (said * self.chosen).sum(axis=1), pairs, found.n_opinions(n_cases)

    @property
    def _spans(self) -> Array:
        return np.array([[0.0, 1.0], [0.0, 1.0], [-np.inf, np.inf]])

    @property
    def panel(self) -> Panel:
        found = super().panel
        if not len(self.annotations.annotators):
            return found
        return found._replace(annotations=lambda: self.annotations, judged_by=self._judged_by, counted=self._counted)

    def _judged_by(self, annotators: NDArray[Any]) -> NextAgreement:
        return NextAgreement(only(self.annotations, annotators), self.chosen)

    def _counted(self, number: int) -> CountedQuotient | None:
        """Return a number as a function of counts."""
        labels = self.annotations
        if not isinstance(labels, Labels) or not len(labels.label) or labels.count.max() > 1 or not one_of_each(labels):
            return None  # labels of one annotator share an opinion
        alike, of = [(self._alike, self._of_counts), (self._none, self._of_pairs), (self._alike, self._of_difference)][number]
        return CountedQuotient(labels, None, alike, of, pairs=number > 0)

    def _alike(self) -> Int64:
        return _tables.factorize(np.ascontiguousarray(self.chosen).view(np.uint8))[0].astype(np.int64)

    def _none(self) -> Int64:
        """Return codes of predictions of which a number is no function."""
        return np.zeros(len(self.chosen), np.int64)

    def _of_counts(self, panels: Panels, counts: Int64, case: Int64) -> Array:
        offsets, index, count = panels.counts.class_counts()
        sizes, at = take(offsets, counts)
        of = row_of(sizes)
        total, hits = (np.bincount(of, weight, len(counts)) for weight in (count[at], count[at] * self.chosen[case[of], index[at]]))
        return np.stack([over(hits, np.maximum(total, 1)), total > 0], axis=1)

    @staticmethod
    def _of_pairs(panels: Panels, counts: Int64, case: Int64) -> Array:
        """Return the share of agreeing pairs of different annotators, and whether there is such a pair."""
        offsets, _, count = panels.counts.class_counts()
        sizes, at = take(offsets, counts)
        of = row_of(sizes)
        total, agreeing = (np.bincount(of, weight, len(counts)) for weight in (count[at], count[at].astype(np.float64) ** 2))
        same = panels.squares[counts]
        pairs = total**2 - same
        return np.stack([np.where(pairs > 0, agreeing - same, 0.0) / np.maximum(pairs, 1), pairs > 0], axis=1)

    def _of_difference(self, panels: Panels, counts: Int64, case: Int64) -> Array:
        model, annotators = self._of_counts(panels, counts, case), self._of_pairs(panels, counts, case)
        two = annotators[:, 1]
        return np.stack([two * (model[:, 0] - annotators[:, 0]), two], axis=1)

    def _without_pairs(self) -> tuple[Int64, Int64, Array]:
        """Return case, annotator and the case's contributions without this annotator, one row per opinion."""
        found, said, hits_of_case, pairs, n = self._read()
        first, of = distinct(found.opinion)
        case = found.case[first]
        hits, shared, alone = (
            np.bincount(of, found.share * with_, len(case))
            for with_ in (self.chosen[found.case, found.label], said[found.case, found.label], found.share)
        )
        left = pairs[case] - 2 * (shared - alone)
        return case, found.annotator[first], _columns(hits_of_case[case] - hits, left, n[case] - 1)


def _columns(hits: Array, pairs: Array, n: Array) -> Array:
    """Return the (N, 5) contributions from sums over the n annotators of each case and over their ordered pairs."""
    one, two = n > 0, n > 1
    model, annotators = hits / np.maximum(n, 1), np.where(two, pairs / np.maximum(n * (n - 1), 1), 0.0)
    return np.stack([np.where(one, model, 0.0), annotators, np.where(two, model - annotators, 0.0), one, two], axis=1)
