"""The sections of the report, in the order in which they are read. Each takes the evaluation's dictionary and returns HTML."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

from . import figures, words
from .markup import (
    UNDEFINED,
    Cell,
    Group,
    Section,
    bullets,
    definitions,
    grouped_table,
    interval,
    number,
    plain,
    section,
    share,
    table,
    text,
)

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping

    Data = Mapping[str, Any]
    Entry = Mapping[str, Any]

WORKLIST_ROWS = 100
CERTAINTY_BINS = (0.0, 0.5, 0.8, 0.9, 0.99)


def data(source: Data) -> Section:
    """What came in, and what was left out."""
    facts = source["data"]
    listed = [
        ("Kind", text(facts["kind"])),
        ("Cases", _count(facts["n_cases"])),
        ("Classes", _count(facts["n_classes"])),
        *(_annotation_facts(facts) if "n_annotations" in facts else ()),
        ("Models", ", ".join(map(text, source["models"]))),
    ]
    left_out = source["left_out"]
    omitted = (
        table("Left out", ["reason", "cases"], [[text(reason), _count(n)] for reason, n in left_out.items()])
        if left_out
        else "<p>No case was left out.</p>"
    )
    how = "Cases without what a number needs are left out of that number and counted here; nothing is dropped silently."
    return section("data", "Data", how, definitions(listed), omitted)


def _annotation_facts(facts: Data) -> list[tuple[str, str]]:
    """What is known where annotations came in, and not plausibilities."""
    spread = facts["annotations_per_case"]
    return [
        ("Classes never named", _count(facts["n_unused_classes"])),
        ("Annotators", _count(facts["n_annotators"])),
        ("Annotations", _count(facts["n_annotations"])),
        ("Annotations per case", f"{spread['min']:g} to {spread['max']:g}, median {spread['median']:g}"),
    ]


def certainty(source: Data) -> Section:
    """How certain the truth itself is, under each reliability."""
    entries = source["certainty"]
    columns = _reliabilities(entries)
    groups = [
        Group(
            words.measure_name(measure, k), _certainty_rows([_find(entries, measure=measure, k=k, reliability=r) for r in columns], source)
        )
        for measure, k in dict.fromkeys((e["measure"], e["k"]) for e in entries)
    ]
    how = (
        "Certainty is the probability that the most plausible classes of a case really come first: 1 means that the annotations settle it. "
        "The top-1 accuracy of a model cannot be above the mean certainty of the top-1 set."
    )
    shown = grouped_table("Certainty of the truth, mean over cases", ["", "", *map(words.reliability_name, columns)], groups)
    if not entries:
        return section("certainty", "Certainty of the truth", how, "<p>None was computed.</p>")
    return section("certainty", "Certainty of the truth", how, shown, figures.certainty_curve(source), _distribution(source))


def _distribution(source: Data) -> str:
    """How many cases have which certainty of the first class."""
    columns = {key: [value for value in values if value is not None] for key, values in source["cases"]["certainty"].items()}
    ends = (*CERTAINTY_BINS[1:], math.inf)
    names = [f"below {ends[0]:g}", *(f"{low:g} to {high:g}" for low, high in zip(ends, ends[1:-1])), f"{ends[-2]:g} and above"]
    rows = [
        [name, *(_count(sum(low <= value < high for value in values)) for values in columns.values())]
        for name, low, high in zip(names, CERTAINTY_BINS, ends)
    ]
    return table("Cases by the certainty of their true class", ["certainty", *map(_key_name, columns)], rows)


def _certainty_rows(entries: list[Entry | None], source: Data) -> list[tuple[str, list[Cell]]]:
    return [
        ("mean", _row(entries, lambda e: number(e["value"]))),
        (f"over {_unit(source)}, {_level(source)}", _row(entries, lambda e: interval(e["case_low"], e["case_high"]))),
        ("cases below 0.99", _row(entries, lambda e: f"{_count(e['n_below_099'])} of {_count(e['n_cases'])}")),
        *_monte_carlo(entries),
    ]


def performance(source: Data) -> Section:
    """A table for each metric: models by reliabilities, each value with its two spreads."""
    shown = [e for e in source["metrics"] if e["metric"] != "voted_accuracy"]
    columns = _reliabilities(shown)
    tables = [_metric_table(source, metric, k, columns) for metric, k in dict.fromkeys((e["metric"], e["k"]) for e in shown)]
    how = (
        "Under each value stand ranges that answer different questions: <b>over draws</b> is what the annotations leave open about the "
        f"truth of these cases, <b>over {_unit(source)}</b> is how far the value would move with another set of this size "
        f"({_bootstrap(source)}); <b>over both</b> holds the two together. "
        "Bold marks the highest value of a column."
    )
    orders = dict.fromkeys(e["k"] for e in shown if e["metric"] == "topk_accuracy")
    return section("performance", "Performance", how, *(figures.by_reliability(source, "topk_accuracy", k) for k in orders), *tables)


def _metric_table(source: Data, metric: str, k: int, columns: list[float | None]) -> str:
    by_model = {model: [e for e in source["metrics"] if e["model"] == model] for model in source["models"]}
    cells = {model: [_find(entries, metric=metric, k=k, reliability=r) for r in columns] for model, entries in by_model.items()}
    headings = [words.reliability_name(r) for r in columns]
    if metric == "topk_accuracy":  # the ordinary accuracy beside the adjusted one
        headings.insert(0, "voted label")
        for model, entries in by_model.items():
            cells[model].insert(0, _find(entries, metric="voted_accuracy", k=k))
    best = [max((e["value"] for e in column if e and e["value"] is not None), default=None) for column in zip(*cells.values())]
    groups = [Group(text(model), _metric_rows(entries, best, source)) for model, entries in cells.items()]
    meaning = words.metric_meaning(metric, k)
    caption = f"{words.metric_name(metric, k)}{': ' if meaning else ''}{meaning} ({_case_numbers(cells.values())})"
    return grouped_table(caption, ["model", "", *headings], groups)


def _metric_rows(entries: list[Entry | None], best: list[float | None], source: Data) -> list[tuple[str, list[Cell]]]:
    values = [_value(e, b if len(source["models"]) > 1 else None) for e, b in zip(entries, best)]
    return [
        ("value", values),
        (f"over draws, {_level(source)}", _row(entries, _over_draws)),
        (f"over {_unit(source)}, {_level(source)}", _row(entries, lambda e: interval(e["case_low"], e["case_high"]))),
        (
            f"over both, {_level(source)}",
            _row(entries, lambda e: interval(e["both_low"], e["both_high"]) if e["both_low"] is not None else "–"),
        ),
        *_monte_carlo(entries),
    ]


def _value(entry: Entry | None, best: float | None) -> Cell:
    value = entry["value"] if entry else None
    return Cell(number(value), best=value is not None and best is not None and value >= best - 1e-12)


def _over_draws(entry: Entry) -> str:
    if entry["metric"] == "voted_accuracy":
        return "taken as certain"
    if entry["draw_low"] is None:
        return "means are taken"
    return interval(entry["draw_low"], entry["draw_high"])


def comparison(source: Data) -> Section:
    """How sure the order of the models is, and where it flips."""
    how = (
        f"All models are computed on the same resamples ({_bootstrap(source)} of the {_unit(source)}). A cell shows the share of resamples "
        f"in which a model is best, and the {_level(source)} interval of its rank."
    )
    if len(source["models"]) < 2:
        return section("comparison", "Comparison of models", how, "<p>One model was evaluated.</p>")
    names = dict.fromkeys((e["metric"], e["k"]) for e in source["metrics"])
    groups = [Group(words.metric_name(*name), _rank_rows(source, *name)) for name in names]
    found = _reliabilities(source["metrics"])
    columns = ["voted label" if r is None and len(found) > 1 else words.reliability_name(r) for r in found]
    ranks = grouped_table("Share of resamples in which a model is best; its rank", ["metric", "model", *columns], groups)
    return section("comparison", "Comparison of models", how, ranks, *_differences(source), _flip_table(source))


def _differences(source: Data) -> list[str]:
    """Every two models: an interval that holds 0 leaves open which is better."""
    entries = source.get("differences") or ()
    groups = []
    for metric, k, reliability in dict.fromkeys((e["metric"], e["k"], e["reliability"]) for e in entries):
        own = [e for e in entries if (e["metric"], e["k"], e["reliability"]) == (metric, k, reliability)]
        at = "" if reliability is None else f", {words.reliability_name(reliability)}"
        groups.append(Group(f"{words.metric_name(metric, k)}{at}", [_difference_row(e) for e in own]))
    columns = ["metric", "models", "difference", f"{_level(source)} interval", "resamples in which the first is better", "cases"]
    return [grouped_table("Differences of models, on the same resamples", columns, groups)] if groups else []


def _difference_row(e: Entry) -> tuple[str, list[Cell]]:
    cells = (number(e["difference"]), interval(e["low"], e["high"]), share(e["p_greater"]), _count(e["n_cases"]))
    return f"{text(e['model'])} − {text(e['other'])}", [Cell(cell) for cell in cells]


def _rank_rows(source: Data, metric: str, k: int) -> list[tuple[str, list[Cell]]]:
    reliabilities = _reliabilities(source["metrics"])
    rows = []
    for model in source["models"]:
        entries = [_find(source["metrics"], model=model, metric=metric, k=k, reliability=r) for r in reliabilities]
        rows.append((text(model), [Cell(_standing(e) if e else "–") for e in entries]))
    return rows


def _standing(entry: Entry) -> str:
    if entry["p_best"] is None:
        return UNDEFINED
    low, high = f"{entry['rank_low']:g}", f"{entry['rank_high']:g}"
    return f"{share(entry['p_best'])}; rank {low if low == high else f'{low} to {high}'}"


def _flip_table(source: Data) -> str:
    """Where the order of two models changes with the reliability."""
    if not source["flips"]:
        return "<p>The order of no two models changes with the reliability, among those that were evaluated.</p>"
    rows = []
    for e in source["flips"]:
        above, below = (e["model"], e["other"]) if e["better_above"] else (e["other"], e["model"])
        low = "beyond the lowest" if e["low"] is None else f"{e['low']:.3g}"
        high = "beyond the highest" if e["high"] is None else f"{e['high']:.3g}"
        names = [words.metric_name(e["metric"], e["k"]), text(below), text(above)]
        rows.append([*names, f"{e['reliability']:.3g}", f"{low} to {high}", share(e["p_inside"])])
    headings = ["metric", "better below", "better above", "at reliability", f"{_level(source)} interval", "resamples that have it"]
    return table("Where the order of two models changes", headings, rows)


def _unit(source: Data) -> str:
    return plain(source["sources"]["case_low, case_high"][0])


def _bootstrap(source: Data) -> str:
    facts = source["provenance"]
    return f"{plain(facts['interval'])} bootstrap, {_count(facts['n_resamples'])} resamples"


def worklist(source: Data) -> Section:
    """The cases, least certain first."""
    cases = source["cases"]
    total = len(cases["case"])
    columns = [
        map(text, cases["case"]),
        map(_count, cases["n_annotations"]),
        map(text, cases["voted"]),
        *(map(number, column) for column in cases["certainty"].values()),
        map(number, cases["mean_certainty"]),
    ]
    rows = [list(row) for row, _ in zip(zip(*columns), range(WORKLIST_ROWS))]
    headings = ["case", "annotations", "voted label", *(f"certainty, {_key_name(key)}" for key in cases["certainty"]), "mean certainty"]
    how = "The cases whose truth is least certain stand first: another annotation, or a discussion, is worth most there."
    more = f"<p>{_count(min(total, WORKLIST_ROWS))} of {_count(total)} cases are shown; the file cases.csv has all of them.</p>"
    return section("worklist", "Worklist", how, more, table("Cases, least certain first", headings, rows))


def notes(source: Data) -> Section:
    """What the evaluation wants to be known."""
    how = "What was noticed on the way; “undefined” in a table has its reason here or under Data."
    return section("notes", "Notes", how, bullets(map(text, source["notes"])) if source["notes"] else "<p>Nothing to note.</p>")


def _reliabilities(entries: Iterable[Entry]) -> list[float | None]:
    return list(dict.fromkeys(e["reliability"] for e in entries))


def _find(entries: Iterable[Entry], **wanted: str | float | None) -> Entry | None:
    return next((e for e in entries if all(e[key] == value for key, value in wanted.items())), None)


def _row(entries: list[Entry | None], show: Callable[[Entry], str]) -> list[Cell]:
    return [Cell(show(e) if e else UNDEFINED) for e in entries]


def _monte_carlo(entries: list[Entry | None]) -> list[tuple[str, list[Cell]]]:
    """A row for the Monte Carlo error, only where something was simulated."""
    if not any(e and e["mc_error"] for e in entries):
        return []
    return [("Monte Carlo standard error", _row(entries, lambda e: f"{e['mc_error'] or 0:.2g}"))]


def _level(source: Data) -> str:
    return f"{source['provenance']['level'] * 100:g}%"


def _case_numbers(rows: Iterable[list[Entry | None]]) -> str:
    numbers = sorted({e["n_cases"] for row in rows for e in row if e}) or [0]
    return f"{_count(numbers[0])} cases" if len(numbers) == 1 else f"{_count(numbers[0])} to {_count(numbers[-1])} cases"


def _key_name(key: str) -> str:
    try:
        return words.reliability_name(float(key))
    except ValueError:
        return words.reliability_name(None)


def _count(value: int | None) -> str:
    return "not known" if value is None else f"{value:,}"
