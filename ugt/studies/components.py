"""Variance components of scores of labels for any incomplete design, in closed form, and their jackknife variances in a pilot."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any, NamedTuple

import numpy as np

from .._base.arrays import Array, Int64
from .._base.laws import t_quantile
from .._base.lazy import cached_property

PARTS = ("cases", "annotators", "labels", "pairs")
MOST_GROUPS = 100  # most groups of cases that the jackknife leaves out one by one


class Components(NamedTuple):
    """The variances that cases, annotators, single labels and pairs of labels add to a score; NaN for unknown annotators."""

    cases: Array
    annotators: Array
    labels: Array
    pairs: Array

    def in_plans(self) -> Components:
        """Return the components with 0 in place of negative or unknown ones."""
        return Components(*(np.fmax(part, 0.0) for part in self))


@dataclass(frozen=True)
class ScoredLabels:
    """Scores s of labels, one per row; a row may stand for several equal labels of a case."""

    case: Int64
    annotator: Int64  # -1: unknown
    score: Array  # centred
    count: Array
    n_cases: int
    n_annotators: int  # 0: unknown
    remainder: tuple[float, ...] = (0.0, 0.0, 0.0)  # the parts of Q / n, P_c and single pairs that come from pairs of labels

    @classmethod
    def of(cls, case: Any, annotator: Any, score: Array, count: Array, n_cases: int, n_annotators: int) -> ScoredLabels:
        """Return scored labels with centred scores."""
        return cls(case, annotator, score - (count @ score) / count.sum(), count, n_cases, n_annotators)

    def with_remainder(self, remainder: tuple[float, ...]) -> ScoredLabels:
        return replace(self, remainder=remainder)

    @cached_property
    def _moments(self) -> Moments:
        s, c = self.score, self.count
        r, n = (np.bincount(self.case, one, self.n_cases) for one in (c * s, c))
        if not self.n_annotators:
            return Moments(c @ s, c @ s**2, c.sum(), r @ r, n @ n, np.nan, np.nan)
        t, m = (np.bincount(self.annotator, one, self.n_annotators) for one in (c * s, c))
        return Moments(c @ s, c @ s**2, c.sum(), r @ r, n @ n, t @ t, m @ m)

    @cached_property
    def components(self) -> Components:
        return self._moments.components(self.remainder)

    def without_cases(self) -> Components:
        """Return the components without each of at most 100 groups of cases, (G,)."""
        g = min(self.n_cases, MOST_GROUPS)
        group_of_case = np.arange(self.n_cases) % g
        group, s, c, a = group_of_case[self.case], self.score, self.count, self.n_annotators
        r, n = (np.bincount(self.case, one, self.n_cases) for one in (c * s, c))
        total, squares, size = (np.bincount(group, one, g) for one in (c * s, c * s**2, c))
        by_case, n_by_case = (np.bincount(group_of_case, one**2, g) for one in (r, n))
        every = self._moments
        t2 = m2 = np.full(g, np.nan)
        if a:
            t, m = (np.bincount(group * a + self.annotator, one, g * a).reshape(g, a) for one in (c * s, c))
            t2, m2 = (((one.sum(axis=0) - one) ** 2).sum(axis=1) for one in (t, m))
        left = every.total - total, every.squares - squares, every.n - size, every.by_case - by_case, every.n_by_case - n_by_case
        return Moments(*left, t2, m2).components(self.remainder)

    def without_annotators(self) -> Components:
        """Return the components without each annotator who labelled a case, (A,); an annotator has one row per case."""
        s, who = self.score, self.annotator
        r, n = (np.bincount(self.case, one, self.n_cases)[self.case] for one in (s, np.ones(len(s))))
        t, m, q, by_case, n_by_case = (
            np.bincount(who, one, self.n_annotators) for one in (s, np.ones(len(s)), s**2, 2 * r * s - s**2, 2 * n - 1)
        )
        left = (whole - part for whole, part in zip(self._moments, (t, q, m, by_case, n_by_case, t**2, m**2)))
        return Components(*(part[m > 0] for part in Moments(*left).components(self.remainder)))


class Moments(NamedTuple):
    """Sums of n scores: S, Q, n; sums of squares of the sums and of the sizes of cases and of annotators."""

    total: Any
    squares: Any
    n: Any
    by_case: Any
    n_by_case: Any
    by_annotator: Any
    n_by_annotator: Any

    def components(self, remainder: tuple[float, ...]) -> Components:
        """Return σ² from the mean products of two labels: of one case, of one annotator, of neither."""
        total, squares, n, r2, n2, t2, m2 = self
        known = ~np.isnan(t2)
        t2, m2 = np.where(known, t2, squares), np.where(known, m2, n)
        of_case, own = _mean_product(r2 - squares, n2 - n), _mean_product(t2 - squares, m2 - n)
        neither = _mean_product(total**2 - r2 - t2 + squares, n**2 - n2 - m2 + n)
        of_annotator = np.where(known, own, neither)
        with np.errstate(invalid="ignore", divide="ignore"):
            labels = squares / n - of_case - of_annotator + neither
        own_label, own_case, pairs = remainder
        return Components(
            of_case - neither - own_case,
            np.where(known, of_annotator - neither, np.nan),
            labels - (own_label - own_case),
            pairs + np.zeros_like(labels),
        )


@dataclass(frozen=True)
class PairedCases:
    """Numbers (N,) of cases with two labels, centred, and their annotators (N, 2), ascending; None if annotators do not matter."""

    score: Array
    who: Any

    @property
    def squares(self) -> float:
        return float(self.score @ self.score)

    @cached_property
    def components(self) -> Components:
        """The components; two cases with one annotator in common share a quarter of σ² of annotators, as a case averages two labels."""
        t, n = self.score, len(self.score)
        total, squares = t.sum() ** 2 - t @ t, n * (n - 1.0)
        if self.who is None:
            rest = total / squares
            return Components(*map(np.asarray, (t @ t / n - rest, np.nan, 0.0, 0.0)))
        base = int(self.who.max()) + 1
        of_pair = np.unique(self.who[:, 0].astype(np.int64) * base + self.who[:, 1], return_inverse=True)[1].reshape(-1)
        both, n_both = _products(of_pair, t)
        one, n_one = _products(self.who.reshape(-1), np.repeat(t, 2))
        one, n_one = one - 2 * both, n_one - 2 * n_both
        rest = _mean_product(total - one - both, squares - n_one - n_both)
        annotators = 4 * (_mean_product(one, n_one) - rest)
        return Components(*map(np.asarray, (t @ t / n - rest - np.fmax(annotators, 0.0) / 2, annotators, 0.0, 0.0)))

    def without_cases(self) -> Components:
        """Return the components without each of at most 100 groups of cases, (G,)."""
        group = np.arange(len(self.score)) % MOST_GROUPS
        return self._without([group != g for g in range(group.max() + 1)])

    def without_annotators(self) -> Components:
        """Return the components without each annotator, or each of 100 groups of them, (R,)."""
        group = np.unique(self.who, return_inverse=True)[1].reshape(self.who.shape) % MOST_GROUPS
        return self._without([(group != g).all(axis=1) for g in range(group.max() + 1)])

    def _without(self, kept: list[Array]) -> Components:
        found = [PairedCases(self.score[one], None if self.who is None else self.who[one]).components for one in kept if one.any()]
        return Components(*np.array(found).T)


def _mean_product(total: Any, n: Any) -> Any:
    """Return the mean of n products; NaN if there are none, whatever rounding left in their sum."""
    return np.divide(total, n, out=np.full(np.shape(total), np.nan), where=np.greater(n, 0))


def _products(group: Any, t: Array) -> tuple[float, float]:
    """Return the sum of the products of two numbers of the same group over ordered pairs, and the number of pairs."""
    sums, sizes = np.bincount(group, t), np.bincount(group)
    return float(sums @ sums - t @ t), float(sizes @ sizes - len(t))


def jackknife(values: Array) -> float:
    """Return the jackknife variance of a number from its values (G,) without each part."""
    return float((len(values) - 1) * values.var()) if len(values) > 1 and np.isfinite(values).all() else np.nan


def jackknife_covariance(table: Array) -> Array:
    """Return the jackknife covariances (M, M) of numbers from their values (M, G) without each part; NaN from a single one."""
    m, n = table.shape
    return np.asarray((n - 1) ** 2 / n * np.cov(table)) if n > 1 else np.full((m, m), np.nan)


class InPilot(NamedTuple):
    """The covariances (4, 4) of the components over other pilots: of other cases, and of other annotators; degrees of freedom of each."""

    covariances: tuple[Array, ...]
    df: tuple[int, ...]

    @classmethod
    def of(cls, parts: ScoredLabels | PairedCases, people: bool) -> InPilot:
        """Return those by the jackknife; NaN if a case or an annotator cannot be left out."""
        tables = [parts.without_cases()._replace(**({} if people else {"annotators": np.zeros(())}))]
        tables += [parts.without_annotators()] if people else []
        found = [np.array(np.broadcast_arrays(*table)) for table in tables]
        return cls(tuple(map(jackknife_covariance, found)), tuple(table.shape[1] - 1 for table in found))

    def of_sum(self, weights: Array) -> tuple[Array, Array]:
        """Return the variance of weighted sums (4, ...) of the components, and Satterthwaite's degrees of freedom."""
        parts = [np.einsum("i...,ij,j...->...", weights, one, weights) for one in self.covariances]
        total = np.asarray(sum(parts))
        with np.errstate(invalid="ignore", divide="ignore"):
            df = total**2 / sum(part**2 / n for part, n in zip(parts, self.df))
        return total, np.where(total > 0, df, 1.0)

    def reach(self, weights: Array, assurance: float) -> Array:
        """Return how far true weighted sums may be above those of the pilot, at most and with this probability."""
        square, df = self.of_sum(weights)
        return np.asarray(t_quantile(df, assurance) * np.sqrt(square))
