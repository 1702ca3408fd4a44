"""What more annotators could say, and what a Dirichlet posterior would be then."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from .._base.arrays import Array, Int64
from .._base.axes import Axes
from .._base.checks import error
from .._base.ragged import offsets_of, row_of, sizes_of

if TYPE_CHECKING:
    from .dirichlet import Dirichlet

MOST_OUTCOMES = 2_000_000


@dataclass(frozen=True)
class Outcomes:
    """Outcomes: concentrations of the listed classes (L, m), 0 where there is none, of ``case``, each with a probability."""

    case: Int64
    probability: Array
    table: Array
    unlisted: Int64
    background: Array

    @classmethod
    def of(cls, posterior: Dirichlet) -> Outcomes:
        """Before any label: the posterior itself."""
        defined = np.flatnonzero(posterior.defined)
        sizes = sizes_of(posterior.offsets)[defined]
        table = np.zeros((len(defined), int(sizes.max(initial=0))))
        row = row_of(posterior.offsets)
        place = np.arange(len(row)) - posterior.offsets[:-1][row]
        position = np.zeros(posterior.n_cases, np.int64)
        position[defined] = np.arange(len(defined))
        table[position[row], place] = posterior.concentration
        table = -np.sort(-table, axis=1)
        return cls(defined, np.ones(len(defined)), table, posterior.n_classes - sizes, np.asarray(posterior.background)[defined])

    def grown(self, gamma: float) -> Outcomes:
        """After one more label. Which class has which concentration does not matter: outcomes with the same ones are put together."""
        total = self.table.sum(axis=1) + self.unlisted * self.background
        fresh = (self.unlisted > 0) & (self.background > 0)
        width = self.table.shape[1] + int(fresh.any())
        base = np.zeros((len(self.table), width))
        base[:, : self.table.shape[1]] = self.table
        # one of several equal concentrations stands for all of them
        first = np.ones(self.table.shape, bool)
        first[:, 1:] = self.table[:, 1:] != self.table[:, :-1]
        row, column = np.nonzero(first & (self.table > 0))
        alike = (self.table[row] == self.table[row, column][:, None]).sum(axis=1)
        new = np.flatnonzero(fresh)
        if len(row) + len(new) > MOST_OUTCOMES:
            raise error("n_annotators", f"leave at most {MOST_OUTCOMES:,} different outcomes", f"{len(row) + len(new):,}")
        grown = base[np.concatenate([row, new])]
        grown[np.arange(len(row)), column] += gamma
        grown[len(row) :, -1] = self.background[new] + gamma
        share = np.concatenate([alike * self.table[row, column], self.unlisted[new] * self.background[new]])
        parent = np.concatenate([row, new])
        unlisted = self.unlisted[parent] - np.repeat([0, 1], [len(row), len(new)])
        found = Outcomes(
            self.case[parent], self.probability[parent] * share / total[parent], -np.sort(-grown, axis=1), unlisted, self.background[parent]
        )
        return found._merged()

    def _merged(self) -> Outcomes:
        key = np.column_stack([self.case.astype(np.float64), self.table])
        _, at, of = np.unique(key, axis=0, return_index=True, return_inverse=True)
        probability = np.asarray(np.bincount(of.reshape(-1), self.probability), np.float64)
        return Outcomes(self.case[at], probability, self.table[at], self.unlisted[at], self.background[at])

    def mean(self, posterior: Dirichlet, k: int) -> Array:
        row, column = np.nonzero(self.table)
        offsets = offsets_of(np.bincount(row, minlength=len(self.table)))
        axes = Axes(np.arange(len(self.table)), posterior.axes.classes, True)
        certainty = type(posterior)(axes, offsets, column.astype(np.int32), self.table[row, column], self.background).certainty(k)
        out = np.bincount(self.case, self.probability * certainty, posterior.n_cases)
        return np.where(posterior.defined, np.minimum(out, 1.0), np.nan)
