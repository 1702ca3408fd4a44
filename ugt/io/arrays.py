"""Arrays of NPY and NPZ files, also of complete annotations."""

from __future__ import annotations

import io
import sys
import zipfile
from typing import IO, Any

import numpy as np

from .._base.arrays import Int32, Int64, NDArray
from .._base.axes import Axes, given_ids
from .._base.checks import error, room
from .._base.identifiers import MAX_WHOLE, Grades
from .._base.names import listed
from .._base.notes import Note
from .._base.notices import note
from .._base.wording import Text, arg
from .._tabular.cells import Coded
from .._tabular.csv_table import OF_CELL
from .._tabular.role_words import ALIASES, ALSO
from .._tabular.roles import plain
from ..annotations import Labels, Rankings, Ratings
from .annotation_file import AnnotationFile, Reading
from .wide_tables import counts_file, wide_file

# The arrays of an NPZ file of complete annotations, in addition to ``kind``, ``case_ids`` and ``annotators``.
PARTS = {
    "labels": ("classes", "offsets", "annotator", "label", "count"),
    "rankings": ("classes", "case_offsets", "ranking_offsets", "block_offsets", "items", "annotator"),
    "ratings": ("offsets", "annotator", "value"),
}


# Names of the arrays of an NPZ file of predictions, in lower case and without punctuation.
NAMES = {
    "scores": {
        "score",
        "scores",
        "softmax",
        *(y + one for y in ("", "y") for one in ("prob", "probs", "proba", "probas", "logit", "logits")),
    }
    | {"probability", "probabilities"},
    "case_ids": {one + end for one in ALIASES["case"] | ALSO["case"] for end in ("", "s")} | {"filenames", "files", "paths"},
    "classes": {"classes", "classnames", "labelnames", "categories"},
}


def read_arrays(data: bytes, how: Reading) -> AnnotationFile:
    """Return the annotations of a table of counts or labels, or of a file of complete annotations."""
    arrays, format = load(data), how.format
    if "kind" in arrays:
        return _whole(arrays, how.classes)
    _check_main(arrays)
    key = next(key for key in ("counts", "table", "") if key in arrays)
    kind = {"counts": "counts", "table": "ratings" if format == "ratings" else "wide"}.get(key, format)
    if kind not in ("counts", "wide", "ratings") or format not in ("auto", kind):
        raise error("format", "be 'wide' (one column per annotator) or 'counts' (one column per class) for this array", repr(format))
    table, case_ids, names = arrays[key], arrays.get("case_ids"), arrays.get("classes")
    if kind == "counts":
        return counts_file(case_ids, names, table, how)
    if kind == "ratings":
        return AnnotationFile(Ratings.from_wide(table, case_ids=case_ids), kind, {})
    if table.ndim != 2 or table.dtype.kind not in "iufU":
        raise error("table", "be a table of integers or strings, cases x annotators", f"shape {table.shape} of {table.dtype}")
    room("the table", (2 * table.itemsize + OF_CELL) * table.size)
    blank = np.isnan(table) if table.dtype.kind == "f" else np.zeros(table.shape, bool)
    values, codes = np.unique(_whole_numbers(table, blank), return_inverse=True)
    numbers: Int32 = np.where(blank, len(values), codes.reshape(table.shape)).astype(np.int32)
    cells = Coded([*map(str, values.tolist()), *["NaN"] * bool(blank.any())], numbers)
    how = how._replace(missing=tuple(dict.fromkeys((*how.missing, "NaN")))) if blank.any() else how
    return wide_file(case_ids, None, cells, how if how.classes is not None else how._replace(classes=names))


def _whole_numbers(table: NDArray[Any], blank: NDArray[Any]) -> NDArray[Any]:
    """Return a table with whole numbers as integers, blank cells as 0; reject other numbers."""
    if table.dtype.kind != "f":
        return table
    filled = np.where(blank, 0, table)
    bad = (filled != np.floor(filled)) | (np.abs(filled) > MAX_WHOLE)
    if bad.any():
        i, j = np.argwhere(bad)[0].tolist()
        must, way = "hold whole numbers or NaN, which means not labelled", "for numbers on a scale: " + arg("format", "ratings")
        raise error("table", must, f"{filled[i, j]:g}", f"row {i}, column {j}", way=way)
    return filled.astype(np.int64)


