"""Counts in sentences."""

from __future__ import annotations


def counted(n: int, noun: str, verbs: tuple[str, str] | None = None) -> str:
    """Return text such as "1 case", "2,000 cases"; ``verbs``: that of one and that of several, which follows."""
    return f"{whole(n)} {noun}{'s' * (n != 1)}{'' if verbs is None else f' {verbs[n != 1]}'}"


def whole(n: float) -> str:
    """Return a count with thousands separators."""
    return f"{n:,.0f}"
