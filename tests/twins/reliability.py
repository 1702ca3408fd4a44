"""P(a class is the first of a Dirichlet draw), by integrating over its gamma variable, in plain Python."""

import math

from scipy.special import gammainc


def first(concentration, k):
    """``∫ f_k(x) Π_j F_j(x) dx`` by the trapezoid rule in log x."""
    total, step = 0.0, 0.02
    for n in range(-2500, 400):
        x = math.exp(n * step)
        density = math.exp(concentration[k] * math.log(x) - x - math.lgamma(concentration[k]))
        others = math.prod(float(gammainc(c, x)) for j, c in enumerate(concentration) if j != k and c > 0)
        total += step * density * others
    return total


def log_likelihood(concentrations, reference):
    """Σ_i Σ_k r_ik log P(class k is first)."""
    return sum(r * math.log(first(row, k)) for row, weights in zip(concentrations, reference) for k, r in enumerate(weights) if r > 0)


def log_dirichlet_multinomial(held, alpha):
    """Of labels in an order: the product of predictive probabilities."""
    found, seen = 0.0, [0] * len(alpha)
    for k, times in enumerate(held):
        for _ in range(times):
            found += math.log((alpha[k] + seen[k]) / (sum(alpha) + sum(seen)))
            seen[k] += 1
    return found
