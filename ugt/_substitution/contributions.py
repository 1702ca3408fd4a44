"""What each annotator and the model in their place add to comparisons, case by case, and the bootstrap of that."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from .. import resampling
from .._discrepancy.sums import LeftOut, Sums

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from .._discrepancy.input import Compared
    from ..resampling import Resamples

    Array = NDArray[np.float64]

WHY = "so that each can be compared with the model"


class PerAnnotator:
    """One contribution a case and annotator, and the bootstrap of their means."""

    _parts: Array  # (N, C), NaN where a case does not count
    clusters: NDArray[Any] | None
    n_resamples: int
    seed: int

    def _resamples(self, n_resamples: int | None, seed: resampling.Seed | None) -> Resamples:
        inside = ~np.isnan(self._parts).all(axis=1)
        return resampling.bootstrap(
            self._parts[inside],
            clusters=None if self.clusters is None else self.clusters[inside],
            n_resamples=self.n_resamples if n_resamples is None else n_resamples,
            seed=self.seed if seed is None else resampling.seed_of(seed),
        )


def distances_to_others(compared: Compared, sums: Sums) -> tuple[Array, Array]:
    """(N, A) mean distance of the model, and of each annotator, to the other annotators; NaN where a case does not count."""
    left = LeftOut.of(compared, sums, range(len(compared.annotators)), "mu1")
    model = left.model[0]
    return model, np.where(np.isnan(model), np.nan, left.mu)
