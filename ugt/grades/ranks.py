"""Spearman's and Kendall's correlation and the concordance of predictions with grades drawn from the truth, from pairs of cases."""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial
from typing import Any, Callable, NamedTuple

import numpy as np

from .._base.arrays import Array, Bools, Int64, NDArray
from .._base.lazy import cached_property
from ..plausibilities import Plausibilities, as_plausibilities
from ..plausibilities.estimates import NO_ANNOTATIONS
from ..resampling import NumberFacts
from .errors import mean_of
from .input import GradeScale, Predicted
from .record import GradeCoefficient, GradeStatistic, counted

CELLS = 2**21  # numbers of weighted cases in memory at a time
LEAST = 1e-12  # share of pairs that is rounding
DIGITS = 12  # to which expected grades are rounded, so that equal ones are tied
NO_CASE = "no case is left"
ONE_GRADE = "all grades are one grade, so that no pair of cases has a higher one"
CONSTANT = "all predictions are equal, so that they order no pair of cases"


class Pairs(NamedTuple):
    """Shares of pairs of cases, and other numbers, of which all coefficients are functions; each (B, ...) for B weightings.

    ``concordant``: of ordered pairs with the higher grade in the first case, those with the higher prediction there (ties ½); ``tied``: of
    all pairs, those with equal predictions; ``places`` (B, K): products of places of predictions with grades; ``squares``: of places;
    ``both`` (B, K, K): mean of the products of two plausibilities of a case; ``each``: the share of one case.
    """

    concordant: Array
    tied: Array
    places: Array
    squares: Array
    both: Array
    each: Array

    @classmethod
    def of(cls, table: Array, both: Array) -> Pairs:
        """Return the numbers of tables (B, G, K) of cases by group of equal predictions, lowest first, and grade."""
        size = table.sum(axis=2)
        n = size.sum(axis=1)
        with np.errstate(invalid="ignore", divide="ignore"):
            table, size = table / n[:, None, None], size / n[:, None]
            below = np.cumsum(table, axis=1) - table / 2  # ties count a half
            place = np.cumsum(size, axis=1) - size / 2
            lower = np.cumsum(below, axis=2) - below
            return cls(
                (table * lower).sum(axis=(1, 2)), (size**2).sum(axis=1), (table * place[:, :, None]).sum(axis=1),
                (size * place**2).sum(axis=1), both / n[:, None, None], 1.0 / n,
            )  # fmt: skip

    @classmethod
    def from_sums(cls, sums: Array) -> Pairs:
        k = round((-1 + np.sqrt(1 + 4 * (sums.shape[1] - 4))) / 2)
        return cls(sums[:, 0], sums[:, 1], sums[:, 4 : 4 + k], sums[:, 2], sums[:, 4 + k :].reshape(-1, k, k), sums[:, 3])

    def as_sums(self) -> Array:
        scalars = np.stack([self.concordant, self.tied, self.squares, self.each], axis=1)
        return np.concatenate([scalars, self.places, self.both.reshape(len(scalars), -1)], axis=1)

    @property
    def law(self) -> Array:
        """The mean law (B, K) of the grades."""
        return np.asarray(self.both.sum(axis=2))

    @property
    def untied(self) -> Array:
        """The share of pairs of different cases with different grades."""
        own = 1.0 - np.trace(self.both, axis1=1, axis2=2)
        found = (1.0 - (self.law**2).sum(axis=1) - self.each * own) / 2
        return np.where(found > LEAST, found, np.nan)

    @property
    def ordered(self) -> Array:
        """``concordant`` without pairs of a case with itself, which are tied."""
        return np.asarray(self.concordant - self.each * (1.0 - np.trace(self.both, axis1=1, axis2=2)) / 4)

    @property
    def squared(self) -> Array:
        """Σ over pairs of (P(y_i > y_j) - P(y_i < y_j))²: what the grades of independent annotators have in common."""
        k = self.both.shape[1]
        sign = np.tri(k, k, -1) - np.tri(k, k, -1).T  # [l < k] - [l > k]
        return np.asarray((self.both * np.matmul(np.matmul(sign, self.both), sign.T)).sum(axis=(1, 2)) / 2)

    @property
    def ranks(self) -> Array:
        """The share (B, K) of cases with lower grades, those with the same grade counted half."""
        return np.asarray(np.cumsum(self.law, axis=1) - self.law / 2)


