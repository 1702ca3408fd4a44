"""Differences of every two models on the same resamples, their ranks, and where their order flips."""

from __future__ import annotations

from itertools import combinations
from typing import TYPE_CHECKING

import numpy as np

from .. import markup as html
from .. import words
from ..context import Made
from ..markup import Data, Entry, Group, Section, find, level_of, of, unique
from ..standings import is_shown, joint_level
from ..tables import ends_of, finite

if TYPE_CHECKING:
    from ..context import Context

TITLE = "Comparison of models"
TABLES = {
    "differences": (
        "metric", "k", "reliability", "model", "other", "difference", "low", "high", "joint_low", "joint_high", "greater_share", "n_cases",
    )
}  # fmt: skip
MOST_MODELS = 10  # 45 pairs


def make(context: Context, notes: list[str]) -> Made:
    """Model minus other, against the voted label and under the middle reliability, at k = 1 under each one.

    ``joint_low`` to ``joint_high``: intervals that hold together for all pairs of models under the same truth.
    """
    models = list(context.scores)[:MOST_MODELS]
    if len(context.scores) > MOST_MODELS:
        notes.append(f"Differences of pairs are of the first {MOST_MODELS} models.")
    place = {(row["metric"], row["k"], row["reliability"], row["model"]): i for i, row in enumerate(context.metrics)}
    wanted = [
        key[:3]
        for key in place
        if key[3] == models[0] and (key[2] == context.reliability or key[:2] == ("topk_accuracy", 1) or key[0] == "voted_accuracy")
    ]
    if len(models) < 2 or not wanted or not context.core.kept.any():
        return {}
    resampled, *_ = yield context.asked
    rows, n = [], len(context.certainty)
    for metric, k, reliability in wanted:
        everybody = resampled.take([n + place[metric, k, reliability, name] for name in context.scores])
        joint = joint_level(everybody, context.options.level)
        for model, other in combinations(models, 2):
            i, j = (place[metric, k, reliability, name] for name in (model, other))
            both = resampled.take([n + i, n + j])
            (ends, _), (greater_share, _) = context.intervals(both.minus(1)), both.best_share()
            (together, _) = both.minus(1).interval(joint, context.options.interval)
            n_cases = int((~np.isnan(context.columns[i] - context.columns[j])).sum())
            rows.append({
                "metric": metric, "k": k, "reliability": reliability, "model": model, "other": other,
                "difference": finite(both.estimate[0] - both.estimate[1]), **ends_of(ends),
                **ends_of(together, "joint_low", "joint_high"), "greater_share": finite(greater_share),
                "n_cases": n_cases,
            })  # fmt: skip
    return {"differences": rows}


# ---- the page


def render(source: Data) -> Section:
    """The ranks of the models over resamples, their differences, and where their order flips."""
    how = (
        f"All models are computed on the same resamples ({words.bootstrap(source)} of the {words.unit(source)}). A cell shows the share of "
        f"resamples in which a model is best (a share, not the probability that it is best), and the {level_of(source)} interval of its "
        "rank. Intervals of differences are of one pair each; those of “Which model is ahead” hold for all pairs together."
    )
    if len(source["models"]) < 2:
        return html.section("comparison", TITLE, how, "<p>One model was evaluated.</p>")
    names = unique(source["metrics"], "metric", "k")
    groups = [Group(words.metric_name(*name), _rank_rows(source, *name)) for name in names]
    found = unique(source["metrics"], "reliability")
    columns = ["voted label" if r is None and len(found) > 1 else words.reliability_name(r) for r in found]
    ranks = html.grouped_table("Share of resamples in which a model is best; its rank", ["metric", "model", *columns], groups)
    return html.section("comparison", TITLE, how, ranks, *_differences(source), _flip_table(source))


def _differences(source: Data) -> list[str]:
    """Every two models: an interval that holds 0 leaves open which is better."""
    entries = source.get("differences") or ()
    groups = []
    for metric, k, reliability in unique(entries, "metric", "k", "reliability"):
        own = of(entries, metric=metric, k=k, reliability=reliability)
        at = "" if reliability is None else f", {words.reliability_name(reliability)}"
        groups.append(Group(f"{words.metric_name(metric, k)}{at}", [_difference_row(e) for e in own]))
    columns = ["metric", "models", "difference", f"{level_of(source)} interval", "resamples in which the first is better", "cases"]
    return [html.grouped_table("Differences of models, on the same resamples", columns, groups)] if groups else []


def _difference_row(e: Entry) -> tuple[str, list[html.Cell]]:
    shown = (html.number(e["difference"]), html.interval(e["low"], e["high"]), html.share(e["greater_share"]), html.count(e["n_cases"]))
    return f"{html.text(e['model'])} − {html.text(e['other'])}", html.cells(*shown)


def _rank_rows(source: Data, metric: str, k: int) -> list[tuple[str, list[html.Cell]]]:
    reliabilities = unique(source["metrics"], "reliability")
    rows = []
    for model in source["models"]:
        entries = [find(source["metrics"], model=model, metric=metric, k=k, reliability=r) for r in reliabilities]
        rows.append((html.text(model), [html.Cell(_standing(e) if e else html.NONE) for e in entries]))
    return rows


def _standing(entry: Entry) -> str:
    if entry["best_share"] is None:
        return html.UNDEFINED
    low, high = f"{entry['rank_low']:g}", f"{entry['rank_high']:g}"
    return f"{html.share(entry['best_share'])}; rank {low if low == high else f'{low} to {high}'}"


def _flip_table(source: Data) -> str:
    """Where the order of two models changes with the reliability, if the interval of the place is closed."""
    if not source["flips"]:
        return "<p>The order of no two models changes with the reliability, among those that were evaluated.</p>"
    rows = []
    for e in source["flips"]:
        above, below = (e["model"], e["other"]) if e["better_above"] else (e["other"], e["model"])
        low = "beyond the lowest" if e["low"] is None else f"{e['low']:.3g}"
        high = "beyond the highest" if e["high"] is None else f"{e['high']:.3g}"
        names = [words.metric_name(e["metric"], e["k"]), html.text(below), html.text(above)]
        shown = "yes" if is_shown(e) else "no"
        rows.append([*names, f"{e['reliability']:.3g}", f"{low} to {high}", html.share(e["share_inside"]), shown])
    headings = [
        "metric",
        "higher below",
        "higher above",
        "at reliability",
        f"{level_of(source)} interval",
        "resamples that have it",
        "shown",
    ]
    said = "<p>A change of order is shown by the data only if its interval ends within the reliabilities on both sides.</p>"
    return html.table("Where the values of two models change their order", headings, rows) + said
