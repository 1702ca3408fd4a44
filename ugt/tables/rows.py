"""Tables of an evaluation: columns of equal length, read row by row, and written as CSV."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, overload

from .._base.records import table_html
from .._tabular.csv_text import csv_text

CERTAINTY = "certainty_"  # prefix of the reliability, in the columns of the table of cases
STRATA = ("agreement", "certainty", "annotations per case")  # of every evaluation; all others are subgroups that were given
MOST_COLUMNS = 40  # most columns that the repr names
Row = dict[str, Any]  # column to plain value; None if a value is undefined


class ResultTable(Sequence[Row]):
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
    def of(cls, columns: Iterable[str], rows: Iterable[Mapping[str, Any]]) -> ResultTable:
        """Return a table of rows with the same columns; ``columns`` are used if there are no rows."""
        rows = list(rows)
        return cls({name: [row[name] for row in rows] for name in (rows[0] if rows else columns)})

    @property
    def columns(self) -> tuple[str, ...]:
        """The names of the columns."""
        return tuple(self.values)

    def __len__(self) -> int:
        return len(next(iter(self.values.values()), ()))

    @overload
    def __getitem__(self, at: int) -> Row: ...
    @overload
    def __getitem__(self, at: slice) -> Sequence[Row]: ...
    @overload
    def __getitem__(self, at: str) -> list[Any]: ...
    def __getitem__(self, at: int | slice | str) -> Row | Sequence[Row] | list[Any]:
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


def finite(value: Any) -> float | None:
    """Return a number as it is in tables: None if it is undefined."""
    return None if value is None or not math.isfinite(value) else float(value)


def ends_of(interval: Iterable[Any], low: str = "low", high: str = "high") -> Row:
    """Return both ends of an interval as cells."""
    return dict(zip((low, high), map(finite, interval)))


def reliability_key(value: float | None) -> str:
    """Return 10.0 as "10", 2.5 as "2.5", None as "given"."""
    return "given" if value is None else f"{value:g}"
