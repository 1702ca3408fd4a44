"""The plan file: what is read, what is refused and how it is said."""

import json
import sys

import numpy as np
import pytest
from refusals import refused

from ugt.report import plan as _plan


def test_template_and_fields():
    empty = json.loads(_plan.template())
    assert [name for name in empty if not name.startswith("_")] == list(_plan.FIELDS)
    assert {name: empty[f"_{name}"] for name in _plan.FIELDS} == _plan.FIELDS
    assert set(empty) == {*_plan.FIELDS, *(f"_{name}" for name in _plan.FIELDS)} and _plan.check_plan(empty) == {}
    names = [name for fields in _plan.GROUPS.values() for name in fields]
    assert len(names) == len(set(names)) == len(_plan.FIELDS) > 25
    assert all(name.isidentifier() and not name.startswith("_") and len(meaning) > 5 for name, meaning in _plan.FIELDS.items())


def test_stated_values_come_back_in_order_and_blanks_do_not():
    given = {"seed": 3, "reliability": (1, 2.5), "blinding": "  yes, \n both ", "annotators_independent_of_models": False}
    blank = {"margin": None, "date": " ", "subgroups": [], "question": ""}
    found = _plan.check_plan({**given, **blank})
    assert found == {"annotators_independent_of_models": False, "blinding": "yes, \n both", "reliability": [1, 2.5], "seed": 3}
    assert list(found) == [name for name in _plan.FIELDS if name in given]
    found = _plan.check_plan({"seed": np.int64(4), "level": np.float64(0.9), "reliability": [np.float32(0.5)]})
    assert found == {"seed": 4, "level": 0.9, "reliability": [0.5]}
    assert type(found["seed"]) is int and type(found["level"]) is type(found["reliability"][0]) is float
    json.dumps(found, allow_nan=False)


@pytest.mark.parametrize(
    ("plan", "message"),
    [
        ([1], r"^plan must be a mapping from fields to values\. Got list\.$"),
        ({"relability": 1}, r"^plan must have known fields only \(the nearest to this one is 'reliability'\)\. Got 'relability'\.$"),
        ({"Primary Metric": 1}, r"nearest to this one is 'primary_metric'"),
        ({"_relability": 1}, r"nearest to this one is 'reliability'\)\. Got '_relability'"),
        ({"x" * 10_000: 1}, r"known fields only .* Got 'x{80}'\.$"),
        ({7: 1}, r"^plan must have text as the name of each field\. Got int '7'\.$"),
        ({"level": float("nan")}, r"^level must be finite\. Got nan\.$"),
        ({"reliability": [1, float("-inf")]}, r"^reliability\[1\] must be finite\. Got -inf\.$"),
        ({"seed": 10**30}, r"^seed must be at most 2\^64\. Got a larger number\.$"),
        ({"margin": {"a": 1}}, r"^margin must be text, a number, true or false, or a list of these\. Got a value of type dict\.$"),
        ({"margin": [[1]]}, r"^margin\[0\] must be text, .* Got a value of type list\.$"),
        ({"margin": b"x"}, r"Got a value of type bytes\.$"),
        ({"subgroups": ["a", ""]}, r"^subgroups must have no blanks in its list\. Got a blank, first at entry 1\.$"),
        ({"subgroups": ["a"] * 201}, r"^subgroups must be a list of at most 200\. Got 201\.$"),
        ({"question": "x" * 4001}, r"^question must be a text of at most 4,000 characters\. Got 4,001\.$"),
    ],
)
def test_what_is_no_plan_is_refused(plan, message):
    refused(message, _plan.check_plan, plan)


