"""The files that commands read: annotations, predictions, clusters and subgroups of cases."""

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
from .._base.notes import Note
from .._tabular.csv_text import utf8
from .._tabular.roles import repeated
from ..annotations import Labels, Predictions, Rankings
from ..annotations.given import columns_note, position_note
from ..annotations.predictions import unknown_case
from ..annotations.probabilities import is_percentage, is_probability, may_be_probabilities, not_probabilities, rounded_note
from ..calibration.logits import LogitTable
from ..calibration.scaling import softmax
from ..evaluation.input import aggregation_input
from ..io.beside import cluster_file, prediction_file, reliability_file, subgroup_file
from ..io.frequencies import check_frequency, frequency_column
from ..io.several_files import names_of_files
from ..resampling import ids_of_cases
from . import facts
from .columns import case_given, chosen, columns_given
from .command import Parser, took
from .reading import OPTIONS, ROLES, add_reading, order_given, scale_given
from .wording import worded_note

KINDS = ("auto", "logits", "probabilities")


class PredictedCases(NamedTuple):
    """The scores of cases, their rows among the annotated cases (-1: not annotated), and further ids by option.

    ``own_ids`` are the case ids of the file, None if it has none; ``case_ids`` are then those of the annotations.
    """

    own_ids: NDArray[Any] | None
    case_ids: NDArray[Any] | None
    scores: Array
    rows: Int64
    classes: NDArray[Any]
    ids: dict[str, NDArray[Any] | None]
    notes: tuple[Note, ...] = ()

    def ids_of(self, name: str, rows: Any) -> NDArray[Any] | None:
        """Return one kind of ids, such as the clusters, of some of the cases."""
        found = self.ids[name]
        return None if found is None else found[rows]


def annotations_of(options: argparse.Namespace, *words: str) -> io.AnnotationFile:
    """Return the annotations of the command, or of other files with names of annotators before them, and print a line about them."""
    words = words or tuple(options.annotations)
    read = read_annotations(options, *words)
    _take(lambda: facts.of_annotations(", ".join(utf8(named_path(word)[1]) for word in words), read))
    return read


def paths_of(options: argparse.Namespace) -> list[str]:
    """Return the paths of the annotations, without the names of annotators before them."""
    return [named_path(word)[1] for word in options.annotations]


def named_path(word: str) -> tuple[str, str]:
    """Return the name and the path of ``name=path``; the name is "" for a path alone."""
    name, equals, path = word.partition("=")
    return (name, path) if equals and not os.path.exists(word) else ("", word)


def _take(make: Callable[[], facts.FileFacts]) -> None:
    """Print a line about a file; errors of joining are left to the command."""
    with suppress(ValueError):
        found = make()
        took(found.record(), found.line())


def models_of(path: str, axes: Any, options: argparse.Namespace, on_scale: bool = False) -> dict[str, Predictions]:
    """Return the models of a file, and print a line about it; ``on_scale``: whether one column may hold numbers on a scale."""
    positive_class = getattr(options, "positive_class", None)
    read = prediction_file(path, None if axes is None else axes.classes, positive_class, on_scale=on_scale, **of_models(options, path))
    _take(lambda: facts.of_predictions(path, read, axes))
    return read.models


def named_apart(paths: Sequence[str], taken: Sequence[str] = ()) -> list[str]:
    """Return ``name=path`` for files whose models have equal names: named by the folders in which they differ, or else by number."""
    whole = [Path(os.path.abspath(path)) for path in paths]
    ways = [[f"{path.stem} {i}" for i, path in enumerate(whole, 1)]]
    for depth in range(max(len(path.parents) for path in whole), 0, -1):
        folders = ["-".join(path.parent.parts[-depth:]).replace("=", "-") for path in whole]
        ways += [[f"{folder}-{path.stem}" for folder, path in zip(folders, whole)], folders]
    ways.append([path.stem for path in whole])
    names = next((names for names in reversed(ways) if len({*names, *taken}) == len(paths) + len(taken)), ways[0])
    return [f"{name}={path}" for name, path in zip(names, paths)]


