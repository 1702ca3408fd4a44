"""Plackett-Luce with ties and unranked classes, slowly and retyped from Stutz et al. (2023), B.4: exact probabilities in rational and
decimal arithmetic, exact posteriors on a grid, weighted draws from the prior, and the sampler as printed.

A ranking is a list of blocks, best first; classes that it does not name are tied behind all others.
"""

import math
from collections import Counter
from decimal import Decimal, localcontext
from fractions import Fraction
from itertools import permutations, product

import numpy as np
from scipy import special

DIGITS = 120  # of the decimal arithmetic: differences from 1 of 1e-48 keep 70 digits


# ---- probabilities ----
def chain(ranking, n_classes):
    """Pairs (block, classes that come later); a last block with nothing behind it is left out."""
    ranked = {y for block in ranking for y in block}
    blocks = [list(block) for block in ranking] + [[y for y in range(n_classes) if y not in ranked]]
    for i, block in enumerate(blocks):
        later = [y for other in blocks[i + 1 :] for y in other]
        if later:
            yield block, later


def probability_by_orders(ranking, plausibility):
    """B.4.1: the sum over all orders of all classes that agree with the ranking of prod λ_σ(k) / sum of what is left."""
    rate = [Fraction(x) for x in plausibility]
    ranked = {y for block in ranking for y in block}
    blocks = [*ranking, [y for y in range(len(rate)) if y not in ranked]]
    total = Fraction(0)
    for parts in product(*map(permutations, blocks)):
        order = [y for part in parts for y in part]
        p = Fraction(1)
        for k, y in enumerate(order):
            p *= rate[y] / sum(rate[j] for j in order[k:])
        total += p
    return total


def block_probability(rates, later):
    """P(a block arrives before a total rate `later`): who of those left comes first? Over the numbers left of each distinct rate."""
    with localcontext() as context:
        context.prec = DIGITS
        groups = [(Decimal(rate), n) for rate, n in Counter(rates).items()]
        z, p = Decimal(later), {}
        for left in product(*(range(n + 1) for _, n in groups)):
            if not any(left):
                p[left] = Decimal(1)
                continue
            first = [n * rate for n, (rate, _) in zip(left, groups)]
            ways = [w * p[(*left[:g], left[g] - 1, *left[g + 1 :])] for g, w in enumerate(first) if w]
            p[left] = sum(ways) / (z + sum(first))
        return p[tuple(n for _, n in groups)]


def block_probability_by_polynomial(rates, later):
    """The same for whole rates: ∫ Z e^(-ZT) prod(1 - e^(-λT)) dT, the product multiplied out in y = e^-T: sum c_k Z / (Z + k)."""
    coefficients = [1]
    for rate in rates:
        longer = coefficients + [0] * rate
        for k, c in enumerate(coefficients):
            longer[k + rate] -= c
        coefficients = longer
    with localcontext() as context:
        context.prec = 2000  # terms of up to 2^400 that add up to as little as 1e-1800
        z = Decimal(later)
        return sum(c * z / (z + k) for k, c in enumerate(coefficients) if c)


def log_decimal(p):
    with localcontext() as context:
        context.prec = DIGITS
        return p.ln()


def log_likelihood(ranking, plausibility):
    """Decimal. Plausibilities may be floats or Decimals, all positive."""
    with localcontext() as context:
        context.prec = DIGITS
        rate = [Decimal(x) for x in plausibility]
        stages = list(chain(ranking, len(rate)))
        return sum((log_decimal(block_probability([rate[y] for y in b], sum(rate[y] for y in w))) for b, w in stages), Decimal(0))


def gradient(ranking, plausibility, classes):
    """d log p / d log λ_y by central differences of 1e-40: 40 digits are left."""
    step, slopes = Decimal("1e-40"), []
    for y in classes:
        with localcontext() as context:
            context.prec = DIGITS
            ends = [[Decimal(x) * (1 + sign * step * (k == y)) for k, x in enumerate(plausibility)] for sign in (1, -1)]
            slopes.append(float((log_likelihood(ranking, ends[0]) - log_likelihood(ranking, ends[1])) / (2 * step)))
    return slopes


def ordered_partitions(classes):
    """All rankings of all of `classes` with ties."""
    if not classes:
        yield []
    for mask in range(1, 1 << len(classes)):
        block = [y for k, y in enumerate(classes) if mask >> k & 1]
        for rest in ordered_partitions([y for y in classes if y not in block]):
            yield [block, *rest]


def likelihood(rankings, rate):
    """prod of the rankings' probabilities for many plausibilities at once, rate[class, ...]: eq. 17 and the recursion of B.4.1."""
    value = np.ones(rate.shape[1:])
    for ranking in rankings:
        for block, later in chain(ranking, len(rate)):
            z = rate[later].sum(0)
            p = {0: np.ones_like(z)}
            for left in range(1, 1 << len(block)):
                members = [a for a in range(len(block)) if left >> a & 1]
                ways = sum(rate[block[a]] * p[left & ~(1 << a)] for a in members)
                p[left] = ways / (z + sum(rate[block[a]] for a in members))
            value = value * p[(1 << len(block)) - 1]
    return value


