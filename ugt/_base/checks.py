"""Every check of user input, and its wording, once.

A message names the argument, what it must be, what it was, and where (the first offending case).
"""

from __future__ import annotations

import math
import numbers
import os
from typing import Any

import numpy as np

TIES = ("expectation", "first")
ALWAYS_THERE = 2**16  # bytes that no limit is asked about: a metric in a loop must not wait for the system


def error(argument: str, must: str, got: object, where: str = "") -> ValueError:
    """The one form of message: ``scores must be finite. Got nan, first at case 'p17'.``"""
    tail = f", first at {where}" if where else ""
    return ValueError(f"{argument} must {must}. Got {got}{tail}.")


def scalar(argument: str, value: Any, *, positive: bool = False) -> float:
    """A finite number, not negative or (``positive``) above 0."""
    number = (type(value) is float or (isinstance(value, numbers.Real) and not isinstance(value, bool))) and math.isfinite(value)
    if not number or value < 0 or (positive and value == 0):
        raise error(argument, "be a finite number above 0" if positive else "be a finite number of at least 0", repr(value))
    return float(value)


def finite(argument: str, value: Any) -> float:
    """A finite number."""
    if not isinstance(value, (int, float, np.integer, np.floating)) or isinstance(value, bool) or not np.isfinite(value):
        raise error(argument, "be a finite number", repr(value))
    return float(value)


def option(argument: str, value: Any, options: tuple[str, ...]) -> str:
    """One of the words that a keyword knows."""
    if not isinstance(value, str) or value not in options:
        raise error(argument, f"be one of {', '.join(map(repr, options))}", repr(value))
    return value


def whole(argument: str, value: Any, least: int = 1, most: int | None = None) -> int:
    """A whole number in a range."""
    number = type(value) is int or (isinstance(value, numbers.Integral) and not isinstance(value, bool))
    if not number or value < least or (most is not None and value > most):
        span = f"of at least {least}" if most is None else f"from {least} to {most}"
        raise error(argument, f"be a whole number {span}", repr(value))
    return int(value)


def room(what: str, n_bytes: float) -> None:
    """Refuse what would not fit into memory before it starts; ``n_bytes``: the least that it takes."""
    if n_bytes <= ALWAYS_THERE:
        return
    limit = _memory()
    if n_bytes > limit:
        got = f"{what} needs at least {n_bytes / 1e9:.3g} GB of memory, more than the {limit / 1e9:.3g} GB there are"
        raise MemoryError(f"{got} (the environment variable UGT_MEMORY sets another limit, in GB).")


def _memory() -> float:
    """Bytes that may be used: all of the machine's, or what the user says."""
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
    except (AttributeError, OSError, ValueError):  # Windows, and systems that do not tell
        return math.inf
