"""Data of any size on one machine: blocks within a memory limit, in this process or by joblib."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import partial as bound
from typing import Any, NamedTuple

import numpy as np

from .._base.arrays import Array
from .._base.checks import error
from ..resampling.spread import with_annotators
from ..soft import parts as ranges
from .making import classes_of, finish, merge, part_of, partial
from .state import CLASSES, Merged, State, check_classes, together
from .sums import added, as_exact
from .two_way import check_whole, needs_second

UNITS = {"": 1, "B": 1, "KB": 1e3, "MB": 1e6, "GB": 1e9, "TB": 1e12, "KIB": 2**10, "MIB": 2**20, "GIB": 2**30, "TIB": 2**40}
ITSELF = 200e6  # bytes of Python, numpy, scipy and ugt
WORK = 24  # numbers of 8 bytes that a metric needs at a time for each number of its data
ROW = 512  # further bytes per row
COMFORT = 256e6  # bytes of a block if no limit is given
HELD = 44  # bytes per score of a range: with its p, and as a record of a bucket while they are sorted
SORTED = 0.75  # share of the memory for the range that is sorted; the rest is for the block that is read


def memory_of(given: object) -> float:
    """Return bytes, from their number or text such as "4 GB"; None: a moderate default."""
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
    """Rows begin to end of some arrays, read when the block is called."""

    arrays: tuple[Any, ...]
    begin: int
    end: int

    def __call__(self) -> tuple[Any, ...]:
        parts = (array[self.begin : self.end] for array in self.arrays)
        return tuple(np.array(part) if isinstance(part, np.ndarray) else part for part in parts)  # no part must keep a file's pages


def blocks_of(arrays: Sequence[Any], max_memory: float, n_jobs: int) -> list[Block]:
    """Return blocks of rows that fit into the memory, of arrays of one length, in memory or mapped from files."""
    tables = [array if hasattr(array, "shape") and hasattr(array, "__getitem__") else np.asarray(array) for array in arrays]
    for number, table in enumerate(tables):
        if not getattr(table, "shape", ()):
            raise error("data", "be arrays with one row per case (or give parts=)", type(arrays[number]).__name__, f"argument {number}")
    n = len(tables[0])
    for number, table in enumerate(tables[1:], 1):
        if len(table) != n:
            raise error("data", f"be of one length, {n} cases", len(table), f"argument {number}")
    width = sum(int(np.prod(table.shape[1:], dtype=np.int64)) for table in tables)
    step = int(min(max_memory - ITSELF, COMFORT * max(1, n_jobs)) / max(1, n_jobs) / (8 * WORK * width + ROW))
    if step < 1:
        raise MemoryError(f"one case of {width} numbers does not fit into max_memory = {max_memory:g} bytes")
    return [Block(tuple(tables), begin, min(begin + step, n)) for begin in range(0, n, step)]


def load(part: object) -> tuple[Any, ...] | None:
    found = part() if callable(part) else part
    if found is None:
        return None
    return tuple(found) if isinstance(found, (tuple, list)) else (found,)


def run(task: Callable[..., Any], items: Sequence[Any], n_jobs: int | None) -> Iterator[Any]:
    """Yield ``task(item)`` in order: in this process, or by the backend of joblib that is in force."""
    if n_jobs is None:
        yield from map(task, items)
        return
    try:
        import joblib  # noqa: PLC0415
    except ImportError:
        raise ImportError("n_jobs needs joblib: pip install 'ugt[joblib]'") from None
    with joblib.Parallel(n_jobs=n_jobs) as pool:
        step = 4 * max(1, abs(joblib.effective_n_jobs(n_jobs)))
        for begin in range(0, len(items), step):  # some at a time, since results are merged as they come
            yield from pool(joblib.delayed(task)(item) for item in items[begin : begin + step])


def compute(
    metric: str,
    *data: Any,
    parts: Sequence[Any] | None = None,
    max_memory: object = None,
    n_jobs: int | None = None,
    case_ids: object = None,
    clusters: object = None,
    min_cases: int = 0,
    **options: Any,
) -> Merged:
    """Compute a metric of data that need not fit into memory, in blocks of cases, as :class:`Merged`.

    Parameters
    ----------
    metric : str
        One of ``ugt.states.METRICS``.
    *data : arrays
        As for the function: arrays with one row per case, also mapped from files (``numpy.load(path, mmap_mode="r")``), read by block.
    parts : sequence, optional
        Instead of arrays: for each part the tuple of its data, a function that reads it (called when it is needed, for exact ranking
        metrics several times), or None for an empty part. Each case must be whole in one part.
    max_memory : number of bytes, or text such as "4 GB"
        Limit for all of Python, with its libraries, but without data that are given in memory. Default: blocks of 256 MB. For ``parts``
        it limits only the memory of exact ranking metrics; the parts are as large as they are.
    n_jobs : int, optional
        Processes or threads of joblib, by the backend that is in force (``joblib.parallel_config``). Default: only this process.
    case_ids, clusters : (N,) ids, optional
        As for :func:`partial`; with ``parts`` a sequence with those of each part, or with functions that read them.
    min_cases : int
        As for :func:`merge`, of all cases together.
    **options
        As for :func:`partial`. ``soft_auroc`` and ``soft_average_precision`` are exact, by ranges of scores that are sorted one after the
        other, unless ``edges`` are given, which resamples and ``random`` annotators require; ``weights`` and ``multiclass="ovo"`` need
        data in one place. If intervals over annotators need a second round, it is done.

    Raises
    ------
    ValueError
        As the function; or if arrays are of different lengths, or if no part has a case.
    MemoryError
        If one case does not fit.
    ImportError
        If ``n_jobs`` is given and joblib is missing.

    Examples
    --------
    >>> import numpy as np
    >>> from ugt import states
    >>> rng = np.random.default_rng(0)
    >>> p, scores = rng.random(10_000), rng.random(10_000)
    >>> found = states.compute("soft_auroc", p, scores, max_memory="1 GB")
    >>> round(found.value, 3), found.n_cases
    (0.503, 10000)
    """
    part_of(metric)
    limit = memory_of(max_memory)
    if (parts is None) == (len(data) == 0):
        raise error("parts", "be given instead of data", "both" if data else "neither")
    exact = ranges.by_ranges(metric, options)
    held = (limit - ITSELF) * SORTED if exact else 0.0
    items: Sequence[Any] = list(parts) if parts is not None else blocks_of(data, limit - held, n_jobs or 1)
    given = {name: one for name, one in (("case_ids", case_ids), ("clusters", clusters)) if one is not None}
    ids = [_ids_of(name, one, items, parts is not None) for name, one in given.items()]
    if exact:
        return finish(_ranked(metric, items, options, held, n_jobs), min_cases=min_cases)
    jobs = [(item, dict(zip(given, own))) for item, *own in zip(items, *ids)]

    if clusters is not None and with_annotators(options.get("random", "cases")):
        check_whole(one() if callable(one) else one for one in ids[-1])

    def merged(options: Mapping[str, Any]) -> State:
        return merge(_some(run(bound(_state, metric, {**options}), jobs, n_jobs)), min_cases=min_cases)

    found = merged(options)
    return finish(merged({**options, "given": found}) if needs_second(found) else found)


def _ids_of(name: str, given: Any, items: Sequence[Any], in_parts: bool) -> list[Any]:
    if in_parts:
        own = list(given)
        if len(own) != len(items):
            raise error(name, f"be ids for each of {len(items)} parts", f"{len(own)} of them")
        return own
    column, n = np.asarray(given), items[-1].end if items else 0
    if column.shape != (n,):
        raise error(name, f"be {n} ids, one per case", f"shape {column.shape}")
    return [column[item.begin : item.end] for item in items]


def _state(metric: str, options: Mapping[str, Any], job: tuple[Any, Mapping[str, Any]]) -> State | None:
    data = load(job[0])
    if data is None or len(data[0]) == 0:
        return None
    ids: dict[str, Any] = {name: one() if callable(one) else one for name, one in job[1].items()}
    return partial(metric, *data, **ids, **options)


def _some(states: Iterator[State | None]) -> Iterator[State]:
    found = False
    for state in states:
        if state is not None:
            found = True
            yield state
    if not found:
        raise error("data", "hold at least one case", "none")


# ---- exact ranking metrics


class Sample(NamedTuple):
    """Sorted scores of each column, fewer if there are many parts; the number of their cases; the cases left out; the classes."""

    scores: list[Array]
    n_cases: int
    left_out: dict[str, int]
    classes: Any

    @classmethod
    def of(cls, data: Sequence[Any], n_parts: int) -> Sample:
        given = ranges.read_part(data)
        columns = 1 if given.p.ndim == 1 else given.p.shape[1]
        scores = [ranges.sample(ranges.column_of(given, k)[1], n_parts) for k in range(columns)]
        return cls(scores, given.n_cases, given.left_out, classes_of(ranges.METRICS[0], data))


class Plan(NamedTuple):
    """The ranges of the scores of every column, the cases of all parts, and their classes."""

    ranges: list[ranges.Ranges]
    n_cases: int
    left_out: dict[str, int]
    classes: Any

    @classmethod
    def of(cls, samples: list[Sample], what: str, n_ranges: Callable[[int], int]) -> Plan:
        """Return the plan of samples; ``n_ranges``: number of ranges for a number of cases; ``what`` the samples are of."""
        check_classes(what, [one.classes for one in samples])
        n_columns = {len(one.scores) for one in samples}
        if len(n_columns) > 1:
            raise error(what, "have one number of columns of scores", sorted(n_columns))
        n = sum(one.n_cases for one in samples)
        columns = zip(*(one.scores for one in samples))
        found = [ranges.Ranges.of([*zip(column, (one.n_cases for one in samples))], n_ranges(n)) for column in columns]
        return cls(found, n, together(one.left_out for one in samples), samples[0].classes)

    def state(self, metric: str, settings: Mapping[str, Any], sums: Array) -> State:
        """Return the state of the sums (K, N_SUMS) of all ranges, rounded once."""
        classes = {} if self.classes is None else {CLASSES: self.classes}
        return State(metric, {**settings, **classes}, self.n_cases, self.left_out, {"sums": as_exact(sums.ravel())})


def _ranked(metric: str, items: Sequence[Any], options: Mapping[str, Any], held: float, n_jobs: int | None) -> State:
    settings = ranges.settings_of(metric, options)
    samples = [found for found in run(bound(_sample, len(items)), items, n_jobs) if found is not None]
    if not samples:
        raise error("data", "hold at least one case", "none")
    at_once = max(1, int(held / (n_jobs or 1) / HELD))
    plan = Plan.of(samples, "parts", lambda n: -(-n // at_once) + (n > at_once))
    return plan.state(metric, settings, np.stack([_column(items, settings, k, found, n_jobs) for k, found in enumerate(plan.ranges)]))


def _sample(n_parts: int, item: object) -> Sample | None:
    """Return a sample of a part's scores, by which ranges are chosen."""
    data = load(item)
    return None if data is None or len(data[0]) == 0 else Sample.of(data, n_parts)