def powered(rankings, rate, reliability, tempering=1.0):
    """The likelihood of lambda^tempering, to the power of the reliability: one number, or one for each ranking."""
    each, rate = np.broadcast_to(reliability, len(rankings)), rate**tempering
    return np.prod([likelihood([ranking], rate) ** gamma for ranking, gamma in zip(rankings, each)], axis=0, initial=1.0)


# ---- posteriors of normalised plausibilities; prior λ_k ~ Gamma(shape_k, 1) ----
def grid_sums(rankings, shapes, reliability, tempering, others, axes, step):
    """Evidence, and sums of plausibilities, of their products and of each axis' marginal, over one grid; slab by slab, to save memory."""
    shapes = np.asarray(shapes, float)
    constant = special.gammaln(shapes.sum()) - special.gammaln(shapes).sum() + len(others) * math.log(step)
    evidence, mean, second = 0.0, np.zeros(len(shapes)), np.zeros((len(shapes), len(shapes)))
    marginals = [np.zeros(len(axis)) for axis in axes]
    for i, u in enumerate(axes[0]):
        mesh = np.meshgrid([u], *axes[1:], indexing="ij")
        log_rate = np.zeros((len(shapes), mesh[0].size))
        for k, values in zip(others, mesh):
            log_rate[k] = values.ravel()
        log_rate -= np.logaddexp.reduce(log_rate, axis=0)
        rate = np.exp(log_rate)
        density = np.exp(constant + shapes @ log_rate) * powered(rankings, rate, reliability, tempering)
        evidence += density.sum()
        mean += rate @ density
        second += (rate * density) @ rate.T
        slab = density.reshape(mesh[0].shape)
        marginals[0][i] = slab.sum()
        for d in range(1, len(axes)):
            marginals[d] += slab.sum(tuple(e for e in range(len(axes)) if e != d))
    return evidence, mean, second, marginals


def grid_posterior(rankings, shapes, reliability=1.0, tempering=1.0, tolerance=1e-4, reach=22.0):
    """(log evidence, mean (K,), second moments (K, K)) for up to four classes, by the trapezoid rule in u_k = log(λ_k / λ_j), j the class
    with the largest shape. The prior falls like exp(-shape |u|), to exp(-reach); the integrand is analytic, so halving the step squares
    the error, of the last answer to some tolerance². Halved until the answer stays, on the part of the grid that matters.
    """
    last = int(np.argmax(shapes))
    others = [k for k in range(len(shapes)) if k != last]
    ends = [(-reach / shapes[k], reach / shapes[last]) for k in others]
    step, before = 1.6, None
    while True:
        axes = [np.arange(math.floor(lo / step), math.ceil(hi / step) + 1) * step for lo, hi in ends]
        evidence, mean, second, marginals = grid_sums(rankings, shapes, reliability, tempering, others, axes, step)
        found = (math.log(evidence), mean / evidence, second / evidence)
        if before is not None and abs(found[0] - before[0]) < tolerance and np.abs(found[1] - before[1]).max() < tolerance:
            return found
        kept = [np.flatnonzero(marginal > 1e-13 * evidence) for marginal in marginals]
        ends = [(axis[k[0]] - 2 * step, axis[k[-1]] + 2 * step) for axis, k in zip(axes, kept)]
        step, before = step / 2, found


def weighted_draws(rankings, shapes, reliability, n, rng, tilt=0.0, weigh=likelihood):
    """n draws (n, K) from Dirichlet(shapes + tilt) and their weights under the posterior: the prior itself for tilt = 0."""
    shapes = np.asarray(shapes, float)
    rate = rng.standard_gamma((shapes + tilt)[:, None], (len(shapes), n))
    rate = np.maximum(rate / rate.sum(0), 1e-290)
    weights = weigh(rankings, rate) ** reliability * np.exp(-np.broadcast_to(tilt, shapes.shape) @ np.log(rate))
    return rate.T, weights / weights.max()


def weighted_mean(values, weights):
    """Self-normalised importance sampling: estimate and standard error of the mean of each column."""
    weights = weights / weights.sum()
    mean = weights @ values
    return mean, np.sqrt((weights**2) @ (values - mean) ** 2)


