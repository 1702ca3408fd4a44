"""Agreement coefficients beside the package `krippendorff` and the definition in Python; bootstraps; matrices of pairs."""

from __future__ import annotations

import common
import numpy as np
from common import Bench, Target, Work, grid, peer, stream
from data import Skip

import ugt

bench = Bench(__file__)
LEVELS = ("nominal", "ordinal", "interval", "ratio")
SMALL = {"n": 40}
SPARSE = {"n": 100_000, "annotators": 100, "k": 5, "per_case": 5}


def sparse(n, annotators, k, per_case, dense=True):
    """Labels of some ``per_case`` annotators a case, and the dense table (N, A) with NaN."""
    rng = np.random.default_rng(0)
    truth = rng.integers(0, k, n)
    shown = rng.random((n, annotators)) < per_case / annotators
    case, annotator = np.nonzero(shown)
    label = np.where(rng.random(len(case)) < 0.7, truth[case], rng.integers(0, k, len(case)))
    labels = ugt.Labels.from_long(case, annotator, label, classes=k, cases=np.arange(n))
    if not dense:
        return labels, None
    table = np.full(shown.shape, np.nan)
    table[case, annotator] = label
    return labels, table


@bench.job(
    [{**SPARSE, "level": level, "given": given} for level in LEVELS for given in ("Labels", "table")],
    SMALL,
    [Target("5.5", "krippendorff", at_least=5, **SPARSE, level="nominal", given=given) for given in ("Labels", "table")],
)
def against_krippendorff(n, annotators, k, per_case, level, given):
    """Krippendorff's alpha, 95 % missing, beside the package krippendorff"""
    theirs = peer("krippendorff")
    if theirs is None:
        raise Skip("krippendorff is not installed")
    labels, table = sparse(n, annotators, k, per_case)
    data = labels if given == "Labels" else table
    ask = lambda: theirs.alpha(reliability_data=table.T, level_of_measurement=level)  # noqa: E731
    if abs(ask() - ugt.krippendorff_alpha(labels, level).value) > 1e-9:
        raise RuntimeError("the two alphas differ")
    return Work(lambda: ugt.krippendorff_alpha(data, level), {"krippendorff": ask})


@bench.job(
    [{**SPARSE, "level": level} for level in LEVELS]
    + [
        {**SPARSE, **other, "level": "nominal"}
        for other in ({"n": 1000}, {"n": 10_000}, {"annotators": 20}, {"annotators": 1000}, {"k": 419})
    ],
    SMALL,
)
def krippendorff_alpha(n, annotators, k, per_case, level):
    """Krippendorff's alpha from Labels"""
    labels, _ = sparse(n, annotators, k, per_case, dense=False)
    return Work(lambda: ugt.krippendorff_alpha(labels, level), {"numpy.sum": stream(labels.label, labels.annotator)})


@bench.job(
    grid(n=(100,), peer=("krippendorff",), given=("table", "Labels")) + grid(n=(100,), peer=("statsmodels",), given=("counts", "Labels")),
    {},
    [Target("19.1", name, at_least=1, peer=name, given=given) for name, given in (("krippendorff", "table"), ("statsmodels", "counts"))],
)
def few_cases(n, peer, given):
    """nominal alpha and Fleiss' kappa of a hundred cases x 5 annotators, from what the peer is given and from Labels"""
    if common.peer(peer) is None:
        raise Skip(f"{peer} is not installed")
    rng = np.random.default_rng(0)
    table = np.where(rng.random((n, 5)) < 0.7, rng.integers(0, 5, (n, 1)), rng.integers(0, 5, (n, 5)))
    counts = (table[:, :, None] == np.arange(5)).sum(axis=1)
    if peer == "krippendorff":
        from krippendorff import alpha

        read, ours = lambda: ugt.Labels.from_wide(table), ugt.krippendorff_alpha
        ask = lambda: alpha(reliability_data=table.T, level_of_measurement="nominal")  # noqa: E731
    else:
        from statsmodels.stats.inter_rater import fleiss_kappa

        read, ours, ask = lambda: ugt.Labels.from_counts(counts), ugt.fleiss_kappa, lambda: fleiss_kappa(counts)
    labels = read()
    if abs(ask() - ours(labels).value) > 1e-9:
        raise RuntimeError("the two values differ")
    return Work((lambda: ours(labels)) if given == "Labels" else (lambda: ours(read())), {peer: ask})


