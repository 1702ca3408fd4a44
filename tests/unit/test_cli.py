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
from unittest.mock import Mock

import numpy as np
import pytest
from noted import texts
from refusals import results

import ugt
from ugt import cli, synthetic
from ugt.cli import evaluate as _evaluate
from ugt.cli import output
from ugt.evaluation import evaluate
from ugt.report.digest import Digest
from ugt.tables.comparison import DifferenceRow
from ugt.tables.performance import CertaintyRow
from ugt.tables.source import DataFacts, ReportSource
from ugt.tables.standings import FlipRow, MetricRow
from ugt.tables.worklist import CaseColumns

ANNOTATIONS = (
    "case,annotator,label\np1,x,cat\np1,y,cat\np1,z,dog\np2,x,dog\np2,y,dog\np2,z,dog\np3,x,cat\np3,y,ibex\n"
    "p3,z,\np4,x,NA\n"  # read as missing
)
HEAD = "case,annotator,label\n"
SCORES = "case,dog,ibex,cat\np4,0.1,0.2,0.7\np3,0.3,0.5,0.2\np2,0.6,0.1,0.3\np1,0.5,0.2,0.3\n"
TABLES = ["agreement", "calibration", "cases", "certainty", "flips", "humans", "metrics", "reliability_bins", "winners"]
NO_TABLES = {"ugt", "schema", "run", "provenance", "data", "left_out", "notes", "models", "sources"}


JUDGE = ("evaluate", "--annotations", "annotations.csv", "--predictions", "A.csv", "--out", "report")


def files(found):
    """Every table of an evaluation that has rows is a file, and so are the items of guidelines."""
    assert set(found) > {*TABLES, *NO_TABLES}
    return sorted([*(f"{name}.csv" for name in set(found) - NO_TABLES if found[name]), "evaluation.json", "guidelines.csv", "report.html"])


@pytest.fixture(autouse=True)
def folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr("ugt._base.parallel.QUIET_SECONDS", 1e9)  # a slow machine would say how far it is
    (tmp_path / "annotations.csv").write_bytes(ANNOTATIONS.encode())  # whose hash is recorded
    (tmp_path / "A.csv").write_text(SCORES, encoding="utf-8")
    np.savez(tmp_path / "B.npz", scores=[[0.9, 0.1, 0.0]] * 4, case_ids=["p1", "p2", "p3", "p4"], classes=["cat", "dog", "ibex"])
    return tmp_path


def evaluate_files(*more, annotations="annotations.csv", predictions=("A.csv", "B.npz")):
    resamples = () if "--n-boot" in more else ("--n-boot", 50)  # fewer take less time
    words = ("evaluate", "--annotations", annotations, "--predictions", *predictions, "--out", "report", *resamples, *more)
    return cli.main([str(word) for word in words])


def evaluated(*more, **files):
    """The evaluation that the command writes."""
    assert evaluate_files(*more, **files) == 0
    return json.loads(Path("report/evaluation.json").read_text(encoding="utf-8"))


def value(found, model, metric, k, reliability=1.0):
    key = {"model": model, "metric": metric, "k": k, "reliability": reliability}
    (row,) = [row for row in found["metrics"] if key.items() <= row.items()]
    return row["value"]


def test_values_given_in_several_places_are_all_taken(capsys):
    found = evaluated("--predictions", "C=A.csv", "--k", 1, "--k", 2)
    assert found["models"] == ["A", "B", "C"] and {row["k"] for row in found["metrics"]} == {1, 2}
    for again in (0, 1):
        with pytest.raises(SystemExit) as ended:
            evaluate_files("--seed", 0, "--seed", again)
        assert ended.value.code == 2
        assert f"argument --seed: must be given once. Got 0 and {again}. (see ugt evaluate --help)" in capsys.readouterr().err


def test_evaluate_writes_the_report_and_prints_a_summary(capsys):
    found = evaluated()
    assert sorted(os.listdir("report")) == files(found) and found["models"] == ["A", "B"]
    assert value(found, "A", "voted_accuracy", 1, None) == pytest.approx((0 + 1 + 0.5) / 3)
    printed = capsys.readouterr()
    assert printed.err == ""
    lines = printed.out.splitlines()
    assert lines.pop(0) == "annotations.csv: labels (one row per label): 4 cases, 3 annotators, 3 classes, 8 labels."
    assert [line.partition(" (")[0] for line in lines[:2]] == ["A.csv: predictions", "B.npz: predictions"]
    assert lines[0].endswith(": joined by case id: 3 of 4 cases.") or lines[0].endswith("4 of 4 cases.")
    lines = lines[1:]
    assert lines[1] == "Left out: case without annotations: 1." and found["left_out"] == {"case without annotations": 1}
    assert lines[2] == "Read as missing: blank (1 cells), 'NA' (1 cells)." and lines[2] in texts(found)
    assert (found["cases"][-1]["case"], found["cases"][-1]["mean_certainty"]) == ("p4", None)
    with open("report/cases.csv", newline="", encoding="utf-8") as file:
        assert list(csv.reader(file))[-1] == ["p4", "0", *[""] * 10, found["run"]]
    assert lines[-1] == f"Report: {os.path.join('report', 'report.html')}"
    (cells,) = [re.split(" {2,}", line.strip()) for line in lines if line.strip().startswith("A ")]
    kept = [row for row in found["metrics"] if row["model"] == "A" and row["reliability"] in (None, 1.0)]
    wanted = [row for metric in ("voted_accuracy", "topk_accuracy") for row in kept if row["metric"] == metric]
    assert cells[1:5] == [f"{row['value']:.2f}" for row in wanted] and "(0." not in printed.out
    assert any(line.startswith("No intervals: too few cases. ") for line in lines)
    assert "There are too few cases to say which model is ahead." in lines and not any(line.startswith("By top-1: ") for line in lines)
    assert any(line.endswith("that the model is right.") for line in lines)


