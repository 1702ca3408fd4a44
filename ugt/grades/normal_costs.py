"""Expected costs of predicted numbers under the normal-inverse-gamma posterior, whose new ratings follow Student's t."""

from __future__ import annotations

from dataclasses import replace
from functools import partial
from typing import Callable, NamedTuple

import numpy as np

from .._base.arrays import Array
from .._base.checks import error
from .._base.identifiers import as_array
from ..annotations.named import table as in_order
from ..plausibilities.comparisons import Comparison
from ..plausibilities.normal import NormalPosterior

HERMITE = 40  # nodes of the rule over the mean, given the variance
HEAVY = 3.0  # shapes above the power by more have tails that the rule over the variance covers to 1e-10
LEAST = 0.05  # smallest shape for that rule, which needs more nodes for smaller ones


class NormalCost(NamedTuple):
    """The expected cost of an error: under Student's t, ``of_t(z, df, scale)``, and under the normal law, ``of_normal(z, scale)``.

    z is (prediction - location) / scale. The cost is ``of_normal(z, 1)`` times a power of the scale, or has the power 0.
    """

    of_t: Callable[[Array, Array, Array], Array]
    of_normal: Callable[[Array, Array], Array]
    power: int

    def of(self, posterior: NormalPosterior, x: Array) -> Comparison:
        """Return the expectation for each case, and the spread over draws of the mean and the variance of the ratings."""
        per_case = self.mean(posterior, x)
        with np.errstate(invalid="ignore"):
            mean, square = (posterior.expectation(self._moment(posterior, x, power)) for power in (1, 2))
        variance = np.maximum(square - mean**2, 0.0)
        heavy = posterior.shape < self.power + HEAVY if self.power else np.zeros(len(x), bool)
        if heavy.any():
            variance[heavy] = self._heavy(posterior.take(heavy), x[heavy], per_case[heavy])
        return Comparison.independent(per_case, variance)

    def mean(self, posterior: NormalPosterior, x: Array) -> Array:
        """Return the expectation for each case."""
        width = np.sqrt(posterior.scale * (1.0 + 1.0 / posterior.kappa) / posterior.shape)
        with np.errstate(invalid="ignore"):
            return self.of_t((x - posterior.location) / width, 2.0 * posterior.shape, width)

    def _heavy(self, posterior: NormalPosterior, x: Array, mean: Array) -> Array:
        """Return the variances of costs whose law has a heavy tail, infinite where the shape is at most the power.

        ``E σ^2p h = b^p / ((a - 1) ... (a - p)) E' h``, where E' has the shape a - p.
        """
        a, b = posterior.shape, posterior.scale
        with np.errstate(divide="ignore"):
            factor = np.prod([b / (a - one) for one in range(1, self.power + 1)], axis=0)
        lighter = replace(posterior, shape=np.maximum(a - self.power, LEAST))
        square = factor * lighter.expectation(self._moment(lighter, x, 2, of_unit=True))
        return np.where(a > self.power, np.maximum(square - np.where(a > self.power, mean, 0.0) ** 2, 0.0), np.inf)

    def _moment(self, posterior: NormalPosterior, x: Array, power: int, of_unit: bool = False) -> Callable[[slice, Array], Array]:
        """Return the expectation over the mean of a power of the cost, or of that of a unit scale, given 1/σ (rows, nodes)."""
        nodes, weights = np.polynomial.hermite_e.hermegauss(HERMITE)

        def given(rows: slice, precision: Array) -> Array:
            middle = (x[rows] - posterior.location[rows])[:, None] * precision
            total, scale = np.zeros_like(precision), np.ones_like(precision) if of_unit else 1.0 / precision
            for node, weight in zip(nodes, weights / weights.sum()):
                z = middle - node / np.sqrt(posterior.kappa[rows])[:, None]
                total += weight * self.of_normal(z, scale) ** power
            return total

        return given


def numbers_of_ratings(posterior: NormalPosterior, predictions: object, values: object, kind: str | None) -> Array:
    """Return predicted numbers; reject options that are for grades."""
    if values is not None:
        raise error("values", "be left out for ratings, which are numbers", "values")
    if kind not in (None, "numbers"):
        raise error("predictions_are", "be 'numbers' for ratings", repr(kind))
    table, n = as_array(in_order("predictions", predictions, posterior.case_ids)), posterior.n_cases
    if table.dtype.kind not in "iuf" or table.shape != (n,):
        raise error("predictions", f"be {n} numbers, one per case", f"{table.dtype} of shape {table.shape}")
    if not np.isfinite(table).all():
        i = int(np.argmin(np.isfinite(table)))
        raise error("predictions", "be finite", table[i], f"case {posterior.case_name(i)}")
    return table.astype(np.float64)


def _absolute_t(z: Array, df: Array, scale: Array) -> Array:
    """Return E|z - T| scale = scale (z (2 F(z) - 1) + 2 f(z) (ν + z²) / (ν - 1)), infinite for ν <= 1."""
    from scipy.special import gammaln, stdtr  # noqa: PLC0415  (scipy is slow to import)

    density = np.exp(gammaln((df + 1) / 2) - gammaln(df / 2) - (df + 1) / 2 * np.log1p(z**2 / df)) / np.sqrt(np.pi * df)
    tail = 2.0 * density * (df + z**2) / np.where(df > 1, df - 1.0, np.nan)
    return np.asarray(np.where(df <= 1, np.inf, scale * (z * (1.0 - 2.0 * stdtr(df, -z)) + tail)))


def _absolute_normal(z: Array, scale: Array) -> Array:
    from scipy.special import ndtr  # noqa: PLC0415

    return np.asarray(scale * (z * (2.0 * ndtr(z) - 1.0) + np.sqrt(2 / np.pi) * np.exp(-(z**2) / 2)))


def _squared_t(z: Array, df: Array, scale: Array) -> Array:
    return np.asarray(np.where(df <= 2, np.inf, scale**2 * (z**2 + df / np.where(df > 2, df - 2.0, np.nan))))


def _squared_normal(z: Array, scale: Array) -> Array:
    return np.asarray(scale**2 * (z**2 + 1.0))


ABSOLUTE = NormalCost(_absolute_t, _absolute_normal, 1)
SQUARED = NormalCost(_squared_t, _squared_normal, 2)


def _within_t(distance: float, z: Array, df: Array, scale: Array) -> Array:
    from scipy.special import stdtr  # noqa: PLC0415

    return np.asarray(stdtr(df, z + distance / scale) - stdtr(df, z - distance / scale))


def _within_normal(distance: float, z: Array, scale: Array) -> Array:
    from scipy.special import ndtr  # noqa: PLC0415

    return np.asarray(ndtr(z + distance / scale) - ndtr(z - distance / scale))


def within_cost(distance: float) -> NormalCost:
    """Return the probability that a new rating lies within a distance of the prediction."""
    return NormalCost(partial(_within_t, distance), partial(_within_normal, distance), 0)
