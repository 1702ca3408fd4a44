"""Leads of models over others, and who has the best value: what the data support."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple


def sign_of(low: float | None, high: float | None) -> int:
    """Return the sign of all numbers of an interval: 1, -1, or 0 if it includes 0 or there is none."""
    return 0 if low is None or high is None else (low > 0) - (high < 0)


class Lead(NamedTuple):
    """The lead of one model over another or over a constant answer, above 0 if the first is better, also where lower values are better.

    Its interval holds for all pairs of models together.
    """

    value: float
    low: float | None
    high: float | None

    @property
    def turned(self) -> Lead:
        """The lead of the other over the first."""
        return Lead(-self.value, None if self.high is None else -self.high, None if self.low is None else -self.low)

    @property
    def sign(self) -> int:
        """1: the first is ahead; -1: the other; 0: the interval includes 0, or there is none."""
        return sign_of(self.low, self.high)

    def said(self, pair: Sequence[str]) -> str:
        """Return which of two models is ahead, for narrow cells; ``pair``: their names as HTML."""
        return f"{pair[self.sign < 0]} ahead" if self.sign else "no clear difference"


class Standing(NamedTuple):
    """The model with the best value in a measure under a truth; ``alike``: models that cannot be distinguished from it."""

    best: str
    alike: tuple[str, ...]
    second: tuple[str, Lead | None] | None  # the model with the next value, and the lead over it

    def phrase(self) -> tuple[str, tuple[float, float] | None]:
        """Who is ahead or cannot be distinguished, as plain text, and the interval of the lead that it names."""
        other, lead = self.second or ("", None)
        if lead is None or lead.low is None or lead.high is None:
            return f"{self.best} is the only one with a value" if not other else f"{self.best} has the best value", None
        ends = lead.low, lead.high
        if not self.alike:
            return f"{self.best} is ahead for these annotators (lead", ends
        if self.alike != (other,):
            others = self.alike[0] if len(self.alike) == 1 else f"{len(self.alike)} other models"
            return f"{self.best} cannot be distinguished from {others} (lead over {other}", ends
        if ends == (0, 0):
            return f"{self.best} and {other} have the same value", None
        first, second = sorted((self.best, other))  # whichever has the higher value, the sentence is the same
        return f"{first} and {second} cannot be distinguished (lead of {first}", ends if first == self.best else (-ends[1], -ends[0])
