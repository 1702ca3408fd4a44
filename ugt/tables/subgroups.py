"""Differences between each subgroup of the cases and the others, for each model."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from .._base.arrays import Array, Bools, Int64
from .._base.claims import NOBODY, LeadEnds, claim_of
from .._base.notes import Note
from ..resampling import Resamples, Units
from ..resampling.case_groups import FIRST, NEITHER, SECOND, GroupDifference
from .context import MOST_WORK, Ask, Made
from .other_annotators import ForOthers, ends_for_others, two_way_of
from .rows import Number, both, defined, finite
from .standings import joint_level_of
from .strata import FEW_CASES, FEW_CLUSTERS, NOT_STATED, OF_MODELS, given_strata

if TYPE_CHECKING:
    from ..resampling import Statistic
    from ..resampling.student import Jackknifed
    from .context import Context


class SubgroupDifferenceRow(NamedTuple):
    """A model's value in a subgroup less that in the other cases whose value of the column is stated, in units of the metric.

    Joint intervals, over cases, hold together for all subgroups, columns and models; the claim is at their level: for whom the difference
    is shown. That is others (these annotators and others like them), others if normal (others if annotators vary like a normal law), these
    (these annotators), or nobody.
    """

    stratum: str
    level: str
    model: str
    metric: str
    difference: Number
    low: Number  # over cases, or clusters of them
    high: Number
    joint_low: Number
    joint_high: Number
    two_way_low: Number  # over cases and annotators
    two_way_high: Number
    claim: str
    n_cases: int
    n_others: int
    n_clusters: int | None
    n_other_clusters: int | None
    n_annotators: Number  # of the interval over annotators; uneven shares of the labels count as fewer
    n_groups: int | None  # of annotators who share no case, over which it is; None: annotators share cases
    one_by_one: bool | None  # whether it leaves annotators out one by one: then no claim for others is made
    few: bool  # fewer than 20 cases in the subgroup or among the others
    reason: str | None  # why there is no interval, or none for other annotators


TABLES = {"subgroup_differences": SubgroupDifferenceRow}
LEAST_CASES = 10  # with fewer in the subgroup, or among the others, a difference has no interval
NO_CASE, NO_OTHERS = "no case in the subgroup", "no other cases"
TOO_FEW = f"fewer than {LEAST_CASES} cases, or {FEW_CLUSTERS} clusters, in the subgroup or among the others"
ALIKE = "all cases of the subgroup are alike, and all others"
# Products of cases, annotators and differences above which there are no intervals for other annotators: some 2 seconds.
MOST_FOR_OTHERS = 10**6
SAME = 1e-24  # square of a standard error that is rounding
NO_ENDS = (None, None)


class SubgroupPair(NamedTuple):
    """A subgroup and the other cases, under one model: the difference, and the units of both groups."""

    stratum: str
    level: str
    model: str
    metric: str
    one: GroupDifference
    n_cases: tuple[int, int]
    n_clusters: tuple[int | None, int | None]
    over_cases: Jackknifed | None  # None: no interval
    reason: str | None


def make(context: Context, notes: list[Note]) -> Made:
    """Each subgroup less the other cases, for each model and the first measure of strata that it has."""
    compared = list(_compared(context))
    if not compared:
        return {}
    known = [one.one for one in compared if one.over_cases is not None]
    n = context.options.affordable(len(known) * 4.0 * context.n_cases, "differences of subgroups at the joint level", notes, most=MOST_WORK)
    answers = yield [Ask(one, n, context.counted) for one in known]
    level = joint_level_of(Resamples.beside(answers), context.options.level) if known else context.options.level
    few = len(known) * context.n_cases * max(len(context.known.annotators), 1) <= MOST_FOR_OTHERS
    if not few and "annotators" in context.options.random:
        words = "Differences of subgroups are for these annotators only: over {most:,} cases x annotators x differences."
        notes.append(Note("too_large", words, most=MOST_FOR_OTHERS))
    rows = [_row(context, one, level, few) for one in compared]
    reasons = Counter(row.reason for row in rows if row.reason is not None)
    if reasons:
        words = "{n} differences of subgroups lack an interval: {reasons}."
        said = "; ".join(f"{reason} ({times})" for reason, times in reasons.items())
        notes.append(Note("no_difference_of_subgroups", words, n=sum(reasons.values()), reasons=said))
    return {"subgroup_differences": rows}


def _compared(context: Context) -> Iterator[SubgroupPair]:
    measures = [found for model in context.scores if (found := _measure(context, model)) is not None]
    for stratum in given_strata(context, []) if measures else ():
        (values,) = (found for name, found in context.subgroups.items() if stratum.name in (name, f"{name} (given)"))
        stated = ~np.isin(np.asarray(values, str), ("", NOT_STATED))
        for i, level in enumerate(stratum.levels):
            group = np.where(stated, np.where(stratum.code == i, FIRST, SECOND), NEITHER)
            for model, metric, column, source in measures if level != NOT_STATED else ():
                yield _pair(context, (stratum.name, level, model, metric), column, group, source)


def _measure(context: Context, model: str) -> tuple[str, str, Array, Statistic | None] | None:
    """Return the first measure of strata that a model has: its contributions, and the same mean with its annotators, if it has them."""
    for metric in OF_MODELS:
        reliability = context.reliability if metric == OF_MODELS[0] else None
        column = context.column(model, metric, reliability)
        if column is None:
            continue
        source = context.heads.get((metric, model, reliability))
        parts = None if source is None else source.quotient(0)  # of a fitted prior they have more than the case's own number
        same = parts is not None and np.array_equal(parts[0], np.nan_to_num(column)) and np.array_equal(parts[1], ~np.isnan(column))
        return model, metric, column, source if same else None
    return None


def _pair(context: Context, names: tuple[str, str, str, str], column: Array, group: Int64, source: Statistic | None) -> SubgroupPair:
    one = context.occurring(GroupDifference(np.nan_to_num(column), (~np.isnan(column)).astype(np.float64), group, source))
    kept = one.kept
    here = [kept & (group == which) for which in (FIRST, SECOND)]
    n_cases = context.number(here[0]), context.number(here[1])
    n_clusters = _n_clusters(context, here[0]), _n_clusters(context, here[1])
    few = min(n_cases) < LEAST_CASES or any(n is not None and n < FEW_CLUSTERS for n in n_clusters)
    reason = NO_CASE if not n_cases[0] else NO_OTHERS if not n_cases[1] else TOO_FEW if few else None
    found = None
    if reason is None:
        design = one.units(context.clusters_of(kept))
        found = Units.of(one, kept, design).jackknifed(one.estimate)
        if not found.squares[0] > SAME:
            found, reason = None, ALIKE
    return SubgroupPair(*names, one, n_cases, n_clusters, found, reason)


def _n_clusters(context: Context, rows: Bools) -> int | None:
    return None if context.clusters is None else len(np.unique(context.clusters[rows]))


def _row(context: Context, pair: SubgroupPair, joint: float, for_others: bool) -> SubgroupDifferenceRow:
    """Return the row of a difference; ``joint`` is the level at which all hold together, ``for_others`` whether annotators are random."""
    level, difference = context.options.level, finite(float(pair.one.estimate[0]))
    ends, together = (NO_ENDS if pair.over_cases is None else both(pair.over_cases.ends(one)[0]) for one in (level, joint))
    others, claim, reason = ForOthers(), NOBODY, pair.reason
    if pair.over_cases is not None:
        found = two_way_of(context, pair.one, 0) if for_others else None
        others, beyond = (ForOthers() if found is None else ends_for_others(found, at, e) for at, e in ((level, ends), (joint, together)))
        lead = LeadEnds(defined(difference), *together, beyond.low, beyond.high, beyond.n_even, beyond.n_groups, bool(beyond.one_by_one))
        claim = claim_of([lead if lead.lead > 0 else lead.turned])
        reason = None if found is None or found.reason is None else f"for other annotators: {found.reason}"
    return SubgroupDifferenceRow(
        pair.stratum, pair.level, pair.model, pair.metric, difference, *ends, *together, others.low, others.high, claim,
        *pair.n_cases, *pair.n_clusters, others.n_even, others.n_groups, others.one_by_one, min(pair.n_cases) < FEW_CASES, reason,
    )  # fmt: skip
