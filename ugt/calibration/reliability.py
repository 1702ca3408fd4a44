"""Reliability curves: mean predictions and mean shares of labels in bins."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from .._base import notices
from .._base.arrays import Array, Bools, Int64
from .._base.axes import Frozen
from .._base.laws import wilson
from ..resampling import Ratios, over
from .sums import CASES, PROB, SHARE, BinLosses, effective, noise, number

ROUNDING = 1e-13  # variance of equal shares, which is rounding alone
FEW = 10  # cases; a bin with fewer is too small to interpret, because the interval of single labels covers half of the scale


@dataclass(frozen=True, eq=False, repr=False)
class ReliabilityCurve(Frozen):
    """The mean prediction and the mean share of labels of a class, or of pairs of labels that differ, in each of B bins.

    Attributes
    ----------
    edges : (B + 1,) array
        Edges of the bins.
    mean_probability, label_share : (B,) arrays
        Means over the cases of a bin; NaN for an empty bin.
    n_cases : (B,) array
        Cases in each bin.
    low, high : (B,) arrays
        Interval of ``label_share``.
    few : (B,) array of bool
        Bins with cases, but fewer than 10.
    of : {"labels", "disagreement", "statistic"}
        Unit of ``label_share``: labels of a class, pairs of labels that differ, or sets of labels with another statistic.

    Examples
    --------
    >>> import ugt
    >>> counts = [[3, 1]] * 12 + [[1, 3]] * 9 + [[0, 4]] * 9
    >>> curve = ugt.histogram_losses(counts, [[0.7, 0.3]] * 12 + [[0.2, 0.8]] * 18, n_bins=2).reliability_curve(1)
    >>> curve.label_share.tolist(), curve.mean_probability.round(3).tolist(), curve.n_cases.tolist()
    ([0.25, 0.875], [0.3, 0.8], [12, 18])
    >>> curve.low.round(2).tolist(), curve.high.round(2).tolist()
    ([0.09, 0.78], [0.53, 0.93])
    """

    edges: Array
    mean_probability: Array
    label_share: Array
    n_cases: Int64
    low: Array
    high: Array
    few: Bools
    of: str = "labels"


class LabelShares(Ratios):
    """The statistic of the mean shares of labels in each bin of a column; a bin counts the units that have cases in it."""

    span = (0.0, 1.0)

    @classmethod
    def of_column(cls, whole: BinLosses, column: int) -> LabelShares:
        """Make the statistic of the cases that count, with their weights."""
        rows, n_bins = whole.rows, whole.bins.n_bins
        bins = np.where(whole.kept, rows.cell[:, column] % n_bins, -1)
        below = np.where(bins[:, None] == np.arange(n_bins), 1.0 if rows.weight is None else rows.weight[:, None], 0.0)
        share = np.where(whole.kept, rows.share[:, column], 0.0)
        found = cls.of(share[:, None] * below, below, tuple(map(str, range(n_bins))))
        found.times = whole.times
        return found  # type: ignore[return-value]


def shares(cells: Array) -> Array:
    """Return (B,) mean shares of labels."""
    return np.asarray(over(cells[..., SHARE], cells[..., CASES]))


def score_interval(cells: Array, labels_per_case: float, level: float) -> Array:
    """Return (B, 2) Wilson intervals with the number n of independent labels that has the variance of the mean over the cases.

    Labels of one case tend to be equal, so that n lies between the numbers of cases and of labels of the bin. If all cases of the bin have
    the same shares, their variance holds no information, and n is the number of cases.
    """
    size, p = effective(cells), shares(cells)
    with np.errstate(invalid="ignore", divide="ignore"):
        spread = noise(cells, cells[..., CASES])
        spread = np.where(spread * cells[..., CASES] > ROUNDING, spread, 0.0)
    independent = over(p * (1 - p), spread)
    n = np.where(np.isfinite(independent), np.clip(independent, size, size * max(1.0, labels_per_case)), size)
    return np.asarray(wilson(p, n, level))


def curve(edges: Array, cells: Array, ends: Array, name: str, of: str) -> ReliabilityCurve:
    """Make the record of a curve, and warn of bins with few cases."""
    size = number(cells).astype(np.int64)
    few = (size > 0) & (size < FEW)
    if few.any():
        said = " and ".join(", ".join(map(str, np.flatnonzero(few))).rsplit(", ", 1))
        which = f"bin {said} of {name} has" if few.sum() == 1 else f"bins {said} of {name} have"
        notices.warn(f"{which} fewer than {FEW} cases, too few to interpret", stacklevel=4)
    mean = np.asarray(over(cells[..., PROB], cells[..., CASES]))
    return ReliabilityCurve(edges, mean, shares(cells), size, ends[:, 0], ends[:, 1], few, of)
