"""Gallas' U-statistics: variances of AUROCs averaged over random readers, from pairs that share neither reader nor case."""

from __future__ import annotations

import math
from typing import Any, NamedTuple

import numpy as np

from .._base.arrays import Array, Bools
from ..resampling import over
from . import pairs
from .auroc import Sides, sides
from .obuchowski_rockette import Estimated, estimated

MOST_OF_T = 50  # degrees of freedom above which iMRMC uses the normal law

# Moments M1 to M8 from sums over all pairs: of the same reader (1 to 4) and of all readers (5 to 8); in each, of the same positive
# and negative case, the same positive, the same negative, and all.
_INSIDE = np.array([[1, 0, 0, 0], [-1, 1, 0, 0], [-1, 0, 1, 0], [1, -1, -1, 1]])
DISTINCT = np.block([[_INSIDE, np.zeros((4, 4), np.int64)], [-_INSIDE, _INSIDE]])


class UStatistics(NamedTuple):
    """The AUROCs of T tests averaged over pairs of cases and readers, their covariances (T, T), and the parts of degrees of freedom.

    ``parts`` (3, T, T): variances of the positives, the negatives and the readers, with the sum of squares over their number; ``sizes``
    (3, T): these numbers, effective ones if the design is not complete. ``moments`` (T, T, 8): M1 to M8, if they were asked for.
    """

    values: Array
    covariance: Array
    parts: Array
    sizes: Array
    imrmc: bool
    over_cases: Array  # covariances (T, T) with these readers
    moments: Array | None = None

    def test(self, t: int) -> Estimated:
        """Return the figure of one test."""
        return self._estimated(float(self.values[t]), self.covariance[t, t], self.parts[:, t, t], self.sizes[:, t])

    def difference(self, a: int, b: int) -> Estimated:
        """Return the difference of two tests."""
        variance, parts = (table[..., a, a] + table[..., b, b] - 2 * table[..., a, b] for table in (self.covariance, self.parts))
        return self._estimated(float(self.values[a] - self.values[b]), variance, parts, self.sizes[:, [a, b]].min(axis=1))

    def fixed(self, a: int, b: int) -> float:
        """Return the variance of a difference over cases, with these readers."""
        one = self.over_cases
        return float(one[a, a] + one[b, b] - 2 * one[a, b])

    def _estimated(self, value: float, variance: Any, parts: Array, sizes: Array) -> Estimated:
        df = sizes - 1
        with np.errstate(divide="ignore", invalid="ignore"):
            below = np.nansum(np.where(df > 0, parts**2 / df**3, np.nan))
            found = float(max(variance**2 / below, df.min())) if below > 0 else math.inf
        return estimated(value, float(variance), found)


def law(df: float) -> float:
    """Return the degrees of freedom of the law that iMRMC uses."""
    return math.inf if df > MOST_OF_T else max(1.0, math.floor(df))


def u_statistics(x: Array, read: Bools, p: Array, imrmc: bool = False) -> UStatistics:
    """Return the statistics of ratings (T, R, N); ``imrmc``: uncentred, whole effective sizes, moments if truth is certain."""
    t, r, n = x.shape
    flat, seen = x.reshape(-1, n), read.reshape(-1, n)
    found = sides(flat, seen, p)
    values = over(found.positive.reshape(t, -1).sum(axis=1), found.design[0].reshape(t, -1).sum(axis=1))
    centre = np.zeros(t) if imrmc else values
    apart = np.outer(values - centre, values - centre)
    covariance, over_cases = (apart - one.mean() for one in pairs.of_readers(x, read, p, centre))
    parts, sizes = _parts(found, np.repeat(centre, r), (t, r, n))
    if imrmc:
        sizes = np.round(sizes - 1) + 1
    hard = bool(((p == 0) | (p == 1)).all())
    moments = _moments(found, flat, seen, p, (t, r, n)) if imrmc and hard else None
    return UStatistics(values, covariance, parts, sizes, imrmc, over_cases, moments)


def _parts(found: Sides, centre: Array, shape: tuple[int, int, int]) -> tuple[Array, Array]:
    """Return the variances (3, T, T) that positives, negatives and readers add, and their numbers (3, T)."""
    kernel, design = (_roles(one, shape) for one in (found.centred(centre), found.design))
    total, weight = kernel[2].sum(axis=1), design[2].sum(axis=1)
    parts, sizes = [], []
    for above, below in zip(kernel, design):
        shared = below @ below.T
        with np.errstate(invalid="ignore", divide="ignore"):
            own = above @ above.T / shared - np.outer(total, total) / np.outer(weight, weight)
            sizes.append(weight**2 / np.diagonal(shared))
        parts.append(np.where(shared > 0, own, 0.0))
    return np.array(parts), np.array(sizes)


def _roles(both: Any, shape: tuple[int, int, int]) -> tuple[Array, Array, Array]:
    """Return the sums of each positive (T, N), each negative (T, N) and each reader (T, R)."""
    positive, negative = (one.reshape(shape) for one in both)
    return positive.sum(axis=1), negative.sum(axis=1), positive.sum(axis=2)


def _moments(found: Sides, x: Array, read: Bools, p: Array, shape: tuple[int, int, int]) -> Array:
    """Return M1 to M8 (T, T, 8) of a certain truth; 0 if no such pairs were read, as in iMRMC."""
    t, r = shape[:2]
    sums = np.zeros((2, 8, t, t))
    for m, v in pairs.kernels(x, read, p, np.zeros(len(x))):
        for table, own in zip((m, np.broadcast_to(v, m.shape)), sums):
            own[[0, 4]] += pairs.same_and_all(table.reshape(t, r, -1))
    both = (found.positive, found.negative), (found.design[0], found.design[1])
    for (positive, negative), own in zip(both, sums):
        tables = positive.reshape(shape), negative.reshape(shape), positive.sum(axis=1).reshape(t, r, 1)
        for at, table in enumerate(tables, 1):
            own[[at, at + 4]] = pairs.same_and_all(table)
    above, below = np.einsum("kl,cltu->cktu", DISTINCT, sums)
    return np.asarray(np.divide(above, below, out=above.copy(), where=below != 0).transpose(1, 2, 0))
