"""The one reader of ids of groups of cases, such as patients or sites."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from .._base import identifiers
from .._base.arrays import NDArray
from .._base.checks import error
from .._base.names import alike


def ids_of_cases(argument: str, given: Any, n_cases: int, case_ids: Any = None, *, absent: Any = None, what: str = "an id") -> NDArray[Any]:
    """Return the id (N,) of every case, whatever form the ids were given in.

    Parameters
    ----------
    argument : str
        Name of the argument in messages.
    given : (N,) ids, mapping of case id to id, or (case ids, ids)
        An array is in the order of the cases; the other two forms are joined by case id, and may include other cases.
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


def shared_ids(argument: str, one: Any, other: Any) -> NDArray[Any] | None:
    """Return the case ids of two results, or of the one that knows them; refuse results of other cases, or of another order."""
    ids: NDArray[Any] | None = getattr(one, "_case_ids", None)
    others: NDArray[Any] | None = getattr(other, "_case_ids", None)
    if ids is None or others is None:
        return others if ids is None else ids
    differ = np.flatnonzero(ids.astype(str) != others.astype(str)) if len(ids) == len(others) else np.zeros(1, np.int64)
    if len(differ):
        at = int(differ[0])
        got = f"case {identifiers.name(others[at])} where the first has {identifiers.name(ids[at])}"
        must = "be of the same cases in the same order (take the labels or predictions in one order first)"
        raise error(argument, must, got, f"position {at}")
    return ids


def _once(argument: str, cases: list[Any], ids: list[Any]) -> dict[Any, Any]:
    found: dict[Any, Any] = {}
    for case, one in zip(cases, ids):
        if found.setdefault(case, one) != one:
            got = f"{found[case]!r} and {one!r}"
            raise error(argument, "be the same wherever a case occurs", got, f"case {identifiers.name(case)}")
    return found


def _joined(argument: str, given: Mapping[Any, Any], case_ids: NDArray[Any], absent: Any, what: str) -> NDArray[Any]:
    known = {str(case): one for case, one in given.items()}
    names = [str(case) for case in case_ids.tolist()]
    without = [i for i, name in enumerate(names) if name not in known]
    if absent is not None and len(without) < len(names):
        found = np.empty(len(names), object)
        found[:] = [known.get(name, absent) for name in names]
        return found
    if without:
        got = f"none for {len(without)} of {len(names)} cases"
        first = without[0]
        hint = alike(names[first], np.array(list(known))) if known else ""
        if known and not hint and len(without) == len(names):
            hint = f" (there is one for cases such as {next(iter(known))!r})"
        raise error(argument, f"hold {what} for every case", got, f"case {identifiers.name(case_ids[first])}{hint}")
    return np.asarray([known[name] for name in names])
