"""Calibrators beside numpy.exp of the same array, slow twins that call scipy's L-BFGS, and netcal where it is installed."""

from __future__ import annotations

import numpy as np
import scipy.optimize
from common import Bench, Target, Work, grid, peer
from scipy.special import digamma, gammaln

import ugt

bench = Bench(__file__)
SMALL = {"n": 300}


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


def least(objective, start):
    """What an analyst calls."""
    options = {"gtol": 1e-8, "ftol": 0, "maxiter": 1000}
    return lambda: scipy.optimize.minimize(objective, start, method="L-BFGS-B", jac=True, options=options)


def fitted(_, found):
    return {"gradient": found.gradient_norm_, "iterations": int(found.n_iter_), "converged": float(found.converged_)}


@bench.job(
    grid(n=(10_000, 100_000, 1_000_000), k=(10,), dtype=("float64",))
    + grid(n=(1_000_000,), k=(10,), dtype=("float32",))
    + grid(n=(100_000,), k=(2, 100), dtype=("float64",)),
    SMALL,
    [Target("4.4", "s", at_most=2, n=1_000_000, dtype="float64")],
)
def temperature(n, k, dtype):
    """temperature scaling, 3 labels a case"""
    logits, counts = data(n, k, 3)

    def objective(beta):
        value, gradient = loss(beta[0] * logits, counts)
        return value, np.array([(gradient * logits).sum()])

    yardsticks = {"numpy.exp": lambda: np.exp(logits), "L-BFGS in numpy": least(objective, [1.0])}
    if peer("netcal") is not None and n > 1000:
        from netcal.scaling import TemperatureScaling

        probs, label = softmax(logits), counts.argmax(axis=1)
        yardsticks["netcal"] = lambda: TemperatureScaling().fit(probs, label)
    typed = logits.astype(dtype)
    return Work(lambda: ugt.calibration.TemperatureScaling().fit(typed, counts), yardsticks, also=fitted)


@bench.job(grid(n=(1_000_000,), k=(10,)), SMALL)
def transform(n, k):
    """temperature scaling applied"""
    logits, counts = data(n, k, 3)
    found = ugt.calibration.TemperatureScaling().fit(logits[:10_000], counts[:10_000])
    return Work(lambda: found.transform(logits), {"numpy.exp": lambda: np.exp(logits)})


@bench.job(grid(n=(5000, 50_000), k=(22,)) + grid(n=(50_000,), k=(5,)), SMALL, [Target("4.5", "s", at_most=10, n=50_000, k=22)])
def matrix(n, k):
    """matrix scaling, 5 labels a case"""
    logits, counts = data(n, k, 5)
    off = 10 / (k * (k - 1)) * (1 - np.eye(k))

    def objective(theta):
        w, b = theta[: k * k].reshape(k, k), theta[k * k :]
        value, gradient = loss(logits @ w.T + b, counts)
        penalty = (off * w**2).sum() + (b**2).sum() / k
        return value + penalty, np.concatenate([(gradient.T @ logits + 2 * off * w).ravel(), gradient.sum(axis=0) + 2 * b / k])

    start = np.concatenate([np.eye(k).ravel(), np.zeros(k)])
    return Work(lambda: ugt.calibration.MatrixScaling().fit(logits, counts), {"L-BFGS in numpy": least(objective, start)}, also=fitted)


KINDS = {
    "vector": ugt.calibration.VectorScaling(),
    "matrix, best of 9 penalties": ugt.calibration.MatrixScaling(penalty_w=(0.1, 1, 10), penalty_b=(0.1, 1, 10)),
}


@bench.job(grid(n=(50_000,), k=(22,), kind=KINDS), SMALL)
def others(n, k, kind):
    """vector scaling; matrix scaling with the best of 3 x 3 penalties on 20 % of the cases"""
    logits, counts = data(n, k, 5)
    return Work(lambda: KINDS[kind].fit(logits, counts), {"numpy.exp": lambda: np.exp(logits)}, also=fitted)


@bench.job(
    grid(n=(50_000,), features=(128,), k=(3, 22)) + grid(n=(50_000,), features=(8, 32), k=(3,)) + grid(n=(5000,), features=(128,), k=(3,)),
    {"n": 600, "features": 4},
    [Target("4.6", "s", at_most=5, n=50_000, features=128, k=k) for k in (3, 22)],
)
def alpha(n, features, k):
    """alpha calibration from features, 5 labels a case (6 where K = 22)"""
    n_labels = 6 if k == 22 else 5
    rng = np.random.default_rng(0)
    probs, given = rng.dirichlet(np.ones(k), n), rng.normal(size=(n, features))
    log_total = 0.5 + given @ (0.1 * rng.normal(size=features))
    shape = rng.gamma(np.exp(log_total)[:, None] * probs) + 1e-300
    edges = np.cumsum(shape / shape.sum(axis=1, keepdims=True), axis=1)[:, None, :-1]
    label = (rng.random((n, n_labels, 1)) > edges).sum(axis=2)
    counts = np.stack([(label == c).sum(axis=1) for c in range(k)], axis=1)

    def objective(theta):
        s = theta[0] + given @ theta[1:]
        total = np.exp(s)[:, None]
        a = total * probs
        value = gammaln(total + n_labels).sum() - gammaln(total).sum() - (gammaln(a + counts) - gammaln(a)).sum()
        by_s = total[:, 0] * (digamma(total + n_labels) - digamma(total))[:, 0] - (a * (digamma(a + counts) - digamma(a))).sum(axis=1)
        by_s += 2 * 0.005 * s
        return (value + 0.005 * (s**2).sum()) / n, np.append(by_s.sum(), by_s @ given) / n

    fit = lambda: ugt.calibration.AlphaCalibration().fit(probs, counts, features=given)  # noqa: E731
    return Work(fit, {"L-BFGS in numpy": least(objective, np.zeros(features + 1))}, also=fitted)


if __name__ == "__main__":
    bench.main()
