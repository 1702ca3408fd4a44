"""CSV as people have it (comma, semicolon or tab), and strict about what a cut, binary or mislabelled file gets wrong.

A table is read in blocks of rows. Repeated text (ids, labels) becomes codes into its distinct values at once, so that ten
million rows fit in memory, and whatever is asked about values is asked about the distinct ones only.
"""

from __future__ import annotations

import csv
import io
import re
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from itertools import islice
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from ._checks import error
from ._threads import Reporter

if TYPE_CHECKING:
    from numpy.typing import NDArray

# Cells held as Python strings at a time: they stay in the cache, which is twice as fast as blocks that do not.
BLOCK = 1 << 14

# Text that is an int64 and is written the usual way: "007" and "+7" stay names.
INTEGER = re.compile(r"0|-?[1-9][0-9]{0,17}")

# Names that the columns of long tables have, in lower case and without punctuation.
ALIASES = {
    "case": {base + end for base in ("case", "task", "item", "subject", "unit") for end in ("", "id")},
    "annotator": {base + end for base in ("annotator", "worker", "rater", "reader", "coder") for end in ("", "id")},
    "label": {"label", "class", "answer", "grade", "category"},
    "rank": {"rank"},
    "confidence": {"confidence"},
    "ranking": {"ranking"},
    "count": {"count"},
    "score": {"score", "probability"},
    "cluster": {base + end for base in ("cluster", "patient", "group") for end in ("", "id")},
}

# Headers that say whether a column is a class or an annotator: "count_cat", "n_cat"; "rater 2", "reader_A".
COUNT_HEADER = re.compile(r"(?:counts?|n)[ _.:-](.+)", re.IGNORECASE)
RATER_HEADER = re.compile(r"(?:annotator|worker|rater|reader|coder)[ _.:-]?\w+", re.IGNORECASE)


class Coded(NamedTuple):
    """Text cells as codes into the distinct values (stripped, in order of first appearance)."""

    values: list[str]
    codes: NDArray[np.int64]  # (rows, columns)

    def column(self) -> NDArray[Any]:
        """The first column's cells, as integers if all are."""
        return as_names(self.values)[self.codes[:, 0]]

    def missing(self, tokens: Sequence[str], found: dict[str, int]) -> NDArray[np.bool_]:
        """Which cells are one of the tokens; how many of each is added to ``found``."""
        is_token = np.array([value in tokens for value in self.values])
        number = np.bincount(self.codes.ravel(), minlength=len(is_token))
        for value in np.flatnonzero(is_token):
            found[self.values[value]] = found.get(self.values[value], 0) + int(number[value])
        return is_token[self.codes]


