"""Weighted points of posteriors under Plackett-Luce, made when they are needed, and of groups of their classes."""

from __future__ import annotations

from contextlib import AbstractContextManager
from dataclasses import dataclass
from functools import partial
from typing import Any, Callable, NamedTuple

import numpy as np

from .._base import notices, parallel
from .._base.arrays import Array, Bools, Int32, Int64
from .._base.axes import Axes
from .._base.checks import error, room, whole
from .._base.identifiers import factorize
from .._base.lazy import cached_property
from .._base.ragged import offsets_of, sizes_of, take
from .._core import _mentioned as core
from .._core._stream import Stream
from .draws import REST, MentionedDraws
from .lists import SHIFTS, Lists, ratio
from .point import summed

LEAST_EFFECTIVE, MOST_KHAT = 400, 0.7  # effective size and k-hat of points that are relied on (Vehtari et al. 2024)
CHUNK = 16  # cases
DOUBLINGS = 2**4  # times as many points at most, where the first ones are not relied on
LEARNING = np.inf, 8, 8  # limits of a fit whose numbers are not needed
DRAWING = 2, 15  # chain and purpose of a stream
OF_A_SHIFT, N_POINTS, EFFECTIVE, KHAT, HALF = range(5)  # columns of the facts of a case


class Case(NamedTuple):
    """The points of a case: logs (n, m + 1) of the plausibilities of its m classes and of all others together, and weights (16, n / 16)."""

    row: int
    classes: Int32
    log_value: Array
    weight: Array


def numbers_of(n_classes: int, _: int, case: Case) -> tuple[Array, float]:
    """Return P(first), mean and variance (K, 3) of the classes of a case that has no others, and the largest standard error."""
    value = np.zeros((len(case.log_value), n_classes))
    value[:, case.classes] = np.exp(case.log_value[:, :-1])
    first = value == value.max(axis=1, keepdims=True)
    table = np.stack([first / first.sum(axis=1, keepdims=True), value, value**2]).reshape(3, SHIFTS, -1, n_classes)
    sums = np.moveaxis((case.weight[:, :, None] * table).sum(axis=2), 1, 2)
    number, errors = ratio(sums, case.weight.sum(axis=1), 1.0 / (case.weight**2).sum())
    return np.stack([number[0], number[1], np.maximum(number[2] - number[1] ** 2, 0.0)], axis=1), float(errors.max())


def are_unreliable(facts: Array) -> Bools:
    """Return whether points with these facts (n, 6) are not relied on."""
    size, khat = facts[:, EFFECTIVE], facts[:, KHAT]
    with np.errstate(divide="ignore", invalid="ignore"):
        return np.asarray((size < LEAST_EFFECTIVE) | (khat > np.minimum(1.0 - 1.0 / np.log10(size), MOST_KHAT)))


