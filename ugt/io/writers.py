"""Annotations and predictions as files, with notes or errors on data that a format cannot hold."""

from __future__ import annotations

import csv
import gzip
import io
import json
import os
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from itertools import chain, islice
from pathlib import Path
from typing import IO, Any

import numpy as np

from .._base import identifiers
from .._base.arrays import Int32, Int64, NDArray
from .._base.checks import error, room
from .._base.grades import order_said, scale_said
from .._base.names import listed
from .._base.ragged import row_of, sizes_of
from .._core import _tables
from .._tabular.csv_table import Table
from .._tabular.csv_text import csv_writer, guarded
from .._tabular.roles import find_roles, has_comma, is_number
from .._tabular.whole_file import whole_file
from ..annotations import Labels, Rankings, Ratings
from ..annotations.predictions import Predictions
from .annotation_file import MISSING, MOST_REPEATED, ROLES
from .arrays import parts_of

FORMATS = ("auto", "long", "counts", "rankings", "npz")
ENDINGS = {".csv": "long", ".json": "rankings", ".npz": "npz"}
ROWS = 1 << 16  # rows written at a time
# Line feeds within a name are quoted. Not every csv module quotes carriage returns, and NUL and lone surrogates cannot be written.
UNWRITABLE = re.compile("[\0\r\ud800-\udfff]")


def write_annotations(path: str | os.PathLike[str], annotations: Labels | Rankings | Ratings, *, format: str = "auto") -> tuple[str, ...]:
    """Write annotations to a file that :func:`ugt.io.read_annotations` reads.

    Parameters
    ----------
    path : path
        ``.csv``, ``.json`` or ``.npz``; ``.csv.gz`` and ``.json.gz`` are compressed. The file is written completely or not at all.
    annotations : Labels, Rankings or Ratings
    format : {"auto", "long", "counts", "rankings", "npz"}
        long (CSV): one row per annotation: case, annotator and label, label and rank, or value; labels without annotators have counts.
        counts (CSV): one row per case, one column per class. rankings (JSON): cases → annotators → blocks → classes, and the
        annotators. npz: all data. ``"auto"``: long for CSV, rankings for JSON.

    Returns
    -------
    tuple of str
        Sentences on data that the file does not hold; empty if reading the file gives the same annotations.

    Raises
    ------
    ValueError
        If the format does not fit the annotations or the ending of the file name, or a name would be read differently: blank, a word
        for "missing", or surrounded by white space.

    Examples
    --------
    >>> import tempfile, pathlib, ugt
    >>> labels = ugt.Labels.from_long(["x", "x"], ["ann", "bob"], ["cat", "dog"], classes=["cat", "dog", "cow"])
    >>> path = pathlib.Path(tempfile.mkdtemp()) / "labels.csv"
    >>> write_annotations(path, labels)
    ("Classes that nobody chose are not in the file: 'cow' (give classes when it is read).",)
    >>> print(path.read_text().strip())
    case,annotator,label
    x,ann,cat
    x,bob,dog
    """
    ending = _ending(path)
    if not isinstance(annotations, (Labels, Rankings, Ratings)):
        raise error("annotations", "be Labels, Rankings or Ratings", type(annotations).__name__)
    if format not in FORMATS:
        raise error("format", f"be one of {', '.join(FORMATS)}", repr(format))
    format = ENDINGS[ending] if format == "auto" else format
    if format not in ({".csv": ("long", "counts")}.get(ending, (ENDINGS[ending],))):
        raise error("format", f"fit the ending {ending}", repr(format))
    if format == "npz":
        _save(path, parts_of(annotations))
        return ()
    if format == "rankings":
        return _rankings_json(path, annotations)
    if format == "counts":
        return _counts(path, annotations)
    if isinstance(annotations, Rankings):
        return _long_rankings(path, annotations)
    return _long_ratings(path, annotations) if isinstance(annotations, Ratings) else _long_labels(path, annotations)


