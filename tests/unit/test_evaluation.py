"""evaluate(): what it counts, joins, compares and writes."""

import csv
import io
import json
import math
import warnings
import weakref

import numpy as np
import pytest
from refusals import refused
from simulations import in_ci
from surface import public
from twins.details import everyday

import ugt
from ugt.plausibilities.metric import METRICS
from ugt.tables import SCHEMA
from ugt.truth import by_name

COUNTS = np.array([[6, 2, 0], [1, 1, 3], [0, 4, 4], [0, 0, 0], [5, 0, 0]])
A = np.array([[0.7, 0.2, 0.1], [0.5, 0.3, 0.2], [0.1, 0.8, 0.1], [1.0, 0.0, 0.0], [0.2, 0.5, 0.3]])
B = A[:, ::-1]


def rows(evaluation, **wanted):
    return [row for row in evaluation.metrics if all(row[key] == value for key, value in wanted.items())]


def test_every_number_is_that_of_the_metric_functions():
    evaluation = ugt.evaluate(ugt.Labels.from_counts(COUNTS), {"A": A, "B": B}, k=(1, 2), reliability=(1, 2.5))
    functions = {name: public(f"ua_{name}") for name in ("topk_accuracy", "set_accuracy", "overlap", "average_overlap")}
    seen = 0
    for reliability in (1.0, 2.5):
        post = ugt.dirichlet(ugt.Labels.from_counts(COUNTS), reliability=reliability)
        for name, scores in {"A": A, "B": B}.items():
            for metric, function in functions.items():
                for k in (1, 2) if metric == "topk_accuracy" else (2,):
                    (row,) = rows(evaluation, model=name, metric=metric, k=k, reliability=reliability)
                    found = function(post, scores, k)
                    assert (row["value"], row["draw_std"]) == (found.value, found.draw_std)
                    assert (row["draw_low"], row["draw_high"]) == found.draw_interval()
                    assert (row["case_low"], row["case_high"]) == found.interval(seed=0)
                    seen += 1
        for k in (1, 2):
            (row,) = [row for row in evaluation.certainty if row["k"] == k and row["reliability"] == reliability]
            assert row["value"] == ugt.annotation_certainty(post, k=k).value
    assert seen == 20


def test_labels_have_several_reliabilities_around_one():
    evaluation = ugt.evaluate(ugt.Labels.from_counts(COUNTS), {"A": A}, k=1)
    assert evaluation.provenance["reliability"] == [0.2, 0.5, 1.0, 2.0, 5.0]
    values = [row["value"] for row in evaluation.certainty]
    assert values == sorted(values) and [row["reliability"] for row in evaluation.certainty] == [0.2, 0.5, 1.0, 2.0, 5.0]
    alone = ugt.evaluate(ugt.Labels.from_counts(COUNTS), {"A": A}, k=1, reliability=1)
    assert [row["change"] for row in evaluation.tables["sensitivity"]] == [row["change"] for row in alone.tables["sensitivity"]]