class Weighted:
    """What points of classes and of groups of classes have in common.

    ``facts`` (N, 6): facts on the points of each case, as the core writes them; NaN before they are needed. ``effective`` (N,): the
    effective number of points, (Σ weight)² / Σ weight²; inf without annotations.
    """

    axes: Axes
    offsets: Int64
    index: Int32
    law: tuple[float, float]  # reliability and shape
    unranked: str
    seed: int
    facts: Array
    effective: Array

    def each(self, rows: Int64, use: Callable[[int, Case], Any]) -> list[Any]:
        """Return ``use(i, points of case rows[i])`` for some cases; fits are kept, points are not."""
        raise NotImplementedError

    def draws(self, rows: Int64, n: int) -> Array:
        """Return n draws (N, n, K) of some cases, of equal weight: points, resampled systematically."""
        raise NotImplementedError

    @cached_property
    def _listed(self) -> dict[tuple[int, bool], dict[int, tuple[Int32, Array]]]:
        return {}

    @property
    def has_lists(self) -> bool:
        return bool(self._listed)

    @property
    def others(self) -> Int64:
        """The number (N,) of classes of a case that are not mentioned."""
        return np.asarray(self.axes.n_classes - sizes_of(self.offsets))

    @property
    def unreliable(self) -> Bools:
        """Whether the points of a case (N,) were made, and are not relied on."""
        return are_unreliable(self.facts)

    def spread_of_share(self, n: Any) -> Any:
        """Return the variance of Σ worth / λ over n classes that are not mentioned, divided by that of their worths."""
        return 1.0 / (n * self.law[1] + 1.0) if self.unranked == "individual" else 0.0

    def _read(self, kernel: Any, case: Case, out: Any, *more: Any, **options: bool) -> Any:
        """Run a kernel of draws on the points of a case; return ``out`` (1, …) without its first axis."""
        law = self.axes.n_classes, len(case.log_value), REST[self.unranked], self.law[1], self.seed
        key, values = self.axes.stream_keys[case.row : case.row + 1], np.ascontiguousarray(case.log_value).ravel()
        kernel(np.array([0, len(case.classes)]), case.classes, key, *law, values, 0, 1, *more, out, logs=True, **options)
        return out[0]

    def top(self, case: Case, depth: int, named: bool) -> Int32:
        """Return the best classes (n, depth) of the points of a case, -1 after the last one."""
        out: Int32 = self._read(core.mentioned_top, case, np.empty((1, len(case.log_value), depth), np.int32), named=named)
        return out

    def groups(self, case: Case, group: Int64, n_groups: int) -> Array:
        """Return the plausibilities (n, G) of groups of classes in the points of a case."""
        out: Array = self._read(core.mentioned_groups, case, np.empty((1, len(case.log_value), n_groups)), group)
        return out

    def lists(self, rows: Int64, depth: int, named: bool = False) -> Lists:
        """Return the lists of the best classes of some cases; unless ``named``, unmentioned classes have no names in them."""
        held = self._listed.setdefault((depth, named), {})
        new = np.array([row for row in dict.fromkeys(rows.tolist()) if row not in held], np.int64)
        held.update(zip(new.tolist(), self.each(new, partial(self._lists_of, depth, named))))
        found = [held[row] for row in rows.tolist()]
        room("the lists of best classes", (8.0 * SHIFTS + 4.0 * depth) * sum(len(top) for top, _ in found))
        top, weight = (np.concatenate(part) for part in zip(*found))
        sizes = np.array([len(one) for one, _ in found])
        return Lists(top, weight, offsets_of(sizes), self.effective[rows], self.others[rows], self.unreliable[rows])

    def _lists_of(self, depth: int, named: bool, _: int, case: Case) -> tuple[Int32, Array]:
        top = self.top(case, depth, named)
        code, first = factorize(top)
        place = code.astype(np.int64) * SHIFTS + np.arange(case.weight.size) // case.weight.shape[1]
        return top[first], np.asarray(np.bincount(place, case.weight.ravel(), SHIFTS * len(first)).reshape(-1, SHIFTS), np.float64)


