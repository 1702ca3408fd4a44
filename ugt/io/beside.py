"""Files that accompany the annotations (predictions, clusters, subgroups), and the roles of their columns."""

from __future__ import annotations

import os
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from .._base.checks import error
from .._base.identifiers import name, repeated
from .._base.names import listed, note_alike
from .._base.notes import Note
from .._base.notices import note
from .._base.records import Record
from .._base.wording import arg
from .._tabular.case_columns import beside_case
from .._tabular.foreign import table_of
from .._tabular.roles import MOST_SHOWN, case_beside, columns_called, find_roles, is_number, roles_of
from .._tabular.some_columns import without
from .._tabular.source import Source, naming
from ..annotations.model_scores import read_columns_of_models, read_scores, read_scores_of_models
from ..annotations.predictions import Predictions
from ..annotations.probabilities import is_percentage, is_ranking
from .arrays import load, scores_of

MOST_COMPARED = 20_000  # most values of a column whose names are compared, which takes 0.1 s
MOST_GROUPS, FEW_PER_GROUP = 10, 5  # a column with more numbers, and with fewer cases for each, is hardly meant as subgroups


@dataclass(frozen=True, eq=False, repr=False)
class PredictionFile(Record):
    """The models of a file, the columns (or arrays) of each role, and those that were not used."""

    models: dict[str, Predictions]
    columns: dict[str, tuple[str, ...]]
    unused: tuple[str, ...] = ()


@dataclass(frozen=True, eq=False, repr=False)
class CaseFile(Record):
    """The values of a table with one row per case (or annotator): for each column, case to value."""

    values: dict[str, dict[str, Any]]
    columns: dict[str, tuple[str, ...]]
    unused: tuple[str, ...] = ()


def prediction_file(
    path: Any,
    classes: Any = None,
    positive_class: Any = None,
    *,
    several: bool = True,
    case_column: str | Sequence[str] | None = None,
    decimal: str = "auto",
    encoding: str = "utf-8",
    on_scale: bool = False,
    model_columns: Sequence[str] = (),
    ignore_columns: Sequence[str] = (),
) -> PredictionFile:
    """Return the models of a file of predictions.

    ``several``: whether a column ``model`` names the model of each row; ``on_scale``: whether one column may hold numbers on a scale;
    ``model_columns``: columns that hold a model each, by names or patterns.
    """
    with naming(path):
        source = Source(path, encoding)
        if source.ending in (".npy", ".npz"):
            if model_columns or ignore_columns:
                raise error("model_columns" if model_columns else "ignore_columns", "be given for tables", repr(source.ending))
            arrays, names = scores_of(load(source.read()))
            found = PredictionFile({source.stem: Predictions.from_any(arrays, classes, positive_class, on_scale=on_scale)}, names)
        else:
            table = without(table_of(source, case_column, decimal), ignore_columns)
            if model_columns:
                own = sorted(columns_called(table.header, "model_columns", model_columns) - table.hidden)
                if len(own) > 1 and not several:
                    raise error("model_columns", "name one column for one model", listed(repr(table.header[c]) for c in own))
                models = read_columns_of_models(table, own, classes, positive_class, on_scale)
            elif several and "model" in find_roles(table.header, {}, ("model",)):
                models = read_scores_of_models(table, classes, positive_class, on_scale)
            else:
                models = {source.stem: read_scores(table, classes, positive_class, on_scale)}
            found = PredictionFile(models, *roles_of(table.header, table.sources()))
        percent = [name for name, one in found.models.items() if not one.numbers and is_percentage(one.scores)]
        if percent:
            named = listed(map(repr, percent))
            words = "Scores of {models} look like percentages, and are not read as probabilities (for probabilities divide them by 100)."
            note(Note("percentages", words, models=named))
        ranks = [name for name, one in found.models.items() if not one.numbers and not one.labels and is_ranking(one.scores)]
        if ranks:
            words = (
                "Scores of {models} look like ranks, and the highest number is read as the first choice (if 1 is the first choice, write "
                "the ranks with a minus sign)."
            )
            note(Note("like_ranks", words, models=listed(map(repr, ranks))))
        return found


