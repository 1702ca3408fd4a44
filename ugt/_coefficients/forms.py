"""Agreement coefficients as functions of sums over cases: on the data, on resamples, and their derivatives by the weight of a case."""

from __future__ import annotations

from abc import ABC, abstractmethod
from functools import cached_property
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from .costs import Cost, disagreement
from .table import Judgements, Ragged

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Array = NDArray[np.float64]

TINY = 1e-14  # an expected disagreement (at most 1) that is rounding


class Values(NamedTuple):
    """``(B,)`` each: 1 - disagreement / expected, NaN where nothing varies; observed and expected agreement."""

    value: Array
    observed: Array
    expected: Array

    @classmethod
    def of(cls, disagreement: Array, expected: Array) -> Values:
        varies = expected > TINY
        with np.errstate(invalid="ignore", divide="ignore"):
            return cls(np.where(varies, 1 - disagreement / np.where(varies, expected, 1.0), np.nan), 1 - disagreement, 1 - expected)


class Form(ABC):
    """A coefficient of N units whose sums over units, dense columns (N, C) and amounts of classes (N, K), say everything.

    The units are the different ones among M of the data; what is public speaks of these.

    Attributes
    ----------
    in_use : (N,) bool
        Units that take part; others have zeros throughout.
    finite : bool
        Whether the variance takes n / (n - 1).
    dense : (N, C) array
        What each unit adds to C sums.
    amounts : tuple of Ragged
        Tables (N, K), whose sums follow.
    """

    finite = True
    in_use: NDArray[np.bool_]
    _per_unit: Array  # (N,)

    def __init__(self, judged: Judgements, dense: Array, amounts: tuple[Ragged, ...]) -> None:
        self._row, self._times, self._n_classes = judged.row, judged.times, judged.n_classes
        self.dense, self.amounts = dense, amounts

    @property
    def kept(self) -> NDArray[np.bool_]:
        """(M,) units that take part."""
        return self.in_use if self._row is None else self.in_use[self._row]

    @property
    def per_case(self) -> Array:
        """(M,) observed agreement, NaN where there are no two annotators."""
        return self._per_unit if self._row is None else self._per_unit[self._row]

    def values(self, weights: Array | None = None) -> Values:
        """On the data, or with weights (B, M) of units."""
        if weights is None:
            return self._values(self._times[None], self._ones[None])
        if self._row is not None:
            weights = np.stack([np.bincount(self._row, each, len(self._times)) for each in weights])
        return self._values(weights, self.weighted_sums(weights))

    @abstractmethod
    def _values(self, weights: Array, sums: Array) -> Values:
        """With weights (B, N), given the sums."""

    def influence(self) -> Array:
        """(M,) derivative of the value by the weight of each unit."""
        return self._influence() if self._row is None else self._influence()[self._row]

    @abstractmethod
    def _influence(self) -> Array:
        """(N,)."""

    @cached_property
    def _ones(self) -> Array:
        dense = np.einsum("i,ij->j", self._times, self.dense)  # not a matrix product: its last bits depend on the threads
        return np.concatenate([dense, *(table.totals(self._n_classes, self._times) for table in self.amounts)])

    @cached_property
    def _columns(self) -> Any:
        """(C + K, N) sparse: a product with it adds up in the same order for any number of resamples at a time."""
        from scipy import sparse  # noqa: PLC0415  (scipy is slow to import)

        shape = (len(self.dense), self._n_classes)
        tables = [sparse.csr_matrix((table.amount, table.index, table.offsets), shape=shape) for table in self.amounts]
        return sparse.hstack([sparse.csr_matrix(self.dense), *tables]).T.tocsr()

    def weighted_sums(self, weights: Array) -> Array:
        """(B, C + K)."""
        return np.asarray((self._columns @ np.ascontiguousarray(weights.T)).T)


def _chain(value: float, expected: float, observed_by: Array, expected_by: Array) -> Array:
    """Derivative of 1 - D / E from those of D and E."""
    return np.asarray(-observed_by / expected + (1 - value) * expected_by / expected)