def of_cases(kind: str, path: str, options: argparse.Namespace, axes: Any = None, said: str = "") -> Any:
    """Return the clusters by case, or the subgroups (or what is ``said``) by column and case, and print a line about their file."""
    if kind == "subgroups":
        read = subgroup_file(path, **beside(options, path))
    else:
        read = cluster_file(path, cluster_column=options.cluster_column, **beside(options, path))
    _take(lambda: facts.of_cases(path, kind, read, axes, said=said))
    return read.values if kind == "subgroups" else next(iter(read.values.values()))


def annotator_reliability(options: argparse.Namespace, known: Any) -> dict[str, Any]:
    """Return the reliability of each annotator in a file, and print a line about it; empty if no file is given."""
    path = options.annotator_reliability
    if path is None:
        return {}
    if options.reliability is not None:
        raise error("--reliability", "be left out with --annotator-reliability", " ".join(f"{value:g}" for value in options.reliability))
    read = reliability_file(path, encoding=options.encoding)
    found, names = read.values["reliability"], {str(name): name for name in getattr(known, "annotators", np.empty(0)).tolist()}
    _take(lambda: facts.of_reliabilities(path, read))
    return {"reliability": {names.get(name, name): value for name, value in found.items()}}


def beside(options: argparse.Namespace, path: str, *more: str) -> dict[str, Any]:
    """Return the options of reading annotations that hold for the other tables, too."""
    return {"case_column": case_given(options, path), **{name: getattr(options, name) for name in ("encoding", *more)}}


def of_models(options: argparse.Namespace, path: str) -> dict[str, Any]:
    """Return the options that hold for a file of predictions."""
    columns = {"ignore_columns": chosen(options, "ignore_columns", path, own=True), "model_columns": chosen(options, "model_columns", path)}
    return {**beside(options, path, "decimal"), **columns}


def missing_texts(options: argparse.Namespace) -> Sequence[str]:
    """Return the texts of cells without an annotation; a blank cell is always one of them."""
    return io.MISSING if options.na is None else ["", *options.na]


def read_annotations(options: argparse.Namespace, *words: str) -> io.AnnotationFile:
    """Return the annotations of a file, or of several that are of one annotator each, read with the options of the command."""
    path = named_path(words[0])[1]
    files, columns = _files(options, *words) if len(words) > 1 else (path, columns_given(options, ROLES[1:], path))
    classes: Any = options.classes
    if classes is not None:
        classes = int(classes) if classes.isdecimal() else io.read_names(classes, encoding=options.encoding)
    named = {"columns": columns or None, "classes": classes, "missing": missing_texts(options), "mapping": options.mapping}
    named.update({"annotator_columns": given} if (given := chosen(options, "annotator_columns", path)) else {})
    if (often := getattr(options, "frequency", None)) is not None:
        check_frequency(path, often, encoding=options.encoding, header=not options.no_header)
    ignored = {name: _ignored(options, one) for name, one in (files if isinstance(files, dict) else {"": path}).items()}
    named.update({"ignore_columns": ignored if len(ignored) > 1 else next(iter(ignored.values()))} if any(ignored.values()) else {})
    named.update({name: given for name in OPTIONS if (given := getattr(options, name)) is not None})
    named.update({"header": False} if options.no_header else {})
    named.update(ordered=order_given(options.ordered), scale=scale_given(options.scale))
    if options.ratings and options.format not in ("auto", "ratings"):
        raise error("--format", "be left out with --ratings", repr(options.format))
    kind = "ratings" if options.ratings else "counts" if often is not None and options.format == "auto" else options.format
    read = io.read_annotations(files, format=kind, **named)
    return replace(read, notes=tuple(map(worded_note, read.notes)))


def add_frequency(option: Any) -> None:
    text = "column of a table of counts with the number of equal cases that each row stands for (GROUP BY); default: one"
    option("--frequency", "NAME", text)


