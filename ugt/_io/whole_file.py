"""Files that appear whole or not at all."""

from __future__ import annotations

import os
from contextlib import suppress
from typing import Any


def write_text(path: Any, text: str) -> None:
    """Write a file whole or not at all: a temporary name in its folder, then a rename."""
    import tempfile  # noqa: PLC0415  (what only writing needs)

    folder, file_name = os.path.split(os.path.abspath(path))
    handle, name = tempfile.mkstemp(prefix=f".{file_name}.", dir=folder)
    try:
        with os.fdopen(handle, "w", encoding="utf-8", newline="") as file:
            file.write(text)
        os.chmod(name, 0o666 & ~_umask())
        os.replace(name, path)
    except BaseException:
        with suppress(FileNotFoundError):  # interrupted after the rename
            os.unlink(name)
        raise


def _umask() -> int:
    mask = os.umask(0)
    os.umask(mask)
    return mask