@pytest.mark.parametrize("text", ['{"reliability": [1, 2], "question": "Größe?"}', '\ufeff{"question": "Größe?", "reliability": [1, 2]}'])
def test_json_is_read(write, text):
    assert _plan.read_plan(write(text, "plan.json")) == {"question": "Größe?", "reliability": [1, 2]}
    assert _plan.read_plan(str(write(text, "P.JSON")))["reliability"] == [1, 2]


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ('{"seed": 1, "level": 0.9, "seed": 2}', r"plan must have each field of an object once\. Got 'seed' twice\.$"),
        ('{"seed": 1', r"plan must be JSON \(is it cut off\?\)\. Got .*, first at line 1\.$"),
        ('{"level": NaN}', r"level must be finite\. Got nan\.$"),
        ('{"level": 1e999}', r"level must be finite\. Got inf\.$"),
        ("[1, 2]", r"plan must be a mapping from fields to values\. Got list\.$"),
        pytest.param("[" * 200_000, r"plan must have no values inside values\. Got a deep nesting\.$", id="deep"),  # as in test_io.py
        ('{"question": "Größe"}'.encode("latin-1"), r"must be UTF-8 text"),
        (b"", r"must not be empty"),
        pytest.param(
            b'{"question": "' + b"x" * (256 * 1024) + b'"}', r"plan must be a file of at most 256 KiB\. Got a larger one\.$", id="large"
        ),
        ('{"quetsion": 1}', r"nearest to this one is 'question'"),
    ],
)
def test_files_that_are_no_plan_are_refused_by_name(write, text, message):
    path = write(text, "plan.json")
    with pytest.raises(ValueError, match=message) as caught:
        _plan.read_plan(path)
    assert str(caught.value).startswith(f"{path}: ") and len(str(caught.value)) < 500


def test_endings_and_missing_files_and_packages(tmp_path, write, monkeypatch):
    wrong = r"plan must be a file that ends in \.json, \.yaml or \.yml\. Got 'plan\.txt'\.$"
    refused(wrong, _plan.read_plan, write("{}", "plan.txt"))
    refused(r"none\.json", _plan.read_plan, tmp_path / "none.json", error=OSError)
    monkeypatch.setitem(sys.modules, "yaml", None)
    needed = r"plan must be JSON, or YAML where PyYAML is installed \(pip install pyyaml\)\. Got YAML"
    refused(needed, _plan.read_plan, write("seed: 1", "plan.yaml"))


YAML = """
# decided on the first of October
date: 2026-10-01
reliability: [1, 2.5]
annotators_independent_of_models: yes
blinding: >
  neither predictions
  nor each other's labels
registration:
"""


def test_yaml_is_read(write):
    pytest.importorskip("yaml")
    found = _plan.read_plan(write(YAML, "plan.yml"))
    blinding = "neither predictions nor each other's labels"
    assert found == {"date": "2026-10-01", "annotators_independent_of_models": True, "blinding": blinding, "reliability": [1, 2.5]}


BOMB = "a: &a [x,x,x,x,x,x,x,x,x]\n" + "".join(f"{b}: &{b} [{','.join([f'*{a}'] * 9)}]\n" for a, b in zip("abcdefgh", "bcdefghi"))


@pytest.mark.slow
@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("seed: 1\nlevel: 0.9\nseed: 2\n", r"plan must have each field of an object once\. Got 'seed' twice\.$"),
        ("seed: [1\n", r"plan must be YAML\. Got .*, first at line 2\.$"),
        ("level: .nan\n", r"level must be finite\. Got nan\.$"),
        ("seed: !!python/object/apply:os.system ['true']\n", r"plan must be YAML\. Got could not determine a constructor"),
        ("- 1\n", r"plan must be a mapping from fields to values\. Got list\.$"),
        (BOMB, r"known fields only"),
        ("margin: " + "[" * 20_000, r"plan must (be YAML|have no values inside values)"),
        ("margin: {1: 2}\n", r"margin must be text, .* Got a value of type dict\.$"),
        ("? [a, b]\n: 1\n", r"plan must be YAML"),
    ],
    ids=range(9),
)
def test_yaml_that_is_no_plan_is_refused(write, text, message):
    pytest.importorskip("yaml")
    with pytest.raises(ValueError, match=message) as caught:
        _plan.read_plan(write(text, "plan.yaml"))
    assert len(str(caught.value)) < 500
