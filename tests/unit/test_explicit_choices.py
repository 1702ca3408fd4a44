"""What is stated is taken, and what a message offers works on the file for which it is printed."""

import re
import shlex

import pytest
from refusals import refused

import ugt
from ugt import cli, io
from ugt._base.names import positive_among

GRADES = "case,Anna,Ben,Mean\n" + "".join(f"c{i},{i % 3},{(i + (i > 4)) % 3},{i % 3}\n" for i in range(9))
LONG = "case,{},annotator,label\n" + "".join(f"q{i % 2},{s},{a},{s + str(i % 2)}\n" for i in range(2) for s in "AB" for a in ("x", "y"))
NIGHTS = "record,epoch,s1,s2\n" + "".join(f"N{n},{e},{'WR'[e % 2]},{'WR'[(e + n) % 2]}\n" for n in (1, 2) for e in (1, 2, 3))

# The hint that is printed for a file, as words of the command, and what is then read.
HINTS = {
    "a first column like the others": ("R1,R2\n1,2\n2,2\n2,1\n", "--format wide", "--case-column ''", "3 cases, 2 annotators"),
    "columns of counts like each other": ("n_cat,n_dog\n3,1\n2,2\n", "", "--case-column ''", "2 cases"),
    "a derived column": (GRADES, "--ratings", "--ignore-columns Mean", "2 annotators"),
    "a covariate": ("case,R1,R2,microscope\np,a,b,x1\nq,a,a,x2\nr,b,b,x1\n", "", "--ignore-columns microscope", "2 annotators"),
    "several questions": ("case,Hue_1,Hue_2,Rim_1,Rim_2\np,1,2,4,3\n", "", "--annotator-columns 'Hue_*'", "2 annotators"),
    "findings": ("Study,Edema,Mass\ns,1,0\nt,0,1\n", "", "--annotator-columns Edema", "1 annotator"),
    "a factor in a long table": (LONG.format("system"), "", "--case-column case system", "4 cases, 2 annotators"),
    "a case alone": (LONG.format("system"), "", "--case-column case", "2 cases, 2 annotators"),
    "epochs of nights": (NIGHTS, "", "--case-column record epoch", "6 cases, 2 annotators"),
    "no header": ("w1\td1\tyes\nw2\td1\tno\nw1\td2\tyes\n", "--annotator-column w1 --case-column d1 --label-column yes", "--no-header", ""),
}


@pytest.mark.parametrize("name", HINTS)
def test_a_hint_is_followed_with_success(name, tmp_path, monkeypatch, capsys):
    content, words, hint, found = HINTS[name]
    monkeypatch.chdir(tmp_path)
    (tmp_path / "file.csv").write_text(content, encoding="utf-8")
    assert cli.main(["convert", "file.csv", "out.csv", *shlex.split(words)]) == 2
    assert re.search(rf"[(;:, ]{re.escape(hint)}[);,]", capsys.readouterr().err)
    words = "--annotator-column 1 --case-column 2 --label-column 3" if hint == "--no-header" else words
    out = "out.csv" if name != "columns of counts like each other" else "out.npz"
    assert cli.main(["convert", "file.csv", out, *shlex.split(words), *shlex.split(hint)]) == 0
    assert found in capsys.readouterr().out


@pytest.mark.parametrize("names", [("Max", "Mean", "Final"), ("AI", "Truth", "SD"), ("age", "GPT-4", "volume")])
def test_annotators_of_any_name_can_be_stated(write, names):
    path = write("case," + ",".join(names) + "\n" + "".join(f"c{i},{'ab'[i % 2]},{'ab'[i % 2]},{'ab'[i % 2]}\n" for i in range(9)))
    refused("columns must be annotators", io.read_annotations, path)
    assert io.read_annotations(path, annotator_columns=names).annotations.annotators.tolist() == list(names)


ROLES = ["radiologist", "pathologist", "observer", "grader", "scorer", "physician", "cardiologist", "examiner", "assessor", "rad_id"]


@pytest.mark.parametrize("name", [*ROLES, "worker", "coder", "judge"])
def test_words_for_annotators(write, name):
    read = io.read_annotations(write(f"case,{name},label\np,a,x\np,b,y\nq,a,x\n"))
    assert read.columns["annotator"] == (name,) and read.annotations.annotators.tolist() == ["a", "b"]


@pytest.mark.parametrize("name", ["ChatGPT", "GPT-4", "DL", "ResNet50", "PCR", "ICD", "Report", "median", "sum", "Max", "screen", "eye"])
def test_words_for_what_is_no_annotator(write, name):
    content = f"case,Anna,Ben,{name}\n" + "".join(f"c{i},{'ab'[i % 2]},{'ab'[i % 3 > 0]},{'ab'[i % 2]}\n" for i in range(9))
    refused(f"Got '{name}' among 3 columns", io.read_annotations, write(content))


