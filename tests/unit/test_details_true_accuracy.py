"""The section on the accuracy against the true class: its numbers are those of the functions, on the same resamples; its sentences."""

import dataclasses

import numpy as np
import pytest
from twins import details

import ugt
from ugt.annotations.other_annotators import of_cases
from ugt.tables import answer, true_accuracy
from ugt.tables.names import PERFECT


def problem(n=200, n_classes=3, seed=0):
    rng = np.random.default_rng(seed)
    truth = rng.dirichlet([0.4] * n_classes, n)
    known = ugt.Labels.from_counts([rng.multinomial(4, p / p.sum()) for p in truth])
    return known, {"on its own": np.eye(n_classes)[truth.argmax(1)], "<copy>": known.counts() + 0.1}


def latent(n=150, n_classes=2, seed=1, right=0.85, n_annotators=5):
    """Labels of annotators who err independently, and two models that do, too."""
    rng = np.random.default_rng(seed)
    true = rng.integers(0, n_classes, n)
    other = (true[:, None] + rng.integers(1, n_classes, (n, n_annotators))) % n_classes
    said = np.where(rng.random((n, n_annotators)) < right, true[:, None], other)
    scores = {
        name: np.eye(n_classes)[np.where(rng.random(n) < share, true, (true + 1) % n_classes)] for name, share in (("A", 0.95), ("B", 0.8))
    }
    return ugt.Labels.from_wide(said, classes=n_classes), scores


def row_of(rows, model, assume):
    (found,) = (row for row in rows["true_accuracy"] if (row["model"], row["assume"]) == (model, assume))
    return found


@pytest.mark.parametrize("aggregation", ["dirichlet", "dawid-skene"])
def test_statements_are_those_of_the_functions_whatever_the_truth(aggregation):
    """Of a Dawid-Skene truth, too: its plausibilities are certain of the first class, and bounds made of them had no width."""
    known, scores = latent(800)  # of which the check refutes a Dirichlet posterior
    rows, notes = details.made(true_accuracy, known, scores, aggregation=aggregation, shared_error=0.05, claim=0.7)
    which = ugt.truth.true_class_statements(known, seed=3)
    assert notes == [] and len(rows["true_accuracy"]) == 6
    for name, score in scores.items():
        for assume in ("any difficulty", "latent class"):
            row, found = row_of(rows, name, assume), ugt.metrics.accuracy_bounds(known, score, assume=assume, level=0.9)
            wider = ugt.metrics.accuracy_bounds(known, score, assume=assume, level=0.9, shared_error=0.05)
            assert (row["use"], row["reason"]) == (which.use[assume], which.reasons[assume])
            assert (row["low"], row["high"]) == (found.low, found.high) and row["high"] - row["low"] > 0.05
            assert (row["shared_low"], row["shared_high"]) == pytest.approx((wider.low, wider.high))
            assert (row["claim"], row["claim_of"], row["tipping_error"]) == (0.7, "stated", pytest.approx(found.tipping_error(0.7)))
            assert row["reference_cases"] == found.reference_cases(0.05) and row["shares_errors"] == found.shares_errors
        numbers = ("lower", "upper", "independent", "independent_low", "independent_high", "form", "n_groups", "n_cases", "determined")
        assert [row[one] for one in numbers] == [getattr(found, one) for one in numbers]
    assert [row_of(rows, "A", one)["use"] for one in ("any difficulty", "latent class", "dirichlet")] == ["main", "beside", "refused"]
    refused = row_of(rows, "A", "dirichlet")
    assert refused["low"] is refused["upper"] is None and refused["reason"].startswith("The split-panel check refutes the posterior")


def test_without_a_claim_it_is_the_constant_answer_and_without_a_share_nothing_is_wider():
    known, scores = latent()
    row = row_of(details.made(true_accuracy, known, scores, reliability=1)[0], "A", "any difficulty")
    truth, commonest = ugt.dirichlet(known, prior=0.1), known.counts().sum(0).argmax()
    assert row["claim"] == pytest.approx(truth.membership(1)[:, commonest].mean()) and row["claim_of"] == "always the commonest class"
    assert row["shared_error"] is row["shared_low"] is None


def test_a_posterior_that_is_not_refuted_has_the_union_over_reliabilities():
    known, scores = problem()
    clusters = np.arange(200) // 2
    rows, _ = details.made(true_accuracy, known, scores, clusters=clusters, reliability=(0.5, 2.0))
    alpha = ugt.truth.fit_dirichlet_prior(known).value
    for name, score in scores.items():
        row, ends = row_of(rows, name, "dirichlet"), []
        for gamma in (0.2, 0.5, 1, 2, 5, 20):
            found = ugt.metrics.accuracy_bounds(ugt.dirichlet(known, reliability=gamma, prior=gamma * np.asarray(alpha)), score)
            ends.append(found.outer_interval(0.9, clusters=clusters, n_resamples=60, seed=3))
        assert row["use"] == "beside" and (row["low"], row["high"]) == pytest.approx((min(ends)[0], max(high for _, high in ends)))
        assert row_of(rows, name, "latent class")["reason"] == "The labels do not say which annotator gave them."


