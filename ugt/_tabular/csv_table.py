"""CSV files with commas, semicolons or tabs; files that are cut off, binary or mislabelled are rejected.

A table is read in blocks. Repeated text (ids, labels) becomes codes into its distinct values at once, so that ten million rows
fit in memory, and every check of values looks at the distinct values only. The C core splits the rows; if it meets a form that it
does not support (a row of another width, a quote out of place), the csv module reads the whole file or reports what is wrong.
"""

from __future__ import annotations

import csv
import io
from collections import defaultdict
from collections.abc import Collection, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from itertools import chain, count, islice
from typing import Any

import numpy as np

from .._base import identifiers
from .._base.arrays import Array, Bools, Int32, NDArray
from .._base.checks import error, room
from .._base.notes import Note
from .._base.notices import note
from .._base.parallel import Reporter
from .._core import _rows
from . import lines
from .cells import Coded, without_guards
from .csv_text import unguarded
from .decimals import Signs
from .roles import (
    NO_NUMBERS,
    RESTORE,
    as_integers,
    as_points,
    different,
    has_comma,
    is_count,
    is_number,
    may_have_commas,
    note_small,
    repeated,
    rounded,
)
from .source import BOM, Changed, Held, Source, checked_blocks
from .words import Words, text_array

# Cells held as Python strings at a time: they fit into the processor's cache, which is twice as fast as larger blocks.
BLOCK = 1 << 14
# Bytes of a cell, as in the csv module, and of a row that is joined from blocks, at most.
LONGEST, LONGEST_ROW = 1 << 17, 1 << 24
SPLIT = 1 << 22  # bytes that the C core splits at a time
# Bytes that a table takes at least: for each cell, its code and the arrays made of codes; for each distinct cell, the hash table.
OF_CELL, OF_VALUE = 12, 16


class CellTable:
    """A table of text with named columns, whatever its source."""

    header: list[str]
    used: Mapping[str, Sequence[int]] = {}  # role → its columns, as the reader of the table chose them
    case: Mapping[str, str | None] = {}  # the column of the case, if it is given
    decimal = "auto"
    semicolons = False  # whether semicolons separate columns: then numbers may have decimal commas
    hidden: frozenset[int] = frozenset()  # columns that are parts of the case, and have no other role
    of_numbers: Collection[str] = ()  # cells whose points are decimal signs, because they were numbers before they were text

    def decimals(self, cells: Coded, role: str, missing: Sequence[str]) -> Coded:
        """Return the cells with decimal points instead of commas, if all are numbers and commas are decimal signs."""
        given = [value for value in cells.values if value not in missing]
        commas = [*filter(has_comma, given)]
        points = [value for value in given if "." in value and value not in commas and value not in self.of_numbers]
        auto = self.semicolons and self.decimal == "auto"
        if auto and not commas:
            note_small(points)
        asked = (commas or points) if self.decimal == "," else (auto and commas)
        if not asked or not all(map(may_have_commas, given)):
            return cells
        changed = as_points(role, commas, points, lambda value: self.place(cells.first(cells.values.index(value))), auto)
        return Coded([changed.get(value, value) for value in cells.values], cells.codes)

    def categories(self, columns: Sequence[int]) -> Any:
        """Return the classes that columns declare, used or not; None if they declare none."""
        return None

    def coded(self, *groups: Sequence[int]) -> list[Coded]:
        """Return the columns of each group as codes into the distinct values that the group shares."""
        raise NotImplementedError

    def numbers(self, columns: Sequence[int]) -> Array:
        """Return the columns as numbers, (rows, columns)."""
        raise NotImplementedError

    def sources(self) -> Mapping[str, Sequence[int]]:
        """Return the columns of the file that were used for each role."""
        return self.used

    def place(self, row: int) -> str:
        """Return the name of a row in messages."""
        return f"row {row}"

    def places(self) -> Iterator[str]:
        """Yield the names of all rows, in order: one pass over the file."""
        return map(self.place, count())

    def numbered(self, cells: Coded, role: str, keep: Bools | None = None) -> identifiers.Column:
        """Return the column of ids, or its kept rows, as numbers of distinct ids; reject a blank cell."""
        code = cells.codes[:, 0]
        if "" in cells.values:
            blank = (code == cells.values.index("")) & (True if keep is None else keep)
            if blank.any():
                raise error(role, "not be blank", "a blank cell", self.place(int(np.argmax(blank))))
        number, first, seen = cells.kept(keep)
        names = cells.values if isinstance(seen, range) else [cells.values[old] for old in seen]
        ids = as_integers(names)
        return identifiers.Column(number, text_array(names) if ids is None else ids, first)

    def check_once(self, case: identifiers.Column, must: str = "occur once", way: str = "") -> None:
        """Reject a column in which a case occurs twice."""
        if len(case.ids) < len(case.code):
            row = identifiers.repeated(case.code, case.first)
            id = case.ids[case.code[row]]
            got = f"{identifiers.name(id)} twice{f' ({RESTORE})' if rounded([str(id)]) else ''}"
            raise error("case", must, got, self.place(row), way=way)

    def converted(self, cells: Coded, role: str, missing: Sequence[str] = ()) -> NDArray[Any]:
        """Return coded cells as counts (int64) or as other numbers (float64), missing ones as 0."""
        valid, must = (is_count, "be a non-negative integer") if role == "count" else (is_number, "be a number")
        for code, value in enumerate(cells.values):
            if value not in missing and not valid(value):
                raise error(role, must, number_shown(value), self.place(cells.first(code)))
        number = int if role == "count" else float
        return np.array([number(0 if value in missing else value) for value in cells.values])[cells.codes]


