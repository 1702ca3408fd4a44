"""The precision of this study and of larger ones: components of variance, and widths of other designs."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any, NamedTuple

from .._base.notes import Note
from ..studies import plan_annotations
from .context import MOST_CELLS
from .rows import Number, finite

if TYPE_CHECKING:
    from ..studies import AnnotationPlan
    from .context import Context, Rows


class StudySizeRow(NamedTuple):
    """Components of variance of this study, and widths of intervals of this and of larger designs."""

    model: str | None
    metric: str
    n_cases: int
    n_labels: float  # per case
    n_annotators: int | None
    value: Number
    var_cases: Number
    var_annotators: Number
    var_labels: Number
    width: Number
    width_twice_cases: Number
    width_one_more_label: Number
    width_twice_annotators: Number
    annotators_random: bool


TABLES = {"study_size": StudySizeRow}
ALPHA, AGREEMENT = "alpha", "agreement"
MOST_MODELS = 10


def make(context: Context, notes: list[Note]) -> Rows:
    """Return rows for each model's agreement with one more annotator, or without models for alpha; empty if no plan can be made."""
    labels = context.known.labels
    if labels is None or context.clusters is not None or labels.n_cases * labels.n_classes > MOST_CELLS:
        return {}
    asked: list[tuple[Any, str, Any]] = [(name, AGREEMENT, scores) for name, scores in context.scores.items()]
    rows = []
    for name, metric, scores in asked[:MOST_MODELS] or [(None, ALPHA, None)]:
        try:
            plan = plan_annotations(labels, scores, metric=metric, level=context.options.level)
        except ValueError:  # too few cases with two labels, or labels that do not vary: the section says what is needed
            continue
        rows.append(_row(name, plan))
    return {"study_size": rows}


def _row(model: str | None, plan: AnnotationPlan) -> StudySizeRow:
    n, k, a, random = plan.n_cases, plan.n_labels, plan.n_annotators, "annotators" in plan.random
    a = max(a, math.ceil(k), 2)
    several = plan.metric == AGREEMENT  # for alpha, the pilot may not show the effect of other numbers of labels per case
    k = k if several else round(k)
    widths = [plan.design(n, k, a), plan.design(2 * n, k, a), plan.design(n, k + 1, max(a, math.ceil(k) + 1)) if several else None]
    widths.append(plan.design(n, k, 2 * a) if random else None)
    parts = [finite(plan.components[name]) for name in ("cases", "annotators", "labels")]
    now, more_cases, more_labels, more_annotators = (None if one is None else finite(one.width) for one in widths)
    return StudySizeRow(
        model, plan.metric, plan.n_cases, plan.n_labels, plan.n_annotators, finite(plan.value), parts[0], parts[1], parts[2],
        now, more_cases, more_labels, more_annotators, random,
    )  # fmt: skip