def concordance(pairs: Pairs) -> list[Array]:
    common = pairs.squared / pairs.untied
    bound = np.sqrt(pairs.squared * np.maximum(1.0 - pairs.each, 0.0) / 2) / pairs.untied
    return [pairs.ordered / pairs.untied, (1.0 + common) / 2, (1.0 + np.minimum(bound, 1.0)) / 2]


def kendall(pairs: Pairs) -> list[Array]:
    of_predictions, common = (1.0 - pairs.tied) / 2, pairs.squared / pairs.untied
    norm = np.sqrt(np.where(of_predictions > LEAST, of_predictions, np.nan) * pairs.untied)
    return [(2.0 * pairs.ordered - pairs.untied) / norm, common, np.sqrt(common)]


def spearman(pairs: Pairs) -> list[Array]:
    ranks = pairs.ranks
    of_grades, of_predictions = (pairs.law * ranks**2).sum(axis=1) - 0.25, pairs.squares - 0.25
    of_grades, of_predictions = (np.where(one > LEAST, one, np.nan) for one in (of_grades, of_predictions))
    common = ((ranks[:, :, None] * pairs.both * ranks[:, None, :]).sum(axis=(1, 2)) - 0.25) / of_grades
    value = ((pairs.places * ranks).sum(axis=1) - 0.25) / np.sqrt(of_grades * of_predictions)
    return [value, common, np.sqrt(np.maximum(common, 0.0))]


FORMULAS: Mapping[str, Callable[[Pairs], list[Array]]] = {"concordance": concordance, "kendall": kendall, "spearman": spearman}


class RankNumbers(GradeStatistic):
    """The numbers of a coefficient of the order of predictions."""

    formula: str
    _kept: Bools

    @property
    def kept(self) -> Bools:
        return self._kept

    @property
    def facts(self) -> NumberFacts:
        if self.formula != "concordance":
            return super().facts
        return NumberFacts.within(3, (0.0, 1.0))

    @property
    def reason(self) -> str | None:
        if not self._kept.any():
            return NO_CASE
        if not np.isnan(self.estimate[0]):
            return None
        return ONE_GRADE if np.isnan(self.estimate[1]) else CONSTANT