@pytest.mark.slow
def test_the_numbers_are_those_of_evaluate():
    options = ("--reliability", 1, 2.5, "--k", 1, 2, "--prior", 0.5, "--ties", "first", "--level", 0.9, "--seed", 7)
    found = evaluated(*options)
    rows = [line.split(",") for line in ANNOTATIONS.splitlines()[1:9]]
    labels = ugt.Labels.from_long(*zip(*rows), cases=["p1", "p2", "p3", "p4"])
    scores = {
        "A": (["p4", "p3", "p2", "p1"], np.array([[0.7, 0.1, 0.2], [0.2, 0.3, 0.5], [0.3, 0.6, 0.1], [0.3, 0.5, 0.2]])),
        "B": np.array([[0.9, 0.1, 0.0]] * 4),
    }
    expected = evaluate(labels, scores, reliability=(1, 2.5), k=(1, 2), prior=0.5, ties="first", level=0.9, n_resamples=50, seed=7)
    for part in ("metrics", "certainty", "winners", "cases", "left_out"):
        assert found[part] == expected.to_dict()[part]


def test_provenance_and_names_of_models(folder):
    provenance = evaluated("--seed", 3)["provenance"]
    line = "ugt evaluate --annotations annotations.csv --predictions A.csv B.npz --out report --n-boot 50 --seed 3"
    assert provenance["command"] == line and provenance["seed"] == 3
    assert [entry["name"] for entry in provenance["inputs"]] == ["annotations.csv", "A.csv", "B.npz"]
    assert provenance["inputs"][0]["sha256"] == hashlib.sha256(ANNOTATIONS.encode()).hexdigest()
    (folder / "odd=name.csv").write_text(SCORES, encoding="utf-8")
    assert evaluated(predictions=("A.csv", "again=A.csv", "odd=name.csv"))["models"] == ["A", "again", "odd=name"]


def test_every_option_reaches_evaluate(monkeypatch):
    seen = {}

    def spy(annotations, predictions, **keywords):
        seen.update(keywords)
        return evaluate(annotations, predictions, details=False, n_resamples=20)

    monkeypatch.setattr(_evaluate, "evaluate", spy)
    options = {
        "aggregation": "votes", "reliability": 2, "k": 1, "prior": 0.2, "background": 0.1, "tie-weight": "full", "ties": "first",
        "missing": "drop", "level": 0.8, "n-boot": 50, "interval": "basic", "seed": 9, "threads": 2,
    }  # fmt: skip
    assert evaluate_files(*(word for name, said in options.items() for word in (f"--{name}", said))) == 0
    names = {"tie-weight": "tie_weight", "n-boot": "n_resamples", "threads": "n_threads"}
    expected = {**options, "reliability": [2.0], "k": [1]}
    assert {names.get(name, name): given for name, given in expected.items()}.items() <= seen.items()
    assert "details" not in seen
    assert evaluate_files("--no-details") == 0 and seen["details"] is False
    assert set(_evaluate.KEYWORDS) <= set(inspect.signature(evaluate).parameters)


@pytest.mark.slow
def test_groups(folder):
    (folder / "risk.txt").write_text("0\n1\n0\n", encoding="utf-8")
    found = evaluated("--groups", "risk.txt", "--group-names", "low", "high")
    assert found["provenance"]["groups"] == ["low", "high"]
    assert any(row["measure"] == "group_certainty" for row in found["certainty"])
    (folder / "risk.txt").write_text("tame\nwild\ntame\n", encoding="utf-8")
    named = evaluated("--groups", "risk.txt")
    assert named["provenance"]["groups"] == ["tame", "wild"] and named["certainty"] == found["certainty"]
    (folder / "risk.csv").write_text("class,group\nibex,tame\ncat,tame\ndog,wild\n", encoding="utf-8")
    assert evaluated("--groups", "risk.csv")["metrics"] == named["metrics"]


def test_columns_and_classes_of_files(folder):
    (folder / "b.csv").write_text("id,who,what,class\np1,x,cat,q\np2,x,dog,q\np3,x,?,q\np4,x,ibex,q\np4,y,,q\n", encoding="utf-8")
    columns = ("--case-column", "id", "--annotator-column", "who", "--label-column", "what")
    found = evaluated(*columns, "--na", "?", annotations="b.csv")
    assert found["left_out"] == {"case without annotations": 1} and "Read as missing: '?' (1 cells), blank (1 cells)." in texts(found)
    (folder / "b.csv").write_text("case,annotator,label\np1,x,0\np2,x,1\n", encoding="utf-8")
    np.save(folder / "C.npy", [[0.9, 0.1], [0.8, 0.2]])
    assert evaluated(annotations="b.csv", predictions=["C.npy"])["provenance"]["k"] == [1]
    (folder / "classes.txt").write_text("dog\ncat\nibex\nyak\n", encoding="utf-8")
    (folder / "C.csv").write_text(SCORES.replace("\n", ",0\n").replace("cat,0", "cat,yak"), encoding="utf-8")
    assert evaluated("--classes", "classes.txt", predictions=["C.csv"])["data"]["n_unused_classes"] == 1


