"""Tables of a model's scores, or of several models' scores, as Predictions."""

from __future__ import annotations

from functools import partial
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
    if not _long_roles(table):
        return Predictions(*_wide(table, [case_column(table.header)]))
    model = _model_column(table)
    if model is not None:
        (cells,) = table.coded([model])
        if len(cells.values) > 1:
            got = f"{len(cells.values)} in the column {table.header[model]!r}"
            raise error("predictions", "be of one model (read_models reads files of several)", got)
    return _pivoted(*_long(table), slice(None))


def read_frame(frame: Any) -> Predictions:
    """A frame with a column for the case, long or wide; without one, the rows are the annotated cases in their order."""
    table = Columns.of(frame, with_index=False)
    if _long_roles(table):
        return read_scores(table)
    case = [c for c, name in enumerate(table.header) if plain(name) in CASES]
    if len(case) > 1:
        raise error("frame", "have one column for the case", " and ".join(repr(table.header[c]) for c in case))
    if len(case) == len(table.header):
        raise error("frame", "have columns for classes", ", ".join(map(repr, table.header)))
    return Predictions(*_wide(table, case))


def _wide(table: CellTable, case: list[int], model: int | None = None) -> tuple[Any, NDArray[np.float64], Any]:
    """Cases (None without their column), scores and classes of a table with a column a class."""
    ids = table.ids(table.coded(case)[0], "case") if case else None
    classes = [c for c in range(len(table.header)) if c not in (*case, model)]
    if model is not None and not classes:
        raise error("file", "have a column for each class beside the case and the model", f"the columns {', '.join(table.header)}")
    return ids, table.numbers(classes), as_names([table.header[c] for c in classes])


def read_scores_of_models(table: CellTable) -> dict[str, Predictions]:
    """The same with a column that names the model, in order of first appearance."""
    column = _model_column(table)
    if column is None:
        raise error("file", "have a column model", f"the columns {', '.join(table.header)}")
    (cells,) = table.coded([column])
    model = table.numbered(cells, "model")
    if _long_roles(table):
        of_rows = partial(_pivoted, *_long(table))
    else:
        others = [c for c in range(len(table.header)) if c != column]
        of_rows = partial(_taken, *_wide(table, [others[case_column([table.header[c] for c in others])]], column))
    found = {}
    for m, name in enumerate(map(str, model.ids.tolist())):
        try:
            found[name] = of_rows(np.flatnonzero(model.code == m))
        except ValueError as problem:
            raise ValueError(f"model {name!r}: {problem}") from None
    return found


def _long_roles(table: CellTable) -> dict[str, int]:
    """The columns of a table with a row a score, none for a wide one (where two classes may be called like a case)."""
    if len(find_roles(table.header, {}, LONG[1:])) < 2:
        return {}
    roles = find_roles(table.header, {}, LONG)
    return roles if len(roles) == len(LONG) else {}


def _model_column(table: CellTable) -> int | None:
    return find_roles(table.header, {}, ("model",)).get("model")


def _long(table: CellTable) -> tuple[identifiers.Column, identifiers.Column, NDArray[np.float64]]:
    """Case, class and score of a table with a row a score."""
    roles = find_roles(table.header, {}, LONG)
    case, label = table.coded([roles["case"]], [roles["label"]])
    return table.numbered(case, "case"), table.numbered(label, "class"), table.numbers([roles["score"]])[:, 0]


def _taken(cases: NDArray[Any], scores: NDArray[np.float64], classes: Any, rows: NDArray[np.int64]) -> Predictions:
    return Predictions(cases[rows], scores[rows], classes)


def _pivoted(case: identifiers.Column, label: identifiers.Column, score: NDArray[np.float64], rows: Any) -> Predictions:
    """The table of some rows of a long one, where every case has a score for every class, once."""
    row, first = identifiers.factorize(np.ascontiguousarray(case.code[rows]))
    column, at = identifiers.factorize(np.ascontiguousarray(label.code[rows]))
    cases, classes = case.ids[case.code[rows][first]], label.ids[label.code[rows][at]]
    check_once(row, column, cases, classes)
    scores, absent = (np.full((len(cases), len(classes)), fill) for fill in (0.0, True))
    scores[row, column] = score[rows]
    absent[row, column] = False
    if absent.any():
        i, k = np.argwhere(absent)[0]
        where = f"case {identifiers.name(cases[i])}, class {identifiers.name(classes[k])}"
        raise error("scores", "be given for every case and class", f"none for {int(absent.sum())} of {absent.size}", where)
    return Predictions(cases, scores, classes)
