"""The one reader of ids of groups of cases, such as patients or sites."""

from __future__ import annotations

import numbers
from collections.abc import Mapping
from typing import Any

import numpy as np

from .._base import identifiers
from .._base.arrays import Array, NDArray
from .._base.checks import error
from .._base.names import alike, find
from .._base.wording import arg
from ..annotations.joins import ID, POSITION, Join, tell
from ..annotations.named import Sheet, check_counted, leader, per_case, placed, same


def ids_of_cases(argument: str, given: Any, n_cases: int, case_ids: Any = None, *, absent: Any = None, what: str = "an id") -> NDArray[Any]:
    """Return the id (N,) of every case, whatever form the ids were given in.

    Parameters
    ----------
    argument : str
        Name of the argument in messages.
    given : (N,) ids, Series, mapping of case id to id, or (case ids, ids)
        An array is in the order of the cases; the other forms are joined by case id, and may include other cases. A Series, or a frame
        of one column, is a mapping from its index (or its column for the case) to its values; an index that numbers the rows from 0 on
        because no ids were given is none.
    n_cases : int
        Number of cases N.
    case_ids : (N,) array, optional
        Default: 0 to N-1.
    absent : optional
        Id of cases that a mapping lacks, if it has some of them; ids may then be of any kind. Default: all cases need an id.
    what : str
        Name of an id in messages.

    Raises
    ------
    ValueError
        If a case has no id or two of them, or if the number of ids is wrong.
    """
    if isinstance(given, tuple) and len(given) == 2 and all(np.ndim(part) == 1 for part in given):
        if len(given[0]) != len(given[1]):
            raise error(argument, "have as many case ids as ids", f"{len(given[0])} and {len(given[1])}")
        given = _once(argument, *(identifiers.unmasked(part).tolist() for part in given))
    sheet = per_case(argument, given)
    if sheet is not None:
        known = None if case_ids is None or not len(case_ids) else np.asarray(case_ids)
        check_counted(argument, sheet, known)
        if sheet.rows is not None and not _positions(sheet.rows, known):
            tell(argument, Join(ID))
            return _located(argument, sheet.rows, sheet.values, np.arange(n_cases) if known is None else known, absent, what)
        given = sheet.values
    tell(argument, Join(ID if isinstance(given, Mapping) else POSITION))
    if isinstance(given, Mapping):
        return _joined(argument, given, np.arange(n_cases) if case_ids is None else case_ids, absent, what)
    must = f"be {n_cases} {what.rsplit(maxsplit=1)[-1]}s, one per case"
    try:
        found = identifiers.unmasked(given)
    except ValueError:
        raise error(argument, must, "rows of different lengths") from None
    if found.shape != (n_cases,):
        raise error(argument, must, f"shape {found.shape}")
    return found


def _located(argument: str, rows: NDArray[Any], values: NDArray[Any], case_ids: NDArray[Any], absent: object, what: str) -> NDArray[Any]:
    """Return the value of every case from values with ids, which may include other cases."""
    if same(rows, case_ids):
        return values
    column = identifiers.number(argument, rows)
    if len(column.ids) < len(column.code):
        _once(argument, rows.tolist(), values.tolist())
    at = find(column.ids, case_ids)
    without = np.flatnonzero(at < 0)
    if len(without) and (absent is None or len(without) == len(at)):
        raise _lacks(argument, case_ids, without, column.ids, what)
    found = values[column.first[at]]
    if not len(without):
        return np.asarray(found)
    every = np.empty(len(at), object)
    every[:] = found.tolist()
    every[without] = absent
    return every


def _positions(rows: NDArray[Any], case_ids: NDArray[Any] | None) -> bool:
    """Return whether ids of rows are 0 to N-1 in their order, though the cases have other ids: then they are positions."""
    if rows.dtype.kind not in "iu" or not np.array_equal(rows, np.arange(len(rows))):
        return False
    return case_ids is None or (len(rows) == len(case_ids) and bool((find(rows, case_ids) < 0).all()))


