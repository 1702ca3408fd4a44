"""Subgroups of cases (such as the site, the sex, the age band) from a CSV file: a column for the case, one for each way to divide."""

from __future__ import annotations

import os

from .._base.checks import error
from .._tabular.csv_table import Table
from .._tabular.roles import find_roles
from .._tabular.source import Source


def read_subgroups(path: str | os.PathLike[str]) -> dict[str, dict[str, str]]:
    r"""Read the subgroups of cases.

    Parameters
    ----------
    path : str or path-like
        A CSV file with a column for the case and at least one other; every other column is a division of the cases, such as
        the site. A row a case. Blank cells stay blank.

    Returns
    -------
    dict of str to dict of str to str
        Name of the column → case → its subgroup.

    Raises
    ------
    ValueError
        If there is no column for the case, none beside it, one without a name, a blank case, or a case that stands twice;
        the message names the file and the line or case.

    Examples
    --------
    >>> import os, tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     path = os.path.join(folder, "sites.csv")
    ...     with open(path, "w") as file:
    ...         _ = file.write("case,site,age\n1,north,40-59\n2,south,\n")
    ...     found = read_subgroups(path)
    >>> found["site"]
    {'1': 'north', '2': 'south'}
    >>> found["age"]
    {'1': '40-59', '2': ''}
    """
    try:
        return _subgroups(Table(Source(path)))
    except ValueError as problem:
        raise ValueError(f"{os.fspath(path)}: {problem}") from None


def _subgroups(table: Table) -> dict[str, dict[str, str]]:
    role = find_roles(table.header, {}, ("case",))
    others = [c for c in range(len(table.header)) if c != role.get("case")]
    if not role or not others:
        must = "have a column case and at least one more, for the subgroups"
        raise error("file", must, ", ".join(map(repr, table.header)))
    nameless = [c for c in others if not table.header[c]]
    if nameless:
        raise error("columns", "have names", "a blank one", f"column {nameless[0] + 1}")
    case, *cells = table.coded([role["case"]], *([c] for c in others))
    cases = table.ids(case, "case").astype(str).tolist()
    seen: dict[str, int] = {}
    for row, name in enumerate(cases):
        if name in seen:
            raise error("case", "stand once", f"{name!r} twice", table.place(row))
        seen[name] = row
    return {table.header[c]: dict(zip(cases, [one.values[i] for i in one.codes[:, 0].tolist()])) for c, one in zip(others, cells)}