def frequency_of(options: argparse.Namespace, read: io.AnnotationFile) -> dict[str, Any]:
    """Return how many equal cases each row of counts stands for, as an argument of functions; nothing if no column is given."""
    paths = paths_of(options)
    if options.frequency is None:
        return {}
    if read.format != "counts" or len(paths) > 1:
        must = "be a column of one table of counts (--format counts), since a row does not tell who judged which of its cases"
        raise error("--frequency", must, f"{len(paths)} files" if len(paths) > 1 else f"annotations in the format {read.format}")
    how = {"decimal": options.decimal, "encoding": options.encoding, "header": not options.no_header}
    return {"frequency": frequency_column(paths[0], options.frequency, read.columns.get("case", ()), **how)}


def _ignored(options: argparse.Namespace, path: str) -> list[str]:
    """Return the columns of a file of annotations to leave out: those that are named, those of models, and that of frequencies."""
    often = getattr(options, "frequency", None)
    rest = [] if often is None or options.annotator_columns else [often]
    return [*chosen(options, "ignore_columns", path), *_models_beside(options, path), *rest]


def _models_beside(options: argparse.Namespace, path: str) -> list[str]:
    """Return the columns of models in the file of the annotations, if it is also a file of predictions."""
    given = getattr(options, "predictions", [])
    both = given is None or (isinstance(given, list) and path in {named_path(word)[1] for word in given})
    return chosen(options, "model_columns", path) if both and not options.annotator_columns else []


def _files(options: argparse.Namespace, *words: str) -> tuple[Any, dict[str, Any]]:
    """Return several files by the name of their annotator, and the columns that are given, by role and name."""
    paths = [named_path(word)[1] for word in words]
    names = [named_path(word)[0] or own for word, own in zip(words, names_of_files(paths))]
    if (twice := repeated(names)) is not None:
        must = "be files with different names, which are those of the annotators (or NAME=FILE)"
        raise error("annotations", must, f"{twice!r} twice")
    own = {name: columns_given(options, ROLES[1:], path) for name, path in zip(names, paths)}
    roles = dict.fromkeys(role for one in own.values() for role in one)
    return dict(zip(names, paths)), {role: {name: one[role] for name, one in own.items() if role in one} for role in roles}


def reading_words(options: argparse.Namespace) -> list[str]:
    """Return the options of reading annotations that were given, as words of a command."""
    words = []
    for action in _reading_actions():
        given = getattr(options, action.dest)
        if given not in (action.default, None):
            words += [action.option_strings[0], *([] if given == action.const else given if isinstance(given, list) else [given])]
    return words


def _reading_actions() -> list[argparse.Action]:
    parser = Parser()
    add_reading(parser)
    return parser._actions


def read_record(read: io.AnnotationFile) -> dict[str, Any]:
    """Return what was missing, left out and guessed when annotations were read, for the JSON of a command."""
    return {"missing": read.missing, "dropped": read.dropped, "reading": list(read.notes)}


def of_classes(read: io.AnnotationFile) -> Labels | Rankings:
    """Return labels or rankings, or ratings of stated grades as ordered labels; reject other ratings."""
    known = aggregation_input(read.annotations)
    if isinstance(known, (Labels, Rankings)):
        return known
    must = "be labels, rankings or ratings of stated grades (--scale 1,2,3), because prediction sets hold classes"
    raise error("annotations", must, "ratings on a real scale")


def add_positive_class(option: Any) -> None:
    text = "class, of two, that a single column of probabilities belongs to; default: there is one column per class"
    option("--positive-class", "NAME", text)


def add_model_columns(option: Any) -> None:
    columns = "names or patterns of columns that hold a model each, named after them: labels, or probabilities of the positive class"
    option("--model-columns", "[FILE=]NAME", f"{columns}; default: columns are classes", nargs="+")


def add_input(option: Any) -> None:
    add_positive_class(option)
    add_model_columns(option)
    option("--input", KINDS, "kind of the predictions; default: %(default)s (by their values)", default="auto")


def add_resampling(option: Any, seed: str = "") -> None:
    text = "CSV file with the columns case and cluster (such as the patient), which are kept together; default: no clusters"
    option("--clusters", "FILE", text)
    option("--level", "P", "level of the intervals; default: %(default)s", type=float, default=0.95)
    option("--n-boot", "N", "number of resamples of the bootstrap; default: %(default)s", type=int, default=1000, dest="n_resamples")
    if seed:
        option("--seed", "N", f"random seed for {seed}; default: %(default)s", type=int, default=0)


