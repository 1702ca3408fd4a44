"""Records of JSON without a mapping: flat ones, and those of Argilla, which have the answers of users to its questions."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from itertools import chain
from typing import Any

from .._base.checks import error
from .._base.names import listed
from .._base.wording import arg
from .._tabular.frames import Columns
from .annotation_file import Reading
from .mapping import flat_table, mapped_table

RESPONSES = ".responses"  # what a record with lists side by side has behind the name of a question


def table_of_records(content: Any, how: Reading) -> tuple[Columns, Reading] | None:
    """Return records as a table, and the options with its columns; None for other content than a list, or pairs of place and record."""
    if not isinstance(content, Iterator):
        content = ((f"record {i}", one) for i, one in enumerate(content if isinstance(content, list) else ()))
    first = next(content, None)
    content = chain([] if first is None else [first], content)
    if first is not None and _questions(first[1]):
        rows = list(content)
        return mapped_table(iter(rows), {"fields": _fields([record for _, record in rows], how)}, _without_own(how))
    flat = flat_table(content)
    return None if flat is None else (flat, how)


def _fields(records: Sequence[Any], how: Reading) -> dict[str, str]:
    """Return the paths of case, annotator and label for the question that is named as the label, or the only one."""
    found = {name: paths for record in records for name, paths in _questions(record).items()}
    question = how.columns.get("label") or (next(iter(found)) if len(found) == 1 else None)
    if question is None:
        way = "name it: " + arg("columns", {"label": next(iter(found))})
        raise error("records", "have answers to one question", listed(map(repr, found)), way=way)
    if question not in found:
        raise error("label column", f"be one of the questions {listed(map(repr, found))}", repr(question))
    case = how.columns.get("case")
    return {"case": case if case and isinstance(case, str) else "id", **found[question]}


def _without_own(how: Reading) -> Reading:
    """Return the options without the columns that name a question or the path of the case."""
    gone = {"label", *(["case"] if isinstance(how.columns.get("case"), str) else [])}
    return how._replace(columns={role: name for role, name in how.columns.items() if role not in gone})


def _questions(record: Any) -> dict[str, dict[str, str]]:
    """Return the paths of annotators and labels for each question that a record of Argilla has answers to; none for other records."""
    found: dict[str, dict[str, str]] = {}
    if not isinstance(record, Mapping):
        return found
    for key in record:
        if key.endswith(RESPONSES) and isinstance(record.get(f"{key}.users"), list):
            found[key[: -len(RESPONSES)]] = {"annotator": f"{key}.users[]", "label": f"{key}[]"}
    nested = record.get("responses")
    for key, answers in nested.items() if isinstance(nested, Mapping) else ():
        if isinstance(answers, list) and all(isinstance(one, Mapping) and {"value", "user_id"} <= one.keys() for one in answers):
            found[key] = {"annotator": f"responses.{key}[].user_id", "label": f"responses.{key}[].value"}
    return found
