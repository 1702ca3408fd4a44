"""Δ within classes of cases, and within groups of annotators [C appendix E, sec. 5]."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import numpy as np

from .. import _checks, _ids, resampling
from .._annotations.table import is_missing
from .._axes import Frozen
from .._ragged import row_of
from ..annotations import Labels
from ..resampling import Resamples
from .input import as_annotations, as_labels, case_column, clusters_of, compare, ids_of, only
from .sums import Sums, mean

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Array = NDArray[np.float64]

TIED = "case whose majority class is tied"
NO_STRATUM = "case without stratum"
SAME = 1e-9  # votes are shares of whole labels: closer ones are equal


@dataclass(frozen=True, eq=False)
class GroupedDiscrepancy(Frozen):
    """Discrepancy ratios of one model within strata of cases or groups of annotators.

    Made by :func:`stratified_discrepancy` and :func:`group_discrepancy`.

    Attributes
    ----------
    names : (G,) array
        Strata or groups.
    value, alpha, mu : (G,) arrays
        Δ = μ / α within each; NaN where no case counts.
    n_cases : (G,) array
        Cases that count in each.
    interval : (G, 2) array
    mean : float
        Mean of Δ over the groups that have cases; undefined where one of these is.
    mean_interval : (low, high)
    level : float
        Of the intervals.
    left_out : mapping
        Cases that count in no group, by reason.
    resamples : Resamples
        Of Δ of the groups that have cases, and of their mean as the last number.

    Examples
    --------
    >>> import ugt
    >>> labels = [[0, 0, 1], [1, 1, 1], [2, 2, 0], [1, 0, 1], [0, 2, None], [2, 2, None]]
    >>> found = ugt.stratified_discrepancy(labels, [0, 1, 0, 1, 1, 2], n_resamples=100)
    >>> found.names.tolist(), found.value.tolist(), round(found.mean, 3), found.left_out
    ([0, 1, 2], [0.5, 0.5, 1.0], 0.667, {'case whose majority class is tied': 1})
    """

    names: NDArray[Any]
    value: Array
    alpha: Array
    mu: Array
    n_cases: NDArray[np.int64]
    interval: Array
    mean: float
    mean_interval: tuple[float, float]
    level: float
    left_out: Mapping[str, int]
    resamples: Resamples | None = field(repr=False, default=None)


def stratified_discrepancy(
    annotations: Any,
    predictions: Any,
    *,
    strata: Any = None,
    ties: str = "drop",
    distance: Any = "zero-one",
    values: Any = None,
    clusters: Any = None,
    missing: str = "error",
    level: float = 0.95,
    kind: str = "percentile",
    n_resamples: int = 1000,
    seed: resampling.Seed = 0,
) -> GroupedDiscrepancy:
    """Δ within each class of cases, and its mean over classes: rare classes count as much as frequent ones.

    Parameters
    ----------
    annotations, predictions, distance, values, clusters, missing
        As for :func:`discrepancy_ratio`.
    strata : (N,) ids or mapping of case id, optional
        Default, for labels: the majority class of each case. Every annotator has one vote, shared evenly among their labels.
    ties : {"drop", "lowest"}
        Cases whose majority class is tied are left out, or go to the first of the tied classes.
    level : float
        Of the intervals, in (0, 1).
    kind : {"percentile", "basic", "bca"}
    n_resamples : int
        At least 1.
    seed : int, Generator or SeedSequence

    Returns
    -------
    GroupedDiscrepancy

    Raises
    ------
    ValueError
        As for :func:`discrepancy_ratio`; if strata are wanted and annotations are not labels.

    Notes
    -----
    The classes come from the same labels that Δ is computed from, and a class in which all annotators agree has no Δ (α = 0); then the mean
    is undefined, too. Strata that do not come from the labels are given with ``strata``.

    References
    ----------
    [C] Lovchinsky et al. (2020), appendix E.

    Examples
    --------
    >>> import ugt
    >>> labels = [[0, 0, 1], [1, 1, 1], [2, 2, 0], [1, 0, 1], [0, 2, None], [2, 2, None]]
    >>> ugt.stratified_discrepancy(labels, [0, 1, 0, 1, 1, 2], ties="lowest", n_resamples=100).value.round(3).tolist()
    [0.8, 0.5, 1.0]
    """
    _checks.option("ties", ties, ("drop", "lowest"))
    resampling.check_level(level)
    held = (as_annotations if strata is not None else as_labels)(annotations, [predictions], distance, values)
    compared = compare(held, {"model": predictions}, distance, values, missing)
    sums = Sums.of(compared)
    names, of_case, reason = _majority(held, ties) if strata is None else _given(strata, held)
    counted, predicted = sums.counted(compared.predicted[0]), compared.predicted[0]
    left_out = sums.left_out(predicted)
    if (counted & (of_case < 0)).any():
        left_out[reason] = int((counted & (of_case < 0)).sum())
    inside = counted[:, None] & (of_case[:, None] == np.arange(len(names)))
    mu, alpha = (np.where(inside, column[:, None], np.nan) for column in (sums.mu[0], sums.alpha))
    options = _options(clusters_of(clusters, held), n_resamples, seed)
    return _record(names, mu, alpha, left_out, level, kind, options)


def group_discrepancy(
    annotations: Any,
    predictions: Any,
    groups: Any,
    *,
    distance: Any = "squared",
    values: Any = None,
    clusters: Any = None,
    missing: str = "error",
    level: float = 0.95,
    kind: str = "percentile",
    n_resamples: int = 1000,
    seed: resampling.Seed = 0,
) -> GroupedDiscrepancy:
    """Δ within groups of annotators, such as schools of thought: the model against those who agree on what is meant.

    Both α and μ are over the annotators of one group, on the cases that two of them labelled.

    Parameters
    ----------
    annotations, predictions, distance, values, clusters, missing
        As for :func:`discrepancy_ratio`; it must be known who gave each label.
    groups : (A,) ids, or mapping of annotator to group
        In the order of the annotators. Those who are in no group (None, or not in the mapping) are left out.
    level : float
        Of the intervals, in (0, 1).
    kind : {"percentile", "basic", "bca"}
    n_resamples : int
        At least 1.
    seed : int, Generator or SeedSequence

    Returns
    -------
    GroupedDiscrepancy
        ``left_out`` counts cases that no group has two annotators for.

    Raises
    ------
    ValueError
        As for :func:`discrepancy_ratio`; if nobody is in a group, or a name in ``groups`` is no annotator.

    Notes
    -----
    Groups have to be known beforehand. Groups that are found in the same labels agree within themselves by construction, and α is too
    small.

    References
    ----------
    [C] Lovchinsky et al. (2020), sec. 5.

    Examples
    --------
    >>> import ugt
    >>> ratings = [[1, 2, 8, 9], [2, 2, 7, 9], [0, 1, 5, 5], [3, 1, 9, 8]]
    >>> found = ugt.group_discrepancy(ratings, [1, 2, 1, 2], ["A", "A", "B", "B"], n_resamples=100)
    >>> dict(zip(found.names.tolist(), found.value.round(2).tolist()))
    {'A': 0.33, 'B': 25.33}
    """
    resampling.check_level(level)
    held = as_annotations(annotations, [predictions], distance, values)
    compared = compare(held, {"model": predictions}, distance, values, missing, known="so that groups can be told apart")
    names, of_annotator = _grouped(groups, compared.annotators)
    parts = []
    for g in range(len(names)):
        one = compare(only(held, of_annotator == g), {"model": predictions}, distance, values, missing)
        sums = Sums.of(one)
        parts.append([np.where(sums.counted(one.predicted[0]), column, np.nan) for column in (sums.mu[0], sums.alpha)])
    mu, alpha = (np.stack(columns, axis=1) for columns in zip(*parts))
    whole = Sums.of(compared)
    left_out = whole.left_out(compared.predicted[0])
    nowhere = int((whole.counted(compared.predicted[0]) & np.isnan(mu).all(axis=1)).sum())
    if nowhere:
        left_out["case without two annotators of one group"] = nowhere
    return _record(names, mu, alpha, left_out, level, kind, _options(clusters_of(clusters, held), n_resamples, seed))


def _options(clusters: Any, n_resamples: Any, seed: Any) -> dict[str, Any]:
    return {"clusters": clusters, "n_resamples": _checks.whole("n_resamples", n_resamples), "seed": resampling.seed_of(seed)}


def _majority(labels: Any, ties: str) -> tuple[NDArray[Any], NDArray[np.int64], str]:
    """Classes and the majority class of each case, -1 where it is tied or there are no labels."""
    if not isinstance(labels, Labels):
        raise _checks.error("strata", "be given where annotations are not labels", None)
    _checks.room("votes for every class", 10 * labels.n_cases * labels.n_classes)
    case = row_of(labels.offsets)
    known = labels.annotator >= 0
    _, entry, size = np.unique(case * (len(labels.annotators) + 1) + labels.annotator, return_inverse=True, return_counts=True)
    vote = np.where(known, 1 / size[entry.reshape(-1)], labels.count)
    votes = np.bincount(case * labels.n_classes + labels.label, vote, labels.n_cases * labels.n_classes)
    votes = votes.reshape(labels.n_cases, labels.n_classes)
    best = votes >= votes.max(axis=1, keepdims=True) - SAME
    unclear = (votes.max(axis=1) == 0) | ((best.sum(axis=1) > 1) & (ties == "drop"))
    return labels.axes.classes, np.where(unclear, -1, best.argmax(axis=1)), TIED


def _given(strata: Any, annotations: Any) -> tuple[NDArray[Any], NDArray[np.int64], str]:
    column = case_column("strata", strata, ids_of(annotations))
    absent = is_missing(column, (None, "", float("nan")))
    of_case = np.full(len(column), -1, np.int64)
    if absent.all():
        raise _checks.error("strata", "be known for some case", "none")
    numbered = _ids.number("strata", column[~absent].tolist())
    order = np.argsort(numbered.ids, kind="stable")
    place = np.empty(len(order), np.int64)
    place[order] = np.arange(len(order))
    of_case[~absent] = place[numbered.code]
    return numbered.ids[order], of_case, NO_STRATUM


def _grouped(groups: Any, annotators: NDArray[Any]) -> tuple[NDArray[Any], NDArray[np.int64]]:
    """Names of the groups, in order of first appearance, and the group of each annotator, -1 for none."""
    if isinstance(groups, Mapping):
        known = {str(name): group for name, group in groups.items()}
        names = [str(name) for name in annotators.tolist()]
        unknown = sorted(set(known) - set(names))
        if unknown:
            raise _checks.error("groups", "name annotators only", repr(unknown[0]))
        column: list[Any] = [known.get(name) for name in names]
    else:
        column = list(groups)
        if len(column) != len(annotators):
            raise _checks.error("groups", f"be {len(annotators)} ids, one an annotator", len(column))
    present = np.array([not _ids.is_null(group) for group in column], bool)
    if not present.any():
        raise _checks.error("groups", "have at least one annotator", "none")
    numbered = _ids.number("groups", [group for group in column if not _ids.is_null(group)])
    of_annotator = np.full(len(column), -1, np.int64)
    of_annotator[present] = numbered.code
    return numbered.ids, of_annotator


def _record(
    names: NDArray[Any], mu: Array, alpha: Array, left_out: dict[str, int], level: float, kind: str, options: dict[str, Any]
) -> GroupedDiscrepancy:
    """Of columns (N, G) of per-case parts, NaN where a case is not in a group."""
    g = len(names)
    n_cases = np.asarray((~np.isnan(mu)).sum(axis=0), np.int64)
    inside, held = ~np.isnan(mu).all(axis=1), np.flatnonzero(n_cases)
    value, interval = np.full(g, np.nan), np.full((g, 2), np.nan)
    mean_alpha, mean_mu = (np.array([mean(column) for column in table.T]) for table in (alpha, mu))
    if len(held) == 0:
        return GroupedDiscrepancy(names, value, mean_alpha, mean_mu, n_cases, interval, np.nan, (np.nan, np.nan), level, left_out)
    clusters = options["clusters"]
    options = {**options, "clusters": None if clusters is None else clusters[inside]}
    found = _with_mean(resampling.bootstrap(mu[inside][:, held], alpha[inside][:, held], **options))
    value[held] = found.estimate[:-1]
    ends = found.interval(level, kind)
    interval[held] = ends[:-1]
    both = float(ends[-1, 0]), float(ends[-1, 1])
    return GroupedDiscrepancy(names, value, mean_alpha, mean_mu, n_cases, interval, float(found.estimate[-1]), both, level, left_out, found)


def _with_mean(found: Resamples) -> Resamples:
    """The numbers and their mean behind them."""

    def more(table: Array) -> Array:
        return np.concatenate([table, table.mean(axis=-1, keepdims=True)], axis=-1)

    influence = None if found.influence is None else more(found.influence)
    with np.errstate(invalid="ignore"):
        return Resamples(more(found.estimate), more(found.values), influence, found.sources)