@pytest.mark.parametrize(("how", "function", "options"), [("dawid-skene", "dawid_skene", {"prior": (1, 0.1, 1)}), ("glad", "glad", {})])
def test_annotator_models_as_aggregation(how, function, options):
    wide = np.where(np.random.default_rng(1).random((20, 4)) < 0.3, wide_table(3)[:1, :1], 1)
    wide = [*wide.tolist(), [None] * 4]
    labels = ugt.Labels.from_wide(wide, classes=3)
    scores = np.random.default_rng(0).random((21, 3))
    evaluation = ugt.evaluate(labels, {"A": scores}, aggregation=how, k=1, n_resamples=20)
    (row,) = rows(evaluation, metric="topk_accuracy")
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        fitted = public(function)(labels, **options).plausibilities.mean()[:20]
    expected = fitted[np.arange(20), scores[:20].argmax(axis=1)].mean()  # how probable it is that the first choice is the true class
    assert (row["value"], row["reliability"], row["n_cases"]) == (pytest.approx(expected, abs=1e-5), None, 20)
    certainty = evaluation.certainty[0]["value"]
    assert certainty == pytest.approx(fitted.max(axis=1).mean(), abs=1e-5) and certainty <= 1
    other = next(one for one in ugt.evaluate(labels, {"A": scores}, k=1).tables["sensitivity"] if one["setting"] == how)
    assert other["value"] == row["value"]
    said = f"annotations must be labels with their annotators for the aggregation '{how}'. Got"
    refused(f"{said} labels without them", ugt.evaluate, ugt.Labels.from_counts(COUNTS), {}, aggregation=how)
    refused(f"{said} Rankings", ugt.evaluate, ugt.Rankings.from_blocks([[[[0]]]], classes=2), {}, aggregation=how)
    refused("reliability must be left out", ugt.evaluate, labels, {}, aggregation=how, reliability=2)


def test_a_reliability_for_each_annotator():
    rng = np.random.default_rng(0)
    labels = ugt.Labels.from_wide(rng.integers(0, 3, (30, 3)), annotators=["ann", "bob", "eve"])
    scores, own = {"A": rng.random((30, 3))}, {"bob": 0.5, "ann": 2, "eve": 1}
    evaluation = ugt.evaluate(labels, scores, reliability=own, k=1, n_resamples=50)
    (row,) = rows(evaluation, metric="topk_accuracy")
    assert row["reliability"] == 1 and row["value"] == ugt.ua_topk_accuracy(ugt.dirichlet(labels, reliability=own), scores["A"]).value
    assert evaluation.provenance["annotator_reliability"] == {"ann": 2, "bob": 0.5, "eve": 1}
    assert any("separate reliability, from 0.5 (bob) to 2 (ann)" in note for note in map(str, evaluation.notes))
    other = {(one["kind"], one["setting"]): one["value"] for one in evaluation.tables["sensitivity"]}
    assert ("reliability", "2") not in other  # held-out annotators refute it: they label by chance
    own_prior = ugt.evaluate(labels, scores, reliability=own, prior=2, k=1, n_resamples=50).tables["sensitivity"]
    (other["reliability", "2"],) = [e["value"] for e in own_prior if (e["kind"], e["setting"]) == ("reliability", "2")]
    twice = ugt.dirichlet(labels, prior=2, reliability={name: 2 * value for name, value in own.items()})
    assert other["reliability", "2"] == ugt.ua_topk_accuracy(twice, scores["A"]).value
    without = ugt.Labels.from_wide([[None if a == 0 else y for a, y in enumerate(row)] for row in labels.label.reshape(30, 3).tolist()],
                                   annotators=["ann", "bob", "eve"])  # fmt: skip
    alone = ugt.ua_topk_accuracy(ugt.dirichlet(without, reliability=own), scores["A"]).value
    assert other["annotator dropped", "ann"] == pytest.approx(alone, abs=1e-12)
    even = ugt.evaluate(labels, scores, reliability=dict.fromkeys(own, 2), k=1, n_resamples=50)
    for one, same in zip(even.metrics, ugt.evaluate(labels, scores, reliability=2, k=1, n_resamples=50).metrics):
        assert [one[name] for name in ("value", "draw_std", "two_way_low")] == [same[name] for name in ("value", "draw_std", "two_way_low")]
    refused("reliability must be given for every annotator. Got none for 'eve'", ugt.evaluate, labels, {}, reliability={"ann": 1, "bob": 2})
    refused("reliability must be one number if annotators have no names", ugt.evaluate, ugt.Labels.from_counts(COUNTS), {}, reliability=own)
    refused("reliability must be left out with aggregation='irn'", ugt.evaluate, labels, {}, reliability=own, aggregation="irn")
    refused("reliability must be left out with plausibilities", ugt.evaluate, ugt.dirichlet(labels), {}, reliability=own)
    refused("reliability must be left out with plausibilities", ugt.evaluate, ugt.dirichlet(labels), {}, reliability=2)


