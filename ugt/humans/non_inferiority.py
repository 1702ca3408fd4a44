"""The non-inferiority of a model to the annotators by its discrepancy ratio: the record, and one-sided limits."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

import numpy as np

from .._base import notices
from .._base.notes import Note
from .._base.records import Record
from ..resampling import Design, Result, Statistic, check_one_sided
from ..resampling.spread import RANDOM, Spread, spread_of, with_annotators


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
    random : ("cases",) or ("cases", "annotators")
        Of whom the claim is: these annotators with other cases, or other annotators, too.

    Examples
    --------
    >>> import ugt
    >>> votes = [[0, 1, 1], [1, 1, 0], [0, 0, 0], [1, 0, 1], [0, 0, 1], [1, 1, 1]] * 5
    >>> found = ugt.discrepancy_ratio(votes, [1, 1, 0, 0, 0, 1] * 5).non_inferiority(0.1, random=("cases",))
    >>> found.decision, round(found.estimate, 3), round(found.limit, 3)
    (True, 0.625, 0.732)
    """

    estimate: float
    limit: float
    margin: float
    level: float
    decision: bool
    random: tuple[str, ...] = ("cases",)


FEW_ANNOTATORS = 6  # fewer are all of one of two equally common kinds in more than 5% of studies: 2^(1 - R)
MOST_RATIO = 1e9  # a larger upper limit is reported as infinite


def note_few(n: int) -> None:
    """Note that a test for other annotators rests on so few."""
    if n < FEW_ANNOTATORS:
        words = "{n} annotators are few for a claim about others: it holds if annotators vary like a normal law, which they cannot show."
        notices.note(Note("few_annotators_of_claim", words, n=n))


def claimed_for(random: str | tuple[str, ...], kind: str, strata: object) -> tuple[str, ...]:
    """Return of whom a claim is: of other annotators, too, if the interval of this kind can be."""
    if random != "auto":
        return RANDOM if with_annotators(random) else RANDOM[:1]
    return RANDOM if kind in ("auto", "analytic") and strata is None else RANDOM[:1]


def reaching(high: float, ratio: Statistic, design: Design | None, level: float) -> float:
    """Return the upper end over cases and annotators: that of log Δ, ``high``, or of the contrast μ - r α (Fieller) if it is higher."""
    if math.isnan(high):
        return high
    _, alpha, mu = ratio.estimate.tolist()
    return float(np.fmax(high, fieller_limit(spread_of(ratio, (2, 1), ["identity"] * 2, design), mu, alpha, 0.5 + level / 2)))


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


def upper_limit(found: Result, level: float, **options: Any) -> float:
    """Return the one-sided upper limit of the value: the upper end of its interval of level 2 level - 1."""
    level = check_one_sided(level)
    return found.interval(2 * level - 1, **options)[1]
