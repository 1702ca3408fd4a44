"""Numbers with as many digits as their intervals deserve: in per cent, in percentage points, as proportions, and in units of a scale."""

from __future__ import annotations

import math
from collections.abc import Iterable
from statistics import median
from typing import NamedTuple, Optional

from .._base.counts import decimals_of_percent
from .markup import NONE

NBSP = "\u00a0"
ROUNDING = 1e-12  # what is smaller is 0, computed in floating point
FLAT = 1e-9  # the same, of the numbers themselves
Ends = tuple[Optional[float], Optional[float]]  # of an interval
LEAST_P = 0.001  # p-value that is shown as a number
MOST = 6  # most decimals that keep an end of an interval from rounding to 0


class Digits(NamedTuple):
    """The number of decimals; ``scale``: 100 for percentages, 1 for others; ``share``: whether 1 is the largest possible value."""

    decimals: int
    scale: int = 100
    share: bool = True

    @classmethod
    def of(cls, intervals: Iterable[Ends]) -> Digits:
        """Return digits of percentages by the intervals' median half-width: 1 for 0.5 to 5 points, 0 above, 2 below; else 1."""
        halves = [(high - low) * 50 for low, high in intervals if low is not None and high is not None and not is_flat(low, high)]
        middle = median(halves) if halves else 1.0
        return cls(decimals_of_percent(middle))

    @classmethod
    def proportion(cls, intervals: Iterable[Ends]) -> Digits:
        """Return digits of proportions by the median width w of intervals: 1 - floor(log10 w), from 2 to 4; 2 without intervals."""
        widths = [high - low for low, high in intervals if low is not None and high is not None and high > low]
        return cls(min(max(1 - math.floor(math.log10(median(widths))), 2), 4) if widths else 2, 1)

    @classmethod
    def amount(cls, intervals: Iterable[Ends]) -> Digits:
        """Return digits of numbers in units of a scale by the intervals' median half-width h: -floor(log10 h), from 0 to 4; else 2."""
        halves = [(high - low) / 2 for low, high in intervals if low is not None and high is not None and high > low]
        return cls(min(max(-math.floor(math.log10(median(halves))), 0), 4) if halves else 2, 1, share=False)

    def value(self, share: float | None) -> str:
        """Return a number without the per cent sign; a share that would round to 0 or 1 (100%) is shown as below or above a limit."""
        if share is None or math.isnan(share):
            return NONE
        least = 10.0**-self.decimals
        shown = f"{self.scale * share:.{self.decimals}f}"
        if abs(share) < ROUNDING:
            return f"{0:.{self.decimals}f}"
        if float(shown) == 0:
            return f"&lt;{least:g}" if share > 0 else f"&gt;−{least:g}"
        below = self.share and share < 1 and float(shown) == self.scale
        return f"&gt;{self.scale - least:.{self.decimals}f}" if below else shown.replace("-", "−")

    def percent(self, share: float | None) -> str:
        """Return the number with the per cent sign."""
        return f"{self.value(share)}%"

    def ends(self, low: float | None, high: float | None) -> str:
        """Return both ends of an interval of a share; none of a number that is the same in every resample, which shows no spread."""
        return NONE if low is None or high is None or is_flat(low, high) else f"{self.value(low)}{NBSP}to{NBSP}{self.value(high)}"

    def in_brackets(self, low: float | None, high: float | None) -> str:
        """Return an interval that follows its value; nothing if there is none."""
        said = self.ends(low, high)
        return "" if said == NONE else f" ({said})"

    def lead(self, difference: float) -> str:
        """Return a difference, of shares in percentage points, with its sign."""
        shown = self.points(difference)
        return f"+{shown}" if difference > 0 and float(shown) else shown

    def points(self, difference: float) -> str:
        """Return a difference, of shares in percentage points, without a plus."""
        shown = f"{self.scale * difference:.{self.decimals}f}"
        return (shown.lstrip("-") if float(shown) == 0 else shown).replace("-", "−")

    def around(self, low: float | None, high: float | None) -> str:
        """Return the interval of a difference in brackets, after its value; nothing if there is none."""
        said = self.leads(low, high)
        return "" if said == NONE else f" ({said})"

    def leads(self, low: float | None, high: float | None) -> str:
        """Return both ends of an interval of a difference, with enough decimals that no end rounds onto 0; none without a spread."""
        if low is None or high is None or is_flat(low, high):
            return NONE
        finer = self.beside(low, high)
        return f"{finer.points(low)}{NBSP}to{NBSP}{finer.points(high)}"

    def beside(self, low: float | None, high: float | None) -> Digits:
        """Return the digits of a difference with this interval: enough decimals that no end rounds onto 0."""
        decimals, ends = self.decimals, [end for end in (low, high) if end is not None and abs(end) > ROUNDING]
        while decimals < MOST and any(float(f"{self.scale * end:.{decimals}f}") == 0 for end in ends):
            decimals += 1
        return self._replace(decimals=decimals)


def within(low: float | None, high: float | None) -> Ends:
    """Return the ends of an interval of a share, none below 0 or above 1."""
    return None if low is None else min(max(low, 0.0), 1.0), None if high is None else min(max(high, 0.0), 1.0)


def between(low: float | None, high: float | None) -> str:
    """Return text such as "81% to 100%", rounded outwards."""
    return NONE if low is None or high is None else f"{math.floor(100 * low + FLAT)}% to {math.ceil(100 * high - FLAT)}%"


def p_said(p_value: float) -> str:
    """Return text such as "p = 0.034"."""
    return "p &lt; 0.001" if p_value < LEAST_P else f"p = {p_value:.2g}"


def is_flat(low: float, high: float) -> bool:
    """Return whether both ends are the same number, computed in floating point."""
    return high - low <= max(FLAT * max(abs(low), abs(high)), ROUNDING)
