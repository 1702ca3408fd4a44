"""All measures at every reliability, as an appendix."""

from __future__ import annotations

from itertools import product

from ...tables.names import GRADE_METRICS, TOP, VOTED, truth_name
from ...tables.source import ReportSource
from ...tables.standings import MetricRow
from .. import words
from ..digest import Digest, shown
from ..markup import Section, first_row, section, unique
from ..rows import plain_table
from ..side_by_side import MOST, value_cell

TITLE = "All measures at every reliability"


def render(source: ReportSource) -> Section | None:
    """Return every metric of every model under each truth; None if an earlier table has all of it."""
    digest = Digest(source).of_choices
    columns = digest.reliabilities
    measures = [one for one in digest.measures if one[0] not in GRADE_METRICS]
    entries = [e for e in source.rows(MetricRow) if e.value is not None and (e.metric, e.k) in measures]
    if not entries or (len(columns) < 2 and len(digest.models) <= MOST):
        return None
    digits = digest.share_digits((e.case_low, e.case_high) for e in entries)
    rows = []
    for (metric, k), model in product(unique((e.metric, e.k) for e in entries), digest.models):
        own = [first_row(digest.found(metric=metric, k=k, model=model, reliability=r)) for r in columns]
        voted = first_row(digest.found(metric=VOTED, model=model, k=k)) if metric == TOP else None
        name = words.metric_name(metric, k) + (f", {shown(model)}" if len(digest.models) > 1 else "")
        rows.append((name, [value_cell(digest, digits, e) for e in (*own, voted)]))
    heads = ["measure, %", *_heads(digest), "voted label"]
    error = max(e.mc_error or 0.0 for e in entries)
    simulated = f"; Monte Carlo standard error at most {100 * error:.2g} points" if error else ""
    below_each = "" if digest.withheld else f" over {words.unit(source)} below each value"
    note = f"{digest.intervals}{below_each}{simulated}; metrics.csv has all ranges and ranks"
    table = plain_table("All measures at every reliability", note, heads, rows)
    return section("performance", TITLE, words.ASSUMPTION, table)


def _heads(digest: Digest) -> list[str]:
    """Return the names of the truths, with a mark if held-out annotators refute them."""
    return [f"{truth_name(r)}{'' if r in digest.unrefuted else ',<br>refuted'}" for r in digest.reliabilities]
