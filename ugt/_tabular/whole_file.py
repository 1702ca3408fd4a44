"""Files and folders that appear complete or not at all.

New files are written to a workspace, a folder ``.ugt-...`` next to the files that they will replace. When all are written, the old
files move to the workspace, and then the new ones to their places, so that files of two runs are never mixed. (A single file replaces
the old one in one step.) If anything fails, the old files move back. If a run is killed, the next run that writes to the folder, or
needs a file that is missing, continues: it moves the other new files if all old ones had moved, and moves the old ones back otherwise.
Each workspace has a lock, which the system removes with its process: this distinguishes the workspaces of running and killed runs.
"""

from __future__ import annotations

import errno
import os
import shutil
import stat
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager, suppress
from pathlib import Path
from typing import IO, Any

from .._base.checkpoints import naming
from .._base.checks import error
from .._base.locks import try_lock
from .windows import about_length, check_output, is_hidden_device

DRAFT = ".ugt-"
LOCK = "lock"
NEW, READY, OLD = "new", "ready", "old"  # folders of a workspace: new files; their name once all old files have moved; old files
STREAMS = ("/dev/std", "/dev/fd/", "/proc/")  # names of files that a process has open, of any kind
PATIENCE = 60.0  # seconds to wait until another run has moved its files, which takes milliseconds
SCAN = 1.0  # seconds to wait on Windows until another program, such as a virus scanner, has closed a file


class _NotReplacedError(OSError):
    """An error of an existing file that could not be replaced."""


@contextmanager
def whole_file(path: object) -> Iterator[IO[bytes]]:
    """Open a file that replaces ``path`` at the end, or is removed if anything fails. Its content is copied to a device or a pipe."""
    with output_file(path) as draft, naming(path), open(draft, "xb") as file:
        yield file


def write_text(path: object, text: str) -> None:
    """Write a text as UTF-8, completely or not at all."""
    with whole_file(path) as file:
        file.write(text.encode("utf-8"))


@contextmanager
def output_file(path: Any) -> Iterator[Path]:
    """Yield the path of a draft of the file ``path``, whose folder exists; a device or a pipe receives its content at the end."""
    try:
        with _draft(path) as draft:
            yield draft
    except _NotReplacedError as problem:
        raise OSError(problem.errno, f"{problem.strerror} (is the file open in another program?)", os.fspath(path)) from None


@contextmanager
def _draft(path: Any) -> Iterator[Path]:
    """Yield the path of a draft, which replaces the file at the end."""
    target = Path(os.path.abspath(path))
    with ExitStack() as stack:
        if is_stream(path):
            draft = Path(stack.enter_context(tempfile.TemporaryDirectory(prefix=DRAFT)), target.name)
            yield draft
            with open(draft, "rb") as file, open(target, "wb") as stream:
                shutil.copyfileobj(file, stream)
            return
        check_output(path)
        try:
            if target.is_dir():
                raise IsADirectoryError(errno.EISDIR, os.strerror(errno.EISDIR))
            draft = stack.enter_context(_workspace(target.parent)) / target.name
        except OSError as problem:
            raise OSError(problem.errno, f"{problem.strerror}{about_length(path)}", os.fspath(path)) from None
        yield draft


def is_stream(path: str | os.PathLike[str]) -> bool:
    """Return whether a path is or links to a device, a pipe or an open file of a process, which can be written to but not replaced."""
    if is_hidden_device(path):
        return False
    name = os.path.abspath(path)
    for _ in range(40):  # systems follow about 40 links, then give up
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
    """Yield a draft folder, whose files all appear in ``path`` at the end, or none of them if anything fails.

    Parameters
    ----------
    path : path
        The folder; it is created if it does not exist. Files that the draft does not have are left unchanged.

    Yields
    ------
    pathlib.Path
        The draft folder to write to.

    Raises
    ------
    ValueError
        If the folder cannot be created or written to, at the start; at the end, if an existing file cannot be replaced.

    Notes
    -----
    Several runs may write to one folder: each waits until another one has moved its files, and the files of the last one remain. A run
    that is killed while it moves files leaves files of one run only, but some may be missing; the next run that writes to the folder, or
    reads a missing file, moves the others. A single file is replaced in one step and is never missing.

    Examples
    --------
    >>> import os, tempfile, ugt.io
    >>> results = os.path.join(tempfile.mkdtemp(), "results")
    >>> with ugt.io.output_folder(results) as draft:
    ...     _ = (draft / "one.txt").write_text("1")
    >>> os.listdir(results)
    ['one.txt']
    """
    check_output(path)
    folder = Path(path)
    made = [part for part in (folder, *folder.parents) if not part.exists()]
    try:
        with ExitStack() as stack:
            try:
                folder.mkdir(parents=True, exist_ok=True)
                draft = stack.enter_context(_workspace(folder))
            except OSError as problem:
                got = f"{str(folder)!r} ({problem.strerror}){about_length(folder)}"
                raise error("output folder", "be a folder that can be written to", got) from None
            yield draft
    except BaseException as problem:
        with suppress(OSError):  # another program may have written to the folder
            for part in filter(Path.is_dir, made):
                part.rmdir()
        if isinstance(problem, _NotReplacedError):
            must = "hold files that can be replaced (is one open in another program?); all files are unchanged"
            raise error("output folder", must, f"{problem.filename!r} ({problem.strerror})") from None
        raise