def test_numbers_of_all_classes_are_said_to_be_1_by_definition(capsys):
    said = "With 3 classes, top-3 accuracy, set accuracy, overlap and certainty are 1 by definition."
    assert said not in texts(evaluated()) and said not in capsys.readouterr().out
    found = evaluated("--k", "1", "3")
    assert found["provenance"]["k"] == [1, 3] and said in texts(found)
    assert capsys.readouterr().out.splitlines().count(said) == 1
    assert cli.main(["certainty", "annotations.csv", "--k", "1", "3"]) == 0
    assert capsys.readouterr().out.splitlines().count(said) == 1


def test_labels_of_an_annotator_that_contradict_each_other_are_said_on_page_one(folder, capsys):
    claim = "Several labels of a case by one annotator"
    evaluated()
    assert claim not in (folder / "report" / "report.html").read_text(encoding="utf-8")
    (folder / "b.csv").write_text("case,annotator,label\np1,x,cat\np1,x,dog\np2,x,dog\np3,x,dog\np4,x,ibex\n", encoding="utf-8")
    capsys.readouterr()
    evaluated(annotations="b.csv")
    page = (folder / "report" / "report.html").read_text(encoding="utf-8")
    assert claim in page.partition("</aside>")[0]
    said = "An annotator gave several labels to one case, and each counts: once at case 'p1', annotator 'x'."
    assert said in capsys.readouterr().out.splitlines()


@pytest.mark.parametrize(
    "row, claim", [("P1,x,cat", "Cases of one name in two spellings"), ("p1,consensus,cat", "A consensus or a model among the annotators")]
)
def test_what_makes_annotations_doubtful_is_said_on_page_one(folder, row, claim):
    (folder / "b.csv").write_text(ANNOTATIONS + row + "\n", encoding="utf-8")
    evaluated("--missing", "drop", annotations="b.csv")
    assert claim in (folder / "report" / "report.html").read_text(encoding="utf-8").partition("</aside>")[0]
    evaluated()
    assert claim not in (folder / "report" / "report.html").read_text(encoding="utf-8")


def test_dropped_cases_are_counted(folder, capsys):
    (folder / "A.csv").write_text(SCORES.replace("p2,0.6,0.1,0.3\n", ""), encoding="utf-8")
    left_out = evaluated("--missing", "drop")["left_out"]
    assert left_out == {"case without annotations": 1, "case without predictions": 1}
    assert "Left out: case without predictions: 1." in capsys.readouterr().out


def test_a_model_without_information_is_level_with_the_constant(folder, capsys):
    """Its soft AUROC is below 1/2, because no case is paired with itself, and so is that of always the commonest class."""
    rows = "".join(f"{i},{who},{'ill' if i % 3 else 'well'}\n" for i in range(30) for who in "xyz")
    (folder / "two.csv").write_text(HEAD + rows, encoding="utf-8")
    (folder / "m.csv").write_text("case,ill,well\n" + "".join(f"{i},0.6,0.4\n" for i in range(30)), encoding="utf-8")
    (folder / "n.csv").write_text("case,ill,well\n" + "".join(f"{i},{i % 3 > 0:d},{i % 3 == 0:d}\n" for i in range(30)), encoding="utf-8")
    found = evaluated("--reliability", "1", "--positive-class", "well", annotations="two.csv", predictions=["m.csv", "n.csv"])
    (known,) = [row for row in found["references"] if (row["metric"], row["reference"]) == ("soft_auroc", "always the commonest class")]
    own = next(row for row in found["metrics"] if (row["model"], row["metric"]) == ("m", "soft_auroc"))
    assert known["value"] == pytest.approx(own["value"], abs=1e-12) and known["value"] < 0.5
    assert not re.search(r"(\S+) \(\1 to \1\)", capsys.readouterr().out)  # all cases are alike for n


def test_the_positive_class_by_default_is_printed(folder, capsys):
    (folder / "two.csv").write_text("case,annotator,label\np1,x,ill\np2,x,healthy\np3,x,ill\n", encoding="utf-8")
    (folder / "m.csv").write_text("case,ill,healthy\np1,0.9,0.1\np2,0.2,0.8\np3,0.6,0.4\n", encoding="utf-8")
    evaluated(annotations="two.csv", predictions=["m.csv"])
    assert "Positive class: ill (of healthy and ill; --positive-class sets it).\n" in capsys.readouterr().out
    assert "Positive class: ill" in (folder / "report" / "report.html").read_text(encoding="utf-8")
    evaluated("--positive-class", "ill", annotations="two.csv", predictions=["m.csv"])
    assert "Positive class" not in capsys.readouterr().out


def test_scores_that_are_joined_by_position_say_so(folder, capsys):
    np.save(folder / "C.npy", np.eye(4, 3))
    said = "The scores of C came without case ids and were joined by position: row 1 is case 'p1', row 4 is case 'p4'."
    found = evaluated(predictions=["A.csv", "C.npy"])
    assert found["data"]["joined"].startswith(said) and said in texts(found) and said in capsys.readouterr().out
    assert "joined by position: row 1 is case" in (folder / "report" / "report.html").read_text(encoding="utf-8")
    assert evaluated()["data"]["joined"] is None


def test_all_files_of_a_run_carry_its_name(folder):
    run = evaluated()["run"]
    page = (folder / "report" / "report.html").read_text(encoding="utf-8")
    assert f"<code><bdi>{run}</bdi></code>" in page
    for path in (folder / "report").glob("*.csv"):
        header, *rows = csv.reader(path.read_text(encoding="utf-8").splitlines())
        assert header[-1] == "run" and {row[-1] for row in rows} <= {run}
    assert evaluated()["run"] == run != evaluated("--seed", "2")["run"]


