"""Calls that must be refused, and in which words."""

from __future__ import annotations

from typing import Any, Callable

import pytest


def refused(message: str, function: Callable[..., Any], /, *given: Any, error: Any = ValueError, **options: Any) -> None:
    """The function raises the error when it is called so; ``message`` is a pattern that is found in what it says."""
    with pytest.raises(error, match=message):
        function(*given, **options)
