"""Warnings of the package, which a computation can collect instead of the user, to report them elsewhere or to leave them out.

``warnings.catch_warnings`` is not used, because it acts on all threads.
"""

from __future__ import annotations

import sys
import threading
import warnings
from collections.abc import Iterator
from contextlib import contextmanager

from .notes import Note, noted

WRAPPER = "told_joins"  # the name of the function that decorates public ones
_own = threading.local()  # for each thread: lists of collected warnings, the innermost last


def warn(message: str | Note, category: type[Warning] = RuntimeWarning, *, stacklevel: int = 2) -> None:
    """Warn at the line ``stacklevel`` - 1 calls above the caller, unless :func:`heard` collects the warning."""
    lists = getattr(_own, "lists", None)
    if lists:
        lists[-1].append(noted(message))
        return
    frame, level, left = sys._getframe(1), 2, stacklevel - 1
    while left > 0 and frame.f_back is not None:
        frame, level = frame.f_back, level + 1
        left -= frame.f_code.co_name != WRAPPER  # the line that called the public function, not its decorator
    warnings.warn(message.text if isinstance(message, Note) else message, category, stacklevel=level)


def undefined(reason: str, *, stacklevel: int = 2) -> None:
    """Warn of the reason why a number is undefined."""
    warn(Note("undefined", "undefined: {reason}", reason=reason), stacklevel=stacklevel + 1)


def note(message: Note) -> None:
    """Warn how input was read, at the line that called the package, unless :func:`heard` collects the warning."""
    frame, level = sys._getframe(1), 2
    while frame.f_back is not None and frame.f_globals.get("__name__", "").partition(".")[0] == __name__.partition(".")[0]:
        frame, level = frame.f_back, level + 1
    warn(message, UserWarning, stacklevel=level)


@contextmanager
def heard() -> Iterator[list[Note]]:
    """Collect the warnings of the package in this thread as notes in a list that grows; the user does not see them."""
    lists = _own.__dict__.setdefault("lists", [])
    lists.append([])
    try:
        yield lists[-1]
    finally:
        lists.pop()
