"""Differences of every two models on the same resamples."""

from __future__ import annotations

from itertools import combinations
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from .._base.notes import Note
from .context import Made
from .names import ERROR, TOP, VOTED, VOTED_ERROR, higher_is_better
from .rows import Number, both, defined, finite, with_ends
from .standings import joint_level

if TYPE_CHECKING:
    from .context import Context

HEADLINES = (TOP, VOTED, ERROR, VOTED_ERROR)  # measures that are compared under each truth


class DifferenceRow(NamedTuple):
    """A model minus another, in units of the metric; ``joint`` intervals hold for all pairs of models under the same truth."""

    metric: str
    k: int | None
    reliability: Number
    model: str
    other: str
    difference: Number
    low: Number
    high: Number
    joint_low: Number
    joint_high: Number
    greater_share: Number  # of resamples, in [0, 1]
    n_cases: int


TABLES = {"differences": DifferenceRow}
MOST_MODELS = 10  # most models: 45 pairs


def make(context: Context, notes: list[Note]) -> Made:
    """Model minus other, against the voted label and under the middle reliability, top-k accuracy under each one.

    ``joint_low`` to ``joint_high``: intervals that hold together for all pairs of models under the same truth.
    """
    metrics = context.all_metrics
    place = {(row.metric, row.k, row.reliability, row.model): i for i, row in enumerate(metrics)}
    models = _highest(context)
    if len(context.scores) > len(models):
        least = "lowest mean absolute error" if context.graded is not None else "highest top-1 accuracy"
        notes.append(Note("some_models", "Differences of pairs are of the {n} models with the {which}.", n=MOST_MODELS, which=least))
    wanted = [key for key in dict.fromkeys(key[:3] for key in place) if key[2] == context.reliability or key[0] in HEADLINES]
    if len(models) < 2 or not any(one.kept.any() for one in context.measures):
        return {}
    resampled = context.beside((yield context.asked))
    rows, n = [], len(context.certainty)
    for metric, k, reliability in wanted:
        having = [name for name in context.scores if (metric, k, reliability, name) in place]
        everybody = resampled.take([n + place[metric, k, reliability, name] for name in having])
        joint = joint_level(everybody, context.options.level)
        for model, other in combinations([name for name in models if name in having], 2):
            i, j = (place[metric, k, reliability, name] for name in (model, other))
            pair = resampled.take([n + i, n + j])
            (ends, _), (greater_share, _) = context.intervals(pair.minus(1)), pair.best_share()
            (together, _) = pair.minus(1).interval(joint, context.options.interval)
            mean = max(i, j) < len(context.columns)
            n_cases = int((~np.isnan(context.columns[i] - context.columns[j])).sum()) if mean else metrics[i].n_cases
            difference = with_ends(pair.estimate[0] - pair.estimate[1], ends)
            own = (metric, k, reliability, model, other)
            rows.append(DifferenceRow(*own, *difference, *both(together), finite(greater_share), n_cases))
    return {"differences": rows}


def _highest(context: Context) -> list[str]:
    """Return the models that are compared, in their order."""
    rows = context.all_metrics
    metric = ERROR if any(row.metric == ERROR for row in rows) else TOP
    sign = -1 if higher_is_better(metric) else 1
    here = [row for row in rows if row.metric == metric and row.reliability == context.reliability and row.k in (None, 1)]
    known, names = {row.model: sign * defined(row.value) for row in here}, list(context.scores)
    first = sorted(range(len(names)), key=lambda i: np.nan_to_num(known.get(names[i], np.inf), nan=np.inf))[:MOST_MODELS]
    return [names[i] for i in sorted(first)]
