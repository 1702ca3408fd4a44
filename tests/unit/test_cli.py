"""The command: what it writes and prints, and that bad input gets one line, exit code 2, and nothing written."""

import csv
import hashlib
import inspect
import json
import os
import re
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

import ugt
from ugt import cli, synthetic
from ugt.cli import evaluate as _evaluate
from ugt.cli import output
from ugt.evaluation import evaluate

ANNOTATIONS = """\
case,annotator,label
p1,x,cat
p1,y,cat
p1,z,dog
p2,x,dog
p2,y,dog
p2,z,dog
p3,x,cat
p3,y,ibex
p3,z,
p4,x,NA
"""
SCORES = """\
case,dog,ibex,cat
p4,0.1,0.2,0.7
p3,0.3,0.5,0.2
p2,0.6,0.1,0.3
p1,0.5,0.2,0.3
"""
TABLES = ["agreement", "calibration", "cases", "certainty", "flips", "humans", "metrics", "reliability_bins", "winners"]
NO_TABLES = {"ugt", "schema", "provenance", "data", "left_out", "notes", "models", "sources"}


def files(found):
    """Every table of an evaluation is a file."""
    assert set(found) > {*TABLES, *NO_TABLES}
    return sorted([*(f"{name}.csv" for name in set(found) - NO_TABLES), "evaluation.json", "report.html"])


@pytest.fixture(autouse=True)
def folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "annotations.csv").write_text(ANNOTATIONS)
    (tmp_path / "A.csv").write_text(SCORES)
    np.savez(tmp_path / "B.npz", scores=[[0.9, 0.1, 0.0]] * 4, case_ids=["p1", "p2", "p3", "p4"], classes=["cat", "dog", "ibex"])
    return tmp_path


def run(*arguments):
    return cli.main([str(argument) for argument in arguments])


def evaluate_files(*more, annotations="annotations.csv", predictions=("A.csv", "B.npz")):
    resamples = () if "--n-boot" in more else ("--n-boot", 50)  # fewer take less time
    return run("evaluate", "--annotations", annotations, "--predictions", *predictions, "--out", "report", *resamples, *more)


def result():
    with open("report/evaluation.json", encoding="utf-8") as file:
        return json.load(file)


def value(found, model, metric, k, reliability=1.0):
    key = {"model": model, "metric": metric, "k": k, "reliability": reliability}
    (row,) = [row for row in found["metrics"] if key.items() <= row.items()]
    return row["value"]


# --- evaluate ----------------------------------------------------------------------------------------------------------


def test_evaluate_writes_the_report_and_prints_a_summary(capsys):
    assert evaluate_files() == 0
    found = result()
    assert sorted(os.listdir("report")) == files(found)
    assert found["models"] == ["A", "B"]
    assert value(found, "A", "voted_accuracy", 1, None) == pytest.approx((0 + 1 + 0.5) / 3)
    printed = capsys.readouterr()
    assert printed.err == ""
    lines = printed.out.splitlines()
    assert lines[0] == "4 cases, 3 classes, 8 labels by 3 annotators."
    assert lines[1] == "Left out: case without annotations: 1."
    assert lines[2] == "Read as missing: blank (1 cells), 'NA' (1 cells)."
    assert "Read as missing: blank (1 cells), 'NA' (1 cells)." in found["notes"]
    assert lines[-1] == f"Report: {os.path.join('report', 'report.html')}"
    row = next(line.split() for line in lines if line.strip().startswith("A "))
    assert row[1:3] == [f"{value(found, 'A', 'voted_accuracy', k, None):.4f}" for k in (1, 3)]
    assert row[3] == f"{value(found, 'A', 'topk_accuracy', 1):.4f}"
    assert any(line.startswith("Best by top-1: ") for line in lines)


