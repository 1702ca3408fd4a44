"""The first section: which leads the data support, and whether that depends on the reliability."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from .. import words
from ..markup import Section, bullets, interval, number, section, share, table, text
from ..standings import phrase, verdicts

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    Winner = Mapping[str, Any]


def render(source: Mapping[str, Any]) -> Section:
    """The highest value of every metric and its lead, in words and as a table."""
    winners = source["winners"]
    how = (
        "Which model is best, by which metric, and does the answer change with the reliability given to the annotators? A model is called "
        "best only if the interval of its lead over every other model leaves out 0. These intervals are simultaneous over all pairs of "
        "models, on the same resamples of the cases. The lead itself is not shrunk: the same cases picked the model, which inflates its "
        "lead on average. "
        f"{words.ASSUMPTION}"
    )
    said = [*_certainty_sentences(source), *_verdicts(winners, len(source["models"])), _population(source)]
    return section("summary", "Summary", how, bullets(said), _winner_table(winners) if len(source["models"]) > 1 else "")


def _population(source: Mapping[str, Any]) -> str:
    """Whom the intervals are for."""
    unit = words.unit(source)
    same = f"Intervals over {unit}, and those of leads, are for other {unit} like these, judged by the same annotators"
    named = any(e["two_way_low"] is not None for e in source["metrics"])
    return f"{same}; those over {unit} and annotators are for other annotators like these, too." if named else f"{same}."


def _certainty_sentences(source: Mapping[str, Any]) -> list[str]:
    """The first and the last reliability are enough to show the span."""
    first_order = [e for e in source["certainty"] if e["measure"] == "certainty" and e["k"] == 1]
    ends = first_order[:1] + first_order[1:][-1:]
    if not ends:
        return []
    parts = [f"{e['n_below_099']:,} of {e['n_cases']:,} cases ({words.reliability_name(e['reliability'])})" for e in ends]
    return [f"The top class is less than 99% certain in {' and in '.join(parts)}."]


def _verdicts(winners: Sequence[Winner], n_models: int) -> list[str]:
    if n_models == 0:
        return ["No model was evaluated: this report is about the annotations."]
    if n_models == 1:
        return ["One model was evaluated: there is nothing to compare it with."]
    return [_verdict(name, of_name, _voted(winners, name)) for name, of_name in _by_metric(winners).items()]


def _verdict(name: tuple[str, int], winners: Sequence[Winner], voted: Winner | None) -> str:
    found = verdicts(winners)
    said = f"<b>{words.metric_name(*name)}:</b> "
    if len({one.model for one in found if one.n_undistinguished == 0}) > 1:
        said += "<strong>the best model changes with the reliability</strong>: "
    parts = [f"{phrase(one, text, interval)}{_where(one.at, len(found), len(winners))}" for one in found]
    if voted is not None:
        parts += [f"{phrase(one, text, interval)} against the voted label" for one in verdicts([voted])]
    return f"{said}{'; '.join(parts)}."


def _where(at: Sequence[float | None], n_verdicts: int, n_winners: int) -> str:
    if n_verdicts > 1:
        return f" at reliability {', '.join('none' if r is None else f'{r:g}' for r in at)}"
    return " under every reliability" if n_winners > 1 else ""


def _winner_table(winners: Sequence[Winner]) -> str:
    reliabilities = list(dict.fromkeys(w["reliability"] for of_name in _by_metric(winners).values() for w in of_name))
    rows = []
    for name, of_name in _by_metric(winners).items():
        by_reliability = {w["reliability"]: w for w in of_name}
        cells = [_voted(winners, name), *(by_reliability.get(r) for r in reliabilities)]
        rows.append([words.metric_name(*name), *map(_winner_cell, cells)])
    headings = ["metric", "voted label", *map(words.reliability_name, reliabilities)]
    caption = (
        "Model with the highest value, its lead over the next with a simultaneous interval, and the share of resamples in which it leads"
    )
    return table(caption, headings, rows)


def _winner_cell(winner: Winner | None) -> str:
    if winner is None:
        return "–"
    if winner["margin"] is None:
        return text(winner["model"])
    lead = f'by {number(winner["margin"])}, <span class="whole">{interval(winner["margin_low"], winner["margin_high"])}</span>'
    shown = "<br>not distinguishable" if winner["n_undistinguished"] else ""
    return f"{text(winner['model'])}<br>{lead}{shown}<br>best in {share(winner['best_share'])} of resamples"


def _by_metric(winners: Sequence[Winner]) -> dict[tuple[str, int], list[Winner]]:
    """Winners under each metric; the vote has a place beside the metric of the same k."""
    grouped: dict[tuple[str, int], list[Winner]] = {}
    for w in winners:
        if w["metric"] != "voted_accuracy":
            grouped.setdefault((w["metric"], w["k"]), []).append(w)
    return grouped


def _voted(winners: Sequence[Winner], name: tuple[str, int]) -> Winner | None:
    metric, k = name
    wanted = ("voted_accuracy", k)
    return next((w for w in winners if metric == "topk_accuracy" and (w["metric"], w["k"]) == wanted), None)
