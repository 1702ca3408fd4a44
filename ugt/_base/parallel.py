"""Work in chunks of cases: threads, progress, interruption. None of these changes a result.

Chunks depend on their size only and their results are joined in order, so that one thread and eight give the same bytes.
"""

from __future__ import annotations

import signal
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from typing import Any, Callable, TypeVar

from .checks import room, whole

Result = TypeVar("Result")

_n_threads: ContextVar[int] = ContextVar("ugt_n_threads", default=1)
_progress: ContextVar[Callable[[str, float], None] | None] = ContextVar("ugt_progress", default=None)

QUIET_SECONDS = 2.0
PART = 72.0  # bytes of the bounds of a part, at least


@contextmanager
def threads(n_threads: int) -> Iterator[None]:
    """Run the code of a ``with`` block with this many threads; the results do not change.

    Parameters
    ----------
    n_threads : int
        Number of threads, at least 1. Outside of such a block it is 1.

    Raises
    ------
    ValueError
        If the number is not a whole number of at least 1.

    Examples
    --------
    >>> import ugt
    >>> with ugt.resampling.threads(2):
    ...     certainty = ugt.annotation_certainty(ugt.dirichlet(ugt.Labels.from_counts([[3, 1, 0], [2, 2, 0]])))
    >>> certainty.per_case.round(4)
    array([0.8629, 0.4968])
    """
    token = _n_threads.set(whole("n_threads", n_threads))
    try:
        yield
    finally:
        _n_threads.reset(token)


@contextmanager
def progress_to_stderr() -> Iterator[None]:
    """Report the progress of steps that take longer than two seconds on standard error."""
    token = _progress.set(_line)
    try:
        yield
    finally:
        _progress.reset(token)


def _line(what: str, share: float) -> None:
    ended = share >= 1.0
    text = f"ugt: {what}: {100 * share:.0f} %"
    if sys.stderr.isatty():
        sys.stderr.write(f"\r{text}" + ("\n" if ended else ""))
    else:
        sys.stderr.write(text + "\n")
    sys.stderr.flush()


class Reporter:
    """The progress of one step: silent for two seconds, then a line every second at most."""

    def __init__(self, what: str, n: int) -> None:
        self.say, self.what, self.n = _progress.get(), what, n
        self.next = time.monotonic() + QUIET_SECONDS
        self.spoke = False

    def done(self, count: int) -> None:
        now = time.monotonic()
        if self.say is not None and (now >= self.next or (self.spoke and count >= self.n)):
            self.say(self.what, count / self.n)
            self.spoke, self.next = True, now + 1.0


@contextmanager
def _held_interrupts() -> Iterator[Callable[[], None]]:
    """Hold Ctrl-C back until the function that the block receives is called, or until the end of the block.

    An exception inside of a lock of the standard library can leave it locked for ever, with threads waiting for it. Only Python's main
    thread receives signals; handlers that were not set by Python, or in other threads, are left as they are.
    """
    pending: list[Any] = []
    before: Any = None

    def let_through() -> None:
        while pending:
            before(*pending.pop())

    try:
        before = signal.getsignal(signal.SIGINT)
        if callable(before):
            signal.signal(signal.SIGINT, lambda *given: pending.append(given))
    except ValueError:  # not the main thread
        before = None
    try:
        yield let_through
    finally:
        if callable(before):
            signal.signal(signal.SIGINT, before)
            let_through()


def run(
    task: Callable[[int, int], Result],
    n: int,
    chunk: int,
    what: str,
    stop: object = None,
    done: Callable[[int, int, Result], None] | None = None,
) -> list[Result]:
    """Run ``task(begin, end)`` over 0..n in chunks and return the results in order. The task releases the GIL itself.

    If a task may take long, it polls the array ``stop`` (1,), which Ctrl-C sets; tasks then run in threads of their own even for one
    thread, so that the main thread receives the signal. With ``done``, ``done(begin, end, result)`` is called in order, and no result is
    kept or returned.
    """
    if 0 < n <= chunk and stop is None and _progress.get() is None:  # small inputs are common: skip the bookkeeping
        result = task(0, n)
        if done is None:
            return [result]
        done(0, n, result)
        return []
    room(what, PART * (n // chunk))
    bounds = [(begin, min(begin + chunk, n)) for begin in range(0, n, chunk)]
    return run_parts(task, bounds, what, stop, done)


def run_parts(
    task: Callable[[int, int], Result],
    bounds: list[tuple[int, int]],
    what: str,
    stop: Any = None,
    done: Callable[[int, int, Result], None] | None = None,
) -> list[Result]:
    """Run ``task(begin, end)`` over the parts ``bounds``, as :func:`run` does over chunks."""
    reporter = Reporter(what, max((end for _, end in bounds), default=0))
    results: list[Result] = []

    def finish(begin: int, end: int, result: Result) -> None:
        if done is None:
            results.append(result)
        else:
            done(begin, end, result)
        reporter.done(end)

    workers = min(_n_threads.get(), len(bounds))
    if workers <= 1 and stop is None:
        for begin, end in bounds:
            finish(begin, end, task(begin, end))
        return results
    if not bounds:
        return results
    with _held_interrupts() as let_through:
        from concurrent.futures import ThreadPoolExecutor, wait  # noqa: PLC0415  (6 ms that one thread does not need)

        with ThreadPoolExecutor(workers) as pool:
            futures: list[Any] = []
            try:
                for begin, end in bounds:
                    futures.append(pool.submit(task, begin, end))
                    let_through()  # thousands take a while, as threads that have begun want Python, too
                for i, (begin, end) in enumerate(bounds):
                    while not wait([futures[i]], timeout=0.1).done:
                        let_through()
                    finish(begin, end, futures[i].result())
                    futures[i] = None  # frees the memory of its result
                    let_through()
            except BaseException:
                if stop is not None:
                    stop[0] = 1
                for future in futures:
                    if future is not None:
                        future.cancel()
                raise
    return results
