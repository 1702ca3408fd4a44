"""How the sums of parts of the data are exchanged, added up, and answered for."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from functools import partial
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from .._base.arrays import Array

if TYPE_CHECKING:
    from .statistic import Statistic

NO_SETTINGS: Mapping[str, Any] = MappingProxyType({})


class Answer(NamedTuple):
    """The result from the sums of all cases: the metric, other numbers by name, the reason if it is undefined, and its record."""

    value: float
    numbers: Mapping[str, Any]
    reason: str | None = None
    record: Any = None


class Merging(NamedTuple):
    """What a statistic exchanges if its cases are in several places, and how it answers for sums (S,) of all of them.

    Attributes
    ----------
    exact_sums : function
        The sums (S, P), each as P doubles, each the rounding of the remainder of those before: the same for any order of cases.
    finish : function of (sums, fixed, left_out)
        The :class:`Answer` from sums (S,) and fixed sums (F,) of all cases.
    replicated : function of (sums, replicates)
        The first number (B,) and the others (B, ...) by name for sums (B, S) of resamples; ``sums`` (S,) are those of the data.
    groups : function of (sums, fixed)
        The number of cases (or labels) in each group that the sums (S,) distinguish, such as bins; empty if there are none.
    settings : mapping
        The arguments of ``answer`` beside sums, as JSON values; parts of the data whose sums are added must agree in them.
    fixed : (F,) array
        Sums over all cases that resamples do not need.
    squares : function, optional
        The (C, C, P) exact sums of products of the cases' contributions to the first C sums.
    gradient : function of sums, optional
        With ``squares``: the derivatives (C,) of the first number by each of these sums, at sums (S,); None if unknown.
    by_case : function, optional
        The contributions (N, S) of the cases to the sums, if sums consist of these.
    influence_at : function of sums, optional
        The influence (N, m) of the cases on the first m numbers if all cases have these sums (S,); by default from ``by_case``.
    limits : function of level, optional
        The interval of the first number, if it has its own form.
    """

    exact_sums: Callable[[], Array]
    finish: Callable[[Array, Array, Mapping[str, int]], Answer]
    replicated: Callable[[Array, Array], tuple[Array, dict[str, Array]]]
    groups: Callable[[Array, Array], Array] = lambda sums, fixed: np.empty(0)
    settings: Mapping[str, Any] = NO_SETTINGS
    fixed: Array = np.empty(0)
    squares: Callable[[], Array] | None = None
    gradient: Callable[[Array], Array | None] | None = None
    by_case: Callable[[], Array] | None = None
    influence_at: Callable[[Array], Array] | None = None
    limits: Callable[[float], tuple[float, float]] | None = None

    @classmethod
    def of(cls, one: Statistic) -> Merging:
        """Return what holds for every statistic."""
        return cls(lambda: np.asarray(one.sums()[0][:, None]), partial(finished, one), partial(replicated, one))


def finished(one: Statistic, sums: Array, fixed: Array, left_out: Mapping[str, int]) -> Answer:
    """Return the numbers of a statistic from sums (S,) of all cases."""
    value, numbers = float(one.answer(sums[None])[0, 0]), one.numbers(sums[None])
    return Answer(value, {name: found[0] for name, found in numbers.items()}, "no case is left" if math.isnan(value) else None)


def replicated(one: Statistic, sums: Array, replicates: Array) -> tuple[Array, dict[str, Array]]:
    """Return the first number (B,) of a statistic and the others from sums (B, S) of resamples."""
    return one.answer(replicates)[:, 0], one.numbers(replicates)