def load(data: bytes) -> dict[str, NDArray[Any]]:
    """Return the arrays of an NPZ file by name; the array of an NPY file has the name ""."""
    at = ""
    try:
        if data[:2] == b"PK":  # an archive that is cut off: numpy 1.19 would also write to standard error
            with zipfile.ZipFile(io.BytesIO(data)) as archive:
                n_bytes = 0.0
                for member in archive.infolist():
                    at = repr(member.filename)
                    n_bytes += _size_of(archive, member)
                at = ""
        else:
            n_bytes = _declared(io.BytesIO(data))
        room("the file", len(data) + n_bytes)  # before any of it is unpacked
        loaded = np.load(io.BytesIO(data), allow_pickle=False)
        found = {"": loaded} if isinstance(loaded, np.ndarray) else {key: loaded[key] for key in loaded.files}
    except MemoryError:
        raise
    except Exception as problem:  # numpy and zipfile raise a dozen kinds of errors for damaged files
        got = " ".join(str(problem).split()) or type(problem).__name__
        raise error("file", "be an NPY or NPZ file of plain arrays (is it cut off?)", got, at) from None
    other = [key for key, array in found.items() if not isinstance(array, np.ndarray)]
    if other:
        raise error("file", "hold arrays only", repr(other[0]))
    for key, array in found.items():
        if array.dtype.kind == "U" and array.nbytes:  # Python fails on numbers that are no characters
            codes = np.ascontiguousarray(array.astype(array.dtype.newbyteorder("="))).reshape(-1).view(np.uint32)
            if codes.max() > sys.maxunicode:
                raise error(Text(key or "array"), "be text", f"a character with the number {codes.max()}")
    return found


def _size_of(archive: zipfile.ZipFile, member: zipfile.ZipInfo) -> float:
    """Return the bytes that a member takes, which the archive may understate."""
    if not member.filename.endswith(".npy"):
        return member.file_size
    with archive.open(member) as file:
        return _declared(file)


def _declared(file: IO[bytes]) -> float:
    """Return the bytes of the array that a header announces."""
    version = np.lib.format.read_magic(file)
    readers = {(1, 0): np.lib.format.read_array_header_1_0, (2, 0): np.lib.format.read_array_header_2_0}
    shape, _, dtype = readers[version](file) if version in readers else ((), False, np.dtype(np.float64))
    return dtype.itemsize * float(np.prod(shape, dtype=np.float64))


def scores_of(arrays: dict[str, NDArray[Any]]) -> tuple[dict[str, NDArray[Any]], dict[str, tuple[str, ...]]]:
    """Return scores and, if present, case ids and classes, found by their usual names, and these names; note other arrays."""
    if "" in arrays:
        return {"scores": arrays[""]}, {}
    found: dict[str, str] = {}
    for role, names in NAMES.items():
        called = [key for key in arrays if plain(key) in names]
        if len(called) > 1:
            raise error("file", f"hold one array of {role.replace('_', ' ')} (remove the others)", " and ".join(map(repr, called)))
        if called:
            found[role] = called[0]
    if "scores" not in found:
        must = "hold an array 'scores' (or 'probs', 'probabilities', 'logits'), and optionally 'case_ids' and 'classes'"
        raise error("file", must, f"the arrays {listed(map(repr, arrays)) or 'none'}")
    others = [key for key in arrays if not any(plain(key) in names for names in NAMES.values())]
    if others:
        note(Note("unused_arrays", "Arrays that were not used: {names}.", names=listed(map(repr, others))))
    return {role: arrays[key] for role, key in found.items()}, {role: (key,) for role, key in found.items()}


def _check_main(arrays: dict[str, NDArray[Any]]) -> None:
    main = arrays.keys() - {"case_ids", "classes"}
    if len(main) != 1 or not main <= {"counts", "table", ""}:
        must = "hold one array 'counts' or 'table', and optionally 'case_ids' and 'classes'"
        raise error("file", must, f"the arrays {listed(map(repr, arrays)) or 'none'}")


# ---- whole annotations


def parts_of(given: Labels | Rankings | Ratings) -> dict[str, Any]:
    kind = type(given).__name__.lower()
    found: dict[str, Any] = {"kind": np.array(kind), "annotators": given.annotators}
    if isinstance(given, Ratings):
        found.update(case_ids=given.case_ids, numbered=np.array(given.numbered))
        found.update({} if given.scale is None else {"scale": np.array(given.scale)})
    else:
        found.update(case_ids=given.axes.case_ids, classes=given.axes.classes, numbered=np.array(given.axes.numbered))
    if isinstance(given, Labels) and given.ordered:
        found["ordered"] = np.array(True)
    return {**found, **{name: getattr(given, name) for name in PARTS[kind] if name != "classes"}}


