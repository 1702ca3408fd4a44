"""The plan of an evaluation: decisions made before the results were seen, as a JSON or YAML file with a fixed set of fields."""

from __future__ import annotations

import difflib
import json
import math
import numbers
import os
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from .._base import checks
from .._tabular import source

MOST_BYTES = 256 * 1024
MOST_TEXT = 4000  # characters of one text
MOST_ITEMS = 200  # most entries of a list
MOST_NUMBER = 2**64

# Fields that a reader, a reviewer or a regulator asks for, and that only the authors can know.
GROUPS: dict[str, dict[str, str]] = {
    "study": {
        "question": "what is to be found out, in one sentence",
        "intended_use": "what the models are for, in whose hands, for which patients or material",
        "registration": "where the protocol can be read (register and number), or that there is none",
        "date": "when this plan was fixed",
        "authors": "who wrote this plan; the report names them",
    },
    "cases": {
        "case_selection": "where the cases come from and how they were chosen",
        "sample_size": "number of cases",
        "sample_size_rationale": "why so many",
        "clusters": "which cases belong together, such as those of one patient",
        "subgroups": "groups of cases for which results are given",
        "training_test_separation": "how it was made sure that no case, patient or site of the test was used in training",
    },
    "annotators": {
        "annotators": "who annotated: qualifications, years of experience, how they were chosen",
        "number_of_annotators": "how many",
        "annotators_independent_of_models": "whether no annotator built, trained or is compared with the models",
        "instructions": "what annotators were told to do, how they were trained",
        "what_annotators_saw": "images, history, tests: what was shown, and whether the models saw the same",
        "blinding": "what was hidden from the annotators, such as predictions and each other's labels",
        "adjudication": "whether and how annotators settled disagreement, before these annotations or not at all",
        "repeated_annotations": "whether annotators labelled some cases twice",
    },
    "truth": {
        "primary_aggregation": "how annotations become truth, such as dirichlet or votes",
        "reliability": "weight of the annotations: a number, or a list of them",
        "reliability_rationale": "why these",
        "prior": "the prior or background",
        "scale": "the grades of the annotations, lowest first, or real for ratings that are real numbers",
        "tie_rule": "what is done with tied classes and tied scores",
        "missing_annotations_rule": "what is done with cases without annotations",
        "missing_predictions_rule": "what is done with cases without predictions",
        "indeterminate_rule": "what is done with answers such as 'cannot say'",
    },
    "analysis": {
        "primary_metric": "the one that decides, such as topk_accuracy@1",
        "secondary_metrics": "the others",
        "level": "of intervals, such as 0.95",
        "margin": "of non-inferiority: by which share disagreement may be larger than among annotators, and why this one",
        "comparisons": "which models are compared with which",
        "sensitivity_analyses": "what is changed to see whether the result depends on it",
        "seed": "of draws and resamples",
        "positive_class": "of two classes the one that is positive",
    },
    "report": {
        "title": "of the report",
        "note": "what a reader must know first: a text, or a list of them",
        "unit": "noun for a case, such as image",
        "annotators_are": "noun for an annotator, such as reader",
        "appendices": "folded, or open for printing",
    },
}
FIELDS: dict[str, str] = {name: meaning for fields in GROUPS.values() for name, meaning in fields.items()}


def read_plan(path: str | os.PathLike[str]) -> dict[str, Any]:
    """Return a plan as :func:`check_plan` does, from a JSON file, or from a YAML file if PyYAML is installed.

    The file is UTF-8, at most 256 KiB, and has no field twice. Messages begin with the name of the file.
    """
    ending = Path(path).suffix.lower()
    with source.naming(path):
        if ending not in (".json", ".yaml", ".yml"):
            raise checks.error("plan", "be a file that ends in .json, .yaml or .yml", repr(Path(path).name))
        source.check_regular(path)
        with open(path, "rb") as file:
            data = file.read(MOST_BYTES + 1)
        if len(data) > MOST_BYTES:
            raise checks.error("plan", f"be a file of at most {MOST_BYTES // 1024} KiB", "a larger one")
        text = source.check_text(data)
        try:
            return check_plan(_json(text) if ending == ".json" else _yaml(text))
        except RecursionError:
            raise checks.error("plan", "have no values inside values", "a deep nesting") from None


