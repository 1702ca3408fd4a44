"""Plausibilities as known vectors, and those with one vector per case (``Point``)."""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from typing import Callable

import numpy as np

from .._base import parallel
from .._base.arrays import Array, Bools, Int32, Int64
from .._base.axes import Axes, owned
from .._base.checks import TIES, error, option, room, whole
from .._base.identifiers import as_array
from .._base.lazy import cached_property
from .._base.ragged import dense, offsets_of, row_of, sizes_of, take
from .._core import _order
from .comparisons import Comparison
from .made_of import MadeOf
from .metric import KENDALL, SET, TOPK, Metric
from .open_parts import LabelLoss, Parts
from .orders import CERTAIN, TIED, Orders, Sets
from .protocol import Plausibilities
from .sets import best_sets, heaviest, named_groups

NO_TABLE = "hold finite numbers of at least 0 with finite sums above 0 (or NaN for a whole case)"
CHUNK, VECTORS = 512, 16_384  # least number of cases, and of their vectors, that are compared at a time
CELLS = 2**22  # plausibilities in memory at a time


class Vectors(Plausibilities):
    """The plausibilities of known vectors, which subclasses hold."""

    axes: Axes
    n_draws: int

    def _make_orders(self, depth: int, ties: str) -> Orders:
        raise NotImplementedError

    def _is_zero_tail(self) -> Bools:
        """Return whether the lowest plausibility of each vector (N * draws,) is 0."""
        raise NotImplementedError

    def _orders(self, depth: int, ties: str = "expectation") -> Orders:
        found: Orders = self._kept.every((depth, ties), lambda: self._make_orders(depth, ties))
        return found

    def membership(self, k: int, *, ties: str = "expectation") -> Array:
        return self._membership(whole("k", k, 1, self.n_classes), option("ties", ties, TIES), zeros=True)

    def _membership(self, k: int, ties: str, zeros: bool) -> Array:
        """Return :meth:`membership`; without ``zeros`` classes of plausibility 0 are never among the best."""
        room("a table of probabilities", 16 * self.n_cases * self.n_classes)
        sets = self._orders(k, ties).sets(k)
        row, (weight, rest) = row_of(sets.offsets), sets.shares(k)
        if not zeros:
            rest = np.where(self._is_zero_tail(), 0.0, rest)
        case = np.arange(self.n_cases * self.n_draws, dtype=np.int64) // self.n_draws
        total = np.repeat(np.bincount(case, rest, self.n_cases)[:, None], self.n_classes, axis=1).astype(np.float64)
        np.add.at(total, (case[row], sets.index), weight - rest[row])
        total /= self.n_draws
        total[~self.defined] = np.nan
        return total

    def compare_sets(self, sets: Sets, metric: Metric, *, j: int = 1, ties: str = "expectation") -> Comparison:
        if metric.number == TOPK and j == 1:
            return self._coverage(sets, ties)
        size = sizes_of(sets.offsets)
        per_case, per_draw = np.where(self.defined, 0.0, np.nan), np.zeros(self.n_draws)
        least = j if metric.number == TOPK else 1
        for k in np.unique(size[self.defined & (size >= least)]).tolist():
            rows = np.flatnonzero(self.defined & (size == k))
            some = sets.take(rows)  # the best k as one bucket of ties
            order = Orders(some.offsets, some.index, np.zeros(len(some.index), np.int32), self.n_classes, k)
            values, sums = self.take(rows)._compare(order, metric.number, k, float(j), ties)
            column = _order.column(metric.number, k, k)
            per_case[rows] = values[:, column]
            per_draw += sums[:, column]
        return self._of_draws(per_case, per_draw)

    def _coverage(self, sets: Sets, ties: str) -> Comparison:
        """Return the comparison of whether the best class is in the set."""
        best = self._orders(1, ties).sets(1)
        row = row_of(best.offsets)
        case = np.arange(self.n_cases * self.n_draws, dtype=np.int64) // self.n_draws
        room("the best classes", 17 * len(best.index))
        hit = _located(row_of(sets.offsets) * self.n_classes + sets.index, case[row] * self.n_classes + best.index)[1]
        unlisted = sizes_of(sets.offsets)[case] - np.bincount(row[hit], minlength=len(case))
        certain, tied = (
            np.bincount(row[hit], best.role[hit] == role, len(case)) + np.where(best.rest_role == role, unlisted, 0)
            for role in (CERTAIN, TIED)
        )
        return self._spread(certain + tied / np.maximum(best.count(TIED), 1))

    def of_best_class(self, worth: Array, *, ties: str = "expectation") -> Comparison:
        best = self._orders(1, ties).sets(1)
        row, (share, rest) = row_of(best.offsets), best.shares(1)
        case = np.arange(self.n_cases * self.n_draws, dtype=np.int64) // self.n_draws
        listed = worth[case[row], best.index]
        unlisted = worth.sum(1)[case] - np.bincount(row, listed, len(case))
        return self._spread(np.bincount(row, share * listed, len(case)) + rest * unlisted)

    def of_class(self, worth: Array) -> Comparison:
        return self._each(lambda values, rows: (values * worth[rows, None, :]).sum(2))

    def parts(self, loss: LabelLoss) -> Parts:
        """Return the parts of each case: means over draws, and the loss of the mean of the draws, which is that of each draw on average."""
        mean = self.mean()
        worth, total = loss.of_label(mean), loss.least(mean)
        known = self._each(lambda values, rows: loss.least(values))
        excess = self._each(lambda values, rows: (values * worth[rows, None, :]).sum(2) - loss.least(values))
        return Parts(total, np.minimum(known.per_case, total), (self.of_class(worth).mc_error, known.mc_error, excess.mc_error))

    def of_cumulative(self, law: Array, order: Int64, steps: Array, power: int, *, spread: bool = True) -> Comparison:
        predicted = np.cumsum(law[:, order], axis=1)[:, None, :-1]

        def distance(values: Array, rows: slice) -> Array:
            return np.asarray((np.abs(np.cumsum(values[..., order], axis=2)[..., :-1] - predicted[rows]) ** power * steps).sum(2))

        return self._each(distance)

    def _each(self, of: Callable[[Array, slice], Array]) -> Comparison:
        """Return the comparison with ``of(plausibilities (n, draws, K), rows)`` (n, draws), computed for some cases at a time."""
        found, step = np.empty((self.n_cases, self.n_draws)), max(1, CELLS // (self.n_draws * self.n_classes))
        for begin in range(0, self.n_cases, step):
            rows = slice(begin, min(begin + step, self.n_cases))
            found[rows] = of(self.take(np.arange(rows.start, rows.stop, dtype=np.int64)).draws(self.n_draws), rows)
        return self._spread(found.reshape(-1))

    def mass(self, sets: Sets) -> Comparison:
        row = row_of(sets.offsets)
        return self._spread(np.stack([self._mass_of_draw(d, sets, row) for d in range(self.n_draws)], 1).reshape(-1))

    def _mass_of_draw(self, draw: int, sets: Sets, row: Int64) -> Array:
        raise NotImplementedError

    def _spread(self, values: Array) -> Comparison:
        """Return the comparison with one value for each case and draw."""
        table = np.where(self.defined[:, None], values.reshape(self.n_cases, self.n_draws), np.nan)
        return self._of_draws(table.mean(1), table[self.defined].sum(0))

    def _compare(self, order: Orders, number: int, k: int, parameter: float, ties: str) -> tuple[Array, Array]:
        """Return the values of the comparison of each case with an order, and the sums over cases for each draw."""

        def make() -> tuple[Array, Array]:
            truth, width = self._orders(k, ties), _order.width(number, k)
            room(f"a comparison of the best {k}", 8 * (self.n_cases + self.n_draws) * width)
            per_case = np.empty((self.n_cases, width))
            defined = np.ascontiguousarray(self.defined, np.uint8)

            def part(begin: int, end: int) -> Array:
                per_draw = np.zeros((self.n_draws, width))
                _order.compare(
                    truth.offsets, truth.index, truth.start, order.offsets, order.index, order.start, defined,
                    begin, end, self.n_draws, self.n_classes, k, number, parameter, per_case, per_draw,
                )  # fmt: skip
                return per_draw

            parts = parallel.run(part, self.n_cases, max(CHUNK, VECTORS // self.n_draws), "comparing orders")
            return per_case, parts[0] if len(parts) == 1 else sum(parts, np.zeros((self.n_draws, width)))

        found: tuple[Array, Array] = self._kept.last("top-k" if number == TOPK else "comparison", (order, number, k, parameter, ties), make)
        return found

    def compare(self, order: Orders, metric: Metric, k: int, *, parameter: float = 0.0, ties: str = "expectation") -> Comparison:
        number = SET if SET < metric.number < KENDALL else metric.number  # list metrics one by one, others for every k
        depth = order.depth if number < KENDALL else k
        per_case, per_draw = self._compare(order, number, depth, parameter, ties)
        column, most = _order.column(metric.number, k, depth), metric.most(k, parameter)
        return self._of_draws(per_case[:, column] / most, per_draw[:, column] / most)

    def _of_draws(self, per_case: Array, sums: Array) -> Comparison:
        """Return the comparison with values (N,), and sums over cases (draws,) for each draw."""
        raise NotImplementedError

    def certainty(self, k: int, *, kind: str = "set", ties: str = "expectation") -> Array:
        if kind == "rank":
            here = self._membership(k, ties, zeros=False)
            here = here - self._membership(k - 1, ties, zeros=False) if k > 1 else here
            return np.asarray(np.maximum(here.max(1), 1.0 - here.sum(1)))  # or the certainty that no plausible class has this rank
        sets = self._orders(k, ties).sets(k)
        if self.n_draws == 1 and not (sets.role == TIED).any() and not (sets.rest_role == TIED).any():
            return np.where(self.defined, 1.0, np.nan)  # one vector without ties is certain
        return np.where(self.defined, self._hits(k, ties).sum(1) / self.n_draws, np.nan)

    def _hits(self, k: int, ties: str = "expectation") -> Array:
        """Return the probability (N, draws) over random tie-breaking that the best k are the most frequent set of the case."""

        def make() -> Array:
            case = np.repeat(np.arange(self.n_cases), self.n_draws)
            wanted = np.repeat(self.defined, self.n_draws)
            sets = self._orders(k, ties).sets(k)
            row, members, weight = best_sets(sets, k, self._is_zero_tail(), wanted, lambda row: self.axes.case_name(int(case[row])))
            first = heaviest(case[row], members, weight, self.n_classes)
            return np.asarray(np.bincount(row[first], weight[first], len(case)), np.float64).reshape(self.n_cases, self.n_draws)

        found: Array = self._kept.last("hits", (k, ties), make)
        return found


def _located(keys: Int64, wanted: Int64) -> tuple[Int64, Bools]:
    """Return the position of each wanted number among the keys, and whether it is among them."""
    order = np.argsort(keys, kind="stable")
    at = np.append(order, len(keys))[np.searchsorted(keys, wanted, sorter=order)]
    return at, np.append(keys, -1)[at] == wanted


def check_table(array: object, argument: str, n_dims: int) -> tuple[Array, Array, Bools | None]:
    """Return a table of plausibilities (…, K) after checks, its sums (…, 1), and which cases are undefined (all NaN; None: no case)."""
    table = as_array(array)
    if table.dtype.kind not in "fiu" or table.ndim != n_dims or 0 in table.shape:
        shape = "(N, K)" if n_dims == 2 else "(N, draws, K)"
        raise error(argument, f"be an array of numbers of shape {shape}", f"{table.dtype} of shape {table.shape}")
    copied = not table.flags.c_contiguous or table.dtype != np.float64
    room(argument, 8 * (copied + 1) * table.size)  # the reader makes another copy
    table = np.ascontiguousarray(table, np.float64)
    flat = table.reshape(len(table), -1)
    with np.errstate(over="ignore", invalid="ignore"):  # an infinite sum is rejected below
        total = table.sum(-1, keepdims=True)
        if flat.min() >= 0 and total.min() > 0 and total.max() < np.inf:  # false if any value is NaN
            return table, total, None
    undefined = np.isnan(flat).all(1)
    bad = ~undefined & ~(np.isfinite(flat).all(1) & (flat >= 0).all(1))
    bad |= ~undefined & ~((total > 0) & np.isfinite(total)).reshape(len(table), -1).all(1)
    if bad.any():
        i = int(np.argmax(bad))
        raise error(argument, NO_TABLE, flat[i][:8], f"row {i}")
    return table, total, undefined


@dataclass(frozen=True, eq=False, repr=False)
class Point(Vectors):
    """The certain plausibilities: one vector per case, such as from majority voting or inverse ranks.

    Parameters
    ----------
    axes : Axes
        Names of cases and classes.
    offsets : (N + 1,) int64
        Row i of the ragged arrays is ``offsets[i]`` to ``offsets[i + 1]``.
    index : (E,) int32
        Class positions, ascending within a case.
    value : (E,) float64
        Plausibilities, positive, which add up to 1 within a case. Unlisted classes have 0; a case without entries is undefined.
    made_of : optional
        The annotations and the function behind the truth, set by the functions that aggregate annotations.

    Examples
    --------
    >>> point = Point.from_array([[0.5, 0.5, 0.0], [0.2, 0.3, 0.5]])
    >>> point.membership(1)
    array([[0.5, 0.5, 0. ],
           [0. , 0. , 1. ]])
    """

    axes: Axes
    offsets: Int64
    index: Int32
    value: Array
    made_of: MadeOf | None = field(default=None, repr=False)

    n_draws = 1
    is_certain = True

    @classmethod
    def from_array(cls, array: object, *, case_ids: object = None, classes: object = None) -> Point:
        """Return the plausibilities of a table (N, K) of numbers of at least 0; rows are divided by their sums (NaN: undefined)."""
        table, total, undefined = check_table(array, "plausibilities", 2)
        if undefined is not None:
            table = np.where(undefined[:, None], 0.0, table)
        at = table.reshape(-1).nonzero()[0]
        row, column = np.divmod(at, table.shape[1])
        arrays = offsets_of(np.bincount(row, minlength=len(table))), column.astype(np.int32), table.take(at) / total.take(row)
        offsets, index, value = owned(*arrays)
        return cls(Axes.of(len(table), table.shape[1], case_ids, classes), offsets, index, value)

    @cached_property
    def defined(self) -> Bools:
        defined = self.offsets[1:] > self.offsets[:-1]
        defined.flags.writeable = False
        return defined

    def _make_orders(self, depth: int, ties: str) -> Orders:
        return Orders.from_ragged(self.offsets, self.index, self.value, self.n_classes, depth, ties)

    def _is_zero_tail(self) -> Bools:
        return sizes_of(self.offsets) < self.n_classes

    def _of_draws(self, per_case: Array, sums: Array) -> Comparison:
        return Comparison(per_case, 0.0 if np.count_nonzero(self.defined) else float("nan"))

    def mean(self) -> Array:
        """Return the plausibilities (N, K); NaN for an undefined case."""
        room("a table of plausibilities", 8 * self.n_cases * self.n_classes)
        return dense(self.offsets, self.index, self.value, self.n_classes, np.where(self.defined, 0.0, np.nan))

    def _mass_of_draw(self, draw: int, sets: Sets, row: Int64) -> Array:
        at, listed = _located(row_of(self.offsets) * self.n_classes + self.index, row * self.n_classes + sets.index)
        return np.where(self.defined, np.bincount(row, np.where(listed, np.append(self.value, 0.0)[at], 0.0), self.n_cases), np.nan)

    def grouped(self, groups: object, names: object = None) -> Point:
        group, own = named_groups(groups, self.axes)
        return Point.from_array(summed(self.mean(), group), case_ids=self.ids_or_none, classes=own if names is None else names)

    def take(self, rows: object) -> Point:
        offsets, at = take(self.offsets, np.asarray(rows))
        made_of = None if self.made_of is None else self.made_of.take(rows)
        return Point(self.axes.take(rows), offsets, self.index[at], self.value[at], made_of)

    def draws(self, n: int, *, seed: object = 0) -> Array:
        """Return the vector of each case n times, (N, n, K)."""
        n = whole("n", n)
        room(f"{n} draws of all plausibilities", 8 * self.n_cases * n * self.n_classes)
        return np.repeat(self.mean()[:, None, :], n, axis=1)


def summed(table: Array, group: Int64) -> Array:
    shape = (*table.shape[:-1], int(group.max()) + 1)
    room("a table of groups", 8 * math.prod(shape))
    out = np.zeros(shape)
    for k, g in enumerate(group):
        out[..., g] += table[..., k]
    return out
