"""The results of the models: every metric under each truth, with intervals and ranks."""

from __future__ import annotations

from typing import TYPE_CHECKING

from .context import Made
from .rows import ends_of
from .standings import both_ends, flips, standings

if TYPE_CHECKING:
    from .context import Context

SPREADS = ("draw_std", "draw_low", "draw_high")
STANDING = ("case_low", "case_high", "both_low", "both_high", "two_way_low", "two_way_high", "best_share", "rank_low", "rank_high")
TABLES = {
    "metrics": ("model", "reliability", "metric", "k", "value", *SPREADS, *STANDING, "mc_error", "n_cases"),
    "certainty": ("reliability", "measure", "k", "value", "case_low", "case_high", "mc_error", "n_below_099", "n_cases"),
    "winners": (
        *("metric", "k", "reliability", "model", "value", "best_share"),
        *("runner_up", "margin", "margin_low", "margin_high", "n_undistinguished"),
    ),
    "flips": ("metric", "k", "model", "other", "better_above", "reliability", "low", "high", "share_inside"),
}


def make(context: Context, notes: list[str]) -> Made:
    """Return intervals of certainties and metrics over cases, alone and together with draws; ranks, leads and flips."""
    if not context.asked:  # ratings without models
        return {}
    found = context.beside((yield context.asked))
    options, n = context.options, len(context.certainty)
    rows = [dict(row) for row in (*context.certainty, *context.metrics, *(row for _, further in context.further for row in further))]
    for row, ends in zip(rows, context.intervals(found).tolist()):
        row.update(ends_of(ends, "case_low", "case_high"))
    metrics, of_metrics = rows[n:], found.take(slice(n, None))
    for row, values, deviation in zip(metrics, of_metrics.values.T, context.deviations):
        alone = row["case_low"], row["case_high"]
        row.update(ends_of(both_ends(values + deviation, options.level) if deviation.any() else alone, "both_low", "both_high"))
    certainty = sorted(rows[:n], key=lambda row: (row["reliability"] or 0.0, row["measure"], row["k"]))
    winners = standings(metrics, of_metrics, options.level)  # shares and ranks are added to the rows
    return {"metrics": metrics, "certainty": certainty, "winners": winners, "flips": flips(metrics, of_metrics, options.level)}
