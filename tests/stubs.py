"""Make ``ugt/__init__.pyi``, which type checkers read, from the tables of ``ugt/__init__.py``: ``python tests/stubs.py``.

A test compares what is made with the files.
"""

from __future__ import annotations

import sys
from pathlib import Path

ROOT = Path(__file__).parents[1]
sys.path.insert(0, str(ROOT))  # these sources, whatever is installed

import ugt  # noqa: E402


def top() -> str:
    """Return the stub of the package: its version, its namespaces, and the names on top."""
    spaces = "".join(f"from . import {space} as {space}\n" for space in ugt._NAMESPACES)
    names = "".join(f"from .{home} import {name} as {name}\n" for home, names in ugt._TOP.items() for name in names.split())
    return f"{spaces}from ._base.version import __version__ as __version__\n{names}"


def made() -> dict[Path, str]:
    """Return the text of each stub."""
    return {ROOT / "ugt" / "__init__.pyi": top()}


if __name__ == "__main__":
    for path, text in made().items():
        path.write_text(text, encoding="utf-8")
