"""Graded response, slowly and retyped from Samejima (1969): one case after the other, integrals by scipy.

Data are lists of cases, a case is a list of (annotator, grade, weight); ``a[j]`` discrimination, ``cut[j]`` ascending thresholds.
"""

import math

import numpy as np
from scipy import integrate


def cases_of(labels):
    ends = labels.offsets
    return [
        [(int(labels.annotator[r]), int(labels.label[r]), int(labels.count[r])) for r in range(ends[i], ends[i + 1])]
        for i in range(labels.n_cases)
    ]


def at_least(a, cut, x):
    """P(grade >= k) for k = 0 .. G."""
    return [1.0, *(1 / (1 + math.exp(-a * (x - c))) for c in cut), 0.0]


def likelihood(case, a, cut, x):
    product = 1.0
    for j, grade, weight in case:
        above = at_least(a[j], cut[j], x)
        product *= (above[grade] - above[grade + 1]) ** weight
    return product


def normal(x):
    return math.exp(-x * x / 2) / math.sqrt(2 * math.pi)


def integral(case, a, cut, low=-9.0, high=9.0, power=0):
    points = [one for j, _, _ in case for one in cut[j] if low < one < high]
    return integrate.quad(
        lambda x: x**power * normal(x) * likelihood(case, a, cut, x),
        low,
        high,
        points=sorted(points) or None,
        epsabs=0,
        epsrel=1e-11,
        limit=400,
    )[0]


def log_likelihood(cases, a, cut):
    """By the trapezoid rule with 3,601 nodes."""
    x, total = np.linspace(-9, 9, 3601), 0.0
    for case in cases:
        product = np.exp(-x * x / 2) / math.sqrt(2 * math.pi)
        for j, grade, weight in case:
            above = [np.ones_like(x), *(1 / (1 + np.exp(-a[j] * (x - c))) for c in cut[j]), np.zeros_like(x)]
            product = product * (above[grade] - above[grade + 1]) ** weight
        total += math.log(product.sum() * (x[1] - x[0]))
    return total


def law(case, a, cut, common):
    """Posterior probability that the severity lies between the common thresholds."""
    ends = [-9.0, *common, 9.0]
    masses = [integral(case, a, cut, low, high) for low, high in zip(ends, ends[1:])]
    return [one / sum(masses) for one in masses]


def moments(case, a, cut):
    mass, first, second = (integral(case, a, cut, power=power) for power in (0, 1, 2))
    return first / mass, math.sqrt(second / mass - (first / mass) ** 2)


def simulate(rng, n_cases, shift, a, threshold, missing=0.0):
    """(N, A) grades of a world; NaN where an annotator did not look."""
    x = rng.normal(size=(n_cases, 1, 1))
    p = 1 / (1 + np.exp(-a[:, None] * (x - threshold - shift[:, None])))
    grade = (rng.random((n_cases, len(a), 1)) < p).sum(2).astype(float)
    grade[rng.random(grade.shape) < missing] = np.nan
    return grade