def predicted_cases(option: str, path: str, known: Any, options: argparse.Namespace, annotated: bool, *names: str) -> PredictedCases:
    """Return the predictions of the file of an option, with their cases located among the annotated ones.

    If ``annotated``, at least one must be annotated, and the rows of a file without case ids are those of the annotations; if not, they are
    other cases. ``names`` are options with files of ids, such as clusters.
    """
    read = prediction_file(path, known.axes.classes, options.positive_class, several=False, **of_models(options, path))
    (predictions,) = read.models.values()
    joined = annotated or predictions.case_ids is not None
    _take(lambda: facts.of_predictions(path, read, known.axes if joined else None))
    predictions, decimals = (predictions, 0) if options.input == "logits" else facts.unrounded(predictions)
    notes = list(rounded_note({os.path.basename(path): decimals}))
    if predictions.case_ids is None and not annotated:
        if predictions.scores.shape[1] != known.n_classes:
            raise error("predictions", f"have {known.n_classes} classes, as the annotations", predictions.scores.shape[1])
        nowhere = np.full(len(predictions.scores), -1)
        return PredictedCases(None, None, predictions.scores, nowhere, known.axes.classes, dict.fromkeys(names), tuple(notes))
    scores, rows = predictions.located(known.axes)
    ids = known.axes.case_ids if predictions.case_ids is None else predictions.case_ids
    given = {name: of_cases(name, file, options, known.axes) for name in names if (file := getattr(options, name)) is not None}
    found = {name: ids_of_cases(name, given[name], len(ids), ids) if name in given else None for name in names}
    if predictions.case_ids is None:
        notes.append(position_note(known.axes, f"The scores of {os.path.basename(path)}"))
    if predictions.classes is None:
        said = columns_note(known.axes, os.path.basename(path), getattr(known, "ordered", False))
        notes += [] if said is None else [worded_note(said)]
    if predictions.case_ids is not None and (rows < 0).all():
        first = unknown_case(predictions.case_ids, 0, known.axes)
        if annotated:
            raise error(option, "have predictions for annotated cases", "none", first)
        words = "No case of {file} is annotated, so that its predictions cannot be judged: the first is {first}."
        notes.append(Note("no_annotated_case", words, file=os.path.basename(path), first=first))
    return PredictedCases(predictions.case_ids, ids, scores, rows.astype(np.int64), known.axes.classes, found, tuple(notes))


def with_notes(read: io.AnnotationFile, *cases: PredictedCases) -> io.AnnotationFile:
    """Return the file of annotations with the notes on predictions added to its own."""
    return replace(read, notes=(*read.notes, *dict.fromkeys(note for one in cases for note in one.notes)))


def kind_of(given: str, *tables: Array) -> str:
    """Return ``"logits"`` or ``"probabilities"``: the kind that was given, or the one that all values allow."""
    if given != "auto":
        return given
    if any(map(is_percentage, tables)):
        raise error("--input", "be given for values that look like percentages (divide them by 100 to get probabilities)", "'auto'")
    others = [table for table in tables if not is_probability(table)]
    if others and (len(others) < len(tables) or may_be_probabilities(others[0])):
        must = "be given, because the values may be logits or probabilities (which must add up to 1 for each case)"
        raise error("--input", must, f"'auto' ({not_probabilities(others[0])})")
    return "logits" if others else "probabilities"


def probabilities(table: Array, kind: str) -> Array:
    """Return probabilities (N, K) from scores of a kind."""
    return table if kind == "probabilities" else np.ascontiguousarray(softmax(LogitTable.of(table, "logits").all_logits()).T)


def warn_of_cases_in_both(first: NDArray[Any] | None, second: NDArray[Any] | None, done: str) -> None:
    """Warn if test cases were also used to fit; ``done`` says for what, and which results are too good."""
    if first is not None and second is not None:
        both = len(set(map(str, first.tolist())) & set(map(str, second.tolist())))
        if both:
            many = "1 test case was" if both == 1 else f"{both:,} test cases were"
            warnings.warn(f"{many} {done} too good: use other cases for the test", RuntimeWarning, stacklevel=3)
