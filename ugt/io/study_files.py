"""Files of reader studies: one row per rating of a reader, and the truth of the cases."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from .._base import identifiers
from .._base.arrays import Array, Bools, NDArray
from .._base.checks import error
from .._base.names import listed
from .._base.notices import note
from .._base.records import Record
from .._base.wording import arg
from .._tabular.case_columns import with_case
from .._tabular.cells import Coded
from .._tabular.csv_table import CellTable, Table
from .._tabular.foreign import table_of
from .._tabular.role_words import ALIASES, ALSO
from .._tabular.roles import MOST_SHOWN, case_beside, find_roles, is_number, roles_of
from .._tabular.source import Source, naming
from .annotation_file import MISSING

IDS = ("test", "reader", "case")
ROLES = (*IDS, "rating", "truth")
NAMES = {
    "test": {name + end for name in ("test", "modality", "treatment", "arm", "condition", "aid") for end in ("", "id")},
    "reader": ALIASES["annotator"] | ALSO["annotator"],
    "case": ALIASES["case"] | {"image", "imageid", "patient", "patientid"},
    "rating": ALIASES["value"] | ALIASES["score"] | ALIASES["confidence"],
    "truth": {"truth", "reference", "referencestandard", "goldstandard", "groundtruth", "disease", "status", "target"},
}
TRUTH_ROWS = "truth"  # the reader or the modality of rows with the truth in files of iMRMC, in any letters; the reader may also be -1
IMRMC, BEGIN = ".imrmc", b"BEGIN DATA"
HEAD = b"reader,case,test,rating"  # the columns of files of iMRMC, which do not name them
NO_RATING = "row without a rating"


@dataclass(frozen=True, eq=False, repr=False)
class ReadingFile(Record):
    """The columns of a file of readings, and the truth of the cases if the file holds it."""

    test: NDArray[Any]
    reader: NDArray[Any]
    case: NDArray[Any]
    rating: Array
    truth: dict[str, Any] | None
    left_out: dict[str, int]
    columns: dict[str, tuple[str, ...]]
    unused: tuple[str, ...] = ()


def reading_file(
    path: str | os.PathLike[str],
    columns: Mapping[str, str | None] | None = None,
    *,
    missing: Sequence[str] = MISSING,
    decimal: str = "auto",
    encoding: str = "utf-8",
) -> ReadingFile:
    """Return a long table with columns for test, reader, case, rating and optionally truth.

    Files of iMRMC have the truth in rows of a reader "truth". Without a column for the test there is one test. Rows without a rating are
    left out and counted.
    """
    with naming(path):
        source = Source(path, encoding)
        table = _imrmc(source, decimal) if source.ending == IMRMC else table_of(source, None, decimal)
        table, named = with_case(table, columns or {})
        roles = find_roles(table.header, named, ROLES, NAMES)
        absent = [role for role in ROLES[1:4] if role not in roles]
        if absent:
            must, way = "have columns for test, reader, case and rating", "name the existing ones: " + arg("columns", {"reader": ...})
            raise error("file", must, f"no {' and no '.join(absent)} among {listed(map(repr, table.header), MOST_SHOWN)}", way=way)
        table.used = {role: [c] for role, c in roles.items()}
        cells = dict(zip(roles, table.coded(*([c] for c in roles.values()))))
        keep, found = _rated(table, cells["rating"], missing)
        ids = {role: _ids(table, cells[role], role, keep[0]) for role in IDS if role in cells}
        truth = None if "truth" not in roles else _truth_of(table, cells["case"], cells["truth"], missing)
        test = ids.get("test", np.ones(len(found), np.int64))
        for said in cells["rating"].suspicious(missing):
            note(said)
        own = _truth_rows(ids["reader"], test)
        if own.any() and truth is None:
            truth = _truth_of_rows(table, np.flatnonzero(keep[0])[own], ids["case"][own].astype(str).tolist(), found[own].tolist())
            test, found, ids = test[~own], found[~own], {role: one[~own] for role, one in ids.items()}
        _once(table, np.flatnonzero(keep[0])[~own] if len(found) < len(own) else np.flatnonzero(keep[0]), test, ids["reader"], ids["case"])
        left_out = {NO_RATING: keep[1]} if keep[1] else {}
        return ReadingFile(test, ids["reader"], ids["case"], found, truth, left_out, *roles_of(table.header, table.sources()))


def _imrmc(source: Source, decimal: str) -> CellTable:
    """Return a file of iMRMC as a table: its rows, without names of columns, follow the line BEGIN DATA."""
    lines = source.read(text=True).splitlines()
    start = next((i for i, line in enumerate(lines) if line.strip().upper().startswith(BEGIN)), None)
    if start is None:
        raise error("file", "have the line 'BEGIN DATA:' before its rows, as files of iMRMC do", "none")
    table = Table(b"\n" * start + b"\n".join([HEAD, *lines[start + 1 :]]))  # lines keep their numbers
    table.decimal = decimal
    return table


def _truth_rows(reader: NDArray[Any], test: NDArray[Any]) -> Bools:
    """Return which rows hold the truth: those of a reader "truth", or of a reader -1 in a test "truth"."""
    readers, tests = ([str(one).casefold() for one in ids.tolist()] for ids in (reader, test))
    return np.array([who == TRUTH_ROWS or (who == "-1" and what == TRUTH_ROWS) for who, what in zip(readers, tests)], bool)


def _truth_of_rows(table: CellTable, rows: NDArray[Any], cases: list[str], values: list[float]) -> dict[str, Any]:
    """Return the truth of each case in rows of its own; reject a case with two."""
    found: dict[str, Any] = {}
    for row, case, value in zip(rows.tolist(), cases, values):
        if found.setdefault(case, value) != value:
            got = f"{found[case]:g} and {value:g}"
            raise error("truth", "be the same in all rows of a case", got, f"case {identifiers.name(case)}, {table.place(row)}")
    return found


def truth_file(
    path: str | os.PathLike[str],
    case_column: str | Sequence[str] | None = None,
    truth_column: str | None = None,
    *,
    missing: Sequence[str] = MISSING,
    encoding: str = "utf-8",
) -> dict[str, Any] | None:
    """Return the truth of each case of a table with the columns case and truth; None for other files, unless ``truth_column`` is given."""
    with naming(path):
        source = Source(path, encoding)
        if source.ending in (".npy", ".npz", ".json", ".jsonl"):
            return None
        table = table_of(source, case_column)
        stated = {} if truth_column is None else {"truth": truth_column}
        roles = find_roles(table.header, {**table.case, **stated}, ("case", "truth"), NAMES)
        if stated:
            case_beside(table.header, roles, "truth")
        if len(roles) < 2 and not stated:
            return None
        if len(roles) < 2:
            got = listed(map(repr, table.header), MOST_SHOWN)
            raise error("truth", "have a column for the case", got, way="name it: " + arg("case_column", ...))
        case, truth = table.coded([roles["case"]], [roles["truth"]])
        return _truth_of(table, case, truth, missing)


def _rated(table: CellTable, cells: Coded, missing: Sequence[str]) -> tuple[tuple[Bools, int], Array]:
    """Return which rows have a rating, how many have none, and the ratings."""
    cells = table.decimals(cells, "rating", missing)
    keep = ~cells.missing(missing, {})[:, 0]
    if not keep.any():
        raise error("file", "have a rating", "none")
    return (keep, int((~keep).sum())), table.converted(cells, "rating", missing)[:, 0][keep].astype(np.float64)


def _once(table: CellTable, rows: NDArray[Any], *columns: NDArray[Any]) -> None:
    """Reject a second rating of a case by a reader in a test."""
    cell = identifiers.factorize(np.stack([np.unique(ids, return_inverse=True)[1].reshape(-1) for ids in columns], axis=1))
    if len(cell[1]) < len(rows):
        again = np.ones(len(rows), bool)
        again[cell[1]] = False
        i = int(np.argmax(again))
        names = "test {}, reader {}, case {}".format(*(identifiers.name(ids[i]) for ids in columns))
        raise error("rating", "be one for each test, reader and case", "two", f"{names}, {table.place(rows[i])}")


def _ids(table: CellTable, cells: Coded, role: str, keep: Bools) -> NDArray[Any]:
    column = table.numbered(cells, role, keep)
    return np.asarray(column.ids[column.code])


def _truth_of(table: CellTable, case: Coded, truth: Coded, missing: Sequence[str]) -> dict[str, Any]:
    """Return the truth of each case, as numbers if all are numbers, else as names; reject a case with different truths."""
    keep = ~truth.missing(missing, {})[:, 0]
    truth = table.decimals(truth, "truth", missing)
    named = table.numbered(case, "case")
    found: dict[str, str] = {}
    for row in np.flatnonzero(keep).tolist():
        name, value = str(named.ids[named.code[row]]), truth.values[truth.codes[row, 0]]
        if found.setdefault(name, value) != value:
            got = f"{found[name]!r} and {value!r}"
            raise error("truth", "be the same in all rows of a case", got, f"case {identifiers.name(name)}, {table.place(row)}")
    return {case: float(value) for case, value in found.items()} if all(map(is_number, found.values())) else dict(found)
