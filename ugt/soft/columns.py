"""Columns of scores against probabilities, and the metrics that are functions of their sums."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from .._base.arrays import Array, Bools, Int64, NDArray
from .._base.lazy import cached_property
from .._core import _soft
from ..resampling import by_case
from .order import Order

# The sums of one column, in the order of ugt.h.
POSITIVE, NEGATIVE, SELF, PAIRS, CERTAIN, PROBABLE, HARD_POSITIVE, HARD_NEGATIVE, HARD_PAIRS, HARD_PRECISION = range(_soft.N_SUMS)
SELF_PAIRS = {
    "exclude": (-0.5, 0.0),
    "half": (0.0, 0.0),
    "include": (0.5, 0.0),
    "unbiased": (-0.5, 1.0),
}  # c of the numerator, and d of the denominator
NO_PAIRS = 1e-12  # share of pairs of two different cases that is rounding error


def quotient(a: Any, b: Any) -> Any:
    """Return the quotient of floats or of arrays, NaN where b is 0."""
    if type(a) is float:
        return a / b if b > 0 else math.nan
    return np.divide(a, b, out=np.full(np.broadcast(a, b).shape, np.nan), where=b > 0)


def parts(sums: Any) -> Any:
    """Return sums (..., N_SUMS) with the last axis first; a list is returned as it is."""
    return sums if isinstance(sums, list) else sums.transpose(sums.ndim - 1, *range(sums.ndim - 1))


@dataclass(frozen=True, eq=False)
class ScoreColumn:
    """The scores of N cases, with the positive and the negative part of each case.

    ``positive`` (N,) in [0, 1]; ``negative`` (N,), or None for ``1 - positive``; ``weights`` (N,) of cases, or None; ``kept`` (N,): cases
    that count, or None for all; ``classes``: the positive and the negative class; ``times`` (N,): how many equal cases each stands for.
    A case of weight w has the masses ``w positive`` and ``w negative``, so that a pair of it with itself has w².
    """

    order: Order
    positive: Array
    negative: Array | None = None
    weights: Array | None = None
    kept: Bools | None = None
    classes: tuple[int, int | None] = (1, None)
    threshold: float = 0.5
    expected: bool = False
    times: Array | None = None

    @cached_property
    def row(self) -> Int64:
        """Cases that count, highest score first."""
        return self.order.row if self.kept is None else self.order.row[self.kept[self.order.row]]

    @cached_property
    def last(self) -> NDArray[np.uint8]:
        """Whether a tie group ends at each case, in the order of ``row``."""
        return self.order.last(self.row)

    @cached_property
    def ordered(self) -> tuple[Array, Array | None]:
        """The positive and the negative masses in the order of ``row``; None: 1 less the positive one."""
        u, v = self.positive[self.row], None if self.negative is None else self.negative[self.row]
        if self.weights is None:
            return u, v
        w = self.weights[self.row]
        return w * u, w * (1.0 - u if v is None else v)

    @property
    def apart(self) -> bool:
        """Whether the sums against hard labels are those of :meth:`hard`, as the masses of a case are not p and 1 - p."""
        return self.negative is not None or self.weights is not None

    @cached_property
    def sums(self) -> Array:
        if self.apart or self.order.is_sorted or (self.kept is not None and not self.kept.any()):
            return np.asarray(self.resampled()[0])
        scores, p, times = self.order.scores, self.positive, self.times
        if self.kept is not None:
            scores, p, times = scores[self.kept], p[self.kept], None if times is None else times[self.kept]
        return _soft.Scores(scores).sums(p, times, self.threshold, self.expected)

    def resampled(self, weights: Array | None = None, positive: Array | None = None) -> Array:
        """Return (B, N_SUMS) sums for case weights (B, N) or other probabilities (B, N), or (1, N_SUMS) for neither."""
        given = weights if weights is not None else positive
        if weights is None and self.times is not None:
            weights = self.times[None]
        out = np.zeros((1 if given is None else len(given), _soft.N_SUMS))
        if len(self.row):
            u, v = self.ordered
            times = None if weights is None else by_case(weights)
            _soft.resampled(self.row, self.last, u, v, self.threshold, self.expected, len(self.positive), times, positive, out)
        return out

    def hard(self) -> ScoreColumn:
        negative = None if self.negative is None else (self.negative > self.threshold).astype(np.float64)
        return replace(self, positive=(self.positive > self.threshold).astype(np.float64), negative=negative)

    def judged(self, p: Array, kept: Bools | None) -> ScoreColumn:
        """Return the same scores against other probabilities (N, K)."""
        a, b = self.classes
        negative = None if b is None else np.ascontiguousarray(p[:, b])
        return replace(self, positive=np.ascontiguousarray(p[:, a]), negative=negative, kept=kept)

    @property
    def groups(self) -> tuple[Array, Int64]:
        """Tie groups, highest scores first: sums (G, 3) of positive mass, negative mass and their products, and (G,) numbers of cases."""
        u, rest = self.ordered
        v, w, ends = 1.0 - u if rest is None else rest, self.ordered_times, np.flatnonzero(self.last)
        sizes = np.diff(ends, prepend=-1)
        table = np.stack([w * u, w * v, w * u * v], axis=1)
        return np.add.reduceat(table, ends - sizes + 1, axis=0), sizes

    def running(self) -> tuple[Array, Array, Array, Array, Array]:
        """Return five arrays in the order of the scores; numbers of equal cases enter the running sums only.

        They are the positive and the negative mass of each case, the positive mass down to the end of its tie group, the positive mass
        above the case, and the negative mass below it (ties, and the case itself, count a half).
        """
        u, rest = self.ordered
        v, w = 1.0 - u if rest is None else rest, self.ordered_times
        ends = np.flatnonzero(self.last)
        sizes = np.diff(ends, prepend=-1)
        u_end, v_end = np.cumsum(w * u)[ends], np.cumsum(w * v)[ends]
        middle = u_end - 0.5 * np.diff(u_end, prepend=0.0)
        below = v_end[-1] - (v_end - 0.5 * np.diff(v_end, prepend=0.0))
        return u, v, np.repeat(u_end, sizes), np.repeat(middle, sizes), np.repeat(below, sizes)

    @property
    def ordered_times(self) -> Array:
        """How often cases occur, in the order of ``row``, or 1."""
        return np.ones(1) if self.times is None else self.times[self.row]

    def by_case(self, part: Array) -> Array:
        """Return (N,) numbers in the order of the cases, from numbers in the order of the scores."""
        table = np.zeros(len(self.positive))
        table[self.row] = part
        return table

    def total(self, by_case: Array) -> Any:
        """Return the sum of numbers of cases (N,) or (N, C), each as often as it occurs."""
        return by_case.sum(axis=0) if self.times is None else self.times @ by_case

    def product(self, one: Array, other: Array) -> float:
        """Return the sum of products of two numbers (N,) of cases, each as often as it occurs."""
        return float(one @ other if self.times is None else (self.times * one) @ other)

    def mass(self) -> Array:
        """Return (N,) what each case adds to the weight of this column in a weighted average."""
        u, v = self.ordered
        return self.by_case(u if v is None or self.negative is None else u + v)


@dataclass(frozen=True)
class Auroc:
    """The AUROC (U + c S) / (P N - d S): c = -1/2, 0, 1/2 excludes, halves or includes pairs of a case with itself; d = 1 if unbiased."""

    self_pairs: str

    def values(self, sums: object) -> Any:
        s = parts(sums)
        own, taken_off = SELF_PAIRS[self.self_pairs]
        return quotient(s[PAIRS] + own * s[SELF], self._pairs(s, taken_off))

    def of_no_pair(self, sums: list[float]) -> bool:
        """Whether the value of one column is defined although there is no pair of two different cases."""
        return not math.isnan(self.values(sums)) and not self._pairs(sums, 1.0) > 0

    @staticmethod
    def _pairs(s: Any, taken_off: float) -> Any:
        every = s[POSITIVE] * s[NEGATIVE]
        if not taken_off:
            return every
        pairs = every - taken_off * s[SELF]
        return pairs * (pairs > NO_PAIRS * every)

    def hard_values(self, sums: object) -> Any:
        """Return the values against hard labels, which have no pairs of a case with itself."""
        s = parts(sums)
        return quotient(s[HARD_PAIRS], s[HARD_POSITIVE] * s[HARD_NEGATIVE])

    def components(self, column: ScoreColumn) -> tuple[Array, Array]:
        """Return the centred structural components (N,) of each case as a positive and as a negative; their sum is its influence."""
        u, v, _, above, below = column.running()
        positive, negative = column.sums[POSITIVE], column.sums[NEGATIVE]
        value = float(self.values(column.sums))
        added, taken_off = SELF_PAIRS[self.self_pairs]
        own, more = 0.5 * (added + taken_off * value) * u * v / (positive * negative), 1.0
        if taken_off:
            more = positive * negative / self._pairs(column.sums, taken_off)
        as_positive, as_negative = u * (below / negative - value) / positive + own, v * (above / positive - value) / negative + own
        return column.by_case(more * as_positive), column.by_case(more * as_negative)

    def influence(self, column: ScoreColumn) -> Array:
        return np.add(*self.components(column))

    def of_panels(self, sums: Array) -> tuple[Array, Array]:
        """Return the values (B,) for the first four sums (4, B), and (4, B) what their influences follow from: see panels.h."""
        added, taken_off = SELF_PAIRS[self.self_pairs]
        value, every = self.values(sums.T), self._pairs(sums, taken_off)
        with np.errstate(divide="ignore"):
            by = (1.0 - value) * sums[NEGATIVE], -value * sums[POSITIVE], added + taken_off * value, 1.0 / every
        return value, np.stack(by)

    def slopes(self, groups: Array, expected: bool) -> Array:
        """Return (G, 3) derivatives by the sums (G, 3) of tie groups, highest scores first."""
        (u, v, _), (own, taken_off) = groups.T, SELF_PAIRS[self.self_pairs]
        positive, negative, selves = groups.sum(axis=0).tolist()
        above, below = np.cumsum(u) - 0.5 * u, negative - np.cumsum(v) + 0.5 * v
        pairs = positive * negative - taken_off * selves
        value = (float(v @ above) + own * selves) / pairs
        by = below - value * negative, above - value * positive, np.full(len(u), own + value * taken_off)
        return np.asarray(np.stack(by, axis=1) / pairs)

    def std_error(self, column: ScoreColumn) -> float:
        """Return DeLong's standard error, with effective numbers of positives and negatives."""
        as_positive, as_negative = self.components(column)
        u, v = column.ordered
        variance = 2.0 * column.product(as_positive, as_negative)
        for part, share in ((as_positive, u), (as_negative, 1.0 - u if v is None else v)):
            mass = column.by_case(share)
            n = float(column.total(mass) ** 2 / column.product(mass, mass))
            variance += column.product(part, part) * n / (n - 1.0) if n > 1.0 + 1e-12 else math.nan
        return math.sqrt(variance)  # not below 0, as n / (n - 1) is above 1


