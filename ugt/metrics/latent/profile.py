"""Intervals by the profile of the likelihood, for values at an end of their range, where the information does not give one."""

from __future__ import annotations

import numpy as np

from ..._base.arrays import Array
from .confusions import logsumexp
from .fitting import ClassFit, climb, first_inverse
from .forms import TwoClasses

MOST_TRIES, CLOSE = 20, 0.02  # steps to an end of the interval, and the accuracy of its deviance
HELD = 10.0  # weight of the squared distance from the value that is held, beside the mean log-likelihood
LEAST = 1e-12  # distance of rates from 0 and 1


def profiled(fit: ClassFit, c: int, z: float) -> tuple[float, float]:
    """Return the interval of sensitivity (c = 1) or specificity (0) of the last test that the profile of the likelihood gives.

    The end towards the middle has the deviance z²; the other end is that of the range.
    """
    assert fit.model is not None
    model, highest, own = fit.model, _value(fit.model, fit.x), float(fit.model.rates(fit.x)[0][c, -1])
    inwards = -1.0 if own > 0.5 else 1.0
    cases = float(fit.rows.n_cases * fit.prevalence[c])
    # false position of the deviance, which is nearly a line in the rate; the value of an end that stays is halved (Illinois)
    near, far, x, rate = (own, -z * z), (np.nan, np.nan), fit.x, own
    for _ in range(MOST_TRIES):
        if np.isnan(far[0]):
            wanted = near[0] + inwards * min(z * z / (2 * cases), 0.2)
        else:
            wanted = near[0] - near[1] * (far[0] - near[0]) / (far[1] - near[1])
        x_new, found = _held(model, x, c, wanted)
        rate = float(model.rates(x_new)[0][c, -1])
        above = 2 * (highest - _value(model, x_new)) - z * z
        if not found or above > 0:
            near, far = (near[0], near[1] / 2), (rate, above)
        else:
            near, far, x = (rate, above), (far[0], far[1] / 2), x_new
        if abs(above) < CLOSE or inwards * (rate - 0.5) > 0.45:
            break
    ends = (rate, 1.0) if own > 0.5 else (0.0, rate)
    return ends if c == 1 else (1 - ends[1], 1 - ends[0])


def _value(model: TwoClasses, x: Array) -> float:
    return float(model.rows.times @ logsumexp(model.joint(x)[0]))


def _probit(model: TwoClasses, x: Array, c: int) -> tuple[float, Array]:
    """Return the probit of the last test's rate in class c, and its derivative by the parameters."""
    from scipy.special import ndtri  # noqa: PLC0415  (scipy is slow to import)

    rates, by = model.rates(x)
    at = float(ndtri(np.clip(rates[c, -1], LEAST, 1 - LEAST)))
    return at, by[c, -1] * np.sqrt(2 * np.pi) * np.exp(0.5 * at * at)


def _held(model: TwoClasses, x: Array, c: int, rate: float) -> tuple[Array, bool]:
    """Return the parameters of the highest likelihood with the last test's rate in class c held near a value."""
    from scipy.special import ndtri  # noqa: PLC0415  (scipy is slow to import)

    wanted = float(ndtri(np.clip(rate, LEAST, 1 - LEAST)))

    def held(x: Array) -> tuple[float, Array]:
        f, g = model.value(x)
        at, slope = _probit(model, x, c)
        return f + 0.5 * HELD * (at - wanted) ** 2, g + HELD * (at - wanted) * slope

    start = x.copy()
    start[model.rows.n_populations + (c + 1) * model.rows.n_tests - 1] += wanted - _probit(model, x, c)[0]
    slope = _probit(model, start, c)[1]
    hessian = np.linalg.inv(first_inverse(model, start)) + HELD * np.outer(slope, slope)
    return climb(held, start, np.asarray(np.linalg.inv(hessian), np.float64))
