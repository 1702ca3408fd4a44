"""Files that appear whole or not at all."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from typing import IO, Any


@contextmanager
def whole_file(path: Any) -> Iterator[IO[bytes]]:
    """A file to write to, in the folder of ``path``; at the end it takes its place, and if anything fails it goes."""
    # Named before it is there: whenever Ctrl-C comes, it is known what to remove.
    draft = os.path.join(os.path.dirname(os.path.abspath(path)), f".ugt-{os.urandom(8).hex()}")
    try:
        with _opened(draft, path) as file:
            yield file
        os.replace(draft, path)
    except BaseException:
        with suppress(OSError):  # it never was, or has its place already
            os.unlink(draft)
        raise


def _opened(draft: str, path: Any) -> IO[bytes]:
    try:
        return open(draft, "xb")
    except OSError as problem:
        raise OSError(problem.errno, problem.strerror, os.fspath(path)) from None


def write_text(path: Any, text: str) -> None:
    """Write a text whole or not at all, as UTF-8."""
    with whole_file(path) as file:
        file.write(text.encode("utf-8"))
