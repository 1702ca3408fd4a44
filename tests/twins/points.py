"""Weighted points of Plackett–Luce posteriors, slowly: log densities, both proposals, and an independent integration over sectors."""

from itertools import permutations
from math import asinh, log, pi, sqrt

import numpy as np
from scipy import special


def log_density(case, theta, gamma, shapes):
    """Log density of log plausibilities theta (..., K) up to a constant; each block by the subset recursion in logs."""
    theta, shapes = np.asarray(theta, float), np.asarray(shapes, float)
    out = theta @ shapes - shapes.sum() * special.logsumexp(theta, axis=-1)
    for ranking in case:
        left = list(range(theta.shape[-1]))
        for block in ranking:
            left = [k for k in left if k not in block]
            if left or len(block) > 1:
                out = out + gamma * _log_block(theta, list(block), left)
    return out


def _log_block(theta, block, later):
    log_p = {(): np.zeros(theta.shape[:-1])}
    for size in range(1, len(block) + 1):
        for subset in _subsets(block, size):
            total = special.logsumexp(theta[..., [*subset, *later]], axis=-1)
            parts = [theta[..., k] - total + log_p[tuple(j for j in subset if j != k)] for k in subset]
            log_p[subset] = special.logsumexp(parts, axis=0)
    return log_p[tuple(block)]


def _subsets(items, size):
    if size == 0:
        return [()]
    return [(items[i], *rest) for i in range(len(items)) for rest in _subsets(items[i + 1 :], size - 1)]


def sector_exponent(case, small, gamma, shapes):
    """Exponent at which the posterior falls as the classes of a set become small together."""
    large = set(range(len(shapes))) - set(small)
    total = sum(shapes[k] for k in small)
    for ranking in case:
        left = set(range(len(shapes)))
        for block in ranking:
            left -= set(block)
            if left & large:
                total += gamma * len(set(block) & set(small))
    return total


def log_chances(case, gamma, shapes):
    """Log of the sum over orders of the classes of the product of inverse exponents of what is below each gap."""
    known = {}

    def chances(below):
        key = tuple(sorted(below))
        if key not in known:
            total = sum(chances([k for k in below if k != j]) for j in below) if below else 1.0
            known[key] = total / (sector_exponent(case, below, gamma, shapes) if 0 < len(below) < len(shapes) else 1.0)
        return known[key]

    return np.log(chances(list(range(len(shapes)))))


def sector_log_density(case, theta, gamma, shapes):
    """Log density of the second proposal at theta (K,): an order of the classes, and exponential gaps between neighbours."""
    order = [int(k) for k in np.argsort(-np.asarray(theta))]
    out = -log_chances(case, gamma, shapes)
    for i in range(len(order) - 1):
        out -= sector_exponent(case, order[i + 1 :], gamma, shapes) * (theta[order[i]] - theta[order[i + 1]])
    return out


def beta_law(alpha, beta):
    """Nodes, log densities and slopes of the tails of a law that is linear between nodes, like that of the log odds of a Beta variable."""
    mode, step = log(alpha / beta), min(sqrt(1 / alpha + 1 / beta) / 3, 0.55)

    def height(x):
        return alpha * x - (alpha + beta) * np.logaddexp(0, x) - alpha * mode + (alpha + beta) * np.logaddexp(0, mode)

    ends = []
    for sign in (-1, 1):
        n = 1
        while n < 48 and height(mode + sign * n * step) > -20 and (alpha + beta) * np.logaddexp(0, -sign * (mode + sign * n * step)) > 1e-3:
            n += 1
        ends.append(n)
    x = mode + step * np.arange(-ends[0], ends[1] + 1)
    h = height(x)
    straight = [(alpha + beta) * np.logaddexp(0, at) <= 1e-3 for at in (x[0], -x[-1])]
    left = alpha if straight[0] else min(alpha, (h[1] - h[0]) / step)
    right = beta if straight[1] else min(beta, (h[-2] - h[-1]) / step)
    rise = np.diff(h)
    total = np.exp(h[0]) / left + np.exp(h[-1]) / right + (np.exp(h[:-1]) * step * np.expm1(rise) / rise).sum()
    return x, h - log(total), left, right


