"""The AUROC of many readers at once: contributions of every case, and values without each case or cluster."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from .._base.arrays import Array, Bools, Int64
from ..resampling import over


class Sides(NamedTuple):
    """(G, N) sums over the other cases of the kernel w_ij ψ(x_i, x_j), w_ij = p_i (1 - p_j): case i as the positive, and as the negative.

    With ψ = 1 they are ``design``, (2, G, N).
    """

    positive: Array
    negative: Array
    design: Array

    @property
    def value(self) -> Array:
        """The (G,) AUROC; NaN without a pair."""
        return over(self.positive.sum(axis=1), self.design[0].sum(axis=1))

    def centred(self, centre: Array) -> tuple[Array, Array]:
        """Return the same sums of ψ - centre (G,)."""
        c = centre[:, None]
        return self.positive - c * self.design[0], self.negative - c * self.design[1]


def sides(x: Array, read: Bools | Array, p: Array, group: Int64 | None = None) -> Sides:
    """Return the sums of ratings x (G, N), weighted by ``read``; pairs are those within groups of cases (N,), or all."""
    positive, negative = read * p, read * (1 - p)
    first, last, start, end, order = _ranks(np.where(read > 0, x, np.inf), group)

    def sums(weights: Array) -> tuple[Array, Array]:
        """Return the weights of cases below (half for ties and the case itself), and of all in the group."""
        along = np.take_along_axis(weights, order, axis=1)
        total = np.concatenate([np.zeros((len(x), 1)), np.cumsum(along, axis=1)], axis=1)
        low, high, begin, until = (np.take_along_axis(total, at, axis=1) for at in (first, last, start, end))
        found = np.empty((2, *x.shape))
        np.put_along_axis(found[0], order, (low + high) / 2 - begin, axis=1)
        np.put_along_axis(found[1], order, until - begin, axis=1)
        return found[0], found[1]

    (below, n_negative), (beneath, n_positive) = sums(negative), sums(positive)
    return Sides(
        positive * (below - negative / 2),
        negative * (n_positive - beneath - positive / 2),
        np.stack([positive * (n_negative - negative), negative * (n_positive - positive)]),
    )


def _ranks(x: Array, group: Int64 | None) -> tuple[Int64, Int64, Int64, Int64, Int64]:
    """Return, in the order of group and rating (G, N), the bounds of the ties and of the group at each place, and the order."""
    order = np.argsort(x, axis=1, kind="stable")
    new_group = np.zeros((len(x), x.shape[1] - 1), bool)
    if group is not None:
        of = np.argsort(group[order], axis=1, kind="stable")
        order = np.take_along_axis(order, of, axis=1)
        new_group = group[order][:, 1:] != group[order][:, :-1]
    along = np.take_along_axis(x, order, axis=1)
    ties, groups = _bounds(new_group | (along[:, 1:] != along[:, :-1])), _bounds(new_group)
    return (*ties, *groups, order)


def _bounds(new: Bools) -> tuple[Int64, Int64]:
    """Return the begin and end (G, N) of the run of each place; ``new`` says whether a run begins at each place after the first."""
    g, n = len(new), new.shape[1] + 1
    place = np.arange(n)
    begin = np.maximum.accumulate(np.where(np.concatenate([np.ones((g, 1), bool), new], axis=1), place, 0), axis=1)
    ends = np.where(np.concatenate([new, np.ones((g, 1), bool)], axis=1), place + 1, n)
    return begin, np.minimum.accumulate(ends[:, ::-1], axis=1)[:, ::-1]


def without_each(x: Array, read: Bools, p: Array, unit: Int64) -> Array:
    """Return the (U, G) AUROC without each unit, for the unit of each case (N,); NaN if no pair is left."""
    all_pairs = sides(x, read, p)
    both = all_pairs.positive + all_pairs.negative, all_pairs.design.sum(axis=0)
    n_units = int(unit.max()) + 1
    if n_units == len(unit):
        lost = [table.T[np.argsort(unit)] for table in both]
    else:
        inside = sides(x, read, p, unit)
        tables = both[0] - inside.positive, both[1] - inside.design[0]  # both members of a pair within a unit have counted it
        lost = [np.array([np.bincount(unit, row, n_units) for row in table]).T for table in tables]
    above, below = all_pairs.positive.sum(axis=1) - lost[0], all_pairs.design[0].sum(axis=1) - lost[1]
    least = 1e-9 * all_pairs.design[0].sum(axis=1)  # a smaller remainder is rounding, not a pair
    return np.where(below > least, over(above, below), np.nan)
