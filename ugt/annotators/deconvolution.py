"""The disagreement deconvolution, which removes the noise of single annotators from labels."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from .._base import identifiers
from .._base.arrays import Array, Bools, Int64, NDArray
from .._base.checks import error, room, scalar
from .._base.ragged import offsets_of, row_of
from .._base.records import Record
from ..annotations import Axes, Labels
from ..annotations.bare import check_bare
from ..annotations.other_annotators import only
from ..plausibilities import Point
from ..plausibilities.made_of import MadeOf
from ..resampling import Linear, Panel, Result, over

NO_LABELS = "case without annotations"
ROUNDING = 1e-12


def _units(case: Int64, annotator: NDArray[Any]) -> tuple[Int64, Int64]:
    """Return (U, 2) the pairs of a case and an annotator, and (R,) the pair of each label."""
    width = int(annotator.max(initial=0)) + 1
    unit, at = np.unique(case * width + annotator, return_inverse=True)
    return np.stack(np.divmod(unit, width), axis=1), at.astype(np.int64)


class Flips(Linear):
    """The statistic of the flip rate f of K classes: annotators agree with themselves at a rate of (1 - f)² + f² / (K - 1)."""

    def __init__(self, labels: Labels) -> None:
        self.labels, self.n_cases, self.case_ids, self.n_classes = labels, labels.n_cases, labels.axes.case_ids, labels.n_classes
        self.columns, self.who = np.zeros((labels.n_cases, 2)), np.empty(0, np.int64)
        if len(labels.annotators):
            unit, at = _units(row_of(labels.offsets), labels.annotator)
            counts = np.zeros((len(unit), labels.n_classes))
            np.add.at(counts, (at, labels.label), labels.count)
            n = counts.sum(axis=1)
            unit, counts, n = unit[n >= 2], counts[n >= 2], n[n >= 2]
            differ = 1 - (counts * (counts - 1)).sum(axis=1) / (n * (n - 1))
            np.add.at(self.columns, unit[:, 0], np.stack([differ, np.ones(len(n))], axis=1))
            self.who = unit[:, 1]
        self.span = (0.0, 1 - 1 / labels.n_classes)

    def _root(self, sums: Array) -> Array:
        with np.errstate(invalid="ignore", divide="ignore"):
            return np.sqrt(np.maximum(1 - sums[:, :1] / sums[:, 1:] / self.span[1], 0))

    def answer(self, sums: Array) -> Array:
        """Return the (B, 1) flip rates; the largest rate if annotators agree with themselves less than by chance."""
        return self.span[1] * (1 - self._root(sums))

    def influence(self) -> Array:
        """Return the (N, 1) derivatives of the flip rate by the weights of the cases."""
        total = self.columns.sum(axis=0)[None]
        own = over(self.columns[:, :1] - over(total[:, :1], total[:, 1:]) * self.columns[:, 1:], total[:, 1:])
        return over(own, 2 * self._root(total))

    @property
    def kept(self) -> Bools:
        """(N,) whether an annotator labelled the case twice."""
        return np.asarray(self.columns[:, 1] > 0)

    @property
    def panel(self) -> Panel:
        return Panel(lambda: self.labels, self._judged_by)

    def _judged_by(self, annotators: NDArray[Any]) -> Flips:
        """Return the statistic of some of the annotators."""
        return Flips(only(self.labels, annotators))


@dataclass(frozen=True, eq=False, repr=False)
class FlipRate(Result):
    """The rate at which annotators give a label other than their primary one, estimated from repeated labels.

    Attributes
    ----------
    value : float
        The flip rate, from 0 to 1 - 1 / K.
    n_repeats, n_annotators : int
        Pairs of an annotator and a case with several labels, and the number of their annotators.

    Examples
    --------
    >>> import warnings
    >>> import ugt
    >>> warnings.simplefilter("ignore", UserWarning)  # the note that an annotator has several labels of a case, which are meant here
    >>> labels = ugt.Labels.from_long([0, 0, 1, 1, 2, 2, 3, 3], ["ann"] * 8, [1, 1, 0, 0, 0, 1, 1, 1], classes=2)
    >>> round(ugt.annotators.disagreement_deconvolution(labels).flips.value, 4)
    0.1464
    """

    value: float
    n_repeats: int
    n_annotators: int
    _statistic: Flips = field(repr=False)


@dataclass(frozen=True, eq=False, repr=False)
class SignedShares(Record):
    """The unbiased estimates of the shares of primary labels, a truth for soft metrics; they may be below 0 or above 1.

    Attributes
    ----------
    axes : Axes
        Names of the N cases and K classes.
    table : (N, K) array
        Estimated shares; rows add up to 1, NaN for a case without labels.

    Examples
    --------
    >>> import ugt
    >>> found = ugt.annotators.disagreement_deconvolution(ugt.Labels.from_counts([[1, 4], [5, 0]]), p_flip=0.1)
    >>> found.unbiased.table.round(3).tolist()
    [[0.125, 0.875], [1.125, -0.125]]
    """

    axes: Axes
    table: Array
    made_of: MadeOf = field(repr=False)

    @classmethod
    def of(cls, labels: Labels, rates: Array) -> SignedShares:
        """Make the estimates from labels and the flip rate of each label (R,)."""
        return cls(labels.axes, _table(labels, rates), MadeOf(labels, cls.of, weights=rates))  # type: ignore[arg-type]

    def mean(self) -> Array:
        """Return the table (N, K), under the name that plausibilities use."""
        return self.table


@dataclass(frozen=True, eq=False, repr=False)
class Deconvolution(Record):
    """The distributions of primary labels, as :func:`disagreement_deconvolution` returns them.

    Attributes
    ----------
    primary : Point
        For every case and class, the share of annotators whose primary label is the class.
    unbiased : SignedShares
        The shares before estimates below 0 were set to 0: the truth for :func:`ugt.soft_auroc` and :func:`ugt.soft_average_precision`.
    flips : FlipRate or None
        The flip rate with its interval, if it was estimated.
    n_cases, n_clipped : int
        Cases with labels, and cases among them in which an estimate below 0 was set to 0.
    left_out : mapping
        Cases left out, by reason.

    Examples
    --------
    >>> import ugt
    >>> found = ugt.annotators.disagreement_deconvolution(ugt.Labels.from_counts([[1, 4], [5, 0]]), p_flip=0.1)
    >>> found.primary.mean().round(3).tolist(), found.n_clipped
    ([[0.125, 0.875], [1.0, 0.0]], 1)
    """

    primary: Point
    unbiased: SignedShares
    flips: FlipRate | None
    n_cases: int
    n_clipped: int
    left_out: Mapping[str, int]

    def by_annotator(self) -> tuple[NDArray[Any], NDArray[Any], Array]:
        r"""Return the probability of each class to be the primary label of an annotator, given the labels of all annotators of the case.

        :math:`P(y^* = k) ∝ p^*_k \prod_l (1 - f \text{ if } l = k, \text{ else } f / (K - 1))` over the annotator's labels l of the case.

        Returns
        -------
        case : (U,) int
            Position of the case of each pair of case and annotator.
        annotator : (U,) array
            Name of the annotator, or the position of the label if only counts are known.
        probability : (U, K) array
            Probabilities; NaN if an annotator gave two labels and f is 0.

        Examples
        --------
        >>> import ugt
        >>> found = ugt.annotators.disagreement_deconvolution(ugt.Labels.from_wide([[1, 1, 1, 1, 0]], classes=2), p_flip=0.1)
        >>> found.by_annotator()[2][[0, 4]].round(4).tolist()
        [[0.0156, 0.9844], [0.5625, 0.4375]]
        """
        made_of = self.primary.made_of
        assert made_of is not None and made_of.weights is not None
        labels = made_of.annotations
        rates = np.repeat(made_of.weights, labels.count)
        case, label = (np.repeat(one, labels.count) for one in (row_of(labels.offsets), labels.label))
        named = len(labels.annotators) > 0
        who = np.repeat(labels.annotator, labels.count) if named else np.arange(len(case))
        unit, at = _units(case, who)
        like = np.repeat((rates / (labels.n_classes - 1))[:, None], labels.n_classes, axis=1)
        like[np.arange(len(label)), label] = 1 - rates
        table = self.primary.mean()[unit[:, 0]]
        np.multiply.at(table, at, like)
        return unit[:, 0], labels.annotators[unit[:, 1]] if named else unit[:, 1], over(table, table.sum(axis=1, keepdims=True))


def disagreement_deconvolution(labels: Labels, *, p_flip: object = None) -> Deconvolution:
    r"""Estimate the distribution of annotators' primary labels, without the noise of single annotators.

    Every annotator of a case has a primary label :math:`y^* \sim p^*`, gives it with probability 1 - f, and otherwise gives one of the
    K - 1 other classes at random. The shares of the labels are then :math:`p = (1 - f) p^* + f (1 - p^*) / (K - 1)`, so that

    .. math:: p^* = \frac{p - f / (K - 1)}{1 - K f / (K - 1)}

    Parameters
    ----------
    labels : Labels
        Labels of N cases. Several labels of one annotator for a case count as one opinion.
    p_flip : float, mapping of annotator to float, or (N,) array, optional
        f, at least 0 and below 1 - 1 / K: one for all labels, one per annotator, or one per case. Default: estimated from repeated
        labels, which agree with probability :math:`(1 - f)^2 + f^2 / (K - 1)`, so that :math:`f = \frac{K - 1}{K} \left(1 -
        \sqrt{1 - d K / (K - 1)}\right)` with d the share of disagreeing pairs of labels by one annotator of one case.

    Returns
    -------
    Deconvolution

    Raises
    ------
    TypeError
        If ``labels`` are not Labels.
    ValueError
        If no annotator labelled a case twice and ``p_flip`` is not given; if ``p_flip`` is out of range, or not given for every annotator
        or case; if repeated labels agree no more than by chance.

    Notes
    -----
    With few annotators the estimate of a class can be below 0. ``primary`` sets it to 0 and divides the others by their sum, so that part
    of the noise stays. In a simulation with five noisy labels per case and f = 0.15, soft AUROC was 0.107 too low against the labels,
    0.054 too low against ``primary`` (0.018 with 20 labels) and 0.002 too high against ``unbiased``. The paper draws test sets from
    :math:`p^*` and averages a model's metric over them; metrics here take the shares themselves. The share of annotators whose primary
    label is the class c_i is the mean over cases of ``unbiased.table[i, c_i]``.

    Repeated labels must be independent given the primary label. An annotator who remembers the first label repeats it, and f is then too
    low. The interval of ``flips`` covers the uncertainty of f; intervals of metrics take f as known.

    References
    ----------
    Gordon, Zhou, Patel, Hashimoto & Bernstein (2021), "The disagreement deconvolution: bringing machine learning performance metrics in
    line with reality", CHI, cited by [A] and [D].

    Examples
    --------
    >>> import ugt
    >>> labels = ugt.Labels.from_wide([[1, 1, 1, 1, 0], [0, 0, 0, 1, 0], [1, 1, 0, 0, 1]])
    >>> found = ugt.annotators.disagreement_deconvolution(labels, p_flip=0.1)
    >>> found.primary.mean()[:, 1].round(3).tolist()
    [0.875, 0.125, 0.625]
    >>> round(ugt.soft_auroc(found.unbiased, [0.9, 0.2, 0.6], self_pairs="unbiased").value, 3)
    0.921
    """
    if not isinstance(labels, Labels):
        check_bare("labels", labels)
        raise TypeError(f"labels must be Labels. Got {type(labels).__name__}.")
    if labels.n_classes < 2:
        raise error("labels", "have at least two classes", labels.n_classes)
    flips, rates = None, p_flip
    if p_flip is None:
        one = Flips(labels)
        value = float(one.estimate[0])
        if math.isnan(value):
            must = "be given if no annotator labelled a case twice (to estimate it, have some cases labelled again)"
            raise error("p_flip", must, None)
        flips, rates = FlipRate(value, int(one.columns[:, 1].sum()), len(np.unique(one.who)), one), value
        if value >= one.span[1]:
            raise error("labels", "agree more than by chance if one annotator repeats them", f"a flip rate of {value:.3f}")
    of_label = _flip_of_labels(labels, rates)
    table = _table(labels, of_label)
    n_cases = int((~np.isnan(table[:, 0])).sum())
    left_out = {NO_LABELS: labels.n_cases - n_cases} if n_cases < labels.n_cases else {}
    return Deconvolution(
        _primary(labels, of_label), SignedShares.of(labels, of_label), flips, n_cases, int((table < -ROUNDING).any(axis=1).sum()), left_out
    )


def _flip_of_labels(labels: Labels, given: Any) -> Array:
    """Return the (R,) flip rates of the labels."""
    least = 1 - 1 / labels.n_classes
    if isinstance(given, Mapping):
        known = {str(name): value for name, value in given.items()}
        missing = [name for name in labels.annotators.tolist() if str(name) not in known]
        if missing or not len(labels.annotators):
            got = f"none for annotator {identifiers.name(missing[0])}" if missing else "labels without names of annotators"
            raise error("p_flip", "name every annotator", got)
        rates = np.array([scalar("p_flip", known[str(name)]) for name in labels.annotators.tolist()])
        found, places = rates[labels.annotator], labels.annotators[labels.annotator]
    elif np.ndim(given) == 0:
        rate, places = scalar("p_flip", given), None
        found = np.full(len(labels.label), rate)
        if rate >= least:
            raise error("p_flip", f"be from 0 to below {least:.3g} (1 - 1 / K)", given)
    else:
        try:
            rates = np.asarray(given, np.float64)
        except (TypeError, ValueError):
            rates = np.empty(0)
        if rates.shape != (labels.n_cases,):
            must = f"be one number, one per annotator by name, or {labels.n_cases}, one per case"
            raise error("p_flip", must, f"shape {np.shape(given)}")
        found, places = rates[row_of(labels.offsets)], labels.axes.case_ids[row_of(labels.offsets)]
    bad = ~((found >= 0) & (found < least))
    if bad.any():
        at = "" if places is None else identifiers.name(places[bad][0])
        raise error("p_flip", f"be from 0 to below {least:.3g} (1 - 1 / K)", found[bad][0], at)
    return found


def _table(labels: Labels, rates: Array) -> Array:
    """Return (N, K) estimates, which may be below 0, and NaN for cases without labels; each annotator of a case has weight 1."""
    room("a table of primary labels", 24 * labels.n_cases * labels.n_classes)
    n, k, case, weight = labels.n_cases, labels.n_classes, row_of(labels.offsets), labels.count.astype(np.float64)
    if len(labels.annotators):
        at = _units(case, labels.annotator)[1]
        weight /= np.bincount(at, weight)[at]
    other = rates / (k - 1)
    scaled = weight / (1 - k * other)
    found = np.bincount(case * k + labels.label, scaled, n * k).reshape(n, k) - np.bincount(case, scaled * other, n)[:, None]
    return over(found, np.bincount(case, weight, n)[:, None])


def _primary(labels: Labels, rates: Array) -> Point:
    table = np.where(np.isnan(found := _table(labels, rates)) | (found <= ROUNDING), 0.0, found)
    row, index = table.nonzero()
    offsets = offsets_of(np.bincount(row, minlength=len(table)))
    value = table[row, index] / table.sum(axis=1)[row]
    return Point(labels.axes, offsets, index.astype(np.int32), value, MadeOf(labels, _primary, weights=rates))
