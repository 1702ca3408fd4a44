"""Normal posteriors from sums of ratings, and the fit of their prior to the same ratings."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, NamedTuple
from zlib import crc32

import numpy as np

from .._base.arrays import Array, Bools, Int64
from .._base.lazy import cached_property
from .._base.ragged import row_of, sizes_of
from .fitted_prior import STEP, FittedPrior
from .normal_posterior import NormalPosterior

if TYPE_CHECKING:
    from ..annotations import Ratings
    from .normal import NormalPrior

SINGULAR = 1e-9  # share of the largest eigenvalue, below which the ratings do not inform of a combination of parameters
Laws = tuple[Array, Array, Array, Array]


class RatingSums(NamedTuple):
    """The number, mean and sum of squared deviations of the ratings of each case."""

    n: Array
    mean: Array
    squares: Array

    @classmethod
    def of(cls, ratings: Ratings) -> RatingSums:
        """Return the sums of all cases; a case without ratings has NaN as its mean."""
        n, row = sizes_of(ratings.offsets).astype(np.float64), row_of(ratings.offsets)
        with np.errstate(invalid="ignore", over="ignore"):  # infinite squares are rejected later
            mean = np.bincount(row, ratings.value, ratings.n_cases) / n
            mean = mean + np.bincount(row, ratings.value - mean[row], ratings.n_cases) / n  # corrects rounding
            squares = np.bincount(row, (ratings.value - mean[row]) ** 2, ratings.n_cases)
        return cls(n, mean, np.asarray(squares, np.float64))

    def take(self, rows: Any) -> RatingSums:
        """Return the sums of some cases."""
        return RatingSums(self.n[rows], self.mean[rows], self.squares[rows])

    def posterior(self, prior: Any, gamma: float) -> Laws:
        """Return m, κ, a and b (N,) under a prior (m0, κ0, a0, b0); NaN for cases without ratings."""
        m0, kappa0, a0, b0 = prior
        n = gamma * self.n
        kappa = kappa0 + n
        scale = b0 + 0.5 * gamma * self.squares + kappa0 * n * (self.mean - m0) ** 2 / (2 * kappa)
        found = (kappa0 * m0 + n * self.mean) / kappa, kappa, a0 + n / 2, scale
        return tuple(np.where(self.n > 0, x, np.nan) for x in found)  # type: ignore[return-value]


def key_of(ratings: Ratings) -> int:
    """Return a number that is the same for the same ratings, on all systems."""
    return crc32(ratings.value.astype("<f8").tobytes(), crc32(ratings.offsets.astype("<i8").tobytes()))


def log_likelihoods(parameters: Array, sums: RatingSums) -> tuple[Array, Array]:
    """Return the marginal log-likelihood (N,) of each case, and its derivatives (N, 4) by (m0, log κ0, log a0, log(b0 / a0))."""
    from scipy.special import gammaln, psi  # noqa: PLC0415  (scipy is slow to import)

    m0, (kappa, a, ratio) = parameters[0], np.exp(parameters[1:])
    b = a * ratio
    n = sums.n
    kappa_n, a_n = kappa + n, a + n / 2
    gap = sums.mean - m0
    more = 0.5 * sums.squares + kappa * n * gap**2 / (2 * kappa_n)
    # a0 log b0 - a_n log b_n with b_n = b0 + more, in a form without a difference of large numbers
    logs = -a * np.log1p(more / b) - n / 2 * np.log(b + more)
    each = gammaln(a_n) - gammaln(a) + logs + 0.5 * np.log(kappa / kappa_n) - n / 2 * np.log(2 * np.pi)
    pull = a_n / (b + more)
    by_m0 = pull * kappa * n * gap / kappa_n
    by_kappa = 0.5 * n / kappa_n - kappa * pull * n**2 * gap**2 / (2 * kappa_n**2)
    by_a = a * (psi(a_n) - psi(a) - np.log1p(more / b))
    by_b = a - b * pull
    return each, np.stack([by_m0, by_kappa, by_a + by_b, by_b], axis=1)


@dataclass(frozen=True, eq=False, repr=False)
class FittedNormal(FittedPrior):
    """The fit of (m0, log κ0, log a0, log(b0 / a0)) to ratings; parameters at a bound of the fit do not change."""

    sums: RatingSums
    gamma: float
    prior: NormalPrior
    rows: Int64 | None = None

    def take(self, rows: Any) -> FittedNormal:
        """Return the fit for some cases."""
        own = np.arange(len(self.sums.n)) if self.rows is None else self.rows
        return FittedNormal(self.sums, self.gamma, self.prior, own[rows])

    @property
    def told(self) -> Bools:
        return self.sums.n > 0

    @cached_property
    def steps(self) -> Array:
        prior, rated = self.prior, self.told
        some = self.sums.take(rated)
        at = np.array([prior.location, *np.log([prior.kappa, prior.shape, prior.scale / prior.shape])])
        unit = np.diag(STEP * self.units)
        by = [(log_likelihoods(at + step, some)[1] - log_likelihoods(at - step, some)[1]).sum(axis=0) for step in unit]
        free = np.array([j for j, name in enumerate(("location", "kappa", "shape", "ratio")) if name not in prior.at_bound])
        information = -np.stack(by)[np.ix_(free, free)] / (2 * np.diagonal(unit)[free])[:, None]
        scale = 1 / np.sqrt(np.maximum(np.abs(np.diagonal(information)), 1e-300))
        inverse = np.linalg.pinv((information + information.T) / 2 * np.outer(scale, scale), rcond=SINGULAR, hermitian=True)
        found = np.zeros((len(rated), 4))
        found[np.ix_(np.flatnonzero(rated), free)] = log_likelihoods(at, some)[1][:, free] @ (inverse * np.outer(scale, scale))
        return found

    @cached_property
    def units(self) -> Array:
        within = float(self.sums.squares.sum() / max(self.sums.n.sum(), 1.0))
        return np.array([float(np.sqrt(within + np.nanvar(self.sums.mean))), 1.0, 1.0, 1.0])

    def moved(self, parameter: int, step: float) -> NormalPosterior:
        m0, kappa, a, b = self.prior.location, self.prior.kappa, self.prior.shape, self.prior.scale
        up = np.exp(step)
        moved = [(m0 + step * self.units[0], kappa, a, b), (m0, kappa * up, a, b), (m0, kappa, a * up, b * up), (m0, kappa, a, b * up)]
        sums = self.sums if self.rows is None else self.sums.take(self.rows)
        return NormalPosterior(np.arange(len(sums.n)), *sums.posterior(moved[parameter], self.gamma), True)
