"""All measures at every reliability, as an appendix."""

from __future__ import annotations

from ...tables.names import GRADE_METRICS, TOP, VOTED, truth_name
from ...tables.source import ReportSource
from ...tables.standings import MetricRow
from .. import words
from ..digest import Digest, shown
from ..digits import Digits
from ..markup import NONE, Section, first_row, section, unique
from ..rows import below, plain_table
from .measures import MOST

TITLE = "All measures at every reliability"


def render(source: ReportSource) -> Section | None:
    """Return every metric of every model under each truth; None if an earlier table has all of it."""
    digest = Digest(source).of_choices
    columns = digest.reliabilities
    asked = (e for e in source.rows(MetricRow) if e.value is not None and e.metric not in GRADE_METRICS)
    entries = [e for e in asked if not e.metric.startswith(("voted_", "hard_"))]
    if not entries or (len(columns) < 2 and len(digest.models) <= MOST):
        return None
    digits = Digits(0) if digest.withheld else Digits.of((e.case_low, e.case_high) for e in entries)
    rows = []
    for metric, k in unique((e.metric, e.k) for e in entries):
        for model in digest.models:
            own = [first_row(e for e in entries if (e.metric, e.k, e.model, e.reliability) == (metric, k, model, r)) for r in columns]
            voted = first_row(digest.found(metric=VOTED, model=model, k=k)) if metric == TOP else None
            name = words.metric_name(metric, k) + (f", {shown(model)}" if len(digest.models) > 1 else "")
            cells = [NONE if e is None else below(digits, e.value, *digest.case_ends(e)) for e in (*own, voted)]
            rows.append((name, cells))
    heads = ["measure, %", *map(truth_name, columns), "voted label"]
    error = max(e.mc_error or 0.0 for e in entries)
    simulated = f"; Monte Carlo standard error at most {100 * error:.2g} points" if error else ""
    below_each = "" if digest.withheld else f" over {words.unit(source)} below each value"
    note = f"{digest.intervals}{below_each}{simulated}; metrics.csv has all ranges and ranks"
    table = plain_table("All measures at every reliability", note, heads, rows)
    return section("performance", TITLE, words.ASSUMPTION, table)
