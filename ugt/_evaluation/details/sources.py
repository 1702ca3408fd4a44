"""How far accuracy would move with other annotators, within what the annotations leave open, and with other cases."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

import numpy as np

from ... import _notices, resampling
from ..._orders import Orders
from ...annotations import Labels, Rankings
from .. import truths as _truths

if TYPE_CHECKING:
    from collections.abc import Mapping

    from numpy.typing import NDArray

    from .context import Context, Row

    Array = NDArray[np.float64]

HEADINGS: Mapping[str, tuple[str, ...]] = {
    "sources_of_spread": ("model", "metric", "k", "reliability", "source", "value", "std", "low", "high", "n_cases"),
}
COSTLY = ("plackett-luce",)
N_RESAMPLES = 100  # of the annotations: each is a whole aggregation
LEAST_RESAMPLES = 25
MOST_WORK = 3e7  # resamples x (annotations + cases x models): some seconds


def make(context: Context) -> tuple[dict[str, list[Row]], list[str]]:
    """A row a model and source: standard deviation and interval of its top-1 accuracy."""
    at = [
        i for i, row in enumerate(context.metrics[: len(context.columns)])
        if (row["metric"], row["k"], row["reliability"]) == ("topk_accuracy", context.metrics[0]["k"], context.reliability)
    ]  # fmt: skip
    if not at:
        return {"sources_of_spread": []}, []
    level, own = context.options["level"], [context.metrics[i] for i in at]
    table = np.stack([context.columns[i] for i in at], 1)
    notes: list[str] = []
    by_source = {"annotators": _over_annotators(context, notes)}
    by_source["draws"] = [_of(row["draw_std"], row["draw_low"], row["draw_high"]) for row in own]
    known = ~np.isnan(table).all(1)
    groups = None if context.clusters is None else context.clusters[known]
    units = "cases" if groups is None else "clusters"
    if known.any():
        found = resampling.bootstrap(table[known], clusters=groups, n_resamples=context.options["n_resamples"], seed=context.seed)
        ends = found.interval(level, context.options["interval"])
        by_source[units] = [_of(std, *end) for std, end in zip(_std(found.values), ends)]
        both = [math.hypot(row["draw_std"], std) for row, std in zip(own, _std(found.values))]
        by_source[f"{units} and draws"] = [_of(std, row["both_low"], row["both_high"]) for row, std in zip(own, both)]
    shared = ("model", "metric", "k", "reliability", "value", "n_cases")
    rows = [
        {**{name: row[name] for name in shared}, "source": source, **found[i]}
        for i, row in enumerate(own)
        for source, found in by_source.items()
        if found
    ]
    return {"sources_of_spread": [{name: row[name] for name in HEADINGS["sources_of_spread"]} for row in rows]}, notes


def _of(std: Any, low: Any, high: Any) -> Row:
    return {name: _number(value) for name, value in (("std", std), ("low", low), ("high", high))}


def _number(value: Any) -> float | None:
    return None if value is None or not math.isfinite(value) else float(value)


def _std(values: Array) -> list[float]:
    defined = ~np.isnan(values)
    n = defined.sum(0)
    with np.errstate(invalid="ignore"):  # a number that is undefined throughout
        deviations = np.where(defined, values - np.where(defined, values, 0.0).sum(0) / n, 0.0)
        return [float(std) for std in np.sqrt((deviations**2).sum(0) / n)]


def _over_annotators(context: Context, notes: list[str]) -> list[Row]:
    """Other annotators for the same cases: their labels drawn with replacement, aggregated again."""
    known, how = context.known, context.settings["aggregation"]
    if not isinstance(known, (Labels, Rankings)):
        return []
    k = context.metrics[0]["k"]
    n_annotations = len(known.label) if isinstance(known, Labels) else len(known.items)
    n_resamples = min(N_RESAMPLES, int(MOST_WORK / (n_annotations + len(context.rows) * (4 + len(context.scores)))))
    if how in COSTLY or n_resamples < LEAST_RESAMPLES:
        notes.append("The spread over annotators was not computed: aggregating the annotations again and again would take too long.")
        return []
    from scipy.special import ndtri  # noqa: PLC0415  (half a second that only this needs)

    z = ndtri(0.5 + context.options["level"] / 2)
    orders = [Orders.from_dense(scores, k, context.options["ties"]) for scores in context.scores.values()]
    everything = len(context.rows) == known.n_cases

    def accuracies(drawn: Any) -> Array:
        with _notices.heard():  # said once, of the whole data
            ((_, found),) = _truths.truths(drawn, how, context.reliability, dict(context.making))
        truth: Any = found
        judged = truth if everything else truth.take(context.rows)
        per_case = [judged.compare(order, "topk", k, ties=context.options["ties"]).per_case for order in orders]
        return np.array([np.nanmean(values) if not np.isnan(values).all() else math.nan for values in per_case])

    found = resampling.bootstrap_annotations(known, accuracies, n_resamples=n_resamples, seed=context.seed)
    # Drawn labels agree more often than labels do, which moves the mean: only the spread about it is of use.
    ends = ((value, std, max(value - z * std, 0.0), min(value + z * std, 1.0)) for value, std in zip(found.estimate, _std(found.values)))
    return [_of(std, low, high) for _, std, low, high in ends]
