"""Prediction sets, as an appendix."""

from __future__ import annotations

from ..._base.counts import whole
from ...tables.coverage import CoverageRow
from ...tables.source import ReportSource
from .. import markup as html
from ..digest import shown
from ..digits import Digits
from ..markup import NONE, Section, level_of, unique
from ..rows import by_model, cell, first_of, plain_table

TITLE = "Prediction sets"
MEANINGS = {"LAC": "LAC: all classes above one probability", "APS": "APS: the most probable classes, until they add up to enough"}
MOST_MODELS = 4  # columns
WHOLE = 0.01  # mean number of classes that may lack in sets counted as sets of all classes


def render(source: ReportSource) -> Section | None:
    """Return the coverage and the size of the sets; None if no model gives probabilities."""
    entries = source.rows(CoverageRow)
    if not entries:
        return None
    how = (
        "A prediction set is the classes that a model leaves open at a target. Coverage is the plausibility that the set holds, as a mean "
        "over cases, and should be at the target; among models that reach it, smaller sets say more. Thresholds are set on one half of the "
        "cases and tested on the other; intervals treat them as fixed."
    )
    n_classes = source.data.n_classes
    if all(e.mean_size >= n_classes - WHOLE for e in entries):
        return html.section("coverage", TITLE, "", f"<p>Prediction sets are not informative: they hold all {whole(n_classes)} classes.</p>")
    every = unique(e.model for e in entries)
    models = every[:MOST_MODELS]
    digits = Digits.of((e.low, e.high) for e in entries)
    rows = []
    for (score, level), own in by_model(entries, lambda e: (e.score, e.level), models):
        cells = [c for e in own for c in (cell(digits, e and (e.coverage, e.low, e.high)), NONE if e is None else f"{e.mean_size:.2f}")]
        rows.append((f"{html.plain(score)}, {level:.0%}", cells))
    heads = ["sets, target", *(head for m in models for head in (f"{shown(m)},<br>coverage %", "classes<br>in a set"))]
    note = f"{'; '.join(MEANINGS[s] for s in unique(e.score for e in entries) if s in MEANINGS)}; {level_of(source)} intervals"
    note += first_of(models, every)
    return html.section("coverage", TITLE, how, plain_table("Coverage and size of prediction sets", note, heads, rows))
