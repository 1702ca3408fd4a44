"""ROC and precision-recall curves against probabilities of being positive, with bands, and against labels cut at one half."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from ... import _threads
from ..._resampling.design import Design
from ..._soft.columns import Auroc, Column, Precision
from .context import MOST_CELLS

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from .context import Context, Row

    Array = NDArray[np.float64]

SCORES = ("soft_auroc", "soft_average_precision")
HEADINGS = {
    "curves": ("model", "class", "curve", "kind", "x", "y", "low", "high", "n_cases"),
    "curve_scores": (
        *("model", "class", "soft_auroc", "soft_auroc_low", "soft_auroc_high", "hard_auroc", "soft_average_precision"),
        *("soft_average_precision_low", "soft_average_precision_high", "hard_average_precision", "n_cases"),
    ),
}
DIGITS = 12  # of places on the x axis, so that 3/5 of the negatives are found at 0.6 however both are rounded
GRID = np.round(np.linspace(0.0, 1.0, 51), DIGITS)
MOST_THRESHOLDS = 4096  # of the curves of resamples: of more, so many are taken
MOST_CLASSES = 6
MOST_NAMES = 10  # of classes that are left out
MOST_RESAMPLES, LEAST_RESAMPLES = 200, 50
MOST_WORK = 2 * 10**8  # cases x resamples x curves: some seconds
ROOM = 1 << 18  # weights held at a time by a thread
AUROC, PRECISION = Auroc("exclude"), Precision("certain")


def make(context: Context) -> tuple[dict[str, list[Row]], list[str]]:
    """Rows of curves and of the areas under them, and what is to be said."""
    tables: dict[str, list[Row]] = {name: [] for name in HEADINGS}
    if not context.scores or context.known.n_classes < 2:
        return tables, []
    if context.mean is None:
        return tables, [f"ROC and precision-recall curves were not computed: over {MOST_CELLS:,} cases x classes."]
    kept = ~np.isnan(context.mean).any(axis=1)
    if not kept.any():
        return tables, []
    mean = context.mean if kept.all() else context.mean[kept]
    classes, notes = _classes(mean, context.known.axes)
    n_resamples = _resamples(len(mean) * len(context.scores) * len(classes), context, notes)
    design = Design.of(len(mean), None if context.clusters is None else context.clusters[kept])
    for k in classes:
        name, p = str(context.known.axes.classes[k]), np.ascontiguousarray(np.clip(mean[:, k], 0.0, 1.0))
        if not 0 < p.sum() < len(p):
            notes.append(f"Curves of class {name} are undefined: no case is {'negative' if p.sum() > 0 else 'positive'}.")
            continue
        for model, table in context.scores.items():
            column = Column(np.ascontiguousarray(score_of(table, k)[kept]), p, None, None)
            found = _of_column(column, design if design.n_units > 1 else None, n_resamples, context)
            start = {"model": model, "class": name}
            tables["curves"] += [{**start, **row, "n_cases": len(p)} for row in found[0]]
            tables["curve_scores"].append({**start, **found[1], "n_cases": len(p)})
    return tables, notes


def _classes(mean: Array, axes: Any) -> tuple[list[int], list[str]]:
    """The second of two classes; else those of which most cases are expected."""
    if axes.n_classes == 2:
        return [1], []
    order = np.argsort(-mean.sum(axis=0), kind="stable").tolist()
    shown, others = order[:MOST_CLASSES], order[MOST_CLASSES:]
    if not others:
        return shown, []
    names = ", ".join(str(axes.classes[k]) for k in others[:MOST_NAMES])
    more = f" and {len(others) - MOST_NAMES:,} more" if len(others) > MOST_NAMES else ""
    return shown, [f"Curves are of the {MOST_CLASSES} classes with the greatest expected number of cases. Left out: {names}{more}."]


def _resamples(work: int, context: Context, notes: list[str]) -> int:
    """How many resamples the bands are made from; 0: no bands."""
    wanted = min(MOST_RESAMPLES, int(context.options["n_resamples"]))
    n = min(wanted, MOST_WORK // work)
    if n < min(wanted, LEAST_RESAMPLES):
        notes.append("ROC and precision-recall curves have no bands: there are too many cases and curves to resample.")
        return 0
    if n < wanted:
        notes.append(f"Bands of ROC and precision-recall curves are from {n} resamples.")
    return n


def score_of(table: Array, k: int) -> Array:
    """Scores (N,) of class k: its probability, or its lead over the best other class where rows do not add up to one number."""
    own = np.asarray(table[:, k], np.float64)
    with np.errstate(invalid="ignore"):
        if np.ptp(table.sum(axis=1)) < 1e-6:
            return own
        others = np.delete(table, k, axis=1).max(axis=1)
        return np.where(own == others, 0.0, own - others)  # two equal infinities are tied


def _of_column(column: Column, design: Design | None, n_resamples: int, context: Context) -> tuple[list[Row], Row]:
    """Points of the four curves, and the row of their areas."""
    rows: list[Row] = []
    sums = column.sums
    scores = [float(AUROC.values(sums)), float(PRECISION.values(sums))]
    bands, ends = np.full((2, len(GRID), 2), np.nan), np.full((2, 2), np.nan)
    if design is not None and n_resamples:
        curves, areas = _resampled(column, design, n_resamples, context.seed)
        level = context.options["level"]
        bands, ends = _ends(curves, level), _ends(areas, level)
    for kind, one in (("soft", column), ("hard", column.hard())):
        points = Thresholds.of(one).curves()
        for i, curve in enumerate(("roc", "pr")):
            if np.isnan(points[i]).any():
                continue  # no label is positive, or none negative
            low_high = bands[i].tolist() if kind == "soft" else [(None, None)] * len(GRID)
            for x, y, (low, high) in zip(GRID.tolist(), points[i].tolist(), low_high):
                rows.append({"curve": curve, "kind": kind, "x": x, "y": y, "low": _number(low), "high": _number(high)})
    values: Row = dict(zip(SCORES, map(_number, scores)))
    values["hard_auroc"], values["hard_average_precision"] = (_number(float(metric.hard_values(sums))) for metric in (AUROC, PRECISION))
    for name, (low, high) in zip(SCORES, ends.tolist()):
        values[f"{name}_low"], values[f"{name}_high"] = _number(low), _number(high)
    names = [name for name in HEADINGS["curve_scores"] if name in values]
    return rows, {name: values[name] for name in names}


def _number(value: float | None) -> float | None:
    return None if value is None or math.isnan(value) else float(value)


@dataclass(frozen=True, eq=False)
class Thresholds:
    """What curves are drawn from: the interval of thresholds (N,) that each case lies in, T of them, and how positive it is."""

    at: NDArray[np.int64]
    positive: Array
    size: int

    @classmethod
    def of(cls, column: Column, most: int | None = None) -> Thresholds:
        """All thresholds, or at most so many."""
        n = len(column.order)
        last = column.last.astype(bool)
        if most is not None and int(last.sum()) > most:
            kept = np.flatnonzero(last)
            # equal steps in cases, and, for the precision of the first ones, equal factors; each to the end of its tie group
            half = most // 2
            steps = np.concatenate([np.linspace(0, n - 1, half), np.geomspace(1, n, half) - 1]).astype(np.int64)
            last = np.zeros(n, bool)
            last[kept[np.searchsorted(kept, np.minimum(steps, n - 1))]] = True
        at = np.empty(n, np.int64)
        at[column.order] = np.cumsum(last) - last
        return cls(at, column.positive, int(last.sum()))

    def curves(self, weights: Array | None = None) -> Array:
        """(2, G) true-positive share at each false-positive share, and precision at each recall; NaN where a curve is undefined.

        ROC curves are joined by straight lines; of several values at one place the highest. Precision is that of the first threshold
        that reaches the recall.
        """
        mass = self.positive if weights is None else weights * self.positive
        positive = np.cumsum(np.bincount(self.at, mass, self.size))
        rest = 1.0 - self.positive if weights is None else weights - mass
        negative = np.cumsum(np.bincount(self.at, rest, self.size))
        out = np.full((2, len(GRID)), np.nan)
        if not positive[-1] > 0:
            return out
        recall = positive / positive[-1]
        if negative[-1] > 0:
            x = np.round(negative / negative[-1], DIGITS)
            out[0] = np.interp(GRID, np.append(0.0, x), np.append(0.0, recall))
        reached = np.searchsorted(np.round(recall, DIGITS), GRID)
        at = np.maximum(reached, np.argmax(positive > 0))
        out[1] = positive[at] / (positive[at] + negative[at])
        return out


def _resampled(column: Column, design: Design, n_resamples: int, seed: int) -> tuple[Array, Array]:
    """Curves (2, B, G) and areas (B, 2) of resamples, the same ones for every model and class."""
    curves, areas = np.empty((2, n_resamples, len(GRID))), np.empty((n_resamples, 2))
    thresholds = Thresholds.of(column, MOST_THRESHOLDS)

    def part(begin: int, end: int) -> None:
        weights = np.ascontiguousarray(design.weights(seed, begin, end), np.float64)
        sums = column.resampled(weights)
        areas[begin:end] = np.stack([AUROC.values(sums), PRECISION.values(sums)], axis=1)
        for b in range(begin, end):
            curves[:, b] = thresholds.curves(weights[b - begin])

    _threads.run(part, n_resamples, max(1, ROOM // design.n_cases), "bootstrap")
    return curves, areas.T[:, :, None]


def _ends(table: Array, level: float) -> Array:
    """(2, G, 2) ends of intervals from values (2, B, G) over resamples, or (2, 2) where G is 1; undefined ones do not count."""
    out = np.full((len(table), table.shape[2], 2), np.nan)
    for i, values in enumerate(table):
        defined = values[~np.isnan(values).any(axis=1)]
        if len(defined):
            out[i] = np.quantile(defined, [0.5 - level / 2, 0.5 + level / 2], axis=0).T
    return out[:, 0] if table.shape[2] == 1 else out
