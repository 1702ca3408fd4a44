"""Newton's method for smooth convex objectives of calibrators, and its rules of convergence."""

from __future__ import annotations

from typing import Callable, NamedTuple

import numpy as np

from .._base.arrays import Array

TOLERANCE = 1e-8  # largest norm of the gradient of a converged fit
REACH = 1e-3  # largest change of a prediction, on the scale of logits, by the last step of a converged fit
MAX_ITER = 200
MAX_PRODUCTS = 500  # products with the Hessian per step


class Minimum(NamedTuple):
    """The end point of a minimisation; not ``bounded`` if the objective falls for ever although its gradient vanishes."""

    theta: Array
    value: float
    gradient_norm: float
    n_iter: int
    bounded: bool

    @property
    def converged(self) -> bool:
        """Whether a minimum exists and the gradient is at most ``TOLERANCE``."""
        return self.bounded and self.gradient_norm <= TOLERANCE


def minimise(
    value_and_gradient: Callable[[Array], tuple[float, Array]],
    direction: Callable[[Array, Array], Array],
    reach: Callable[[Array], float],
    start: Array,
    endless: Callable[[Array], bool] = lambda theta: False,
) -> Minimum:
    """Minimise an objective by damped Newton steps from ``start``, a theta of any shape.

    ``direction`` gives a Newton step, or a similar step that goes down; it is called right after ``value_and_gradient``, with its theta.
    ``reach`` gives the largest change of a prediction by a step. If an objective falls for ever (separable data), its gradient vanishes,
    too, but steps do not get smaller. ``endless`` tells from theta that the objective falls for ever; it is asked each time that the
    objective has halved, in order to stop early.
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
        if moved is None:  # rounding error hides any smaller value
            return Minimum(theta, value, norm, n_iter, norm > TOLERANCE)
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
    """Try the step, its half, its quarter, and so on; return the first that lowers the value enough."""
    rounding = 1e-11 * (1.0 + abs(value))
    for halving in range(60):
        share = 0.5**halving
        new = theta + share * step
        found, gradient = value_and_gradient(new)
        # close to the minimum, values differ by rounding only, and a full Newton step is more reliable than their order
        if found <= value + 1e-4 * share * slope or (halving == 0 and -slope <= rounding and found <= value + rounding):
            return new, found, gradient
    return None


def conjugate_gradients(times: Callable[[Array], Array], precondition: Callable[[Array], Array], gradient: Array) -> Array:
    """Return a step d with H d = -gradient, as accurate as Newton's method needs; H is positive semi-definite."""
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
