"""Rows of dots with their intervals, as figures."""

from __future__ import annotations

from typing import TYPE_CHECKING

from . import svg

if TYPE_CHECKING:
    from collections.abc import Sequence

    from .markup import Entry

LANE = 11.0  # of a model in a row


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
