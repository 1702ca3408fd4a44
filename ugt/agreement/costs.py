"""Costs of two annotators choosing different classes, from 0 for the same class to 1."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterator
from typing import Any

import numpy as np

from .._base.arrays import Array, Bools, Int64
from .._base.checks import error
from .._base.grades import check_order, given_values, numbers_of
from .._base.lazy import cached_property
from ..annotations.named import of_pairs, per_class
from .table import Judgements, Ragged

ROOM = 1 << 21  # pairs of classes in memory at a time
WEIGHTS = ("linear", "quadratic", "ordinal")
LEVELS = ("nominal", "ordinal", "interval", "ratio")


class Cost(ABC):
    """The symmetric costs δ (K, K) of pairs of classes; only `GivenCosts` holds them as a table."""

    def __init__(self, n_classes: int) -> None:
        self.n_classes = n_classes

    @property
    def euclidean(self) -> bool:
        """Whether costs are squared distances of points; those of this library are."""
        return True

    @property
    def largest(self) -> float:
        """The largest cost."""
        return 1.0

    @abstractmethod
    def between(self, k: object, other: object) -> Array:
        """Return the costs of pairs of classes; the two arrays are broadcast."""

    def bilinear(self, p: Array, q: Array) -> Array:
        """Return (B,) Σ_kl p_k δ_kl q_l of tables (B, K), or the number of shares (K,)."""
        found = np.zeros(p.shape[:-1])
        for part in self._blocks():
            found += (p[..., part] * (q @ self._rows(part).T)).sum(axis=-1)
        return found

    def times(self, p: Array) -> Array:
        """Return (K,) Σ_l δ_kl p_l."""
        return np.concatenate([np.empty(0), *(self._rows(part) @ p for part in self._blocks())])

    def pair_sums(self, table: Ragged) -> Array:
        """Return (rows,) Σ_kl a_k δ_kl a_l of each row of amounts a, computed for some pairs of classes at a time."""
        found = np.zeros(len(table.offsets) - 1)
        for first, second in pairs_of(table):
            cost = table.amount[first] * table.amount[second] * self.between(table.index[first], table.index[second])
            found += np.bincount(table.row[first], 2 * cost, len(found))
        return found

    def _blocks(self) -> list[slice]:
        step = max(1, ROOM // max(1, self.n_classes))
        return [slice(begin, min(begin + step, self.n_classes)) for begin in range(0, self.n_classes, step)]

    def _rows(self, part: slice) -> Array:
        every = np.arange(self.n_classes)
        return self.between(every[part, None], every)


def pairs_of(table: Ragged) -> Iterator[tuple[Int64, Int64]]:
    """Yield the positions of all pairs of entries of the same row, each pair once, some pairs at a time."""
    row = table.row
    after = table.offsets[1:][row] - np.arange(len(row)) - 1  # entries of the row behind this one
    ends, begin = np.cumsum(after), 0
    while begin < len(row):
        before = ends[begin] - after[begin]
        end = max(begin + 1, int(np.searchsorted(ends, before + ROOM, side="right")))
        first = np.repeat(np.arange(begin, end), after[begin:end])
        yield first, first + 1 + np.arange(len(first)) - np.repeat(ends[begin:end] - after[begin:end] - before, after[begin:end])
        begin = end


class Nominal(Cost):
    """The costs of 1 between any two different classes."""

    def between(self, k: object, other: object) -> Array:
        return np.asarray(k != other, np.float64)

    def bilinear(self, p: Array, q: Array) -> Array:
        total = np.add.reduce(p, axis=-1)
        same = p.dot(q) if p.ndim == 1 else np.add.reduce(p * q, axis=-1)
        found: Array = total * (total if q is p else np.add.reduce(q, axis=-1)) - same
        return found

    def times(self, p: Array) -> Array:
        return np.asarray(p.sum() - p)

    def pair_sums(self, table: Ragged) -> Array:
        return np.asarray(table.sums(table.amount) ** 2 - table.sums(table.amount**2))


class Valued(Cost):
    """The costs that depend on a value of each class: a number, or a row of a table."""

    def __init__(self, values: Array) -> None:
        super().__init__(len(values))
        self.values = values


class Squared(Valued):
    """The costs ``(x_k - x_l)²`` of values within an interval of length 1 around 0."""

    def between(self, k: Any, other: Any) -> Array:
        return np.asarray((self.values[k] - self.values[other]) ** 2)

    def bilinear(self, p: Array, q: Array) -> Array:
        x = self.values
        return np.asarray(p.sum(axis=-1) * (q @ x**2) + (p @ x**2) * q.sum(axis=-1) - 2 * (p @ x) * (q @ x))

    def times(self, p: Array) -> Array:
        x = self.values
        return np.asarray(x**2 * p.sum() + p @ x**2 - 2 * x * (p @ x))

    def pair_sums(self, table: Ragged) -> Array:
        x = self.values[table.index]
        mean = table.sums(table.amount * x)
        return np.asarray(2 * (table.sums(table.amount) * table.sums(table.amount * x**2) - mean**2))


class LinearCost(Cost):
    """The costs by distance of positions, divided by the largest distance."""

    def between(self, k: Any, other: Any) -> Array:
        return np.asarray(np.abs(k - other) / max(1, self.n_classes - 1))

    def bilinear(self, p: Array, q: Array) -> Array:
        below_p, below_q = np.cumsum(p, axis=-1), np.cumsum(q, axis=-1)
        across = below_p * (below_q[..., -1:] - below_q) + (below_p[..., -1:] - below_p) * below_q
        return np.asarray(across.sum(axis=-1) / max(1, self.n_classes - 1))

    def times(self, p: Array) -> Array:
        below = np.cumsum(p)
        above = p.sum() - below
        return np.asarray((np.cumsum(below) - below + np.cumsum(above[::-1])[::-1]) / max(1, self.n_classes - 1))


class Ordinal(Cost):
    """The costs by the number of pairs of classes between the two, both included: d (d + 1) / (K (K - 1)) at distance d.

    Since this is a mixture of costs by squared and by plain distance, sums are those of the two.
    """

    def __init__(self, n_classes: int) -> None:
        super().__init__(n_classes)
        k = max(1, n_classes)
        self.parts = ((k - 1) / k, squared_positions(n_classes)), (1 / k, LinearCost(n_classes))

    def between(self, k: object, other: object) -> Array:
        return np.asarray(sum(share * one.between(k, other) for share, one in self.parts))

    def bilinear(self, p: Array, q: Array) -> Array:
        return np.asarray(sum(share * one.bilinear(p, q) for share, one in self.parts))

    def times(self, p: Array) -> Array:
        return np.asarray(sum(share * one.times(p) for share, one in self.parts))

    def pair_sums(self, table: Ragged) -> Array:
        return np.asarray(sum(share * one.pair_sums(table) for share, one in self.parts))


def squared_positions(n_classes: int) -> Squared:
    """Return the costs by squared distance of positions, divided by the largest."""
    return Squared(np.arange(n_classes) / max(1, n_classes - 1) - 0.5)


class Ratio(Valued):
    """The costs ``((x_k - x_l) / (x_k + x_l))²`` of values of at least 0."""

    def between(self, k: Any, other: Any) -> Array:
        total = self.values[k] + self.values[other]
        return np.asarray(((self.values[k] - self.values[other]) / np.where(total == 0, 1.0, total)) ** 2)


class GivenCosts(Valued):
    """The costs 1 - w of a table of weights."""

    def __init__(self, weights: Array) -> None:
        super().__init__(1.0 - weights)

    @cached_property
    def euclidean(self) -> bool:
        about = self.values - self.values.mean(axis=0)  # Schoenberg (1935): squared distances, moved to their mean, have no value above 0
        about = about - about.mean(axis=1, keepdims=True)
        return bool(np.linalg.eigvalsh(about).max(initial=0.0) <= 1e-9)

    @property
    def largest(self) -> float:
        return float(self.values.max(initial=0.0))

    def between(self, k: Any, other: Any) -> Array:
        return np.asarray(self.values[k, other])


def weighted(weights: object, n_classes: int) -> Cost:
    """Return the costs 1 - w of weights None, "linear", "quadratic" or "ordinal" in the positions of the classes, or (K, K)."""
    if weights is None:
        return Nominal(n_classes)
    if isinstance(weights, str) and weights in WEIGHTS:
        return {"linear": LinearCost, "quadratic": squared_positions, "ordinal": Ordinal}[weights](n_classes)
    return GivenCosts(_weights_table(weights, n_classes))


def weighted_of(weights: object, judged: Judgements) -> Cost:
    """Return the costs of weights between the classes of judgements; words need an order of the classes."""
    if isinstance(weights, str) and weights in WEIGHTS:
        check_order("labels", judged.names, judged.stated, by=judged.stated_by)
    return weighted(of_pairs("weights", weights, judged.names), judged.n_classes)


def _weights_table(weights: object, n_classes: int) -> Array:
    must = f"be None, 'linear', 'quadratic', 'ordinal' or a table of {n_classes} x {n_classes} numbers"
    if isinstance(weights, str):
        raise error("weights", must, repr(weights))
    try:
        table = np.asarray(weights)
    except ValueError:  # rows of different lengths
        raise error("weights", must, "rows of different lengths") from None
    if table.dtype.kind not in "biuf" or table.shape != (n_classes, n_classes):
        raise error("weights", must, f"{table.dtype} of shape {table.shape}")
    table = table.astype(np.float64)
    for bad, rule in (
        (~((table >= 0) & (table <= 1)), "lie between 0 and 1"),
        (np.eye(n_classes, dtype=bool) & (table != 1), "be 1 for the same class"),
        (table != table.T, "be symmetric"),
    ):
        if bad.any():
            k, other = (int(j) for j in np.argwhere(bad)[0])
            raise error("weights", rule, table[k, other], f"classes {k} and {other}")
    return table


def of_level(level: str, values: Array, in_use: Bools) -> Cost:
    """Return Krippendorff's squared differences, divided by the largest between classes in use; `OrdinalAlpha` computes the ordinal."""
    if level == "nominal":
        return Nominal(len(values))
    low, high = ends_of(values, in_use)
    if level == "interval":
        middle, span = low / 2 + high / 2, high - low
        if not np.isfinite(span):
            raise error("ratings", "differ by less than 1e308", f"{low} and {high}")
        return Squared(np.clip((values - middle) / (span if span > 0 else 1.0), -0.5, 0.5))
    if low < 0:
        raise error("level", "not be 'ratio' if values are negative", low)
    return Ratio(values)


