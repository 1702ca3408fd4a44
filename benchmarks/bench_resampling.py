"""Case bootstraps of the UA accuracies of ten models, beside a numpy loop of resampled rows; intervals over annotators."""

from __future__ import annotations

import numpy as np
from common import Bench, Target, Work, grid, on_threads

import ugt
from ugt.resampling.panels import Panels

bench = Bench(__file__)
KINDS = ("cases", "1 % undefined", "patients of five", "four sites")
SMALL, BOTH = {"n": 100, "resamples": 10}, ("cases", "annotators")


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


DIFFERENCES = {
    "UA accuracies": lambda labels, scores: ugt.ua_topk_accuracy(ugt.dirichlet(labels), np.stack([-scores, scores], axis=1)),
    "AUROCs": ugt.soft_auroc,
}


@bench.job(
    [{"n": n, "annotators": r, "of": of} for n, r in ((1000, 20), (10_000, 5)) for of in DIFFERENCES],
    {"n": 50},
)
def over_annotators(n, annotators, of):
    """interval over cases and annotators of the difference of two models, with its panels drawn, beside that over cases"""
    rng = np.random.default_rng(0)
    truth, skill = rng.integers(0, 2, n), rng.beta(6, 2, annotators)
    table = np.where(rng.random((n, annotators)) < skill, truth[:, None], rng.integers(0, 2, (n, annotators)))
    labels = ugt.Labels.from_wide(table, classes=2, annotators=[f"a{j}" for j in range(annotators)])
    one, two = (DIFFERENCES[of](labels, truth - 0.5 + rng.normal(size=n)) for _ in range(2))
    found = one.minus(two)
    found.interval(kind="analytic")  # what both keep
    return Work(lambda: (Panels(labels, None), found.interval(random=BOTH)), {"over cases": lambda: found.interval(kind="analytic")})


if __name__ == "__main__":
    bench.main()
