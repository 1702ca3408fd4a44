"""``ugt report``, ``ugt plan``, models and subgroups from several kinds of files."""

import gzip
import json
from pathlib import Path
from unittest.mock import Mock

import numpy as np
import pytest
from refusals import refused
from twins.page import Page

from ugt.cli import evaluate as _evaluate
from ugt.cli import report
from ugt.io.beside import subgroup_file
from ugt.report import SCHEMA, plan

JUDGE = ("evaluate", "--annotations", "labels.csv", "--predictions", "A.csv", "--out", "report", "--n-boot", "20")
SITES = "case,site,age band\np1,north,40-59\np2, south ,\np3,north,60+\n"


@pytest.fixture(autouse=True)
def folder(command, write):
    write("case,annotator,label\n" + "".join(f"p{i},{who},{(i + who) % 2}\n" for i in range(4) for who in range(3)), "labels.csv")
    write("case,0,1\np0,0.4,0.6\np1,0.7,0.3\np2,0.5,0.5\np3,0.9,0.1\n", "A.csv")
    return write(SITES, "sites.csv").parent


def evaluated(folder):
    return json.loads((folder / "report" / "evaluation.json").read_text(encoding="utf-8"))


def test_the_page_is_the_same_again(folder, command):
    command(*JUDGE)
    assert command("report", "report/evaluation.json", "--out", "new/page.html") == "Report: new/page.html\n" and command.err == ""
    assert (folder / "new" / "page.html").read_bytes() == (folder / "report" / "report.html").read_bytes()
    assert command("report", "report/evaluation.json", "--quiet") == ""
    assert (folder / "report.html").read_bytes() == (folder / "report" / "report.html").read_bytes()


