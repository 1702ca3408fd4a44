"""Coefficients of grades next to their limits: what an independent annotator would have, and what no prediction exceeds."""

from __future__ import annotations

from ...tables.names import GRADE_METRICS
from .. import words
from ..digest import Digest, shown
from ..markup import Data, Entry, Section, find, finding, level_of, of, unique
from ..rows import below, plain_table
from ..yardsticks import digits_of

MOST = 3  # models with columns


def render(source: Data) -> Section | None:
    """Return a table of the coefficients and their limits; None without grades."""
    digest = Digest(source)
    entries = [e for e in source.get("coefficients") or () if e["ceiling"] is not None]
    drawn = [m for m in digest.models if any(e["model"] == m for e in entries)][:MOST]
    if not drawn:
        return None
    rows = []
    for metric in unique(entries, "metric"):
        own = [find(of(entries, metric=metric), model=one) for one in drawn]
        first = next(e for e in own if e is not None)
        cells = [_cell(digest, e, "value") for e in own]
        rows.append((GRADE_METRICS[metric].label, [*cells, _cell(digest, first, "human"), _cell(digest, first, "ceiling")]))
    ends = "No interval can be trusted" if digest.withheld else f"{level_of(source)} intervals over {words.unit(source)} below each value"
    heads = ["", *map(shown, drawn), "an independent<br>annotator", "ceiling"]
    table = plain_table("Coefficients and their limits", f"{ends}{digest.at_main}; the concordance in %", heads, rows)
    how = (
        "<p>Where annotators disagree, no model reaches the highest value. “An independent annotator” is what the same formula gives, in "
        "expectation, for grades drawn from the same truth. No prediction exceeds the ceiling on these annotations. From few annotations "
        "both are low, because these leave the grade of a case open. The ceiling is an estimate, too: with other cases it would be another "
        "one.</p>"
    )
    return finding("coefficients", "Limits of the coefficients", "How high the coefficients can be on these annotations", table, how)


def _cell(digest: Digest, e: Entry | None, name: str) -> str:
    if e is None:
        return below(digest.headline.whole, None, None, None)
    ends = e[f"{name}_low"], e[f"{name}_high"]
    return below(digits_of(digest, e["metric"], [ends]), e[name], *((None, None) if digest.withheld else ends))
