"""Plausibilities as draws: of all classes, from other software; or of the classes that annotators mentioned and the lump of the others."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from .._base import parallel
from .._base.arrays import Array, Bools, Int32, Int64, NDArray
from .._base.axes import Axes
from .._base.checks import error, room, whole
from .._base.identifiers import factorize
from .._base.lazy import cached_property
from .._base.ragged import dense, offsets_of, sizes_of, take
from .._core import _mentioned as core
from ..resampling import over
from . import diagnostics
from .comparisons import Comparison
from .orders import TIED, Orders, Sets
from .point import Vectors, check_table, summed
from .sets import named_groups

CHUNK = 64
SAME_VALUE = 1e-12  # a smaller difference between means over cases is rounding
REST = {"ignore": 0, "individual": 1, "lump": 2}  # as in ugt.h


class Draws(Vectors):
    """The sampled plausibilities: draw j of all cases is one sample of the whole data set.

    :meth:`from_array` makes them from draws (N, draws, K), and so does :func:`plackett_luce`, which keeps only draws of the mentioned
    classes and of the lump of all others.

    Examples
    --------
    >>> draws = Draws.from_array([[[0.6, 0.4], [0.3, 0.7], [0.2, 0.8]]])
    >>> draws
    Draws(n_cases=1, n_draws=3, n_classes=2)
    >>> draws.label_probability([[1]]).round(3)
    array([0.667])
    """

    n_chains: int
    is_sampled = True

    @classmethod
    def from_array(cls, array: object, *, case_ids: object = None, classes: object = None) -> Draws:
        """Return draws (N, draws, K) from other software; vectors are divided by their sums, cases of NaN are undefined."""
        table, total, _ = check_table(array, "draws", 3)
        return DenseDraws(Axes.of(len(table), table.shape[2], case_ids, classes), over(table, total))

    def __repr__(self) -> str:
        return f"Draws(n_cases={self.n_cases}, n_draws={self.n_draws}, n_classes={self.n_classes})"

    def _of_draws(self, per_case: Array, sums: Array) -> Comparison:
        per_draw = sums / (int(np.count_nonzero(self.defined)) or np.nan)
        spread, error = float(per_draw.std()), self.mean_error(per_draw)
        if np.ptp(per_draw) < SAME_VALUE:
            spread, error = 0.0, 0.0 * error  # NaN for too few draws remains NaN
        return Comparison(per_case, spread, error, per_draw)

    def mean_error(self, per_draw: Array) -> float:
        """Return the Monte Carlo standard error of the mean of a value over draws, by the effective number of draws in their chains."""
        if self.n_draws < 2 or np.isnan(per_draw).any():
            return float("nan")
        return float(diagnostics.mcse_mean(np.ascontiguousarray(per_draw.reshape(1, self.n_chains, -1)))[0])

    def certainty_error(self, per_case: Array, k: int, kind: str, group: Int64 | None = None) -> Array:
        """Return the Monte Carlo standard errors (N,) of frequencies over draws."""
        return np.asarray(np.sqrt(per_case * (1.0 - per_case) / self.n_draws))

    def draws(self, n: int, *, seed: object = 0) -> Array:
        """Return the first n draws (N, n, K); reject an n above the number of draws."""
        if not 1 <= n <= self.n_draws:
            raise error("n", f"be from 1 to {self.n_draws}, the number of draws", n)
        return self._values()[:, :n]

    def _values(self) -> Array:
        raise NotImplementedError

    def grouped(self, groups: object, names: object = None) -> Draws:
        """Return the plausibilities of groups of classes: sums over each group, draw by draw."""
        group, own = named_groups(groups, self.axes)
        table = self._grouped(group)
        return DenseDraws(Axes.of(self.n_cases, table.shape[2], self.ids_or_none, own if names is None else names), table, self.n_chains)

    def _grouped(self, group: Int64) -> Array:
        raise NotImplementedError


@dataclass(frozen=True, eq=False, repr=False)
class DenseDraws(Draws):
    """The draws of all classes, ``values`` (N, draws, K), which add up to 1 over classes; NaN for an undefined case."""

    axes: Axes
    values: Array
    n_chains: int = 1
    is_joint = True

    @property
    def n_draws(self) -> int:  # type: ignore[override]
        return int(self.values.shape[1])

    @property
    def defined(self) -> Bools:
        return ~np.isnan(self.values[:, 0, 0])

    def mean_error(self, per_draw: Array) -> float:
        """Return the Monte Carlo standard error of a mean over draws, which are taken as independent if their order is unknown."""
        if self.n_chains > 1 or self.n_draws < 2:
            return super().mean_error(per_draw)
        return float(per_draw.std(ddof=1) / np.sqrt(self.n_draws))

    def _values(self) -> Array:
        return self.values

    def _rows(self) -> Array:
        return np.where(self.defined[:, None, None], self.values, 0.0).reshape(-1, self.n_classes)

    def _make_orders(self, depth: int, ties: str) -> Orders:
        return Orders.from_dense(self._rows(), depth, ties)

    def _is_zero_tail(self) -> Bools:
        return np.asarray(self._rows().min(1) == 0)

    def mean(self) -> Array:
        return np.asarray(self.values.mean(1))

    def _mass_of_draw(self, draw: int, sets: Sets, row: Int64) -> Array:
        return np.asarray(np.bincount(row, self.values[row, draw, sets.index], self.n_cases), np.float64)

    def _grouped(self, group: Int64) -> Array:
        return summed(self.values, group)

    def take(self, rows: Any) -> DenseDraws:
        return DenseDraws(self.axes.take(rows), self.values[rows], self.n_chains)


@dataclass(frozen=True, eq=False, repr=False)
class MentionedDraws(Draws):
    """The draws of the classes that annotators mentioned and of the lump of all others; ``offsets`` and ``index`` as in a Point."""

    axes: Axes
    offsets: Int64
    index: Int32  # the m mentioned classes of each case
    values: NDArray[Any]  # case by case [n_draws][m + 1] plausibilities that add up to 1, the lump last; draws chain by chain
    n_draws: int  # number of draws of all chains
    n_chains: int
    unranked: str  # division of the lump: "individual" by a Dirichlet distribution, exactly and on demand; "lump" evenly; "ignore" none
    shape: float  # prior shape of a single class, and parameter of that distribution
    seed: int  # seed of divisions of the lump
    with_empty: bool = True  # whether cases without annotations count, with draws from the prior

    @property
    def defined(self) -> Bools:
        """Whether each case (N,) has plausibilities: of mentioned classes, or of a lump."""
        return np.asarray((sizes_of(self.offsets) > 0) | (self.with_empty and self.unranked != "ignore"))

    @cached_property
    def _starts(self) -> Int64:
        """Return where the values of each case start (N + 1,)."""
        return np.asarray((self.offsets + np.arange(len(self.offsets))) * self.n_draws)

    def case(self, i: int) -> NDArray[Any]:
        """Return the plausibilities (draws, m + 1) of the mentioned classes of case i and of the lump."""
        return self.values[self._starts[i] : self._starts[i + 1]].reshape(self.n_draws, -1)

    def _call(self, function: Any, out: Any, *more: Any) -> Any:
        """Run a kernel over chunks of cases, which writes to ``out`` (N, …), and return this array."""

        def part(begin: int, end: int) -> None:
            values = np.ascontiguousarray(self.values[self._starts[begin] : self._starts[end]], np.float64)
            law = self.n_classes, self.n_draws, REST[self.unranked], self.shape, self.seed
            function(self.offsets, self.index, self.axes.stream_keys, *law, values, begin, end, *more, out[begin:end])

        parallel.run(part, self.n_cases, CHUNK, "reading draws")
        return out

    def _top(self, depth: int) -> Int32:
        """Return the best classes (N, draws, depth) of each draw, -1 after the last."""

        def make() -> Int32:
            room("the best classes of all draws", 4 * self.n_cases * self.n_draws * depth)
            table: Int32 = self._call(core.mentioned_top, np.empty((self.n_cases, self.n_draws, depth), np.int32))
            return table

        return np.ascontiguousarray(self._kept.deepest("top", depth, make)[:, :, :depth])

    def _make_orders(self, depth: int, ties: str) -> Orders:
        if self.unranked == "ignore":  # only without a lump plausibilities may be equal
            return self._listed_orders(depth, ties)
        return Orders.from_top(self._top(depth).reshape(-1, depth), self.n_classes)

    def _listed_orders(self, depth: int, ties: str) -> Orders:
        """Return the orders of the mentioned classes of each draw, if there is no lump."""

        def part(begin: int, end: int) -> Orders:
            rows, index, value = [np.zeros(0, np.int64)], [np.zeros(0, np.int32)], [np.zeros(0)]
            for i in range(begin, end):
                table, classes = self.case(i)[:, :-1], self.index[self.offsets[i] : self.offsets[i + 1]]
                row, column = np.nonzero(table)
                rows.append(row + (i - begin) * self.n_draws)
                index.append(classes[column])
                value.append(table[row, column].astype(np.float64))
            offsets = offsets_of(np.bincount(np.concatenate(rows), minlength=(end - begin) * self.n_draws))
            return Orders.from_ragged(offsets, np.concatenate(index), np.concatenate(value), self.n_classes, depth, ties)

        room("the orders of all draws", self.bytes_to_order(depth))
        return Orders.joined(parallel.run(part, self.n_cases, CHUNK, "ordering draws"))

    def _is_zero_tail(self) -> Bools:
        zero = np.full((self.n_cases, self.n_draws), self.unranked == "ignore")
        for i in np.flatnonzero(sizes_of(self.offsets) == self.n_classes).tolist():
            zero[i] = (self.case(i)[:, :-1] == 0).any(1)
        return zero.reshape(-1)

    def certainty(self, k: int, *, kind: str = "set", ties: str = "expectation") -> Array:
        if kind == "rank" or self.unranked == "ignore":
            return super().certainty(k, kind=kind, ties=ties)
        return np.where(self.defined, self._modal(self._top(k)).mean(axis=1), np.nan)

    def _is_tied(self, k: int) -> bool:
        """Return whether ties leave open which mentioned classes are the best k of some draw."""
        return bool((self._orders(k).sets(k).role == TIED).any())

    def _modal(self, top: Int32) -> Bools:
        """Return which draws (N, draws) have the most frequent set among (N, draws, k) sets, the first of several in ascending order."""
        sets, case = np.sort(top, axis=2), np.arange(self.n_cases, dtype=np.int32)
        code, first = factorize(np.column_stack([case.repeat(self.n_draws), sets.reshape(-1, top.shape[2])]))
        row, place = np.divmod(first, self.n_draws)
        best = np.lexsort((*sets[row, place].T[::-1], -np.bincount(code), row))[offsets_of(np.bincount(row, minlength=self.n_cases))[:-1]]
        return np.asarray(code.reshape(self.n_cases, self.n_draws) == best[:, None])

    def certainty_error(self, per_case: Array, k: int, kind: str, group: Int64 | None = None) -> Array:
        """Return the Monte Carlo standard errors (N,) of ``certainty``.

        They follow from how often the chains change to and from the most frequent set of classes, class at rank k, or best group.
        """
        if self.unranked == "ignore":
            if kind == "set" and group is None:
                return diagnostics.mcse_mean(self._in_chains(self._hits(k)))
            if self._is_tied(k):
                return super().certainty_error(per_case, k, kind)
        top = np.ascontiguousarray(self._top(k)[:, :, 0 if kind == "set" else k - 1 :])
        if group is not None:
            top = np.where(top < 0, -1, group[top]).astype(np.int32)
        return diagnostics.mcse_mean(self._in_chains(self._modal(top).astype(np.float64)))

    def _in_chains(self, series: Array) -> Array:
        return series.reshape(self.n_cases, self.n_chains, -1)

    def bytes_to_order(self, depth: int) -> float:
        depth = whole("depth", depth)
        if self.unranked != "ignore":
            return 4.0 * self.n_cases * self.n_draws * depth
        listed = int(np.minimum(sizes_of(self.offsets), depth).sum())
        return 16.0 * self.n_draws * (self.n_cases + listed)  # in parts, then all: where a draw begins; its classes and their starts

    def diagnostics(self) -> diagnostics.Diagnostics:
        """Return the diagnostics of the chains of each case, for the log plausibility of its most plausible class."""
        series = np.full((self.n_cases, self.n_draws), np.nan)
        for i in np.flatnonzero(self.defined).tolist():
            values = self.case(i).astype(np.float64)
            with np.errstate(divide="ignore"):  # a plausibility may underflow to 0
                series[i] = np.log(values[:, np.argmax(values[:, :-1].mean(0)) if values.shape[1] > 1 else 0])
        return diagnostics.diagnose(self._in_chains(series))

    @cached_property
    def _means(self) -> tuple[Array, Array]:
        """Return the means over draws of each mentioned class (E,), and of the lump (N,)."""
        listed, rest = np.empty(len(self.index)), np.empty(self.n_cases)
        for i in range(self.n_cases):
            mean = self.case(i).mean(0, dtype=np.float64)
            listed[self.offsets[i] : self.offsets[i + 1]], rest[i] = mean[:-1], mean[-1]
        return listed, rest

    def mean(self) -> Array:
        listed, rest = self._means
        room("a table of means", 8 * self.n_cases * self.n_classes)
        table = dense(self.offsets, self.index, listed, self.n_classes, rest / np.maximum(self.n_classes - sizes_of(self.offsets), 1))
        table[~self.defined] = np.nan
        return table

    def mass(self, sets: Sets) -> Comparison:
        """Return the comparison of each set's plausibility, with the expected share of the lump."""
        values = np.empty((self.n_cases, self.n_draws))
        for i in range(self.n_cases):
            wanted = sets.index[sets.offsets[i] : sets.offsets[i + 1]]
            mentioned = self.index[self.offsets[i] : self.offsets[i + 1]]
            inside = np.isin(mentioned, wanted)
            share = (len(wanted) - inside.sum()) / max(self.n_classes - len(mentioned), 1)
            values[i] = self.case(i) @ np.append(inside.astype(np.float64), share)
        return self._spread(values.reshape(-1))

    def _grouped(self, group: Int64) -> Array:
        n_groups = int(group.max()) + 1
        room("draws of all plausibilities", 8 * self.n_cases * self.n_draws * n_groups)
        table = np.asarray(self._call(core.mentioned_groups, np.empty((self.n_cases, self.n_draws, n_groups)), group))
        table[~self.defined] = np.nan
        return table

    def _values(self) -> Array:
        return self._grouped(np.arange(self.n_classes, dtype=np.int64))

    def take(self, rows: object) -> MentionedDraws:
        rows = np.asarray(rows)
        if np.array_equal(rows, np.arange(self.n_cases)):
            return self  # no copy, as draws are large
        offsets, at = take(self.offsets, rows)
        ends = zip(self._starts[:-1][rows], self._starts[1:][rows])
        parts = [self.values[begin:end] for begin, end in ends]  # an array of positions would take more memory than the values
        values = np.concatenate(parts) if parts else self.values[:0]
        return replace(self, axes=self.axes.take(rows), offsets=offsets, index=self.index[at], values=values)
