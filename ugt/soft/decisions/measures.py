"""Measures of decisions: functions of four sums, the expected numbers of right and wrong calls, with their derivatives.

Cells are (..., 4) arrays of true positives, false positives, false negatives and true negatives. They are sums of ``p d``, ``(1 - p) d``,
``p (1 - d)`` and ``(1 - p)(1 - d)`` over cases, with p the probability of being positive and d the decision, 0 or 1. No cell is a
difference, so that none is negative by rounding.
"""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from dataclasses import dataclass, replace

import numpy as np

from ..._base.arrays import Array
from ...resampling import over

TP, FP, FN, TN = range(4)
POSITIVE, NEGATIVE, CALLED, SPARED, ALL = (
    np.array(row, float) for row in ((1, 0, 1, 0), (0, 1, 0, 1), (1, 1, 0, 0), (0, 0, 1, 1), (1,) * 4)
)


class CellMeasure(ABC):
    """A function of cells, of degree 0.

    ``span``: its range. ``masses`` (C, 4): weights of the cells in sums without which it is undefined, or that decide how far it varies.
    """

    span: tuple[float, float] = (0.0, 1.0)

    @abstractmethod
    def value(self, cells: Array) -> Array:
        """Return the values (...,) for cells (..., 4); NaN if undefined."""

    @abstractmethod
    def gradient(self, cells: Array) -> Array:
        """Return the derivatives (..., 4) by the cells."""

    @property
    @abstractmethod
    def masses(self) -> Array:
        """The weights (C, 4) of cells in sums that decide."""

    def step(self, cells: Array) -> Array:
        """Return how far one wrong call moves the measure from an end of its range, (...,); NaN: not known."""
        return np.full(cells.shape[:-1], np.nan)

    def at(self, threshold: int) -> CellMeasure:
        """Return the measure at one of the thresholds."""
        return self

    def widening(self, cells: Array, squares: Array) -> Array:
        """Return by which factor (...,) intervals are wider than the spread over cases, whose squared standard errors are given."""
        return np.ones(cells.shape[:-1])


@dataclass(frozen=True, eq=False)
class Quotient(CellMeasure):
    """A quotient of two weighted sums of cells; weights (4,), or (T, 4) if they depend on the threshold; ``deciding``: other masses."""

    above: Array
    below: Array
    span: tuple[float, float] = (0.0, 1.0)
    deciding: Array | None = None

    def value(self, cells: Array) -> Array:
        below = (cells * self.below).sum(axis=-1)
        return over((cells * self.above).sum(axis=-1), np.where(below > 0, below, np.nan))

    def gradient(self, cells: Array) -> Array:
        below = (cells * self.below).sum(axis=-1)
        return over(self.above - self.value(cells)[..., None] * self.below, np.where(below > 0, below, np.nan)[..., None])

    @property
    def masses(self) -> Array:
        return np.atleast_2d(self.below if self.deciding is None else self.deciding)

    def step(self, cells: Array) -> Array:
        known = over(1.0, (cells * self.below).sum(axis=-1))
        return known if self.span == (0.0, 1.0) else np.full_like(known, np.nan)

    def at(self, threshold: int) -> CellMeasure:
        above, below = (one if one.ndim == 1 else one[threshold] for one in (self.above, self.below))
        low = self.span[0]
        return replace(self, above=above, below=below, span=(low, self.span[1]))


@dataclass(frozen=True, eq=False)
class Sum(CellMeasure):
    """A constant plus weighted quotients."""

    parts: tuple[Quotient, ...]
    weight: float
    constant: float = 0.0
    span: tuple[float, float] = (0.0, 1.0)

    def value(self, cells: Array) -> Array:
        return np.asarray(self.constant + self.weight * sum(one.value(cells) for one in self.parts))

    def gradient(self, cells: Array) -> Array:
        return np.asarray(self.weight * sum(one.gradient(cells) for one in self.parts))

    @property
    def masses(self) -> Array:
        return np.concatenate([one.masses for one in self.parts])

    def step(self, cells: Array) -> Array:
        return np.asarray(self.weight * np.max([one.step(cells) for one in self.parts], axis=0))


