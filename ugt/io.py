"""Files in and out: annotations (CSV, NPY/NPZ, JSON), predictions (CSV, NPY/NPZ), and a folder written as a whole or not at all."""

from __future__ import annotations

import hashlib
import io
import json
import os
import shutil
import tempfile
import zipfile
import zlib
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from . import _exports, _ids
from ._axes import case_axis, class_axis
from ._checks import error
from ._csv import Coded, Table, as_labels, as_names, check_text, count_classes, find_roles, wide_or_counts
from .annotations import Labels, Rankings
from .predictions import Predictions

if TYPE_CHECKING:
    from numpy.typing import NDArray

FORMATS = ("auto", "long", "wide", "counts", "rankings")

#: Cells that stand for "no annotation". "None" and -1 are not among them: they are classes in some files.
MISSING = ("", "NA", "N/A", "NaN", "nan", "null", "NULL")


@dataclass(frozen=True, eq=False)
class AnnotationFile:
    """What was read from a file of annotations.

    Attributes
    ----------
    annotations : Labels, Rankings or Ratings
    format : str
        ``"long"``, ``"wide"``, ``"counts"``, ``"rankings"``, ``"label studio"``, ``"prodigy"`` or ``"preflib"``.
    missing : dict of str to int
        The cells that were read as "no annotation", and how many there were of each.
    dropped : dict of str to int
        Annotations that were dropped, by reason: cancelled, ignored, without a result.
    """

    annotations: Any
    format: str
    missing: dict[str, int]
    dropped: dict[str, int] = field(default_factory=dict)

    def missing_note(self) -> str:
        """A sentence on what was read as missing, and one on what was dropped; empty if nothing was."""
        cells = ", ".join(f"{repr(token) if token else 'blank'} ({n} cells)" for token, n in self.missing.items())
        gone = ", ".join(f"{reason} ({n})" for reason, n in self.dropped.items())
        return " ".join([f"Read as missing: {cells}."] * bool(cells) + [f"Dropped: {gone}."] * bool(gone))


def read_annotations(
    path: str | os.PathLike[str],
    *,
    format: str = "auto",
    columns: Mapping[str, str | None] | None = None,
    classes: int | Sequence[Any] | None = None,
    missing: Sequence[str] = MISSING,
) -> AnnotationFile:
    """Read annotations from a CSV, NPY, NPZ or JSON file.

    Parameters
    ----------
    path : path
        ``.json``: nested rankings (cases → annotators → blocks, best first → tied classes), or an object with the keys
        ``rankings`` and optionally ``case_ids`` and ``classes``; or an export of Label Studio (choices, rating, ranker).
        ``.jsonl``: Prodigy. ``.soc``, ``.soi``, ``.toc``, ``.toi``: PrefLib, one case. ``.npy``: an integer table. ``.npz``: ``counts`` or
        ``table``, optionally ``case_ids`` and ``classes``. Anything else is a CSV file in UTF-8 with a header, separated by
        commas, semicolons or tabs.
    format : {"auto", "long", "wide", "counts", "rankings"}
        long: a row an annotation (case, annotator, label [, rank | confidence | count], or case, annotator, ranking such as
        ``"A > B = C"``); wide: a row a case, a column an annotator; counts: a row a case, a column a class. ``"auto"``
        refuses integer tables that may be wide as well as counts.
    columns : mapping of str to str, optional
        The column for each of the roles case, annotator, label, rank, confidence, count, ranking, where the usual names
        do not say it. None or ``""``: do not use a column for this role.
    classes : int or sequence, optional
        The number of classes (then called 0..K-1) or their names, so that unused classes are kept.
    missing : sequence of str
        Cells that stand for "no annotation".

    Returns
    -------
    AnnotationFile
        The annotations, and what was read as missing. Cases without annotations are kept.

    Raises
    ------
    ValueError
        If the file is empty, binary, cut off, ambiguous or inconsistent; the message names the file and the line or case.
    OSError
        If the file cannot be read.
    """
    if format not in FORMATS:
        raise error("format", f"be one of {', '.join(FORMATS)}", repr(format))
    with _named(path):
        data = Path(path).read_bytes()
        ending = Path(path).suffix.lower()
        if ending == ".json":
            if format not in ("auto", "rankings"):
                raise error("format", "be 'auto' or 'rankings' for a JSON file", repr(format))
            return _read_json(data, columns or {}, classes)
        if ending == ".jsonl":
            return _exported(_exports.prodigy(check_text(data), columns or {}, classes))
        if ending in _exports.PREFLIB:
            return _exported(_exports.preflib(check_text(data), Path(path).stem, classes))
        if ending in (".npy", ".npz"):
            return _read_arrays(data, format, classes, missing)
        return _read_csv(Table(data), format, columns or {}, classes, missing)


