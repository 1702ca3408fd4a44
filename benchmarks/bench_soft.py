"""Soft AUROC and average precision beside numpy's sort and scikit-learn, and the bootstrap of annotations.

Run: python benchmarks/bench_soft.py
"""

from __future__ import annotations

import importlib.util
import subprocess
import sys

import numpy as np
from common import peak_mib, seconds

import ugt
from ugt._core import _soft

LAWS = {
    "uniform": lambda rng, n: rng.random(n),
    "normal": lambda rng, n: rng.normal(size=n),
    "two decimals": lambda rng, n: np.round(rng.random(n), 2),
    "half zeros": lambda rng, n: np.where(rng.random(n) < 0.5, 0.0, rng.random(n)),
    "sorted": lambda rng, n: np.arange(n) / n,
}


def best(function, *args, **options):
    """The least of three times."""
    return min(seconds(function, *args, **options)[0] for _ in range(3))


def metrics(n):
    """AUROC and AP of both kinds together, and the curves, beside numpy.argsort of the same scores."""
    for name, law in LAWS.items():
        rng = np.random.default_rng(0)
        scores, p = law(rng, n), rng.random(n)
        sort = best(np.argsort, scores)
        kernel = best(lambda: _soft.Scores(scores).sums(p, None, 0.5, False))  # noqa: B023
        both = best(lambda: ugt.soft_auroc(p, scores).value)  # noqa: B023
        roc, recall = best(ugt.soft_roc_curve, p, scores), best(ugt.soft_precision_recall_curve, p, scores)
        ratios = f"sums of all metrics {kernel / sort:.2f}, soft_auroc {both / sort:.2f}, curves {roc / sort:.2f} and {recall / sort:.2f}"
        print(f"{n:,} scores, {name}: numpy.argsort {sort:.3f} s; x that: {ratios}")


def memory(n):
    """Peak memory of one call, in a process of its own, beyond its input."""
    code = (
        "import numpy as np, ugt, resource; rng = np.random.default_rng(0)\n"
        f"p, s = rng.random({n}), rng.random({n}); peak = lambda: resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024\n"
        f"ugt.soft_auroc(p[:9], s[:9]); before = peak(); ugt.soft_auroc(p, s); print((peak() - before) / {n})"
    )
    done = subprocess.run([sys.executable, "-c", code], check=True, capture_output=True, text=True)
    print(f"memory of soft_auroc beyond its input: {float(done.stdout):.0f} bytes a case")


def against_scikit_learn(n):
    """Two calls on the doubled data give the variants "half" and "probability" where no scores are tied."""
    if importlib.util.find_spec("sklearn") is None:
        print("scikit-learn is not installed: skipped")
        return
    from sklearn.metrics import average_precision_score, roc_auc_score

    rng = np.random.default_rng(0)
    p, scores = rng.random(n), rng.random(n)
    ours, sums = seconds(lambda: _soft.Scores(scores).sums(p, None, 0.5, False))
    before = peak_mib()
    labels, weights, doubled = np.repeat([1, 0], n), np.concatenate([p, 1 - p]), np.concatenate([scores, scores])
    theirs = seconds(roc_auc_score, labels, doubled, sample_weight=weights)[0]
    theirs += seconds(average_precision_score, labels, doubled, sample_weight=weights)[0]
    ratio = f"{theirs / ours:.0f} x ({theirs:.1f} s, {peak_mib() - before:.0f} MiB more)"
    print(f"{n:,} scores: scikit-learn's two calls on doubled data take {ratio}; {len(sums)} sums in {ours:.2f} s")


def annotation_bootstrap():
    rng = np.random.default_rng(0)
    n, resamples = 5000, 1000
    share = rng.beta(0.7, 1.5, n)
    yes = rng.binomial(5, share)
    counts = np.stack([5 - yes, yes], 1)
    models = {f"model {m}": share + rng.normal(0, 0.2 + 0.02 * m, n) for m in range(4)}
    ugt.ranking_stability(counts, models, n_resamples=2)  # imports what it needs
    took, _ = seconds(ugt.ranking_stability, counts, models, n_resamples=resamples)
    print(f"{resamples:,} annotation bootstraps x 4 models x soft and hard AUROC and AP, n = {n:,}: {took:.2f} s")

    def by_hand(repeats):
        """What an analyst writes with numpy alone."""
        for _ in range(repeats):
            again = rng.binomial(5, yes / 5) / 5
            for scores in models.values():
                order = np.argsort(-scores)
                for p in (again[order], (again > 0.5)[order].astype(float)):
                    above = np.cumsum(p)
                    (above * (1 - p)).sum() / (p.sum() * (1 - p).sum())
                    (p * above / np.arange(1, n + 1)).sum() / p.sum()

    hand = seconds(by_hand, 50)[0] * resamples / 50
    print(f"    a numpy loop without ties and self terms: {hand / took:.1f} x as long")


def main():
    memory(10_000_000)
    metrics(1_000_000)
    metrics(10_000_000)
    against_scikit_learn(10_000_000)
    annotation_bootstrap()


if __name__ == "__main__":
    main()
