"""Errors of grades by their direction and size, and by the grade of the truth."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from ..resampling import Ratios
from .context import MOST_CELLS, MOST_WORK, Ask, Made
from .rows import ends_of, finite

if TYPE_CHECKING:
    from .context import Context

PARTS = ("too_low", "near", "too_high", "bias", "error")
TABLES = {"grade_errors": ("model", "grade", "n_expected", *(f"{name}{end}" for name in PARTS for end in ("", "_low", "_high")))}
LEAST = 5.0  # fewest expected cases of a grade for an interval
HALF = 0.5 + 1e-9  # grades by which a prediction may differ to be near


def make(context: Context, notes: list[str]) -> Made:
    """Return, for all cases and for each grade, the expected shares of predictions below, near and above it, and mean errors.

    The grade of case i is v_k with probability m_ik, the mean plausibility, and the prediction is x_i. Near: |x_i - v_k| is at most half of
    the smallest distance of two grades. The bias is the mean of x_i - v_k, the error that of its absolute value.
    """
    graded, here = context.graded, context.defined
    if graded is None or graded.values is None or context.mean is None or not here.any():
        return {}
    values = graded.values
    step = float(np.diff(np.sort(values)).min(initial=np.inf))
    if context.n_cases * len(values) * len(PARTS) * len(graded.given) > MOST_CELLS:
        notes.append(f"Errors by grade were not computed: over {MOST_CELLS:,} numbers.")
        return {}
    law = np.where(here[:, None], context.mean, 0.0)
    asks, n = {}, context.options.n_resamples
    for model in graded.given:
        away = graded.point(model)[:, None] - values
        parts = (away < -HALF * step, np.abs(away) <= HALF * step, away > HALF * step, away, np.abs(away))
        tables = [law * part for part in parts]
        columns = np.concatenate([np.concatenate([table.sum(axis=1, keepdims=True), table], 1) for table in tables], 1)
        below_ = np.concatenate([law.sum(axis=1, keepdims=True), law], 1)
        asks[model] = Ratios(np.concatenate([columns, below_], 1), np.tile(np.arange(1 + len(values), dtype=np.int64), len(PARTS)))
        asks[model].shares = False
    n = context.options.affordable(sum(one.columns.size for one in asks.values()), "errors by grade", notes, most=MOST_WORK)
    found = yield [Ask(one, n, context.counted) for one in asks.values()]
    grades = [None, *(str(name) for name in context.known.axes.classes.tolist())]
    expected = np.concatenate([[law.sum()], law.sum(axis=0)])
    rows = []
    for model, drawn in zip(asks, found):
        ends = context.intervals(drawn).reshape(len(PARTS), len(grades), 2)
        estimate = drawn.estimate.reshape(len(PARTS), len(grades))
        for g, grade in enumerate(grades):
            row = {"model": model, "grade": grade, "n_expected": float(expected[g])}
            for p, name in enumerate(PARTS):
                span = ends[p, g] if expected[g] >= LEAST else (None, None)
                row.update({name: finite(estimate[p, g]), **ends_of(span, f"{name}_low", f"{name}_high")})
            rows.append(row)
    return {"grade_errors": rows}