def test_the_case_is_in_several_columns_of_every_file(write, tmp_path):
    labels, model = write(NIGHTS), tmp_path / "model.csv"
    read = io.read_annotations(labels, columns={"case": ["record", "epoch"]})
    assert read.annotations.axes.case_ids.tolist()[:2] == ["N1 × 1", "N1 × 2"] and read.columns["case"] == ("record", "epoch")
    model.write_text("record,epoch,R,W\n" + "".join(f"N{n},{e},.2,.8\n" for n in (1, 2) for e in (1, 2, 3)), encoding="utf-8")
    found = io.read_predictions(model, classes=["R", "W"], case_column=["record", "epoch"])
    assert set(found.case_ids.tolist()) == set(read.annotations.axes.case_ids.tolist())
    refused("case column must be among the columns", io.read_annotations, labels, columns={"case": ["record", "night"]})


def test_a_column_for_one_file(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "labels.csv").write_text("uid,key,R1,R2\na,1,x,y\nb,2,x,x\n", encoding="utf-8")
    (tmp_path / "model.csv").write_text("uid,key,x,y\n1,a,.2,.8\n2,b,.9,.1\n", encoding="utf-8")
    words = ["--case-column", "uid", "model=key", "--ignore-columns", "key"]
    assert cli.main(["check", "labels.csv", "predictions=model.csv", *words]) == 0
    assert "2 of 2" in capsys.readouterr().out


def test_work_that_was_withdrawn_is_left_out_and_counted(write):
    path = write("case,worker,label,AssignmentStatus\np,a,x,Approved\np,b,x,Approved\np,c,y,Rejected\n")
    read = io.read_annotations(path)
    assert read.annotations.n_labels == 2 and read.dropped == {"row with Rejected in the column 'AssignmentStatus'": 1}
    assert io.read_annotations(path, withdrawn="keep").annotations.n_labels == 3


def test_counts_as_spreadsheets_have_them(write):
    path = write("case,cat,dog,comment\np,8.0,,\nq,2.0,1.0,blurred\n")
    read = io.read_annotations(path, format="counts", annotator_columns=["cat", "dog"])
    assert read.annotations.counts().tolist() == [[8, 0], [2, 1]] and "blank cells as counts of 0: 1" in str(read.notes)


def test_labels_that_are_no_classes(write):
    header = "case,annotator,label\n"
    text = header + "".join(f"c{i},w{j},text {i} {j}\n" for i in range(400) for j in range(3))
    refused("1,200 classes for 1,200 labels, as free text", io.read_annotations, write(text))
    objects = header + "".join(f'c{i},w{j},"{{""value"": ""{i}""}}"\n' for i in range(3) for j in range(2))
    refused("names of classes, not JSON", io.read_annotations, write(objects))
    ticks = write(header + 'p,a,"[""x"",""y""]"\np,b,"[""y"", ""x""]"\nq,a,"[""y""]"\n')
    refused("ticks must be given for answers of several ticks .*ticks='sets'", io.read_annotations, ticks)
    assert io.read_annotations(ticks, ticks="sets").annotations.axes.classes.tolist() == ["x + y", "y"]
    assert "look like several" in str(io.read_annotations(write(header + "p,a,x;y\np,b,y\n"), ticks="each").notes)
    same = header + "".join(f"c{i},{w},{'xy'[i % 2]}\n" for i in range(12) for w in "ab")
    assert "No label differs within its case" in str(io.read_annotations(write(same)).notes)


def test_json_records_with_the_names_of_roles(tmp_path):
    rows = '[{"case": "p", "annotator": "a", "label": "x"}, {"case": "p", "annotator": "b", "label": "y"}]'
    (path := tmp_path / "flat.json").write_text(rows, encoding="utf-8")
    assert io.read_annotations(path).annotations.n_labels == 2
    (path := tmp_path / "side.jsonl").write_text('{"id": "p", "who": ["a", "b"], "what": ["x", "y"]}\n', encoding="utf-8")
    fields = {"case": "id", "annotator": "who[]", "label": "what[]"}
    assert io.read_annotations(path, mapping={"fields": fields}).annotations.annotators.tolist() == ["a", "b"]


def test_a_threshold_is_not_applied_to_scores_on_another_scale():
    truth, ratings = [0, 1] * 10, [[0, 1] * 10, [0, 1, 1, 0] * 5]
    readings, scores = ugt.studies.Readings.from_array([ratings]), [0.2, 0.7] * 10
    refused("score_threshold must be given for scores", ugt.studies.against_readers, truth, readings, scores, figure="sensitivity")
    found = ugt.studies.against_readers(truth, readings, scores, figure="sensitivity", score_threshold=0.5)
    assert found.model.value == 1


@pytest.mark.parametrize(
    ("names", "positive"),
    [
        (("cancer", "normal"), 0), (("disease", "healthy"), 0), (("M", "N"), None), ((0, 1), 1), ((-1, 1), 1), ((1, 2), None),
        (("HER2 negative", "HER2 positive"), 1), (("nontumor", "tumor"), 1), (("AF", "sinus"), 0), (("grade 0", "grade 1"), 1),
        ((False, True), 1), (("+", "-"), 0), (("finding", "no finding"), 0),
        (("tumor", "no_tumor"), 0), (("non-tumor", "tumor"), 1), (("nodule", "notch"), None), (("normal", "healthy"), None),
    ],
)  # fmt: skip
def test_words_of_absence_are_not_positive(names, positive):
    assert positive_among(names) == positive
