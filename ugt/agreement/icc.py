"""Intraclass correlations from sums over cases."""

from __future__ import annotations

import math
from abc import abstractmethod
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from .._base import identifiers
from .._base.arrays import Array, Bools, NDArray
from .._base.checks import error
from .._base.lazy import cached_property
from .forms import EMPTY, NO_PAIRS, NO_RATING, TINY, Agreed, Form, Values, counts_of, few
from .table import Judgements

if TYPE_CHECKING:
    from collections.abc import Mapping

    from ..resampling import Answer, Merging, NumberFacts

KINDS = ("1", "1k", "A,1", "A,k", "C,1", "C,k")
NO_VARIANCE = "the denominator is not above 0: the mean squares between cases and annotators are too small beside the error"
EQUAL_MEANS = "means of repeated ratings are all equal, although ratings differ"
INCOMPLETE = "case that not all annotators rated"
LOST = 1e-10


class Squares(NamedTuple):
    """The mean squares of an analysis of variance, each a number or an array (B,)."""

    cases: Array  # between cases
    error: Array  # within cases, or residual after cases and annotators
    annotators: Array
    n: Array  # number of cases
    k: Array  # annotators per case
    noise: Array  # variance of the ratings of an annotator in a case, if single ratings are compared instead of their means


def correlation(kind: str, ms: Squares) -> Array:
    """Return the correlation of a kind by McGraw & Wong (1996), table 4; NaN if its denominator is not above 0.

    A single rating varies by the noise more than the mean of an annotator's ratings, whose variance the mean squares contain.
    """
    above, below = ms.cases - ms.error, ms.cases
    if kind == "A,k":
        below = ms.cases + (ms.annotators - ms.error) / ms.n
    elif kind == "A,1":
        below = ms.cases + (ms.k - 1) * ms.error + ms.k / ms.n * (ms.annotators - ms.error)
    elif kind in ("1", "C,1"):
        below = ms.cases + (ms.k - 1) * ms.error
    below = below + (1 if kind.endswith("k") else ms.k) * ms.noise
    with np.errstate(invalid="ignore", divide="ignore"):
        return np.asarray(np.where(below > TINY, above / np.where(below > TINY, below, 1.0), np.nan))


def _slopes(kind: str, ms: Squares) -> tuple[float, ...]:
    """Return the derivatives of the correlation by the three mean squares, n, k and noise."""
    cases, error, annotators, n, k, noise = map(float, ms)
    apart, none = annotators - error, (0.0, 0.0, 0.0, 0.0)
    by_error, by_annotators, by_n, by_k = {
        "A,k": (-1 / n, 1 / n, -apart / n**2, 0.0),
        "A,1": (k - 1 - k / n, k / n, -k * apart / n**2, error + apart / n),
        "1": (k - 1, 0.0, 0.0, error),
        "C,1": (k - 1, 0.0, 0.0, error),
    }.get(kind, none)
    by_noise, by_k = (1.0, by_k) if kind.endswith("k") else (k, by_k + noise)
    below = cases + by_error * error + by_annotators * annotators + by_noise * noise
    value = (cases - error) / below
    return (1 - value) / below, (-1 - value * by_error) / below, *(-value * one / below for one in (by_annotators, by_n, by_k, by_noise))


def unit_scale(judged: Judgements) -> Array:
    """Return (K,) values of the classes, moved and scaled into an interval of length 1, which leaves correlations unchanged."""
    values = judged.names.astype(np.float64)
    used = values[judged.classes.totals(judged.n_classes, judged.times) > 0]
    if not len(used):
        return values
    low, high = float(used.min()), float(used.max())
    middle, half = low / 2 + high / 2, high / 2 - low / 2
    return np.clip((values - middle) / (2 * half) if half > 0 else values * 0.0, -0.5, 0.5)


