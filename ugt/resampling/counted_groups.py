"""The difference of a quotient between two groups of cases, under every panel of annotators."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import NamedTuple

import numpy as np

from .._base.arrays import Array, Bools, Int64
from .._core import _panels
from ..annotations import Labels
from .counted import Counted, CountedQuotient, OverPanels, on_scale, units_of_kinds
from .design import Design
from .panels import Panels
from .spread import Stretch

GROUPS = 0, 1  # the first and the second; other cases are in group 2


class _Cells(NamedTuple):
    """The kinds of cases with the places of their values, and units: what sums over panels share."""

    panels: Panels
    row: Int64
    start: Int64
    units: tuple[Int64, Int64, Array]

    def values(self, one: Array, other: Array) -> _panels.Values:
        return _panels.Values(self.panels.cell, self.row, self.start, one, other, *self.units)

    def products(self, one: Array, other: Array) -> Array:
        """Return the sums (B,) over units of x y, with x and y the sums over the cases of a unit."""
        return np.asarray(_sums(self.values(one, other), len(self.panels.p))[3])


class _Group(NamedTuple):
    """The quotient θ of a group under each panel (B,): the sums of its units, and the factor s / Σ b of their influences."""

    values: _panels.Values
    times: Array
    sums: Array
    theta: Array
    by: Array

    @property
    def square(self) -> Array:
        """The sums (B,) of the squares of influences."""
        _, _, squares, cross, others = self.sums
        return np.asarray(self.by**2 * (squares - 2 * self.theta * cross + self.theta**2 * others))

    def means(self, p: Array) -> Array:
        """Return the mean influence of each unit over panels."""
        found = np.empty(len(self.times))
        self.values.means(p * self.by, -p * self.by * self.theta, found)
        return found


def _sums(values: _panels.Values, n_panels: int) -> Array:
    found = np.empty((_panels.N_SUMS, n_panels))
    values.sums(found)
    return found


@dataclass(frozen=True, eq=False)
class CountedGroups(Counted):
    """A quotient Σ a / Σ b over the cases of group 0, less that over the cases of group 1; others are in group 2."""

    labels: Labels
    rows: Int64 | None
    whole: CountedQuotient
    group: Int64
    pairs: bool = False

    def _alike(self) -> Int64:
        """Return codes (N,) that are equal for cases of one group with equal predictions."""
        alike = np.arange(len(self.group), dtype=np.int64) if self.whole.alike is None else self.whole.alike()
        return np.asarray(3 * alike + self.group, np.int64)

    def over(self, kept: Bools, design: Design, stretch: Stretch, span: tuple[float, float]) -> OverPanels:
        panels = self.panels
        kind, row, start, table = replace(self.whole, alike=self._alike).by_kind(panels)
        of_kind, columns = np.empty(len(row), np.int64), np.ascontiguousarray(table.T)
        of_kind[kind] = self.group
        here = [kept & (self.group == one) if design.plain else kept for one in GROUPS]  # units that may have cases in both are all needed
        cells = [_Cells(panels, row, start, units_of_kinds(kind[some], len(row), design)) for some in here]
        parts = [np.where(np.repeat(of_kind, np.diff(start)) == one, columns, 0.0) for one in GROUPS]
        values = [own.values(*part) for own, part in zip(cells, parts)]
        sums = [_sums(one, len(panels.p)) for one in values]
        known = (sums[0][1] > 0) & (sums[1][1] > 0)
        p = np.where(known, panels.p, 0.0)
        p = p / p.sum() if known.any() else p
        theta = [np.divide(one[0], one[1], out=np.zeros(len(p)), where=known) for one in sums]
        scaled, slope = on_scale(stretch, span, np.where(known, theta[0] - theta[1], np.nan))
        by = [np.divide(slope, one[1], out=np.zeros(len(p)), where=known) for one in sums]
        first, second = (_Group(own, cell.units[2], *rest) for own, cell, *rest in zip(values, cells, sums, theta, by))
        square, means = first.square + second.square, (first.means(p), second.means(p))
        if design.plain:
            less = sum(float(one.times @ mean**2) for one, mean in zip((first, second), means))
        else:
            square -= 2 * first.by * second.by * _shared(cells[0], parts, theta)
            less = float(first.times @ (means[0] - means[1]) ** 2)
        return OverPanels(scaled, max(float(p @ square) - less, 0.0))

    def less(self, other: Counted) -> Counted | None:
        return None


def _shared(cells: _Cells, parts: Sequence[Array], theta: Sequence[Array]) -> Array:
    """Return Σ (a - θ b) (c - η d) over units (B,), for the columns a, b of one group and c, d of the other."""
    (a, b), (c, d) = parts
    ac, ad, bc, bd = (cells.products(*pair) for pair in ((a, c), (a, d), (b, c), (b, d)))
    return np.asarray(ac - theta[1] * ad - theta[0] * bc + theta[0] * theta[1] * bd)
