"""Newton's method for smooth convex objectives of calibrators, and what counts as converged."""

from __future__ import annotations

from typing import Callable, NamedTuple

import numpy as np

from .._base.arrays import Array

TOLERANCE = 1e-8  # norm of the gradient
REACH = 1e-3  # by which a last step may still move a prediction, on the scale of logits
MAX_ITER = 200
MAX_PRODUCTS = 500  # of the Hessian in one step


class Minimum(NamedTuple):
    """Where it ended: ``bounded`` is False where the objective still falls although its gradient has vanished."""

    theta: Array
    value: float
    gradient_norm: float
    n_iter: int
    bounded: bool

    @property
    def converged(self) -> bool:
        """Whether the gradient is as small as it must be."""
        return self.bounded and self.gradient_norm <= TOLERANCE


def minimise(
    value_and_gradient: Callable[[Array], tuple[float, Array]],
    direction: Callable[[Array, Array], Array],
    reach: Callable[[Array], float],
    start: Array,
    endless: Callable[[Array], bool] = lambda theta: False,
) -> Minimum:
    """Damped Newton steps from ``start``, a theta of any shape.

    ``direction``: a Newton step, or something close to it that goes down; called right after ``value_and_gradient``, with its theta.
    ``reach`` of a step: by how much it moves predictions at most. A gradient vanishes also where an objective falls forever (separable
    data); there the steps do not get smaller. ``endless``: whether theta shows that the objective falls forever; asked each time that the
    objective has halved, to be done early.
    """
    theta = start
    value, gradient = value_and_gradient(theta)
    asked = value
    for n_iter in range(MAX_ITER):
        step = direction(theta, gradient)
        norm = float(np.sqrt((gradient**2).sum()))
        slope = float((gradient * step).sum())
        if norm <= TOLERANCE:
            if slope >= 0 or reach(step) <= REACH:
                return Minimum(theta, value, norm, n_iter, True)
            if norm <= 1e-4 * TOLERANCE:
                return Minimum(theta, value, norm, n_iter, False)
        moved = _line_search(value_and_gradient, theta, step, value, slope)
        if moved is None:  # no smaller value is left to find: rounding
            return Minimum(theta, value, norm, n_iter, norm > TOLERANCE or reach(step) <= REACH)
        theta, value, gradient = moved
        if value < 0.5 * asked:
            asked = value
            if endless(theta):
                return Minimum(theta, value, float(np.sqrt((gradient**2).sum())), n_iter + 1, False)
    norm = float(np.sqrt((gradient**2).sum()))
    return Minimum(theta, value, norm, MAX_ITER, norm > TOLERANCE)


def _line_search(
    value_and_gradient: Callable[[Array], tuple[float, Array]], theta: Array, step: Array, value: float, slope: float
) -> tuple[Array, float, Array] | None:
    """The first of the step, its half, quarter, ... that lowers the value enough."""
    rounding = 1e-11 * (1.0 + abs(value))
    for halving in range(60):
        share = 0.5**halving
        new = theta + share * step
        found, gradient = value_and_gradient(new)
        # so close to the minimum that values differ by rounding only, a Newton step is better than what they say
        if found <= value + 1e-4 * share * slope or (halving == 0 and -slope <= rounding and found <= value + rounding):
            return new, found, gradient
    return None


def conjugate_gradients(times: Callable[[Array], Array], precondition: Callable[[Array], Array], gradient: Array) -> Array:
    """A step d with H d = -gradient, to the accuracy that Newton's method needs; H positive semi-definite."""
    norm = np.sqrt((gradient**2).sum())
    enough = min(0.1, norm**0.5) * norm
    step, rest = np.zeros_like(gradient), -gradient
    ahead = precondition(rest)
    along, product = ahead, float((rest * ahead).sum())
    for _ in range(MAX_PRODUCTS):
        image = times(along)
        curvature = float((along * image).sum())
        if not curvature > 0:
            break
        share = product / curvature
        step = step + share * along
        rest = rest - share * image
        if np.sqrt((rest**2).sum()) <= enough:
            break
        ahead = precondition(rest)
        new = float((rest * ahead).sum())
        along, product = ahead + (new / product) * along, new
    return step if step.any() else -gradient
