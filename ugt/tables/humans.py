"""Models next to annotators: discrepancy ratios of both [C]."""

from __future__ import annotations

import math
from collections.abc import Mapping
from types import MappingProxyType
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from .._base import notices
from .._base.counts import counted
from .._base.notes import Note
from .._base.ragged import row_of
from ..humans import annotator_discrepancy, discrepancy_ratio
from .context import MOST_COUNTS, Ask, Made, first_choices
from .rows import Number, finite, with_ends

if TYPE_CHECKING:
    from ..annotations import Labels
    from ..humans import DiscrepancyRatio
    from ..humans.forest import ForestRow
    from .context import Context


class HumanRow(NamedTuple):
    """The discrepancy ratio of a model or an annotator, above 0; below 1: closer to the annotators than they are to each other."""

    kind: str  # "model" or "annotator"
    name: str
    value: Number
    low: Number
    high: Number
    two_way_low: Number
    two_way_high: Number
    two_way_upper: Number
    upper: Number  # one-sided limit
    best_share: Number  # of resamples in which the model is closer than the best annotator
    n_cases: int
    better_share: Mapping[str, Number] = MappingProxyType({})  # of an annotator: of resamples in which each model is closer


TABLES = {"humans": HumanRow}
MOST_ANNOTATORS = 40  # annotators with most cases that are judged one by one
LEAST_CASES = 10


def make(context: Context, notes: list[Note]) -> Made:
    """Return rows of models and annotators; empty if annotators are not named."""
    labels, options = context.known.labels, context.options
    if labels is None or not context.scores or len(labels.annotators) < 2:
        return {}
    if not _is_shared(labels):
        notes.append(Note("single_labels", "Models were not compared with annotators: no case has labels of two annotators."))
        return {}
    if context.known.n_cases * context.known.n_classes > MOST_COUNTS:
        notes.append(Note("too_large", "Models were not compared with annotators: over {most:,} cases x classes.", most=MOST_COUNTS))
        return {}
    shared = context.options.ties == "expectation"
    choices = context.choices if shared else {name: first_choices(scores) for name, scores in context.scores.items()}
    least = max(LEAST_CASES, _cases_of_the_nth(labels))
    with notices.heard():  # undefined numbers are empty in the table
        found = annotator_discrepancy(labels, choices, distance="zero-one", least_cases=least)
        # one-sided limits by the bootstrap-t, since those by percentiles are too low
        ratios = {name: discrepancy_ratio(labels, one, distance="zero-one") for name, one in choices.items()}
        of_logs = {name: one.log_ratio(0, context.clusters) for name, one in ratios.items()}
        level = max(options.level, 0.51)
    drawn, *of_models = yield [Ask(found, options.n_resamples), *(Ask(one, options.n_resamples) for one in of_logs.values())]
    with notices.heard():
        table_ = found.table_from(drawn, options.level, options.interval)

        def ends(level: float) -> dict[str, tuple[float, float]]:
            return {name: one.studentized(0, level, of_logs[name], own) for (name, one), own in zip(ratios.items(), of_models)}

        if options.interval == "auto":  # of the same kind as the limits below the values
            both = ends(options.level)
            table_ = [row._replace(low=both[row.name][0], high=both[row.name][1]) if row.kind == "model" else row for row in table_]
        upper = {name: high for name, (_, high) in ends(2 * level - 1).items()}
        two_way = {name: _two_way(one, context, level, ends(options.level)[name], upper[name]) for name, one in ratios.items()}
    if found.too_few:
        few = counted(len(found.too_few), "annotator", ("was", "were"))
        words = "{annotators} not set beside the models one by one: fewer than {least} cases with two others."
        notes.append(Note("some_annotators", words, annotators=few, least=least))
    return {"humans": [_row(row, upper, two_way) for row in table_]}


def _two_way(
    ratio: DiscrepancyRatio, context: Context, level: float, alone: tuple[float, float], upper: float
) -> tuple[Number, Number, Number]:
    """Return the interval and the one-sided limit for other annotators, too, which contain those over cases alone."""
    if "annotators" not in context.options.random:
        return None, None, None
    low, high = ratio.ends_if_named(context.options.level, context.clusters, alone)
    _, limit = ratio.ends_if_named(2 * level - 1, context.clusters, (math.nan, upper))
    return finite(low), finite(high), finite(limit)


def _is_shared(labels: Labels) -> bool:
    """Return whether any case has labels of two annotators."""
    first_of_case = labels.annotator[labels.offsets[row_of(labels.offsets)]]
    return bool((labels.annotator != first_of_case).any())


def _cases_of_the_nth(labels: Labels) -> int:
    two_others = np.diff(labels.offsets)[row_of(labels.offsets)] >= 3  # only such cases count
    cases = np.sort(np.bincount(labels.annotator[two_others], minlength=len(labels.annotators)))[::-1]
    return int(cases[MOST_ANNOTATORS - 1]) if len(cases) > MOST_ANNOTATORS else 0


def _row(row: ForestRow, upper: Mapping[str, float], two_way: Mapping[str, tuple[Number, Number, Number]]) -> HumanRow:
    """Return a row: ``upper``, ``best_share`` and ``two_way`` of models; for annotators the shares of resamples with a closer model."""
    kind, name, of_model = row.kind, row.name, row.kind == "model"
    own = two_way[name] if of_model else (None, None, None)
    limit, best = (finite(upper[name]), finite(row.best_share)) if of_model else (None, None)
    better = {one: finite(row.better_share.get(one)) for one in upper}
    return HumanRow(kind, name, *with_ends(row.value, (row.low, row.high)), *own, limit, best, row.n_cases, better)