@dataclass(frozen=True, eq=False)
class Points(Weighted):
    """The weighted points of the cases of a posterior, made when they are needed, and again when they are needed again.

    Importance sampling with two proposals, a chain of Beta variables and sectors of the orders of classes, by 16 random shifts of a
    lattice. ``limits``: the standard error at which doubling ends, and the points of the chain in a shift at first and at most.
    """

    axes: Axes
    offsets: Int64
    index: Int32
    make_stages: Callable[[], Any]
    law: tuple[float, float]
    unranked: str
    seed: int
    limits: tuple[float, int, int]
    work: Callable[[], AbstractContextManager[None]]

    def __getstate__(self) -> dict[str, Any]:
        return {name: value for name, value in self.__dict__.items() if name != "stages"}

    def __setstate__(self, state: dict[str, Any]) -> None:
        self.__dict__.update(state)

    @cached_property
    def stages(self) -> Any:
        return self.make_stages()

    @cached_property
    def starts(self) -> Int64:
        """Where the numbers of each case start (N + 1,): three of each mentioned class and of all others."""
        return np.asarray(3 * (self.offsets + np.arange(len(self.offsets))))

    @cached_property
    def fits(self) -> Array:
        """The proposals of each case, as the core writes them, where ``starts`` says."""
        return np.full(self.starts[-1], np.nan)

    @cached_property
    def facts(self) -> Array:  # type: ignore[override]
        return np.full((self.axes.n_cases, 6), np.nan)

    @property
    def effective(self) -> Array:  # type: ignore[override]
        return np.where(sizes_of(self.offsets) > 0, self.facts[:, EFFECTIVE], np.inf)

    @property
    def _law(self) -> tuple[float, float, int]:
        return *self.law, REST[self.unranked]

    def fit(self, rows: Int64, limits: tuple[float, int, int], stop: object) -> tuple[Array, Array]:
        """Fit the proposals of cases with classes; return their numbers and standard errors, [3][m + 1] case by case."""
        at = take(self.starts, rows)[1]
        fit, out, errors, facts = np.empty(len(at)), np.empty(len(at)), np.empty(len(at)), np.empty((len(rows), 6))
        done = self.stages.fit_points(self.axes.stream_keys, self._law, limits, self.seed, rows, stop, fit, out, errors, facts)
        refused = np.flatnonzero(facts[:, OF_A_SHIFT] == 0)
        if done and len(refused):
            case = self.axes.case_name(int(rows[refused[0]]))
            raise error("rankings", "have a posterior within the range of doubles", "no point with a finite weight", f"case {case}")
        self.fits[at], self.facts[rows] = fit, facts
        return out, errors

    def _fitted(self, rows: Int64, stop: object) -> tuple[Array, Int64]:
        """Return the proposals of some cases with classes, and their numbers of points of the chain in a shift."""
        new = np.unique(rows[np.isnan(self.facts[rows, OF_A_SHIFT])])
        if len(new):
            self.fit(new, LEARNING, stop)
            self.facts[new] = self.limits[1], *[np.nan] * 5
        return self.fits[take(self.starts, rows)[1]], self.facts[rows, OF_A_SHIFT].astype(np.int64)

    def each(self, rows: Int64, use: Callable[[int, Case], Any]) -> list[Any]:
        stop = np.zeros(1, np.int32)
        new = np.unique(rows[np.isnan(self.facts[rows, EFFECTIVE])])

        def part(begin: int, end: int) -> list[Any]:
            return [use(begin + i, case) for i, case in enumerate(self._made(rows[begin:end], stop))]

        with self.work():
            found = parallel.run(part, len(rows), CHUNK, "weighting points", stop)
        self.warn(new)
        return [one for some in found for one in some]

    def _made(self, rows: Int64, stop: Any) -> list[Case]:
        """Return the points of some cases; without annotations everything is in the lump."""
        n_points, n = SHIFTS * self.limits[1], sizes_of(self.offsets)[rows]
        made = [
            Case(row, self.index[:0], np.zeros((n_points, 1)), np.full((SHIFTS, self.limits[1]), 1.0 / n_points)) for row in rows.tolist()
        ]
        places = np.flatnonzero(n > 0)
        if len(places) == 0:
            return made
        filled, count = rows[places], np.zeros(len(places), np.int64)
        fit, of_shift = self._fitted(filled, stop)
        new, facts, most = np.isnan(self.facts[filled, EFFECTIVE]), np.empty((len(places), 6)), DOUBLINGS * self.limits[1]
        while True:
            self.stages.count_points(REST[self.unranked], filled, fit, of_shift, count)
            starts, values = offsets_of(count), offsets_of(count * (n[places] + 1))
            log_value, weight = np.empty(values[-1]), np.empty(starts[-1])
            self.stages.points(self.axes.stream_keys, self._law, self.seed, filled, fit, of_shift, stop, log_value, weight, facts)
            more = new & are_unreliable(facts) & (2 * of_shift <= min(most, self.limits[2]))
            if stop[0] or not more.any():
                break
            of_shift[more] *= 2
        self.facts[filled[new]] = facts[new]
        for j, (i, row) in enumerate(zip(places.tolist(), filled.tolist())):
            index, table = self.index[self.offsets[row] : self.offsets[row + 1]], log_value[values[j] : values[j + 1]]
            made[i] = Case(row, index, table.reshape(count[j], -1), weight[starts[j] : starts[j + 1]].reshape(SHIFTS, -1))
        return made

    def draws(self, rows: Int64, n: int) -> Array:
        n_each = -(-whole("n", n) // SHIFTS)
        offsets, at = take(self.offsets, rows)
        room(f"{n} draws", 8.0 * n_each * SHIFTS * (len(at) + len(rows)))
        values = np.concatenate([np.empty(0), *self.each(rows, partial(self._drawn, n_each))])
        law = n_each * SHIFTS, 1, self.unranked, self.law[1], self.seed
        return MentionedDraws(self.axes.take(rows), offsets, self.index[at], values, *law).draws(n)

    def _drawn(self, n: int, _: int, case: Case) -> Array:
        """Return n draws of each shift by systematic resampling, in random order, a draw of each shift in turn."""
        u = np.empty((SHIFTS, n + 1))
        Stream(self.seed, int(self.axes.stream_keys[case.row]), *DRAWING).uniform(u.reshape(-1))
        below = np.cumsum(case.weight, axis=1)
        places = (np.argsort(u[:, 1:], axis=1) + u[:, :1]) / n * below[:, -1:]
        of = [np.minimum(np.searchsorted(one, place, side="right"), len(one) - 1) for one, place in zip(below, places)]
        values = np.exp(case.log_value).reshape(SHIFTS, below.shape[1], -1)
        return np.asarray(values[np.arange(SHIFTS), np.array(of).T].ravel())

    def warn(self, rows: Int64) -> None:
        """Give one warning that names the cases whose points are not relied on."""
        bad = rows[self.unreliable[rows]]
        if len(bad):
            said = [
                f"case {self.axes.case_name(int(i))} ({self.facts[i, HALF]:.0f} of {self.facts[i, N_POINTS]:,.0f} points hold half of "
                f"the weight, effective size {self.facts[i, EFFECTIVE]:.0f}, k-hat {self.facts[i, KHAT]:.2f})"
                for i in bad[:3]
            ]
            more = f" and {len(bad) - 3} more" if len(bad) > 3 else ""
            notices.warn(
                f"the weighted points of {len(bad)} of {self.axes.n_cases} cases are not reliable, and errors of their numbers are NaN: "
                f"{', '.join(said)}{more}",
                stacklevel=4,
            )


class GroupedPoints(Weighted):
    """The weighted points of groups of classes, whose plausibilities are sums; each group counts as mentioned in every case."""

    unranked, law, seed = "ignore", (1.0, 1.0), 0

    def __init__(self, points: Weighted, rows: Int64, group: Int64, axes: Axes) -> None:
        self.points, self.rows, self.group, self.axes = points, rows, group, axes
        self.offsets = np.arange(axes.n_cases + 1, dtype=np.int64) * axes.n_classes
        self.index = np.tile(np.arange(axes.n_classes, dtype=np.int32), axes.n_cases)

    @property
    def facts(self) -> Array:  # type: ignore[override]
        return np.asarray(self.points.facts[self.rows])

    @property
    def effective(self) -> Array:  # type: ignore[override]
        return np.asarray(self.points.effective[self.rows])

    def each(self, rows: Int64, use: Callable[[int, Case], Any]) -> list[Any]:
        return self.points.each(self.rows[rows], partial(self._grouped, rows, use))

    def _grouped(self, rows: Int64, use: Callable[[int, Case], Any], i: int, case: Case) -> Any:
        table = self.points.groups(case, self.group, self.axes.n_classes)
        held = np.flatnonzero(table.max(axis=0) > 0).astype(np.int32)  # groups of left out classes are never among the best
        with np.errstate(divide="ignore"):
            logs = np.log(np.column_stack([table[:, held], np.zeros(len(table))]))
        return use(i, Case(int(rows[i]), held, logs, case.weight))

    def draws(self, rows: Int64, n: int) -> Array:
        return summed(self.points.draws(self.rows[rows], n), self.group)
