"""Normal posteriors from sums of ratings, and what a prior that was fitted to the same ratings adds to intervals over cases."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Callable, NamedTuple
from zlib import crc32

import numpy as np

from .._base.arrays import Array, Int64
from .._base.lazy import cached_property
from .._base.ragged import row_of, sizes_of
from .normal_posterior import NormalPosterior

if TYPE_CHECKING:
    from ..annotations import Ratings
    from .normal import NormalPrior

STEP = 1e-4  # of parameters, for central differences: their error is some 1e-8 of the derivatives
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
class FittedNormal:
    """The fit of a prior to the ratings of all cases, for the posteriors of some ``rows`` of them.

    The fitted parameters η depend on every case. To first order, the weight w of case i changes them by ``∂η/∂w = I⁻¹ ψ_i`` with its
    score ψ and the observed information I of all cases. Parameters at a bound of the fit do not change.
    """

    sums: RatingSums
    gamma: float
    prior: NormalPrior
    rows: Int64 | None = None

    def take(self, rows: Any) -> FittedNormal:
        """Return the fit for some cases."""
        own = np.arange(len(self.sums.n)) if self.rows is None else self.rows
        return FittedNormal(self.sums, self.gamma, self.prior, own[rows])

    @cached_property
    def _steps(self) -> Array:
        """The derivatives (N, 4) of the parameters by the weights of all cases."""
        prior, rated = self.prior, self.sums.n > 0
        some = self.sums.take(rated)
        at = np.array([prior.location, *np.log([prior.kappa, prior.shape, prior.scale / prior.shape])])
        unit = np.diag([STEP * self._width, STEP, STEP, STEP])
        by = [(log_likelihoods(at + step, some)[1] - log_likelihoods(at - step, some)[1]).sum(axis=0) for step in unit]
        free = np.array([j for j, name in enumerate(("location", "kappa", "shape", "ratio")) if name not in prior.at_bound])
        information = -np.stack(by)[np.ix_(free, free)] / (2 * np.diagonal(unit)[free])[:, None]
        scale = 1 / np.sqrt(np.maximum(np.abs(np.diagonal(information)), 1e-300))
        inverse = np.linalg.pinv((information + information.T) / 2 * np.outer(scale, scale), rcond=SINGULAR, hermitian=True)
        found = np.zeros((len(rated), 4))
        found[np.ix_(np.flatnonzero(rated), free)] = log_likelihoods(at, some)[1][:, free] @ (inverse * np.outer(scale, scale))
        return found

    @cached_property
    def _width(self) -> float:
        """A distance of ratings, to the size of which the derivatives by m0 are taken."""
        within = float(self.sums.squares.sum() / max(self.sums.n.sum(), 1.0))
        return float(np.sqrt(within + np.nanvar(self.sums.mean)))

    def _moved(self, parameter: int, step: float) -> NormalPosterior:
        """Return the posteriors under a prior with one parameter moved."""
        m0, kappa, a, b = self.prior.location, self.prior.kappa, self.prior.shape, self.prior.scale
        up = np.exp(step)
        moved = [(m0 + step * self._width, kappa, a, b), (m0, kappa * up, a, b), (m0, kappa, a * up, b * up), (m0, kappa, a, b * up)]
        sums = self.sums if self.rows is None else self.sums.take(self.rows)
        return NormalPosterior(np.arange(len(sums.n)), *sums.posterior(moved[parameter], self.gamma), True)

    def added(self, columns: Callable[[NormalPosterior], Array], part: bool = False) -> Array:
        """Return what the estimation of the prior adds to columns (n,) or (n, S) of the cases: Σ_p ∂(Σ column)/∂η_p · ∂η_p/∂w_i.

        Sums of columns with it vary over resamples of cases as if the prior were fitted to each, to first order; NaN counts as 0. Of some
        cases, what the others add to the variance is given to these. If they are a ``part``, whose sums are added to those of the other
        cases, the derivative of all sums is taken to be that of the part, for as many cases.
        """
        rows = np.arange(len(self.sums.n)) if self.rows is None else self.rows
        rated = self.sums.n[rows] > 0
        share = int(rated.sum()) / max(int((self.sums.n > 0).sum()), 1)
        steps = np.zeros((len(rows), 4))
        if rated.any():
            steps[rated] = self._steps[rows[rated]] / min(share, 1.0) ** (1.0 if part else 0.5)
            steps[rated] -= steps[rated].mean(axis=0)  # the value stays as it is, also where the fit ended before its scores add up to 0
        total = 0.0
        for parameter, unit in enumerate((STEP * self._width, STEP, STEP, STEP)):
            if steps[:, parameter].any():
                up, down = (columns(self._moved(parameter, sign * STEP)) for sign in (1, -1))
                slope = np.nansum(up - down, axis=0) / (2 * unit)
                total = total + np.multiply.outer(steps[:, parameter], slope)
        return np.asarray(total)
