"""How often annotators would disagree by chance, from how often each class is chosen."""

from __future__ import annotations

from typing import Callable, NamedTuple

import numpy as np

from .._base.arrays import Array
from .costs import Cost


class Chance(NamedTuple):
    """Expected disagreement as a function of the shares of the classes in what either of two annotators says.

    Attributes
    ----------
    expected : function of (Cost, (B, K), (B, K))
        (B,) from the shares of one and of the other.
    slopes : function of (Cost, (K,), (K,))
        Its derivatives by the shares of one and of the other, (K,) each.
    pooled : bool
        Whether both are taken to have the mean of their shares.
    least_classes : int
        Fewer make it undefined.
    """

    expected: Callable[[Cost, Array, Array], Array]
    slopes: Callable[[Cost, Array, Array], tuple[Array, Array]]
    pooled: bool = True
    least_classes: int = 1

    def of(self, cost: Cost, p: Array, q: Array) -> Array:
        """(B,) of shares (B, K) of either."""
        if self.pooled and q is not p:
            p = q = (p + q) / 2
        return self.expected(cost, p, q)

    def by(self, cost: Cost, p: Array, q: Array) -> tuple[Array, Array]:
        """(K,) each: derivatives by the shares (K,) of either."""
        if not self.pooled:
            return self.slopes(cost, p, q)
        pooled = (p + q) / 2
        one, other = self.slopes(cost, pooled, pooled)
        return (one + other) / 2, (one + other) / 2


def _independent(cost: Cost, p: Array, q: Array) -> Array:
    return cost.bilinear(p, q)


def _independent_by(cost: Cost, p: Array, q: Array) -> tuple[Array, Array]:
    by_first = cost.times(q)
    return by_first, by_first if q is p else cost.times(p)


def _gwet(cost: Cost, p: Array, q: Array) -> Array:
    return np.asarray(1 - gwet_scale(cost) * (1 - (p * q).sum(axis=1)))


def _gwet_by(cost: Cost, p: Array, q: Array) -> tuple[Array, Array]:
    scale = gwet_scale(cost)
    return scale * q, scale * p


def gwet_scale(cost: Cost) -> float:
    """Σ w / (K (K - 1))."""
    k = cost.n_classes
    ones = np.ones((1, k))
    return float(k * k - cost.bilinear(ones, ones)[0]) / (k * (k - 1)) if k > 1 else 0.0


def _uniform(cost: Cost, p: Array, q: Array) -> Array:
    alike = np.full((1, cost.n_classes), 1 / cost.n_classes)
    return np.repeat(cost.bilinear(alike, alike), len(p))


def _uniform_by(cost: Cost, p: Array, q: Array) -> tuple[Array, Array]:
    return np.zeros_like(p), np.zeros_like(q)


OWN = Chance(_independent, _independent_by, pooled=False)
POOLED = Chance(_independent, _independent_by)
GWET = Chance(_gwet, _gwet_by, least_classes=2)
UNIFORM = Chance(_uniform, _uniform_by, least_classes=2)
