"""The variation of accuracy with other annotators, with other truths compatible with the annotations, and with other cases."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from .. import resampling
from .._base import notices
from .._base.arrays import Array
from .._base.notes import Note
from ..annotations import Rankings
from ..plausibilities.metric import METRICS
from ..plausibilities.orders import Orders
from ..resampling.two_way_spreads import design_if_named, two_ways_of
from ..truth import by_name
from .context import Made
from .rows import Number, with_ends
from .standings import both_ends

if TYPE_CHECKING:
    from ..resampling import Resamples
    from .context import Context


class SpreadRow(NamedTuple):
    """The standard deviation and interval of a model's accuracy from one source of uncertainty."""

    model: str
    metric: str
    k: int | None
    reliability: Number
    source: str
    value: Number
    std: Number
    low: Number
    high: Number
    n_cases: int


TABLES = {"sources_of_spread": SpreadRow}
Spread = tuple[Number, Number, Number]  # a standard deviation, and both ends of an interval
COSTLY = ("plackett-luce", *by_name.FITTED)
N_RESAMPLES = 100  # resamples of the annotations, each of which needs a whole aggregation
LEAST_RESAMPLES = 25
MOST_WORK = 3e7  # most resamples x (annotations + cases x models): some seconds


def make(context: Context, notes: list[Note]) -> Made:
    """Return one row per model and source: standard deviation and interval of its accuracy at the least k."""
    k = (context.metrics[0].k or 0) if context.metrics else 0
    wanted = ("topk_accuracy", k, context.reliability)
    at = [i for i, row in enumerate(context.metrics) if (row.metric, row.k, row.reliability) == wanted]
    if not at:
        return {}
    own = [context.metrics[i] for i in at]
    shown = _over_named(context, k)
    by_source = {"annotators": shown} if shown else {"labels": _over_labels(context, k, notes)}
    by_source["draws"] = [with_ends(row.draw_std, (row.draw_low, row.draw_high)) for row in own]
    if any(row.n_cases for row in own):
        by_source.update(_over_cases(context, context.beside((yield context.asked)), at))
    rows = [
        SpreadRow(row.model, row.metric, row.k, row.reliability, source, row.value, *spreads[i], row.n_cases)
        for i, row in enumerate(own)
        for source, spreads in by_source.items()
        if spreads
    ]
    return {"sources_of_spread": rows}


def _over_cases(context: Context, resamples: Resamples, at: Sequence[int]) -> dict[str, list[Spread]]:
    """Return the spreads of the metrics at some places over other cases, and over other cases and draws of the truth."""
    found, unit, level = resamples.take([len(context.certainty) + i for i in at]), context.unit_names[0], context.options.level
    deviations = np.stack([context.deviations[i] for i in at], axis=1)
    together, ends = found.values + deviations, context.intervals(found)
    of_both = [both_ends(values, level) if own.any() else end for values, own, end in zip(together.T, deviations.T, ends)]
    return {
        unit: [with_ends(std, end) for std, end in zip(_std(found.values), ends)],
        f"{unit} and draws": [with_ends(std, end) for std, end in zip(_std(together), of_both)],
    }


def _std(values: Array) -> list[float]:
    return [float(np.std(column[~np.isnan(column)])) if not np.isnan(column).all() else math.nan for column in values.T]


def _over_named(context: Context, k: int) -> list[Spread]:
    """Return spreads of the models for other annotators and the same cases; none if this is not possible."""
    known = context.known.annotations
    if known is None or context.aggregation in COSTLY:
        return []
    with notices.heard():  # notes were added before
        ((_, made),) = by_name.truths(known, context.aggregation, context.reliability, context.making)
        truth: Any = made if context.n_cases == known.n_cases else made.take(context.known.rows)
        rows = []
        for scores in context.scores.values():
            order = Orders.from_dense(scores, k, context.options.ties)
            one = METRICS["topk_accuracy"].of(truth, order, k, ties=context.options.ties).statistic
            design = design_if_named(one, context.clusters)
            if design is None:
                return []
            (found,) = two_ways_of(one, [0], design)
            if found.n_groups is not None:
                return []
            share = found.value * (1 - found.value) if found.scale == "logit" else 1.0
            rows.append(with_ends(math.sqrt(found.parts["annotators"]) * share, found.over_annotators(context.options.level)))
    return rows


def _over_labels(context: Context, k: int, notes: list[Note]) -> list[Spread]:
    """Return spreads of the models for other labels of the same cases: drawn with replacement within each case, and aggregated again."""
    known = context.known.annotations
    if known is None or context.times is not None:  # equal cases would have the same redrawn labels
        return []
    n_annotations = len(known.items if isinstance(known, Rankings) else known.label)
    n_resamples = min(N_RESAMPLES, int(MOST_WORK / (n_annotations + context.n_cases * (4 + len(context.scores)))))
    if context.aggregation in COSTLY or n_resamples < LEAST_RESAMPLES:
        words = "The spread over labels was not computed: aggregating the annotations again and again would take too long."
        notes.append(Note("too_long", words))
        return []
    from scipy.special import ndtri  # noqa: PLC0415  (half a second that only this needs)

    z = ndtri(0.5 + context.options.level / 2)
    orders = [Orders.from_dense(scores, k, context.options.ties) for scores in context.scores.values()]
    everything = context.n_cases == known.n_cases

    def accuracies(drawn: Any) -> Array:
        with notices.heard():  # a note was added for the whole data
            ((_, found),) = by_name.truths(drawn, context.aggregation, context.reliability, context.making)
        truth: Any = found
        judged = truth if everything else truth.take(context.known.rows)
        per_case = [judged.compare(order, METRICS["topk_accuracy"], k, ties=context.options.ties).per_case for order in orders]
        return np.array([np.nanmean(values) if not np.isnan(values).all() else math.nan for values in per_case])

    found = resampling.bootstrap_annotations(known, accuracies, n_resamples=n_resamples, seed=context.making.seed)
    # Drawn labels agree more often than real ones, which biases the mean: only the spread is used.
    ends = ((std, max(value - z * std, 0.0), min(value + z * std, 1.0)) for value, std in zip(found.estimate, _std(found.values)))
    return [with_ends(std, low_high) for std, *low_high in ends]
