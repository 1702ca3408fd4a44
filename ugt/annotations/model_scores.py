"""Tables of a model's scores, or of several models' scores, as Predictions."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from .._base import identifiers
from .._base.checks import error
from .._tabular.csv_table import CellTable
from .._tabular.frames import CASES, Columns, check_once
from .._tabular.roles import as_names, case_column, find_roles, plain
from .predictions import Predictions

if TYPE_CHECKING:
    from numpy.typing import NDArray

LONG = ("case", "label", "score")


def read_scores(table: CellTable) -> Predictions:
    """A row a case and a column a class, or a row a score."""
    roles = _long_roles(table)
    if roles:
        return _long(table, roles, _model_column(table))
    first = case_column(table.header)
    (case,) = table.coded([first])
    named = table.numbered(case, "case")
    classes = [c for c in range(len(table.header)) if c != first]
    return Predictions(named.ids[named.code], table.numbers(classes), as_names([table.header[c] for c in classes]))


def read_frame(frame: Any) -> Predictions:
    """A frame with a column for the case, long or wide; without one, the rows are the annotated cases in their order."""
    table = Columns.of(frame, with_index=False)
    if _long_roles(table):
        return read_scores(table)
    case = [c for c, name in enumerate(table.header) if plain(name) in CASES]
    if len(case) > 1:
        raise error("frame", "have one column for the case", " and ".join(repr(table.header[c]) for c in case))
    classes = [c for c in range(len(table.header)) if c not in case]
    if not classes:
        raise error("frame", "have columns for classes", ", ".join(map(repr, table.header)))
    ids = None
    if case:
        named = table.numbered(table.coded(case)[0], "case")
        ids = named.ids[named.code]
    return Predictions(ids, table.numbers(classes), as_names([table.header[c] for c in classes]))


def read_scores_of_models(table: CellTable) -> dict[str, Predictions]:
    """The same with a column that names the model, in order of first appearance."""
    column = _model_column(table)
    if column is None:
        raise error("file", "have a column model", f"the columns {', '.join(table.header)}")
    (cells,) = table.coded([column])
    model = table.numbered(cells, "model")
    rows = [np.flatnonzero(model.code == m) for m in range(len(model.ids))]
    names = [str(name) for name in model.ids.tolist()]
    roles = _long_roles(table)
    if roles:
        case, label = table.coded([roles["case"]], [roles["label"]])
        columns = table.numbered(case, "case"), table.numbered(label, "class")
        score = table.numbers([roles["score"]])[:, 0]
        return {name: _named(name, *columns, score, own) for name, own in zip(names, rows)}
    others = [c for c in range(len(table.header)) if c != column]
    first = others[case_column([table.header[c] for c in others])]
    (cells,) = table.coded([first])
    case_of = table.numbered(cells, "case")
    classes = [c for c in range(len(table.header)) if c not in (first, column)]
    if not classes:
        raise error("file", "have a column for each class beside the case and the model", f"the columns {', '.join(table.header)}")
    scores, header = table.numbers(classes), as_names([table.header[c] for c in classes])
    found = {}
    for name, own in zip(names, rows):
        try:
            found[name] = Predictions(case_of.ids[case_of.code[own]], scores[own], header)
        except ValueError as problem:
            raise _of_model(problem, name) from None
    return found


def _long_roles(table: CellTable) -> dict[str, int]:
    """The columns of a table with a row a score, none for a wide one (where two classes may be called like a case)."""
    if len(find_roles(table.header, {}, LONG[1:])) < 2:
        return {}
    roles = find_roles(table.header, {}, LONG)
    return roles if len(roles) == len(LONG) else {}


def _model_column(table: CellTable) -> int | None:
    return find_roles(table.header, {}, ("model",)).get("model")


def _long(table: CellTable, roles: dict[str, int], model: int | None) -> Predictions:
    """A row a score; every case has a score for every class, once."""
    if model is not None:
        (cells,) = table.coded([model])
        if len(cells.values) > 1:
            got = f"{len(cells.values)} in the column {table.header[model]!r}"
            raise error("predictions", "be of one model (read_models reads files of several)", got)
    case, label = table.coded([roles["case"]], [roles["label"]])
    score = table.numbers([roles["score"]])[:, 0]
    return _pivoted(table.numbered(case, "case"), table.numbered(label, "class"), score, np.arange(len(score)))


def _named(name: str, case: identifiers.Column, label: identifiers.Column, score: NDArray[np.float64], rows: NDArray[Any]) -> Predictions:
    try:
        return _pivoted(case, label, score[rows], rows)
    except ValueError as problem:
        raise _of_model(problem, name) from None


def _of_model(problem: ValueError, name: str) -> ValueError:
    return ValueError(f"model {name!r}: {problem}")


def _pivoted(case: identifiers.Column, label: identifiers.Column, score: NDArray[np.float64], rows: NDArray[Any]) -> Predictions:
    """The table of the rows of a long one."""
    row, first = identifiers.factorize(np.ascontiguousarray(case.code[rows]))
    column, at = identifiers.factorize(np.ascontiguousarray(label.code[rows]))
    cases, classes = case.ids[case.code[rows][first]], label.ids[label.code[rows][at]]
    check_once(row, column, cases, classes)
    scores, absent = (np.full((len(cases), len(classes)), fill) for fill in (0.0, True))
    scores[row, column] = score
    absent[row, column] = False
    if absent.any():
        i, k = np.argwhere(absent)[0]
        got = f"none for {int(absent.sum())} of {absent.size}"
        raise error(
            "scores", "be given for every case and class", got, f"case {identifiers.name(cases[i])}, class {identifiers.name(classes[k])}"
        )
    return Predictions(cases, scores, classes)