def read_predictions(path: str | os.PathLike[str]) -> Predictions:
    """Read a model's scores from a CSV, NPY or NPZ file.

    Parameters
    ----------
    path : path
        CSV: the case id in the first column and one column a class, or three columns case, class, score. ``.npz``: the
        key ``scores``, optionally ``case_ids`` and ``classes``. ``.npy``: scores (N, K), in the order of the annotations.

    Returns
    -------
    Predictions

    Raises
    ------
    ValueError
        If the file cannot be read as such a table, a score is missing or not finite, or a case is repeated; the message
        names the file and the line, case or class.
    OSError
        If the file cannot be read.
    """
    with _named(path):
        data = Path(path).read_bytes()
        ending = Path(path).suffix.lower()
        if ending in (".npy", ".npz"):
            arrays = _load(data, {"scores"}, "scores")
            return Predictions(arrays.get("case_ids"), arrays["scores"], arrays.get("classes"))
        table = Table(data)
        roles = find_roles(table.header, {}, ("case", "label", "score"))
        if len(roles) == 3:
            return _long_predictions(table, roles)
        (case,) = table.coded([0])
        return Predictions(table.ids(case, "case"), table.numbers(range(1, len(table.header))), as_names(table.header[1:]))


def read_names(path: str | os.PathLike[str]) -> list[Any]:
    """Read a file with one name a line (classes, groups): integers if all are, else text.

    Raises
    ------
    ValueError
        If the file is not text, or a line is blank.
    """
    with _named(path):
        lines = [line.strip() for line in check_text(Path(path).read_bytes()).rstrip().splitlines()]
        if "" in lines:
            raise error("file", "have a name on every line", "a blank", f"line {lines.index('') + 1}")
        return list(as_names(lines).tolist())


def read_clusters(path: str | os.PathLike[str]) -> dict[str, str]:
    """Read the cluster (such as the patient) of every case from a CSV file with the columns case and cluster.

    Raises
    ------
    ValueError
        If a column is missing, a cell is blank, or a case stands twice; the message names the file and the line or case.
    """
    with _named(path):
        table = Table(Path(path).read_bytes())
        roles = find_roles(table.header, {}, ("case", "cluster"))
        if len(roles) < 2:
            raise error("file", "have the columns case and cluster (or patient)", ", ".join(map(repr, table.header)))
        case, cluster = table.coded([roles["case"]], [roles["cluster"]])
        cases, clusters = (table.ids(cells, role).astype(str).tolist() for cells, role in ((case, "case"), (cluster, "cluster")))
        found = dict(zip(cases, clusters))
        if len(found) < len(cases):
            raise error("case", "stand once", f"{len(cases) - len(found)} repeated", next(c for c in cases if cases.count(c) > 1))
        return found


def fingerprint(path: str | os.PathLike[str]) -> dict[str, str]:
    """The name and the SHA-256 of a file, for the provenance of a report."""
    return {"name": Path(path).name, "sha256": hashlib.sha256(Path(path).read_bytes()).hexdigest()}


@contextmanager
def output_folder(path: str | os.PathLike[str]) -> Iterator[Path]:
    """A draft folder whose files all appear in ``path`` at the end, or none of them if anything fails.

    Raises
    ------
    ValueError
        If the folder cannot be made or written to, before anything else is done.
    """
    folder = Path(path)
    made = [part for part in (folder, *folder.parents) if not part.exists()]
    draft = None
    try:
        try:
            folder.mkdir(parents=True, exist_ok=True)
            draft = Path(tempfile.mkdtemp(prefix=".ugt-", dir=folder))
        except OSError as problem:
            raise error("output folder", "be a folder that can be written to", f"{str(folder)!r} ({problem.strerror})") from None
        yield draft
        for file in draft.iterdir():
            if (folder / file.name).is_dir():
                raise error("output folder", f"have room for the file {file.name}", "a folder of this name")
        for file in sorted(draft.iterdir()):
            os.replace(file, folder / file.name)
        draft.rmdir()
    except BaseException:
        if draft is not None:
            shutil.rmtree(draft, ignore_errors=True)
        with suppress(OSError):  # somebody else may have put something there
            for part in filter(Path.is_dir, made):
                part.rmdir()
        raise


@contextmanager
def _named(path: str | os.PathLike[str]) -> Iterator[None]:
    """Complaints about a file begin with its name."""
    try:
        yield
    except ValueError as problem:
        raise ValueError(f"{os.fspath(path)}: {problem}") from None