def write_predictions(path: str | os.PathLike[str], predictions: Predictions) -> tuple[str, ...]:
    """Write a model's scores to a file that :func:`ugt.io.read_predictions` reads.

    Parameters
    ----------
    path : path
        ``.csv``, ``.csv.gz`` or ``.npz``. The file is written completely or not at all.
    predictions : Predictions

    Returns
    -------
    tuple of str
        Sentences on data that the file does not hold; empty if reading the file gives the same predictions.

    Raises
    ------
    ValueError
        If the file name has another ending, or a name would be read differently.

    Examples
    --------
    >>> import tempfile, pathlib, ugt
    >>> path = pathlib.Path(tempfile.mkdtemp()) / "model.csv"
    >>> write_predictions(path, ugt.Predictions(["x"], [[0.25, 0.75]], ["cat", "dog"]))
    ()
    >>> print(path.read_text().strip())
    case,cat,dog
    x,0.25,0.75
    """
    ending = _ending(path)
    given = Predictions.from_any(predictions)
    if ending == ".npz":
        names = {"case_ids": given.case_ids, "classes": given.classes}
        _save(path, {"scores": given.scores, **{key: ids for key, ids in names.items() if ids is not None}})
        return ()
    if ending != ".csv":
        raise error("predictions", "be written to a file that ends in .csv, .csv.gz or .npz", repr(Path(path).name))
    notes = []
    cases, classes = given.case_ids, given.classes
    if cases is None:
        cases = np.arange(len(given.scores))
        notes.append("The rows had no case ids: they are numbered from 0.")
    if classes is None:
        classes = np.arange(given.scores.shape[1])
        notes.append("The columns had no class names: they are numbered from 0.")
    notes += _check_names("case", cases) + _check_names("class", classes)
    _write_wide(path, list(map(str, classes.tolist())), cases, given.scores, ("case", "label", "score"), 3)
    return tuple(notes)


def _write_wide(path: Any, names: list[str], case_ids: NDArray[Any], table: NDArray[Any], roles: Sequence[str], too_many: int) -> None:
    """Write one column per class; reject class names that make the table look like another format: ``too_many`` columns of ``roles``."""
    header = ["case", *names]
    try:
        found = len(find_roles(header, {}, roles))
    except ValueError:  # several columns for one role
        found = too_many
    if found >= too_many or "case" in names:
        raise error("classes", "not have names of columns of another format (write an NPZ file)", ", ".join(map(repr, names)))
    cases, parts = _guarded(case_ids), (slice(begin, begin + ROWS) for begin in range(0, len(case_ids), ROWS))
    rows = (row for part in parts for row in zip(cases[part].tolist(), table[part].tolist()))
    _write_csv(path, header, ([case, *map(repr, row)] for case, row in rows))


def _long_labels(path: object, labels: Labels) -> tuple[str, ...]:
    notes = _notes(labels, labels.label[labels.count > 0])
    classes, case, times = _guarded(labels.axes.classes), row_of(labels.offsets), labels.count
    if len(labels.label) == 0:
        notes.append("There are no labels in the file: give classes when it is read.")
    if len(labels.annotators) == 0:
        columns = {"label": classes[labels.label].tolist(), "count": times.tolist()}
        _write_long(path, labels.axes.case_ids, case, columns, (classes.tolist()[0], 0))
        return tuple(notes)
    who = _guarded(labels.annotators)
    size = 8 + sum(column.itemsize for column in (_guarded(labels.axes.case_ids), who, classes))
    room("a file with one row per label", size * times.sum(dtype=np.float64))
    at, columns = np.flatnonzero(times), {}
    if (times > 1).any() or _tables.find_repeat(labels.offsets, labels.annotator, len(who)) >= 0:  # reading rejects repeated rows
        total = times.sum(dtype=np.float64)
        if total > MOST_REPEATED:  # as reading rejects them
            must = f"add up to at most {MOST_REPEATED:,} if annotators are named (or be written as NPZ)"
            raise error("count", must, f"{total:,.0f}")
        code, first = identifiers.factorize(np.column_stack([case, labels.annotator, labels.label])[at])
        columns["count"] = np.bincount(code, times[at]).astype(np.int64).tolist()
        at = at[first]
    named = {"annotator": who[labels.annotator[at]].tolist(), "label": classes[labels.label[at]].tolist()}
    _write_long(path, labels.axes.case_ids, case[at], {**named, **columns})
    return tuple(notes + _silent(labels.annotators, labels.annotator))


def _write_long(path: Any, case_ids: NDArray[Any], case: NDArray[Any], columns: Mapping[str, Iterable[Any]], blank: Any = ()) -> None:
    """Write rows in the order of cases; a case without annotations has one row of blank cells (or ``blank``)."""
    cases = _guarded(case_ids)
    rows = zip(cases[case].tolist(), *columns.values())
    empty = np.flatnonzero(np.bincount(case, minlength=len(cases)) == 0)
    blanks = [[one, *(blank or [""] * len(columns))] for one in cases[empty]]
    _write_csv(path, ["case", *columns], _with_empty(rows, case, blanks, empty))


def _with_empty(rows: Iterable[Sequence[Any]], case: NDArray[Any], blanks: list[list[Any]], empty: NDArray[Any]) -> Iterator[Sequence[Any]]:
    at = iter(zip(np.searchsorted(case, empty).tolist(), blanks))
    following = next(at, None)
    for i, row in enumerate(rows):
        while following is not None and following[0] == i:
            yield following[1]
            following = next(at, None)
        yield row
    while following is not None:
        yield following[1]
        following = next(at, None)


