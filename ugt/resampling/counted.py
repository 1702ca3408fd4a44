"""Numbers that follow from counts of labels, under every panel of annotators."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any, NamedTuple

import numpy as np

from .._base import parallel
from .._base.arrays import Array, Bools, Int64, NDArray
from .._base.ragged import offsets_of, take
from .._core import _panels
from ..annotations import Labels
from .design import Design
from .panels import Panels
from .spread import Stretch

PAIRS = 2**22  # pairs of counts and predictions that have a place each
TOGETHER = 128  # panels of one task
CLOSEST = 1e-6  # of the range: how close to an end the numbers of panels are taken to be, on a scale of logits


class OverPanels(NamedTuple):
    """A number under each of B panels, on a scale, and how far the influence of units varies over panels: Σ_u Var_b ψ_u(b)."""

    values: Array  # (B,) NaN if no case has a label
    both: float


class Counted(ABC):
    """A number of a statistic that follows from the counts of the labels of each case.

    ``labels``: those of named annotators; ``rows`` (n,): which of their cases the statistic has; None: all. ``pairs``: whether it is one
    of pairs of annotators, whose spread is that of leaving out annotators; panels, in which annotators meet themselves, add quantiles.
    """

    labels: Labels
    rows: Int64 | None
    pairs: bool

    @property
    def panels(self) -> Panels:
        """The panels of the annotators of these cases."""
        return Panels.of(self.labels, self.rows, pairs=self.pairs)

    def of_annotators(self, who: Int64) -> Counted:
        """Return the same number with panels of these annotators; the labels of all others stay as they are."""
        named = np.append(np.isin(np.arange(len(self.labels.annotators)), who), False)[self.labels.annotator]
        labels = replace(self.labels, annotator=np.where(named, self.labels.annotator, np.int32(-1)))
        return replace(self, labels=labels)  # type: ignore[type-var]

    @abstractmethod
    def over(self, kept: Bools, design: Design, stretch: Stretch, span: tuple[float, float]) -> OverPanels:
        """Return the number under each panel, on a scale; units are those of the kept cases."""

    @abstractmethod
    def less(self, other: Counted) -> Counted | None:
        """Return the difference to a number of the same kind, from the same labels; None if that is another kind."""

    def fits(self, other: Counted) -> bool:
        """Whether another number is from the same labels of the same cases."""
        pairs = [
            (getattr(self.labels, one), getattr(other.labels, one)) for one in ("annotators", "offsets", "annotator", "label", "count")
        ]
        return _same(self.rows, other.rows) and (self.labels is other.labels or all(_same(*pair) for pair in pairs))


def _same(one: NDArray[Any] | None, other: NDArray[Any] | None) -> bool:
    return one is other or (one is not None and other is not None and np.array_equal(one, other))


def on_scale(stretch: Stretch, span: tuple[float, float], values: Array) -> tuple[Array, Array]:
    """Return numbers on a scale, and its slopes there; those at an end of their range are taken to be close to it."""
    with np.errstate(divide="ignore", invalid="ignore"):
        beyond = np.isinf(stretch.to(values))
    if beyond.any():
        margin = CLOSEST * (span[1] - span[0])
        values = np.where(beyond, np.clip(values, span[0] + margin, span[1] - margin), values)
    return stretch.to(values), np.asarray(stretch.slope(values), np.float64)


@dataclass(frozen=True, eq=False)
class CountedQuotient(Counted):
    """A quotient Σ a / Σ b over cases, whose a and b follow from the counts of a case and from its prediction.

    ``alike`` returns the codes (n,) of equal predictions; None: all are taken to differ. ``of(panels, counts, case)`` returns a and b
    (P, 2) for P pairs of a position among the distinct counts of the panels and a case with the prediction.
    """

    labels: Labels
    rows: Int64 | None
    alike: Callable[[], Int64] | None
    of: Callable[[Panels, Int64, Int64], Array]
    pairs: bool = False

    def over(self, kept: Bools, design: Design, stretch: Stretch, span: tuple[float, float]) -> OverPanels:
        panels = self.panels
        kind, row, start, table = self.by_kind(panels)
        offsets, members, times = units_of_kinds(kind[kept], len(row), design)
        above, below = (np.ascontiguousarray(column) for column in table.T)
        values = _panels.Values(panels.cell, row, start, above, below, offsets, members, times)
        sums = np.empty((_panels.N_SUMS, len(panels.p)))
        values.sums(sums)
        a, b, squares, cross, others = sums
        with np.errstate(invalid="ignore", divide="ignore"):
            found = np.where(b > 0, a / b, np.nan)
            scaled, slope = on_scale(stretch, span, found)
            p = np.where(b > 0, panels.p, 0.0)
            p = p / p.sum()
            factor = np.where(b > 0, slope / b, 0.0)
        theta = np.where(b > 0, found, 0.0)
        square = p @ (factor**2 * (squares - 2 * theta * cross + theta**2 * others))
        means = np.empty(len(times))
        values.means(p * factor, -p * factor * theta, means)
        return OverPanels(scaled, max(float(square - times @ means**2), 0.0))

    def by_kind(self, panels: Panels) -> tuple[Int64, Int64, Int64, Array]:
        """Return the kind (n,) of each case, by labels and prediction; of each kind the row of labels; and a and b of its counts."""
        n = len(panels.row)
        alike = np.arange(n, dtype=np.int64) if self.alike is None else self.alike()
        n_alike = int(alike.max(initial=0)) + 1
        _, first, kind = np.unique(panels.row * n_alike + alike, return_index=True, return_inverse=True)
        row, prediction = panels.row[first], alike[first]
        sizes, at = take(panels.start, row)
        counts = panels.counts_of[at]
        pair = counts * n_alike + np.repeat(prediction, np.diff(sizes))
        case = np.empty(n_alike, np.int64)
        case[alike] = np.arange(n)
        most = len(panels.counts.offsets) * n_alike
        if most <= PAIRS:
            place = np.full(most, -1, np.int64)
            place[pair] = 0
            distinct = np.flatnonzero(place == 0)
            place[distinct] = np.arange(len(distinct))
            of_pair = place[pair]
        else:
            distinct, of_pair = np.unique(pair, return_inverse=True)
        table = self.of(panels, distinct // n_alike, case[distinct % n_alike])
        return kind.reshape(-1), row, sizes, table[of_pair.reshape(-1)]

    def less(self, other: Counted) -> Counted | None:
        if not isinstance(other, CountedQuotient) or self.pairs != other.pairs or not self.fits(other):
            return None

        def alike() -> Int64:
            assert self.alike is not None and other.alike is not None
            mine, its = self.alike(), other.alike()
            _, both = np.unique(mine * (int(its.max(initial=0)) + 1) + its, return_inverse=True)
            return np.asarray(both.reshape(-1), np.int64)

        def of(panels: Panels, counts: Int64, case: Int64) -> Array:
            one, two = self.of(panels, counts, case), other.of(panels, counts, case)
            if not np.array_equal(one[:, 1], two[:, 1]):
                raise NotAlike
            return np.stack([one[:, 0] - two[:, 0], one[:, 1]], axis=1)

        return replace(self, alike=None if self.alike is None or other.alike is None else alike, of=of)


class NotAlike(Exception):
    """Two numbers in which cases have other weights: their difference is no quotient."""


def units_of_kinds(kind: Int64, n_kinds: int, design: Design) -> tuple[Int64, Int64, Array]:
    """Return the kinds of the cases of each unit, as ragged rows, and how many units are like it; equal cases are one unit, many times."""
    if design.plain:
        times = np.bincount(kind, minlength=n_kinds).astype(np.float64)
        some = np.flatnonzero(times)
        return np.arange(len(some) + 1, dtype=np.int64), some.astype(np.int64), times[some]
    order = np.argsort(design.place_of_case, kind="stable")
    return offsets_of(np.bincount(design.place_of_case, minlength=design.n_units)), kind[order], np.ones(design.n_units)


class Area(NamedTuple):
    """A number that follows from sums over sorted scores and from masses of a class.

    ``masses(counts)`` returns (C,) masses for counts of labels, NaN: the case does not count. ``row`` (n,): cases, highest score first;
    ``last`` (n,): whether a tie group ends. ``of`` returns, for sums (N_AREAS, B), the numbers (B,) and what influences follow from (4, B).
    """

    masses: Callable[[Labels], Array]
    row: Int64
    last: NDArray[np.uint8]
    of: Callable[[Array], tuple[Array, Array]]


@dataclass(frozen=True, eq=False)
class CountedAreas(Counted):
    """An area under a curve, or the difference of two."""

    labels: Labels
    rows: Int64 | None
    areas: tuple[Area, ...]
    pairs: bool = False

    def over(self, kept: Bools, design: Design, stretch: Stretch, span: tuple[float, float]) -> OverPanels:
        panels, unit = self.panels, design.place_of_case[np.cumsum(kept) - 1].astype(np.int64)
        n, models = len(panels.p), [self._scores(panels, unit, design.n_units, one) for one in self.areas]
        totals = np.empty((len(models), _panels.N_AREAS, n))

        def add(begin: int, end: int) -> None:
            for model, out in zip(models, totals):
                model.areas(begin, end, out)

        parallel.run(add, n, TOGETHER, "panels of annotators")
        numbers, slopes = zip(*(one.of(sums) for one, sums in zip(self.areas, totals)))
        scaled, slope = on_scale(stretch, span, numbers[0] if len(models) == 1 else numbers[0] - numbers[1])
        known = np.isfinite(scaled)
        if not known.any():
            return OverPanels(scaled, np.nan)
        p = np.where(known, panels.p, 0.0) / panels.p[known].sum()
        by, square = np.stack(slopes), np.empty(n)
        by[:, 3] *= slope * np.array([[1.0], [-1.0]])[: len(models)]
        by = np.where(known, by, 0.0)

        def mean(begin: int, end: int) -> Array:
            out = np.empty(design.n_units)
            models[0].influences(models[1] if len(models) > 1 else None, by, p, begin, end, square, out)
            return out

        means = np.sum(parallel.run(mean, n, TOGETHER, "panels of annotators"), axis=0)
        return OverPanels(scaled, max(float(square @ p - means @ means), 0.0))

    @staticmethod
    def _scores(panels: Panels, unit: Int64, n_units: int, area: Area) -> _panels.Scores:
        positive = np.ascontiguousarray(area.masses(panels.counts)[panels.counts_of])
        return _panels.Scores(panels.cell, panels.start, positive, panels.row[area.row], unit[area.row], area.last, n_units)

    def less(self, other: Counted) -> Counted | None:
        if not isinstance(other, CountedAreas) or not self.fits(other) or len(self.areas) + len(other.areas) > 2:
            return None
        return replace(self, areas=(*self.areas, *other.areas))


def counted_difference(one: Any, other: Any) -> Counted | None:
    """Return the difference of two numbers that follow from counts, if it does."""
    return None if one is None or other is None else one.less(other)
