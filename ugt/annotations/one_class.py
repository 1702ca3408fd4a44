"""The class whose scores a single column holds, by the name of the column."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from .._base import identifiers
from .._base.arrays import NDArray
from .._base.checks import error
from .._base.names import find
from .named import case_column_of


def class_named(argument: str, given: object, classes: NDArray[Any] | None) -> int | None:
    """Return the position of the class whose name a column of scores has; None if it has that of none.

    A column that is numbered 0 may be the class 0 or have no name: it is asked for. So is none that pandas numbered by itself.
    """
    names = [] if classes is None else _names_of(argument, given, classes)
    if len(names) != 1:
        return None
    at = int(find(np.asarray(classes), np.array([str(names[0])]))[0])
    if at == 0 and not isinstance(names[0], str):
        must = f"say whether its numbers are of the class {names[0]} (name the column of another class after it, or give an array)"
        raise error(argument, must, f"a column with the number {names[0]} as its name")
    return at if at >= 0 else None


def check_second(argument: str, given: object, classes: NDArray[Any] | None) -> None:
    """Refuse a column that is named after the first of two classes, where one column holds the scores of the second."""
    if classes is not None and len(classes) == 2 and class_named(argument, given, classes) == 0:
        first, second = (identifiers.name(one) for one in classes)
        raise error(argument, f"be of the class {second}, the second of two, if they are one column", f"a column named {first}")


def _names_of(argument: str, given: object, classes: NDArray[Any]) -> list[Any]:
    """Return the names of the columns of scores."""
    if isinstance(given, Mapping):
        return list(given) if len(given) == 1 and np.ndim(next(iter(given.values()))) == 1 else []
    if identifiers.is_frame(given):
        if type(getattr(given, "columns", None)).__name__ == "RangeIndex":
            return []
        case = case_column_of(argument, given, classes)
        return [name for name in identifiers.columns_of(given) if case is None or name != case]
    name = getattr(given, "name", None)
    return [] if name is None or callable(name) or isinstance(given, np.ndarray) else [name]