@bench.job(
    [{"n": 20_000, "annotators": 12, "k": k} for k in (3, 5, 10)],
    {"n": 200},
    [Target("5.6", "s", at_most=0.05, n=20_000, annotators=12, k=k) for k in (3, 5, 10)],
)
def over_annotators(n, annotators, k):
    """Interval of alpha over cases and annotators"""
    labels, _ = sparse(n, annotators, k, annotators, dense=False)
    found = ugt.krippendorff_alpha(labels)
    found.interval(kind="analytic")  # what both keep
    return Work(lambda: found.interval(random=("cases", "annotators")), {"over cases": lambda: found.interval(kind="analytic")})


def by_definition(rows):
    """Pairs of labels in plain Python: percent agreement."""
    total = 0.0
    for row in rows:
        pairs = [a == b for i, a in enumerate(row) for b in row[:i]]
        total += sum(pairs) / len(pairs)
    return total / len(rows)


COEFFICIENTS = {
    "percent": ugt.agreement.percent_agreement,
    "Fleiss": ugt.fleiss_kappa,
    "AC1": ugt.agreement.gwet_ac1,
    "Fleiss, linear": lambda labels: ugt.fleiss_kappa(labels, weights="linear"),
}


@bench.job(grid(n=(20_000,), k=(5,), which=COEFFICIENTS) + grid(n=(100_000,), k=(419,), which=("Fleiss, linear",)), SMALL)
def coefficients(n, k, which):
    """coefficients of 20 annotators, 5 labels a case, beside percent agreement by pairs in Python"""
    labels, _ = sparse(n, 20, k, 5, dense=False)
    rows = [labels.label[a:b].tolist() for a, b in zip(labels.offsets[:-1], labels.offsets[1:]) if b - a > 1]
    return Work(lambda: COEFFICIENTS[which](labels), {"pairs in Python": lambda: by_definition(rows)})


BOOTSTRAPS = {
    "Fleiss, clusters": lambda labels: ugt.fleiss_kappa(labels).interval(clusters=np.arange(len(labels)) // 3),
    "alpha, clusters": lambda labels: ugt.krippendorff_alpha(labels).interval(clusters=np.arange(len(labels)) // 3),
    "ordinal alpha": lambda labels: ugt.krippendorff_alpha(labels, "ordinal").interval(),
    "ordinal alpha, BCa": lambda labels: ugt.krippendorff_alpha(labels, "ordinal").interval(kind="bca"),
    "Fleiss": lambda labels: ugt.fleiss_kappa(labels).interval(),
}


@bench.job(grid(n=(20_000,), k=(5,), which=BOOTSTRAPS) + grid(n=(100_000,), k=(419,), which=("Fleiss",)), SMALL)
def bootstraps(n, k, which):
    """a coefficient with its interval of 1,000 bootstraps"""
    labels, _ = sparse(n, 20, k, 5, dense=False)
    return Work(lambda: BOOTSTRAPS[which](labels))


@bench.job(grid(annotators=(20, 200, 1000), n=(100_000,)), SMALL)
def pairs(annotators, n):
    """Cohen's kappa of all pairs of annotators, 5 labels a case"""
    labels, _ = sparse(n, annotators, 5, 5, dense=False)
    return Work(lambda: ugt.agreement.pairwise_agreement(labels), {"numpy.sum": stream(labels.label, labels.annotator)})


CORRELATIONS = {
    "ICC(1)": lambda ratings: ugt.agreement.intraclass_correlation(ratings, "1"),
    "ICC(A,1)": lambda ratings: ugt.agreement.intraclass_correlation(ratings, "A,1"),
    "ICC(A,1), interval": lambda ratings: ugt.agreement.intraclass_correlation(ratings, "A,1").interval(),
    "ordinal alpha": lambda ratings: ugt.krippendorff_alpha(ratings, "ordinal"),
}


@bench.job(grid(n=(20_000,), which=CORRELATIONS), SMALL)
def correlations(n, which):
    """coefficients of 5 ratings a case (intervals: 1,000 bootstraps)"""
    rng = np.random.default_rng(0)
    table = rng.normal(size=(n, 1)) + rng.normal(size=(n, 5))
    ratings = ugt.Ratings.from_wide(table)
    return Work(lambda: CORRELATIONS[which](ratings), {"numpy.sum": stream(table)})


@bench.job([{"n": 10_000}, {"n": 100_000}], SMALL)
def case_counts(n):
    """annotators of each case and classes that they name, beside numpy.unique of pairs"""
    labels, table = sparse(n, 100, 5, 5)
    case, annotator = np.nonzero(~np.isnan(table))
    label = table[case, annotator].astype(np.int64)
    both = lambda: [np.unique(np.stack([case, one], axis=1), axis=0) for one in (annotator, label)]  # noqa: E731
    return Work(lambda: ugt.agreement.case_counts(labels), {"numpy.unique": both})


if __name__ == "__main__":
    bench.main()
