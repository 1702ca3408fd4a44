"""Exact evaluation of four stand-in models on the dermatology data at five reliabilities, beside 1,000 numpy draws of one metric.

``labels``: the whole of ``evaluate`` for two models of made labels, with all details and 1,000 resamples, on two threads.
"""

from __future__ import annotations

import numpy as np
from common import Bench, Target, Work, grid
from data import dermatology

import ugt
from ugt import synthetic

bench = Bench(__file__)
RELIABILITY = (10, 20, 30, 50, 100)


def half_panel(nested, seed):
    """Inverse-rank aggregate of a random half of each case's annotators (the first one where the half is empty)."""
    rng = np.random.default_rng(seed)
    half = [[ranking for ranking in case if rng.random() < 0.5] or [case[0]] for case in nested]
    return ugt.irn(ugt.Rankings.from_blocks(half, n_classes=419)).mean()


def given(cases, n_models=4):
    nested = dermatology(cases)
    models = {f"half panel {seed}": half_panel(nested, seed) for seed in range(n_models)}
    return ugt.Rankings.from_blocks(nested, n_classes=419), models


def exact(rankings, models, reliabilities):
    """The certainties and metrics of the target, every one exact, with spreads."""
    found = []
    for reliability in reliabilities:
        post = ugt.prirn(rankings, reliability=reliability)
        found += [ugt.annotation_certainty(post, k=k) for k in (1, 2, 3)]
        for scores in models.values():
            found += [ugt.ua_topk_accuracy(post, scores, k) for k in (1, 3)]
            found += [ugt.metrics.ua_set_accuracy(post, scores, k) for k in (2, 3)]
            found += [ugt.ua_average_overlap(post, scores, 3)]
    return found


@bench.job(
    grid(cases=(500, 1947), reliabilities=(1, 5)),
    {"cases": 20},
    [Target("1.1", "s", at_most=3, cases=1947, reliabilities=5), Target("1.1", "MB", at_most=150, cases=1947, reliabilities=5)],
)
def numbers(cases, reliabilities):
    """23 exact numbers with spreads for each reliability, four models, beside one of them by 1,000 numpy draws"""
    rankings, models = given(cases)
    concentration, rng = 10 * ugt.irn(rankings).mean(), np.random.default_rng(0)
    best, part = models["half panel 0"].argmax(1), min(cases, 100)

    def sampled():
        """One metric of one model at one reliability by numpy's gammas, case by case."""
        laws = concentration[:part]
        return np.mean([(rng.standard_gamma(np.repeat(law[None], 1000, 0)).argmax(1) == one).mean() for law, one in zip(laws, best)])

    return Work(lambda: exact(rankings, models, RELIABILITY[:reliabilities]), {"one by draws": (sampled, cases / part)})


@bench.job(grid(cases=(1947,), models=(1, 4)), {"cases": 20})
def evaluate(cases, models):
    """evaluate() at five reliabilities, with draw and case intervals"""
    rankings, scores = given(cases, models)
    also = lambda _, evaluation: {"rows": len(evaluation.metrics)}  # noqa: E731
    return Work(lambda: ugt.evaluate(rankings, scores, k=(1, 2, 3), reliability=RELIABILITY), also=also)


@bench.job(
    grid(n=(10_000, 100_000, 1_000_000), given=("counts", "named annotators")),
    {"n": 300},
    [Target("19.4", "s", at_most=most, n=n, given="counts") for n, most in ((10_000, 0.7), (100_000, 4), (1_000_000, 45))]
    + [Target("19.5", "MB", at_most=1500, n=1_000_000, given="counts")],
)
def labels(n, given):
    """evaluate() of two models with all details on two threads: five labels a case, five classes"""
    known, truth = synthetic.make_counts(n, 5, 5, difficulty=0.2) if given == "counts" else synthetic.make_labels(n, 5, 5)
    rng, models = np.random.default_rng(0), {}
    for noise in (0.5, 1.0):
        scores = (truth + 0.01) * np.exp(noise * rng.standard_normal(truth.shape))
        models[f"noise {noise}"] = scores / scores.sum(axis=1, keepdims=True)
    return Work(lambda: ugt.evaluate(known, models, n_threads=2))


if __name__ == "__main__":
    bench.main()
