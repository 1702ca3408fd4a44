"""The annotators one by one, as an appendix."""

from __future__ import annotations

from ..._base.counts import whole
from ...tables.design import AnnotatorRow
from ...tables.humans import HumanRow
from ...tables.source import ReportSource
from ..digest import Digest, shown
from ..digits import Digits
from ..markup import NONE, Section, section
from ..rows import cell, plain_table

TITLE = "The annotators one by one"
MOST_ROWS, MOST_PAIRS, MOST_NAMED = 20, 12, 30  # most that are shown: rows, pairs, unused classes by name


def render(source: ReportSource) -> Section | None:
    """Return the annotators one by one; None if they have no names, or are too many."""
    annotators = source.rows(AnnotatorRow)
    if not 1 < len(annotators) <= MOST_ROWS:
        return None
    ratios = {e.name: e for e in source.rows(HumanRow) if e.kind == "annotator" and e.value is not None}
    found = [ratios.get(e.annotator) for e in annotators]
    digits = Digits.proportion((e.low, e.high) for e in found if e)
    rows = []
    for e, ratio in zip(annotators, found):
        agree = NONE if e.agreement is None else Digits(0).value(e.agreement)
        rows.append((shown(e.annotator), [whole(e.n_cases), agree, cell(digits, ratio and (ratio.value, ratio.low, ratio.high))]))
    heads = ["annotator", "cases", "agreement with<br>others, %", "discrepancy<br>ratio"]
    kept = [i for i in range(1, 4) if any(cells[i - 1] != NONE for _, cells in rows)]
    rows, heads = [(name, [cells[i - 1] for i in kept]) for name, cells in rows], [heads[0], *(heads[i] for i in kept)]
    note = f"{Digest(source).intervals}; annotators.csv, annotator_overlap.csv and agreement_by_pair.csv have more"
    how = (
        "The discrepancy ratio of an annotator is against the others: below 1 the annotator is closer to them than they are to each other."
    )
    return section("design", TITLE, how if ratios else "", plain_table("Annotators one by one", note, heads, rows))