class Shared(Form):
    """Percent agreement, Fleiss' kappa, AC1 and AC2: disagreement within cases, classes pooled over annotators."""

    def __init__(self, judged: Judgements, cost: Cost, chance: str) -> None:
        size = judged.size
        two, any_ = size >= 2, size > 0
        between, _ = disagreement(judged, cost)
        a = np.where(two, between / np.where(two, size * (size - 1), 1.0), 0.0)
        self.cost, self.chance, self.in_use = cost, chance, two if chance == "none" else any_
        self._per_unit = np.where(two, 1 - a, np.nan)
        table = judged.classes
        share = Ragged(table.offsets, table.index, table.amount / size[table.row])
        amounts = () if chance == "none" else (share,)
        super().__init__(judged, np.stack([a, two * 1.0, any_ * 1.0], axis=1), amounts)

    def _values(self, weights: Array, sums: Array) -> Values:
        return shared_of(sums, self.cost, self.chance)

    def _influence(self) -> Array:
        a, two, any_ = self.dense.T
        n_two, n_any = self._ones[1:3]
        observed = (a - self._ones[0] / n_two * two) / n_two
        if self.chance == "none":
            return np.asarray(-observed)
        found = self.values()
        pooled = self._ones[3:] / n_any
        slope = 2 * (_scale(self.cost) * pooled if self.chance == "gwet" else self.cost.times(pooled))
        share = self.amounts[0]
        by = (share.sums(share.amount * slope[share.index]) - slope @ pooled * any_) / n_any
        return _chain(float(found.value[0]), float(1 - found.expected[0]), observed, by)


def shared_of(sums: Array, cost: Cost, chance: str) -> Values:
    """From sums (B, 3 + K), or (B, 3) for percent agreement: disagreement, cases with two annotators and with any; shares of classes."""
    with np.errstate(invalid="ignore", divide="ignore"):
        mean = sums[:, 0] / sums[:, 1]
        if chance == "none":
            return Values(1 - mean, 1 - mean, np.zeros(len(mean)))
        pooled = sums[:, 3:] / sums[:, 2:3]
    if chance == "gwet":
        return Values.of(mean, 1 - _scale(cost) * (1 - (pooled**2).sum(axis=1)))
    return Values.of(mean, cost.bilinear(pooled, pooled))


def _scale(cost: Cost) -> float:
    """Σ w / (K (K - 1)) of AC2."""
    k = cost.n_classes
    ones = np.ones((1, k))
    return float(k * k - cost.bilinear(ones, ones)[0]) / (k * (k - 1)) if k > 1 else 0.0


class Two(Form):
    """Cohen's kappa (each annotator's own classes) and Scott's pi (pooled), on the cases that two annotators share."""

    def __init__(self, first: Judgements, second: Judgements, cost: Cost, between: Array, pooled: bool) -> None:
        both = (first.size > 0) & (second.size > 0)
        a = np.where(both, between / 2, 0.0)
        self.cost, self.pooled, self.in_use, self.finite = cost, pooled, both, pooled
        self._per_unit = np.where(both, 1 - a, np.nan)
        amounts = tuple(_where(judged.classes, both) for judged in (first, second))
        super().__init__(first, np.stack([a, both * 1.0], axis=1), amounts)

    def _values(self, weights: Array, sums: Array) -> Values:
        return two_of(sums, self.cost, self.pooled)

    def _influence(self) -> Array:
        a, both = self.dense.T
        n = self._ones[1]
        p, q = np.split(self._ones[2:] / n, 2)
        slopes = [self.cost.times((p + q) / 2)] * 2 if self.pooled else [self.cost.times(q), self.cost.times(p)]
        found = self.values()
        by = -(slopes[0] @ p + slopes[1] @ q) * both
        for table, slope in zip(self.amounts, slopes):
            by = by + table.sums(table.amount * slope[table.index])
        return _chain(float(found.value[0]), float(1 - found.expected[0]), (a - self._ones[0] / n * both) / n, by / n)


def two_of(sums: Array, cost: Cost, pooled: bool) -> Values:
    """From sums (B, 2 + 2 K): disagreement, cases of both, classes of the first and of the second annotator."""
    with np.errstate(invalid="ignore", divide="ignore"):
        mean = sums[:, 0] / sums[:, 1]
        p, q = np.split(sums[:, 2:] / sums[:, 1:2], 2, axis=1)
    if pooled:
        p = q = (p + q) / 2
    return Values.of(mean, cost.bilinear(p, q))


