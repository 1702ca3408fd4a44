"""Convergence diagnostics, step by step: Vehtari, Gelman, Simpson, Carpenter & Bürkner (2021), with Stan's details."""

from math import floor, inf, log10, sqrt
from statistics import NormalDist

import numpy as np


def split(chains):
    """(2 chains, draws // 2): the first and the last half of every chain, without the middle draw of an odd number."""
    half = chains.shape[1] // 2
    return np.concatenate([chains[:, :half], chains[:, chains.shape[1] - half :]])


def normal_scores(x):
    flat, inverse = x.ravel(), NormalDist().inv_cdf
    ranks = [(flat < value).sum() + ((flat == value).sum() + 1) / 2 for value in flat]
    return np.array([inverse((rank - 3 / 8) / (x.size + 1 / 4)) for rank in ranks]).reshape(x.shape)


def spread(x):
    """W and var⁺ of half-chains (M, N)."""
    n = x.shape[1]
    if all((row == row[0]).all() for row in x):  # rounding of means must not look like variance
        between = np.var(x[:, 0], ddof=1) if np.ptp(x[:, 0]) > 0 else 0.0
        return 0.0, between
    within = np.mean(np.var(x, axis=1, ddof=1))
    return within, (n - 1) / n * within + np.var(x.mean(axis=1), ddof=1)


def rhat_of(x):
    within, total = spread(x)
    if within == 0:
        return inf if total > 0 else 1.0
    return sqrt(total / within)


def folded(x):
    """Distances from the median, less half that of the two middle draws: ranks are the same, and these two tie exactly."""
    low, high = np.sort(x, axis=None)[[x.size // 2 - 1, x.size // 2]]
    return np.maximum(low - x, x - high)


def rhat(chains):
    x = split(chains)
    return max(rhat_of(normal_scores(x)), rhat_of(normal_scores(folded(x))))


def autocovariances(row):
    y = row - row.mean() if np.ptp(row) > 0 else 0 * row
    return np.correlate(y, y, "full")[len(y) - 1 :] / len(y)


def ess(x):
    """Geyer's initial positive sequence first, made monotone afterwards, then added up."""
    (m, n), (within, total) = x.shape, spread(x)
    if total == 0:
        return m * n
    rho = 1 - (within - np.mean([autocovariances(row) for row in x], axis=0)) / total
    rho[0] = 1
    pairs, last, t = [], 0.0, 0
    while t + 1 < n:
        pair = rho[t] + rho[t + 1]
        if pair <= 0 or 0 < t >= n - 5:
            last = rho[t] if pair >= 0 else max(rho[t], 0)
            break
        pairs.append(pair)
        t += 2
    tau = -1 + 2 * sum(np.minimum.accumulate(pairs)) + last
    return m * n / max(tau, 1 / log10(m * n))


def ess_bulk(chains):
    return ess(normal_scores(split(chains)))


def quantile(x, probability):
    """The usual one (type 7), linear between order statistics."""
    ordered, h = np.sort(x, axis=None), (x.size - 1) * probability
    low = floor(h + 1e-9)
    return ordered[low] + (ordered[min(low + 1, x.size - 1)] - ordered[low]) * max(h - low, 0)


def ess_tail(chains):
    x = split(chains)
    return min(ess(1.0 * (x <= quantile(x, probability))) for probability in (0.05, 0.95))


def ess_mean(chains):
    return ess(split(chains))


def mcse_mean(chains):
    return split(chains).std(ddof=1) / sqrt(ess_mean(chains))