def ends_of(values: Array, in_use: Bools) -> tuple[float, float]:
    """Return the smallest and the largest value in use; 0 and 0 if no class is in use."""
    used = values[in_use]
    return (float(used.min()), float(used.max())) if len(used) else (0.0, 0.0)


def class_values(values: Any, judged: Judgements, level: str) -> Array:
    """Return (K,) numbers of the classes: the given ones, else positions; for interval and ratio scales, names that are numbers."""
    if values is None:
        if level == "ordinal":
            check_order("labels", judged.names, judged.stated, by=judged.stated_by)
        if level in ("nominal", "ordinal"):
            return np.arange(judged.n_classes, dtype=np.float64)
        numbers = numbers_of(judged.names)
        if numbers is None and level == "interval" and judged.ordered:
            numbers = judged.given.grades
        if numbers is None:
            raise error("values", f"be given for level {level!r} if class names are text: one number per class", None)
        return numbers
    if judged.ratings:
        raise error("values", "be left out for ratings", "values")
    values = per_class("values", values, judged.names)
    table = given_values(values, judged.n_classes)
    if level == "ordinal" and len(np.unique(table)) < len(table):
        raise error("values", "differ for an ordinal scale", "equal values")
    return table


def disagreement(judged: Judgements, cost: Cost) -> tuple[Array, Array]:
    """Return ``(between, within)``: (N,) Σ δ over ordered pairs of different annotators of a case, and over label pairs of one annotator.

    For judgements of several labels, δ is the mean over the pairs of these labels.
    """
    case, shares = judged.mixed()
    within = np.bincount(case, cost.pair_sums(shares), judged.n_cases) if len(case) else np.zeros(judged.n_cases)
    return np.maximum(cost.pair_sums(judged.classes) - within, 0.0), np.asarray(within)