def _read_csv(table: Table, format: str, columns: Mapping[str, str | None], classes: Any, missing: Sequence[str]) -> AnnotationFile:
    if format in ("auto", "long", "rankings"):
        roles = find_roles(table.header, columns, ("case", "annotator", "label", "rank", "confidence", "ranking", "count"))
        if format != "auto" or set(roles) - {"case"}:
            return _read_long(table, _long_roles(table, roles, format), classes, missing)
    first = find_roles(table.header, {"case": table.header[0], **{role: name for role, name in columns.items() if name}}, ["case"])["case"]
    others = [c for c in range(len(table.header)) if c != first]
    header = [table.header[c] for c in others]
    case, cells = table.coded([first], others)
    if format == "auto":
        format = wide_or_counts(header, cells.values, missing)
    case_ids = table.ids(case, "case")
    if format == "wide":
        return _wide(case_ids, as_names(header), cells, classes, missing)
    return _counts(case_ids, as_names(count_classes(header)), table.converted(cells, "count"), classes)


def _long_roles(table: Table, roles: dict[str, int], format: str) -> dict[str, int]:
    """The columns of a long table that are to be read: complete, and without contradiction."""
    order = [role for role in ("rank", "confidence", "ranking", "count") if role in roles]
    if len(order) > 1:
        raise error("long table", "have one of the columns rank, confidence, ranking, count (name the others '')", " and ".join(order))
    if format == "rankings" and order in ([], ["count"]):
        raise error("rankings", "have a column rank, confidence or ranking", f"the columns {', '.join(table.header)}")
    needed = ["case", *(["annotator"] if order != ["count"] or "annotator" in roles else [])]
    needed += order if order == ["ranking"] else ["label", *order]
    absent = [role for role in needed if role not in roles]
    if absent:
        must = f"have columns for {', '.join(needed)} (name them, or say which other format this is)"
        raise error("long table", must, f"no {' and no '.join(absent)} among {', '.join(table.header)}")
    return {role: roles[role] for role in needed}


def _read_long(table: Table, roles: dict[str, int], classes: Any, missing: Sequence[str]) -> AnnotationFile:
    """A row an annotation. A row with a missing cell is none, but its case stays."""
    found: dict[str, int] = {}
    columns = {}
    keep = np.ones((), dtype=bool)
    for role, cells in zip(roles, table.coded(*([c] for c in roles.values()))):
        if role in ("case", "annotator"):
            columns[role] = table.ids(cells, role)
            continue
        keep = keep & ~cells.missing(missing, found)[:, 0]
        if role in ("label", "ranking"):
            columns[role] = as_labels(cells.values, missing, classes)[cells.codes[:, 0]]
        else:
            columns[role] = table.converted(cells, role, missing)[:, 0]
    cases = list(dict.fromkeys(columns["case"].tolist()))
    annotations = _from_long({role: column[keep] for role, column in columns.items()}, classes, cases)
    return AnnotationFile(annotations, "long" if isinstance(annotations, Labels) else "rankings", found)


def _from_long(columns: dict[str, NDArray[Any]], classes: Any, cases: list[Any]) -> Labels | Rankings:
    """The constructor that fits the columns."""
    if "ranking" in columns:
        return Rankings.from_strings(**columns, classes=classes, cases=cases)
    if "rank" in columns or "confidence" in columns:
        return Rankings.from_long(**columns, classes=classes, cases=cases)
    if "annotator" in columns:
        times = columns.pop("count", 1)
        return Labels.from_long(**{role: np.repeat(column, times) for role, column in columns.items()}, classes=classes, cases=cases)
    case, label = columns["case"], columns["label"]
    case_ids, row = case_axis(_ids.number("case", case), cases)
    names, column = class_axis("label", _ids.number("label", label), classes, lambda i: f"case {_ids.name(case[i])}")
    _check_once(row, column, case_ids, names)
    counts = np.zeros((len(case_ids), len(names)), dtype=np.int64)
    counts[row, column] = columns["count"]
    return Labels.from_counts(counts, case_ids=case_ids, classes=names)


def _wide(case_ids: Any, annotators: Any, cells: Coded, classes: Any, missing: Sequence[str]) -> AnnotationFile:
    """A row a case, a column an annotator."""
    found: dict[str, int] = {}
    absent = cells.missing(missing, found)
    table = as_labels(cells.values, missing, classes)[cells.codes].astype(object)
    table[absent] = None
    return AnnotationFile(Labels.from_wide(table, classes=classes, case_ids=case_ids, annotators=annotators), "wide", found)


