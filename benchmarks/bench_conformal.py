"""Monte Carlo conformal prediction with 419 classes: fit and sets, all p-values, beside numpy by hand."""

from __future__ import annotations

import numpy as np
from common import Bench, Target, Work, grid

import ugt

bench = Bench(__file__)
N, K, M = 10_000, 419, 100
SCORES = ("aps", "raps", "lac")
SMALL = {"n": 60, "m": 2}


def data(n, seed):
    """Probabilities of a model, and plausibilities that are near them."""
    rng = np.random.default_rng(seed)
    p = rng.gamma(0.05, size=(n, K)) + 1e-12
    truth = rng.gamma(10 * p / p.sum(1, keepdims=True) + 1e-4) + 1e-300
    return p / p.sum(1, keepdims=True), truth / truth.sum(1, keepdims=True)


def by_hand(p, truth, new, m, alpha=0.1):
    """What an analyst writes with numpy alone: LAC, without p-values and without ties."""
    rng = np.random.default_rng(0)
    labels = np.array([np.searchsorted(row, rng.random(m) * row[-1]) for row in truth.cumsum(1)])
    scores = 1 - np.take_along_axis(p, labels, 1).ravel()
    rank = max(1, int(np.floor(alpha * m * (len(p) + 1))) - m + 1)
    return 1 - new <= np.sort(scores)[-rank]


@bench.job(
    grid(n=(N,), m=(M,), correction=("none", "ecdf"), score=SCORES)
    + grid(n=(1000,), m=(M,), correction=("ecdf",), score=("aps",))
    + grid(n=(N,), m=(1, 10), correction=("ecdf",), score=("aps",)),
    SMALL,
    [Target("6.5", "s", at_most=2, n=N, m=M, score=score) for score in SCORES]
    + [Target("6.6", "MB", at_most=100, n=N, m=M, score=score) for score in SCORES],
)
def fit_and_sets(n, m, correction, score):
    """fit on n cases and prediction sets of n others, m labels a case, beside LAC by hand in numpy"""
    (p, truth), (new, _) = data(n, 0), data(n, 1)
    conformal = lambda: ugt.conformal.MonteCarloConformal(score, 0.1, m=m, correction=correction)  # noqa: E731
    also = lambda _, sets: {"mean size": float(sets.mean_size)}  # noqa: E731
    return Work(lambda: conformal().fit(p, truth).predict_sets(new), {"by hand": lambda: by_hand(p, truth, new, m)}, also=also)


@bench.job(grid(n=(N,), m=(M,), correction=("none", "ecdf"), score=SCORES), SMALL)
def p_values(n, m, correction, score):
    """p-values of all classes"""
    found = ugt.conformal.MonteCarloConformal(score, 0.1, m=m, correction=correction).fit(*data(n, 0))
    new = data(n, 1)[0]
    return Work(lambda: found.p_values(new), {"numpy.argsort": lambda: np.argsort(new, axis=1)})


if __name__ == "__main__":
    bench.main()
