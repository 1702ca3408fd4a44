"""ROC and precision-recall curves against probabilities of being positive, with bands, and against these with a threshold."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from functools import partial
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from .._base.arrays import Array, Bools
from .._base.notes import Note
from ..resampling import NumberFacts, Statistic
from ..soft.bands import DIGITS, CurvePoints
from ..soft.columns import ScoreColumn
from ..soft.order import Order
from ..soft.ranking import ALL, BOTH, SoftRanking
from .context import MOST_CELLS, Ask, Made, score_of
from .rows import Number, both, with_ends

if TYPE_CHECKING:
    from ..annotations import Axes
    from .context import Context


class CurveRow(NamedTuple):
    """A point of a curve of a model's scores for a class, with its band; all in [0, 1]."""

    model: str
    class_: str
    curve: str  # "roc" or "pr"
    kind: str  # "soft" or "hard"
    x: float
    y: float
    low: Number
    high: Number
    n_cases: int


class AreaRow(NamedTuple):
    """The areas under the curves of a model's scores for a class, in [0, 1]; the soft ones have intervals."""

    model: str
    class_: str
    soft_auroc: Number
    soft_auroc_low: Number
    soft_auroc_high: Number
    hard_auroc: Number
    soft_average_precision: Number
    soft_average_precision_low: Number
    soft_average_precision_high: Number
    hard_average_precision: Number
    n_cases: int


TABLES = {"curves": CurveRow, "curve_scores": AreaRow}
GRID = np.round(np.linspace(0.0, 1.0, 51), DIGITS)
MOST_THRESHOLDS = 4096  # most thresholds of the curves of resamples
MOST_CLASSES = 6
MOST_NAMES = 10  # most names of classes that are left out
MOST_RESAMPLES, LEAST_RESAMPLES = 200, 50
MOST_WORK = 2 * 10**8  # most cases x resamples x curves: some seconds
AREAS, HARD = ("soft_auroc", "soft_average_precision"), ("hard_auroc", "hard_average_precision")


def make(context: Context, notes: list[Note]) -> Made:
    """Return rows of curves and of the areas under them."""
    if not context.scores or context.known.n_classes < 2:
        return {}
    if context.mean is None:
        notes.append(
            Note("too_large", "ROC and precision-recall curves were not computed: over {most:,} cases x classes.", most=MOST_CELLS)
        )
        return {}
    if not context.defined.any():
        return {}
    mean, n_cases = context.mean[context.defined], context.number(context.defined)
    expected = context.total(np.where(context.defined[:, None], context.mean, 0.0))
    classes = [context.positive] if context.known.n_classes == 2 else _classes(expected, context.known.axes, notes)
    n = _resamples(len(mean) * len(context.scores) * len(classes), context, notes)
    makers = dict(_makers(context, mean, classes, notes))
    found = {key: make() for key, make in makers.items()} if n else {}  # without bands one after the other, which takes less memory
    # areas of two classes are those of the metrics, on the same resamples, and have the same intervals
    soft = [(rows[0], score) for score, rows in context.further if rows[0].metric == "soft_auroc"]
    told = {row.model: score for row, score in soft if row.reliability == context.reliability}
    asks = [Ask(told[model], context.options.n_resamples, context.counted) for model, _ in makers if model in told]
    resampled: list[Any] = yield [*asks, *(Ask(one, n) for one in found.values())]
    areas = iter(resampled[: len(asks)])
    curves: list[CurveRow] = []
    rows: list[AreaRow] = []
    for ((model, name), make_one), resamples in zip(makers.items(), resampled[len(asks) :] or [None] * len(makers)):
        one = found[model, name] if found else make_one()
        bands = np.full((len(one.names), 2), np.nan) if resamples is None else resamples.interval(context.options.level)
        if model in told:
            bands[-len(ALL) :] = context.intervals(next(areas))
        curves += _points_of(model, name, one.column, bands, n_cases)
        rows.append(_areas_of(model, name, one.areas, bands[-len(ALL) :], n_cases))
    return {"curves": curves, "curve_scores": rows}


def _makers(
    context: Context, mean: Array, classes: Sequence[int], notes: list[Note]
) -> Iterator[tuple[tuple[str, str], Callable[[], Curves]]]:
    """Yield the model, the class and a function that makes their curves; add a note on classes without cases on both sides."""
    for k in classes:
        name, p = str(context.known.axes.classes[k]), np.ascontiguousarray(np.clip(mean[:, k], 0.0, 1.0))
        if not 0 < p.sum() < len(p):
            lacking = "negative" if p.sum() > 0 else "positive"
            words = "Curves of class {name} are undefined: no case is {lacking}."
            notes.append(Note("one_sided_class", words, name=name, lacking=lacking))
            continue
        for model, table in context.scores.items():
            yield (model, name), partial(Curves.of, table, k, p, context.defined, context.times)


