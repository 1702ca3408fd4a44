"""The bootstrap-t of a ratio of sums, on the scale of its logarithm, for one-sided limits of skewed ratios."""

from __future__ import annotations

import math

import numpy as np

from .._base.arrays import Array, Int64
from .._base.laws import t_quantile
from .design import Design
from .statistic import PlainSums, resample

NO_SPREAD = 1e-12  # relative standard errors below this are rounding


def limits(above: Array, below: Array, design: Design, q: list[float], n_resamples: int, seed: int) -> Array:
    r"""Return limits of θ = Σ above / Σ below over cases: θ exp(-c s t_{1-q}), t the quantiles of (log θ* - log θ) / s* over resamples.

    c = √(G / (G - 1)) t_{G-1, q} / z_q is Hesterberg's correction for G units (less a unit for each further stratum), since the variance
    of resamples is (G - 1) / G of the true one, and s is estimated from only G units: 1.07 for 10 units, 1.008 for 150.

    s is the standard error of log θ by linearisation, √(Σ_h n_h / (n_h - 1) Σ_g (L_g - mean_h L)²) / Σ above with
    L_g = above_g - θ below_g, over the units g (cases or clusters) of stratum h; it is computed anew on every resample, from sums of
    squares.

    Efron & Tibshirani (1993), sec. 12.5, 12.6; Davison & Hinkley (1997), eq. 2.11, sec. 3.2 (strata); Hesterberg (2015), sec. 5.3.

    Parameters
    ----------
    above, below : (N,) arrays
        At least 0.
    q : probabilities
        The limit is above the true ratio with probability q.

    Returns
    -------
    (len(q),) array
        NaN if no stratum has two units. If numerator and denominator are proportional, or if θ is 0: θ itself.
    """
    placed = design.added_up(np.stack([above, below], axis=1))
    sizes = np.diff(design.strata)
    if sizes.max() < 2:
        return np.full(len(q), np.nan)
    a, b = placed.T
    parts = np.stack([a, b, a * a, a * b, b * b], axis=1)
    stratum = np.repeat(np.arange(len(sizes)), sizes)
    columns = np.where((stratum[:, None] == np.arange(len(sizes)))[:, :, None], parts[:, None, :], 0.0).reshape(len(a), -1)
    theta, error = _ratio_and_error(columns.sum(axis=0)[None], sizes)
    if theta[0] == 0 or error[0] <= NO_SPREAD:  # 0 has no logarithm and no spread
        return np.full(len(q), float(theta[0]))
    every = np.arange(len(columns), dtype=np.int32)
    (sums,) = resample([PlainSums(columns)], every >= 0, Design(every, every, design.strata), seed, n_resamples)
    values, errors = _ratio_and_error(sums, sizes)
    with np.errstate(invalid="ignore", divide="ignore"):
        # a resample without spread, or with a ratio of 0, has an infinite t with the sign of its difference
        t = (np.log(values) - math.log(theta[0])) / np.where(errors <= NO_SPREAD, 0.0, errors)
    t = np.sort(t[~np.isnan(t)])
    with np.errstate(over="ignore"):
        wider = np.array([correction(one, int(sizes.sum()) - len(sizes)) for one in q])
        return np.asarray(theta[0] * np.exp(-error[0] * wider * np.array([_quantile(t, 1 - one) for one in q])))


def correction(q: float, df: int) -> float:
    """Return the correction c for the quantile q and the degrees of freedom."""
    from scipy.special import ndtri  # noqa: PLC0415  (scipy is slow to import)

    return 1.0 if q == 0.5 else math.sqrt((df + 1) / df) * float(t_quantile(df, q) / ndtri(q))


def _ratio_and_error(sums: Array, sizes: Int64) -> tuple[Array, Array]:
    """Return ratios (B,), and standard errors of their logarithms, from sums (B, strata * 5)."""
    by_stratum = sums.reshape(len(sums), len(sizes), 5)
    total = by_stratum.sum(axis=1)
    with np.errstate(invalid="ignore", divide="ignore"):
        theta = total[:, 0] / total[:, 1]
        r = theta[:, None]
        a, b, aa, ab, bb = np.moveaxis(by_stratum, 2, 0)
        squares = np.maximum(aa - 2 * r * ab + r * r * bb - (a - r * b) ** 2 / sizes, 0.0)
        share = np.where(sizes > 1, sizes / np.maximum(sizes - 1, 1), 0.0)
        return theta, np.sqrt(squares @ share) / total[:, 0]


def _quantile(ordered: Array, q: float) -> float:
    """Return the quantile, interpolated as numpy.quantile does, also between infinite values."""
    if len(ordered) == 0:
        return math.nan
    at = q * (len(ordered) - 1)
    low = math.floor(at)
    first, second = float(ordered[low]), float(ordered[min(low + 1, len(ordered) - 1)])
    return first if first == second or at == low else first + (second - first) * (at - low) if math.isfinite(first) else first
