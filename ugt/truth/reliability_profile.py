"""The record of a fitted reliability: its value, profile and intervals."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Any, Callable

import numpy as np

from .._base.arrays import Array
from .._base.axes import Frozen
from ..resampling import check_level
from . import profiles

N_FINE = 257  # points between those of the grid in the search for the maximum
FLAT = 1e-6  # largest difference of log-likelihoods that are practically equal


@dataclass(frozen=True, eq=False, repr=False)
class FittedReliability(Frozen):
    """The reliability that :func:`fit_reliability` or :func:`fit_predictive_reliability` fitted.

    Attributes
    ----------
    value : float, or mapping of annotator to float
        γ at which the likelihood (for annotators: the posterior) is highest; 0 or inf if this is an end of the grid. It is valid as
        ``reliability`` of the truth model.
    log_likelihood : float
        Log-likelihood at ``value``.
    grid, profile : (G,) arrays
        Reliabilities, and the log-likelihood under each, at the best prior if the prior is fitted, too. For annotators: under one
        reliability of all.
    prior : float or None
        The prior that was fitted together with the reliability.
    n_cases : int
        Number of informative cases.
    left_out : mapping
        Number of uninformative cases, by reason.
    std_error : mapping of annotator to float, or None
        Standard errors of log γ.
    notes : tuple of str
        Sentences that limit the interpretation.
    mc_error : float
        Monte Carlo standard error of ``value``; 0 without simulation.

    Examples
    --------
    >>> import ugt
    >>> labels = ugt.Labels.from_counts([[3, 0], [2, 1], [1, 2], [0, 3], [3, 0], [2, 1]] * 4)
    >>> found = ugt.fit_reliability(labels, [0, 0, 1, 1, 0, 1] * 4)
    >>> round(found.value, 2), [round(end, 2) for end in found.interval()]
    (0.87, [0.13, 4.25])
    """

    value: Any
    log_likelihood: float
    grid: Array
    profile: Array
    prior: float | None
    n_cases: int
    left_out: Mapping[str, int]
    std_error: Mapping[Any, float] | None
    notes: tuple[str, ...]
    at: Callable[[float], float] = field(repr=False)
    mc_error: float = 0.0

    def interval(self, level: float = 0.95) -> Any:
        """Return the interval ``(low, high)``, whose ends are where the profile is χ²₁ / 2 below its maximum, or 0 or inf if open.

        For annotators it is a mapping to normal intervals on log γ.
        """
        if self.std_error is None:
            span = float(np.log(self.grid[0])), float(np.log(self.grid[-1]))
            with np.errstate(divide="ignore"):
                at = float(np.clip(np.log(self.value), *span))
            return profiles.ends(self.at, at, self.log_likelihood, span, level)
        from scipy.special import ndtri  # noqa: PLC0415  (scipy is slow to import)

        z = float(ndtri(0.5 + check_level(level) / 2))
        return {
            name: (float(value * np.exp(-z * self.std_error[name])), float(value * np.exp(z * self.std_error[name])))
            for name, value in self.value.items()
        }

    def with_prior(self, prior: float) -> FittedReliability:
        """Return the reliability with the prior that was fitted together with it."""
        return replace(self, prior=float(prior))

    def sentence(self, level: float = 0.95) -> str:
        """Return the result in words, also if an end of the interval is open."""
        level = check_level(level)
        if self.std_error is not None:
            said = [f"{name} {self.value[name]:.2g} ({low:.2g} to {high:.2g})" for name, (low, high) in self.interval(level).items()]
            return f"Reliabilities of annotators ({100 * level:g}% intervals): {', '.join(said)}; {self.n_cases:,} cases."
        low, high = self.interval(level)
        if low == 0 and np.isinf(high):
            return f"{self.n_cases:,} cases do not show the reliability: every value is compatible with them."
        if low == 0 or np.isinf(high):
            return f"The reliability is {'at most' if low == 0 else 'at least'} {high if low == 0 else low:.2g} ({self.n_cases:,} cases)."
        return f"The reliability is {self.value:.2g} ({100 * level:g}% interval {low:.2g} to {high:.2g}, {self.n_cases:,} cases)."


class Spline:
    """The spline of a log-likelihood between the points of a grid of log γ."""

    def __init__(self, grid: Array, values: Array) -> None:
        from scipy.interpolate import CubicSpline  # noqa: PLC0415  (scipy is slow to import)

        self.of = CubicSpline(grid, values)

    def __call__(self, t: float) -> float:
        return float(self.of(t))


def fitted(grid: Array, values: Array, **known: Any) -> FittedReliability:
    """Return the record of a profile on a grid of reliabilities."""
    of = Spline(np.log(grid), values)
    fine = np.linspace(np.log(grid[0]), np.log(grid[-1]), N_FINE)
    at, top = profiles.maximum(of, fine)
    value = 0.0 if values[0] >= top - FLAT else np.inf if values[-1] >= top - FLAT else float(np.exp(at))
    return FittedReliability(
        **{"value": value, "log_likelihood": top, "grid": grid, "profile": values, "std_error": None, "at": of, **known}
    )
