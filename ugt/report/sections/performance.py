"""How good the models are: every metric under each truth, with intervals and ranks."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING

from ...resampling import Resamples
from .. import markup as html
from .. import svg, words
from ..context import Made
from ..markup import Data, Entry, Group, Section, find, level_of, of, unique
from ..standings import EQUAL, both_ends, flips, standings
from .true_accuracy import COMMONEST, PERFECT

if TYPE_CHECKING:
    from ..context import Context

TITLE = "Performance"
SPREADS = ("draw_std", "draw_low", "draw_high")
STANDING = ("case_low", "case_high", "both_low", "both_high", "two_way_low", "two_way_high", "best_share", "rank_low", "rank_high")
TABLES = {
    "metrics": ("model", "reliability", "metric", "k", "value", *SPREADS, *STANDING, "mc_error", "n_cases"),
    "certainty": ("reliability", "measure", "k", "value", "case_low", "case_high", "mc_error", "n_below_099", "n_cases"),
    "winners": (
        *("metric", "k", "reliability", "model", "value", "best_share"),
        *("runner_up", "margin", "margin_low", "margin_high", "n_undistinguished"),
    ),
    "flips": ("metric", "k", "model", "other", "better_above", "reliability", "low", "high", "share_inside"),
}


def make(context: Context, notes: list[str]) -> Made:
    """Intervals of certainties and metrics over cases, alone and together with draws; ranks, leads and flips."""
    found = Resamples.beside((yield context.asked))
    options, n = context.options, len(context.certainty)
    rows = [dict(row) for row in (*context.certainty, *context.metrics, *(row for _, soft in context.soft for row in soft))]
    for row, (low, high) in zip(rows, context.intervals(found).tolist()):
        row.update(case_low=low, case_high=high)
    metrics, of_metrics = rows[n:], found.take(slice(n, None))
    for row, values, deviation in zip(metrics, of_metrics.values.T, context.deviations):
        alone = row["case_low"], row["case_high"]
        row["both_low"], row["both_high"] = both_ends(values + deviation, options.level) if deviation.any() else alone
    certainty = sorted(rows[:n], key=lambda row: (row["reliability"] or 0.0, row["measure"], row["k"]))
    winners = standings(metrics, of_metrics, options.level)  # shares and ranks go into the rows
    return {"metrics": metrics, "certainty": certainty, "winners": winners, "flips": flips(metrics, of_metrics, options.level)}


# ---- the page


def render(source: Data) -> Section:
    """A table for each metric: models by reliabilities, each value with its two spreads."""
    shown = [e for e in source["metrics"] if e["metric"] != "voted_accuracy"]
    columns = unique(shown, "reliability")
    tables = [_metric_table(source, metric, k, columns) for metric, k in unique(shown, "metric", "k")]
    how = (
        "Under each value stand ranges that answer different questions: <b>over draws</b> is what the annotations leave open about the "
        f"truth of these cases, <b>over {words.unit(source)}</b> is how far the value would move with another set of this size "
        f"({words.interval_kind(source)}); <b>over both</b> is the one to quote: other cases bring "
        "other annotations with them, so that draws add only what they share among cases. "
        f"{_of_other_annotators(source)}"
        "Bold marks the highest value of a column."
    )
    orders = unique(of(shown, metric="topk_accuracy"), "k")
    return html.section("performance", TITLE, how, *(by_reliability(source, "topk_accuracy", k) for k in orders), *tables)


def _of_other_annotators(source: Data) -> str:
    if not any(e["two_way_low"] is not None for e in source["metrics"]):
        return "All of them are for the same annotators: none is for others. "
    unit = words.unit(source)
    return (
        f"These are for the same annotators. <b>Over {unit} and annotators</b> is how far the value would move with other annotators, too; "
        "quote it where it is wider. "
    )


def _metric_table(source: Data, metric: str, k: int, columns: list[float | None]) -> str:
    by_model = {model: of(source["metrics"], model=model) for model in source["models"]}
    cells = {model: [find(entries, metric=metric, k=k, reliability=r) for r in columns] for model, entries in by_model.items()}
    headings = [words.reliability_name(r) for r in columns]
    if metric == "topk_accuracy":  # the ordinary accuracy beside the adjusted one
        headings.insert(0, "voted label")
        for model, entries in by_model.items():
            cells[model].insert(0, find(entries, metric="voted_accuracy", k=k))
    best = [max((e["value"] for e in column if e and e["value"] is not None), default=None) for column in zip(*cells.values())]
    groups = [Group(html.text(model), _metric_rows(entries, best, source)) for model, entries in cells.items()]
    for name, entries in ((name, of(source.get("references", ()), reference=name, metric=metric, k=k)) for name in (COMMONEST, PERFECT)):
        if entries:  # none of the voted label
            values = [find(entries, reliability=r) for r in columns]
            blank = [html.Cell(html.NONE)] * (len(headings) - len(columns))
            groups.append(Group(name, [("value", [*blank, *html.row_of(values, lambda e: html.number(e["value"]))])]))
    meaning = words.metric_meaning(metric, k)
    caption = f"{words.metric_name(metric, k)}{': ' if meaning else ''}{meaning} ({_case_numbers(cells.values())})"
    return html.grouped_table(caption, ["model", "", *headings], groups)


def _metric_rows(entries: list[Entry | None], best: list[float | None], source: Data) -> list[tuple[str, list[html.Cell]]]:
    values = [_value(e, b if len(source["models"]) > 1 else None) for e, b in zip(entries, best)]
    both = f"over {words.unit(source)} and annotators, {level_of(source)}"
    two_way = [html.Cell(html.ends(e, "two_way_low", "two_way_high") if e else html.NONE) for e in entries]
    return [
        ("value", values),
        (f"over draws, {level_of(source)}", html.row_of(entries, _over_draws)),
        (f"over {words.unit(source)}, {level_of(source)}", html.row_of(entries, lambda e: html.interval(e["case_low"], e["case_high"]))),
        (f"over both, {level_of(source)}", html.row_of(entries, lambda e: html.ends(e, "both_low", "both_high"))),
        *([(both, two_way)] if any(cell.html != html.NONE for cell in two_way) else []),
        *html.monte_carlo(entries),
    ]


def _value(entry: Entry | None, best: float | None) -> html.Cell:
    value = entry["value"] if entry else None
    return html.Cell(html.number(value), best=value is not None and best is not None and value >= best - EQUAL)


def _over_draws(entry: Entry) -> str:
    if entry["metric"] == "voted_accuracy":
        return "taken as certain"
    if entry["draw_low"] is None:
        return "means are taken"
    return html.interval(entry["draw_low"], entry["draw_high"])


def _case_numbers(rows: Iterable[list[Entry | None]]) -> str:
    numbers = sorted({e["n_cases"] for row in rows for e in row if e}) or [0]
    return f"{html.count(numbers[0])} cases" if len(numbers) == 1 else f"{html.count(numbers[0])} to {html.count(numbers[-1])} cases"


def by_reliability(source: Data, metric: str, k: int | None) -> str:
    """A metric against the reliability, a line a model with its intervals over draws (band) and over both (bars)."""
    entries = [e for e in source["metrics"] if (e["metric"], e["k"]) == (metric, k) and e["reliability"] and e["value"] is not None]
    models = svg.spread(unique(entries, "model"))
    reliabilities = sorted({e["reliability"] for e in entries})
    if len(reliabilities) < 2:
        return ""
    values = [e[name] for e in entries for name in ("value", "draw_low", "draw_high", "both_low", "both_high") if e[name] is not None]
    x, y = svg.x_scale(reliabilities[0] / 1.15, reliabilities[-1] * 1.15, log=True), svg.y_scale(*svg.around(values))
    parts = []
    for style, model in enumerate(models):
        rows = sorted(of(entries, model=model), key=lambda e: float(e["reliability"]))
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
    meaning = "Bands: what the annotations leave open (over draws); bars: that and another set of cases together"
    return svg.figure(f"by-reliability-{metric}-{k}", f"{name} against the reliability", meaning, content, models)
