"""Did the chains converge, and how many independent draws are they worth?

Rank-normalised split R̂ and effective sample sizes as defined by Vehtari, Gelman, Simpson, Carpenter & Bürkner (2021),
"Rank-normalization, folding, and localization: an improved R̂ for assessing convergence of MCMC", Bayesian Analysis
16(2), 667–718. Every function takes many series at once, ``series`` (S, chains, draws), and answers per series.

Every chain is split into halves, M in all with N draws each and S = MN; of an odd number of draws the middle one is left out everywhere, as
in Stan. With W the mean of the M variances and B/N the variance of the M means of the half-chains, var⁺ = (N − 1)/N · W + B/N:

- R̂ = √(var⁺ / W), the larger of two: of the normal scores z of the draws, and of the normal scores of |x − median|.
  z = Φ⁻¹((r − 3/8) / (S + 1/4)) for (average) rank r. The paper prints S − 1/4; S + 1/4 is Blom's (1958) formula,
  symmetric, and what Stan, ``posterior`` and ArviZ compute.
- ESS = S / τ, τ = −1 + 2 Σ P_k over Geyer's initial monotone sequence of pairs P_k = ρ_2k + ρ_2k+1 with
  ρ_t = 1 − (W − mean autocovariance at lag t) / var⁺; at most S log₁₀ S. *Bulk*: of z. *Tail*: the smaller of those of
  the indicators x ≤ q for the 5 % and the 95 % quantile. *Mean*: of x itself.
- The Monte Carlo standard error of the mean is sd / √ESS.

Where a definition leaves 0/0 (``posterior`` answers NA there):

- nothing varies: R̂ = 1, every ESS = S, standard error 0. Likewise for each indicator of the tail ESS: it is S for ones
  with 2 % zeros (both quantiles are 1, so that x ≤ q always), not for zeros with 2 % ones. Bulk and mean see either
- every chain is constant, at different values: R̂ = ∞, and every ESS is about the number of chains
- something is not finite, or fewer than 4 draws a chain: NaN
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

# What to compute, and columns of the answer, as in ugt.h
RHAT, BULK, TAIL, MEAN = 1, 2, 4, 8
N_COLUMNS = 5

CHUNK = 65_536  # draws: some milliseconds of work


@dataclass(frozen=True, eq=False, repr=False)
class Diagnostics(Record):
    """All diagnostics of S series; every array has shape (S,). NaN where a series has none (see the module)."""

    n_chains: int
    rhat: Array
    ess_bulk: Array
    ess_tail: Array
    ess_mean: Array
    mcse_mean: Array

    def falls_short(self, *, rhat: float = 1.01, ess_per_chain: float = 100.0) -> Bools:
        """(S,) series that miss what the paper recommends: R̂ ≤ 1.01, bulk and tail ESS of at least 100 a chain.

        Undefined series (NaN) are not among them.
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
    """All diagnostics of ``series`` (S, chains, draws); ranks are computed once.

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
    """(S,) rank-normalised split R̂, the larger of bulk and folded version."""
    return _columns(series, RHAT)[0]


def ess_bulk(series: ArrayLike) -> Array:
    """(S,) effective sample sizes of the rank-normalised draws."""
    return _columns(series, BULK)[1]


def ess_tail(series: ArrayLike) -> Array:
    """(S,) effective sample sizes in the tails: the smaller one of the indicators of the 5 % and 95 % quantile."""
    return _columns(series, TAIL)[2]


def ess_mean(series: ArrayLike) -> Array:
    """(S,) effective sample sizes for the mean of the draws themselves; draws need a finite variance."""
    return _columns(series, MEAN)[3]


def mcse_mean(series: ArrayLike) -> Array:
    """(S,) Monte Carlo standard errors of the means of all draws; of a probability, where the draws are 0 and 1 (or bool)."""
    return _columns(series, MEAN)[4]
