"""Errors in grades or in points of a scale: the least possible one, beside one annotator, and against the grades that were given."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from .._base import notices
from .._base.notes import Note
from .._base.ragged import row_of, sizes_of
from ..resampling import Ratios, over
from .context import Ask, Made
from .rows import Number, with_ends

if TYPE_CHECKING:
    from .._base.arrays import Array
    from ..annotations import Ratings
    from .context import Context


class LeastErrorRow(NamedTuple):
    """The least error that any prediction can have under a truth, in units of the grades."""

    reliability: Number
    value: Number
    case_low: Number
    case_high: Number
    n_cases: int


class NextErrorRow(NamedTuple):
    """The error of a model against one annotator, that of annotators against each other, and their difference, in units of the grades."""

    model: str
    error: Number
    error_low: Number
    error_high: Number
    annotators: Number
    annotators_low: Number
    annotators_high: Number
    difference: Number
    difference_low: Number
    difference_high: Number
    n_cases: int


class GivenGradesRow(NamedTuple):
    """A measure of a model against the grades that annotators gave."""

    model: str
    metric: str
    value: Number
    low: Number
    high: Number
    n_cases: int


TABLES = {"least_error": LeastErrorRow, "next_annotator_error": NextErrorRow, "given_grades": GivenGradesRow}


def make(context: Context, notes: list[Note]) -> Made:
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
    least_errors = [
        LeastErrorRow(r, *with_ends(found.estimate[i], ends[i]), int((~np.isnan(values)).sum()))
        for i, (r, values) in enumerate(graded.least.items())
    ]
    next_errors: list[NextErrorRow] = []
    for drawn in others:
        assert one is not None
        ends, n = context.intervals(drawn), len(one.models)
        known = [with_ends(*known) for known in zip(drawn.estimate, ends)]
        n_cases = int((~np.isnan(one.annotators)).sum())
        next_errors = [NextErrorRow(model, *known[i], *known[n], *known[n + 1 + i], n_cases) for i, model in enumerate(one.models)]
    of_grades = [
        GivenGradesRow(model, metric, *with_ends(drawn.estimate[0], context.intervals(drawn)[0]), given[model, metric].n_cases)
        for (model, metric), drawn in of_given.items()
    ]
    return {"least_error": least_errors, "next_annotator_error": next_errors, "given_grades": of_grades}


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
