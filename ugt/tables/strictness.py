"""Who is strict: leniency and discrimination by the graded-response model, if the truth comes from it, or differences of the grades."""

from __future__ import annotations

from statistics import NormalDist
from typing import TYPE_CHECKING

import numpy as np

from .._base import notices
from .._base.counts import counted
from ..agreement import annotator_strictness
from .rows import finite

if TYPE_CHECKING:
    from .context import Context, Rows

TABLES = {
    "strictness": ("annotator", "n_labels", "leniency", "leniency_low", "leniency_high", "discrimination", "discrimination_low",
        "discrimination_high"),
    "strict_annotators": ("annotator", "n_cases", "strictness", "joint_low", "joint_high", "spread", "others_spread"),
}  # fmt: skip
CONVERGED = "The fit of the graded-response model did not converge: severities and annotators may change with more iterations."
APART = (
    "The annotators form {} groups without shared cases: the leniency of annotators of different groups is compared by the assumption that "
    "their cases are alike."
)


def make(context: Context, notes: list[str]) -> Rows:
    """Return the annotators, the most lenient first; notes say whether the fit converged and whether annotators can be compared."""
    fit = context.fitted
    if fit is None:
        return _of_differences(context, notes)
    notes += [] if fit.converged else [CONVERGED]
    notes += [APART.format(fit.n_groups)] if fit.n_groups > 1 else []
    undetermined = int(np.isnan(fit.leniency_error[fit.n_labels > 0]).sum())
    if undetermined:
        notes.append(f"The labels do not determine the leniency of {counted(undetermined, 'annotator')}: no interval is given.")
    z = NormalDist().inv_cdf(0.5 + context.options.level / 2)
    rows = []
    for a in np.argsort(np.where(np.isnan(fit.leniency), np.inf, -fit.leniency), kind="stable").tolist():
        row = {"annotator": str(fit.annotators[a]), "n_labels": int(fit.n_labels[a])}
        for name in ("leniency", "discrimination"):
            value, away = getattr(fit, name)[a], z * getattr(fit, f"{name}_error")[a]
            row.update({name: finite(value), f"{name}_low": finite(value - away), f"{name}_high": finite(value + away)})
        rows.append(row)
    return {"strictness": rows}


def _of_differences(context: Context, notes: list[str]) -> Rows:
    """Return how each annotator's grades differ from those of the others in the same cases, highest first; none unless they are named."""
    graded, known = context.graded, context.known
    given = None if graded is None else known.ratings if graded.values is None else known.labels
    if given is None or len(given.annotators) < 2:
        return {}
    with notices.heard() as said:
        found = annotator_strictness(given, clusters=context.clusters).table(context.options.level)
    notes += said
    columns = TABLES["strict_annotators"]
    return {"strict_annotators": [{n: row[n] if n in columns[:2] else finite(row[n]) for n in columns} for row in found]}
