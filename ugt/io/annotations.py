"""Tables of annotations (long, wide or counts) as Labels, Rankings or Ratings."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import replace
from functools import partial
from typing import Any

import numpy as np

from .._base import identifiers
from .._base.arrays import Bools, NDArray
from .._base.axes import class_axis
from .._base.checks import error, room
from .._base.identifiers import one_number
from .._base.names import listed
from .._base.notes import Note
from .._base.notices import note
from .._base.ragged import sizes_of
from .._base.wording import NO_RANK, arg
from .._tabular.annotator_columns import check_annotators, check_boxes, check_crossed, check_questions, check_readings, note_names
from .._tabular.case_columns import check_case, way_out
from .._tabular.cells import Coded, first_alone
from .._tabular.csv_table import CellTable, number_shown
from .._tabular.frames import Columns, check_once, labels_column, long_rows
from .._tabular.roles import (
    ALIASES,
    ALSO,
    MOST_SHOWN,
    as_labels,
    as_names,
    case_column,
    classes_of,
    columns_called,
    find_roles,
    is_number,
    orientation,
    places_of,
    refuse_commas,
    roles_of,
    wide_or_counts,
)
from ..annotations import Labels, Rankings, Ratings
from .annotation_file import MOST_REPEATED, ROLES, AnnotationFile, Reading
from .odd_rows import check_rows, note_rows
from .repeats import Way, no_way, once, once_rows

LABELS_READ = "Read labels, one for each case and annotator: their confidence is not used (for rankings of one class: "
LABELS_READ += arg("format", "rankings") + ")."
ONE_CLASS_RANKED = "Read rankings of one class each, so that the confidence has no effect (to read labels: "
ONE_CLASS_RANKED += arg("columns", {"confidence": ""}) + ")."
OF_WIDE_CELL = 40  # least number of bytes per cell while it becomes an annotation


def read_table(table: CellTable, how: Reading) -> AnnotationFile:
    read = _read_table(table, how)
    columns, unused = roles_of(table.header, table.used)
    return replace(read, columns=columns, unused=unused)


def _read_table(table: CellTable, how: Reading) -> AnnotationFile:
    format = how.format
    table.decimal = how.decimal
    chosen = columns_called(table.header, "annotator_columns", how.annotator_columns)
    ignored = columns_called(table.header, "ignore_columns", how.ignore_columns)
    if chosen and format in ("counts", "transposed", "long", "rankings"):
        must = "be given for a table with one row per case and one column per annotator"
        raise error("annotator_columns", must, f"format {format!r}")
    if chosen or format in ("counts", "transposed", "wide"):
        return _read_wide(table, chosen, ignored, how)
    places = places_of(table.header)
    if places and format in ("auto", "rankings") and how.columns.keys() <= {"case", "annotator"}:
        return _read_places(table, places, how)
    header = [name for c, name in enumerate(table.header) if c not in ignored]
    roles = {role: table.header.index(header[c]) for role, c in find_roles(header, how.columns, ROLES).items()}
    roles = _without_value(roles, how.columns, format)
    turned = roles.keys() == {"annotator"} and table.header[roles["annotator"]] == header[0] and not how.columns.get("annotator")
    if format in ("auto", "ratings") and (turned or roles.keys() <= {"case"}):  # turned: one row per annotator
        return _read_wide(table, chosen, ignored, how)
    return _read_long(table, _long_roles(table, roles, format), how)


def _read_wide(table: CellTable, chosen: Collection[int], ignored: Collection[int], how: Reading) -> AnnotationFile:
    """Return the annotations of a table with one row per case, or per annotator; ``chosen`` are columns of annotators, if any are named."""
    missing, every = how.missing, "*" in how.annotator_columns
    first, others = _first_and_others(table, chosen, ignored, how)
    header = [table.header[c] for c in others]
    table.used = {"case": [first], "annotator": others}
    case, cells = table.coded([first], others)
    named = table.numbered(case, "case")
    check_rows(table, [(case, [first]), (cells, others)])
    _check_wide(table, named, table.header[first], header if how.format != "counts" and not chosen else [])
    cells = table.decimals(cells, "label", missing)
    told = "columns for the annotators were named" if chosen else "a column for the case was named" if how.columns.get("case") else ""
    if how.format in ("auto", "wide", "ratings") and not every:
        check_questions(header)
        check_crossed(header)
    note_rows(case, 2 * len(cells.values) <= cells.codes.size and first_alone(cells, missing), cells, missing)
    format, notes = _wide_kind(table.header[first], header, case.values, cells.values, how, told)
    if format in ("wide", "ratings") and not every:
        check_readings(header)
    if format != "transposed" and not chosen:
        check_annotators(header, cells, missing, format, how.merge_names)
    if format == "counts":
        table.used = {"case": [first], "class": others}
        return counts_file(named.ids, as_names(classes_of(header)), table.converted(cells, "count"), how)
    how = _with_declared(table, others, how)
    if format == "transposed":
        note_names(case.values)
        table.used = {"annotator": [first], "case": others}
        cells = Coded(cells.values, np.ascontiguousarray(cells.codes.T))
        return wide_file(as_names(header), named.ids, cells, how, notes, "transposed")
    if format == "ratings":
        _check_numbers(table, cells, others, missing)
    return wide_file(named.ids, as_names(header), cells, how, notes, format)


def _first_and_others(table: CellTable, chosen: Collection[int], ignored: Collection[int], how: Reading) -> tuple[int, list[int]]:
    """Return the column that names the rows of a wide table, and those of its cells."""
    told = find_roles(table.header, {role: name for role, name in how.columns.items() if name or role != "case"}, ["case"], {})
    read = [c for c in range(len(table.header)) if c not in ignored] or [0]
    first = told.get("case", read[case_column([table.header[c] for c in read])])
    others = [c for c in (sorted(chosen) or range(len(table.header))) if c != first and c not in ignored]
    if not others:
        raise error("table", "have columns for annotators or classes next to the case", listed(map(repr, table.header), MOST_SHOWN))
    return first, others


def _with_declared(table: CellTable, columns: Sequence[int], how: Reading) -> Reading:
    """Return the options with the classes that columns declare, unless some were given.

    The classes are without their order if it is not wanted, and grades that were asked for if it is.
    """
    found = table.categories(columns) if how.classes is None else None
    kind: Any = identifiers.Grades if how.ordered and isinstance(found, identifiers.Grades) else list
    return how if found is None else how._replace(classes=found if how.ordered is None else kind(found))


def _has_rankings(table: CellTable, c: int) -> bool:
    """Return whether at least half of the filled cells of a column have the sign between two places of a ranking."""
    (cells,) = table.coded([c])
    values = [cells.values[code] for code in cells.codes[:, 0].tolist() if cells.values[code].strip()]
    return 2 * sum(">" in value for value in values) > len(values)


def _named(roles: Sequence[str]) -> str:
    """Return the argument that names the columns of roles, for messages."""
    return arg("columns", dict.fromkeys(roles, ...))


def _check_wide(table: CellTable, case: identifiers.Column, name: str, annotators: list[str]) -> None:
    """Reject columns without names, tick boxes instead of annotators, and cases with several rows."""
    if "" in annotators:
        way = "leave out columns by " + arg("ignore_columns") + ", or remove lines above the header, such as a title"
        raise error("columns", "have names", f"a blank one among {listed(map(repr, table.header), MOST_SHOWN)}", way=way)
    check_boxes(annotators)
    if len(case.ids) < len(case.code):
        check_case(table, table.used["case"], alone=True)
        found = find_roles(table.header, {}, ROLES)
        absent = [role for role in ("case", "annotator", "label") if role not in found]
        names = f"name its columns among {listed(table.header, MOST_SHOWN)}: "
        way = "if each row is one annotation, " + (names + _named(absent) if absent else "leave out " + arg("format", ...))
        table.check_once(case, f"occur once in the column {name!r}", way)


def _without_value(roles: dict[str, int], columns: Mapping[str, str | None], format: str) -> dict[str, int]:
    """Return the roles of the columns with either values or labels: values if named, alone, or if ratings are asked for."""
    if format == "ratings" and "value" not in roles and "label" in roles:
        return {"value" if role == "label" else role: c for role, c in roles.items()}
    extra = "label" if columns.get("value") else "value"
    return {role: c for role, c in roles.items() if role != extra or not {"label", "value"} <= roles.keys()}


def _wide_kind(
    first: str, header: list[str], rows: Sequence[str], values: Sequence[str], how: Reading, told: str
) -> tuple[str, list[Note]]:
    """Return the format of a wide table (wide, transposed, counts or ratings) and notes on it."""
    format = "wide" if how.format == "auto" and how.annotator_columns else how.format
    if format in ("counts", "transposed"):
        return format, []
    way, reason = ("wide", told) if told else orientation(first, header, rows)
    if format in ("wide", "ratings"):
        if way == "transposed":
            must = f"be 'transposed' for a table with one row per annotator (name the case column if it is {first!r})"
            raise error("format", must, f"{format!r} ({reason})")
        return format, []
    found = wide_or_counts(header, values, how.missing, way == "transposed")
    if found == "counts":
        return found, []
    if way == "" and len(rows) < len(header):
        must = "be 'wide' (one row per case) or 'transposed' (one row per annotator) for a table with more columns than rows"
        raise error("format", must, f"'auto', {len(rows)} rows, {len(header)} columns, and names that show neither")
    way, reason = way or "wide", reason or "it has at least as many rows as columns"
    row, column = ("an annotator", "a case") if way == "transposed" else ("a case", "an annotator")
    words = "Read each row as {row} and each column as {column}: {reason}."
    return way, [Note("orientation", words, row=row, column=column, reason=reason)]


def _long_roles(table: CellTable, roles: dict[str, int], format: str) -> dict[str, int]:
    """Return the columns of a long table that are read; reject a table with missing or contradicting columns."""
    order = [role for role in ("rank", "confidence", "ranking", "count", "value") if role in roles]
    if len(order) > 1:
        others = _named(order[1:]).replace("...", repr(""))
        must = f"have one of the columns rank, confidence, ranking, count (to ignore the others: {others})"
        raise error("long table", must, " and ".join(order))
    if format == "rankings" and order in ([], ["count"], ["value"]):
        raise error("rankings", "have a column rank, confidence or ranking", f"the columns {listed(table.header, MOST_SHOWN)}")
    needed = ["case", *(["annotator"] if order != ["count"] or "annotator" in roles else [])]
    needed += order if order in (["ranking"], ["value"]) else ["label", *order]
    absent = [role for role in needed if role not in roles]
    if "label" in absent:
        check_boxes(table.header)
    if absent:
        ranked = [name for c, name in enumerate(table.header) if c not in roles.values() and _has_rankings(table, c)]
        hint = f"; {ranked[0]!r} looks like rankings: " + _named(["ranking"]) if ranked and "label" in absent else ""
        way = "name them: " + _named(absent) + "; or give another format as " + arg("format", ...) + hint
        got = f"no {' and no '.join(absent)} among {listed(table.header, MOST_SHOWN)}"
        raise error("long table", f"have columns for {', '.join(needed)}", got, way=way)
    return {role: roles[role] for role in needed}


def _read_long(table: CellTable, roles: dict[str, int], how: Reading) -> AnnotationFile:
    """Return the annotations of a table with one row per annotation. A row with a missing cell is left out, but its case is kept."""
    found: dict[str, int] = {}
    how = _with_declared(table, [roles["label"]], how) if "label" in roles else how
    classes, missing, merge = how.classes, how.missing, how.merge_names
    groups = [[c] for c in roles.values()]
    cells = dict(zip(roles, table.coded(*groups)))
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
    if cells.keys() == {"case", "annotator", "label"}:
        rows = long_rows(table, cells.pop("case"), cells.pop("annotator"), keep, merge)
        label = labels_column(cells.pop("label"), keep, missing, classes, table)
        cells.clear()
        return AnnotationFile(once(Labels._of_rows(rows, label, classes, merge), how.duplicates, way), "long", found)
    case = table.numbered(cells["case"], "case")
    notes = cells["value"].suspicious(missing) if "value" in cells else ()
    annotations = _from_long({"case": case.ids[case.code][keep], **_kept(table, cells, keep, how)}, how, case.ids, way)
    if "confidence" in cells and isinstance(annotations, Rankings) and (sizes_of(annotations.ranking_offsets) == 1).all():
        note(Note("confidence_not_used", ONE_CLASS_RANKED))
    return AnnotationFile(annotations, "rankings" if isinstance(annotations, Rankings) else "long", found, {}, notes)


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
    check_once(row, column, cases, names)
    counts = np.zeros((len(cases), len(names)), dtype=np.int64)
    counts[row, column] = columns["count"]
    return Labels.from_counts(counts, case_ids=cases, classes=names)


def wide_file(
    case_ids: Any, annotators: Any, cells: Coded, how: Reading, notes: Sequence[Note] = (), format: str = "wide"
) -> AnnotationFile:
    """Return the labels or ratings of a table with one row per case and one column per annotator."""
    room("the table", OF_WIDE_CELL * cells.codes.size)
    found: dict[str, int] = {}
    classes, missing = how.classes, how.missing
    absent = cells.missing(missing, found)
    given = [value for value in cells.values if value not in missing]
    if format == "ratings":
        notes = (*notes, *cells.suspicious(missing))
        return AnnotationFile(
            Ratings.from_wide(_numbers(cells, absent), case_ids=case_ids, annotators=annotators, missing=(None,)), format, found, {}, notes
        )
    refuse_commas("label", given)
    table = as_labels(cells.values, missing, classes)[cells.codes].astype(object)
    table[absent] = None
    labels = Labels.from_wide(table, classes=classes, case_ids=case_ids, annotators=annotators, merge_names=how.merge_names)
    return AnnotationFile(labels, format, found, {}, tuple(notes))


def _check_numbers(table: CellTable, cells: Coded, columns: Sequence[int], missing: Sequence[str]) -> None:
    for code, value in enumerate(cells.values):
        if value not in missing and not is_number(value):
            row = cells.first(code)
            at = f"{table.place(row)}, column {table.header[columns[int(np.argmax(cells.codes[row] == code))]]!r}"
            raise error("cell", "be a number", number_shown(value), at)


def _numbers(cells: Coded, absent: Bools) -> NDArray[Any]:
    """Return cells of a wide table as numbers, missing ones as None; text remains, for the reader of ratings to reject by its place."""
    numbers = np.array([float(value) if is_number(value) else value for value in cells.values], object)[cells.codes]
    numbers[absent] = None
    return numbers


def counts_file(case_ids: Any, columns: Any, counts: NDArray[Any], how: Reading) -> AnnotationFile:
    """Return the labels of a table with one row per case and one column per class, for all or some of the classes that were given."""
    classes = how.classes
    if columns is not None and np.ndim(counts) == 2:
        columns = identifiers.number("classes", identifiers.distinct("classes", columns))
        names = columns.ids if classes is None and not how.merge_names else classes
        classes, position = class_axis("classes", columns, names, "column {}".format, how.merge_names)
        narrow, counts = counts, np.zeros((len(counts), len(classes)), dtype=counts.dtype)
        counts[:, position] = narrow
        for again in np.setdiff1d(np.arange(len(position)), identifiers.factorize(position)[1]):  # joined classes
            counts[:, position[again]] = narrow[:, position == position[again]].sum(axis=1)
    return AnnotationFile(Labels.from_counts(counts, case_ids=case_ids, classes=classes), "counts", {})


def read_frame(frame: Any, how: Reading) -> AnnotationFile:
    """Return the annotations of a data frame in any format; nulls are always missing."""
    table = frame if isinstance(frame, Columns) else Columns.of(frame)
    return read_table(table, how._replace(missing=tuple(dict.fromkeys(("", *how.missing)))))
