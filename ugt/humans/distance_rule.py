"""Distances given by name, threshold or table of costs, checked; and distances by a Python function, called pair by pair."""

from __future__ import annotations

import math
import numbers
import sys
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, Any, Callable

import numpy as np

from .._base import identifiers, notices, parallel
from .._base.arrays import Array, NDArray
from .._base.checks import error, scalar
from .._core import _pairs
from ..annotations.named import of_pairs, per_class
from .mask_distances import MUST, OPTIONS, MaskDistance

if TYPE_CHECKING:
    from ..annotations.masks import Masks
    from .distances import Layout

LARGEST = 1e100  # limit of numbers and costs, so that their squares and sums stay finite
ROUNDING = 1e-12  # largest relative difference between the costs of a pair of classes in the two orders
NUMERIC = "'squared', 'absolute', 'zero-one', ('threshold', size)"
TRIED, BOTH_WAYS = 100, 1e-9  # the first 100 pairs are measured both ways, and may differ by this much, relatively
SLOW = "distance is a Python function and is called for every pair: this is slow. Distances known by name are thousands of times faster"
OF_LABELS = f"be {NUMERIC}, a table of costs (classes, classes) or a function of two labels"
OF_RATINGS = f"be {NUMERIC} or a function of two ratings"


@dataclass(frozen=True, eq=False)
class Rule:
    """A distance: ``kind`` is "number" (``squared``, or differences' excess over ``slack``), "class", "mask", "pairs" or "function"."""

    kind: str
    squared: bool = False
    slack: float = 0.0
    cost: Array | None = None
    dice: bool = False
    function: Callable[[Any, Any], Any] | None = None
    pairs: MaskDistance | None = None

    def core(self, n_classes: int = 1, number: Array | None = None) -> _pairs.Distance:
        """Return the distance for the core; ``number`` of the classes, for expected distances of numbers."""
        return _pairs.Distance(_pairs.SQUARED if self.squared else _pairs.THRESHOLD, self.slack, n_classes, self.cost, number)


BY_NAME = {"squared": Rule("number", squared=True), "absolute": Rule("number"), "zero-one": Rule("class")}


def rule_of_numbers(distance: object, must: str = OF_RATINGS) -> Rule:
    """Return the rule for a distance of ratings."""
    if callable(distance):
        return Rule("function", function=distance)
    if isinstance(distance, (tuple, list)) and len(distance) == 2 and isinstance(distance[0], str) and distance[0] == "threshold":
        return Rule("number", slack=scalar("threshold of the distance", distance[1]))
    if not isinstance(distance, str) or distance not in BY_NAME:
        raise error("distance", must, repr(distance))
    return BY_NAME[distance]


def rule_of_labels(distance: object, classes: NDArray[Any]) -> Rule:
    """Return the rule for a distance of labels."""
    if isinstance(distance, str) or callable(distance) or (isinstance(distance, tuple) and len(distance) and isinstance(distance[0], str)):
        return rule_of_numbers(distance, OF_LABELS)
    try:
        cost = identifiers.unmasked(of_pairs("distance", distance, classes))
    except ValueError:  # rows of different lengths
        cost = np.empty(0)
    if cost.ndim != 2 or cost.dtype.kind not in "biuf":
        return rule_of_numbers(distance, OF_LABELS)
    return Rule("class", cost=_costs(cost, classes))


def rule_of_masks(distance: object, masks: Masks) -> Rule:
    """Return the rule for a distance of masks."""
    if callable(distance):
        return Rule("function", function=distance)
    name, options = distance if isinstance(distance, (tuple, list)) and len(distance) == 2 else (distance, {})
    if not isinstance(name, str) or name not in OPTIONS or not isinstance(options, Mapping):
        raise error("distance", MUST, repr(distance))
    if name in ("jaccard", "dice") and masks.layers is None and not options:
        return Rule("mask", dice=name == "dice")
    return Rule("pairs", pairs=MaskDistance(name, options, masks))


def _costs(given: NDArray[Any], classes: NDArray[Any]) -> Array:
    """Return the costs of taking one class for another, made exactly symmetric."""
    n = len(classes)
    if given.shape != (n, n):
        raise error("distance", f"be a table of costs of {n} x {n} classes", f"shape {given.shape}")
    cost = given.astype(np.float64)
    with np.errstate(invalid="ignore"):
        wrong = [
            (~((cost >= 0) & (cost <= LARGEST)), f"hold costs from 0 to {LARGEST:g}"),
            ((cost != 0) & np.eye(n, dtype=bool), "hold 0 where the classes are the same"),
            (np.abs(cost - cost.T) > ROUNDING * (cost + cost.T), "be symmetric, as neither of two annotators is the truth"),
        ]
    for bad, must in wrong:
        if bad.any():
            i, j = (int(k) for k in np.argwhere(bad)[0])
            got = f"{cost[i, j]:g}" + (f" and {cost[j, i]:g}" if "symmetric" in must else "")
            raise error("distance", must, got, f"classes {identifiers.name(classes[i])} and {identifiers.name(classes[j])}")
    return np.ascontiguousarray((cost + cost.T) / 2)


