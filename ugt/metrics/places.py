"""Classes of a case in the order of their plausibility, groups of like cases, and linear equations that may have no solution."""

from __future__ import annotations

import numpy as np

from .._base.arrays import Array, Int32, Int64
from .._base.identifiers import factorize

SAME = 9  # decimals to which plausibilities are rounded before they are compared


def in_order(pi: Array, chosen: Array) -> tuple[Array, Array]:
    """Sort the classes of each case by plausibility in both tables; equally plausible classes share their ``chosen`` equally."""
    order = np.argsort(-pi, axis=1, kind="stable")
    p, y = (np.take_along_axis(table, order, axis=1) for table in (pi, chosen))
    new, rank = np.ones(p.shape, bool), np.round(p, SAME)
    new[:, 1:] = rank[:, 1:] != rank[:, :-1]
    run = np.cumsum(new.ravel()) - 1
    share = np.bincount(run, y.ravel()) / np.bincount(run)
    return p, share[run].reshape(p.shape)


def groups_of(aligned: Array, times: Int64, least: int) -> tuple[Int32, int]:
    """Return the group of each row and the number of groups: equal plausibilities, neighbours merged up to ``least`` cases.

    ``times``: the number of cases with each row.
    """
    if len(aligned) == 0:
        return np.zeros(0, np.int32), 1
    code, first = factorize(np.round(aligned, SAME) + 0.0)
    order = np.lexsort(aligned[first].T[::-1])[::-1]
    sizes, group, held = np.bincount(code, times)[order].tolist(), np.empty(len(first), np.int32), [0]
    for place, size in zip(order, sizes):
        if held[-1] >= least:
            held.append(0)
        group[place] = len(held) - 1
        held[-1] += size
    if held[-1] < least and len(held) > 1:
        group[group == len(held) - 1] = len(held) - 2
        held.pop()
    return group[code], len(held)


def solved(matrices: Array, given: Array) -> Array:
    """Return the (B, m, m) solutions of linear equations; NaN if a matrix is singular."""
    try:
        return np.asarray(np.linalg.solve(matrices, given))
    except np.linalg.LinAlgError:
        if len(matrices) == 1:
            return np.full(given.shape, np.nan)
        halves = slice(len(matrices) // 2), slice(len(matrices) // 2, None)
        return np.concatenate([solved(matrices[half], given[half]) for half in halves])
