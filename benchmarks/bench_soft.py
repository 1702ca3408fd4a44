"""Soft AUROC and average precision beside numpy's sort and scikit-learn, and the bootstrap of annotations."""

from __future__ import annotations

import numpy as np
from common import Bench, Target, Work, grid, peer, stream
from data import Skip

import ugt
from ugt import states
from ugt._core import _soft

bench = Bench(__file__)
LAWS = {
    "uniform": lambda rng, n: rng.random(n),
    "normal": lambda rng, n: rng.normal(size=n),
    "two decimals": lambda rng, n: np.round(rng.random(n), 2),
    "half zeros": lambda rng, n: np.where(rng.random(n) < 0.5, 0.0, rng.random(n)),
    "sorted": lambda rng, n: np.arange(n) / n,
}
SMALL = {"n": 500}
SIZES = grid(n=(10_000, 100_000, 10_000_000), law=("uniform",)) + grid(n=(1_000_000,), law=LAWS)
MOST = {1_000_000: 1.5, 10_000_000: 0.9}


def data(n, law="uniform"):
    rng = np.random.default_rng(0)
    return LAWS[law](rng, n), rng.random(n)


def beside_sort(scores, p):
    return {"numpy.argsort": lambda: np.argsort(scores), "numpy.sum": stream(scores, p)}


@bench.job(
    SIZES,
    SMALL,
    [Target(f"3.{i}", "numpy.argsort", at_most=MOST[n], n=n, law="uniform") for i, n in (("1", 10_000_000), ("2", 1_000_000))],
)
def auroc_and_ap(n, law):
    """sums of AUROC and AP of both kinds, all at once"""
    scores, p = data(n, law)
    return Work(lambda: _soft.Scores(scores).sums(p, None, 0.5, False), beside_sort(scores, p))


@bench.job(SIZES, SMALL, [Target("3.5", "bytes a case", at_most=40, n=10_000_000, law="uniform")])
def soft_auroc(n, law):
    """soft_auroc"""
    scores, p = data(n, law)
    also = lambda measured, _: {"bytes a case": measured["MB"] * 1e6 / n}  # noqa: E731
    return Work(lambda: ugt.soft_auroc(p, scores).value, beside_sort(scores, p), also=also)


@bench.job(SIZES, SMALL, [Target("3.3", "numpy.argsort", at_most=1.3, n=10_000_000, law="uniform")])
def soft_roc_curve(n, law):
    """soft_roc_curve"""
    scores, p = data(n, law)
    return Work(lambda: ugt.soft.soft_roc_curve(p, scores), beside_sort(scores, p))


@bench.job(SIZES, SMALL, [Target("3.3", "numpy.argsort", at_most=1.3, n=10_000_000, law="uniform")])
def soft_precision_recall_curve(n, law):
    """soft_precision_recall_curve"""
    scores, p = data(n, law)
    return Work(lambda: ugt.soft.soft_precision_recall_curve(p, scores), beside_sort(scores, p))


@bench.job(grid(n=(1_000_000, 10_000_000)), SMALL, [Target("3.4", "scikit-learn", at_least=15, n=10_000_000)])
def against_scikit_learn(n):
    """the sums, beside scikit-learn's two calls on doubled data"""
    if peer("sklearn") is None:
        raise Skip("scikit-learn is not installed")
    from sklearn.metrics import average_precision_score, roc_auc_score

    scores, p = data(n)

    def theirs():
        labels, weights, doubled = np.repeat([1, 0], n), np.concatenate([p, 1 - p]), np.concatenate([scores, scores])
        return [metric(labels, doubled, sample_weight=weights) for metric in (roc_auc_score, average_precision_score)]

    return Work(lambda: _soft.Scores(scores).sums(p, None, 0.5, False), {"scikit-learn": theirs})


@bench.job(grid(n=(20_000,), annotators=(4, 12)), {"n": 200, "annotators": 3})
def two_way_in_parts(n, annotators):
    """the interval over cases and annotators of soft AUROC in bins, by two rounds, beside that of the record"""
    rng = np.random.default_rng(0)
    truth, skill = rng.integers(0, 2, (n, 1)), np.linspace(0.6, 0.9, annotators)
    labels = ugt.Labels.from_wide(np.where(rng.random((n, annotators)) < skill, truth, 1 - truth), classes=2)
    scores, random = truth[:, 0] / 3 + rng.random(n), ("cases", "annotators")
    ours = lambda: states.compute("soft_auroc", parts=[(labels, scores)], edges=1000, random=random).two_way()  # noqa: E731
    return Work(ours, {"record": lambda: ugt.soft_auroc(labels, scores).two_way()})


@bench.job(
    grid(n=(5000,), resamples=(100, 1000)) + grid(n=(500, 50_000), resamples=(100,)),
    {"n": 50, "resamples": 2},
    [Target("3.6", "s", at_most=1.5, n=5000, resamples=1000)],
)
def annotation_bootstrap(n, resamples):
    """annotation bootstraps x 4 models x soft and hard AUROC and AP, beside a numpy loop without ties and self terms"""
    rng = np.random.default_rng(0)
    share = rng.beta(0.7, 1.5, n)
    yes = rng.binomial(5, share)
    counts = np.stack([5 - yes, yes], 1)
    models = {f"model {m}": share + rng.normal(0, 0.2 + 0.02 * m, n) for m in range(4)}

    def by_hand():
        """One resample as an analyst writes it."""
        again = rng.binomial(5, yes / 5) / 5
        for scores in models.values():
            order = np.argsort(-scores)
            for p in (again[order], (again > 0.5)[order].astype(float)):
                above = np.cumsum(p)
                (above * (1 - p)).sum() / (p.sum() * (1 - p).sum())
                (p * above / np.arange(1, n + 1)).sum() / p.sum()

    labels = ugt.Labels.from_counts(counts)
    return Work(lambda: ugt.soft.ranking_stability(labels, models, n_resamples=resamples), {"numpy loop": (by_hand, resamples)})


@bench.job(grid(n=(100_000,), models=(10,)), {"n": 500, "models": 3})
def hard_against_soft(n, models):
    """hard_against_soft, beside soft_auroc and soft_average_precision of every model"""
    p = data(n)[1]
    scores = {f"model {m}": np.random.default_rng(m).random(n) for m in range(models)}
    each = lambda: [metric(p, one) for one in scores.values() for metric in (ugt.soft_auroc, ugt.soft_average_precision)]  # noqa: E731
    return Work(lambda: ugt.soft.hard_against_soft(p, scores), {"one by one": each})


@bench.job(grid(n=(20_000,), annotators=(20,)), {"n": 200, "annotators": 3})
def by_annotators(n, annotators):
    """soft_auroc by every annotator, beside each annotator's labels alone"""
    scores, p = data(n)
    wide = (np.random.default_rng(1).random((n, annotators)) < p[:, None]).astype(int)
    whole = ugt.soft_auroc(ugt.Labels.from_wide(wide, classes=2), scores)
    alone = lambda: [ugt.soft_auroc(column.astype(float), scores) for column in wide.T]  # noqa: E731
    return Work(lambda: ugt.resampling.by_annotators(whole), {"one by one": alone})


if __name__ == "__main__":
    bench.main()
