"""Exact certainty of cases with label counts, beside Monte Carlo draws of a part of them."""

from __future__ import annotations

import numpy as np
from common import Bench, Target, Work, grid, on_threads, peer, stream
from data import Skip

import ugt

bench = Bench(__file__)


def counts(n_cases, n_labels, n_classes):
    """Mostly clear cases, some ambiguous; each with its own plausibilities."""
    rng = np.random.default_rng(0)
    concentration = np.where(rng.random((n_cases, 1)) < 0.7, 0.05, 0.5) * np.ones(n_classes)
    plausibility = rng.standard_gamma(concentration) + 1e-12
    return rng.multinomial(n_labels, plausibility / plausibility.sum(1, keepdims=True))


def by_draws(post, n_draws=1000):
    """What an analyst would write: numpy's gammas, the best class of each draw, the most frequent one."""
    rng = np.random.default_rng(0)
    best = rng.standard_gamma(post[:, None, :], size=(len(post), n_draws, post.shape[1])).argmax(2)
    return np.stack([(best == k).mean(1) for k in range(post.shape[1])], 1).max(1)


@bench.job(
    grid(n=(10_000, 100_000, 1_000_000), labels=(5, 50), k=(10,)) + grid(n=(100_000,), labels=(5,), k=(2, 100)),
    {"n": 100},
    [Target("1.2", "s", at_most=30, n=1_000_000, k=10, labels=labels) for labels in (5, 50)],
)
def top1(n, labels, k):
    """exact top-1 certainty of label counts, beside 1,000 numpy draws a case"""
    table = counts(n, labels, k)
    given, part = ugt.Labels.from_counts(table), min(n, 10_000 // k)

    def also(_, found):
        return {"mean error of 1,000 draws": float(np.abs(by_draws(table[:part] + 0.1) - found.per_case[:part]).mean())}

    yardsticks = {"1,000 draws": (lambda: by_draws(table[:part] + 0.1), n / part), "numpy.sum": stream(table)}
    return Work(lambda: ugt.annotation_certainty(ugt.dirichlet(given, prior=0.1)), yardsticks, also=also)


@bench.job(grid(order=(1, 2, 3, 5)) + grid(order=(3,), threads=(1, 2)), {"n": 100})
def orders(order, threads=1, n=100_000):
    """exact top-k certainty of 100,000 cases with 10 classes and 50 labels"""
    labels = ugt.Labels.from_counts(counts(n, 50, 10))
    return Work(on_threads(threads, lambda: ugt.annotation_certainty(ugt.dirichlet(labels, prior=0.1), k=order)))


@bench.job(grid(draws=(10, 100, 1000)), {"n": 20})
def draws(draws, n=2000):
    """Dirichlet draws of 2,000 cases with 10 classes, beside numpy's"""
    table, rng = counts(n, 5, 10), np.random.default_rng(0)
    post, law = ugt.dirichlet(ugt.Labels.from_counts(table), prior=0.1), (table + 0.1)[:, None, :]
    return Work(lambda: post.draws(draws), {"numpy's gammas": lambda: rng.standard_gamma(law, size=(n, draws, 10))})


METRICS = {
    "top 2 in top 3": lambda post, scores: ugt.ua_topk_accuracy(post, scores, 3, j=2),
    "overlap of given sets": lambda post, scores: ugt.metrics.ua_overlap(post, scores > 0.7),
    "groups": lambda post, scores: ugt.metrics.ua_group_accuracy(post, scores, np.arange(10) % 3),
    "given a group": lambda post, scores: ugt.metrics.ua_group_accuracy(post, scores, np.arange(10) % 3, given=1),
    "weighted Kendall": lambda post, scores: ugt.papers.ua_weighted_kendall_distance(post, scores, 3),
    "nDCG": lambda post, scores: ugt.papers.ua_ndcg(post, scores, 3),
}


@bench.job(grid(metric=tuple(METRICS)), {"n": 100})
def metrics(metric, n=10_000):
    """a metric of a model in 10,000 cases with 10 classes and 5 labels, beside 1,000 numpy draws of the best class alone"""
    table, part = counts(n, 5, 10), min(n, 1000)
    post, scores = ugt.dirichlet(ugt.Labels.from_counts(table), prior=0.1), np.random.default_rng(1).random((n, 10))
    return Work(lambda: METRICS[metric](post.take(np.arange(n)), scores), {"1,000 draws": (lambda: by_draws(table[:part] + 0.1), n / part)})


@bench.job(grid(n=(100, 100_000), k=(10,)), {"n": 100}, [Target("19.2", "scikit-learn", at_least=1, n=100_000, k=10)])
def top3_accuracy(n, k):
    """top-3 accuracy against one label per case, beside scikit-learn's"""
    if peer("sklearn") is None:
        raise Skip("scikit-learn is not installed")
    from sklearn.metrics import top_k_accuracy_score

    rng = np.random.default_rng(0)
    scores, label = rng.random((n, k)), rng.integers(0, k, n)
    truth = ugt.votes(ugt.Labels.from_wide(label[:, None], classes=k))
    ask = lambda: top_k_accuracy_score(label, scores, k=3, labels=np.arange(k))  # noqa: E731
    if abs(ask() - ugt.ua_topk_accuracy(truth, scores, 3).value) > 1e-9:
        raise RuntimeError("the two accuracies differ")
    return Work(lambda: ugt.ua_topk_accuracy(truth, scores, 3), {"scikit-learn": ask})


@bench.job(grid(n=(10_000, 1_000_000)), {"n": 100})
def correlation(n):
    """correlation over cases of two numbers of each, beside numpy's"""
    rng = np.random.default_rng(0)
    x = rng.random(n)
    y = x + rng.random(n)
    return Work(lambda: ugt.truth.case_correlation(x, y), {"numpy.corrcoef": lambda: np.corrcoef(x, y), "numpy.sum": stream(x)})


if __name__ == "__main__":
    bench.main()
