"""Files and folders that appear whole or not at all.

What is written stands in a workspace first, a folder ``.ugt-...`` beside the files that it will replace. When all of it is there, the old
files move to the workspace, and then the new ones to their places: at no time are files of two runs beside each other. (A single file
replaces the old one in one step.) If anything fails, the old ones move back. What a killed run leaves tells the next one, which writes to
the folder or misses a file of it, what to do: it finishes where all old files had moved, and undoes otherwise. A lock, which dies with its
process, tells workspaces of runs that live from those that are left.
"""

from __future__ import annotations

import errno
import os
import shutil
import stat
import tempfile
import time
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager, suppress
from pathlib import Path
from typing import IO, Any

from .._base.checks import error
from .._base.locks import try_lock

DRAFT = ".ugt-"
LOCK = "lock"
NEW, READY, OLD = "new", "ready", "old"  # in a workspace: what is written; the same once all old files have moved; those
STREAMS = ("/dev/std", "/dev/fd/", "/proc/")  # names of what is open already, whatever it is
PATIENCE = 60.0  # seconds to wait for another run to put its files in place, which takes it milliseconds


class _NotReplacedError(OSError):
    """A file that is there could not be replaced."""


@contextmanager
def whole_file(path: Any) -> Iterator[IO[bytes]]:
    """A file to write to, which takes the place of ``path`` at the end, or goes if anything fails. Devices and pipes get its content."""
    with output_file(path) as draft, open(draft, "xb") as file:
        yield file


def write_text(path: Any, text: str) -> None:
    """Write a text whole or not at all, as UTF-8."""
    with whole_file(path) as file:
        file.write(text.encode("utf-8"))


@contextmanager
def output_file(path: Any) -> Iterator[Path]:
    """Where to write what will be the file ``path``, in a folder that is there; a device or a pipe gets it at the end."""
    target = Path(os.path.abspath(path))
    with ExitStack() as stack:
        if is_stream(target):
            draft = Path(stack.enter_context(tempfile.TemporaryDirectory(prefix=DRAFT)), target.name)
            yield draft
            with open(draft, "rb") as file, open(target, "wb") as stream:
                shutil.copyfileobj(file, stream)
            return
        try:
            if target.is_dir():
                raise IsADirectoryError(errno.EISDIR, os.strerror(errno.EISDIR))
            draft = stack.enter_context(_workspace(target.parent)) / target.name
        except OSError as problem:
            raise OSError(problem.errno, problem.strerror, os.fspath(path)) from None
        yield draft


def is_stream(path: str | os.PathLike[str]) -> bool:
    """Whether a path is, or leads to, a device, a pipe or what a process has open: it cannot be replaced, only written to."""
    name = os.path.abspath(path)
    for _ in range(40):  # links, as many as systems follow
        if name.startswith(STREAMS):
            return True
        if not os.path.islink(name):
            break
        name = os.path.abspath(os.path.join(os.path.dirname(name), os.readlink(name)))
    try:
        mode = os.stat(name).st_mode
    except OSError:
        return False
    return not (stat.S_ISREG(mode) or stat.S_ISDIR(mode))


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
        If the folder cannot be made or written to, before anything else is done; at the end, if a file that is there cannot be replaced.

    Notes
    -----
    Several runs may write to one folder: each waits until another one has put its files in place, and the last one wins with all of
    them. A run that is killed while it moves files leaves those of one run, maybe not all; whoever writes to the folder next, or wants to
    read a file that is missing, moves the others. A single file is replaced at once, and is there whenever the run is killed.

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
    try:
        with ExitStack() as stack:
            try:
                folder.mkdir(parents=True, exist_ok=True)
                draft = stack.enter_context(_workspace(folder))
            except OSError as problem:
                raise error("output folder", "be a folder that can be written to", f"{str(folder)!r} ({problem.strerror})") from None
            yield draft
    except BaseException as problem:
        with suppress(OSError):  # somebody else may have put something there
            for part in filter(Path.is_dir, made):
                part.rmdir()
        if isinstance(problem, _NotReplacedError):
            must = "hold files that can be replaced (is one open in another program?); all are as they were"
            raise error("output folder", must, f"{problem.filename!r} ({problem.strerror})") from None
        raise


