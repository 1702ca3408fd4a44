"""Numbers of annotators per case, and numbers of different classes that they name."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from .._base.arrays import Array, Int64, NDArray
from .._base.checks import instance, option
from .._base.ragged import row_of
from ..annotations import Labels, Rankings
from ..annotations.joins import tells_joins
from ..resampling import Ratios, Results, ids_of_cases
from .forms import EMPTY


@dataclass(frozen=True, eq=False, repr=False)
class CaseCounts(Results):
    """The numbers of annotators and of classes per case, by groups of cases, as :func:`case_counts` returns them.

    ``intervals()`` gives the intervals over cases: first of the mean numbers of annotators of all groups, then of classes.

    Attributes
    ----------
    groups : (G,) array
        Names of the groups of cases, in ascending order.
    group : (N,) array
        Group of each case, as a position in ``groups``.
    n_annotators, n_classes : (N,) arrays
        Annotators of each case, and different classes that they name.
    n_cases : (G,) array
        Annotated cases of each group.
    mean_annotators, mean_classes : (G,) arrays
        Mean numbers of annotators and of classes over these cases.
    left_out : mapping
        Cases left out, by reason.

    Examples
    --------
    >>> import ugt
    >>> labels = ugt.Labels.from_wide([[0, 0, 1], [2, 2, None], [0, 1, 2], [1, 1, 1]])
    >>> found = ugt.agreement.case_counts(labels, ["low", "low", "high", "high"])
    >>> found.groups.tolist(), found.mean_annotators.tolist(), found.mean_classes.tolist()
    (['high', 'low'], [3.0, 2.5], [2.0, 1.5])
    """

    groups: NDArray[Any]
    group: Int64
    n_annotators: Int64
    n_classes: Int64
    n_cases: Int64
    mean_annotators: Array
    mean_classes: Array
    left_out: Mapping[str, int]
    _statistic: Ratios = field(repr=False)
    _ids: NDArray[Any] | None = field(default=None, repr=False)

    def by_group(self, of: str = "annotators") -> dict[str, Int64]:
        """Return the numbers of ``"annotators"`` or ``"classes"`` of the annotated cases, for each group with such cases."""
        values = {"annotators": self.n_annotators, "classes": self.n_classes}[option("of", of, ("annotators", "classes"))]
        kept = self.n_annotators > 0
        return {str(name): values[kept & (self.group == g)] for g, name in enumerate(self.groups.tolist()) if self.n_cases[g]}

    def table(self) -> list[dict[str, Any]]:
        """Return one row per group."""
        rows = zip(self.groups.tolist(), self.n_cases.tolist(), self.mean_annotators.tolist(), self.mean_classes.tolist())
        return [dict(zip(("group", "n_cases", "mean_annotators", "mean_classes"), row)) for row in rows]


@tells_joins
def case_counts(annotations: Labels | Rankings, groups: object = None) -> CaseCounts:
    """Count the annotators of each case and the different classes that they name, and compare groups of cases [A figure 12].

    Use it to see whether, for example, cases of high risk have fewer annotators or more diagnoses than others. The truth of a group with
    fewer annotators is less certain for that reason alone.

    Parameters
    ----------
    annotations : Labels or Rankings
        Annotations of N cases. In counts every label is an annotator, and so is every ranking without a name. An annotator who ranked
        nothing counts.
    groups : (N,) ids or names, mapping of case id to these, or (case ids, ids), optional
        Group of each case, such as the risk of its first class by inverse ranks: ``risk[ugt.irn(rankings).mean().argmax(axis=1)]``.
        Default: one group, ``"all"``.

    Returns
    -------
    CaseCounts

    Raises
    ------
    TypeError, ValueError
        If ``annotations`` are of another type, or a case has no group.

    Notes
    -----
    Groups that are derived from the same annotations depend on the numbers of annotators: take such differences with care.

    References
    ----------
    [A] Stutz et al. (2023), "Evaluating AI systems under uncertain ground truth: a case study in dermatology", appendix C, figure 12.

    Examples
    --------
    >>> import numpy as np, ugt
    >>> rankings = ugt.Rankings.from_blocks([[[[0], [1]], [[0]]], [[[2]], [[2]], [[1, 0]]]], n_classes=3)
    >>> risk = np.array(["low", "low", "high"])[ugt.irn(rankings).mean().argmax(axis=1)]
    >>> ugt.agreement.case_counts(rankings, risk).table()[0]
    {'group': 'high', 'n_cases': 1, 'mean_annotators': 3.0, 'mean_classes': 3.0}
    """
    instance("annotations", annotations, (Labels, Rankings), "be Labels or Rankings")
    n, ids = annotations.n_cases, annotations.axes.case_ids
    n_annotators, n_classes = _counted(annotations)
    given = np.full(n, "all") if groups is None else ids_of_cases("groups", groups, n, ids, what="a group")
    names, group = np.unique(given, return_inverse=True)
    member = (group.reshape(-1, 1) == np.arange(len(names))) & (n_annotators[:, None] > 0)
    values = np.where(np.tile(member, 2), np.repeat(np.stack([n_annotators, n_classes], axis=1), len(names), axis=1), 0)
    labels = tuple(f"{what}, {name}" for what in ("annotators", "classes") for name in names.tolist())
    one = Ratios.of(values.astype(np.float64), np.tile(member, 2).astype(np.float64), labels)
    mean_annotators, mean_classes = one.estimate.reshape(2, -1)
    empty = int((n_annotators == 0).sum())
    left_out = {EMPTY: empty} if empty else {}
    n_cases = member.sum(axis=0, dtype=np.int64)
    return CaseCounts(names, group.reshape(-1), n_annotators, n_classes, n_cases, mean_annotators, mean_classes, left_out, one, ids)


def _counted(given: Labels | Rankings) -> tuple[Int64, Int64]:
    """Return (N,) numbers of annotators per case and (N,) numbers of different classes that they name."""
    n = given.n_cases
    if isinstance(given, Labels):
        case, label, count = row_of(given.offsets), given.label, given.count
        of_annotation, each = case, count
    else:
        of_annotation, each = row_of(given.case_offsets), np.ones(len(given.annotator), np.int64)
        case, label = of_annotation[row_of(given.ranking_offsets)[row_of(given.block_offsets)]], given.items
    named = _distinct(case.astype(np.int64) * given.n_classes + label)
    n_classes = np.bincount(named // given.n_classes, minlength=n)
    if len(given.annotators) == 0:
        return np.bincount(of_annotation, each, n).astype(np.int64), n_classes
    both = _distinct(of_annotation.astype(np.int64) * len(given.annotators) + given.annotator)
    return np.bincount(both // len(given.annotators), minlength=n), n_classes


def _distinct(keys: Int64) -> Int64:
    """Return the different numbers of at least 0, ascending; ``numpy.unique`` of numpy 2.3 hashes, which takes ten times as long."""
    found = np.sort(keys)
    return np.asarray(found[np.diff(found, prepend=-1) != 0])
