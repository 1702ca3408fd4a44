"""How certain the truth itself is, under each reliability."""

from __future__ import annotations

import math

from .. import markup as html
from .. import svg, words
from ..markup import Data, Entry, Group, Section, find, level_of, unique
from ..tables import CERTAINTY

CERTAINTY_BINS = (0.0, 0.5, 0.8, 0.9, 0.99)
MOST_POINTS = 200


def render(source: Data) -> Section:
    """How certain the truth itself is, under each reliability."""
    entries = source["certainty"]
    columns = unique(entries, "reliability")
    groups = [
        Group(
            words.measure_name(measure, k), _certainty_rows([find(entries, measure=measure, k=k, reliability=r) for r in columns], source)
        )
        for measure, k in unique(entries, "measure", "k")
    ]
    how = (
        "Certainty is the probability that the most plausible classes of a case really come first: 1 means that the annotations settle it, "
        "not that they are correct. UA top-1 accuracy cannot exceed the mean certainty of the top-1 set, whichever the model: a copy of "
        "the annotations reaches it, and a model that is always right usually stays below it."
    )
    shown = html.grouped_table("Certainty of the truth, mean over cases", ["", "", *map(words.reliability_name, columns)], groups)
    if not entries:
        return html.section("certainty", "Certainty of the truth", how, "<p>None was computed.</p>")
    return html.section("certainty", "Certainty of the truth", how, shown, curve(source), _distribution(source))


def _distribution(source: Data) -> str:
    """How many cases have which certainty of the first class."""
    columns = by_reliability(source)
    ends = (*CERTAINTY_BINS[1:], math.inf)
    names = [f"below {ends[0]:g}", *(f"{low:g} to {high:g}" for low, high in zip(ends, ends[1:-1])), f"{ends[-2]:g} and above"]
    rows = [
        [name, *(html.count(sum(low <= value < high for value in values)) for values in columns.values())]
        for name, low, high in zip(names, CERTAINTY_BINS, ends)
    ]
    return html.table("Cases by the certainty of their top class", ["certainty", *map(words.key_name, columns)], rows)


def _certainty_rows(entries: list[Entry | None], source: Data) -> list[tuple[str, list[html.Cell]]]:
    return [
        ("mean", html.row_of(entries, lambda e: html.number(e["value"]))),
        (f"over {words.unit(source)}, {level_of(source)}", html.row_of(entries, lambda e: html.interval(e["case_low"], e["case_high"]))),
        ("cases below 0.99", html.row_of(entries, lambda e: f"{html.count(e['n_below_099'])} of {html.count(e['n_cases'])}")),
        *html.monte_carlo(entries),
    ]


def by_reliability(source: Data) -> dict[str, list[float]]:
    """Certainties of the cases that have one."""
    names = [name for name in next(iter(source["cases"]), ()) if name.startswith(CERTAINTY)]
    return {name[len(CERTAINTY) :]: [e[name] for e in source["cases"] if e[name] is not None] for name in names}


def curve(source: Data) -> str:
    """Certainty of the cases from the least to the most certain one, a line a reliability."""
    columns = by_reliability(source)
    keys = svg.spread(list(columns))
    lines, names = [], []
    x, y = svg.x_scale(0, 100), svg.y_scale(0, 1)
    for style, key in enumerate(keys):
        values = sorted(columns[key])
        if not values:
            continue
        at = sorted({round(i * (len(values) - 1) / max(MOST_POINTS - 1, 1)) for i in range(MOST_POINTS)})
        points = [(100 * (i + 0.5) / len(values), values[i]) for i in at]
        lines.append(svg.line(points, x, y, style))
        names.append(words.key_name(key))
    if not lines:
        return ""
    content = svg.axes(x, y, "share of cases, least certain first (%)", "certainty of the top class") + "".join(lines)
    meaning = "How much of the data the annotations settle: the further a line stays at 1, the more cases they settle"
    return svg.figure("certainty-curve", "Certainty of the cases, sorted", meaning, content, names)
