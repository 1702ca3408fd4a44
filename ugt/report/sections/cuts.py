"""Areas and calibration at every cut of the scale."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Callable, Optional

from ...tables.cuts import CutRow
from ...tables.source import ReportSource
from ..digest import Digest, shown
from ..digits import Digits
from ..markup import Section, finding
from ..rows import by_model, cell, first_of, plain_table
from ..side_by_side import ends_below

MOST_MODELS = 4  # columns


def render(source: ReportSource) -> Section | None:
    """Return the areas and the calibration losses at every cut; None unless there are two cuts."""
    digest, entries = Digest(source), source.rows(CutRow)
    every = [m for m in digest.models if any(e.model == m for e in entries)]
    drawn = every[:MOST_MODELS]
    cuts = by_model(entries, lambda e: e.cut, drawn)
    if not drawn or len(cuts) < 2:
        return None
    shares = [f"{Digits(0).percent(e.share)}" if e and e.share is not None else "" for _, (e, *_) in cuts]
    heads = ["", "cases above", *map(shown, drawn)]
    caption, note = f"Area under the ROC curve at each cut{digest.at_main}", f"{ends_below(digest, '')}{first_of(drawn, every)}"
    parts = [plain_table(caption, note, heads, _rows(digest, entries, drawn, _auroc, shares))]
    sure = [m for m in drawn if any(e.model == m and e.cl is not None for e in entries)]
    if sure:
        heads = ["", *map(shown, sure)]
        note = "of the probability above each cut, against the labels, debiased; smaller is better"
        parts.append(plain_table("Calibration loss", note, heads, _rows(digest, entries, sure, _loss)))
    how = (
        "<p>At a cut, the grades above it are one class and the others the second. A mean over all cuts hides a cut that matters, such as "
        "the one from which cases are treated. Guessing has an area of one half.</p>"
    )
    return finding("cuts", "Every cut of the scale", "How well the models separate the grades, cut by cut", *parts, how)


Numbers = tuple[Optional[float], Optional[float], Optional[float]]  # a value and both ends of its interval


def _auroc(e: CutRow) -> Numbers:
    return e.auroc, e.auroc_low, e.auroc_high


def _loss(e: CutRow) -> Numbers:
    return e.cl, e.cl_low, e.cl_high


def _rows(
    digest: Digest, entries: Sequence[CutRow], drawn: Sequence[str], of: Callable[[CutRow], Numbers], shares: Sequence[str] = ()
) -> list[tuple[str, list[str]]]:
    digits = Digits.proportion(of(e)[1:] for e in entries if e.model in drawn)
    rows = []
    for at, (cut, own) in enumerate(by_model(entries, lambda e: e.cut, drawn)):
        known = [e and (of(e)[0], None, None) if digest.withheld else e and of(e) for e in own]
        rows.append((f"above {shown(cut)}", [*shares[at : at + 1], *(cell(digits, one) for one in known)]))
    return rows
