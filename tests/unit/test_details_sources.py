"""Where the uncertainty of accuracy comes from; subgroups; what evaluate() does with the further tables."""

import math

import numpy as np
import pytest
from refusals import refused

import ugt
from ugt.evaluation.input import subgroups_of
from ugt.tables.makers import ALWAYS

RNG = np.random.default_rng(5)
COUNTS = RNG.multinomial(6, [0.5, 0.3, 0.2], 120)
SCORES = {"A": RNG.dirichlet([2, 1, 1], 120), "B": RNG.dirichlet([1, 1, 1], 120)}


def rows(evaluation, **wanted):
    return [row for row in evaluation.tables["sources_of_spread"] if all(row[key] == value for key, value in wanted.items())]


def test_draws_and_cases_are_those_of_the_metric():
    evaluation = ugt.evaluate(ugt.Labels.from_counts(COUNTS), SCORES, k=1, reliability=(0.5, 2, 4))
    for name, scores in SCORES.items():
        (metric,) = [row for row in evaluation.metrics if (row["model"], row["metric"], row["reliability"]) == (name, "topk_accuracy", 2.0)]
        (draws,), (cases,), (both,) = (rows(evaluation, model=name, source=one) for one in ("draws", "cases", "cases and draws"))
        assert (draws["std"], draws["low"], draws["high"]) == (metric["draw_std"], metric["draw_low"], metric["draw_high"])
        assert (cases["low"], cases["high"]) == (metric["case_low"], metric["case_high"])
        assert (both["low"], both["high"]) == (metric["both_low"], metric["both_high"])
        assert both["std"] == cases["std"]  # which already holds what draws add to single cases
        per_case = ugt.ua_topk_accuracy(ugt.dirichlet(ugt.Labels.from_counts(COUNTS), reliability=2), scores, 1).per_case
        assert cases["std"] == pytest.approx(per_case.std() / math.sqrt(120), rel=0.15)  # 1,000 resamples: 6 standard errors
        assert all(row["value"] == metric["value"] and row["n_cases"] == 120 for row in rows(evaluation, model=name))


@pytest.mark.parametrize(("together", "least", "most"), [(False, 1.0, 1.05), (True, 1.5, math.inf)])
def test_draws_add_to_the_interval_over_both_what_cases_share(together, least, most):
    rng = np.random.default_rng(2)
    right = rng.random((1, 400)) < 0.5 if together else rng.random((200, 400)) < 0.5  # whether what the model says is true in a draw
    draws = np.where(np.broadcast_to(right, (200, 400))[..., None], [0.9, 0.1], [0.1, 0.9])
    odd = rng.random(200) < 0.3
    draws[odd] = draws[odd][..., ::-1]
    evaluation = ugt.evaluate(ugt.Draws.from_array(draws), {"A": np.tile([0.8, 0.2], (200, 1))}, k=1, details=False)
    row = next(row for row in evaluation.metrics if row["metric"] == "topk_accuracy")
    found = (row["both_high"] - row["both_low"]) / (row["case_high"] - row["case_low"])
    assert least * 0.99 <= found <= most


@pytest.mark.slow
def test_other_labels():
    """Against labels drawn by numpy, and against the true spread of Dirichlet accuracy, which is linear in the counts."""
    evaluation = ugt.evaluate(ugt.Labels.from_counts(COUNTS), SCORES, k=1)
    generator = np.random.default_rng(1)
    found = np.empty((400, 2))
    for b in range(400):
        drawn = np.stack([generator.multinomial(6, row / 6) for row in COUNTS])
        post = ugt.dirichlet(ugt.Labels.from_counts(drawn))
        found[b] = [ugt.ua_topk_accuracy(post, scores, 1).value for scores in SCORES.values()]
    for name, std in zip(SCORES, found.std(0)):
        (row,) = rows(evaluation, model=name, source="labels")
        assert row["std"] == pytest.approx(std, rel=0.5)  # 100 and 400 resamples: 6 standard errors of the ratio are 0.46
        assert row["low"] < row["value"] < row["high"]
        assert row["high"] - row["low"] == pytest.approx(2 * 1.959964 * row["std"], rel=1e-6)


def test_other_annotators_where_they_have_names():
    """By panels of them, which labels drawn within cases cannot say: skills differ."""
    truth = RNG.integers(0, 3, 120)
    table = np.where(RNG.random((120, 5)) < [0.95, 0.9, 0.8, 0.6, 0.5], truth[:, None], RNG.integers(0, 3, (120, 5)))
    labels = ugt.Labels.from_wide(table, classes=3)
    evaluation = ugt.evaluate(labels, SCORES, k=1, reliability=1)
    assert rows(evaluation, source="labels") == []
    for name, scores in SCORES.items():
        (row,) = rows(evaluation, model=name, source="annotators")
        found = ugt.ua_topk_accuracy(ugt.dirichlet(labels), scores)
        share = found.value * (1 - found.value)
        assert row["std"] == pytest.approx(np.sqrt(found.two_way().parts["annotators"]) * share)
        assert row["low"] < row["value"] == found.value < row["high"]
        (metric,) = [one for one in evaluation.metrics if (one["model"], one["metric"]) == (name, "topk_accuracy")]
        assert (metric["two_way_low"], metric["two_way_high"]) == found.interval(random=("cases", "annotators"))