@pytest.mark.slow
def test_the_numbers_are_those_of_evaluate():
    assert evaluate_files("--reliability", 1, 2.5, "--k", 1, 2, "--prior", 0.5, "--ties", "first", "--level", 0.9, "--seed", 7) == 0
    labels = ugt.Labels.from_long(
        *zip(*[("p1", "x", "cat"), ("p1", "y", "cat"), ("p1", "z", "dog"), ("p2", "x", "dog"), ("p2", "y", "dog"), ("p2", "z", "dog")],
             ("p3", "x", "cat"), ("p3", "y", "ibex")),
        cases=["p1", "p2", "p3", "p4"],
    )  # fmt: skip
    scores = {
        "A": (["p4", "p3", "p2", "p1"], np.array([[0.7, 0.1, 0.2], [0.2, 0.3, 0.5], [0.3, 0.6, 0.1], [0.3, 0.5, 0.2]])),
        "B": np.array([[0.9, 0.1, 0.0]] * 4),
    }
    expected = evaluate(
        labels, scores, reliability=(1, 2.5), k=(1, 2), prior=0.5, ties="first", level=0.9, n_resamples=50, seed=7
    ).to_dict()
    found = result()
    for part in ("metrics", "certainty", "winners", "cases", "left_out"):
        assert found[part] == expected[part]


def test_provenance_has_the_command_and_checksums():
    assert evaluate_files("--seed", 3) == 0
    provenance = result()["provenance"]
    assert provenance["command"] == (
        "ugt evaluate --annotations annotations.csv --predictions A.csv B.npz --out report --n-boot 50 --seed 3"
    )
    assert [entry["name"] for entry in provenance["inputs"]] == ["annotations.csv", "A.csv", "B.npz"]
    assert provenance["inputs"][0]["sha256"] == hashlib.sha256(ANNOTATIONS.encode()).hexdigest()
    assert provenance["seed"] == 3


def test_every_option_reaches_evaluate(monkeypatch):
    seen = {}

    def spy(annotations, predictions, **keywords):
        seen.update(keywords)
        return evaluate(annotations, predictions, details=False, n_resamples=20)

    monkeypatch.setattr(_evaluate, "evaluate", spy)
    options = {
        "aggregation": ("votes", "votes"), "reliability": ([2.0], 2), "k": ([1], 1), "prior": (0.2, 0.2), "background": (0.1, 0.1),
        "tie-weight": ("full", "full"), "ties": ("first", "first"), "missing": ("drop", "drop"), "level": (0.8, 0.8),
        "n-boot": (50, 50), "interval": ("basic", "basic"), "seed": (9, 9), "threads": (2, 2),
    }  # fmt: skip
    assert evaluate_files(*(word for name, (_, said) in options.items() for word in (f"--{name}", said))) == 0
    names = {"tie-weight": "tie_weight", "n-boot": "n_resamples", "threads": "n_threads"}
    assert {names.get(name, name): expected for name, (expected, _) in options.items()}.items() <= seen.items()
    assert "details" not in seen
    assert evaluate_files("--no-details") == 0
    assert seen["details"] is False
    assert set(_evaluate.KEYWORDS) <= set(inspect.signature(evaluate).parameters)


def test_names_of_models(folder):
    (folder / "odd=name.csv").write_text(SCORES)
    assert evaluate_files(predictions=("A.csv", "again=A.csv", "odd=name.csv")) == 0
    assert result()["models"] == ["A", "again", "odd=name"]


@pytest.mark.slow
def test_groups(folder):
    (folder / "risk.txt").write_text("0\n1\n0\n")
    assert evaluate_files("--groups", "risk.txt", "--group-names", "low", "high") == 0
    found = result()
    assert found["provenance"]["groups"] == ["low", "high"]
    assert any(row["measure"] == "group_certainty" for row in found["certainty"])
    (folder / "risk.txt").write_text("tame\nwild\ntame\n")
    assert evaluate_files("--groups", "risk.txt") == 0
    assert result()["provenance"]["groups"] == ["tame", "wild"]
    assert result()["certainty"] == found["certainty"]


