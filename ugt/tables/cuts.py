"""Every cut of the scale: how well models separate the grades above it from the others, and whether their probabilities of it hold."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from .._base import notices
from .._base.notes import Note
from ..grades import calibration_at_cuts
from ..grades.cuts import above, auroc_of_each_cut
from .context import MOST_WORK, Ask, Made
from .rows import Number, finite, with_ends

if TYPE_CHECKING:
    from .._base.arrays import Array
    from ..calibration import HistogramLosses
    from ..resampling import Resamples, Result
    from ..soft import SoftScore
    from .context import Context


class CutRow(NamedTuple):
    """A cut of the scale: a model's AUROC of the grades above it, and the calibration loss of its probability of them."""

    model: str
    cut: str
    share: Number  # of the cases above the cut
    auroc: Number
    auroc_low: Number
    auroc_high: Number
    cl: Number
    cl_low: Number
    cl_high: Number
    n_cases: int


TABLES = {"cuts": CutRow}
MOST_CUTS = 20  # cuts of a scale
TOO_MANY = "The scale has {n} cuts: areas and calibration were not computed cut by cut."


def make(context: Context, notes: list[Note]) -> Made:
    """Return the AUROC of each model at each cut under the main truth, and the calibration loss of its probability above the cut."""
    graded, truth = context.graded, context.truth_of_grades
    if graded is None or truth is None:
        return {}
    order = np.argsort(graded.values, kind="stable")
    n_cuts = len(order) - 1
    if n_cuts > MOST_CUTS:
        notes.append(Note("too_large", TOO_MANY, n=n_cuts))
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
            area, cl = (
                with_ends(value, ends.get((name, model, cut), (None, None))) for name, value in (("auroc", one.value), ("cl", loss))
            )
            rows.append(CutRow(model, str(context.known.axes.classes[order[cut]]), finite(share[cut]), *area, *cl, one.n_cases))
    return {"cuts": rows}


def _ends(context: Context, one: Result, drawn: Resamples) -> Array:
    """Return the interval of the area or of the calibration loss."""
    names = one.statistic.names
    return np.asarray(context.intervals(drawn)[names.index("cl") if "cl" in names else 0])
