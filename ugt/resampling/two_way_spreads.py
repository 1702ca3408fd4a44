"""The spreads of numbers over cases and annotators: for panels of annotators, by leaving out annotators, or whole groups of them."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import replace
from functools import partial
from typing import Any

import numpy as np

from .._base import notices
from .._base.arrays import Array, Int64, NDArray
from .._base.identifiers import name
from .._base.notes import Note
from .blocks import FEWEST, TWO_GROUPS, GroupSpread, groups_of_cases
from .counted import NotAlike
from .design import Design
from .jackknife import without_units
from .panel_interval import PanelSpread
from .spread import (
    NOT_FINITE,
    RANDOM,
    Parts,
    Spread,
    df_of,
    few_annotators,
    labels_of_annotators,
    one_alone,
    slope_at,
    spread_of,
    stretch_of,
    total_of,
)  # fmt: skip
from .statistic import Statistic
from .student import LEAST_ALIKE, LEFT_OUT, TIE, Jackknifed, UnitFacts, Units, few_clusters
from .these_groups import these_groups
from .two_ways import TwoWay

MOST_WORK, MOST_LABELS = 2e7, 300_000  # cases x annotators, and labels, above which tables omit these intervals: too slow
AT_END = "the number is at the end of its range"
ALIKE = "cases are few and all alike, so that they do not show how others would differ"


def two_ways_of(one: Statistic, numbers: Sequence[int], design: Design | None, *, panels: bool = True) -> list[TwoWay]:
    """Return the spreads of some numbers of a statistic, whose kept cases have this design; None: there are no kept cases.

    Numbers that follow from counts of labels are computed for panels of annotators, others without each annotator. Where annotators share
    no case, whole groups of cases with their annotators are left out. Without ``panels`` annotators are left out of all numbers.
    """
    groups = None if design is None else groups_of_cases(one.panel.annotations(), one.kept, design)
    if design is not None and groups is not None:
        return _over_groups(one, numbers, design, groups)
    by_panels = [None if design is None or not panels else _over_panels(one, number, design) for number in numbers]
    rest = [number for number, found in zip(numbers, by_panels) if not isinstance(found, TwoWay)]
    others = iter(_leaving_out(one, rest, design) if rest else [])
    return [found if isinstance(found, TwoWay) else replace(next(others), _panels=found) for found in by_panels]


def _over_groups(one: Statistic, numbers: Sequence[int], design: Design, groups: Int64) -> list[TwoWay]:
    """Return the spreads of some numbers over groups of cases whose annotators share no case with others."""
    n, kept, facts = int(groups.max()) + 1, one.kept, one.facts
    share = np.bincount(groups) / len(groups)
    with notices.heard(), np.errstate(all="ignore"):
        influence, units = one.influence(), Units.of(one, kept, design)
        if n <= LEFT_OUT or influence is None:
            without = without_units(one, kept, Design.of(len(groups), groups), make_up=False)
        else:  # the numbers without a group of so many, to first order
            by_group = np.stack([np.bincount(groups, column) for column in influence[kept].T], axis=1)
            without = one.estimate - by_group / (1 - share[:, None])
    found = []
    for number in numbers:
        value, left, scale = float(one.estimate[number]), without[:, number], facts.scale_of(number)
        span: tuple[float, float] = tuple(facts.spans[number].tolist())
        with np.errstate(all="ignore"):
            if not np.isfinite(stretch_of(scale, span).to(np.append(left, value))).all():
                scale = "identity"
            spread = GroupSpread(n, float(1 / (share @ share)), stretch_of(scale, span).to(left))
            error = math.sqrt(spread.variance) / slope_at(scale, span, value)
        reason = NOT_FINITE if not math.isfinite(value) else TWO_GROUPS if n < FEWEST else None
        if reason is None and not np.isfinite(left).all():
            reason = "undefined without one of the groups of annotators"
        cases = units.take([number]).jackknifed(one.estimate[[number]]) if facts.smooth and reason is None else None
        notes = () if reason else (*spread.notes(scale), *facts.notes_of(number))
        people = int(np.count_nonzero(labels_of_annotators(one.panel.annotations(), kept)))
        found.append(
            TwoWay(value, scale, {"groups": spread.variance}, spread.variance, error, spread.degrees, n, people, {}, reason, notes,
                   _spread=spread, _span=span, _cases=cases, _within=partial(these_groups, one, number, design, groups))
        )  # fmt: skip
    return found


def _over_panels(one: Statistic, number: int, design: Design) -> TwoWay | PanelSpread | None:
    """Return the record of a number over panels of annotators, of one of pairs only its spread; None if it is not known for them."""
    counted, value, facts, kept = one.panel.counted(number), float(one.estimate[number]), one.facts, one.kept
    n_units = facts.n_annotated(kept, design)
    if counted is None or not math.isfinite(value) or n_units < 2 or counted.panels.n_annotators < 2 or counted.panels.too_many:
        return None
    panels, influence = counted.panels, one.influence()
    assert influence is not None
    span: tuple[float, float] = tuple(facts.spans[number].tolist())
    at_end = any(abs(value - end) <= TIE for end in span)
    scale = "identity" if at_end else facts.scale_of(number)
    stretch = stretch_of(scale, span)
    with notices.heard(), np.errstate(all="ignore"):
        try:
            over = counted.over(kept, design, stretch, span)
        except NotAlike:
            return None
        psi = design.added_up(influence[kept][:, [number]]) * slope_at(scale, span, value)
        kappa = panels.taken_out(kept)
    found = PanelSpread.of(over, panels, kappa, n_units, panels.effective(kept))
    if counted.pairs:
        return found
    psi = psi - psi.mean()
    parts = n_units / (n_units - 1) * float((psi**2).sum()), found.between, found.both
    units = Units.of(one, kept, design).take([number])
    end = units.facts._replace(n=np.minimum(units.facts.n, panels.n_annotators)) if at_end else None
    few = None if design.plain else few_clusters(n_units)
    who = found.alone
    named = None if who is None else name(counted.labels.annotators[panels.annotators[who]])
    notes = *few_annotators(panels.n_annotators), *([few] if few else []), *one_alone(named), *facts.notes_of(number)
    total, by_part = float(total_of(*parts)), dict(zip((*RANDOM, "both"), parts))
    std_error, df = math.sqrt(total) / slope_at(scale, span, value), float(df_of(*parts, n_units, found.effective))
    cases = units.jackknifed(one.estimate[[number]]) if facts.smooth else None
    if at_end and cases is not None and cases.pairs is None:
        cases = None  # without the score interval of a difference that of Clopper & Pearson holds
    return TwoWay(
        value, scale, by_part, total, std_error, df, n_units, panels.n_annotators, {}, None, notes,
        _spread=found, _end=end, _span=span, _cases=cases, _panels=found,
    )  # fmt: skip


def _leaving_out(one: Statistic, numbers: Sequence[int], design: Design | None) -> list[TwoWay]:
    """Return the spreads of some numbers by leaving out each annotator."""
    facts = one.facts
    scales = [facts.scale_of(number) for number in numbers]
    found = spread_of(one, numbers, scales, design)
    unit = np.eye(len(numbers))
    parts = [found.of(weights) for weights in unit]
    beyond = [i for i, given in enumerate(parts) if found.reasons[i] is None and not math.isfinite(sum(given))]
    if beyond:  # without some annotator a number is at the end of its scale: use the delta method instead
        plain = spread_of(one, [numbers[i] for i in beyond], ["identity"] * len(beyond), design)
        for i, weights in zip(beyond, np.eye(len(beyond))):
            slope = slope_at(scales[i], facts.spans[numbers[i]], float(one.estimate[numbers[i]]))
            parts[i] = tuple(part * slope**2 for part in plain.of(weights))  # type: ignore[assignment]
    few = None if design is None or design.plain else few_clusters(found.n_units)
    notes = *few_annotators(found.n_annotators), *([few] if few else [])
    rows = zip(numbers, scales, parts, found.reasons, found.alone or (None,) * len(numbers))
    return [
        _record(one, found, design, (*notes, *one_alone(who), *facts.notes_of(number)), number, scale, part, reason)
        for number, scale, part, reason, who in rows
    ]


def design_if_named(one: Statistic, clusters: NDArray[Any] | None) -> Design | None:
    """Return the design, if annotators have names and the interval is quick to compute; ``clusters`` (N,) are of all cases."""
    try:
        known = one.panel.annotations()
    except ValueError:
        return None
    kept = one.kept
    if not kept.any() or len(known.annotators) * one.n_cases > MOST_WORK or len(known.annotator) > MOST_LABELS:
        return None
    return Design.of(int(kept.sum()), None if clusters is None else clusters[kept])


def ends_if_named(one: Statistic, numbers: Sequence[int], clusters: NDArray[Any] | None, level: float, *, panels: bool = True) -> Array:
    """Return the intervals (M, 2) of some numbers; NaN if annotators have no names, or if it would take too long.

    Without ``panels`` of annotators, which take longer, they are left out one by one.
    """
    design = design_if_named(one, clusters)
    if design is None:
        return np.full((len(numbers), 2), math.nan)
    return np.array([found.interval(level) for found in two_ways_of(one, numbers, design, panels=panels)])


def _record(
    one: Statistic,
    found: Spread,
    design: Design | None,
    notes: tuple[Note, ...],
    number: int,
    scale: str,
    parts: Parts,
    reason: str | None,
) -> TwoWay:
    value, facts, cases = float(one.estimate[number]), None, None
    span: tuple[float, float] = tuple(one.facts.spans[number].tolist())
    if reason is None and design is not None:
        units = Units.of(one, one.kept, design).take([number])
        if any(abs(value - end) <= TIE for end in span):
            facts = units.facts
        elif one.facts.smooth:
            cases = units.jackknifed(one.estimate[[number]])
    return record_of(value, scale, span, found, parts, reason, notes, facts, cases)


def record_of(
    value: float,
    scale: str,
    span: tuple[float, float],
    found: Spread,
    parts: Parts,
    reason: str | None,
    notes: tuple[Note, ...],
    facts: UnitFacts | None,
    cases: Jackknifed | None = None,
) -> TwoWay:
    """Return the record; ``facts`` are those of the units of a number at the end of its range, ``cases`` the spread over them alone."""
    end, slope = None, slope_at(scale, span, value)
    if facts is not None:
        parts, end = (math.nan,) * 3, facts._replace(n=np.minimum(facts.n, found.n_annotators))
        reason = None if np.isfinite(facts.step).all() else AT_END
    total = float(total_of(*parts))
    if reason is None and scale != "identity" and total <= TIE**2 and found.n_units < LEAST_ALIKE:
        reason = ALIKE
    return TwoWay(
        value, scale, dict(zip((*RANDOM, "both"), parts)), total, math.sqrt(total) / slope if slope else math.nan, found.df(parts),
        found.n_units, found.n_annotators, found.left_out, reason, () if reason else notes, _spread=found,
        _end=end, _span=span, _cases=cases,
    )  # fmt: skip
