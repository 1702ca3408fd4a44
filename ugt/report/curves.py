"""The section on ROC and precision-recall curves."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from . import svg
from .markup import UNDEFINED, Cell, Group, Section, grouped_table, interval, number, section, text

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    Data = Mapping[str, Any]
    Entry = Mapping[str, Any]

NONE = "–"
POSITIVE, NEGATIVE = "positive percent agreement", "1 - negative percent agreement"
CURVES = {
    "roc": ("ROC curve", NEGATIVE, POSITIVE, "up and to the left is better; the diagonal is chance"),
    "pr": ("Precision-recall curve", f"{POSITIVE} (recall)", "positives among the flagged (precision)", "up and right is better"),
}
SHOWN_AT = {"roc": (0.1, 0.2, 0.5), "pr": (0.5, 0.8, 0.9)}  # in the tables
MARKS, SMALL_MARKS = (10, 25, 40), (4, 16, 32)  # points of a soft and of a hard curve: shapes tell models apart without colour
MOST_DRAWN = 3  # classes


def curves(source: Data) -> Section:
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
        return section("curves", "ROC and precision-recall curves", how, said)
    points = source.get("curves") or ()
    level = f"{source['provenance']['level'] * 100:g}% interval"
    drawn = []
    names = list(dict.fromkeys(e["class"] for e in areas))
    for i, name in enumerate(names[:MOST_DRAWN]):
        for curve in CURVES:
            drawn.append(figure([e for e in points if (e["class"], e["curve"]) == (name, curve)], curve, name, i))
    points = [e for e in points if e["class"] in names[:MOST_DRAWN]]
    more = [f"<p>{MOST_DRAWN} of {len(names)} classes are drawn; the file curves.csv has all.</p>"] if len(names) > MOST_DRAWN else []
    return section("curves", "ROC and precision-recall curves", how, *drawn, *more, _areas(areas, level), *_points(points, level))


def figure(points: Sequence[Entry], curve: str, name: str, number: int = 0) -> str:
    """Soft curves with their bands and hard ones of all models, for one class."""
    title, x_label, y_label, better = CURVES[curve]
    models = list(dict.fromkeys(e["model"] for e in points))[: svg.N_STYLES]
    if not models:
        return ""
    x, y = svg.x_scale(0, 1), svg.y_scale(0, 1)
    parts = [svg.guide([(0, 0), (1, 1)], x, y)] if curve == "roc" else []
    for style, model in enumerate(models):
        soft, hard = ([e for e in points if (e["model"], e["kind"]) == (model, kind)] for kind in ("soft", "hard"))
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
    for name in dict.fromkeys(e["class"] for e in entries):
        rows = []
        for e in entries:
            if e["class"] == name:
                html: list[str] = []
                for metric in ("auroc", "average_precision"):
                    html += [
                        _number(e[f"soft_{metric}"]),
                        _ends(e[f"soft_{metric}_low"], e[f"soft_{metric}_high"]),
                        _number(e[f"hard_{metric}"]),
                    ]
                rows.append((text(e["model"]), [Cell(one) for one in (*html, f"{e['n_cases']:,}")]))
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
            labelled = [
                (text(key[1]) + ", cut labels" * (key[2] == "hard"), [Cell(_point(e)) for e in entries]) for key, entries in of_class
            ]
            groups.append(Group(text(name), labelled))
        if groups:
            caption = f"{title}: {y_label}, {level}; at: {x_label} (the file curves.csv has all)"
            tables.append(grouped_table(caption, ["class", "model", *(f"at {at:g}" for at in SHOWN_AT[curve])], groups))
    return tables


def _point(e: Entry) -> str:
    return number(e["y"]) + ("" if e["low"] is None else f" ({interval(e['low'], e['high'])})")


def _number(value: float | None) -> str:
    return UNDEFINED if value is None else number(value)


def _ends(low: float | None, high: float | None) -> str:
    return NONE if low is None or high is None else interval(low, high)
