"""The statistic of decisions at thresholds: sums of positive and negative mass between thresholds, from which all cells follow."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Callable, Mapping
from functools import partial
from typing import Any

import numpy as np

from ..._base import checks
from ..._base.arrays import Array, Bools, Int32, NDArray
from ..._base.checks import error
from ..._base.lazy import cached_property
from ...annotations import Labels
from ...plausibilities.made_of import MadeOf
from ...plausibilities.refitted import refitted
from ...resampling import Design, NumberFacts, Panel, Statistic, by_case
from ...resampling.sums import GroupSums
from ..input import known, shares
from .measures import FN, FP, TN, TP, CellMeasure, Quotient

LEAST = 1.0  # effective number of cases


class OfMeans(Statistic):
    """A statistic of the probabilities p (N,) or (N, K) of cases, which are shares of labels, or means of a truth."""

    p: Array
    labels: Labels | MadeOf | None  # what they were made of

    @abstractmethod
    def again(self, p: Array) -> Statistic:
        """Return the statistic with other probabilities of the same cases."""

    @cached_property
    def kept(self) -> Bools:
        kept = known(self.p)
        return self.standing(np.ones(self.n_cases, bool) if kept is None else kept)

    def of_means(self, means: Array) -> Statistic:
        """Return the statistic against other probabilities (N, K) of all classes."""
        return self.again(np.ascontiguousarray(means, np.float64))

    @property
    def panel(self) -> Panel:
        return Panel(self._annotations, self._judged_by)

    def _annotations(self) -> Any:
        if isinstance(self.labels, MadeOf):
            return self.labels.annotations_by_name
        if self.labels is None or not len(self.labels.annotators):
            got = "probabilities" if self.labels is None else "label counts"
            raise error("truth", "be labels of named annotators, or a truth made of them, if annotators are random", got)
        return self.labels

    def _judged_by(self, annotators: NDArray[Any]) -> Statistic:
        if isinstance(self.labels, MadeOf):
            return self.of_means(np.asarray(self.labels.judged_by(annotators).mean()))
        return self.of_means(shares(self._annotations(), annotators))

    def refitted(self) -> Statistic:
        """Return the statistic as if the prior of the truth, if it was fitted, were fitted to each resample."""
        return refitted(self, self.labels if isinstance(self.labels, MadeOf) else None, lambda truth: self.of_means(truth.mean()))


class Decided(OfMeans):
    """Measures at T thresholds: numbers in the order of the measures, each at all thresholds.

    Parameters
    ----------
    p : (N,) array
        Probability of being positive; NaN: the case does not count.
    above : (N,) int32 array
        The number of thresholds, in ascending order, that the score of each case reaches.
    n_thresholds : int
    measures : mapping of name to CellMeasure
    thresholds : (T,) array or None
        For names of numbers; None if there is one threshold, which names need not tell.
    labels : Labels, MadeOf or None
        The labels of which the probabilities are shares, or the source of the truth of which they are means.
    positive : int
        The class of which p is the probability.
    """

    def __init__(
        self,
        p: Array,
        above: Int32,
        n_thresholds: int,
        measures: Mapping[str, CellMeasure],
        *,
        thresholds: Array | None = None,
        labels: Labels | MadeOf | None = None,
        positive: int = 1,
        times: Array | None = None,
        case_ids: NDArray[Any] | None = None,
    ) -> None:
        self.p, self.above, self.n_thresholds, self.measures, self.thresholds = p, above, n_thresholds, dict(measures), thresholds
        self.labels, self.positive, self.times, self.n_cases, self.case_ids = labels, positive, times, len(p), case_ids
        marks = [""] if thresholds is None else [f" at {t:g}" for t in thresholds]
        self.names = tuple(f"{name}{mark}" for name in measures for mark in marks)

    # ---- sums and cells ----

    def sums(self, cases: Array | None = None) -> Array:
        """Return (B, 2 (T + 1)): positive and negative mass of the cases between thresholds, lowest scores first."""
        if cases is None:
            return np.stack([self._in_bins(self._positive), self._in_bins(self._negative)], axis=1).reshape(1, -1)
        found = self._grouped.sums(by_case(cases))
        return found.reshape(len(found), -1)

    @cached_property
    def _positive(self) -> Array:
        return np.where(self.kept, self.p, 0.0)

    @property
    def _negative(self) -> Array:
        return np.where(self.kept, 1.0 - self.p, 0.0)

    def _in_bins(self, of_cases: Array | Bools) -> Array:
        """Return the sums (T + 1,) of numbers (N,) of the cases between thresholds, each case as often as it occurs."""
        weights = of_cases if self.times is None else of_cases * self.times
        return np.asarray(np.bincount(self.above, weights, self.n_thresholds + 1), np.float64)

    @cached_property
    def _grouped(self) -> GroupSums:
        rows = np.flatnonzero(self.kept)
        table = np.stack([self.p[rows], 1.0 - self.p[rows]], axis=1)
        return GroupSums(rows, np.ascontiguousarray(self.above[rows]), table, self.n_thresholds + 1)

    def cells(self, sums: Array) -> Array:
        """Return the cells (B, T, 4) for sums."""
        bins = sums.reshape(len(sums), self.n_thresholds + 1, 2)
        return np.concatenate([_from_above(bins), _up_to(bins)], axis=2)

    def answer(self, sums: Array) -> Array:
        cells = self.cells(sums)
        return np.concatenate([one.value(cells) for one in self.measures.values()], axis=1)

    @cached_property
    def table(self) -> Array:
        """The cells (T, 4) of the data."""
        return np.asarray(self.cells(self.sums())[0])

    @cached_property
    def gradients(self) -> Array:
        """The derivatives (M, 4) of the numbers by the cells of their thresholds."""
        with np.errstate(invalid="ignore", over="ignore"):
            return np.concatenate([one.gradient(self.table) for one in self.measures.values()])

    def _threshold(self, number: int) -> int:
        return number % self.n_thresholds

    # ---- influences, and what follows from sums of squares ----

    def of_cases(self, weights: Array, number: int) -> Array:
        """Return the sums (N,) of the cells of each case with these weights (4,), at the threshold of a number."""
        called = self.above > self._threshold(number)
        return np.asarray(
            np.where(called, weights[TP], weights[FN]) * self._positive + np.where(called, weights[FP], weights[TN]) * self._negative
        )

    def influence(self) -> Array:
        checks.room(f"influences of {self.n_cases:,} cases on {len(self.names)} numbers", 8.0 * self.n_cases * len(self.names))
        found = np.empty((self.n_cases, len(self.names)))
        with np.errstate(invalid="ignore"):
            for number, weights in enumerate(self.gradients):
                found[:, number] = self.of_cases(weights, number)
        return found

    @cached_property
    def _squares(self) -> Array:
        """The sums (T, 2, 3) of p², p (1 - p) and (1 - p)² of the cases that are called, and of the others, at each threshold."""
        p, n = self._positive, self._negative
        bins = np.stack([self._in_bins(part) for part in (p * p, p * n, n * n)], axis=1)[None]
        return np.stack([_from_above(bins)[0], _up_to(bins)[0]], axis=1)

    def sums_of_squares(self, weights: Array) -> Array:
        """Return (M,) the sums over cases of squares of the sums of cells with weights (M, 4)."""
        parts = self._squares[np.arange(len(weights)) % self.n_thresholds]
        with np.errstate(invalid="ignore", over="ignore"):
            pairs = ((weights[:, a], weights[:, b]) for a, b in ((TP, FP), (FN, TN)))
            return np.asarray(
                sum(u**2 * one[:, 0] + 2 * u * v * one[:, 1] + v**2 * one[:, 2] for (u, v), one in zip(pairs, parts.swapaxes(0, 1)))
            )

    def std_error(self, design: Design | None = None) -> Array:
        """Return (M,) standard errors over cases, or over the units of a design; of cases without a table of thresholds and cases."""
        if design is not None and not design.plain:
            return super().std_error(design)
        n = self.facts.counting(self.kept, self.units())
        with np.errstate(invalid="ignore", divide="ignore"):
            return np.sqrt(np.where(n > 1, self.sums_of_squares(self.gradients) * n / (n - 1), np.nan))

    def spread_of_truths(self) -> Array:
        """Return (M,) the standard deviation of each number over truths, each case's drawn independently, to first order.

        It is the root of Σ p (1 - p) g², g the derivative by the number of positives among the called cases (or among the others).
        """
        mixed = self._squares[..., 1][np.arange(len(self.names)) % self.n_thresholds]
        moved = np.stack([self.gradients[:, TP] - self.gradients[:, FP], self.gradients[:, FN] - self.gradients[:, TN]], axis=1)
        with np.errstate(invalid="ignore"):
            return np.asarray(np.sqrt((moved**2 * mixed).sum(axis=1)))

    # ---- what intervals must know ----

    @property
    def facts(self) -> NumberFacts:
        found = NumberFacts.of(len(self.names), self._spans)
        return found._replace(
            counting=partial(self._by_masses, self._number),
            deciding=partial(self._by_masses, self._effective),
            varies=lambda kept, design: self._by_masses(self._number, kept, design) >= 2,
            steps=self._steps,
            widening=self._widening,
        )

    def _spans(self) -> Array:
        return np.repeat(np.array([one.span for one in self.measures.values()]), self.n_thresholds, axis=0)

    def _steps(self, sums: Array, n_cases: int) -> Array:
        cells = self.cells(sums[None])[0]
        with np.errstate(invalid="ignore"):
            return n_cases * np.concatenate([one.step(cells) for one in self.measures.values()])

    def _widening(self, kept: Bools, design: Design) -> Array:
        if not any(getattr(one, "error", 0.0) for one in self.measures.values()):
            return np.ones(len(self.names))
        squares = (self.std_error(design) ** 2).reshape(-1, self.n_thresholds)
        return np.concatenate([one.widening(self.table, part) for one, part in zip(self.measures.values(), squares)])

    def _by_masses(self, count: Callable[[Array, Bools, Design], Array], kept: Bools, design: Design) -> Array:
        """Return (M,) the least of a count of units over the masses that decide each number."""
        found = []
        for one in self.measures.values():
            masses = one.masses
            found.append(np.min([count(np.tile(mass, (self.n_thresholds, 1)), kept, design) for mass in masses], axis=0))
        return np.concatenate(found)

    def _number(self, weights: Array, kept: Bools, design: Design) -> Array:
        """Return (T,) the number of units with a part in the sums of cells with weights (T, 4)."""
        if not design.plain:
            return np.array([design.number(self.of_cases(one, j)[kept, None])[0] for j, one in enumerate(weights)])
        found = np.zeros(self.n_thresholds)
        for called, part in enumerate(((FN, TN), (TP, FP))):
            for some in np.unique(weights[:, part] > 0, axis=0):
                has = self.kept & ((some[0] & (self._positive > 0)) | (some[1] & (self._negative > 0)))
                bins = self._in_bins(has)[None, :, None]
                sums = (_from_above(bins) if called else _up_to(bins))[0, :, 0]
                found += np.where(((weights[:, part] > 0) == some).all(axis=1), sums, 0.0)
        return found

    def _effective(self, weights: Array, kept: Bools, design: Design) -> Array:
        """Return (T,) the effective numbers, (Σ m)² / Σ m², of units in the sums of cells with weights (T, 4)."""
        if design.plain:
            total, squares = (self.table * weights).sum(axis=1), self.sums_of_squares(weights)
        else:
            each = np.stack([design.added_up(self.of_cases(one, j)[kept, None])[:, 0] for j, one in enumerate(weights)])
            total, squares = each.sum(axis=1), (each**2).sum(axis=1)
        return np.asarray(np.maximum(np.divide(total**2, squares, out=np.zeros_like(total), where=squares > 0), LEAST))

    def quotient(self, number: int) -> tuple[Array, Array] | None:
        one = tuple(self.measures.values())[number // self.n_thresholds].at(self._threshold(number))
        if not isinstance(one, Quotient):
            return None
        return self.of_cases(one.above, number), self.of_cases(one.below, number)

    def only(self, number: int) -> tuple[Statistic, int]:
        """Return the statistic of one measure at one threshold."""
        if len(self.names) == 1:
            return self, 0
        name, at = tuple(self.measures)[number // self.n_thresholds], self._threshold(number)
        return self.at(at, {name: self.measures[name].at(at)}), 0

    def at(self, threshold: int, measures: Mapping[str, CellMeasure]) -> Decided:
        """Return the statistic of some measures at one of the thresholds."""
        called = (self.above > threshold).astype(np.int32)
        chosen = None if self.thresholds is None else self.thresholds[threshold : threshold + 1]
        return self._like(self.p, called, 1, measures, chosen)

    def _like(self, p: Array, above: Int32, n: int, measures: Mapping[str, CellMeasure], thresholds: Array | None) -> Decided:
        found = Decided(p, above, n, measures, thresholds=thresholds, labels=self.labels, positive=self.positive, case_ids=self.case_ids)
        found.times = self.times
        return found

    # ---- other truths ----

    def of_means(self, means: Array) -> Decided:
        return self.again(np.ascontiguousarray(means[:, self.positive], np.float64))

    def again(self, p: Array) -> Decided:
        return self._like(p, self.above, self.n_thresholds, self.measures, self.thresholds)


def _from_above(bins: Array) -> Array:
    """Return the sums (B, T, C) of bins (B, T + 1, C) above each of T thresholds."""
    return np.asarray(np.cumsum(bins[:, :0:-1], axis=1)[:, ::-1])


def _up_to(bins: Array) -> Array:
    """Return the sums (B, T, C) of bins (B, T + 1, C) below each of T thresholds."""
    return np.cumsum(bins[:, :-1], axis=1)
