"""Calls that must be refused, or warn, and in which words."""

from __future__ import annotations

import re
from typing import Any, Callable

import pytest


def refused(message: str, function: Callable[..., Any], /, *given: Any, error: Any = ValueError, **options: Any) -> None:
    """The function raises the error when it is called so; ``message`` is a pattern that is found in what it says."""
    with pytest.raises(error, match=message):
        function(*given, **options)


def warned(message: str, function: Callable[..., Any], /, *given: Any, **options: Any) -> Any:
    """What the function answers when it is called so; it must warn, too, in words in which the pattern is found."""
    with pytest.warns(RuntimeWarning, match=message):
        return function(*given, **options)


def results(out: str) -> str:
    """What a command printed behind the lines on what it read."""
    lines = out.splitlines(keepends=True)
    return "".join(
        line
        for line in lines
        if not re.search(r": (labels|rankings|ratings|predictions|clusters|subgroups)( of .*)?( \(.*\))?: .*\.$", line)
    )
