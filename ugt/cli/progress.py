"""How far long steps are, on standard error: a bar of tqdm on a terminal if tqdm is installed, else plain lines, and few of them."""

from __future__ import annotations

import shutil
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from typing import Any

from .._base import parallel

FORMAT = "{desc}: {percentage:3.0f} %|{bar}| {remaining}"
SECONDS = 5.0  # between lines where standard error is a file or a pipe


@contextmanager
def progress(wanted: bool) -> Iterator[None]:
    """Long steps say how far they are, if that is wanted."""
    if not wanted:
        yield
        return
    say: Any = Lines()
    if sys.stderr.isatty():
        say = parallel._line  # a line that is written over
        with suppress(ImportError):
            from tqdm import tqdm  # noqa: PLC0415  (optional)

            say = Bars(tqdm)
    token = parallel._progress.set(say)
    try:
        yield
    finally:
        parallel._progress.reset(token)
        if isinstance(say, Bars):
            say.close()


class Lines:
    """A line every few seconds, and one at the end of a step that has had a line."""

    def __init__(self) -> None:
        self.next = 0.0
        self.spoken = ""

    def __call__(self, what: str, share: float) -> None:
        now = time.monotonic()
        if now >= self.next or (share >= 1.0 and self.spoken == what):
            parallel._line(what, share)
            self.spoken, self.next = what, now + SECONDS


class Bars:
    """One bar at a time, a new one for each step."""

    def __init__(self, make: Any) -> None:
        self.make = make
        self.bar: Any = None
        self.what = ""

    def __call__(self, what: str, share: float) -> None:
        if self.bar is None or what != self.what:
            self.close()
            width = shutil.get_terminal_size().columns  # tqdm would show nothing on terminals that do not know theirs
            self.bar = self.make(total=100, desc=f"ugt: {what}", file=sys.stderr, ncols=width, bar_format=FORMAT)
            self.what = what
        self.bar.update(round(100 * share) - self.bar.n)
        if share >= 1.0:
            self.close()

    def close(self) -> None:
        if self.bar is not None:
            self.bar.close()
            self.bar = None
