"""The meaning of the columns of a table: roles by usual names, annotators or classes, cases in rows or in columns."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from fnmatch import fnmatchcase
from itertools import takewhile
from typing import Any, Callable

import numpy as np

from .._base.arrays import Int64
from .._base.checks import error
from .._base.identifiers import INTEGER, one_number
from .._base.names import listed, numbers_as_one
from .._base.notes import Note
from .._base.notices import note
from .._base.wording import arg
from .role_words import ALIASES, ALSO, CASES, DIAGNOSES, FINDINGS, LONG, RESPONDENTS, SIDES

MOST_SHOWN = 12  # columns that messages name
DECIMAL_COMMA = re.compile(r"[+-]?[0-9]+,[0-9]+")
DECIMALS = ("auto", ".", ",")
POINT = "save the file with decimal points, or give " + arg("decimal", ",")
IF_THOUSANDS = "if points separate thousands: " + arg("decimal", ",")
THOUSANDS = re.compile(r"[+-]?[1-9][0-9]{0,2}(?:[.,][0-9]{3})+")
GROUPED = re.compile(r"[+-]?[1-9][0-9]{0,2}(?:\.[0-9]{3})+(?:,[0-9]+)?")  # points between thousands, perhaps a decimal comma
ROUNDED = re.compile(r"[0-9](?:[.,][0-9]+)?E\+[0-9]+")
RESTORE = "a spreadsheet rounded the ids: save them as text"
NO_NUMBERS = (
    (re.compile(f"{THOUSANDS.pattern}|{GROUPED.pattern}"), "signs between thousands, which must be removed, or a decimal comma; " + POINT),
    (DECIMAL_COMMA, "a decimal comma; " + POINT),
    (re.compile(r"[+-]?[0-9.,]+\s*%"), "a percentage; write 0.9 for 90%"),
)


# Headers that say whether a column is a class, an annotator or a case: "count_cat"; "rater 2", "reader_A"; "case 7".
COUNT_HEADER = re.compile(r"(?:counts?|n)[ _.:-](.+)", re.IGNORECASE | re.DOTALL)
AMOUNT_HEADER = re.compile(r"(?:n|nb|nr|num|count)_.+|number[ _]of[ _].+", re.IGNORECASE)
RATER_HEADER = re.compile(r"(?:annotator|worker|rater|reader|coder)[ _.:-]?\w+", re.IGNORECASE)
PLACE_HEADER = re.compile(r"rank[ _.:-]?([1-9][0-9]{0,3})", re.IGNORECASE)
_NUMBERED_CASE = "image|img|photo|picture|scan|slide|video|clip|question|q|document|sentence|text"
CASE_HEADER = re.compile(rf"(?:case|task|item|subject|unit)[ _.:-]?\w+|(?:{_NUMBERED_CASE})[ _.:#-]*[0-9]+", re.IGNORECASE)


# Names of columns that number the rows: none, or those that pandas gives to an index.
INDEX_HEADER = re.compile(r"|index|level_0|unnamed: ?[0-9.]+", re.IGNORECASE)


def plain(name: str) -> str:
    """Return the name of a column in lower case and without punctuation."""
    return re.sub("[^a-z0-9]", "", name.lower())


def is_id(name: str) -> bool:
    """Return whether a column has the name of a case, a patient or a part of one; numbers of rows, such as ``record_id``, are none."""
    stem = re.sub("(id|no|nr|number|index)$", "", plain(name))
    return stem not in ("", "record", "instance") and stem in ALIASES["case"] | ALSO["case"] | SIDES | {"patient", "mrn"}


def rounded(cases: Sequence[str]) -> str:
    """Return the first id that a spreadsheet made of a long number, such as ``1.23E+12``; "" if there is none."""
    return next((case for case in cases if ROUNDED.fullmatch(case)), "")


def repeated(names: Sequence[str]) -> str | None:
    """Return the first name that occurs a second time; None if all differ."""
    seen: set[str] = set()
    return next((name for name in names if name in seen or seen.add(name)), None)  # type: ignore[func-returns-value]


def different(name: str) -> tuple[str, str]:
    """Return the two parts of the message (must, got) for a name that occurs twice."""
    if name:
        return "have different names (in one line above all others)", f"{name!r} twice"
    return "have different names (remove lines above the header, such as a title)", "two blank ones"


def find_roles(
    header: list[str], columns: Mapping[str, str | None], wanted: Sequence[str], aliases: Mapping[str, set[str]] = ALIASES
) -> dict[str, int]:
    """Return the column of each role: the one given (no column for ""), else the one with a usual name."""
    for role, name in columns.items():
        if role not in wanted:
            way = "to choose annotators of a wide table: " + arg("annotator_columns") if [*wanted] == ["case"] else ""
            raise error("columns", f"be given only for the roles {', '.join(wanted)}", repr(role), way=way)
        if name and name not in header:
            raise error(f"{role} column", f"be one of the columns {listed(header, MOST_SHOWN)}", repr(name))
    roles = {role: header.index(name) for role, name in columns.items() if name}
    for role in wanted:
        if role not in columns:
            _find_role(header, role, aliases.get(role, set()), roles)
    if "annotator" in roles and "label" in wanted and "label" not in columns and not roles.keys() & set(LONG):
        _find_role(header, "label", DIAGNOSES, roles)
    if roles.keys() & set(LONG):
        for role in ALSO.keys() & set(wanted) - roles.keys() - columns.keys():
            _find_role(header, role, ALSO[role], roles)
    return roles


def _find_role(header: list[str], role: str, names: set[str], roles: dict[str, int]) -> None:
    found = [c for c, name in enumerate(header) if plain(name) in names and c not in roles.values()]
    if len(found) > 1:
        got = " and ".join(repr(header[c]) for c in found)
        raise error(f"{role} column", "be given if several columns may be meant", got)
    if found:
        roles[role] = found[0]


def roles_of(header: Sequence[str], used: Mapping[str, Sequence[int]]) -> tuple[dict[str, tuple[str, ...]], tuple[str, ...]]:
    """Return the names of the columns that were used, by role, and of the other columns."""
    taken = {c for columns in used.values() for c in columns}
    roles = {role: tuple(header[c] for c in columns) for role, columns in used.items() if len(columns)}
    return roles, tuple(name for c, name in enumerate(header) if c not in taken)


def columns_called(header: Sequence[str], argument: str, patterns: Sequence[str]) -> set[int]:
    """Return the columns that match names or patterns (``"reader *"``)."""
    if isinstance(patterns, Mapping):
        raise error(argument, "be names of columns, for one file", repr(dict(patterns)))
    found: set[int] = set()
    for pattern in [patterns] if isinstance(patterns, str) else patterns:
        own = {c for c, name in enumerate(header) if name == pattern} or {c for c, name in enumerate(header) if fnmatchcase(name, pattern)}
        if not own:
            raise error(argument, f"be among the columns {listed(header, MOST_SHOWN)} (or a pattern such as 'reader *')", repr(pattern))
        found |= own
    return found


def case_beside(header: list[str], roles: dict[str, int], other: str) -> None:
    """Add the case to the roles of a table about cases: by a less specific name, or as the only column next to the ``other`` role."""
    if "case" not in roles:
        _find_role(header, "case", ALSO["case"], roles)
    if "case" not in roles and len(header) == 2 and other in roles:
        roles["case"] = 1 - roles[other]


def case_column(header: list[str]) -> int:
    """Return the case column of a table with one row per case: the only one with a name of a case column, else the first.

    Columns that are called like an index at the beginning are the case only if no other column has a known name of cases.
    """
    found = [c for c, name in enumerate(header) if plain(name) in ALIASES["case"]]
    n = len(index_columns(header))
    known = [c for c, name in enumerate(header) if c >= n and plain(name) in CASES - FINDINGS]
    return found[0] if len(found) == 1 else known[0] if n and known else 0


def index_columns(header: Sequence[str]) -> list[int]:
    """Return the columns at the beginning of a table that have no name, or one that pandas gives to an index."""
    return [c for c, _ in enumerate(takewhile(INDEX_HEADER.fullmatch, header))]


def columns_beside(header: Sequence[str], case: int) -> list[int]:
    """Return the columns other than the case, without those that are called like an index unless the case is one of them."""
    index = index_columns(header)
    return [c for c in range(len(header)) if c != case and (case in index or c not in index)]


def places_of(header: list[str]) -> list[int]:
    """Return the columns of the first, second, ... place of a ranking (``rank1``, ``rank_2``); none if a place from 1 on is absent."""
    found = {int(match[1]): c for c, name in enumerate(header) if (match := PLACE_HEADER.fullmatch(name))}
    return [found[place] for place in sorted(found)] if len(found) > 1 and sorted(found) == [*range(1, len(found) + 1)] else []


def classes_of(header: list[str]) -> list[str]:
    """Return the classes of columns of counts: the names without "count_" or "n_" if all begin so."""
    matches = [COUNT_HEADER.fullmatch(name) for name in header]
    return [match[1] for match in matches if match] if all(matches) else header


def wide_or_counts(header: list[str], values: Sequence[str], missing: Sequence[str], transposed: bool = False) -> str:
    """Return "wide" or "counts" for a table with one row per case; reject a table whose header and cells do not decide."""
    if all(map(COUNT_HEADER.fullmatch, header)):
        return "counts"
    if transposed or all(map(RATER_HEADER.fullmatch, header)):
        return "wide"
    labels = [one_number(value) for value in values if value not in missing]
    if all(map(is_count, labels)):
        must = "be 'wide' (one column per annotator) or 'counts' (one column per class) for a table of integers, which may be either"
        raise error("format", must, "'auto'")
    if all(map(is_number, labels)) and not all(map(INTEGER.fullmatch, labels)):
        must = "be 'wide' for a table of decimal numbers, which look like scores rather than labels ('ratings' if they are ratings)"
        raise error("format", must, "'auto'")
    return "wide"


def orientation(first: str, header: list[str], rows: Sequence[str]) -> tuple[str, str]:
    """Return ``("wide" or "transposed", reason)`` of a table of labels by its names; "" if they do not show it. Reject contradictions."""
    upright: list[str] = []
    turned: list[str] = []
    for role, found in (("case", upright), ("annotator", turned)):
        if plain(first) in ALIASES[role] | ALSO[role] or (role == "annotator" and plain(first) in RESPONDENTS):
            found.append(f"the first column is named {first!r}")
    for names, what, rater, case in ((header, "columns", upright, turned), (rows, "rows", turned, upright)):
        for pattern, found in ((RATER_HEADER, rater), (CASE_HEADER, case)):
            if all(map(pattern.fullmatch, names)):
                found.append(f"the {what} are named {names[0]!r}{f' to {names[-1]!r}' if len(names) > 1 else ''}")
    if upright and turned:
        must = "be 'wide' (one row per case) or 'transposed' (one row per annotator) for a table whose names suggest both"
        raise error("format", must, f"'auto' ({upright[0]}, {turned[0]})")
    return ("wide", upright[0]) if upright else ("transposed", turned[0]) if turned else ("", "")


def has_comma(cell: str) -> bool:
    """Return whether a cell is a number with a decimal comma; points may separate its thousands."""
    return "," in cell and (DECIMAL_COMMA.fullmatch(cell) or GROUPED.fullmatch(cell)) is not None


def without_commas(cell: str) -> str:
    """Return a number with a decimal comma as one with a decimal point, and without points between thousands."""
    return cell.replace(".", "").replace(",", ".")


def may_have_commas(cell: str) -> bool:
    """Return whether a cell is a number where commas are decimal signs."""
    return has_comma(cell) or GROUPED.fullmatch(cell) is not None or is_number(cell)


def as_points(
    argument: str, commas: Sequence[str], points: Sequence[str], where: Callable[[str], str], guessed: bool = False
) -> dict[str, str]:
    """Return what numbers with decimal commas, or with points between thousands, are with decimal points; note both.

    ``guessed``: nobody said that commas are decimal signs, so that some of them must have points, too.
    """
    if guessed and points and not any("." in cell for cell in commas):
        way = IF_THOUSANDS if all(map(GROUPED.fullmatch, points)) else ""
        raise error(argument, "have one decimal sign", f"{commas[0]!r} and {points[0]!r}", where(points[0]), way=way)
    check_grouped(argument, points, where)
    if commas:
        note_commas(commas[0])
    return {cell: without_commas(cell) for cell in (*commas, *points)}


def check_grouped(argument: str, points: Sequence[str], where: Callable[[str], str], said: bool = False) -> None:
    """Reject a number whose point may be a decimal sign where commas are; note points between thousands."""
    for cell in points:
        if not GROUPED.fullmatch(cell):
            must = "have decimal commas, and points only between groups of three digits"
            raise error(argument, must, repr(cell), where(cell), way="or leave out " + arg("decimal", ","))
    if points and not said:
        words = "Read points as signs between thousands: {cell!r} is {number}."
        note(Note("decimal_signs", words, cell=points[0], number=without_commas(points[0])))


def note_small(points: Sequence[str]) -> None:
    """Note numbers with points that may separate thousands, though they are read as decimal signs."""
    if points and is_number(points[0]) and all(map(THOUSANDS.fullmatch, points)):
        words = "Read {cell!r} as {number:g}, a number below 1,000 (" + IF_THOUSANDS + ")."
        note(Note("decimal_signs", words, cell=points[0], number=float(points[0])))


def note_commas(cell: str) -> None:
    note(Note("decimal_signs", "Read commas as decimal signs: {cell!r} is {number}.", cell=cell, number=without_commas(cell)))


def refuse_commas(role: str, values: Sequence[str]) -> None:
    """Reject labels that are numbers with decimal commas."""
    commas = [value for value in values if has_comma(value)]
    if commas and all(has_comma(value) or is_number(value) for value in values):
        raise error(role, "be names or whole numbers", f"{commas[0]!r} (a decimal comma; " + POINT + ")")


def is_number(cell: str) -> bool:
    """Return whether a cell is a number; 1_000 is one in programs only."""
    try:
        float(cell)
    except ValueError:
        return False
    return "_" not in cell


def is_count(cell: str) -> bool:
    """Return whether a cell is a whole number of at least 0."""
    return INTEGER.fullmatch(cell) is not None and cell[0] != "-"


def as_names(values: Sequence[str], skip: Sequence[str] = ()) -> Any:
    """Return text as integers if every entry outside of ``skip`` is an integer written the usual way, else as objects.

    (In an array of fixed-width text, each of ten million short ids would take the memory of the longest.)
    """
    found = as_integers(values, skip) if len(values) else None
    return np.array(values, dtype=object) if found is None else found


def as_integers(values: Sequence[str], skip: Sequence[str] = ()) -> Int64 | None:
    """Return text as integers as :func:`as_names` does; None if an entry is no integer."""
    plain = ["0" if value in skip else value for value in values] if skip else values
    return np.fromiter(map(int, plain), np.int64, len(plain)) if all(map(INTEGER.fullmatch, plain)) else None


def as_labels(values: Sequence[str], missing: Sequence[str], classes: Any) -> Any:
    """Return labels as integers if all are whole numbers (equal numbers are one label), unless one is a name among the classes."""
    if classes is not None and np.ndim(classes) and set(values).intersection(name for name in classes if isinstance(name, str)):
        return np.array(values, dtype=object)
    return as_names(numbers_as_one("classes", [*values]), missing)