def test_other_columns_and_missing_cells(folder):
    (folder / "b.csv").write_text("id,who,what,class\np1,x,cat,q\np2,x,dog,q\np3,x,?,q\np4,x,ibex,q\n")
    columns = ("--case-column", "id", "--annotator-column", "who", "--label-column", "what")
    assert evaluate_files(*columns, "--na", "?", annotations="b.csv") == 0
    assert result()["left_out"] == {"case without annotations": 1}
    assert "Read as missing: '?' (1 cells)." in result()["notes"]


def test_two_classes_need_no_k(folder):
    (folder / "b.csv").write_text("case,annotator,label\np1,x,0\np2,x,1\n")
    np.save(folder / "C.npy", [[0.9, 0.1], [0.8, 0.2]])
    assert evaluate_files(annotations="b.csv", predictions=["C.npy"]) == 0
    assert result()["provenance"]["k"] == [1]


def test_classes_from_a_file_keep_unused_ones(folder):
    (folder / "classes.txt").write_text("dog\ncat\nibex\nyak\n")
    (folder / "C.csv").write_text(SCORES.replace("\n", ",0\n").replace("cat,0", "cat,yak"))
    assert evaluate_files("--classes", "classes.txt", predictions=["C.csv"]) == 0
    assert result()["data"]["n_unused_classes"] == 1


def test_dropped_cases_are_counted(folder, capsys):
    (folder / "A.csv").write_text(SCORES.replace("p2,0.6,0.1,0.3\n", ""))
    assert evaluate_files("--missing", "drop") == 0
    assert result()["left_out"] == {"case without annotations": 1, "case without predictions (dropped)": 1}
    assert "Left out: case without predictions (dropped): 1." in capsys.readouterr().out


def test_a_case_without_annotations_is_kept_undefined_and_counted():
    assert evaluate_files() == 0
    found = result()
    assert found["cases"][-1]["case"] == "p4"
    assert found["cases"][-1]["mean_certainty"] is None
    assert found["left_out"] == {"case without annotations": 1}
    with open("report/cases.csv", newline="") as file:
        assert list(csv.reader(file))[-1] == ["p4", "0", "", "", ""]


@pytest.mark.slow
def test_rankings_have_several_reliabilities(folder, capsys):
    (folder / "r.json").write_text(json.dumps([[[[0], [1, 2]], [[0]]], [[[2]]], [[[1], [0]], [[0, 1]]]]))
    np.save(folder / "C.npy", np.eye(3))
    np.save(folder / "D.npy", np.eye(3)[::-1])
    assert evaluate_files(annotations="r.json", predictions=["C.npy", "D.npy"]) == 0
    assert result()["provenance"]["reliability"] == [10, 20, 30, 50, 100]
    assert "Results at reliability 30 (the report has all of 10, 20, 30, 50, 100):" in capsys.readouterr().out
    assert evaluate_files("--aggregation", "irn", annotations="r.json", predictions=["C.npy", "D.npy"]) == 0
    assert "\nResults:\n" in capsys.readouterr().out


def test_winners_that_change_are_said():
    winners = [
        {"metric": "voted_accuracy", "k": 1, "reliability": None, "model": "A", "p_best": 1.0},
        {"metric": "topk_accuracy", "k": 1, "reliability": 10.0, "model": "B", "p_best": 0.997},
        {"metric": "set_accuracy", "k": 1, "reliability": 10.0, "model": "C", "p_best": 1.0},
        {"metric": "topk_accuracy", "k": 1, "reliability": 20.0, "model": "A = B", "p_best": 1.0},
        {"metric": "topk_accuracy", "k": 1, "reliability": 30.0, "model": "B", "p_best": 0.5},
    ]
    said = "Best by top-1: B (at 10, 30: best in 50-99 % of resamples), A = B (at 20: best in 100 % of resamples); by the voted label: A."
    assert output._winner_lines(winners) == [said]


def test_flips_are_said():
    flip = {
        "metric": "topk_accuracy",
        "k": 3,
        "model": "A",
        "other": "B",
        "better_above": True,
        "reliability": 12.345,
        "low": None,
        "high": 31.0,
    }
    flips = [flip, {**flip, "metric": "overlap"}, {**flip, "better_above": False, "low": 2.0, "high": None}]
    assert output._flip_lines(flips) == [
        "By top-3, B is better below reliability 12.3 (interval: below all to 31), A above.",
        "By top-3, A is better below reliability 12.3 (interval: 2 to above all), B above.",
    ]