def _whole(arrays: dict[str, NDArray[Any]], classes: Any) -> AnnotationFile:
    """Return annotations from all their arrays, each of which is checked."""
    kind = str(arrays["kind"])
    if kind not in PARTS:
        raise error("kind", f"be one of {', '.join(PARTS)}", repr(kind))
    wanted = {"kind", "case_ids", "annotators", "numbered", *PARTS[kind]}
    more = {"labels": {"ordered"}, "ratings": {"scale"}}.get(kind, set())  # of those with an order or a stated scale
    if arrays.keys() - more != wanted:
        raise error("file", f"hold the arrays {', '.join(sorted(wanted))}", ", ".join(sorted(arrays)))
    for name in arrays.keys() - {"kind"}:
        array = arrays[name]
        if name in ("numbered", "ordered"):
            if array.shape != () or array.dtype.kind != "b":
                raise error(name, "be one value, true or false", _form(array))
        elif array.ndim != 1 and name != "scale":
            raise error(name, "have one dimension", f"shape {array.shape}")
    if classes is not None and not isinstance(classes, Grades):
        raise error("classes", "be left out for a file that names them", repr(classes))
    cases = given_ids("case_ids", arrays["case_ids"], len(arrays["case_ids"]))
    who = arrays["annotators"]
    annotators = given_ids("annotators", who, len(who)) if len(who) else np.empty(0, np.int64)
    rows = _row_offsets(arrays, "case_offsets" if kind == "rankings" else "offsets", len(cases))
    annotator = _codes(arrays, "annotator", rows[-1], len(annotators), least=0 if len(annotators) else -1)
    make = {"labels": _labels, "ratings": _ratings, "rankings": _rankings}[kind]
    return AnnotationFile(make(arrays, cases, annotators, rows, annotator), kind, {})


def _ratings(arrays: dict[str, NDArray[Any]], cases: NDArray[Any], annotators: NDArray[Any], rows: Int64, annotator: Int32) -> Ratings:
    value = arrays["value"]
    if value.dtype.kind != "f" or value.shape != (rows[-1],) or not np.isfinite(value).all():
        raise error("value", f"be {rows[-1]} finite numbers", _form(value))
    ratings = Ratings(cases, annotators, rows, annotator, value.astype(np.float64), bool(arrays["numbered"]))
    return ratings.on_scale(arrays["scale"].tolist()) if "scale" in arrays else ratings


def _labels(arrays: dict[str, NDArray[Any]], cases: NDArray[Any], annotators: NDArray[Any], rows: Int64, annotator: Int32) -> Labels:
    axes = _axes(arrays, cases)
    label, count = _codes(arrays, "label", rows[-1], axes.n_classes), arrays["count"]
    if count.dtype.kind not in "iu" or count.shape != label.shape or (len(count) and count.min() < 1):
        raise error("count", f"be {len(label)} whole numbers of at least 1", _form(count))
    labels = Labels(axes, annotators, rows, annotator, label, count.astype(np.int64))
    return labels.in_order(axes.classes.tolist()) if arrays.get("ordered") else labels


def _rankings(arrays: dict[str, NDArray[Any]], cases: NDArray[Any], annotators: NDArray[Any], rows: Int64, annotator: Int32) -> Rankings:
    axes, rankings = _axes(arrays, cases), _row_offsets(arrays, "ranking_offsets", int(rows[-1]))
    blocks = _row_offsets(arrays, "block_offsets", int(rankings[-1]))
    if (np.diff(blocks) < 1).any():
        raise error("block_offsets", "not hold an empty block", "one", f"block {int(np.argmin(np.diff(blocks)))}")
    items = _codes(arrays, "items", blocks[-1], axes.n_classes)
    return Rankings(axes, annotators, rows, rankings, blocks, items, annotator)._checked("items")


def _axes(arrays: dict[str, NDArray[Any]], cases: NDArray[Any]) -> Axes:
    return Axes(cases, given_ids("classes", arrays["classes"], len(arrays["classes"])), bool(arrays["numbered"]))


def _form(array: NDArray[Any]) -> str:
    return f"{array.dtype} of shape {array.shape}"


def _row_offsets(arrays: dict[str, NDArray[Any]], name: str, n: int) -> Int64:
    found = arrays[name]
    good = found.dtype.kind in "iu" and found.shape == (n + 1,) and found[0] == 0 and bool((np.diff(found.astype(np.int64)) >= 0).all())
    if not good:
        raise error(name, f"be {n + 1} whole numbers that begin at 0 and do not decrease", _form(found))
    return found.astype(np.int64)


def _codes(arrays: dict[str, NDArray[Any]], name: str, n: int, top: int, least: int = 0) -> Int32:
    found = arrays[name]
    good = found.dtype.kind in "iu" and found.shape == (n,) and (n == 0 or least <= found.min() <= found.max() < max(top, least + 1))
    if not good:
        raise error(name, f"be {n} whole numbers from {least} to {max(top, least + 1) - 1}", _form(found))
    return found.astype(np.int32)
