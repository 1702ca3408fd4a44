"""What commands read: annotations, predictions of a file, clusters and subgroups of cases."""

from __future__ import annotations

import argparse
import os
import warnings
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import replace
from pathlib import Path
from typing import Any, Callable, NamedTuple

import numpy as np

from .. import io
from .._base.arrays import Array, Int64, NDArray
from .._base.checks import error
from ..annotations import Labels, Predictions, Rankings
from ..annotations.predictions import is_percentage, position_note
from ..calibrators.logits import LogitTable
from ..calibrators.scaling import softmax
from ..io.beside import cluster_file, prediction_file, reliability_file, subgroup_file
from ..report.sections.calibration import is_probability
from ..resampling import ids_of_cases
from . import facts
from .command import OPTIONS, ROLES, Parser, add_reading, in_options, took

KINDS = ("auto", "logits", "probabilities")


class PredictedCases(NamedTuple):
    """Scores of cases, where these stand among annotated ones (-1: not there), and ids by option; case ids of the file, or else those of
    the annotations.
    """

    own_ids: NDArray[Any] | None
    case_ids: NDArray[Any] | None
    scores: Array
    rows: Int64
    classes: NDArray[Any]
    ids: dict[str, NDArray[Any] | None]
    note: str = ""

    def ids_of(self, name: str, rows: Any) -> NDArray[Any] | None:
        """Such as the clusters of some of the cases."""
        found = self.ids[name]
        return None if found is None else found[rows]


def annotations_of(options: argparse.Namespace, path: str | None = None) -> io.AnnotationFile:
    """The annotations, or others that are read alike, told in a line."""
    path = options.annotations if path is None else path
    read = read_annotations(options, path)
    _take(lambda: facts.of_annotations(path, read))
    return read


def _take(make: Callable[[], dict[str, Any]]) -> None:
    """Tell of a file; the command itself says what cannot be joined."""
    with suppress(ValueError):
        found = make()
        took(found, facts.line(found))


def models_of(path: str, axes: Any, options: argparse.Namespace) -> dict[str, Predictions]:
    """The models of a file, told in a line."""
    positive_class = getattr(options, "positive_class", None)
    read = prediction_file(path, None if axes is None else axes.classes, positive_class, **beside(options, "decimal"))
    _take(lambda: facts.of_predictions(path, read, axes))
    return read.models


def named_apart(paths: Sequence[str], taken: Sequence[str] = ()) -> list[str]:
    """``name=path`` for files of models that are called alike: by the folders that tell them apart, else by number."""
    whole = [Path(os.path.abspath(path)) for path in paths]
    ways = [[f"{path.stem} {i}" for i, path in enumerate(whole, 1)]]
    for depth in range(max(len(path.parents) for path in whole), 0, -1):
        folders = ["-".join(path.parent.parts[-depth:]).replace("=", "-") for path in whole]
        ways += [[f"{folder}-{path.stem}" for folder, path in zip(folders, whole)], folders]
    ways.append([path.stem for path in whole])
    names = next((names for names in reversed(ways) if len({*names, *taken}) == len(paths) + len(taken)), ways[0])
    return [f"{name}={path}" for name, path in zip(names, paths)]


def of_cases(kind: str, path: str, options: argparse.Namespace, axes: Any = None) -> Any:
    """Clusters by case, or subgroups by column and case, told in a line."""
    read = (subgroup_file if kind == "subgroups" else cluster_file)(path, **beside(options))
    _take(lambda: facts.of_cases(path, kind, read, axes))
    return read.values if kind == "subgroups" else next(iter(read.values.values()))


def annotator_reliability(options: argparse.Namespace, known: Any) -> dict[str, Any]:
    """The reliability of each annotator from a file, told in a line; nothing without one."""
    path = options.annotator_reliability
    if path is None:
        return {}
    if options.reliability is not None:
        raise error("--reliability", "not be given beside --annotator-reliability", " ".join(f"{value:g}" for value in options.reliability))
    read = reliability_file(path, encoding=options.encoding)
    found, names = read.values["reliability"], {str(name): name for name in getattr(known, "annotators", np.empty(0)).tolist()}
    _take(lambda: facts.of_reliabilities(path, read))
    return {"reliability": {names.get(name, name): value for name, value in found.items()}}


def beside(options: argparse.Namespace, *more: str) -> dict[str, Any]:
    """What is said of annotations and goes for tables beside them, too."""
    return {name: getattr(options, name) for name in ("case_column", "encoding", *more)}


def read_annotations(options: argparse.Namespace, path: str) -> io.AnnotationFile:
    columns: Any = {role: name for role in ROLES if (name := getattr(options, f"{role}_column")) is not None}
    classes: Any = options.classes
    if classes is not None:
        classes = int(classes) if classes.isdecimal() else io.read_names(classes, encoding=options.encoding)
    missing = io.MISSING if options.na is None else options.na
    named = {"columns": columns or None, "classes": classes, "missing": missing, "mapping": options.mapping}
    named.update({name: given for name in OPTIONS if (given := getattr(options, name)) is not None})
    read = io.read_annotations(path, format=options.format, **named)
    return replace(read, notes=tuple(map(in_options, read.notes)))


def reading_words(options: argparse.Namespace) -> list[str]:
    """The options of reading annotations that were given, as words of a command."""
    words = []
    for action in _reading_actions():
        given = getattr(options, action.dest)
        if given not in (action.default, None):
            words += [action.option_strings[0], *([] if action.nargs == 0 else given if isinstance(given, list) else [given])]
    return words


def _reading_actions() -> list[argparse.Action]:
    parser = Parser()
    add_reading(parser)
    return parser._actions


def read_record(read: io.AnnotationFile) -> dict[str, Any]:
    return {"missing": read.missing, "dropped": read.dropped, "reading": list(read.notes)}


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
    read = prediction_file(path, known.axes.classes, options.positive_class, several=False, **beside(options, "decimal"))
    (predictions,) = read.models.values()
    joined = annotated or predictions.case_ids is not None
    _take(lambda: facts.of_predictions(path, read, known.axes if joined else None))
    if predictions.case_ids is None and not annotated:
        if predictions.scores.shape[1] != known.n_classes:
            raise error("predictions", f"have {known.n_classes} classes, as the annotations", predictions.scores.shape[1])
        nowhere = np.full(len(predictions.scores), -1)
        return PredictedCases(None, None, predictions.scores, nowhere, known.axes.classes, dict.fromkeys(names))
    scores, rows = predictions.located(known.axes)
    ids = known.axes.case_ids if predictions.case_ids is None else predictions.case_ids
    given = {name: of_cases(name, file, options, known.axes) for name in names if (file := getattr(options, name)) is not None}
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
    if any(map(is_percentage, tables)):
        raise error("--input", "be given for what looks like percentages (for probabilities divide them by 100)", "'auto'")
    return "probabilities" if all(is_probability(table) for table in tables) else "logits"


def probabilities(table: Array, kind: str) -> Array:
    """(N, K), of scores of a kind."""
    return table if kind == "probabilities" else np.ascontiguousarray(softmax(LogitTable.of(table, "logits").all_logits()).T)


def warn_of_cases_in_both(first: NDArray[Any] | None, second: NDArray[Any] | None, done: str) -> None:
    if first is not None and second is not None:
        both = len(set(map(str, first.tolist())) & set(map(str, second.tolist())))
        if both:
            warnings.warn(f"{both:,} test cases were {done} too good", RuntimeWarning, stacklevel=3)
