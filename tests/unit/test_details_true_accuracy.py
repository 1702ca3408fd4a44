"""The section on the accuracy against the true class: its numbers are those of the functions, on the same resamples; its sentences."""

import numpy as np
import pytest
from twins import details

import ugt
from ugt.evaluation import work
from ugt.tables import answer, true_accuracy
from ugt.tables.names import PERFECT


def problem(n=200, n_classes=3, seed=0):
    rng = np.random.default_rng(seed)
    truth = rng.dirichlet([0.4] * n_classes, n)
    known = ugt.Labels.from_counts([rng.multinomial(4, p / p.sum()) for p in truth])
    return known, {"on its own": np.eye(n_classes)[truth.argmax(1)], "<copy>": known.counts() + 0.1}


def test_numbers_are_those_of_the_functions():
    known, scores = problem()
    clusters = np.arange(200) // 2
    rows, notes = details.made(true_accuracy, known, scores, clusters=clusters, reliability=(0.5, 2.0))
    assert notes == [] and len(rows["true_accuracy"]) == 4
    for row in rows["true_accuracy"]:
        truth = ugt.dirichlet(known, reliability=row["reliability"], prior=0.1)
        found = ugt.metrics.accuracy_bounds(truth, scores[row["model"]])
        drawn = {"clusters": clusters, "n_resamples": 60, "seed": 3}
        assert row["agreement"] == pytest.approx(found.value) and row["form"] == found.form
        for name in ("lower", "upper", "independent", "always_right", "copying", "n_groups", "n_cases"):
            assert row[name] == pytest.approx(getattr(found, name))
        assert (row["independent_low"], row["independent_high"]) == pytest.approx(found.interval(0.9, of="independent", **drawn))
        assert (row["lower_low"], row["upper_high"]) == pytest.approx(found.outer_interval(0.9, **drawn))
        assert row["voted"] == pytest.approx(ugt.ua_topk_accuracy(ugt.votes(known), scores[row["model"]]).value)
    for row in rows["next_annotator"]:
        found = ugt.metrics.next_annotator_agreement(known, scores[row["model"]])
        assert (row["agreement"], row["annotators"], row["difference"]) == pytest.approx((found.value, found.annotators, found.difference))
        ends = found.interval(0.9, of="difference", clusters=clusters, n_resamples=60, seed=3)
        assert (row["difference_low"], row["difference_high"]) == pytest.approx(ends)
    for row in details.made(answer, known, scores, clusters=clusters, reliability=(0.5, 2.0))[0]["references"]:
        voted = row["metric"] == "voted_accuracy"
        truth = ugt.votes(known) if voted else ugt.dirichlet(known, reliability=row["reliability"], prior=0.1)
        commonest = ugt.votes(known).mean().sum(0).argmax()
        assert row["value"] == pytest.approx(truth.membership(1)[:, commonest].mean())


def test_of_two_classes_the_plausibilities_themselves_are_ranked():
    known, scores = problem(60, 2)
    rows, _ = details.made(answer, known, scores, reliability=1)
    found = {row["metric"]: row["value"] for row in rows["references"] if row["reference"] == PERFECT}
    p = ugt.dirichlet(known, prior=0.1).mean()[:, 1]
    assert found["soft_auroc"] == pytest.approx(ugt.soft_auroc(p, p).value)
    assert found["soft_average_precision"] == pytest.approx(ugt.soft_average_precision(p, p).value)


@pytest.mark.parametrize("kind", ["rankings", "point", "none"])
def test_other_truths(kind):
    known, scores = problem(40)
    if kind == "rankings":
        known = ugt.Rankings.from_blocks(
            [[[[int(c)], [k for k in range(3) if k != c]] for c in row.nonzero()[0]] for row in known.counts()], n_classes=3
        )
    elif kind == "point":
        known = ugt.dirichlet(known)
    rows, _ = details.made(true_accuracy, known, {} if kind == "none" else scores)
    assert len(rows["next_annotator"]) == (2 if kind == "rankings" else 0)
    assert bool(rows["true_accuracy"]) == (kind != "none")


def test_what_is_too_large_is_said(monkeypatch):
    known, scores = problem(40)
    monkeypatch.setattr(work, "MOST_CELLS", 40 * 3 - 1)
    rows, notes = details.made(true_accuracy, known, scores)
    assert rows["true_accuracy"] == [] and len(rows["next_annotator"]) == 2
    assert len(notes) == 1 and notes[0].startswith("Bounds of the accuracy were not computed: over ")


def test_rankings_of_cases_without_predictions_are_said():
    known = ugt.Rankings.from_blocks([[[[0], [1]]], [[[1], [0]]], [[[0, 1]]]], n_classes=2)
    rows, notes = details.made(true_accuracy, known, {"M": ugt.Predictions([0, 1], [[0.6, 0.4], [0.3, 0.7]])})
    assert rows["next_annotator"] == [] and notes == [
        "Agreement with one more annotator was not computed: some cases with rankings have no predictions."
    ]
