"""Coverage of prediction sets: calibrated on one half of the cases, judged on the other, and the other way round."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from ... import _notices, resampling
from ..._calibrators import selection
from ..._ragged import row_of
from ..._resampling.design import Design
from ...conformal import MonteCarloConformal
from ..calibration import is_probability
from .context import MOST_CELLS

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from .context import Context, Row

    Array = NDArray[np.float64]

HEADINGS = {"set_coverage": ("model", "score", "level", "coverage", "low", "high", "mean_size", "empty_share", "n_cases")}
SCORES = ("LAC", "APS")
LEVELS = (0.8, 0.9, 0.95)
LEAST_CASES = 40
LEAST_HALF = 10
LABELS, MOST_LABELS = 100, 2 * 10**6  # sampled: of a case, of all cases together
MOST_SCORED = 10**8  # cases x classes x models: some ten seconds
LEAST_RESAMPLES, MOST_WORK = 100, 2 * 10**9  # cases x numbers x resamples


def make(context: Context) -> tuple[dict[str, list[Row]], list[str]]:
    """Rows of all models that give probabilities, and what is to be said."""
    tables: dict[str, list[Row]] = {"set_coverage": []}
    notes: list[str] = []
    if not context.scores or context.known.n_classes < 2:
        return tables, notes
    if context.mean is None:
        return tables, [f"Prediction sets were not made: over {MOST_CELLS:,} cases x classes."]
    kept = np.flatnonzero(~np.isnan(context.mean).any(axis=1))
    models = _models(context, notes)
    if not models or len(kept) == 0:
        return tables, notes
    clusters = None if context.clusters is None else context.clusters[kept]
    first = halves(len(kept), clusters, context.seed)
    if first is None:
        said = f"fewer than {LEAST_CASES} cases" if len(kept) < LEAST_CASES else "the clusters cannot be divided into two halves"
        return tables, [*notes, f"Prediction sets were not made: {said}."]
    truth = context.mean if len(kept) == len(context.mean) else context.mean[kept]
    ids = context.known.axes.case_ids[context.rows][kept]
    found = {}
    for model in models:
        probs = np.ascontiguousarray(context.scores[model][kept], np.float64)
        for score in SCORES:
            found[model, score] = _both_halves(probs, truth, ids, first, score, context.seed, notes)
    tables["set_coverage"] = _rows(found, clusters, context)
    return tables, notes


def _models(context: Context, notes: list[str]) -> list[str]:
    """Those that give probabilities, as many as can be scored in short time."""
    models = []
    for model, table in context.scores.items():
        if is_probability(table):
            models.append(model)
        else:
            notes.append(f"The scores of model {model} are not probabilities: it has no prediction sets.")
    assert context.mean is not None
    most = MOST_SCORED // context.mean.size
    if len(models) > most:
        notes.append(f"Prediction sets were made for {most} of {len(models)} models: there are many cases and classes.")
    return models[:most]


def halves(n: int, clusters: Any, seed: int) -> NDArray[np.bool_] | None:
    """(n,) the cases of one half, by chance; cases of a cluster stay together. None where there is too little to be halved."""
    if n < LEAST_CASES:
        return None
    n_units = Design.of(n, clusters).n_units
    if n_units < 2:
        return None
    first = selection.held_out(0.5, n, clusters, seed)[0]
    return first if LEAST_HALF <= first.sum() <= n - LEAST_HALF else None


def _both_halves(
    probs: Array, truth: Array, ids: NDArray[Any], first: NDArray[np.bool_], score: str, seed: int, notes: list[str]
) -> tuple[Array, NDArray[np.int64]]:
    """For each level the plausibility mass (3, n) and the size (3, n) of the set of every case."""
    mass, size = np.empty((len(LEVELS), len(probs))), np.empty((len(LEVELS), len(probs)), np.int64)
    m = max(1, min(LABELS, MOST_LABELS // len(probs)))
    for here in (first, ~first):
        fitted = MonteCarloConformal(score.lower(), m=m, seed=seed)
        with _notices.heard():  # said below
            fitted.fit(probs[here], truth[here], case_ids=ids[here])
            for i, level in enumerate(LEVELS):
                alpha = round(1.0 - level, 12)
                sets = fitted.predict_sets(probs[~here], alpha=alpha, case_ids=ids[~here])
                inside = truth[~here][row_of(sets.offsets), sets.index]
                mass[i, ~here] = np.minimum(np.bincount(row_of(sets.offsets), inside, sets.n_cases), 1.0)
                size[i, ~here] = sets.sizes
                said = f"Prediction sets of level {level:g} hold all classes: a half of the cases is too few to calibrate them."
                if np.isinf(fitted.thresholds(alpha)).any() and said not in notes:
                    notes.append(said)
    return mass, size


def _rows(found: dict[tuple[str, str], tuple[Array, NDArray[np.int64]]], clusters: Any, context: Context) -> list[Row]:
    """With intervals over cases or clusters, thresholds as they are."""
    table = np.concatenate([mass for mass, _ in found.values()]).T
    wanted = int(context.options["n_resamples"])
    n = min(wanted, max(LEAST_RESAMPLES, MOST_WORK // table.size))
    resamples = resampling.bootstrap(table, clusters=clusters, n_resamples=n, seed=context.seed)
    ends = resamples.interval(context.options["level"], context.options["interval"])
    rows = []
    for j, ((model, score), (mass, size)) in enumerate(found.items()):
        for i, level in enumerate(LEVELS):
            low, high = ends[j * len(LEVELS) + i].tolist()
            rows.append(
                {"model": model, "score": score, "level": level, "coverage": float(mass[i].mean()),
                 "low": None if np.isnan(low) else low, "high": None if np.isnan(high) else high,
                 "mean_size": float(size[i].mean()), "empty_share": float((size[i] == 0).mean()), "n_cases": mass.shape[1]}
            )  # fmt: skip
    return rows
