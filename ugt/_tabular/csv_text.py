"""Values as cells of CSV files, and their writer.

The writer puts an apostrophe before a cell that a spreadsheet would run as a formula, and the readers remove it. A formula begins a
cell, or follows a semicolon or tab within it, which end a cell in versions of Excel with decimal commas. Some programs read full-width
characters as the plain ones. Text that has the apostrophe already gets another one, so that different names remain different.
"""

from __future__ import annotations

import csv
import io
import math
import re
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

import numpy as np

from .._base.checkpoints import naming

_BEGIN, _FORMULA = r"((?:^|[;\t\r\n]) *)", "(?='*[=+\\-@\\t\\r\\n\uff1d\uff0b\uff0d\uff20])"
_CONTROL = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f]")
_UNGUARDED, _GUARDED = re.compile(_BEGIN + _FORMULA), re.compile(_BEGIN + "'" + _FORMULA)


def guarded(text: str) -> str:
    """Return the text as a cell that no spreadsheet runs as a formula."""
    return _UNGUARDED.sub(r"\1'", text)


def unguarded(cell: str) -> str:
    """Return the text of a cell that :func:`guarded` made."""
    return _GUARDED.sub(r"\1", cell) if "'" in cell else cell


def utf8(text: str) -> str:
    r"""Return text that files can hold: lone surrogates, as in a file name that is not UTF-8, are written as ``\udcff``."""
    return text.encode("utf-8", "backslashreplace").decode("utf-8")


def plain_value(value: object) -> Any:
    if isinstance(value, Mapping):
        return {plain_value(str(key)): plain_value(one) for key, one in value.items()}
    if isinstance(value, (list, tuple)):
        return [plain_value(one) for one in value]
    if isinstance(value, np.generic):
        value = value.item()
    if isinstance(value, str) and not value.isascii():
        return utf8(value)
    return None if isinstance(value, float) and not math.isfinite(value) else value


class _Lines:
    """A file to which each line of CSV is written with a line feed at its end."""

    def __init__(self, file: Any) -> None:
        self.file = file

    def write(self, line: str) -> int:
        return int(self.file.write(line[:-2] + "\n"))


def csv_writer(file: object) -> Any:
    """Return a ``csv.writer`` whose lines end in a line feed; it also quotes cells with a carriage return, which would begin a row."""
    return csv.writer(_Lines(file), lineterminator="\r\n")  # Python quotes cells with a character of its line terminator


def csv_cell(value: object) -> Any:
    """Return a value as a cell of a CSV file, with an apostrophe before text that spreadsheets would run as a formula.

    Control characters but tabs and line ends are written out as in the report, ``[U+001B]``: they would control the terminal on which the
    file is shown, and not every csv module reads or writes a NUL.
    """
    value = plain_value(value)
    if isinstance(value, float):
        return repr(value)
    if isinstance(value, str):
        return guarded(_CONTROL.sub(lambda found: f"[U+{ord(found.group()):04X}]", value))
    return "" if value is None else value


def write_rows(file: object, header: Iterable[Any], rows: Iterable[Iterable[Any]]) -> None:
    """Write a table with a header; undefined numbers are empty cells."""
    writer = csv_writer(file)
    writer.writerow([csv_cell(value) for value in header])
    writer.writerows([csv_cell(value) for value in row] for row in rows)


def write_csv(path: Path, header: Iterable[Any], rows: Iterable[Iterable[Any]]) -> None:
    """Write a table to a file, which an error of the system names."""
    with naming(path), open(path, "w", encoding="utf-8", newline="") as file:
        write_rows(file, header, rows)


def csv_text(header: Iterable[Any], rows: Iterable[Iterable[Any]]) -> str:
    out = io.StringIO()
    write_rows(out, header, rows)
    return out.getvalue()
