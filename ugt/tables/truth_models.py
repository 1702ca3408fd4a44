"""Performance under each truth next to each other: the voted label, each reliability, each annotator."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import chain
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from .._base.arrays import Array, Int64
from .._base.counts import counted
from .._base.notes import Note
from .._base.ragged import distinct
from ..annotations.first_choices import first_choices
from .context import Made, most
from .rows import Number, reliability_key, with_ends

if TYPE_CHECKING:
    from .context import Context


class TruthModelRow(NamedTuple):
    """The accuracy of a model under one truth, in [0, 1], and its gap to that against the voted label on the same cases."""

    model: str
    truth: str  # "voted", "reliability" or "annotator"
    name: str | None
    metric: str
    k: int
    value: Number
    low: Number
    high: Number
    n_cases: int
    gap: Number
    gap_low: Number
    gap_high: Number


TABLES = {"truth_models": TruthModelRow}
MOST_ANNOTATORS = 40
LEAST_CASES = 10
METRIC = "topk_accuracy"


class Judgement(NamedTuple):
    """One truth: contributions (r, M) of some judged cases, with one column per model."""

    truth: str
    name: str | None
    rows: Int64
    table: Array


def make(context: Context, notes: list[Note]) -> Made:
    """Return the table, truths in the order voted, reliabilities, annotators, and in each the models."""
    models = list(context.scores)
    voted = [context.column(model, "voted_accuracy", None) for model in models]
    base = [column for column in voted if column is not None]
    if not models or len(base) < len(models):
        words = "Truths are set side by side for the first choice of a model only (k = 1)."
        notes += [Note("first_choices_only", words)] if models else []
        return {}
    own = np.stack(base, 1)
    judged: list[tuple[str, str | None, list[int]]] = []

    def parts() -> Iterator[tuple[Int64, Array]]:
        """Yield values of the models, and their differences from those under the voted label on the same cases."""
        for one in chain(_evaluated(context, models, own), _annotators(context, notes)):
            judged.append((one.truth, one.name, _numbers(context, one)))
            yield one.rows, np.concatenate([one.table, one.table - own[one.rows]], 1)

    (found,) = yield [context.ask_parts(parts(), "the models under each truth", notes)]
    values, ends = (table.reshape(len(judged), 2, len(models), -1) for table in (found.estimate, context.intervals(found)))
    return {"truth_models": [row for i, one in enumerate(judged) for row in _rows(models, *one, values[i, ..., 0], ends[i])]}


def _numbers(context: Context, one: Judgement) -> list[int]:
    """Return the number of cases of each model that count."""
    return [int(n) for n in context.often[one.rows] @ ~np.isnan(one.table)]


def _evaluated(context: Context, models: list[str], voted: Array) -> Iterator[Judgement]:
    """Yield the voted label and the reliabilities."""
    everything = np.arange(context.n_cases)
    yield Judgement("voted", None, everything, voted)
    for reliability in dict.fromkeys(row.reliability for row in context.metrics if row.metric == METRIC and row.k == 1):
        columns = [context.column(model, METRIC, reliability) for model in models]
        table = np.stack([column for column in columns if column is not None], 1)
        yield Judgement("reliability", reliability_key(reliability), everything, table)


def _annotators(context: Context, notes: list[Note]) -> Iterator[Judgement]:
    """Yield the annotators with most cases, if they have enough."""
    known = context.known.annotations
    if known is None or len(known.annotators) == 0:
        return
    names = known.annotators
    place = np.full(known.n_cases, -1, np.int64)
    place[context.known.rows] = np.arange(context.n_cases)
    chosen = first_choices(known)
    here = place[chosen.case] >= 0
    case, annotator, label, weight = place[chosen.case[here]], chosen.annotator[here], chosen.label[here], chosen.share[here]
    at, entry = distinct(chosen.opinion[here])
    n_cases = np.bincount(annotator[at], minlength=len(names))
    wanted = [a for a in most(n_cases, MOST_ANNOTATORS).tolist() if n_cases[a] >= LEAST_CASES]
    left_out = int((n_cases > 0).sum()) - len(wanted)
    if left_out:
        words = "{annotators} not taken as the truth one by one: fewer than {least} cases, or not among the {most} with most."
        few = counted(left_out, "annotator", ("was", "were"))
        notes.append(Note("some_annotators", words, annotators=few, least=LEAST_CASES, most=MOST_ANNOTATORS))
    hits = _hits(context, case, label, weight, entry, len(at))
    order = np.argsort(annotator[at], kind="stable")
    ends = np.searchsorted(annotator[at][order], np.arange(len(names) + 1))
    for a in wanted:
        own = order[ends[a] : ends[a + 1]]
        yield Judgement("annotator", str(names[a]), case[at][own], hits[own])


def _hits(context: Context, case: Int64, label: Int64, weight: Array, entry: Int64, n: int) -> Array:
    """Return (n, M) the share of an annotator's labels of a case that are a model's first choice."""
    return np.stack([np.bincount(entry, weight * choice[case, label], n) for choice in context.choices.values()], 1)


def _rows(models: list[str], truth: str, name: str | None, n_cases: list[int], values: Array, ends: Array) -> Iterator[TruthModelRow]:
    """Yield rows of values (2, M) and their gaps, with ends (2, M, 2); the voted label has no gap to itself."""
    is_voted = truth == "voted"
    for m, model in enumerate(models):
        gap = (None, None, None) if is_voted else with_ends(values[1, m], ends[1, m])
        yield TruthModelRow(model, truth, name, METRIC, 1, *with_ends(values[0, m], ends[0, m]), n_cases[m], *gap)