def cluster_file(
    path: str | os.PathLike[str],
    *,
    case_column: str | Sequence[str] | None = None,
    cluster_column: str | None = None,
    encoding: str = "utf-8",
) -> CaseFile:
    """Return the cluster (such as the patient) of each case."""
    with naming(path):
        table = table_of(Source(path, encoding), case_column)
        stated = {} if cluster_column is None else {"cluster": cluster_column}
        roles = find_roles(table.header, {**table.case, **stated}, ("case", "cluster"))
        case_beside(table.header, roles, "cluster")
        if len(roles) < 2:
            way = "or patient; to name yours: " + arg("case_column", ...) + ", " + arg("cluster_column", ...)
            raise error("file", "have the columns case and cluster", listed(map(repr, table.header), MOST_SHOWN), way=way)
        columns = zip(table.coded([roles["case"]], [roles["cluster"]]), ("case", "cluster"))
        case, cluster = (table.numbered(cells, role) for cells, role in columns)
        cases, clusters = (column.ids.astype(str)[column.code].tolist() for column in (case, cluster))
        table.check_once(case)
        if len(cluster.ids) <= MOST_COMPARED:
            note_alike(f"values of {table.header[roles['cluster']]!r}", cluster.ids, way="write them alike")
        found = dict(zip(cases, clusters))
        table.used = {role: [c] for role, c in roles.items()}
        return CaseFile({table.header[roles["cluster"]]: found}, *roles_of(table.header, table.sources()))


def subgroup_file(path: str | os.PathLike[str], *, case_column: str | Sequence[str] | None = None, encoding: str = "utf-8") -> CaseFile:
    """Return every column except the case, such as the site, as a division of the cases into subgroups; blank cells remain blank."""
    with naming(path):
        table = table_of(Source(path, encoding), case_column)
        role = find_roles(table.header, table.case, ("case",))
        case_beside(table.header, role, "")
        others = beside_case(table, role.get("case"), [c for c in range(len(table.header)) if c not in table.hidden], True)
        if not role or not others:
            must = "have a column case (" + arg("case_column", ...) + " names it) and at least one more, for the subgroups"
            raise error("file", must, listed(map(repr, table.header), MOST_SHOWN))
        nameless = [c for c in others if not table.header[c]]
        if nameless:
            raise error("columns", "have names", "a blank one", f"column {nameless[0] + 1}")
        case, *cells = table.coded([role["case"]], *([c] for c in others))
        named = table.numbered(case, "case")
        table.check_once(named)
        cases = named.ids[named.code].astype(str).tolist()
        table.used = {**{name: [c] for name, c in role.items()}, "subgroup": others}
        texts = [map([*one.values].__getitem__, one.codes[:, 0].tolist()) for one in cells]
        values = {table.header[c]: dict(zip(cases, own)) for c, own in zip(others, texts)}
        for c, one in zip(others, cells):
            filled = [value for value in one.values if value]
            if len(filled) > MOST_GROUPS and len(cases) < FEW_PER_GROUP * len(filled) and all(map(is_number, filled)):
                few = "Column {column!r} has {n:,} numbers for {cases:,} cases, and each is a subgroup "
                words = few + "(write ranges instead, such as 40-49)."
                note(Note("many_subgroups", words, column=table.header[c], n=len(filled), cases=len(cases)))
            if len(one.values) <= MOST_COMPARED:
                note_alike(f"values of {table.header[c]!r}", np.array([*one.values]), way="write them alike")
        return CaseFile(values, *roles_of(table.header, table.sources()))


def reliability_file(path: str | os.PathLike[str], *, encoding: str = "utf-8") -> CaseFile:
    """Return the reliability of each annotator."""
    with naming(path):
        table = table_of(Source(path, encoding))
        roles = find_roles(table.header, {}, ("annotator", "reliability"))
        if len(roles) < 2:
            raise error("file", "have the columns annotator and reliability", listed(map(repr, table.header), MOST_SHOWN))
        who, cells = table.coded([roles["annotator"]], [roles["reliability"]])
        annotator = table.numbered(who, "annotator")
        if len(annotator.ids) < len(annotator.code):
            row = repeated(annotator.code, annotator.first)
            raise error("annotator", "occur once", f"{name(annotator.ids[annotator.code[row]])} twice", table.place(row))
        numbers = table.converted(cells, "reliability")[:, 0].tolist()
        found = dict(zip(annotator.ids.astype(str)[annotator.code].tolist(), numbers))
        table.used = {role: [c] for role, c in roles.items()}
        return CaseFile({"reliability": found}, *roles_of(table.header, table.sources()))
