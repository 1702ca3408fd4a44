"""Models next to annotators: discrepancy ratios of both [C]."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import TYPE_CHECKING

import numpy as np

from ..._base import notices
from ..._base.ragged import row_of
from ...discrepancy import annotator_discrepancy, discrepancy_ratio
from ..context import MOST_COUNTS, Rows, first_choices
from ..tables import ends_of, finite

if TYPE_CHECKING:
    from ...annotations import Labels
    from ...discrepancy import DiscrepancyRatio
    from ..context import Context
    from ..tables import Row

TWO_WAY = ("two_way_low", "two_way_high", "two_way_upper")
TABLES = {"humans": ("kind", "name", "value", "low", "high", *TWO_WAY, "upper", "best_share", "n_cases")}  # and better_share of each model
MOST_ANNOTATORS = 40  # annotators with most cases that are judged one by one
LEAST_CASES = 10


def make(context: Context, notes: list[str]) -> Rows:
    """Return rows of models and annotators; empty if annotators are not named."""
    labels, options = context.known.labels, context.options
    if labels is None or not context.scores or len(labels.annotators) < 2:
        return {}
    if not _is_shared(labels):
        notes.append("Models were not compared with annotators: no case has labels of two annotators.")
        return {}
    if context.known.n_cases * context.known.n_classes > MOST_COUNTS:
        notes.append(f"Models were not compared with annotators: over {MOST_COUNTS:,} cases x classes.")
        return {}
    choices = {name: first_choices(scores) for name, scores in context.scores.items()}
    least = max(LEAST_CASES, _cases_of_the_nth(labels))
    with notices.heard():  # undefined numbers are empty in the table
        found = annotator_discrepancy(labels, choices, distance="zero-one", least_cases=least)
        table_ = found.table(options.level, kind=options.interval, **context.resampling)
        # one-sided limits by the bootstrap-t, since those by percentiles are too low
        ratios = {name: discrepancy_ratio(labels, one, distance="zero-one") for name, one in choices.items()}
        level = max(options.level, 0.51)
        if options.interval == "auto":  # of the same kind as the limits below the values
            both = {name: one.interval(options.level, kind="studentized", **context.resampling) for name, one in ratios.items()}
            table_ = [{**row, **dict(zip(("low", "high"), both[row["name"]]))} if row["kind"] == "model" else row for row in table_]
        upper = {name: one.non_inferiority(level=level, **context.resampling).limit for name, one in ratios.items()}
        two_way = {name: _two_way(one, context, level) for name, one in ratios.items()}
    if found.too_few:
        notes.append(
            f"{len(found.too_few):,} annotators were not set beside the models one by one: fewer than {least} cases with two others."
        )
    return {"humans": [_row(row, upper, two_way) for row in table_]}


def _two_way(ratio: DiscrepancyRatio, context: Context, level: float) -> Row:
    """Return the interval and the one-sided limit for other annotators, too."""
    low, high = ratio.ends_if_named(context.options.level, context.clusters)
    limit = math.nan
    if not math.isnan(low):
        limit = ratio.non_inferiority(level=level, clusters=context.clusters, random=("cases", "annotators")).limit
    return dict(zip(TWO_WAY, map(finite, (low, high, limit))))


def _is_shared(labels: Labels) -> bool:
    """Return whether any case has labels of two annotators."""
    of_case = np.unique(np.stack([row_of(labels.offsets), labels.annotator]), axis=1)[0]
    return bool((of_case[1:] == of_case[:-1]).any())


def _cases_of_the_nth(labels: Labels) -> int:
    cases = np.sort(np.bincount(labels.annotator, minlength=len(labels.annotators)))[::-1]
    return int(cases[MOST_ANNOTATORS - 1]) if len(cases) > MOST_ANNOTATORS else 0


def _row(row: Row, upper: Mapping[str, float], two_way: Mapping[str, Row]) -> Row:
    """Return a row: ``upper``, ``best_share`` and ``two_way`` of models; for annotators the shares of resamples with a closer model."""
    own: Row = {**dict.fromkeys(TWO_WAY), "upper": None, "best_share": None}
    if row["kind"] == "model":
        own = {**two_way[row["name"]], "upper": finite(upper[row["name"]]), "best_share": finite(row["best_share"])}
    better = {f"better_share {name}": finite(row["better_share"].get(name)) for name in upper}
    over_cases = ends_of((row["low"], row["high"]))
    return {
        "kind": row["kind"],
        "name": row["name"],
        "value": finite(row["value"]),
        **over_cases,
        **own,
        "n_cases": row["n_cases"],
        **better,
    }