def test_voted_accuracy_is_ordinary_accuracy_with_ties_shared():
    evaluation = ugt.evaluate(ugt.Labels.from_counts(COUNTS), {"A": A, "B": B}, k=1)
    # voted: 0, 2, {1, 2}, none, 0; A's best: 0, 0, 1, -, 1; B's best: 2, 2, 1, -, 1
    assert [rows(evaluation, metric="voted_accuracy", model=m)[0]["value"] for m in "AB"] == pytest.approx([1.5 / 4] * 2)
    (winner,) = [row for row in evaluation.winners if row["metric"] == "voted_accuracy"]
    assert (winner["model"], winner["runner_up"], winner["margin"]) == ("A = B", None, None)


def test_cases_without_annotations_are_kept_undefined_and_counted():
    evaluation = ugt.evaluate(ugt.Labels.from_counts(COUNTS), {"A": A}, k=1)
    assert evaluation.left_out == {"case without annotations": 1}
    assert all(row["n_cases"] == 4 for row in evaluation.metrics)
    assert evaluation.cases["case"][-1] == "3" and evaluation.cases["voted"][-1] == ""
    assert math.isnan(evaluation.cases["mean_certainty"][-1])
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
    refused(r"model 'B': predictions must cover every case .* first at 'a'", ugt.evaluate, labels, {"A": A, "B": partial})
    evaluation = ugt.evaluate(labels, {"A": A, "B": partial}, reliability=1, missing="drop", k=1)
    assert evaluation.left_out == {"case without annotations": 1, "case without predictions": 1}
    (row,) = rows(evaluation, model="A", metric="topk_accuracy")
    post = ugt.dirichlet(ugt.Labels.from_counts(COUNTS[1:]))
    assert row["value"] == pytest.approx(ugt.ua_topk_accuracy(post, A[1:]).value, abs=1e-14)
    assert "a" not in evaluation.cases["case"]


@pytest.mark.slow
@pytest.mark.parametrize("named", [False, True])
def test_threads_change_no_byte(named):
    rng = np.random.default_rng(0)
    counts = rng.multinomial(7, rng.dirichlet(np.ones(6), 1500).mean(0), 1500)
    wide = rng.integers(0, 6, (1500, 7)) if named else None
    labels = ugt.Labels.from_wide(wide.tolist(), classes=range(6)) if named else ugt.Labels.from_counts(counts)
    scores = {"A": rng.random((1500, 6)), "B": rng.random((1500, 6)).round(1)}
    found = []
    for n_threads in (1, 2, 4):
        with_date = ugt.evaluate(labels, scores, n_threads=n_threads, reliability=(1, 3), n_resamples=200).to_dict()
        del with_date["provenance"]
        found.append(json.dumps(with_date))
    assert found[0] == found[1] == found[2]


def test_groups_add_certainty_about_the_group_of_the_best_class():
    evaluation = ugt.evaluate(ugt.Labels.from_counts(COUNTS), {}, reliability=1, groups=[0, 1, 1], group_names=["low", "high"])
    (row,) = [row for row in evaluation.certainty if row["measure"] == "group_certainty"]
    expected = ugt.annotation_certainty(ugt.dirichlet(ugt.Labels.from_counts(COUNTS)), groups=[0, 1, 1], group_rule="top_class")
    assert row["value"] == expected.value and evaluation.provenance["groups"] == ["low", "high"]


def test_plausibilities_are_judged_as_they_are():
    draws = ugt.Draws.from_array(ugt.dirichlet(ugt.Labels.from_counts(COUNTS[:3])).draws(200, seed=1))
    evaluation = ugt.evaluate(draws, {"A": A[:3]}, k=1)
    (row,) = rows(evaluation, metric="topk_accuracy")
    found = ugt.ua_topk_accuracy(draws, A[:3])
    assert (row["value"], row["mc_error"], row["reliability"]) == (found.value, found.mc_error, None)
    assert row["mc_error"] > 0 and any("Monte Carlo" in note for note in map(str, evaluation.notes))


