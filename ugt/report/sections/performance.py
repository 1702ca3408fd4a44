"""The results of the models: every metric under each truth, with intervals and ranks."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ...grades import GRADE_METRICS
from ...tables.context import Made
from ...tables.names import TOP, VOTED, reliability_name
from ...tables.rows import ends_of
from ...tables.standings import both_ends, flips, standings
from .. import words
from ..digest import Digest, shown
from ..digits import Digits
from ..markup import NONE, Data, Section, find, section, unique
from ..rows import below, plain_table
from .measures import MOST

if TYPE_CHECKING:
    from ...tables.context import Context

TITLE = "All measures at every reliability"
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


# ---- the page


def render(source: Data) -> Section | None:
    """Return every metric of every model under each truth; None if an earlier table has all of it."""
    digest = Digest(source).of_choices
    columns = digest.reliabilities
    asked = (e for e in source["metrics"] if e["value"] is not None and e["metric"] not in GRADE_METRICS)
    entries = [e for e in asked if not e["metric"].startswith(("voted_", "hard_"))]
    if not entries or (len(columns) < 2 and len(digest.models) <= MOST):
        return None
    digits = Digits(0) if digest.withheld else Digits.of((e["case_low"], e["case_high"]) for e in entries)
    rows = []
    for metric, k in unique(entries, "metric", "k"):
        for model in digest.models:
            own = [find(entries, metric=metric, k=k, model=model, reliability=r) for r in columns]
            voted = find(digest.found(metric=VOTED, model=model, k=k)) if metric == TOP else None
            name = words.metric_name(metric, k) + (f", {shown(model)}" if len(digest.models) > 1 else "")
            cells = [NONE if e is None else below(digits, e["value"], *digest.case_ends(e)) for e in (*own, voted)]
            rows.append((name, cells))
    heads = ["measure, %", *map(reliability_name, columns), "voted label"]
    error = max(e["mc_error"] or 0.0 for e in entries)
    simulated = f"; Monte Carlo standard error at most {100 * error:.2g} points" if error else ""
    below_each = "" if digest.withheld else f" over {words.unit(source)} below each value"
    note = f"{digest.intervals}{below_each}{simulated}; metrics.csv has all ranges and ranks"
    table = plain_table("All measures at every reliability", note, heads, rows)
    return section("performance", TITLE, words.ASSUMPTION, table)
