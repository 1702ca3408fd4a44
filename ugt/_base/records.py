"""The display of records: a few lines of text, and HTML for notebooks without scripts or requests."""

from __future__ import annotations

import html
import math
from collections.abc import Iterable, Mapping, Sequence, Set
from dataclasses import fields, is_dataclass
from itertools import islice
from types import MappingProxyType
from typing import Any

import numpy as np

MOST_LINES = 20
NOTHING: Mapping[str, Any] = MappingProxyType({})
MOST_CHARACTERS = 80  # of one field
MOST_ROWS = 10  # of a table in a notebook


class Record:
    """The base of the records that functions return: its text is short, whatever the fields hold."""

    @property
    def joined(self) -> Mapping[str, Any]:
        """How the named arguments of the call were joined, by argument: their rows by ``"position"`` or ``"id"``, their columns by
        ``"position"`` or ``"name"`` (``""``: there are none).
        """
        found: Mapping[str, Any] = self.__dict__.get("_joined", NOTHING)
        return found

    def __repr__(self) -> str:
        return short(self)

    def _repr_html_(self) -> str:
        rows = "".join(f"<tr><th>{name}</th><td><bdi>{html.escape(value)}</bdi></td></tr>" for name, value in _shown(self))
        tables = [table_html(table.columns, table, name) for name, table in _tables_of(self)]
        return f"<p><strong>{type(self).__name__}</strong></p><table>{rows}</table>{''.join(tables)}"


def short(record: object) -> str:
    """Return the fields of a dataclass or named tuple as text of at most 20 lines."""
    shown = [f"{name}={value}" for name, value in _shown(record)]
    line = f"{type(record).__name__}({', '.join(shown)})"
    if len(line) <= 3 * MOST_CHARACTERS:
        return line
    if len(shown) > MOST_LINES - 2:
        shown[MOST_LINES - 3 :] = [f"... {len(shown) - MOST_LINES + 3} more"]
    return "\n".join([f"{type(record).__name__}(", *(f"    {one}," for one in shown), ")"])


def _shown(record: object) -> list[tuple[str, str]]:
    """Return the names and values of the fields to be shown."""
    if is_dataclass(record):
        return [(field.name, _short(getattr(record, field.name))) for field in fields(record) if field.repr]
    return [(name, _short(value)) for name, value in (record._asdict() if hasattr(record, "_asdict") else vars(record)).items()]


def _short(value: Any) -> str:
    """Return a value as text of one line."""
    if isinstance(value, np.ndarray) and value.size > MOST_ROWS:
        return f"<{' x '.join(map(str, value.shape))} array of {value.dtype}>"
    sized = isinstance(value, (Mapping, list, tuple, Set))
    shown = "" if sized and len(value) > MOST_ROWS else repr(value[:MOST_CHARACTERS] if isinstance(value, str) else value)
    if shown and len(shown) <= MOST_CHARACTERS and "\n" not in shown:
        return shown
    if sized and value:
        return f"<{type(value).__name__} of {len(value):,}: {', '.join(_cut(repr(one), 20) for one in islice(value, 3))} ...>"
    return f"<{type(value).__name__}>" if hasattr(value, "__dict__") else _cut(" ".join(shown.split()), MOST_CHARACTERS)


def _cut(text: str, most: int) -> str:
    return text if len(text) <= most else f"{text[:most]}..."


def _tables_of(record: object) -> Iterable[tuple[str, Any]]:
    """Yield the names and tables among the fields of a record, and in mappings among them."""
    for field in fields(record) if is_dataclass(record) else ():
        value = getattr(record, field.name)
        named = value.items() if isinstance(value, Mapping) else [(field.name, value)]
        yield from ((str(name), table) for name, table in named if hasattr(table, "csv_text"))


def table_html(columns: Sequence[str], rows: Sequence[Mapping[str, Any]], name: str = "") -> str:
    """Return the first rows of a table as HTML; with a name, folded under it."""
    head = "".join(f"<th>{html.escape(column)}</th>" for column in columns)
    shown = rows[:MOST_ROWS]
    body = "".join("<tr>" + "".join(f"<td><bdi>{_cell(row[column])}</bdi></td>" for column in columns) + "</tr>" for row in shown)
    more = f"<p>{len(rows) - len(shown):,} more rows</p>" if len(rows) > len(shown) else ""
    table = f"<table><thead><tr>{head}</tr></thead><tbody>{body}</tbody></table>{more}"
    return f"<details><summary>{html.escape(name)} ({len(rows):,} rows)</summary>{table}</details>" if name else table


def _cell(value: object) -> str:
    if value is None or (isinstance(value, float) and math.isnan(value)):
        return ""
    return f"{value:.4g}" if isinstance(value, float) else html.escape(_cut(str(value), MOST_CHARACTERS))
