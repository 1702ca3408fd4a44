"""The kind of a file (annotations, predictions, or data about the cases), if its content shows it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from .._base.identifiers import INTEGER, one_number
from .._base.notices import heard
from .._tabular.csv_table import CellTable
from .._tabular.foreign import JSON, table_of
from .._tabular.role_words import ALIASES, LONG, OTHERS
from .._tabular.roles import case_column, columns_beside, find_roles, is_count, is_number, places_of, plain
from .._tabular.source import Source, naming
from ..annotations.class_columns import ONE_SCORE
from ..annotations.model_scores import LABELS, Asked
from ..annotations.probabilities import is_percentage
from . import exports
from .annotation_file import MISSING, ROLES
from .arrays import load, scores_of
from .judge_programs import is_judge_log, names_verdicts
from .preference_files import has_votes, names_votes

KINDS = ("annotations", "predictions", "clusters", "subgroups", "verdicts", "votes")


def kind_of_file(path: Any, classes: Any = None, *, case_column: str | Sequence[str] | None = None, encoding: str = "utf-8") -> str:
    """Return one of ``KINDS``, or "" if only the classes of the annotations would show the kind."""
    with naming(path):
        source = Source(path, encoding)
        if source.ending in (".eval", *JSON):
            return "verdicts" if source.ending == ".eval" or is_judge_log(source) else "votes" if has_votes(source) else "annotations"
        if source.ending in exports.PREFLIB:
            return "annotations"
        with heard():
            if source.ending in (".npy", ".npz"):
                return _kind_of_arrays(load(source.read()))
            return _kind_of_table(table_of(source, case_column), classes)


def _kind_of_arrays(arrays: dict[str, Any]) -> str:
    if "" in arrays:
        scores = arrays[""].dtype.kind == "f" and not np.isnan(arrays[""]).any()  # scores have no blank cells
        return "predictions" if scores else "annotations"
    try:
        scores_of(arrays)
    except ValueError:
        return "annotations" if arrays.keys() & {"kind", "counts", "table"} else "predictions"
    return "predictions"


def _kind_of_table(table: CellTable, classes: Any) -> str:
    if names_votes(table.header) or names_verdicts(table.header):
        return "votes" if names_votes(table.header) else "verdicts"
    kind, others = _kind_by_names(table.header, table.case)
    words = [plain(table.header[c]) for c in others]
    if kind == "predictions" and len(words) == 1 and words[0] in LABELS:
        (case,) = table.coded([c for c in range(len(table.header)) if c not in others])
        kind = kind if len(case.values) == len(case.codes) else "annotations"  # several labels of a case, without annotators
    if kind or not others:
        return kind or "annotations"
    if classes is not None:
        at = Asked(table, classes, None, None).at
        if at and all(map(is_count, table.coded(at)[0].values)):  # counts, unless shares
            scores = table.numbers(at)
            return "predictions" if (scores.sum(axis=1) == 1).all() or is_percentage(scores) else "annotations"
        if at or {table.header[c] for c in others} & {*map(str, classes)} or not LABELS.isdisjoint(words):
            return "predictions"
    return _kind_by_cells(table, others, classes)


def _kind_by_names(header: list[str], case: Mapping[str, str | None]) -> tuple[str, list[int]]:
    """Return the kind, if names show it, and the columns other than the case."""
    first = find_roles(header, case, ("case",), {}).get("case", case_column(header))
    others = columns_beside(header, first)
    try:
        roles = find_roles(header, case, (*ROLES, "model", "score", "cluster"))
    except ValueError:  # several columns for a role: reading the annotations will report it
        return "annotations", others
    names, kind = [plain(header[c]) for c in others], ""
    if (
        places_of(header)
        or ("annotator" in roles and (roles.keys() & {*LONG, "rank", "confidence"} or "model" not in roles))
        or {"count", "label"} <= roles.keys()
        or "ranking" in roles
    ):
        kind = "annotations"
    elif "model" in roles or "score" in roles or (len(names) == 1 and names[0] in LABELS | ONE_SCORE):
        kind = "predictions"
    elif names and OTHERS.issuperset(names):
        kind = "clusters" if len(names) == 1 and names[0] in ALIASES["cluster"] else "subgroups"
    return kind, others


def _kind_by_cells(table: CellTable, others: list[int], classes: Any) -> str:
    """Return the kind of a table with one row per case whose names do not show it: scores, labels, or another kind."""
    (cells,) = table.coded(others)
    given = [value.replace(",", ".") if table.semicolons else value for value in cells.values if value not in MISSING]
    if given and all(map(is_number, given)):
        whole = [INTEGER.fullmatch(one_number(value)) for value in given]
        if not all(whole) or (len(given) == len(cells.values) and not any(map(INTEGER.fullmatch, given))):  # 1.0 among blanks is a label
            return "predictions"
    if classes is None:
        return ""
    return "annotations" if {*map(str, classes)} & {*given, *map(one_number, given)} else "subgroups"
