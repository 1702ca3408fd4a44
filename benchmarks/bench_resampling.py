"""Ten thousand case bootstraps of the UA accuracies of ten models on 100,000 cases, beside a numpy loop of resampled rows.

Run: python benchmarks/bench_resampling.py [resamples] [threads]
"""

from __future__ import annotations

import sys

import numpy as np
from common import peak_mib, seconds

import ugt

FULL = 10_000


def by_rows(values, n_resamples):
    """What an analyst would write: draw rows, take them, average."""
    rng, n = np.random.default_rng(0), len(values)
    return np.stack([values[rng.integers(0, n, n)].mean(0) for _ in range(n_resamples)])


def line(what, took, n, reference):
    print(f"{what}: {took * FULL / n:7.2f} s for {FULL:,} resamples, {reference * n / took:6.1f} x as fast as numpy's loop")


def main(n_resamples, n_threads, n_cases=100_000, n_models=10):
    rng = np.random.default_rng(0)
    accuracy = rng.beta(0.8, 0.4, (n_cases, n_models))
    some = np.where(rng.random(accuracy.shape) < 0.01, np.nan, accuracy)
    patients = np.repeat(np.arange(n_cases // 5), 5)
    sites = rng.integers(0, 4, n_cases // 5)[patients]
    few = max(10, n_resamples // 50)
    reference = seconds(by_rows, accuracy, few)[0] / few
    print(f"{n_cases:,} cases, {n_models} models; numpy's loop: {reference * FULL:.0f} s ({few} of {FULL:,} timed)")
    before = peak_mib()
    kinds = (
        ("cases", accuracy, {}),
        ("cases, 1 % undefined in each column", some, {}),
        ("patients of five cases", accuracy, {"clusters": patients}),
        ("cases within four sites", accuracy, {"strata": sites}),
    )
    for threads in sorted({1, n_threads}):
        for what, values, options in kinds:
            with ugt.threads(threads):
                took, found = seconds(ugt.bootstrap, values, n_resamples=n_resamples, **options)
            line(f"{threads} threads, {what:36}", took, n_resamples, reference)
    took, _ = seconds(lambda: (found.interval(kind="bca"), found.minus(0).interval(), found.rank_interval()))
    print(f"intervals, differences, ranks of {n_resamples:,} resamples: {took:.3f} s; {peak_mib() - before:.0f} MiB more than before")
    labels = ugt.resampling.resampled_counts
    counts = rng.multinomial(5, [0.3, 0.7], 5000)
    took, _ = seconds(lambda: [labels(counts, 0, b, b + 1) for b in range(1000)])
    slow, _ = seconds(lambda: [np.random.default_rng(b).multinomial(5, [0.3, 0.7], 5000) for b in range(100)])
    print(f"5 annotations of 5,000 cases, 1,000 times anew: {took:.2f} s; numpy's multinomial draws: {10 * slow:.2f} s")


if __name__ == "__main__":
    main(int(sys.argv[1]) if len(sys.argv) > 1 else 1000, int(sys.argv[2]) if len(sys.argv) > 2 else 2)
