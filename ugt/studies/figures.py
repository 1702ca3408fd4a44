"""Figures of merit of every reader in every test, with the quantities from which covariances are computed."""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import Any, Callable, NamedTuple

import numpy as np

from .._base import checks
from .._base.arrays import Array, Bools, Int64
from .._base.wording import arg
from ..resampling import Statistic, over
from ..resampling.ratios import Ratios
from ..soft import soft_auroc, soft_average_precision
from . import auroc

MANY_UNITS = 256  # units left out at a time, so that memory stays bounded
NAMED = ("soft_auroc", "average_precision", "sensitivity", "specificity", "accuracy")


class ReadingCells(NamedTuple):
    """G cells, each of a reader in a test: ratings (G, N), which were read, and p (N,), the probability that a case is positive."""

    x: Array
    read: Bools
    p: Array

    @classmethod
    def of(cls, rating: Array, p: Array) -> ReadingCells:
        """Return the cells of ratings (..., N), NaN if a case was not read; a case without a p counts as not read."""
        x = np.ascontiguousarray(rating.reshape(-1, rating.shape[-1]))
        return cls(x, ~np.isnan(x) & ~np.isnan(p), np.where(np.isnan(p), 0.0, p))


class FigureOfMerit(ABC):
    """A figure of a reader: larger is better.

    ``bounded``: whether it is from 0 to 1; ``of_rarer``: whether the rarer one of positive and negative cases decides how far it varies.
    """

    bounded, of_rarer = True, False

    @abstractmethod
    def values(self, cells: ReadingCells) -> Array:
        """Return the (G,) figures; NaN if undefined."""

    @abstractmethod
    def counting(self, cells: ReadingCells) -> Bools:
        """Return the (N,) cases that any of the figures depends on."""

    @abstractmethod
    def without_each(self, cells: ReadingCells, unit: Int64) -> Array:
        """Return the (U, G) figures without each unit of cases (N,)."""

    @abstractmethod
    def statistics(self, cells: ReadingCells) -> list[Statistic]:
        """Return one or several statistics, whose numbers side by side are the figures (G,)."""


class SoftAuroc(FigureOfMerit):
    """The share of pairs in which a positive case is rated above a negative one; ties count half."""

    of_rarer = True

    def values(self, cells: ReadingCells) -> Array:
        return auroc.sides(*cells).value

    def counting(self, cells: ReadingCells) -> Bools:
        return np.asarray(cells.read.any(axis=0))

    def without_each(self, cells: ReadingCells, unit: Int64) -> Array:
        return auroc.without_each(*cells, unit)

    def statistics(self, cells: ReadingCells) -> list[Statistic]:
        return [PairsOfCases(x, read, cells.p) for x, read in zip(cells.x, cells.read)]

    def influence(self, cells: ReadingCells) -> Array:
        """Return the influence (G, N) of DeLong, DeLong & Clarke-Pearson, whose products are covariances; P, Q expected in soft truth."""
        found = auroc.sides(*cells)
        total = found.design[0].sum(axis=1)[:, None]
        factors = [n / (n - 1) for n in (cells.p.sum(), (1 - cells.p).sum())]
        positive, negative = (one / total for one in found.centred(found.value))
        return np.asarray(np.sqrt(factors[0]) * positive + np.sqrt(factors[1]) * negative)


class PairsOfCases(Statistic):
    """The AUROC of one reader over pairs of different cases, with weights of cases."""

    def __init__(self, x: Array, read: Bools, p: Array) -> None:
        self.x, self.read, self.p, self.n_cases = x, read, p, len(p)

    def sums(self, cases: Array | None = None) -> Array:
        weights: Array = np.asarray(self.read[None] * (np.ones((1, self.n_cases)) if cases is None else cases), np.float64)
        found = auroc.sides(np.broadcast_to(self.x, weights.shape), weights, self.p)
        return np.stack([found.positive.sum(axis=1), found.design[0].sum(axis=1)], axis=1)

    def answer(self, sums: Array) -> Array:
        return over(sums[:, :1], sums[:, 1:])


