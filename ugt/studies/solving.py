"""The precision and power of a design, and the fewest cases that reach a target."""

from __future__ import annotations

import math
from typing import Any, Callable, NamedTuple

import numpy as np

from .._base.arrays import Array, Bools, Int64
from .._base.checks import error, scalar
from .._base.laws import noncentral_t, t_quantile
from ..resampling.spread import SCALES, df_of, half_width_of
from .components import Components

MOST_CASES = 10_000_000  # of designs that are tried
FEWER, ENOUGH = "with fewer than {n} ", " no number of cases up to {most:,} is enough."  # the words of notes on the people who are needed
LEAST_CASES = 10
FAR = 30.0  # standard errors beyond which power is 1


class Expectation(NamedTuple):
    """The expected precision of designs: variance of the number, Satterthwaite's degrees of freedom, half-width of the interval."""

    variance: Array
    df: Array
    half_width: Array

    def times(self, factor: Array) -> Expectation:
        """Return the precision if the variance is larger by this factor."""
        return Expectation(self.variance * factor, self.df, self.half_width * np.sqrt(factor))


def precision(parts: Components, n_cases: object, n_labels: object, n_annotators: object, q: float) -> Expectation:
    """Return the precision of N cases with K labels by A annotators who share them evenly; annotators are random if their part is known.

    The half-width, up to the quantile ``q``, is that of the intervals over cases and annotators.
    """
    n, k, a = (np.asarray(one, np.float64) for one in (n_cases, n_labels, n_annotators))
    held = parts.in_plans()
    with np.errstate(invalid="ignore", divide="ignore"):
        both = held.labels / (n * k) + np.where(held.pairs > 0, 2 * held.pairs / (n * k * (k - 1)), 0.0)
        cases, own = held.cases / n + both, np.where(np.isnan(parts.annotators), 0.0, held.annotators / a)
        variance = cases + own
        if np.isnan(parts.annotators).all():
            df = np.broadcast_to(n - 1, variance.shape)
            return Expectation(variance, df, t_quantile(df, q) * np.sqrt(variance))
        given = cases, own + both, both, n, a
        df = np.where(variance > 0, df_of(*given), n - 1)
        return Expectation(variance, df, half_width_of(*given, q))


def weights(n: Any, k: Any, a: Any) -> Array:
    """Return the weights (4, ...) of the components in the variance of designs."""
    n, k, a = (np.asarray(one, np.float64) for one in (n, k, a))
    with np.errstate(divide="ignore"):
        pairs = np.where(k > 1, 2 / (n * k * np.maximum(k - 1, 1e-300)), 0.0)
    return np.stack(np.broadcast_arrays(1 / n, 1 / a, 1 / (n * k), pairs))


def assured(found: Expectation, reach: Array, assurance: float, middle: Array | None = None) -> tuple[Array, Array]:
    """Return by which factors variances of designs, and the true ones, are above those expected, at most and with this probability.

    ``reach`` u: how far the true variance may be above the one that the pilot shows, ``middle`` M (default: the expected V). The true
    variance is at most M + u, and that in a study at most M + √(u² + (χ² / df - 1)² V²), of its own degrees of freedom; never below V.
    """
    from scipy.special import chdtri  # noqa: PLC0415  (scipy is slow to import)

    with np.errstate(divide="ignore", invalid="ignore"):
        start, reach = 1.0 if middle is None else middle / found.variance, reach / found.variance
        own = np.maximum(chdtri(found.df, 1 - assurance) / found.df - 1, 0.0)
        return np.maximum(start + np.hypot(reach, own), 1.0), np.maximum(start + reach, 1.0)


def width_within(half: Array, value: float, span: tuple[float, float], scale: str = "identity") -> Array:
    """Return the width, cut to the range, of intervals that are symmetric on their scale about a value; NaN: about the middle.

    ``half``: half-widths in units of the number.
    """
    low, high = span
    if math.isnan(value):
        return np.minimum(2 * half, high - low)
    to, slope, back = SCALES[scale]
    with np.errstate(over="ignore"):
        middle, reach = to(np.float64(value)), half * abs(slope(np.float64(value)))
        return np.asarray(np.abs(np.diff(np.clip([back(middle + reach), back(middle - reach)], low, high), axis=0)[0]))


def power_of(found: Expectation, effect: float, two_sided: bool) -> Array:
    """Return how often an interval of these half-widths excludes a number that is ``effect`` away from the true one."""
    with np.errstate(invalid="ignore", divide="ignore"):
        std = np.sqrt(found.variance)
        limit, away = np.where(std > 0, found.half_width / std, 1.0), np.where(std > 0, effect / std, np.inf)
        near = np.clip(away, -FAR, FAR)
        below, opposite = noncentral_t(found.df, near, limit), noncentral_t(found.df, near, -limit)
        above = 1.0 - np.where(np.isnan(below), limit > near, below)  # NaN far out in a tail
        if two_sided:
            above = above + np.where(np.isnan(opposite), -limit > near, opposite)
        return np.where(away >= FAR, 1.0, np.where(away <= -FAR, float(two_sided), np.clip(above, 0.0, 1.0)))


def prices(given: object, of: tuple[str, str, str]) -> tuple[float, float, float]:
    """Return the costs of a case, of what is done with it, and of who does it."""
    found = tuple(scalar("cost", one) for one in given) if isinstance(given, (tuple, list)) else ()
    if len(found) != 3 or not any(found[:2]):
        case, deed, person = of
        must = f"be three numbers, of {case}, of {deed} and of {person}, and not 0 for both {case.split()[1]} and {deed.split()[1]}"
        raise error("cost", must, repr(given))
    return found


def wanted_width(given: object, span: tuple[float, float], of: str) -> float | None:
    """Return the width that is asked for, within the range of a number, or None."""
    width = None if given is None else scalar("width", given, positive=True)
    if width is not None and width > (widest := span[1] - span[0]):
        raise error("width", f"be at most {widest:g}, the range of {of} (20 percentage points are 0.2)", given)
    return width


def wanted_assurance(given: object, pilot: str | None) -> float:
    """Return the assurance that is asked for; ``pilot``: what to give in place of stated components, None if there is a pilot."""
    found = scalar("assurance", given)
    if not 0.5 <= found < 1:
        raise error("assurance", "be at least 0.5 and below 1, such as 0.9", given)
    if pilot is not None:
        raise error("assurance", f"be left out with components, whose error is unknown (give {pilot})", given)
    return found


def wanted_power(given: object) -> float | None:
    """Return the power that is asked for, in (0, 1), or None."""
    power = None if given is None else scalar("power", given)
    if power is not None and not 0 < power < 1:
        raise error("power", "lie between 0 and 1", power)
    return power


def least_cases(enough: Callable[[Int64], Bools], n: int, most: int = MOST_CASES) -> Int64:
    """Return the fewest cases (n,) of each design that are enough, if more are also enough; -1 if none up to ``most`` are."""
    low, high = np.full(n, LEAST_CASES - 1, np.int64), np.full(n, most, np.int64)
    possible = enough(high)
    while (high - low > 1).any():
        middle = np.where(high - low > 1, (low + high) // 2, high)
        met = enough(middle)
        high, low = np.where(met, middle, high), np.where(met, low, np.maximum(middle * (high - low > 1), low))
    return np.where(possible, high, -1)


def least_people(enough: Callable[[int], bool], most: int = 1_000_000) -> int | None:
    """Return the fewest people, at least 2, that are enough if cases are unlimited; None if no number is."""
    if not enough(most):
        return None
    low, high = 1, most
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (low, middle) if enough(middle) else (middle, high)
    return high