def _classes(expected: Array, axes: Axes, notes: list[Note]) -> list[int]:
    """Return the classes with most expected cases, of expected numbers (K,)."""
    order: list[int] = np.argsort(-expected, kind="stable").tolist()
    shown, others = order[:MOST_CLASSES], order[MOST_CLASSES:]
    if others:
        names = ", ".join(str(axes.classes[k]) for k in others[:MOST_NAMES])
        more = f" and {len(others) - MOST_NAMES:,} more" if len(others) > MOST_NAMES else ""
        words = "Curves are of the {n} classes with the greatest expected number of cases. Left out: {names}{more}."
        notes.append(Note("some_classes", words, n=MOST_CLASSES, names=names, more=more))
    return shown


def _resamples(work: int, context: Context, notes: list[Note]) -> int:
    """Return the number of resamples for the bands; 0: no bands."""
    wanted = min(MOST_RESAMPLES, context.options.n_resamples)
    n = min(wanted, context.options.affordable(work, most=MOST_WORK, least=0))
    if n < min(wanted, LEAST_RESAMPLES):
        words = "ROC and precision-recall curves have no bands: there are too many cases and curves to resample."
        notes.append(Note("no_bands", words))
        return 0
    if n < wanted:
        notes.append(Note("fewer_resamples", "Bands of ROC and precision-recall curves are from {n} resamples.", n=n))
    return n


def _points_of(model: str, name: str, column: ScoreColumn, bands: Array, n_cases: int) -> list[CurveRow]:
    """Return points of the four curves, the soft ones with bands (2 G + 4, 2)."""
    rows: list[CurveRow] = []
    for kind, one in (("soft", column), ("hard", column.hard())):
        points = CurvePoints(one, GRID).estimate.reshape(2, -1)
        for i, curve in enumerate(("roc", "pr")):
            if np.isnan(points[i]).any():
                continue  # no label is positive, or none is negative
            around = bands[i * len(GRID) :] if kind == "soft" else [(None, None)] * len(GRID)
            for x, y, low_high in zip(GRID.tolist(), points[i].tolist(), around):
                rows.append(CurveRow(model, name, curve, kind, x, y, *both(low_high), n_cases))
    return rows


def _areas_of(model: str, name: str, areas: SoftRanking, around: Array, n_cases: int) -> AreaRow:
    """Return the areas, soft ones with their intervals, and hard ones."""
    found = {area: with_ends(value, low_high) for area, value, low_high in zip(ALL, areas.estimate, around)}
    (roc, precision), (hard_roc, *_), (hard_precision, *_) = (found[area] for area in AREAS), *(found[area] for area in HARD)
    return AreaRow(model, name, *roc, hard_roc, *precision, hard_precision, n_cases)


class Curves(Statistic):
    """Both curves of a column of scores of the kept cases at the places of the grid, and the areas under them: 2 G + 4 numbers."""

    def __init__(self, column: ScoreColumn, kept: Bools, times: Array | None = None) -> None:
        self.column, self._kept, self.n_cases, self.times = column, kept, len(kept), times
        self._points, self.areas = CurvePoints(column, GRID, MOST_THRESHOLDS), SoftRanking((column,), BOTH, ALL)
        self.names = (*self._points.names, *ALL)

    @classmethod
    def of(cls, scores: Array, k: int, p: Array, kept: Bools, times: Array | None) -> Curves:
        """Return the curves of class k, from scores (N, K) and the probabilities of the class in the kept cases."""
        own = None if times is None else times[kept]
        return cls(ScoreColumn(Order(np.ascontiguousarray(score_of(scores, k)[kept])), p, times=own), kept, times)

    @property
    def kept(self) -> Bools:
        """The (N,) cases that may be positive or negative."""
        return self._kept

    @property
    def facts(self) -> NumberFacts:
        return super().facts._replace(smooth=False)  # the curves have steps

    def sums(self, cases: Array | None = None) -> Array:
        """Return the sums (B, S) of the curves, then of the areas."""
        weights = (np.ones((1, self.n_cases)) if self.times is None else self.times[None]) if cases is None else cases
        weights = weights if self._kept.all() else weights.T[self._kept].T
        return np.concatenate([self._points.sums(weights), self.areas.sums(weights)], axis=1)

    def answer(self, sums: Array) -> Array:
        """Return the numbers (B, 2 G + 4)."""
        points, areas = np.split(sums, [-len(self.column.sums)], axis=1)
        return np.concatenate([self._points.answer(points), self.areas.answer(areas)], axis=1)