class ShareOfCalls(FigureOfMerit):
    """The sensitivity, specificity or accuracy of calling cases positive that are rated at least ``threshold``."""

    def __init__(self, name: str, threshold: float) -> None:
        self.name, self.threshold = name, threshold

    def parts(self, cells: ReadingCells) -> tuple[Array, Array]:
        """Return the contributions of cases to numerators and denominators, (N, G) each."""
        called, p, read = ((cells.x >= self.threshold) & cells.read).astype(np.float64), cells.p, cells.read.astype(np.float64)
        right, n = called * p, read * p
        if self.name != "sensitivity":
            spared, negative = (read - called) * (1 - p), read * (1 - p)
            right, n = (spared, negative) if self.name == "specificity" else (right + spared, read)
        return right.T, n.T

    def values(self, cells: ReadingCells) -> Array:
        return self.statistics(cells)[0].estimate

    def counting(self, cells: ReadingCells) -> Bools:
        return np.asarray((self.parts(cells)[1] > 0).any(axis=1))

    def without_each(self, cells: ReadingCells, unit: Int64) -> Array:
        n_units = int(unit.max()) + 1
        above, below = (
            part.sum(axis=0) - np.array([np.bincount(unit, column, n_units) for column in part.T]).T for part in self.parts(cells)
        )
        return np.where(below > 1e-9, over(above, below), np.nan)

    def statistics(self, cells: ReadingCells) -> list[Statistic]:
        return [Ratios.of(*self.parts(cells))]


class OfFunction(FigureOfMerit):
    """A function of p and ratings that returns a result of this package, or contributions of cases to a mean or to a ratio of sums."""

    def __init__(self, function: Callable[[Array, Array], Any], bounded: bool = False) -> None:
        self.function, self.bounded, self.of_rarer = function, bounded, function in (soft_auroc, soft_average_precision)

    def values(self, cells: ReadingCells) -> Array:
        return np.concatenate([one.estimate for one in self.statistics(cells)])

    def counting(self, cells: ReadingCells) -> Bools:
        return np.asarray(cells.read.any(axis=0))

    def without_each(self, cells: ReadingCells, unit: Int64) -> Array:
        statistics, n_units = self.statistics(cells), int(unit.max()) + 1
        found = np.empty((n_units, len(statistics)))
        for begin in range(0, n_units, MANY_UNITS):
            units = np.arange(begin, min(begin + MANY_UNITS, n_units))
            weights = np.array(unit != units[:, None], np.float64)
            for g, one in enumerate(statistics):
                found[units, g] = one.values(weights)[:, 0]
        return found

    def statistics(self, cells: ReadingCells) -> list[Statistic]:
        return [self._of_reader(x, read, cells.p) for x, read in zip(cells.x, cells.read)]

    def _of_reader(self, x: Array, read: Bools, p: Array) -> Statistic:
        if not read.any():
            return OnSomeCases(None, read)
        found = self.function(p[read], x[read])
        if hasattr(found, "statistic"):
            return OnSomeCases(found.statistic, read)
        parts = found if isinstance(found, tuple) else (found,)
        n = int(read.sum())
        if len(parts) > 2 or any(np.shape(part) != (n,) for part in parts):
            must = "return a result of this package, (n,) contributions of the n cases, or contributions and denominators"
            raise checks.error("figure", must, type(found).__name__)
        tables = [np.asarray(part, np.float64)[:, None] for part in parts]
        return OnSomeCases(Ratios.of(tables[0], tables[1] if len(tables) > 1 else None), read)


class OnSomeCases(Statistic):
    """The first number of a statistic of some of the cases; NaN if there are none."""

    def __init__(self, one: Statistic | None, read: Bools) -> None:
        self.one, self.rows, self.n_cases = one, np.flatnonzero(read), len(read)

    def sums(self, cases: Array | None = None) -> Array:
        if self.one is None:
            return np.empty((1 if cases is None else len(cases), 0))
        return self.one.sums(None if cases is None else np.ascontiguousarray(cases[:, self.rows]))

    def answer(self, sums: Array) -> Array:
        return np.full((len(sums), 1), np.nan) if self.one is None else self.one.answer(sums)[:, :1]


def threshold_of(figure: object, threshold: object, ratings: Array) -> float | None:
    """Return the lowest rating that calls a case positive; None for a figure that has none."""
    one = figure_of(figure, threshold, ratings)
    return one.threshold if isinstance(one, ShareOfCalls) else None


def figure_of(figure: object, threshold: object, ratings: Array) -> FigureOfMerit:
    """Return the figure by its name, or of a function; ``threshold``: the lowest rating that calls a case positive."""
    if callable(figure):
        return OfFunction(figure)
    name = checks.option("figure", figure, NAMED)
    if name in ("soft_auroc", "average_precision"):
        if threshold is not None:
            raise checks.error("threshold", "be left out for " + arg("figure", name), repr(threshold))
        return SoftAuroc() if name == "soft_auroc" else OfFunction(soft_average_precision, True)
    if threshold is None:
        if not np.isin(ratings[~np.isnan(ratings)], (0, 1)).all():
            must = "be given for " + arg("figure", name) + ": ratings of at least this number call a case positive"
            raise checks.error("threshold", must, None)
        threshold = 1
    return ShareOfCalls(name, checks.finite("threshold", threshold))
