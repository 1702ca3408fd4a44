"""Agreement coefficients beside the package `krippendorff`, statsmodels and the definition in Python; bootstraps; matrices of pairs.

Run: python benchmarks/bench_agreement.py
"""

from __future__ import annotations

import importlib.util

import numpy as np
from common import peak_mib, seconds

import ugt

LEVELS = ("nominal", "ordinal", "interval", "ratio")


def best(function, *args, **options):
    """The least of three times."""
    return min(seconds(function, *args, **options)[0] for _ in range(3))


def sparse(n_cases, n_annotators, n_classes, per_case, seed=0):
    """Labels of some ``per_case`` annotators a case, and the dense table (N, A) with NaN."""
    rng = np.random.default_rng(seed)
    truth = rng.integers(0, n_classes, n_cases)
    shown = rng.random((n_cases, n_annotators)) < per_case / n_annotators
    case, annotator = np.nonzero(shown)
    label = np.where(rng.random(len(case)) < 0.7, truth[case], rng.integers(0, n_classes, len(case)))
    table = np.full(shown.shape, np.nan)
    table[case, annotator] = label
    labels = ugt.Labels.from_long(case, annotator, label, classes=n_classes, cases=np.arange(n_cases))
    return labels, table


def krippendorff_alpha(n_cases, n_annotators, n_classes, per_case):
    labels, table = sparse(n_cases, n_annotators, n_classes, per_case)
    size = f"{n_annotators} annotators x {n_cases:,} cases, {1 - per_case / n_annotators:.0%} missing, K = {n_classes}"
    for level in LEVELS:
        ours, with_reading = best(ugt.krippendorff_alpha, labels, level), best(ugt.krippendorff_alpha, table, level)
        line = f"alpha {level}, {size}: {ours:.3f} s from Labels, {with_reading:.3f} s from the dense table"
        if importlib.util.find_spec("krippendorff") is not None:
            import krippendorff

            theirs, value = seconds(krippendorff.alpha, reliability_data=table.T, level_of_measurement=level)
            assert abs(value - ugt.krippendorff_alpha(labels, level).value) < 1e-9
            line += f"; krippendorff {theirs:.2f} s: {theirs / ours:.0f} x and {theirs / with_reading:.0f} x"
        print(line)


def by_definition(rows):
    """Pairs of labels in plain Python: percent agreement."""
    total = 0.0
    for row in rows:
        pairs = [a == b for i, a in enumerate(row) for b in row[:i]]
        total += sum(pairs) / len(pairs)
    return total / len(rows)


def coefficients(n_cases):
    labels, _ = sparse(n_cases, 20, 5, 5)
    for function in (ugt.percent_agreement, ugt.fleiss_kappa, ugt.gwet_ac1):
        print(f"{function.__name__}, 5 labels x {n_cases:,} cases: {best(function, labels):.3f} s")
    rows = [labels.label[a:b].tolist() for a, b in zip(labels.offsets[:-1], labels.offsets[1:]) if b - a > 1]
    slow = best(by_definition, rows)
    print(f"    percent agreement by pairs in Python: {slow / best(ugt.percent_agreement, labels):.0f} x as long")
    print(f"linear weights: {best(ugt.fleiss_kappa, labels, weights='linear'):.3f} s")
    for function in (ugt.fleiss_kappa, ugt.krippendorff_alpha):
        found = function(labels)
        print(f"    {function.__name__}, 1,000 cluster bootstraps: {seconds(found.interval, clusters=np.arange(n_cases) // 3)[0]:.2f} s")
    found = ugt.krippendorff_alpha(labels, "ordinal")
    print(f"    ordinal alpha, 1,000 bootstraps: {seconds(found.interval)[0]:.2f} s; BCa {seconds(found.interval, kind='bca')[0]:.2f} s")


def many_classes():
    before = peak_mib()
    labels, _ = sparse(100_000, 30, 419, 4)
    print(f"419 classes x 100,000 cases: nominal alpha {best(ugt.krippendorff_alpha, labels):.3f} s,", end=" ")
    print(f"linear kappa {best(ugt.fleiss_kappa, labels, weights='linear'):.2f} s,", end=" ")
    print(f"1,000 bootstraps of kappa {seconds(ugt.fleiss_kappa(labels).interval)[0]:.2f} s, {peak_mib() - before:.0f} MiB in all")


def pairs():
    for n_annotators, n_cases, per_case in ((20, 100_000, 5), (1000, 100_000, 5)):
        labels, _ = sparse(n_cases, n_annotators, 5, per_case)
        took = best(ugt.pairwise_agreement, labels)
        print(f"Cohen's kappa of all pairs of {n_annotators} annotators, {per_case} labels x {n_cases:,} cases: {took:.2f} s")


def correlations():
    rng = np.random.default_rng(0)
    ratings = ugt.Ratings.from_wide(rng.normal(size=(20_000, 1)) + rng.normal(size=(20_000, 5)))
    for kind in ("1", "A,1"):
        found = ugt.intraclass_correlation(ratings, kind)
        took = best(ugt.intraclass_correlation, ratings, kind)
        print(f"ICC({kind}), 5 x 20,000 ratings: {took:.3f} s; 1,000 bootstraps {seconds(found.interval)[0]:.2f} s")
    print(f"ordinal alpha of the same: {best(ugt.krippendorff_alpha, ratings, 'ordinal'):.3f} s")


def main():
    krippendorff_alpha(100_000, 100, 5, 5)
    coefficients(20_000)
    many_classes()
    pairs()
    correlations()


if __name__ == "__main__":
    main()