class Table(CellTable):
    """A CSV file with its header and its columns by name."""

    def __init__(self, source: Source | bytes, header: bool = True) -> None:
        self._numbers = b""  # the line above a file without a header: its columns are called 1, 2, 3
        self._source = Held(source) if isinstance(source, bytes) else source
        self._separator = lines.EXCEL.match(next(self._source.blocks(text=True), b"")) is not None
        checked = checked_blocks(lines.checked(self._source.blocks(text=True)))
        self._blank_rows = lines.n_blank_rows(self._source.blocks(text=True)) if lines.may_be_blank(checked) else 0
        self._delimiter = self._sniff()
        self.semicolons = self._delimiter == ";"
        if not header:
            width = len(next(self._rows())[1])
            self._numbers = self._delimiter.join(map(str, range(1, width + 1))).encode() + b"\n"
        self.header = [unguarded(name.strip()) for name in next(self._rows())[1]]
        self._width = len(self.header)
        self._leave_out_blank_columns()
        if (name := repeated(self.header)) is not None:
            raise error("columns", *different(name), "line 1")
        if next(islice(self._rows(), 1, None), None) is None:
            raise error("file", "have rows below its header", "none")
        if self._blank_rows:
            note(Note("blank_rows", "Left out: {n:,} rows without any cell.", n=self._blank_rows))

    def _leave_out_blank_columns(self) -> None:
        """Leave out the columns without names that separators at the end of lines make; they must be blank."""
        named = [c for c, name in enumerate(self.header) if name]
        width = named[-1] + 1 if named else 0
        if 1 < width < self._width and next(islice(self._rows(), 1, None), None) is not None:
            self.header = self.header[:width]
            (cells,) = self.coded(range(width, self._width))
            if [*cells.values] != [""]:
                code = next(code for code, value in enumerate(cells.values) if value)
                raise error("columns", "have names", f"a blank one with {cells.values[code]!r}", self.place(cells.first(code)))

    def coded(self, *groups: Sequence[int]) -> list[Coded]:
        found = self._split(groups)
        if found is not None:
            return found
        indices: list[defaultdict[str, int]] = [defaultdict() for _ in groups]
        parts: list[list[Int32]] = [[] for _ in groups]
        for index in indices:
            index.default_factory = index.__len__
        n_cells = 0
        for _, columns in self._blocks():
            for group, index, part in zip(groups, indices, parts):
                cells = chain.from_iterable(zip(*(columns[c] for c in group)))  # row by row, so that codes are those of the C core
                codes = np.fromiter(map(index.__getitem__, cells), np.int32, len(columns[0]) * len(group))
                part.append(codes.reshape(-1, len(group)))
                n_cells += codes.size
            self._check_room(n_cells, sum(map(len, indices)))
        return [without_guards(list(index), np.concatenate(part)) for index, part in zip(indices, parts)]

    def numbers(self, columns: Sequence[int]) -> Array:
        parts, signs = [], Signs(self.decimal, self.semicolons)
        for row, block in self._blocks():

            def where(i: int, c: int, row: int = row) -> str:
                return f"{self.place(row + i)}, column {self.header[columns[c]]!r}"

            cells = signs.read([block[c] for c in columns], where)
            try:
                if any("_" in "".join(column) for column in cells):  # ``float`` would accept 1_000
                    raise ValueError
                parts.append(np.array(cells, dtype=np.float64).T)
                self._check_room((row + len(block[0])) * len(columns))
            except ValueError:
                raise self._not_a_number(row, cells, columns) from None
        signs.note()
        return np.concatenate(parts)

    def place(self, row: int) -> str:
        """Return the line of the file where a row (from 0, below the header) starts."""
        return next(islice(self.places(), row, None))

    def places(self) -> Iterator[str]:
        return (f"line {line}" for line, _ in islice(self._rows(), 1, None))

    def rows(self) -> Iterator[tuple[str, list[str]]]:
        """Yield the place and the cells of each row below the header."""
        return ((f"line {line}", [unguarded(cell.strip()) for cell in row]) for line, row in islice(self._rows(), 1, None))

    def _not_a_number(self, row: int, block: list[tuple[str, ...]], columns: Sequence[int]) -> ValueError:
        for i, cells in enumerate(zip(*block)):
            for cell, column in zip(cells, columns):
                if not is_number(cell):
                    shown = number_shown(cell) if cell.strip() else "a blank (leave out the row of a case without numbers)"
                    return error("cell", "be a number", shown, f"{self.place(row + i)}, column {self.header[column]!r}")
        raise AssertionError("numpy refused a number that Python takes")

    def _split(self, groups: Sequence[Sequence[int]]) -> list[Coded] | None:
        """Return the columns as the C core splits them; None if it does not support the file."""
        group = np.full(self._width, -1, np.int32)
        for g, columns in enumerate(groups):
            group[list(columns)] = g
        wanted = np.flatnonzero(group >= 0).tolist()
        if len(wanted) != sum(map(len, groups)):  # a column that is asked for twice
            return None
        reader = _rows.RowReader(ord(self._delimiter), group, len(groups), LONGEST)
        parts: list[Int32] = []
        begin, n_cells, n_bytes, values = -1, 0, 0, np.zeros(len(groups), np.int64)
        position = {c: i for i, c in enumerate(wanted)}
        places = [[position[c] for c in columns] for columns in groups]
        for text, last in self._texts():
            begin = 0 if begin >= 0 else self._behind_header(text, last)
            found = reader.read(memoryview(text)[begin:], last, len(text) + 1) if begin >= 0 else None
            if found is None:
                return None
            parts.append(found[0])
            n_cells += found[0].size
            before, values = values, np.maximum(values, [found[0][:, place].max(initial=-1) + 1 for place in places])
            n_bytes += int(found[1] * (values - before).sum() / max(1, found[0].size))  # at the mean length of the values so far
            self._check_room(n_cells, int(values.sum()), n_bytes)
            self._rest = text[begin + found[1] :]
            if len(self._rest) > LONGEST_ROW:
                return None
        words = [Words(*reader.take_words(g)) for g in range(len(groups))]  # first, as this frees the reader's tables
        codes = [np.concatenate([part[:, place] for part in parts]) for place in places]
        del parts
        return [*map(without_guards, words, codes)]

    @staticmethod
    def _check_room(n_cells: int, n_values: int = 0, n_bytes: int = 0) -> None:
        room("the table", OF_CELL * n_cells + OF_VALUE * n_values + 2 * n_bytes)

    def _behind_header(self, text: bytes, last: bool) -> int:
        """Return where the rows begin; -1 if the C core does not support the header."""
        found = _rows.RowReader(ord(self._delimiter), np.zeros(self._width, np.int32), 1, LONGEST).read(text, last, 1)
        return -1 if found is None or len(found[0]) == 0 else found[1]

    def _texts(self) -> Iterator[tuple[bytes, bool]]:
        """Yield ``(bytes, whether they are the last)``: each block begins with the rest of the one before."""
        self._rest = b""
        with self._text() as (file, tell):
            progress = Reporter("reading", self._source.size)
            text = file.read(SPLIT)
            text = text[len(BOM) :] if text.startswith(BOM) else text
            while True:
                more = file.read(SPLIT)
                yield text, not more
                if not more:
                    break
                text = self._rest + more
                if tell() < self._source.size:
                    progress.done(tell())
            progress.done(self._source.size)

    def _blocks(self) -> Iterator[tuple[int, list[tuple[str, ...]]]]:
        """Yield (first row, columns) of each block of rows; single rows are looked at only to report an error."""
        width = self._width
        with self._reader() as (reader, tell):
            progress = Reporter("reading", self._source.size)
            first = -1  # the header is row -1
            while True:
                try:
                    block = list(islice(reader, max(2, BLOCK // width)))
                except csv.Error:
                    raise self._bad_row() from None
                if not block:
                    return
                if set(map(len, block)) != {width}:
                    block = [row for row in block if row]  # an empty line is not a row
                    if set(map(len, block)) - {width}:
                        raise self._bad_row()
                if block:
                    yield max(first, 0), [column[first < 0 :] for column in zip(*block)]
                first += len(block)
                progress.done(tell())

    def _bad_row(self) -> ValueError:
        """Return the error of the first row that cannot be read."""
        try:
            for line, row in self._rows():
                if len(row) != self._width:
                    twice = self._delimiter == "," and len(row) == 2 * self._width - 1  # each number but one would have a decimal comma
                    commas = twice and all(cell.strip().lstrip("+-").isdecimal() for cell in row[1:])
                    got = f"{len(row)}{' (are decimal commas among them? Save the file with decimal points)' if commas else ''}"
                    return error(
                        "row",
                        f"have {self._width} fields, as the header (is the file cut off, or is this line not a row of the table?)",
                        got,
                        f"line {line}",
                    )
        except ValueError as problem:
            return problem
        raise AssertionError("a row was refused without a reason")

    @contextmanager
    def _text(self) -> Iterator[tuple[Any, Any]]:
        """Open the file in UTF-8, with empty lines instead of rows without any cell, so that lines keep their numbers."""
        with self._source.text() as (file, tell):
            if self._blank_rows or self._separator or self._numbers:
                blocks = lines.without_separator(iter(lambda: file.read(SPLIT), b""))
                blocks = lines.without_blank_rows(blocks)
                yield io.BufferedReader(Changed(self._with_numbers(blocks) if self._numbers else blocks), SPLIT), tell
            else:
                yield file, tell

    def _with_numbers(self, blocks: Iterator[bytes]) -> Iterator[bytes]:
        yield self._numbers
        first = next(blocks, b"")
        yield first[len(BOM) :] if first.startswith(BOM) else first
        yield from blocks

    @contextmanager
    def _reader(self) -> Iterator[tuple[Any, Any]]:
        with self._text() as (file, tell):
            text = io.TextIOWrapper(file, "utf-8-sig", newline="")  # the text is never held as a whole
            try:
                yield csv.reader(text, delimiter=self._delimiter, strict=True), tell
            finally:
                text.detach()

    def _rows(self) -> Iterator[tuple[int, list[str]]]:
        """Yield (line where the row starts, cells) row by row, without empty lines."""
        with self._reader() as (reader, _):
            above = 1 if self._numbers else 0
            line = 1 - above
            try:
                for row in reader:
                    if row:
                        yield line, row
                    line = reader.line_num + 1 - above
            except csv.Error as problem:
                if "field limit" in str(problem):
                    must = f"have cells of at most {LONGEST} characters (is a quote left open before?)"
                    raise error("row", must, "a longer one", f"line {line}") from None
                raise error("row", "be CSV with every quote closed", str(problem), f"line {line}") from None

    def _sniff(self) -> str:
        """Return the one delimiter that splits the header and the first row into the same number of cells."""
        widths: dict[str, list[int]] = {}
        for self._delimiter in ",;\t":
            own = widths[self._delimiter] = []
            with suppress(ValueError):  # quotes within cells: not this delimiter
                own.extend(len(row) for _, row in islice(self._rows(), 2))
        found = [d for d in widths if widths[d][:1] > [1]]
        if len(found) > 1:
            found = [d for d in found if len(set(widths[d])) == 1]
        if len(found) != 1:
            with self._text() as (file, _):
                got = (
                    f"{len(found)} possible separators"
                    if found
                    else repr(next(filter(bytes.strip, file), b"").strip()[:80].decode(errors="ignore"))
                )
            raise error("header", "be the first line and separate its columns by commas, semicolons or tabs", got, "line 1")
        return found[0]


def number_shown(cell: str) -> str:
    """Return a cell that should have been a number, as messages show it, with a hint."""
    hint = next((hint for pattern, hint in NO_NUMBERS if pattern.fullmatch(cell.strip())), "")
    return f"{cell!r} (" + hint + ")" if hint else repr(cell)