@pytest.mark.parametrize("aggregation", ["irn", "votes"])
def test_point_truths_have_no_reliability_and_no_spread(aggregation):
    evaluation = ugt.evaluate(ugt.Labels.from_counts(COUNTS), {"A": A}, aggregation=aggregation, k=1)
    (row,) = rows(evaluation, metric="topk_accuracy")
    assert (row["reliability"], row["draw_std"], row["draw_low"], row["draw_high"]) == (None, 0.0, row["value"], row["value"])
    refused("reliability must be left out", ugt.evaluate, ugt.Labels.from_counts(COUNTS), {"A": A}, aggregation=aggregation, reliability=3)


@pytest.mark.slow
def test_winner_by_reliability(dermatology):
    """On the real data the aggregate of half a panel wins over the first reader, judged by the others, whatever the reliability."""
    nested = dermatology.annotations
    panel = [case[: (len(case) + 1) // 2] for case in nested]
    truth = ugt.Rankings.from_blocks([case[(len(case) + 1) // 2 :] for case in nested], n_classes=419)
    models = {
        name: ugt.Rankings.from_blocks(seen, n_classes=419) for name, seen in (("panel", panel), ("reader", [case[:1] for case in panel]))
    }
    models = {name: ugt.irn(seen).mean() for name, seen in models.items()}
    evaluation = ugt.evaluate(truth, models, k=(1, 3))
    assert evaluation.left_out == {"case without annotations": 25}
    assert {row["model"] for row in evaluation.winners} == {"panel"}
    assert len(evaluation.winners) == 2 + 5 * (2 + sum(one.shown and one.wider for one in METRICS.values()))


def wide_table(n_classes):
    return np.random.default_rng(3).integers(0, n_classes, (14, 3))


def one_label_each(wide, k):
    cases = np.arange(len(wide))
    return ugt.Labels.from_long(cases, cases % 3, wide[:, 0], classes=k, cases=cases)


GIVEN = {
    "labels": lambda wide, k: ugt.Labels.from_wide(wide, classes=k),
    "grades": lambda wide, k: ugt.Labels.from_wide(wide, ordered=range(k)),
    "one label each": one_label_each,
    "one annotator": lambda wide, k: ugt.Labels.from_wide(wide[:, :1], classes=k),
    "counts": lambda wide, k: ugt.Labels.from_counts(ugt.Labels.from_wide(wide, classes=k).counts()),
    "rankings": lambda wide, k: ugt.Rankings.from_blocks([[[[int(label)]] for label in case] for case in wide], classes=k),
    "draws": lambda wide, k: ugt.Draws.from_array(ugt.dirichlet(ugt.Labels.from_wide(wide, classes=k)).draws(40)),
    "committees": lambda wide, k: ugt.truth.committee(ugt.Labels.from_wide(wide, classes=k), n_draws=40),
}
HOW = [(name, "auto") for name in GIVEN] + [("labels", how) for how in by_name.AGGREGATIONS[1:] if how not in ("prirn", "irn")]
HOW = [(name, how) for name, how in HOW if how not in ("graded-response", "normal")] + [("grades", "graded-response")]
HOW += [("rankings", "irn"), ("rankings", "plackett-luce"), ("one label each", "votes")]


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("k", [2, *in_ci(3)])
@pytest.mark.parametrize(("given", "how"), HOW, ids=map(" by ".join, HOW))
def test_constant_perfect_and_missing_models_under_every_truth(given, how, k, tmp_path):
    wide = wide_table(k)
    annotations = GIVEN[given](wide, k)
    voted = np.eye(k)[[np.bincount(case).argmax() for case in (wide[:, :1] if "one" in given else wide)]]
    found = ugt.evaluate(
        annotations, everyday(voted), aggregation=how, missing="drop", n_draws=20, n_warmup=5, n_chains=2, n_resamples=20,
        subgroups={"half": np.arange(14) % 2}, clusters=np.arange(14) // 2,
    )  # fmt: skip
    assert found.left_out == {"case without predictions": 1}
    constant = [row for row in rows(found, model="constant") if row["metric"] in METRICS]
    assert constant and all(row["draw_std"] == 0 and row["draw_high"] - row["draw_low"] < 1e-12 for row in constant)
    assert all(row["mc_error"] == 0 for row in constant)
    certainty = {one["reliability"]: one["value"] for one in found.certainty if one["k"] == 1}
    for row in rows(found, metric="topk_accuracy", k=1):
        if row["model"] == "constant":
            assert row["value"] == pytest.approx(1 / k, abs=1e-12)
        elif how in ("auto", "dirichlet", "votes") and not isinstance(annotations, ugt.Draws):
            assert row["value"] == pytest.approx(certainty[row["reliability"]], abs=1e-12)
    found.to_json(tmp_path / "e.json")
    found.to_html(tmp_path / "e.html")


BAD = [
    ({"reliability": 0}, "reliability must be a finite number above 0. Got 0.0"),
    ({"reliability": (1, math.nan)}, "reliability must be a finite number above 0. Got nan"),
    ({"reliability": ()}, "reliability must be a number or a sequence of numbers"),
    ({"reliability": (2, 2)}, "reliability must hold each value once"),
    ({"aggregation": "mean"}, "aggregation must be one of 'auto', .* Got 'mean'"),
    ({"k": 4}, "k must be a whole number from 1 to 3. Got 4"),
    ({"k": ()}, "k must hold at least one order"),
    ({"k": 1.5}, "k must be a whole number from 1 to 3. Got 1.5"),
    ({"prior": -1}, "prior must be .* Got -1"),
    ({"level": 1.0}, "level must be a number between 0 and 1, such as 0.95. Got 1.0"),
    ({"n_resamples": 0}, "n_resamples must be a whole number of at least 1. Got 0"),
    ({"seed": -1}, "seed must be an int from 0"),
    ({"n_threads": 0}, "n_threads must be a whole number of at least 1. Got 0"),
    ({"ties": "random"}, "ties must be one of 'expectation', 'first'. Got 'random'"),
    ({"missing": "ignore"}, "missing must be one of 'error', 'drop'. Got 'ignore'"),
    ({"groups": [0, 1]}, "groups must be 3 integers or names, one per class"),
    ({"groups": [0, 1, 1], "group_names": ["low"]}, r"group_names must be 2 names, one per group\. Got 1"),
    ({"predictions": {"A": A[:, :2]}}, "model 'A': scores must have one column for each of the 3 classes"),
    ({"predictions": {"A": A[:4]}}, "model 'A': scores must have one row for each of the 5 cases"),
    ({"predictions": {"A": np.where(A == 0.8, np.nan, A)}}, "model 'A': scores must be finite. Got nan, first at case 2, class 1"),
]
NO_COUNTS = "annotations must be Labels, Rankings, Ratings or plausibilities. Got str"


@pytest.mark.parametrize(("change", "message"), BAD, ids=[message[:40] for _, message in BAD])
def test_bad_input(change, message):
    arguments = {"annotations": ugt.Labels.from_counts(COUNTS), "predictions": {"A": A}, **change}
    refused(message, ugt.evaluate, arguments.pop("annotations"), arguments.pop("predictions"), **arguments)


def test_bad_kinds_of_input():
    refused(
        "predictions must be a mapping from model names to scores. Got list",
        ugt.evaluate,
        ugt.Labels.from_counts(COUNTS),
        [A],
        error=TypeError,
    )
    refused(NO_COUNTS, ugt.evaluate, "labels.csv", {"A": A}, error=TypeError)


@pytest.fixture(scope="module")
def evaluation():
    labels = ugt.Labels.from_counts(COUNTS, case_ids=["=1+1", "p2", "p3", "p4", "p5"])
    return ugt.evaluate(labels, {"A": A, "B": B}, reliability=(1, 2))


def test_json_is_strict_and_whole(evaluation, tmp_path):
    evaluation.to_json(tmp_path / "e.json")
    found = json.loads((tmp_path / "e.json").read_text(encoding="utf-8"), parse_constant=pytest.fail)
    assert found == evaluation.to_dict() and found["schema"] == SCHEMA
    assert found["cases"][-1]["certainty_1"] is None and found["metrics"][0]["reliability"] is None


@pytest.mark.parametrize("table", ["metrics", "certainty", "winners", "flips", "cases"])
def test_csv_holds_the_table(evaluation, tmp_path, table):
    evaluation.to_csv(tmp_path / "t.csv", table)
    read = list(csv.DictReader(io.StringIO((tmp_path / "t.csv").read_text(encoding="utf-8"))))
    assert len(read) == len(getattr(evaluation, table))
    if table == "metrics":
        assert [float(row["value"]) for row in read] == [row["value"] for row in evaluation.metrics]
    if table == "cases":
        assert "'=1+1" in [row["case"] for row in read]  # no formula reaches a spreadsheet


def test_frame_and_page(evaluation, tmp_path):
    assert list(evaluation.to_frame()["value"]) == [row["value"] for row in evaluation.metrics]
    refused("table must be one of 'metrics'", evaluation.to_frame, "models")
    evaluation.to_html(tmp_path / "report.html")
    page = (tmp_path / "report.html").read_text(encoding="utf-8")
    assert page.lower().startswith("<!doctype html>") and "://" not in page


def test_a_file_is_written_whole_or_not_at_all(evaluation, tmp_path):
    with pytest.raises(OSError):
        evaluation.to_json(tmp_path / "nowhere" / "e.json")
    (tmp_path / "e.json").mkdir()
    with pytest.raises(OSError):
        evaluation.to_json(tmp_path / "e.json")
    assert sorted(path.name for path in tmp_path.iterdir()) == ["e.json"]


def test_given_plausibilities_keep_the_names_of_cases_and_classes():
    truth = ugt.Point.from_array([[1, 0], [0.3, 0.7]], case_ids=["x", "y"], classes=["a", "b"])
    evaluation = ugt.evaluate(truth, {"M": [[0.6, 0.4], [0.2, 0.8]]}, k=1, positive_class="b")
    assert dict(zip(evaluation.cases["case"], evaluation.cases["voted"])) == {"x": "a", "y": "b"}


@pytest.mark.parametrize("counts", [COUNTS[[0, 1, 2, 4]], COUNTS], ids=["all cases", "one case without annotations"])
def test_draws_of_one_reliability_go_before_the_next_are_made(monkeypatch, counts):
    made = []
    sampled = by_name.plackett_luce

    def watched(*given, **options):
        assert not [draws for draws in made if draws() is not None]
        found = sampled(*given, **options)
        made.append(weakref.ref(getattr(found, "values", found)))
        return found

    monkeypatch.setattr(by_name, "plackett_luce", watched)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        ugt.evaluate(
            ugt.Labels.from_counts(counts),
            {"A": A[: len(counts)]},
            aggregation="plackett-luce",
            method="gibbs",
            reliability=(1, 2, 3),
            n_draws=100,
            n_warmup=50,
        )
    assert len(made) > 3  # sensitivity samples anew, too


@pytest.mark.parametrize("n_classes, orders", [(1, [1]), (2, [1]), (3, [1, 2]), (4, [1, 3]), (9, [1, 3])])
def test_the_order_of_all_classes_is_only_for_those_who_ask(n_classes, orders):
    """Its certainty and accuracy are 1 whatever the data; with one class there is no other order."""
    labels = ugt.Labels.from_counts(np.arange(2 * n_classes).reshape(2, -1) + 1)
    ev = ugt.evaluate(labels, {}, reliability=1, n_resamples=20, details=False)
    assert ev.provenance["k"] == orders
    asked = ugt.evaluate(labels, {}, reliability=1, k=n_classes, n_resamples=20, details=False)
    assert [row["value"] for row in asked.certainty if row["k"] == n_classes] == [1]
    assert [any("are 1 by definition" in note for note in map(str, one.notes)) for one in (ev, asked)] == [n_classes == 1, True]


def test_the_positive_class_by_default_is_said():
    counts, scores = [[2, 1], [0, 3], [3, 0]], [[0.7, 0.3], [0.2, 0.8], [0.6, 0.4]]
    labels, said = ugt.Labels.from_counts(counts, classes=["cancer", "healthy"]), "Positive class: cancer (of healthy and cancer; "
    assert f"{said}positive_class= sets it)." in [*map(str, ugt.evaluate(labels, {"m": scores}, n_resamples=20).notes)]
    for given, models, options in (
        (labels, {"m": scores}, {"positive_class": "healthy"}),
        (labels, {}, {}),
        (ugt.Labels.from_counts(counts), {"m": scores}, {}),
        (ugt.Labels.from_counts([[1, 1, 1]] * 3, classes=["a", "b", "c"]), {"m": np.eye(3)}, {}),
    ):
        assert not any("Positive class" in note for note in map(str, ugt.evaluate(given, models, n_resamples=20, **options).notes))


def test_the_positive_class_is_the_one_that_is_named():
    """Areas, precision and curves are those of the same data with the classes in the other order."""
    rng = np.random.default_rng(11)
    counts = rng.integers(0, 4, (40, 2)) + np.array([[1, 0]])
    p = np.clip(counts[:, 0] / counts.sum(1) + 0.2 * rng.normal(size=40), 0, 1)
    scores = np.stack([p, 1 - p], axis=1)
    options = {"n_resamples": 40, "prior": 0.1}
    first, second = (
        ugt.evaluate(ugt.Labels.from_counts(counts[:, order], classes=names), {"m": scores[:, order]}, positive_class="cancer", **options)
        for order, names in (([0, 1], ["cancer", "none"]), ([1, 0], ["none", "cancer"]))
    )
    for metric in ("soft_auroc", "hard_auroc", "soft_average_precision", "hard_average_precision"):
        one, other = (
            next(row for row in found.metrics if row["metric"] == metric and row["reliability"] == 1) for found in (first, second)
        )
        assert one["value"] == pytest.approx(other["value"]) and one["case_low"] == pytest.approx(other["case_low"])
    labels = ugt.Labels.from_counts(counts, classes=["cancer", "none"])
    other_way = ugt.evaluate(labels, {"m": scores}, positive_class="none", **options)
    (none,) = [row for row in other_way.metrics if row["metric"] == "soft_average_precision" and row["reliability"] == 1]
    (cancer,) = [row for row in first.metrics if row["metric"] == "soft_average_precision" and row["reliability"] == 1]
    assert none["value"] != pytest.approx(cancer["value"], abs=0.01) and set(first.tables["curves"]["class"]) == {"cancer"}
    expected = ugt.soft_average_precision(ugt.dirichlet(ugt.Labels.from_counts(counts), prior=0.1).mean()[:, 0], scores[:, 0])
    assert cancer["value"] == pytest.approx(expected.value)
    by_default = ugt.evaluate(labels, {"m": scores}, **options)  # the class beside a word of absence, in every table
    assert list(by_default.metrics) == list(first.metrics) and by_default.provenance["positive_class"] == "cancer"
    assert {name: list(table) for name, table in by_default.tables.items()} == {name: list(table) for name, table in first.tables.items()}
