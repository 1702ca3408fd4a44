"""``ugt plan`` of a study: the numbers of ``plan_annotations``, from files and from stated components."""

import json

import numpy as np
import pytest
from csv_files import read
from noted import texts

import ugt

CLASSES = ("cat", "dog", "ibex")


@pytest.fixture(autouse=True)
def folder(command, write):
    rng = np.random.default_rng(5)
    truth = rng.integers(0, 3, 40)
    rows = [(f"c{i}", f"r{a}", truth[i] if rng.random() < 0.6 + 0.06 * a else rng.integers(3)) for i in range(40) for a in range(5)]
    write("case,annotator,label\n" + "".join(f"{i},{a},{CLASSES[k]}\n" for i, a, k in rows if rng.random() < 0.7), "labels.csv")
    for name in "AB":
        probs = rng.dirichlet(np.ones(3), 40) + 0.5 * np.eye(3)[truth]
        lines = [f"c{i},{','.join(map(str, row.tolist()))}\n" for i, row in enumerate(probs / probs.sum(1, keepdims=True))]
        write(f"case,{','.join(CLASSES)}\n{''.join(lines)}", f"{name}.csv")
    return write("case,annotator,label\n1,a,x\n2,a,y\n", "single.csv").parent


def data():
    return ugt.io.read_annotations("labels.csv").annotations, [ugt.io.read_predictions(f"{name}.csv") for name in "AB"]


@pytest.mark.parametrize(
    ("words", "given", "options"),
    [
        (["A.csv"], 1, {"width": 0.3}),
        (["A.csv", "B.csv", "--metric", "difference"], 2, {"power": 0.8, "difference": 0.2}),
        (["A.csv", "--metric", "discrepancy"], 1, {"power": 0.8, "margin": 0.5, "difference": -0.1}),
        ([], 0, {"width": 0.6}),
        (["--metric", "kappa", "--these-annotators"], 0, {"width": 0.6}),
    ],
)
def test_numbers_are_those_of_the_function(command, words, given, options):
    asked = [word for name, value in options.items() for word in (f"--{name}", str(value))]
    found = json.loads(command("plan", "labels.csv", *words, *asked, "--cost", "5", "1", "50", "--out", "t.csv", "--json"))
    labels, models = data()
    metric = found["metric"]
    assert metric == (words[words.index("--metric") + 1] if "--metric" in words else "agreement" if given else "alpha")
    scores = models if given == 2 else models[0] if given else None
    if metric == "discrepancy":
        scores = labels.axes.classes[models[0].aligned(labels.axes)[0].argmax(axis=1)]
    more = {"random": ("cases",)} if "--these-annotators" in words else {}
    plan = ugt.plan_annotations(labels, scores, metric=metric, cost=(5, 1, 50), **options, **more)
    assert found["value"] == plan.value and tuple(found["random"]) == plan.random
    assert [found["best"][name] for name in ("n_cases", "n_labels", "n_annotators")] == list(plan.best[:3])
    assert found["interval"] == list(plan.interval()) and found["next"] == plan.next_step() and texts(found) == [*map(str, plan.notes)]
    assert [int(row["n_cases"]) for row in read("t.csv")] == [one.n_cases for one in plan.table]


def test_an_estimate_of_0_is_explained_without_noise(command, write):
    right = np.random.default_rng(0).random((40, 2)) < 0.8
    labels = "".join(f"{i},r{a},{'yes' if right[i, a] == (i % 3 == 0) else 'no'}\n" for i in range(40) for a in range(2))
    write("case,annotator,label\n" + labels, "negative.csv")
    write("case,no,yes\n" + "".join(f"{i},{0.8 if i % 3 else 0.2},{0.2 if i % 3 else 0.8}\n" for i in range(40)), "model.csv")
    said = command("plan", "negative.csv", "model.csv", "--width", "0.1")
    assert "Standard deviations of scores: cases 0, annotators 0, labels 0." in said and "divide by zero" not in said
    assert "Plan if the variance" not in said and "The estimate 0 does not show that annotators do not differ" in said


def test_what_is_printed(command):
    assert "give the cost of one as the third number of --cost." in command("plan", "labels.csv", "A.csv", "--width", "0.3")
    said = command("plan", "labels.csv", "A.csv", "--width", "0.3", "--cost", "5", "1", "50")
    plan = ugt.plan_annotations(data()[0], data()[1][0], width=0.3, cost=(5, 1, 50))
    one = plan.best
    assert f"Pilot: agreement {plan.value:.4f}; 40 cases with " in said and "labels each by 5 annotators." in said
    assert f"Plan: {one.n_cases} cases, {one.n_labels} labels per case, {one.n_annotators} annotators: width {one.width:.4f}, cost" in said
    assert "The pilot determines this width with a 95% interval of" in said and "(intervals for other cases and other annotators)" in said
    assert 3 <= sum(line.startswith("  ") for line in said.splitlines()) <= 13 and "one unit of cost saves after the pilot" in said
    stated = command("plan", "--components", "cases=0.05", "annotators=0.004", "labels=0.15", "--width", "0.2", "--value", "0.7")
    best = ugt.plan_annotations(components={"cases": 0.05, "annotators": 0.004, "labels": 0.15}, width=0.2, value=0.7).best
    assert f"Plan: {best.n_cases} cases" in stated and "Pilot" not in stated
    said = command("plan", "labels.csv", "A.csv", "--width", "1")
    assert ", 1 label per case, " in said and "1 labels" not in said
    assert command("plan", "labels.csv", "A.csv").count("Plan:") == 0  # without a target: what the pilot says
    command("plan", "--components", "cases=0.05", "annotators=0.004", "labels=0.15", "--width", "0.01", "--max-annotators", "5")
    assert "no number of cases is enough" in command.err


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["--width", "0.1"], "FILE or --components must be given to plan a study. Got neither."),
        (["labels.csv", "--metric", "agreement"], "PREDICTIONS must hold 1 model for --metric agreement. Got 0."),
        (["labels.csv", "A.csv", "--metric", "difference"], "PREDICTIONS must hold 2 models for --metric difference. Got 1."),
        (["labels.csv", "A.csv", "--metric", "kappa"], "PREDICTIONS must be left out for --metric kappa. Got 1."),
        (["labels.csv", "--components", "cases=1"], "--components must be left out where files are given. Got labels.csv."),
        (["--components", "cases"], "--components must be NAME=NUMBER, such as cases=0.05. Got 'cases'."),
        (["single.csv"], "labels must hold cases with two labels: with one label per case"),
        (["labels.csv", "A.csv", "--power", "0.8"], "--difference must be given for power"),
    ],
)
def test_what_cannot_be_planned(command, words, message):
    said = command("plan", *words, code=2)
    assert message in said and said.count("\n") <= 3
