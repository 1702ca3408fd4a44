"""Differences of every two models on the same resamples, and whether one is ahead of all others."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import combinations
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from .._base.checks import error
from .._base.claims import LeadEnds, WithinEnds
from .._base.notes import Note
from ..resampling.difference import Difference
from .context import Made
from .names import ERROR, TOP, VOTED, VOTED_ERROR, higher_is_better
from .other_annotators import for_others
from .rows import Number, both, defined, finite, with_ends
from .standings import joint_level
from .verdict import VerdictRow, verdict_of

if TYPE_CHECKING:
    from .context import Context

HEADLINES = (TOP, VOTED, ERROR, VOTED_ERROR)  # measures that are compared under each truth


class DifferenceRow(NamedTuple):
    """A model minus another, in units of the metric; ``joint`` intervals hold for all pairs of models under the same truth.

    Intervals over cases and annotators are of the headline measures under the middle reliability; each has its own level.
    """

    metric: str
    k: int | None
    reliability: Number
    model: str
    other: str
    difference: Number
    low: Number
    high: Number
    joint_low: Number
    joint_high: Number
    greater_share: Number  # of resamples, in [0, 1]
    n_cases: int
    two_way_low: Number = None  # over cases and annotators
    two_way_high: Number = None
    n_annotators: Number = None  # of this interval, or groups of them; uneven shares of the labels count as fewer
    n_groups: int | None = None  # of annotators who share no case, over which the interval is; None: annotators share cases
    one_by_one: bool | None = None  # whether it leaves annotators out one by one, which does not see that a vote could flip
    within_low: Number = None  # over cases and annotators of the same groups, if annotators of groups share no case
    within_high: Number = None
    n_within: Number = None  # annotators of one group with even shares of the labels who would give as much
    within_one_by_one: bool | None = None

    @property
    def ends(self) -> LeadEnds:
        """The difference as a lead of the first, above 0 if it is better."""
        both = self.two_way_low, self.two_way_high, self.n_annotators, self.n_groups, bool(self.one_by_one)
        within = WithinEnds(self.within_low, self.within_high, self.n_within, self.within_one_by_one)
        found = LeadEnds(defined(self.difference), self.low, self.high, *both, within)
        return found if higher_is_better(self.metric) else found.turned


TABLES = {"differences": DifferenceRow, "verdict": VerdictRow}
MOST_MODELS = 10  # most models of which all pairs are compared: 45


def make(context: Context, notes: list[Note]) -> Made:
    """Model minus other, against the voted label and under the middle reliability, top-k accuracy under each one.

    ``joint_low`` to ``joint_high``: intervals that hold together for all pairs of models under the same truth. If there are more than ten
    models, pairs are of the ten best ones, and of the best one with every other. The verdict is on the headline measures.
    """
    metrics = context.all_metrics
    place = {(row.metric, row.k, row.reliability, row.model): i for i, row in enumerate(metrics)}
    models = highest(context)
    if len(context.scores) > len(models):
        least = "lowest mean absolute error" if context.graded is not None else "highest top-1 accuracy"
        notes.append(Note("some_models", "Differences of pairs are of the {n} models with the {which}.", n=MOST_MODELS, which=least))
    wanted = [key for key in dict.fromkeys(key[:3] for key in place) if key[2] == context.reliability or key[0] in HEADLINES]
    if len(models) < 2 or not any(one.kept.any() for one in context.measures):
        return {}
    resampled = context.beside((yield context.asked))
    rows: list[DifferenceRow] = []
    verdicts, n = [], len(context.certainty)
    margin = context.options.margin
    if margin is not None and margin >= 1 and any(metric == TOP for metric, *_ in wanted):
        raise error("margin", "be below 1, in units of the measure: five percentage points are 0.05", f"{margin:g}")
    for metric, k, reliability in wanted:
        key = (metric, k, reliability)
        at = {name: place[metric, k, reliability, name] for name in context.scores if (metric, k, reliability, name) in place}
        joint = joint_level(resampled.take([n + i for i in at.values()]), context.options.level)
        ordered = _by_value({name: metrics[i].value for name, i in at.items()}, metric)
        for model, other in _pairs([name for name in models if name in at], ordered):
            i, j = at[model], at[other]
            pair = resampled.take([n + i, n + j])
            lead, (greater_share, _) = pair.minus(1), pair.best_share()
            (ends, _), (together, _) = context.intervals(lead), lead.interval(joint, context.options.interval)
            mean = max(i, j) < len(context.columns)
            n_cases = context.number(~np.isnan(context.columns[i] - context.columns[j])) if mean else metrics[i].n_cases
            difference = with_ends(pair.estimate[0] - pair.estimate[1], ends)
            row = DifferenceRow(*key, model, other, *difference, *both(together), finite(greater_share), n_cases)
            rows.append(row if difference[0] is None else _for_others(context, row))
        if metric in HEADLINES and k in (None, 1) and reliability in (None, context.reliability) and len(ordered) > 1:
            verdicts.append(_verdict(rows, key, ordered, margin))
    return {"differences": rows, "verdict": verdicts}


def _by_value(values: Mapping[str, Number], metric: str) -> list[str]:
    """Return the models with a value, the best first; those with the same value stay in their order."""
    sign = -1.0 if higher_is_better(metric) else 1.0
    return sorted((name for name, value in values.items() if finite(value) is not None), key=lambda name: sign * defined(values[name]))


def _pairs(models: Sequence[str], ordered: Sequence[str]) -> list[tuple[str, str]]:
    """Return the pairs that are compared: of these models, and of the best with every other."""
    return [*combinations(models, 2), *((ordered[0], other) for other in ordered[1:] if not {ordered[0], other} <= set(models))]


def _for_others(context: Context, row: DifferenceRow) -> DifferenceRow:
    """Return the row with its interval over cases and annotators, if there is one."""
    pair = [context.heads.get((row.metric, name, row.reliability)) for name in (row.model, row.other)]
    if pair[0] is None or pair[1] is None or row.k not in (None, 1):
        return row
    found = for_others(context, Difference(pair[0], pair[1]), 0, (row.low, row.high))
    return row._replace(
        two_way_low=found.low, two_way_high=found.high, n_annotators=found.n_even, n_groups=found.n_groups, one_by_one=found.one_by_one,
        within_low=found.within.low, within_high=found.within.high, n_within=found.within.n_annotators,
        within_one_by_one=found.within.one_by_one,
    )  # fmt: skip


def _verdict(
    rows: Sequence[DifferenceRow], key: tuple[str, int | None, Number], ordered: Sequence[str], margin: float | None
) -> VerdictRow:
    """Return the verdict on a measure, from the differences of the best model to all others."""
    best, found = ordered[0], {}
    for row in rows:
        if row[:3] == key and best in (row.model, row.other) and row.difference is not None:
            found[row.other if row.model == best else row.model] = row.ends if row.model == best else row.ends.turned
    return verdict_of(key, ordered, [found[name] for name in ordered[1:]], margin)


def highest(context: Context) -> list[str]:
    """Return the models that are compared, in their order."""
    rows = context.all_metrics
    metric = ERROR if any(row.metric == ERROR for row in rows) else TOP
    sign = -1 if higher_is_better(metric) else 1
    here = [row for row in rows if row.metric == metric and row.reliability == context.reliability and row.k in (None, 1)]
    known, names = {row.model: sign * defined(row.value) for row in here}, list(context.scores)
    first = sorted(range(len(names)), key=lambda i: np.nan_to_num(known.get(names[i], np.inf), nan=np.inf))[:MOST_MODELS]
    return [names[i] for i in sorted(first)]
