"""Simultaneous rank sets by stepdown, retyped from Romano & Wolf (2005) and Mogstad, Romano, Shaikh & Wilhelm (2024), with loops."""

import numpy as np
from scipy.stats import norm


def rank_sets(values, covariance, half_width, level, draws=200_000, seed=1):
    """``half_width(j, k, level)``. Returns the first joint level, and (lowest, highest) rank of each model; higher is better."""
    m = len(values)
    z = np.random.default_rng(seed).multivariate_normal(np.zeros(m), covariance, draws, method="eigh")
    left = [(j, k) for j in range(m) for k in range(m) if j < k and covariance[j][j] + covariance[k][k] - 2 * covariance[j][k] > 1e-15]
    rejected, first = {}, None
    while left:
        largest = np.zeros(draws)
        for j, k in left:
            sd = np.sqrt(covariance[j][j] + covariance[k][k] - 2 * covariance[j][k])
            largest = np.maximum(largest, np.abs(z[:, j] - z[:, k]) / sd)
        joint = level if len(left) == 1 else max(level, 2 * norm.cdf(np.quantile(largest, level)) - 1)
        first = joint if first is None else first
        new = {}
        for j, k in left:
            difference = values[j] - values[k]
            if abs(difference) > half_width(j, k, joint):
                new[j, k] = 1 if difference > 0 else -1
        if not new:
            break
        rejected.update(new)
        left = [pair for pair in left if pair not in new]
    sets = []
    for j in range(m):
        before = sum(1 for (a, b), s in rejected.items() if (b == j and s > 0) or (a == j and s < 0))
        after = sum(1 for (a, b), s in rejected.items() if (a == j and s > 0) or (b == j and s < 0))
        sets.append((1 + before, m - after))
    return first, sets
