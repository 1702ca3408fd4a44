"""Intraclass correlations from sums over cases."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from .forms import TINY, Form, Values
from .table import Judgements

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Array = NDArray[np.float64]

KINDS = ("1", "1k", "A,1", "A,k", "C,1", "C,k")


class Squares(NamedTuple):
    """Mean squares, each a number or an array (B,)."""

    cases: Array  # between cases
    error: Array  # within cases, or what is left after cases and annotators
    annotators: Array
    n: Array  # cases
    k: Array  # annotators of a case


def correlation(kind: str, ms: Squares) -> Array:
    """McGraw & Wong (1996), table 4; NaN where it is 0 / 0, or divided by 0."""
    above, below = ms.cases - ms.error, ms.cases
    if kind == "A,k":
        below = ms.cases + (ms.annotators - ms.error) / ms.n
    elif kind == "A,1":
        below = ms.cases + (ms.k - 1) * ms.error + ms.k / ms.n * (ms.annotators - ms.error)
    elif kind in ("1", "C,1"):
        below = ms.cases + (ms.k - 1) * ms.error
    with np.errstate(invalid="ignore", divide="ignore"):
        return np.asarray(np.where(np.abs(below) > TINY, above / np.where(np.abs(below) > TINY, below, 1.0), np.nan))


def unit_scale(judged: Judgements) -> Array:
    """(K,) values of the classes, moved and scaled into an interval of length 1: correlations stay the same."""
    values = judged.names.astype(np.float64)
    used = values[judged.classes.totals(judged.n_classes, judged.times) > 0]
    if not len(used):
        return values
    low, high = float(used.min()), float(used.max())
    middle, half = low / 2 + high / 2, high / 2 - low / 2
    return np.clip((values - middle) / (2 * half) if half > 0 else values * 0.0, -0.5, 0.5)


class Icc(Form):
    """Base: an intraclass correlation with its derivative by means of mean squares."""

    kind: str

    def squares(self, sums: Array) -> Squares:
        """Mean squares from sums (B, C)."""
        raise NotImplementedError

    def _by_case(self, ms: Squares) -> tuple[Array, Array, Array, Array, Array]:
        """(N,) derivatives of the mean squares, of n and of k by the weight of each case."""
        raise NotImplementedError

    def _values(self, weights: Array, sums: Array) -> Values:
        found = correlation(self.kind, self.squares(sums))
        return Values(found, np.full(len(found), np.nan), np.full(len(found), np.nan))

    def _influence(self) -> Array:
        ms = Squares(*(float(x[0]) for x in self.squares(self._ones[None])))  # type: ignore[arg-type]
        step = 1e-6
        slopes = []
        for j, x in enumerate(ms):  # a ratio of polynomials of low degree: central differences are good to 1e-10
            h = step * max(abs(float(x)), 1e-3)
            up, down = (correlation(self.kind, ms._replace(**{ms._fields[j]: np.float64(x + s * h)})) for s in (1, -1))
            slopes.append(float(up - down) / (2 * h))
        total = np.zeros(len(self.in_use))
        for slope, by in zip(slopes, self._by_case(ms)):
            total = total + slope * by
        return total * self.in_use

    def interval(self, level: float) -> tuple[float, float]:
        """McGraw & Wong (1996), table 7."""
        ms = Squares(*(float(x[0]) for x in self.squares(self._ones[None])))  # type: ignore[arg-type]
        tail = 0.5 - level / 2
        if not ms.error > TINY:
            return math.nan, math.nan
        low, high = self._limits(ms, tail) if self.kind.startswith("A") else self._consistency(ms, tail)
        if self.kind.endswith("k"):  # Spearman-Brown
            k = float(ms.k)
            low, high = k * low / (1 + (k - 1) * low), k * high / (1 + (k - 1) * high)
        return low, high

    def _freedom(self, ms: Squares) -> tuple[float, float]:
        raise NotImplementedError

    def _consistency(self, ms: Squares, tail: float) -> tuple[float, float]:
        from scipy.special import fdtri  # noqa: PLC0415  (scipy is slow to import)

        df1, df2 = self._freedom(ms)
        f = ms.cases / ms.error
        low, high = f / fdtri(df1, df2, 1 - tail), f * fdtri(df2, df1, 1 - tail)
        return float((low - 1) / (low + ms.k - 1)), float((high - 1) / (high + ms.k - 1))

    def _limits(self, ms: Squares, tail: float) -> tuple[float, float]:
        """Of ICC(A,1), with Satterthwaite's degrees of freedom."""
        from scipy.special import fdtri  # noqa: PLC0415

        n, k = ms.n, ms.k
        rho = float(correlation("A,1", ms))
        if not rho < 1:
            return math.nan, math.nan
        a, b = k * rho / (n * (1 - rho)), 1 + k * rho * (n - 1) / (n * (1 - rho))
        df1, df2 = self._freedom(ms)
        below = (a * ms.annotators) ** 2 / (k - 1) + (b * ms.error) ** 2 / df2
        df = (a * ms.annotators + b * ms.error) ** 2 / below
        upper, lower = fdtri(df1, df, 1 - tail), fdtri(df, df1, 1 - tail)
        rest = k * ms.annotators + (k * n - k - n) * ms.error
        low = n * (ms.cases - upper * ms.error) / (upper * rest + n * ms.cases)
        high = n * (lower * ms.cases - ms.error) / (rest + n * lower * ms.cases)
        return float(low), float(high)


