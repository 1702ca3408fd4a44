"""evaluate(): what it counts, joins, compares and writes."""

import csv
import io
import json
import math
import warnings
import weakref

import numpy as np
import pytest

import ugt
from ugt.aggregation import by_name
from ugt.plausibilities.metric import METRICS

COUNTS = np.array([[6, 2, 0], [1, 1, 3], [0, 4, 4], [0, 0, 0], [5, 0, 0]])
A = np.array([[0.7, 0.2, 0.1], [0.5, 0.3, 0.2], [0.1, 0.8, 0.1], [1.0, 0.0, 0.0], [0.2, 0.5, 0.3]])
B = A[:, ::-1]


def rows(evaluation, **wanted):
    return [row for row in evaluation.metrics if all(row[key] == value for key, value in wanted.items())]


def test_every_number_is_that_of_the_metric_functions():
    evaluation = ugt.evaluate(COUNTS, {"A": A, "B": B}, k=(1, 2), reliability=(1, 2.5))
    functions = {
        "topk_accuracy": ugt.ua_topk_accuracy,
        "set_accuracy": ugt.ua_set_accuracy,
        "overlap": ugt.ua_overlap,
        "average_overlap": ugt.ua_average_overlap,
    }
    seen = 0
    for reliability in (1.0, 2.5):
        post = ugt.dirichlet(COUNTS, reliability=reliability)
        for name, scores in {"A": A, "B": B}.items():
            for metric, function in functions.items():
                for k in (1, 2) if metric == "topk_accuracy" else (2,):
                    (row,) = rows(evaluation, model=name, metric=metric, k=k, reliability=reliability)
                    found = function(post, scores, k)
                    assert row["value"] == found.value
                    assert row["draw_std"] == found.draw_std
                    assert (row["draw_low"], row["draw_high"]) == found.draw_interval()
                    assert (row["case_low"], row["case_high"]) == found.interval(seed=0)
                    seen += 1
        for k in (1, 2):
            (row,) = [row for row in evaluation.certainty if row["k"] == k and row["reliability"] == reliability]
            assert row["value"] == ugt.annotation_certainty(post, k=k).value
    assert seen == 20


def test_voted_accuracy_is_ordinary_accuracy_with_ties_shared():
    evaluation = ugt.evaluate(COUNTS, {"A": A, "B": B}, k=1)
    # voted: 0, 2, {1, 2}, none, 0; A's best: 0, 0, 1, -, 1; B's best: 2, 2, 1, -, 1
    assert rows(evaluation, metric="voted_accuracy", model="A")[0]["value"] == pytest.approx(1.5 / 4)
    assert rows(evaluation, metric="voted_accuracy", model="B")[0]["value"] == pytest.approx(1.5 / 4)
    (winner,) = [row for row in evaluation.winners if row["metric"] == "voted_accuracy"]
    assert (winner["model"], winner["runner_up"], winner["margin"]) == ("A = B", None, None)


def test_cases_without_annotations_are_kept_undefined_and_counted():
    evaluation = ugt.evaluate(COUNTS, {"A": A}, k=1)
    assert evaluation.left_out == {"case without annotations": 1}
    assert all(row["n_cases"] == 4 for row in evaluation.metrics)
    assert evaluation.cases["case"][-1] == "3"
    assert math.isnan(evaluation.cases["mean_certainty"][-1])
    assert evaluation.cases["voted"][-1] == ""
    certainty = evaluation.cases["mean_certainty"][:-1]
    assert certainty == sorted(certainty)


def test_predictions_are_joined_by_case_id():
    labels = ugt.Labels.from_counts(COUNTS, case_ids=list("abcde"), classes=["x", "y", "z"])
    order = [3, 1, 4, 0, 2]
    shuffled = ugt.Predictions([list("abcde")[i] for i in order], A[order][:, [2, 0, 1]], classes=["z", "x", "y"])
    straight = ugt.evaluate(labels, {"A": A}, k=1)
    joined = ugt.evaluate(labels, {"A": shuffled}, k=1)
    assert [row["value"] for row in joined.metrics] == [row["value"] for row in straight.metrics]


@pytest.mark.slow
def test_dropped_cases_are_left_out_of_every_model_and_counted():
    labels = ugt.Labels.from_counts(COUNTS, case_ids=list("abcde"))
    partial = (list("bcde"), B[1:])
    with pytest.raises(ValueError, match=r"model 'B': predictions must cover every case .* first at 'a'"):
        ugt.evaluate(labels, {"A": A, "B": partial})
    evaluation = ugt.evaluate(labels, {"A": A, "B": partial}, missing="drop", k=1)
    assert evaluation.left_out == {"case without annotations": 1, "case without predictions (dropped)": 1}
    (row,) = rows(evaluation, model="A", metric="topk_accuracy")
    post = ugt.dirichlet(COUNTS[1:])
    assert row["value"] == pytest.approx(ugt.ua_topk_accuracy(post, A[1:]).value, abs=1e-14)
    assert "a" not in evaluation.cases["case"]


