"""Files and folders that appear whole or not at all."""

from __future__ import annotations

import os
import shutil
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import IO, Any

from .._base.checks import error


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


@contextmanager
def output_folder(path: str | os.PathLike[str]) -> Iterator[Path]:
    """A draft folder whose files all appear in ``path`` at the end, or none of them if anything fails.

    Parameters
    ----------
    path : path
        The folder; it is made where there is none. Files that it has and the draft has not stay.

    Yields
    ------
    pathlib.Path
        The draft folder to write to.

    Raises
    ------
    ValueError
        If the folder cannot be made or written to, before anything else is done.

    Examples
    --------
    >>> import os, tempfile, ugt.io
    >>> results = os.path.join(tempfile.mkdtemp(), "results")
    >>> with ugt.io.output_folder(results) as draft:
    ...     _ = (draft / "one.txt").write_text("1")
    >>> os.listdir(results)
    ['one.txt']
    """
    folder = Path(path)
    made = [part for part in (folder, *folder.parents) if not part.exists()]
    draft = folder / f".ugt-{os.urandom(8).hex()}"  # named before it is there: whenever Ctrl-C comes, it is known what to remove
    try:
        try:
            folder.mkdir(parents=True, exist_ok=True)
            draft.mkdir(mode=0o700)
        except OSError as problem:
            raise error("output folder", "be a folder that can be written to", f"{str(folder)!r} ({problem.strerror})") from None
        yield draft
        for file in draft.iterdir():
            if (folder / file.name).is_dir():
                raise error("output folder", f"have room for the file {file.name}", "a folder of this name")
        try:
            _publish(draft, folder)
        except KeyboardInterrupt:  # some files may be there already: the others follow, for all are whole
            _publish(draft, folder)
            raise
        draft.rmdir()
    except BaseException:
        shutil.rmtree(draft, ignore_errors=True)
        with suppress(OSError):  # somebody else may have put something there
            for part in filter(Path.is_dir, made):
                part.rmdir()
        raise


def _publish(draft: Path, folder: Path) -> None:
    for file in sorted(draft.iterdir()):
        os.replace(file, folder / file.name)
