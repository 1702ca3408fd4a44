"""Posteriors under Plackett-Luce without draws: integrals about the most plausible class, and weighted points for all other questions."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import partial
from typing import Any, Callable, NamedTuple

import numpy as np

from .._base.arrays import Array, Bools, Int32, Int64, NDArray
from .._base.axes import Axes
from .._base.checks import TIES, error, option, room, whole
from .._base.lazy import cached_property
from .._base.ragged import dense, row_of, sizes_of, take
from .._core import _order
from .comparisons import NO_SPREAD, Comparison, law_of
from .dirichlet_comparison import best_class
from .draws import SAME_VALUE
from .lists import SHIFTS, Lists, ratio, vectors_of
from .metric import KENDALL, SET, TIED_LATTICE, TOPK, Metric
from .open_parts import LabelLoss, Parts
from .orders import Orders, Sets
from .point import Point
from .protocol import Plausibilities
from .sets import named_groups
from .weighted import EFFECTIVE, Case, GroupedPoints, Weighted, numbers_of

EMPTY, EXACT, WEIGHTED = range(3)  # how the numbers of a case were computed
USUAL = 3  # classes of the lists of best ones that are made for any question: shorter ones take as long
BYTES_OF_LISTS = 10_000.0  # of a case: those of some sixty lists


class Summary(NamedTuple):
    """How the cases of a posterior were computed: their numbers, the largest standard error, and the points of orders, if any."""

    exact: int
    weighted: int
    unreliable: int
    tolerance: float
    largest_error: float
    n_points: int
    least_effective: float


def note_of(found: list[Summary]) -> str:
    """Return the note of one or several posteriors, whose cases are counted together."""
    exact, weighted, unreliable = (sum(getattr(one, word) for one in found) for word in ("exact", "weighted", "unreliable"))
    times = f", over {len(found)} reliabilities" if len(found) > 1 else ""
    bound = f"have an error of at most {found[0].tolerance:g} in {exact:,} of {exact + weighted:,} cases{times}"
    text = f"Plackett-Luce probabilities of the most plausible class and moments {bound}"
    if weighted:
        text += f"; {weighted:,} are by weighted points (largest standard error {max(one.largest_error for one in found):.1g})"
    text += "."
    if any(one.n_points for one in found):
        least = min(one.least_effective for one in found if one.n_points)
        n_points = max(one.n_points for one in found)
        text += f" Orders, sets and groups of classes use weighted points, {n_points:,} a case (effective number at least {least:,.0f})."
    return text + (f" The points of {unreliable:,} cases are not reliable: their errors are NaN." if unreliable else "")


@dataclass(frozen=True, eq=False, repr=False)
class Integrated(Plausibilities):
    """The posterior of :func:`plackett_luce`: integrals about the most plausible class, and weighted points for orders of classes.

    Parameters
    ----------
    axes, offsets, index
        The mentioned classes of each case, as in :class:`Point`.
    listed : (E, 3) float64
        For each mentioned class the probability to be the most plausible one, and mean and variance of its plausibility.
    rest : (N, 3) float64
        The same for each class that is not mentioned.
    error : (N,) float64
        Upper bound of the error of these numbers if the case is exact, else their standard error; NaN if points are not reliable.
    how : (N,) int8
        0 for a case without annotations, 1 exact, 2 by weighted points.
    tolerance : float
        Error at which the integrals stopped.
    n_draws : int
        Number of weighted points of a case that needs no more, and of draws.
    points : Weighted
        The weighted points of all cases, made when they are needed.
    """

    axes: Axes
    offsets: Int64
    index: Int32
    listed: Array
    rest: Array
    error: Array
    how: NDArray[np.int8]
    tolerance: float
    n_draws: int
    points: Weighted
    rows: Int64 | None = None  # the cases among those of the points; None: all

    def without_empty(self) -> Integrated:
        """Return the posterior in which cases without annotations are undefined, as in every other truth model."""
        return replace(self, rest=np.where((self.how == EMPTY)[:, None], np.nan, self.rest))

    def __repr__(self) -> str:
        counts = ", ".join(f"{word}={n}" for word, n in self.counts().items() if n)
        return f"Integrated(n_cases={self.n_cases}, n_classes={self.n_classes}{', ' if counts else ''}{counts})"

    def counts(self) -> dict[str, int]:
        """Return the number of cases that are exact, and by weighted points."""
        return {word: int((self.how == number).sum()) for word, number in (("exact", EXACT), ("weighted", WEIGHTED))}

    def summary(self) -> Summary:
        """Return how the numbers were computed so far."""
        of = self.how == WEIGHTED
        sizes = self.effective_size
        made = self.points.has_lists or bool((self.how == EXACT)[~np.isnan(sizes)].any())
        least, largest = float(np.nanmin(np.append(sizes, np.inf))), float(np.nanmax(np.append(self.error[of], 0.0)))
        exact, weighted = self.counts().values()
        return Summary(exact, weighted, int(self.unreliable.sum()), self.tolerance, largest, self.n_draws if made else 0, least)

    @property
    def unreliable(self) -> Bools:
        """Whether the weighted points of a case (N,) were needed and are not reliable, so that errors are NaN."""
        return np.asarray(self.points.unreliable[self._rows])

    @property
    def effective_size(self) -> Array:
        """Effective number (N,) of weighted points of each case; NaN if they were not needed so far."""
        return np.asarray(self.points.facts[self._rows, EFFECTIVE])

    @property
    def note(self) -> str:
        return note_of([self.summary()])

    @property
    def defined(self) -> Bools:
        return ~np.isnan(self.rest[:, 0])

    @cached_property
    def _rows(self) -> Int64:
        return np.arange(self.n_cases, dtype=np.int64) if self.rows is None else self.rows

    @cached_property
    def _known(self) -> Int64:
        """The mentioned classes (E,) as row * K + class."""
        return row_of(self.offsets) * self.n_classes + self.index

    def _table(self, column: int) -> Array:
        room("a table of plausibilities", 8 * self.n_cases * self.n_classes)
        return dense(self.offsets, self.index, self.listed[:, column], self.n_classes, self.rest[:, column])

    def mean(self) -> Array:
        return self._table(1)

    def variance(self) -> Array:
        """Return the posterior variances of the plausibilities (N, K)."""
        return self._table(2)

    # ---- one class: integrals

    @property
    def standard_error(self) -> Array:
        """Standard errors (N,) of the probability of one class: 0 for exact cases."""
        return np.where(self.how == WEIGHTED, self.error, 0.0)

    def _of_sets(self, size: Any) -> Array:
        """Return upper bounds (N,) of the standard errors of sums over sets of a size: those of single classes added up."""
        listed = sizes_of(self.offsets) + 1
        return np.asarray(self.standard_error * np.maximum(np.minimum(np.minimum(size, listed), listed // 2), 1))

    def risk_error(self, risk: Array) -> Array:
        return np.asarray(np.ptp(risk) * self._of_sets(self.n_classes))

    def _role_sums(self, sets: Sets, k: int) -> Array:
        """Return (4, N): the probability to be first, summed over the certain and over the tied classes of each set, and their numbers."""
        out = np.empty((self.n_cases, 4))
        own = np.ascontiguousarray(self.listed[:, 0]), np.ascontiguousarray(self.rest[:, 0])
        _order.role_sums(self.offsets, self.index, *own, sets.offsets, sets.index, sets.role, sets.rest_role, self.n_classes, 1.0, out)
        return np.asarray(out.T)

    def _first(self, sets: Sets, size: Any) -> Comparison:
        return self._with_error(best_class(self, sets, size), self._of_sets(size))

    def _with_error(self, found: Comparison, errors: Array) -> Comparison:
        """Return a comparison with the standard error of its mean from those of cases (N,)."""
        errors = errors[self.defined]
        return replace(found, mc_error=float(np.sqrt((errors**2).sum())) / max(len(errors), 1))

    def of_best_class(self, worth: Array, *, ties: str = "expectation") -> Comparison:
        found = Comparison.of_values(worth, self.membership(1), TIED_LATTICE)
        return self._with_error(found, np.ptp(worth, axis=1) * self._of_sets(self.n_classes))

    # ---- several classes: lists of the best ones in weighted points

    def _lists(self, depth: int, named: bool = False) -> Lists:
        """Return the lists of at least ``depth`` classes; a few more classes take no more time."""
        depth = min(max(depth, USUAL), self.n_classes)
        found: Lists = self._kept.deepest(f"lists, {named}", depth, lambda: self.points.lists(self._rows, depth, named))
        return found

    def membership(self, k: int, *, ties: str = "expectation") -> Array:
        """Return the probability (N, K) that a class is among the best k: integrals for k = 1, else by weighted points."""
        option("ties", ties, TIES)
        k = whole("k", k, 1, self.n_classes)
        if k == 1:
            return self._table(0)
        own, rest = self._lists(k).membership(k, self._known, self.n_classes)
        value = dense(self.offsets, self.index, own, self.n_classes, rest)
        return np.where(self.defined[:, None], value, np.nan)

    def certainty(self, k: int, *, kind: str = "set", ties: str = "expectation") -> Array:
        if k > 1:
            return self._certain(k, kind)[0]
        most = self.rest[:, 0] * (sizes_of(self.offsets) < self.n_classes)
        with np.errstate(invalid="ignore"):  # of cases that are left out
            np.maximum.at(most, row_of(self.offsets), self.listed[:, 0])
        return np.asarray(most)

    def certainty_error(self, per_case: Array, k: int, kind: str, group: Int64 | None = None) -> Array:
        """Return the standard errors (N,): 0 for exact cases."""
        if k > 1:
            return self._certain(k, kind)[1]
        return self.standard_error if group is None else self._of_sets(np.full(self.n_cases, self.n_classes))

    def _certain(self, k: int, kind: str) -> tuple[Array, Array]:
        """Return the certainty (N,) of several classes and its standard errors."""

        def make() -> tuple[Array, Array]:
            lists = self._lists(k)
            value, errors = lists.best_sets(k) if kind == "set" else self._best_at_rank(lists, k - 1)
            return np.where(self.defined, value, np.nan), np.where(self.defined, errors, np.nan)

        found: tuple[Array, Array] = self._kept.every(("certainty", k, kind), make)
        return found

    def _best_at_rank(self, lists: Lists, rank: int) -> tuple[Array, Array]:
        """Return the highest probability of any class to have a rank, or that no plausible class has it, and its standard errors."""
        own, rest = lists.at_rank(rank, self._known, self.n_classes)
        row, n = row_of(self.offsets), self.n_cases
        none = lists.total - rest
        np.subtract.at(none, row, own)
        table = np.concatenate([own, rest / np.maximum(lists.others, 1)[:, None], none])
        of = np.concatenate([row, np.arange(n), np.arange(n)])
        best = np.lexsort((-table.sum(axis=1), of))[np.append(0, np.cumsum(np.bincount(of, minlength=n))[:-1])]
        return lists.means(table[best])

    def compare_sets(self, sets: Sets, metric: Metric, *, j: int = 1, ties: str = "expectation") -> Comparison:
        size = int(sizes_of(sets.offsets).max(initial=0))
        if j <= 1 and (metric.number == TOPK or size <= 1):
            return self._first(sets, sizes_of(sets.offsets))

        def value(lists: Point, row: Int64) -> Array:
            own: Sets = self._kept.last("sets of lists", (sets, row.tobytes()), lambda: sets.take(row))
            return lists.compare_sets(own, metric, j=j, ties=ties).per_case

        return self._by_lists(sets, max(size, j), value, metric.lattice(size or 1, float(j), ties=False))

    def compare(self, order: Orders, metric: Metric, k: int, *, parameter: float = 0.0, ties: str = "expectation") -> Comparison:
        if metric.number == TOPK and parameter <= 1:
            return self._first(order.sets(k), np.full(self.n_cases, k))
        depth = order.depth if metric.number < KENDALL and metric.number <= SET else k

        def value(lists: Point, row: Int64) -> Array:
            own: Orders = self._kept.last("orders of lists", (order, row.tobytes()), lambda: order.take(row))
            return lists.compare(own, metric, k, parameter=parameter, ties=ties).per_case

        return self._by_lists(order, depth, value, metric.lattice(k, parameter, order.has_ties))

    def _by_lists(self, given: Any, depth: int, value: Callable[[Point, Int64], Array], n_points: int) -> Comparison:
        """Return the comparison whose ``value(lists, rows)`` is a number for each list, beside given classes of each case."""

        def make() -> tuple[Lists, Point, Int64, Array]:
            lists = self._lists(depth)
            named = lists.named(given.offsets, given.index, self._known, self.n_classes)
            if named is None:
                lists = self._lists(depth, named=True)
                named = lists.top, np.arange(len(lists.top)), np.ones(len(lists.top))
            top, parent, chance = named
            return lists, vectors_of(top, self.n_classes), parent, chance

        lists, vectors, parent, chance = self._kept.last("lists beside", (given, depth), make)
        x, n = value(vectors, lists.row[parent]), len(lists.top)
        mean, errors = lists.mean(np.bincount(parent, x * chance, n))
        share = lists.weight.sum(axis=1)
        square = np.add.reduceat(share * np.bincount(parent, x**2 * chance, n), lists.offsets[:-1])
        variance = np.where(square - mean**2 > NO_SPREAD, square - mean**2, 0.0)
        # a model that ties classes has the same value in every list; 0 or 1 may be an event that no point met, or that all did
        errors = np.where((variance == 0) & (mean > SAME_VALUE) & (mean < 1 - SAME_VALUE), 0.0, errors)
        law = partial(law_of, lists.row[parent], x, share[parent] * chance, mean, variance, n_points)
        mean, variance = (np.where(self.defined, one, np.nan) for one in (mean, variance))
        return self._with_error(Comparison.independent(mean, variance, law), errors)

    # ---- plausibilities themselves

    def mass(self, sets: Sets) -> Comparison:
        row, inside = row_of(sets.offsets), np.zeros(len(self.index))
        wanted = row * self.n_classes + sets.index
        inside[np.isin(self._known, wanted)] = 1.0
        n_in = np.bincount(row, minlength=self.n_cases) - np.bincount(row_of(self.offsets), inside, self.n_cases)
        share = n_in / np.maximum(self.n_classes - sizes_of(self.offsets), 1)
        return self._linear(inside, share, share, self._of_sets(sizes_of(sets.offsets)))

    def of_class(self, worth: Array) -> Comparison:
        row, n = row_of(self.offsets), np.maximum(self.n_classes - sizes_of(self.offsets), 1)
        own = worth[row, self.index].astype(np.float64)
        first, second = ((worth**p).sum(axis=1) - np.bincount(row, own**p, self.n_cases) for p in (1.0, 2.0))
        return self._linear(own, first / n, second / n, np.ptp(worth, axis=1) * self._of_sets(self.n_classes))

    def _linear(self, own: Array, first: Array, second: Array, errors: Array) -> Comparison:
        """Return the comparison of Σ worth λ: integrals, with the spread of points.

        ``own`` (E,): worth of mentioned classes; ``first``, ``second`` (N,): means over all others of their worth and of its square.
        """
        others = (self.n_classes - sizes_of(self.offsets)).astype(np.float64)
        mean = np.bincount(row_of(self.offsets), own * self.listed[:, 1], self.n_cases) + first * others * np.nan_to_num(self.rest[:, 1])

        def variance(i: int, case: Case) -> float:
            value, weight = np.exp(case.log_value), case.weight.ravel()
            x = value @ np.append(own[self.offsets[i] : self.offsets[i + 1]], first[i])
            within = (second[i] - first[i] ** 2) * self.points.spread_of_share(others[i]) * (weight @ value[:, -1] ** 2)
            return float(weight @ x**2 - (weight @ x) ** 2 + within)

        spread = np.array(self.points.each(self._rows, variance))
        mean, spread = (np.where(self.defined, one, np.nan) for one in (mean, np.maximum(spread, 0.0)))
        return self._with_error(Comparison.independent(mean, spread), errors)

    def of_cumulative(self, law: Array, order: Int64, steps: Array, power: int, *, spread: bool = True) -> Comparison:
        predicted, everyone = np.cumsum(law[:, order], axis=1)[:, :-1], np.arange(self.n_classes, dtype=np.int64)

        def use(i: int, case: Case) -> tuple[Array, Array, float]:
            table = np.cumsum(self.points.groups(case, everyone, self.n_classes)[:, order], axis=1)[:, :-1]
            x = (np.abs(table - predicted[i]) ** power * steps).sum(axis=1).reshape(SHIFTS, -1)
            return (case.weight * x).sum(axis=1), case.weight.sum(axis=1), float((case.weight * x**2).sum())

        sums, total, square = (np.array(part) for part in zip(*self.points.each(self._rows, use)))
        mean, errors = ratio(sums, total, self.points.effective[self._rows])
        mean, variance = (np.where(self.defined, one, np.nan) for one in (mean, np.maximum(square - mean**2, 0.0)))
        return self._with_error(Comparison.independent(mean, variance), np.where(self.unreliable, np.nan, errors))

    def parts(self, loss: LabelLoss) -> Parts:
        """Return the parts of each case: the loss of the mean by integrals, less that which points leave over the one of each point."""
        mean, everyone = self.mean(), np.arange(self.n_classes, dtype=np.int64)
        worth = loss.of_label(mean)

        def use(i: int, case: Case) -> tuple[Array, Array]:
            table = self.points.groups(case, everyone, self.n_classes)
            series = np.stack([table @ worth[i], loss.least(table)])
            series = np.stack([*series, series[0] - series[1]]).reshape(3, SHIFTS, -1)
            return (case.weight * series).sum(axis=2), case.weight.sum(axis=1)

        sums, weight = (np.array(part) for part in zip(*self.points.each(self._rows, use)))
        values, errors = ratio(sums, weight[:, None, :], self.points.effective[self._rows][:, None])
        errors[self.how == EXACT, 0] = 0.0
        errors = np.where(self.unreliable[:, None], np.nan, errors)[self.defined]
        total = loss.least(mean)
        spread = np.sqrt((errors**2).sum(axis=0)) / max(len(errors), 1)
        return Parts(total, np.clip(total - values[:, 2], 0.0, total), (float(spread[0]), float(spread[1]), float(spread[2])))

    def grouped(self, groups: object, names: Any = None) -> Integrated:
        """Return the plausibilities of groups of classes, by weighted points."""
        group, own = named_groups(groups, self.axes)
        called = own if names is None else list(names)
        found: Integrated = self._kept.last("groups", (group.tobytes(), repr(called)), lambda: self._of_groups(group, called))
        return found

    def _of_groups(self, group: Int64, names: list[str] | None) -> Integrated:
        n, n_groups = self.n_cases, int(group.max()) + 1
        room("a table of groups", 32 * n * n_groups)
        points = GroupedPoints(self.points, self._rows, group, Axes.of(n, n_groups, self.ids_or_none, names))
        value, errors = (np.array(part) for part in zip(*points.each(np.arange(n, dtype=np.int64), partial(numbers_of, n_groups))))
        errors = np.where(points.unreliable, np.nan, errors)
        value[~self.defined] = np.nan
        rest = np.where(self.defined[:, None], np.zeros((n, 3)), np.nan)
        law = np.full(n, WEIGHTED, np.int8), self.tolerance, self.n_draws, points
        return Integrated(points.axes, points.offsets, points.index, value.reshape(-1, 3), rest, errors, *law)

    def draws(self, n: int, *, seed: object = 0) -> Array:
        """Return n draws (N, n, K) of equal weight, resampled from the weighted points; reject an n above their number."""
        if not 1 <= n <= self.n_draws:
            raise error("n", f"be from 1 to {self.n_draws}, the number of draws", n)
        return self.points.draws(self._rows, n)

    def bytes_to_order(self, depth: int) -> float:
        return 0.0 if depth == 1 else BYTES_OF_LISTS * self.n_cases

    def take(self, rows: Any) -> Integrated:
        offsets, at = take(self.offsets, np.asarray(rows))
        return replace(
            self, axes=self.axes.take(rows), offsets=offsets, index=self.index[at], listed=self.listed[at], rest=self.rest[rows],
            error=self.error[rows], how=self.how[rows], rows=self._rows[rows],
        )  # fmt: skip
