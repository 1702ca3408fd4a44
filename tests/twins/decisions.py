"""Measures of decisions from four sums, one case at a time, and the same over drawn truths.

Sums: W cases, P positives, D called ones, A both: TP = A, FP = D - A, FN = P - A, TN = W - P - D + A. Numbers may be complex, so that the
imaginary part over a small step is a derivative.
"""

from math import inf, nan

import numpy as np

STEP = 1e-30


def sums(p, d, weights=None):
    """(W, P, D, A) of probabilities p and decisions d."""
    w = [1.0] * len(p) if weights is None else weights
    return [
        sum(one) for one in ([*w], [u * x for u, x in zip(w, p)], [u * x for u, x in zip(w, d)], [u * x * y for u, x, y in zip(w, p, d)])
    ]


def divided(a, b):
    if b == 0:
        return nan if a == 0 else inf
    return a / b


def measures(w, p, d, a):
    """All measures by name."""
    se, sp = divided(a, p), divided(w - p - d + a, w - p)
    root = (p * (w - p) * d * (w - d)) ** 0.5
    return {
        "sensitivity": se,
        "specificity": sp,
        "ppv": divided(a, d),
        "npv": divided(w - p - d + a, w - d),
        "accuracy": (w - p - d + 2 * a) / w,
        "balanced_accuracy": (se + sp) / 2,
        "youden": se + sp - 1,
        "f1": divided(2 * a, p + d),
        "jaccard": divided(a, p + d - a),
        "mcc": nan if root == 0 else (a * w - p * d) / root,
        "lr_positive": divided(se, 1 - sp),
        "lr_negative": divided(1 - se, sp),
        "called": d / w,
    }


def at_prevalence(w, p, d, a, q):
    """Measures in a population with prevalence q: those of the table of sensitivity and specificity."""
    se, false = a / p, (d - a) / (w - p)
    return measures(1.0, q, q * se + (1 - q) * false, q * se)


def benefits(w, p, d, a, t):
    """Net benefit at threshold t, that of treating all, and what follows."""
    k = t / (1 - t)
    one, every = (a - k * (d - a)) / w, (p - k * (w - p)) / w
    return {
        "net_benefit": one,
        "treat_all": every,
        "over_all": one - every,
        "standardized": divided(one, p / w),
        "avoided": nan if t == 0 else 100 * (one - every) / k,
    }


def influence(p, d, name, of=measures, **more):
    """The derivative of a measure by the weight of each case."""
    found = []
    for i in range(len(p)):
        weights = [1.0 + (STEP * 1j if j == i else 0) for j in range(len(p))]
        found.append(of(*sums(p, d, weights), **more)[name].imag / STEP)
    return found


def over_truths(p, d, n, seed, of=measures, **more):
    """The measures of n drawn truths, by name: (n,) each."""
    rng, p, d = np.random.default_rng(seed), np.array(p), np.array(d, float)
    drawn = [of(len(p), t.sum(), d.sum(), (t * d).sum(), **more) for t in (rng.random((n, len(p))) < p) * 1.0]
    return {name: np.array([one[name] for one in drawn]) for name in drawn[0]}