def changed(found):
    whole = json.dumps(found)
    yield "no JSON", "{", "x.json must be JSON. Got "
    yield "cut off", whole[: len(whole) // 2], "x.json must be JSON. Got "
    yield "empty", "", "x.json must be JSON. Got "
    yield "NaN", whole.replace("null", "NaN", 1).replace(f'"schema": {SCHEMA}', '"schema": NaN'), "x.json must be JSON. Got NaN is not JSON"
    yield "deep", "[" * 100_000, "x.json must be JSON. Got "
    yield "other JSON", "[1, 2]", "x.json must be an evaluation as ugt evaluate writes it. Got other JSON."
    yield "an object", "{}", "x.json must be an evaluation as ugt evaluate writes it. Got other JSON."
    yield (
        "schema",
        json.dumps({**found, "schema": 99}),
        f"x.json must have the schema {SCHEMA} of this version of ugt (a newer one wrote the file: update ugt). Got 99.",
    )
    yield "incomplete", json.dumps({key: found[key] for key in ("ugt", "schema", "provenance", "metrics")}), "x.json must be an evaluation"
    strange = [{**row, "value": "x"} for row in found["metrics"]]
    said = "x.json must be an evaluation as ugt evaluate writes it. Got one that is not complete or holds something else (TypeError"
    yield "text for numbers", json.dumps({**found, "metrics": strange}), said
    twice = "x.json must have each field of an object once. Got 'schema' twice"
    yield "a field twice", whole.replace(f'"schema": {SCHEMA}', f'"schema": 1, "schema": {SCHEMA}'), twice
    yield "binary", b"\xff\xfe\0", "x.json must be JSON. Got "


def test_files_that_are_no_evaluation_and_a_folder_in_the_way(folder, command, write):
    command(*JUDGE, "--quiet")
    for what, content, message in changed(evaluated(folder)):
        write(content, "x.json")
        said = command("report", "x.json", "--out", "new/page.html", code=2)
        assert said.startswith(f"ugt: error: {message}") and said.count("\n") == 1, what
        assert not (folder / "new").exists()
    (folder / "page.html").mkdir()
    said = command("report", "report/evaluation.json", "--out", "page.html", code=2)
    assert said == "ugt: error: --out must name a file. Got the folder 'page.html'.\n"


OLDER = sorted((Path(__file__).parents[1] / "data").glob("evaluation_schema_*.json"))


@pytest.mark.parametrize("path", OLDER, ids=lambda path: path.stem)
def test_an_evaluation_of_an_older_schema_is_refused_in_one_line_that_names_the_way(folder, command, path):
    """It is never read in part: its notes are sentences, in which no caution is looked for."""
    found = json.loads(path.read_text(encoding="utf-8"))
    schema, made_by = int(path.stem[-1]), found["provenance"]["command"]
    assert found["schema"] == schema < SCHEMA and len(path.read_bytes()) < 30_000
    said = command("report", str(path), code=2)
    way = f"(an older one wrote the file: make it again by {made_by})"
    assert said == f"ugt: error: {path} must have the schema {SCHEMA} of this version of ugt {way}. Got {schema}.\n"
    assert not (folder / "report.html").exists()


def test_there_are_files_of_two_older_schemas():
    assert [path.stem[-1] for path in OLDER] == [str(schema) for schema in range(1, SCHEMA)]


@pytest.mark.parametrize("command_of_file", [None, 3, "rm -rf x", "ugt evaluate\n--out x"])
def test_only_a_command_of_ugt_is_named_as_the_way(folder, command, write, command_of_file):
    write({**json.loads(OLDER[0].read_text(encoding="utf-8")), "provenance": {"command": command_of_file}}, "x.json")
    assert "(an older one wrote the file: evaluate the data again). Got 1." in command("report", "x.json", code=2)


def test_cautions_do_not_depend_on_the_words_of_notes(folder, command, write):
    """Once a note was reworded, and pages made of files of the build before lacked a serious caution."""
    write("case,0,1\n" + "".join(f"p{i},{i % 2},{1 - i % 2}\n" for i in range(30)), "turned.csv")
    write("case,annotator,label\n" + "".join(f"p{i},{who},{i % 2}\n" for i in range(30) for who in range(3)), "labels.csv")
    command("evaluate", "--annotations", "labels.csv", "--predictions", "turned.csv", "--out", "report", "--n-boot", "20", "--no-details")
    found = evaluated(folder)
    others = [{**note, "text": f"Words {i} of another build."} for i, note in enumerate(found["notes"])]
    write({**found, "notes": others}, "x.json")
    command("report", "x.json")
    pages = [Page(Path(one).read_text(encoding="utf-8")).text for one in ("report/report.html", "report.html")]
    assert all("A model may be read wrongly" in page and "do not rely on this result" in page for page in pages)
    for note, other in zip(found["notes"], others):
        pages[0] = pages[0].replace(note["text"], other["text"])
    assert pages[0] == pages[1]


def test_plan(command):
    out = command("plan")
    assert out == plan.template() and plan.check_plan(json.loads(out)) == {}
    refused(r"^Infinity is not JSON$", json.loads, "[Infinity]", parse_constant=report._no_constant)


def test_one_file_may_hold_several_models(folder, command, write):
    lines = (folder / "A.csv").read_text(encoding="utf-8").splitlines()
    write("\n".join([f"model,{lines[0]}", *(f"{name},{line}" for name in ("old", "new") for line in lines[1:])]) + "\n", "both.csv")
    np.save(folder / "last.npy", np.eye(2)[[0, 1, 0, 1]])
    words = ("evaluate", "--annotations", "labels.csv", "--out", "report", "--predictions")
    found = json.loads(command(*words, "both.csv", "last.npy", "--n-boot", "20", "--no-details", "--json"))
    assert found["models"] == ["old", "new", "last"]
    assert [entry["name"] for entry in evaluated(folder)["provenance"]["inputs"]] == ["labels.csv", "both.csv", "last.npy"]
    said = "must be given without a name where a file holds several models. Got 'mine' for 'both.csv'."
    assert said in command(*words, "mine=both.csv", code=2)
    for twice in (["both.csv", "old=A.csv"], ["old=A.csv", "both.csv"], ["last.npy", "old=A.csv", "both.csv"]):
        assert "must be of models with different names (rename one of them). Got 'old' twice." in command(*words, *twice, code=2)


def test_a_mapping_says_where_things_are_and_options_go_first(command, write):
    write([{"image": f"p{i}", "by": {"who": "x"}, "said": i % 2} for i in range(4)], "other.json")
    write({"fields": {"case": "image", "annotator": "by.who", "label": "said"}}, "mapping.json")
    certainty = ("certainty", "--mapping", "mapping.json")
    assert command(*certainty, "other.json").startswith(
        "other.json: labels (one row per label): 4 cases, 1 annotator, 2 classes, 4 labels.\n"
    )
    write("q1,q2,q3\n1,x,yes\n2,x,no\n2,y,never\n", "odd.csv")
    write({"columns": {"case": "q1", "annotator": "q2", "label": "q3"}, "missing": ["never"]}, "mapping.json")
    said = "odd.csv: labels (one row per label): 2 cases, {}, 2 classes, 2 labels.\nRead as missing: '{}' (1 cells)."
    assert command(*certainty, "odd.csv").startswith(said.format("1 annotator", "never"))
    assert command(*certainty, "odd.csv", "--na", "no").startswith(said.format("2 annotators", "no"))


def test_every_other_column_is_a_division(write):
    sites = {"p1": "north", "p2": "south", "p3": "north"}
    assert subgroup_file("sites.csv").values == {"site": sites, "age band": {"p1": "40-59", "p2": "", "p3": "60+"}}
    # another order, separator, name of the case's column; numbers; a byte order mark; compressed
    text = '\ufeffZentrum;Item ID\n"Köln; Nord";7\n1;08\n'
    for path in (write(text), write(gzip.compress(text.encode("utf-8")), "sites.csv.gz")):
        assert subgroup_file(path).values == {"Zentrum": {"7": "Köln; Nord", "08": "1"}}


BAD = {
    "no case": ("site,age\nnorth,3\n", r"file must have a column case \(case_column= names it\) and at least one more, .*\. Got 'site'"),
    "only cases": ("case,case id\n", ""),
    "two cases": ("case,item,site\n1,2,3\n", r"case column must be given if several columns may be meant\. Got 'case' and"),
    "nameless": ("case,\np1,x\n", r"columns must have names\. Got a blank one, first at column 2\."),
    "blank case": ("case,site\np1,x\n,y\n", r"case must not be blank\. Got a blank cell, first at line 3\."),
    "repeated": ("case,site\np1,x\np2,x\np1,y\n", r"case must occur once\. Got 'p1' twice, first at line 4\."),
    "empty": ("", r"file must not be empty\."),
    "no rows": ("case,site\n", r"file must have rows below its header\."),
    "one column": ("case\np1\n", ""),
    "Latin-1": ("case,site\np1,K\xf6ln\n".encode("latin-1"), r"file must be UTF-8 text\."),
    "cut off": ("case,site\np1,x\np2\n", r"row must have 2 fields"),
}


@pytest.mark.parametrize("what", BAD)
def test_bad_files_of_subgroups(write, what):
    content, message = BAD[what]
    write(content, "sites.csv")
    refused(r"^sites\.csv: " + message, subgroup_file, "sites.csv")


def test_subgroups_and_plan_reach_evaluate(folder, command, write, monkeypatch):
    spy = Mock(side_effect=_evaluate.evaluate)
    monkeypatch.setattr(_evaluate, "evaluate", spy)
    command(*JUDGE)
    assert not {"subgroups", "plan", "clusters"} & set(spy.call_args.kwargs)  # what is not given is not passed
    empty = json.loads(plan.template())
    field = next(name for name in empty if not name.startswith("_"))
    write({**empty, field: "what we want to know"}, "plan.json")
    command(*JUDGE, "--subgroups", "sites.csv", "--plan", "plan.json")
    seen = spy.call_args.kwargs
    assert seen["subgroups"] == subgroup_file("sites.csv").values and seen["plan"] == {field: "what we want to know"}
    inputs = evaluated(folder)["provenance"]["inputs"]
    assert [entry["name"] for entry in inputs] == ["labels.csv", "A.csv", "sites.csv", "plan.json"]


def test_errors_of_a_plan_name_the_file_or_field(folder, command, write):
    write({"no such field": 1}, "plan.json")
    said = command(*JUDGE, "--plan", "plan.json", code=2)
    assert "plan" in said and said.count("\n") == 1 and not (folder / "report").exists()
