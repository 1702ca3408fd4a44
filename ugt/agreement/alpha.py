"""Krippendorff's alpha as a function of sums over cases, on four kinds of scales."""

from __future__ import annotations

from typing import Any

import numpy as np

from .._base.arrays import Array, Bools, Int64, NDArray
from .._base.checks import option
from .._base.lazy import cached_property
from .._base.ragged import offsets_of
from .costs import LEVELS, Cost, Nominal, class_values, disagreement, of_level, pairs_of
from .forms import Agreed, Form, Values
from .kappas import class_disagreement
from .table import Judgements, Ragged

ROOM = 1 << 22  # sums of resamples in memory at a time


class Alpha(Form):
    """The form of Krippendorff's alpha, over the n judgements of cases with at least two judgements.

    Sums: δ between annotators of a case / (annotators - 1), judgements, δ within judgements; then the classes.
    """

    n_dense = 3
    level: str

    def __init__(self, judged: Judgements | None, n_classes: int, level: str, values: Array) -> None:
        super().__init__(judged, n_classes)
        self.level, self.values_of_classes = level, values

    def with_judged(self, judged: Judgements) -> Form:
        return type(self)(judged, judged.n_classes, self.level, judged.names if judged.ratings else self.values_of_classes)

    @cached_property
    def _ones(self) -> Array:
        return self.judged.pair_sums(of_cases=False) if self.level == "nominal" and self.judged.single else super()._ones

    @cached_property
    def in_use(self) -> Bools:
        return np.asarray(self.judged.size >= 2)

    @cached_property
    def classes(self) -> Ragged:
        """(N, K) amounts of the classes in cases with two annotators; 0 in the other cases."""
        table = self.judged.classes
        return Ragged(table.offsets, table.index, table.amount * self.in_use[table.row])

    @cached_property
    def cost(self) -> Cost:
        """The costs of pairs of classes, in units of the largest cost between classes in use."""
        if self.level == "nominal":
            return Nominal(self.n_classes)
        return of_level(self.level, self.values_of_classes, np.bincount(self.classes.index, self.classes.amount, self.n_classes) > 0)

    @cached_property
    def dense(self) -> Array:
        two, size = self.in_use, self.judged.size
        between, within = disagreement(self.judged, self.cost)
        return np.stack([np.where(two, between / np.where(two, size - 1, 1.0), 0.0), size * two, within * two], axis=1)

    @property
    def amounts(self) -> tuple[Ragged, ...]:
        return (self.classes,)

    def parts(self, sums: Array) -> Values:
        between, n, within = sums.T[:3]
        amounts = sums.T[3:].T
        return alpha_of(between, n, within, self.cost.bilinear(amounts, amounts))

    def slopes(self) -> tuple[Array, Array]:
        a, size, within = self.dense.T
        total, n, total_within = self._ones[:3]
        amounts, table = self._ones[3:], self.classes
        slope = self.cost.times(amounts)
        by = 2 * table.sums(table.amount * slope[table.index]) - within
        return alpha_slopes(total, n, slope @ amounts - total_within, a, size, by)

    @property
    def n_counted(self) -> int:
        return int(self.judged.times[self.in_use].sum())

    def class_sums(self) -> Array:
        """Return (3, K): disagreement about each class, how often it was chosen, and disagreement within judgements."""
        judged = self.judged
        scale, weights = self.in_use / np.maximum(judged.size - 1, 1.0), self.in_use * judged.times
        case, mixed = judged.mixed()
        inside = 2 * mixed.amount * (1 - mixed.amount) * weights[case][mixed.row]
        chosen = judged.classes.totals(judged.n_classes, weights)
        return np.stack([class_disagreement(judged, scale), chosen, np.bincount(mixed.index, inside, judged.n_classes)])

    def of_classes(self, class_sums: Array, sums: Array) -> Array:
        between, amount, inside = class_sums
        n = sums[self.n_at]
        if n == 0:
            return np.full(len(amount), np.nan)
        return Values.of(between / n, np.maximum(2 * amount * (n - amount) - inside, 0.0) / (n * (n - 1))).value


