"""Distances by name, threshold, table of costs or function, checked."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Callable

import numpy as np

from .._base import identifiers
from .._base.arrays import Array, NDArray
from .._base.checks import error, scalar
from .._core import _pairs

LARGEST = 1e100  # numbers and costs: their squares and sums stay finite
ROUNDING = 1e-12  # by which costs may differ from those the other way around
NUMERIC = "'squared', 'absolute', 'zero-one', ('threshold', size)"
OF_LABELS = f"be {NUMERIC}, a table of costs (classes, classes) or a function of two labels"
OF_RATINGS = f"be {NUMERIC} or a function of two ratings"
OF_MASKS = "be 'jaccard', 'dice' or a function of two masks"


@dataclass(frozen=True, eq=False)
class Rule:
    """What is measured: ``kind`` is "number" (``squared``, or what differences exceed ``slack`` by), "class", "mask" or "function"."""

    kind: str
    squared: bool = False
    slack: float = 0.0
    cost: Array | None = None
    dice: bool = False
    function: Callable[[Any, Any], Any] | None = None

    def core(self, n_classes: int = 1, number: Array | None = None) -> _pairs.Distance:
        """The distance as the core takes it; ``number`` of the classes, for expected distances of numbers."""
        return _pairs.Distance(_pairs.SQUARED if self.squared else _pairs.THRESHOLD, self.slack, n_classes, self.cost, number)


def rule_of_numbers(distance: Any, must: str = OF_RATINGS) -> Rule:
    """A distance of ratings."""
    if callable(distance):
        return Rule("function", function=distance)
    if isinstance(distance, (tuple, list)) and len(distance) == 2 and isinstance(distance[0], str) and distance[0] == "threshold":
        return Rule("number", slack=scalar("threshold of the distance", distance[1]))
    known = {"squared": Rule("number", squared=True), "absolute": Rule("number"), "zero-one": Rule("class")}
    if not isinstance(distance, str) or distance not in known:
        raise error("distance", must, repr(distance))
    return known[distance]


def rule_of_labels(distance: Any, classes: NDArray[Any]) -> Rule:
    """A distance of labels."""
    if isinstance(distance, str) or callable(distance) or (isinstance(distance, tuple) and len(distance) and isinstance(distance[0], str)):
        return rule_of_numbers(distance, OF_LABELS)
    try:
        cost = identifiers.unmasked(distance)
    except ValueError:  # rows of different lengths
        cost = np.empty(0)
    if cost.ndim != 2 or cost.dtype.kind not in "biuf":
        return rule_of_numbers(distance, OF_LABELS)
    return Rule("class", cost=_costs(cost, classes))


def rule_of_masks(distance: Any) -> Rule:
    """A distance of masks."""
    if callable(distance):
        return Rule("function", function=distance)
    if not isinstance(distance, str) or distance not in ("jaccard", "dice"):
        raise error("distance", OF_MASKS, repr(distance))
    return Rule("mask", dice=distance == "dice")


def _costs(given: NDArray[Any], classes: NDArray[Any]) -> Array:
    """Costs of taking one class for another, the same both ways."""
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


def numbers_of(classes: NDArray[Any], values: Any) -> Array:
    """The number that each class stands for: the one given, or the class itself where classes are integers."""
    if values is None:
        if identifiers.is_text(classes):
            raise error("values", "give a number for each class where classes are text", None)
        return checked(classes.astype(np.float64), "classes", lambda k: f"class {identifiers.name(classes[k])}")
    column = identifiers.unmasked(values)
    if column.shape != (len(classes),) or column.dtype.kind not in "biuf":
        raise error("values", f"be a number for each of the {len(classes)} classes", f"{column.dtype} of shape {column.shape}")
    return checked(column.astype(np.float64), "values", lambda k: f"class {identifiers.name(classes[k])}")


def checked(numbers: Array, argument: str, where: identifiers.Where, missing: bool = False) -> Array:
    """The numbers if their squares are finite; NaN stands for none where some may be ``missing``."""
    least, most = (np.fmin, np.fmax) if missing else (np.minimum, np.maximum)  # of which the first two pass NaN over
    if not (least.reduce(numbers, initial=0.0) >= -LARGEST and most.reduce(numbers, initial=0.0) <= LARGEST):
        k = int(np.argmin((np.abs(numbers) <= LARGEST) | (np.isnan(numbers) & missing)))
        raise error(argument, f"be numbers from {-LARGEST:g} to {LARGEST:g}", f"{numbers[k]:g}", where(k))
    return numbers
