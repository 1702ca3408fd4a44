"""The disagreement between annotators that is expected by chance, with its derivatives."""

from __future__ import annotations

import math

import numpy as np

from .._base.arrays import Array
from .costs import Cost


def lowest_of(cost: Cost, expected: float) -> float:
    """Return the lower end of a coefficient whose disagreement by chance is at least ``expected``."""
    return 1 - cost.largest / expected if expected > 0 else -math.inf


class Chance:
    """The disagreement expected by chance from the class shares of two annotators; in this class, that of independent choices.

    With ``pooled``, both annotators get the mean of their shares. With fewer than ``least_classes`` classes it is undefined. If it is
    ``by_annotator``, "shares" are the judgements of all A annotators in turn, (A K,), in any unit: each may have labelled other cases.
    """

    of_shares = True  # whether it depends on the shares
    by_annotator = False  # whether on those of each annotator, by name

    def __init__(self, pooled: bool = True, least_classes: int = 1) -> None:
        self.pooled, self.least_classes = pooled, least_classes

    def of(self, cost: Cost, p: Array, q: Array) -> Array:
        """Return (B,) expected disagreement from the class shares (B, K) of each annotator, or the number of shares (K,)."""
        if self.pooled and q is not p:
            p = q = (p + q) / 2
        return self._expected(cost, p, q)

    def by(self, cost: Cost, p: Array, q: Array) -> tuple[Array, Array]:
        """Return the derivatives (K,) by the class shares (K,) of each annotator."""
        if not self.pooled:
            return self._slopes(cost, p, q)
        pooled = (p + q) / 2
        one, other = self._slopes(cost, pooled, pooled)
        return (one + other) / 2, (one + other) / 2

    def lowest(self, cost: Cost, compared: bool) -> float:
        """Return a lower end of the coefficient; ``compared``: whether each case that counts for chance has two annotators (or all).

        The mean squared distance of two points of a pair is then at most twice that of any two points: -1 is the lower end.
        """
        return -1.0 if compared and cost.euclidean else -math.inf

    def _expected(self, cost: Cost, p: Array, q: Array) -> Array:
        return cost.bilinear(p, q)

    def _slopes(self, cost: Cost, p: Array, q: Array) -> tuple[Array, Array]:
        by_first = cost.times(q)
        return by_first, by_first if q is p else cost.times(p)


class GwetChance(Chance):
    """The agreement by chance of Gwet, which falls as one class becomes more common."""

    def _expected(self, cost: Cost, p: Array, q: Array) -> Array:
        among: Array = 1 - self._scale(cost) * (1 - np.add.reduce(p * q, axis=-1))
        return among

    def _slopes(self, cost: Cost, p: Array, q: Array) -> tuple[Array, Array]:
        scale = self._scale(cost)
        return scale * q, scale * p

    def lowest(self, cost: Cost, compared: bool) -> float:
        return lowest_of(cost, 1 - self._scale(cost) * (1 - 1 / max(1, cost.n_classes)))

    def _scale(self, cost: Cost) -> float:
        """Return Σ w / (K (K - 1)), by which chance is scaled."""
        k, ones = cost.n_classes, np.ones(cost.n_classes)
        return float(k * k - cost.bilinear(ones, ones)) / (k * (k - 1)) if k > 1 else 0.0


class UniformChance(Chance):
    """The agreement by chance if all classes are equally likely: the coefficient is a linear function of percent agreement."""

    of_shares = False

    def lowest(self, cost: Cost, compared: bool) -> float:
        """Return the coefficient where no two annotators agree at all, so that intervals are those of percent agreement."""
        expected = float(self._expected(cost, np.empty(0), np.empty(0)))
        return 1 - 1 / expected if expected > 0 else -math.inf

    def _expected(self, cost: Cost, p: Array, q: Array) -> Array:
        alike = np.full(cost.n_classes, 1 / max(1, cost.n_classes))
        return np.full(p.shape[:-1], cost.bilinear(alike, alike))

    def _slopes(self, cost: Cost, p: Array, q: Array) -> tuple[Array, Array]:
        return np.zeros_like(p), np.zeros_like(q)


class CongerChance(Chance):
    """The agreement by chance of two different annotators, whichever they are, each of whom chooses by the shares of the own labels."""

    by_annotator = True

    def _expected(self, cost: Cost, p: Array, q: Array) -> Array:
        share, size = _own_shares(p, cost.n_classes)
        every, n = np.add.reduce(share, axis=-2), (size > 0).sum(axis=-1)
        found: Array = (cost.bilinear(every, every) - np.add.reduce(cost.bilinear(share, share), axis=-1)) / np.maximum(n * (n - 1), 1)
        return found

    def _slopes(self, cost: Cost, p: Array, q: Array) -> tuple[Array, Array]:
        share, size = _own_shares(p, cost.n_classes)
        n, others = max(2, int(np.count_nonzero(size))), share.sum(axis=0) - share
        by_share = np.stack([cost.times(one) for one in others]) / (n * (n - 1))  # half the slope: the other half is that by q
        inner = (by_share * share).sum(axis=1, keepdims=True)
        by = (np.where(size[:, None] > 0, by_share - inner, 0.0) / np.where(size > 0, size, 1.0)[:, None]).ravel()
        return by, by


def _own_shares(chosen: Array, n_classes: int) -> tuple[Array, Array]:
    """Return the shares (..., A, K) of the classes that each annotator chose, 0 without labels, and the numbers (..., A) of labels."""
    of_each = chosen.reshape(*chosen.shape[:-1], -1, n_classes)
    size = np.add.reduce(of_each, axis=-1)
    return of_each / np.where(size > 0, size, 1.0)[..., None], size
