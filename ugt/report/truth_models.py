"""The section that sets the truths side by side."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from . import svg, words
from .markup import UNDEFINED, Cell, Group, Section, bullets, grouped_table, interval, number, section, text

Data = Mapping[str, Any]
Entry = Mapping[str, Any]

NONE = "–"
LANE = 11.0  # of a model in the row of a truth


def truth_models(source: Data) -> Section:
    """First choices of the models under each truth: a dot plot, what the gaps say, and the table behind both."""
    title = "Performance under each truth"
    how = (
        "How often a model's first choice is the true class, if the truth is the voted label, what is plausible under each reliability, or "
        "what a single annotator said. The gap is the difference from the voted label on the same cases: a gap whose interval leaves out 0 "
        "means that the choice of the truth matters more than which cases were sampled."
    )
    entries = source.get("truth_models") or ()
    if not entries:
        said = "<p>None was computed: it needs a model, and the first choice (k = 1) among the orders that were evaluated.</p>"
        return section("truth-models", title, how, said)
    level = f"{source['provenance']['level'] * 100:g}%"
    groups = [Group(truth_name(*key), [_row(e) for e in found]) for key, found in _by_truth(entries).items()]
    columns = ["truth", "model", "value", f"{level} interval", "gap to the voted label", f"{level} interval of the gap", "cases"]
    shown = grouped_table("Top-1 accuracy under each truth", columns, groups)
    return section("truth-models", title, how, dots(source), bullets(_spans(entries)), shown)


def truth_name(truth: str, name: str | None) -> str:
    """A truth, as HTML."""
    return f"annotator {text(name)}" if truth == "annotator" else _plain_name(truth, name)


def _plain_name(truth: str, name: str | None) -> str:
    if truth == "voted":
        return "voted label"
    if truth == "annotator":
        return str(name)
    return words.reliability_name(None if name in (None, "given") else float(str(name)))


def _by_truth(entries: Iterable[Entry]) -> dict[tuple[str, str | None], list[Entry]]:
    found: dict[tuple[str, str | None], list[Entry]] = {}
    for e in entries:
        found.setdefault((e["truth"], e["name"]), []).append(e)
    return found


def _row(e: Entry) -> tuple[str, list[Cell]]:
    own = e["truth"] == "voted"
    gap = NONE if own else UNDEFINED if e["gap"] is None else f"{e['gap']:+.4f}"
    ends = NONE if own else interval(e.get("gap_low"), e.get("gap_high"))
    return text(e["model"]), [Cell(html) for html in (number(e["value"]), interval(e["low"], e["high"]), gap, ends, f"{e['n_cases']:,}")]


def _spans(entries: Sequence[Entry]) -> list[str]:
    """A sentence for each model: from the least to the greatest value."""
    found = []
    for model in dict.fromkeys(e["model"] for e in entries):
        known = [e for e in entries if e["model"] == model and e["value"] is not None]
        if known:
            low, high = min(known, key=lambda e: float(e["value"])), max(known, key=lambda e: float(e["value"]))
            ends = [f"{number(e['value'])} ({truth_name(e['truth'], e['name'])})" for e in (low, high)]
            found.append(f"{text(model)}: from {ends[0]} to {ends[1]}.")
    return found


def dots(source: Data) -> str:
    """A row for each truth, in it a dot and an interval for each model."""
    by_truth = _by_truth(e for e in source["truth_models"] if e["value"] is not None)
    rows = [(_plain_name(*key), found) for key, found in by_truth.items()]
    models = list(dict.fromkeys(e["model"] for e in source["truth_models"]))
    note = "A row is a truth, a dot a model, a bar its interval over cases: dots of a model that lie apart depend on what is taken as true"
    return dot_plot("truth-models-figure", "Top-1 accuracy under each truth", note, rows, models, "top-1 accuracy")


def dot_plot(anchor: str, title: str, note: str, rows: Sequence[tuple[str, Sequence[Entry]]], models: Sequence[str], label: str) -> str:
    """Rows of dots with their intervals; as many models as can be told apart."""
    drawn = list(models[: svg.N_STYLES])
    shown = [(name, [e for e in found if e["model"] in drawn]) for name, found in rows]
    values = [v for _, found in shown for e in found for v in (e["value"], e["low"], e["high"]) if v is not None]
    if not values:
        return ""
    low, high = svg.around(values)
    x = svg.Scale(max(low, 0.0), min(high, 1.0), 130, svg.WIDTH - svg.RIGHT)
    height = svg.TOP + (LANE * len(drawn) + 12) * len(shown)
    parts = [svg.vertical(value, svg.TOP, height, x) for value in svg.ticks(x)]
    for i, (name, found) in enumerate(shown):
        top = svg.TOP + (LANE * len(drawn) + 12) * i
        parts.append(svg.row_name(name, top + (LANE * len(drawn) + 12) / 2))
        for e in found:
            style = drawn.index(e["model"])
            at = top + 6 + LANE * (style + 0.5)
            if e["low"] is not None and e["high"] is not None:
                parts.append(svg.row_bar(e["low"], e["high"], at, x, style))
            parts.append(svg.marker(x.at(e["value"]), at, style, 3.5))
    parts.append(svg.x_axis(x, height, label))
    left = f"; the first {len(drawn)} of {len(models):,} models are drawn, the table has all" if len(drawn) < len(models) else ""
    return svg.figure(anchor, title, note + left, "".join(parts), drawn, lines=False, height=height + svg.BOTTOM)
