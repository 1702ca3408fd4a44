"""Every check of user input, and its wording, once.

A message names the argument, what it must be, what it was, and where (the first offending case).
"""

from __future__ import annotations

import math
import numbers
from typing import Any

TIES = ("expectation", "first")


def error(argument: str, must: str, got: object, where: str = "") -> ValueError:
    """The one form of message: ``scores must be finite. Got nan, first at case 'p17'.``"""
    tail = f", first at {where}" if where else ""
    return ValueError(f"{argument} must {must}. Got {got}{tail}.")


def scalar(argument: str, value: Any, *, positive: bool = False) -> float:
    """A finite number, not negative or (``positive``) above 0."""
    number = isinstance(value, numbers.Real) and not isinstance(value, bool) and math.isfinite(value)
    if not number or value < 0 or (positive and value == 0):
        raise error(argument, "be a finite number above 0" if positive else "be a finite number of at least 0", repr(value))
    return float(value)


def option(argument: str, value: Any, options: tuple[str, ...]) -> str:
    """One of the words that a keyword knows."""
    if not isinstance(value, str) or value not in options:
        raise error(argument, f"be one of {', '.join(map(repr, options))}", repr(value))
    return value


def whole(argument: str, value: Any, least: int = 1, most: int | None = None) -> int:
    """A whole number in a range."""
    number = isinstance(value, numbers.Integral) and not isinstance(value, bool)
    if not number or value < least or (most is not None and value > most):
        span = f"of at least {least}" if most is None else f"from {least} to {most}"
        raise error(argument, f"be a whole number {span}", repr(value))
    return int(value)