def _long_ratings(path: object, ratings: Ratings) -> tuple[str, ...]:
    notes = _check_names("case", ratings.case_ids) + _check_names("annotator", ratings.annotators)
    if ratings.scale is not None:
        notes.append(f"The scale of the ratings is not in the file: {scale_said(ratings.scale)} (give it as scale when the file is read).")
    twice = np.column_stack([row_of(ratings.offsets), ratings.annotator, identifiers.factorize(ratings.value)[0]])
    if len(identifiers.factorize(twice)[1]) < len(twice):
        notes.append("Ratings that an annotator gave twice to a case are in the file twice: read it with duplicates='count'.")
    columns = {"annotator": _guarded(ratings.annotators)[ratings.annotator].tolist(), "value": map(repr, ratings.value.tolist())}
    _write_long(path, ratings.case_ids, row_of(ratings.offsets), columns)
    return tuple(notes + _silent(ratings.annotators, ratings.annotator))


def _long_rankings(path: object, rankings: Rankings) -> tuple[str, ...]:
    sizes = sizes_of(rankings.ranking_offsets)
    block = row_of(rankings.block_offsets)
    ranking = row_of(rankings.ranking_offsets)[block]
    case = row_of(rankings.case_offsets)[ranking]
    notes = _notes(rankings, rankings.items)
    if len(rankings.items) == 0:
        notes.append("There are no rankings in the file: give classes when it is read.")
    if (sizes == 0).any():
        notes.append(f"Rankings without classes are not in the file: {int((sizes == 0).sum())}.")
    if len(rankings.annotators):
        annotator = _guarded(rankings.annotators)[rankings.annotator[ranking]]
        notes += _silent(rankings.annotators, rankings.annotator)
    else:
        annotator = ranking - rankings.case_offsets[case] + 1
        notes.append("The annotators had no names: they are numbered within each case; number 1 of two cases need not be one person.")
    places = block - rankings.ranking_offsets[ranking] + 1
    columns = {"annotator": annotator, "label": _guarded(rankings.axes.classes)[rankings.items], "rank": places}
    _write_long(path, rankings.axes.case_ids, case, {name: column.tolist() for name, column in columns.items()})
    return tuple(notes)


def _counts(path: object, labels: Labels | Rankings | Ratings) -> tuple[str, ...]:
    if not isinstance(labels, Labels):
        raise error("format", f"be 'long', 'npz' or 'rankings' for {type(labels).__name__}", "'counts', which are of labels")
    notes = _check_names("case", labels.axes.case_ids) + _check_names("class", labels.axes.classes)
    if len(labels.annotators):
        notes.append(f"The ids of the {len(labels.annotators):,} annotators are not in the file, nor who gave which label.")
    if labels.ordered:
        notes.append(f"That the classes are grades is not in the file: {order_said(labels.axes.classes)} (say so when the file is read).")
    names = [f"count_{name}" for name in labels.axes.classes.tolist()]
    _write_wide(path, names, labels.axes.case_ids, labels.counts(), ROLES, 2)
    return tuple(notes)


def _rankings_json(path: Any, rankings: Labels | Rankings | Ratings) -> tuple[str, ...]:
    if not isinstance(rankings, Rankings):
        raise error("format", f"be 'long' or 'npz' for {type(rankings).__name__}", "'rankings' (JSON)")
    content: dict[str, Any] = {"classes": rankings.axes.classes.tolist()}
    if not rankings.axes.numbered:
        content["case_ids"] = rankings.axes.case_ids.tolist()
    notes = []
    if len(rankings.annotators):
        content["annotators"] = _cut(rankings.annotators[rankings.annotator].tolist(), rankings.case_offsets)
        notes = _silent(rankings.annotators, rankings.annotator)
    blocks = _cut(rankings.axes.classes[rankings.items].tolist(), rankings.block_offsets)
    content["rankings"] = _cut(_cut(blocks, rankings.ranking_offsets), rankings.case_offsets)
    with _written_text(path) as file:
        json.dump(content, file, ensure_ascii=True)
        file.write("\n")
    return tuple(notes)


def _cut(values: list[Any], offsets: Int64) -> list[list[Any]]:
    at = offsets.tolist()
    return [values[a:b] for a, b in zip(at, at[1:])]


def _silent(annotators: NDArray[Any], used: Int32) -> list[str]:
    silent = np.setdiff1d(np.arange(len(annotators)), used)
    names = [identifiers.name(annotators[a]) for a in silent]
    return [f"Annotators without annotations are not in the file: {listed(names)}."] if len(silent) else []


