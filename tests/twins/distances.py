"""Distances between annotators, and to predictions, by enumerating all pairs of labels: Lovchinsky et al. (2020), equation 1.

A case is a list of annotators, each the list of its labels on the case (missing: not in the list).
"""

import math


def psi(one, other, delta):
    """Mean pairwise deviation of two sets of labels, equation 1."""
    return math.fsum(delta(y, z) for y in one for z in other) / (len(one) * len(other))


def to_others(case, delta):
    """Of each annotator: the sum of the deviations from the others."""
    return [math.fsum(psi(own, other, delta) for b, other in enumerate(case) if a != b) for a, own in enumerate(case)]


def to_prediction(case, prediction, delta):
    """Of each annotator: the deviation from the prediction; NaN where there is none."""
    return [math.nan if prediction is None else psi([prediction], own, delta) for own in case]


def to_probabilities(case, probabilities, delta):
    """Of each annotator: the deviation to be expected where class k is predicted with probability p_k."""
    if probabilities is None:
        return [math.nan] * len(case)
    return [math.fsum(p * psi([k], own, delta) for k, p in enumerate(probabilities)) for own in case]


def squared(y, z):
    return (y - z) ** 2


def absolute(y, z):
    return abs(y - z)


def zero_one(y, z):
    return float(y != z)


def threshold(size):
    return lambda y, z: max(0.0, abs(y - z) - size)


def jaccard(a, b):
    """Of sets; two empty ones agree."""
    return 1 - len(a & b) / len(a | b) if a | b else 0.0


def dice(a, b):
    return 1 - 2 * len(a & b) / (len(a) + len(b)) if a or b else 0.0


def pixels(mask):
    """The set of the places where an array is true."""
    return frozenset(i for i, inside in enumerate(mask.ravel().tolist()) if inside)
