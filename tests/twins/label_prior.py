"""Likelihoods of label counts in plain Python: products of predictive probabilities, one label after the other."""

import math


def log_likelihood(counts, alpha):
    """Σ log P(labels): the next label is of class k with probability (α_k + labels of class k so far) / (A + labels so far)."""
    total = 0.0
    for row in counts:
        seen = [0] * len(row)
        for k, times in enumerate(row):
            for _ in range(times):
                total += math.log((alpha[k] + seen[k]) / (sum(alpha) + sum(seen)))
                seen[k] += 1
    return total


def highest(of, low, high):
    """Where a function of one number with a single maximum is highest: golden section."""
    ratio = (math.sqrt(5) - 1) / 2
    while high - low > 1e-9:
        left, right = high - ratio * (high - low), low + ratio * (high - low)
        low, high = (low, right) if of(left) > of(right) else (left, high)
    return (low + high) / 2