def _where(table: Ragged, rows: NDArray[np.bool_]) -> Ragged:
    """A table with other rows set to 0."""
    return Ragged(table.offsets, table.index, table.amount * rows[table.row])


class Alpha(Form):
    """Krippendorff's alpha; of n judgements in cases with at least two, and all pairs of them."""

    def __init__(self, judged: Judgements, cost: Cost) -> None:
        self.cost, size = cost, judged.size
        self.in_use = two = size >= 2
        between, within = disagreement(judged, cost)
        a = np.where(two, between / np.where(two, size - 1, 1.0), 0.0)
        self._per_unit = np.where(two, 1 - a / np.where(two, size, 1.0), np.nan)
        super().__init__(judged, np.stack([a, size * two, within * two], axis=1), (_where(judged.classes, two),))

    def _values(self, weights: Array, sums: Array) -> Values:
        return alpha_of(sums[:, 0], sums[:, 1], sums[:, 2], self.cost.bilinear(sums[:, 3:], sums[:, 3:]))

    def _influence(self) -> Array:
        a, size, within = self.dense.T
        total_a, n, total_within = self._ones[:3]
        amounts, table = self._ones[3:], self.amounts[0]
        slope = self.cost.times(amounts)
        pairs = slope @ amounts - total_within
        by_pairs = 2 * table.sums(table.amount * slope[table.index]) - within
        return np.asarray(-(size * total_a + (n - 1) * a - (n - 1) * total_a * by_pairs / pairs) / pairs)


def alpha_of(between: Array, n: Array, within: Array, pairs: Array) -> Values:
    """From the sums of δ over pairs of a case / (annotators - 1), over the labels of a judgement, and over all pairs of labels."""
    with np.errstate(invalid="ignore", divide="ignore"):
        return Values.of(between / n, np.maximum(pairs - within, 0.0) / (n * (n - 1)))


