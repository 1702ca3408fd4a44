"""The non-inferiority of a model to the annotators by its discrepancy ratio: the record, and one-sided limits."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

import numpy as np

from .._base.records import Record
from ..resampling import Result, check_one_sided
from ..resampling.spread import Spread

MOST_RATIO = 1e9  # a larger upper limit is reported as infinite


@dataclass(frozen=True, repr=False)
class NonInferiority(Record):
    """The result of the test whether a model's discrepancy exceeds the annotators' by less than a margin; H0: Δ >= 1 + margin.

    Attributes
    ----------
    estimate, limit : float
        Δ, and its one-sided upper confidence limit. NaN if nothing can be resampled.
    margin, level : float
        By how much, relatively, the model may be worse; 1 - the probability to decide for the model if Δ = 1 + margin.
    decision : bool
        ``limit < 1 + margin``; False if the limit is undefined.

    Examples
    --------
    >>> import ugt
    >>> votes = [[0, 1, 1], [1, 1, 0], [0, 0, 0], [1, 0, 1], [0, 0, 1], [1, 1, 1]]
    >>> found = ugt.discrepancy_ratio(votes, [1, 1, 0, 1, 0, 1]).non_inferiority(0.1)
    >>> found.decision, round(found.estimate, 3), round(found.limit, 3)
    (True, 0.5, 0.5)
    """

    estimate: float
    limit: float
    margin: float
    level: float
    decision: bool


def upper_limit(found: Result, level: float, **options: Any) -> float:
    """Return the one-sided upper limit of the value."""
    level = check_one_sided(level)
    return found.interval(2 * level - 1, **options)[1]


def fieller_limit(spread: Spread, above: float, below: float, level: float) -> float:
    """Return the smallest r for which ``above - r below`` is below 0 with this one-sided confidence; inf if there is none."""
    from scipy.optimize import brentq  # noqa: PLC0415  (scipy is slow to import)

    def end(r: float) -> float:
        return above - r * below + spread.half_width(spread.of(np.array([1.0, -r])), level)

    if math.isnan(end(1.0)) or not below > 0:
        return math.nan
    high = max(above / below, 1e-3)
    while end(high) >= 0:
        high *= 2
        if high > MOST_RATIO:
            return math.inf
    low = above / below
    return low if end(low) <= 0 else float(brentq(end, low, high, xtol=1e-12, rtol=1e-12))
