"""The difference of a mean between two groups of cases in plain Python: over cases, and under a panel of annotators; no shared code."""

import math

from . import panels, student

SHARED = 20  # further units with the variance of both groups


def number(table, k, value, group, m):
    """The mean of ``value(case, counts)`` in group 0 less that in group 1 under a panel, and the influence of each case."""
    means, psi = [], [0.0] * len(table)
    for which, sign in ((0, 1), (1, -1)):
        cases = [i for i, g in enumerate(group) if g == which]
        mean, own = panels.ratio([table[i] for i in cases], k, lambda at, counts, cases=cases: value(cases[at], counts), m)
        if own is None:
            return math.nan, None
        means.append(mean)
        for i, x in zip(cases, own):
            psi[i] = sign * x
    return means[0] - means[1], psi


def over_cases(values, group, unit=None, level=0.95):
    """The interval over cases, or over clusters; ``values``: None for a case that does not count."""
    unit = list(range(len(values))) if unit is None else unit
    counted = [[i for i, (x, g) in enumerate(zip(values, group)) if g == which and x is not None] for which in (0, 1)]
    means = [sum(values[i] for i in cases) / len(cases) for cases in counted]
    sums = [_by_unit({i: (values[i] - mean) / len(cases) for i in cases}, unit) for mean, cases in zip(means, counted)]
    n = [len(one) for one in sums]
    each = [size**2 / (size - 1) * sum(x * x for x in one.values()) for size, one in zip(n, sums)]  # the variance of units
    shared = sum((size - 1) * v for size, v in zip(n, each)) / sum(size - 1 for size in n)
    wanted = sum(max(v, (size * v + SHARED * shared) / (size + SHARED)) / size for size, v in zip(n, each))
    wanted -= 2 * sum(x * sums[1].get(u, 0.0) for u, x in sums[0].items())
    every = sorted({*sums[0], *sums[1]}, key=str)
    own = [sums[0].get(u, 0.0) - sums[1].get(u, 0.0) for u in every]
    found = len(every) / (len(every) - 1) * sum(x * x for x in own)
    widening = math.sqrt(max(wanted / found, 1.0))
    away = [_without(values, counted, unit, u) for u in every]
    middle = sum(away) / len(away)
    square = (len(away) - 1) / len(away) * sum((x - middle) ** 2 for x in away)
    most = min(1 + sum(1 / size for size in n) ** 2 / sum(1 / (size**2 * (size - 1)) for size in n), len(every))
    kurtosis = most * sum((x - middle) ** 4 for x in away) / sum((x - middle) ** 2 for x in away) ** 2
    df = 2 * (most - 1) / (kurtosis - 1) if kurtosis > 1 else -math.inf
    df = min(max(df, (most - 1) / 3, 1.0), max(most - 1, 1.0))
    half = student.quantile(df, 0.5 + level / 2) * math.sqrt(square) * widening
    value = means[0] - means[1]
    return value, (max(value - half, -1.0), min(value + half, 1.0))


def _by_unit(values, unit):
    found = {}
    for i, x in values.items():
        found[unit[i]] = found.get(unit[i], 0.0) + x
    return found


def _without(values, counted, unit, left_out):
    """The difference without a unit."""
    kept = [[values[i] for i in cases if unit[i] != left_out] for cases in counted]
    return sum(kept[0]) / len(kept[0]) - sum(kept[1]) / len(kept[1])