def numbers_in(listed: NDArray[Any]) -> Array:
    """Return the numbers (N,) of a column of cases; NaN for what is none."""
    if listed.dtype.kind in "iuf":
        return np.array(listed, np.float64)
    real = [isinstance(one, numbers.Real) and not isinstance(one, bool) for one in listed.tolist()]
    return np.array([float(one) if good else np.nan for one, good in zip(listed.tolist(), real)], np.float64)


def plain_ids(argument: str, given: object, n_cases: int) -> Any:
    """Return ids of cases that have none of their own; what has no names is returned as it is."""
    return given if isinstance(given, (np.ndarray, list)) else ids_of_cases(argument, given, n_cases)


def check_rows(argument: str, result: Any) -> None:
    """Refuse a result whose rows stand for several cases, or have weights, for a function that takes each row for one case."""
    if getattr(result, "_times", None) is not None or getattr(getattr(result, "_statistic", None), "times", None) is not None:
        got = "a result with " + arg("frequency", ...) + " or " + arg("case_weights", ...)
        raise error(argument, "be of rows that are one case each, for this function", got)


def shared_ids(argument: str, one: object, other: object) -> NDArray[Any] | None:
    """Return the case ids of two results, or of the one that knows them; refuse results of other cases, or of another order."""
    ids: NDArray[Any] | None = getattr(one, "case_ids", None)
    others: NDArray[Any] | None = getattr(other, "case_ids", None)
    if ids is None or others is None:
        return others if ids is None else ids
    differ = np.flatnonzero(ids.astype(str) != others.astype(str)) if len(ids) == len(others) else np.zeros(1, np.int64)
    if len(differ):
        at = int(differ[0])
        got = f"case {identifiers.name(others[at])} where the first has {identifiers.name(ids[at])}"
        must = "be of the same cases in the same order (take the labels or predictions in one order first)"
        raise error(argument, must, got, f"position {at}")
    return ids


def beside(argument: str, given: object, first: object) -> Any:
    """Return numbers of cases in the order of those of another record or table, by the ids of both, if both have them."""
    own, others = numbers_of_cases(argument, given), numbers_of_cases(argument, first)
    if own.rows is None or others.rows is None or same(own.rows, others.rows):
        return own.values
    return placed(argument, Sheet(own.values, own.rows), others.rows)


def numbers_of_cases(argument: str, given: object) -> Sheet:
    """Return the numbers of the cases of a record or a table, with the ids of the cases, if they have any."""
    if hasattr(given, "per_case"):
        check_rows(argument, given)
        return Sheet(given.per_case, getattr(given, "case_ids", None))
    return leader(argument, given)


def _once(argument: str, cases: list[Any], ids: list[Any]) -> dict[Any, Any]:
    found: dict[Any, Any] = {}
    for case, one in zip(cases, ids):
        if found.setdefault(case, one) != one:
            got = f"{found[case]!r} and {one!r}"
            raise error(argument, "be the same wherever a case occurs", got, f"case {identifiers.name(case)}")
    return found


def _joined(argument: str, given: Mapping[Any, Any], case_ids: NDArray[Any], absent: object, what: str) -> NDArray[Any]:
    known = {str(case): one for case, one in given.items()}
    names = [str(case) for case in case_ids.tolist()]
    without = [i for i, name in enumerate(names) if name not in known]
    if absent is not None and len(without) < len(names):
        found = np.empty(len(names), object)
        found[:] = [known.get(name, absent) for name in names]
        return found
    if without:
        raise _lacks(argument, case_ids, without, np.array(list(known)), what)
    return np.asarray([known[name] for name in names])


def _lacks(argument: str, case_ids: NDArray[Any], without: Any, known: NDArray[Any], what: str) -> ValueError:
    """Return the error for cases (positions) without a value, with the names of some that have one."""
    first = case_ids[without[0]]
    hint = alike(first, known) if len(known) else ""
    if len(known) and not hint and len(without) == len(case_ids):
        hint = f" (there is one for cases such as {identifiers.name(known[0])})"
    got = f"none for {len(without)} of {len(case_ids)} cases"
    return error(argument, f"hold {what} for every case", got, f"case {identifiers.name(first)}{hint}")
