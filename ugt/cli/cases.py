"""What commands read beside annotations: predictions of a file, clusters and subgroups of cases."""

from __future__ import annotations

import argparse
import os
import warnings
from dataclasses import replace
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from .. import io
from .._base.checks import error
from .._tabular.foreign import table_of
from .._tabular.roles import case_named, find_roles
from .._tabular.source import Source, naming
from ..annotations import Labels, Rankings
from ..annotations.predictions import position_note
from ..calibrators.logits import LogitTable
from ..calibrators.scaling import softmax
from ..report.sections.calibration import is_probability
from ..resampling import ids_of_cases

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Array = NDArray[np.float64]

KINDS = ("auto", "logits", "probabilities")


class PredictedCases(NamedTuple):
    """Scores of cases, where these stand among annotated ones (-1: not there), and ids by option; case ids of the file, or else those of
    the annotations.
    """

    own_ids: NDArray[Any] | None
    case_ids: NDArray[Any] | None
    scores: Array
    rows: NDArray[np.int64]
    classes: NDArray[Any]
    ids: dict[str, NDArray[Any] | None]
    note: str = ""

    def ids_of(self, name: str, rows: Any) -> NDArray[Any] | None:
        """Such as the clusters of some of the cases."""
        found = self.ids[name]
        return None if found is None else found[rows]


def of_classes(read: io.AnnotationFile) -> Labels | Rankings:
    """Annotations that name classes, as truth is made from."""
    if isinstance(read.annotations, (Labels, Rankings)):
        return read.annotations
    raise error("annotations", "be labels or rankings (of ratings, ugt agreement says something)", type(read.annotations).__name__.lower())


def add_positive_class(option: Any) -> None:
    text = "of two classes the one that a single column of probabilities is for; default: a column for each class"
    option("--positive-class", "NAME", text)


def add_input(option: Any) -> None:
    add_positive_class(option)
    option("--input", KINDS, "what predictions are; default: %(default)s (by their values)", default="auto")


def add_resampling(option: Any, seed: str = "") -> None:
    option("--clusters", "FILE", "CSV with the columns case and cluster: kept together; default: every case by itself")
    option("--level", "P", "of intervals; default: %(default)s", type=float, default=0.95)
    option("--n-boot", "N", "resamples; default: %(default)s", type=int, default=1000, dest="n_resamples")
    if seed:
        option("--seed", "N", f"{seed}; default: %(default)s", type=int, default=0)


def predicted_cases(path: str, known: Any, options: argparse.Namespace, annotated: bool, *names: str) -> PredictedCases:
    """Predictions of a file, whose cases are looked for among the annotated ones unless both say nothing of their cases.

    ``options`` holds files of ids by ``names``, such as clusters; ``annotated``: rows without case ids are those of the annotations.
    """
    predictions = io.read_predictions(path, classes=known.axes.classes, positive_class=options.positive_class)
    if predictions.case_ids is None and not annotated:
        if predictions.scores.shape[1] != known.n_classes:
            raise error("predictions", f"have {known.n_classes} classes, as the annotations", predictions.scores.shape[1])
        nowhere = np.full(len(predictions.scores), -1)
        return PredictedCases(None, None, predictions.scores, nowhere, known.axes.classes, dict.fromkeys(names))
    scores, rows = predictions.located(known.axes)
    ids = known.axes.case_ids if predictions.case_ids is None else predictions.case_ids
    given = {
        name: io.read_clusters(file, case_column=options.case_column) for name in names if (file := getattr(options, name)) is not None
    }
    found = {name: ids_of_cases(name, given[name], len(ids), ids) if name in given else None for name in names}
    note = position_note(known.axes, f"The scores of {os.path.basename(path)}") if predictions.case_ids is None else ""
    return PredictedCases(predictions.case_ids, ids, scores, rows.astype(np.int64), known.axes.classes, found, note)


def with_notes(read: io.AnnotationFile, *cases: PredictedCases) -> io.AnnotationFile:
    """What was read, with what must be said of predictions."""
    return replace(read, notes=(*read.notes, *dict.fromkeys(one.note for one in cases if one.note)))


def kind_of(given: str, *tables: Array) -> str:
    """Logits or probabilities: what is said, or what all values may be."""
    if given != "auto":
        return given
    return "probabilities" if all(is_probability(table) for table in tables) else "logits"


def probabilities(table: Array, kind: str) -> Array:
    """(N, K), of scores of a kind."""
    return table if kind == "probabilities" else np.ascontiguousarray(softmax(LogitTable.of(table, "logits").all_logits()).T)


def warn_of_cases_in_both(first: NDArray[Any] | None, second: NDArray[Any] | None, done: str) -> None:
    if first is not None and second is not None:
        both = len(set(map(str, first.tolist())) & set(map(str, second.tolist())))
        if both:
            warnings.warn(f"{both:,} test cases were {done} too good", RuntimeWarning, stacklevel=3)


def read_subgroups(path: str | os.PathLike[str], *, case_column: str | None = None) -> dict[str, dict[str, str]]:
    """Column → case → its subgroup, of a CSV file with a column for the case and at least one that divides the cases, such as the site.

    A row a case; blank cells stay blank.
    """
    with naming(path):
        table = table_of(Source(path))
        role = find_roles(table.header, case_named(table.header, case_column), ("case",))
        others = [c for c in range(len(table.header)) if c != role.get("case")]
        if not role or not others:
            raise error("file", "have a column case and at least one more, for the subgroups", ", ".join(map(repr, table.header)))
        nameless = [c for c in others if not table.header[c]]
        if nameless:
            raise error("columns", "have names", "a blank one", f"column {nameless[0] + 1}")
        case, *cells = table.coded([role["case"]], *([c] for c in others))
        cases = table.ids(case, "case").astype(str).tolist()
        if len(set(cases)) < len(cases):
            row = next(row for row, name in enumerate(cases) if name in cases[:row])
            raise error("case", "stand once", f"{cases[row]!r} twice", table.place(row))
    return {table.header[c]: dict(zip(cases, [one.values[i] for i in one.codes[:, 0].tolist()])) for c, one in zip(others, cells)}
