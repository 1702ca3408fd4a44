"""Tables with one row per case (or per annotator): one column per annotator, or per class, as Labels or Ratings."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import replace
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
from .._base.wording import arg
from .._tabular.annotator_columns import (
    check_annotators,
    check_boxes,
    check_crossed,
    check_findings,
    check_questions,
    check_readings,
    note_names,
)
from .._tabular.case_columns import beside_case, check_case, check_first, way_of_wide
from .._tabular.cells import Coded, first_alone
from .._tabular.csv_table import CellTable, number_shown
from .._tabular.roles import (
    MOST_SHOWN,
    as_labels,
    as_names,
    case_column,
    classes_of,
    find_roles,
    is_count,
    is_number,
    orientation,
    refuse_commas,
    wide_or_counts,
)
from .._tabular.surveys import check_form, check_questions_only
from ..annotations import Labels, Ratings
from .annotation_file import ROLES, AnnotationFile, Reading
from .odd_rows import check_classes, check_cross_table, check_rows, note_rows
from .ticks import with_sets
from .withdrawn import withdrawn_rows

OF_WIDE_CELL = 40  # least number of bytes per cell while it becomes an annotation


def read_wide(table: CellTable, chosen: Collection[int], ignored: Collection[int], how: Reading) -> AnnotationFile:
    """Return the annotations of a table with one row per case, or per annotator; ``chosen`` are columns of annotators, if any are named.

    Columns that were named are never doubted.
    """
    missing = how.missing
    if not (chosen or how.columns or how.format == "transposed"):
        check_form(table, ignored, how.format)
    first, others = _first_and_others(table, chosen, ignored, how)
    header = [table.header[c] for c in others]
    key = [] if first is None else [first]
    table.used = {"case": key, "annotator": others}
    (cells, *of_case) = table.coded(others, *[key] * bool(key))
    cells = with_sets(cells, how.ticks)
    rows = np.arange(len(cells.codes))
    named = table.numbered(of_case[0], "case") if of_case else identifiers.Column(rows.astype(np.int32), rows, rows)
    case = of_case[0] if of_case else Coded([*map(str, rows.tolist())], rows[:, None].astype(np.int32))
    check_rows(table, [*([(case, key)] if key else []), (cells, others)])
    if not chosen:
        check_cross_table(case.values, header, cells.values)
    _check_wide(table, named, others, header if how.format != "counts" and not chosen else [], bool(chosen))
    cells = table.decimals(cells, "label", missing)
    told = "columns for the annotators were named" if chosen else "a column for the case was named" if how.columns.get("case") else ""
    told = told or ("there is no column for the case" if first is None else "")
    if how.format in ("auto", "wide", "ratings") and not chosen:
        check_findings(header)
        check_questions(header)
        check_crossed(header)
    note_rows(case, 2 * len(cells.values) <= cells.codes.size and first_alone(cells, missing), cells, missing)
    format, notes = _wide_kind("" if first is None else table.header[first], header, case.values, cells.values, how, told)
    if format in ("wide", "ratings") and not chosen:
        check_readings(header)
    if format != "transposed" and not chosen:
        check_annotators(header, cells, missing, format, how.merge_names)
    ids = None if first is None else named.ids
    if format == "counts":
        table.used = {"case": key, "class": others}
        return counts_file(ids, as_names(classes_of(header)), _counts(table, cells), how)
    how = with_declared(table, others, how)
    if format != "ratings":
        check_classes(cells, missing, how.classes, how.ticks)
    if format == "transposed":
        check_questions_only(header)
        note_names(case.values)
        table.used = {"annotator": key, "case": others}
        dropped: dict[str, int] = {}
        gone = withdrawn_rows(table, {*key, *others}, dropped) if how.withdrawn == "drop" else None
        kept = slice(None) if gone is None else ~gone
        cells = Coded(cells.values, np.ascontiguousarray(cells.codes[kept].T))
        read = wide_file(as_names(header), None if ids is None else ids[named.code][kept], cells, how, notes, "transposed")
        return replace(read, dropped=dropped)
    if format == "ratings":
        _check_numbers(table, cells, others, missing)
    return wide_file(ids, as_names(header), cells, how, notes, format)


def _first_and_others(table: CellTable, chosen: Collection[int], ignored: Collection[int], how: Reading) -> tuple[int | None, list[int]]:
    """Return the column that names the rows of a wide table, None if there is none, and those of its cells."""
    role = "annotator" if how.format == "transposed" and how.columns.get("annotator") else "case"  # the one that rows have
    told = find_roles(table.header, {key: name for key, name in how.columns.items() if name or key != "case"}, [role], {})
    own = {c for c in chosen if table.header[c] in how.annotator_columns}  # named one by one, so that they are no column of the case
    read = [c for c in range(len(table.header)) if c not in ignored and c not in own]
    first = told.get(role)
    if first is None and how.columns.get("case") is None and read:
        first = read[case_column([table.header[c] for c in read])]
        if not chosen and how.format != "transposed":
            check_first(table, first, [table.header[c] for c in read])
    beside = {*own, *beside_case(table, first, read)} - {first, *ignored}
    others = sorted({*chosen} & beside if chosen else beside)
    if not others:
        raise error("table", "have columns for annotators or classes next to the case", listed(map(repr, table.header), MOST_SHOWN))
    return first, others


def _counts(table: CellTable, cells: Coded) -> NDArray[Any]:
    """Return cells as counts; a blank one is 0, with a note, and 8.0 is 8."""
    if "" in cells.values:
        blank = int(np.count_nonzero(cells.codes == cells.values.index("")))
        note(Note("blank_counts", "Read blank cells as counts of 0: {n:,}.", n=blank))
    whole = [found if is_count(found := one_number(value or "0")) else value for value in cells.values]
    return table.converted(Coded(whole, cells.codes), "count")


def with_declared(table: CellTable, columns: Sequence[int], how: Reading) -> Reading:
    """Return the options with the classes that columns declare, unless some were given.

    The classes are without their order if it is not wanted, and grades that were asked for if it is.
    """
    found = table.categories(columns) if how.classes is None else None
    kind: Any = identifiers.Grades if how.ordered and isinstance(found, identifiers.Grades) else list
    return how if found is None else how._replace(classes=found if how.ordered is None else kind(found))


def _check_wide(table: CellTable, case: identifiers.Column, others: Sequence[int], annotators: list[str], chosen: bool) -> None:
    """Reject columns without names, tick boxes instead of annotators, and cases with several rows."""
    if "" in annotators:
        way = "leave out columns by " + arg("ignore_columns") + ", or remove lines above the header, such as a title"
        raise error("columns", "have names", f"a blank one among {listed(map(repr, table.header), MOST_SHOWN)}", way=way)
    check_boxes(annotators)
    if len(case.ids) < len(case.code):
        check_case(table, table.used["case"], others, ROLES)
        name = table.header[table.used["case"][0]]
        way = way_of_wide(table, others, ROLES)
        way += ", and leave out " + arg("annotator_columns") if way and chosen else ""
        table.check_once(case, f"occur once in the column {name!r}", way)


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