def _column(items: Sequence[Any], settings: Mapping[str, Any], k: int, found: ranges.Ranges, n_jobs: int | None) -> Array:
    """Return the sums (N_SUMS,) of one column: one pass over the data for the totals of the ranges, and one for each range."""
    totals = added([as_exact(one) for one in run(bound(_totals, found, k, settings["threshold"]), items, n_jobs)])[..., 0]
    above = ranges.above_of(totals)
    return added([as_exact(one) for one in run(bound(_range, items, settings, k, found, totals, above), range(len(found)), n_jobs)])[..., 0]


def _totals(found: ranges.Ranges, k: int, threshold: float, item: object) -> Array:
    data = load(item)
    if data is None or len(data[0]) == 0:
        return np.zeros((len(found), 6))
    return found.totals(*ranges.column_of(ranges.read_part(data), k), threshold)


def _range(items: Sequence[Any], settings: Mapping[str, Any], k: int, found: ranges.Ranges, totals: Array, above: Array, r: int) -> Array:
    if found.single[r]:
        return ranges.tie_sums(totals[r], settings, above[r])
    n, at = int(totals[r, 5]), 0
    p, scores = np.empty(n), np.empty(n)
    for item in items:
        data = load(item)
        if data is None or len(data[0]) == 0:
            continue
        some = ranges.column_of(ranges.read_part(data), k)
        chosen = found.holds(some[1], r)
        end = at + int(np.count_nonzero(chosen))
        p[at:end], scores[at:end] = some[0][chosen], some[1][chosen]
        at = end
    return ranges.range_sums(p, scores, settings, above[r])
