"""Locks of open files, which the system removes when the file is closed or the process ends, even if it is killed."""

from __future__ import annotations

import errno
import sys
from typing import IO, Any

HELD = (errno.EACCES, errno.EAGAIN, errno.EDEADLK)


def try_lock(file: IO[Any]) -> bool | None:
    """Lock the file for this process and return True; False if another process has locked it, None if its file system has no locks."""
    try:
        if sys.platform == "win32":
            import msvcrt  # noqa: PLC0415

            file.seek(0)
            msvcrt.locking(file.fileno(), msvcrt.LK_NBLCK, 1)
        else:
            import fcntl  # noqa: PLC0415

            fcntl.flock(file.fileno(), fcntl.LOCK_EX | fcntl.LOCK_NB)
    except (ImportError, OSError) as problem:
        return False if getattr(problem, "errno", None) in HELD else None
    return True
