"""What is open about one more judgement of a case: what any number of annotators would leave open, and what these annotations do."""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

import numpy as np

from .._base.arrays import Array


class LabelLoss(NamedTuple):
    """A proper loss of a forecast of one label.

    ``least`` maps laws (…, K) to the expected loss (…,) of the best forecast; ``of_label`` maps forecasts (N, K) to the loss (N, K) if
    the label is each of the classes; ``most`` maps K to the largest value of ``least``.
    """

    least: Callable[[Array], Array]
    of_label: Callable[[Array], Array]
    most: Callable[[int], float]


class Parts(NamedTuple):
    """The expected losses (N,) about one more label of the best forecast, and of a forecast that knows the plausibilities.

    ``errors`` are the Monte Carlo standard errors of three means over cases: of both losses, and of their difference.
    """

    total: Array
    inherent: Array
    errors: tuple[float, float, float] = (0.0, 0.0, 0.0)

    @property
    def annotation(self) -> Array:
        """What these annotations leave open (N,): the difference of both losses."""
        return self.total - self.inherent


def surprise(p: Array) -> Array:
    """Return -log p; 0 for a class without plausibility, whose label never comes."""
    return -np.log(np.where(p == 0, 1.0, p))


def _brier(p: Array) -> Array:
    return np.asarray(1.0 - 2.0 * p + (p**2).sum(axis=-1, keepdims=True))


def _missed(p: Array) -> Array:
    """Return 1 for all classes but the first one with the highest plausibility; NaN for undefined laws."""
    return np.asarray(np.where(np.arange(p.shape[-1]) == p.argmax(axis=-1)[..., None], 0.0, 1.0) + 0.0 * p)


LOSSES = {
    "log": LabelLoss(lambda p: (p * surprise(p)).sum(axis=-1), surprise, lambda n: float(np.log(n))),
    "quadratic": LabelLoss(lambda p: 1.0 - (p**2).sum(axis=-1), _brier, lambda n: 1.0 - 1.0 / n),
    "zero_one": LabelLoss(lambda p: 1.0 - p.max(axis=-1), _missed, lambda n: 1.0 - 1.0 / n),
}
