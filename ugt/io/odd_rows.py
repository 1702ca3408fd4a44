"""Rows of a table that look like headers or sums rather than annotations."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from itertools import islice
from typing import Any

import numpy as np

from .._base.arrays import Array
from .._base.axes import MOST_TEXT, check_shared
from .._base.checks import error
from .._base.identifiers import one_number
from .._base.names import listed, note_alike
from .._base.notes import Note
from .._base.notices import note
from .._base.wording import arg
from .._tabular.cells import Coded
from .._tabular.csv_table import CellTable
from .._tabular.role_words import SUMS
from .._tabular.roles import MOST_SHOWN, index_columns, is_count, is_number, plain, rounded
from ..annotations import Labels, Ratings
from .ticks import ask_ticks, asked_of

SOME_VALUES = 1000  # most classes of a table whose last row is looked at
SOME_LABELS = 50  # labels that are looked at for JSON
JSON_OBJECTS = re.compile(r"\s*(\[\s*)?\{\s*[\"'].*\}(\s*\])?\s*", re.DOTALL)
MANY_ALIKE = 10  # cases of several labels from which labels that never differ are noted
FEW_CASES = 20_000  # most cases whose names are compared, which takes 0.1 s


def check_rows(table: CellTable, groups: Sequence[tuple[Coded, Sequence[int]]]) -> None:
    """Reject a repeated header, as in files that were joined one below the other; note cases whose names look alike."""
    case = groups[0][0]
    rows: Any = np.arange(len(case.codes))
    for cells, columns in sorted(groups, key=lambda one: len(one[0].values)):  # columns with few values first, as they decide most tables
        for at, c in enumerate(columns):
            if len(rows) and table.header[c] in cells.values:
                rows = np.intersect1d(rows, np.flatnonzero(cells.codes[:, at] == cells.values.index(table.header[c])))
            else:
                rows = ()
                break
    own = [(cells, at, table.header[c]) for cells, columns in groups for at, c in enumerate(columns)]
    if len(own) > 1 and all(_holds(cells, at, name) for cells, at, name in own) and len(rows) == 0:
        got = f"{own[0][2]!r} and {own[1][2]!r}, which are also cells of their columns"
        way = "if the first line is a row: " + arg("header", False)
        raise error("header", "name the columns", got, way=way)
    if len(rows) > 0:
        raise error("rows", "not repeat the header (remove the repeated one)", "the header again", table.place(int(rows[0])))
    if len(case.values) <= FEW_CASES:
        if found := rounded(case.values):
            words = (
                "Case ids such as {id!r} look like numbers that a spreadsheet rounded: different cases may have one id (save the ids as "
                "text)."
            )
            note(Note("rounded_ids", words, id=found))
        note_alike("cases", np.array(case.values), way="write them alike")


def check_cross_table(rows: Sequence[str], header: Sequence[str], values: Sequence[str]) -> None:
    """Reject the numbers of cases for each pair of labels of two annotators: rows and columns have the same names, but for sums."""
    named, classes = ({name for name in names if plain(name) not in SUMS} for names in (rows, header))
    if len(classes) > 1 and named == classes and all(is_number(value or "0") for value in values):
        got = f"rows and columns of the same names, {listed(map(repr, header), MOST_SHOWN)}: a cross table of two annotators"
        way = "write a row for each case and a column for each annotator; in Python, repeat each pair of labels by numpy.repeat"
        raise error("table", "have one row per case", got, way=way)


def check_total(table: CellTable, roles: Mapping[str, int], columns: Mapping[str, object]) -> None:
    """Reject counts that are the sums of other columns beside one label for each case: they count all labels of the case.

    ``columns``: those that were stated. A stated column of counts is not doubted.
    """
    used = {*roles.values(), *table.hidden, *index_columns(table.header)}
    free = [c for c in range(len(table.header)) if c not in used]
    if "count" not in roles or "annotator" in roles or columns.get("count") or len(free) < 2:
        return
    of_case, of_total = (roles[role] for role in ("case", "count"))
    case, total, *others = table.coded([of_case], [of_total], *([c] for c in free))
    if len(case.values) < len(case.codes):
        return
    parts = _parts(_counted(total), [_counted(one) for one in others])
    if parts:
        names = [table.header[free[i]] for i in parts]
        way = arg("format", "counts") + ", " + arg("annotator_columns", names)
        way += ", without " + arg("columns", {"label": ...}) if columns.get("label") else ""
        got = f"the sums of {listed(map(repr, names))} in {table.header[of_total]!r}, and one row for each case"
        raise error("count", "count the annotators who gave the label of the row", got, way="if these columns are counts: " + way)


def _counted(cells: Coded) -> Array | None:
    """Return a column as numbers; None if a cell is no count."""
    whole = [*map(one_number, cells.values)]
    return np.array([*map(float, whole)])[cells.codes[:, 0]] if all(map(is_count, whole)) else None


def _parts(total: Array | None, others: Sequence[Array | None]) -> range:
    """Return which adjacent columns of counts, of several, add up to the total in each row; an empty range if none do."""
    if total is None:
        return range(0)
    for begin in range(len(others)):
        left = total
        for end, one in enumerate(others[begin:], begin + 1):
            if one is None:
                break
            left = left - one
            if end > begin + 1 and not left.any():
                return range(begin, end)
    return range(0)


def check_classes(cells: Coded, missing: Sequence[str], classes: object, ticks: str) -> None:
    """Reject labels that no two annotators can share: JSON, lists of ticks, and free text, whose labels differ."""
    if classes is not None:
        return
    given = [value for value in islice(cells.values, SOME_LABELS) if value not in missing]
    objects = [value for value in given if JSON_OBJECTS.fullmatch(value)]
    if objects and 2 * len(objects) > len(given):
        must = "be names of classes, not JSON (write the field that holds the class into a column of its own)"
        raise error("label", must, repr(objects[0][:MOST_TEXT]))
    if ticks == "ask" and (several := asked_of(given)) is not None:
        raise ask_ticks(repr(several[:MOST_TEXT]))
    way = "for numbers on a scale: " + arg("scale", "real") if all(map(is_number, given)) else ""
    check_shared("label", len(cells.values), int(cells.codes.size), given[0] if given else "", way)


def note_constant(given: Labels | Ratings) -> None:
    """Note labels that never differ within a case, though they differ between cases: they may be a property of the case."""
    several = np.diff(given.offsets) > 1
    if len(given.annotators) == 0 or several.sum() < MANY_ALIKE:
        return
    values: Any = given.label if isinstance(given, Labels) else given.value
    rows = np.repeat(several, np.diff(given.offsets))
    starts = given.offsets[:-1][several]
    first = np.repeat(values[starts], np.diff(given.offsets)[several])
    if (values[rows] == first).all() and len(np.unique(values[starts])) > 1:
        words = (
            "No label differs within its case, though labels differ between these {n:,} cases (if the labels are a property of the case, "
        )
        note(Note("constant_labels", words + "name the column of the annotators' labels).", n=int(several.sum())))


def _holds(cells: Coded, at: int, name: str) -> bool:
    """Return whether a column holds its own name."""
    return name in cells.values and bool((cells.codes[:, at] == cells.values.index(name)).any())


def _numbers_last(cells: Coded, missing: Sequence[str]) -> bool:
    """Return whether the last row has numbers only, and four of five filled cells have none, such as a row of kappas."""
    if len(cells.values) > SOME_VALUES:
        return False
    number = np.array([value not in missing and is_number(value.rstrip("% ")) for value in cells.values], bool)
    filled = ~np.array([value in missing for value in cells.values], bool)[cells.codes]
    return bool(number[cells.codes[-1]].all() and 5 * number[cells.codes].sum() <= filled.sum())


def note_rows(case: Coded, alone: bool, cells: Coded | None = None, missing: Sequence[str] = ()) -> None:
    """Note a first row that looks like a second header and a last row that looks like a sum, or like statistics of the ``cells``."""
    last = case.values[int(case.codes[-1, 0])]
    if plain(last) in SUMS:
        words = "Read the last row, {row!r}, like the others (if it is a sum of the others, remove it from the file)."
        note(Note("odd_last_row", words, row=last))
    elif cells is not None and _numbers_last(cells, missing):
        words = "Read the last row, {row!r}, like the others, though it has numbers (if it is no case, remove it from the file)."
        note(Note("odd_last_row", words, row=last))
    if alone:
        words = "Read the row below the header like the others, though it shares no value with them (if it is a second header, remove it)."
        note(Note("odd_first_row", words))
