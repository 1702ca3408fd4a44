"""The columns that are chosen on the command line: in every file (NAME), or in one of them (FILE=NAME)."""

from __future__ import annotations

import argparse
import os
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from .._base.checks import error
from .._base.names import listed


def chosen(options: argparse.Namespace, name: str, path: str, *, own: bool = False) -> list[str]:
    """Return what an option chooses in a file: by the words for this file, else by those for every file (unless ``own``); may be empty."""
    words = getattr(options, name, None)
    given = [words] if isinstance(words, str) else words or []
    pairs = [(file, column) for file, sign, column in (word.partition("=") for word in given) if sign and _is_name_of(file, path)]
    if pairs or own:
        return [column for _, column in pairs]
    return [word for word in given if "=" not in word or not _names_a_file(word.partition("=")[0], options)]


def column(options: argparse.Namespace, role: str, path: str) -> str | None:
    """Return the column of a role in a file; None if it is not given."""
    found = chosen(options, f"{role}_column", path)
    if len(found) > 1:
        raise error(f"--{role}-column", "be given once for a file", listed(map(repr, found)))
    return found[0] if found else None


def case_given(options: argparse.Namespace, path: str) -> Any:
    """Return the column of the case in a file, or several that identify it together; None if it is not given."""
    found = chosen(options, "case_column", path)
    return None if not found else found[0] if len(found) == 1 else found


def columns_given(options: argparse.Namespace, roles: Sequence[str], path: str) -> dict[str, Any]:
    """Return the columns of a file that are given, by role."""
    found: dict[str, Any] = {role: name for role in roles if (name := column(options, role, path)) is not None}
    case = case_given(options, path)
    return found if case is None else {**found, "case": case}


def _is_name_of(name: str, path: str) -> bool:
    return name in (path, os.path.basename(path), Path(path).stem)


def _names_a_file(name: str, options: argparse.Namespace) -> bool:
    """Return whether a word is the name of a file of this command."""
    words = [word for value in vars(options).values() for word in (value if isinstance(value, list) else [value])]
    paths = [path for word in words if isinstance(word, str) for path in (word, word.partition("=")[2]) if path]
    return any(_is_name_of(name, path) for path in paths)
