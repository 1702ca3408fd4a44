"""Agreement within and between groups of annotators."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import numpy as np

from .._base.arrays import Array, NDArray
from .._base.checks import error, room
from .._base.ragged import row_of
from ..annotations import Labels
from ..annotations.bare import check_bare
from ..annotations.joins import tells_joins
from ..annotations.other_annotators import only
from ..resampling import NumberFacts, Panel, Ratios, Result, groups_of


class WithinBetween(Ratios):
    """The means over cases of agreement within less between groups, of each of the two, and of every pair of groups."""

    def __init__(self, labels: Labels, groups: tuple[str, ...], members: NDArray[np.bool_]) -> None:
        self.labels, self.group_names, self.members, self.case_ids = labels, groups, members, labels.axes.ids_or_none
        self.pairs = np.stack(np.triu_indices(len(groups)), axis=1)
        agree, shared = pair_counts(labels, members)
        a, b = self.pairs.T
        with np.errstate(invalid="ignore", divide="ignore"):
            each = agree[:, a, b] / shared[:, a, b]
            within, between = (agree[:, a, b][:, part].sum(1) / shared[:, a, b][:, part].sum(1) for part in (a == b, a != b))
        both = ~np.isnan(within - between)
        table = np.column_stack([within - between, np.where(both, within, np.nan), np.where(both, between, np.nan), each])
        names = ("value", "within", "between", *(f"{groups[i]}, {groups[j]}" for i, j in self.pairs.tolist()))
        made = Ratios.of(table, names=names)
        super().__init__(made.columns, made.of_number, names)

    @property
    def facts(self) -> NumberFacts:
        return super().facts._replace(steps=lambda sums, n_cases: np.array([np.nan, *[1.0] * (len(self.names) - 1)]))

    @property
    def _spans(self) -> Array:
        """(M, 2) ends of the numbers: a difference, whose steps are unknown, then shares."""
        return np.array([[-1.0, 1.0], *[[0.0, 1.0]] * (len(self.names) - 1)])

    @property
    def panel(self) -> Panel:
        return super().panel._replace(annotations=lambda: self.labels, judged_by=self._judged_by)

    def _judged_by(self, annotators: NDArray[Any]) -> WithinBetween:
        """Return the statistic of some of the annotators."""
        return WithinBetween(only(self.labels, annotators), self.group_names, self.members)


def pair_counts(labels: Labels, members: NDArray[np.bool_]) -> tuple[Array, Array]:
    """Return (N, G, G) pairs of labels with the same class by annotators of two groups, and all pairs; pairs within a group count twice."""
    n, k, g = labels.n_cases, labels.n_classes, len(members)
    room("labels by case, group and class", 8 * n * g * (k + g))
    case, group = row_of(labels.offsets), members.argmax(axis=0)[labels.annotator]
    count = np.zeros((n, g, k))
    np.add.at(count, (case, group, labels.label), labels.count)
    agree, total = np.einsum("igk,ihk->igh", count, count), count.sum(-1)
    shared = total[:, :, None] * total[:, None, :]
    own, sizes = np.arange(g), (n, members.shape[1], k)
    for table, keys in ((agree, (case, labels.annotator, labels.label)), (shared, (case, labels.annotator))):
        _, first, at = np.unique(np.ravel_multi_index(keys, sizes[: len(keys)]), return_index=True, return_inverse=True)
        same = np.zeros((n, g))
        times = np.bincount(at, labels.count, len(first))
        np.add.at(same, (case[first], group[first]), times**2)  # pairs of labels of one annotator, which are no pairs of annotators
        table[:, own, own] -= same
    return agree, shared


@dataclass(frozen=True, eq=False, repr=False)
class GroupAgreement(Result):
    """The agreement within and between groups of annotators, as :func:`agreement_by_group` returns it.

    Attributes
    ----------
    value : float
        ``within`` less ``between``, in [-1, 1]. If it is positive, annotators agree more with annotators of their own group.
    within, between : float
        Share of pairs of annotators of a case that agree, for pairs of one group and of two groups; mean over cases that have both.
    groups : tuple of str
        Names of the G groups.
    matrix : (G, G) array
        The share for each pair of groups; mean over the cases that have such a pair, NaN if no case has one.
    n_cases : int
        Cases counted in ``value``.
    n_annotators : (G,) int array
        Annotators of each group.

    Examples
    --------
    >>> import ugt
    >>> labels = ugt.Labels.from_wide([[1, 1, 0, 0], [0, 0, 0, 1], [1, 1, 0, 0]])
    >>> found = ugt.agreement.agreement_by_group(labels, ["A", "A", "B", "B"])
    >>> round(found.within, 3), round(found.between, 3), found.matrix.round(3).tolist()
    (0.833, 0.167, [[1.0, 0.167], [0.167, 0.667]])
    """

    value: float
    within: float
    between: float
    groups: tuple[str, ...]
    matrix: Array
    n_cases: int
    n_annotators: NDArray[Any]
    _statistic: WithinBetween = field(repr=False)


@tells_joins
def agreement_by_group(labels: Labels, groups: object) -> GroupAgreement:
    """Compare agreement within groups of annotators with agreement between groups, in the same cases.

    Use it to see whether disagreement is related to the speciality, country or age of the annotators. For each case it computes the share
    of pairs of annotators with the same label, for pairs of one group (``within``) and of two groups (``between``). The values are means
    over cases.

    Parameters
    ----------
    labels : Labels
        Labels with names of annotators.
    groups : mapping of annotator to group, or sequence of A names
        The group of every annotator, by name or in the order of ``labels.annotators``; at least two groups.

    Returns
    -------
    GroupAgreement
        ``interval(of="within")``, ``"between"`` or ``"A, B"`` (two groups, sorted) gives intervals of the other numbers.

    Raises
    ------
    TypeError
        If ``labels`` are not Labels.
    ValueError
        If annotators are not named, one has no group, or there are fewer than two groups.

    Notes
    -----
    Repeated labels of one annotator make no pairs. The default interval holds for these annotators only. For a statement about groups,
    use ``interval(random=("cases", "annotators"))``, which needs three annotators per group. Shares depend on how common classes are;
    ``by_annotators(krippendorff_alpha(labels), groups)`` gives chance-corrected agreement within each group.

    References
    ----------
    [D] section 3 asks the question.

    Examples
    --------
    >>> import ugt
    >>> wide = [[1, 1, 0, 0], [0, 0, 0, 1], [1, 1, 0, 0], [1, 1, 1, 1], [0, 1, 0, 0]]
    >>> labels = ugt.Labels.from_wide(wide, annotators=["ann", "bob", "eve", "joe"])
    >>> found = ugt.agreement.agreement_by_group(labels, {"ann": "A", "bob": "A", "eve": "B", "joe": "B"})
    >>> round(found.value, 3), [round(end, 2) for end in found.interval()]
    (0.4, [-0.28, 1.0])
    """
    if not isinstance(labels, Labels):
        check_bare("labels", labels)
        raise TypeError(f"labels must be Labels. Got {type(labels).__name__}.")
    if not len(labels.annotators):
        raise error("labels", "name their annotators", "counts, which have none")
    names, members = groups_of(groups, labels.annotators)
    if len(names) < 2:
        raise error("groups", "name at least two groups", repr(names[0]))
    one = WithinBetween(labels, names, members)
    value, within, between, *each = one.estimate.tolist()
    matrix = np.empty((len(names), len(names)))
    matrix[one.pairs[:, 0], one.pairs[:, 1]] = matrix[one.pairs[:, 1], one.pairs[:, 0]] = each
    n_cases = int(one.denominator[:, one.of_number[0]].sum())
    return GroupAgreement(value, within, between, names, matrix, n_cases, members.sum(axis=1, dtype=np.int64), one)
