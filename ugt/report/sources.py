"""The section that says where the uncertainty of a model's accuracy comes from."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from . import svg, words
from .markup import Cell, Group, Section, grouped_table, interval, number, section, text

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    Data = Mapping[str, Any]
    Entry = Mapping[str, Any]

MEANINGS = {
    "annotators": "other annotators, the same cases",
    "draws": "what the annotations leave open",
    "cases": "other cases with their annotations",
    "clusters": "other clusters with their annotations",
    "cases and draws": "all together",
    "clusters and draws": "all together",
}
MOST_MODELS = 6


def sources(source: Data) -> Section:
    """The spread of each model's accuracy by source: a figure and the table behind it."""
    how = (
        "The same accuracy could have come out differently for several reasons, and each has an interval of its own. Where “what the "
        "annotations leave open” is wide, more annotations of these cases help; where “other cases” is wide, more cases do. “All "
        "together” is the one to quote; other cases already bring other annotators with them."
    )
    entries = source.get("sources_of_spread") or ()
    if not entries:
        return section("spread", "Where the uncertainty comes from", how, "<p>None was computed: no model was evaluated.</p>")
    level = f"{source['provenance']['level'] * 100:g}%"
    first = entries[0]
    at = "" if first["reliability"] is None else f" at {words.reliability_name(first['reliability'])}"
    name = f"{words.metric_name(first['metric'], first['k'])}{at}"
    models = list(dict.fromkeys(e["model"] for e in entries))
    groups = [Group(text(model), _rows([e for e in entries if e["model"] == model])) for model in models]
    shown = grouped_table(
        f"{name} by source of uncertainty", ["model", "source", "value", "standard deviation", f"{level} interval"], groups
    )
    return section("spread", "Where the uncertainty comes from", how, _figure(entries, models[:MOST_MODELS], name), shown)


def _rows(entries: Sequence[Entry]) -> list[tuple[str, list[Cell]]]:
    return [
        (MEANINGS[e["source"]], [Cell(number(e["value"])), Cell(number(e["std"])), Cell(interval(e["low"], e["high"]))]) for e in entries
    ]


def _figure(entries: Sequence[Entry], models: Sequence[str], name: str) -> str:
    kinds = list(dict.fromkeys(MEANINGS[e["source"]] for e in entries))
    known = [e for e in entries if e["model"] in models and e["value"] is not None and e["low"] is not None]
    if not known:
        return ""
    x = svg.Scale(*svg.around([end for e in known for end in (e["low"], e["high"])]), 130, svg.WIDTH - svg.RIGHT)
    parts, top = [], float(svg.TOP)
    for model in models:
        rows = [e for e in known if e["model"] == model]
        parts.append(svg.row_name(model, top + 9 * max(len(rows) - 1, 0) + 9))
        for e in rows:
            style = kinds.index(MEANINGS[e["source"]])
            parts += [svg.row_bar(e["low"], e["high"], top + 9, x, style), svg.marker(x.at(e["value"]), top + 9, style)]
            top += 18
        top += 10
    parts.append(svg.x_axis(x, top, name))
    title = f"{name}: intervals by source"
    text_ = "A line for each source of uncertainty of each model: the longer it is, the more of the uncertainty comes from there"
    return svg.figure("spread-figure", title, text_, "".join(parts), kinds, height=top + svg.BOTTOM)
