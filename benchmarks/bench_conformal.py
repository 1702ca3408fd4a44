"""Monte Carlo conformal prediction: 10,000 cases x 419 classes, 100 labels a case.

Run: python benchmarks/bench_conformal.py
"""

from __future__ import annotations

import tracemalloc

import numpy as np
from common import seconds

import ugt

N, K, M = 10_000, 419, 100


def data(seed):
    """Probabilities of a model, and plausibilities that are near them."""
    rng = np.random.default_rng(seed)
    p = rng.gamma(0.05, size=(N, K)) + 1e-12
    truth = rng.gamma(10 * p / p.sum(1, keepdims=True) + 1e-4) + 1e-300
    return p / p.sum(1, keepdims=True), truth / truth.sum(1, keepdims=True)


def by_hand(p, truth, new, alpha=0.1):
    """What an analyst writes with numpy alone: LAC, without p-values and without ties."""
    rng = np.random.default_rng(0)
    cumulative = truth.cumsum(1)
    labels = np.array([np.searchsorted(row, rng.random(M) * row[-1]) for row in cumulative])
    scores = 1 - np.take_along_axis(p, labels, 1).ravel()
    rank = int(np.floor(alpha * M * (len(p) + 1))) - M + 1
    return 1 - new <= np.sort(scores)[-rank]


def memory(score, correction, p, truth, new):
    """MiB that a fit and its sets allocate at the most, beyond the arrays that are given."""
    tracemalloc.start()
    ugt.MonteCarloConformal(score, 0.1, m=M, correction=correction).fit(p, truth).predict_sets(new)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    return peak / 2**20


def main():
    (p, truth), (new, _) = data(0), data(1)
    ugt.MonteCarloConformal(m=2).fit(p[:99], truth[:99]).predict_sets(p[:9])  # imports what it needs
    print(f"{N:,} calibration and {N:,} new cases x {K} classes, m = {M}; memory beyond the arrays that are given")
    for correction in ("none", "ecdf"):
        for score in ("aps", "raps", "lac"):
            fit, found = seconds(ugt.MonteCarloConformal(score, 0.1, m=M, correction=correction).fit, p, truth)
            predict, sets = seconds(found.predict_sets, new)
            p_values, _ = seconds(found.p_values, new)
            print(
                f"{score}, correction {correction}: fit {fit:.2f} s + sets {predict:.2f} s = {fit + predict:.2f} s, "
                f"{memory(score, correction, p, truth, new):.0f} MiB at the peak; all p-values {p_values:.2f} s "
                f"({N * K * 8 / 2**20:.0f} MiB); mean size {sets.mean_size:.1f}"
            )
    hand, mask = seconds(by_hand, p, truth, new)
    print(f"numpy by hand, LAC: {hand:.2f} s; mean size {mask.sum(1).mean():.1f}")


if __name__ == "__main__":
    main()
