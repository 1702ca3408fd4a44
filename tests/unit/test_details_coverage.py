"""Coverage of prediction sets against thresholds found by hand, one half of the cases after the other."""

from fractions import Fraction
from math import floor

import numpy as np
import pytest
from twins import details
from twins import resampling as twin

import ugt
from ugt.tables import coverage


def data(n=60, k=4, seed=0, models=2):
    rng = np.random.default_rng(seed)
    truth = rng.dirichlet(np.ones(k), n)
    return np.stack([rng.multinomial(4, p) for p in truth]), details.models(truth, k, rng, models)


def found(*given, **options):
    tables, notes = details.made(coverage, *given, **options)
    return tables["set_coverage"], notes


def threshold(scores, alpha, m):
    """Of labels that are certain, each of the n scores is there m times: the r-th largest of all."""
    r = floor(alpha * m * (len(scores) + 1)) - m + 1
    return sorted([s for s in scores for _ in range(m)], reverse=True)[r - 1] if r >= 1 else float("inf")


def test_coverage_is_that_of_thresholds_by_hand():
    counts, scores = data(61)
    counts = np.eye(4, dtype=int)[np.argmax(counts, 1)]  # one label a case, and no prior: the truth is certain
    context = details.context(counts, scores, prior=0.0, n_resamples=30, seed=4, level=0.8, interval="percentile")
    rows, notes = found(context)
    first = coverage.halves(61, None, 4)
    label = np.argmax(counts, 1).tolist()
    drawn = [twin.case_weights(4, b, list(range(61)), None) for b in range(30)]
    assert notes == []
    assert [(row["model"], row["score"], row["level"]) for row in rows] == [
        (model, score, level) for model in scores for score in ("LAC", "APS") for level in (0.8, 0.9, 0.95)
    ]
    for row in (row for row in rows if row["score"] == "LAC"):
        p = scores[row["model"]].tolist()
        sets = [None] * 61
        for here in (first, ~first):
            alpha = 1 - Fraction(str(row["level"]))
            cut = threshold([1 - p[i][label[i]] for i in np.flatnonzero(here)], alpha, coverage.LABELS)
            for i in np.flatnonzero(~here):
                sets[i] = [k for k in range(4) if 1 - p[i][k] <= cut]
        inside = [float(label[i] in sets[i]) for i in range(61)]
        assert row["coverage"] == pytest.approx(sum(inside) / 61, abs=1e-12)
        assert row["mean_size"] == pytest.approx(sum(map(len, sets)) / 61, abs=1e-12)
        assert row["empty_share"] == pytest.approx(sum(not s for s in sets) / 61, abs=1e-12) and row["n_cases"] == 61
        means = [sum(w * x for w, x in zip(weights, inside)) / 61 for weights in drawn]
        assert (row["low"], row["high"]) == pytest.approx(np.quantile(means, [0.1, 0.9]).tolist(), abs=1e-12)


def test_uncertain_truths_count_by_their_mass():
    context = details.context(*data(50, models=1))
    rows, _ = found(context)
    first, p = coverage.halves(50, None, context.making.seed), context.scores["M0"]
    for row in rows:
        mass = np.empty(50)
        for here in (first, ~first):
            conformal = ugt.conformal.MonteCarloConformal(row["score"].lower(), 1 - row["level"], m=100, seed=context.making.seed)
            conformal.fit(p[here], context.mean[here], case_ids=np.flatnonzero(here))
            sets = conformal.predict_sets(p[~here], case_ids=np.flatnonzero(~here))
            mass[~here] = ugt.metrics.ua_plausibility_mass(context.mean[~here], sets).per_case
        assert row["coverage"] == pytest.approx(mass.mean(), abs=1e-9)


def test_coverage_is_near_its_target():
    # A coverage has a standard deviation below 0.008 here (8,000 cases to judge, 4,000 to calibrate, twice); seven of them, six times, are
    # left with a probability below 1e-10.
    rows, notes = found(*data(8000, models=1))
    assert notes == [] and len(rows) == 6
    for row in rows:
        assert abs(row["coverage"] - row["level"]) < 0.056
        assert row["low"] < row["coverage"] < row["high"] and 0 <= row["empty_share"] < 0.1 and 1 <= row["mean_size"] < 4
    sizes = [row["mean_size"] for row in rows if row["score"] == "LAC"]
    assert sizes == sorted(sizes)


def test_halves_are_halves_that_differ_by_seed_and_keep_clusters_together():
    first = coverage.halves(101, None, 0)
    assert first.sum() in (50, 51) and first.dtype == bool
    assert (first == coverage.halves(101, None, 0)).all() and (first != coverage.halves(101, None, 1)).any()
    clusters = np.repeat(np.arange(12), 5)[np.random.default_rng(0).permutation(60)]
    first = coverage.halves(60, clusters, 3)
    assert first.sum() == 30 and all(len(set(first[clusters == c].tolist())) == 1 for c in range(12))
    rows, notes = found(*data(60), clusters=clusters.tolist())
    assert len(rows) == 12 and notes == []


@pytest.mark.parametrize("sizes", [[60], [59, 1], [52, 4, 4]])
def test_clusters_that_cannot_be_halved(sizes):
    clusters = np.repeat(np.arange(len(sizes)), sizes)
    # whichever cluster is drawn, one side has fewer than ten cases, or there is one cluster only
    assert coverage.halves(60, clusters, 0) is None
    rows, notes = found(*data(60), clusters=clusters.tolist())
    assert rows == [] and notes == ["Prediction sets were not made: the clusters cannot be divided into two halves."]


@pytest.mark.parametrize("annotated", [39, 40])
def test_too_few_cases_have_no_sets(annotated):
    counts, scores = data(annotated + 2)
    counts[[3, 7]] = 0
    rows, notes = found(counts, scores)
    assert {row["n_cases"] for row in rows} == ({40} if annotated == 40 else set())
    assert notes == ([] if annotated == 40 else ["Prediction sets were not made: fewer than 40 cases."])


def test_sets_that_hold_everything_and_models_without_probabilities_are_said():
    rows, notes = found(*data(60, models=1), clusters=[0] * 12 + [1] * 48)
    assert notes == ["Prediction sets of level 0.95 hold all classes: a half of the cases is too few to calibrate them."]
    assert len(rows) == 6
    counts, scores = data(50)
    rows, notes = found(counts, {**scores, "M1": scores["M1"] * 3})
    assert {row["model"] for row in rows} == {"M0"}
    assert notes == ["The scores of model M1 are not probabilities: it has no prediction sets."]
    rows, notes = found(counts, {"M1": scores["M1"] * 3})
    assert rows == [] and len(notes) == 1


def test_work_is_bounded(monkeypatch):
    context = details.context(*data(50))
    every, _ = found(context)
    monkeypatch.setattr(coverage, "MOST_SCORED", 50 * 4 * 2 - 1)
    rows, notes = found(context)
    assert rows[:3] == every[:3] and {row["model"] for row in rows} == {"M0"}
    assert notes == ["Prediction sets were made for 1 of 2 models: there are many cases and classes."]
    monkeypatch.setattr(coverage, "MOST_LABELS", 100)  # two a case
    fewer, _ = found(context)
    assert [row["coverage"] for row in fewer] != [row["coverage"] for row in rows]