@pytest.mark.slow
def test_rankings_have_several_reliabilities(folder, capsys):
    (folder / "r.json").write_text(json.dumps([[[[0], [1, 2]], [[0]]], [[[2]]], [[[1], [0]], [[0, 1]]]]), encoding="utf-8")
    for name, scores in (("C", np.eye(3)), ("D", np.eye(3)[::-1])):
        np.save(folder / f"{name}.npy", scores)
    assert evaluated(annotations="r.json", predictions=["C.npy", "D.npy"])["provenance"]["reliability"] == [10, 20, 30, 50, 100]
    assert "Results at reliability 30 (the report has all of 10, 20, 30, 50, 100):" in capsys.readouterr().out
    assert evaluate_files("--aggregation", "irn", annotations="r.json", predictions=["C.npy", "D.npy"]) == 0
    assert "\nResults:\n" in capsys.readouterr().out
    assert evaluate_files("--reliability", "20", annotations="r.json", predictions=["C.npy", "D.npy"]) == 0
    assert "\nResults at reliability 20:\n" in capsys.readouterr().out


def test_leads_and_flips_are_said_if_they_are_shown():
    value = {"A": 0.5, "B": 0.52}
    truths = [("voted_accuracy", None, 0.01), ("topk_accuracy", 10.0, 0.01), ("topk_accuracy", 30.0, -0.01)]
    rows = [MetricRow(n, r, m, 1, value[n]) for m, r, _ in truths for n in "AB"]
    leads = [DifferenceRow(m, 1, r, "B", "A", 0.02, None, None, low, 0.03, None, 50) for m, r, low in truths]
    known = [CertaintyRow(r, "certainty", 1, 0.5, None, None) for r in (10.0, 30.0)]
    facts = {"data": DataFacts("rankings", 50, 3), "models": ["A", "B"], "notes": [], "left_out": {}, "sources": {}, "provenance": None}
    tables = {"metrics": rows, "certainty": known, "differences": leads}
    found = Digest(ReportSource(ugt="", run="", cases=CaseColumns([], [], [], []), tables=tables, **facts))
    said = "By top-1: B is ahead for these annotators (lead 1.0 to 3.0 percentage points) at reliability 10; A and B cannot be "
    said += "distinguished (lead of A -3.0 to 1.0 percentage points) at reliability 30; B is ahead for these annotators (lead 1.0 to 3.0 "
    said += "percentage points) by the voted label."
    assert output._lead_lines(found) == [said]
    flip = FlipRow("topk_accuracy", 3, "A", "B", True, 12.345, 2.0, 31.0, 0.5)
    flips = [flip, *(flip._replace(**one) for one in ({"metric": "overlap"}, {"better_above": False}, {"high": None}, {"low": None}))]
    assert output._flip_lines(flips) == [
        "By top-3, B is better below reliability 12.3 (interval: 2 to 31), A above.",
        "By top-3, A is better below reliability 12.3 (interval: 2 to 31), B above.",
    ]


def test_clusters(folder, capsys):
    (folder / "patients.csv").write_text("patient,case\np0,p1\np0,p2\np1,p3\np1,p4\n", encoding="utf-8")
    found = evaluated("--clusters", "patients.csv")
    assert found["sources"]["case_low, case_high"] == ["clusters"]
    assert found["provenance"]["inputs"][-1]["name"] == "patients.csv"
    for text, said in (
        ("case,site\nx,1\n", "have the columns case and cluster (or patient; to name yours: --case-column, --cluster-column)"),
        ("case,cluster\np1,1\np1,1\n", "case must occur once. Got 'p1' twice, first at line 3"),
        ("case,cluster\nnobody,1\n", "clusters must hold an id for every case"),
        ("case,cluster\nnobody,1\n", "first at case 'p1' (there is one for cases such as 'nobody')"),
        ("case,cluster\nx,\n", "not be blank"),
    ):
        (folder / "bad.csv").write_text(text, encoding="utf-8")
        assert evaluate_files("--clusters", "bad.csv") == 2 and said in capsys.readouterr().err


BAD_RELIABILITIES = {
    "annotator,reliability\nann,2\nbob,-1\n": "reliability must be a finite number above 0. Got -1.0, first at annotator 'bob'",
    "annotator,reliability\nann,2\nann,1\n": "annotator must occur once. Got 'ann' twice, first at line 3",
    "annotator,reliability\nann,2\nbob,high\n": "reliability must be a number. Got 'high', first at line 3",
    "annotator,reliability\nann,2\n": "reliability must be given for every annotator. Got none for 'bob'",
    "annotator,reliability\nann,2\nbob,1\nzoe,1\n": "reliability must be of annotators in the data. Got 'zoe'",
    "annotator,trust\nann,2\nbob,1\n": "file must have the columns annotator and reliability. Got 'annotator', 'trust'",
}


def test_a_reliability_for_each_annotator(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "l.csv").write_text("case,annotator,label\n1,ann,a\n1,bob,b\n2,ann,b\n2,bob,b\n", encoding="utf-8")
    (tmp_path / "r.csv").write_text("annotator,reliability\nann,2\nbob,0.5\n", encoding="utf-8")
    labels = ugt.Labels.from_long([1, 1, 2, 2], ["ann", "bob"] * 2, list("abbb"))
    value = ugt.annotation_certainty(ugt.dirichlet(labels, reliability={"ann": 2, "bob": 0.5})).value
    assert cli.main(["certainty", "l.csv", "--annotator-reliability", "r.csv"]) == 0
    out = capsys.readouterr().out
    assert f"  {value:.2f} " in out and "r.csv: reliabilities (one row per annotator): 2 annotators." in out
    assert cli.main(["certainty", "l.csv", "--annotator-reliability", "r.csv", "--reliability", "2"]) == 2
    assert "--reliability must be left out with --annotator-reliability. Got 2." in capsys.readouterr().err
    for text, said in BAD_RELIABILITIES.items():
        (tmp_path / "r.csv").write_text(text, encoding="utf-8")
        assert cli.main(["certainty", "l.csv", "--annotator-reliability", "r.csv"]) == 2 and said in capsys.readouterr().err


