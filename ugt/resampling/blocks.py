"""Annotators who share no case with others, such as the readers of a site: then other annotators come with other cases."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from .._base.arrays import Array, Bools, Int32, Int64
from .._base.laws import t_quantile
from .._base.notes import Note
from .._base.ragged import row_of, sizes_of
from ..annotations.other_annotators import case_offsets
from .design import Design
from .spread import Parts, df_of, total_of, widest

NESTED = 0.95  # share of the labels that annotators give in their main cluster, from which on they are taken to be of this cluster
STRAY = 0.05  # share of the labels of all groups but the largest, up to which annotators are taken to be of one group
FEWEST = 3  # groups that show how others would differ
FEW_FOR_KAPPA = 6  # with fewer, intervals of chance-corrected agreement held in 91 to 94%
TWO_GROUPS = "annotators are in two groups without a common case, which do not show how others would differ"


def connected(case: Any, annotator: Any, n_cases: int, n_annotators: int) -> tuple[Int64, Int64]:
    """Return the number of the component of each case and annotator, joined by labels."""
    from scipy.sparse import coo_matrix  # noqa: PLC0415  (scipy is slow to import)
    from scipy.sparse.csgraph import connected_components  # noqa: PLC0415

    n = n_cases + n_annotators
    edges = coo_matrix((np.ones(len(case), np.int8), (case, n_cases + annotator)), shape=(n, n))
    found = connected_components(edges, directed=False)[1].astype(np.int64)
    return found[:n_cases], found[n_cases:]


def groups_of_cases(known: Any, kept: Bools, design: Design) -> Int64 | None:
    """Return the group (n,) of each kept case, numbered from 0; None if annotators share cases, or there are no names.

    There are none if some kept cases have no labels, either. Groups are the components of cases and annotators that labels join, and that
    clusters of cases join. If annotators give nearly all of their labels in a cluster of their own, clusters are the groups, whoever
    bridges them.
    """
    offsets, n_annotators = case_offsets(known), len(known.annotators)
    sizes = sizes_of(offsets)
    if n_annotators < 2 or _is_shared(known, offsets, sizes, kept, n_annotators):
        return None
    place = np.cumsum(kept) - 1
    row = row_of(offsets)
    used = kept[row] & (known.annotator >= 0)
    case, who = place[row[used]], known.annotator[used].astype(np.int64)
    if len(np.unique(case)) < np.count_nonzero(kept):
        return None  # cases without labels, such as those that a judge alone has scored, are of no group
    if not design.plain:
        unit = design.place_of_case.astype(np.int64)[case]
        table, n = np.unique(who * design.n_units + unit, return_counts=True)
        most = np.zeros(n_annotators)
        np.maximum.at(most, table // design.n_units, n)
        if design.n_units > 1 and most.sum() >= NESTED * len(case):
            return design.place_of_case.astype(np.int64)
        of_unit, _ = connected(unit, who, design.n_units, n_annotators)
        component = of_unit[design.place_of_case]
    else:
        component, _ = connected(case, who, design.n_cases, n_annotators)
    labels = np.bincount(component[case], minlength=int(component.max()) + 1)
    if len(case) - labels.max() <= STRAY * len(case):
        return None
    found = np.unique(component, return_inverse=True)[1].reshape(-1)
    return np.asarray(found, np.int64)


def _is_shared(known: Any, offsets: Int64, sizes: Int64, kept: Bools, n_annotators: int) -> bool:
    """Whether some case has all annotators, as most tables do."""
    for i in np.flatnonzero(kept & (sizes >= n_annotators))[:3]:
        who: Int32 = known.annotator[offsets[i] : offsets[i + 1]]
        if len(np.unique(who[who >= 0])) == n_annotators:
            return True
    return False


class GroupSpread(NamedTuple):
    """The spread of a number over groups of cases with their annotators: V is that of the jackknife over groups."""

    n_units: int
    effective: float  # groups of even sizes that would give as much, 1 / Σ a²
    left: Array  # (G,) the number without each group, on its scale

    @property
    def variance(self) -> float:
        """V = (G - 1) / G Σ (θ_(g) - mean)²."""
        n = len(self.left)
        return float((n - 1) / n * ((self.left - self.left.mean()) ** 2).sum())

    @property
    def degrees(self) -> float:
        """Degrees of freedom 1 / Σ a² - 1, at least 1, for groups with shares a of the cases [Carter, Schnepel & Steigerwald 2017]."""
        return max(self.effective - 1, 1.0)

    def half_width(self, parts: Parts, q: float) -> float:
        """Return t √V."""
        return float(t_quantile(self.degrees, q) * np.sqrt(self.variance))

    def notes(self, scale: str) -> list[Note]:
        """Return the notes on intervals over groups."""
        n, said = self.n_units, ""
        if n < FEW_FOR_KAPPA and scale == "complement":
            said = "; with so few, they held chance-corrected agreement in 91 to 94% of simulations"
        even = "" if self.effective > n - 0.05 else f" (as {self.effective:.3g} of even size)"
        words = "Annotators are in {n} groups without a common case{even}, such as sites: intervals are for other groups{said}."
        return [Note("groups_of_annotators", words, n=n, even=even, said=said)]


class WithinGroups(NamedTuple):
    """The spread of a number over other cases and annotators of the same groups: V is a sum over groups."""

    parts: Array  # (3, G): what each group adds to V_c, V_a and V_e
    n_units: Array  # (G,)
    n_annotators: Array  # (G,) with even shares of the labels that would give as many degrees of freedom
    one_by_one: bool  # whether annotators were left out one by one

    @property
    def effective(self) -> float:
        """The number of annotators of one group who would give as many degrees of freedom."""
        return 1 + float((self.n_annotators - 1).sum())

    def df(self, parts: Parts) -> float:
        """Return Satterthwaite's degrees of freedom of V."""
        cases, annotators, both = self._of(parts)
        df = df_of(cases, annotators, both, self.n_units, self.n_annotators)
        return _satterthwaite(total_of(cases, annotators, both), df, float(total_of(*parts)))

    def half_width(self, parts: Parts, q: float) -> float:
        """Return the half-width as :class:`Spread` does, each part with Satterthwaite's degrees of freedom over groups."""
        cases, annotators, both = self._of(parts)
        own, of_units, of_annotators = np.maximum(annotators - both, 0.0), self.n_units - 1, self.n_annotators - 1
        each = ((cases, of_units), (annotators, of_annotators), (own, of_annotators))
        degrees = [self.df(parts), *(_satterthwaite(values, df, values.sum()) for values, df in each)]
        return float(widest(parts, own.sum(), degrees, q))

    def _of(self, parts: Parts) -> Array:
        """Return (3, G) what groups add to these parts, which are on another scale, or 0."""
        whole = self.parts.sum(axis=1)
        times = np.divide(parts, whole, out=np.zeros(3), where=whole > 0)
        return np.asarray(self.parts * times[:, None])


def _satterthwaite(values: Array, df: Array, total: float) -> float:
    """Return the degrees of freedom of a total of variances with their own; all of them if there is no variance."""
    varied = values > 0
    return float(total**2 / (values[varied] ** 2 / df[varied]).sum()) if varied.any() else float(np.sum(df))
