"""Numbers of a fit with their standard errors and intervals, by the delta method or, at the ends of their range, by the likelihood."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from ..._base.arrays import Array
from ..._base.laws import t_quantile
from .fitting import ClassFit
from .profile import profiled

EDGE = 0.5  # expected cases of a class from an end of the range, within which the likelihood gives the interval
NO_CASES = "less than one case of this class is expected"


class Number(NamedTuple):
    """A number: its standard error, degrees of freedom, scale, and the class whose rate has an interval by the likelihood instead.

    ``parts``: of an accuracy with such a rate, sensitivity, specificity and prevalence, whose intervals are joined. ``margin``: by how much
    the interval is wider on both sides, for a bias.
    """

    value: float
    std_error: float
    df: float = np.inf
    scale: str = "logit"
    profile: int = -1
    parts: tuple[Any, ...] = ()
    margin: float = 0.0

    def interval(self, level: float, fit: ClassFit) -> tuple[float, float]:
        """Return the interval; NaN if the number is undefined."""
        if not np.isfinite(self.value) or not np.isfinite(self.std_error):
            return np.nan, np.nan
        if self.profile >= 0:
            return profiled(fit, self.profile, self._quantile(level) * stretch(fit, self.profile))
        if self.parts:
            return self._joined(level, fit)
        return self.ends(level)

    def _quantile(self, level: float) -> float:
        return float(t_quantile(self.df, 0.5 + level / 2))

    def ends(self, level: float) -> tuple[float, float]:
        """Return the interval by the standard error."""
        z = self._quantile(level)
        if self.scale == "logit" and 0 < self.value < 1:
            center, half = np.log(self.value / (1 - self.value)), z * self.std_error / (self.value * (1 - self.value))
            low, high = 1 / (1 + np.exp(-np.clip(np.array([center - half, center + half]), -700, 700)))
            return float(low) - self.margin, float(high) + self.margin
        half = z * self.std_error + self.margin
        return self.value - half, self.value + half

    def _joined(self, level: float, fit: ClassFit) -> tuple[float, float]:
        """Return the interval of an accuracy from those of its parts (Zou & Donner 2008), as if they were independent."""
        sens, spec, share = self.parts
        weights = np.array([share.value, 1 - share.value, sens.value - spec.value])
        ends = np.array([one.interval(level, fit) for one in self.parts])
        moves = weights[:, None] * (ends - np.array([one.value for one in self.parts])[:, None])
        down, up = np.minimum(moves.min(axis=1), 0), np.maximum(moves.max(axis=1), 0)
        return self.value - float(np.sqrt(down @ down)), self.value + float(np.sqrt(up @ up))


UNKNOWN = Number(np.nan, np.nan)


def shown(value: float, ends: tuple[float, float]) -> tuple[float, float]:
    """Return an interval within 0 and 1, or up to a value beyond them; NaN if it is wider than 1 and says nothing."""
    low, high = ends
    return (min(max(low, 0.0), value), max(min(high, 1.0), value)) if high - low <= 1 else (np.nan, np.nan)


def of_last_test(fit: ClassFit) -> dict[str, Number]:
    """Return sensitivity, specificity and accuracy of the last test, and the prevalence, by the parameters of the fit."""
    assert fit.model is not None
    rates, by = fit.model.rates(fit.x)
    shares = fit.rows.shares
    p = 1 / (1 + np.exp(-fit.x[: len(shares)]))
    by_p = np.zeros(len(fit.x))
    by_p[: len(shares)] = shares * p * (1 - p)
    positives, sens, spec = float(shares @ p), rates[1, -1], 1 - rates[0, -1]
    slopes = {
        "sensitivity": (sens, by[1, -1]),
        "specificity": (spec, -by[0, -1]),
        "accuracy": (positives * sens + (1 - positives) * spec, positives * by[1, -1] - (1 - positives) * by[0, -1] + (sens - spec) * by_p),
        "prevalence": (positives, by_p),
    }
    covariance, df = fit.of_clusters, degrees(fit)
    found = {name: Number(float(value), error(slope, covariance), df) for name, (value, slope) in slopes.items()}
    n = fit.rows.n_cases
    for name, c, cases in (("sensitivity", 1, n * positives), ("specificity", 0, n * (1 - positives))):
        if cases < 1:
            found[name] = UNKNOWN
        elif not EDGE / cases < found[name].value < 1 - EDGE / cases:
            found[name] = found[name]._replace(profile=c)
    parts = tuple(found[name] for name in ("sensitivity", "specificity", "prevalence"))
    if any(one.profile >= 0 for one in parts) and np.isfinite([one.value for one in parts]).all():
        found["accuracy"] = found["accuracy"]._replace(parts=parts)
    return found


def error(slope: Array, covariance: Array) -> float:
    """Return the standard error of a number with this derivative."""
    return float(np.sqrt(max(0.0, float(slope @ covariance @ slope)))) if np.isfinite(covariance).all() else np.nan


def degrees(fit: ClassFit) -> float:
    """Return the degrees of freedom of an error: clusters less one, or infinitely many without clusters."""
    return np.inf if fit.rows.cluster is None else max(1.0, fit.rows.n_units - 1.0)


def stretch(fit: ClassFit, c: int) -> float:
    """Return by how much a profile is wider with clusters: the largest ratio of errors of the tests' rates, over clusters to over cases.

    The value at an end of its range has no such ratio of its own. After Chandler & Bate (2007), Biometrika 94, who stretch the deviance.
    """
    if fit.rows.cluster is None:
        return 1.0
    assert fit.model is not None
    errors = np.array([[error(slope, one) for one in (fit.of_clusters, fit.covariance)] for slope in fit.model.rates(fit.x)[1][c]])
    known = errors[errors[:, 1] > 0]
    return max(1.0, float((known[:, 0] / known[:, 1]).max(initial=1.0)))
