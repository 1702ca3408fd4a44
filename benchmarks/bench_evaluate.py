"""Exact evaluation of four stand-in models on the dermatology data at five reliabilities, beside 1,000 numpy draws of one metric.

Run: python benchmarks/bench_evaluate.py
"""

from __future__ import annotations

import numpy as np
from common import dermatology, peak_mib, seconds

import ugt

RELIABILITY = (10, 20, 30, 50, 100)


def half_panel(nested, seed):
    """Inverse-rank aggregate of a random half of each case's annotators (the first one where the half is empty)."""
    rng = np.random.default_rng(seed)
    half = [[ranking for ranking in case if rng.random() < 0.5] or [case[0]] for case in nested]
    return ugt.irn(ugt.Rankings.from_blocks(half, n_classes=419)).mean()


def exact(rankings, models):
    """The certainties and metrics of the target, every one exact, with spreads."""
    found = []
    for reliability in RELIABILITY:
        post = ugt.prirn(rankings, reliability=reliability)
        found += [ugt.annotation_certainty(post, k=k) for k in (1, 2, 3)]
        for scores in models:
            found += [ugt.ua_topk_accuracy(post, scores, k) for k in (1, 3)]
            found += [ugt.ua_set_accuracy(post, scores, k) for k in (2, 3)]
            found += [ugt.ua_average_overlap(post, scores, 3)]
    return found


def sampled_top1(rankings, scores, n_draws=1000):
    """One metric of one model at one reliability by numpy's gammas, in blocks of cases."""
    rng = np.random.default_rng(0)
    concentration = 10 * ugt.irn(rankings).mean()
    best = scores.argmax(1)
    return np.mean(
        [
            (rng.standard_gamma(np.repeat(concentration[i : i + 1], n_draws, 0)).argmax(1) == best[i]).mean()
            for i in range(len(concentration))
        ]
    )


def main():
    nested = dermatology()
    if nested is None:
        print("skipped: the dermatology data is not here (set UGT_DATA)")
        return
    rankings = ugt.Rankings.from_blocks(nested, n_classes=419)
    models = [half_panel(nested, seed) for seed in range(4)]
    before = peak_mib()
    took, _ = seconds(exact, rankings, models)
    print(f"115 exact numbers with spreads: {took:.2f} s on one core, {peak_mib() - before:.0f} MiB more")
    named = {f"half panel {i}": scores for i, scores in enumerate(models)}
    whole, evaluation = seconds(ugt.evaluate, rankings, named, k=(1, 2, 3), reliability=RELIABILITY)
    print(f"evaluate(), {len(evaluation.metrics)} rows with draw and case intervals: {whole:.2f} s, {peak_mib() - before:.0f} MiB more")
    slow, _ = seconds(sampled_top1, rankings, models[0])
    print(f"one of them by 1,000 numpy draws: {slow:.2f} s, {slow / took:.1f} x as long as all 115")


if __name__ == "__main__":
    main()