@dataclass(frozen=True, eq=False)
class QuotientOfQuotients(CellMeasure):
    """A quotient of two quotients, in [0, inf]."""

    one: Quotient
    other: Quotient
    span: tuple[float, float] = (0.0, math.inf)

    def value(self, cells: Array) -> Array:
        return over(self.one.value(cells), self.other.value(cells))

    def gradient(self, cells: Array) -> Array:
        a, b = self.one.value(cells)[..., None], self.other.value(cells)[..., None]
        return over(self.one.gradient(cells) * b - a * self.other.gradient(cells), b**2)

    @property
    def masses(self) -> Array:
        return np.concatenate([self.one.masses, self.other.masses])

    def step(self, cells: Array) -> Array:
        return over(self.one.step(cells), self.other.value(cells))


class MatthewsCorrelation(CellMeasure):
    """Matthews' correlation coefficient, in [-1, 1]; undefined if any margin of the table is empty."""

    span = (-1.0, 1.0)

    def value(self, cells: Array) -> Array:
        tp, fp, fn, tn = np.moveaxis(cells, -1, 0)
        return over(tp * tn - fp * fn, self._root(cells))

    def gradient(self, cells: Array) -> Array:
        tp, fp, fn, tn = np.moveaxis(cells, -1, 0)
        p, n, d, s = self._margins(cells)
        q, half = self._root(cells), self.value(cells) / 2
        with np.errstate(divide="ignore", invalid="ignore"):
            parts = tn / q - half * (1 / p + 1 / d), -fn / q - half * (1 / n + 1 / d), -fp / q - half * (1 / p + 1 / s)
            return np.stack([*parts, tp / q - half * (1 / n + 1 / s)], axis=-1)

    @staticmethod
    def _margins(cells: Array) -> list[Array]:
        return [(cells * one).sum(axis=-1) for one in (POSITIVE, NEGATIVE, CALLED, SPARED)]

    def _root(self, cells: Array) -> Array:
        p, n, d, s = self._margins(cells)
        product = np.sqrt(p) * np.sqrt(n) * np.sqrt(d) * np.sqrt(s)
        return np.where(product > 0, product, np.nan)

    @property
    def masses(self) -> Array:
        return np.stack([POSITIVE, NEGATIVE, CALLED, SPARED])

    def step(self, cells: Array) -> Array:
        p, n, _, _ = self._margins(cells)
        return over(1.0, p) / 2 + over(1.0, n) / 2


@dataclass(frozen=True, eq=False)
class AtPrevalence(CellMeasure):
    """Another measure in a population with prevalence q, whose positive and negative cases are called as those of the sample.

    The cells are those of sensitivity and specificity: q se, (1 - q)(1 - sp), q (1 - se), (1 - q) sp. ``error``: standard error of q.
    """

    of: CellMeasure
    prevalence: float
    error: float = 0.0

    @property
    def span(self) -> tuple[float, float]:  # type: ignore[override]
        return self.of.span

    def value(self, cells: Array) -> Array:
        return self.of.value(self._cells(cells))

    def _cells(self, cells: Array) -> Array:
        q, se, sp = self.prevalence, SENSITIVITY.value(cells), SPECIFICITY.value(cells)
        miss, alarm = (over(cells[..., j], (cells * side).sum(axis=-1)) for j, side in ((FN, POSITIVE), (FP, NEGATIVE)))
        return np.stack([q * se, (1 - q) * alarm, q * miss, (1 - q) * sp], axis=-1)

    def gradient(self, cells: Array) -> Array:
        q, by = self.prevalence, self.of.gradient(self._cells(cells))
        found = q * (by[..., TP] - by[..., FN])[..., None] * SENSITIVITY.gradient(cells)
        return np.asarray(found + (1 - q) * (by[..., TN] - by[..., FP])[..., None] * SPECIFICITY.gradient(cells))

    @property
    def masses(self) -> Array:
        return np.stack([POSITIVE, NEGATIVE])

    def step(self, cells: Array) -> Array:
        new = self._cells(cells)
        weight = np.maximum(
            self.prevalence * over(1.0, (cells * POSITIVE).sum(axis=-1)), (1 - self.prevalence) * over(1.0, (cells * NEGATIVE).sum(axis=-1))
        )
        return np.asarray(self.of.step(new) * weight)

    def at(self, threshold: int) -> CellMeasure:
        return replace(self, of=self.of.at(threshold))

    def widening(self, cells: Array, squares: Array) -> Array:
        new, q = self._cells(cells), self.prevalence
        by = self.of.gradient(new)
        slope = ((by[..., TP] * new[..., TP] + by[..., FN] * new[..., FN]) / q) - (
            by[..., FP] * new[..., FP] + by[..., TN] * new[..., TN]
        ) / (1 - q)
        with np.errstate(divide="ignore", invalid="ignore"):
            found = np.sqrt(1 + np.where(squares > 0, (slope * self.error) ** 2 / squares, 0.0))
        return np.where(np.isfinite(found), found, 1.0)