def _counts(case_ids: Any, columns: Any, counts: NDArray[Any], classes: Any) -> AnnotationFile:
    """A row a case, a column a class, which may be some of the classes that were asked for."""
    if columns is not None and np.ndim(counts) == 2:
        columns = _ids.number("classes", _ids.distinct("classes", columns))
        classes, position = class_axis("classes", columns, columns.ids if classes is None else classes, "column {}".format)
        narrow, counts = counts, np.zeros((len(counts), len(classes)), dtype=counts.dtype)
        counts[:, position] = narrow
    return AnnotationFile(Labels.from_counts(counts, case_ids=case_ids, classes=classes), "counts", {})


def _long_predictions(table: Table, roles: dict[str, int]) -> Predictions:
    """A row a score; every case has a score for every class, once."""
    case, label = table.coded([roles["case"]], [roles["label"]])
    row, column = _ids.number("case", table.ids(case, "case")), _ids.number("class", table.ids(label, "class"))
    _check_once(row.code, column.code, row.ids, column.ids)
    scores, absent = (np.full((len(row.ids), len(column.ids)), fill) for fill in (0.0, True))
    scores[row.code, column.code] = table.numbers([roles["score"]])[:, 0]
    absent[row.code, column.code] = False
    if absent.any():
        i, k = np.argwhere(absent)[0]
        got = f"none for {int(absent.sum())} of {absent.size}"
        raise error("scores", "be given for every case and class", got, f"case {_ids.name(row.ids[i])}, class {_ids.name(column.ids[k])}")
    return Predictions(row.ids, scores, column.ids)


def _check_once(row: NDArray[Any], column: NDArray[Any], cases: NDArray[Any], classes: NDArray[Any]) -> None:
    code, first = _ids.factorize(np.stack([row, column], axis=1))
    if len(first) < len(code):
        again = _ids.repeated(code, first)
        where = f"case {_ids.name(cases[row[again]])}, class {_ids.name(classes[column[again]])}"
        raise error("rows", "not repeat a case and class", f"{len(code) - len(first)} repeated", where)


def _read_arrays(data: bytes, format: str, classes: Any, missing: Sequence[str]) -> AnnotationFile:
    arrays = _load(data, {"counts", "table"}, "")
    key = next(key for key in ("counts", "table", "") if key in arrays)
    kind = {"counts": "counts", "table": "wide"}.get(key, format)
    if kind not in ("counts", "wide") or format not in ("auto", kind):
        raise error("format", "be 'wide' (a column an annotator) or 'counts' (a column a class) for this array", repr(format))
    table, case_ids, names = arrays[key], arrays.get("case_ids"), arrays.get("classes")
    if kind == "counts":
        return _counts(case_ids, names, table, classes)
    if table.ndim != 2 or table.dtype.kind not in "iuU":
        raise error("table", "be a table of integers or strings, cases x annotators", f"shape {table.shape} of {table.dtype}")
    values, codes = np.unique(table, return_inverse=True)
    cells = Coded([str(value) for value in values], codes.reshape(table.shape))
    return _wide(case_ids, None, cells, names if classes is None else classes, missing)


def _load(data: bytes, names: set[str], plain: str) -> dict[str, NDArray[Any]]:
    """The arrays of an NPZ file, one of which has one of the names; the nameless array of an NPY file is called ``plain``."""
    try:
        if data[:2] == b"PK":  # a cut-off archive: numpy 1.19 would complain on standard error, too
            zipfile.ZipFile(io.BytesIO(data)).close()
        loaded = np.load(io.BytesIO(data), allow_pickle=False)
        arrays = {plain: loaded} if isinstance(loaded, np.ndarray) else {key: loaded[key] for key in loaded.files}
    except (ValueError, OSError, EOFError, KeyError, zipfile.BadZipFile, zlib.error) as problem:
        raise error("file", "be an NPY or NPZ file of plain arrays (is it cut off?)", str(problem)) from None
    main = arrays.keys() - {"case_ids", "classes"}
    if len(main) != 1 or not main <= {*names, plain}:
        must = f"hold one array {' or '.join(map(repr, sorted(names)))}, and optionally 'case_ids' and 'classes'"
        raise error("file", must, f"the arrays {', '.join(map(repr, arrays)) or 'none'}")
    return arrays


def _read_json(data: bytes, columns: Mapping[str, str | None], classes: Any) -> AnnotationFile:
    try:
        content = json.loads(check_text(data))
    except json.JSONDecodeError as problem:
        raise error("file", "be JSON (is it cut off?)", problem.msg, f"line {problem.lineno}") from None
    except RecursionError:
        raise error("rankings", "be nested four deep (cases, annotators, blocks, classes)", "a far deeper nesting") from None
    if _exports.is_label_studio(content):
        return _exported(_exports.label_studio(content, columns, classes))
    return AnnotationFile(_exports.rankings_json(content, classes), "rankings", {})


def _exported(export: _exports.Export) -> AnnotationFile:
    return AnnotationFile(export.annotations, export.format, {}, export.dropped)
