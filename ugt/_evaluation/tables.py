"""The tables of an Evaluation, and how they leave the library: columns, JSON, CSV, files written whole or not at all."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING, Any

import numpy as np

from .. import _checks
from .._io.formulas import guarded
from .._ragged import sizes_of
from .._version import __version__
from ..annotations import Labels, Rankings
from ..plausibilities import Point

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Array = NDArray[np.float64]

SCHEMA = 1
# Of a table that may have no rows.
HEADINGS = {
    "flips": ("metric", "k", "model", "other", "better_above", "reliability", "low", "high", "p_inside"),
    "calibration": ("model", "loss", "class", "plugin", "bias", "debiased", "low", "high", "n_cases"),
    "agreement": ("coefficient", "value", "low", "high", "std_error", "observed", "expected", "n_cases", "n_annotators", "reason"),
    "humans": ("kind", "name", "value", "low", "high", "upper", "p_best", "n_cases"),
    "reliability_bins": (*("model", "class", "bin_low", "bin_high", "n_cases", "mean_probability", "label_share", "low", "high", "few"),),
}
TABLES = ("metrics", "certainty", "winners", "flips", "calibration", "reliability_bins", "agreement", "humans", "cases")


def number_name(value: float | None) -> str:
    """10.0 as "10", 2.5 as "2.5", None as "given"."""
    return "given" if value is None else f"{value:g}"


def data_summary(known: Any) -> dict[str, Any]:
    """Numbers of cases, classes, annotators and annotations."""
    found: dict[str, Any] = {"kind": type(known).__name__.lower(), "n_cases": known.n_cases, "n_classes": known.n_classes}
    if not isinstance(known, (Labels, Rankings)):
        return found
    per_case = annotations_per_case(known)
    used = np.unique(known.label if isinstance(known, Labels) else known.items)
    return {
        **found,
        "n_unused_classes": known.n_classes - len(used),
        "n_annotators": len(known.annotators) or None,
        "n_annotations": int(per_case.sum()),
        "annotations_per_case": {"min": int(per_case.min()), "median": float(np.median(per_case)), "max": int(per_case.max())},
    }


def annotations_per_case(known: Labels | Rankings) -> NDArray[np.int64]:
    """(N,) number of labels or rankings."""
    if isinstance(known, Rankings):
        return sizes_of(known.case_offsets)
    case = np.repeat(np.arange(known.n_cases), sizes_of(known.offsets))
    return np.bincount(case, known.count, known.n_cases).astype(np.int64)


def notes(known: Any, provenance: Mapping[str, Any]) -> Iterable[str]:
    """What a reader must know, in sentences."""
    yield "Metrics judge against what annotators would come to agree on, not against nature."
    if isinstance(known, Rankings):
        yield "The voted label is the best class by inverse rank normalisation; classes tied at the top share it."
    elif isinstance(known, Labels):
        yield "The voted label is the most frequent label; classes tied at the top share it."
    if isinstance(known, (Labels, Rankings)) and len(known.annotators) == 0:
        yield "Annotators are not named in this data, so nothing can be said of single annotators."
    if provenance.get("ties") == "first":
        yield "Ties are broken by position, not by expectation."


def worklist(known: Any, voted: Point, present: NDArray[np.bool_], certainty: Mapping[str, Array]) -> dict[str, Any]:
    """Columns of the judged cases, least certain first, undefined last."""
    mean = np.mean(np.stack(list(certainty.values())), 0)
    order = np.argsort(np.where(np.isnan(mean), np.inf, mean), kind="stable")
    rows = np.flatnonzero(present)[order]
    counts = annotations_per_case(known)[rows].tolist() if isinstance(known, (Labels, Rankings)) else [None] * len(rows)
    return {
        "case": [str(known.axes.case_ids[i]) for i in rows],
        "n_annotations": counts,
        "voted": [_best_classes(voted, i) for i in order],
        "certainty": {name: values[order].tolist() for name, values in certainty.items()},
        "mean_certainty": mean[order].tolist(),
    }


def _best_classes(voted: Point, i: int) -> str:
    """The voted class of a case; tied ones joined by " = "."""
    part = slice(voted.offsets[i], voted.offsets[i + 1])
    value = voted.value[part]
    if len(value) == 0:
        return ""
    return " = ".join(str(voted.axes.classes[k]) for k in voted.index[part][value == value.max()])


# ---- ways out ----


def to_dict(evaluation: Any) -> dict[str, Any]:
    """Everything as plain values; NaN as None."""
    names = (
        *("provenance", "data", "left_out", "notes", "models", "certainty", "metrics", "winners", "flips"),
        *("calibration", "reliability_bins", "agreement", "humans", "sources", "cases"),
    )
    found = {**{name: getattr(evaluation, name) for name in names}, **evaluation.details}
    return {"ugt": __version__, "schema": SCHEMA, **_plain(found)}


def names(evaluation: Any) -> tuple[str, ...]:
    """The tables that an evaluation has."""
    return (*TABLES, *evaluation.details)


def _plain(value: Any) -> Any:
    if isinstance(value, Mapping):
        return {_plain(str(key)): _plain(one) for key, one in value.items()}
    if isinstance(value, (list, tuple)):
        return [_plain(one) for one in value]
    if isinstance(value, np.generic):
        value = value.item()
    if isinstance(value, str) and not value.isascii():
        return value.encode("utf-8", "backslashreplace").decode("utf-8")  # halves of pairs, such as of a file name, are no UTF-8
    return None if isinstance(value, float) and not math.isfinite(value) else value


def columns(evaluation: Any, table: str) -> dict[str, list[Any]]:
    """One table as columns."""
    _checks.option("table", table, names(evaluation))
    if table == "cases":
        found = dict(evaluation.cases)
        certainty = found.pop("certainty")
        mean = found.pop("mean_certainty")
        return {**found, **{f"certainty_{name}": values for name, values in certainty.items()}, "mean_certainty": mean}
    if table in evaluation.details:
        from . import details as _details  # noqa: PLC0415  (it uses this module's neighbours)

        rows, headings = evaluation.details[table], _details.HEADINGS.get(table, ())
        return {key: [row[key] for row in rows] for key in (rows[0] if rows else headings)}
    rows = getattr(evaluation, table)
    if table == "humans":  # a column for each model
        rows = [{**row, **{f"p_better {model}": row["p_better"].get(model) for model in evaluation.models}} for row in rows]
        rows = [{key: value for key, value in row.items() if key != "p_better"} for row in rows]
    return {key: [row[key] for row in rows] for key in (rows[0] if rows else HEADINGS.get(table, ()))}


def to_frame(evaluation: Any, table: str) -> Any:
    """A pandas DataFrame, or the columns where pandas is not installed."""
    found = columns(evaluation, table)
    try:
        import pandas  # noqa: PLC0415  (optional)
    except ImportError:
        return found
    return pandas.DataFrame(found)


def json_text(evaluation: Any) -> str:
    """Strict JSON."""
    import json  # noqa: PLC0415  (as below: what only writing needs is not imported with the library)

    return json.dumps(to_dict(evaluation), indent=1, allow_nan=False, ensure_ascii=False) + "\n"


def csv_text(evaluation: Any, table: str) -> str:
    """CSV with a header; undefined numbers are empty."""
    import io  # noqa: PLC0415

    found = columns(evaluation, table)
    out = io.StringIO()
    writer = csv_writer(out)
    writer.writerow(map(csv_cell, found))
    for row in zip(*found.values()):
        writer.writerow(csv_cell(value) for value in row)
    return out.getvalue()


class _Lines:
    """A file that gets each line of CSV with a line feed at its end."""

    def __init__(self, file: Any) -> None:
        self.file = file

    def write(self, line: str) -> int:
        return int(self.file.write(line[:-2] + "\n"))


def csv_writer(file: Any) -> Any:
    """``csv.writer`` with lines that end in a line feed; cells with a carriage return are quoted too, or they would begin a row."""
    import csv  # noqa: PLC0415

    return csv.writer(_Lines(file), lineterminator="\r\n")  # Python quotes what its end of line holds


def csv_cell(value: Any) -> Any:
    """A value as a cell of a CSV file; an apostrophe stands before what spreadsheets would run, and may be taken away again.

    A NUL, which not every csv module reads or writes, is spelled out as in the report.
    """
    value = _plain(value)
    if isinstance(value, float):
        return repr(value)
    if isinstance(value, str):
        return guarded(value.replace("\0", "[U+0000]"))
    return "" if value is None else value