@pytest.mark.slow
def test_threads_change_no_byte():
    rng = np.random.default_rng(0)
    counts = rng.multinomial(7, rng.dirichlet(np.ones(6), 1500).mean(0), 1500)
    scores = {"A": rng.random((1500, 6)), "B": rng.random((1500, 6)).round(1)}
    found = []
    for n_threads in (1, 2, 4):
        with_date = ugt.evaluate(counts, scores, n_threads=n_threads, reliability=(1, 3), n_resamples=200).to_dict()
        del with_date["provenance"]
        found.append(json.dumps(with_date))
    assert found[0] == found[1] == found[2]


def test_groups_add_certainty_about_the_group_of_the_best_class():
    evaluation = ugt.evaluate(COUNTS, {}, groups=[0, 1, 1], group_names=["low", "high"])
    (row,) = [row for row in evaluation.certainty if row["measure"] == "group_certainty"]
    expected = ugt.annotation_certainty(ugt.dirichlet(COUNTS), groups=[0, 1, 1], group_rule="top_class")
    assert row["value"] == expected.value
    assert evaluation.provenance["groups"] == ["low", "high"]
    with pytest.raises(ValueError, match=r"group_names must be 2 names, one a group\. Got 1"):
        ugt.evaluate(COUNTS, {}, groups=[0, 1, 1], group_names=["low"])


def test_plausibilities_are_judged_as_they_are():
    draws = ugt.Draws.from_array(ugt.dirichlet(COUNTS[:3]).draws(200, seed=1))
    evaluation = ugt.evaluate(draws, {"A": A[:3]}, k=1)
    (row,) = rows(evaluation, metric="topk_accuracy")
    found = ugt.ua_topk_accuracy(draws, A[:3])
    assert (row["value"], row["mc_error"], row["reliability"]) == (found.value, found.mc_error, None)
    assert row["mc_error"] > 0
    assert any("Monte Carlo" in note for note in evaluation.notes)


@pytest.mark.parametrize("aggregation", ["irn", "votes"])
def test_point_truths_have_no_reliability_and_no_spread(aggregation):
    evaluation = ugt.evaluate(COUNTS, {"A": A}, aggregation=aggregation, k=1)
    (row,) = rows(evaluation, metric="topk_accuracy")
    assert (row["reliability"], row["draw_std"], row["draw_low"], row["draw_high"]) == (None, 0.0, row["value"], row["value"])
    with pytest.raises(ValueError, match="reliability must not be given"):
        ugt.evaluate(COUNTS, {"A": A}, aggregation=aggregation, reliability=3)