class OrdinalAlpha(Form):
    """Alpha with squared differences of mid-ranks in all judgements of the data, which change with the weights."""

    def __init__(self, judged: Judgements, order: NDArray[np.int64]) -> None:
        self.in_use = two = judged.size >= 2
        self._size = judged.size * two
        self._rank = np.empty(len(order), np.int64)
        self._rank[order] = np.arange(len(order))
        self._table = self._ranked(_where(judged.classes, two))
        case, shares = judged.mixed()
        self._mixed_case, self._mixed = case[two[case]], self._ranked(shares.take(np.flatnonzero(two[case])))
        super().__init__(judged, np.stack([self._size], axis=1), (self._table,))
        x = _midranks(self._ones[None, 1:])
        a, _ = self._between(x)
        span = _span(x, self._ones[None, 1:])[0]
        scale = np.where(two & (span > 0), self._size * span**2, 1.0)
        self._per_unit = np.where(two, 1 - a[:, 0] / scale, np.nan)

    def _ranked(self, table: Ragged) -> Ragged:
        return Ragged(table.offsets, self._rank[table.index].astype(np.int32), table.amount)

    @cached_property
    def _tables(self) -> tuple[Any, Any, Any]:
        """Sparse (N, K) classes of cases, (Q, K) of the judgements of several, and (N, Q) which cases these are of."""
        from scipy import sparse  # noqa: PLC0415

        table, mixed, k, n = self._table, self._mixed, self._n_classes, len(self._size)
        q = len(self._mixed_case)
        of_case = sparse.csr_matrix((np.ones(q), (self._mixed_case, np.arange(q))), shape=(n, q))
        return (
            sparse.csr_matrix((table.amount, table.index, table.offsets), shape=(n, k)),
            sparse.csr_matrix((mixed.amount, mixed.index, mixed.offsets), shape=(q, k)),
            of_case,
        )

    def _between(self, x: Array) -> tuple[Array, Array]:
        """(N, B) δ between annotators / (annotators - 1), and within judgements, given mid-ranks (B, K)."""
        table, mixed, of_case = self._tables
        square = np.ascontiguousarray((x**2).T)
        rank = np.ascontiguousarray(x.T)
        within = 2 * (of_case @ (mixed @ square - (mixed @ rank) ** 2))
        size = self._size[:, None]
        between = 2 * (size * (table @ square) - (table @ rank) ** 2) - within
        return np.maximum(between, 0.0) / np.maximum(size - 1, 1.0), within

    def _values(self, weights: Array, sums: Array) -> Values:
        n, amounts = sums[:, 0], sums[:, 1:]
        x = ranked(amounts)
        between, within = self._between(x)
        return alpha_of((weights * between.T).sum(axis=1), n, (weights * within.T).sum(axis=1), rank_pairs(x, amounts))

    def _influence(self) -> Array:
        n, amounts = self._ones[0], self._ones[1:]
        x = _midranks(amounts[None]) / n - 0.5
        between, within = (part[:, 0] for part in self._between(x))
        x = x[0]
        pairs = 2 * n * (amounts @ x**2) - 2 * (amounts @ x) ** 2 - (self._times * within).sum()
        total, table = (self._times * between).sum(), self._table
        # with the ranks as they are
        slope = x**2 * n + amounts @ x**2 - 2 * x * (amounts @ x)
        by_pairs = 2 * table.sums(table.amount * slope[table.index]) - within
        found = self._size * total / pairs + (n - 1) * between / pairs - (n - 1) * total * by_pairs / pairs**2
        # and by the ranks x_k, which every judgement of a lower class moves by 1 / n, and of the same class by half as much
        by_between, by_all = self._by_rank(x, amounts)
        by_rank = (n - 1) * (by_between / pairs - total * by_all / pairs**2) / n
        moved = np.cumsum(by_rank[::-1])[::-1] - by_rank / 2
        return np.asarray(-found - table.sums(table.amount * moved[table.index]))

    def _by_rank(self, x: Array, amounts: Array) -> tuple[Array, Array]:
        """(K,) derivatives by mid-ranks of the sum of ``between`` and of the pairs of all judgements."""
        table, mixed, k = self._table, self._mixed, self._n_classes
        mean = mixed.sums(mixed.amount * x[mixed.index])
        inside = 4 * mixed.amount * (x[mixed.index] - mean[mixed.row]) * self._times[self._mixed_case][mixed.row]
        others = np.maximum(self._size - 1, 1.0)
        case = table.row
        each = 4 * table.amount * (self._size[case] * x[table.index] - table.sums(table.amount * x[table.index])[case]) * self._times[case]
        of_mixed = inside / others[self._mixed_case][mixed.row]
        by_between = np.bincount(table.index, each / others[case], k) - np.bincount(mixed.index, of_mixed, k)
        by_all = 4 * amounts * (amounts.sum() * x - amounts @ x) - np.bincount(mixed.index, inside, k)
        return np.asarray(by_between), np.asarray(by_all)


def ranked(amounts: Array) -> Array:
    """(B, K) mid-ranks in amounts (B, K), divided by the largest difference of those in use, as the values of ordinal classes."""
    x = _midranks(amounts)
    span = _span(x, amounts)
    return np.asarray(x / np.where(span > 0, span, 1.0)[:, None])


def rank_pairs(x: Array, amounts: Array) -> Array:
    """(B,) Σ (x_k - x_l)² over all pairs of n judgements."""
    n = amounts.sum(axis=1)
    mean = (amounts * x).sum(axis=1) / np.where(n > 0, n, 1.0)
    return np.asarray(2 * n * (amounts * (x - mean[:, None]) ** 2).sum(axis=1))


def _midranks(amounts: Array) -> Array:
    """(B, K) how many judgements are of a lower class, and half of those of the same."""
    return np.asarray(np.cumsum(amounts, axis=1) - amounts / 2)


def _span(x: Array, amounts: Array) -> Array:
    """(B,) the largest difference of ranks of classes in use."""
    used = amounts > 0
    span = np.where(used, x, -np.inf).max(axis=1, initial=-np.inf) - np.where(used, x, np.inf).min(axis=1, initial=np.inf)
    return np.asarray(np.maximum(span, 0.0))
