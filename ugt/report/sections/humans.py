"""Models beside annotators: discrepancy ratios of both [C]."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

import numpy as np

from ..._base import notices
from ..._base.ragged import row_of
from ...discrepancy import annotator_discrepancy, discrepancy_ratio
from .. import svg, words
from ..context import MOST_COUNTS, Rows, first_choices
from ..markup import UNDEFINED, Data, Entry, Section, bullets, ends, interval, level_of, number, of, plain, section, share, table, text
from ..tables import ends_of, finite

if TYPE_CHECKING:
    from ...annotations import Labels
    from ...discrepancy import DiscrepancyRatio
    from ..context import Context
    from ..tables import Row

TITLE = "Models and annotators"
TWO_WAY = ("two_way_low", "two_way_high", "two_way_upper")
TABLES = {"humans": ("kind", "name", "value", "low", "high", *TWO_WAY, "upper", "best_share", "n_cases")}  # and better_share of each model
MOST_ANNOTATORS = 40  # judged one by one: those with most cases
LEAST_CASES = 10


def make(context: Context, notes: list[str]) -> Rows:
    """Rows of models and annotators; none where it is not known who said what."""
    labels, options = context.known.labels, context.options
    if labels is None or not context.scores or len(labels.annotators) < 2:
        return {}
    if not _is_shared(labels):
        notes.append("Models were not compared with annotators: no case has labels of two annotators.")
        return {}
    if context.known.n_cases * context.known.n_classes > MOST_COUNTS:
        notes.append(f"Models were not compared with annotators: over {MOST_COUNTS:,} cases x classes.")
        return {}
    choices = {name: first_choices(scores) for name, scores in context.scores.items()}
    least = max(LEAST_CASES, _cases_of_the_nth(labels))
    with notices.heard():  # what is undefined is empty in the table
        found = annotator_discrepancy(labels, choices, distance="zero-one", least_cases=least)
        table_ = found.table(options.level, kind=options.interval, **context.resampling)
        # one-sided limits by the bootstrap-t: percentiles are too low there
        ratios = {name: discrepancy_ratio(labels, one, distance="zero-one") for name, one in choices.items()}
        level = max(options.level, 0.51)
        if options.interval == "auto":  # of the same kind as the limits below them
            both = {name: one.interval(options.level, kind="studentized", **context.resampling) for name, one in ratios.items()}
            table_ = [{**row, **dict(zip(("low", "high"), both[row["name"]]))} if row["kind"] == "model" else row for row in table_]
        upper = {name: one.non_inferiority(level=level, **context.resampling).limit for name, one in ratios.items()}
        two_way = {name: _two_way(one, context, level) for name, one in ratios.items()}
    if found.too_few:
        notes.append(
            f"{len(found.too_few):,} annotators were not set beside the models one by one: fewer than {least} cases with two others."
        )
    return {"humans": [_row(row, upper, two_way) for row in table_]}


def _two_way(ratio: DiscrepancyRatio, context: Context, level: float) -> Row:
    """The interval and the one-sided limit for other annotators, too."""
    low, high = ratio.ends_if_named(context.options.level, context.clusters)
    limit = math.nan
    if not math.isnan(low):
        limit = ratio.non_inferiority(level=level, clusters=context.clusters, random=("cases", "annotators")).limit
    return dict(zip(TWO_WAY, map(finite, (low, high, limit))))


def _is_shared(labels: Labels) -> bool:
    """Whether any case has labels of two annotators."""
    of_case = np.unique(np.stack([row_of(labels.offsets), labels.annotator]), axis=1)[0]
    return bool((of_case[1:] == of_case[:-1]).any())


def _cases_of_the_nth(labels: Labels) -> int:
    cases = np.sort(np.bincount(labels.annotator, minlength=len(labels.annotators)))[::-1]
    return int(cases[MOST_ANNOTATORS - 1]) if len(cases) > MOST_ANNOTATORS else 0


def _row(row: Row, upper: Mapping[str, float], two_way: Mapping[str, Row]) -> Row:
    """``upper``, ``best_share`` and ``two_way`` of models; of annotators the share of resamples in which each model is better."""
    own: Row = {**dict.fromkeys(TWO_WAY), "upper": None, "best_share": None}
    if row["kind"] == "model":
        own = {**two_way[row["name"]], "upper": finite(upper[row["name"]]), "best_share": finite(row["best_share"])}
    better = {f"better_share {name}": finite(row["better_share"].get(name)) for name in upper}
    over_cases = ends_of((row["low"], row["high"]))
    return {
        "kind": row["kind"],
        "name": row["name"],
        "value": finite(row["value"]),
        **over_cases,
        **own,
        "n_cases": row["n_cases"],
        **better,
    }


# ---- the page


def render(source: Data) -> Section:
    """Discrepancy ratios: a forest plot, the table behind it, and a sentence for each model."""
    how = (
        "The discrepancy ratio is how often a model's first choice differs from an annotator's label, divided by how often two annotators "
        "differ on the same case: 1 means that the model agrees with annotators as well as they agree with each other, 1.1 that it differs "
        "from them 10% more often than they do from each other; less is closer. An annotator's ratio is that of the annotator against the "
        "others. Errors that annotators share do not count as errors."
    )
    entries = source.get("humans") or []
    if not entries:
        said = "<p>None was computed: it needs labels, the names of the annotators, and cases that two of them labelled.</p>"
        return section("humans", TITLE, how, said)
    level = level_of(source)
    models = of(entries, kind="model")
    two_way = any(e["two_way_low"] is not None for e in models)
    how += words.OTHER_ANNOTATORS if two_way else ""
    intervals = [f"{level} interval", *([f"{level} interval, other annotators too"] if two_way else [])]
    columns = ["", "", "ratio", *intervals, "cases", *(f"share of resamples in which {text(e['name'])} is better" for e in models)]
    rows = [
        [
            text(e["name"]),
            plain(str(e["kind"])),
            number(e["value"]),
            interval(e["low"], e["high"]),
            *([ends(e, "two_way_low", "two_way_high")] if two_way else []),
            f"{e['n_cases']:,}",
            *_chances(e, models),
        ]
        for e in entries
    ]
    said = bullets(_sentence(e, level) for e in models)
    return section("humans", TITLE, how, said, forest(entries), table("Discrepancy ratios", columns, rows))


def _chances(entry: Entry, models: Sequence[Entry]) -> list[str]:
    if entry["kind"] == "model":
        return ["–"] * len(models)
    return [share(entry.get(f"better_share {e['name']}")) for e in models]


def _sentence(entry: Entry, level: str) -> str:
    name = text(entry["name"])
    if entry["value"] is None or entry["upper"] is None:
        return f"{name}: {UNDEFINED}."
    limit, wider = number(entry["upper"]), entry["two_way_upper"]
    other = "" if wider is None else f"; for other annotators, too, {number(wider)}"
    if entry["upper"] < 1 and wider is not None and wider >= 1:
        verdict = (
            f"its ratio is below 1 for these annotators (one-sided {level} limit {limit}), which is not shown for other annotators "
            f"(limit {number(wider)})"
        )
    elif entry["upper"] < 1:
        verdict = f"its ratio is below 1 (one-sided {level} limit {limit}{other}): it is closer to annotators than they are to each other"
    else:
        verdict = f"a ratio of 1 or more is not ruled out (one-sided {level} limit {limit}{other}), which does not show that it is worse"
    best = (
        f"; it is better than every single annotator in {share(entry['best_share'])} of resamples"
        if entry["best_share"] is not None
        else ""
    )
    return f"{name}: {verdict}{best}."


def forest(listed: Sequence[Entry]) -> str:
    """Discrepancy ratios of models and annotators with their intervals, one above the other."""
    entries = [e for e in listed if e["value"] is not None]
    if not entries:
        return ""
    numbers = [v for e in entries for v in (e["value"], e["low"], e["high"]) if v is not None] + [1.0]
    x = svg.Scale(*svg.around(numbers), 130, svg.WIDTH - svg.RIGHT)
    height = svg.TOP + 22.0 * len(entries)
    parts = [svg.vertical(1.0, svg.TOP, height, x)]
    for i, e in enumerate(entries):
        at, style = svg.TOP + 22.0 * i + 11, int(e["kind"] == "annotator")
        if e["low"] is not None and e["high"] is not None:
            parts.append(svg.row_bar(e["low"], e["high"], at, x, style))
        parts.append(svg.marker(x.at(e["value"]), at, style) + svg.row_name(e["name"], at))
    parts.append(svg.x_axis(x, height, "discrepancy ratio"))
    note = "Left of the line at 1: nearer to the annotators than they are to each other; an interval that crosses it leaves that open"
    return svg.figure("forest", "Discrepancy ratios", note, "".join(parts), ["model", "annotator"], lines=False, height=height + svg.BOTTOM)