def _notes(given: Labels | Rankings, used: Int32) -> list[str]:
    """Return notes on names that a long table does not hold, such as those of classes that are not ``used``."""
    classes, used = given.axes.classes, np.unique(used)
    named = (("case", given.axes.case_ids), ("annotator", given.annotators), ("label", classes))
    notes = [note for role, ids in named for note in _check_names(role, ids)]
    if isinstance(given, Labels) and given.ordered:
        notes.append(f"The order of the grades is not in the file: {order_said(classes)} (give it as ordered when the file is read).")
    elif len(used) < len(classes):
        unused = [identifiers.name(classes[k]) for k in np.setdiff1d(np.arange(len(classes)), used)]
        notes.append(f"Classes that nobody chose are not in the file: {listed(unused)} (give classes when it is read).")
    elif not np.array_equal(np.sort(classes), classes):
        notes.append("The order of the classes is not in the file: they are read in alphabetical order (give classes when it is read).")
    return notes


def _check_names(role: str, ids: NDArray[Any]) -> list[str]:
    """Reject names that a table cannot hold; return notes on names that would be read as numbers."""
    if not identifiers.is_text(ids):
        return []
    names, is_label = ids.tolist(), role == "label"
    for name in names:
        if name != name.strip() or (is_label and name in MISSING) or UNWRITABLE.search(name):
            must = "have names without white space around them that do not mean 'missing' (or be written as NPZ)"
            raise error(role, must, repr(name))
    decimals = [name for name in names if identifiers.INTEGER.fullmatch(identifiers.one_number(name)) and "." in name]
    if decimals and role != "case":
        raise error(role, "not have whole numbers with a decimal point for names (or be written as NPZ)", repr(decimals[0]))
    commas = [has_comma(name) for name in names] if is_label else []
    if any(commas) and all(comma or is_number(name) for comma, name in zip(commas, names)):
        raise error(role, "not have decimal numbers for names (or be written as NPZ)", repr(names[0]))
    if names and all(map(identifiers.INTEGER.fullmatch, names)):
        return [f"Every {role} has a whole number as text for its name, such as {names[0]!r}: it is read as a number."]
    return []


def _guarded(ids: NDArray[Any]) -> NDArray[Any]:
    """Return names as cells that no spreadsheet runs as formulas."""
    return np.array([guarded(name) for name in ids.tolist()], object) if identifiers.is_text(ids) else ids


def _ending(path: str | os.PathLike[str]) -> str:
    whole = Path(path)
    ending = Path(whole.stem).suffix.lower() if whole.suffix.lower() == ".gz" else whole.suffix.lower()
    if ending not in ENDINGS or (ending == ".npz" and whole.suffix.lower() == ".gz"):
        raise error("path", "end in .csv, .csv.gz, .json, .json.gz or .npz", repr(whole.name))
    return ending


@contextmanager
def _written(path: str | os.PathLike[str]) -> Iterator[IO[bytes]]:
    """Open a file that is written completely or not at all, compressed if its name says so."""
    with whole_file(path) as file:
        if os.fspath(path).lower().endswith(".gz"):
            with gzip.GzipFile(filename="", fileobj=file, mode="wb", mtime=0) as packed:
                yield packed  # type: ignore[misc]
        else:
            yield file


@contextmanager
def _written_text(path: str | os.PathLike[str]) -> Iterator[IO[str]]:
    with _written(path) as file:
        text = io.TextIOWrapper(file, "utf-8", newline="")
        yield text
        text.flush()
        text.detach()


def _save(path: str | os.PathLike[str], arrays: dict[str, Any]) -> None:
    with _written(path) as file:
        np.savez_compressed(file, **arrays)


def _write_csv(path: str | os.PathLike[str], header: Sequence[Any], rows: Iterable[Sequence[Any]]) -> None:
    rows = iter(rows)
    first = list(islice(rows, 1))
    _check_separator(header, first)
    with _written_text(path) as file:
        writer = csv_writer(file)
        writer.writerow([guarded(name) for name in header])
        writer.writerows(chain(first, rows))


def _check_separator(header: Sequence[Any], first: list[Sequence[Any]]) -> None:
    """Reject names that make another separator than the comma plausible."""
    text = io.StringIO()
    csv.writer(text, lineterminator="\n").writerows([[guarded(name) for name in header], *first])
    try:
        found = Table(text.getvalue().encode("utf-8")).header
    except ValueError:
        found = []
    if found != list(header):
        got = ", ".join(map(repr, [*header, *(first[0] if first else ())][:5]))
        raise error("names", "not look like separators of columns (or be written as NPZ)", got)