def test_certainty(command):
    lines = command("certainty", "annotations.csv", "--reliability", 1, 2, "--k", 1, 2, "--out", "new/c.csv").splitlines()
    labels = ugt.Labels.from_counts([[2, 1, 0], [0, 3, 0], [1, 0, 1]])
    for reliability in (1, 2):
        posterior = ugt.dirichlet(labels, reliability=reliability)
        found = [ugt.annotation_certainty(posterior, k=k) for k in (1, 2)]
        (line,) = [line.split() for line in lines if line.split()[:1] == [str(reliability)]]
        assert line[1:] == [*(f"{one.value:.2f}" for one in found), str((found[0].per_case < 0.99).sum())]
    assert "Mean certainty of the top classes (no intervals: too few cases):" in lines
    assert lines[-1] == "All cases: new/c.csv"
    with open("new/c.csv", newline="", encoding="utf-8") as file:
        rows = list(csv.reader(file))
    assert [row[0] for row in rows] == ["case", "p3", "p1", "p2", "p4"]
    worst = next(line.split() for line in lines if line.split()[:1] == ["p3"])
    least = dict(zip(rows[0], rows[1]))
    parts = [f"{float(least[name]):.4f}" for name in ("inherent", "annotation")]
    assert worst == ["p3", "2", "cat", "=", "ibex", f"{float(least['mean_certainty']):.4f}", least["kind"], *parts]
    assert not any(line.split()[:1] == ["p4"] for line in lines)  # undefined
    assert os.listdir("new") == ["c.csv"]


