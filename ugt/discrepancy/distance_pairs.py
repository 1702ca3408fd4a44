"""Distances that a Python function measures, pair by pair."""

from __future__ import annotations

import math
import numbers
import sys
from collections.abc import Iterator
from functools import partial
from typing import TYPE_CHECKING, Any, Callable

import numpy as np

from .._base import identifiers, notices, parallel
from .._base.arrays import Array
from .._base.checks import error

if TYPE_CHECKING:
    from .distances import Layout

    Things = Callable[[int], Any]  # what a row says, as the function sees it

TRIED = 100  # pairs that are measured both ways
ROUNDING = 1e-9
SLOW = "distance is a Python function and is called for every pair: slow, the distances known by name are thousands of times faster"


def warn() -> None:
    """Say that it is slow, at the line that called into the package."""
    level, frame = 2, sys._getframe(1)
    while frame.f_back is not None and frame.f_globals.get("__name__", "").split(".")[0] == "ugt":
        level, frame = level + 1, frame.f_back
    notices.warn(SLOW, stacklevel=level)


class Measure:
    """The function, its answers checked, and kept where ``kept`` (of two classes)."""

    def __init__(self, function: Callable[[Any, Any], Any], kept: bool) -> None:
        self.function, self.tried = function, 0
        self.known: dict[Any, float] | None = {} if kept else None

    def __call__(self, a: Any, b: Any, where: Callable[[], str]) -> float:
        if self.known is None:
            return self._measured(a, b, where)
        key = (a, b) if a <= b else (b, a)
        found = self.known.get(key)
        if found is None:
            found = self.known[key] = self._measured(*key, where)
        return found

    def _measured(self, a: Any, b: Any, where: Callable[[], str]) -> float:
        there = _number(self.function(a, b), where)
        if self.tried < TRIED:
            self.tried += 1
            back = _number(self.function(b, a), where)
            if abs(there - back) > ROUNDING * (there + back):
                raise error("distance", "be the same both ways", f"{there:g} and {back:g}", where())
        return there


def _number(found: Any, where: Callable[[], str]) -> float:
    plain = isinstance(found, (numbers.Real, np.bool_)) or (
        isinstance(found, np.ndarray) and found.ndim == 0 and found.dtype.kind in "biuf"
    )
    value = float(found) if plain else math.nan
    if not 0 <= value < math.inf:
        raise error("distance", "return a finite number of at least 0", repr(found), where())
    return value


class CalledPairs:
    """The labels of each entry, and who gave them."""

    def __init__(self, layout: Layout, thing: Things, measure: Measure, annotations: Any, case_name: Callable[[int], str]) -> None:
        self.layout, self.thing, self.measure = layout, thing, measure
        self.annotations, self.case_name = annotations, case_name

    def fill_others(self, out: Array) -> None:
        """Add up the distances of each entry to the others of its case."""
        for i in self._cases():
            self._case(i, out)

    def fill_model(self, m: int, predicted: Callable[[int], list[tuple[float, Any]]], out: Array) -> None:
        """Distances to a prediction: what may be said and how probable it is, nothing where there is none."""
        for i in self._cases():
            law = predicted(i)
            for e in range(*self.layout.offsets[i : i + 2]) if law else ():
                where = partial(self._where, i, e, lambda: f"the prediction of model {m}")
                out[e] = sum(s * p * self.measure(other, thing, where) for s, thing in self._things(e) for p, other in law)

    def _cases(self) -> Iterator[int]:
        """In this thread: the function may be anything."""
        n = len(self.layout.offsets) - 1
        reporter = parallel.Reporter("calling the distance", n)
        for i in range(n):
            yield i
            reporter.done(i + 1)

    def _things(self, entry: int) -> Iterator[tuple[float, Any]]:
        rows, share = self.layout.shares(entry)
        return ((float(s), self.thing(int(r))) for r, s in zip(rows, share))

    def _case(self, i: int, out: Array) -> None:
        count = self.layout.size
        entries = list(range(*self.layout.offsets[i : i + 2]))
        said = [list(self._things(e)) for e in entries]
        for a, e in enumerate(entries):
            for b, f in enumerate(entries[a:], a):
                if e == f and count[e] == 1:
                    continue
                where = partial(self._where, i, e, partial(self._who, f))
                mean = sum(s * t * self.measure(x, y, where) for s, x in said[a] for t, y in said[b])
                out[e] += (count[f] - (e == f)) * mean
                if e != f:
                    out[f] += count[e] * mean

    def _who(self, entry: int) -> str:
        annotator = self.layout.annotator[entry]
        return (
            f"annotator {identifiers.name(self.annotations.annotators[annotator])}"
            if annotator >= 0
            else f"label {next(self._things(entry))[1]!r}"
        )

    def _where(self, i: int, entry: int, other: Callable[[], str]) -> str:
        return f"case {self.case_name(i)}, {self._who(entry)} and {other()}"
