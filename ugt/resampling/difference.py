"""Paired differences."""

from __future__ import annotations

from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np

from .._base.arrays import Array, Bools
from .statistic import Statistic

if TYPE_CHECKING:
    from .design import Design


class Difference(Statistic):
    """One statistic less another, number by number, of the same cases: both on the same resamples."""

    def __init__(self, first: Statistic, second: Statistic) -> None:
        self.first, self.second, self.n_cases, self.names = first, second, first.n_cases, first.names

    @cached_property
    def _width(self) -> int:
        return int(self.first.sums().shape[1])

    @property
    def kept(self) -> Bools:
        """(N,) cases that count in either."""
        return self.first.kept | self.second.kept

    def sums(self, cases: Array | None = None) -> Array:
        """(B, S + S') of both."""
        return np.concatenate([self.first.sums(cases), self.second.sums(cases)], axis=1)

    def answer(self, sums: Array) -> Array:
        return self.first.answer(sums[:, : self._width]) - self.second.answer(sums[:, self._width :])

    def influence(self) -> Array | None:
        one, other = self.first.influence(), self.second.influence()
        return None if one is None or other is None else one - other

    def only(self, number: int) -> tuple[Statistic, int]:
        """Less of both."""
        (first, at), (second, _) = self.first.only(number), self.second.only(number)
        return Difference(first, second), at

    @property
    def spans(self) -> Array:
        return np.asarray(self.first.spans - self.second.spans[:, ::-1])

    def steps(self, sums: Array, n_cases: int) -> Array:
        """(M,) not known."""
        return np.full(len(self.names), np.nan)

    def counting(self, kept: Bools, design: Design) -> Array:
        """(M,) of both."""
        return np.minimum(self.first.counting(kept, design), self.second.counting(kept, design))

    @property
    def recentred(self) -> Bools:
        return self.first.recentred | self.second.recentred

    def varies(self, kept: Bools, design: Design) -> Bools:
        return self.first.varies(kept, design) & self.second.varies(kept, design)
