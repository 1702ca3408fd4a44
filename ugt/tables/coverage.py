"""Coverage of prediction sets: calibrated on one half of the cases and judged on the other, and vice versa."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from .._base import notices, parallel
from .._base.arrays import Array, Bools, Int64, NDArray
from .._base.notes import Note
from .._base.ragged import row_of
from ..annotations.probabilities import is_probability
from ..calibration import selection
from ..conformal import MonteCarloConformal
from ..resampling import Design, Ratios
from .context import MOST_CELLS, Ask, Made
from .rows import Number, both

if TYPE_CHECKING:
    from .context import Context


class CoverageRow(NamedTuple):
    """Prediction sets of a model at a target: their plausibility and the share of empty ones in [0, 1], their mean number of classes."""

    model: str
    score: str
    level: float
    coverage: float
    low: Number
    high: Number
    mean_size: float
    empty_share: float
    n_cases: int


TABLES = {"set_coverage": CoverageRow}
SCORES = ("LAC", "APS")
LEVELS = (0.8, 0.9, 0.95)
LEAST_CASES = 40
LEAST_HALF = 10
LABELS, MOST_LABELS = 100, 2 * 10**6  # most labels that are sampled: per case, and of all cases together
MOST_SCORED = 10**8  # most cases x classes x models: some ten seconds


def make(context: Context, notes: list[Note]) -> Made:
    """Return rows of all models that give probabilities."""
    if not context.scores or context.known.n_classes < 2:
        return {}
    if context.mean is None:
        notes.append(Note("too_large", "Prediction sets were not made: over {most:,} cases x classes.", most=MOST_CELLS))
        return {}
    kept = context.defined
    models = _models(context, context.mean, notes)
    if not models or not kept.any():
        return {}
    n = int(kept.sum())
    first = halves(n, context.clusters_of(kept), context.making.seed)
    if first is None:
        why = f"fewer than {LEAST_CASES} cases" if n < LEAST_CASES else "the clusters cannot be divided into two halves"
        notes.append(Note("no_halves", "Prediction sets were not made: {why}.", why=why))
        return {}
    wanted = [(model, score) for model in models for score in SCORES]
    coverage, answers = _judged(context, context.mean, first, wanted)
    notes += dict.fromkeys(note for _, said in answers for note in said)
    (resamples,) = yield [Ask(coverage, context.options.affordable(n * len(coverage.names)))]
    intervals, rows = context.intervals(resamples), []  # thresholds are taken as fixed
    for j, ((model, score), (means, _)) in enumerate(zip(wanted, answers)):
        for i, (level, (mass, size, empty)) in enumerate(zip(LEVELS, means.T.tolist())):
            rows.append(CoverageRow(model, score, level, mass, *both(intervals[j * len(LEVELS) + i]), size, empty, n))
    return {"set_coverage": rows}


def _judged(context: Context, mean: Array, first: Bools, wanted: list[tuple[str, str]]) -> tuple[Ratios, list[tuple[Array, list[Note]]]]:
    """Return the coverages of models and scores, and of each the means (3, levels) of mass, size and whether sets are empty, and notes."""
    kept = context.defined
    truth = mean if kept.all() else mean[kept]
    ids = context.known.axes.case_ids[context.known.rows][kept]
    table = np.full((len(kept), len(wanted) * len(LEVELS)), np.nan)

    def judged(begin: int, end: int) -> tuple[Array, list[Note]]:
        model, score = wanted[begin]
        probs = np.ascontiguousarray(context.scores[model] if kept.all() else context.scores[model][kept], np.float64)
        mass, size, said = _both_halves(probs, truth, ids, first, score, context.making.seed)
        table[kept, begin * len(LEVELS) : end * len(LEVELS)] = mass.T
        return np.array([mass.mean(axis=1), size.mean(axis=1), (size == 0).mean(axis=1)]), said

    answers = parallel.run(judged, len(wanted), 1, "prediction sets")
    return Ratios.of(table).compact(), answers


def _models(context: Context, mean: Array, notes: list[Note]) -> list[str]:
    """Return the models that give probabilities, as many as can be scored in a short time."""
    models = []
    for model, table in context.scores.items():
        if is_probability(table):
            models.append(model)
        else:
            notes.append(
                Note("no_probabilities", "The scores of model {model} are not probabilities: it has no prediction sets.", model=model)
            )
    most = MOST_SCORED // mean.size
    if len(models) > most:
        words = "Prediction sets were made for {n} of {of} models: there are many cases and classes."
        notes.append(Note("some_models", words, n=most, of=len(models)))
    return models[:most]


def halves(n: int, clusters: NDArray[Any] | None, seed: int) -> Bools | None:
    """Return (n,) the cases of one half, by chance; cases of a cluster stay together. None if there are too few to be halved."""
    if n < LEAST_CASES:
        return None
    design = Design.of(n, clusters)
    if design.n_units < 2:
        return None
    first = selection.held_out(0.5, n, design.unit, seed)[0]
    return first if LEAST_HALF <= first.sum() <= n - LEAST_HALF else None


def _both_halves(probs: Array, truth: Array, ids: NDArray[Any], first: Bools, score: str, seed: int) -> tuple[Array, Int64, list[Note]]:
    """Return for each level the plausibility mass (3, n) and the size (3, n) of the set of every case, and notes."""
    notes: list[Note] = []
    mass, size = np.empty((len(LEVELS), len(probs))), np.empty((len(LEVELS), len(probs)), np.int64)
    m = max(1, min(LABELS, MOST_LABELS // len(probs)))
    for here in (first, ~first):
        fitted = MonteCarloConformal(score.lower(), m=m, seed=seed)
        with notices.heard():  # a note is added below
            fitted.fit(probs[here], truth[here], case_ids=ids[here])
            for i, level in enumerate(LEVELS):
                alpha = round(1.0 - level, 12)
                sets = fitted.predict_sets(probs[~here], alpha=alpha, case_ids=ids[~here])
                inside = truth[~here][row_of(sets.offsets), sets.index]
                mass[i, ~here] = np.minimum(np.bincount(row_of(sets.offsets), inside, sets.n_cases), 1.0)
                size[i, ~here] = sets.sizes
                if np.isinf(fitted.thresholds(alpha)).any():
                    words = "Prediction sets of level {level:g} hold all classes: a half of the cases is too few to calibrate them."
                    notes.append(Note("sets_of_all_classes", words, level=level))
    return mass, size, notes
