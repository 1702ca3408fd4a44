"""Every role of every file can be stated: per file, for predictions and truths, for several files of annotators, for columns of models."""

import re

import pytest
from refusals import refused

from ugt import cli, io

ANNA, BEN = "case,finding\np,x\nq,y\nr,y\n", "case,finding\np,x\nq,x\nr,y\n"
STUDY = "id,rad1,rad2,site,net,rule\n" + "".join(f"c{i},{'NM'[i % 2]},{'NM'[i % 3 > 0]},A,0.{i % 9 + 1},{'NM'[i % 2]}\n" for i in range(12))


@pytest.fixture
def run(tmp_path, monkeypatch, capsys):
    """``run(words, a="...")`` writes ``a.csv`` and returns the exit code and all that is printed."""
    monkeypatch.chdir(tmp_path)

    def go(*words, **files):
        for name, content in files.items():
            (tmp_path / f"{name}.csv").write_text(content, encoding="utf-8")
        code = cli.main([*words])
        return code, "".join(capsys.readouterr())

    return go


def test_one_file_per_annotator(run, tmp_path):
    code, printed = run("agreement", "anna.csv", "ben.csv", anna=ANNA, ben=BEN)
    assert code == 0 and "anna.csv, ben.csv: labels (one row per label): 3 cases, 2 annotators, 2 classes, 6 labels" in printed
    assert "percent agreement                0.667" in printed
    read = io.read_annotations([tmp_path / "anna.csv", tmp_path / "ben.csv"])
    assert read.annotations.annotators.tolist() == ["anna", "ben"]
    named = io.read_annotations({"A": tmp_path / "anna.csv", "B": tmp_path / "ben.csv"}, columns={"label": {"A": "finding"}})
    assert named.annotations.annotators.tolist() == ["A", "B"] and named.annotations.n_labels == 6
    refused(
        "ignore_columns must be names of columns, for one file", io.read_annotations, tmp_path / "anna.csv", ignore_columns={"A": ["x"]}
    )
    refused("files must have different names", io.read_annotations, [tmp_path / "anna.csv"] * 2)


def test_files_of_annotators_with_columns_of_their_own(run):
    code, printed = run("agreement", "anna.csv", "ben.csv", anna=ANNA, ben="case,first,second\np,x,1\nq,x,2\nr,y,3\n")
    assert code == 2 and "ben.csv: file must have one column of labels" in printed and "--label-column NAME" in printed
    code, printed = run("agreement", "anna.csv", "ben.csv", "--ignore-columns", "ben=sec*")
    assert code == 0 and "0.667" in printed
    code, printed = run("agreement", "A=anna.csv", "B=ben.csv", "--label-column", "ben=first")
    assert code == 0 and "2 annotators" in printed and "0.667" in printed
    code, printed = run("agreement", "anna.csv", "ben.csv", "--label-column", "ben=first", "--label-column", "ben=second")
    assert code == 2 and "--label-column must be given once for a file" in printed
    code, printed = run("agreement", "anna.csv", "anna.csv")
    assert code == 2 and "or NAME=FILE" in printed


PEOPLE = {f"r{k}": "case,finding\n" + "".join(f"c{i},{'xy'[(i + (i % 5 == k)) % 2]}\n" for i in range(20)) for k in range(3)}
SCORES = "case,age,net\n" + "".join(f"c{i},{40 + i},{0.2 + i % 2 * 0.5 + i % 3 * 0.1:.1f}\n" for i in range(20))
FILES = [f"{name}.csv" for name in PEOPLE]
OF_NET = ["--model-columns", "net", "--positive-class", "y", "--label-column", "r1=finding"]


@pytest.mark.parametrize(
    "words",
    [
        ["convert", *FILES, "out.csv", "--label-column", "r1=finding"],
        ["plan", "--annotations", *FILES, "--width", "0.4"],
        ["plan", "net.csv", "--annotations", *FILES, "--width", "0.4", *OF_NET],
        ["plan", "--annotations", *FILES, "--predictions", "net.csv", "--width", "0.4", *OF_NET],
        ["calibrate", "--annotations", *FILES, "--fit", "net.csv", "--apply", "net.csv", "--out", "out", *OF_NET],
        ["conformal", "--annotations", *FILES, "--calibrate", "net.csv", "--apply", "net.csv", "--out", "out", *OF_NET],
    ],
)
def test_every_command_reads_one_file_per_annotator(run, words):
    code, printed = run(*words, **PEOPLE, net=SCORES)
    assert code == 0 and "r0.csv, r1.csv, r2.csv: labels (one row per label): 20 cases, 3 annotators, 2 classes, 60 labels" in printed


def test_test_cases_have_files_of_their_own(run):
    words = ["--calibrate", "net.csv", "--apply", "net.csv", "--out", "out", *OF_NET, "--ignore-columns", "net=age"]
    code, printed = run("conformal", "--annotations", "r0.csv", "--test-annotations", "r1.csv", "B=r2.csv", *words, **PEOPLE, net=SCORES)
    assert code == 0 and "r1.csv, r2.csv: labels (one row per label): 20 cases, 2 annotators" in printed
    code, printed = run("plan", "r0.csv", "net.csv", "--predictions", "net.csv", "--width", "0.4")
    assert code == 2 and "--predictions must be left out where other files are given as predictions. Got net.csv" in printed
    code, printed = run("convert", "net.csv", "r0.csv", "out.csv", "--predictions")
    assert code == 2 and "FILE must be one file with --predictions" in printed


