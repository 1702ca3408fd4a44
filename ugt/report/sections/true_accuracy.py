"""What the accuracy against the true class can be, and how the models stand beside one more annotator and simple references."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

from ...accuracy.bounds import outer_ends
from ...accuracy.next_annotator import next_annotator_agreement
from .. import markup as html
from .. import svg, words
from ..context import MOST_CELLS, MOST_WORK, Ask, Made
from ..markup import Data, Entry, Group, Section, level_of, of, unique
from ..tables import ends_of, finite

if TYPE_CHECKING:
    from ...accuracy.bounds import Assumed
    from ...accuracy.next_annotator import NextAnnotatorAgreement
    from ...resampling import Resamples
    from ..context import Context
    from ..tables import Row

TITLE = "Accuracy against the true class"
WITH_ENDS = {"agreement": ("low", "high"), "lower": ("low",), "upper": ("high",), "independent": ("low", "high")}
TABLES = {
    "true_accuracy": (
        "model", "reliability", "voted", *(f"{name}{end}" for name, ends in WITH_ENDS.items() for end in ("", *(f"_{e}" for e in ends))),
        "always_right", "copying", "form", "n_groups", "n_cases",
    ),
    "next_annotator": (
        "model", *(f"{name}{end}" for name in ("agreement", "annotators", "difference") for end in ("", "_low", "_high")), "n_cases",
    ),
    "references": ("reference", "reliability", "metric", "k", "value"),
}  # fmt: skip
COMMONEST, PERFECT = "always the commonest class", "the plausibilities themselves"


def make(context: Context, notes: list[str]) -> Made:
    """Bounds and both assumptions under each truth; agreement with one more annotator; the references."""
    tables: dict[str, list[Row]] = {"references": [dict(row) for row in context.references]}
    if not context.scores:
        return tables
    most = max((one.work for _, _, one in context.bounds), default=0)
    n = context.options.affordable(most + 5 * context.n_cases, "bounds of the accuracy", notes, most=MOST_WORK)
    asks = [Ask(one, n, context.counted) for _, _, one in context.bounds]
    known = context.known.judged
    if not asks:
        notes.append(f"Bounds of the accuracy were not computed: over {MOST_CELLS:,} cases x classes.")
    if known is None and context.known.annotations is not None:
        notes.append("Agreement with one more annotator was not computed: some cases with rankings have no predictions.")
    people = [] if known is None else [next_annotator_agreement(known, s, ties=context.options.ties) for s in context.scores.values()]
    found = yield [*asks, *(Ask(one, context.options.n_resamples, context.counted) for one in people)]
    tables["true_accuracy"] = [_bounds(context, *given, one) for given, one in zip(context.bounds, found)]
    tables["next_annotator"] = list(_beside(context, people, found[len(asks) :]))
    return tables


def _bounds(context: Context, model: str, reliability: float | None, one: Assumed, found: Resamples) -> Row:
    voted = context.metric(model, "voted_accuracy", None)
    estimate, ends = dict(zip(one.names, found.estimate.tolist())), dict(zip(one.names, context.intervals(found).tolist()))
    ends["lower"] = ends["upper"] = outer_ends(found, context.options.level)
    row: Row = {"model": model, "reliability": reliability, "voted": None if voted is None else finite(context.metrics[voted]["value"])}
    for name, wanted in WITH_ENDS.items():
        row[name] = finite(estimate[name])
        row.update({f"{name}_{end}": finite(ends[name][end == "high"]) for end in wanted})
    rest = {name: finite(estimate[name]) for name in ("always_right", "copying")}
    return {**row, **rest, "form": one.form, "n_groups": one.n_groups, "n_cases": one.n_counted}


def _beside(context: Context, people: Sequence[NextAnnotatorAgreement], found: Sequence[Resamples]) -> Iterator[Row]:
    for model, one, drawn in zip(context.scores, people, found):
        row: Row = {"model": model}
        for name, value, ends in zip(("agreement", "annotators", "difference"), drawn.estimate.tolist(), context.intervals(drawn).tolist()):
            row.update({name: finite(value), **ends_of(ends, f"{name}_low", f"{name}_high")})
        yield {**row, "n_cases": one.n_cases}


# ---- the page


def render(source: Data) -> Section:
    """A figure and a sentence a model, the table behind both; agreement with one more annotator."""
    how = (
        "No annotation says what the true class is, so that the accuracy against it cannot be computed. What it can be hangs on how a "
        "model errs: <b>if it knows nothing beyond the annotations</b> it is the uncertainty-adjusted accuracy; <b>if it errs "
        "independently of the annotators</b>, given the true class, it is found by taking their errors away; without any assumption it "
        "lies "
        "between two <b>bounds</b>. All of them take for granted that the plausibilities are right: compare the reliabilities. A model "
        "that is always "
        "right, and one that copies the annotations, are the two references."
    )
    entries = source.get("true_accuracy") or ()
    if not entries:
        return html.section(
            "true-accuracy", TITLE, how, "<p>None was computed: it needs a model, and a table of plausibilities that is not too large.</p>"
        )
    level = level_of(source)
    middle = _middle(entries)
    sentences = [_sentence(e) for e in entries if e["reliability"] == middle]
    groups = [Group(html.text(model), [_shown(e) for e in of(entries, model=model)]) for model in unique(entries, "model")]
    columns = [
        "model", "reliability", "voted label", "nothing beyond the annotations", "independent errors", "bounds",
        f"bounds with {level} ends",
        "always right", "copies the annotations", "cases",
    ]  # fmt: skip
    shown = html.grouped_table("What the top-1 accuracy against the true class can be", columns, groups)
    return html.section("true-accuracy", TITLE, how, dots(source), html.bullets(sentences), shown, _people(source, level))


def _middle(entries: Sequence[Entry]) -> float | None:
    known: list[float | None] = unique(entries, "reliability")
    return known[len(known) // 2]


def _shown(e: Entry) -> tuple[str, list[html.Cell]]:
    own = (e["agreement_low"], e["agreement_high"]), (e["independent_low"], e["independent_high"])
    values = [f"{html.number(e[name])} ({html.interval(*ends)})" for name, ends in zip(("agreement", "independent"), own)]
    bounds = [html.interval(e["lower"], e["upper"]), html.interval(e["lower_low"], e["upper_high"])]
    rest = [html.number(e["always_right"]), html.number(e["copying"]), f"{e['n_cases']:,}"]
    return html.text(words.reliability_name(e["reliability"])), html.cells(html.number(e["voted"]), *values, *bounds, *rest)


def _sentence(e: Entry) -> str:
    """One a model."""
    name, low = html.text(e["model"]), e["independent_low"]
    together = f"If {name} knows nothing beyond the annotations its accuracy is about {html.number(e['agreement'])}"
    bounds = f"the annotations alone allow {html.number(e['lower'])} to {html.number(e['upper'])}."
    if e["independent"] is None:
        return f"{together}; {bounds}"
    if low is not None and low > 1:
        return f"{together}. It does not err independently of them: that would need an accuracy above 1. Without an assumption {bounds}"
    beyond = " (which the bounds do not allow: the plausibilities are not right, or its errors not independent)"
    independent = f"about {html.number(min(1.0, e['independent']))}{beyond if low is not None and low > e['upper'] else ''}"
    return f"{together}; if it errs independently, {independent}; {bounds}"


def _people(source: Data, level: str) -> str:
    entries = source.get("next_annotator") or ()
    if not entries:
        return ""
    columns = [
        "model",
        "with one more annotator",
        f"{level} interval",
        "annotators with each other",
        "difference",
        f"{level} interval",
        "cases",
    ]
    rows = [
        [
            html.text(e["model"]), html.number(e["agreement"]), html.interval(e["agreement_low"], e["agreement_high"]),
            html.number(e["annotators"]), html.UNDEFINED if e["difference"] is None else f"{e['difference']:+.4f}",
            html.interval(e["difference_low"], e["difference_high"]), f"{e['n_cases']:,}",
        ]
        for e in entries
    ]  # fmt: skip
    return html.table("Agreement of first choices with one more annotator, which needs no assumption on the truth", columns, rows)


def dots(source: Data) -> str:
    """A row for each reading of the middle truth, in it a dot a model, and the bounds as bars."""
    entries = [e for e in source["true_accuracy"] if e["reliability"] == _middle(source["true_accuracy"])]
    rows = []
    for name in ("voted", "agreement", "independent"):
        label = {"voted": "voted label", "agreement": "knows no more", "independent": "independently"}[name]
        found = [{"model": e["model"], "value": e[name], "low": e.get(f"{name}_low"), "high": e.get(f"{name}_high")} for e in entries]
        rows.append((label, [{**one, "value": min(1.0, one["value"])} for one in found if one["value"] is not None]))
    centre = [
        {"model": e["model"], "value": (e["lower"] + e["upper"]) / 2, "low": e["lower"], "high": e["upper"]}
        for e in entries
        if e["lower"] is not None
    ]
    note = (
        "Knows no more than the annotations say, or errs independently of them; bars of the last row are bounds without an assumption, "
        "its dots their "
        "middles; other bars are intervals over cases"
    )
    return svg.dot_plot(
        "true-accuracy-figure", "What the accuracy against the true class can be", note, [*rows, ("bounds", centre)],
        unique(entries, "model"), "top-1 accuracy",
    )  # fmt: skip
