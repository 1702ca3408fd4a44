"""Calibrators beside numpy.exp of the same array, slow twins that call scipy's L-BFGS, and netcal where it is installed.

Run: python benchmarks/bench_calibrators.py
"""

from __future__ import annotations

import importlib.util

import numpy as np
import scipy.optimize
from common import seconds
from scipy.special import digamma, gammaln

import ugt

LBFGS = {"method": "L-BFGS-B", "jac": True, "options": {"gtol": 1e-8, "ftol": 0, "maxiter": 1000}}


def softmax(u):
    e = np.exp(u - u.max(axis=1, keepdims=True))
    return e / e.sum(axis=1, keepdims=True)


def data(n, k, n_labels, temperature=1.7):
    """Logits that are too large, and labels."""
    rng = np.random.default_rng(0)
    logits = 2 * rng.normal(size=(n, k))
    edges = np.cumsum(softmax(logits / temperature), axis=1)[:, None, :-1]
    label = (rng.random((n, n_labels, 1)) > edges).sum(axis=2)
    return logits, np.stack([(label == c).sum(axis=1) for c in range(k)], axis=1)


def loss(u, counts):
    """Mean negative log-likelihood of a label, and its gradient by logits."""
    top = u.max(axis=1, keepdims=True)
    e = np.exp(u - top)
    total = e.sum(axis=1, keepdims=True)
    n = counts.sum()
    value = (counts * (np.log(total) + top - u)).sum() / n
    return value, (e / total * counts.sum(axis=1, keepdims=True) - counts) / n


def report(name, took, found, target, twin=None):
    fit = f"gradient {found.gradient_norm_:.0e} after {found.n_iter_} iterations, converged {found.converged_}"
    said = "" if twin is None else f"; L-BFGS in numpy {twin[0]:.2f} s = {twin[0] / took:.1f} x, its loss higher by {twin[1]:.1e}"
    print(f"{name}: {took:.2f} s{'' if target is None else f' (target {target} s)'}, {fit}{said}")


def temperature(n, k):
    logits, counts = data(n, k, 3)
    exp = min(seconds(np.exp, logits)[0] for _ in range(3))
    ugt.TemperatureScaling().fit(logits[:100], counts[:100])
    took, found = seconds(ugt.TemperatureScaling().fit, logits, counts)

    def objective(beta):
        value, gradient = loss(beta[0] * logits, counts)
        return value, np.array([(gradient * logits).sum()])

    slow, least = seconds(scipy.optimize.minimize, objective, [1.0], **LBFGS)
    report(f"temperature, N = {n:,}, K = {k}", took, found, 2, (slow, least.fun - found.loss_))
    single = seconds(ugt.TemperatureScaling().fit, logits.astype(np.float32), counts)[0]
    transform = seconds(found.transform, logits)[0]
    print(f"    {took / exp:.0f} x numpy.exp of the logits ({exp:.3f} s); float32 {single:.2f} s; transform {transform:.2f} s")
    if importlib.util.find_spec("netcal") is None:
        print("    netcal is not installed: skipped")
        return
    from netcal.scaling import TemperatureScaling

    theirs = seconds(TemperatureScaling().fit, softmax(logits), counts.argmax(axis=1))[0]
    print(f"    netcal, one label a case: {theirs:.2f} s = {theirs / took:.1f} x")


def matrix(n, k):
    logits, counts = data(n, k, 5)
    took, found = seconds(ugt.MatrixScaling().fit, logits, counts)
    off = 10 / (k * (k - 1)) * (1 - np.eye(k))

    def objective(theta):
        w, b = theta[: k * k].reshape(k, k), theta[k * k :]
        value, gradient = loss(logits @ w.T + b, counts)
        penalty = (off * w**2).sum() + (b**2).sum() / k
        return value + penalty, np.concatenate([(gradient.T @ logits + 2 * off * w).ravel(), gradient.sum(axis=0) + 2 * b / k])

    start = np.concatenate([np.eye(k).ravel(), np.zeros(k)])
    slow, least = seconds(scipy.optimize.minimize, objective, start, **LBFGS)
    own = objective(np.concatenate([found.matrix_.ravel(), found.shift_]))[0]
    report(f"matrix, N = {n:,}, K = {k}", took, found, 10, (slow, least.fun - own))
    report(f"vector, N = {n:,}, K = {k}", *seconds(ugt.VectorScaling().fit, logits, counts), None)
    took, found = seconds(ugt.MatrixScaling(penalty_w=(0.1, 1, 10), penalty_b=(0.1, 1, 10)).fit, logits, counts)
    report(f"matrix, the best of 3 x 3 penalties on 20 % of the cases, N = {n:,}, K = {k}", took, found, None)


def alpha(n, m, k, n_labels):
    rng = np.random.default_rng(0)
    probs, features = rng.dirichlet(np.ones(k), n), rng.normal(size=(n, m))
    log_total = 0.5 + features @ (0.1 * rng.normal(size=m))
    shape = rng.gamma(np.exp(log_total)[:, None] * probs) + 1e-300
    edges = np.cumsum(shape / shape.sum(axis=1, keepdims=True), axis=1)[:, None, :-1]
    label = (rng.random((n, n_labels, 1)) > edges).sum(axis=2)
    counts = np.stack([(label == c).sum(axis=1) for c in range(k)], axis=1)
    took, found = seconds(ugt.AlphaCalibration().fit, probs, counts, features=features)

    def objective(theta):
        s = theta[0] + features @ theta[1:]
        total = np.exp(s)[:, None]
        a = total * probs
        value = gammaln(total + n_labels).sum() - gammaln(total).sum() - (gammaln(a + counts) - gammaln(a)).sum()
        by_s = total[:, 0] * (digamma(total + n_labels) - digamma(total))[:, 0] - (a * (digamma(a + counts) - digamma(a))).sum(axis=1)
        by_s += 2 * 0.005 * s
        return (value + 0.005 * (s**2).sum()) / n, np.append(by_s.sum(), by_s @ features) / n

    slow, least = seconds(scipy.optimize.minimize, objective, np.zeros(m + 1), **LBFGS)
    own = objective(np.append(found.intercept_, found.weights_))[0]
    report(f"alpha, N = {n:,}, {m} features, K = {k}, {n_labels} labels a case", took, found, 5, (slow, least.fun - own))


def main():
    temperature(1_000_000, 10)
    matrix(50_000, 22)
    alpha(50_000, 128, 3, 5)
    alpha(50_000, 128, 22, 6)


if __name__ == "__main__":
    main()