class Table:
    """A CSV file: its header, and its columns by name."""

    def __init__(self, data: bytes) -> None:
        check_text(data)
        self._data = data
        self._delimiter = self._sniff()
        self.header = [name.strip() for name in next(self._rows())[1]]
        for i, name in enumerate(self.header):
            if name in self.header[:i]:
                raise error("columns", "have different names", f"{name!r} twice", "line 1")
        if next(islice(self._rows(), 1, None), None) is None:
            raise error("file", "have rows below its header", "none")

    def coded(self, *groups: Sequence[int]) -> list[Coded]:
        """The columns of each group, coded into distinct values that the group shares."""
        indices: list[defaultdict[str, int]] = [defaultdict() for _ in groups]
        parts: list[list[NDArray[np.int64]]] = [[] for _ in groups]
        for index in indices:
            index.default_factory = index.__len__
        for _, columns in self._blocks():
            for group, index, part in zip(groups, indices, parts):
                block = [np.fromiter(map(index.__getitem__, columns[c]), np.int64, len(columns[c])) for c in group]
                part.append(np.column_stack(block))
        return [_stripped(list(index), np.concatenate(part)) for index, part in zip(indices, parts)]

    def numbers(self, columns: Sequence[int]) -> NDArray[np.float64]:
        """The columns as numbers, (rows, columns)."""
        parts = []
        for row, block in self._blocks():
            try:
                parts.append(np.array([block[c] for c in columns], dtype=np.float64).T)
            except ValueError:
                raise self._not_a_number(row, [block[c] for c in columns], columns) from None
        return np.concatenate(parts)

    def ids(self, cells: Coded, role: str) -> NDArray[Any]:
        """A coded column of ids, none of which may be blank."""
        if "" in cells.values:
            row = int(np.argmax(cells.codes[:, 0] == cells.values.index("")))
            raise error(role, "not be blank", "a blank cell", f"line {self.line(row)}")
        return cells.column()

    def converted(self, cells: Coded, role: str, missing: Sequence[str] = ()) -> NDArray[Any]:
        """Coded cells as counts (int64) or as other numbers (float64), missing ones as 0."""
        valid, must = (is_count, "be a non-negative integer") if role == "count" else (is_number, "be a number")
        for code, value in enumerate(cells.values):
            if value not in missing and not valid(value):
                row = int(np.argmax((cells.codes == code).any(axis=1)))
                raise error(role, must, repr(value), f"line {self.line(row)}")
        number = int if role == "count" else float
        return np.array([number(0 if value in missing else value) for value in cells.values])[cells.codes]

    def line(self, row: int) -> int:
        """The line of the file where a row (from 0, below the header) starts."""
        return next(islice(self._rows(), row + 1, None))[0]

    def _not_a_number(self, row: int, block: list[tuple[str, ...]], columns: Sequence[int]) -> ValueError:
        for i, cells in enumerate(zip(*block)):
            for cell, column in zip(cells, columns):
                if not is_number(cell):
                    return error("cell", "be a number", repr(cell), f"line {self.line(row + i)}, column {self.header[column]!r}")
        raise AssertionError("numpy refused a number that Python takes")

    def _blocks(self) -> Iterator[tuple[int, list[tuple[str, ...]]]]:
        """(first row, columns) of each block of rows: no Python per row, unless to say what is wrong with one."""
        width = len(self.header)
        buffer = io.BytesIO(self._data)
        reader = _reader(buffer, self._delimiter)
        progress = Reporter("reading", len(self._data))
        first = -1  # the header is row -1
        while True:
            try:
                block = list(islice(reader, max(2, BLOCK // width)))
            except csv.Error:
                raise self._bad_row() from None
            if not block:
                return
            if set(map(len, block)) != {width}:
                block = [row for row in block if row]  # empty lines are no rows
                if set(map(len, block)) - {width}:
                    raise self._bad_row()
            if block:
                yield max(first, 0), [column[first < 0 :] for column in zip(*block)]
            first += len(block)
            progress.done(buffer.tell())

    def _bad_row(self) -> ValueError:
        """The complaint about the first row that cannot be read."""
        try:
            for line, row in self._rows():
                if len(row) != len(self.header):
                    return error("row", f"have {len(self.header)} fields, as the header (is the file cut off?)", len(row), f"line {line}")
        except ValueError as problem:
            return problem
        raise AssertionError("a row was refused without a reason")

    def _rows(self) -> Iterator[tuple[int, list[str]]]:
        return _rows(self._data, self._delimiter)

    def _sniff(self) -> str:
        """The one delimiter that splits the header, and the first row alike."""
        widths = {d: _widths(self._data, d) for d in ",;\t"}
        found = [d for d in widths if widths[d][:1] > [1]]
        if len(found) > 1:
            found = [d for d in found if len(set(widths[d])) == 1]
        if len(found) != 1:
            raise error("header", "separate its columns by commas, semicolons or tabs", f"{len(found)} possible separators", "line 1")
        return found[0]


def _reader(buffer: io.BytesIO, delimiter: str) -> Any:
    # The buffer shares the file's bytes: neither the text nor its lines are ever held as a whole.
    return csv.reader(io.TextIOWrapper(buffer, "utf-8-sig", newline=""), delimiter=delimiter, strict=True)


def _rows(data: bytes, delimiter: str) -> Iterator[tuple[int, list[str]]]:
    """(line where the row starts, cells), one by one; empty lines are no rows."""
    reader = _reader(io.BytesIO(data), delimiter)
    line = 1
    try:
        for row in reader:
            if row:
                yield line, row
            line = reader.line_num + 1
    except csv.Error as problem:
        raise error("row", "be CSV with every quote closed", str(problem), f"line {line}") from None


def _widths(data: bytes, delimiter: str) -> list[int]:
    """Number of fields of the first two rows, as far as they can be split by the delimiter."""
    widths = []
    try:
        for _, row in islice(_rows(data, delimiter), 2):
            widths.append(len(row))
    except ValueError:  # quotes stand elsewhere: another delimiter
        pass
    return widths


def check_text(data: bytes) -> str:
    """The bytes as text; refuses what is empty, binary, or not UTF-8."""
    if b"\0" in data:
        where = f"line {data.count(10, 0, data.index(0)) + 1}"
        raise error("file", "be UTF-8 text", "a NUL byte (a binary or UTF-16 file?)", where)
    try:
        text = data.decode("utf-8-sig")
    except UnicodeDecodeError as problem:
        got = f"the byte 0x{data[problem.start]:02x} (Latin-1? Save it as UTF-8)"
        raise error("file", "be UTF-8 text", got, f"line {data.count(10, 0, problem.start) + 1}") from None
    if not text or text.isspace():
        raise error("file", "not be empty", f"{len(data)} bytes without text")
    return text


def as_names(values: Sequence[str], skip: Sequence[str] = ()) -> NDArray[Any]:
    """Text as integers if every entry that is not to be skipped is an integer written the usual way, else as objects.

    (An array of fixed-width text would cost ten million short ids the memory of the longest.)
    """
    if values and all(value in skip or INTEGER.fullmatch(value) for value in values):
        return np.array([0 if value in skip else int(value) for value in values], dtype=np.int64)
    return np.array(values, dtype=object)


def as_labels(values: list[str], missing: Sequence[str], classes: Any) -> NDArray[Any]:
    """Labels as integers if all are, unless they are names among the classes."""
    if classes is not None and np.ndim(classes) and set(values).intersection(name for name in classes if isinstance(name, str)):
        return np.array(values, dtype=object)
    return as_names(values, missing)


def find_roles(header: list[str], columns: Mapping[str, str | None], wanted: Sequence[str]) -> dict[str, int]:
    """The column of each role: as told (no column if told ""), else by its usual names."""
    for role, name in columns.items():
        if role not in wanted:
            raise error("columns", f"be given for the roles {', '.join(wanted)}", repr(role))
        if name and name not in header:
            raise error(f"{role} column", f"be one of the columns {', '.join(header)}", repr(name))
    roles = {role: header.index(name) for role, name in columns.items() if name}
    plain = [re.sub("[^a-z0-9]", "", name.lower()) for name in header]
    for role in wanted:
        found = [c for c, name in enumerate(plain) if name in ALIASES[role] and c not in roles.values()]
        if role in columns or not found:
            continue
        if len(found) > 1:
            got = " and ".join(repr(header[c]) for c in found)
            raise error(f"{role} column", "be named where several columns may be meant", got)
        roles[role] = found[0]
    return roles


def count_classes(header: list[str]) -> list[str]:
    """The classes of columns of counts: what follows "count_" or "n_" if all begin like that."""
    matches = [COUNT_HEADER.fullmatch(name) for name in header]
    return [match[1] for match in matches if match] if all(matches) else header


def wide_or_counts(header: list[str], values: list[str], missing: Sequence[str]) -> str:
    """What a table with a row a case is, if its header or its cells leave no doubt."""
    if all(map(COUNT_HEADER.fullmatch, header)):
        return "counts"
    if all(map(RATER_HEADER.fullmatch, header)):
        return "wide"
    labels = [value for value in values if value not in missing]
    if all(map(is_count, labels)):
        must = "be 'wide' (a column an annotator) or 'counts' (a column a class) for a table of integers, which may be either"
        raise error("format", must, "'auto'")
    if all(map(is_number, labels)) and not all(map(INTEGER.fullmatch, labels)):
        raise error("format", "be 'wide' for a table of decimal numbers, which look like scores and not like labels", "'auto'")
    return "wide"


def is_number(cell: str) -> bool:
    try:
        float(cell)
    except ValueError:
        return False
    return True


def is_count(cell: str) -> bool:
    return INTEGER.fullmatch(cell) is not None and cell[0] != "-"


def _stripped(values: list[str], codes: NDArray[np.int64]) -> Coded:
    """White space around cells is no part of them."""
    index: dict[str, int] = {}
    new = np.array([index.setdefault(value.strip(), len(index)) for value in values], dtype=np.int64)
    return Coded(list(index), codes if len(index) == len(values) else new[codes])
