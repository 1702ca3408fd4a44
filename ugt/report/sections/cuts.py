"""Every cut of the scale: how well models separate the grades above it from the others, and whether their probabilities of it hold."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from ..._base import notices
from ...grades import calibration_at_cuts
from ...grades.cuts import above, auroc_of_each_cut
from ...tables.context import MOST_WORK, Ask, Made
from ...tables.rows import ends_of, finite
from .. import words
from ..digest import Digest, shown
from ..digits import Digits
from ..markup import Data, Entry, Section, find, finding, level_of, of, unique
from ..rows import cell, first_of, plain_table

if TYPE_CHECKING:
    from ...histogram import HistogramLosses
    from ...soft import SoftScore
    from ...tables.context import Context

TABLES = {
    "cuts": ("model", "cut", "share", "auroc", "auroc_low", "auroc_high", "cl", "cl_low", "cl_high", "n_cases"),
}
MOST_CUTS, MOST_MODELS = 20, 4  # cuts of a scale; columns
TOO_MANY = "The scale has {} cuts: areas and calibration were not computed cut by cut."


def make(context: Context, notes: list[str]) -> Made:
    """Return the AUROC of each model at each cut under the main truth, and the calibration loss of its probability above the cut."""
    graded, truth = context.graded, context.truth_of_grades
    if graded is None or truth is None:
        return {}
    order = np.argsort(graded.values, kind="stable")
    n_cuts = len(order) - 1
    if n_cuts > MOST_CUTS:
        notes.append(TOO_MANY.format(n_cuts))
        return {}
    share = np.nanmean(above(truth.mean(), order), axis=0)
    areas: dict[str, Sequence[SoftScore]] = {}
    losses: dict[str, Sequence[HistogramLosses]] = {}
    labels = context.known.labels if context.known.counts is not None else None
    with notices.heard():  # undefined numbers are empty in the table
        for model, given in graded.given.items():
            areas[model] = auroc_of_each_cut(truth, given.table, values=graded.values, predictions_are=given.kind)
            if labels is not None and given.kind == "probabilities":
                losses[model] = calibration_at_cuts(labels, given.table, values=graded.values)
    results: list[Any] = [one for many in (*areas.values(), *losses.values()) for one in many]
    n = context.options.affordable(context.n_cases * len(results) * 10, "areas and calibration at the cuts", notes, most=MOST_WORK)
    resampled = iter((yield [Ask(one, n) for one in results]))
    ends = {}
    for name, many in (("auroc", areas), ("cl", losses)):
        for model, found in many.items():
            ends.update({(name, model, cut): _ends(context, one, next(resampled)) for cut, one in enumerate(found)})
    rows = []
    for model, found in areas.items():
        for cut, one in enumerate(found):
            loss = losses[model][cut].cl.debiased if model in losses else None
            row = {"model": model, "cut": str(context.known.axes.classes[order[cut]]), "share": finite(share[cut])}
            for name, value in (("auroc", one.value), ("cl", loss)):
                span = ends.get((name, model, cut), (None, None))
                row.update({name: None if value is None else finite(value), **ends_of(span, f"{name}_low", f"{name}_high")})
            rows.append({**row, "n_cases": one.n_cases})
    return {"cuts": rows}


def _ends(context: Context, one: Any, drawn: Any) -> Any:
    """Return the interval of the area or of the calibration loss."""
    names = one.statistic.names
    return context.intervals(drawn)[names.index("cl") if "cl" in names else 0]


# ---- the page


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
