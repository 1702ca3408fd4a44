"""The Dirichlet-multinomial probability of large counts, without differences of large logarithms (after Loader 2000)."""

from __future__ import annotations

import numpy as np

from .._base.arrays import Array

NEAR = 10.0  # from here on, Stirling's series with these terms is exact to rounding
SERIES = (1 / 12, -1 / 360, 1 / 1260, -1 / 1680, 1 / 1188, -691 / 360360, 1 / 156)
HALF_LOG_TAU = 0.5 * np.log(2 * np.pi)


def log_probability(y: Array, alpha: Array) -> Array:
    r"""Return (N,) log probabilities of counts y (N, K), each row with a label, under Dirichlet(α) laws; α > 0 where y > 0.

    With ``p = n B(α_0, n) / Π y_k B(α_k, y_k)``, Stirling's formula turns logarithms of Beta functions B into their remainders, which are
    small, and deviances ``x log(x / m) - x + m``. These compare α_k and y_k with their shares of ``α_k + y_k``.
    """
    n, total, both = y.sum(axis=1), alpha.sum(axis=1), y + alpha
    every = n + total
    share, kept, seen = both / every[:, None], both > 0, y > 0
    apart = alpha * (n / every)[:, None] - y * (total / every)[:, None]
    mine, counted = (np.where(kept, one[:, None] * share, 1.0) for one in (total, n))
    spread = np.where(kept, _deviance(alpha, mine, apart) + _deviance(y, counted, -apart), 0.0).sum(axis=1)
    observed = _remainder(*(np.where(seen, one, 1.0) for one in (alpha, y, both)))
    return np.asarray(_remainder(total, n, every) - np.where(seen, observed, 0.0).sum(axis=1) - spread)


def _remainder(a: Array, y: Array, both: Array) -> Array:
    """Return log(y B(a, y)) without the terms that are proportional to a and y in Stirling's formula."""
    return np.asarray(HALF_LOG_TAU + 0.5 * (np.log(y) + np.log(both) - np.log(a)) + _stirling(a) + _stirling(y) - _stirling(both))


def _stirling(x: Array) -> Array:
    """Return log Γ(x) less (x - 1/2) log x - x + log(2π) / 2."""
    from scipy.special import gammaln  # noqa: PLC0415  (scipy is slow to import)

    far, low = np.maximum(x, NEAR), np.minimum(x, NEAR)
    found = np.polynomial.polynomial.polyval(1 / far**2, SERIES) / far
    return np.where(x < NEAR, gammaln(low) - (low - 0.5) * np.log(low) + low - HALF_LOG_TAU, found)


def _deviance(x: Array, m: Array, apart: Array) -> Array:
    """Return x log(x / m) - x + m for m > 0 and apart = x - m, by a series if x is near m."""
    with np.errstate(divide="ignore", invalid="ignore", over="ignore"):
        u = apart / m
        direct = np.where(x > 0, x * (np.log(x) - np.log(m)), 0.0) - apart
        v = np.where(np.abs(u) < 0.3, u / (2 + u), 0.0)
    square, more = v * v, np.zeros_like(v)
    for j in range(21, 1, -2):  # log(1 + u) = 2 artanh v
        more = (more + 1 / j) * square
    near = np.where(np.abs(u) < 0.3, u, 0.0)
    return np.where(np.abs(u) < 0.3, m * v * (near + 2 * (1 + near) * more), direct)