def check_plan(plan: Mapping[str, Any]) -> dict[str, Any]:
    """Return the stated fields of a plan, in the order of ``FIELDS``; dates as text.

    Values are text, finite numbers, booleans, or lists of these. None, ``""`` and ``[]`` are blanks: the report prints "not stated". A
    field with ``_`` before its name is a comment, as :func:`template` writes them.

    >>> check_plan({"reliability": [1, 5], "blinding": "", "question": "Is B better than A?"})
    {'question': 'Is B better than A?', 'reliability': [1, 5]}
    """
    if not isinstance(plan, Mapping):
        raise checks.error("plan", "be a mapping from fields to values", type(plan).__name__)
    for name in plan:
        if not isinstance(name, str):
            raise checks.error("plan", "have text as the name of each field", f"{type(name).__name__} {str(name)[:40]!r}")
        if name.removeprefix("_") not in FIELDS and name not in FIELDS:
            plain = name[:80].strip("_").lower().replace("-", "_").replace(" ", "_")
            near = difflib.get_close_matches(plain, FIELDS, n=1, cutoff=0.0)[0]
            raise checks.error("plan", f"have known fields only (the nearest to this one is {near!r})", repr(name[:80]))
    found = {name: _value(name, plan[name]) for name in FIELDS if name in plan}
    return {name: value for name, value in found.items() if value not in (None, [])}


def template() -> str:
    """Return an empty plan as JSON text: every field, each below a comment that explains it.

    >>> check_plan(json.loads(template()))
    {}
    """
    lines = (f"  {json.dumps(key)}: {json.dumps(value)}" for name in FIELDS for key, value in ((f"_{name}", FIELDS[name]), (name, "")))
    return "{\n" + ",\n".join(lines) + "\n}\n"


def title(name: str) -> str:
    return name.replace("_", " ")


def _value(name: str, value: object) -> Any:
    """Return the value of a field, checked; None for a blank."""
    if not isinstance(value, (list, tuple)):
        return _scalar(name, value)
    if len(value) > MOST_ITEMS:
        raise checks.error(name, f"be a list of at most {MOST_ITEMS}", len(value))
    found = [_scalar(f"{name}[{i}]", one) for i, one in enumerate(value)]
    if None in found:
        raise checks.error(name, "have no blanks in its list", "a blank", f"entry {found.index(None)}")
    return found


def _scalar(name: str, value: object) -> Any:
    if hasattr(value, "isoformat"):  # YAML reads dates as date objects
        value = value.isoformat()
    if value is None or isinstance(value, bool):
        return value
    if isinstance(value, str):
        if len(value) > MOST_TEXT:
            raise checks.error(name, f"be a text of at most {MOST_TEXT:,} characters", f"{len(value):,}")
        return value.strip() or None
    if isinstance(value, numbers.Integral):
        if abs(int(value)) > MOST_NUMBER:
            raise checks.error(name, "be at most 2^64", "a larger number")
        return int(value)
    if isinstance(value, numbers.Real):
        if not math.isfinite(value):
            raise checks.error(name, "be finite", value)
        return float(value)
    # The value itself is not shown, since it may be of any size.
    raise checks.error(name, "be text, a number, true or false, or a list of these", f"a value of type {type(value).__name__}")


def _json(text: str) -> Any:
    try:
        return json.loads(text, object_pairs_hook=checks.once("plan"))
    except json.JSONDecodeError as problem:
        raise checks.error("plan", "be JSON (is it cut off?)", problem.msg, f"line {problem.lineno}") from None
    except ValueError as problem:
        raise source.too_long(problem) from None


def _yaml(text: str) -> Any:
    import importlib  # noqa: PLC0415  (only this needs it)

    try:
        yaml = importlib.import_module("yaml")  # optional
    except ImportError:
        raise checks.error("plan", "be JSON, or YAML where PyYAML is installed (pip install pyyaml)", "YAML, and no PyYAML here") from None

    class Loader(yaml.SafeLoader):  # type: ignore[misc,name-defined]
        """A loader of plain values that refuses a field that occurs twice."""

        def construct_mapping(self, node: Any, deep: bool = False) -> Any:
            """Refuse duplicate fields, of which the parent keeps only the last."""
            checks.once("plan")((str(key.value), None) for key, _ in node.value)
            return super().construct_mapping(node, deep)

    try:
        return yaml.load(text, Loader)
    except yaml.YAMLError as problem:
        line = getattr(getattr(problem, "problem_mark", None), "line", None)
        got = getattr(problem, "problem", None) or type(problem).__name__
        raise checks.error("plan", "be YAML", got, "" if line is None else f"line {line + 1}") from None