class Icc(Form):
    """The base of intraclass correlations of numbers x of the classes, with derivatives through mean squares.

    Sums are accurate to 1e-16 of the squares of x; a variation below LOST of these squares counts as lost in rounding.
    """

    names = ("value",)
    n_at = 0
    noise_at: int  # position of the sum of variances of each annotator's ratings of a case
    of_one = False  # whether single ratings are compared, and not the means of each annotator's ratings of a case
    too_far = "ratings differ by too little to be distinguished"

    def __init__(self, judged: Judgements | None, kind: str, x: Array | None = None) -> None:
        super().__init__(judged, 0)
        self.kind, self._x, self.ratings = kind, x, True

    def with_judged(self, judged: Judgements) -> Icc:
        found = type(self)(judged, self.kind)
        found.of_one = self.of_one
        return found

    def _annotations(self) -> Any:
        """Refuse parts of the variance: the analytic interval over annotators needs none."""
        must = "be ('cases',) for intraclass correlations, except in interval(), whose analytic kind has random annotators"
        raise error("random", must, "annotators")

    @property
    def span(self) -> tuple[float, float]:  # type: ignore[override]
        """The range: for single annotators from -1 / (k - 1), or -1 / (k - 1 - k / n) of ``"A,1"``, where cases have equal means."""
        if self.kind.endswith("k"):
            return -math.inf, 1.0
        n, k = float(self._squares.n), float(self._squares.k)
        below = k - 1 - (k / n if self.kind == "A,1" and n > 0 else 0)
        return (-1 / below if below > 0 else -math.inf), 1.0

    def _steps(self, sums: Array, n_cases: int) -> Array:
        """Return the step (1,), that of a correlation in [-1, 1] for all kinds."""
        return np.full(1, 2.0)

    @cached_property
    def positions(self) -> Array:
        """(J,) the number x of each judgement, the mean of an annotator's ratings of a case."""
        return self.judged.means(self._numbers)

    @cached_property
    def _numbers(self) -> Array:
        return unit_scale(self.judged) if self._x is None else self._x

    def _noise(self) -> Array:
        """Return (N,) sums over the annotators of a case of the variances of their ratings of it."""
        own = np.maximum(self.judged.means(self._numbers**2) - self.positions**2, 0.0)
        own[np.diff(self.judged.shares.offsets) == 1] = 0.0
        return np.asarray(np.bincount(self.judged.case, own, self.judged.n_cases), np.float64)

    @abstractmethod
    def squares(self, sums: Array) -> Squares:
        """Return the mean squares from sums (B, C)."""

    @abstractmethod
    def seen(self, sums: Array) -> tuple[Array, Array, Array]:
        """Return squares of x, squares within cases, and the number of cases (or annotators) compared, (B,) each."""

    @abstractmethod
    def _by_case(self, ms: Squares) -> tuple[Array, ...]:
        """Return the (N,) derivatives of the three mean squares, n, k and noise by the weight of each case."""

    def _told(self, sums: Array) -> tuple[Array, Bools, Bools, Array]:
        """Return the value, whether it is computable, whether the variation is lost in rounding, and the number compared, (B,) each."""
        ms, n = self.squares(sums), sums[:, 0]
        about, inside, compared = self.seen(sums)
        with np.errstate(invalid="ignore", divide="ignore"):
            varies = np.where(n > 1, ms.cases * (n - 1), 0.0) + inside + self.of_one * sums[:, self.noise_at]
            lost = (varies <= LOST * about) & (inside > 0)
            usable = (varies > TINY * about) & ~lost & (n > 1) & (compared > 0)
            unit = np.where(usable, np.maximum(varies, 4 * about) / np.maximum(n, 1.0), 1.0)
            scaled = Squares(ms.cases / unit, ms.error / unit, ms.annotators / unit, ms.n, ms.k, ms.noise / unit)
            return np.where(usable, correlation(self.kind, scaled), np.nan), usable, lost, compared

    def parts(self, sums: Array) -> Values:
        """Return the value; observed and expected agreement do not exist and are NaN."""
        found = self._told(sums)[0]
        return Values(found, np.full(len(found), np.nan), np.full(len(found), np.nan))

    def answer(self, sums: Array) -> Array:
        return self._told(sums)[0][:, None]

    def agreed(self, sums: Array | None = None) -> Agreed:
        """Return the value, or the reason why it is undefined."""
        sums = self._ones if sums is None else sums
        (value,), (usable,), (lost,), (compared,) = self._told(sums[None])
        if not math.isnan(value):
            return Agreed(float(value), math.nan, math.nan, None)
        if sums[0] < 2:
            reason = "fewer than two cases " + ("with ratings" if self.kind.startswith("1") else "that all annotators rated")
        elif not compared:
            reason = NO_PAIRS.format(things="ratings")
        else:
            alike = NO_VARIANCE if self.kind.startswith("A") else "cases do not differ in their means"
            equal = EQUAL_MEANS if sums[self.noise_at] > 0 else NO_RATING
            reason = self.too_far if lost else alike if usable else equal
        return Agreed(1.0 if reason == NO_RATING else math.nan, math.nan, math.nan, reason)

    def missing(self) -> dict[str, int]:
        size = self.judged.size
        return counts_of(self.judged, {EMPTY: size == 0, INCOMPLETE: (size > 0) & ~self.in_use})

    def influence(self) -> Array:
        if math.isnan(self.estimate[0]):
            return np.full((self.n_cases, 1), np.nan)
        ms = self._squares
        by = zip(_slopes(self.kind, ms), self._by_case(ms))
        total = sum((slope * each for slope, each in by), np.zeros(len(self.in_use)))
        return np.asarray(self.each(total * self.in_use)[:, None])

    def slopes(self) -> tuple[Array, Array]:
        """Return NaN, since observed and expected agreement do not exist."""
        nothing = np.full(len(self.in_use), np.nan)
        return nothing, nothing

    @property
    def _squares(self) -> Squares:
        """The mean squares of the unweighted data."""
        return Squares(*(float(x[0]) for x in self.squares(self._ones[None])))  # type: ignore[arg-type]

    @property
    def merging(self) -> Merging:
        return super().merging._replace(limits=self.limits)

    def _finish(self, sums: Array, fixed: Array, left_out: Mapping[str, int]) -> Answer:
        """Answer for sums of all parts and keep them, because the limits are computed from them, too."""
        self.__dict__["_ones"] = sums
        return super()._finish(sums, fixed, left_out)

    def limits(self, level: float) -> tuple[float, float]:
        """Return the ends of the analytic interval by McGraw & Wong (1996), table 7; NaN where its approximation does not hold."""
        if self.of_one and self._squares.noise > 0:  # these limits are of means of ratings
            return math.nan, math.nan
        if math.isnan(self.agreed()[0]) or self.seen(self._ones[None])[2][0] < 2:
            return math.nan, math.nan
        ms, tail = self._squares, 0.5 - level / 2
        if not ms.error > TINY:
            return math.nan, math.nan
        low, high = self._limits(ms, tail) if self.kind.startswith("A") else self._consistency(ms, tail)
        if self.kind.endswith("k"):  # Spearman-Brown
            low, high = (_of_means(end, float(ms.k)) for end in (low, high))
        return low, high

    @abstractmethod
    def _freedom(self, ms: Squares) -> tuple[float, float]:
        """Return the degrees of freedom of the mean squares of cases and of error."""

    def _consistency(self, ms: Squares, tail: float) -> tuple[float, float]:
        from scipy.special import fdtri  # noqa: PLC0415  (scipy is slow to import)

        df1, df2 = self._freedom(ms)
        f = ms.cases / ms.error
        low, high = f / fdtri(df1, df2, 1 - tail), f * fdtri(df2, df1, 1 - tail)
        return float((low - 1) / (low + ms.k - 1)), float((high - 1) / (high + ms.k - 1))

    def _limits(self, ms: Squares, tail: float) -> tuple[float, float]:
        """Return the ends of the interval of ICC(A,1), with Satterthwaite's degrees of freedom."""
        from scipy.special import fdtri  # noqa: PLC0415

        n, k, rho = ms.n, ms.k, float(correlation("A,1", ms))
        if not rho < 1:
            return math.nan, math.nan
        a, b = k * rho / (n * (1 - rho)), 1 + k * rho * (n - 1) / (n * (1 - rho))
        df1, df2 = self._freedom(ms)
        below = (a * ms.annotators) ** 2 / (k - 1) + (b * ms.error) ** 2 / df2
        if not below > 0:
            return math.nan, math.nan
        df = (a * ms.annotators + b * ms.error) ** 2 / below
        if df < 1:  # a or b is negative, where Satterthwaite's approximation does not hold
            return math.nan, math.nan
        upper, lower = fdtri(df1, df, 1 - tail), fdtri(df, df1, 1 - tail)
        rest = k * ms.annotators + (k * n - k - n) * ms.error
        low = n * (ms.cases - upper * ms.error) / (upper * rest + n * ms.cases)
        high = n * (lower * ms.cases - ms.error) / (rest + n * lower * ms.cases)
        return float(low), float(high)