def one_block_moments(n, shape, rest_shape, copies=1):
    """E π_a, E π_a² and E π_rest of a class of the only block, n tied classes ranked once or twice, by one or two integrals for any n:

    all of the block arrives before T ~ Exp(Z), Z the rest, in each copy. E e^(-λT) = (1+T)^-a, E λ^j e^(-λT) = (a)_j (1+T)^-(a+j); and
    the total, Gamma(n a + rest, 1), is independent of π. Trapezoid rule in s = log T, where integrands fall exponentially.
    """
    step = 0.02 if copies == 1 else 0.1
    t = np.exp(np.arange(-40.0 / n - math.log1p(rest_shape) - 5.0, 40.0 / min(rest_shape, 1.0), step))
    times = [t] if copies == 1 else [t[:, None], t[None, :]]
    weight = step**copies * math.prod(times) * np.ones_like(sum(times))

    def arrived(power):  # E λ^power prod(1 - e^(-λ T_i))
        shape_now = shape + power
        if copies == 1:
            value = -np.expm1(-shape_now * np.log1p(t))
        else:  # 1 - A - B + C = (1 - A)(1 - B) + (C - A B), both without cancellation
            x, y = times
            a, b = (-shape_now * np.log1p(v) for v in times)
            value = np.expm1(a) * np.expm1(b) + np.exp(a + b) * np.expm1(shape_now * np.log1p(x * y / (1 + x + y)))
        return special.poch(shape, power) * value

    def moment(power, rest_power):
        rest = special.poch(rest_shape, copies + rest_power) * (1 + sum(times)) ** -(rest_shape + copies + rest_power)
        return float((arrived(power) * arrived(0) ** (n - 1) * rest * weight).sum())

    evidence, total = moment(0, 0), n * shape + rest_shape
    return moment(1, 0) / evidence / total, moment(2, 0) / evidence / total / (total + 1), moment(0, 1) / evidence / total


# ---- data from the model, and the sampler as printed, for many cases at once ----
def simulate(n_cases, n_annotators, n_classes, shape, rng, least_ranked=0):
    """(plausibilities (N, K), rankings, orders (N, A, K!)): orders of arrival, cut into blocks at places that do not depend on them.

    A cut behind each of the first K - 1 arrivals with probability 1/2, and as many of the last arrivals left unranked as a die says:
    how fine a ranking is says nothing about λ. orders: which of the K! orders agree with each ranking.
    """
    rate = rng.standard_gamma(shape, (n_cases, n_classes))
    every = np.array(list(permutations(range(n_classes))))
    orders = np.zeros((n_cases, n_annotators, len(every)), bool)
    arrival = (rng.standard_exponential((n_cases, n_annotators, n_classes)) / rate[:, None]).argsort(-1)
    rankings = [[] for _ in range(n_cases)]
    for i, r in np.ndindex(n_cases, n_annotators):
        ranked = int(rng.integers(least_ranked, n_classes + 1))
        cuts = [k for k in range(1, ranked) if rng.random() < 0.5]
        ends = [0, *cuts, ranked] if ranked else [0]
        blocks = [arrival[i, r, a:b].tolist() for a, b in zip(ends[:-1], ends[1:])]
        rankings[i].append(blocks)
        orders[i, r] = np.all([np.isin(every[:, a:b], block).all(1) for a, b, block in zip(ends[:-1], ends[1:], blocks)] or [True], axis=0)
    return rate / rate.sum(1, keepdims=True), rankings, orders


def printed_gibbs(rankings, orders, n_classes, shape, n_sweeps, rng, times="all", counts="all"):
    """B.4.2 for many cases at once: an order of all classes that agrees with the ranking, its arrival times, new plausibilities.

    Yields normalised plausibilities (N, K), one sweep after the other. The update of λ_k is right when both or none of
    times (`all`, or `censored` at an annotator's last ranked class) and counts (every annotator, or those that `ranked` k) are cut.
    """
    every = np.array(list(permutations(range(n_classes))))
    n_cases, n_annotators = orders.shape[:2]
    ranked = np.zeros((n_cases, n_annotators, n_classes))
    for i, r in np.ndindex(n_cases, n_annotators):
        ranked[i, r, [y for block in rankings[i][r] for y in block]] = 1
    observed = ranked.sum(1) if counts == "ranked" else n_annotators
    last = ranked.sum(-1, keepdims=True).astype(int)  # position behind the last ranked class
    rate = rng.standard_gamma(shape, (n_cases, n_classes))
    for _ in range(n_sweeps):
        chosen = rate[:, every]
        left = chosen[..., ::-1].cumsum(-1)[..., ::-1]
        agreeing = (orders * (chosen / left).prod(-1)[:, None]).cumsum(-1)
        pick = (agreeing > rng.random((n_cases, n_annotators, 1)) * agreeing[..., -1:]).argmax(-1)
        waits = rng.standard_exponential((n_cases, n_annotators, n_classes)) / np.take_along_axis(left, pick[..., None], 1)
        arrivals = waits.cumsum(-1)
        tau = np.zeros_like(arrivals)
        np.put_along_axis(tau, every[pick], arrivals, -1)
        if times == "censored":
            end = np.take_along_axis(arrivals, np.maximum(last - 1, 0), -1)
            tau = np.minimum(tau, np.where(last > 0, end, 0.0))
        rate = rng.standard_gamma(shape + observed, (n_cases, n_classes)) / (1.0 + tau.sum(1))
        rate /= rate.sum(1, keepdims=True)
        yield rate
        rate = rate * rng.standard_gamma(n_classes * shape, (n_cases, 1))  # METHODS.md 2.4, step 3: or a wrong mix drifts to 0
