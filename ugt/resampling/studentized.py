"""The bootstrap-t of a ratio of sums, on the scale of its logarithm, for one-sided limits of skewed ratios."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import numpy as np

from .._base.arrays import Array, Bools
from .._base.checks import error
from .._base.laws import t_quantile
from .._base.wording import arg
from .statistic import Linear
from .student import LEAST_ALIKE

if TYPE_CHECKING:
    from collections.abc import Sequence

    from .design import Design

NO_SPREAD = 1e-12  # relative standard errors below this are rounding


class LogRatio(Linear):
    r"""θ = Σ above / Σ below over cases, and the standard error s of log θ.

    By linearisation, s = √(Σ_h n_h / (n_h - 1) Σ_g (L_g - mean_h L)²) / Σ above with L_g = above_g - θ below_g, over the units g (cases or
    clusters) of stratum h. On a resample it is computed anew, from sums of squares.

    Parameters
    ----------
    above, below : (N,) arrays
        At least 0.
    kept : (N,) bool
        The cases that count.
    design : Design
        Their units.
    """

    names = ("ratio", "error of its logarithm")

    def __init__(self, above: Array, below: Array, kept: Bools, design: Design) -> None:
        if design.times is not None or design.rescaled:
            given = arg("case_weights" if design.rescaled else "frequency", ...)
            raise error("kind", "be another kind with " + given, "'studentized'")
        self.n_cases, self._kept, self.design, self._sizes = len(kept), kept, design, np.diff(design.strata)
        a, b = design.added_up(np.stack([above[kept], below[kept]], axis=1)).T
        parts = np.stack([a, b, a * a, a * b, b * b], axis=1)
        stratum = np.repeat(np.arange(len(self._sizes)), self._sizes)
        columns = np.where((stratum[:, None] == np.arange(len(self._sizes)))[:, :, None], parts[:, None, :], 0.0).reshape(len(a), -1)
        self.columns = np.zeros((self.n_cases, columns.shape[1]))
        self.columns[np.flatnonzero(kept)[design.first_cases]] = columns  # the squares of a unit stand in its first case

    @property
    def kept(self) -> Bools:
        return self._kept

    def answer(self, sums: Array) -> Array:
        by_stratum = sums.reshape(len(sums), len(self._sizes), 5)
        total = by_stratum.sum(axis=1)
        with np.errstate(invalid="ignore", divide="ignore"):
            theta = total[:, 0] / total[:, 1]
            r = theta[:, None]
            a, b, aa, ab, bb = np.moveaxis(by_stratum, 2, 0)
            squares = np.maximum(aa - 2 * r * ab + r * r * bb - (a - r * b) ** 2 / self._sizes, 0.0)
            share = np.where(self._sizes > 1, self._sizes / np.maximum(self._sizes - 1, 1), 0.0)
            return np.stack([theta, np.sqrt(squares @ share) / total[:, 0]], axis=1)

    @property
    def alike(self) -> bool:
        """Whether the ratio is the same without each of few units, which do not show how others would differ."""
        return bool(self._sizes.sum() < LEAST_ALIKE and not self.estimate[1] > NO_SPREAD)

    def interval(self, level: float, values: Array) -> tuple[float, float]:
        """Return the limits at both ends, see :meth:`limits_at`."""
        low, high = self.limits_at([0.5 - level / 2, 0.5 + level / 2], values).tolist()
        return low, high

    def limits_at(self, q: Sequence[float], values: Array) -> Array:
        """Return limits of θ = θ exp(-c s t_{1-q}), with t the quantiles of (log θ* - log θ) / s* over resamples.

        c = √(G / (G - 1)) t_{G-1, q} / z_q is Hesterberg's correction for G units (less a unit for each further stratum), since the
        variance of resamples is (G - 1) / G of the true one, and s is estimated from only G units: 1.07 for 10 units, 1.008 for 150.

        Efron & Tibshirani (1993), sec. 12.5, 12.6; Davison & Hinkley (1997), eq. 2.11, sec. 3.2 (strata); Hesterberg (2015), sec. 5.3.

        Parameters
        ----------
        q : probabilities
            The limit is above the true ratio with probability q.
        values : (B, 2) array
            θ* and s* of resamples.

        Returns
        -------
        (len(q),) array
            NaN if no stratum has two units. If numerator and denominator are proportional, or if θ is 0: θ itself.
        """
        theta, error = self.estimate.tolist()
        if self._sizes.max() < 2:
            return np.full(len(q), np.nan)
        if theta == 0 or error <= NO_SPREAD:  # 0 has no logarithm and no spread
            return np.full(len(q), theta)
        ratios, errors = values.T
        with np.errstate(invalid="ignore", divide="ignore"):
            # a resample without spread, or with a ratio of 0, has an infinite t with the sign of its difference
            t = (np.log(ratios) - math.log(theta)) / np.where(errors <= NO_SPREAD, 0.0, errors)
        t = np.sort(t[~np.isnan(t)])
        with np.errstate(over="ignore"):
            wider = np.array([correction(one, int(self._sizes.sum()) - len(self._sizes)) for one in q])
            return np.asarray(theta * np.exp(-error * wider * np.array([_quantile(t, 1 - one) for one in q])))


def correction(q: float, df: int) -> float:
    """Return the correction c for the quantile q and the degrees of freedom."""
    from scipy.special import ndtri  # noqa: PLC0415  (scipy is slow to import)

    return 1.0 if q == 0.5 else math.sqrt((df + 1) / df) * float(t_quantile(df, q) / ndtri(q))


def _quantile(ordered: Array, q: float) -> float:
    """Return the quantile, interpolated as numpy.quantile does, also between infinite values."""
    if len(ordered) == 0:
        return math.nan
    at = q * (len(ordered) - 1)
    low = math.floor(at)
    first, second = float(ordered[low]), float(ordered[min(low + 1, len(ordered) - 1)])
    return first if first == second or at == low else first + (second - first) * (at - low) if math.isfinite(first) else first
