"""ROC and precision-recall curves against probabilities of being positive, with bands, and against labels cut at one half."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from ..._base.arrays import Array, Bools
from ...resampling import Statistic
from ...soft.bands import DIGITS, CurvePoints
from ...soft.columns import Column
from ...soft.order import Order
from ...soft.ranking import ALL, BOTH, SoftRanking
from .. import svg
from ..context import MOST_CELLS, Ask, Made
from ..markup import Data, Entry, Group, Section, cells, ends, grouped_table, interval, level_of, number, of, section, text, unique
from ..tables import ends_of, finite

if TYPE_CHECKING:
    from ..context import Context
    from ..tables import Row

TITLE = "ROC and precision-recall curves"
TABLES = {
    "curves": ("model", "class", "curve", "kind", "x", "y", "low", "high", "n_cases"),
    "curve_scores": (
        *("model", "class", "soft_auroc", "soft_auroc_low", "soft_auroc_high", "hard_auroc", "soft_average_precision"),
        *("soft_average_precision_low", "soft_average_precision_high", "hard_average_precision", "n_cases"),
    ),
}
GRID = np.round(np.linspace(0.0, 1.0, 51), DIGITS)
MOST_THRESHOLDS = 4096  # of the curves of resamples: of more, so many are taken
MOST_CLASSES = 6
MOST_NAMES = 10  # of classes that are left out
MOST_RESAMPLES, LEAST_RESAMPLES = 200, 50
MOST_WORK = 2 * 10**8  # cases x resamples x curves: some seconds
AREAS = ("soft_auroc", "soft_average_precision")
POSITIVE, NEGATIVE = "positive percent agreement", "1 - negative percent agreement"
CURVES = {
    "roc": ("ROC curve", NEGATIVE, POSITIVE, "up and to the left is better; the diagonal is chance"),
    "pr": ("Precision-recall curve", f"{POSITIVE} (recall)", "positives among the flagged (precision)", "up and right is better"),
}
SHOWN_AT = {"roc": (0.1, 0.2, 0.5), "pr": (0.5, 0.8, 0.9)}  # in the tables
MARKS, SMALL_MARKS = (10, 25, 40), (4, 16, 32)  # points of a soft and of a hard curve: shapes tell models apart without colour
MOST_DRAWN = 3  # classes


def make(context: Context, notes: list[str]) -> Made:
    """Rows of curves and of the areas under them."""
    if not context.scores or context.known.n_classes < 2:
        return {}
    if context.mean is None:
        notes.append(f"ROC and precision-recall curves were not computed: over {MOST_CELLS:,} cases x classes.")
        return {}
    kept = context.defined
    if not kept.any():
        return {}
    mean = context.mean[kept]
    classes = _classes(mean, context.known.axes, notes)
    n = _resamples(len(mean) * len(context.scores) * len(classes), context, notes)
    found: dict[tuple[str, str], Curves] = {}
    for k in classes:
        name, p = str(context.known.axes.classes[k]), np.ascontiguousarray(np.clip(mean[:, k], 0.0, 1.0))
        if not 0 < p.sum() < len(p):
            notes.append(f"Curves of class {name} are undefined: no case is {'negative' if p.sum() > 0 else 'positive'}.")
            continue
        for model, table in context.scores.items():
            found[model, name] = Curves(Column(Order(np.ascontiguousarray(score_of(table, k)[kept])), p), kept)
    # areas of two classes are those of the metrics, on the same resamples: their intervals are the same
    told = {rows[0]["model"]: score for score, rows in context.soft if rows[0]["reliability"] == context.reliability}
    asks = [Ask(told[model], context.options.n_resamples, context.counted) for model, _ in found if model in told]
    resampled: list[Any] = yield [*asks, *(Ask(one, n) for one in (found.values() if n else ()))]
    areas = iter(resampled[: len(asks)])
    tables: dict[str, list[Row]] = {name: [] for name in TABLES}
    for ((model, name), one), resamples in zip(found.items(), resampled[len(asks) :] or [None] * len(found)):
        start, n_cases = {"model": model, "class": name}, {"n_cases": len(mean)}
        bands = np.full((len(one.names), 2), np.nan) if resamples is None else resamples.interval(context.options.level)
        if model in told:
            bands[-len(ALL) :] = context.intervals(next(areas))
        tables["curves"] += [{**start, **row, **n_cases} for row in _points_of(one.column, bands)]
        tables["curve_scores"].append({**start, **_areas_of(one.areas, bands[-len(ALL) :]), **n_cases})
    return tables


def _classes(mean: Array, axes: Any, notes: list[str]) -> list[int]:
    """The second of two classes; else those of which most cases are expected."""
    if axes.n_classes == 2:
        return [1]
    order: list[int] = np.argsort(-mean.sum(axis=0), kind="stable").tolist()
    shown, others = order[:MOST_CLASSES], order[MOST_CLASSES:]
    if others:
        names = ", ".join(str(axes.classes[k]) for k in others[:MOST_NAMES])
        more = f" and {len(others) - MOST_NAMES:,} more" if len(others) > MOST_NAMES else ""
        notes.append(f"Curves are of the {MOST_CLASSES} classes with the greatest expected number of cases. Left out: {names}{more}.")
    return shown


def _resamples(work: int, context: Context, notes: list[str]) -> int:
    """How many resamples the bands are made from; 0: no bands."""
    wanted = min(MOST_RESAMPLES, context.options.n_resamples)
    n = min(wanted, context.options.affordable(work, most=MOST_WORK, least=0))
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


def _points_of(column: Column, bands: Array) -> list[Row]:
    """Points of the four curves, the soft ones with bands (2 G + 4, 2)."""
    rows: list[Row] = []
    for kind, one in (("soft", column), ("hard", column.hard())):
        points = CurvePoints(one, GRID).estimate.reshape(2, -1)
        for i, curve in enumerate(("roc", "pr")):
            if np.isnan(points[i]).any():
                continue  # no label is positive, or none negative
            around = bands[i * len(GRID) :] if kind == "soft" else [(None, None)] * len(GRID)
            for x, y, low_high in zip(GRID.tolist(), points[i].tolist(), around):
                rows.append({"curve": curve, "kind": kind, "x": x, "y": y, **ends_of(low_high)})
    return rows


def _areas_of(areas: SoftRanking, around: Array) -> Row:
    """The areas, soft ones with their intervals, and hard."""
    row: Row = {}
    for name, value, low_high in zip(ALL, areas.estimate, around):
        row.update({name: finite(value), **(ends_of(low_high, f"{name}_low", f"{name}_high") if name in AREAS else {})})
    return {name: row[name] for name in TABLES["curve_scores"] if name in row}


class Curves(Statistic):
    """Both curves of a column of scores of the kept cases at the places of the grid, and the areas under them: 2 G + 4 numbers."""

    smooth = False  # they have steps

    def __init__(self, column: Column, kept: Bools) -> None:
        self.column, self._kept, self.n_cases = column, kept, len(kept)
        self._points, self.areas = CurvePoints(column, GRID, MOST_THRESHOLDS), SoftRanking((column,), BOTH, ALL)
        self.names = (*self._points.names, *ALL)

    @property
    def kept(self) -> Bools:
        """(N,) cases that are positive or negative at all."""
        return self._kept

    def sums(self, cases: Array | None = None) -> Array:
        """(B, S) of the curves, then of the areas."""
        weights = np.ones((1, self.n_cases)) if cases is None else cases
        weights = weights if self._kept.all() else weights.T[self._kept].T
        return np.concatenate([self._points.sums(weights), self.areas.sums(weights)], axis=1)

    def answer(self, sums: Array) -> Array:
        """(B, 2 G + 4)."""
        points, areas = np.split(sums, [-len(self.column.sums)], axis=1)
        return np.concatenate([self._points.answer(points), self.areas.answer(areas)], axis=1)


# ---- the page


def render(source: Data) -> Section:
    """A figure for each class and kind of curve, the areas, and some points."""
    how = (
        "A threshold on the score flags cases as positive. Annotators, not nature, say what is positive, so the axes are shares of "
        "<b>agreement</b> with them: positive percent agreement is the share of the positives that is flagged, negative percent agreement "
        "the share of the negatives that is not. Thick lines with a band: a case counts as positive with its plausibility; thin and "
        "dotted: with its label, cut at one half."
    )
    areas = source.get("curve_scores") or ()
    if not areas:
        said = "<p>None was drawn: curves need a model, two classes, and cases of which some may be positive and some negative.</p>"
        return section("curves", TITLE, how, said)
    points = source.get("curves") or ()
    level = f"{level_of(source)} interval"
    drawn = []
    names = unique(areas, "class")
    for i, name in enumerate(names[:MOST_DRAWN]):
        for curve in CURVES:
            drawn.append(figure(of(points, **{"class": name}, curve=curve), curve, name, i))
    points = [e for e in points if e["class"] in names[:MOST_DRAWN]]
    more = [f"<p>{MOST_DRAWN} of {len(names)} classes are drawn; the file curves.csv has all.</p>"] if len(names) > MOST_DRAWN else []
    return section("curves", TITLE, how, *drawn, *more, _areas(areas, level), *_points(points, level))


def figure(points: Sequence[Entry], curve: str, name: str, number: int = 0) -> str:
    """Soft curves with their bands and hard ones of all models, for one class."""
    title, x_label, y_label, better = CURVES[curve]
    models = unique(points, "model")[: svg.N_STYLES]
    if not models:
        return ""
    x, y = svg.x_scale(0, 1), svg.y_scale(0, 1)
    parts = [svg.guide([(0, 0), (1, 1)], x, y)] if curve == "roc" else []
    for style, model in enumerate(models):
        soft, hard = (of(points, model=model, kind=kind) for kind in ("soft", "hard"))
        band = [(e["x"], e["low"], e["high"]) for e in soft if e["low"] is not None]
        parts.append(svg.band(band, x, y, style) if band else "")
        parts.append(svg.line(_from_origin(soft, curve), x, y, style) if soft else "")
        parts.append(dotted(_from_origin(hard, curve), x, y, style) if hard else "")
        parts += [svg.dot(soft[i]["x"], soft[i]["y"], x, y, style) for i in MARKS if i < len(soft)]
        parts += [svg.marker(x.at(hard[i]["x"]), y.at(hard[i]["y"]), style, 2.5) for i in SMALL_MARKS if i < len(hard)]
    content = svg.axes(x, y, x_label, y_label) + "".join(parts)
    words = f"{better}. Bands: where the curve would lie with another set of cases, at each place by itself; dotted: labels cut at one half"
    return svg.figure(f"{curve}-{number}", f"{title}, class {name}", words[0].upper() + words[1:], content, models)


def _from_origin(points: Sequence[Entry], curve: str) -> list[tuple[float, float]]:
    found = [(e["x"], e["y"]) for e in points]
    return [(0.0, 0.0), *found] if curve == "roc" else found


def dotted(points: Sequence[tuple[float, float]], x: svg.Scale, y: svg.Scale, style: int) -> str:
    """A thin dotted line."""
    path = " ".join(f"{x.at(a):.1f},{y.at(b):.1f}" for a, b in points)
    return f'<polyline class="line s{style % svg.N_STYLES}" style="stroke-width:1" stroke-dasharray="2 2" points="{path}"/>'


def _areas(entries: Sequence[Entry], level: str) -> str:
    groups = []
    for name in unique(entries, "class"):
        rows = []
        for e in of(entries, **{"class": name}):
            html = [
                shown
                for metric in AREAS
                for shown in (number(e[metric]), ends(e, f"{metric}_low", f"{metric}_high"), number(e[metric.replace("soft", "hard")]))
            ]
            rows.append((text(e["model"]), cells(*html, f"{e['n_cases']:,}")))
        groups.append(Group(text(name), rows))
    one = ["area under ROC", level, "with cut labels"]
    return grouped_table("Areas under the curves", ["class", "model", *one, "average precision", *one[1:], "cases"], groups)


def _points(points: Sequence[Entry], level: str) -> list[str]:
    """Some points of each curve; the file has all."""
    tables = []
    for curve, (title, x_label, y_label, _) in CURVES.items():
        rows: dict[tuple[str, str, str], list[Entry]] = {}
        for e in points:
            if e["curve"] == curve and any(abs(e["x"] - at) < 1e-9 for at in SHOWN_AT[curve]):
                rows.setdefault((e["class"], e["model"], e["kind"]), []).append(e)
        groups = []
        for name in dict.fromkeys(key[0] for key in rows):
            of_class = [(key, entries) for key, entries in rows.items() if key[0] == name]
            labelled = [(text(key[1]) + ", cut labels" * (key[2] == "hard"), cells(*map(_point, entries))) for key, entries in of_class]
            groups.append(Group(text(name), labelled))
        if groups:
            caption = f"{title}: {y_label}, {level}; at: {x_label} (the file curves.csv has all)"
            tables.append(grouped_table(caption, ["class", "model", *(f"at {at:g}" for at in SHOWN_AT[curve])], groups))
    return tables


def _point(e: Entry) -> str:
    return number(e["y"]) + ("" if e["low"] is None else f" ({interval(e['low'], e['high'])})")
