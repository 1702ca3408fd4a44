"""The lists of best classes that weighted points make, with their probabilities."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from .._base.arrays import Array, Bools, Int32, Int64
from .._base.axes import Axes
from .._base.identifiers import factorize
from .._base.lazy import cached_property
from .._base.ragged import offsets_of, row_of
from .point import Point

SHIFTS = 16  # of the lattice, whose means differ by the standard error
OF_T = (15 / 13) ** 0.5  # standard deviation of t with 15 degrees of freedom: errors are as for normal intervals
NO_CLASS, UNNAMED = -1, -2  # in a list: after the last one; a class that no annotator mentioned
ROUNDING = 1e-12  # of chances
MOST_NAMED = 4_000_000  # lists with names beside the classes of a model; if there were more, points have random names


def ratio(sums: Array, total: Array, effective: Any) -> tuple[Array, Array]:
    """Return values Σ sums and their standard errors, from the sums (…, 16) of each shift and its weight (Hesterberg 1995)."""
    value = sums.sum(axis=-1)
    apart = SHIFTS * (sums - value[..., None] * total)
    return value, np.maximum(OF_T * np.sqrt((apart**2).sum(axis=-1) / (SHIFTS * (SHIFTS - 1))), 1.0 / effective)


def vectors_of(top: Int32, n_classes: int) -> Point:
    """Return plausibilities with the orders of lists (L, depth), one vector for each: 1, 1/2, 1/3, … of their sum."""
    order = np.argsort(np.where(top < 0, n_classes, top), axis=1)
    top, listed = np.take_along_axis(top, order, axis=1), np.take_along_axis(top >= 0, order, axis=1)
    value = np.asarray(1.0 / (order + 1.0), np.float64)
    value /= np.maximum((value * listed).sum(axis=1, keepdims=True), ROUNDING)
    return Point(Axes.of(len(top), n_classes), offsets_of(listed.sum(axis=1)), top[listed], value[listed])


@dataclass(frozen=True, eq=False)
class Lists:
    """The distinct lists of best classes of N cases, ``offsets`` (N + 1,), with their probabilities by shift.

    ``top`` (L, depth): best first, -1 after the last class; ``weight`` (L, 16) adds up to 1 over the lists and shifts of a case.
    """

    top: Int32
    weight: Array
    offsets: Int64
    effective: Array
    others: Int64
    unsure: Bools

    @cached_property
    def row(self) -> Int64:
        return row_of(self.offsets)

    @cached_property
    def total(self) -> Array:
        """The weight (N, 16) of each shift."""
        return np.asarray(np.add.reduceat(self.weight, self.offsets[:-1], axis=0))

    def means(self, sums: Array, rows: Any = slice(None)) -> tuple[Array, Array]:
        """Return values and standard errors from sums (…, 16) over the lists of cases."""
        value, errors = ratio(sums, self.total[rows], self.effective[rows])
        return value, np.where(self.unsure[rows], np.nan, errors)

    def mean(self, value: Array) -> tuple[Array, Array]:
        """Return the expectations (N,) of a value (L,) of each list, and their standard errors."""
        return self.means(np.add.reduceat(self.weight * value[:, None], self.offsets[:-1], axis=0))

    def at_rank(self, rank: int, known: Int64, n_classes: int) -> tuple[Array, Array]:
        """Return weights by shift at a rank: (E, 16) of mentioned classes, ``known`` as row * K + class, and (N, 16) of all others."""
        column = self.top[:, rank].astype(np.int64)
        listed = np.flatnonzero(column >= 0)
        place = np.searchsorted(known, self.row[listed] * n_classes + column[listed])
        at = (place[:, None] * SHIFTS + np.arange(SHIFTS)).ravel()
        own = np.asarray(np.bincount(at, self.weight[listed].ravel(), SHIFTS * len(known)), np.float64).reshape(-1, SHIFTS)
        return own, np.add.reduceat(self.weight * (column == UNNAMED)[:, None], self.offsets[:-1], axis=0)

    def membership(self, k: int, known: Int64, n_classes: int) -> tuple[Array, Array]:
        """Return the probability to be among the best k: (E,) of mentioned classes, and (N,) of each other class."""
        share = self.weight.sum(axis=1)
        row, column = np.nonzero(self.top[:, :k] >= 0)
        open_places = k - (self.top[:, :k] != NO_CLASS).sum(axis=1)  # which classes of plausibility 0 share
        each = share * open_places / np.maximum(n_classes - k + open_places, 1)
        place = np.searchsorted(known, self.row[row] * n_classes + self.top[row, column])
        own = np.asarray(np.bincount(place, (share - each)[row], len(known)), np.float64)
        base = np.add.reduceat(each, self.offsets[:-1])
        unnamed = np.add.reduceat(share * (self.top[:, :k] == UNNAMED).sum(axis=1), self.offsets[:-1])
        return own + base[known // n_classes], base + unnamed / np.maximum(self.others, 1)

    def best_sets(self, k: int) -> tuple[Array, Array]:
        """Return the highest probability (N,) of any set to be the best k classes, and its standard error."""
        members = np.sort(self.top[:, :k], axis=1)
        code, first = factorize(np.column_stack([self.row, members]))
        weight = np.zeros((len(first), SHIFTS))
        np.add.at(weight, code, self.weight)
        row, unnamed, ways = self.row[first], (members[first] == UNNAMED).sum(axis=1), np.ones(len(first))
        for j in range(int(unnamed.max(initial=0))):
            ways *= np.where(j < unnamed, (self.others[row] - j) / (j + 1), 1.0)
        weight /= ways[:, None]
        best = np.lexsort((-weight.sum(axis=1), row))[offsets_of(np.bincount(row, minlength=len(self.offsets) - 1))[:-1]]
        return self.means(weight[best])

    def named(self, offsets: Int64, index: Int32, known: Int64, n_classes: int) -> tuple[Int32, Int64, Array] | None:
        """Return the lists with names of all classes, beside listed ones of each case: ``(top, the list of each, its chance)``.

        A class without a name has each name with equal probability; those that are not listed are alike, and one of them stands for all.
        ``known``: mentioned classes as row * K + class. None: there would be too many.
        """
        row, depth, n = row_of(offsets), self.top.shape[1], len(offsets) - 1
        free = np.flatnonzero(~np.isin(row * n_classes + index, known))
        n_free = np.bincount(row[free], minlength=n)
        if float(((n_free[self.row] + 1.0) ** (self.top == UNNAMED).sum(axis=1)).sum()) > MOST_NAMED:
            return None
        choice = np.full((n, int(n_free.max(initial=0)) + 1), -1, np.int32)  # the last one for all that are not listed
        choice[row[free], np.arange(len(free)) - offsets_of(n_free)[row[free]]] = index[free]
        alike = _first_others(np.concatenate([known, row * n_classes + index]), n, n_classes, depth)
        top, parent, chance, used = self.top, np.arange(len(self.top)), np.ones(len(self.top)), np.zeros(len(self.top), np.int64)
        for j in range(depth):
            at = np.flatnonzero(top[:, j] == UNNAMED)
            options, left = (
                choice[self.row[parent[at]]],
                self.others[self.row[parent[at]]] - (self.top[parent[at], :j] == UNNAMED).sum(axis=1),
            )
            share = np.where((options < 0) | (options[:, :, None] == top[at, None, :]).any(axis=2), 0.0, 1.0 / left[:, None])
            share[:, -1] = 1.0 - share[:, :-1].sum(axis=1)
            of, option = np.nonzero(share > ROUNDING)
            kept, made, is_alike = np.flatnonzero(top[:, j] != UNNAMED), at[of], option == options.shape[1] - 1
            more = top[made]
            more[:, j] = np.where(is_alike, alike[self.row[parent[made]], used[made]], options[of, option])
            top, used = np.concatenate([top[kept], more]), np.concatenate([used[kept], used[made] + is_alike])
            parent = np.concatenate([parent[kept], parent[made]])
            chance = np.concatenate([chance[kept], chance[made] * share[of, option]])
        return top, parent, chance


def _first_others(taken: Int64, n: int, n_classes: int, depth: int) -> Int32:
    """Return the first classes (n, depth) of each row that are not taken, given as row * K + class; any if there are fewer."""
    width = min(n_classes, int(np.bincount(taken // n_classes, minlength=n).max(initial=0)) + depth)
    is_taken = np.zeros((n, width), bool)
    low = taken[taken % n_classes < width]
    is_taken[low // n_classes, low % n_classes] = True
    return np.argsort(is_taken, axis=1, kind="stable")[:, :depth].astype(np.int32)