@contextmanager
def _workspace(folder: Path) -> Iterator[Path]:
    """A folder in a folder, whose files appear there at the end."""
    own = folder / f"{DRAFT}{os.urandom(8).hex()}"  # named before it is there: whenever Ctrl-C comes, it is known what to remove
    try:
        with ExitStack() as stack:
            with _alone(folder):
                _settle_left(folder)
                own.mkdir(mode=0o700 if os.name == "posix" else 0o777)  # Windows would give the mode to the files, too
                lock = stack.enter_context(open(own / LOCK, "xb"))
                try_lock(lock)
            (own / NEW).mkdir()
            yield own / NEW
            with _alone(folder):
                _publish(own, folder)
    finally:
        if not _names(own / OLD) + _names(own / READY):  # else the next run moves them to their places
            shutil.rmtree(own, ignore_errors=True)


@contextmanager
def _alone(folder: Path) -> Iterator[None]:
    """Until its end, no other run puts files in place or takes workspaces for left."""
    path, until = folder / f"{DRAFT}{LOCK}", time.monotonic() + PATIENCE
    while (file := _locked(path)) is None:
        if time.monotonic() > until:
            raise error("output folder", f"be free within {PATIENCE:g} s", f"{str(folder)!r}, where another run holds {path.name}")
        time.sleep(0.01)
    try:
        yield
    finally:
        if os.name == "nt":  # which removes no open file
            file.close()
        with suppress(OSError):  # another run has it open by now
            path.unlink()
        file.close()


def _locked(path: Path) -> IO[bytes] | None:
    """The file, open and locked; None while another run has it."""
    try:
        file = open(path, "ab")  # noqa: SIM115  (the caller closes it)
    except PermissionError:
        if path.exists():  # another user's
            return None
        raise
    with suppress(FileNotFoundError):  # it may have been removed, or made anew, before it was locked
        if try_lock(file) is not False and os.path.samestat(os.fstat(file.fileno()), os.stat(path)):
            return file
    file.close()
    return None


def _names(folder: Path) -> list[str]:
    """What stands in a folder, but for what is on its way there."""
    return sorted(name for name in os.listdir(folder) if not name.startswith(DRAFT)) if folder.is_dir() else []


def _publish(own: Path, folder: Path) -> None:
    """The old files move out, the new ones in; or all back."""
    new, ready, old = own / NEW, own / READY, own / OLD
    names, place = _names(new), folder
    for name in names:
        got = "a folder" if (folder / name).is_dir() else "a device or a pipe" if is_stream(folder / name) else ""
        if got:
            raise error("output folder", f"have room for the file {name}", f"{got} of this name")
    try:
        if len(names) == 1:
            place = folder / names[0]
            os.replace(new / names[0], place)
            return
        old.mkdir()
        for name in names:
            place = folder / name
            if os.path.lexists(place):
                os.replace(place, old / name)
        os.rename(new, ready)
        for name in names:
            place = folder / name
            os.replace(ready / name, place)
    except OSError as problem:
        if ready.is_dir():
            for name in set(names) - set(_names(ready)):
                os.replace(folder / name, ready / name)
            os.rename(ready, new)
        raise _NotReplacedError(problem.errno, problem.strerror, str(place)) from None
    finally:
        _settle(own, folder)


def recover(path: str | os.PathLike[str]) -> None:
    """Put in place what a run that was killed left to be moved to a folder, where a file of it is missing."""
    folder = Path(path).parent
    if not os.path.lexists(path) and any(folder.glob(f"{DRAFT}*")):
        with suppress(OSError, ValueError), _alone(folder):  # of a folder that cannot be written to
            _settle_left(folder)


def _settle(own: Path, folder: Path) -> None:
    """Whatever had been done in a workspace: finish, or undo."""
    ready, old = own / READY, own / OLD
    left = ready if ready.is_dir() else old
    for name in _names(left):
        os.replace(left / name, folder / name)
    shutil.rmtree(old, ignore_errors=True)  # first: without ``ready``, its files would move back
    if not old.exists():
        shutil.rmtree(own, ignore_errors=True)


def _settle_left(folder: Path) -> None:
    """Workspaces of runs that were killed are finished or undone, and removed."""
    for own in folder.glob(f"{DRAFT}*"):
        try:
            with open(own / LOCK, "r+b") as lock:
                left = try_lock(lock)
        except OSError as problem:  # it was killed before it had one; else it is another user's, or no workspace
            left = isinstance(problem, FileNotFoundError)
        if left:
            _settle(own, folder)
