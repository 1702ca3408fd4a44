"""Costs of predicted grades against a grade drawn from the truth, and distances of predicted laws from the law of the truth."""

from __future__ import annotations

import math
from functools import partial
from typing import Any, Callable

import numpy as np

from .._base.arrays import Array, Int64
from .._base.checks import error
from ..plausibilities import Estimate, Plausibilities, as_plausibilities
from ..plausibilities.comparisons import Comparison
from ..plausibilities.estimates import Span, estimate
from ..plausibilities.normal import NO_RATINGS
from ..plausibilities.normal_posterior import posterior_of_ratings
from .input import SAME, GradeScale, Predicted
from .normal_costs import NormalCost, numbers_of_ratings

Worth = Callable[[Predicted, GradeScale], Array]


def of_grade(
    truth: object,
    predictions: object,
    values: object,
    kind: str | None,
    worth: Worth,
    normal: NormalCost | None,
    power: float,
    share: bool = False,
    **rows: Any,
) -> Estimate:
    """Return the expected worth (N, K) of predictions if a grade is drawn from the truth; its unit is grades to this power, or a share.

    ``rows`` are the frequency and the weights of cases, if there are any.
    """
    rated = None if normal is None else posterior_of_ratings(truth)
    if normal is not None and rated is not None:
        x, span = numbers_of_ratings(rated, predictions, values, kind), (0.0, 1.0 if share else math.inf)
        return estimate(normal.of(rated, x), rated, reason=NO_RATINGS, span=span, added=rated.added(partial(normal.mean, x=x)), **rows)
    post = as_plausibilities(truth)
    scale = GradeScale.of(post, values)
    table, span = worth(Predicted.of(predictions, post.axes, scale, kind), scale), (0.0, 1.0) if share else span_of(kind, scale, power)
    return estimate(post.of_class(table), post, again=partial(_worth_again, table), span=span, **rows)


def of_law(truth: object, predictions: object, values: object, kind: str | None, power: int, **rows: Any) -> Estimate:
    """Return the distance Σ steps |Z - Λ|^power of predicted laws from the law of the truth."""
    post = as_plausibilities(truth)
    scale = GradeScale.of(post, values)
    law = law_of(Predicted.of(predictions, post.axes, scale, kind), scale)
    found = post.of_cumulative(law, scale.order, scale.steps, power)
    again = partial(_law_again, law, scale, power)
    return estimate(found, post, again=again, span=(0.0, scale.width), **rows)


def span_of(kind: str | None, scale: GradeScale, power: float) -> Span:
    """Return the range of an error; numbers that are stated to be such may lie outside of the scale."""
    return 0.0, math.inf if kind == "numbers" else scale.width**power


def _worth_again(table: Array, truth: Plausibilities, rows: Int64) -> Comparison:
    return truth.of_class(table[rows])


def _law_again(law: Array, scale: GradeScale, power: int, truth: Plausibilities, rows: Int64) -> Comparison:
    return truth.of_cumulative(law[rows], scale.order, scale.steps, power, spread=False)


# ---- predictions as one number, or as a law


def median_of(given: Predicted, scale: GradeScale) -> Array:
    """Return the numbers, or the medians (N,) of predicted laws: the middle between two grades if both are medians."""
    if given.law is None:
        return _number(given)
    values, below = scale.values[scale.order], np.cumsum(given.law[:, scale.order], axis=1)
    low = np.argmax(below >= 0.5 - SAME, axis=1)
    high = np.minimum(np.argmax(below > 0.5 + SAME, axis=1), len(values) - 1)
    return np.asarray((values[low] + values[high]) / 2)


def mean_of(given: Predicted, scale: GradeScale) -> Array:
    """Return the numbers, or the means (N,) of predicted laws."""
    return _number(given) if given.law is None else np.asarray((given.law * scale.values).sum(axis=1))


def mode_of(given: Predicted, scale: GradeScale) -> Array:
    """Return the share (N, K) of each grade in the most probable ones of a law, or 1 for the predicted grade."""
    if given.law is None:
        return np.asarray(_number(given)[:, None] == scale.values, np.float64)
    best = given.law >= given.law.max(axis=1, keepdims=True) - SAME
    return np.asarray(best / best.sum(axis=1, keepdims=True))


def law_of(given: Predicted, scale: GradeScale) -> Array:
    """Return the predicted laws (N, K); one grade has probability 1."""
    if given.law is not None:
        return given.law
    if given.kind == "numbers":
        raise error("predictions", "be grades or probabilities of grades, for a distance of laws", "numbers between the grades")
    return mode_of(given, scale)


def _number(given: Predicted) -> Array:
    assert given.numbers is not None
    return given.numbers


# ---- worth (N, K) of a prediction for each grade that may be drawn


def absolute(given: Predicted, scale: GradeScale) -> Array:
    return np.abs(median_of(given, scale)[:, None] - scale.values)


def squared(given: Predicted, scale: GradeScale) -> Array:
    return np.asarray((mean_of(given, scale)[:, None] - scale.values) ** 2)


def within(distance: float, given: Predicted, scale: GradeScale) -> Array:
    """Return whether a grade lies within a distance; of a law, the grade is predicted within whose distance most probability lies."""
    reach = distance + SAME * max(1.0, scale.width)
    if given.law is None:
        return np.asarray(np.abs(_number(given)[:, None] - scale.values) <= reach, np.float64)
    near = (np.abs(scale.values[:, None] - scale.values) <= reach).astype(np.float64)
    mass = (given.law[:, :, None] * near).sum(axis=1)
    best = mass >= mass.max(axis=1, keepdims=True) - SAME
    return np.asarray((best[:, :, None] * near).sum(axis=1) / best.sum(axis=1, keepdims=True))


def ranked(given: Predicted, scale: GradeScale) -> Array:
    """Return the ranked probability score of each grade; that of a number is its distance."""
    if given.law is None:
        return np.abs(_number(given)[:, None] - scale.values)
    upto = np.cumsum(given.law[:, scale.order], axis=1)[:, :-1]
    found = np.empty_like(given.law)
    for place, k in enumerate(scale.order.tolist()):
        found[:, k] = ((upto - (np.arange(len(scale.steps)) >= place)) ** 2 * scale.steps).sum(axis=1)
    return found
