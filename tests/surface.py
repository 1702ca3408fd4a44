"""Public functions and classes by their names, whichever namespace of ``ugt`` has them."""

from __future__ import annotations

from functools import cache
from importlib import import_module
from typing import Any

import ugt

#: namespaces of functions of data: those of files, pictures and generated data, and states, are not among them
SPACES = [space for space in ugt._NAMESPACES if space not in ("dask", "io", "plots", "states", "synthetic")]


@cache
def every() -> dict[str, Any]:
    """Return all public names of ``SPACES``."""
    return {name: getattr(space, name) for space in (import_module(f"ugt.{one}") for one in SPACES) for name in space.__all__}


def public(name: str) -> Any:
    """Return what has this public name."""
    return every()[name]
