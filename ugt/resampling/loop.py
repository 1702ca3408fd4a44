"""The loop of all bootstraps over cases: weights are drawn once for some resamples, and all statistics use them."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np

from .._base import parallel
from .._base.arrays import Array, Bools
from .._base.checks import room
from .design import Design
from .statistic import Linear, PlainSums, Statistic, Wide
from .sums import Repeated, Sums


def resample(statistics: Sequence[Statistic], kept: Bools, design: Design, seed: int, n: int | Sequence[int]) -> list[Array]:
    """Return the numbers (n, M) of every statistic on the same n resamples: the one loop of all bootstraps over cases.

    Weights of cases are drawn once for some resamples, and all statistics use them.

    Parameters
    ----------
    statistics : sequence of Statistic
        Statistics of the same N cases.
    kept : (N,) bool
        The cases that are drawn from.
    design : Design
        Design of the kept cases.
    seed : int
        Resample b uses the stream of (seed, b), whatever else is computed.
    n : int or sequence of int
        Number of resamples; or the number of the same resamples for each statistic.
    """
    wanted = [n] * len(statistics) if isinstance(n, int) else list(n)
    most = max(wanted, default=0)
    room(f"{most} resamples", 8.0 * sum(k * len(one.names) for one, k in zip(statistics, wanted)))
    sums = Sums(design, most)
    drawn = [_tables_of(one, sums, kept, lambda block: resample([PlainSums(block)], kept, design, seed, most)[0]) for one in statistics]
    found = [np.full((k, len(one.names)), np.nan) for one, k in zip(statistics, wanted)]
    others = [(one, out) for one, out in zip(statistics, found) if not isinstance(one, Linear)]
    deepest = max((len(out) for _, out in others), default=0)

    def task(begin: int, end: int) -> None:
        weights = sums.add(seed, begin, end, begin < deepest)
        if weights is None:
            return
        weights = everybody(weights, kept)
        for one, out in others:
            if begin < len(out):
                last = min(end, len(out))
                out[begin:last] = one.values(weights if last == end else weights[: last - begin])

    if design.sizes.max() >= 2:
        parallel.run(task, most, sums.complete(len(kept) if others else 0), "bootstrap")
    for one, out, tables in zip(statistics, found, drawn):
        if isinstance(one, Linear):
            out[:] = one.answer(np.concatenate([table[: len(out)] for table in tables], axis=1))
        out[:, ~one.facts.varies(kept, design)] = np.nan
        _recentre(out, one)
    return found


def _recentre(values: Array, one: Statistic) -> None:
    at = np.flatnonzero(one.facts.recentred)
    if len(at):
        table, estimate = values[:, at], one.estimate[at]
        defined = ~np.isnan(table)
        means = np.where(defined, table, 0).sum(axis=0) / np.maximum(defined.sum(axis=0), 1)
        values[:, at] = table + np.where(np.isnan(estimate), 0.0, estimate - means)


def _tables_of(one: Statistic, sums: Sums, kept: Bools, drawn: Callable[[Array], Array]) -> list[Array]:
    """Return the arrays that will hold the sums of a linear statistic; those of blocks that would take too much memory are drawn now."""
    if not isinstance(one, Linear):
        return []
    if not (isinstance(one, Wide) and one.too_wide):
        every = one.table
        some = every if kept.all() else every.of_cases(kept) if isinstance(every, Repeated) else every[kept]
        return [np.asarray(sums.take(some))]
    found = []
    for block in one.blocks():
        if block.shape[1]:
            table = sums.take(block[kept], only_alike=True)
            found.append(drawn(block) if table is None else table)
    return found


def everybody(weights: Array, kept: Bools) -> Array:
    """Return the weights (B, N) of all cases from those of the kept ones."""
    if weights.shape[1] == len(kept):
        return weights
    found = np.zeros((len(kept), len(weights)))
    found[kept] = weights.T
    return np.asarray(found.T)
