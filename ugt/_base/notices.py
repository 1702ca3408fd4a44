"""Warnings of the package, which a computation may hear in the place of the user: it reports what they say, or leaves them out.

Not ``warnings.catch_warnings``, which changes what all threads do.
"""

from __future__ import annotations

import sys
import threading
import warnings
from collections.abc import Iterator
from contextlib import contextmanager

_own = threading.local()  # of each thread: lists of what is heard, the innermost last


def warn(message: str, category: type[Warning] = RuntimeWarning, *, stacklevel: int = 2) -> None:
    """A warning at the line ``stacklevel`` - 1 calls above the one that calls this, unless somebody hears it."""
    lists = getattr(_own, "lists", None)
    if lists:
        lists[-1].append(message)
    else:
        warnings.warn(message, category, stacklevel=stacklevel + 1)


def note(message: str) -> None:
    """A warning on how input was read, at the line that called the package, unless somebody hears it."""
    frame, level = sys._getframe(1), 2
    while frame.f_back is not None and frame.f_globals.get("__name__", "").partition(".")[0] == __name__.partition(".")[0]:
        frame, level = frame.f_back, level + 1
    warn(message, UserWarning, stacklevel=level)


@contextmanager
def heard() -> Iterator[list[str]]:
    """What the package warns of in this thread, as a list that grows; nobody else hears it."""
    lists = _own.__dict__.setdefault("lists", [])
    lists.append([])
    try:
        yield lists[-1]
    finally:
        lists.pop()
