"""Decisions among K classes: measures of each class against the others, their averages, and expected costs."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from ..._base import checks
from ..._base.arrays import Array, Bools, NDArray
from ..._base.checks import option
from ..._base.identifiers import as_array
from ...annotations import Labels
from ...annotations.named import of_pairs
from ...plausibilities.made_of import MadeOf
from ...resampling import Design, NumberFacts, Result, Results, Statistic, over
from ...resampling.result import ResultsOf
from ...resampling.statistic import Linear
from .decided import OfMeans
from .measures import CellMeasure

AVERAGES = ("macro", "micro")


def shares_of_decisions(scores: Array) -> Array:
    """Return (N, K) how probably each class is decided for: the one with the highest score, or each of the tied ones alike."""
    best = scores == scores.max(axis=1, keepdims=True)
    return np.asarray(best / best.sum(axis=1, keepdims=True))


class ClassDecisions(OfMeans, Linear):
    """Measures of each of K classes against the others, then their means over classes and those of the sum of all tables.

    Columns are the cells of each case and class, (N, 4 K); ``decided`` (N, K): how probably each class is decided for.
    """

    def __init__(
        self, p: Array, decided: Array, measures: Mapping[str, CellMeasure], labels: Labels | MadeOf | None, names: tuple[str, ...]
    ) -> None:
        checks.room("the calls of all classes", 32.0 * p.size)
        self.p, self.decided, self.measures, self.labels, self.n_cases, self.classes = p, decided, dict(measures), labels, len(p), names
        self.names = tuple(f"{measure} {one}" for measure in measures for one in (*names, *AVERAGES))
        q = np.where(self.kept[:, None], p, 0.0)
        rest = np.where(self.kept[:, None], 1.0 - p, 0.0)
        parts = (q * decided, rest * decided, q * (1.0 - decided), rest * (1.0 - decided))
        self.columns = np.stack(parts, axis=2).reshape(len(p), -1)

    def cells(self, sums: Array) -> Array:
        """Return the cells (B, K, 4)."""
        return sums.reshape(len(sums), -1, 4)

    def answer(self, sums: Array) -> Array:
        cells, found = self.cells(sums), []
        for one in self.measures.values():
            each = one.value(cells)
            defined = np.isfinite(each)
            mean = over(
                np.where(defined, each, 0.0).sum(axis=1, keepdims=True), np.where(defined.any(axis=1), defined.sum(axis=1), np.nan)[:, None]
            )
            found += [each, mean, one.value(cells.sum(axis=1, keepdims=True))]
        return np.concatenate(found, axis=1)

    def influence(self) -> Array:
        cells, found = self.cells(self.sums()), []
        of_cases = self.columns.reshape(self.n_cases, -1, 4)
        for one in self.measures.values():
            with np.errstate(invalid="ignore"):
                each = np.einsum("nkc,kc->nk", of_cases, one.gradient(cells)[0])
                defined = np.isfinite(one.value(cells)[0])
                mean = over(np.where(defined, each, 0.0).sum(axis=1), max(int(defined.sum()), 1))
                micro = np.einsum("nkc,c->n", of_cases, one.gradient(cells.sum(axis=1))[0])
            found += [each, mean[:, None], micro[:, None]]
        return np.concatenate(found, axis=1)

    @property
    def facts(self) -> NumberFacts:
        m = len(self.classes) + len(AVERAGES)
        spans = np.repeat(np.array([one.span for one in self.measures.values()]), m, axis=0)
        found = NumberFacts.of(len(self.names), lambda: spans)
        return found._replace(counting=self._counting, deciding=self._effective, steps=self._steps)

    def _masses(self) -> list[Array]:
        """Return for each number the masses (N, C) that decide it."""
        of_cases, found = self.columns.reshape(self.n_cases, -1, 4), []
        for one in self.measures.values():
            each = [of_cases[:, k] @ one.masses.T for k in range(len(self.classes))]
            found += [*each, np.concatenate(each, axis=1), sum(each)]
        return [np.asarray(one) for one in found]

    def _counting(self, kept: Bools, design: Design) -> Array:
        return np.array([_least(design.number(one[kept])) for one in self._masses()])

    def _effective(self, kept: Bools, design: Design) -> Array:
        found = []
        for one in self._masses():
            placed = design.added_up(one[kept])
            total, squares = design.total(placed), design.total(placed**2)
            found.append(_least(np.divide(total**2, squares, out=np.zeros_like(total), where=squares > 0)))
        return np.asarray(np.maximum(np.array(found), 1.0))

    def _steps(self, sums: Array, n_cases: int) -> Array:
        cells = self.cells(sums[None])[0]
        found: list[Any] = []
        for one in self.measures.values():
            with np.errstate(invalid="ignore"):
                each = one.step(cells)
            found += [
                each,
                [np.nanmax(each) / len(each) if np.isfinite(each).any() else np.nan],
                one.step(cells.sum(axis=0, keepdims=True)),
            ]
        return np.asarray(n_cases * np.concatenate(found))

    def again(self, p: Array) -> ClassDecisions:
        return ClassDecisions(p, self.decided, self.measures, self.labels, self.classes)


def _least(numbers: Array) -> float:
    """Return the least of the masses that are there."""
    return float(min(numbers[numbers > 0].tolist(), default=0.0))


@dataclass(frozen=True, eq=False, repr=False)
class AccuracyByClass(Results):
    """Measures of each class against the others, as :func:`accuracy_by_class` returns them.

    Attributes
    ----------
    classes : tuple of str
    values : mapping of name to (K,) array
        The measures of each class, see :class:`DiagnosticAccuracy`; NaN if undefined.
    macro, micro : mapping of name to float
        The mean over the classes in which it is defined, and the measure of the sum of the tables of all classes.
    table : (K, K) array
        The expected numbers of cases: rows are the truth, columns the decision.
    n_cases, left_out : int, mapping
        Cases counted; cases left out, by reason.

    Examples
    --------
    >>> import ugt
    >>> truth = [[0.8, 0.2, 0.0], [0.0, 1.0, 0.0], [0.1, 0.3, 0.6], [0.5, 0.5, 0.0]]
    >>> scores = [[0.7, 0.2, 0.1], [0.1, 0.6, 0.3], [0.2, 0.5, 0.3], [0.4, 0.3, 0.3]]
    >>> found = ugt.soft.accuracy_by_class(truth, scores)
    >>> found.values["sensitivity"].round(3), round(found.macro["f1"], 3)
    (array([0.929, 0.65 , 0.   ]), 0.472)
    """

    classes: tuple[str, ...]
    values: Mapping[str, Array]
    macro: Mapping[str, float]
    micro: Mapping[str, float]
    table: Array
    n_cases: int
    left_out: Mapping[str, int]
    _statistic: Statistic = field(repr=False)

    def interval(self, level: float = 0.95, *, of: str, at: str = "macro", **given: Any) -> tuple[float, float]:
        """Return the interval of a measure, ``at`` a class, ``"macro"`` or ``"micro"``; otherwise as ``Result.interval``."""
        one = option("of", of, tuple(self.values)), option("at", at, (*self.classes, *AVERAGES))
        statistic, number = self.statistic.only(self.statistic.names.index(" ".join(one)))
        low, high = ResultsOf(statistic, self).intervals(level, **given)[number]
        return float(low), float(high)


class CostSums(OfMeans, Linear):
    """The mean cost of decisions, of the best constant decision and of perfect ones, and where the first lies between these.

    Columns are the cost of each case, then the probabilities of its classes. ``costs`` (K, C): of each decision if a class is true.
    """

    names = ("value", "constant", "perfect", "standardized")

    def __init__(self, p: Array, decided: Array, costs: Array, labels: Labels | MadeOf | None) -> None:
        self.p, self.decided, self.costs, self.labels, self.n_cases = p, decided, costs, labels, len(p)
        q = np.where(self.kept[:, None], p, 0.0)
        self.columns = np.concatenate([np.einsum("nt,tc,nc->n", q, costs, decided)[:, None], q, self.kept[:, None] * 1.0], axis=1)

    def answer(self, sums: Array) -> Array:
        cost, shares = over(sums[:, 0], sums[:, -1]), over(sums[:, 1:-1], sums[:, -1:])
        constant, perfect = (shares @ self.costs).min(axis=1), shares @ self.costs.min(axis=1)
        room = constant - perfect
        with np.errstate(invalid="ignore"):
            standard = over(constant - cost, np.where(room > 1e-12 * np.abs(self.costs).max(), room, np.nan))
        return np.stack([cost, constant, perfect, standard], axis=1)

    def influence(self) -> Array:
        n = float(self.sums()[0, -1])
        cost, constant, perfect, standard = self.estimate
        shares = self.sums()[0, 1:-1] / n
        best = int(np.argmin(shares @ self.costs))
        p, kept = self.columns[:, 1:-1], self.columns[:, -1]
        parts = np.stack(
            [self.columns[:, 0] - cost * kept, p @ self.costs[:, best] - constant * kept, p @ self.costs.min(axis=1) - perfect * kept]
        )
        room = constant - perfect
        with np.errstate(invalid="ignore", divide="ignore"):
            last = (parts[1] - parts[0] - standard * (parts[1] - parts[2])) / room
        return np.asarray(np.stack([*parts, last], axis=1) / n)

    @property
    def facts(self) -> NumberFacts:
        low, high = float(self.costs.min()), float(self.costs.max())
        return NumberFacts.of(4, lambda: np.array([[low, high]] * 3 + [[-np.inf, 1.0]]))._replace(
            steps=lambda sums, n: np.array([high - low, np.nan, np.nan, np.nan])
        )

    def again(self, p: Array) -> CostSums:
        return CostSums(p, self.decided, self.costs, self.labels)


@dataclass(frozen=True, eq=False, repr=False)
class ExpectedCost(Result):
    """The mean cost of decisions under an uncertain truth, as :func:`expected_cost` returns it.

    ``interval(of=...)`` takes ``"value"``, ``"constant"``, ``"perfect"`` or ``"standardized"``.

    Attributes
    ----------
    value : float
        The mean cost per case.
    constant : float
        That of the best decision that is the same for all cases.
    perfect : float
        That of decisions that know the true class of each case.
    standardized : float
        ``(constant - value) / (constant - perfect)``: 1 is perfect, 0 as good as the best constant decision; NaN if these are equal.
    best_constant : str
        The best constant decision.
    n_cases, left_out : int, mapping
        Cases counted; cases left out, by reason.

    Examples
    --------
    >>> import ugt
    >>> truth = [[0.9, 0.1], [0.2, 0.8], [0.6, 0.4]]
    >>> found = ugt.soft.expected_cost(truth, [[0.8, 0.2], [0.3, 0.7], [0.7, 0.3]], costs=[[0, 1], [5, 0]])
    >>> round(found.value, 3), round(found.constant, 3), round(found.standardized, 3)
    (0.9, 0.567, -0.588)
    """

    value: float
    constant: float
    perfect: float
    standardized: float
    best_constant: str
    n_cases: int
    left_out: Mapping[str, int]
    _statistic: Statistic = field(repr=False)


def costs_of(given: object, classes: NDArray[Any]) -> Array:
    """Return the costs (K, K) of decisions (columns) by true classes (rows); a table with names is joined by them."""
    table = as_array(of_pairs("costs", given, classes))
    k = len(classes)
    if table.dtype.kind not in "fiub" or table.shape != (k, k):
        raise checks.error(
            "costs", f"be a table of numbers of shape ({k}, {k}): rows are true classes, columns decisions", f"shape {table.shape}"
        )
    table = table.astype(np.float64)
    if not np.isfinite(table).all():
        raise checks.error("costs", "be finite", table[~np.isfinite(table)][0])
    return table


def best_by_cost(scores: Array, costs: Array) -> Array:
    """Return (N, K) decisions with the least expected cost, if scores are probabilities; tied ones alike."""
    bad = (scores < 0) | (np.abs(scores.sum(axis=1)) - 1 > 1e-6)[:, None] | (scores.sum(axis=1) < 1 - 1e-6)[:, None]
    if bad.any():
        i = int(np.argmax(bad.any(axis=1)))
        raise checks.error("scores", "be probabilities that add up to 1, for decide='cost'", f"{scores[i].sum():.6g} in all", f"case {i}")
    cost = scores @ costs
    return shares_of_decisions(-np.round(cost, 12))
