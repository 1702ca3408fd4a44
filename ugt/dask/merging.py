"""States of partitions, merged in a tree; exact ranking metrics of scores, each range of which is sorted on one worker."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any, Union

import numpy as np

from .._base.arrays import Array
from .._base.checks import error, whole
from ..resampling.spread import with_annotators
from ..soft import parts as ranges
from ..states.computing import Plan, Sample
from ..states.making import finish, merge, part_of
from ..states.making import partial as state_of
from ..states.state import State, merge_states
from ..states.sums import added, as_exact
from ..states.two_way import check_whole, needs_second
from .parts import Graph, held, needed, partitions, tree, values, zipped

States = Union[State, dict[str, State]]
MOST_RANGES = 256


def partial(metric: Any, *collections: Any, split_every: int = 8, **options: Any) -> Any:
    """Return the state of a metric on the cases of all partitions, as a Delayed.

    Parameters
    ----------
    metric : str or function
        One of ``ugt.states.METRICS``; or a function of the data of a partition, one argument per collection, that returns a
        :class:`ugt.states.State`, or a dict of states: several metrics in one pass over the data.
    *collections : dask collections, or lists
        The arguments of the function, zipped partition by partition: arrays of dask, chunked along the first axis only; data frames and
        series (a function receives those of pandas, a metric their values); bags (a partition is a list); lists of Delayed or of data,
        None for an empty partition. Each case must be whole in one partition. Partitions without rows are skipped.
    split_every : int
        Number of states that are merged at a time.
    **options
        As for :func:`ugt.states.partial`, or of the function. ``case_ids``, ``clusters`` and weights of cases are collections;
        ``min_cases`` is for all cases. ``soft_auroc`` and ``soft_average_precision`` without ``edges``, which are exact, also have
        ``n_ranges``: the number of ranges of scores, each of which one worker sorts (default: the number of partitions, at most 256).
        With ``random=("cases", "annotators")`` partitions are read twice if the metric needs it.

    Returns
    -------
    dask Delayed of a State, or of a dict of them
        The bytes are the same in every run over the same partitions, whichever worker did what.

    Raises
    ------
    ValueError, ImportError
        If dask is missing; if collections have different numbers of partitions or are chunked along another axis. When the state is
        computed: if no partition has a case, or as the metric.

    Notes
    -----
    Frames from Parquet have matching partitions if their files match: ``dask.dataframe.read_parquet(path, split_row_groups=False)``
    makes each file a partition. For exact ranking metrics dask temporarily holds p and the scores of all partitions, on disk if memory is
    short.

    Examples
    --------
    >>> import dask.array
    >>> import ugt.dask
    >>> truth = dask.array.from_array([[0.9, 0.1], [0.5, 0.5], [0.2, 0.8]], chunks=(2, 2))
    >>> ugt.dask.partial("annotation_certainty", truth).compute()
    State(metric='annotation_certainty', n_cases=3, n_sums=7)
    """
    needed()
    least, whole_ids = options.pop("min_cases", 0), []
    if not callable(metric) and part_of(metric) and ranges.by_ranges(metric, options):
        found = ranked(metric, zipped(collections), options, split_every)
    else:
        found = tree(_joined, _of_partitions(metric, collections, options), split_every)
        if not callable(metric) and with_annotators(options.get("random", "cases")):
            second = tree(_joined, _of_partitions(metric, collections, options, found), split_every)
            found = needed().delayed(_either)(second, found)
            whole_ids = [] if options.get("clusters") is None else partitions("clusters", options["clusters"])
    return needed().delayed(_last)(found, least, [needed().delayed(_different)(one) for one in whole_ids])


def compute(metric: object, *collections: Any, **options: Any) -> Any:
    """Compute a metric of data in partitions, on the scheduler of dask that is in force.

    Parameters
    ----------
    metric, *collections, **options
        As for :func:`partial`, with the same errors.

    Returns
    -------
    ugt.states.Merged, or a dict of them
        For the metric, or for what the function returns.

    Examples
    --------
    >>> import dask.array
    >>> import ugt.dask
    >>> rng = dask.array.random.default_rng(0)
    >>> p, scores = rng.random(10_000, chunks=1_000), rng.random(10_000, chunks=1_000)
    >>> found = ugt.dask.compute("soft_auroc", p, scores, edges=100)
    >>> found.n_cases, found.numbers["low"] < found.value < found.numbers["high"]
    (10000, True)
    """
    found = partial(metric, *collections, **options).compute()
    return {name: finish(one) for name, one in found.items()} if isinstance(found, dict) else finish(found)


def _of_partitions(metric: object, collections: tuple[Any, ...], options: Mapping[str, Any], given: object = None) -> list[Any]:
    """Return a Delayed state of each partition; ``given``: the Delayed state of all, if there may have to be a second round."""
    options = dict(options)
    of_cases = ["case_ids", "clusters"] + ["weights"] * hasattr(options.get("weights"), "__dask_graph__")  # weights of classes are a table
    ids = {} if callable(metric) else {name: options.pop(name) for name in of_cases if options.get(name) is not None}
    names = [*(f"collection {number}" for number in range(len(collections))), *ids]
    task = needed().delayed(_by_function if callable(metric) else _by_name)
    # as one object, since dask would search long options for tasks, which is slow
    how = needed().delayed((metric, tuple(ids), options), traverse=False)
    parts = zipped((*collections, *ids.values()), names)
    return [task(how, *data) if given is None else needed().delayed(_again)(how, given, *data) for data in parts]


def _by_name(how: tuple[str, tuple[str, ...], dict[str, Any]], *data: Any) -> State | None:
    metric, ids, options = how
    found = held(data)
    if found is None:
        return None
    plain = [values(one) for one in found]
    n = len(plain) - len(ids)
    return state_of(metric, *plain[:n], **dict(zip(ids, plain[n:])), **options)


def _again(how: tuple[str, tuple[str, ...], dict[str, Any]], first: State | None, *data: Any) -> State | None:
    """Return the state of a second round, if one is needed."""
    if first is None or not needs_second(first):
        return None
    metric, ids, options = how
    return _by_name((metric, ids, {**options, "given": first}), *data)


def _by_function(how: tuple[Callable[..., Any], tuple[()], dict[str, Any]], *data: Any) -> States | None:
    function, _, options = how
    found = held(data)
    if found is None:
        return None
    states = function(*found, **options)
    every = states.values() if isinstance(states, Mapping) else [states]
    if len(every) == 0 or not all(isinstance(one, State) for one in every):
        kinds = sorted({type(one).__name__ for one in every})
        raise TypeError(f"metric must return a State or a dict of States. Got {', '.join(kinds) or 'an empty dict'}.")
    return dict(states) if isinstance(states, Mapping) else states


def _joined(states: list[States | None]) -> States | None:
    """Return the merged states of the partitions that have cases."""
    some = [one for one in states if one is not None]
    if not some:
        return None
    first = some[0]
    if not isinstance(first, dict):
        return merge_states(some)  # type: ignore[arg-type]
    for other in some[1:]:
        if not isinstance(other, dict) or other.keys() != first.keys():
            got = sorted(other) if isinstance(other, dict) else type(other).__name__
            raise error("metric", f"return the same metrics of every partition, {sorted(first)}", got)
    return {name: merge_states(one[name] for one in some) for name in first}  # type: ignore[index]


def _either(second: State | None, first: State | None) -> State | None:
    return first if second is None else second


def _different(ids: object) -> Any:
    """Return the distinct clusters of a partition; none of an empty one."""
    return [] if ids is None else np.unique(values(ids))


def _last(found: States | None, min_cases: int, whole_ids: list[Any]) -> States:
    check_whole(whole_ids)
    if found is None:
        raise error("collections", "hold at least one case", "none")
    if isinstance(found, dict):
        return {name: merge([one], min_cases=min_cases) for name, one in found.items()}
    return merge([found], min_cases=min_cases)


# ---- exact ranking metrics: each range of scores is collected and sorted on one worker ----


def ranked(metric: str, parts: Sequence[tuple[Any, ...]], options: dict[str, Any], split_every: int) -> Any:
    """Return a Delayed state; of None if no partition has a case."""
    given = options.pop("n_ranges", None)
    n = max(2, min(len(parts), MOST_RANGES)) if given is None else whole("n_ranges", given, 1)
    settings = ranges.settings_of(metric, options)
    graph = Graph([one for data in parts for one in data])
    keys = [[one.key for one in data] for data in parts]
    plan = graph.add(_plan, [graph.add(_sample, *data, n_parts=len(parts)) for data in keys], n_ranges=n)
    threshold = settings["threshold"]
    totals = graph.tree(_added, [graph.add(_totals, plan, *data, n_ranges=n, threshold=threshold) for data in keys], split_every)
    pieces = [graph.add(_split, plan, *data, n_ranges=n) for data in keys]
    by_range = enumerate(graph.exchanged(pieces, n))
    sums = [graph.add(_range, plan, totals, some, settings=settings, r=r) for r, some in by_range]
    total = graph.tree(_added, sums, split_every)
    return graph.delayed(graph.add(_state, plan, total, metric=metric, settings=settings))


def _read(data: Sequence[Any]) -> Any:
    found = held(data)
    return None if found is None else ranges.read_part([values(one) for one in found])


def _sample(*data: Any, n_parts: int) -> Sample | None:
    """Return a sample of a partition's scores, by which ranges are chosen."""
    found = held(data)
    return None if found is None else Sample.of([values(one) for one in found], n_parts)