@dataclass(frozen=True)
class Precision:
    """The average precision Σ_g (G P + S) / n / Σ w p over tie groups g; without S for the self term p."""

    self_term: str

    def values(self, sums: object) -> Any:
        s = parts(sums)
        return quotient(s[CERTAIN if self.self_term == "certain" else PROBABLE], s[POSITIVE])

    def hard_values(self, sums: object) -> Any:
        """Return the values against hard labels, for which both self terms are equal."""
        s = parts(sums)
        return quotient(s[HARD_PRECISION], s[HARD_POSITIVE])

    def influence(self, column: ScoreColumn) -> Array:
        """Return the derivative by the weight of each case, times its weight."""
        groups, sizes = column.groups
        (u, rest), by = column.ordered, np.repeat(self.slopes(groups, column.expected), sizes, axis=0)
        v = 1.0 - u if rest is None else rest
        return column.by_case(u * by[:, 0] + v * by[:, 1] + u * v * by[:, 2])

    def slopes(self, groups: Array, expected: bool) -> Array:
        """Return (G, 3) derivatives by the sums (G, 3) of tie groups, highest scores first; a group of one case has no ties."""
        (u, v, s), certain = groups.T, self.self_term == "certain"
        m = u + v
        positive, before = np.cumsum(u) - u, np.cumsum(m) - m
        n = np.where(before + m > 0.0, before + m, 1.0)
        inside = (u * (positive + u) + s * certain) / n
        by_u, by_m, by_s = (positive + 2.0 * u) / n, -inside / n, np.full(len(u), 1.0 * certain) / n
        by_positive, by_before = u / n, by_m.copy()
        at = np.flatnonzero(m > 1.0) if expected else np.empty(0, np.int64)
        if len(at):
            from scipy.special import digamma, polygamma  # noqa: PLC0415  (scipy is slow to import)

            u, s, m, above, c = u[at], s[at], m[at], positive[at], before[at]
            # a is the sum of 1 / (c + t) over the positions t in the group, b that of (t - 1) / (c + t)
            a, a_m = digamma(c + m + 1.0) - digamma(c + 1.0), polygamma(1, c + m + 1.0)
            a_c = a_m - polygamma(1, c + 1.0)
            b, b_m, b_c = m - (c + 1.0) * a, 1.0 - (c + 1.0) * a_m, -a - (c + 1.0) * a_c
            pairs, two, one = m * (m - 1.0), u * u - u + s, u * (1.0 + above) - s * (not certain)
            inside[at], by_positive[at] = one * a / m + two * b / pairs, u * a / m
            by_u[at] = (1.0 + above) * a / m + (2.0 * u - 1.0) * b / pairs
            by_s[at] = b / pairs - a / m * (not certain)
            by_before[at] = one * a_c / m + two * b_c / pairs
            by_m[at] = one * (a_m - a / m) / m + two * (b_m - b * (2.0 * m - 1.0) / pairs) / pairs
        # a case adds to its own group and to all later ones, so that sums run from the last group upwards
        later = [np.cumsum(part[::-1])[::-1] - part for part in (by_positive, by_before)]
        of_any, total = by_m + later[1], groups[:, 0].sum()
        return np.asarray(np.stack([by_u + later[0] + of_any - inside.sum() / total, of_any, by_s], axis=1) / total)


def effective_sizes(column: ScoreColumn, added: Callable[[Array], Array] | None = None) -> tuple[float, float, float]:
    """Return the effective numbers, (Σ w)² / Σ w², of positives, of negatives, and of all cases, or of units after adding up (N, 3)."""
    if not len(column.row):
        return 0.0, 0.0, 0.0
    u, rest = column.ordered
    v = 1.0 - u if rest is None else rest
    masses = np.stack([column.by_case(part) for part in (u, v, u + v)], axis=1)
    masses = masses if added is None else added(masses)  # clusters, in which no case stands for several
    squares = column.total(masses**2)
    positives, negatives, every = np.where(squares > 0, column.total(masses) ** 2 / np.where(squares > 0, squares, 1.0), 0.0).tolist()
    return positives, negatives, every


def average_of(values: Array, mass: Array | None) -> Any:
    """Return the mean over the defined columns (last axis), weighted by mass; a single column is returned as it is."""
    if values.shape[-1] == 1:
        return values[..., 0]
    weight = np.where(np.isnan(values), 0.0, 1.0 if mass is None else mass)
    return quotient((np.where(np.isnan(values), 0.0, values) * weight).sum(-1), weight.sum(-1))