def test_clusters(folder, capsys):
    lines = (folder / "annotations.csv").read_text().splitlines()[1:]
    cases = list(dict.fromkeys(line.split(",")[0] for line in lines))
    (folder / "patients.csv").write_text("patient,case\n" + "".join(f"p{i // 2},{case}\n" for i, case in enumerate(cases)))
    assert evaluate_files("--clusters", "patients.csv") == 0
    assert result()["sources"]["case_low, case_high"] == ["clusters"]
    assert [entry["name"] for entry in result()["provenance"]["inputs"]][-1] == "patients.csv"
    for text, said in (
        ("case,site\nx,1\n", "have the columns case and cluster"),
        ("case,cluster\n" + f"{cases[0]},1\n" * 2, f"case must stand once. Got 1 repeated, first at {cases[0]}"),
        ("case,cluster\nnobody,1\n", "clusters must hold an id for every case"),
        ("case,cluster\nx,\n", "not be blank"),
    ):
        (folder / "bad.csv").write_text(text)
        assert evaluate_files("--clusters", "bad.csv") == 2
        assert said in capsys.readouterr().err


# --- certainty and demo ------------------------------------------------------------------------------------------------


def test_certainty(folder, capsys):
    assert run("certainty", "annotations.csv", "--reliability", 1, 2, "--k", 1, 2, "--out", "new/c.csv") == 0
    lines = capsys.readouterr().out.splitlines()
    labels = ugt.Labels.from_counts([[2, 1, 0], [0, 3, 0], [1, 0, 1]])
    for reliability in (1, 2):
        posterior = ugt.dirichlet(labels, reliability=reliability)
        found = [ugt.annotation_certainty(posterior, k=k) for k in (1, 2)]
        cells = [f"{one.value:.4f}" for one in found]
        assert [str(reliability), *cells, str((found[0].per_case < 0.99).sum())] in [line.split() for line in lines]
    assert lines[-1] == "All cases: new/c.csv"
    with open("new/c.csv", newline="") as file:
        rows = list(csv.reader(file))
    assert [row[0] for row in rows] == ["case", "p3", "p1", "p2", "p4"]
    worst = next(line.split() for line in lines if line.split()[:1] == ["p3"])
    assert worst == ["p3", "2", "cat", "=", "ibex", f"{float(rows[1][-1]):.4f}"]
    assert not any(line.split()[:1] == ["p4"] for line in lines)  # undefined
    assert os.listdir("new") == ["c.csv"]


@pytest.mark.slow
def test_demo(capsys):
    assert run("demo", "--out", "d") == 0
    out = capsys.readouterr().out
    assert "2,000 cases, 20 classes, 10,000 rankings by 5 annotators." in out
    assert re.search(r"Best by top-1: clear-cut \(at 10, 20: best in \d\d-\d\d % of resamples\), broad \(at 30, 50, 100: ", out)
    assert re.search(r"By top-1, clear-cut is better below reliability 29\.5 \(interval: [^)]*\), broad above\.", out)
    assert out.endswith(f"Report: {os.path.join('d', 'report.html')}\n")
    with open("d/evaluation.json", encoding="utf-8") as file:
        found = json.load(file)
    assert sorted(os.listdir("d")) == files(found)
    assert found["provenance"]["command"] == "ugt demo --out d"
    assert found["models"] == ["clear-cut", "broad", "baseline"]


@pytest.mark.slow
def test_demo_with_another_seed_is_other_data(capsys, monkeypatch):
    rankings = synthetic.make_rankings
    monkeypatch.setattr(synthetic, "make_rankings", lambda n, *more, **seed: rankings(60, *more, **seed))  # of a shorter demo
    assert run("demo", "--out", "d", "--seed", 5) == 0
    first = capsys.readouterr().out
    assert run("demo", "--out", "d", "--seed", 6) == 0
    assert capsys.readouterr().out != first