@pytest.mark.slow
def test_winner_by_reliability(dermatology):
    """On the real data the aggregate of half a panel wins over the first reader, judged by the others, whatever the reliability."""
    nested = dermatology.annotations
    panel = [case[: (len(case) + 1) // 2] for case in nested]
    truth = ugt.Rankings.from_blocks([case[(len(case) + 1) // 2 :] for case in nested], n_classes=419)
    models = {
        "panel": ugt.irn(ugt.Rankings.from_blocks(panel, n_classes=419)).mean(),
        "reader": ugt.irn(ugt.Rankings.from_blocks([case[:1] for case in panel], n_classes=419)).mean(),
    }
    evaluation = ugt.evaluate(truth, models, k=(1, 3))
    assert evaluation.left_out == {"case without annotations": 25}
    assert {row["model"] for row in evaluation.winners} == {"panel"}
    assert len(evaluation.winners) == 2 + 5 * (2 + sum(one.shown and one.wider for one in METRICS.values()))


BAD = [
    ({"predictions": [A]}, TypeError, "predictions must be a mapping from model names to scores. Got list"),
    (
        {"annotations": "labels.csv"},
        TypeError,
        "annotations must be Labels, Rankings, plausibilities or an .N, K. array of counts. Got str",
    ),
    ({"aggregation": "mean"}, ValueError, "aggregation must be one of 'auto', .* Got 'mean'"),
    ({"reliability": 0}, ValueError, "reliability must be a finite number above 0. Got 0.0"),
    ({"reliability": (1, math.nan)}, ValueError, "reliability must be a finite number above 0. Got nan"),
    ({"reliability": ()}, ValueError, "reliability must be a number or a sequence of numbers"),
    ({"reliability": (2, 2)}, ValueError, "reliability must hold each value once"),
    ({"k": 4}, ValueError, "k must be a whole number from 1 to 3. Got 4"),
    ({"k": ()}, ValueError, "k must hold at least one order"),
    ({"k": 1.5}, ValueError, "k must be a whole number from 1 to 3. Got 1.5"),
    ({"prior": -1}, ValueError, "prior must be .* Got -1"),
    ({"level": 1.0}, ValueError, "level must be a number between 0 and 1. Got 1.0"),
    ({"n_resamples": 0}, ValueError, "n_resamples must be a whole number of at least 1. Got 0"),
    ({"seed": -1}, ValueError, "seed must be an int from 0"),
    ({"n_threads": 0}, ValueError, "n_threads must be a whole number of at least 1. Got 0"),
    ({"ties": "random"}, ValueError, "ties must be one of 'expectation', 'first'. Got 'random'"),
    ({"missing": "ignore"}, ValueError, "missing must be one of 'error', 'drop'. Got 'ignore'"),
    ({"groups": [0, 1]}, ValueError, "groups must be 3 integers, one a class"),
    ({"predictions": {"A": A[:, :2]}}, ValueError, "model 'A': scores must have one column for each of the 3 classes"),
    ({"predictions": {"A": A[:4]}}, ValueError, "model 'A': scores must have one row for each of the 5 cases"),
    (
        {"predictions": {"A": np.where(A == 0.8, np.nan, A)}},
        ValueError,
        "model 'A': scores must be finite. Got nan, first at case 2, class 1",
    ),
]


@pytest.mark.parametrize(("change", "kind", "message"), BAD, ids=[message[:40] for _, _, message in BAD])
def test_bad_input(change, kind, message):
    arguments = {"annotations": COUNTS, "predictions": {"A": A}, **change}
    with pytest.raises(kind, match=message):
        ugt.evaluate(arguments.pop("annotations"), arguments.pop("predictions"), **arguments)


# ---- ways out ----


@pytest.fixture(scope="module")
def evaluation():
    labels = ugt.Labels.from_counts(COUNTS, case_ids=["=1+1", "p2", "p3", "p4", "p5"])
    return ugt.evaluate(labels, {"A": A, "B": B}, reliability=(1, 2))


def test_json_is_strict_and_whole(evaluation, tmp_path):
    evaluation.to_json(tmp_path / "e.json")
    found = json.loads((tmp_path / "e.json").read_text(), parse_constant=pytest.fail)
    assert found == evaluation.to_dict()
    assert found["schema"] == 2
    assert found["cases"][-1]["certainty_1"] is None
    assert found["metrics"][0]["reliability"] is None


@pytest.mark.parametrize("table", ["metrics", "certainty", "winners", "flips", "cases"])
def test_csv_holds_the_table(evaluation, tmp_path, table):
    evaluation.to_csv(tmp_path / "t.csv", table)
    read = list(csv.DictReader(io.StringIO((tmp_path / "t.csv").read_text())))
    assert len(read) == len(getattr(evaluation, table))
    if table == "metrics":
        assert [float(row["value"]) for row in read] == [row["value"] for row in evaluation.metrics]
    if table == "cases":
        assert "'=1+1" in [row["case"] for row in read]  # no formula reaches a spreadsheet


def test_frame_is_a_table_with_or_without_pandas(evaluation):
    frame = evaluation.to_frame()
    assert list(frame["value"]) == [row["value"] for row in evaluation.metrics]
    with pytest.raises(ValueError, match="table must be one of 'metrics'"):
        evaluation.to_frame("models")


def test_html_is_one_page(evaluation, tmp_path):
    evaluation.to_html(tmp_path / "report.html")
    page = (tmp_path / "report.html").read_text()
    assert page.startswith("<!doctype html>") or page.startswith("<!DOCTYPE html>")
    assert "://" not in page


def test_a_file_is_written_whole_or_not_at_all(evaluation, tmp_path):
    with pytest.raises(OSError):
        evaluation.to_json(tmp_path / "nowhere" / "e.json")
    (tmp_path / "e.json").mkdir()
    with pytest.raises(OSError):
        evaluation.to_json(tmp_path / "e.json")
    assert sorted(path.name for path in tmp_path.iterdir()) == ["e.json"]


def test_given_plausibilities_keep_the_names_of_cases_and_classes():
    truth = ugt.Point.from_array([[1, 0], [0.3, 0.7]], case_ids=["x", "y"], classes=["a", "b"])
    evaluation = ugt.evaluate(truth, {"M": [[0.6, 0.4], [0.2, 0.8]]}, k=1)
    assert dict(zip(evaluation.cases["case"], evaluation.cases["voted"])) == {"x": "a", "y": "b"}


@pytest.mark.parametrize("counts", [COUNTS[[0, 1, 2, 4]], COUNTS], ids=["all cases", "one case without annotations"])
def test_draws_of_one_reliability_go_before_the_next_are_made(monkeypatch, counts):
    made = []
    sampled = by_name.plackett_luce

    def watched(*given, **options):
        assert not [draws for draws in made if draws() is not None]
        found = sampled(*given, **options)
        made.append(weakref.ref(found.values))
        return found

    monkeypatch.setattr(by_name, "plackett_luce", watched)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        ugt.evaluate(counts, {"A": A[: len(counts)]}, aggregation="plackett-luce", reliability=(1, 2, 3), n_draws=100, n_warmup=50)
    assert len(made) > 3  # sensitivity samples anew, too
