"""Areas under the ROC curves of each class, as an appendix."""

from __future__ import annotations

from ...tables.curves import AreaRow
from ...tables.source import ReportSource
from ..digest import Digest, shown
from ..digits import Digits
from ..markup import NONE, Section, section, unique
from ..rows import by_model, cell, plain_table

TITLE = "Areas under the ROC curves"
MOST_MODELS = 4  # columns


def render(source: ReportSource) -> Section | None:
    """Return areas under the ROC curves of several classes; those of two classes are among the measures."""
    areas = source.rows(AreaRow)
    if not areas or source.data.n_classes == 2:
        return None
    how = (
        "The area under the ROC curve is how often a case of the class has a higher score for the class than another case has. Soft: a "
        "case counts for a class with its plausibility, so the largest possible area is below 1. Cut: a case counts if its plausibility is "
        "above one half. The two scales differ: do not compare one with the other."
    )
    digits = Digits.proportion((e.soft_auroc_low, e.soft_auroc_high) for e in areas)
    models = unique(e.model for e in areas)[:MOST_MODELS]
    rows = []
    for name, own in by_model(areas, lambda e: e.class_, models):
        soft = [cell(digits, e and (e.soft_auroc, e.soft_auroc_low, e.soft_auroc_high)) for e in own]
        rows.append((shown(name), [*soft, *(NONE if e is None else digits.value(e.hard_auroc) for e in own)]))
    heads = ["class", *(f"{shown(m)}, soft" for m in models), *(f"{shown(m)}, cut" for m in models)]
    digest = Digest(source)
    ends = digest.intervals if digest.withheld else f"{digest.intervals} of soft areas"
    note = f"the classes with most expected cases; {ends}; curve_scores.csv and curves.csv have the curves"
    return section("curves", TITLE, how, plain_table("Areas under the ROC curves", note, heads, rows))
