"""Subgroups of cases from a file, and their way into an evaluation."""

import gzip
import json

import pytest

from ugt import cli
from ugt.cli import evaluate as _evaluate
from ugt.cli.cases import read_subgroups

SITES = "case,site,age band\np1,north,40-59\np2, south ,\np3,north,60+\n"


def write(folder, text, name="sites.csv"):
    (folder / name).write_bytes(text if isinstance(text, bytes) else text.encode("utf-8"))
    return folder / name


def test_every_other_column_is_a_division(tmp_path):
    assert read_subgroups(write(tmp_path, SITES)) == {
        "site": {"p1": "north", "p2": "south", "p3": "north"},
        "age band": {"p1": "40-59", "p2": "", "p3": "60+"},
    }
    # another order, separator, name of the case's column; numbers; a byte order mark; compressed
    text = '\ufeffZentrum;Item ID\n"Köln; Nord";7\n1;08\n'
    found = {"Zentrum": {"7": "Köln; Nord", "08": "1"}}
    assert read_subgroups(write(tmp_path, text)) == found
    assert read_subgroups(write(tmp_path, gzip.compress(text.encode("utf-8")), "sites.csv.gz")) == found


BAD = {
    "no case": ("site,age\nnorth,3\n", "sites.csv: file must have a column case and at least one more, for the subgroups. Got 'site'"),
    "only cases": ("case,case id\n", "sites.csv: "),
    "two cases": ("case,item,site\n1,2,3\n", "sites.csv: case column must be named where several columns may be meant. Got 'case' and"),
    "nameless": ("case,\np1,x\n", "sites.csv: columns must have names. Got a blank one, first at column 2."),
    "blank case": ("case,site\np1,x\n,y\n", "sites.csv: case must not be blank. Got a blank cell, first at line 3."),
    "repeated": ("case,site\np1,x\np2,x\np1,y\n", "sites.csv: case must stand once. Got 'p1' twice, first at line 4."),
    "empty": ("", "sites.csv: file must not be empty."),
    "no rows": ("case,site\n", "sites.csv: file must have rows below its header."),
    "one column": ("case\np1\n", "sites.csv: "),
    "Latin-1": ("case,site\np1,K\xf6ln\n".encode("latin-1"), "sites.csv: file must be UTF-8 text."),
    "cut off": ("case,site\np1,x\np2\n", "sites.csv: row must have 2 fields"),
}  # fmt: skip


@pytest.mark.parametrize("what", BAD)
def test_bad_files(tmp_path, monkeypatch, what):
    content, message = BAD[what]
    write(tmp_path, content)
    monkeypatch.chdir(tmp_path)
    with pytest.raises(ValueError, match=r"^sites\.csv: ") as problem:
        read_subgroups("sites.csv")
    assert str(problem.value).startswith(message)


@pytest.fixture
def folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    write(
        tmp_path, "case,annotator,label\n" + "".join(f"p{i},{who},{(i + who) % 2}\n" for i in (1, 2, 3) for who in (1, 2, 3)), "labels.csv"
    )
    write(tmp_path, "case,0,1\np1,0.4,0.6\np2,0.7,0.3\np3,0.5,0.5\n", "A.csv")
    write(tmp_path, SITES)
    return tmp_path


JUDGE = ["evaluate", "--annotations", "labels.csv", "--predictions", "A.csv", "--out", "report", "--n-boot", "20"]


@pytest.fixture
def seen(monkeypatch):
    """The keywords of evaluate()."""
    seen = {}

    def spy(annotations, predictions, **keywords):
        seen.update(keywords)
        return EVALUATE(annotations, predictions, **keywords)

    monkeypatch.setattr(_evaluate, "evaluate", spy)
    return seen


EVALUATE = _evaluate.evaluate


def test_subgroups_and_plan_reach_evaluate(folder, seen):
    from ugt.report.plan import template

    plan = json.loads(template())
    field = next(name for name in plan if not name.startswith("_"))
    write(folder, json.dumps({**plan, field: "what we want to know"}), "plan.json")
    assert cli.main([*JUDGE, "--subgroups", "sites.csv", "--plan", "plan.json"]) == 0
    assert seen["subgroups"] == read_subgroups("sites.csv") and seen["plan"] == {field: "what we want to know"}
    found = json.loads((folder / "report" / "evaluation.json").read_text(encoding="utf-8"))
    assert [entry["name"] for entry in found["provenance"]["inputs"]] == ["labels.csv", "A.csv", "sites.csv", "plan.json"]


def test_what_is_not_given_is_not_passed(folder, seen):
    assert cli.main(JUDGE) == 0
    assert not {"subgroups", "plan", "clusters"} & set(seen)


def test_errors_of_a_plan_name_the_file_or_field(folder, capsys):
    write(folder, '{"no such field": 1}', "plan.json")
    assert cli.main([*JUDGE, "--plan", "plan.json"]) == 2
    err = capsys.readouterr().err
    assert "plan" in err and err.count("\n") == 1
    assert not (folder / "report").exists()