def one_way(sums: Array) -> Squares:
    """From sums (B, 6) over cases: cases, ratings, squares of their number, Σ x, (Σ x)² / ratings, and squares within cases."""
    n, size, square, total, between, inside = sums.T
    with np.errstate(invalid="ignore", divide="ignore"):
        cases = np.maximum(between - total**2 / size, 0.0) / (n - 1)
        return Squares(cases, inside / (size - n), np.zeros(len(n)), n, (size - square / size) / (n - 1))


def two_way_columns(x: Array, in_use: NDArray[np.bool_]) -> Array:
    """(N, 3 + k) of ratings (N, k): whether the case counts, (Σ x)², squares within the case, and the ratings; x is 0 where it does not."""
    inside = ((x - x.sum(axis=1, keepdims=True) / max(1, x.shape[1])) ** 2).sum(axis=1)
    return np.concatenate([np.stack([in_use * 1.0, x.sum(axis=1) ** 2, inside], axis=1), x], axis=1)


def two_way(sums: Array) -> Squares:
    """From sums (B, 3 + k) of such columns."""
    n, rows, inside, columns, k = sums[:, 0], sums[:, 1], sums[:, 2], sums[:, 3:], sums.shape[1] - 3
    with np.errstate(invalid="ignore", divide="ignore"):
        middle = columns.sum(axis=1) / k
        annotators = ((columns - middle[:, None]) ** 2).sum(axis=1) / n
        cases = rows / k - middle**2 * k / n
        parts = cases / (n - 1), (inside - annotators) / ((n - 1) * (k - 1)), annotators / (k - 1)
    cases, error, annotators = (np.maximum(part, 0.0) for part in parts)  # less than 0 by rounding
    return Squares(cases, error, annotators, n, np.full(len(n), float(k)))


class OneWay(Icc):
    """Annotators of a case are interchangeable, and may be of any number."""

    def __init__(self, judged: Judgements, kind: str) -> None:
        self.kind, size = kind, judged.size
        x = judged.means(unit_scale(judged))
        self.in_use = size > 0
        total = np.bincount(judged.case, x, judged.n_cases)
        inside = np.maximum(np.bincount(judged.case, x**2, judged.n_cases) - total**2 / np.maximum(size, 1.0), 0.0)
        dense = np.stack([self.in_use * 1.0, size, size**2, total, total**2 / np.maximum(size, 1.0), inside], axis=1)
        super().__init__(judged, dense, ())

    def squares(self, sums: Array) -> Squares:
        return one_way(sums)

    def _freedom(self, ms: Squares) -> tuple[float, float]:
        return float(ms.n) - 1, float(self._ones[1] - self._ones[0])

    def _by_case(self, ms: Squares) -> tuple[Array, Array, Array, Array, Array]:
        kept, size, square, total, between, inside = self.dense.T
        n, all_, squares, sum_, _, _ = self._ones
        mean = sum_ / all_
        cases = (between - 2 * mean * total + mean**2 * size - ms.cases * kept) / (n - 1)
        error = (inside - ms.error * (size - kept)) / (all_ - n)
        k = (size - square / all_ + squares * size / all_**2 - ms.k * kept) / (n - 1)
        return cases, error, np.zeros(len(kept)), kept, k


class TwoWay(Icc):
    """Annotators are effects: only cases that all of them rated."""

    def __init__(self, judged: Judgements, kind: str) -> None:
        self.kind = kind
        names, column = np.unique(judged.annotator, return_inverse=True)
        self.k, n = len(names), judged.n_cases
        self.in_use = judged.size == self.k if self.k else np.zeros(n, bool)
        x = np.zeros((n, self.k))
        x[judged.case, column.reshape(-1)] = judged.means(unit_scale(judged))
        self._x = np.where(self.in_use[:, None], x, 0.0)
        if self.in_use.any():
            self._x = np.where(self.in_use[:, None], self._x - self._x[self.in_use].mean(), 0.0)
        super().__init__(judged, two_way_columns(self._x, self.in_use), ())

    def squares(self, sums: Array) -> Squares:
        return two_way(sums)

    def _freedom(self, ms: Squares) -> tuple[float, float]:
        return float(ms.n) - 1, (float(ms.n) - 1) * (self.k - 1)

    def _by_case(self, ms: Squares) -> tuple[Array, Array, Array, Array, Array]:
        n, k, x = float(ms.n), self.k, self._x
        means = self._ones[3:] / n
        middle = means.mean()
        row = k * (x.mean(axis=1) - middle) ** 2
        column = ((means - middle) ** 2).sum() + 2 * (x - means) @ (means - middle)
        error = ((x - middle) ** 2).sum(axis=1) - row - column
        return (
            (row - ms.cases) / (n - 1),
            error / ((n - 1) * (k - 1)) - ms.error / (n - 1),
            column / (k - 1),
            np.ones(len(x)),
            np.zeros(len(x)),
        )
