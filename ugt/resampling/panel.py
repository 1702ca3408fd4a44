"""The annotators behind a statistic: their labels, and the same numbers without some of them."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from .._base.arrays import Array, Int64, NDArray
from .._base.checks import error

if TYPE_CHECKING:
    from .counted import Counted
    from .statistic import Statistic

UNNAMED = "be named for intervals over other annotators"


class Without(NamedTuple):
    """Some numbers (M,) without an annotator, and their influences (N, M), or the statistic if these are unknown."""

    values: Array
    influence: Array | None
    statistic: Statistic | None = None

    @classmethod
    def of(cls, one: Statistic, numbers: Sequence[int]) -> Without:
        """Return some numbers of a statistic."""
        found, at = one.influence(), list(numbers)
        return cls(one.estimate[at], None if found is None else found[:, at], one)


class Changes(NamedTuple):
    """A quotient Σ a / Σ b of N cases, and P pairs of a case and one of n annotators without whom a and b of the case are others."""

    above: Array  # (N,) a
    below: Array  # (N,) b
    case: Int64  # (P,)
    annotator: Int64  # (P,) place among the n
    by_above: Array  # (P,) what is added to a
    by_below: Array  # (P,) and to b


def _no_names() -> Any:
    raise error("annotators", UNNAMED, "annotations, or a truth, without names of annotators")


def _no_one(annotators: NDArray[Any]) -> Statistic:
    raise error("annotators", "be named, to be left out one by one", "annotations without names of annotators")


class Panel(NamedTuple):
    """The annotators of a statistic; the panel of a statistic without named annotators refuses with a ValueError.

    Attributes
    ----------
    annotations : function
        The annotations that the numbers are computed from, whose annotators are named.
    judged_by : function of (A,) weights of 0 or 1
        The same statistic without the annotations of the annotators with 0.
    each : function of (annotators, numbers), optional
        A faster way to some numbers without each of these annotators, see :meth:`without_each`.
    changes : function of (annotators, number)
        What leaving out each of these annotators changes in a number that is a quotient; None if unknown.
    counted : function of a number
        The number as a function of counts of labels, of which panels of annotators are drawn; None if it is no such function.
    """

    annotations: Callable[[], Any] = _no_names
    judged_by: Callable[[NDArray[Any]], Statistic] = _no_one
    each: Callable[[Int64, Sequence[int]], Iterator[Without]] | None = None
    changes: Callable[[Int64, int], Changes | None] = lambda annotators, number: None
    counted: Callable[[int], Counted | None] = lambda number: None

    def without_each(self, annotators: Int64, numbers: Sequence[int]) -> Iterator[Without]:
        """Yield some numbers without each of these annotators."""
        return self.one_by_one(annotators, numbers) if self.each is None else self.each(annotators, numbers)

    def one_by_one(self, annotators: Int64, numbers: Sequence[int]) -> Iterator[Without]:
        """Yield some numbers of the statistic that each of these annotators is missing from."""
        each = np.ones(len(self.annotations().annotators))
        for j in annotators.tolist():
            weights = each.copy()
            weights[j] = 0.0
            yield Without.of(self.judged_by(weights), numbers)
