"""Reader studies again, slowly: U-statistics over all quadruples, DeLong's covariance by its placements, the jackknife."""

import itertools

import numpy as np


def psi(a, b):
    return 1.0 if a > b else 0.5 if a == b else 0.0


def auroc(x, p):
    """Σ p_i (1 - p_j) ψ / Σ p_i (1 - p_j) over the ordered pairs of cases that were read."""
    read = [i for i in range(len(x)) if not np.isnan(x[i])]
    pairs = list(itertools.permutations(read, 2))
    total = sum(p[i] * (1 - p[j]) for i, j in pairs)
    return sum(p[i] * (1 - p[j]) * psi(x[i], x[j]) for i, j in pairs) / total


def u_statistic(x, p):
    """Of ratings (T, R, N): values averaged over pairs, and covariances over pairs that share neither reader nor case, centred."""
    t, r, n = x.shape

    def weighted(a, b):
        """(weight, ψ) of every pair that reader b read in test a."""
        read = [i for i in range(n) if not np.isnan(x[a, b, i])]
        return {(i, j): (p[i] * (1 - p[j]), psi(x[a, b, i], x[a, b, j])) for i, j in itertools.permutations(read, 2)}

    cells = {(a, b): weighted(a, b) for a in range(t) for b in range(r)}
    values = []
    for a in range(t):
        found = [one for b in range(r) for one in cells[a, b].values()]
        values.append(sum(w * y for w, y in found) / sum(w for w, _ in found))
    covariance = np.empty((t, t))
    for a, other in itertools.product(range(t), repeat=2):
        above = below = 0.0
        for b, c in itertools.permutations(range(r), 2):
            for pair, (w, y) in cells[a, b].items():
                for others, (v, z) in cells[other, c].items():
                    if not set(pair) & set(others):
                        above += w * v * (y - values[a]) * (z - values[other])
                        below += w * v
        covariance[a, other] = -above / below
    return np.array(values), covariance


def unbiased(x, p, centred=True):
    """(G, G) covariances of the AUROCs of ratings (G, N) over quadruples of four cases."""
    values = np.array([auroc(one, p) for one in x])
    centre = values if centred else 0 * values
    found = np.empty((len(x), len(x)))
    for g, h in itertools.product(range(len(x)), repeat=2):
        above = below = 0.0
        for i, j, k, m in itertools.permutations(range(x.shape[1]), 4):
            if not np.isnan([*x[g, [i, j]], *x[h, [k, m]]]).any():
                w = p[i] * (1 - p[j]) * p[k] * (1 - p[m])
                above += w * (psi(x[g, i], x[g, j]) - centre[g]) * (psi(x[h, k], x[h, m]) - centre[h])
                below += w
        found[g, h] = (values[g] - centre[g]) * (values[h] - centre[h]) - above / below
    return found


def delong(x, truth):
    """(G, G) by placements of positives and negatives, truth 0 or 1."""
    positive, negative = np.flatnonzero(truth == 1), np.flatnonzero(truth == 0)
    above = np.array([[np.mean([psi(one[i], one[j]) for j in negative]) for i in positive] for one in x])
    below = np.array([[np.mean([psi(one[i], one[j]) for i in positive]) for j in negative] for one in x])
    return np.atleast_2d(np.cov(above) / len(positive) + np.cov(below) / len(negative))


def jackknife(x, p, clusters=None):
    """(G, G) without each case or cluster."""
    units = np.arange(x.shape[1]) if clusters is None else np.asarray(clusters)
    names = np.unique(units)
    without = np.array([[auroc(one[units != name], p[units != name]) for one in x] for name in names])
    deviations = without - without.mean(axis=0)
    return (len(names) - 1) / len(names) * deviations.T @ deviations
