"""Values as cells of CSV files, and what writes them.

Before a cell that a spreadsheet would run stands an apostrophe, which the readers take away again. A formula begins a cell; or it follows
what ends a cell where semicolons or tabs do, as in Excel where decimals have commas. Some programs take full-width forms for the plain
ones. Text that has the apostrophe already gets another one, so that no two names become one.
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

_BEGIN, _FORMULA = r"((?:^|[;\t\r\n]) *)", "(?='*[=+\\-@\\t\\r\\n\uff1d\uff0b\uff0d\uff20])"
_UNGUARDED, _GUARDED = re.compile(_BEGIN + _FORMULA), re.compile(_BEGIN + "'" + _FORMULA)


def guarded(text: str) -> str:
    """The text as a cell that no spreadsheet runs."""
    return _UNGUARDED.sub(r"\1'", text)


def unguarded(cell: str) -> str:
    """The text of such a cell."""
    return _GUARDED.sub(r"\1", cell) if "'" in cell else cell


def utf8(text: str) -> str:
    r"""Text that files can hold: halves of pairs, such as of a file name whose bytes are no UTF-8, as ``\udcff``."""
    return text.encode("utf-8", "backslashreplace").decode("utf-8")


def plain_value(value: Any) -> Any:
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
    """A file that gets each line of CSV with a line feed at its end."""

    def __init__(self, file: Any) -> None:
        self.file = file

    def write(self, line: str) -> int:
        return int(self.file.write(line[:-2] + "\n"))


def csv_writer(file: Any) -> Any:
    """``csv.writer`` with lines that end in a line feed; cells with a carriage return are quoted too, or they would begin a row."""
    return csv.writer(_Lines(file), lineterminator="\r\n")  # Python quotes what its end of line holds


def csv_cell(value: Any) -> Any:
    """A value as a cell of a CSV file; an apostrophe stands before what spreadsheets would run, and may be taken away again.

    A NUL, which not every csv module reads or writes, is spelled out as in the report.
    """
    value = plain_value(value)
    if isinstance(value, float):
        return repr(value)
    if isinstance(value, str):
        return guarded(value.replace("\0", "[U+0000]"))
    return "" if value is None else value


def write_rows(file: Any, header: Iterable[Any], rows: Iterable[Iterable[Any]]) -> None:
    """A table with a header; undefined numbers are empty."""
    writer = csv_writer(file)
    writer.writerow([csv_cell(value) for value in header])
    writer.writerows([csv_cell(value) for value in row] for row in rows)


def write_csv(path: Path, header: Iterable[Any], rows: Iterable[Iterable[Any]]) -> None:
    with open(path, "w", encoding="utf-8", newline="") as file:
        write_rows(file, header, rows)


def csv_text(header: Iterable[Any], rows: Iterable[Iterable[Any]]) -> str:
    out = io.StringIO()
    write_rows(out, header, rows)
    return out.getvalue()