@pytest.mark.parametrize("n", [2, 3, 5])
def test_other_annotators_alone_are_never_less_certain_than_with_other_cases(n):
    rng = np.random.default_rng(3)
    truth = rng.integers(0, 3, 200)
    table = np.where(rng.random((200, 5)) < [0.9, 0.85, 0.85, 0.85, 0.85], truth[:, None], rng.integers(0, 3, (200, 5)))
    evaluation = ugt.evaluate(ugt.Labels.from_wide(table[:, :n]), {"A": np.eye(3)[truth]}, k=1, reliability=1, n_resamples=100)
    (part,) = rows(evaluation, source="annotators")
    whole = next(row for row in evaluation.metrics if row["metric"] == "topk_accuracy")
    assert whole["two_way_low"] <= part["low"] < part["value"] < part["high"] <= whole["two_way_high"]


def test_single_annotations_clusters_and_no_models():
    evaluation = ugt.evaluate(ugt.Labels.from_counts(np.eye(3, dtype=int)[RNG.integers(3, size=120)]), SCORES, k=1)
    assert all(math.isnan(row["std"]) if row["std"] is not None else True for row in rows(evaluation, source="labels"))
    assert len(rows(evaluation, source="cases")) == 2
    evaluation = ugt.evaluate(ugt.Labels.from_counts(COUNTS), SCORES, k=1, clusters=np.repeat(np.arange(12), 10))
    assert [len(rows(evaluation, source=one)) for one in ("clusters", "clusters and draws", "cases")] == [2, 2, 0]
    assert ugt.evaluate(ugt.Labels.from_counts(COUNTS), {}).tables["sources_of_spread"] == ()
    assert ugt.evaluate(ugt.Labels.from_counts(COUNTS), SCORES, details=False).tables.keys() == set(ALWAYS)


@pytest.mark.slow
def test_cases_left_out_are_left_out_here_too():
    counts = COUNTS.copy()
    counts[:20] = 0
    scores = {name: ugt.Predictions(range(10, 120), table[10:]) for name, table in SCORES.items()}
    evaluation = ugt.evaluate(ugt.Labels.from_counts(counts), scores, k=1, missing="drop")
    alone = ugt.evaluate(ugt.Labels.from_counts(counts[20:]), {name: table[20:] for name, table in SCORES.items()}, k=1)
    for row, other in zip(evaluation.tables["sources_of_spread"], alone.tables["sources_of_spread"]):
        assert row["value"] == other["value"] and row["n_cases"] == other["n_cases"] == 100
        assert row["std"] == pytest.approx(other["std"], rel=0.6)


def test_of_plackett_luce_annotators_are_left_out_with_a_note_and_the_chains_are_diagnosed():
    rankings = ugt.Rankings.from_blocks([[[[0], [1]], [[1], [0]]]] * 5, n_classes=3, offered="all")
    models, options = {"A": np.tile([0.5, 0.3, 0.2], (5, 1))}, {"method": "gibbs", "n_draws": 200, "n_warmup": 50}
    evaluation = ugt.evaluate(rankings, models, k=1, aggregation="plackett-luce", reliability=(1, 2), **options)
    assert rows(evaluation, source="annotators") == rows(evaluation, source="labels") == []
    assert any("spread over labels was not computed" in note for note in map(str, evaluation.notes))
    found = evaluation.tables["diagnostics"]
    assert [row["reliability"] for row in found] == [1.0] * 4 + [2.0] * 4
    post = ugt.plackett_luce(rankings, reliability=2, **options)
    assert found[4]["value"] == ugt.truth.plackett_luce_diagnostics(post).rhat.max()


def test_details_leave_as_json_frame_and_csv(tmp_path):
    evaluation = ugt.evaluate(ugt.Labels.from_counts(COUNTS), SCORES, k=1)
    found = evaluation.to_dict()
    for name, table in evaluation.tables.items():
        assert found[name] == [dict(row) for row in table]
        evaluation.to_csv(tmp_path / f"{name}.csv", table=name)
        assert len((tmp_path / f"{name}.csv").read_text(encoding="utf-8").splitlines()) >= 1 + len(table)
    refused(r"table must be one of .*sources_of_spread.* Got 'strengths'", evaluation.to_frame, "strengths")


def test_subgroups_are_joined_by_position_or_id():
    labels = ugt.Labels.from_counts([[2, 0], [1, 1], [0, 3], [2, 2]], case_ids=["a", "b", "c", "d"])
    found = subgroups_of({"site": ["north", None, float("nan"), ""], "age": {"d": 7, "a": "x", "q": "z"}}, labels.axes)
    assert {name: values.tolist() for name, values in found.items()} == {"site": ["north", "", "", ""], "age": ["x", "", "", "7"]}
    for given, error, message in (
        ({"site": ["north", "south"]}, ValueError, r"subgroups\['site'\] must be 4 ids, one per case. Got shape \(2,\)"),
        ({"site": {"x": "north"}}, ValueError, r"subgroups\['site'\] must hold an id for every case. Got none for 4 of 4 cases"),
        (["north"], TypeError, r"subgroups must be a mapping from names to values. Got list"),
    ):
        refused(message, subgroups_of, given, labels.axes, error=error)
