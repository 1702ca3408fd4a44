"""The checks of user input and the wording of their messages.

A message names the argument, what it must be, the value that was given, and the first place where it is wrong.
"""

from __future__ import annotations

import math
import numbers
import os
from collections.abc import Iterable
from typing import Any, Callable

import numpy as np

from .wording import Refusal, arg

TIES = ("expectation", "first")
MOST_WHOLE = 2**63 - 1
ALWAYS_THERE = 2**16  # bytes that are not checked against the limit: a metric in a loop must not wait for the system


def error(argument: str, must: str, got: object, where: str = "", *, way: str = "") -> ValueError:
    """Return an error with the one form of message: ``scores must be finite. Got nan, first at case 'p17'.``

    ``way`` is a way on, which follows the requirement in brackets. What names an argument in ``must`` or ``way`` is an
    :func:`~ugt._base.wording.arg`, so that a command can name its option instead.
    """
    return ValueError(Refusal(argument, must, got, where, way))


class Twice(ValueError):
    """An error of a JSON object that has one field twice."""


def once(argument: str) -> Callable[[Iterable[tuple[Any, Any]]], dict[Any, Any]]:
    """Return an ``object_pairs_hook`` that rejects an object with one field twice, whose first value would be lost."""

    def checked(pairs: Iterable[tuple[Any, Any]]) -> dict[Any, Any]:
        listed = list(pairs)
        found = dict(listed)
        if len(found) < len(listed):
            names = [name for name, _ in listed]
            name = next(name for name in names if names.count(name) > 1)
            raise Twice(Refusal(argument, "have each field of an object once", f"{str(name)[:80]!r} twice"))
        return found

    return checked


def scalar(argument: str, value: Any, *, positive: bool = False) -> float:
    """Return a finite number of at least 0 or, if ``positive``, above 0; reject other values."""
    number = (type(value) is float or (isinstance(value, numbers.Real) and not isinstance(value, bool))) and _is_finite(value)
    if not number or value < 0 or (positive and value == 0):
        raise error(argument, "be a finite number above 0" if positive else "be a finite number of at least 0", repr(value))
    return float(value)


def _is_finite(value: Any) -> bool:
    try:
        return math.isfinite(value)
    except OverflowError:  # a whole number outside the range of doubles
        return False


def instance(argument: str, value: Any, kinds: Any, must: str) -> None:
    """Reject a value that is of none of these types."""
    if not isinstance(value, kinds):
        raise TypeError(Refusal(argument, must, type(value).__name__))


def flag(argument: str, value: object) -> bool:
    """Return the value if it is True or False; reject others."""
    if not isinstance(value, (bool, np.bool_)):
        raise error(argument, "be True or False", repr(value))
    return bool(value)


def function(argument: str, value: object) -> None:
    """Reject a value that cannot be called."""
    if not callable(value):
        raise error(argument, "be a function", repr(value))


def finite(argument: str, value: object) -> float:
    """Return a finite number; reject other values."""
    if not isinstance(value, (int, float, np.integer, np.floating)) or isinstance(value, bool) or not _is_finite(value):
        raise error(argument, "be a finite number", repr(value))
    return float(value)


def option(argument: str, value: object, options: tuple[str, ...]) -> str:
    """Return the value if it is one of the options; reject others."""
    if not isinstance(value, str) or value not in options:
        raise error(argument, f"be one of {', '.join(map(repr, options))}", repr(value))
    return value


def whole(argument: str, value: Any, least: int = 1, most: int | None = None) -> int:
    """Return a whole number in a range; reject other values."""
    number = type(value) is int or (isinstance(value, numbers.Integral) and not isinstance(value, bool))
    if not number or value < least or value > (MOST_WHOLE if most is None else most):
        unlimited = most is None and not (number and value > MOST_WHOLE)
        span = f"of at least {least}" if unlimited else f"from {least} to {MOST_WHOLE if most is None else most}"
        raise error(argument, f"be a whole number {span}", repr(value))
    return int(value)


def multiple(argument: str, value: int, of: str, n: int) -> None:
    """Reject a number that is no multiple of ``n``, which is the value of the argument ``of``."""
    if value % n:
        raise error(argument, "be a multiple of " + arg(of, n), value)


def room(what: str, n_bytes: float) -> None:
    """Reject a task that needs at least ``n_bytes`` of memory if there is less, before it starts."""
    if n_bytes <= ALWAYS_THERE:
        return
    limit = _memory()
    if n_bytes > limit:
        got = f"{what} needs at least {n_bytes / 1e9:.3g} GB of memory, more than the {limit / 1e9:.3g} GB that are available"
        raise MemoryError(f"{got} (the environment variable UGT_MEMORY sets another limit, in GB).")


def _memory() -> float:
    """Return the bytes that may be used: all of the machine's, or those of the environment variable."""
    said = os.environ.get("UGT_MEMORY")
    if said:
        try:
            limit = float(said)
        except ValueError:
            limit = math.nan
        if not limit > 0:
            raise error("the environment variable UGT_MEMORY", "be a number of GB above 0", repr(said))
        return 1e9 * limit
    try:
        return float(os.sysconf("SC_PAGE_SIZE")) * os.sysconf("SC_PHYS_PAGES")
    except (AttributeError, OSError, ValueError):  # Windows, and systems that do not give the number
        return _memory_of_windows()


def _memory_of_windows() -> float:
    """Return the bytes of the machine; infinity elsewhere."""
    try:
        from ctypes import byref, c_uint64, windll  # type: ignore[attr-defined]  # noqa: PLC0415  (only there, and seldom needed)

        status = (c_uint64 * 8)(64)  # MEMORYSTATUSEX of 64 bytes, whose size and load share the first word; then all memory
        return float(status[1]) if windll.kernel32.GlobalMemoryStatusEx(byref(status)) else math.inf
    except (ImportError, AttributeError, OSError):
        return math.inf