class RankStatistic(RankNumbers):
    """A coefficient of the order of predictions (N,) and of laws (N, K) of grades, lowest first."""

    def __init__(self, formula: str, scores: Array, law: Array, kept: Bools) -> None:
        self.formula, self.scores, self.law, self._kept, self.n_cases = formula, scores, law, kept, len(kept)

    @cached_property
    def sorted(self) -> tuple[Int64, Int64, Int64]:
        """The kept cases by ascending prediction, where the groups of equal ones start, and the group of each."""
        row = np.flatnonzero(self._kept)
        row = row[np.argsort(self.scores[row], kind="stable")]
        ordered = self.scores[row]
        starts = np.flatnonzero(np.append(True, ordered[1:] != ordered[:-1])[: len(row)])
        return row, starts, np.repeat(np.arange(len(starts)), np.diff(np.append(starts, len(row))))

    def sums(self, cases: Array | None = None) -> Array:
        row, starts, _ = self.sorted
        law, weights = self.law[row], np.ones((1, len(row))) if cases is None else cases[:, row]
        if not len(row):
            k = self.law.shape[1]
            return np.full((len(weights), 4 + k + k * k), np.nan)
        step, products = max(1, CELLS // law.size), (law[:, :, None] * law[:, None, :]).reshape(len(law), -1)
        found = []
        for begin in range(0, len(weights), step):
            part = weights[begin : begin + step]
            table = np.add.reduceat(part[:, :, None] * law, starts, axis=1)
            both = np.einsum("bn,ns->bs", part, products).reshape(len(part), law.shape[1], -1)
            found.append(Pairs.of(table, both).as_sums())
        return np.concatenate(found)

    def answer(self, sums: Array) -> Array:
        with np.errstate(invalid="ignore", divide="ignore"):
            return np.stack(FORMULAS[self.formula](Pairs.from_sums(sums)), axis=1)

    def influence(self) -> Array:
        row, _, _ = self.sorted
        found = np.zeros((self.n_cases, len(self.names)))
        if len(row):
            found[row] = self._by_weight @ self.slopes
        return found

    @cached_property
    def _by_group(self) -> tuple[Array, Array, Array, Array]:
        """Derivatives by the cells (G, K) of the table of concordant pairs and of places; place and derivative of squares by group (G,)."""
        row, starts, _ = self.sorted
        table = np.add.reduceat(self.law[row], starts, axis=0) / len(row)
        size = table.sum(axis=1)
        below = np.cumsum(table, axis=0) - table / 2
        above, place = table.sum(axis=0) - below, np.cumsum(size) - size / 2
        higher = above.sum(axis=1, keepdims=True) - np.cumsum(above, axis=1)
        later = (size * place).sum() - np.cumsum(size * place)
        return np.cumsum(below, axis=1) - below + higher, above, place, place**2 + size * place + 2.0 * later

    @property
    def _by_weight(self) -> Array:
        """The derivatives (n, S) of the sums by the weight of each kept case, in the order of the predictions."""
        row, starts, group = self.sorted
        n, law, now = len(row), self.law[row], Pairs.from_sums(self.sums())
        concordant, above, place, squares = self._by_group
        size = np.diff(np.append(starts, n)) / n
        columns = [
            (law * concordant[group]).sum(axis=1) - 2.0 * now.concordant[0], 2.0 * size[group] - 2.0 * now.tied[0],
            squares[group] - 3.0 * now.squares[0], np.full(n, -1.0 / n),
        ]  # fmt: skip
        places = law * place[group][:, None] + above[group] - 2.0 * now.places[0]
        both = (law[:, :, None] * law[:, None, :] - now.both[0]).reshape(n, -1)
        return np.concatenate([np.stack(columns, axis=1), places, both], axis=1) / n

    def by_law(self) -> Array:
        """Return the derivatives (N, K) of the value by the laws, whose sums stay 1."""
        row, _, group = self.sorted
        k, slopes, (concordant, _, place, _) = self.law.shape[1], self.slopes[:, 0], self._by_group
        of_both = slopes[4 + k :].reshape(k, k)
        found = np.zeros(self.law.shape)
        linear = slopes[0] * concordant[group] + slopes[4 : 4 + k] * place[group][:, None]
        found[row] = (linear + self.law[row] @ (of_both + of_both.T)) / len(row)
        return found


def rank_coefficient(formula: str, truth: object, predictions: object, values: object, kind: str | None) -> GradeCoefficient:
    post, scale, scores = read(truth, predictions, values, kind)
    one = statistic_of(formula, scores, scale.order, post)

    def spread() -> Any:
        worth = np.empty((post.n_cases, post.n_classes))
        worth[:, scale.order] = one.by_law()
        return post.of_class(worth)

    return GradeCoefficient.of(one, spread, NO_ANNOTATIONS)


def read(truth: object, predictions: object, values: object, kind: str | None) -> tuple[Plausibilities, GradeScale, Array]:
    """Return the truth, its scale, and predictions as scores, of which only the order counts."""
    post = as_plausibilities(truth)
    scale = GradeScale.of(post, values)
    given = Predicted.of(predictions, post.axes, scale, kind, ranks=True)
    scores = mean_of(given, scale)
    return post, scale, scores if given.law is None else np.round((scores - scale.values.min()) / (scale.width or 1.0), DIGITS)


def statistic_of(formula: str, scores: Array, order: NDArray[Any], truth: Plausibilities) -> RankStatistic:
    """Return the statistic against a truth of the same cases."""
    law, kept = counted(truth)
    one = RankStatistic(formula, scores, np.ascontiguousarray(law[:, order]), kept)
    one.made_of, one.again, one.case_ids = truth.made_of, partial(statistic_of, formula, scores, order), truth.ids_or_none
    return one
