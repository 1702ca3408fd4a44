"""Coefficients of grades next to their limits: what an independent annotator would have, and what no prediction exceeds."""

from __future__ import annotations

from ...tables.coefficients import CoefficientRow
from ...tables.names import GRADE_METRICS
from ...tables.source import ReportSource
from ..digest import Digest, shown
from ..markup import Section, finding
from ..rows import below, by_model, plain_table
from ..side_by_side import ends_below
from ..yardsticks import digits_of

MOST = 3  # models with columns


def render(source: ReportSource) -> Section | None:
    """Return a table of the coefficients and their limits; None without grades."""
    digest = Digest(source)
    entries = [e for e in source.rows(CoefficientRow) if e.ceiling is not None]
    drawn = [m for m in digest.models if any(e.model == m for e in entries)][:MOST]
    if not drawn:
        return None
    rows = []
    for metric, own in by_model(entries, lambda e: e.metric, drawn):
        first = next(e for e in own if e is not None)
        cells = [_cell(digest, metric, e and (e.value, e.value_low, e.value_high)) for e in own]
        human = _cell(digest, metric, (first.human, first.human_low, first.human_high))
        ceiling = _cell(digest, metric, (first.ceiling, first.ceiling_low, first.ceiling_high))
        rows.append((GRADE_METRICS[metric].label, [*cells, human, ceiling]))
    heads = ["", *map(shown, drawn), "an independent<br>annotator", "ceiling"]
    table = plain_table("Coefficients and their limits", f"{ends_below(digest)}; the concordance in %", heads, rows)
    how = (
        "<p>Where annotators disagree, no model reaches the highest value. “An independent annotator” is what the same formula gives, in "
        "expectation, for grades drawn from the same truth. No prediction exceeds the ceiling on these annotations. From few annotations "
        "both are low, because these leave the grade of a case open. The ceiling is an estimate, too: with other cases it would be another "
        "one.</p>"
    )
    return finding("coefficients", "Limits of the coefficients", "How high the coefficients can be on these annotations", table, how)


def _cell(digest: Digest, metric: str, known: tuple[float | None, float | None, float | None] | None) -> str:
    value, *ends = known or (None, None, None)
    return below(digits_of(digest, metric, [(ends[0], ends[1])]), value, *digest.ends(*ends))
