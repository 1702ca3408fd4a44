"""Counts, and decimals of shares, in sentences."""

from __future__ import annotations


def counted(n: int, noun: str, verbs: tuple[str, str] | None = None) -> str:
    """Return text such as "1 case", "2,000 cases"; ``verbs``: that of one and that of several, which follows."""
    return f"{whole(n)} {noun}{'s' * (n != 1)}{'' if verbs is None else f' {verbs[n != 1]}'}"


def whole(n: float) -> str:
    """Return a count with thousands separators."""
    return f"{n:,.0f}"


def decimals_of_percent(half: float) -> int:
    """Return the decimals that a percentage deserves by the half-width of its interval in points: 1 for 0.5 to 5, 0 above, 2 below."""
    return 0 if half > 5 else 1 if half >= 0.5 else 2
