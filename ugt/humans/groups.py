"""The discrepancy ratio within classes of cases, and within groups of annotators [C appendix E, sec. 5]."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from functools import partial
from typing import Any, Callable

import numpy as np

from .._base import checks, identifiers
from .._base.arrays import Array, Bools, Int64, NDArray
from .._base.axes import Frozen
from .._base.ragged import row_of
from .._tabular.rows import is_missing
from ..annotations import Labels
from ..annotations.joins import tells_joins
from ..resampling import Panel, Ratios, ids_of_cases
from .input import Compared, as_annotations, as_labels, check_stated, compare, ids_of
from .record import OfAnnotations
from .sums import ALPHA, MU, N, mean_of

# Names of G groups; μ and α of cases, (N, G), NaN if a case is not in a group; number of cases left out by reason.
Parts = tuple[Any, Array, Array, dict[str, int]]
TIED = "case whose majority class is tied"
NO_STRATUM = "case without stratum"
SAME = 1e-9  # votes are sums of shares: closer ones are equal up to rounding


class Grouped(Ratios):
    """The mean of Δ over groups that have cases, then Δ of every group."""

    shares = False

    def __init__(self, make: Callable[[Compared], Parts], compared: Compared) -> None:
        names, self.mu, self.alpha, self.left_out = make(compared)
        base = Ratios.of(self.mu, self.alpha)
        super().__init__(base.columns, base.of_number, ("mean", *map(str, names.tolist())))
        self.averaged = np.flatnonzero(~np.isnan(self.mu).all(axis=0))
        self.make, self.compared, self.group_names = make, compared, names

    @property
    def kept(self) -> Bools:
        """The (N,) cases that are in any group."""
        return np.asarray(~np.isnan(self.mu).all(axis=1))

    @property
    def panel(self) -> Panel:
        return super().panel._replace(annotations=lambda: self.compared.annotations, judged_by=self._judged_by)

    def _judged_by(self, annotators: NDArray[Any]) -> Grouped:
        return Grouped(self.make, self.compared.judged_by(annotators))


@dataclass(frozen=True, eq=False, repr=False)
class GroupedDiscrepancy(OfAnnotations, Frozen):
    """Discrepancy ratios of one model within strata of cases or groups of annotators.

    Made by :func:`stratified_discrepancy` and :func:`group_discrepancy`.

    Attributes
    ----------
    names : (G,) array
        Strata or groups.
    value, alpha, mu, n_cases : (G,) arrays
        Δ = μ / α within each group, NaN if no case counts; the number of cases that count.
    mean : float
        Mean of Δ over the groups that have cases; undefined if one of these is.
    left_out : mapping
        Cases that do not count in any group, by reason.

    Notes
    -----
    The numbers that are resampled together are ``mean``, then Δ of every group.

    Examples
    --------
    >>> import ugt
    >>> labels = ugt.Labels.from_wide([[0, 0, 1], [1, 1, 1], [2, 2, 0], [1, 0, 1], [0, 2, None], [2, 2, None]])
    >>> found = ugt.humans.stratified_discrepancy(labels, [0, 1, 0, 1, 1, 2])
    >>> found.names.tolist(), found.value.tolist(), round(found.mean, 3), found.left_out
    ([0, 1, 2], [0.5, 0.5, 1.0], 0.667, {'case whose majority class is tied': 1})
    """

    names: NDArray[Any]
    value: Array
    alpha: Array
    mu: Array
    n_cases: Int64
    mean: float
    left_out: Mapping[str, int]
    _statistic: Grouped = field(repr=False)

    @classmethod
    def of(cls, one: Grouped) -> GroupedDiscrepancy:
        n_cases = np.asarray((~np.isnan(one.mu)).sum(axis=0), np.int64)
        value, alpha, mu = one.estimate, mean_of(one.alpha.T), mean_of(one.mu.T)
        return cls(one.group_names, value[1:], alpha, mu, n_cases, float(value[0]), one.left_out, one)


@tells_joins
def stratified_discrepancy(
    annotations: object,
    predictions: object,
    *,
    strata: object = None,
    ties: str = "drop",
    distance: object = "zero-one",
    values: object = None,
    missing: str = "error",
) -> GroupedDiscrepancy:
    """Return Δ within each class of cases, and its mean over classes, in which rare classes count as much as frequent ones.

    Parameters
    ----------
    annotations, predictions, distance, values, missing
        As for :func:`discrepancy_ratio`.
    strata : (N,) ids or mapping of case id, optional
        Default, for labels: the class with most votes in each case. Every annotator has one vote, shared evenly among their labels.
    ties : {"drop", "lowest"}
        Cases whose majority class is tied are left out, or counted in the first of the tied classes.

    Returns
    -------
    GroupedDiscrepancy

    Raises
    ------
    ValueError
        As for :func:`discrepancy_ratio`; if strata are not given and annotations are not labels.

    Notes
    -----
    The classes come from the same labels that Δ is computed from. A class in which all annotators agree has no Δ (α = 0), and the mean
    is then undefined, too. Give strata from another source as ``strata``.

    References
    ----------
    [C] Lovchinsky et al. (2020), appendix E.

    Examples
    --------
    >>> import ugt
    >>> labels = [[0, 0, 1], [1, 1, 1], [2, 2, 0], [1, 0, 1], [0, 2, None], [2, 2, None]]
    >>> ugt.humans.stratified_discrepancy(labels, [0, 1, 0, 1, 1, 2], ties="lowest").value.round(3).tolist()
    [0.8, 0.5, 1.0]
    """
    checks.option("ties", ties, ("drop", "lowest"))
    check_stated(distance)
    held = (as_annotations if strata is not None else as_labels)(annotations, [predictions], distance, values)
    compared = compare(held, {"model": predictions}, distance, values, missing)
    strata = None if strata is None else _given(strata, held)
    return GroupedDiscrepancy.of(Grouped(partial(_by_case, strata, ties), compared))


def _by_case(strata: tuple[NDArray[Any], Int64, str] | None, ties: str, compared: Compared) -> Parts:
    names, of_case, reason = majority(compared.annotations, ties) if strata is None else strata
    predicted = compared.predicted[0]
    table, left_out = compared.sums.columns(predicted), compared.sums.left_out(predicted)
    nowhere = int(((table[:, N] != 0) & (of_case < 0)).sum())
    inside = (table[:, [N]] != 0) & (of_case[:, None] == np.arange(len(names)))
    mu, alpha = (np.where(inside, table[:, [column]], np.nan) for column in (MU, ALPHA))
    return names, mu, alpha, {**left_out, **({reason: nowhere} if nowhere else {})}


@tells_joins
def group_discrepancy(
    annotations: object, predictions: object, groups: object, *, distance: object = None, values: object = None, missing: str = "error"
) -> GroupedDiscrepancy:
    """Return Δ within groups of annotators, such as schools of thought: the model against those who agree on a definition.

    Both α and μ are over the annotators of one group, on the cases that two of them labelled.

    Parameters
    ----------
    annotations, predictions, distance, values, missing
        As for :func:`discrepancy_ratio`; annotations must name their annotators.
    groups : (A,) ids, or mapping of annotator to group
        In the order of the annotators. Annotators in no group (None, or not in the mapping) are left out.

    Returns
    -------
    GroupedDiscrepancy
        ``left_out`` counts cases that have no group with two annotators.

    Raises
    ------
    ValueError
        As for :func:`discrepancy_ratio`; if no annotator is in a group, or a name in ``groups`` is not an annotator.

    Notes
    -----
    Define groups before you see the labels. Groups that are found in the same labels agree within themselves by construction, and α is
    too small.

    References
    ----------
    [C] Lovchinsky et al. (2020), sec. 5.

    Examples
    --------
    >>> import ugt
    >>> ratings = ugt.Ratings.from_wide([[1, 2, 8, 9], [2, 2, 7, 9], [0, 1, 5, 5], [3, 1, 9, 8]])
    >>> found = ugt.humans.group_discrepancy(ratings, [1, 2, 1, 2], ["A", "A", "B", "B"])
    >>> dict(zip(found.names.tolist(), found.value.round(2).tolist()))
    {'A': 0.33, 'B': 25.33}
    """
    compared = compare(annotations, {"model": predictions}, distance, values, missing, known="so that groups can be distinguished")
    return GroupedDiscrepancy.of(Grouped(partial(_by_annotator, *_grouped(groups, compared.annotators)), compared))


def _by_annotator(names: NDArray[Any], of_annotator: Int64, compared: Compared) -> Parts:
    predicted = compared.predicted[0]
    tables = [compared.judged_by(of_annotator == g).sums.columns(predicted) for g in range(len(names))]
    mu, alpha = (np.stack([np.where(one[:, N] != 0, one[:, column], np.nan) for one in tables], axis=1) for column in (MU, ALPHA))
    left_out = compared.sums.left_out(predicted)
    nowhere = int((compared.sums.counted(predicted) & np.isnan(mu).all(axis=1)).sum())
    return names, mu, alpha, {**left_out, **({"case without two annotators of one group": nowhere} if nowhere else {})}


def majority(labels: object, ties: str) -> tuple[NDArray[Any], Int64, str]:
    """Return the classes and the majority class of each case, -1 if it is tied or if there are no labels."""
    if not isinstance(labels, Labels):
        raise checks.error("strata", "be given if annotations are not labels", None)
    checks.room("votes for every class", 10 * labels.n_cases * labels.n_classes)
    case = row_of(labels.offsets)
    known = labels.annotator >= 0
    _, entry, size = np.unique(case * (len(labels.annotators) + 1) + labels.annotator, return_inverse=True, return_counts=True)
    vote = np.where(known, 1 / size[entry.reshape(-1)], labels.count)
    shape = labels.n_cases, labels.n_classes
    votes = np.bincount(case * labels.n_classes + labels.label, vote, labels.n_cases * labels.n_classes).reshape(shape)
    best = votes >= votes.max(axis=1, keepdims=True) - SAME
    unclear = (votes.max(axis=1) == 0) | ((best.sum(axis=1) > 1) & (ties == "drop"))
    return labels.axes.classes, np.where(unclear, -1, best.argmax(axis=1)), TIED


def _given(strata: Any, annotations: Any) -> tuple[NDArray[Any], Int64, str]:
    column = ids_of_cases("strata", strata, annotations.n_cases, ids_of(annotations))
    absent = is_missing(column, (None, "", float("nan")))
    of_case = np.full(len(column), -1, np.int64)
    if absent.all():
        raise checks.error("strata", "be known for at least one case", "none")
    numbered = identifiers.number("strata", column[~absent].tolist())
    names, place = np.unique(numbered.ids, return_inverse=True)
    of_case[~absent] = place.reshape(-1)[numbered.code]
    return names, of_case, NO_STRATUM


def _grouped(groups: object, annotators: NDArray[Any]) -> tuple[NDArray[Any], Int64]:
    """Return names of the groups, in order of first appearance, and the group of each annotator, -1 for none."""
    groups = identifiers.mapping_of("groups", groups)
    if isinstance(groups, Mapping):
        known = {str(name): group for name, group in groups.items()}
        names = [str(name) for name in annotators.tolist()]
        unknown = sorted(set(known) - set(names))
        if unknown:
            raise checks.error("groups", "name annotators only", repr(unknown[0]))
        column: list[Any] = [known.get(name) for name in names]
    else:
        if isinstance(groups, str) or not isinstance(groups, Iterable):
            raise checks.error("groups", f"be {len(annotators)} ids, one per annotator, or a mapping", repr(groups))
        column = list(groups)
        if len(column) != len(annotators):
            raise checks.error("groups", f"be {len(annotators)} ids, one per annotator", len(column))
    present = [j for j, group in enumerate(column) if not identifiers.is_null(group)]
    if not present:
        raise checks.error("groups", "have at least one annotator", "none")
    numbered, of_annotator = identifiers.number("groups", [column[j] for j in present]), np.full(len(column), -1, np.int64)
    of_annotator[present] = numbered.code
    return numbered.ids, of_annotator