def _of_means(one: float, k: float) -> float:
    """Return the correlation of means of k annotators from that of single ones; at -1 / (k - 1) or below, it falls without an end."""
    return -math.inf if 1 + (k - 1) * one <= 0 else k * one / (1 + (k - 1) * one)


class OneWay(Icc):
    """The one-way correlation: annotators of a case are interchangeable, and their number may differ between cases.

    Sums: cases, ratings, squares of their number, Σ x, (Σ x)² / ratings, squares within cases, cases with two annotators, noise.
    """

    n_dense, noise_at = 8, 7
    singles = True

    @cached_property
    def in_use(self) -> Bools:
        return np.asarray(self.judged.size > 0)

    @cached_property
    def paired(self) -> Bools:
        """(N,) cases with two annotators: the others show how cases differ, and nothing of how annotators do."""
        return np.asarray(self.judged.size >= 2)

    @property
    def facts(self) -> NumberFacts:
        return super().facts.counting_only(lambda: self.informative)

    @property
    def n_counted(self) -> int:
        """Number of cases with two annotators."""
        return int(self._ones[6])

    def missing(self) -> dict[str, int]:
        return few(self.judged)

    @cached_property
    def dense(self) -> Array:
        judged, size, x = self.judged, self.judged.size, self.positions
        total, some = np.bincount(judged.case, x, judged.n_cases), np.maximum(size, 1.0)
        inside = np.bincount(judged.case, (x - (total / some)[judged.case]) ** 2, judged.n_cases)
        return np.stack([size > 0, size, size**2, total, total**2 / some, inside, size >= 2, self._noise()], axis=1).astype(np.float64)

    def squares(self, sums: Array) -> Squares:
        n, size, square, total, between, inside, _, noise = sums.T
        with np.errstate(invalid="ignore", divide="ignore"):
            cases = np.maximum(between - total**2 / size, 0.0) / (n - 1)
            k = (size - square / size) / (n - 1)
            return Squares(cases, inside / (size - n), np.zeros(len(n)), n, k, self.of_one * noise / size)

    def seen(self, sums: Array) -> tuple[Array, Array, Array]:
        return sums[:, 4], sums[:, 5], sums[:, 6]

    def _freedom(self, ms: Squares) -> tuple[float, float]:
        return float(ms.n) - 1, float(self._ones[1] - self._ones[0])

    def _by_case(self, ms: Squares) -> tuple[Array, ...]:
        kept, size, square, total, between, inside, _, noise = self.dense.T
        n, all_, squares, sum_ = self._ones[:4]
        mean = sum_ / all_
        cases = (between - 2 * mean * total + mean**2 * size - ms.cases * kept) / (n - 1)
        error = (inside - ms.error * (size - kept)) / (all_ - n)
        k = (size - square / all_ + squares * size / all_**2 - ms.k * kept) / (n - 1)
        return cases, error, np.zeros(len(kept)), kept, k, (self.of_one * noise - ms.noise * size) / all_


