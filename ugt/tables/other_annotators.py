"""Intervals of numbers of an evaluation for other annotators, too."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from .._base import notices
from .._base.claims import WithinEnds
from ..resampling.two_way_spreads import design_if_named, two_ways_of
from ..resampling.two_ways import containing
from .rows import Number, both, defined, finite

if TYPE_CHECKING:
    from ..resampling import Statistic
    from ..resampling.two_ways import TwoWay
    from .context import Context

MOST_WORK = 2e6  # groups x cases, above which tables omit intervals for other annotators of the same groups: half a second per pair


class ForOthers(NamedTuple):
    """An interval over cases and annotators, and as how many annotators, or groups that share no case, they count."""

    low: Number = None
    high: Number = None
    n_even: Number = None
    n_groups: int | None = None
    one_by_one: bool | None = None  # whether annotators were left out one by one
    within: WithinEnds = WithinEnds()  # for other annotators of the same groups


def for_others(context: Context, one: Statistic, number: int, alone: tuple[Number, Number]) -> ForOthers:
    """Return the interval of a number, which contains the one over cases alone; without numbers if annotators are not random or unnamed."""
    found = None if None in alone else two_way_of(context, one, number)
    if found is None:
        return ForOthers()
    level, quick = context.options.level, (found.n_groups or 0) * one.n_cases <= MOST_WORK
    others, within = ends_for_others(found, level, alone), _within(found, level, alone) if quick else WithinEnds()
    if None not in (*others[:2], *within[:2]):  # other groups have other annotators, too
        low, high = both(containing((defined(others.low), defined(others.high)), within[:2]))
        others = others._replace(low=low, high=high)
    return others._replace(within=within)


def two_way_of(context: Context, one: Statistic, number: int) -> TwoWay | None:
    """Return the spread of a number over cases and annotators; None if annotators are not random or unnamed."""
    if "annotators" not in context.options.random:
        return None
    with notices.heard():  # what limits intervals is in the notes of the evaluation
        design = design_if_named(one, context.clusters)
        return None if design is None else two_ways_of(one, [number], design)[0]


def ends_for_others(found: TwoWay, level: float, alone: tuple[Number, Number]) -> ForOthers:
    """Return the interval of a spread, which contains the one over cases alone."""
    with notices.heard():
        low, high = both(containing(found.interval(level), alone))
    return ForOthers(low, high, finite(found.effective_annotators), found.n_groups, found.one_by_one)


def _within(spread: TwoWay, level: float, alone: tuple[Number, Number]) -> WithinEnds:
    """Return the interval for other annotators of the same groups; without numbers if annotators share cases."""
    with notices.heard():
        found = spread.these_groups()
        if found is None or found.reason:
            return WithinEnds()
        low, high = both(containing(found.interval(level), alone))
    return WithinEnds(low, high, finite(found.effective_annotators), found.one_by_one)
