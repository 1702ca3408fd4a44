"""Slow twins of the calibrators and of Dirichlet-multinomial likelihoods [B sec. 5, appendix D], by sums over labels.

Everything is retyped from the paper in plain Python: one term for each label of each case. ``mp`` functions take mpmath and are exact to
its precision.
"""

import math

import numpy as np


def labels_of(row):
    """The classes of the labels of a case, one after the other."""
    return [k for k, y in enumerate(row) for _ in range(int(y))]


def softmax(u):
    """[B] eq. 46."""
    top = max(u)
    e = [math.exp(x - top) for x in u]
    return [x / sum(e) for x in e]


def log_softmax(u):
    top = max(u)
    return [x - top - math.log(sum(math.exp(x - top) for x in u)) for x in u]


def linear(u, w, b):
    """[B] eq. 45: u = W u' + b."""
    return [sum(w[k][j] * u[j] for j in range(len(u))) + b[k] for k in range(len(u))]


def vector_map(v, b):
    """W = diag(v)."""
    return [[v[k] if k == j else 0.0 for j in range(len(v))] for k in range(len(v))], list(b)


def temperature_map(t, k):
    """v = 1 / t, b = 0."""
    return vector_map([1 / t] * k, [0.0] * k)


def platt_map(a, b):
    """Class 1 of two has the logit a (u_1 - u_0) + b against class 0."""
    return [[0.0, 0.0], [-a, a]], [0.0, b]


def loss(counts, logits, w, b, weights=None):
    """[B] eq. 53: mean of -log z over labels; ``weights`` say how often each case counts."""
    total = labels = 0.0
    for i, row in enumerate(counts):
        logs = log_softmax(linear(logits[i], w, b))
        weight = 1.0 if weights is None else weights[i]
        for k in labels_of(row):
            total -= weight * logs[k]
            labels += weight
    return total / labels


def penalty_l2(b, lam_b):
    """[B] eq. 47."""
    return lam_b / len(b) * sum(x * x for x in b)


def penalty_odir(w, b, lam_w, lam_b):
    """[B] eq. 48."""
    k = len(b)
    off = sum(w[i][j] ** 2 for i in range(k) for j in range(k) if i != j)
    return lam_w / (k * (k - 1)) * off + penalty_l2(b, lam_b)


# ---- Dirichlet-multinomial likelihoods
def log_dirichlet_multinomial(row, alpha):
    """Of labels in an order: the j-th further label of class k has probability (α_k + j) / (α_0 + labels before)."""
    alpha_0, seen, total = math.fsum(alpha), [0] * len(row), []
    for before, k in enumerate(labels_of(row)):
        total.append(math.log((alpha[k] + seen[k]) / (alpha_0 + before)))
        seen[k] += 1
    return math.fsum(total)


def log_coefficient(row):
    """n! / Π y_k!."""
    return math.lgamma(sum(row) + 1) - sum(math.lgamma(y + 1) for y in row)


def mp_kernel(mp, row, shares, log_total):
    """Log-likelihood with means ``shares`` and concentration e^log_total, and its two derivatives by log_total."""
    a = mp.exp(log_total)

    def rising(x, y):
        """log Γ(x + y) / Γ(x) and its derivatives by log x."""
        first = x * (mp.digamma(x + y) - mp.digamma(x))
        second = first + x * x * (mp.psi(1, x + y) - mp.psi(1, x))
        return [mp.loggamma(x + y) - mp.loggamma(x), first, second]

    parts = [rising(a * z, int(y)) for z, y in zip(shares, row) if y]
    return [mp.fsum(part[d] for part in parts) - rising(a, int(sum(row)))[d] for d in range(3)]


def alpha_objective(counts, probs, log_alpha_0, lam, weights=None):
    """[B] appendix D.2: mean over cases of -log DirMult(y | α_0 z) + λ (log α_0)², with the coefficient."""
    total = share = 0.0
    for i, row in enumerate(counts):
        alpha = [math.exp(log_alpha_0[i]) * z for z in probs[i]]
        weight = 1.0 if weights is None else weights[i]
        likelihood = log_dirichlet_multinomial(row, alpha) + log_coefficient(row)
        total += weight * (lam * log_alpha_0[i] ** 2 - likelihood)
        share += weight
    return total / share


def problem(kind, n=60, seed=0):
    """Predictions of the kind that a calibrator takes, and counts."""
    rng = np.random.default_rng(seed)
    logits = 1.5 * rng.normal(size=(n, 2 if kind.__name__ == "PlattScaling" else 3))
    z = np.exp(logits / 1.6)
    z /= z.sum(axis=1, keepdims=True)
    counts = np.array([rng.multinomial(3, p) for p in z])
    return (z if kind.__name__ == "AlphaCalibration" else logits), counts
