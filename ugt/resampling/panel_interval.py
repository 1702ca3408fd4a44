"""Intervals over cases and annotators from panels of annotators that are drawn with replacement."""

from __future__ import annotations

import math
from typing import Any, NamedTuple

import numpy as np

from .._base.arrays import Array
from .._base.laws import t_quantile
from .counted import OverPanels
from .panels import Panels
from .spread import Parts, alone_of, half_width_of

FEWEST = 3  # annotators whose panels have quantiles that say more than their variance


class PanelSpread(NamedTuple):
    """The spread of a number θ over B panels of annotators, on its scale: see :class:`TwoWay`."""

    values: Array  # (B,) known numbers, ascending
    p: Array  # (B,) their probabilities
    mean: float
    covariances: Array  # (R,) of the number with how often each annotator is in a panel
    kappa: float
    both: float  # V_e
    n_units: int
    n_annotators: int
    effective: float

    @classmethod
    def of(cls, found: OverPanels, panels: Panels, kappa: float, n_units: int, effective: float) -> PanelSpread:
        """Return the spread of a number from its values under each panel."""
        known = np.flatnonzero(np.isfinite(found.values))
        at = known[np.argsort(found.values[known], kind="stable")]
        values, p = found.values[at], panels.p[at] / panels.p[at].sum()
        mean = float(p @ values)
        covariances = (panels.times[:, at].astype(np.float64) - 1.0) @ (p * (values - mean))
        both = math.sqrt(kappa * panels.n_annotators / (panels.n_annotators - 1)) * n_units / (n_units - 1) * found.both
        return cls(values, p, mean, covariances, kappa, both, n_units, panels.n_annotators, effective)

    @property
    def between(self) -> float:
        """V_a."""
        return self.kappa * float(self.p @ (self.values - self.mean) ** 2)

    @property
    def alone(self) -> int | None:
        """The annotator who makes up nearly all of the spread, if one of enough annotators does."""
        squares = self.covariances**2
        return alone_of(squares[:, None])[0] if squares.sum() > 0 else None

    def half_width(self, parts: Parts, q: float) -> float:
        """Return the half-width by Student's law, as of :class:`Spread`."""
        return float(half_width_of(*parts, self.n_units, self.effective, q))

    def containing(self, ends: Any, theta: float, of_cases: tuple[float, float], level: float) -> tuple[float, float]:
        """Return ends, or those by quantiles where these are wider; ``of_cases``: how far those over cases are from θ."""
        from scipy.special import ndtr  # noqa: PLC0415  (scipy is slow to import)

        n, between = self.n_annotators, self.between
        if n < FEWEST:
            return float(ends[0]), float(ends[1])
        tail = float(ndtr(-math.sqrt(n / (n - 1)) * float(t_quantile(self.effective - 1, 0.5 + level / 2))))
        own, times = max(1 - self.both / between, 0.0) if between > 0 else 0.0, self.kappa * (n - 1) / n
        low = max(max(self.mean, theta) - self._quantile(tail), 0.0)
        high = max(self._quantile(1 - tail) - min(self.mean, theta), 0.0)
        below, above = (math.sqrt(own * times * far**2 + of**2) for far, of in zip((low, high), of_cases))
        return min(float(ends[0]), theta - below), max(float(ends[1]), theta + above)

    def _quantile(self, q: float) -> float:
        cumulated = np.cumsum(self.p)
        return float(self.values[min(int(np.searchsorted(cumulated, q * cumulated[-1] - 1e-12)), len(self.values) - 1)])
