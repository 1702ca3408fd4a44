"""Unbiased covariances of AUROCs: moments over pairs of pairs of cases without a case in common.

With the kernel M_ij = w_ij ψ_ij + w_ji ψ_ji of two cases, sums over pairs of pairs without a common case are S S' - e·e' + Σ_{i<j} M M',
with S the total and e_i the sum of M_ij over j: no quadruple is enumerated, and a case may be positive and negative (soft truth).
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

import numpy as np

from .._base.arrays import Array, Bools
from ..resampling import over
from .auroc import Sides, sides

MOST_CELLS = 2**21  # of a block of kernels: 16 MB


class Products(NamedTuple):
    """The sums over pairs of pairs of cases without a common case, (G, G) or (T, T): of the centred kernel, and of 1."""

    kernel: Array
    design: Array

    def mean(self) -> Array:
        """Return the mean; NaN if no such pair was read."""
        return np.where(self.design > 0, over(self.kernel, self.design), np.nan)


def kernels(x: Array, read: Bools, p: Array, centre: Array) -> Iterator[tuple[Array, Array]]:
    """Yield the kernels (G, K) of ψ - centre (G,) and of 1, for some pairs i < j at a time; (1, K) for 1 if all read all cases.

    Pairs of two certainly positive or two certainly negative cases have no weight and are not enumerated.
    """
    order = np.argsort(-p, kind="stable")
    x, read, p = x[:, order], read[:, order], p[order]
    n_ones, n_some, n = int((p == 1).sum()), int((p > 0).sum()), len(p)
    complete = bool(read.all())
    begin = 0
    while begin < n_some:
        first = n_ones if begin < n_ones else begin
        end = min(begin + max(1, MOST_CELLS // max(1, len(x) * (n - first))), n_ones if begin < n_ones else n_some)
        i, j = slice(begin, end), slice(first, n)
        upper = 1.0 * (np.arange(first, n) > np.arange(begin, end)[:, None])
        both = 2 * np.outer(p[i], 1 - p[j]) + p[j] - p[i][:, None]  # w_ij + w_ji
        weight = (both * upper)[None]
        sign = np.sign(x[:, i, None] - x[:, None, j])
        if not complete:
            there = read[:, i, None] & read[:, None, j]
            weight = weight * there
            sign = np.where(there, sign, 0.0)
        sign *= (p[i][:, None] - p[j]) * upper / 2
        sign += (0.5 - centre)[:, None, None] * weight
        yield sign.reshape(len(x), -1), weight.reshape(len(weight), -1)
        begin = end


def of_cells(x: Array, read: Bools, p: Array, centre: Array) -> Products:
    """Return the sums (G, G) of every two cells, which are rows of x (G, N)."""
    found = sides(x, read, p)
    kernel, design = (_apart(*_edges(found, own)) for own in (centre, None))
    for m, v in kernels(x, read, p, centre):
        kernel += m @ m.T
        design += v @ v.T
    return Products(kernel, design)


def of_readers(x: Array, read: Bools, p: Array, centre: Array) -> tuple[Products, Products]:
    """Return the sums (T, T) of every two tests, over pairs that share no reader either, and over all pairs of readers.

    x (T, R, N), centre (T,).
    """
    t, r, n = x.shape
    flat, seen, of_cell = x.reshape(-1, n), read.reshape(-1, n), np.repeat(centre, r)
    found = sides(flat, seen, p)
    kernel, design = (_of_edges(*_edges(found, own), (t, r)) for own in (of_cell, None))
    for m, v in kernels(flat, seen, p, of_cell):
        kernel += same_and_all(m.reshape(t, r, -1))
        own = same_and_all(np.broadcast_to(v, m.shape).reshape(t, r, -1)) if len(v) > 1 else np.array([r, r * r])[:, None, None] * (v @ v.T)
        design += own
    return Products(kernel[1] - kernel[0], design[1] - design[0]), Products(kernel[1], design[1])


def _edges(found: Sides, centre: Array | None) -> tuple[Array, Array]:
    """Return the totals (G,), and the sums (G, N) of each case in both roles."""
    positive, negative = (found.design[0], found.design[1]) if centre is None else found.centred(centre)
    return positive.sum(axis=1), positive + negative


def _apart(total: Array, edge: Array) -> Array:
    return np.asarray(np.outer(total, total) - edge @ edge.T)


def _of_edges(total: Array, edge: Array, shape: tuple[int, int]) -> Array:
    """Return the first two terms (2, T, T), over the same reader and over all pairs of readers."""
    return same_and_all(total.reshape(*shape, 1)) - same_and_all(edge.reshape(*shape, -1))


def same_and_all(table: Array) -> Array:
    """Return Σ (2, T, T) over the same reader, and over all pairs of readers, and over the last axis of products, of (T, R, K)."""
    whole, by_reader = table.sum(axis=1), np.ascontiguousarray(table.transpose(1, 0, 2))
    return np.array([np.matmul(by_reader, by_reader.transpose(0, 2, 1)).sum(axis=0), whole @ whole.T])