def _plan(samples: list[Sample | None], *, n_ranges: int) -> Plan | None:
    some = [one for one in samples if one is not None]
    return Plan.of(some, "partitions", lambda n: n_ranges) if some else None


def _totals(plan: Plan | None, *data: Any, n_ranges: int, threshold: float) -> Array | None:
    """Return the totals (K, R, 6, 1) of each column and range; there may be fewer ranges than tasks."""
    given = _read(data)
    if given is None or plan is None:
        return None
    out = np.zeros((len(plan.ranges), n_ranges, 6))
    for k, found in enumerate(plan.ranges):
        out[k, : len(found)] = found.totals(*ranges.column_of(given, k), threshold)
    return as_exact(out)


def _split(plan: Plan | None, *data: Any, n_ranges: int) -> list[list[tuple[Array, Array]]]:
    """Return the cases (p, scores) of every range of each column; none if the totals of a range are enough."""
    given = _read(data)
    pieces: list[list[tuple[Array, Array]]] = [[] for _ in range(n_ranges)]
    if given is None or plan is None:
        return pieces
    for k, found in enumerate(plan.ranges):
        p, scores = ranges.column_of(given, k)
        at = found.which(scores)
        order = np.argsort(at, kind="stable")
        ends = np.searchsorted(at[order], np.arange(n_ranges + 1))
        for r in range(n_ranges):
            chosen = order[ends[r] : ends[r + 1]] if r < len(found) and not found.single[r] else order[:0]
            pieces[r].append((p[chosen], scores[chosen]))
    return pieces


