"""ROC and precision-recall curves on a grid as a statistic of weighted cases, from which bands are computed."""

from __future__ import annotations

from typing import Literal

import numpy as np

from .._base.arrays import Array, Int64
from .._core import _resample
from ..resampling import NumberFacts, Statistic, by_case
from .columns import ScoreColumn

DIGITS = 12  # digits to which positions on the x axis are rounded, so that 3/5 of the negatives equal the grid point 0.6


class CurvePoints(Statistic):
    """The statistic of true-positive shares at a grid (G,) of false-positive shares, then of precision at each recall: 2 G numbers.

    Points of ROC curves are joined by straight lines; of several values at one position, the highest counts. Precision is that of the
    first threshold that reaches the recall. The sums are the positive and the negative mass between thresholds, of which there are at
    most ``most``: equal steps in cases, and equal factors at the top for early precision, each to the end of its tie group.
    """

    def __init__(self, column: ScoreColumn, grid: Array, most: int | None = None) -> None:
        self.n_cases, self.grid, self.times = len(column.row), grid, column.times
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

    @property
    def facts(self) -> NumberFacts:
        return super().facts._replace(smooth=False)  # curves are step functions of the weights

    def sums(self, cases: Array | None = None) -> Array:
        """Return (B, 2 T): positive and negative mass between each threshold and the one before."""
        weights = by_case((np.ones((1, self.n_cases)) if self.times is None else self.times[None]) if cases is None else cases)
        out = np.empty((weights.shape[1], self._size, 2))
        _resample.grouped_sums(self._row, self._at, self._mass, weights, out)
        return out.reshape(len(out), -1)

    def answer(self, sums: Array) -> Array:
        """Return (B, 2 G) points; NaN if a curve is undefined because no label is positive, or none negative."""
        positive, negative = np.moveaxis(np.cumsum(sums.reshape(len(sums), -1, 2), axis=1), 2, 0)
        nothing = np.zeros((len(sums), 1))
        with np.errstate(invalid="ignore"):
            recall, x = (np.nan_to_num(one / one[:, -1:]) for one in (positive, negative))
        x, y = np.hstack([nothing, np.round(x, DIGITS)]), np.hstack([nothing, recall])
        low = _places(x, self.grid, "right") - 1
        high = np.minimum(low + 1, x.shape[1] - 1)
        (x0, y0), (x1, y1) = ([np.take_along_axis(one, at, axis=1) for one in (x, y)] for at in (low, high))
        roc = y0 + (self.grid - x0) * (y1 - y0) / np.where(x1 > x0, x1 - x0, 1.0)
        at = np.maximum(_places(np.round(recall, DIGITS), self.grid, "left"), np.argmax(positive > 0, axis=1)[:, None])
        p, n = (np.take_along_axis(one, np.minimum(at, positive.shape[1] - 1), axis=1) for one in (positive, negative))
        defined = positive[:, -1:] > 0
        precise = p / np.where(defined, p + n, 1.0)
        return np.hstack([np.where(defined & (negative[:, -1:] > 0), roc, np.nan), np.where(defined, precise, np.nan)])


def _places(table: Array, grid: Array, side: Literal["left", "right"]) -> Int64:
    """Return the (B, G) insertion positions of a grid in [0, 1] in rows (B, T) of ascending numbers in [0, 1]."""
    row = np.arange(len(table))[:, None]  # rows are shifted by 2 each, so that one search serves all
    found = np.searchsorted((table + 2 * row).ravel(), (grid + 2 * row).ravel(), side).reshape(len(table), -1)
    return np.asarray(found - table.shape[1] * row)