def test_a_plan_of_readers_and_a_model_in_one_table(run):
    words = ["plan", "all.csv", "--annotator-columns", "rad*", "--model-columns", "rule", "--width", "0.9"]
    code, printed = run(*words, all=STUDY)
    assert code == 0 and "all.csv: predictions (one column per model)" in printed and "2 annotators" in printed


def test_readers_and_models_in_one_table(run):
    words = ["evaluate", "--annotations", "all.csv", "--annotator-columns", "rad*", "--model-columns", "net", "rule", "--out", "r"]
    words += ["--no-details", "--n-boot", "20"]
    code, printed = run(*words, all=STUDY)
    assert code == 2 and "--positive-class must be given for a column of probabilities of one of two classes" in printed
    assert "(--positive-class M or --positive-class N)" in printed
    code, printed = run(*words, "--positive-class", "M")
    assert code == 0 and "predictions of 2 models (one column per model)" in printed and "2 annotators" in printed
    code, printed = run(
        *[word for word in words if word not in ("--annotator-columns", "rad*")], "--ignore-columns", "site", "--positive-class", "M"
    )
    assert code == 0 and "2 annotators" in printed
    code, printed = run("evaluate", "--annotations", "all.csv", "--out", "r")
    assert code == 2 and "--predictions must be given, or --model-columns" in printed


def test_columns_of_models(write):
    path = write("case,age,net,rule\np,50,.25,sick\nq,60,.75,well\n")
    two = {"classes": ["sick", "well"]}
    found = io.read_models(path, **two, model_columns=["net", "rule"], positive_class="sick")
    assert found["net"].scores.tolist() == [[0.25, 0.75], [0.75, 0.25]] and found["rule"].labels
    assert io.read_predictions(path, **two, model_columns=["rule"]).scores.tolist() == [[1, 0], [0, 1]]
    refused("model_columns must name one column", io.read_predictions, path, **two, model_columns=["*e*"])
    refused("positive_class must be given for a column of probabilities", io.read_models, path, **two, model_columns=["net"])
    path = write("case,age,sick,well\np,50,.2,.8\n")
    assert io.read_predictions(path, **two, ignore_columns=["age"]).scores.tolist() == [[0.2, 0.8]]
    numbered = write("case,model_0,model_1\np,.2,.7\n")  # names of models, not of classes
    assert io.read_models(numbered, classes=[0, 1], model_columns=["model_*"], positive_class=1)["model_0"].scores.tolist() == [[0.8, 0.2]]


def test_columns_to_leave_out_of_one_file(run):
    labels, model = "case,a,b,age\np,x,y,5\nq,y,y,6\nr,x,x,7\n", "case,x,y,age\np,1,9,5\nq,2,8,6\nr,9,1,7\n"
    words = ["check", "labels.csv", "predictions=model.csv", "--ignore-columns"]
    code, printed = run(*words, "age", labels=labels, model=model)
    assert code == 2 and "'age'" in printed
    code, printed = run(*words, "labels.csv=age", "model=age")
    assert code == 0 and "3 of 3" in printed


def test_the_truth_has_its_own_columns(run):
    readings = "reader,case,rating\n" + "".join(f"{r},c{i},{(i * 7 + len(r)) % 5}\n" for r in ("a", "bb", "ccc") for i in range(12))
    truth = "key,age,path\n" + "".join(f"c{i},4,{['benign', 'cancer'][i % 2]}\n" for i in range(12))
    words = ["reader-study", "readings.csv", "--truth", "truth.csv"]
    code, printed = run(*words, "--truth-column", "path", "--case-column", "truth=key", readings=readings, truth=truth)
    assert code == 0 and "Positive class: cancer, of benign and cancer" in printed
    scores = "case,cancer,benign\n" + "".join(f"c{i},{i % 2 * 0.8 + 0.1:.1f},{0.9 - i % 2 * 0.8:.1f}\n" for i in range(12))
    words += ["--truth-column", "path", "--case-column", "truth=key", "--model", "model.csv"]
    code, printed = run(*words, model=scores)
    assert code == 0 and re.search(r"model +1\.0000", printed)


def test_labels_without_names_of_annotators(write):
    path = write("case,label\np,x\np,x\np,y\nq,y\n")
    refused(r"annotators are not named: columns=\{'annotator': ''\}", io.read_annotations, path)
    assert io.read_annotations(path, columns={"annotator": ""}).annotations.counts().tolist() == [[2, 1], [0, 1]]


def test_clusters_in_a_column_of_any_name(run):
    labels, families = "case,a,b\np,x,y\nq,y,y\nr,x,x\n", "case,family,age\np,1,5\nq,1,6\nr,2,7\n"
    words = ["agreement", "labels.csv", "--clusters", "families.csv"]
    code, printed = run(*words, labels=labels, families=families)
    assert code == 2 and "to name yours: --case-column, --cluster-column" in printed
    assert run(*words, "--cluster-column", "family")[0] == 0


def test_check_offers_to_join_files_of_one_annotator_each(run):
    files = {"anna": "case,diagnosis\np,x\nq,y\n", "ben": "case,diagnosis\np,x\nq,x\n"}
    code, printed = run("check", "anna.csv", "ben.csv", **files)
    assert code == 0 and "\n      ugt agreement anna.csv ben.csv\n" in printed
    assert run("agreement", "anna.csv", "ben.csv")[0] == 0