def test_intervals_are_printed_from_twenty_cases_on(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    labels = ["aab", "abb", "bbb", "aaa", "abc"] * 4
    rows = [f"{i},{who},{one}" for i, said in enumerate(labels) for who, one in enumerate(said)]
    Path("l.csv").write_text("\n".join(["case,annotator,label", *rows, ""]), encoding="utf-8")
    for name, first in (("A", 0.7), ("B", 0.5)):
        table = [f"{i},{first},{(1 - first) * 0.75},{(1 - first) * 0.25}" for i in range(20)]
        Path(f"{name}.csv").write_text("\n".join(["case,a,b,c", *table, ""]), encoding="utf-8")
    low, high = ugt.annotation_certainty(ugt.dirichlet(ugt.Labels.from_wide(list(map(list, labels))))).interval()
    assert cli.main(["certainty", "l.csv"]) == 0
    out = capsys.readouterr().out
    assert f"({low:.2f} to {high:.2f})" in out and "(in brackets: 95% interval over cases):" in out
    assert cli.main(["evaluate", "--annotations", "l.csv", "--predictions", "A.csv", "B.csv", "--out", "r", "--no-details"]) == 0
    out = capsys.readouterr().out
    assert "In brackets: 95% intervals over cases." in out and "By top-1: " in out and out.count(" to 0.") > 4


def test_what_spoils_a_model_is_printed(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    said = [(i, who, "ab"[(i * (who + 2) // 3) % 2]) for i in range(40) for who in range(3)]
    Path("l.csv").write_text("\n".join(["case,annotator,label", *(f"{i},r{who},{one}" for i, who, one in said), ""]), encoding="utf-8")
    Path("A.csv").write_text(
        "\n".join(["case,a,b", *(f"{i},{one == 'a':d},{one == 'b':d}" for i, who, one in said if who == 1), ""]), encoding="utf-8"
    )
    assert cli.main(["evaluate", "--annotations", "l.csv", "--predictions", "A.csv", "--positive-class", "a", "--out", "r"]) == 0
    assert "A model repeats the annotations: " in capsys.readouterr().out


@pytest.mark.slow
@pytest.mark.full  # `make test` has shorter demonstrations
def test_demo(command):
    out = command("demo", "--out", "d")
    assert "2,000 cases, 20 classes, 10,000 rankings by 5 annotators." in out
    assert "Results under Plackett–Luce at reliability 3:" in out  # held-out annotators refute the default
    assert re.search(r"By top-1: broad and clear-cut cannot be distinguished \(lead of broad -\d\.\d to \d\.\d percentage points\)", out)
    assert "is better below reliability" not in out  # the interval of the change has no end
    assert out.endswith(f"Report: {os.path.join('d', 'report.html')}\n")
    found = json.loads(Path("d/evaluation.json").read_text(encoding="utf-8"))
    assert sorted(os.listdir("d")) == files(found) and found["models"] == ["clear-cut", "broad", "baseline"]
    assert found["provenance"]["command"] == "ugt demo --out d" and found["provenance"]["truth_chosen"] == "fits"


@pytest.mark.slow
def test_demo_with_another_seed_is_other_data(command, monkeypatch):
    rankings = synthetic.make_rankings
    monkeypatch.setattr(synthetic, "make_rankings", lambda n, *more, **seed: rankings(60, *more, **seed))  # of a shorter demo
    out = command("demo", "--out", "d", "--seed", 5)
    assert out != command("demo", "--out", "d", "--seed", 6)
    certainty, exact = re.search(
        r"the most plausible class is (0\.\d{4})\..* at most 0\.0001 in (\d+) of 60 cases", out, re.DOTALL
    ).groups()
    assert 0.5 < float(certainty) < 1 and int(exact) > 50


@pytest.fixture
def refused(folder, capsys):
    """The one line of an error; nothing is written, and nothing else said."""

    def refused(*arguments):
        before = sorted(folder.rglob("*"))
        capsys.readouterr()
        assert cli.main([*arguments]) == 2
        out, err = capsys.readouterr()
        assert results(out) == "" and err.startswith("ugt: error: ") and err.count("\n") == 1
        assert sorted(folder.rglob("*")) == before
        return err[len("ugt: error: ") :].rstrip("\n")

    return refused


NESTED = [[[[0], [1]], [[0]]], [[[1]]]]
NUMBER = "count must be a non-negative integer. Got "
BAD_ANNOTATIONS = [  # name of the file, what it holds, options, message after the name
    ("a.csv", ANNOTATIONS, ["--classes", "two.txt"], "label must be one of the 2 classes. Got 'ibex', first at case 'p3'"),
    ("a.csv", "case,annotator,label\np1,x,3\n", ["--classes", "3"], "label must hold class indices from 0 to 2. Got 3, first at case 'p1'"),
    ("a.csv", "case,cat,dog\np1,3,1\np2,1,-1\n", ["--format", "counts"], NUMBER + "'-1', first at line 3."),
    ("a.csv", "case,cat,dog\np1,3,inf\n", ["--format", "counts"], NUMBER + "'inf', first at line 2."),
    ("a.json", json.dumps([*NESTED, [[[2], [1, 2]]]]), [], "nested must not repeat a class within a ranking. Got 2 twice, first at case 2"),
    ("a.json", json.dumps([*NESTED, [[[2], []]]]), [], "nested must not hold an empty block. Got [], first at case 2"),
    (
        *("a.csv", "case,annotator,ranking\np1,x,a > b\np1,x,b\n", []),
        "annotator must rank each case once. Got 'x' twice, first at case 'p1'",
    ),
    (*("a.csv", ANNOTATIONS + "p4,x", []), "row must have 3 fields, as the header (is the file cut off"),
    ("a.csv", "\0\x01", [], "file must be UTF-8 text. Got a NUL byte (a binary or UTF-16 file?), first at line 1."),
    ("a.csv", "", [], "file must not be empty. Got 0 bytes without text."),
    ("a.csv", "case,a,b\np1,3,1\n", [], "--format must be 'wide' (one column per annotator) or 'counts' (one col"),
]


@pytest.mark.parametrize(("name", "content", "options", "message"), BAD_ANNOTATIONS, ids=[message[:30] for *_, message in BAD_ANNOTATIONS])
def test_bad_annotations(folder, refused, name, content, options, message):
    (folder / name).write_text(content, encoding="utf-8")
    (folder / "two.txt").write_text("cat\ndog\n", encoding="utf-8")
    judge = ("evaluate", "--annotations", name, "--predictions", "A.csv", "--out", "report")
    for words in (judge, ("certainty", name)):
        assert refused(*words, *options).startswith(f"{name}: {message}")


ONLY = "scores must have columns only for classes of the annotations (name them all with --classes if the annotations miss some)."
NONE = "Got none for 1 of 4 cases, first at 'p4'."
BAD_PREDICTIONS = [
    (SCORES.replace("0.6", "nan"), "C.csv: scores must be finite. Got nan, first at case 'p2', class 'dog'."),
    (
        SCORES + "p9,0,0,1\n",
        "model 'C': predictions must be for annotated cases only (--missing drop leaves the others out). Got 1 unknown of 5, first",
    ),
    (
        SCORES.replace("p4,0.1,0.2,0.7\n", ""),
        f"model 'C': predictions must cover every case (--missing drop leaves the others out). {NONE}",
    ),
    (
        "case,cat,dog\np1,0,1\np2,0,1\np3,0,1\np4,0,1\n",
        "model 'C': scores must have a column for each of the 3 classes of the annotations. Got none for class 'ibex'.",
    ),
    (
        SCORES.replace("\n", ",1\n").replace("cat,1", "cat,yak").replace("0.6", "1.6"),
        f"C.csv: {ONLY[:-2]}, or remove columns that are not classes). Got a column for class 'yak'.",
    ),
    (SCORES + "p1,0,0,1\n", "C.csv: case must occur once (for several models, name them in a column model). Got 'p1' twice, first at line"),
    (SCORES + "p5,0.1", "C.csv: row must have 4 fields, as the header (is the file cut off"),
    ("\0", "C.csv: file must be UTF-8 text."),
    ("", "C.csv: file must not be empty."),
]


@pytest.mark.parametrize(("content", "message"), BAD_PREDICTIONS, ids=[message[:30] for _, message in BAD_PREDICTIONS])
def test_bad_predictions(folder, refused, content, message):
    (folder / "C.csv").write_text(content, encoding="utf-8")
    said = refused("evaluate", "--annotations", "annotations.csv", "--predictions", "A.csv", "C.csv", "--out", "report")
    assert said.startswith(message)


NO_CLASSES = (
    "annotations must be labels, rankings or ratings of stated grades (--scale 1,2,3), because prediction sets hold classes. Got ratings "
    "on a real scale."
)
NO_CUT = (
    "--cut must be a number for ratings on a real scale, whose certainty is that of a side of the cut (for grades, state them: --scale "
    "1,2,3). Got {}."
)
JUDGED = ("--annotations", "g.csv", "--out", "report")
WIDE = ("evaluate", "--annotations", "annotations.csv", "--out", "report", "--predictions")
OF_A_NAME = "--predictions must be of models with different names (write A=A.csv B=B.npz). Got 'A' twice."
REFUSED = {
    "k > K": ((*JUDGE, "--k", "1", "4"), "--k must be a whole number from 1 to 3. Got 4."),
    "k < 1": ((*JUDGE, "--k", "0"), "--k must be a whole number from 1 to 3. Got 0."),
    "reliability 0": ((*JUDGE, "--reliability", "1", "0"), "--reliability must be a finite number above 0. Got 0.0."),
    "reliability < 0": ((*JUDGE, "--reliability", "-1"), "--reliability must be a finite number above 0. Got -1.0."),
    "threads": ((*JUDGE, "--threads", "0"), "--threads must be a whole number of at least 1. Got 0."),
    "columns of other names": (
        ("agreement", "odd.csv"),
        "odd.csv: --case-column must identify a case (--case-column image_file finding; if each row is one annotation, name its columns "
        "among image_file, radiologist, finding: --case-column NAME, --annotator-column NAME, --label-column NAME). Got 'image_file', "
        "which repeats a case in rows that differ by 'finding', first at line 3.",
    ),
    "no such file": ((*JUDGE, "--classes", "nowhere.txt"), "nowhere.txt: no such file"),
    "column": (
        (*JUDGE, "--case-column", "id"),
        "annotations.csv: --case-column must be one of the columns case, annotator, label. Got 'id'.",
    ),
    "names of named groups": (
        (*JUDGE, "--groups", "named.txt", "--group-names", "a", "b"),
        "--group-names must be given for numbered groups only. Got groups such as 'high'.",
    ),
    "two models of a name": ((*WIDE, "A.csv", "A=B.npz"), OF_A_NAME),
    "two columns": (
        (*WIDE, "C.npy"),
        "model 'C': scores must have one column for each of the 3 classes of the annotations. Got 2 columns.",
    ),
    "ratings without a cut": (("certainty", "g.csv", "--scale", "real"), NO_CUT.format("none")),
    "ratings with an endless cut": (("certainty", "g.csv", "--scale", "real", "--cut", "inf"), NO_CUT.format("inf")),
    "classes have no cut": (
        ("certainty", "annotations.csv", "--cut", "1"),
        "--cut must be left out unless annotations are ratings on a real scale. Got 1.",
    ),
    "a cut has no order": (
        ("certainty", "g.csv", "--scale", "real", "--cut", "2", "--k", "1"),
        "--k must be left out with ratings on a real scale, which have no classes (for grades, state them: --scale 1,2,3). Got [1].",
    ),
    "a fitted law has no count": (
        ("certainty", "g.csv", "--scale", "real", "--cut", "2", "--prior", "3"),
        "--prior must be left out for ratings on a real scale, to fit it, or be a NormalPrior or its four numbers. Got 3.0.",
    ),
    "ratings judge numbers": (
        ("evaluate", *JUDGED, "--scale", "real", "--predictions", "A.csv"),
        "model 'A': predictions must be one number per case for ratings (a file with the columns case and prediction). Got 3 columns.",
    ),
    "ratings make no sets": (("conformal", *JUDGED, "--scale", "real", "--calibrate", "A.csv", "--apply", "A.csv"), NO_CLASSES),
    "ratings have no weights": (
        ("agreement", "g.csv", "--weights", "linear"),
        "--weights must be left out for ratings without a stated scale of grades (--scale 1,2,3). Got 'linear'.",
    ),
    "rankings have no tables": (("agreement", "r.json", "--out", "x"), "--out must be left out for rankings. Got 'x'."),
    "rankings have no levels": (("agreement", "r.json", "--levels", "nominal"), "--levels must be left out for rankings. Got ['nominal']."),
    "rankings and formulas": (
        ("agreement", "r.json", "--interval", "analytic"),
        "--interval must be a bootstrap interval for rankings. Got 'analytic'.",
    ),
    "negative seed": (("demo", "--seed", "-3"), "--seed must be a whole number from 0 to 2**32 - 1. Got -3."),
    "endless seed": (("demo", "--seed", str(2**64)), f"--seed must be a whole number from 0 to 2**32 - 1. Got {2**64}."),
    "negative seed of a bootstrap": ((*JUDGE, "--seed", "-1"), "--seed must be a whole number from 0 to 2**64 - 1. Got -1."),
    "another ending": (
        ("convert", "annotations.csv", "x.foo"),
        "OUT must end in .csv, .csv.gz, .json, .json.gz or .npz. Got 'x.foo'.",
    ),
    "labels as rankings": (
        ("convert", "annotations.csv", "x.json"),
        "--to must be 'long' or 'npz' for Labels. Got 'rankings' (JSON).",
    ),
    "no folder": (("evaluate", "--annotations", "x", "--predictions", "x", "--out", ""), "--out must not be empty. Got ''."),
    "no file": (("certainty", "annotations.csv", "--out", ""), "--out must not be empty. Got ''."),
    "a folder for a file": (("certainty", "annotations.csv", "--out", "."), "--out must name a file. Got the folder '.'."),
    "a folder for a page": (("report", "x.json", "--out", ".."), "--out must name a file. Got the folder '..'."),
}


@pytest.mark.parametrize("what", REFUSED)
def test_what_does_not_go_together(folder, refused, what):
    (folder / "g.csv").write_text("case,annotator,value\np1,x,1.5\np1,y,2.5\np2,x,3\np2,y,3.5\n", encoding="utf-8")
    (folder / "r.json").write_text(json.dumps([[[[0], [1]], [[1]]], [[[0], [1]], [[0], [1]]]]), encoding="utf-8")
    (folder / "named.txt").write_text("low\nlow\nhigh\n", encoding="utf-8")
    (folder / "odd.csv").write_text("image_file,radiologist,finding\np1,x,cat\np1,y,dog\n", encoding="utf-8")
    np.save(folder / "C.npy", np.ones((4, 2)))
    arguments, message = REFUSED[what]
    assert refused(*arguments) == message


def test_too_few_groups(folder, refused):
    (folder / "few.txt").write_text("0\n1\n", encoding="utf-8")
    assert refused(*JUDGE, "--groups", "few.txt").startswith("groups must be 3 integers or names, one per class")
    (folder / "few.txt").write_text("class,group\ncat,tame\ncat,wild\n", encoding="utf-8")
    assert "a class and its group on each line, each class once. Got 'cat,wild'" in refused(*JUDGE, "--groups", "few.txt")


def test_output_folder_not_writable(folder, refused):
    (folder / "report").write_text("a file", encoding="utf-8")
    for out in ("report", os.path.join("report", "deep")):
        assert refused(*JUDGE[:-1], out).startswith(f"output folder must be a folder that can be written to. Got {out!r} (")
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
    before = {name: (folder / "report" / name).read_bytes() for name in files(evaluated())}
    assert evaluate_files("--k", 9) == 2
    assert {path.name: path.read_bytes() for path in (folder / "report").iterdir()} == before


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["--"], "the following arguments are required: COMMAND (see ugt --help)"),
        (["evaluate"], "the following arguments are required: --annotations, --out (see ugt evaluate --help)"),
        (
            ["certainty", "x.csv", "--reliability", "0,5"],
            "argument --reliability: must be numbers with points, and blanks between them. Got '0,5' (see ugt certainty --help)",
        ),
        (["demo", "--seed", "x"], "argument --seed: invalid int value: 'x' (see ugt demo --help)"),
        (["demo", "--see", "1"], "there is no option --see (did you mean --seed?) (see ugt demo --help)"),
        (["demo", "--see=1"], "there is no option --see (did you mean --seed?) (see ugt demo --help)"),
        (["evaluate", "--anotations", "x"], "there is no option --anotations (did you mean --annotations?) (see ugt evaluate --help)"),
        (["certainty", "x", "--zzzz"], "there is no option --zzzz (see ugt certainty --help)"),
        (["evalute", "--out", "x"], "there is no command 'evalute' (did you mean evaluate?) (see ugt --help)"),
        (["eval"], "there is no command 'eval' (did you mean evaluate?) (see ugt --help)"),
        (["12345"], "there is no command '12345' (see ugt --help)"),
        (["--verson"], "there is no option --verson (did you mean --version?) (see ugt --help)"),
        (["--seed", "1", "demo"], "--seed must follow the command (see ugt --help)"),
        (["demo", "y"], "unrecognized arguments: y (see ugt demo --help)"),
        (["demo", "-x"], "unrecognized arguments: -x (see ugt demo --help)"),
    ],
)
def test_usage(capsys, arguments, message):
    with pytest.raises(SystemExit) as stop:
        cli.main(arguments)
    assert stop.value.code == 2 and capsys.readouterr() == ("", f"ugt: error: {message}\n")


def test_no_command_is_a_short_help(capsys):
    assert cli.main([]) == 2
    out, err = capsys.readouterr()
    assert out == "" and "commands: check, evaluate, certainty, agreement, calibrate, conformal, " in err
    assert err.startswith("usage: ugt COMMAND [options]\n") and err.endswith("See ugt --help, and ugt COMMAND --help.\n")


def test_words_that_look_like_options_but_are_values(command):
    command("certainty", "annotations.csv", "--na", "-- none", "NA", "", "--label-column=label")
    assert evaluate_files("--reliability", "1e0") == 0


def test_interruption_and_internal_errors(capsys, monkeypatch, folder):
    monkeypatch.setattr(_evaluate, "evaluate", Mock(side_effect=KeyboardInterrupt))
    assert evaluate_files() == 130 and capsys.readouterr().err == "ugt: interrupted\n"
    assert not (folder / "report").exists()
    monkeypatch.setattr(_evaluate, "evaluate", Mock(side_effect=RuntimeError("a bug")))
    with pytest.raises(RuntimeError, match="a bug"):
        evaluate_files()


def module(*arguments, **options):
    return subprocess.run([sys.executable, "-m", "ugt", *arguments], capture_output=True, text=True, check=False, **options)


@pytest.mark.slow
def test_as_a_module(folder):
    assert module("--version").stdout == f"ugt {ugt.__version__}\n"
    # --quiet: a slow machine would say how far it is
    done = module(*JUDGE, "--quiet")
    assert (done.returncode, done.stderr) == (0, "") and "report.html" in os.listdir("report")
    failed = module("certainty", "nowhere.csv")
    assert (failed.returncode, failed.stdout) == (2, "")
    assert failed.stderr == "ugt: error: nowhere.csv: no such file\n"


@pytest.mark.slow
def test_names_that_the_terminal_cannot_show(folder):
    (folder / "a.csv").write_text(ANNOTATIONS.replace("cat", "Kätzchen"), encoding="utf-8")
    done = module("certainty", "a.csv", env={**os.environ, "PYTHONIOENCODING": "ascii"})
    assert done.returncode == 0 and r"K\xe4tzchen" in done.stdout


def test_of_whom_a_verdict_is_always_names_cases(tmp_path, capsys):
    files = ["--annotations", "none.csv", "--predictions", "none.csv", "--out", str(tmp_path / "out")]
    assert cli.main(["evaluate", *files, "--random", "annotators"]) == 2
    said = capsys.readouterr().err
    assert "--random must name cases: --random cases, or --random cases annotators. Got --random annotators." in said
