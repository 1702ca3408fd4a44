"""Limits of agreement, retyped from Bland & Altman (1999, sec. 2 and 5; 2007) and Zou (2013) with the standard library.

``first[i]`` and ``second[i]`` are the lists of ratings of case i, empty where there are none; ``cluster[i]`` the cluster of case i.
"""

import math
from statistics import mean, variance

from scipy.stats import chi2, norm, t


def within(readings):
    """``(1 - mean of 1/m, variance within, degrees of freedom)``; nothing where every m is 1."""
    df = sum(len(one) - 1 for one in readings)
    squares = sum(sum((x - mean(one)) ** 2 for x in one) for one in readings)
    return [(1 - mean(1 / len(one) for one in readings), squares / df, df)] if df else []


def limits(first, second, cluster, coverage=0.95, level=0.95):
    both = [i for i in range(len(first)) if first[i] and second[i]]
    groups = {}
    for i in both:
        groups.setdefault(cluster[i], []).append(mean(first[i]) - mean(second[i]))
    means = [mean(one) for one in groups.values()]
    g, bias = len(means), mean(means)
    parts = [(1, variance(means), g - 1), *within(list(groups.values())), *within([first[i] for i in both])]
    parts += within([second[i] for i in both])
    total = sum(w * v for w, v, _ in parts)
    a = (1 - level) / 2
    low = total - math.sqrt(sum((w * v * (1 - df / chi2.ppf(1 - a, df))) ** 2 for w, v, df in parts))
    high = total + math.sqrt(sum((w * v * (df / chi2.ppf(a, df) - 1)) ** 2 for w, v, df in parts))
    half, z, sd = t.ppf(1 - a, g - 1) * math.sqrt(variance(means) / g), norm.ppf((1 + coverage) / 2), math.sqrt(total)
    upper = bias + z * sd
    ends = [
        upper - math.sqrt(half**2 + z**2 * (sd - math.sqrt(max(low, 0))) ** 2),
        upper + math.sqrt(half**2 + z**2 * (math.sqrt(high) - sd) ** 2),
    ]
    return {
        "n": len(both),
        "bias": bias,
        "sd": sd,
        "upper": upper,
        "bias_interval": (bias - half, bias + half),
        "upper_interval": tuple(ends),
    }