def _weights(tp: float = 0, fp: float = 0, fn: float = 0, tn: float = 0) -> Array:
    return np.array([tp, fp, fn, tn], float)


SENSITIVITY, SPECIFICITY = Quotient(_weights(tp=1), POSITIVE), Quotient(_weights(tn=1), NEGATIVE)
# The measures by name, in the order of tables.
MEASURES: dict[str, CellMeasure] = {
    "sensitivity": SENSITIVITY,
    "specificity": SPECIFICITY,
    "ppv": Quotient(_weights(tp=1), CALLED),
    "npv": Quotient(_weights(tn=1), SPARED),
    "accuracy": Quotient(_weights(tp=1, tn=1), ALL),
    "balanced_accuracy": Sum((SENSITIVITY, SPECIFICITY), 0.5),
    "youden": Sum((SENSITIVITY, SPECIFICITY), 1.0, -1.0, (-1.0, 1.0)),
    "f1": Quotient(_weights(tp=2), _weights(2, 1, 1)),
    "jaccard": Quotient(_weights(tp=1), _weights(1, 1, 1)),
    "mcc": MatthewsCorrelation(),
    "lr_positive": QuotientOfQuotients(SENSITIVITY, Quotient(_weights(fp=1), NEGATIVE)),
    "lr_negative": QuotientOfQuotients(Quotient(_weights(fn=1), POSITIVE), SPECIFICITY),
    "called": Quotient(CALLED, ALL),
}
OF_RATES = ("sensitivity", "specificity", "balanced_accuracy", "youden", "lr_positive", "lr_negative")  # the same at every prevalence


def at_prevalence(measures: dict[str, CellMeasure], prevalence: float | None, error: float) -> dict[str, CellMeasure]:
    """Return measures in a population with this prevalence (None: that of the sample)."""
    if prevalence is None:
        return measures
    return {name: one if name in OF_RATES else AtPrevalence(one, prevalence, error) for name, one in measures.items()}


def benefits(thresholds: Array) -> dict[str, CellMeasure]:
    """Return the measures of net benefit at T thresholds in [0, 1): a false positive costs t / (1 - t) true positives."""
    k, one, nought = thresholds / (1 - thresholds), np.ones_like(thresholds), np.zeros_like(thresholds)
    with np.errstate(divide="ignore"):
        spared = np.stack([nought, nought, -100 / k, 100 * one], axis=1)
    spared[k == 0] = np.nan
    model, everyone = np.stack([one, -k, nought, nought], axis=1), np.stack([one, -k, one, -k], axis=1)
    span = -math.inf, 1.0
    return {
        "net_benefit": Quotient(model, ALL, span, CALLED),
        "treat_all": Quotient(everyone, ALL, span),
        "over_all": Quotient(model - everyone, ALL, (-math.inf, math.inf), SPARED),
        "standardized": Quotient(model, POSITIVE, span, np.stack([POSITIVE, CALLED])),
        "avoided": Quotient(spared, ALL, (-math.inf, 100.0), SPARED),
    }
