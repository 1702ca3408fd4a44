"""States of partitions, merged in a tree."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, Union

from .._base.checks import error
from ..soft import parts as ranges
from ..states.making import finish, merge, part_of
from ..states.making import partial as state_of
from ..states.state import State, merge_states
from .parts import held, needed, tree, values, zipped
from .sort import ranked

States = Union[State, dict[str, State]]


def partial(metric: Any, *collections: Any, split_every: int = 8, **options: Any) -> Any:
    """The state of a metric on the cases of all partitions, when it is computed.

    Parameters
    ----------
    metric : str or function
        One of ``ugt.states.METRICS``; or a function of the data of a partition, one argument a collection, that returns a
        :class:`ugt.states.State`, or a dict of them: several metrics in one pass over the data.
    *collections : dask collections, or lists
        What the function takes, zipped partition by partition: arrays of dask, chunked along the first axis only; data frames and series
        (a function is given those of pandas, a metric their values); bags (a partition is a list); lists of Delayed or of data, None for
        an empty partition. Every case is whole in one partition. Partitions without rows are skipped.
    split_every : int
        How many states are merged at a time.
    **options
        As for :func:`ugt.states.partial`, or of the function. ``case_ids`` and ``clusters`` are collections; ``min_cases`` is of all
        cases. For ``soft_auroc`` and ``soft_average_precision`` without ``edges``, which are exact, also ``n_ranges``: into how many
        ranges of scores the cases are divided, each of which one worker sorts (default: as many as there are partitions, at most 256).

    Returns
    -------
    dask Delayed of a State, or of a dict of them
        The same bytes on every run over the same partitions, whichever worker did what.

    Raises
    ------
    ValueError, ImportError
        If dask is missing; if collections have different numbers of partitions or are chunked along another axis. When it is computed:
        if no partition has a case, or as the metric.

    Notes
    -----
    Frames from Parquet are side by side if their files are: ``dask.dataframe.read_parquet(path, split_row_groups=False)`` makes each file a
    partition. For exact ranking metrics dask holds p and the scores of all partitions for a while, on disk where memory is short.

    Examples
    --------
    >>> import dask.array
    >>> import ugt.dask
    >>> truth = dask.array.from_array([[0.9, 0.1], [0.5, 0.5], [0.2, 0.8]], chunks=(2, 2))
    >>> ugt.dask.partial("annotation_certainty", truth).compute()
    State(metric='annotation_certainty', n_cases=3, n_sums=7)
    """
    needed()
    least = options.pop("min_cases", 0)
    if not callable(metric) and part_of(metric) and metric in ranges.METRICS and "edges" not in options:
        found = ranked(metric, zipped(collections), options, split_every)
    else:
        found = tree(_joined, _of_partitions(metric, collections, options), split_every)
    return needed().delayed(_last)(found, least)


def compute(metric: Any, *collections: Any, **options: Any) -> Any:
    """A metric of data in partitions, on the scheduler of dask that is in force.

    Parameters
    ----------
    metric, *collections, **options
        As for :func:`partial`, with the same errors.

    Returns
    -------
    ugt.states.Merged, or a dict of them
        Of what the function returns, or of the metric.

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


def _of_partitions(metric: Any, collections: tuple[Any, ...], options: dict[str, Any]) -> list[Any]:
    """A Delayed state of each partition."""
    ids = {} if callable(metric) else {name: options.pop(name) for name in ("case_ids", "clusters") if options.get(name) is not None}
    names = [*(f"collection {number}" for number in range(len(collections))), *ids]
    task = needed().delayed(_by_function if callable(metric) else _by_name)
    # as one object: dask is not to look into the options for tasks, which takes long where they are long
    how = needed().delayed((metric, tuple(ids), options), traverse=False)
    return [task(how, *data) for data in zipped((*collections, *ids.values()), names)]


def _by_name(how: tuple[str, tuple[str, ...], dict[str, Any]], *data: Any) -> State | None:
    metric, ids, options = how
    found = held(data)
    if found is None:
        return None
    plain = [values(one) for one in found]
    n = len(plain) - len(ids)
    return state_of(metric, *plain[:n], **dict(zip(ids, plain[n:])), **options)


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
    """Of the partitions that have cases."""
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


def _last(found: States | None, min_cases: int) -> States:
    if found is None:
        raise error("collections", "hold at least one case", "none")
    if isinstance(found, dict):
        return {name: merge([one], min_cases=min_cases) for name, one in found.items()}
    return merge([found], min_cases=min_cases)
