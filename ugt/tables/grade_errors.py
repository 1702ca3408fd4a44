"""Errors of grades by their direction and size, and by the grade of the truth."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from .._base.notes import Note
from ..resampling import Ratios
from .context import MOST_CELLS, MOST_WORK, Ask, Made
from .rows import Number, with_ends

if TYPE_CHECKING:
    from .context import Context

N_PARTS = 5  # shares too low, near and too high; bias and error


class GradeErrorRow(NamedTuple):
    """Shares of a model's predictions below, near and above the grade, and mean errors in units of the grades; grade None: all cases."""

    model: str
    grade: str | None
    n_expected: float
    too_low: Number
    too_low_low: Number
    too_low_high: Number
    near: Number
    near_low: Number
    near_high: Number
    too_high: Number
    too_high_low: Number
    too_high_high: Number
    bias: Number
    bias_low: Number
    bias_high: Number
    error: Number
    error_low: Number
    error_high: Number


TABLES = {"grade_errors": GradeErrorRow}
LEAST = 5.0  # fewest expected cases of a grade for an interval
HALF = 0.5 + 1e-9  # grades by which a prediction may differ to be near


def make(context: Context, notes: list[Note]) -> Made:
    """Return, for all cases and for each grade, the expected shares of predictions below, near and above it, and mean errors.

    The grade of case i is v_k with probability m_ik, the mean plausibility, and the prediction is x_i. Near: |x_i - v_k| is at most half of
    the smallest distance of two grades. The bias is the mean of x_i - v_k, the error that of its absolute value.
    """
    graded, here = context.graded, context.defined
    if graded is None or graded.values is None or context.mean is None or not here.any():
        return {}
    values = graded.values
    step = float(np.diff(np.sort(values)).min(initial=np.inf))
    if context.n_cases * len(values) * N_PARTS * len(graded.given) > MOST_CELLS:
        notes.append(Note("too_large", "Errors by grade were not computed: over {most:,} numbers.", most=MOST_CELLS))
        return {}
    law = np.where(here[:, None], context.mean, 0.0)
    asks, n = {}, context.options.n_resamples
    for model in graded.given:
        away = graded.point(model)[:, None] - values
        parts = (away < -HALF * step, np.abs(away) <= HALF * step, away > HALF * step, away, np.abs(away))
        tables = [law * part for part in parts]
        columns = np.concatenate([np.concatenate([table.sum(axis=1, keepdims=True), table], 1) for table in tables], 1)
        below_ = np.concatenate([law.sum(axis=1, keepdims=True), law], 1)
        asks[model] = Ratios(np.concatenate([columns, below_], 1), np.tile(np.arange(1 + len(values), dtype=np.int64), N_PARTS))
        asks[model].shares = False
    n = context.options.affordable(sum(one.columns.size for one in asks.values()), "errors by grade", notes, most=MOST_WORK)
    found = yield [Ask(one, n, context.counted) for one in asks.values()]
    grades = [None, *(str(name) for name in context.known.axes.classes.tolist())]
    expected = np.concatenate([[law.sum()], law.sum(axis=0)])
    rows = []
    for model, drawn in zip(asks, found):
        ends = context.intervals(drawn).reshape(N_PARTS, len(grades), 2)
        estimate = drawn.estimate.reshape(N_PARTS, len(grades))
        for g, grade in enumerate(grades):
            low, near, high, bias, error = (
                with_ends(estimate[p, g], ends[p, g] if expected[g] >= LEAST else (None, None)) for p in range(N_PARTS)
            )
            rows.append(GradeErrorRow(model, grade, float(expected[g]), *low, *near, *high, *bias, *error))
    return {"grade_errors": rows}
