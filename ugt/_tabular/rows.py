"""Rows of long tables and cells of wide ones, as the constructors of annotations read them."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from .._base import identifiers
from .._base.arrays import Array, Bools, Int32, Int64, NDArray
from .._base.axes import Frozen, case_axis, given_ids
from .._base.checks import error
from .._base.names import joined, note_alike
from .._base.ragged import offsets_of
from .._core import _tables


class OnCases(Frozen):
    """The base of annotations without classes."""

    case_ids: NDArray[Any]

    @property
    def n_cases(self) -> int:
        """Number of cases."""
        return len(self.case_ids)

    def __len__(self) -> int:
        return self.n_cases

    def case_name(self, i: int) -> str:
        """Return the name of case i in messages: ``'p17'`` or ``17``."""
        return identifiers.name(self.case_ids[i])


class LongRows(NamedTuple):
    """The columns of every long table: row j is about case ``case_ids[case[j]]``, by ``annotators[annotator[j]]``."""

    case_ids: NDArray[Any]
    case: Int32
    annotators: NDArray[Any]
    annotator: Int32

    @classmethod
    def read(cls, case: object, annotator: object, cases: object, merge: bool = False) -> LongRows:
        case_column = identifiers.number("case", case)
        annotator_column = joined("annotators", identifiers.number("annotator", annotator), merge)
        case_ids, code = case_axis(case_column, cases)
        rows = cls(case_ids, code, annotator_column.ids, annotator_column.code)
        rows.check_length("annotator", len(rows.annotator))
        return rows

    def check_length(self, argument: str, length: int) -> None:
        if length != len(self.case):
            raise error(argument, f"have as many rows as case, {len(self.case)}", length)

    def numbers(self, argument: str, values: object) -> Array:
        array = identifiers.unmasked(values)
        if array.dtype.kind not in "iufO" or array.ndim != 1:
            raise error(argument, "be a column of numbers", f"{array.dtype} of shape {array.shape}")
        self.check_length(argument, len(array))
        return finite_numbers(argument, array, self.where, nulls=True)

    def grouped(self) -> tuple[Int64, Int64]:
        """Return ``(offsets, order)``: the rows by case."""
        return _tables.group(self.case, len(self.case_ids))

    def where(self, j: int) -> str:
        """Return the name of row j in messages; a row beyond the last has no case."""
        return f"case {identifiers.name(self.case_ids[self.case[j]])} (row {j})" if j < len(self.case) else f"row {j}"


class WideCells(NamedTuple):
    """The cells of a wide table that are not empty, by their flat positions ``at``, ascending."""

    case_ids: NDArray[Any]
    annotators: NDArray[Any]
    at: Int64

    @classmethod
    def of(cls, shape: tuple[int, ...], at: Int64, case_ids: Any, annotators: Any) -> WideCells:
        names = given_ids("annotators", annotators, shape[1])
        note_alike("annotators", names)
        return cls(given_ids("case_ids", case_ids, shape[0]), names, at)

    def grouped(self) -> tuple[Int64, Int32]:
        """Return ``(offsets, annotator)``: the cells by case, and the annotator of each."""
        row, column = np.divmod(self.at, len(self.annotators))
        return offsets_of(np.bincount(row, minlength=len(self.case_ids))), column.astype(np.int32)

    def where(self, j: int) -> str:
        row, column = divmod(int(self.at[j]), len(self.annotators))
        return f"case {identifiers.name(self.case_ids[row])}, annotator {identifiers.name(self.annotators[column])}"


def wide(table: Any) -> NDArray[Any]:
    """Return a table (N, A) of cells. Lists become objects first, as numpy would turn ``["a", None]`` or ``["a", 1]`` into text."""
    if not (identifiers.is_array(table) or hasattr(table, "__iter__")):
        raise error("table", "be two-dimensional, cases x annotators", type(table).__name__)
    cells = identifiers.unmasked(table) if identifiers.is_array(table) else np.array(list(map(_row, table)), dtype=object)
    if cells.dtype.kind not in "biufUSOT":
        raise error("table", "hold numbers or strings", f"an array of {cells.dtype}")
    if cells.ndim != 2:
        raise error("table", "be two-dimensional, cases x annotators", f"{cells.ndim} dimensions (or rows of different lengths)")
    return cells.astype(object) if cells.dtype.kind == "T" else cells


def _row(row: object) -> Any:
    """Return a row of a list, a masked one as objects, because numpy would show the values under its mask."""
    return identifiers.unmasked(row).astype(object) if isinstance(row, np.ma.MaskedArray) else row


def is_missing(cells: NDArray[Any], missing: Any) -> Bools:
    """Return which cells are empty. A null among ``missing`` (None or nan) means None, nan, NaT and pandas' NA."""
    values = [missing] if isinstance(missing, str) or not hasattr(missing, "__iter__") else list(missing)
    plain = [v for v in values if not identifiers.is_null(v)]
    null = len(plain) < len(values)
    if cells.dtype.kind == "O":
        flat = ((null and identifiers.is_null(c)) or c in plain for c in cells.ravel().tolist())
        return np.fromiter(flat, bool, cells.size).reshape(cells.shape)
    same_kind = [v for v in plain if isinstance(v, str) == (cells.dtype.kind == "U")]
    parts: list[Bools] = [np.isin(cells, same_kind)] if same_kind else []
    if null and cells.dtype.kind == "f":
        parts.append(np.isnan(cells))
    return np.logical_or(*parts) if len(parts) == 2 else parts[0] if parts else np.zeros(cells.shape, bool)


def held_cells(cells: NDArray[Any], missing: object) -> tuple[Int64, NDArray[Any]]:
    """Return ``(at, values)``: the positions (flat, ascending) and values of the cells that are not empty."""
    empty = is_missing(cells, missing)
    if not empty.any():
        return np.arange(cells.size), cells.ravel()
    at = np.flatnonzero(~empty)
    return at, cells.ravel()[at] if cells.flags.c_contiguous else cells[np.divmod(at, cells.shape[1])]


def finite_numbers(
    argument: str, cells: NDArray[Any], where: identifiers.Where, *, nulls: bool = False, finite: str = "be finite"
) -> Array:
    """Return cells as finite numbers; reject the first that is not one. With ``nulls``, a null is reported as not ``finite``."""
    if cells.dtype.kind not in "iuf":
        text = [j for j, cell in enumerate(cells.tolist()) if not (is_number(cell) or (nulls and identifiers.is_null(cell)))]
        if text:
            raise error(argument, "hold numbers", repr(cells[text[0] : text[0] + 1].tolist()[0]), where(text[0]))
    value = as_floats(cells)
    if not np.isfinite(value).all():
        j = int(np.argmin(np.isfinite(value)))
        raise error(argument, finite, value[j], where(j))
    return value


def is_number(cell: object) -> bool:
    """Return whether a cell of a table of objects is a number other than a bool."""
    return isinstance(cell, (int, float, np.integer, np.floating)) and not isinstance(cell, bool)


def as_floats(cells: NDArray[Any]) -> Array:
    """Return numbers and nulls as floats; whole numbers outside their range are infinite."""

    def one(cell: Any) -> float:
        try:
            return float("nan") if identifiers.is_null(cell) else float(cell)
        except OverflowError:
            return float("inf") if cell > 0 else float("-inf")

    try:
        return cells.astype(np.float64)
    except (TypeError, OverflowError):  # pandas' NA, or a number above 1e308
        return np.array([one(cell) for cell in cells.tolist()], np.float64)
