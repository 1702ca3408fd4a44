"""The score interval of a paired difference, in plain Python: Tango (1998), with numbers of discordant pairs that need not be whole."""

import math

from scipy.optimize import brentq
from scipy.stats import t as student


def upper(b, c, n, z):
    """The largest D in [(b - c)/n, 1] that the score test does not reject; b, c: numbers of pairs with d > 0 and d < 0."""

    def statistic(d):
        slope, constant = -b - c + (2 * n - b + c) * d, -c * d * (1 - d)
        p = (math.sqrt(max(slope**2 - 8 * n * constant, 0)) - slope) / (4 * n)  # eq. 17: the share of d < 0, given the difference D
        variance = n * (2 * p + d * (1 - d))
        distance = b - c - n * d
        return distance / math.sqrt(variance) if variance > 1e-300 else math.copysign(math.inf, distance)

    low, high = (b - c) / n, 1.0
    if statistic(high) > -z:
        return 1.0
    for _ in range(200):
        middle = (low + high) / 2
        low, high = (middle, high) if statistic(middle) > -z else (low, middle)
    return (low + high) / 2


def quantile(q, df):
    """Of Student's law; that of old scipy has nine digits, its distribution function has all."""
    return brentq(lambda x: student.cdf(x, df) - q, 0.0, 1e5, xtol=1e-14, rtol=1e-14)


def interval(values, weights=None, clusters=None, level=0.95):
    """Values d from -1 to 1 with their weights: numbers of pairs by moments, cases shared by clusters, sizes of d by their scale."""
    weights = [1.0] * len(values) if weights is None else weights
    clusters = list(range(len(values))) if clusters is None else clusters
    total, names = sum(weights), set(clusters)
    n = total**2 / sum(w * w for w in weights)
    if len(names) < len(values):
        squares = sum(w * w for w in weights)
        most = sum(sum(w for w, c in zip(weights, clusters) if c == name) ** 2 for name in names) / squares
        own = sum((w * d) ** 2 for w, d in zip(weights, values))
        between = sum(sum(w * d for w, d, c in zip(weights, values, clusters) if c == name) ** 2 for name in names)
        k = sum(any(d != 0 for d, c in zip(values, clusters) if c == name) for name in names)
        n /= max((k * (between / own if own else most) + (1 + most) / 2) / (k + 1), 1)
    mean, second, fourth = (sum(w * d**j for w, d in zip(weights, values)) / total for j in (1, 2, 4))
    k = n * second**2 / fourth if fourth else 0.0
    a = math.sqrt((k * fourth / second + 0.5) / (k + 0.5)) if k else 1.0
    s = n * mean / a
    q = max(n * second / a**2, abs(s))
    z = quantile(0.5 + level / 2, len(names) - 1)
    b, c = (q + s) / 2, (q - s) / 2
    return max(-a * upper(c, b, n, z), -1.0), min(a * upper(b, c, n, z), 1.0)
