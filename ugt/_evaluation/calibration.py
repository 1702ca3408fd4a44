"""Tables of calibration: losses of class probabilities against label histograms, and reliability bin by bin."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import numpy as np

from .. import _notices
from .._disagreement import PredictedDisagreement, predicted_disagreement
from .._histogram.input import OUTSIDE
from ..annotations import Labels
from ..disagreement import disagreement_losses
from ..histogram import histogram_losses
from ..scores import histogram_log_loss

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from .._histogram.losses import HistogramLosses

    Array = NDArray[np.float64]
    Row = dict[str, Any]

ROW_SUM = 1e-4
MOST_CELLS = 10**8  # of a table of counts
MOST_WORK = 2e9  # cells that are read for the resamples of one model: some seconds
LEAST_RESAMPLES = 100
MOST_CLASSES = 30  # with rows of their own
LOSSES = ("l_sq", "el", "cl", "dl", "il", "accuracy")
ROOTS = {"cl": "ce", "dl": "de", "disagreement_cl": "disagreement_ce"}


def is_probability(table: Array) -> bool:
    """Whether rows are probabilities."""
    inside = table.min() >= -OUTSIDE and table.max() <= 1 + OUTSIDE
    return bool(inside and np.abs(table.sum(axis=1) - 1).max() <= ROW_SUM)


def of_models(
    known: Any, scores: Mapping[str, Array], present: NDArray[np.bool_], clusters: Any, options: Mapping[str, Any], seed: int
) -> tuple[list[Row], list[Row], list[str]]:
    """Rows of losses and of bins for all models that give probabilities, and what is to be said."""
    if not isinstance(known, Labels) or not scores:
        return [], [], []
    if known.n_cases * known.n_classes > MOST_CELLS:
        return [], [], [f"Calibration was not computed: over {MOST_CELLS:,} cases x classes."]
    counts = known.counts()[present]
    rows: list[Row] = []
    bins: list[Row] = []
    notes: list[str] = []
    for name, table in scores.items():
        if not is_probability(table[present]):
            notes.append(f"The scores of model {name} are not probabilities: its calibration was not computed.")
            continue
        found = losses(counts, table[present], clusters=clusters, classes=known.axes.classes, options=options, seed=seed)
        rows += [{"model": name, **row} for row in found[0]]
        bins += [{"model": name, **row} for row in found[1]]
        notes += [note for note in found[2] if note not in notes]
    return rows, bins, notes


def losses(
    counts: NDArray[Any],
    probs: Array,
    *,
    options: Mapping[str, Any],
    seed: int,
    clusters: Any = None,
    classes: Any = None,
    disagreement: PredictedDisagreement | None = None,
) -> tuple[list[Row], list[Row], list[str]]:
    """Rows of losses (``loss, class, plugin, bias, debiased, low, high, n_cases``) and of bins, and what is to be said."""
    notes = []
    wanted = int(options["n_resamples"])
    n_resamples = min(wanted, max(LEAST_RESAMPLES, int(MOST_WORK / counts.size)))
    if n_resamples < wanted:
        notes.append(f"Intervals of calibration losses are from {n_resamples} resamples.")
    resampling = {"clusters": clusters, "n_resamples": n_resamples, "seed": seed}
    with _notices.heard():  # what is undefined is empty in the table
        found = histogram_losses(counts, probs, classes=classes)
        rows = _overall(found, resampling, options)
        rows += _log_loss(counts, probs, resampling, options, notes)
        rows += _disagreement(counts, disagreement or predicted_disagreement(_normal(probs)), resampling, options)
        by_class, bins = _by_class(found) if len(found.classes) <= MOST_CLASSES else ([], [])
    if found.n_cases == 0 or found.paired.n_cases == 0:
        notes.append("Epistemic, dispersion and disagreement losses need cases with at least two labels: there are none.")
    return [*rows, *by_class], bins, notes


def _normal(probs: Array) -> Array:
    return np.asarray(probs / probs.sum(axis=1, keepdims=True))


def _row(loss: str, plugin: Any, bias: Any, debiased: Any, ends: Any, n_cases: int, name: Any = None) -> Row:
    low, high = (None, None) if ends is None else (float(end) for end in ends)
    given = {"plugin": plugin, "bias": bias, "debiased": debiased, "low": low, "high": high}
    return {"loss": loss, "class": name, **{key: _number(value) for key, value in given.items()}, "n_cases": n_cases}


def _number(value: Any) -> float | None:
    return None if value is None or not math.isfinite(value) else float(value)


def _root(row: Row) -> Row:
    """The row of the square root of a loss; an end below 0 becomes 0, a loss below 0 has none."""
    squares = {key: row[key] for key in ("plugin", "debiased", "low", "high")}
    squares.update({end: max(squares[end], 0.0) for end in ("low", "high") if squares[end] is not None})
    roots = {key: math.sqrt(value) if value is not None and value >= 0 else None for key, value in squares.items()}
    return {**row, "loss": ROOTS[row["loss"]], **roots, "bias": None}


def _overall(found: HistogramLosses, resampling: Mapping[str, Any], options: Mapping[str, Any]) -> list[Row]:
    ends: Any = [None] * len(LOSSES)
    if found.n_cases > 1:
        ends = found.resamples(**resampling).interval(options["level"], options["interval"])
    rows = []
    for name, end in zip(LOSSES, ends):
        loss = getattr(found, name)
        of_pairs = name in ("el", "dl", "il")
        n = found.paired.n_cases if of_pairs else found.n_cases
        plugin, bias, debiased = (None, None, loss) if isinstance(loss, float) else (loss.plugin, loss.bias, loss.debiased)
        rows.append(_row(name, plugin, bias, debiased, end if _number(debiased) is not None else None, n))
    return [*rows, _root(rows[LOSSES.index("cl")]), _root(rows[LOSSES.index("dl")])]


def _log_loss(counts: NDArray[Any], probs: Array, resampling: Mapping[str, Any], options: Mapping[str, Any], notes: list[str]) -> list[Row]:
    found = histogram_log_loss(counts, probs)
    if found.n_infinite:
        notes.append(f"Log loss is infinite: probability 0 for a class that was observed ({found.n_infinite:,} cases).")
    ends = None
    if math.isfinite(found.value) and found.n_cases > 1:
        ends = found.interval(options["level"], kind=options["interval"], **resampling)
    return [_row("log_loss", None, None, found.value, ends, found.n_cases)]


def _disagreement(
    counts: NDArray[Any], predicted: PredictedDisagreement, resampling: Mapping[str, Any], options: Mapping[str, Any]
) -> list[Row]:
    found = disagreement_losses(counts, predicted.overall)
    ends: Any = (None, None)
    if found.n_cases > 1:
        ends = found.resamples(**resampling).interval(options["level"], options["interval"])[:2]
    cl = _row("disagreement_cl", found.cl.plugin, found.cl.bias, found.cl.debiased, ends[1], found.n_cases)
    return [_row("disagreement_l", None, None, found.l_phi, ends[0], found.n_cases), cl, _root(cl)]


def _by_class(found: HistogramLosses) -> tuple[list[Row], list[Row]]:
    rows, bins = [], []
    for k, name in enumerate(found.classes.tolist()):
        cl = found.per_class.cl
        row = _row("cl", cl.plugin[k], cl.bias[k], cl.debiased[k], None, found.n_cases, str(name))
        rows += [row, _root(row)]
        curve = found.reliability_curve(k)
        for b in np.flatnonzero(curve.n_cases > 0):
            bins.append(
                {"class": str(name), "bin_low": float(curve.edges[b]), "bin_high": float(curve.edges[b + 1]),
                 "n_cases": int(curve.n_cases[b]), "mean_probability": float(curve.mean_probability[b]),
                 "label_share": float(curve.label_share[b]), "low": float(curve.low[b]), "high": float(curve.high[b]),
                 "few": bool(curve.few[b])}
            )  # fmt: skip
    return rows, bins
