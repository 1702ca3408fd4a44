"""The calibration-dispersion map against the table of calibration; predicted disagreement against pairs of labels, one at a time."""

from itertools import combinations
from math import ceil, isclose, sqrt
from statistics import NormalDist

import numpy as np
import pytest
from twins import details
from twins import resampling as twin

import ugt
from ugt.tables import calibration, dispersion
from ugt.tables import context as _context

N_BINS = 15


def data(n=60, k=3, seed=0, models=2):
    rng = np.random.default_rng(seed)
    truth = rng.dirichlet(np.ones(k), n)
    counts = np.stack([rng.multinomial(size, p) for size, p in zip(rng.integers(0, 5, n), truth)])
    return counts, details.models(truth, k, rng, models, share=0.6)


def found(*given, **options):
    """The bins, and the map, which is made beside the table of calibration; what is said of the bins."""
    tables, notes = details.made(dispersion, *given, **options)
    return {"calibration_map": details.made(calibration, *given, **options)[0]["calibration_map"], **tables}, notes


@pytest.mark.parametrize("clusters", [None, [i // 2 for i in range(60)]])
@pytest.mark.parametrize("interval", ["percentile", "bca"])
def test_the_map_has_the_roots_of_the_table_of_calibration(clusters, interval):
    counts, scores = data()
    tables, notes = details.made(calibration, counts, scores, clusters=clusters, interval=interval)
    assert notes == [] and [row["model"] for row in tables["calibration_map"]] == ["M0", "M1"]
    for row in tables["calibration_map"]:
        for name in ("ce", "de"):
            (other,) = (r for r in tables["calibration"] if (r["model"], r["loss"], r["class"]) == (row["model"], name, None))
            assert (row[name], row[f"{name}_low"], row[f"{name}_high"]) == (other["debiased"], other["low"], other["high"])


def test_the_map_by_hand():
    # Both cases of a bin have mean share and prediction 0.75 and 0.25; shares differ by 1/2, labels from a share by chance.
    tables, _ = found([[8, 0], [4, 4], [8, 0], [4, 4]], {"A": [[0.75, 0.25]] * 4})
    (row,) = tables["calibration_map"]
    assert row["ce"] is None  # plug-in 0, its bias above 0
    epistemic = 2 * 0.25**2 - 2 * (0.25 / 7) / 2
    bias = 2 * (4 * 0.0625 / 4 / 3)  # of the calibration loss: variance among four cases, over three
    assert row["de"] == pytest.approx(sqrt(epistemic + bias))


def pairs_that_differ(counts):
    labels = [k for k, count in enumerate(counts) for _ in range(count)]
    pairs = list(combinations(labels, 2))
    return sum(a != b for a, b in pairs) / len(pairs) if pairs else None


def bins_of(counts, probs):
    """Cases of each bin: predicted and observed disagreement."""
    cases = {}
    for i, (row, p) in enumerate(zip(counts, probs)):
        observed = pairs_that_differ(row)
        if observed is not None:
            predicted = 1 - sum(x * x for x in p)
            b = max(j for j in range(N_BINS) if j / N_BINS <= predicted or j == 0)
            cases.setdefault(b, []).append((predicted, observed, i))
    return dict(sorted(cases.items()))


@pytest.mark.parametrize("k", [2, 3, 7])
def test_bins_are_those_of_pairs_of_labels(k):
    counts, scores = data(k=k, seed=k)
    tables, _ = found(counts, scores)
    for model, table in scores.items():
        rows = [row for row in tables["disagreement_bins"] if row["model"] == model]
        expected = bins_of(counts.tolist(), table.tolist())
        assert len(rows) == len(expected)
        for row, (b, cases) in zip(rows, expected.items()):
            numbers = (
                b / N_BINS,
                (b + 1) / N_BINS,
                len(cases),
                sum(p for p, _, _ in cases) / len(cases),
                sum(o for _, o, _ in cases) / len(cases),
            )
            names = ("bin_low", "bin_high", "n_cases", "mean_predicted", "observed")
            assert [row[name] for name in names] == pytest.approx(numbers, abs=1e-12)


def wilson(p, n, z):
    middle, half = (p + z * z / (2 * n)) / (1 + z * z / n), z / (1 + z * z / n) * sqrt(p * (1 - p) / n + z * z / (4 * n * n))
    return (0.0 if p == 0 else max(middle - half, 0)), (1.0 if p == 1 else min(middle + half, 1))


def test_intervals_are_score_intervals_of_as_many_pairs_as_vary_alike():
    counts, scores = data(80, seed=4)
    tables, _ = found(counts, scores, level=0.8)
    several = [row for row in counts.tolist() if sum(row) > 1]
    per_case = max(1.0, sum(map(sum, several)) / 2 / len(several))
    for model, table in scores.items():
        rows = [row for row in tables["disagreement_bins"] if row["model"] == model]
        for row, cases in zip(rows, bins_of(counts.tolist(), table.tolist()).values()):
            observed = [o for _, o, _ in cases]
            size, mean = len(observed), sum(observed) / len(observed)
            squares = sum((o - mean) ** 2 for o in observed)
            n = mean * (1 - mean) * size * (size - 1) / squares if size > 1 and squares > 1e-12 else size
            ends = wilson(mean, min(max(n, size), size * per_case), NormalDist().inv_cdf(0.9))
            assert (row["low"], row["high"]) == pytest.approx(ends, abs=1e-9)


def test_intervals_over_clusters_are_of_resamples_one_at_a_time():
    n, n_resamples = 24, 30
    counts, scores = data(n, seed=2, models=1)
    clusters = np.array([i // 4 for i in range(n)])
    tables, _ = found(counts, scores, clusters=clusters.tolist(), n_resamples=n_resamples, seed=7, level=0.8, interval="percentile")
    kept = [i for i in range(n) if counts[i].sum() > 1]
    drawn = [dict(zip(kept, twin.case_weights(7, b, clusters[kept].tolist(), None))) for b in range(n_resamples)]
    for row, cases in zip(tables["disagreement_bins"], bins_of(counts.tolist(), scores["M0"].tolist()).values()):
        if len({i // 4 for _, _, i in cases}) < 2:  # one cluster does not show how others would differ
            assert row["low"] is None and row["high"] is None
            continue
        sizes = [sum(weights[i] for _, _, i in cases) for weights in drawn]
        means = sorted(sum(weights[i] * o for _, o, i in cases) / size for weights, size in zip(drawn, sizes) if size)
        for end, q in (("low", 0.1), ("high", 0.9)):
            at = q * (len(means) - 1)
            value = means[int(at)] + (at - int(at)) * (means[ceil(at)] - means[int(at)])
            assert isclose(row[end], value, abs_tol=1e-12)


def test_what_has_no_rows():
    empty = {"calibration_map": [], "disagreement_bins": []}
    counts, scores = data(10)
    rankings = ugt.Rankings.from_blocks([[[[0], [1, 2]]]] * 10, n_classes=3)
    for known, models in (
        (counts, {}),
        (rankings, scores),
        (ugt.dirichlet(ugt.Labels.from_counts(counts)), scores),
        (np.zeros_like(counts), scores),
    ):
        assert found(known, models) == (empty, [])
    rows = found(counts, {"A": scores["M0"], "logits": scores["M1"] * 3})[0]
    assert {row["model"] for table in rows.values() for row in table} == {"A"}


def test_single_labels_and_one_case():
    tables, notes = found(np.eye(2, dtype=int)[[0, 1, 1, 0, 1, 1]], {"A": [[0.1, 0.9]] * 6})
    (row,) = tables["calibration_map"]
    assert row["ce"] is not None and row["de"] is None and row["de_low"] is None
    assert notes == ["Dispersion and disagreement need cases with at least two labels: there are none."]
    assert tables["disagreement_bins"] == []
    tables, _ = found([[3, 1]], {"A": [[0.5, 0.5]]})
    assert all(row["ce_low"] is None and row["de_low"] is None for row in tables["calibration_map"])
    (row,) = tables["disagreement_bins"]
    assert (row["n_cases"], row["observed"], row["mean_predicted"]) == (1, 0.5, 0.5)


def test_too_many_cells_are_refused(monkeypatch):
    monkeypatch.setattr(_context, "MOST_COUNTS", 29)
    tables, notes = found(*data(10))
    assert not any(tables.values()) and notes == ["The calibration-dispersion map was not made: over 29 cases x classes."]
