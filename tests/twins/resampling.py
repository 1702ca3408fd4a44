"""Resampling one unit at a time, and intervals one number at a time."""

from math import ceil, floor, log1p
from statistics import NormalDist

import numpy as np
from twins import stream, tables_of_c

BLOCK = 4096  # units that are drawn from together
BOOTSTRAP, ANNOTATIONS = 2, 8  # UGT_PURPOSE_*
TABLES = tables_of_c.read("ziggurat.h")


def opened(seed, b, purpose):
    return stream.Stream(seed, case_key=b, purpose=purpose, tables=TABLES)


def binomial(source, n, p):
    """Devroye (1986): X.4.3 while n p is large, then X.4, the second waiting time method; single trials for few."""
    if p <= 0 or p >= 1:
        return n if p >= 1 else 0
    if p > 0.5:
        return n - binomial(source, n, 1 - p)
    if n <= 16:
        return sum(source.uniform() < p for _ in range(n))
    if n * p > 30:
        half = n // 2 + 1
        a, b = source.gamma(half), source.gamma(n + 1 - half)
        middle = a / (a + b)
        if middle <= p:
            return half + binomial(source, n - half, (p - middle) / (1 - middle))
        return binomial(source, half - 1, p / middle)
    hits, waited = 0, 0
    while True:
        waited += floor(source.exponential() / -log1p(-p)) + 1
        if waited > n:
            return hits
        hits += 1


def units_drawn(source, n_units, n_draws):
    """n_draws of n_units with replacement, from as many bits each as it takes; a word starts with its lowest bits."""
    if n_units == 1:
        return [0] * n_draws
    bits, drawn = (n_units - 1).bit_length(), []
    while len(drawn) < n_draws:
        word = source.bits()
        fields = [word >> bits * i & 2**bits - 1 for i in range(64 // bits)]
        drawn += [unit for unit in fields if unit < n_units]
    return drawn[:n_draws]


def weights(seed, b, sizes):
    """How often each unit is in resample b; units in the order of their strata, which have these sizes."""
    source = opened(seed, b, BOOTSTRAP)
    blocks = []  # units, draws
    for size in sizes:
        units = draws = size
        while units > 0:
            here = min(units, BLOCK)
            blocks.append((here, draws if here == units else binomial(source, draws, here / units)))
            units, draws = units - here, draws - blocks[-1][1]
    return np.concatenate([np.bincount(units_drawn(source, n, draws), minlength=n) for n, draws in blocks])


def case_weights(seed, b, clusters, strata=None):
    """The same for cases: clusters in order of first appearance, sorted by stratum in order of first appearance."""
    names = list(dict.fromkeys(clusters))
    stratum = dict(zip(clusters, strata)) if strata is not None else dict.fromkeys(names, 0)
    groups = list(dict.fromkeys(stratum[name] for name in names))
    ordered = [name for group in groups for name in names if stratum[name] == group]
    sizes = [sum(stratum[name] == group for name in names) for group in groups]
    of_cluster = dict(zip(ordered, weights(seed, b, sizes)))
    return np.array([of_cluster[name] for name in clusters])


def bootstrap_means(values, n_resamples, seed):
    """Means of each column over cases drawn with replacement."""
    return np.array([weights(seed, b, [len(values)]) @ values / len(values) for b in range(n_resamples)])


def rows_drawn(seed, b, rows_of_cases, urn=False):
    """How often each row of annotations is drawn: rows_of_cases holds, for every case, how many annotations each row stands for.

    urn: from one with n - 2 balls for each of n annotations, into which each ball drawn comes back with one more."""
    source, drawn = opened(seed, b, ANNOTATIONS), []
    for rows in rows_of_cases:
        total = sum(rows)
        if total <= 64:
            everyone = [j for j, count in enumerate(rows) for _ in range(count)]
            picked = []
            for draw in range(total):
                fresh = total * (total - 2) if urn and draw else total
                ball = source.below(fresh + draw if urn else total)
                picked.append(everyone[ball % total] if ball < fresh else picked[ball - fresh])
            drawn.append([picked.count(j) for j in range(len(rows))])
            continue
        left, here, n = total, [], total
        for j, count in enumerate(rows):
            last = not any(rows[j + 1 :])
            share = count / total if total else 0
            if urn and count and left and not last:
                own = source.gamma(count * (n - 2.0))
                share = own / (own + source.gamma((total - count) * (n - 2.0)))
            here.append(left if last and left else binomial(source, left, share) if left else 0)
            left, total = left - here[-1], total - count
        drawn.append(here)
    return drawn


def grouped_sums(rows, group, values, weights, n_groups):
    """Weighted sums of each column over the entries of each group, each with the weight of its case, in their order."""
    out = np.zeros((len(weights), n_groups, len(values[0])))
    for b, of_cases in enumerate(weights):
        for row, g, value in zip(rows, group, values):
            out[b, g] += of_cases[row] * np.array(value)
    return out


def quantile(values, q):
    """Linear interpolation between order statistics (Hyndman & Fan 1996, type 7), without what is undefined."""
    ordered = sorted(v for v in values if v == v)
    if not ordered:
        return float("nan")
    at = q * (len(ordered) - 1)
    low, high = ordered[floor(at)], ordered[ceil(at)]
    return low + (high - low) * (at - floor(at))


def percentile(values, level):
    """Efron & Tibshirani (1993), eq. 13.5."""
    return [quantile(values, (1 - level) / 2), quantile(values, (1 + level) / 2)]


def basic(values, estimate, level):
    """Davison & Hinkley (1997), eq. 5.6."""
    low, high = percentile(values, level)
    return [2 * estimate - high, 2 * estimate - low]


def bca(values, estimate, influence, level):
    """Efron & Tibshirani (1993), eq. 14.9, 14.10, 14.14 (ties half) and, with influence values for jackknife differences, 14.15."""
    normal = NormalDist()
    defined = [v for v in values if v == v]
    share = (sum(v < estimate for v in defined) + sum(v <= estimate for v in defined)) / 2 / len(defined)
    z0 = normal.inv_cdf(min(max(share, 0.5 / len(defined)), 1 - 0.5 / len(defined)))
    cubes, squares = sum(x**3 for x in influence), sum(x**2 for x in influence)
    a = cubes / (6 * squares**1.5) if squares else 0.0
    ends = []
    for alpha in ((1 - level) / 2, (1 + level) / 2):
        z = z0 + normal.inv_cdf(alpha)
        ends.append(quantile(values, normal.cdf(z0 + z / (1 - a * z))))
    return ends


def rank_share(values):
    """Row by row, all models that are tied spread over the ranks they take; higher is better."""
    m = len(values[0])
    table, n = np.zeros((m, m)), 0
    for row in values:
        if any(v != v for v in row):
            continue
        n += 1
        for j, v in enumerate(row):
            better, tied = sum(w > v for w in row), sum(w == v for w in row)
            table[j, better : better + tied] += 1 / tied
    return table / n


def rank_interval(probabilities, level):
    """Smallest ranks at which the cumulative probability reaches either end."""
    ranks = []
    for q in ((1 - level) / 2, (1 + level) / 2):
        total, rank = 0.0, 0
        while total < q - 1e-12:
            total += probabilities[rank]
            rank += 1
        ranks.append(max(rank, 1))
    return ranks


def law_of_sum(pmfs):
    """The law of a sum of independent variables."""
    law = np.ones(1)
    for pmf in pmfs:
        law = np.convolve(law, pmf)
    return law
