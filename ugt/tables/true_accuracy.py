"""Bounds of the accuracy against the true class, and the models compared with one more annotator and with simple references."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, NamedTuple

from .._base.notes import Note
from ..metrics.bounds import outer_ends
from ..metrics.next_annotator import next_annotator_agreement
from .context import MOST_CELLS, MOST_WORK, Ask, Made
from .rows import Number, finite, with_ends

if TYPE_CHECKING:
    from ..metrics.bounds import Assumed
    from ..metrics.next_annotator import NextAnnotatorAgreement
    from ..resampling import Resamples
    from .context import Context


class TrueAccuracyRow(NamedTuple):
    """What the accuracy of a model against the true class can be under a truth; in [0, 1], but for errors that are not independent."""

    model: str
    reliability: Number
    voted: Number
    agreement: Number
    agreement_low: Number
    agreement_high: Number
    lower: Number
    lower_low: Number
    upper: Number
    upper_high: Number
    independent: Number
    independent_low: Number
    independent_high: Number
    always_right: Number
    copying: Number
    form: str
    n_groups: int
    n_cases: int


class NextAnnotatorRow(NamedTuple):
    """Agreement of a model with one annotator, that of annotators with each other, and their difference, in [-1, 1]."""

    model: str
    agreement: Number
    agreement_low: Number
    agreement_high: Number
    annotators: Number
    annotators_low: Number
    annotators_high: Number
    difference: Number
    difference_low: Number
    difference_high: Number
    n_cases: int


TABLES = {"true_accuracy": TrueAccuracyRow, "next_annotator": NextAnnotatorRow}


def make(context: Context, notes: list[Note]) -> Made:
    """Return bounds and both assumptions under each truth; agreement with one more annotator."""
    if not context.scores:
        return {}
    most = max((one.work for _, _, one in context.bounds), default=0)
    n = context.options.affordable(most + 5 * context.n_cases, "bounds of the accuracy", notes, most=MOST_WORK)
    asks = [Ask(one, n, context.counted) for _, _, one in context.bounds]
    known = context.known.judged
    if not asks:
        notes.append(Note("too_large", "Bounds of the accuracy were not computed: over {most:,} cases x classes.", most=MOST_CELLS))
    if known is None and context.known.annotations is not None:
        words = "Agreement with one more annotator was not computed: some cases with rankings have no predictions."
        notes.append(Note("unjudged_rankings", words))
    people = [] if known is None else [next_annotator_agreement(known, s, ties=context.options.ties) for s in context.scores.values()]
    found = yield [*asks, *(Ask(one, context.options.n_resamples, context.counted) for one in people)]
    return {
        "true_accuracy": [_bounds(context, *given, one) for given, one in zip(context.bounds, found)],
        "next_annotator": list(_beside(context, people, found[len(asks) :])),
    }


def _bounds(context: Context, model: str, reliability: float | None, one: Assumed, found: Resamples) -> TrueAccuracyRow:
    voted = context.metric(model, "voted_accuracy", None)
    estimate, ends = dict(zip(one.names, found.estimate.tolist())), dict(zip(one.names, context.intervals(found).tolist()))
    outer = outer_ends(found, context.options.level)
    agreement, independent = (with_ends(estimate[name], ends[name]) for name in ("agreement", "independent"))
    lower, upper, always_right, copying = (finite(estimate[name]) for name in ("lower", "upper", "always_right", "copying"))
    return TrueAccuracyRow(
        model, reliability, None if voted is None else finite(context.metrics[voted].value), *agreement, lower, finite(outer[0]),
        upper, finite(outer[1]), *independent, always_right, copying, one.form, one.n_groups, one.n_counted,
    )  # fmt: skip


def _beside(context: Context, people: Sequence[NextAnnotatorAgreement], found: Sequence[Resamples]) -> Iterator[NextAnnotatorRow]:
    for model, one, drawn in zip(context.scores, people, found):
        own, among, difference = (with_ends(*known) for known in zip(drawn.estimate.tolist(), context.intervals(drawn).tolist()))
        yield NextAnnotatorRow(model, *own, *among, *difference, one.n_cases)