def _range(
    plan: Plan | None, totals: Array | None, pieces: list[list[list[tuple[Array, Array]]]], *, settings: Mapping[str, Any], r: int
) -> Array | None:
    """Return the sums (K, N_SUMS, 1) of a range of each column."""
    if plan is None or totals is None:
        return None
    sums = []
    for k, found in enumerate(plan.ranges):
        total = totals[k, : len(found), :, 0]
        if r >= len(found):
            sums.append(ranges.range_sums(np.empty(0), np.empty(0), settings, np.zeros(4)))
            continue
        above = ranges.above_of(total)[r]
        if found.single[r]:
            sums.append(ranges.tie_sums(total[r], settings, above))
            continue
        columns = [piece[k] for some in pieces for piece in some if piece]
        p, scores = (np.concatenate([column[j] for column in columns]) for j in (0, 1))
        sums.append(ranges.range_sums(p, scores, settings, above))
    return as_exact(np.stack(sums))


def _added(tables: list[Array | None]) -> Array | None:
    some = [one for one in tables if one is not None]
    return added(some) if some else None


def _state(plan: Plan | None, sums: Array | None, *, metric: str, settings: Mapping[str, Any]) -> State | None:
    """Return the state of sums that were rounded once, as on one machine."""
    return None if plan is None or sums is None else plan.state(metric, settings, sums[..., 0])
