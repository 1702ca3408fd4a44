"""Coefficients of grades, those of an independent annotator, and the highest that a prediction can have."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from .._base import notices
from .._base.notes import Note
from ..grades import GRADE_METRICS, GradeCoefficient
from .context import Ask, Made
from .rows import Number, with_ends

if TYPE_CHECKING:
    from .context import Context


class CoefficientRow(NamedTuple):
    """A coefficient of grades of one model, at most 1, that of an independent annotator, and the highest possible one."""

    model: str
    metric: str
    value: Number
    value_low: Number
    value_high: Number
    human: Number
    human_low: Number
    human_high: Number
    ceiling: Number
    ceiling_low: Number
    ceiling_high: Number
    n_cases: int


TABLES = {"coefficients": CoefficientRow}
COEFFICIENTS = ("weighted_kappa", "linear_kappa", "spearman", "kendall", "concordance")


def make(context: Context, notes: list[Note]) -> Made:
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
        own, human, *most = (with_ends(*known) for known in zip(drawn.estimate, context.intervals(drawn)))
        ceiling = most[0] if most else with_ends(one.ceiling, (None, None))  # that of linear kappa is no function of sums
        rows.append(CoefficientRow(model, metric, *own, *human, *ceiling, one.n_cases))
    return {"coefficients": rows}
