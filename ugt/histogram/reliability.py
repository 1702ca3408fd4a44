"""Reliability curves: what was predicted against what labels say, bin by bin."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from .._base import notices
from .._base.arrays import Array, Bools, Int64
from .._base.axes import Frozen
from .._base.laws import wilson
from ..resampling import Statistic
from .sums import CASES, PROB, SHARE, BinLosses, divided, effective, noise, number

FEW = 10  # cases in a bin below which an interval says next to nothing: for single labels it is wider than half the scale


@dataclass(frozen=True, eq=False, repr=False)
class ReliabilityCurve(Frozen):
    """Mean prediction and mean share of labels of a class in each of B bins; or of pairs of labels that differ.

    Attributes
    ----------
    edges : (B + 1,) array
        Of the bins.
    mean_probability, label_share : (B,) arrays
        Means over the cases of a bin; NaN in an empty one.
    n_cases : (B,) array
        Cases in the bin.
    low, high : (B,) arrays
        Interval of ``label_share``.
    few : (B,) array of bool
        Bins with cases, but fewer than 10.
    of : {"labels", "disagreement", "statistic"}
        What ``label_share`` is a share of: labels of a class, pairs of labels that differ, sets of labels that have another statistic.

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


class LabelShares(Statistic):
    """Mean shares of labels of class k in each bin."""

    def __init__(self, whole: BinLosses, k: int) -> None:
        self.whole, self.k, self.n_cases = whole, k, whole.n_cases
        self.names = tuple(map(str, range(whole.bins.n_bins)))

    @property
    def kept(self) -> Bools:
        return self.whole.kept

    def sums(self, cases: Array | None = None) -> Array:
        return self.whole.sums(cases)

    def answer(self, sums: Array) -> Array:
        return shares(self.whole.split(sums)[0].sum(axis=1)[:, self.k])


def shares(cells: Array) -> Array:
    """(B,) mean shares of labels."""
    return np.asarray(divided(cells[..., SHARE], cells[..., CASES]))


def score_interval(cells: Array, labels_per_case: float, level: float) -> Array:
    """(B, 2) Wilson's interval p ± … with the n of independent labels that has the variance of the mean over the cases.

    The labels of a case vary together, if anything, so that n lies between the cases and the labels of the bin; where all cases say the
    same their variance says nothing, and n is that of the cases.
    """
    size, p = effective(cells), shares(cells)
    with np.errstate(invalid="ignore", divide="ignore"):
        spread = noise(cells, cells[..., CASES])
    independent = divided(p * (1 - p), spread)
    n = np.where(np.isfinite(independent), np.clip(independent, size, size * max(1.0, labels_per_case)), size)
    return np.asarray(wilson(p, n, level))


def curve(edges: Array, cells: Array, ends: Array, name: str, of: str) -> ReliabilityCurve:
    """The record, and a warning about bins with few cases."""
    size = number(cells).astype(np.int64)
    few = (size > 0) & (size < FEW)
    if few.any():
        said = ", ".join(str(b) for b in np.flatnonzero(few))
        notices.warn(f"fewer than {FEW} cases in bins {said} of {name}: they say next to nothing", stacklevel=4)
    mean = np.asarray(divided(cells[..., PROB], cells[..., CASES]))
    return ReliabilityCurve(edges, mean, shares(cells), size, ends[:, 0], ends[:, 1], few, of)
