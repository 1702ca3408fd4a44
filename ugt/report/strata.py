"""The sections on strata of the cases, and on which classes are taken for which."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from . import svg
from .design import NUMBERED, grid_height, squares
from .markup import UNDEFINED, Cell, Group, Section, grouped_table, interval, number, plain, section, table, text
from .truth_models import dot_plot

Data = Mapping[str, Any]
Entry = Mapping[str, Any]

METRICS = {
    "certainty": "mean certainty of the truth",
    "topk_accuracy": "top-1 accuracy",
    "voted_accuracy": "top-1 accuracy against the voted label",
}
FIGURE = ("topk_accuracy", "voted_accuracy")  # the first that there is
MOST_MODELS = 3  # matrices; the file confusion.csv has the others
NONE = "–"
LIMIT = "highest possible"
MOST_PAIRS = 20
FEW = "few cases, no interval"


def strata(source: Data) -> Section:
    """Results by stratum: a dot plot and a table for each way to part the cases."""
    title = "Results by stratum"
    how = (
        "The same numbers for parts of the cases. Where annotators agree, every model looks better, because the truth is certain there: "
        "compare models with each other within a stratum, and strata of one kind only with their certainty beside them."
    )
    entries = source.get("strata") or ()
    if not entries:
        return section("strata", title, how, "<p>None was computed: it needs cases with a certainty, or models at k = 1.</p>")
    parts = []
    for number_, stratum in enumerate(dict.fromkeys(e["stratum"] for e in entries)):
        here = [e for e in entries if e["stratum"] == stratum]
        parts += [_dots(here, stratum, number_), _table(here, stratum, source)]
    return section("strata", title, how, *parts)


def _dots(entries: Sequence[Entry], stratum: str, number_: int) -> str:
    metric = next((name for name in FIGURE if any(e["metric"] == name and e["value"] is not None for e in entries)), None)
    if metric is None:
        return ""
    found = [e for e in entries if e["metric"] == metric and e["value"] is not None]
    levels = list(dict.fromkeys(e["level"] for e in found))
    if len(levels) < 2:
        return ""
    models = list(dict.fromkeys(e["model"] for e in found))
    rows = [(level, [e for e in found if e["level"] == level]) for level in levels]
    note = "A row is a part of the cases, a dot a model, a bar its interval; a dot without a bar stands for too few cases"
    name = METRICS[metric]
    return dot_plot(f"strata-{number_}", f"{name[0].upper()}{name[1:]} by {stratum}", note, rows, models, name)


def _table(entries: Sequence[Entry], stratum: str, source: Data) -> str:
    """A row for the certainty of a level, then one for each model with what it is by either truth."""
    level = f"{source['provenance']['level'] * 100:g}% interval"
    clustered = any(e["n_clusters"] is not None for e in entries)
    metrics = [name for name in FIGURE if any(e["metric"] == name for e in entries)]
    groups = []
    for name in dict.fromkeys(e["level"] for e in entries):
        here = [e for e in entries if e["level"] == name]
        groups.append(Group(text(name), [_row(here, model, metrics, clustered) for model in dict.fromkeys(e["model"] for e in here)]))
    columns = [text(stratum), "", *(part for name in metrics or ("certainty",) for part in (METRICS[name], level)), "cases"]
    return grouped_table(f"By {plain(stratum)}", [*columns, *(["clusters"] if clustered else [])], groups)


def _row(entries: Sequence[Entry], model: str | None, metrics: Sequence[str], clustered: bool) -> tuple[str, list[Cell]]:
    own = {e["metric"]: e for e in entries if e["model"] == model}
    first = next(iter(own.values()))
    names = ("certainty",) if model is None else metrics
    cells = [html for name in names for html in _numbers(own.get(name))]
    cells += [NONE] * (2 * len(metrics or names) - len(cells))  # certainty has no second truth
    clusters = [f"{first['n_clusters']:,}" if first["n_clusters"] is not None else UNDEFINED] if clustered else []
    return LIMIT if model is None else text(model), [Cell(html) for html in (*cells, f"{first['n_cases']:,}", *clusters)]


def _numbers(entry: Entry | None) -> tuple[str, str]:
    if entry is None:
        return NONE, NONE
    return number(entry["value"]), FEW if entry["few"] else interval(entry["low"], entry["high"])


def confusion(source: Data) -> Section:
    """Soft confusion matrices and agreement class by class."""
    title = "Which classes are taken for which"
    how = (
        "A case counts for every class with its plausibility, so numbers of cases are expected ones. Row: the class by the annotators, "
        "column: the model's first choice. Positive percent agreement is the share of a class's expected cases that the model gives it, "
        "negative percent agreement the share of all others that it does not; both stay below 1 where annotators disagree, and neither "
        "tells how often the model is right about nature."
    )
    entries = source.get("confusion") or ()
    if not entries:
        said = "<p>None was computed: it needs a model, and plausibilities that are not too many for one table.</p>"
        return section("confusion", title, how, said)
    models = list(dict.fromkeys(e["model"] for e in entries))
    parts = []
    for number_, model in enumerate(models[:MOST_MODELS]):
        here = [e for e in entries if e["model"] == model]
        parts += [_map(here, model, number_), _matrix(here, model)]
    if len(models) > MOST_MODELS:
        parts.append(f"<p>{MOST_MODELS} of {len(models):,} models are shown; the file confusion.csv has all of them.</p>")
    return section("confusion", title, how, *parts, _class_agreement(source))


def _map(entries: Sequence[Entry], model: str, number_: int) -> str:
    """Shares of each row as shaded squares."""
    names = list(dict.fromkeys(e["truth"] for e in entries))
    place = {name: i for i, name in enumerate(names)}
    at = {(place[e["truth"]], place[e["predicted"]]): e for e in entries}
    value = {key: e["share"] or 0.0 for key, e in at.items()}
    shown = {key: f"{100 * v:.0f}" for key, v in value.items()}
    said = {key: f"{e['truth']}, taken for {e['predicted']}: {_percent(e['share'])} ({e['n']:.1f} cases)" for key, e in at.items()}
    note = "Row: the class by the annotators; column: the model's first choice; in each square the share of its row in percent, the darker "
    note += "the more; dark squares off the diagonal are classes taken for others"
    content = squares(names, names, value, shown, said, 1.0)
    return svg.figure(
        f"confusion-{number_}", f"Soft confusion matrix of {model}", note, content, height=grid_height(len(names), len(names))
    )


def _percent(value: float | None) -> str:
    return UNDEFINED if value is None else f"{100 * value:.0f}%"


def _matrix(entries: Sequence[Entry], model: str) -> str:
    """All expected numbers where they fit, else those of the pairs of classes that are confused most."""
    names = list(dict.fromkeys(e["truth"] for e in entries))
    if len(names) <= NUMBERED:
        n = {(e["truth"], e["predicted"]): e["n"] for e in entries}
        rows = [[text(truth), *(f"{n[truth, predicted]:.1f}" for predicted in names)] for truth in names]
        caption = f"Expected numbers of cases of {plain(model)}: by the annotators (rows) and first choice (columns)"
        return table(caption, ["", *map(text, names)], rows)
    wrong = sorted((e for e in entries if e["truth"] != e["predicted"] and e["n"] > 0), key=lambda e: -float(e["n"]))[:MOST_PAIRS]
    listed = [[text(e["truth"]), text(e["predicted"]), f"{e['n']:.1f}", _percent(e["share"])] for e in wrong]
    caption = f"Classes that {plain(model)} takes for others, the most frequent first"
    columns = ["by the annotators", "first choice", "expected cases", "of the class"]
    return table(caption, columns, listed) + "\n<p>The file confusion.csv has the whole matrix.</p>"


def _class_agreement(source: Data) -> str:
    entries = source.get("class_agreement") or ()
    if not entries:
        return ""
    level = f"{source['provenance']['level'] * 100:g}% interval"
    groups = [
        Group(text(model), [_agreement_row(e) for e in entries if e["model"] == model])
        for model in dict.fromkeys(e["model"] for e in entries)
    ]
    columns = ["model", "class", "positive percent agreement", level, "negative percent agreement", level, "expected cases"]
    return grouped_table("Agreement with the annotators, class by class", columns, groups)


def _agreement_row(e: Entry) -> tuple[str, list[Cell]]:
    cells = []
    for kind in ("ppa", "npa"):
        cells += [number(e[kind]), interval(e[f"{kind}_low"], e[f"{kind}_high"])]
    return text(e["class"]), [Cell(html) for html in (*cells, f"{e['n_expected']:.1f}")]
