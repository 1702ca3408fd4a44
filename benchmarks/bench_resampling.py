"""Case bootstraps of the UA accuracies of ten models, beside a numpy loop of resampled rows."""

from __future__ import annotations

import numpy as np
from common import Bench, Target, Work, grid, on_threads

import ugt

bench = Bench(__file__)
KINDS = ("cases", "1 % undefined", "patients of five", "four sites")
SMALL = {"n": 100, "resamples": 10}


def values(n, models, kind="cases"):
    """Accuracies of cases, and how they hang together."""
    rng = np.random.default_rng(0)
    accuracy = rng.beta(0.8, 0.4, (n, models))
    if kind == "1 % undefined":
        accuracy[rng.random(accuracy.shape) < 0.01] = np.nan
    patients = np.repeat(np.arange(-(-n // 5)), 5)[:n]
    options = {"patients of five": {"clusters": patients}, "four sites": {"strata": rng.integers(0, 4, len(patients) // 5 + 1)[patients]}}
    return accuracy, options.get(kind, {})


@bench.job(
    grid(n=(100_000,), models=(10,), resamples=(1000,), kind=KINDS, threads=(1, 2))
    + grid(n=(1000, 10_000, 1_000_000), models=(10,), resamples=(100,), kind=KINDS[:1], threads=(1,))
    + grid(n=(100_000,), models=(1,), resamples=(100,), kind=KINDS[:1], threads=(1,))
    + grid(n=(100_000,), models=(10,), resamples=(10_000,), kind=KINDS[:1], threads=(2,)),
    SMALL,
    [Target("3.7", "s", at_most=10, n=100_000, resamples=10_000, threads=2)],
)
def bootstrap(n, models, resamples, kind, threads):
    """bootstraps of a UA accuracy for several models, beside numpy's loop over resampled rows"""
    table, options = values(n, models, kind)
    rng = np.random.default_rng(0)
    loop = lambda: table[rng.integers(0, n, n)].mean(0)  # noqa: E731
    return Work(on_threads(threads, lambda: ugt.bootstrap(table, n_resamples=resamples, **options)), {"numpy loop": (loop, resamples)})


@bench.job(grid(resamples=(1000, 10_000)), {"n": 100, "resamples": 50})
def intervals(resamples, n=10_000):
    """BCa intervals, differences and ranks of ten models from their resamples"""
    found = ugt.bootstrap(values(n, 10)[0], n_resamples=resamples)
    return Work(lambda: (found.interval(kind="bca"), found.minus(0).interval(), found.rank_interval()))


@bench.job(grid(n=(5000, 50_000)), {"n": 50})
def annotations_anew(n):
    """five annotations of each case drawn anew, beside numpy's multinomial draws"""
    rng = np.random.default_rng(0)
    counts = rng.multinomial(5, [0.3, 0.7], n)
    numpys = lambda: rng.multinomial(5, [0.3, 0.7], n)  # noqa: E731
    return Work(lambda: ugt.resampling.resampled_counts(counts, 0, 0, 1), {"numpy's multinomial": numpys})


if __name__ == "__main__":
    bench.main()
