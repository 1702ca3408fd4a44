"""Tables of annotations (long, wide or counts) as Labels, Rankings or Ratings."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import partial
from typing import Any

import numpy as np

from .._base import identifiers
from .._base.arrays import Bools, NDArray
from .._base.axes import class_axis
from .._base.checks import error
from .._base.identifiers import one_number
from .._base.names import listed
from .._base.notes import Note
from .._base.notices import note
from .._base.ragged import sizes_of
from .._base.wording import NO_RANK, arg
from .._tabular.annotator_columns import check_boxes, note_names
from .._tabular.case_columns import check_case, way_out, with_case
from .._tabular.cells import Coded, first_alone
from .._tabular.csv_table import CellTable
from .._tabular.frames import Columns, check_once, labels_column, long_rows
from .._tabular.role_words import ALIASES, ALSO
from .._tabular.roles import (
    MOST_SHOWN,
    as_labels,
    columns_called,
    find_roles,
    places_of,
    roles_of,
)
from .._tabular.surveys import Survey, check_survey
from ..annotations import Labels, Rankings, Ratings
from .annotation_file import MOST_REPEATED, ROLES, AnnotationFile, Reading
from .odd_rows import check_classes, check_rows, check_total, note_rows
from .repeats import Way, no_way, once, once_rows
from .ticks import with_sets
from .wide_tables import read_wide, with_declared
from .withdrawn import withdrawn_rows

LABELS_READ = "Read labels, one for each case and annotator: their confidence is not used (for rankings of one class: "
LABELS_READ += arg("format", "rankings") + ")."
ONE_CLASS_RANKED = "Read rankings of one class each, so that the confidence has no effect (to read labels: "
ONE_CLASS_RANKED += arg("columns", {"confidence": ""}) + ")."


def read_table(table: CellTable, how: Reading) -> AnnotationFile:
    table, columns = with_case(table, how.columns)
    read = _read_table(table, how._replace(columns=columns))
    found, unused = roles_of(table.header, table.sources())
    return replace(read, columns=found, unused=unused)


def _read_table(table: CellTable, how: Reading) -> AnnotationFile:
    format = how.format
    table.decimal = how.decimal
    if isinstance(table, Survey) and format == "auto" and not how.columns:
        check_survey(table.facts, table.response, format)
    chosen = columns_called(table.header, "annotator_columns", how.annotator_columns) - table.hidden
    ignored = columns_called(table.header, "ignore_columns", how.ignore_columns) | table.hidden
    if chosen and format in ("transposed", "long", "rankings"):
        must = "be given for a table with one row per case and one column per annotator, or per class"
        raise error("annotator_columns", must, f"format {format!r}")
    if chosen or format in ("counts", "transposed", "wide"):
        return read_wide(table, chosen, ignored, how)
    places = places_of(table.header)
    if places and format in ("auto", "rankings") and how.columns.keys() <= {"case", "annotator"}:
        return _read_places(table, places, how)
    header = [name for c, name in enumerate(table.header) if c not in ignored]
    roles = {role: table.header.index(header[c]) for role, c in find_roles(header, how.columns, ROLES).items()}
    roles = _without_value(roles, how.columns, format)
    unnamed = "annotator" in how.columns and not how.columns["annotator"]  # it was said that there is no column for the annotator
    turned = roles.keys() == {"annotator"} and table.header[roles["annotator"]] == header[0] and not how.columns.get("annotator")
    if format in ("auto", "ratings") and (turned or roles.keys() <= {"case"}):  # turned: one row per annotator
        return read_wide(table, chosen, ignored, how)
    found = _long_roles(table, roles, format, unnamed)
    check_total(table, found, how.columns)
    return _read_long(table, found, how)


def _has_rankings(table: CellTable, c: int) -> bool:
    """Return whether at least half of the filled cells of a column have the sign between two places of a ranking."""
    (cells,) = table.coded([c])
    values = [cells.values[code] for code in cells.codes[:, 0].tolist() if cells.values[code].strip()]
    return 2 * sum(">" in value for value in values) > len(values)


def _without_value(roles: dict[str, int], columns: Mapping[str, str | None], format: str) -> dict[str, int]:
    """Return the roles of the columns with either values or labels: values if named, alone, or if ratings are asked for."""
    if format == "ratings" and "value" not in roles and "label" in roles:
        return {"value" if role == "label" else role: c for role, c in roles.items()}
    extra = "label" if columns.get("value") else "value"
    return {role: c for role, c in roles.items() if role != extra or not {"label", "value"} <= roles.keys()}


def _long_roles(table: CellTable, roles: dict[str, int], format: str, unnamed: bool) -> dict[str, int]:
    """Return the columns of a long table that are read; reject a table with missing or contradicting columns."""
    order = [role for role in ("rank", "confidence", "ranking", "count", "value") if role in roles]
    if len(order) > 1:
        others = _named(order[1:]).replace("...", repr(""))
        must = f"have one of the columns rank, confidence, ranking, count (to ignore the others: {others})"
        raise error("long table", must, " and ".join(order))
    if format == "rankings" and order in ([], ["count"], ["value"]):
        raise error("rankings", "have a column rank, confidence or ranking", f"the columns {listed(table.header, MOST_SHOWN)}")
    unnamed = unnamed and order in ([], ["count"])
    needed = ["case", *(["annotator"] if "annotator" in roles or not (unnamed or order == ["count"]) else [])]
    needed += order if order in (["ranking"], ["value"]) else ["label", *order]
    absent = [role for role in needed if role not in roles]
    if "label" in absent:
        check_boxes(table.header)
    if absent:
        ranked = [name for c, name in enumerate(table.header) if c not in roles.values() and _has_rankings(table, c)]
        hint = f"; {ranked[0]!r} looks like rankings: " + _named(["ranking"]) if ranked and "label" in absent else ""
        nobody = "; if annotators are not named: " + arg("columns", {"annotator": ""}) if absent == ["annotator"] and not order else ""
        way = "name them: " + _named(absent) + "; or give another format as " + arg("format", ...) + hint + nobody
        got = f"no {' and no '.join(absent)} among {listed(table.header, MOST_SHOWN)}"
        raise error("long table", f"have columns for {', '.join(needed)}", got, way=way)
    return {role: roles[role] for role in needed}


def _read_long(table: CellTable, roles: dict[str, int], how: Reading) -> AnnotationFile:
    """Return the annotations of a table with one row per annotation. A row with a missing cell is left out, but its case is kept."""
    found: dict[str, int] = {}
    how = with_declared(table, [roles["label"]], how) if "label" in roles else how
    classes, missing, merge = how.classes, how.missing, how.merge_names
    groups = [[c] for c in roles.values()]
    cells = dict(zip(roles, table.coded(*groups)))
    if "label" in cells:
        cells["label"] = with_sets(cells["label"], how.ticks)
        check_classes(cells["label"], missing, classes, how.ticks)
    check_rows(table, [*zip(cells.values(), groups)])
    note_rows(cells["case"], all(first_alone(one, missing) for one in cells.values()))
    note_names(cells["annotator"].values if "annotator" in cells else ())
    key = [roles[role] for role in ("case", "annotator") if role in roles]
    if not how.columns.get("case"):
        check_case(table, key)
    way = partial(way_out, table, key)
    if how.format == "auto" and "confidence" not in how.columns and _are_labels(cells):
        note(Note("confidence_not_used", LABELS_READ))
        del cells["confidence"]
    table.used = {role: [roles[role]] for role in cells}
    cells.update({role: table.decimals(cells[role], role, missing) for role in cells.keys() - {"case", "annotator", "ranking"}})
    keep = np.ones(len(cells["case"].codes), dtype=bool)
    for role in cells.keys() - {"case", "annotator"}:
        keep &= ~cells[role].missing(missing, found)[:, 0]
    dropped: dict[str, int] = {}
    gone = withdrawn_rows(table, set(roles.values()), dropped) if how.withdrawn == "drop" else None
    keep = keep if gone is None else keep & ~gone
    if cells.keys() == {"case", "annotator", "label"}:
        rows = long_rows(table, cells.pop("case"), cells.pop("annotator"), keep, merge)
        label = labels_column(cells.pop("label"), keep, missing, classes, table)
        cells.clear()
        return AnnotationFile(once(Labels._of_rows(rows, label, classes, merge), how.duplicates, way), "long", found, dropped)
    case = table.numbered(cells["case"], "case")
    notes = cells["value"].suspicious(missing) if "value" in cells else ()
    annotations = _from_long({"case": case.ids[case.code][keep], **_kept(table, cells, keep, how)}, how, case.ids, way)
    if "confidence" in cells and isinstance(annotations, Rankings) and (sizes_of(annotations.ranking_offsets) == 1).all():
        note(Note("confidence_not_used", ONE_CLASS_RANKED))
    return AnnotationFile(annotations, "rankings" if isinstance(annotations, Rankings) else "long", found, dropped, notes)


def _are_labels(cells: Mapping[str, Coded]) -> bool:
    """Return whether a table has a column of confidence, and one class for each case and annotator."""
    if "confidence" not in cells:
        return False
    code, first = identifiers.factorize(np.column_stack([cells[role].codes[:, 0] for role in ("case", "annotator")]))
    return len(code) == len(first)


def _kept(table: CellTable, cells: Mapping[str, Coded], keep: Bools, how: Reading) -> dict[str, Any]:
    """Return the kept rows of all columns but the case, as values."""
    found: dict[str, Any] = {}
    for role in [role for role in cells if role != "case"]:
        if role == "annotator":
            annotator = table.numbered(cells[role], role, keep)
            found[role] = annotator.ids[annotator.code]
        elif role in ("label", "ranking"):
            found[role] = as_labels(cells[role].values, how.missing, how.classes)[cells[role].codes[:, 0]][keep]
        else:
            found[role] = table.converted(cells[role], role, how.missing)[:, 0][keep]
    low = found.get("rank", np.ones(1)) < 1
    if low.any():
        row, rows = int(np.argmax(low)), np.flatnonzero(keep)
        raise error("rank", "be at least 1", f"{found['rank'][row]:g}", table.place(int(rows[row])), way=NO_RANK)
    return found


def _read_places(table: CellTable, places: list[int], how: Reading) -> AnnotationFile:
    """Return the rankings of a table with one row per ranking and columns for the first class, the second, and so on."""
    names = {role: ALIASES[role] | ALSO[role] for role in ("case", "annotator")}
    roles = find_roles(table.header, how.columns, tuple(names), names)
    if len(roles) < 2:
        absent = [role for role in names if role not in roles]
        must = f"have columns for case and annotator in addition to the places rank1, rank2 ... (name them: {_named(absent)})"
        raise error("rankings", must, f"no {' and no '.join(absent)} among {listed(table.header, MOST_SHOWN)}")
    found: dict[str, int] = {}
    table.used = {"case": [roles["case"]], "annotator": [roles["annotator"]], "rank": places}
    case_cells, annotator_cells, cells = table.coded([roles["case"]], [roles["annotator"]], places)
    given = ~cells.missing(how.missing, found)
    behind = (given[:, 1:] & ~given[:, :-1]).any(axis=1)
    if behind.any():
        raise error("rankings", "have no blank place before a filled one", "one", table.place(int(np.argmax(behind))))
    numbers = {str(i) for i in range(1, len(places) + 1)}
    if how.format == "auto" and numbers >= {one_number(value) for value in cells.values if value not in how.missing}:
        must = "be 'rankings' (columns are places, cells are classes) for columns of places with numbers that may be ranks or classes"
        raise error("format", must, "'auto'")
    keep = given[:, 0]
    case, annotator = table.numbered(case_cells, "case"), table.numbered(annotator_cells, "annotator", keep)
    note_names(annotator_cells.values)
    code, first = identifiers.factorize(np.column_stack([case.code[keep], annotator.code]))
    if len(first) < len(code):
        where = table.place(int(np.flatnonzero(keep)[identifiers.repeated(code, first)]))
        raise error("rankings", "be one for each case and annotator", "a second one", where)
    row, place = np.nonzero(given)
    by = np.zeros(len(keep), np.int64)
    by[keep] = annotator.code
    columns = {"case": case.ids[case.code[row]], "annotator": annotator.ids[by[row]], "rank": place + 1}
    columns["label"] = as_labels(cells.values, how.missing, how.classes)[cells.codes[row, place]]
    words = "Read {first!r} to {last!r} as the places of a ranking, the best class first."
    of_places = Note("places_of_rankings", words, first=table.header[places[0]], last=table.header[places[-1]])
    return AnnotationFile(_from_long(columns, how, case.ids), "rankings", found, {}, (of_places,))


def _from_long(columns: dict[str, Any], how: Reading, cases: NDArray[Any], way: Way = no_way) -> Labels | Rankings | Ratings:
    named: dict[str, Any] = {"cases": cases, "classes": how.classes, "merge_names": how.merge_names}
    if "value" in columns:
        ratings: Ratings = once(Ratings.from_long(**columns, cases=cases), how.duplicates, way)
        return ratings
    if "ranking" in columns:
        return Rankings.from_strings(**columns, **named, separator=how.separator, offered=how.offered)
    if "rank" in columns or "confidence" in columns:
        return Rankings.from_long(**columns, **named, offered=how.offered)
    if "annotator" in columns:
        columns = once_rows(columns, how.duplicates, way)
        times = columns.pop("count", np.ones((), np.int64))
        if times.sum(dtype=np.float64) > MOST_REPEATED:  # each label becomes a row
            raise error("count", f"add up to at most {MOST_REPEATED:,} if annotators are named", f"{times.sum(dtype=np.float64):,.0f}")
        repeated: dict[str, Any] = {role: np.repeat(column, times) for role, column in columns.items()}
        return Labels._of_columns(**repeated, **named)
    case, label = columns["case"], columns["label"]
    row = identifiers.lookup(cases, identifiers.number("case", case).ids)[identifiers.number("case", case).code]
    names, column = class_axis(
        "label", identifiers.number("label", label), how.classes, lambda i: f"case {identifiers.name(case[i])}", how.merge_names
    )
    if "count" in columns:
        check_once(row, column, cases, names)
    counts = np.zeros((len(cases), len(names)), dtype=np.int64)
    np.add.at(counts, (row, column), columns.get("count", 1))
    return Labels.from_counts(counts, case_ids=cases, classes=names)


def read_frame(frame: Any, how: Reading) -> AnnotationFile:
    """Return the annotations of a data frame in any format; nulls are always missing."""
    table = frame if isinstance(frame, Columns) else Columns.of(frame)
    return read_table(table, how._replace(missing=tuple(dict.fromkeys(("", *how.missing)))))


def _named(roles: Sequence[str]) -> str:
    """Return the argument that names the columns of roles, for messages."""
    return arg("columns", dict.fromkeys(roles, ...))
