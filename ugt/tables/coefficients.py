"""Coefficients of grades, those of an independent annotator, and the highest that a prediction can have."""

from __future__ import annotations

from typing import TYPE_CHECKING

from .._base import notices
from ..grades import GRADE_METRICS, GradeCoefficient
from .context import Ask, Made
from .rows import ends_of, finite

if TYPE_CHECKING:
    from .context import Context
    from .rows import Row

PARTS = ("value", "human", "ceiling")
TABLES = {"coefficients": ("model", "metric", *(f"{name}{end}" for name in PARTS for end in ("", "_low", "_high")), "n_cases")}
COEFFICIENTS = ("weighted_kappa", "linear_kappa", "spearman", "kendall", "concordance")


def make(context: Context, notes: list[str]) -> Made:
    """Return the coefficients of each model under the main truth, with those of an independent annotator and the ceilings."""
    graded, truth = context.graded, context.truth_of_grades
    if graded is None or truth is None:
        return {}
    found: dict[tuple[str, str], GradeCoefficient] = {}
    with notices.heard():  # undefined numbers are empty in the table
        for metric in COEFFICIENTS:
            found.update({(model, metric): graded.of(GRADE_METRICS[metric], truth, given) for model, given in graded.given.items()})
    n = context.options.affordable(context.n_cases * truth.n_classes**2 * len(found), "coefficients of grades", notes)
    resampled = yield [Ask(one, n) for one in found.values()]
    rows = []
    for ((model, metric), one), drawn in zip(found.items(), resampled):
        row: Row = {"model": model, "metric": metric}
        known = dict(zip(PARTS, zip(drawn.estimate, context.intervals(drawn))))
        for name in PARTS:
            value, ends = known.get(name, (one.ceiling, (None, None)))  # the ceiling of linear kappa is no function of sums
            row.update({name: finite(value), **ends_of(ends, f"{name}_low", f"{name}_high")})
        rows.append({**row, "n_cases": one.n_cases})
    return {"coefficients": rows}