def numbers_of(classes: NDArray[Any], values: object) -> Array:
    """Return the number of each class: the given one, or the class itself if classes are integers."""
    if values is None:
        if identifiers.is_text(classes):
            raise error("values", "give a number for each class if classes are text", None)
        return checked(classes.astype(np.float64), "classes", lambda k: f"class {identifiers.name(classes[k])}")
    column = identifiers.unmasked(per_class("values", values, classes))
    if column.shape != (len(classes),) or column.dtype.kind not in "biuf":
        raise error("values", f"be a number for each of the {len(classes)} classes", f"{column.dtype} of shape {column.shape}")
    return checked(column.astype(np.float64), "values", lambda k: f"class {identifiers.name(classes[k])}")


def checked(column: Array, argument: str, where: identifiers.Where, missing: bool = False) -> Array:
    """Return the numbers if their squares are finite, else refuse; NaN is allowed if numbers may be ``missing``."""
    least, most = (np.fmin, np.fmax) if missing else (np.minimum, np.maximum)  # the first two ignore NaN
    if not (least.reduce(column, initial=0.0) >= -LARGEST and most.reduce(column, initial=0.0) <= LARGEST):
        k = int(np.argmin((np.abs(column) <= LARGEST) | (np.isnan(column) & missing)))
        raise error(argument, f"be numbers from {-LARGEST:g} to {LARGEST:g}", f"{column[k]:g}", where(k))
    return column


# ---- distances that a Python function measures ----


def warn() -> None:
    """Warn that a function is slow, at the line that called into the package."""
    level, frame = 2, sys._getframe(1)
    while frame.f_back is not None and frame.f_globals.get("__name__", "").split(".")[0] == "ugt":
        level, frame = level + 1, frame.f_back
    notices.warn(SLOW, stacklevel=level)


class Measure:
    """A function whose results are checked, and ``kept`` if its arguments are two classes."""

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

    def _measured(self, a: object, b: object, where: Callable[[], str]) -> float:
        there = _number(self.function(a, b), where)
        if self.tried < TRIED:
            self.tried += 1
            back = _number(self.function(b, a), where)
            if abs(there - back) > BOTH_WAYS * (there + back):
                raise error("distance", "be the same both ways", f"{there:g} and {back:g}", where())
        return there


def _number(found: Any, where: Callable[[], str]) -> float:
    plain = isinstance(found, (numbers.Real, np.bool_)) or (isinstance(found, np.ndarray) and not found.ndim and found.dtype.kind in "biuf")
    value = float(found) if plain else math.nan
    if not 0 <= value < math.inf:
        raise error("distance", "return a finite number of at least 0", repr(found), where())
    return value


Things = Callable[[int], Any]  # from the number of a row to the label that the function receives


class CalledPairs:
    """The entries of all cases, measured pair by pair, with names of cases and annotators for messages."""

    def __init__(
        self,
        layout: Layout,
        thing: Things,
        measure: Callable[[Any, Any, Callable[[], str]], float],
        annotations: Any,
        case_name: identifiers.Where,
    ) -> None:
        self.layout, self.thing, self.measure = layout, thing, measure
        self.annotations, self.case_name = annotations, case_name

    def fill_others(self, out: Array) -> None:
        """Add up the distances of each entry to the others of its case."""
        for i in self._cases():
            self._case(i, out)

    def fill_model(self, m: int, predicted: Callable[[int], list[tuple[float, Any]]], out: Array) -> None:
        """Set the distances to a prediction, given as possible labels with their probabilities; no labels if there is no prediction."""
        for i in self._cases():
            law = predicted(i)
            for e in range(*self.layout.offsets[i : i + 2]) if law else ():
                where = partial(self._where, i, e, lambda: f"the prediction of model {m}")
                out[e] = sum(s * p * self.measure(other, thing, where) for s, thing in self._things(e) for p, other in law)

    def _cases(self) -> Iterator[int]:
        """Yield the cases one by one in this thread: the function need not be thread-safe."""
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
        if annotator < 0:
            return f"label {next(self._things(entry))[1]!r}"
        return f"annotator {identifiers.name(self.annotations.annotators[annotator])}"

    def _where(self, i: int, entry: int, other: Callable[[], str]) -> str:
        return f"case {self.case_name(i)}, {self._who(entry)} and {other()}"
