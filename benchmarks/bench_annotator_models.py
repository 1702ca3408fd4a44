"""Annotator models: an iteration of expectation-maximisation beside a count of the labels, memory with many classes, draws.

Run: python benchmarks/bench_annotator_models.py
"""

from __future__ import annotations

import warnings

import numpy as np
from common import peak_mib, seconds

import ugt
from ugt._annotators import em
from ugt._annotators.records import Given

PROMISED = {"wide": 30.0, "many classes": 20.0, "glad": 30.0}  # ms


def generated(n_cases, per_case, n_annotators, n_classes, neighbours=None, seed=0):
    """Labels that are right in 7 of 10 cases; wrong ones anywhere, or among the next few classes."""
    rng = np.random.default_rng(seed)
    truth, n = rng.integers(0, n_classes, n_cases), n_cases * per_case
    case, annotator = np.repeat(np.arange(n_cases), per_case), rng.integers(0, n_annotators, n)
    away = rng.integers(1, n_classes, n) if neighbours is None else rng.integers(1, neighbours + 1, n)
    label = (truth[case] + np.where(rng.random(n) < 0.7, 0, away)) % n_classes
    return ugt.Labels.from_long(case, annotator, label, classes=n_classes)


def counted(labels):
    """Seconds of one numpy.bincount over the labels."""
    return min(seconds(np.bincount, labels.label, minlength=labels.n_classes)[0] for _ in range(7))


def iteration(fit, n=12):
    """Seconds of the fastest of some iterations."""

    def step():
        fit.value()
        fit.improve()

    return min(seconds(step)[0] for _ in range(n))


def told(name, labels, took, promised=None):
    count = counted(labels)
    promise = f" (promised {promised:.0f} ms)" if promised else ""
    print(
        f"{name}: {1e3 * took:.1f} ms an iteration{promise}, {took / count:.0f} x a numpy.bincount over its labels ({1e3 * count:.2f} ms)"
    )


def full(name, labels, promised, prior=(0.0, 0.0, 0.0)):
    before = peak_mib()
    took, given = seconds(Given, labels)
    built, shape = seconds(em.Confusions, given, em.EITHER)
    fit = em.FullFit(shape, prior, given.start(0, 0))
    told(name, labels, iteration(fit), promised)
    kind = "all classes" if shape.all else "sparse"
    print(f"    {shape.n_cells:,} cells ({kind}), {shape.n_candidates:,} candidates; built in {1e3 * (took + built):.0f} ms")
    print(f"    {peak_mib() - before:.0f} MiB more than before")


def whole(name, function, labels, **options):
    before = peak_mib()
    took, found = seconds(function, labels, **options)
    rounds = f", {int(found.n_iterations.sum())} iterations" if hasattr(found, "n_iterations") else ""
    print(f"{name}, from labels to record: {took:.2f} s{rounds}; {peak_mib() - before:.0f} MiB more")


def main():
    warnings.simplefilter("ignore", RuntimeWarning)
    many = generated(16_000, 6, 200, 419, neighbours=5)  # first: its peak memory is its own
    full("Dawid-Skene, 96,000 labels, 200 annotators, K = 419", many, PROMISED["many classes"])
    whole("    the same", ugt.dawid_skene, many, n_restarts=0)
    scattered = generated(16_000, 6, 200, 419)
    full("Dawid-Skene, the same with errors anywhere", scattered, PROMISED["many classes"])
    whole("one-coin, K = 419", ugt.dawid_skene, many, model="one-coin", prior=1, n_restarts=0)
    wide = generated(200_000, 5, 1000, 10)
    full("Dawid-Skene, 1,000,000 labels, 1,000 annotators, K = 10", wide, PROMISED["wide"])
    whole("    the same", ugt.dawid_skene, wide, n_restarts=0)
    told("one-coin, 1,000,000 labels", wide, iteration(em.CoinFit(Given(wide), (1.0, 1.0, 1.0), Given(wide).start(0, 0))))
    some = generated(10_000, 5, 200, 4)
    ones = np.ones(200)
    glad = em.GladFit(Given(some), (1.0, 1.0, 1.0, 1.0), np.full(4, 0.25), ones)
    told("GLAD, 50,000 labels", some, iteration(glad), PROMISED["glad"])
    whole("    the same", ugt.glad, some)
    whole("posterior draws, 50,000 labels, 200 draws in 4 chains after 50 sweeps", ugt.dawid_skene_draws, some, n_draws=200, n_warmup=50)


if __name__ == "__main__":
    main()
