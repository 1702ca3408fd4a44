"""Data that may be larger than memory, some rows at a time."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from .._base.checks import error

UNITS = {"": 1, "B": 1, "KB": 1e3, "MB": 1e6, "GB": 1e9, "TB": 1e12, "KIB": 2**10, "MIB": 2**20, "GIB": 2**30, "TIB": 2**40}
ITSELF = 200e6  # Python, numpy, scipy and ugt
WORK = 24  # numbers of 8 bytes that a metric holds at a time for each that it is given
ROW = 512  # bytes beside them
COMFORT = 256e6  # bytes of a block where nobody says how much memory there is


def memory_of(given: Any) -> float:
    """Bytes, from a number of them or text such as "4 GB"; None: what is comfortable."""
    if given is None:
        return ITSELF + COMFORT
    must = "be a number of bytes, or text such as '4 GB'"
    if isinstance(given, str):
        found = re.fullmatch(r"\s*([0-9.]+)\s*([a-zA-Z]*)\s*", given)
        try:
            given = float(found[1]) * UNITS[found[2].upper()] if found else None
        except (KeyError, ValueError):
            given = None
    if not isinstance(given, (int, float, np.number)) or isinstance(given, bool) or not given > 0:
        raise error("max_memory", must, repr(given))
    if given < ITSELF + 32e6:
        raise error("max_memory", f"be at least {(ITSELF + 32e6) / 1e6:g} MB, most of which Python and its libraries take", given)
    return float(given)


@dataclass(frozen=True)
class Block:
    """Rows begin to end of some arrays, read when it is called."""

    arrays: tuple[Any, ...]
    begin: int
    end: int

    def __call__(self) -> tuple[Any, ...]:
        return tuple(_rows(array, self.begin, self.end) for array in self.arrays)


def _rows(array: Any, begin: int, end: int) -> Any:
    """A copy: what is asked for later must not keep a file's pages."""
    part = array[begin:end]
    return np.array(part) if isinstance(part, np.ndarray) else part


def blocks_of(arrays: Sequence[Any], max_memory: float, n_jobs: int) -> list[Block]:
    """Blocks of rows that a metric can work on within the memory; arrays of one length, in memory or mapped from files."""
    tables = [array if hasattr(array, "shape") and hasattr(array, "__getitem__") else np.asarray(array) for array in arrays]
    for number, table in enumerate(tables):
        if not getattr(table, "shape", ()):
            raise error("data", "be arrays with a row a case (parts= takes all else)", type(arrays[number]).__name__, f"argument {number}")
    n = len(tables[0])
    for number, table in enumerate(tables[1:], 1):
        if len(table) != n:
            raise error("data", f"be of one length, {n} cases", len(table), f"argument {number}")
    width = sum(int(np.prod(table.shape[1:], dtype=np.int64)) for table in tables)
    step = int(min(max_memory - ITSELF, COMFORT * max(1, n_jobs)) / max(1, n_jobs) / (8 * WORK * width + ROW))
    if step < 1:
        raise MemoryError(f"one case of {width} numbers does not fit into max_memory = {max_memory:g} bytes")
    return [Block(tuple(tables), begin, min(begin + step, n)) for begin in range(0, n, step)]


def load(part: Any) -> tuple[Any, ...] | None:
    found = part() if callable(part) else part
    if found is None:
        return None
    return tuple(found) if isinstance(found, (tuple, list)) else (found,)


def run(task: Callable[..., Any], items: Sequence[Any], n_jobs: int | None) -> Iterator[Any]:
    """``task(item)`` in order: here, or by whatever backend of joblib is in force."""
    if n_jobs is None:
        yield from map(task, items)
        return
    try:
        import joblib  # noqa: PLC0415
    except ImportError:
        raise ImportError("n_jobs needs joblib: pip install 'ugt[joblib]'") from None
    with joblib.Parallel(n_jobs=n_jobs) as pool:
        step = 4 * max(1, abs(joblib.effective_n_jobs(n_jobs)))
        for begin in range(0, len(items), step):  # some at a time: answers are merged as they come
            yield from pool(joblib.delayed(task)(item) for item in items[begin : begin + step])