@contextmanager
def _workspace(folder: Path) -> Iterator[Path]:
    """Yield a new folder in a folder, whose files move to the latter at the end."""
    own = folder / f"{DRAFT}{os.urandom(8).hex()}"  # named before it exists, so that Ctrl-C at any moment leaves a name to remove
    try:
        with ExitStack() as stack:
            with _alone(folder):
                _settle_left(folder)
                own.mkdir(mode=0o700 if os.name == "posix" else 0o777)  # on Windows the files would get the mode, too
                lock = stack.enter_context(open(own / LOCK, "xb"))
                try_lock(lock)
            (own / NEW).mkdir()
            yield own / NEW
            with _alone(folder):
                _publish(own, folder)
    finally:
        if not _names(own / OLD) + _names(own / READY):  # else they are kept for the next run to move
            shutil.rmtree(own, ignore_errors=True)


@contextmanager
def _alone(folder: Path) -> Iterator[None]:
    """Keep other runs from moving files and from looking for workspaces of killed runs until the end of the block."""
    path, until, file = folder / f"{DRAFT}{LOCK}", time.monotonic() + PATIENCE, None
    try:
        while (file := _locked(path)) is None:
            if time.monotonic() > until:
                raise error("output folder", f"be free within {PATIENCE:g} s", f"{str(folder)!r}, where another run holds {path.name}")
            time.sleep(0.01)
        yield
    finally:
        with suppress(OSError):  # on Windows, another run may have it open by now
            if file := file or _locked(path):  # Ctrl-C may have come after it was created and before its name was known here
                if os.name == "nt":  # Windows does not remove open files
                    file.close()
                path.unlink()
        if file:
            file.close()


def _locked(path: Path) -> IO[bytes] | None:
    """Return the file, open and locked; None while another run has locked it."""
    try:
        file = open(path, "ab")  # noqa: SIM115  (the caller closes it)
    except PermissionError:
        if path.exists():  # a file of another user
            return None
        raise
    with ExitStack() as stack:
        stack.callback(file.close)
        with suppress(FileNotFoundError):  # another run may have removed or replaced the file before this one locked it
            if try_lock(file) is not False and os.path.samestat(os.fstat(file.fileno()), os.stat(path)):
                stack.pop_all()
                return file
    return None


def _names(folder: Path) -> list[str]:
    """Return the names of the files in a folder, without workspaces."""
    return sorted(name for name in os.listdir(folder) if not name.startswith(DRAFT)) if folder.is_dir() else []


def _move(source: Path, target: Path) -> None:
    """Move a file or a folder of files to its place."""
    until = time.monotonic() + SCAN
    while True:
        try:
            os.replace(source, target)
            return
        except PermissionError:  # Windows moves no file that a program has open
            if sys.platform != "win32" or time.monotonic() > until:
                raise
        time.sleep(0.02)


def _publish(own: Path, folder: Path) -> None:
    """Move the old files out and the new ones in; if one cannot be replaced, move all back."""
    new, ready, old = own / NEW, own / READY, own / OLD
    names, place = _names(new), folder
    for name in names:
        got = "a folder" if (folder / name).is_dir() else "a device or a pipe" if is_stream(folder / name) else ""
        if got:
            raise error("output folder", f"have room for the file {name}", f"{got} of this name")
    try:
        if len(names) == 1:
            place = folder / names[0]
            _move(new / names[0], place)
            return
        old.mkdir()
        for name in names:
            place = folder / name
            if os.path.lexists(place):
                _move(place, old / name)
        _move(new, ready)
        for name in names:
            place = folder / name
            _move(ready / name, place)
    except OSError as problem:
        if ready.is_dir():
            for name in set(names) - set(_names(ready)):
                _move(folder / name, ready / name)
            _move(ready, new)
        raise _NotReplacedError(problem.errno, problem.strerror, str(place)) from None
    finally:
        _settle(own, folder)


def recover(path: str | os.PathLike[str]) -> None:
    """Finish or undo the moves of a killed run in the folder of ``path``, if this file is missing."""
    folder = Path(path).parent
    if not os.path.lexists(path) and any(folder.glob(f"{DRAFT}*")):
        with suppress(OSError, ValueError), _alone(folder):  # the folder may be read-only
            _settle_left(folder)


def _settle(own: Path, folder: Path) -> None:
    """Finish the moves of a workspace if all old files had moved, else undo them."""
    ready, old = own / READY, own / OLD
    left = ready if ready.is_dir() else old
    for name in _names(left):
        _move(left / name, folder / name)
    shutil.rmtree(old, ignore_errors=True)  # before ``ready`` is removed: without it, the old files would move back
    if not old.exists():
        shutil.rmtree(own, ignore_errors=True)


def _settle_left(folder: Path) -> None:
    """Finish or undo the moves of all workspaces that killed runs left, and remove these workspaces."""
    for own in folder.glob(f"{DRAFT}*"):
        try:
            with open(own / LOCK, "r+b") as lock:
                left = try_lock(lock)
        except OSError as problem:  # no lock: the run was killed before it made one; other errors: another user's folder, or no workspace
            left = isinstance(problem, FileNotFoundError)
        if left:
            _settle(own, folder)