# --- bad input ---------------------------------------------------------------------------------------------------------


@pytest.fixture
def refused(folder, capsys):
    """The one line of an error; nothing is written, and nothing else said."""

    def refused(*arguments):
        before = sorted(folder.rglob("*"))
        assert run(*arguments) == 2
        printed = capsys.readouterr()
        assert printed.out == ""
        assert printed.err.startswith("ugt: error: ")
        assert printed.err.count("\n") == 1
        assert sorted(folder.rglob("*")) == before
        return printed.err[len("ugt: error: ") :].rstrip("\n")

    return refused


NESTED = [[[[0], [1]], [[0]]], [[[1]]]]
BAD_ANNOTATIONS = {
    "unknown class": (
        *("a.csv", ANNOTATIONS, ["--classes", "two.txt"]),
        "a.csv: label must be one of the 2 classes. Got 'ibex', first at case 'p3'",
    ),
    "class out of range": (
        *("a.csv", "case,annotator,label\np1,x,3\n", ["--classes", "3"]),
        "a.csv: label must hold class indices from 0 to 2. Got 3, first at case 'p1'",
    ),
    "negative count": (
        *("a.csv", "case,cat,dog\np1,3,1\np2,1,-1\n", ["--format", "counts"]),
        "a.csv: count must be a non-negative integer. Got '-1', first at line 3.",
    ),
    "non-finite count": (
        *("a.csv", "case,cat,dog\np1,3,inf\n", ["--format", "counts"]),
        "a.csv: count must be a non-negative integer. Got 'inf', first at line 2.",
    ),
    "class repeated in a ranking": (
        *("a.json", json.dumps([*NESTED, [[[2], [1, 2]]]]), []),
        "a.json: nested must not repeat a class within a ranking. Got 2 twice, first at case 2",
    ),
    "empty block": (
        *("a.json", json.dumps([*NESTED, [[[2], []]]]), []),
        "a.json: nested must not hold an empty block. Got [], first at case 2",
    ),
    "duplicate ranking": (
        *("a.csv", "case,annotator,ranking\np1,x,a > b\np1,x,b\n", []),
        "a.csv: annotator must rank a case once. Got 'x' twice, first at case 'p1'",
    ),
    "truncated": (
        *("a.csv", ANNOTATIONS + "p4,x", []),
        "a.csv: row must have 3 fields, as the header (is the file cut off?). Got 2, first at line 12.",
    ),
    "binary": ("a.csv", "\0\x01", [], "a.csv: file must be UTF-8 text. Got a NUL byte (a binary or UTF-16 file?), first at line 1."),
    "empty": ("a.csv", "", [], "a.csv: file must not be empty. Got 0 bytes without text."),
    "wide or counts": ("a.csv", "case,a,b\np1,3,1\n", [], "a.csv: format must be 'wide' (a column an annotator) or 'counts' (a col"),
}


@pytest.mark.parametrize("what", BAD_ANNOTATIONS)
def test_bad_annotations(folder, refused, what):
    name, content, options, message = BAD_ANNOTATIONS[what]
    (folder / name).write_text(content)
    (folder / "two.txt").write_text("cat\ndog\n")
    predictions = ["--predictions", "A.csv", "--out", "report"]
    assert refused("evaluate", "--annotations", name, *predictions, *options).startswith(message)
    assert refused("certainty", name, *options).startswith(message)


