"""Cells of CSV files that a spreadsheet would run: an apostrophe stands before them, which the readers take away again.

A formula begins a cell; or it follows what ends a cell where semicolons or tabs do, as in Excel where decimals have commas. Some
programs take full-width forms for the plain ones. Text that has the apostrophe already gets another one, so that no two names become one.
"""

from __future__ import annotations

import re

_BEGIN, _FORMULA = r"((?:^|[;\t\r\n]) *)", "(?='*[=+\\-@\\t\\r\\n\uff1d\uff0b\uff0d\uff20])"
_UNGUARDED, _GUARDED = re.compile(_BEGIN + _FORMULA), re.compile(_BEGIN + "'" + _FORMULA)


def guarded(text: str) -> str:
    """The text as a cell that no spreadsheet runs."""
    return _UNGUARDED.sub(r"\1'", text)


def unguarded(cell: str) -> str:
    """The text of such a cell."""
    return _GUARDED.sub(r"\1", cell) if "'" in cell else cell
