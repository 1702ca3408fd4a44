"""Columns that identify a case only together, such as the patient and the lesion."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from itertools import combinations
from typing import Any

import numpy as np

from .._base import identifiers
from .._base.arrays import Array, Int32
from .._base.checks import error
from .._base.identifiers import INTEGER
from .._base.names import listed
from .._base.notes import Note
from .._base.notices import note
from .._base.wording import Either, Text, arg
from .annotator_columns import stem_of
from .cells import Coded
from .csv_table import CellTable
from .role_words import ALIASES, ALSO, FACTORS, OTHERS, TIMES
from .roles import COUNT_HEADER, MOST_SHOWN, RESTORE, columns_beside, find_roles, index_columns, is_id, is_number, plain, rounded
from .windows import typed

REMARKS = (OTHERS | TIMES) - FACTORS  # they may differ between two readings of one case
BETWEEN = " × "  # the values of several columns of one case
MOST_SEARCHED = 50  # columns in which ids are looked for
MOST_TOGETHER = 2  # columns that are tried as further parts of the case


class OfParts(CellTable):
    """A table whose case is in several columns: their values together are one more column, and they have no other role."""

    def __init__(self, table: CellTable, parts: Sequence[int]) -> None:
        self._table, self._parts, self._own = table, list(parts), len(table.header)
        self.header = [*table.header, BETWEEN.join(table.header[c] for c in parts)]
        self.decimal, self.semicolons, self.of_numbers = table.decimal, table.semicolons, table.of_numbers
        self.hidden = frozenset(parts)

    def coded(self, *groups: Sequence[int]) -> list[Coded]:
        self._table.decimal = self.decimal
        asked = [one for group in groups for one in ([[c] for c in self._parts] if list(group) == [self._own] else [group])]
        found = iter(self._table.coded(*asked))
        return [self._together([next(found) for _ in self._parts]) if list(group) == [self._own] else next(found) for group in groups]

    @staticmethod
    def _together(parts: Sequence[Coded]) -> Coded:
        code, first = identifiers.factorize(np.column_stack([one.codes[:, 0] for one in parts]))
        rows = ([one.values[one.codes[row, 0]] for one in parts] for row in first.tolist())
        return Coded(["" if "" in cells else BETWEEN.join(cells) for cells in rows], code[:, None])

    def numbers(self, columns: Sequence[int]) -> Array:
        self._table.decimal = self.decimal
        return self._table.numbers(columns)

    def categories(self, columns: Sequence[int]) -> Any:
        return self._table.categories(columns)

    def place(self, row: int) -> str:
        return self._table.place(row)

    def places(self) -> Iterator[str]:
        return self._table.places()

    def sources(self) -> Mapping[str, Sequence[int]]:
        return {role: [p for c in columns for p in (self._parts if c == self._own else [c])] for role, columns in self.used.items()}


def with_case(table: CellTable, columns: Mapping[str, Any]) -> tuple[CellTable, Mapping[str, str | None]]:
    """Return the table and the columns by role, with one column for a case that several columns identify."""
    case = columns.get("case")
    if case is None or isinstance(case, str):
        return table, columns
    absent = [name for name in case if name not in table.header]
    if absent:
        raise error("case column", f"be among the columns {listed(table.header, MOST_SHOWN)}", repr(absent[0]))
    if len(case) < 2:
        return table, {**columns, "case": case[0] if case else ""}
    joined = OfParts(table, [table.header.index(name) for name in case])
    return joined, {**columns, "case": joined.header[-1]}


def check_first(table: CellTable, first: int, names: Sequence[str]) -> None:
    """Reject a table whose first column is called like the others, such as ``R1, R2, R3``, so that none names the case."""
    own = table.header[first]
    stems = {stem_of(name) for name in names}
    alike = len(names) > 1 and ((len(stems) == 1 and "" not in stems) or all(map(COUNT_HEADER.fullmatch, names)))
    if alike and plain(stem_of(own)) not in ALIASES["case"] | ALSO["case"]:
        way = "if there is none: " + arg("columns", {"case": ""})
        raise error("case column", "be given for a table whose columns are all called alike", listed(map(repr, names), MOST_SHOWN), way=way)


def beside_case(table: CellTable, case: int | None, free: Sequence[int], of_file: bool = False) -> list[int]:
    """Return the ``free`` columns beside the case, without those that are called like an index, which a note names.

    If such a column is the case for want of a known name, reject it beside a column of other texts in each row, which may be ids.
    ``of_file``: whether a file beside the annotations is read, whose columns are stated by other arguments.
    """
    if case is None:
        return [*free]
    beside = {*columns_beside(table.header, case)}
    others = sorted(beside & {*free})
    gone = [_called(table.header[c]) for c in free if c not in beside and c != case]
    if case in index_columns(table.header):
        _check_index(table, case, others, of_file)
    elif gone:
        words = "Left out {columns}: {case!r} names the cases."
        note(Note("row_numbers", words, columns=listed(gone), case=table.header[case]))
    return others


def _called(name: str) -> str:
    return repr(name) if name else "the column without a name"


def _check_index(table: CellTable, case: int, others: Sequence[int], of_file: bool) -> None:
    ids = [table.header[c] for c in _texts_of_rows(table, case, others)]
    if ids:
        own = _called(table.header[case])
        line = Text(Either(f"={ids[0]!r}", " " + typed([f"FILE={ids[0]}"]) + ", with the name of this file"))
        way = arg("case_column") + line if of_file else arg("columns", {"case": ids[0]})
        got = f"{own} with whole numbers, and {listed(map(repr, ids))} with another text in each row"
        must = "be given for a table whose first column may only number its rows"
        raise error("case column", must, got, way=way + f"; if {own} names the cases, call it 'case'")


def _texts_of_rows(table: CellTable, case: int, others: Sequence[int]) -> list[int]:
    """Return the columns that have another text in each row, which no other column has, if the column of the case has whole numbers."""
    among = [c for c in others if plain(table.header[c]) not in REMARKS][:MOST_SEARCHED]
    if len(table.header) - len(table.hidden) < 3 or not among:  # what is beside the case is labels
        return []
    own, *cells = table.coded([case], *([c] for c in among))
    if not all(map(INTEGER.fullmatch, own.values)):
        return []
    times = Counter(value for one in cells for value in one.values)
    return [c for c, one in zip(among, cells) if _are_ids(one, times)]


def _are_ids(cells: Coded, times: Mapping[str, int]) -> bool:
    """Return whether a column has another text in each row, which no other column has."""
    rows = len(cells.codes)
    return len(cells.values) == rows > 1 and not any(times[value] > 1 or not value or is_number(value) for value in cells.values)


def check_case(table: CellTable, key: Sequence[int], wide: Sequence[int] | None = None, roles: Sequence[str] = ()) -> None:
    """Reject a column of cases, the first of ``key``, if another one with the name of an id or a factor differs within cases.

    ``wide``: the columns beside the case in tables with one row per case: only if no two rows are alike in both. If no two of these
    columns are left, rows may be annotations instead.
    """
    case = table.header[key[0]]
    among = [c for c, name in enumerate(table.header) if c not in key and c not in table.hidden and is_part(name)]
    others, row = _apart(table, key, among, alone=wide is not None)
    if others:
        names = [table.header[c] for c in others]
        way = _together(table, names, key)
        if wide is None:
            way += f"; if {case!r} alone identifies a case: " + arg("columns", {"case": case})
        elif len(set(wide) - set(others)) == 1 and len(wide) > 1:
            way += "; " + _by_rows(table, [case], roles)
        within = "a case and annotator" if len(key) > 1 else "a case"
        got = f"{case!r}, which repeats {within} in rows that differ by {listed(map(repr, names))}"
        raise error("case column", "identify a case", got, table.place(row), way=way)


def is_part(name: str) -> bool:
    """Return whether a column may be a part of the case: an id, or what is judged with the case, such as the system or the criterion."""
    return is_id(name) or plain(name) in FACTORS


def way_out(table: CellTable, key: Sequence[int], equal: bool) -> str:
    """Return what to do with several rows of one ``key`` (case, annotator) if they differ by another column; else "".

    Columns of ids may; of rows that are ``equal`` in case, annotator and label, so may all columns with few values. A column that
    belongs to the label, such as its number, is no part of the case.
    """
    free = [c for c in range(len(table.header)) if c not in {c for used in table.used.values() for c in used} | table.hidden]
    others, _ = _apart(table, key, [c for c in free if is_part(table.header[c])])
    if equal and not others:
        free = [c for c in free if plain(table.header[c]) not in REMARKS and not _of_label(table, c)]
        others, _ = _apart(table, key, free, few=True)
    names = [table.header[c] for c in others]
    if not names and rounded(table.coded(key[:1])[0].values):
        return RESTORE
    if not names or not _once(table, [*key, *others]):
        return ""
    return f"if cases differ by {listed(map(repr, names))}, " + _together(table, names)


def way_of_wide(table: CellTable, others: Sequence[int], roles: Sequence[str]) -> str:
    """Return what to do with a table with one row per case whose case repeats: the columns that identify it together, or another form."""
    (first,) = table.used["case"]
    parts = [c for c in range(len(table.header)) if c != first and c not in table.hidden and is_part(table.header[c])]
    together = [more for n in range(MOST_TOGETHER + 1) for more in combinations(parts, n)]
    for more in together[1:]:
        if _once(table, [first, *more]) and set(others) - set(more):
            return _together(table, [table.header[c] for c in more])
    free = [c for c in range(len(table.header)) if c != first and c not in table.hidden]  # also those beside chosen annotators
    for more in together:
        if any(_once(table, [first, *more, c]) for c in free if c not in more) and len(set(free) - set(more)) > 1:
            return _by_rows(table, [*_case(table), *(table.header[c] for c in more)], roles)
    if any(plain(table.header[c]) in ALSO["annotator"] for c in others) and len(others) > 1:
        return _by_rows(table, _case(table), roles)
    own, cells = table.coded([first], list(others))
    shared = len({*own.values} & {*cells.values})
    return "if there is no column for the case: " + arg("columns", {"case": ""}) if 2 * shared > len(own.values) else ""


def _by_rows(table: CellTable, case: Sequence[str], roles: Sequence[str]) -> str:
    """Return what to do with a table whose rows are annotations; several columns of a case are named."""
    asked: dict[str, object] = {"case": case if len(case) > 1 else ..., "annotator": ..., "label": ...}
    found = find_roles(table.header, {}, roles)
    asked = {role: value for role, value in asked.items() if role not in found or (role == "case" and len(case) > 1)}
    names = f"name its columns among {listed(table.header, MOST_SHOWN)}: "
    return "if each row is one annotation, " + (names + arg("columns", asked) if asked else "leave out " + arg("format", ...))


def _once(table: CellTable, key: Sequence[int]) -> bool:
    """Return whether no two rows are equal in the columns of a key."""
    codes = np.column_stack([cells.codes[:, 0] for cells in table.coded(*([c] for c in key))])
    return len(identifiers.factorize(codes)[1]) == len(codes)


def _of_label(table: CellTable, c: int) -> bool:
    """Return whether a column has one value for each label and one label for each value."""
    label = table.used.get("label", ())
    if not label:
        return False
    one, other = (cells.codes[:, 0] for cells in table.coded([c], list(label)))
    both = len(identifiers.factorize(np.column_stack([one, other]))[1])
    return both == int(one.max()) + 1 == int(other.max()) + 1


def _case(table: CellTable, key: Sequence[int] = ()) -> list[str]:
    """Return the columns of the file that name the case, the first of ``key`` if the roles are not known yet."""
    return [table.header[c] for c in table.sources().get("case", key[:1])]


def _together(table: CellTable, names: Sequence[str], key: Sequence[int] = ()) -> str:
    return arg("columns", {"case": [*_case(table, key), *names]})


def _apart(table: CellTable, key: Sequence[int], among: Sequence[int], few: bool = False, alone: bool = False) -> tuple[list[int], int]:
    """Return the columns that differ in at least half of the groups of rows that share a ``key``, and the first row that repeats one.

    ``few``: only columns whose values occur twice on average, so that they are not numbers or times of rows. ``alone``: only
    columns that differ in all rows that share a key.
    """
    if not among:
        return [], 0
    cells = table.coded(*([c] for c in (*key, *among)))
    shared, others = cells[: len(key)], cells[len(key) :]
    code, first = identifiers.factorize(np.column_stack([one.codes for one in shared]))
    several = np.bincount(code, minlength=len(first)) > 1
    if not several.any():
        return [], 0

    def differ(columns: Sequence[int]) -> bool:
        of: Int32 = code[identifiers.factorize(np.column_stack([code, *(others[i].codes for i in columns)]))[1]]
        if alone and len(of) < len(code):
            return False
        return bool((np.bincount(of, minlength=len(first)) > 1)[several].mean() >= 0.5)

    every = [i for i, cells in enumerate(others) if not few or 2 * len(cells.values) <= len(code)]
    found = next((columns for columns in (*([i] for i in every), every) if columns and differ(columns)), [])
    return [among[i] for i in found], identifiers.repeated(code, first)