BAD_PREDICTIONS = {
    "NaN score": (SCORES.replace("0.6", "nan"), "C.csv: scores must be finite. Got nan, first at case 'p2', class 'dog'."),
    "unknown case": (SCORES + "p9,0,0,1\n", "model 'C': predictions must be for annotated cases only. Got 1 unknown of 5, first at 'p9'."),
    "missing case": (
        SCORES.replace("p4,0.1,0.2,0.7\n", ""),
        "model 'C': predictions must cover every case (missing='drop' leaves the others out). Got none for 1 of 4 cases, first at 'p4'.",
    ),
    "too few classes": (
        "case,cat,dog\np1,0,1\np2,0,1\np3,0,1\np4,0,1\n",
        "model 'C': scores must have a column for each of the 3 classes of the annotations. Got none for class 'ibex'.",
    ),
    "too many classes": (
        SCORES.replace("\n", ",0\n").replace("cat,0", "cat,yak"),
        "model 'C': scores must have columns only for classes of the annotations (name them all with classes= if the annotations miss "
        "some). Got a column for class 'yak'.",
    ),
    "repeated case": (SCORES + "p1,0,0,1\n", "C.csv: case_ids must not repeat an id. Got 'p1' twice"),
    "truncated": (SCORES + "p5,0.1", "C.csv: row must have 4 fields, as the header (is the file cut off?). Got 2, first at line 6."),
    "binary": ("\0", "C.csv: file must be UTF-8 text."),
    "empty": ("", "C.csv: file must not be empty."),
}


@pytest.mark.parametrize("what", BAD_PREDICTIONS)
def test_bad_predictions(folder, refused, what):
    content, message = BAD_PREDICTIONS[what]
    (folder / "C.csv").write_text(content)
    said = refused("evaluate", "--annotations", "annotations.csv", "--predictions", "A.csv", "C.csv", "--out", "report")
    assert said.startswith(message)


def test_wrong_number_of_columns_without_names(folder, refused):
    np.save(folder / "C.npy", np.ones((4, 2)))
    said = refused("evaluate", "--annotations", "annotations.csv", "--predictions", "C.npy", "--out", "report")
    assert said == "model 'C': scores must have one column for each of the 3 classes of the annotations. Got 2 columns."


BAD_OPTIONS = {
    "k > K": (["--k", "1", "4"], "k must be a whole number from 1 to 3. Got 4."),
    "k < 1": (["--k", "0"], "k must be a whole number from 1 to 3. Got 0."),
    "reliability 0": (["--reliability", "1", "0"], "reliability must be a finite number above 0. Got 0.0."),
    "reliability < 0": (["--reliability", "-1"], "reliability must be a finite number above 0. Got -1.0."),
    "threads": (["--threads", "0"], "n_threads must be a whole number of at least 1. Got 0."),
    "no such file": (["--classes", "nowhere.txt"], "[Errno 2] No such file or directory: 'nowhere.txt'"),
    "column": (["--case-column", "id"], "annotations.csv: case column must be one of the columns case, annotator, label. Got 'id'."),
}


@pytest.mark.parametrize("what", BAD_OPTIONS)
def test_bad_options(refused, what):
    options, message = BAD_OPTIONS[what]
    said = refused("evaluate", "--annotations", "annotations.csv", "--predictions", "A.csv", "--out", "report", *options)
    assert said == message


def test_bad_groups(folder, refused):
    arguments = ("evaluate", "--annotations", "annotations.csv", "--predictions", "A.csv", "--out", "report", "--groups", "g.txt")
    (folder / "g.txt").write_text("0\n1\n")
    assert "groups must" in refused(*arguments)
    (folder / "g.txt").write_text("low\nlow\nhigh\n")
    said = refused(*arguments, "--group-names", "a", "b")
    assert said == "group_names must be given for numbered groups only. Got groups such as 'low'."


