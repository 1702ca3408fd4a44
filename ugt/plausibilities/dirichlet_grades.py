"""The distance of a law of grades from a Dirichlet posterior: cumulative plausibilities have Beta distributions."""

from __future__ import annotations

from itertools import product
from typing import TYPE_CHECKING, Any

import numpy as np

from .._base.arrays import Array, Int64
from .._base.checks import room
from .comparisons import Comparison, spread_of

if TYPE_CHECKING:
    from .dirichlet import Dirichlet

# Draws per case for the spread of an absolute distance. From MANY cases on, the normal limit of the mean needs only the variance of each
# case, whose errors average out.
N_SAMPLED, FEW_SAMPLED, MANY = 1000, 100, 200
CELLS = 2**22  # plausibilities drawn at a time


def compare_cumulative(post: Dirichlet, law: Array, order: Int64, steps: Array, power: int, spread: bool) -> Comparison:
    """Return the comparison of ``Σ_k steps_k |Z_k - Λ_k|^power``: its expectation is exact, and so is the spread for power 2."""
    total = post._totals()[:, None]
    mean = np.where(post.defined[:, None], post.mean(), np.nan)
    below = np.cumsum((mean * total)[:, order], axis=1)[:, :-1]  # the first parameters of the Beta distributions
    predicted = np.cumsum(law[:, order], axis=1)[:, :-1]
    if power == 2:
        share = below / total
        per_case = (((predicted - share) ** 2 + share * (1.0 - share) / (total + 1.0)) * steps).sum(1)
        variance = _variance_of_squares(below, total, predicted, steps) if spread else np.full(post.n_cases, np.nan)
        return Comparison.independent(per_case, variance)
    per_case = (mean_distance(predicted, below, total) * steps).sum(1)
    return _with_draws(post, per_case, predicted, order, steps) if spread else Comparison(per_case, float("nan"))


def mean_distance(z: Array, a: Array, total: Array) -> Array:
    """Return ``E|z - B|`` for B ~ Beta(a, total - a): ``z (2 I_z(a, b) - 1) + a/(a+b) (1 - 2 I_z(a + 1, b))``.

    B is 0 if a is 0, and 1 if it is the total.
    """
    from scipy.special import betainc  # noqa: PLC0415  (scipy is slow to import)

    z, a, total = np.broadcast_arrays(np.clip(z, 0.0, 1.0), a, total)
    b = total - a
    out = np.where(b <= 1e-14 * total, 1.0 - z, np.where(a <= 0, z, np.nan))
    at = (a > 0) & (b > 1e-14 * total)
    z, a, b = z[at], a[at], b[at]
    out[at] = z * (2.0 * betainc(a, b, z) - 1.0) + a / (a + b) * (1.0 - 2.0 * betainc(a + 1.0, b, z))
    out[np.isnan(np.broadcast_to(total, out.shape))] = np.nan
    return np.asarray(np.maximum(out, 0.0))


def _variance_of_squares(a: Array, total: Array, z: Array, steps: Array) -> Array:
    """Return the variance (N,) of ``Σ_k steps_k (Λ_k - z_k)²`` from the moments of pairs of cumulative plausibilities."""
    room("moments of pairs of cumulative plausibilities", 64.0 * a.size * a.shape[1])
    low, high, total = a[:, :, None], a[:, None, :], total[:, :, None]

    def moment(p: int, q: int) -> Array:
        """Return ``E Λ_j^p Λ_k^q`` for j <= k: Λ_j / Λ_k ~ Beta(a_j, a_k - a_j) is independent of Λ_k."""
        found = np.ones((1, 1, 1))
        for i in range(p + q):
            found = found * ((low if i < p else high) + i) / (total + i)
        return found

    of_j: dict[int, Any] = {2: 1.0, 1: -2.0 * z[:, :, None]}
    of_k: dict[int, Any] = {2: 1.0, 1: -2.0 * z[:, None, :]}
    covariance: Array = np.zeros((1, 1, 1))
    for (p, x), (q, y) in product(of_j.items(), of_k.items()):
        covariance = covariance + x * y * (moment(p, q) - moment(p, 0) * moment(0, q))
    times = np.triu(np.full((len(steps), len(steps)), 2.0), 1) + np.eye(len(steps))
    return np.asarray(np.maximum((covariance * times * np.outer(steps, steps)).sum(axis=(1, 2)), 0.0))


def _with_draws(post: Dirichlet, per_case: Array, predicted: Array, order: Int64, steps: Array) -> Comparison:
    """Return the comparison with the spread of sampled plausibilities."""
    n = N_SAMPLED if post.n_cases <= MANY else FEW_SAMPLED
    variance, per_draw = np.full(post.n_cases, np.nan), np.zeros(n)
    step = max(1, CELLS // (n * post.n_classes))
    for begin in range(0, post.n_cases, step):
        rows = np.arange(begin, min(begin + step, post.n_cases), dtype=np.int64)
        table = np.cumsum(post.take(rows).draws(n)[..., order], axis=2)[..., :-1]
        found = (np.abs(table - predicted[rows, None, :]) * steps).sum(2)
        variance[rows] = found.var(axis=1, ddof=1)
        per_draw += np.where(post.defined[rows][:, None], found, 0.0).sum(0)
    n_defined = int(post.defined.sum())
    if n == N_SAMPLED and n_defined:
        return Comparison(per_case, spread_of(variance), per_draw=per_draw / n_defined)
    return Comparison.independent(per_case, variance)
