"""Bounds of the accuracy against the true class, and the models compared with one more annotator and with simple references."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

from ...accuracy.bounds import outer_ends
from ...accuracy.next_annotator import next_annotator_agreement
from ...tables.context import MOST_CELLS, MOST_WORK, Ask, Made
from ...tables.rows import ends_of, finite
from .. import markup as html
from ..digest import Digest, shown
from ..digits import Digits
from ..markup import Data, Section
from ..rows import below, first_of, plain_table

if TYPE_CHECKING:
    from ...accuracy.bounds import Assumed
    from ...accuracy.next_annotator import NextAnnotatorAgreement
    from ...resampling import Resamples
    from ...tables.context import Context
    from ...tables.rows import Row

TITLE = "Accuracy against the true class"
MOST_MODELS = 8  # most rows
WITH_ENDS = {"agreement": ("low", "high"), "lower": ("low",), "upper": ("high",), "independent": ("low", "high")}
TABLES = {
    "true_accuracy": (
        "model", "reliability", "voted", *(f"{name}{end}" for name, ends in WITH_ENDS.items() for end in ("", *(f"_{e}" for e in ends))),
        "always_right", "copying", "form", "n_groups", "n_cases",
    ),
    "next_annotator": (
        "model", *(f"{name}{end}" for name in ("agreement", "annotators", "difference") for end in ("", "_low", "_high")), "n_cases",
    ),
}  # fmt: skip


def make(context: Context, notes: list[str]) -> Made:
    """Return bounds and both assumptions under each truth; agreement with one more annotator."""
    tables: dict[str, list[Row]] = {}
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


def render(source: Data) -> Section | None:
    """Return bounds of the accuracy against the true class, under the main truth; None if no model was evaluated."""
    digest = Digest(source).of_choices
    entries = [e for e in source.get("true_accuracy") or () if e["reliability"] == digest.main and e["model"] in digest.models]
    if not entries:
        return None
    how = (
        "No annotation says what the true class is, so the accuracy against it depends on how a model errs. If the model knows nothing "
        "beyond the annotations, it is the UA accuracy of the first page. If the model errs independently of the annotators, it is found "
        "by removing their errors; a result above 100% says that the model shares errors with them. Without an assumption it lies between "
        "two bounds. All of this takes the plausibilities for right."
    )
    digits = Digits(0) if digest.withheld else Digits.of((e["independent_low"], e["independent_high"]) for e in entries)
    rows = []
    for e in entries[:MOST_MODELS]:
        ends = (e["independent_low"], e["independent_high"])
        bounds = f"{digits.value(e['lower'])} to {digits.value(e['upper'])}"
        rows.append((shown(e["model"]), [below(digits, e["independent"], *ends), bounds]))
    first = entries[0]
    always = f"On the scale of UA accuracy a model that is always right has {digits.percent(first['always_right'])}."
    note = f"%{digest.at_main}, {digest.intervals}; true_accuracy.csv has the other reliabilities{first_of(rows, entries)}"
    heads = ["", "if errors are<br>independent", "bounds"]
    table = plain_table("What the top-1 accuracy against the true class can be", note, heads, rows)
    return html.section("true-accuracy", TITLE, how, table, f"<p>{always}</p>")
