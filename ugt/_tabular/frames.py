"""Columns without a file: data frames of pandas, polars and pyarrow, read by what they have in common, and records."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import numpy as np

from .._base import identifiers
from .._base.arrays import Array, Bools, Int32, NDArray
from .._base.axes import owned
from .._base.checks import error
from .._base.names import joined
from .case_columns import check_case
from .cells import Coded, stripped
from .csv_table import CellTable, number_shown
from .role_words import CASES
from .roles import (
    as_labels,
    as_names,
    as_points,
    different,
    find_roles,
    has_comma,
    is_number,
    may_have_commas,
    plain,
    refuse_commas,
    repeated,
)
from .rows import LongRows


def wide_names(
    frame: Any, case_ids: object = None, annotators: object = None, classes: Any = None, of: str = "annotators"
) -> tuple[Any, Any, Any]:
    """Return the case ids, annotators and classes: those given, else the index, columns and categories of a wide data frame."""
    if not identifiers.is_frame(frame):
        return case_ids, annotators, classes
    names = identifiers.columns_of(frame)
    called = [name for name in names if plain(str(name)) in CASES]
    if called:
        must = f"have columns for {of} only (make the case the index, or read the frame by ugt.io.read_annotations)"
        raise error("table", must, f"a column {called[0]!r}")
    index = identifiers.index_of(frame)
    if case_ids is None and index is not None:
        case_ids = identifiers.names_of_index("table", index)
    every = [identifiers.categories(frame[name]) for name in names] if classes is None else []
    same = bool(every) and every[0] is not None and all(one == every[0] for one in every)
    return case_ids, names if annotators is None else annotators, every[0] if same else classes


class Columns(CellTable):
    """Columns of values as a table of text: nulls are blank, whole numbers are integers. Messages name the rows by ``rows``."""

    def __init__(self, names: Sequence[str], columns: Sequence[Any], rows: Sequence[str] | None = None) -> None:
        self.header, self._columns, self._names = [str(name) for name in names], list(columns), rows
        self._categories: list[list[Any] | None] = []
        if (name := repeated(self.header)) is not None:
            raise error("columns", *different(name))
        if not self.header or len(self._columns[0]) == 0:
            raise error("table", "have rows", "none")

    @classmethod
    def of(cls, frame: Any, with_index: bool = True) -> Columns:
        """Return the columns of a frame. The index of a pandas frame comes first if no column has a name of a case column."""
        if not identifiers.is_frame(frame):
            raise error("frame", "be a data frame (with named columns)", type(frame).__name__)
        names = identifiers.columns_of(frame)
        if len({str(name) for name in names}) < len(names):
            raise error("columns", "have different names", ", ".join(map(repr, names)))
        columns = [_values(frame[name]) for name in names]
        declared = {str(name): identifiers.categories(frame[name]) for name in names}
        index = identifiers.index_of(frame) if with_index else None
        if index is not None and not any(plain(str(name)) in CASES for name in names):
            if getattr(index, "nlevels", 1) > 1:
                raise error("frame", "have one index (use reset_index())", f"{index.nlevels}")
            name = getattr(index, "name", None)
            names.insert(0, str(name) if name is not None and name not in names else "case")
            columns.insert(0, _values(index))
        made = cls(names, columns)
        made._categories = [declared.get(name) for name in made.header]
        return made

    def categories(self, columns: Sequence[int]) -> Any:
        every = [self._categories[c] for c in columns] if self._categories else [None]
        if every[0] is None or any(one != every[0] for one in every):
            return None
        return type(every[0])(as_names([text_of(value) for value in every[0]]).tolist())

    def place(self, row: int) -> str:
        return f"row {row}" if self._names is None else self._names[row]

    def places(self) -> Iterator[str]:
        return super().places() if self._names is None else iter(self._names)

    def coded(self, *groups: Sequence[int]) -> list[Coded]:
        return [self._group(columns) for columns in groups]

    def numbers(self, columns: Sequence[int]) -> Array:
        return np.column_stack([self._numbers(c) for c in columns])

    def labels(
        self, columns: Mapping[str, str | None], classes: object = None, merge_names: bool = False
    ) -> tuple[LongRows, identifiers.Column, Any]:
        """Return the rows, labels and classes of a long table, without the rows with blank labels."""
        wanted = ("case", "annotator", "label")
        roles = find_roles(self.header, columns, wanted)
        absent = [role for role in wanted if role not in roles]
        if absent:
            raise error("frame", f"have columns for {', '.join(wanted)} (name them)", f"no {' and no '.join(absent)} among {self.header}")
        if not columns.get("case"):
            check_case(self, [roles["case"], roles["annotator"]])
        cells = dict(zip(roles, self.coded(*([c] for c in roles.values()))))
        keep = ~cells["label"].missing(("",), {})[:, 0]
        classes = self.categories([roles["label"]]) if classes is None else classes
        label = labels_column(cells["label"], keep, ("",), classes, self)
        return long_rows(self, cells["case"], cells["annotator"], keep, merge_names), label, classes

    def _group(self, columns: Sequence[int]) -> Coded:
        index: dict[str, int] = {}
        codes = []
        for column in columns:
            values, code = _texts(self._columns[column])
            if self.decimal == ",":
                self.of_numbers = {*self.of_numbers, *_points_of_numbers(self._columns[column])}
            if any(value.endswith("\0") for value in values):  # arrays of text would lose the NUL
                raise error("cells", "not end in a NUL character", "one that does", f"column {self.header[column]!r}")
            codes.append(np.array([index.setdefault(value, len(index)) for value in values], np.int32)[code])
        table = np.column_stack(codes)
        if len(columns) > 1:  # number values in order of first appearance by rows
            new, first = identifiers.factorize(table.ravel())
            names = list(index)
            return stripped([names[code] for code in table.ravel()[first].tolist()], new.reshape(table.shape))
        return stripped(list(index), table)

    def _numbers(self, c: int) -> Array:
        column = self._columns[c]
        array = column if isinstance(column, np.ndarray) else np.array(column, dtype=object)
        if array.dtype.kind in "biuf":
            return array.astype(np.float64)
        cells = array.tolist()
        if self.decimal == ",":
            texts = [cell for cell in cells if isinstance(cell, str)]
            points = [cell for cell in texts if "." in cell and may_have_commas(cell)]
            place = lambda cell: f"{self.place(cells.index(cell))}, column {self.header[c]!r}"  # noqa: E731
            changed = as_points("cell", [*filter(has_comma, texts)], points, place)
            cells = [changed.get(cell, cell) if isinstance(cell, str) else cell for cell in cells]
        for row, cell in enumerate(cells):
            if identifiers.is_null(cell) or isinstance(cell, bool) or not is_number(str(cell)):
                shown = "a blank" if identifiers.is_null(cell) else number_shown(cell) if isinstance(cell, str) else repr(cell)
                raise error("cell", "be a number", shown, f"{self.place(row)}, column {self.header[c]!r}")
        return np.array([float(cell) for cell in cells])


def labels_column(cells: Coded, keep: Bools, missing: Sequence[str], classes: object, table: CellTable) -> identifiers.Column:
    """Return the labels of the kept rows as a numbered column."""
    refuse_commas("label", [value for value in cells.values if value not in missing])
    code, first, seen = cells.kept(keep)
    names = identifiers.number("label", as_labels(cells.values, missing, classes)[seen], lambda i: table.place(cells.first(seen[i])))
    return identifiers.Column(names.code[code], names.ids, first[names.first])


def long_rows(table: CellTable, case: Coded, annotator: Coded, keep: Bools, merge_names: bool = False) -> LongRows:
    """Return cases and annotators of the kept rows; cases without kept rows remain, annotators without kept rows do not."""
    cases = table.numbered(case, "case")
    owned(cases.ids)
    del case
    by = joined("annotators", table.numbered(annotator, "annotator", keep), merge_names)
    return LongRows(cases.ids, cases.code if keep.all() else cases.code[keep], by.ids, by.code)


def check_once(row: NDArray[Any], column: NDArray[Any], cases: NDArray[Any], classes: NDArray[Any]) -> None:
    """Reject rows in which a case and class occurs twice."""
    code, first = identifiers.factorize(np.stack([row, column], axis=1))
    if len(first) < len(code):
        again = identifiers.repeated(code, first)
        where = f"case {identifiers.name(cases[row[again]])}, class {identifiers.name(classes[column[again]])}"
        raise error("rows", "not repeat a case and class", f"{len(code) - len(first)} repeated", where)


def _values(column: Any) -> Any:
    """Return a column as an array, or as a list if an array would turn integers with nulls into floats."""
    try:
        array = np.asarray(column.to_numpy() if hasattr(column, "to_numpy") else column)
    except TypeError:  # a dictionary from polars with codes without a sign, in pyarrow before 20
        return column.to_pylist()
    if array.dtype.kind == "f" and np.isnan(array).any():
        for way in ("to_pylist", "to_list"):
            if hasattr(column, way):
                return getattr(column, way)()
    return array


def _texts(column: Any) -> tuple[list[str], Int32]:
    """Return ``(text of the distinct values in order of first appearance, codes)``."""
    array = column if isinstance(column, np.ndarray) else None
    if array is not None and array.dtype.kind in "biufU":
        code, first = identifiers.factorize(array.astype(array.dtype.newbyteorder("="), copy=False))
        return [text_of(value) for value in array[first].tolist()], code
    cells = column.tolist() if array is not None else column
    try:
        index = {key: i for i, key in enumerate(dict.fromkeys((type(cell), cell) for cell in cells))}
        code = np.fromiter((index[type(cell), cell] for cell in cells), np.int32, len(cells))
    except TypeError:  # values that have no hash, such as lists
        bad = next(cell for cell in cells if type(cell).__hash__ is None)
        raise error("cells", "be text, numbers or nulls", type(bad).__name__) from None
    return [text_of(cell) for _, cell in index], code


def _points_of_numbers(column: Any) -> set[str]:
    """Return the text of numbers with fractions, whose points are decimal signs whatever the text of other cells has."""
    cells = column.tolist() if isinstance(column, np.ndarray) else column
    return {text_of(cell) for cell in cells if isinstance(cell, (float, np.floating))}


def text_of(value: object) -> str:
    """Return a value as the text that a CSV file would hold."""
    if identifiers.is_null(value):
        return ""
    if isinstance(value, (float, np.floating)):
        return str(int(value)) if value == np.floor(value) and abs(value) <= identifiers.MAX_WHOLE else repr(float(value))
    return str(value)
