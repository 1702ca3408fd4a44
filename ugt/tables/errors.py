"""Errors in grades or in points of a scale: the least possible one, beside one annotator, and against the grades that were given."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from .._base import notices
from .._base.ragged import row_of, sizes_of
from ..resampling import Ratios, over
from .context import Ask, Made
from .rows import ends_of, finite

if TYPE_CHECKING:
    from .._base.arrays import Array
    from ..annotations import Ratings
    from .context import Context

TABLES = {
    "least_error": ("reliability", "value", "case_low", "case_high", "n_cases"),
    "next_annotator_error": (
        "model", *(f"{name}{end}" for name in ("error", "annotators", "difference") for end in ("", "_low", "_high")), "n_cases",
    ),
    "given_grades": ("model", "metric", "value", "low", "high", "n_cases"),
}  # fmt: skip


def make(context: Context, notes: list[str]) -> Made:
    """Return the least error of any prediction under each truth; errors against one annotator, and of annotators against each other."""
    graded = context.graded
    if graded is None or not graded.least:
        return {}
    least, one = _means(list(graded.least.values())), graded.beside(context)
    beside = [] if one is None else [_means([*one.models.values(), one.annotators, *(e - one.annotators for e in one.models.values())])]
    given = _against_given(context)
    n = context.options.n_resamples
    asks = [Ask(means, n, context.counted) for means in (least, *beside)]
    found, *others = yield [*asks, *(Ask(result, n) for result in given.values())]
    of_given = dict(zip(given, others[len(beside) :]))
    others = others[: len(beside)]
    ends = context.intervals(found)
    tables = {
        "least_error": [
            {"reliability": r, "value": finite(found.estimate[i]), **ends_of(ends[i], "case_low", "case_high"),
             "n_cases": int((~np.isnan(values)).sum())}
            for i, (r, values) in enumerate(graded.least.items())
        ]
    }  # fmt: skip
    for drawn in others:
        assert one is not None
        ends, n = context.intervals(drawn), len(one.models)
        tables["next_annotator_error"] = [
            {"model": model, "error": finite(drawn.estimate[i]), **ends_of(ends[i], "error_low", "error_high"),
             "annotators": finite(drawn.estimate[n]), **ends_of(ends[n], "annotators_low", "annotators_high"),
             "difference": finite(drawn.estimate[n + 1 + i]), **ends_of(ends[n + 1 + i], "difference_low", "difference_high"),
             "n_cases": int((~np.isnan(one.annotators)).sum())}
            for i, model in enumerate(one.models)
        ]  # fmt: skip
    tables["given_grades"] = [
        {"model": model, "metric": metric, "value": finite(drawn.estimate[0]), **ends_of(context.intervals(drawn)[0], "low", "high"),
         "n_cases": given[model, metric].n_cases}
        for (model, metric), drawn in of_given.items()
    ]  # fmt: skip
    return tables


def _against_given(context: Context) -> dict[tuple[str, str], Any]:
    """Return the results of all models and measures against the grades that annotators gave; none without labels.

    The distance from the law of a case is left out: the shares of a few labels are not this law.
    """
    graded = context.graded
    truth = graded.given_grades(context)
    if truth is None:
        return {}
    with notices.heard():  # undefined numbers are empty in the table
        return {
            (model, metric.name): graded.of(metric, truth, one)
            for metric in graded.metrics() if metric.numbers for model, one in graded.given.items()
        }  # fmt: skip


def _means(columns: list[Array]) -> Ratios:
    found = Ratios.of(np.stack(columns, 1))
    found.shares = False
    return found


def distance_of_pairs(ratings: Ratings) -> Array:
    """Return the mean distance (N,) of two ratings of a case; NaN with fewer than two."""
    n, row = sizes_of(ratings.offsets).astype(np.float64), row_of(ratings.offsets)
    value = ratings.value[np.lexsort((ratings.value, row))]
    place = np.arange(len(row)) - ratings.offsets[row]
    total = np.bincount(row, (2 * place - n[row] + 1) * value, ratings.n_cases)
    return np.where(n > 1, over(total * 2, n * (n - 1)), np.nan)
