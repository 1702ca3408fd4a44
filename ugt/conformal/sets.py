"""Prediction sets, with their sizes, their coverage, and their coverage within classes and groups."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np

from .. import resampling
from .._base import identifiers
from .._base.arrays import Array, Bools, Int32, Int64
from .._base.axes import Axes, OnAxes
from .._base.checks import error, option, room
from .._base.ragged import dense, sizes_of, take
from .._base.records import Record
from ..annotations import Labels, Rankings
from ..annotations.named import rows_of
from ..metrics import ua_coverage, ua_plausibility_mass
from ..plausibilities import Plausibilities, Point, as_plausibilities
from ..plausibilities.estimates import Estimate
from ..plausibilities.orders import CERTAIN, NONE, Sets
from ..plausibilities.sets import as_sets
from ..resampling import over
from ..truth import irn, votes

AGAINST = ("mass", "best", "voted")


@dataclass(frozen=True, eq=False, repr=False)
class PredictionSets(OnAxes):
    """The prediction sets of N cases, as a sequence of arrays of class positions that metrics of sets take.

    Parameters
    ----------
    axes : Axes
        Names of cases and classes.
    offsets : (N + 1,) int64
        The set of case i is ``index[offsets[i]:offsets[i + 1]]``.
    index : (E,) int32
        Class positions, ascending within a case.
    alpha : float
        Nominal error rate; NaN if unknown.

    Examples
    --------
    >>> import ugt
    >>> sets = ugt.conformal.PredictionSets.of([[0, 1], [2], []], n_classes=3)
    >>> sets
    PredictionSets(n_cases=3, n_classes=3, mean_size=1, n_empty=1)
    >>> sets.size_table()
    {'size': [0, 1, 2], 'n_cases': [1, 1, 1], 'share': [0.333..., 0.333..., 0.333...]}
    >>> ugt.metrics.ua_coverage([[0.6, 0.4, 0.0], [0.5, 0.1, 0.4], [0.0, 0.0, 1.0]], sets).per_case
    array([1., 0., 0.])
    """

    axes: Axes
    offsets: Int64
    index: Int32
    alpha: float = float("nan")

    @classmethod
    def of(cls, sets: Any, n_classes: int | None = None, *, case_ids: Any = None, alpha: float = float("nan")) -> PredictionSets:
        """Make sets from a boolean mask (N, K), integers (N, j), or N sequences of class positions with ``n_classes``.

        Raises
        ------
        ValueError
            If a class is out of range or twice in a set, or ``n_classes`` is missing.
        """
        mask = isinstance(sets, np.ndarray) and sets.dtype == bool and sets.ndim == 2
        if n_classes is None and not mask:
            raise error("n_classes", "be given unless sets are a boolean mask", None)
        given = as_sets(sets, axes := Axes.of(len(sets), sets.shape[1] if n_classes is None else n_classes, case_ids))
        return cls(axes, given.offsets, given.index, alpha)

    def __repr__(self) -> str:
        return f"PredictionSets(n_cases={self.n_cases}, n_classes={self.n_classes}, mean_size={self.mean_size:.4g}, n_empty={self.n_empty})"

    def __getitem__(self, i: int) -> Int32:
        i = range(self.n_cases)[i]
        return self.index[self.offsets[i] : self.offsets[i + 1]]

    def __iter__(self) -> Iterator[Int32]:
        return (self[i] for i in range(self.n_cases))

    def names(self, i: int) -> list[Any]:
        """Return the names of the classes in the set of case i."""
        return list(self.axes.classes[self[i]].tolist())

    def take(self, rows: object) -> PredictionSets:
        """Return the sets of some cases, by position."""
        offsets, at = take(self.offsets, np.asarray(rows))
        return PredictionSets(self.axes.take(rows), offsets, self.index[at], self.alpha)

    def mask(self) -> Bools:
        """Return (N, K) whether each class is in the set."""
        room("a table of sets", self.n_cases * self.n_classes)
        return dense(self.offsets, self.index, True, self.n_classes)

    @property
    def sizes(self) -> Int64:
        """(N,) number of classes in each set."""
        return sizes_of(self.offsets)

    @property
    def mean_size(self) -> float:
        """Mean number of classes in a set."""
        return float(self.sizes.mean())

    @property
    def n_empty(self) -> int:
        """Number of cases with an empty set."""
        return int((self.sizes == 0).sum())

    def size_table(self) -> dict[str, list[Any]]:
        """Return the number of cases with sets of each size: columns ``size`` (sizes that occur), ``n_cases`` and ``share``."""
        size, count = np.unique(self.sizes, return_counts=True)
        return {"size": size.tolist(), "n_cases": count.tolist(), "share": (count / self.n_cases).tolist()}

    def coverage(self, truth: object) -> SetCoverage:
        """Return the coverage of the sets: how much of the truth they hold.

        Parameters
        ----------
        truth : Point, Dirichlet, Draws, Labels, Rankings, or array (N, K) or (N, draws, K)
            Truth of the same cases, in the same order. Labels count by their shares, rankings by inverse rank normalisation.

        Returns
        -------
        SetCoverage
            Coverage of the plausibility mass, of the most plausible class and of the voted label.

        Raises
        ------
        ValueError, TypeError
            If the truth is of other cases or classes, or of another kind.
        """
        post, voted = self._read(truth)
        sets = Sets(self.offsets, self.index, np.full(len(self.index), CERTAIN, np.int8), np.full(len(self), NONE, np.int8), self.n_classes)
        of_truth = ua_plausibility_mass(post, sets), ua_coverage(post, sets)
        return SetCoverage(*of_truth, ua_coverage(voted, sets), self.mean_size, self.n_empty)

    def coverage_by_class(
        self,
        truth: object,
        *,
        against: str = "mass",
        level: float | None = 0.95,
        clusters: object = None,
        n_resamples: int = 1000,
        seed: resampling.Seed = 0,
    ) -> dict[str, list[Any]]:
        """Return the coverage of each class, Σ_i λ_ik 1[k ∈ C_i] / Σ_i λ_ik: how often the set holds k, given that k is the drawn label.

        Parameters
        ----------
        truth
            As for :meth:`coverage`.
        against : {"mass", "voted"}
            Whether λ are expected plausibilities or the voted label (tied classes share it).
        level : float or None
            Level of bootstrap intervals over cases or clusters; None leaves them out, which is faster for many classes.
        clusters : (N,) ids, mapping of case id to id, or (case ids, ids), optional
            Clusters of cases, which are resampled as a whole. An array is in the order of the cases; the other forms are joined by case id.
        n_resamples, seed
            As for :func:`bootstrap`.

        Returns
        -------
        dict of columns
            ``class``, ``weight`` (Σ_i λ_ik, in cases), ``coverage`` (NaN for a class without weight), ``low``, ``high``.
        """
        option("against", against, ("mass", "voted"))
        post, voted = self._read(truth)
        weight = np.nan_to_num((post if against == "mass" else voted).mean(), nan=0.0)
        held = np.where(self.mask(), weight, 0.0)
        return self._table("class", self.axes.classes.tolist(), held, weight, level, clusters, n_resamples, seed)

    def coverage_by_group(
        self,
        truth: object,
        groups: object,
        *,
        against: str = "mass",
        level: float | None = 0.95,
        clusters: object = None,
        n_resamples: int = 1000,
        seed: resampling.Seed = 0,
    ) -> dict[str, list[Any]]:
        """Return the coverage within groups of cases, such as hospitals, or sizes of sets (``groups=sets.sizes``).

        Parameters
        ----------
        truth
            As for :meth:`coverage`.
        groups : (N,) ids
            Group of each case, as integers or strings.
        against : {"mass", "best", "voted"}
            Coverage of :meth:`coverage` that is averaged.
        level, clusters, n_resamples, seed
            As for :meth:`coverage_by_class`.

        Returns
        -------
        dict of columns
            ``group`` (in order of first appearance), ``weight`` (cases with a truth), ``coverage``, ``low``, ``high``.
        """
        per_case = getattr(self.coverage(truth), option("against", against, AGAINST)).per_case
        ids = resampling.ids_of_cases("groups", groups, self.n_cases, self.axes.case_ids)
        column = identifiers.number("groups", ids)
        known = ~np.isnan(per_case)
        weight = (column.code[:, None] == np.arange(len(column.ids))) & known[:, None]
        held = np.where(weight, np.where(known, per_case, 0.0)[:, None], 0.0)
        return self._table("group", column.ids.tolist(), held, weight.astype(np.float64), level, clusters, n_resamples, seed)

    def _table(
        self, heading: str, names: list[Any], held: Array, weight: Array, level: float | None, clusters: Any, n_resamples: int, seed: Any
    ) -> dict[str, list[Any]]:
        """Return the table of coverage Σ held / Σ weight of every column, with intervals."""
        total = weight.sum(axis=0)
        found = {heading: names, "weight": total.tolist(), "coverage": over(held.sum(axis=0), total).tolist()}
        if level is None:
            return found
        level = resampling.check_level(level)
        ids = None if clusters is None else resampling.ids_of_cases("clusters", clusters, self.n_cases, self.axes.case_ids)
        low, high = resampling.bootstrap(held, weight, clusters=ids, n_resamples=n_resamples, seed=seed).interval(level).T
        return {**found, "low": low.tolist(), "high": high.tolist()}

    def _read(self, truth: object) -> tuple[Plausibilities, Point]:
        """Return the truth as plausibilities, and the voted label."""
        if isinstance(truth, (Labels, Rankings)):
            truth = votes(truth, kind="mean") if isinstance(truth, Labels) else irn(truth)
        post = as_plausibilities(truth)
        if (post.n_cases, post.n_classes) != (self.n_cases, self.n_classes):
            must = f"be of {self.n_cases} cases and {self.n_classes} classes like the sets"
            raise error("truth", must, f"{post.n_cases} cases and {post.n_classes} classes")
        if (rows := rows_of("truth", post.axes, self.axes)) is not None:
            post = post.take(rows)
        mean = post.mean()
        with np.errstate(invalid="ignore"):  # the voted label is the class of the highest expected plausibility; tied classes share it
            best = (mean >= mean.max(axis=1, keepdims=True) - 1e-12).astype(np.float64)
        best[np.isnan(mean).any(axis=1)] = np.nan
        return post, Point.from_array(best)


@dataclass(frozen=True, eq=False, repr=False)
class SetCoverage(Record):
    """The coverage of prediction sets in three readings of an uncertain truth, each with intervals over cases or clusters.

    Attributes
    ----------
    mass : Estimate
        Plausibility in the set, E Σ_{k in C} λ_k: how often a label drawn from the truth is in the set. Conformal prediction
        guarantees this coverage.
    best : Estimate
        How often the set holds the most plausible class of a drawn truth.
    voted : Estimate
        How often the set holds the voted label, or the class of the highest expected plausibility.
    mean_size : float
        Mean number of classes in a set.
    n_empty : int
        Cases with an empty set.

    Examples
    --------
    >>> import ugt
    >>> sets = ugt.conformal.PredictionSets.of([[0, 1], [2]], n_classes=3)
    >>> found = sets.coverage(ugt.Labels.from_counts([[6, 2, 2], [5, 0, 5]]))
    >>> found.mass.value, found.voted.value
    (0.65, 0.75)
    >>> [row["against"] for row in found.table(n_resamples=100)]
    ['mass', 'best', 'voted']
    """

    mass: Estimate
    best: Estimate
    voted: Estimate
    mean_size: float
    n_empty: int

    def table(
        self, level: float = 0.95, *, clusters: object = None, n_resamples: int = 1000, seed: resampling.Seed = 0
    ) -> list[dict[str, Any]]:
        """Return one row per coverage: ``value``, interval over cases or clusters (``low``, ``high``), interval over draws of the truth
        (``draw_low``, ``draw_high``), ``n_cases``.
        """
        rows = []
        for name, one in (("mass", self.mass), ("best", self.best), ("voted", self.voted)):
            ends = one.interval(level, clusters=clusters, n_resamples=n_resamples, seed=seed) + one.draw_interval(level)
            named = dict(zip(("low", "high", "draw_low", "draw_high"), ends))
            rows.append({"against": name, "value": one.value, **named, "n_cases": one.n_cases})
        return rows
