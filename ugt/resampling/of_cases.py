"""The cases of a statistic, each of which may stand for several equal ones."""

from __future__ import annotations

from typing import Any

import numpy as np

from .._base.arrays import Array, Bools, NDArray
from .design import Design
from .strata import merged_strata


class OfCases:
    """What holds for numbers that are computed from N cases.

    Attributes
    ----------
    n_cases : int
        Number of cases N of the data, including those that do not count.
    case_ids : (N,) array or None
        Ids of cases; None if they are those of the data.
    times : (N,) float64 array or None
        The whole number of equal cases that each case stands for, see :func:`frequency_of`; None: one.
    case_weights : (N,) array or None
        The weights of the cases, each of which is one unit, see :class:`CaseWeighted`; None: equal ones.
    """

    n_cases: int
    case_ids: NDArray[Any] | None = None
    times: Array | None = None
    case_weights: Array | None = None

    @property
    def kept(self) -> Bools:
        """The (N,) cases that count in any of the numbers; the others are not resampled."""
        return np.ones(self.n_cases, bool)

    def standing(self, kept: Bools) -> Bools:
        """Return which of some cases (N,) stand for any."""
        return kept if self.times is None else kept & (self.times > 0)

    def number_of(self, kept: Bools) -> int:
        """Return the number of cases that some cases (N,) stand for."""
        return int(kept.sum() if self.times is None else self.times[kept].sum())

    def of_all(self, table: Array) -> Array:
        """Return the sums (C,) of a table (N, C) of numbers of cases, each as often as it occurs."""
        return np.asarray(table.sum(axis=0) if self.times is None else np.einsum("n,nc->c", self.times, table))

    def units(self, clusters: Any = None, strata: Any = None) -> Design:
        """Return the design of the kept cases, from their clusters and strata; with weights, single units of strata join the nearest."""
        kept = self.kept
        if self.case_weights is not None:
            strata = None if strata is None else merged_strata(strata, clusters)
            return Design.of(int(kept.sum()), clusters, strata, rescaled=True)
        return Design.of(int(kept.sum()), clusters, strata, None if self.times is None else self.times[kept])
