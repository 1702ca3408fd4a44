"""What a prior that was fitted to the same annotations adds to intervals over cases."""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import Any, Callable

import numpy as np

from .._base.arrays import Array, Bools, Int64

STEP = 1e-4  # of parameters, for central differences: their error is some 1e-8 of the derivatives


class FittedPrior(ABC):
    """The fit of a prior to the annotations of all N cases, for a truth of some ``rows`` of them (None: all).

    The fitted parameters η depend on every case. To first order, the weight w of case i changes them by ``∂η/∂w = I⁻¹ ψ_i`` with its
    score ψ and the observed information I of all cases.
    """

    rows: Int64 | None

    @property
    @abstractmethod
    def told(self) -> Bools:
        """(N,) cases that have a part in the fit."""

    @property
    @abstractmethod
    def steps(self) -> Array:
        """(N, S) derivatives of the parameters by the weights of the cases; 0 for parameters at a bound."""

    @property
    def units(self) -> Array:
        """(S,) sizes of the parameters, to which derivatives are taken."""
        return np.ones(self.steps.shape[1])

    @abstractmethod
    def moved(self, parameter: int, step: float) -> Any:
        """Return the truth of the rows under a prior with one parameter moved by a step, in its unit."""

    def of_a_case(self, step: float) -> Any:
        """Return the truth of one case without annotations under the prior with its only parameter moved by a step; None if unknown."""
        return None

    def added(self, columns: Callable[[Any], Array], part: bool = False) -> Array:
        """Return what the estimation of the prior adds to columns (n,) or (n, S) of the cases: Σ_p ∂(Σ column)/∂η_p · ∂η_p/∂w_i.

        Sums of columns with it vary over resamples of cases as if the prior were fitted to each, to first order; NaN counts as 0. Of some
        cases, what the others add to the variance is given to these. If they are a ``part``, whose sums are added to those of the other
        cases, the derivative of all sums is taken to be that of the part, for as many cases.
        """
        rows = np.arange(len(self.told)) if self.rows is None else self.rows
        told = self.told[rows]
        share = int(told.sum()) / max(int(self.told.sum()), 1)
        steps = np.zeros((len(rows), self.steps.shape[1]))
        if told.any():
            steps[told] = self.steps[rows[told]] / min(share, 1.0) ** (1.0 if part else 0.5)
            steps[told] -= steps[told].mean(axis=0)  # the value stays as it is, also where the fit ended before its scores add up to 0
        total = None
        for parameter, unit in enumerate((STEP * self.units).tolist()):
            if steps[:, parameter].any():
                up, down = (columns(self.moved(parameter, sign * STEP)) for sign in (1, -1))
                slope = np.nansum(up - down, axis=0) / (2 * unit)
                one = np.multiply.outer(steps[:, parameter], slope)
                total = one if total is None else total + one
        return np.zeros((len(rows), *np.shape(columns(self.moved(0, 0.0)))[1:])) if total is None else np.asarray(total)
