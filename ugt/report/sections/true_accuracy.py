"""Bounds of the accuracy against the true class, as an appendix."""

from __future__ import annotations

from ...tables.source import ReportSource
from ...tables.true_accuracy import TrueAccuracyRow
from .. import markup as html
from ..digest import Digest, shown
from ..markup import Section
from ..rows import below, first_of, plain_table

TITLE = "Accuracy against the true class"
MOST_MODELS = 8  # most rows


def render(source: ReportSource) -> Section | None:
    """Return bounds of the accuracy against the true class, under the main truth; None if no model was evaluated."""
    digest = Digest(source).of_choices
    entries = [e for e in source.rows(TrueAccuracyRow) if e.reliability == digest.main and e.model in digest.models]
    if not entries:
        return None
    how = (
        "No annotation says what the true class is, so the accuracy against it depends on how a model errs. If the model knows nothing "
        "beyond the annotations, it is the UA accuracy of the first page. If the model errs independently of the annotators, it is found "
        "by removing their errors; a result above 100% says that the model shares errors with them. Without an assumption it lies between "
        "two bounds. All of this takes the plausibilities for right."
    )
    digits = digest.share_digits((e.independent_low, e.independent_high) for e in entries)
    rows = []
    for e in entries[:MOST_MODELS]:
        ends = (e.independent_low, e.independent_high)
        bounds = f"{digits.value(e.lower)} to {digits.value(e.upper)}"
        rows.append((shown(e.model), [below(digits, e.independent, *ends), bounds]))
    first = entries[0]
    always = f"On the scale of UA accuracy a model that is always right has {digits.percent(first.always_right)}."
    note = f"%{digest.at_main}, {digest.intervals}; true_accuracy.csv has the other reliabilities{first_of(rows, entries)}"
    heads = ["", "if errors are<br>independent", "bounds"]
    table = plain_table("What the top-1 accuracy against the true class can be", note, heads, rows)
    return html.section("true-accuracy", TITLE, how, table, f"<p>{always}</p>")
