"""The section on prediction sets."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from . import svg
from .markup import UNDEFINED, Cell, Group, Section, grouped_table, interval, number, plain, section, share, text

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    Data = Mapping[str, Any]
    Entry = Mapping[str, Any]

MEANINGS = {"LAC": "LAC: all classes above one probability", "APS": "APS: the most probable classes, until they add up to enough"}


def coverage(source: Data) -> Section:
    """How much of the truth the sets hold, and how large they are."""
    how = (
        "A prediction set is the classes that a model leaves open at a target level. <b>Coverage</b> is the plausibility that the set "
        "holds, mean over cases: it should be at the target. Among models that reach it, the one with the smaller sets says more. The cut "
        "is found on one half of the cases and judged on the other, then the other way round; intervals are over cases or their clusters, "
        "the cuts taken as they are."
    )
    entries = source.get("set_coverage") or ()
    if not entries:
        said = "<p>None was computed: it needs models that give probabilities, and 40 cases or more.</p>"
        return section("coverage", "Prediction sets", how, said)
    scores = list(dict.fromkeys(e["score"] for e in entries))
    drawn = [figure([e for e in entries if e["score"] == score], score) for score in scores]
    level = f"{source['provenance']['level'] * 100:g}% interval"
    columns = ["model", "sets, target", "coverage", level, "classes in a set, mean", "sets that are empty", "cases"]
    groups = [Group(text(model), [_row(e) for e in entries if e["model"] == model]) for model in dict.fromkeys(e["model"] for e in entries)]
    return section("coverage", "Prediction sets", how, *drawn, grouped_table("Coverage and size of prediction sets", columns, groups))


def _row(e: Entry) -> tuple[str, list[Cell]]:
    ends = interval(e["low"], e["high"]) if e["low"] is not None else UNDEFINED
    cells = (number(e["coverage"]), ends, f"{e['mean_size']:.2f}", share(e["empty_share"]), f"{e['n_cases']:,}")
    return f"{text(e['score'])}, {e['level']:.0%}", [Cell(html) for html in cells]


def figure(entries: Sequence[Entry], score: str) -> str:
    """Coverage against the target, a line a model."""
    models = list(dict.fromkeys(e["model"] for e in entries))[: svg.N_STYLES]
    levels = sorted({e["level"] for e in entries})
    if not models:
        return ""
    ends = [v for e in entries for v in (e["level"], e["coverage"], e["low"], e["high"]) if v is not None]
    x, y = svg.x_scale(levels[0] - 0.03, min(levels[-1] + 0.03, 1.0)), svg.y_scale(*svg.around(ends))
    parts = [svg.guide([(level, level) for level in levels], x, y)]
    for style, model in enumerate(models):
        shift = 0.003 * (style - (len(models) - 1) / 2)  # bars of models beside each other
        rows = sorted((e for e in entries if e["model"] == model), key=lambda e: float(e["level"]))
        parts.append(svg.line([(e["level"] + shift, e["coverage"]) for e in rows], x, y, style))
        for e in rows:
            if e["low"] is not None:
                parts.append(svg.error_bar(e["level"] + shift, e["low"], e["high"], x, y, style))
            parts.append(svg.dot(e["level"] + shift, e["coverage"], x, y, style))
    marks = [(level, f"{level:.0%}") for level in levels]
    content = svg.axes(x, y, "target level", "coverage of the uncertain truth", marks) + "".join(parts)
    score, meaning = plain(score), MEANINGS.get(score, plain(score))
    words = f"{meaning}. The faint line is where coverage equals the target; below it sets hold too little"
    return svg.figure(f"coverage-{score.lower()}", f"Coverage of prediction sets, {score}", words, content, models)