class AlphaOfNumbers(Alpha):
    """The form of alpha of squared differences of ratings. Sums: those of `Alpha`, then of the ratings x and of x², about one point."""

    n_dense, n_tables = 5, 0
    amounts: tuple[Ragged, ...] = ()

    @cached_property
    def dense(self) -> Array:
        table, x = self.classes, self._positions[self.classes.index]
        about = [table.sums(table.amount * power) for power in (x, x**2)]
        return np.concatenate([super().dense, np.stack(about, axis=1)], axis=1)

    @property
    def _positions(self) -> Array:
        """(K,) x of each distinct rating."""
        return self.cost.values  # type: ignore[attr-defined,no-any-return]

    def parts(self, sums: Array) -> Values:
        between, n, within, total, square = sums.T
        return alpha_of(between, n, within, 2 * n * square - 2 * total**2)

    def slopes(self) -> tuple[Array, Array]:
        a, size, within, x, x2 = self.dense.T
        between, n, total_within, total, square = self._ones
        by = 2 * (size * square + n * x2) - 4 * total * x - within
        return alpha_slopes(between, n, 2 * n * square - 2 * total**2 - total_within, a, size, by)


class OrdinalAlpha(Alpha):
    """The form of alpha of squared differences of mid-ranks among all judgements, which change with the weights of the cases.

    Sums: judgements; classes in the order of their values; pairs of classes between annotators of a case / (annotators - 1), and pairs
    within judgements of several labels.
    """

    n_dense, n_at = 1, 0
    all_pairs = False  # whether all K² pairs of classes have sums, not only the pairs that occur

    def with_judged(self, judged: Judgements) -> Form:
        found = super().with_judged(judged)
        assert isinstance(found, OrdinalAlpha)
        found.all_pairs = self.all_pairs
        return found

    @cached_property
    def _rank(self) -> Int64:
        return np.asarray(np.unique(self.values_of_classes, return_inverse=True)[1].reshape(-1))

    @cached_property
    def dense(self) -> Array:
        return (self.judged.size * self.in_use)[:, None]

    @cached_property
    def classes(self) -> Ragged:
        """(N, K) amounts of the classes in cases with two annotators, with classes in the order of their values."""
        table = super().classes
        return Ragged(table.offsets, self._rank[table.index].astype(np.int32), table.amount)

    @cached_property
    def _pairs(self) -> tuple[Int64, Ragged, Ragged]:
        """``(cell, between, within)``: the cells of a table (K, K) that occur, and the amounts of each case in these cells."""
        judged, two = self.judged, self.in_use
        case, mixed = judged.mixed()
        case, mixed = case[two[case]], mixed.take(np.flatnonzero(two[case]))
        scale = np.where(two, 1 / np.maximum(judged.size - 1, 1.0), 0.0)
        row, cell, amount = _cells(self.classes, self.n_classes)
        inside, its_cell, its_amount = _cells(Ragged(mixed.offsets, self._rank[mixed.index].astype(np.int32), mixed.amount), self.n_classes)
        inside = case[inside]
        at = np.append(cell, its_cell)
        cells, at = (np.arange(self.n_classes**2), at) if self.all_pairs else np.unique(at, return_inverse=True)
        at = at.reshape(-1)
        between = _ragged(np.append(row, inside), at, np.append(amount * scale[row], -its_amount * scale[inside]), judged.n_cases)
        return cells, between, _ragged(inside, at[len(cell) :], its_amount, judged.n_cases)

    @cached_property
    def cells(self) -> tuple[Int64, Int64]:
        """(P,) each: the lower and the higher class of every pair that has a sum."""
        lower, higher = np.divmod(np.arange(self.n_classes**2) if self._judged is None else self._pairs[0], self.n_classes)
        return lower, higher

    @property
    def amounts(self) -> tuple[Ragged, ...]:
        return (self.classes, *self._pairs[1:])

    def width_of(self, table: Ragged) -> int:
        return self.n_classes if table is self.classes else len(self.cells[0])

    def values(self, cases: Array | None = None, annotators: NDArray[Any] | None = None) -> Array:
        """Return (B, 3) numbers, some resamples at a time, because pairs of classes may outnumber the cases many times."""
        step = max(1, ROOM // len(self._ones))
        if cases is None or len(cases) <= step:
            return super().values(cases, annotators)
        return np.concatenate([super(OrdinalAlpha, self).values(cases[b : b + step], annotators) for b in range(0, len(cases), step)])

    def _split(self, sums: Array) -> tuple[Array, Array, Array, Array]:
        """Split sums into ``(n, amounts, between, within)``."""
        k, p = self.n_classes, len(self.cells[0])
        return sums[:, 0], sums[:, 1 : 1 + k], sums[:, 1 + k : 1 + k + p], sums[:, 1 + k + p :]

    def parts(self, sums: Array) -> Values:
        n, amounts, between, within = self._split(np.atleast_2d(sums))
        x = _ranked(amounts)
        apart = self._apart(x)
        seen, inside = (np.maximum((part * apart).sum(axis=1), 0.0) for part in (between, within))
        return alpha_of(seen, n, inside, _rank_pairs(x, amounts)).like(sums)

    def _apart(self, x: Array) -> Array:
        """Return (B, P) squared differences of ranks of the pairs that have a sum."""
        return np.asarray((x[:, self.cells[0]] - x[:, self.cells[1]]) ** 2)

    @cached_property
    def _of_ranks(self) -> Alpha:
        """The same coefficient of the unweighted data, computed without pairs of classes: mid-ranks serve as values."""
        ranks = _midranks(self.classes.totals(self.n_classes, self.judged.times)[None])[0]
        return Alpha(self.judged, self.n_classes, "interval", ranks[self._rank])

    def agreed(self, sums: Array | None = None) -> Agreed:
        return self._of_ranks.agreed() if sums is None else super().agreed(sums)

    @property
    def observed(self) -> Array:
        return self._of_ranks.observed

    @property
    def per_class(self) -> Array:
        return self._of_ranks.per_class

    def slopes(self) -> tuple[Array, Array]:
        n, amounts, between, within = (part[0] for part in self._split(self._ones[None]))
        x, (lower, higher), table = _ranked(amounts[None])[0], self.cells, self.classes
        apart, mean = self._apart(x[None])[0], amounts @ x
        used = np.flatnonzero(amounts > 0)
        span = _span(_midranks(amounts[None]), amounts[None])[0]
        # one more judgement widens the span of ranks by 1 if its class lies between the ends, by half if it is an end
        moves = np.zeros(self.n_classes)
        moves[used[0] : used[-1] + 1], moves[used[[0, -1]]] = 1.0, 0.5
        span_by = table.sums(table.amount * moves[table.index]) / span

        def by_rank(sums: Array) -> Array:
            step = 2 * sums * (x[lower] - x[higher])
            return np.asarray(np.bincount(lower, step, self.n_classes) - np.bincount(higher, step, self.n_classes))

        def by(total: float, direct: Array, by_ranks: Array) -> Array:
            """Add up the derivative at fixed ranks, through ranks (moved by 1 from a lower class, by half from the same), and the span."""
            moved = (np.cumsum(by_ranks[::-1])[::-1] - by_ranks / 2) / span
            return np.asarray(direct + table.sums(table.amount * moved[table.index]) - 2 * total * span_by)

        seen, pairs = between @ apart, float(_rank_pairs(x[None], amounts[None])[0] - within @ apart)
        of_between, of_within = (one.sums(one.amount * apart[one.index]) for one in self._pairs[1:])
        slope = 2 * (x**2 * n + amounts @ x**2 - 2 * x * mean)
        seen_by = by(seen, of_between, by_rank(between))
        pairs_by = by(pairs, table.sums(table.amount * slope[table.index]) - of_within, 4 * amounts * (n * x - mean) - by_rank(within))
        return alpha_slopes(seen, n, pairs, seen_by, self.dense[:, 0], pairs_by)


def _cells(table: Ragged, n_classes: int) -> tuple[Int64, Int64, Array]:
    """Return row, cell of a table (K, K) and amount of all ordered pairs of entries of different classes, as upper triangle."""
    found = [(np.empty(0, np.int64), np.empty(0, np.int64), np.empty(0))]
    for first, second in pairs_of(table):
        one, other = (table.index[at].astype(np.int64) for at in (first, second))
        cell = np.minimum(one, other) * n_classes + np.maximum(one, other)
        found.append((table.row[first], cell, 2 * table.amount[first] * table.amount[second]))
    row, cell, amount = (np.concatenate(parts) for parts in zip(*found))
    return row, cell, amount


def _ragged(row: Int64, index: Int64, amount: Array, n: int) -> Ragged:
    """Return a sparse table of entries that are given in any order."""
    if (row[1:] < row[:-1]).any():
        order = np.argsort(row, kind="stable")
        index, amount = index[order], amount[order]
    return Ragged(offsets_of(np.bincount(row, minlength=n)), index.astype(np.int32), amount)


def _ranked(amounts: Array) -> Array:
    """Return (B, K) mid-ranks from amounts (B, K), divided by the largest difference between classes in use."""
    x = _midranks(amounts)
    span = _span(x, amounts)
    return np.asarray(x / np.where(span > 0, span, 1.0)[:, None])


def _rank_pairs(x: Array, amounts: Array) -> Array:
    """Return (B,) Σ (x_k - x_l)² over all pairs of the n judgements."""
    n = amounts.sum(axis=1)
    mean = (amounts * x).sum(axis=1) / np.where(n > 0, n, 1.0)
    return np.asarray(2 * n * (amounts * (x - mean[:, None]) ** 2).sum(axis=1))


def _midranks(amounts: Array) -> Array:
    """Return (B, K) mid-ranks: the number of judgements of lower classes and half of those of the same class."""
    return np.asarray(np.cumsum(amounts, axis=1) - amounts / 2)


def _span(x: Array, amounts: Array) -> Array:
    """Return (B,) the largest difference of ranks between classes in use."""
    used = amounts > 0
    span = np.where(used, x, -np.inf).max(axis=1, initial=-np.inf) - np.where(used, x, np.inf).min(axis=1, initial=np.inf)
    return np.asarray(np.maximum(span, 0.0))


def alpha_form(judged: Judgements, level: str, values: object = None) -> Alpha:
    """Return the form of alpha for a level of measurement; refuse unknown levels and unsuitable values."""
    option("level", level, LEVELS)
    numbers = class_values(values, judged, level)
    kind = OrdinalAlpha if level == "ordinal" else AlphaOfNumbers if level == "interval" and judged.ratings else Alpha
    found = kind(judged, judged.n_classes, level, numbers)
    if level in ("interval", "ratio"):
        _ = found.cost  # computed here so that unsuitable values are refused before any resampling
    return found


def alpha_of(between: Array, n: Array, within: Array, pairs: Array) -> Values:
    """Return alpha from sums of δ: over pairs of a case / (annotators - 1), over labels of one judgement, over all pairs of labels."""
    return Values.of(between / n, np.maximum(pairs - within, 0.0) / (n * (n - 1)))


def alpha_slopes(between: float, n: float, pairs: float, between_by: Array, size: Array, pairs_by: Array) -> tuple[Array, Array]:
    """Return (N,) derivatives of ``between / n`` and (N,) derivatives of ``pairs / n (n - 1)`` by the weights of the cases."""
    n_pairs = n * (n - 1)
    return (between_by - between / n * size) / n, (pairs_by - pairs / n_pairs * (2 * n - 1) * size) / n_pairs
