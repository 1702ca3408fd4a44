"""Answers that are asked for again."""

from __future__ import annotations

from collections.abc import Hashable
from typing import Any, Callable


class Kept:
    """What an object has computed: for each question every answer, or the last one.

    A key names the question: numbers, texts, and objects that are equal to themselves only.
    """

    def __init__(self) -> None:
        self._answers: dict[Hashable, Any] = {}
        self._last: dict[str, tuple[Hashable, Any]] = {}

    def every(self, key: Hashable, make: Callable[[], Any]) -> Any:
        """The answer to a question, kept for good."""
        if key not in self._answers:
            self._answers[key] = make()
        return self._answers[key]

    def last(self, question: str, key: Hashable, make: Callable[[], Any]) -> Any:
        """The answer to a question for a key, kept until another key comes: metrics ask the same thing one after the other."""
        found = self._last.get(question)
        if found is None or found[0] != key:
            found = self._last[question] = key, make()
        return found[1]

    def deepest(self, question: str, depth: int, make: Callable[[], Any]) -> Any:
        """The answer to a question that goes at least so deep."""
        found = self._last.get(question)
        if found is None or found[0] < depth:  # type: ignore[operator]
            found = self._last[question] = depth, make()
        return found[1]
