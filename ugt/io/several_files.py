"""Annotations in several files, one for each annotator, as one long table."""

from __future__ import annotations

import os
import re
from collections.abc import Mapping, Sequence
from fnmatch import fnmatchcase
from pathlib import Path
from typing import Any, NamedTuple

from .._base.checks import error
from .._base.names import listed
from .._base.wording import arg
from .._tabular.case_columns import beside_case, with_case
from .._tabular.csv_table import CellTable
from .._tabular.foreign import ENDINGS, table_of
from .._tabular.frames import Columns
from .._tabular.role_words import ALIASES, ALSO, DIAGNOSES
from .._tabular.roles import MOST_SHOWN, case_beside, find_roles, is_id, is_number, plain, repeated
from .._tabular.some_columns import Some
from .._tabular.source import Source, file_and_sheet, naming
from .annotation_file import Reading
from .withdrawn import is_status

VALUES = ("label", "value")
FORMATS = ("auto", "long", "wide", "ratings")  # of files of one annotator, which have one row per case: long and wide are the same
NAMES = {
    "case": ALIASES["case"],
    "annotator": ALIASES["annotator"] | ALSO["annotator"],
    "label": ALIASES["label"] | DIAGNOSES,
    "value": ALIASES["value"],
}


def by_annotator(paths: Any) -> dict[str, Any] | None:
    """Return files by the name of their annotator, that of the file if none is given; None for one file."""
    if isinstance(paths, Mapping):
        return {str(name): path for name, path in paths.items()}
    if not isinstance(paths, (list, tuple)):
        return None
    names = names_of_files(paths)
    if (twice := repeated(names)) is not None:
        way = "name the annotators: {'" + f"{twice} 1': path, ..." + "}"
        raise error("files", "have different names, which are those of the annotators", f"{twice!r} twice", way=way)
    return dict(zip(names, paths))


def names_of_files(paths: Sequence[Any]) -> list[str]:
    """Return the name of each file without its ending, or that of its sheet if several sheets of one workbook are given."""
    split = [(Path(file).stem, sheet) for file, sheet in map(file_and_sheet, paths)]
    files = [file for file, _ in split]
    return [sheet if sheet and files.count(file) > 1 else file for file, sheet in split]


def table_of_files(files: Mapping[str, Any], how: Reading) -> tuple[Columns, Reading]:
    """Return the rows of all files as one long table, and the options with the columns of this table."""
    if not files:
        raise error("files", "be at least one", "none")
    if how.format not in FORMATS:
        raise error("format", f"be one of {', '.join(FORMATS)} for files of one annotator each", repr(how.format))
    rows: list[dict[str, str]] = []
    places: list[str] = []
    headings: list[_Heading] = []
    kinds: dict[str, str] = {}
    for name, path in files.items():
        with naming(path):
            table, columns = with_case(table_of(Source(path, how.encoding), None, how.decimal, how.header), _own(how.columns, name))
            ignored = how.ignore_columns
            table = _without(table, ignored.get(name, ()) if isinstance(ignored, Mapping) else ignored)
            found = _roles(table, columns)
            headings.append(_heading(path, table.header, found, any(columns.values())))
            kinds.setdefault(next(role for role in VALUES if role in found), name)
            rows += _rows(table, found, how, name)
            places += [f"{os.path.basename(os.fspath(path))}, {place}" for place, _ in zip(table.places(), range(len(rows) - len(places)))]
    if how.header:
        _check_headings(headings, rows)
    if len(kinds) > 1:
        got = " and ".join(f"a {kind} in {name!r}" for kind, name in kinds.items())
        raise error("files", "have columns of one role (name them: " + arg("columns", {"label": ...}) + ")", got)
    names = list(dict.fromkeys(key for row in rows for key in row))
    made = Columns(names, [[row.get(name, "") for row in rows] for name in names], places)
    how = how._replace(format="long" if how.format == "wide" else how.format, annotator_columns=(), ignore_columns=())
    return made, how._replace(columns={role: role for role in ("case", "annotator", *kinds)})


class _Heading(NamedTuple):
    """The names of the columns of a file by role, and whether one of them was stated or is a usual one: then it is no cell."""

    path: Any
    names: Mapping[str, str]
    known: bool


