"""Areas and calibration at every cut of the scale."""

from __future__ import annotations

from collections.abc import Sequence

from .. import words
from ..digest import Digest, shown
from ..digits import Digits
from ..markup import Data, Entry, Section, find, finding, level_of, of, unique
from ..rows import cell, first_of, plain_table

MOST_MODELS = 4  # columns


def render(source: Data) -> Section | None:
    """Return the areas and the calibration losses at every cut; None unless there are two cuts."""
    digest, entries = Digest(source), source.get("cuts") or ()
    every = [m for m in digest.models if any(e["model"] == m for e in entries)]
    drawn = every[:MOST_MODELS]
    cuts = unique(entries, "cut")
    if not drawn or len(cuts) < 2:
        return None
    ends = "No interval can be trusted" if digest.withheld else f"{level_of(source)} intervals over {words.unit(source)} below each value"
    ends += first_of(drawn, every)
    known = [find(of(entries, cut=cut), model=drawn[0]) for cut in cuts]
    shares = [f"{Digits(0).percent(e['share'])}" if e and e["share"] is not None else "" for e in known]
    heads = ["", "cases above", *map(shown, drawn)]
    parts = [
        plain_table(
            f"Area under the ROC curve at each cut{digest.at_main}", ends, heads, _rows(digest, entries, cuts, drawn, "auroc", shares)
        )
    ]
    sure = [m for m in drawn if any(e["model"] == m and e["cl"] is not None for e in entries)]
    if sure:
        heads = ["", *map(shown, sure)]
        note = "of the probability above each cut, against the labels, debiased; smaller is better"
        parts.append(plain_table("Calibration loss", note, heads, _rows(digest, entries, cuts, sure, "cl")))
    how = (
        "<p>At a cut, the grades above it are one class and the others the second. A mean over all cuts hides a cut that matters, such as "
        "the one from which cases are treated. Guessing has an area of one half.</p>"
    )
    return finding("cuts", "Every cut of the scale", "How well the models separate the grades, cut by cut", *parts, how)


def _rows(
    digest: Digest, entries: Sequence[Entry], cuts: Sequence[str], drawn: Sequence[str], name: str, shares: Sequence[str] = ()
) -> list[tuple[str, list[str]]]:
    digits = Digits.proportion((e[f"{name}_low"], e[f"{name}_high"]) for e in entries if e["model"] in drawn)
    low, high = ("absent", "absent") if digest.withheld else (f"{name}_low", f"{name}_high")
    rows = []
    for at, cut in enumerate(cuts):
        own = [find(of(entries, cut=cut), model=model) for model in drawn]
        cells = [cell(digits, e and {**e, "absent": None}, name, low, high) for e in own]
        rows.append((f"above {shown(cut)}", [*shares[at : at + 1], *cells]))
    return rows