RATINGS = "annotations must be labels or rankings (of ratings, ugt agreement says something). Got ratings."
JUDGED = ("--annotations", "g.csv", "--out", "report")
REFUSED = {
    "ratings have no certainty": (("certainty", "g.csv"), RATINGS),
    "ratings judge no model": (("evaluate", *JUDGED, "--predictions", "A.csv"), RATINGS),
    "ratings make no sets": (("conformal", *JUDGED, "--calibrate", "A.csv", "--apply", "A.csv"), RATINGS),
    "ratings have no weights": (("agreement", "g.csv", "--weights", "linear"), "--weights must be left out for ratings. Got 'linear'."),
    "rankings have no tables": (("agreement", "r.json", "--out", "x"), "--out must be left out for rankings. Got 'x'."),
    "rankings have no levels": (("agreement", "r.json", "--levels", "nominal"), "--levels must be left out for rankings. Got ['nominal']."),
    "rankings and formulas": (
        ("agreement", "r.json", "--interval", "analytic"),
        "--interval must be a bootstrap interval for rankings. Got 'analytic'.",
    ),
    "negative seed": (("demo", "--seed", "-3"), "--seed must be a whole number from 0 to 2**32 - 1. Got -3."),
    "endless seed": (("demo", "--seed", str(2**64)), f"--seed must be a whole number from 0 to 2**32 - 1. Got {2**64}."),
    "no folder": (("evaluate", "--annotations", "x", "--predictions", "x", "--out", ""), "--out must not be empty. Got ''."),
    "no file": (("certainty", "annotations.csv", "--out", ""), "--out must not be empty. Got ''."),
    "a folder for a file": (("certainty", "annotations.csv", "--out", "."), "--out must name a file. Got the folder '.'."),
    "a folder for a page": (("report", "x.json", "--out", ".."), "--out must name a file. Got the folder '..'."),
}


@pytest.mark.parametrize("what", REFUSED)
def test_what_does_not_go_together(folder, refused, what):
    (folder / "g.csv").write_text("case,annotator,value\np1,x,1.5\np1,y,2.5\np2,x,3\np2,y,3.5\n")
    (folder / "r.json").write_text(json.dumps([[[[0], [1]], [[1]]], [[[0], [1]], [[0], [1]]]]))
    arguments, message = REFUSED[what]
    assert refused(*arguments) == message


def test_duplicate_names(refused):
    said = refused("evaluate", "--annotations", "annotations.csv", "--predictions", "A.csv", "A=B.npz", "--out", "report")
    assert said == "predictions must have different names (write name=path). Got 'A' twice."


def test_output_folder_not_writable(folder, refused):
    (folder / "report").write_text("a file")
    arguments = ("evaluate", "--annotations", "annotations.csv", "--predictions", "A.csv", "--out")
    for out in ("report", os.path.join("report", "deep")):
        assert refused(*arguments, out).startswith(f"output folder must be a folder that can be written to. Got {out!r} (")
    assert refused("certainty", "annotations.csv", "--out", os.path.join("report", "c.csv")).startswith("output folder must be")
    assert refused("demo", "--out", "report").startswith("output folder must be")


def test_the_output_folder_is_tried_first(refused, monkeypatch):
    made = Path.mkdir

    def refuse(folder, **options):
        if folder.name.startswith(".ugt-"):
            raise PermissionError(13, "Permission denied")
        made(folder, **options)

    monkeypatch.setattr(Path, "mkdir", refuse)
    said = refused("evaluate", "--annotations", "nowhere.csv", "--predictions", "A.csv", "--out", "report")
    assert said == "output folder must be a folder that can be written to. Got 'report' (Permission denied)."


def test_an_older_report_survives_a_failure(folder):
    assert evaluate_files() == 0
    before = {name: (folder / "report" / name).read_bytes() for name in files(result())}
    assert evaluate_files("--k", 9) == 2
    assert {path.name: path.read_bytes() for path in (folder / "report").iterdir()} == before


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["--"], "the following arguments are required: COMMAND (see ugt --help)"),
        (["evaluate"], "the following arguments are required: --annotations, --predictions, --out (see ugt evaluate --help)"),
        (["demo", "--seed", "x"], "argument --seed: invalid int value: 'x' (see ugt demo --help)"),
        (["demo", "--see", "1"], "there is no option --see (did you mean --seed?) (see ugt demo --help)"),
        (["demo", "--see=1"], "there is no option --see (did you mean --seed?) (see ugt demo --help)"),
        (["evaluate", "--anotations", "x"], "there is no option --anotations (did you mean --annotations?) (see ugt evaluate --help)"),
        (["certainty", "x", "--zzzz"], "there is no option --zzzz (see ugt certainty --help)"),
        (["evalute", "--out", "x"], "there is no command 'evalute' (did you mean evaluate?) (see ugt --help)"),
        (["eval"], "there is no command 'eval' (did you mean evaluate?) (see ugt --help)"),
        (["12345"], "there is no command '12345' (see ugt --help)"),
        (["--verson"], "there is no option --verson (did you mean --version?) (see ugt --help)"),
        (["--seed", "1", "demo"], "--seed must stand after the command (see ugt --help)"),
        (["certainty", "x", "y"], "unrecognized arguments: y (see ugt certainty --help)"),
        (["demo", "-x"], "unrecognized arguments: -x (see ugt demo --help)"),
    ],
)
def test_usage(capsys, arguments, message):
    with pytest.raises(SystemExit) as stop:
        cli.main(arguments)
    assert stop.value.code == 2
    assert capsys.readouterr() == ("", f"ugt: error: {message}\n")


