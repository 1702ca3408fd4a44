"""How far the variance that a pilot reader study shows may be below the true one: over other readers, and over other cases."""

from __future__ import annotations

import pickle
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np

from .._base.arrays import Array, Bools, Int64
from .._base.checks import error
from .._base.laws import t_quantile
from .components import MOST_GROUPS, jackknife_covariance
from .covariances import covariance_of
from .figures import FigureOfMerit, ReadingCells
from .obuchowski_rockette import ALIKE, ErrorCovariances

LEAST_READERS = 3


@dataclass(frozen=True)
class PilotCells:
    """The readings of the readers in tests (``there``, (T, R)) who have a figure, to estimate covariances without some of the cases."""

    figure: FigureOfMerit
    cells: ReadingCells
    there: Bools
    unit: Int64
    delong: bool  # or else the jackknife
    design: str

    def without_cases(self) -> Array:
        """Return Var - Cov1 and Cov2 - Cov3 (2, G) without each of at most 100 groups of units, times the share of cases left."""
        group = self.unit % min(int(self.unit.max()) + 1, MOST_GROUPS)
        return np.asarray(np.array([self._of(group != g) for g in range(int(group.max()) + 1)]).T)

    def _of(self, kept: Bools) -> list[float]:
        some = ReadingCells(self.cells.x[:, kept], self.cells.read[:, kept], self.cells.p[kept])
        unit = np.unique(self.unit[kept], return_inverse=True)[1].reshape(-1)
        flat, _ = covariance_of(self.figure, some, "delong" if self.delong else "jackknife", unit, False, 0, 0)
        return [float(kept.mean()) * one for one in ErrorCovariances.of(flat, self.there, self.design).alone_and_shared]

    def __reduce__(self) -> tuple[Any, ...]:
        """Pickle as nothing if the figure is a function that cannot be pickled, so that the study can be."""
        try:
            pickle.dumps(self.figure)
        except (pickle.PicklingError, AttributeError, TypeError):
            return type(None), ()
        return type(self), (self.figure, self.cells, self.there, self.unit, self.delong, self.design)


class ReaderPilot(NamedTuple):
    """What determines the variance of a difference in a pilot: MS(TR), Var - Cov1 and Cov2 - Cov3, and how well each is known."""

    mean_square: float
    df: float  # of the mean square
    alone: float
    shared: float
    n_cases: int
    covariance: Array  # (2, 2) of the last two over cases
    df_cases: int

    @classmethod
    def of(cls, components: Any, n_tests: int, cells: PilotCells | None) -> ReaderPilot:
        """Return those of a study with these components; refuse a pilot that does not show them."""
        r, n = components.n_readers, components.n_cases
        if r < LEAST_READERS or not components.ms_test_reader > ALIKE:
            must = "be left out for a pilot that does not show how differences of tests vary between readers"
            got = f"{r} readers" if r < LEAST_READERS else f"the same difference for all {r} readers"
            raise error("assurance", must, got, way=f"take a pilot of at least {LEAST_READERS} readers who differ")
        if cells is None:
            must = "be left out for a study that was copied or pickled, if its figure is a function that cannot be"
            raise error("assurance", must, "such a copy", way="plan from the study that reader_study returned")
        with np.errstate(divide="ignore", invalid="ignore"):
            table = cells.without_cases()
        covariance = jackknife_covariance(table)
        if not np.isfinite(covariance).all():
            must = "be left out for a pilot in which a figure or its variance is undefined without some of the cases"
            raise error("assurance", must, f"{n} cases", way="take a pilot of more cases of the rarer kind")
        df = (n_tests - 1.0) * (r - 1.0)
        alone, shared = components.error - components.cov1, max(components.cov2 - components.cov3, 0.0)
        return cls(components.ms_test_reader, df, alone, shared, n, covariance, table.shape[1] - 1)

    def _weights(self, r: Any, n: Any) -> Array:
        """Return the weights (3, ...) of the mean square, and of what readers do not share and share over cases."""
        r, scale = np.asarray(r, np.float64), self.n_cases / np.asarray(n, np.float64)
        return np.asarray(2 / r * np.stack(np.broadcast_arrays(1.0, scale - 1, (r - 1) * scale + 1)))

    def variance(self, r: Any, n: Any) -> Array:
        """Return the variance of the difference, in which a negative variance of readers by tests does not count as 0."""
        return np.asarray(np.einsum("i...,i->...", self._weights(r, n), [self.mean_square, self.alone, self.shared]))

    def reach(self, r: Any, n: Any, assurance: float) -> Array:
        """Return how far the true variance may be above that, at most and with this probability.

        The mean square has the law of chi-square over its degrees of freedom; the part of the cases varies as the jackknife shows.
        """
        from scipy.special import chdtri  # noqa: PLC0415  (scipy is slow to import)

        square, *cases = self._weights(r, n)
        of_readers = square * self.mean_square * (self.df / chdtri(self.df, assurance) - 1)
        of_cases = t_quantile(self.df_cases, assurance) * np.sqrt(np.einsum("i...,ij,j...->...", cases, self.covariance, cases))
        return np.asarray(np.hypot(of_readers, of_cases))
