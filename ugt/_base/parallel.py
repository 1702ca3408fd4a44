"""Work in chunks of cases: threads, progress, interruption. Results do not depend on any of them.

Chunks are cut by size alone and their results are put together in order, so one thread and eight give the same bytes.
"""

from __future__ import annotations

import signal
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from typing import Any, Callable, TypeVar

from .checks import whole

Result = TypeVar("Result")

_n_threads: ContextVar[int] = ContextVar("ugt_n_threads", default=1)
_progress: ContextVar[Callable[[str, float], None] | None] = ContextVar("ugt_progress", default=None)

QUIET_SECONDS = 2.0


@contextmanager
def threads(n_threads: int) -> Iterator[None]:
    """Run what is inside with this many threads; the numbers stay the same.

    Parameters
    ----------
    n_threads : int
        At least 1. The default outside of this block is 1.

    Raises
    ------
    ValueError
        If it is not a whole number of at least 1.

    Examples
    --------
    >>> import ugt
    >>> with ugt.threads(2):
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
    """Steps that take longer than two seconds say on standard error how far they are."""
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
    """Silent for two seconds, then a word every second at most."""

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
    """Ctrl-C waits until the function that this gives is called, or until the end.

    An exception inside of the standard library's locks can leave one locked for ever, and the threads that wait for it. Only
    Python's main thread hears signals; handlers that are not Python's, or that belong to others, stay what they do.
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
    stop: Any = None,
    done: Callable[[int, int, Result], None] | None = None,
) -> list[Result]:
    """``task(begin, end)`` over 0..n in chunks; the results in order. The task releases the GIL by itself.

    Where a task may take long, ``stop`` is an array (1,) that it polls: on Ctrl-C it is set, and tasks run in threads of
    their own even when there is one, so that the signal is seen. ``done(begin, end, result)`` is called in order; results are
    its own then, and none is kept or returned.
    """
    if 0 < n <= chunk and stop is None and _progress.get() is None:  # the usual case of small inputs, without ceremony
        result = task(0, n)
        if done is None:
            return [result]
        done(0, n, result)
        return []
    bounds = [(begin, min(begin + chunk, n)) for begin in range(0, n, chunk)]
    return run_parts(task, bounds, what, stop, done)


def run_parts(
    task: Callable[[int, int], Result],
    bounds: list[tuple[int, int]],
    what: str,
    stop: Any = None,
    done: Callable[[int, int, Result], None] | None = None,
) -> list[Result]:
    """:func:`run` over given parts."""
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
                for i, (begin, end) in enumerate(bounds):
                    while not wait([futures[i]], timeout=0.1).done:
                        let_through()
                    finish(begin, end, futures[i].result())
                    futures[i] = None  # and its result with it
                    let_through()
            except BaseException:
                if stop is not None:
                    stop[0] = 1
                for future in futures:
                    if future is not None:
                        future.cancel()
                raise
    return results