def _heading(path: Any, header: Sequence[str], roles: Mapping[str, int], stated: bool) -> _Heading:
    names = {role: header[c] for role, c in roles.items()}
    usual = {role: NAMES[role] | ALSO.get(role, set()) for role in names}
    known = any(plain(name) in {"", *usual[role]} for role, name in names.items()) or is_id(names["case"])
    return _Heading(path, names, known or stated)


def _check_headings(headings: Sequence[_Heading], rows: Sequence[Mapping[str, str]]) -> None:
    """Reject a file whose first line looks like a row: its names are cells of any file, or numbers of cases like the others."""
    cells = {role: {row[role] for row in rows if role in row} for role in ("case", *VALUES)}
    numbered = {_numbered(case) for case in cells["case"]} - {""}
    for path, names, known in headings:
        found = [
            name
            for role, name in names.items()
            if name in cells[role] or (_numbered(name) in numbered if role == "case" else is_number(name))
        ]
        if found and not known:
            alone = any(one.known for one in headings) or file_and_sheet(path)[0] != path or Path(path).suffix.lower() in ENDINGS
            way = "if the first line is a row: " + ("write names of columns above it" if alone else arg("header", False))
            way += "; if not, name the columns: " + arg("columns", {"case": ..., "label": ...})
            with naming(path):
                raise error("header", "name the columns", f"names that look like cells: {listed(map(repr, found), MOST_SHOWN)}", way=way)


def _numbered(name: str) -> str:
    """Return the name of a case with 0 for each number, such as ``A0`` for ``A00001``; "" if it has no number."""
    found, n = re.subn("[0-9]+", "0", name)
    return found if n else ""


def _own(columns: Mapping[str, Any], name: str) -> dict[str, Any]:
    """Return the columns of one file: a mapping has a column for each file."""
    found = {role: one.get(name) if isinstance(one, Mapping) else one for role, one in columns.items()}
    return {role: one for role, one in found.items() if one is not None}


def _without(table: CellTable, ignored: Sequence[str]) -> CellTable:
    """Return the table without the ignored columns, by name or pattern, some of which other files may have."""
    keep = [c for c, name in enumerate(table.header) if not any(name == one or fnmatchcase(name, one) for one in ignored)]
    return table if len(keep) == len(table.header) else Some(table, keep)


def _roles(table: CellTable, columns: Mapping[str, Any]) -> dict[str, int]:
    """Return the columns of case and label or value, and of the annotator if the file names several."""
    roles = find_roles(table.header, columns, tuple(NAMES), NAMES)
    case_beside(table.header, roles, "label" if "label" in roles else "value")
    if "case" not in roles:
        roles["case"] = 0
    beside = beside_case(table, roles["case"], [c for c in range(len(table.header)) if c not in table.hidden])
    free = [c for c in beside if c not in roles.values() and not is_status(table.header[c])]
    if not {*VALUES} & roles.keys() and len(free) == 1:
        roles["label"] = free[0]
    stated = [role for role in VALUES if columns.get(role)]
    if not {*VALUES} & roles.keys() or ({*VALUES} <= roles.keys() and len(stated) != 1):
        way = "name it: " + arg("columns", {"label": ...})
        must = "have one column of labels, if each file is of one annotator"
        raise error("file", must, f"the columns {listed(map(repr, table.header), MOST_SHOWN)}", way=way)
    return {role: c for role, c in roles.items() if role not in VALUES or not stated or role in stated}


def _rows(table: CellTable, roles: Mapping[str, int], how: Reading, name: str) -> list[dict[str, str]]:
    """Return the rows of a file: case, annotator, label or value, and the status of work."""
    status = [c for c, one in enumerate(table.header) if is_status(one) and c not in roles.values()]
    columns = {**roles, **{table.header[c]: c for c in status}}
    cells = dict(zip(columns, table.coded(*([c] for c in columns.values()))))
    for role in VALUES:
        if role in cells:
            cells[role] = table.decimals(cells[role], role, how.missing)
    values = {role: [*map([*one.values].__getitem__, one.codes[:, 0].tolist())] for role, one in cells.items()}
    values.setdefault("annotator", [name] * len(values["case"]))
    return [dict(zip(values, row)) for row in zip(*values.values())]
