"""The column of a table of counts that says how many equal cases each row stands for."""

from __future__ import annotations

import os
from collections.abc import Sequence
from typing import Any

from .._base.checks import error
from .._base.names import listed
from .._tabular.foreign import table_of
from .._tabular.roles import MOST_SHOWN, find_roles
from .._tabular.source import Source, naming


def check_frequency(path: str | os.PathLike[str], column: str, *, encoding: str = "utf-8", header: bool = True) -> None:
    """Refuse a file that lacks the column."""
    with naming(path):
        found = table_of(Source(path, encoding), None, "auto", header).header
        if column not in found:
            raise error("frequency", f"be one of the columns {listed(found, MOST_SHOWN)}", repr(column))


def frequency_column(
    path: str | os.PathLike[str],
    column: str,
    case: Sequence[str] = (),
    *,
    decimal: str = "auto",
    encoding: str = "utf-8",
    header: bool = True,
) -> Any:
    """Return the numbers of a column: by case, or in the order of the rows if the table has no column (or columns) of the ``case``."""
    with naming(path):
        table = table_of(Source(path, encoding), list(case) or None, decimal, header)
        at = table.header.index(column)
        if not case:
            (cells,) = table.coded([at])
            return table.converted(cells, "frequency")[:, 0]
        role = find_roles(table.header, table.case or {"case": case[0]}, ("case",))
        own, cells = table.coded([role["case"]], [at])
        named = table.numbered(own, "case")
        table.check_once(named)
        return dict(zip(named.ids[named.code].astype(str).tolist(), table.converted(cells, "frequency")[:, 0].tolist()))