def test_no_command_is_a_short_help(capsys):
    assert cli.main([]) == 2
    out, err = capsys.readouterr()
    assert out == ""
    assert err.startswith("usage: ugt COMMAND [options]\n") and err.endswith("See ugt --help, and ugt COMMAND --help.\n")
    assert "commands: evaluate, certainty, agreement, calibrate, conformal, " in err


def test_words_that_look_like_options_but_are_values(folder):
    assert run("certainty", "annotations.csv", "--na", "-- none", "NA", "", "--label-column=label") == 0
    assert evaluate_files("--reliability", "1e0") == 0


# --- the end of the process --------------------------------------------------------------------------------------------


def test_interruption(capsys, monkeypatch, folder):
    def interrupt(*_, **__):
        raise KeyboardInterrupt

    monkeypatch.setattr(_evaluate, "evaluate", interrupt)
    assert evaluate_files() == 130
    assert capsys.readouterr().err == "ugt: interrupted\n"
    assert not (folder / "report").exists()


def test_internal_errors_are_not_hidden(monkeypatch):
    def fail(*_, **__):
        raise RuntimeError("a bug")

    monkeypatch.setattr(_evaluate, "evaluate", fail)
    with pytest.raises(RuntimeError, match="a bug"):
        evaluate_files()


def module(*arguments):
    return subprocess.run([sys.executable, "-m", "ugt", *arguments], capture_output=True, text=True, check=False)


@pytest.mark.slow
def test_as_a_module(folder):
    assert module("--version").stdout == f"ugt {ugt.__version__}\n"
    # --quiet: a slow machine would say how far it is
    done = module("evaluate", "--annotations", "annotations.csv", "--predictions", "A.csv", "--out", "report", "--quiet")
    assert (done.returncode, done.stderr) == (0, "")
    assert sorted(os.listdir("report")) == files(result())
    failed = module("certainty", "nowhere.csv")
    assert (failed.returncode, failed.stdout) == (2, "")
    assert failed.stderr == "ugt: error: [Errno 2] No such file or directory: 'nowhere.csv'\n"


@pytest.mark.slow
def test_names_that_the_terminal_cannot_show(folder):
    (folder / "a.csv").write_text(ANNOTATIONS.replace("cat", "Kätzchen"), encoding="utf-8")
    environment = {**os.environ, "PYTHONIOENCODING": "ascii"}
    done = subprocess.run([sys.executable, "-m", "ugt", "certainty", "a.csv"], capture_output=True, text=True, check=False, env=environment)
    assert done.returncode == 0
    assert "K?tzchen" in done.stdout


@pytest.mark.slow
@pytest.mark.skipif(sys.platform == "win32", reason="needs a POSIX pipe")
def test_a_closed_pipe_ends_quietly(tmp_path):
    (tmp_path / "labels.csv").write_text("case,annotator,label\n" + "".join(f"{i},ann,{i % 3}\n" for i in range(30)))
    read, write = os.pipe()
    os.close(read)
    command = [sys.executable, "-m", "ugt", "certainty", "labels.csv"]
    done = subprocess.run(command, cwd=tmp_path, stdout=write, stderr=subprocess.PIPE, text=True, check=False)
    os.close(write)
    assert (done.returncode, done.stderr) == (141, "")
