"""The calibration-dispersion map of the models, and whether they foresee how often annotators disagree."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

import numpy as np

from ... import _notices, _threads
from ..._disagreement import predicted_disagreement
from ..._histogram.reliability import score_interval
from ..._histogram.sums import CASES, SHARE, SQUARE
from ..._resampling.design import Design
from ...annotations import Labels
from ...disagreement import disagreement_losses
from ...histogram import histogram_losses
from ..calibration import LEAST_RESAMPLES, MOST_CELLS, MOST_WORK, is_probability

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from .context import Context, Row

    Array = NDArray[np.float64]

HEADINGS = {
    "calibration_map": ("model", "ce", "ce_low", "ce_high", "de", "de_low", "de_high"),
    "disagreement_bins": ("model", "bin_low", "bin_high", "n_cases", "mean_predicted", "observed", "low", "high"),
}
ROOTS = {"ce": "cl", "de": "dl"}
OVERALL = ("l_sq", "el", "cl", "dl", "il", "accuracy")  # the columns that losses are resampled in
MOST_RESAMPLES = 1000
ROOM = 1 << 18  # weights held at a time by a thread


def make(context: Context) -> tuple[dict[str, list[Row]], list[str]]:
    """Rows of both tables for the models that give probabilities, where annotations are labels.

    ``context.settings["calibration"]``, where it is there, has the rows of the table of calibration: then its losses are taken.
    """
    tables: dict[str, list[Row]] = {name: [] for name in HEADINGS}
    known = context.known
    if not isinstance(known, Labels) or not context.scores:
        return tables, []
    if known.n_cases * known.n_classes > MOST_CELLS:
        return tables, [f"The calibration-dispersion map was not made: over {MOST_CELLS:,} cases x classes."]
    counts = known.counts()[context.rows]
    total = counts.sum(axis=1)
    if not (total > 0).any():
        return tables, []
    notes = [] if (total > 1).any() else ["Dispersion and disagreement need cases with at least two labels: there are none."]
    done = context.settings.get("calibration")
    for model, table in context.scores.items():
        if not is_probability(table):
            continue
        row = _losses(counts, table, context) if done is None else _taken(done, model)
        if any(row[name] is not None for name in ("ce", "ce_low", "de", "de_low")):
            tables["calibration_map"].append({"model": model, **row})
        if (total > 1).any():
            tables["disagreement_bins"] += [{"model": model, **found} for found in _bins(counts, table, context)]
    return tables, notes


def _taken(rows: Any, model: str) -> Row:
    """From the table of calibration."""
    found: Row = {}
    for name in ROOTS:
        row = next((r for r in rows if r["model"] == model and r["loss"] == name and r["class"] is None), None)
        found.update({name: row and row["debiased"], f"{name}_low": row and row["low"], f"{name}_high": row and row["high"]})
    return found


def _losses(counts: NDArray[Any], probs: Array, context: Context) -> Row:
    """Roots of the debiased losses; None for a loss below 0, and 0 for an end below 0."""
    options = context.options
    wanted = int(options["n_resamples"])
    n = min(wanted, max(LEAST_RESAMPLES, int(MOST_WORK / counts.size)))
    with _notices.heard():  # what is undefined is empty in the table
        losses = histogram_losses(counts, probs)
        ends = np.full((len(OVERALL), 2), np.nan)
        if losses.n_cases > 1:
            found = losses.resamples(clusters=context.clusters, n_resamples=n, seed=context.seed)
            ends = found.interval(options["level"], options["interval"])
    row: Row = {}
    for name, loss in ROOTS.items():
        value, end = float(getattr(losses, loss).debiased), ends[OVERALL.index(loss)]
        low, high = (None if math.isnan(value) else _root(max(float(one), 0.0)) for one in end)
        row.update({name: _root(value), f"{name}_low": low, f"{name}_high": high})
    return row


def _root(value: float) -> float | None:
    return math.sqrt(value) if value >= 0 else None


def _bins(counts: NDArray[Any], probs: Array, context: Context) -> list[Row]:
    """Predicted disagreement of two annotators against that of the pairs of labels of a case, bin by bin."""
    predicted = predicted_disagreement(probs / probs.sum(axis=1, keepdims=True)).overall
    with _notices.heard():
        found = disagreement_losses(counts, predicted)
    kept = ~np.isnan(found.observed)
    edges, observed, predicted = found.bin_edges[0], found.observed[kept], predicted[kept]
    n_bins = len(edges) - 1
    at = np.clip(np.searchsorted(edges, predicted, side="right") - 1, 0, n_bins - 1)
    size = np.bincount(at, minlength=n_bins)
    sums = [np.bincount(at, values, n_bins) for values in (observed, observed**2, predicted)]
    if context.clusters is None:
        cells = np.zeros((n_bins, 1 + max(CASES, SHARE, SQUARE)))
        cells[:, CASES], cells[:, SHARE], cells[:, SQUARE] = size, sums[0], sums[1]
        pairs = counts[kept].sum() / (2 * kept.sum())  # of labels, a case, that share none
        with np.errstate(invalid="ignore", divide="ignore"):
            ends = score_interval(cells, pairs, context.options["level"])
    else:
        ends = _resampled(at, observed, context.clusters[kept], n_bins, context)
    return [
        {"bin_low": float(edges[b]), "bin_high": float(edges[b + 1]), "n_cases": int(size[b]),
         "mean_predicted": float(sums[2][b] / size[b]), "observed": float(sums[0][b] / size[b]),
         **{end: None if math.isnan(value) else float(value) for end, value in zip(("low", "high"), ends[b])}}
        for b in np.flatnonzero(size)
    ]  # fmt: skip


def _resampled(at: NDArray[np.int64], observed: Array, clusters: Any, n_bins: int, context: Context) -> Array:
    """(B, 2) intervals of the means of bins over clusters, from the resamples in which a bin has cases."""
    design = Design.of(len(at), clusters)
    ends = np.full((n_bins, 2), np.nan)
    if design.n_units < 2:
        return ends
    n = min(int(context.options["n_resamples"]), MOST_RESAMPLES, max(LEAST_RESAMPLES, int(MOST_WORK / 4 / len(at))))
    values = np.empty((n, n_bins))

    def part(begin: int, end: int) -> None:
        for b, weights in enumerate(design.weights(context.seed, begin, end), begin):
            size = np.bincount(at, weights, n_bins)
            total = np.bincount(at, weights * observed, n_bins)
            values[b] = np.where(size > 0, total / np.where(size > 0, size, 1.0), np.nan)

    _threads.run(part, n, max(1, ROOM // len(at)), "bootstrap")
    half = context.options["level"] / 2
    for k, column in enumerate(values.T):
        defined = column[~np.isnan(column)]
        if len(defined):
            ends[k] = np.quantile(defined, [0.5 - half, 0.5 + half])
    return ends
