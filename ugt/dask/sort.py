"""Exact ranking metrics of scores in partitions: each range of scores is brought together and sorted on one worker."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np

from .._base.arrays import Array
from .._base.checks import error, whole
from ..soft import parts as ranges
from ..states.state import State
from ..states.sums import added, as_exact
from .parts import Graph, held, values

MOST_RANGES = 256


class Plan(NamedTuple):
    """Ranges of the scores of every column, and the cases of all partitions."""

    ranges: list[ranges.Ranges]
    n_cases: int
    left_out: dict[str, int]


def ranked(metric: str, parts: Sequence[tuple[Any, ...]], options: dict[str, Any], split_every: int) -> Any:
    """A Delayed state; of None where no partition has a case."""
    if options.pop("n_resamples", 0):
        raise error("edges", "be given with n_resamples: resamples are of cases in bins", None)
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


def _sample(*data: Any, n_parts: int) -> tuple[list[Array], int, dict[str, int]] | None:
    """Sorted scores of each column, fewer where there are many partitions; how many cases they stand for; what is left out."""
    given = _read(data)
    if given is None:
        return None
    columns = 1 if given.p.ndim == 1 else given.p.shape[1]
    return [ranges.sample(ranges.column_of(given, k)[1], n_parts) for k in range(columns)], given.n_cases, given.left_out


def _plan(samples: list[Any], *, n_ranges: int) -> Plan | None:
    some = [one for one in samples if one is not None]
    if not some:
        return None
    n_columns = {len(columns) for columns, _, _ in some}
    if len(n_columns) > 1:
        raise error("partitions", "have one number of classes", sorted(n_columns))
    left_out: dict[str, int] = {}
    for _, _, missing in some:
        for reason, count in missing.items():
            left_out[reason] = left_out.get(reason, 0) + count
    found = [ranges.Ranges.of([(columns[k], n) for columns, n, _ in some], n_ranges) for k in range(n_columns.pop())]
    return Plan(found, sum(n for _, n, _ in some), left_out)


def _totals(plan: Plan | None, *data: Any, n_ranges: int, threshold: float) -> Array | None:
    """(K, R, 6, 1) of each column and range; there may be fewer ranges than tasks for them."""
    given = _read(data)
    if given is None or plan is None:
        return None
    out = np.zeros((len(plan.ranges), n_ranges, 6))
    for k, found in enumerate(plan.ranges):
        out[k, : len(found)] = found.totals(*ranges.column_of(given, k), threshold)
    return as_exact(out)


def _split(plan: Plan | None, *data: Any, n_ranges: int) -> list[list[tuple[Array, Array]]]:
    """The cases (p, scores) of every range, of each column; none where the totals of a range say all."""
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
    """(K, N_SUMS, 1) of a range of each column."""
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
    """Sums that have been rounded once, as those of one machine."""
    if plan is None or sums is None:
        return None
    return State(metric, settings, plan.n_cases, plan.left_out, {"sums": as_exact(sums[..., 0].ravel())})
