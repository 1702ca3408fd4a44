"""Numbers to expect after labels of more annotators, whose possible labels are enumerated."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from .._base.arrays import Array, Int64
from .._base.axes import Axes
from .._base.checks import error, room, scalar, whole
from .._base.ragged import offsets_of, row_of, sizes_of

if TYPE_CHECKING:
    from .dirichlet import Dirichlet

MOST_OUTCOMES = 2_000_000


def expected_after(posterior: Dirichlet, n_annotators: int, reliability: float, of: Callable[[Dirichlet], Array]) -> Array:
    """Return the expectation (N,) of a number of each case after labels of n more annotators; NaN for undefined cases.

    ``of`` returns the number for each case of a posterior.
    """
    n_annotators, gamma = whole("n_annotators", n_annotators), scalar("reliability", reliability, positive=True)
    defined, row = np.flatnonzero(posterior.defined), row_of(posterior.offsets)
    table = np.zeros((posterior.n_cases, int(sizes_of(posterior.offsets).max(initial=0))))
    table[row, np.arange(len(row)) - posterior.offsets[:-1][row]] = posterior.concentration
    alike = np.column_stack([posterior.background, -np.sort(-table, axis=1)])[defined]
    found, at = np.unique(alike, axis=0, return_inverse=True)
    value = Outcomes.of_posteriors(found[:, 1:], found[:, 0], posterior.n_classes, n_annotators, gamma).mean(posterior, found[:, 0], of)
    out = np.full(posterior.n_cases, np.nan)
    out[defined] = value[at.reshape(-1)]
    return out


@dataclass(frozen=True)
class Outcomes:
    """The outcomes of more labels for posteriors.

    Each outcome has its posterior ``of``, the logarithm of its ``weight``, the number of labels ``left`` for further classes, and a
    ``table`` of concentrations (L, m), best first, 0 for no class. A sequence of labels, each of which adds γ to the concentration c of its
    class, has a probability that depends on the number of labels s of each class: it is proportional to the product over classes of
    c (c + γ) … (c + (s - 1) γ) / s!. So each class in turn gets all possible numbers of the remaining labels. Only the concentrations
    matter, not their classes: outcomes with equal concentrations are joined.
    """

    of: Int64
    weight: Array
    left: Int64
    table: Array

    @classmethod
    def of_posteriors(cls, table: Array, background: Array, n_classes: int, n: int, gamma: float) -> Outcomes:
        """Return the outcomes of posteriors with listed concentrations (P, m) and the background of all other classes."""
        n_listed = (table > 0).sum(1)
        unlisted = np.where(background > 0, n_classes - n_listed, 0)
        last = np.where(unlisted > 0, -1, n_listed - 1)  # the class that gets all remaining labels
        found = cls(np.arange(len(table), dtype=np.int64), np.zeros(len(table)), np.full(len(table), n), np.zeros((len(table), 0)))
        for j in range(table.shape[1]):
            most = np.where(table[found.of, j] > 0, found.left, 0)
            found = found.given(table[:, j], gamma, np.where(last[found.of] == j, most, 0), most)[0].merged()
        part, run, m = found.left, np.zeros(len(found.of)), 0
        while found.left.any():  # unlisted classes, in descending order of their new labels
            here = unlisted[found.of] - m
            least = np.where(found.left > 0, -(-found.left // np.maximum(here, 1)), 0)
            found, parent, s = found.given(background, gamma, least, np.minimum(found.left, part))
            run = np.where((s == part[parent]) & (m > 0), run[parent], 0) + 1
            ways = np.where(s > 0, np.maximum(here[parent], 1) / run, 1.0)
            found.weight[:] += np.log(ways)
            found.table[s == 0, -1] = 0.0  # without new labels the class remains unlisted
            part, m = s, m + 1
        return found.merged() if m else found

    def given(self, concentration: Array, gamma: float, least: Int64, most: Int64) -> tuple[Outcomes, Int64, Int64]:
        """Return the outcomes if one more class gets from ``least`` to ``most`` labels, the parent of each, and its number of labels."""
        n_of = most - least + 1
        if n_of.sum() > MOST_OUTCOMES:
            raise error("n_annotators", f"leave at most {MOST_OUTCOMES:,} different outcomes", f"{n_of.sum():,}")
        parent = np.repeat(np.arange(len(n_of)), n_of)
        s = np.arange(len(parent)) - np.repeat(np.cumsum(n_of) - n_of - least, n_of)
        distinct, at = np.unique(concentration, return_inverse=True)
        labels = np.arange(int(most.max(initial=0)))
        room("the weights of outcomes", 16 * len(distinct) * len(labels))
        factors = np.maximum(distinct, np.finfo(float).tiny)[:, None] + gamma * labels
        rising = np.zeros((len(distinct), len(labels) + 1))
        np.cumsum(np.log(factors) - np.log(labels + 1.0), axis=1, out=rising[:, 1:])
        of = self.of[parent]
        weight = self.weight[parent] + rising[at.reshape(-1)[of], s]
        table = np.column_stack([self.table[parent], concentration[of] + gamma * s])
        return Outcomes(of, weight, self.left[parent] - s, table), parent, s

    def merged(self) -> Outcomes:
        """Return the outcomes with equal ones joined."""
        table = -np.sort(-self.table, axis=1)
        _, at, of = np.unique(np.column_stack([self.of, self.left, table]), axis=0, return_index=True, return_inverse=True)
        weight = np.full(len(at), -np.inf)
        np.logaddexp.at(weight, of.reshape(-1), self.weight)
        return Outcomes(self.of[at], weight, self.left[at], table[at])

    def mean(self, posterior: Dirichlet, background: Array, of: Callable[[Dirichlet], Array]) -> Array:
        """Return the expectation over outcomes of a number of each case of a Dirichlet posterior, for each posterior."""
        row, column = np.nonzero(self.table)
        offsets = offsets_of(np.bincount(row, minlength=len(self.table)))
        axes = Axes(np.arange(len(self.table), dtype=np.int64), posterior.axes.classes, True)
        values = self.table[row, column]
        found = of(type(posterior)(axes, offsets, column.astype(np.int32), values, background[self.of]))
        most = np.full(len(background), -np.inf)
        np.maximum.at(most, self.of, self.weight)
        weight = np.exp(self.weight - most[self.of])
        total = np.bincount(self.of, weight, len(background))
        return np.asarray(np.bincount(self.of, weight * found, len(background)) / total)
