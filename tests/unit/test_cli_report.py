"""``ugt report``, ``ugt plan``, and models from several kinds of files."""

import json
from pathlib import Path

import numpy as np
import pytest
from refusals import refused

from ugt import cli
from ugt.cli import report
from ugt.report import plan

JUDGE = ["evaluate", "--annotations", "labels.csv", "--predictions", "A.csv", "--out", "report", "--n-boot", "20"]


@pytest.fixture(autouse=True)
def folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    rows = "".join(f"p{i},{who},{(i + who) % 2}\n" for i in range(4) for who in range(3))
    (tmp_path / "labels.csv").write_text("case,annotator,label\n" + rows)
    (tmp_path / "A.csv").write_text("case,0,1\np0,0.4,0.6\np1,0.7,0.3\np2,0.5,0.5\np3,0.9,0.1\n")
    return tmp_path


def test_the_page_is_the_same_again(folder, capsys):
    assert cli.main(JUDGE) == 0
    capsys.readouterr()
    assert cli.main(["report", "report/evaluation.json", "--out", "new/page.html"]) == 0
    assert capsys.readouterr() == ("Report: new/page.html\n", "")
    assert (folder / "new" / "page.html").read_bytes() == (folder / "report" / "report.html").read_bytes()
    assert cli.main(["report", "report/evaluation.json", "--quiet"]) == 0
    assert (folder / "report.html").read_bytes() == (folder / "report" / "report.html").read_bytes()


def changed(found):
    whole = json.dumps(found)
    yield "no JSON", "{", "x.json must be JSON. Got "
    yield "cut off", whole[: len(whole) // 2], "x.json must be JSON. Got "
    yield "empty", "", "x.json must be JSON. Got "
    yield "NaN", whole.replace("null", "NaN", 1).replace('"schema": 2', '"schema": NaN'), "x.json must be JSON. Got NaN is no JSON"
    yield "deep", "[" * 100_000, "x.json must be JSON. Got "
    yield "other JSON", "[1, 2]", "x.json must be an evaluation as ugt evaluate writes it. Got other JSON."
    yield "an object", "{}", "x.json must be an evaluation as ugt evaluate writes it. Got other JSON."
    yield "schema", json.dumps({**found, "schema": 99}), "x.json must have the schema 2 of this version of ugt. Got 99."
    yield "incomplete", json.dumps({key: found[key] for key in ("ugt", "schema", "provenance", "metrics")}), "x.json must be an evaluation"
    yield "binary", b"\xff\xfe\0", "x.json must be JSON. Got "


def test_files_that_are_no_evaluation(folder, capsys):
    assert cli.main([*JUDGE, "--quiet"]) == 0
    for what, content, message in changed(json.loads((folder / "report" / "evaluation.json").read_text(encoding="utf-8"))):
        (folder / "x.json").write_bytes(content if isinstance(content, bytes) else content.encode("utf-8"))
        assert cli.main(["report", "x.json", "--out", "new/page.html"]) == 2, what
        out, err = capsys.readouterr()
        assert out == "" and err.startswith(f"ugt: error: {message}"), what
        assert err.count("\n") == 1
        assert not (folder / "new").exists()


def test_a_folder_in_the_way(folder, capsys):
    assert cli.main([*JUDGE, "--quiet"]) == 0
    (folder / "page.html").mkdir()
    assert cli.main(["report", "report/evaluation.json", "--out", "page.html"]) == 2
    assert capsys.readouterr().err == "ugt: error: --out must name a file. Got the folder 'page.html'.\n"


def test_plan(capsys):
    assert cli.main(["plan"]) == 0
    out = capsys.readouterr().out
    assert out == plan.template() and plan.check_plan(json.loads(out)) == {}


def test_no_constants():
    refused(r"^Infinity is no JSON$", json.loads, "[Infinity]", parse_constant=report._no_constant)


def models(capsys, *predictions):
    command = ["evaluate", "--annotations", "labels.csv", "--predictions", *predictions, "--out", "report"]
    assert cli.main([*command, "--n-boot", "20", "--no-details", "--json"]) == 0
    found = json.loads(capsys.readouterr().out)
    inputs = json.loads(Path("report/evaluation.json").read_text(encoding="utf-8"))["provenance"]["inputs"]
    return found["models"], [entry["name"] for entry in inputs]


def test_one_file_may_hold_several_models(folder, capsys):
    lines = (folder / "A.csv").read_text().splitlines()
    text = "\n".join([f"model,{lines[0]}", *(f"{name},{line}" for name in ("old", "new") for line in lines[1:])])
    (folder / "both.csv").write_text(text + "\n")
    np.save(folder / "last.npy", np.eye(2)[[0, 1, 0, 1]])
    assert models(capsys, "both.csv", "last.npy") == (["old", "new", "last"], ["labels.csv", "both.csv", "last.npy"])
    command = ["evaluate", "--annotations", "labels.csv", "--out", "x", "--predictions"]
    assert cli.main([*command, "mine=both.csv"]) == 2
    assert "must be given without a name where a file holds several models. Got 'mine' for 'both.csv'." in capsys.readouterr().err
    for twice in (["both.csv", "old=A.csv"], ["old=A.csv", "both.csv"], ["last.npy", "old=A.csv", "both.csv"]):
        assert cli.main([*command, *twice]) == 2
        assert "must have different names (write name=path). Got 'old' twice." in capsys.readouterr().err


def test_a_mapping_says_where_things_are_and_options_go_first(folder, capsys):
    content = [{"image": f"p{i}", "by": {"who": "x"}, "said": i % 2} for i in range(4)]
    (folder / "other.json").write_text(json.dumps(content))
    (folder / "mapping.json").write_text(json.dumps({"fields": {"case": "image", "annotator": "by.who", "label": "said"}}))
    assert cli.main(["certainty", "other.json", "--mapping", "mapping.json"]) == 0
    assert capsys.readouterr().out.startswith("4 cases, 2 classes, 4 labels by 1 annotator.")
    (folder / "odd.csv").write_text("q1,q2,q3\n1,x,yes\n2,x,no\n2,y,never\n")
    (folder / "mapping.json").write_text(json.dumps({"columns": {"case": "q1", "annotator": "q2", "label": "q3"}, "missing": ["never"]}))
    assert cli.main(["certainty", "odd.csv", "--mapping", "mapping.json"]) == 0
    assert capsys.readouterr().out.startswith("2 cases, 2 classes, 2 labels by 1 annotator.\nRead as missing: 'never' (1 cells).")
    assert cli.main(["certainty", "odd.csv", "--mapping", "mapping.json", "--na", "no"]) == 0
    assert capsys.readouterr().out.startswith("2 cases, 2 classes, 2 labels by 2 annotators.\nRead as missing: 'no' (1 cells).")
