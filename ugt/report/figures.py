"""The figures of the report. Each stands beside the table that has its numbers."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from . import svg, words

if TYPE_CHECKING:
    from collections.abc import Mapping

    Data = Mapping[str, Any]
    Entry = Mapping[str, Any]

MOST_LINES = svg.N_STYLES
MOST_POINTS = 200


def certainty_curve(source: Data) -> str:
    """Certainty of the cases from the least to the most certain one, a line a reliability."""
    columns = source["cases"]["certainty"]
    keys = _spread(list(columns))
    lines, names = [], []
    x, y = svg.x_scale(0, 100), svg.y_scale(0, 1)
    for style, key in enumerate(keys):
        values = sorted(value for value in columns[key] if value is not None)
        if not values:
            continue
        at = sorted({round(i * (len(values) - 1) / max(MOST_POINTS - 1, 1)) for i in range(MOST_POINTS)})
        points = [(100 * (i + 0.5) / len(values), values[i]) for i in at]
        lines.append(svg.line(points, x, y, style))
        names.append(words.reliability_name(None if key == "given" else float(key)))
    if not lines:
        return ""
    content = svg.axes(x, y, "share of cases, least certain first (%)", "certainty of the true class") + "".join(lines)
    text = "How much of the data the annotations settle: the further a line stays at 1, the more cases have a certain truth"
    return svg.figure("certainty-curve", "Certainty of the cases, sorted", text, content, names)


def by_reliability(source: Data, metric: str, k: int | None) -> str:
    """A metric against the reliability, a line a model with its intervals over draws (band) and over both (bars)."""
    entries = [e for e in source["metrics"] if (e["metric"], e["k"]) == (metric, k) and e["reliability"] and e["value"] is not None]
    models = _spread(list(dict.fromkeys(e["model"] for e in entries)))
    reliabilities = sorted({e["reliability"] for e in entries})
    if len(reliabilities) < 2:
        return ""
    ends = [e[name] for e in entries for name in ("value", "draw_low", "draw_high", "both_low", "both_high") if e[name] is not None]
    x, y = svg.x_scale(reliabilities[0] / 1.15, reliabilities[-1] * 1.15, log=True), svg.y_scale(*svg.around(ends))
    parts = []
    for style, model in enumerate(models):
        rows = sorted((e for e in entries if e["model"] == model), key=lambda e: float(e["reliability"]))
        shift = 1 + 0.012 * (style - (len(models) - 1) / 2)  # bars of models beside each other
        drawn = [(e["reliability"], e["draw_low"], e["draw_high"]) for e in rows if e["draw_low"] is not None]
        if drawn:
            parts.append(svg.band(drawn, x, y, style))
        parts.append(svg.line([(e["reliability"], e["value"]) for e in rows], x, y, style))
        for e in rows:
            if e["both_low"] is not None:
                parts.append(svg.error_bar(e["reliability"] * shift, e["both_low"], e["both_high"], x, y, style))
            parts.append(svg.dot(e["reliability"] * shift, e["value"], x, y, style))
    name = words.metric_name(metric, k)
    marks = [(r, f"{r:g}") for r in reliabilities]
    content = svg.axes(x, y, "reliability given to the annotators", name, marks) + "".join(parts)
    text = "Bands: what the annotations leave open (over draws); bars: that and another set of cases together"
    return svg.figure(f"by-reliability-{metric}-{k}", f"{name} against the reliability", text, content, models)


def reliability_diagram(source: Data, name: str, number: int = 0) -> str:
    """Shares of labels of a class against its predicted probability, bin by bin, a line a model."""
    bins = [e for e in source["reliability_bins"] if e["class"] == name]
    models = _spread(list(dict.fromkeys(e["model"] for e in bins)))
    if not bins:
        return ""
    x, y = svg.x_scale(0, 1), svg.y_scale(0, 1)
    parts = [svg.guide([(0, 0), (1, 1)], x, y)]
    for style, model in enumerate(models):
        rows = [e for e in bins if e["model"] == model]
        parts.append(svg.line([(e["mean_probability"], e["label_share"]) for e in rows], x, y, style))
        for e in rows:
            parts.append(svg.error_bar(e["mean_probability"], e["low"], e["high"], x, y, style))
            parts.append(svg.dot(e["mean_probability"], e["label_share"], x, y, style))
    content = svg.axes(x, y, f"predicted probability of {name}", "share of annotators") + "".join(parts)
    text = "Points on the diagonal are calibrated; bars are intervals of the shares, long where a bin has few cases"
    return svg.figure(f"reliability-{number}", f"Reliability of the probability of {name}", text, content, models)


def forest(source: Data) -> str:
    """Discrepancy ratios of models and annotators with their intervals, one above the other."""
    entries = [e for e in source["humans"] if e["value"] is not None]
    if not entries:
        return ""
    ends = [v for e in entries for v in (e["value"], e["low"], e["high"]) if v is not None] + [1.0]
    x = svg.Scale(*svg.around(ends), 130, svg.WIDTH - svg.RIGHT)
    height = svg.TOP + 22.0 * len(entries)
    parts = [svg.vertical(1.0, svg.TOP, height, x)]
    for i, e in enumerate(entries):
        at, style = svg.TOP + 22.0 * i + 11, int(e["kind"] == "annotator")
        if e["low"] is not None and e["high"] is not None:
            parts.append(svg.row_bar(e["low"], e["high"], at, x, style))
        parts.append(svg.marker(x.at(e["value"]), at, style) + svg.row_name(e["name"], at))
    parts.append(svg.x_axis(x, height, "discrepancy ratio"))
    text = "Left of the line at 1: nearer to the annotators than they are to each other; an interval that crosses it leaves that open"
    return svg.figure("forest", "Discrepancy ratios", text, "".join(parts), ["model", "annotator"], lines=False, height=height + svg.BOTTOM)


def _spread(names: list[str]) -> list[str]:
    """As many as can be told apart: the first, the last, and some between."""
    if len(names) <= MOST_LINES:
        return names
    at = sorted({round(i * (len(names) - 1) / (MOST_LINES - 1)) for i in range(MOST_LINES)})
    return [names[i] for i in at]
