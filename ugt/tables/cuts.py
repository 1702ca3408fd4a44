"""Every cut of the scale: how well models separate the grades above it from the others, and whether their probabilities of it hold."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from .._base import notices
from ..grades import calibration_at_cuts
from ..grades.cuts import above, auroc_of_each_cut
from .context import MOST_WORK, Ask, Made
from .rows import ends_of, finite

if TYPE_CHECKING:
    from ..calibration import HistogramLosses
    from ..soft import SoftScore
    from .context import Context

TABLES = {
    "cuts": ("model", "cut", "share", "auroc", "auroc_low", "auroc_high", "cl", "cl_low", "cl_high", "n_cases"),
}
MOST_CUTS = 20  # cuts of a scale
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
