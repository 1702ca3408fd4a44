"""A folder that is written as a whole or not at all."""

from __future__ import annotations

import os
import shutil
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from .._base.checks import error


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
    >>> import os, tempfile
    >>> from ugt import io
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     with io.output_folder(os.path.join(folder, "results")) as draft:
    ...         _ = (draft / "one.txt").write_text("1")
    ...     os.listdir(os.path.join(folder, "results"))
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