def test_agreement_with_one_more_annotator_and_the_constant_answer():
    known, scores = problem()
    clusters = np.arange(200) // 2
    rows, _ = details.made(true_accuracy, known, scores, clusters=clusters, reliability=(0.5, 2.0))
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
    assert rows["true_accuracy"] == []  # which need labels


def test_what_is_too_large_is_refused_with_the_reason(monkeypatch):
    known, scores = latent(60)
    monkeypatch.setattr(true_accuracy, "MOST_ANNOTATORS", 4)
    monkeypatch.setattr(true_accuracy, "MOST_PROGRAMME", 1)
    monkeypatch.setattr(true_accuracy, "MOST_MODELS", 2)
    rows, notes = details.made(true_accuracy, known, {**scores, "C": scores["A"]})
    row = row_of(rows, "A", "latent class")
    assert row["use"] == "refused" and row["reason"].startswith("The fit of 5 annotators and 2 classes is too large") and row["low"] is None
    assert row_of(rows, "A", "any difficulty")["low"] is not None and row_of(rows, "B", "any difficulty")["low"] is None
    assert notes == [
        "Statements on the accuracy against the true class are of the first 2 models only.",
        "The accuracy whatever the difficulty of the cases was computed for the first 1 of 2 models: each takes seconds.",
    ]


def test_of_very_many_cases_some_are_checked(monkeypatch):
    known, _ = latent(300)
    monkeypatch.setattr(true_accuracy, "MOST_LABELS", 1500)  # of 3,000 labels x classes: every other case
    some = of_cases(known, np.arange(0, 300, 2))
    assert true_accuracy.allowed(known, 3).p_panel == ugt.truth.true_class_statements(some, seed=3).p_panel


def test_checks_take_the_clusters_of_the_evaluation(monkeypatch):
    known, _ = latent(200)
    clusters, seen = np.arange(200) // 4, []
    check = true_accuracy.statements_of
    monkeypatch.setattr(true_accuracy, "statements_of", lambda *given, **options: seen.append(given[1]) or check(*given, **options))
    own = true_accuracy.allowed(known, 3, clusters)
    assert (seen[0] == clusters).all() and "one case of each cluster" in own.reasons["latent class"]
    monkeypatch.setattr(true_accuracy, "MOST_LABELS", 1000)
    true_accuracy.allowed(known, 3, clusters)
    assert (seen[1] == clusters[::2]).all()
    assert true_accuracy.allowed(known, 3, np.zeros(200)).use["latent class"] == "beside" and seen[2] is None


def test_an_accuracy_under_independent_errors_that_says_nothing_has_the_reason(monkeypatch):
    known, scores = latent()
    bounds = true_accuracy.accuracy_bounds
    told = {"independent": float("nan"), "why_not_independent": "its interval is wider than 1"}
    monkeypatch.setattr(true_accuracy, "accuracy_bounds", lambda *given, **options: dataclasses.replace(bounds(*given, **options), **told))
    rows, _ = details.made(true_accuracy, known, scores)
    row = row_of(rows, "A", "latent class")
    assert row["independent"] is None and row["reason"].endswith("errors is not given: its interval is wider than 1.")


@pytest.mark.filterwarnings("error:invalid value")
def test_a_class_that_nobody_named_makes_no_warning_of_numpy():
    known = ugt.Labels.from_wide(np.zeros((300, 3), int), classes=2)
    assert ugt.evaluate(known, {"A": np.eye(2)[np.arange(300) % 60 // 59]}).tables["true_accuracy"]


def test_labels_that_no_mixture_of_independent_draws_gives_have_the_reason():
    said = np.zeros((80, 4), int)
    said[:, :2] = 1  # each case has two labels of each class: more evenly than chance
    rows, _ = details.made(true_accuracy, ugt.Labels.from_wide(said, classes=2), {"A": np.eye(2)[[0, 1] * 40]})
    row = row_of(rows, "A", "any difficulty")
    assert row["use"] == "refused" and row["low"] is None and row["reason"].startswith("No mixture of independent draws gives these labels")


def test_rankings_of_cases_without_predictions_are_said():
    known = ugt.Rankings.from_blocks([[[[0], [1]]], [[[1], [0]]], [[[0, 1]]]], n_classes=2)
    rows, notes = details.made(true_accuracy, known, {"M": ugt.Predictions([0, 1], [[0.6, 0.4], [0.3, 0.7]])})
    assert rows["next_annotator"] == [] and notes == [
        "Agreement with one more annotator was not computed: some cases with rankings have no predictions."
    ]
