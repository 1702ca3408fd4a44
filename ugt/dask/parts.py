"""Collections of dask as lists of partitions, and trees of tasks over them."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from math import isqrt
from operator import itemgetter
from typing import Any
from uuid import uuid4

import numpy as np

from .._base.checks import error, whole

EXCHANGES = 4096  # most tasks of a direct exchange: more take the scheduler longer than moving the data twice


def needed() -> Any:
    """Return the module dask; refuse if it is missing."""
    try:
        import dask  # noqa: PLC0415
    except ImportError:
        raise ImportError("ugt.dask needs dask: pip install 'ugt[dask]'") from None
    return dask


def zipped(collections: Sequence[Any], names: Sequence[str] | None = None) -> list[tuple[Any, ...]]:
    """Return matching partitions of collections: for each, a tuple of one Delayed of every collection."""
    if not collections:
        raise error("collections", "be at least one", "none")
    called = names or [f"collection {number}" for number in range(len(collections))]
    lists = [partitions(name, one) for name, one in zip(called, collections)]
    for name, one in zip(called, lists):
        if len(one) != len(lists[0]):
            raise error(name, f"have as many partitions as {called[0]}, {len(lists[0])}", len(one))
    _check_rows(called, collections)
    if not lists[0]:
        raise error(called[0], "have at least one partition", "none")
    return list(zip(*lists))


def partitions(name: str, given: Any) -> list[Any]:
    """Return the partitions of one collection, each as a Delayed."""
    delayed = needed().delayed
    if isinstance(given, (list, tuple)):
        return [one if _is_delayed(one) else delayed(one, traverse=False) for one in given]
    if not hasattr(given, "__dask_graph__") or not hasattr(given, "to_delayed"):
        must = "be an array, a data frame, a series or a bag of dask, or a list of partitions"
        raise error(name, must, type(given).__name__)
    if hasattr(given, "chunks") and any(n > 1 for n in given.numblocks[1:]):
        raise error(name, "be chunked along its first axis only, so that each case is whole in one partition", f"chunks {given.chunks}")
    return _as_declared(given) if hasattr(given, "simplify") else list(np.ravel(given.to_delayed()))


def _as_declared(frame: Any) -> list[Any]:
    """Return the partitions of a data frame whose graph dask optimises as a whole.

    The last steps of dask's optimiser join small files, differently for each frame, so that partitions would no longer match.
    """
    from dask.delayed import Delayed  # noqa: PLC0415
    from dask.highlevelgraph import HighLevelGraph  # noqa: PLC0415

    simple = frame.simplify()
    chosen = simple if simple.npartitions == frame.npartitions else frame
    # what to_delayed(optimize_graph=False) does from 2025 on; earlier versions optimised nevertheless
    made: Any = Delayed
    layer = f"delayed-{chosen._name}"
    graph = HighLevelGraph.from_collections(layer, chosen.__dask_graph__(), dependencies=())
    return [made(key, graph, layer=layer) for key in chosen.__dask_keys__()]


def _is_delayed(one: object) -> bool:
    return hasattr(one, "__dask_graph__") and hasattr(one, "key")


def _check_rows(names: Sequence[str], collections: Sequence[Any]) -> None:
    """Refuse arrays whose chunks have different numbers of rows (NaN: unknown)."""
    known = [(name, one.chunks[0]) for name, one in zip(names, collections) if getattr(one, "chunks", None)]
    for name, rows in known[1:]:
        differ = [i for i, (mine, its) in enumerate(zip(known[0][1], rows)) if mine != its and mine == mine and its == its]  # noqa: PLR0124
        if differ:
            i = differ[0]
            raise error(name, f"have chunks of as many rows as {known[0][0]}, {known[0][1][i]}", rows[i], f"partition {i}")


def held(data: Sequence[Any]) -> tuple[Any, ...] | None:
    """Return the data of a partition; None if it has no rows."""
    found = [one if one is None or hasattr(one, "__len__") else list(one) for one in data]
    empty = [one is None or len(one) == 0 for one in found]
    if all(empty):
        return None
    if any(empty):
        raise error("partitions", "be empty in all collections or in none", f"nothing in collection {empty.index(True)} alone")
    return tuple(found)


def values(one: object) -> Any:
    """Return frames and series of pandas as arrays."""
    return one.to_numpy() if hasattr(one, "to_numpy") else one


class Graph:
    """The tasks of one layer, by key, over some Delayed, whose keys they may use.

    A Delayed for every task would merge graphs again for each task with many inputs, in time that grows with the square of their number.
    """

    def __init__(self, sources: Sequence[Any]) -> None:
        self.sources, self.name = sources, f"ugt-{uuid4().hex}"
        self.tasks: dict[Any, Any] = {}

    def add(self, function: Callable[..., Any], *keys: Any, **plain: Any) -> str:
        """Add a call with the results of keys (or lists of keys), and with plain keywords that dask does not search; return its key."""
        key = f"{getattr(function, '__name__', 'item').strip('_')}-{self.name}-{len(self.tasks)}"
        self.tasks[key] = (partial(function, **plain) if plain else function, *keys)
        return key

    def tree(self, join: Callable[[list[Any]], Any], keys: Sequence[str], split_every: object) -> str:
        """Return the key of ``join``, applied to a few at a time until one is left: no worker holds all of them."""
        width, level = whole("split_every", split_every, 2), list(keys)
        while True:
            level = [self.add(join, level[begin : begin + width]) for begin in range(0, len(level), width)]
            if len(level) == 1:
                return level[0]

    def exchanged(self, pieces: Sequence[str], n: int) -> list[list[str]]:
        """Return for each r of 0..n-1 keys of lists that together hold item r of every one of the pieces, which are lists of n, in order.

        If that would take many tasks, it is done in two steps: ranges of items of some pieces are combined, and then divided.
        """
        if len(pieces) * n <= EXCHANGES:
            return [[self.add(itemgetter(slice(r, r + 1)), piece) for piece in pieces] for r in range(n)]
        width, found = isqrt(n - 1) + 1, [list[str]() for _ in range(n)]
        for begin in range(0, n, width):
            for first in range(0, len(pieces), width):
                some = [self.add(itemgetter(slice(begin, begin + width)), piece) for piece in pieces[first : first + width]]
                beside = self.add(_columns, some)
                for r in range(begin, min(begin + width, n)):
                    found[r].append(self.add(itemgetter(r - begin), beside))
        return found

    def delayed(self, key: str) -> Any:
        """Return one of the tasks as a Delayed."""
        from dask.delayed import Delayed  # noqa: PLC0415
        from dask.highlevelgraph import HighLevelGraph  # noqa: PLC0415

        made: Any = Delayed
        return made(key, HighLevelGraph.from_collections(self.name, self.tasks, dependencies=self.sources), layer=self.name)


def _columns(rows: list[list[Any]]) -> list[list[Any]]:
    return [list(column) for column in zip(*rows)]


def tree(join: Callable[[list[Any]], Any], items: Sequence[Any], split_every: object) -> Any:
    """Return ``join`` of a few Delayed at a time, until one is left."""
    graph = Graph(items)
    return graph.delayed(graph.tree(join, [one.key for one in items], split_every))
