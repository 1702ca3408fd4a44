"""Bounds of the accuracy against the true class, and the models compared with one more annotator and with simple references."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

from ..metrics.bounds import outer_ends
from ..metrics.next_annotator import next_annotator_agreement
from .context import MOST_CELLS, MOST_WORK, Ask, Made
from .rows import ends_of, finite

if TYPE_CHECKING:
    from ..metrics.bounds import Assumed
    from ..metrics.next_annotator import NextAnnotatorAgreement
    from ..resampling import Resamples
    from .context import Context
    from .rows import Row

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
