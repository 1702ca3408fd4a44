"""A table without some of its columns."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from .._base.arrays import Array
from .cells import Coded
from .csv_table import CellTable
from .roles import columns_called


class Some(CellTable):
    """Some columns of a table, as a table."""

    def __init__(self, table: CellTable, keep: Sequence[int]) -> None:
        self._table, self._keep = table, list(keep)
        self.header = [table.header[c] for c in keep]
        self.hidden = frozenset(i for i, c in enumerate(keep) if c in table.hidden)
        self.case, self.decimal, self.semicolons, self.of_numbers = table.case, table.decimal, table.semicolons, table.of_numbers

    def _at(self, columns: Sequence[int]) -> list[int]:
        return [self._keep[c] for c in columns]

    def coded(self, *groups: Sequence[int]) -> list[Coded]:
        self._table.decimal = self.decimal
        return self._table.coded(*map(self._at, groups))

    def numbers(self, columns: Sequence[int]) -> Array:
        self._table.decimal = self.decimal
        return self._table.numbers(self._at(columns))

    def categories(self, columns: Sequence[int]) -> Any:
        return self._table.categories(self._at(columns))

    def place(self, row: int) -> str:
        return self._table.place(row)

    def places(self) -> Iterator[str]:
        return self._table.places()

    def sources(self) -> Mapping[str, Sequence[int]]:
        self._table.used = {role: self._at(columns) for role, columns in self.used.items()}
        return {role: [self._keep.index(c) for c in columns if c in self._keep] for role, columns in self._table.sources().items()}


def without(table: CellTable, ignored: Sequence[str]) -> CellTable:
    """Return a table without the columns that match names or patterns."""
    gone = columns_called(table.header, "ignore_columns", ignored)
    return Some(table, [c for c in range(len(table.header)) if c not in gone]) if gone else table
