"""Exact certainty of a million cases with label counts of ten classes, beside 1,000 Monte Carlo draws of a part of them.

Run: python benchmarks/bench_certainty.py [cases]
"""

from __future__ import annotations

import sys

import numpy as np
from common import peak_mib, seconds

import ugt


def counts(n_cases, n_labels):
    """Mostly clear cases, some ambiguous; each with its own plausibilities."""
    rng = np.random.default_rng(0)
    concentration = np.where(rng.random((n_cases, 1)) < 0.7, 0.05, 0.5) * np.ones(10)
    plausibility = rng.standard_gamma(concentration) + 1e-12
    return rng.multinomial(n_labels, plausibility / plausibility.sum(1, keepdims=True))


def by_draws(post, n_cases, n_draws):
    """What an analyst would write: numpy's gammas, the best class of each draw, the most frequent one."""
    rng = np.random.default_rng(0)
    best = rng.standard_gamma(post[:n_cases, None, :], size=(n_cases, n_draws, 10)).argmax(2)
    return np.stack([(best == k).mean(1) for k in range(10)], 1).max(1)


def main(n_cases):
    for n_labels in (5, 50):
        table = counts(n_cases, n_labels)
        labels = ugt.Labels.from_counts(table)
        before = peak_mib()
        took, found = seconds(lambda labels=labels: ugt.annotation_certainty(ugt.dirichlet(labels, prior=0.1)))
        part = min(n_cases, 2000)
        slow, sampled = seconds(by_draws, table + 0.1, part, 1000)
        error = np.abs(sampled - found.per_case[:part]).mean()
        print(
            f"{n_cases:,} cases, {n_labels} labels each: {took:.2f} s, {peak_mib() - before:.0f} MiB; mean certainty {found.value:.6f}; "
            f"1,000 numpy draws a case: {slow / part * n_cases / took:.0f} x as long, mean error {error:.4f}"
        )


if __name__ == "__main__":
    main(int(sys.argv[1]) if len(sys.argv) > 1 else 1_000_000)