class Crossed(Icc):
    """The two-way correlation: annotators are effects, and only cases that all of them rated count.

    Sums: cases, (Σ x)², squares within cases, noise, and x of each annotator. Annotators are all with a rating, or those of ``names`` (k,).
    """

    noise_at = 3

    def __init__(self, judged: Judgements | None, kind: str, x: Array | None = None, names: NDArray[Any] | None = None) -> None:
        super().__init__(judged, kind, x)
        self._names = names

    @cached_property
    def _column(self) -> tuple[NDArray[Any], int]:
        """(J,) the annotator of each judgement as a position, and the number of annotators."""
        judged = self.judged
        if self._names is None:
            found, column = np.unique(judged.annotator, return_inverse=True)
            return column.reshape(-1), len(found)
        return identifiers.lookup(self._names, judged.annotators)[judged.annotator], len(self._names)

    @cached_property
    def in_use(self) -> Bools:
        return np.asarray((self.judged.size == self._column[1]) & (self.judged.size > 0))

    @cached_property
    def dense(self) -> Array:
        column, k = self._column
        x, in_use = np.zeros((self.judged.n_cases, k)), self.in_use
        x[self.judged.case, column] = self.positions
        if self._x is None and in_use.any():
            x -= x[in_use].mean()
        x = np.where(in_use[:, None], x, 0.0)
        inside = ((x - x.sum(axis=1, keepdims=True) / max(1, k)) ** 2).sum(axis=1)
        return np.concatenate([np.stack([in_use * 1.0, x.sum(axis=1) ** 2, inside, self._noise() * in_use], axis=1), x], axis=1)

    def squares(self, sums: Array) -> Squares:
        (n, rows, inside, noise), columns, k = sums[:, :4].T, sums[:, 4:], sums.shape[1] - 4
        with np.errstate(invalid="ignore", divide="ignore"):
            middle = columns.sum(axis=1) / k
            annotators = ((columns - middle[:, None]) ** 2).sum(axis=1) / n
            cases = rows / k - middle**2 * k / n
            parts = cases / (n - 1), (inside - annotators) / ((n - 1) * (k - 1)), annotators / (k - 1)
            own = self.of_one * noise / (n * k)
        cases, error, annotators = (np.maximum(part, 0.0) for part in parts)  # rounding can make them negative
        return Squares(cases, error, annotators, n, np.full(len(n), float(k)), own)

    def seen(self, sums: Array) -> tuple[Array, Array, Array]:
        k = sums.shape[1] - 4
        return sums[:, 1] / max(1, k), sums[:, 2], sums[:, 0] * (k > 1)

    def _freedom(self, ms: Squares) -> tuple[float, float]:
        return float(ms.n) - 1, (float(ms.n) - 1) * (float(ms.k) - 1)

    def _by_case(self, ms: Squares) -> tuple[Array, ...]:
        n, k, x, noise = float(ms.n), float(ms.k), self.dense[:, 4:], self.dense[:, 3]
        means = self._ones[4:] / n
        middle = means.mean()
        row = k * (x.mean(axis=1) - middle) ** 2
        column = ((means - middle) ** 2).sum() + 2 * (x - means) @ (means - middle)
        error = ((x - middle) ** 2).sum(axis=1) - row - column
        by_error = error / ((n - 1) * (k - 1)) - ms.error / (n - 1)
        return (
            (row - ms.cases) / (n - 1),
            by_error,
            column / (k - 1),
            np.ones(len(x)),
            np.zeros(len(x)),
            (self.of_one * noise / k - ms.noise) / n,
        )