def law_height(law, x):
    """Log density of such a law at x."""
    nodes, h, left, right = law
    x = np.asarray(x, float)
    inside = np.interp(x, nodes, h)
    return np.where(x < nodes[0], h[0] + left * (x - nodes[0]), np.where(x > nodes[-1], h[-1] - right * (x - nodes[-1]), inside))


def chain_log_density(theta, order, alpha, beta):
    """Log density of the first proposal at theta (K,): independent sticks along an order of the classes."""
    return sum(
        float(law_height(beta_law(alpha[j], beta[j]), theta[k] - special.logsumexp([theta[i] for i in order[j + 1 :]])))
        for j, k in enumerate(order[:-1])
    )


def _nodes(size, reach):
    """Log r and log weight by log r of double-exponential nodes of r in (0, 1)."""
    t = np.linspace(-reach, reach, size)
    log_r = -np.logaddexp(0, -pi * np.sinh(t))
    return log_r, np.log((t[1] - t[0]) * pi * np.cosh(t)) - np.logaddexp(0, pi * np.sinh(t))


def by_sectors(case, gamma, shapes, size=40):
    """Return log evidence, means, second moments and P(each order from the largest down), by integration over each order."""
    shapes = np.asarray(shapes, float)
    k = len(shapes)
    reach = max(3.2, asinh(32 / (shapes.min() * pi)))
    log_r, weight = _nodes(int(size * reach / 3.2), reach)
    mesh = np.meshgrid(*[np.arange(len(log_r))] * (k - 1), indexing="ij")
    steps, log_w = [log_r[i.ravel()] for i in mesh], sum(weight[i.ravel()] for i in mesh)
    orders, parts = list(permutations(range(k))), []
    for order in orders:
        theta, at = np.zeros((len(log_w), k)), 0.0
        for j, step in zip(order[1:], steps):
            at = at + step
            theta[:, j] = at
        value = log_w + log_density(case, theta, gamma, shapes)
        top = value.max()
        w, q = np.exp(value - top), special.softmax(theta, axis=1)
        parts.append((top + np.log(w.sum()), w @ q / w.sum(), w @ q**2 / w.sum()))
    log_z = special.logsumexp([one[0] for one in parts])
    chance = np.exp(np.array([one[0] for one in parts]) - log_z)
    return log_z, chance @ np.array([one[1] for one in parts]), chance @ np.array([one[2] for one in parts]), dict(zip(orders, chance))


def first_of(orders, k):
    """P(each of k classes is the largest), from the probabilities of orders."""
    return np.array([sum(p for order, p in orders.items() if order[0] == j) for j in range(k)])


def generating_vector(dims, bits, whole=7, decay=0.7):
    """Return the generating vector of the embedded lattice: by components up to 2^whole points, then digit by digit.

    Each step takes the number with the least worst-case error of shifted rules in the Sobolev space with product weights ``decay^j``.
    """
    z = np.ones(dims, np.int64)
    for level in range(whole, bits + 1):
        n = 2**level
        i, product = np.arange(n), np.ones(n)
        for j in range(dims):
            tried = ([1] if j == 0 else range(1, n, 2)) if level == whole else (z[j], z[j] + n // 2)
            best = None
            for one in tried:
                x = one * i % n / n
                longer = product * (1 + decay**j * 2 * pi**2 * (x * x - x + 1 / 6))
                if best is None or longer.mean() < best[0] - 1e-12:
                    best = longer.mean(), one, longer
            _, z[j], product = best
    return z.tolist()


def pareto_shape(weights, most=159):
    """k of the generalised Pareto law of the largest weights (Zhang & Stephens 2009), with the prior of Vehtari et al. (2024)."""
    n = int(min(0.2 * len(weights), 3 * sqrt(len(weights)), most))
    largest = np.sort(weights)[::-1]
    x = np.sort(largest[:n] - largest[n])
    m, quartile = 20 + int(sqrt(n)), x[int(n / 4 + 0.5) - 1]
    theta = np.array([1 / x[-1] + (1 - sqrt(m / (j - 0.5))) / (3 * quartile) for j in range(1, m + 1)])
    k = np.log1p(-theta[:, None] * x).mean(axis=1)
    profile = n * (np.log(-theta / k) - k - 1)
    mean = (theta * special.softmax(profile)).sum()
    return (n * np.log1p(-mean * x).mean() + 5) / (n + 10)
