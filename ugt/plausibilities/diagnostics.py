"""Diagnostics of chains: whether they have converged, and the number of independent draws with the same precision.

Rank-normalised split R̂ and effective sample sizes as defined by Vehtari, Gelman, Simpson, Carpenter & Bürkner (2021),
"Rank-normalization, folding, and localization: an improved R̂ for assessing convergence of MCMC", Bayesian Analysis
16(2), 667–718. Every function takes many series at once, ``series`` (S, chains, draws), and returns one value per series.

Every chain is split into halves, M in all with N draws each and S = MN; if the number of draws is odd, the middle one is always left out,
as in Stan. With W the mean of the M variances and B/N the variance of the M means of the half-chains, var⁺ = (N − 1)/N · W + B/N:

- R̂ = √(var⁺ / W), the larger of its values for the normal scores z of the draws and for the normal scores of |x − median|.
  z = Φ⁻¹((r − 3/8) / (S + 1/4)) for (average) rank r. The paper prints S − 1/4; S + 1/4 is Blom's (1958) formula,
  which is symmetric and is what Stan, ``posterior`` and ArviZ compute.
- ESS = S / τ, τ = −1 + 2 Σ P_k over Geyer's initial monotone sequence of pairs P_k = ρ_2k + ρ_2k+1 with
  ρ_t = 1 − (W − mean autocovariance at lag t) / var⁺; at most S log₁₀ S. *Bulk*: for z. *Tail*: the smaller of those for
  the indicators x ≤ q of the 5% and the 95% quantile. *Mean*: for x itself.
- The Monte Carlo standard error of the mean is sd / √ESS.

If a definition gives 0/0 (``posterior`` returns NA):

- all draws are equal: R̂ = 1, every ESS = S, standard error 0. The same holds for each indicator of the tail ESS: it is S for ones
  with 2% zeros (both quantiles are 1, so that x ≤ q always), but not for zeros with 2% ones. Bulk and mean ESS detect both
- every chain is constant, at different values: R̂ = ∞, and every ESS is about the number of chains
- a draw is not finite, or chains have fewer than 4 draws: NaN
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from .._base import parallel
from .._base.arrays import Array, Bools
from .._base.checks import error
from .._base.records import Record
from .._core import _diagnostics

if TYPE_CHECKING:
    from numpy.typing import ArrayLike

# Flags for the quantities to compute, and their columns in the result, as in ugt.h.
RHAT, BULK, TAIL, MEAN = 1, 2, 4, 8
N_COLUMNS = 5

CHUNK = 65_536  # draws in a chunk: some milliseconds of work


@dataclass(frozen=True, eq=False, repr=False)
class Diagnostics(Record):
    """The diagnostics of S series, arrays (S,); NaN if undefined (see the module)."""

    n_chains: int
    rhat: Array
    ess_bulk: Array
    ess_tail: Array
    ess_mean: Array
    mcse_mean: Array

    def falls_short(self, *, rhat: float = 1.01, ess_per_chain: float = 100.0) -> Bools:
        """Return which series (S,) miss the recommendations of the paper: R̂ ≤ 1.01, bulk and tail ESS of at least 100 per chain.

        Undefined series (NaN) do not count as missing them.
        """
        least = ess_per_chain * self.n_chains
        found: Bools = (self.rhat > rhat) | (self.ess_bulk < least) | (self.ess_tail < least)
        return found


def _columns(series: ArrayLike, wanted: int) -> list[Array]:
    array: Array = np.ascontiguousarray(series, dtype=np.float64)
    if np.ndim(series) != 3 or 0 in array.shape[1:]:
        raise error("series", "have shape (series, chains, draws)", f"shape {np.shape(series)}")
    n_series, n_chains, n_draws = array.shape
    score, n = np.empty(0), 2 * n_chains * (n_draws // 2)
    if n_draws >= 4:  # normal scores of the ranks 1, 1.5, 2, …, n; ties have half ranks
        from scipy.special import ndtri  # noqa: PLC0415  (scipy is slow to import)

        score = ndtri(((1.0 + np.arange(2 * n - 1) / 2) - 3 / 8) / (n + 1 / 4))
    out = np.empty((n_series, N_COLUMNS))

    def task(begin: int, end: int) -> None:
        _diagnostics.diagnostics(array[begin:end], score, wanted, out[begin:end])

    parallel.run(task, n_series, max(1, CHUNK // (n_chains * n_draws)), "diagnostics")
    return [np.ascontiguousarray(column) for column in out.T]


def diagnose(series: ArrayLike) -> Diagnostics:
    """Return all diagnostics of ``series`` (S, chains, draws); ranks are computed once.

    Examples
    --------
    >>> import numpy as np
    >>> chains = np.random.default_rng(0).standard_normal((1, 4, 1000))
    >>> good, bad = diagnose(chains), diagnose(chains + [[[0.0], [0.0], [0.0], [1.0]]])
    >>> good.falls_short(), bad.falls_short()
    (array([False]), array([ True]))
    """
    return Diagnostics(np.shape(series)[1], *_columns(series, RHAT | BULK | TAIL | MEAN))


def rhat(series: ArrayLike) -> Array:
    """Return the rank-normalised split R̂ (S,), the larger of its bulk and folded version."""
    return _columns(series, RHAT)[0]


def ess_bulk(series: ArrayLike) -> Array:
    """Return the effective sample sizes (S,) of the rank-normalised draws."""
    return _columns(series, BULK)[1]


def ess_tail(series: ArrayLike) -> Array:
    """Return the effective sample sizes (S,) in the tails: the smaller of those of the indicators of the 5% and the 95% quantile."""
    return _columns(series, TAIL)[2]


def ess_mean(series: ArrayLike) -> Array:
    """Return the effective sample sizes (S,) for the mean of the draws, whose variance must be finite."""
    return _columns(series, MEAN)[3]


def mcse_mean(series: ArrayLike) -> Array:
    """Return the Monte Carlo standard errors (S,) of the means of all draws, which are probabilities if the draws are 0 and 1."""
    return _columns(series, MEAN)[4]
