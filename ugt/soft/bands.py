"""ROC and precision-recall curves on a grid as a statistic of weighted cases, for bands about them."""

from __future__ import annotations

import numpy as np

from .._base.arrays import Array
from .._core import _resample
from ..resampling import Statistic
from .columns import Column

DIGITS = 12  # of places on the x axis, so that 3/5 of the negatives are found at 0.6 however both are rounded


class CurvePoints(Statistic):
    """True-positive share at each false-positive share of a grid (G,), then precision at each recall: 2 G numbers.

    ROC curves are joined by straight lines; of several values at one place the highest. Precision is that of the first threshold that
    reaches the recall. The sums are the positive and the negative mass between thresholds, of which there are at most ``most``: equal
    steps in cases and, for the precision of the first ones, equal factors, each to the end of its tie group.
    """

    def __init__(self, column: Column, grid: Array, most: int | None = None) -> None:
        self.n_cases, self.grid = len(column.row), grid
        self.names = tuple(f"{curve} {x:g}" for curve in ("roc", "pr") for x in grid)
        last = column.last.astype(bool)
        if most is not None and int(last.sum()) > most:
            n, ends, half = self.n_cases, np.flatnonzero(last), most // 2
            steps = np.concatenate([np.linspace(0, n - 1, half), np.geomspace(1, n, half) - 1]).astype(np.int64)
            last = np.zeros(n, bool)
            last[ends[np.searchsorted(ends, np.minimum(steps, n - 1))]] = True
        positive, _ = column.ordered
        self._row, self._at = column.row, (np.cumsum(last) - last).astype(np.int32)
        self._mass = np.ascontiguousarray(np.stack([positive, 1.0 - positive], axis=1))
        self._size = int(last.sum())

    def sums(self, cases: Array | None = None) -> Array:
        """(B, 2 T): positive mass up to each threshold from the one before, and negative mass."""
        weights = np.ones((1, self.n_cases)) if cases is None else np.ascontiguousarray(cases)
        out = np.empty((len(weights), self._size, 2))
        _resample.grouped_sums(self._row, self._at, self._mass, weights, out)
        return out.reshape(len(weights), -1)

    def answer(self, sums: Array) -> Array:
        """(B, 2 G); NaN where a curve is undefined: no label is positive, or none negative."""
        running = np.cumsum(sums.reshape(len(sums), -1, 2), axis=1)
        return np.stack([np.concatenate(self._points(positive, negative)) for positive, negative in running.transpose(0, 2, 1)])

    def _points(self, positive: Array, negative: Array) -> tuple[Array, Array]:
        roc, precision = (np.full(len(self.grid), np.nan) for _ in range(2))
        if not positive[-1] > 0:
            return roc, precision
        recall = positive / positive[-1]
        if negative[-1] > 0:
            roc = np.interp(self.grid, np.append(0.0, np.round(negative / negative[-1], DIGITS)), np.append(0.0, recall))
        at = np.maximum(np.searchsorted(np.round(recall, DIGITS), self.grid), np.argmax(positive > 0))
        return roc, positive[at] / (positive[at] + negative[at])
