"""Tables of an evaluation: columns of equal length, read row by row, and written as CSV."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from functools import cache
from typing import Any, NamedTuple, Optional, Protocol, TypeVar, overload

from .._base.checks import error
from .._base.records import table_html
from .._tabular.csv_text import csv_text

CERTAINTY = "certainty_"  # prefix of the reliability, in the columns of the table of cases
STRATA = ("agreement", "certainty", "annotations per case")  # of every evaluation; all others are subgroups that were given
MOST_COLUMNS = 40  # most columns that the repr names
Number = Optional[float]  # None: undefined
Cells = dict[str, Any]  # column to plain value; None if a value is undefined
Row = TypeVar("Row", bound=NamedTuple)


class WithValue(Protocol):
    """A row of a table that has a value."""

    @property
    def value(self) -> Number: ...


@cache
def columns_of(kind: type[NamedTuple]) -> tuple[str, ...]:
    """Return the columns of a table from the fields of its rows; ``class_`` is the column class.

    A field that is a mapping has one column for each of its keys, which an empty table does not have.
    """
    own: tuple[str, ...] | None = getattr(kind, "COLUMNS", None)
    return tuple(name.rstrip("_") for name in kind._fields if name not in spread_fields(kind)) if own is None else own


@cache
def spread_fields(kind: type[NamedTuple]) -> tuple[str, ...]:
    """Return the fields that are mappings, which are the last ones."""
    return tuple(name for name, value in kind._field_defaults.items() if isinstance(value, Mapping))


def cells_of(row: NamedTuple) -> Cells:
    """Return a row as plain values under its columns."""
    kind = type(row)
    found = dict(zip(columns_of(kind), row))
    for name in spread_fields(kind):
        found.update({f"{name} {key}": value for key, value in getattr(row, name).items()})
    return found


def row_from(kind: type[Row], cells: Mapping[str, Any]) -> Row:
    """Return a row from plain values under its columns; refuse other columns."""
    columns, spread = columns_of(kind), spread_fields(kind)
    more = {name: {key[len(name) + 1 :]: value for key, value in cells.items() if key.startswith(f"{name} ")} for name in spread}
    known = len(columns) + sum(map(len, more.values()))
    if len(cells) != known or not all(name in cells for name in columns):
        wrong = sorted({*columns} ^ {key for key in cells if not any(key.startswith(f"{name} ") for name in spread)})
        raise error("evaluation", f"have rows with the columns {', '.join(columns)}", f"other columns ({', '.join(wrong)[:80]})")
    return kind._make((*(cells[name] for name in columns), *more.values()))


class ResultTable(Sequence[Cells]):
    """Rows of plain values under named columns; a table without rows has columns, too.

    ``table[i]`` is a row, ``table["name"]`` is a column; iteration yields the rows.

    Examples
    --------
    >>> import ugt
    >>> ev = ugt.evaluate(ugt.Labels.from_counts([[6, 2], [1, 3]]), {"A": [[0.7, 0.3], [0.5, 0.5]]}, k=1, details=False)
    >>> ev.tables["cases"].columns[:2], ev.tables["cases"]["case"], ev.tables["flips"].columns[:3], len(ev.tables["flips"])
    (('case', 'n_annotations'), ['1', '0'], ('metric', 'k', 'model'), 0)
    """

    def __init__(self, values: Mapping[str, Sequence[Any]]) -> None:
        self.values = {name: list(column) for name, column in values.items()}

    @classmethod
    def of(cls, kind: type[NamedTuple], rows: Iterable[NamedTuple]) -> ResultTable:
        """Return a table of rows of a kind."""
        cells = [cells_of(row) for row in rows]
        return cls({name: [row[name] for row in cells] for name in (cells[0] if cells else columns_of(kind))})

    @property
    def columns(self) -> tuple[str, ...]:
        """The names of the columns."""
        return tuple(self.values)

    def __len__(self) -> int:
        return len(next(iter(self.values.values()), ()))

    @overload
    def __getitem__(self, at: int) -> Cells: ...
    @overload
    def __getitem__(self, at: slice) -> Sequence[Cells]: ...
    @overload
    def __getitem__(self, at: str) -> list[Any]: ...
    def __getitem__(self, at: int | slice | str) -> Cells | Sequence[Cells] | list[Any]:
        if isinstance(at, str):
            return self.values[at]
        if isinstance(at, slice):
            return [self[i] for i in range(len(self))[at]]
        return {name: column[at] for name, column in self.values.items()}

    def __eq__(self, other: object) -> bool:
        return list(self) == list(other) if isinstance(other, Sequence) else NotImplemented

    __hash__ = None  # type: ignore[assignment]

    def __repr__(self) -> str:
        more = f" and {len(self.columns) - MOST_COLUMNS:,} more" if len(self.columns) > MOST_COLUMNS else ""
        return f"ResultTable({len(self):,} rows of {', '.join(self.columns[:MOST_COLUMNS])}{more})"

    def _repr_html_(self) -> str:
        return table_html(self.columns, self)

    def csv_text(self) -> str:
        """Return the table as CSV with a header; undefined numbers are empty."""
        return csv_text(self.columns, zip(*self.values.values()))


def finite(value: float | None) -> float | None:
    """Return a number as it is in tables: None if it is undefined."""
    return None if value is None or not math.isfinite(value) else float(value)


def defined(value: Number) -> float:
    """Return a number that is known to be defined."""
    assert value is not None
    return value


def value_of(row: WithValue | None) -> Number:
    """Return the value of a row; None without a row."""
    return None if row is None else row.value


def values_of(rows: Iterable[WithValue | None]) -> list[float]:
    """Return the values of the rows that have one."""
    return [one for one in map(value_of, rows) if one is not None]


def both(interval: Iterable[Any]) -> tuple[Number, Number]:
    """Return both ends of an interval as cells."""
    low, high = interval
    return finite(low), finite(high)


def with_ends(value: float | None, interval: Iterable[Any]) -> tuple[Number, Number, Number]:
    """Return a value and both ends of its interval as cells."""
    return finite(value), *both(interval)


def reliability_key(value: float | None) -> str:
    """Return 10.0 as "10", 2.5 as "2.5", None as "given"."""
    return "given" if value is None else f"{value:g}"
