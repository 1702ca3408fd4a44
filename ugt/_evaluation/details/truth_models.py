"""Performance under each truth side by side: the voted label, each reliability, each annotator."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from ..._ragged import row_of, sizes_of
from ...annotations import Labels, Rankings
from .. import tables
from ._samples import Part, Samples, contributions, first_choices, number
from .design import most, pairs

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from .context import Context, Row

    Array = NDArray[np.float64]
    Ints = NDArray[np.int64]

HEADINGS = {
    "truth_models": ("model", "truth", "name", "metric", "k", "value", "low", "high", "n_cases", "gap", "gap_low", "gap_high"),
}
MOST_ANNOTATORS = 40
LEAST_CASES = 10
METRIC = "topk_accuracy"


class Judgement(NamedTuple):
    """One truth: contributions (r, M) of some judged cases, a column a model."""

    truth: str
    name: str | None
    rows: Ints
    table: Array


def make(context: Context) -> tuple[dict[str, list[Row]], list[str]]:
    """The table, truths in the order voted, reliabilities, annotators, and in each the models."""
    notes: list[str] = []
    models = list(context.scores)
    voted = [contributions(context, model, "voted_accuracy", None) for model in models]
    if not models or any(column is None for column in voted):
        said = ["Truths are set side by side for the first choice of a model only (k = 1)."] if models else []
        return {"truth_models": []}, said
    base = np.stack([column for column in voted if column is not None], 1)
    found = [*_evaluated(context, models, base), *_annotators(context, notes)]
    parts = [_with_gap(one, base) for one in found]
    intervals = Samples.of(context).intervals(parts, notes, "the models under each truth")
    rows = [row for one, part, ends in zip(found, parts, intervals) for row in _rows(models, one, part, ends)]
    return {"truth_models": rows}, notes


def _evaluated(context: Context, models: list[str], voted: Array) -> Iterator[Judgement]:
    """The voted label and the reliabilities."""
    everything = np.arange(len(context.rows))
    yield Judgement("voted", None, everything, voted)
    for reliability in dict.fromkeys(row["reliability"] for row in context.metrics if row["metric"] == METRIC and row["k"] == 1):
        columns = [contributions(context, model, METRIC, reliability) for model in models]
        table = np.stack([column for column in columns if column is not None], 1)
        yield Judgement("reliability", tables.number_name(reliability), everything, table)


def _annotators(context: Context, notes: list[str]) -> Iterator[Judgement]:
    """Annotators with enough cases, those with most of them."""
    known = context.known
    if not isinstance(known, (Labels, Rankings)) or len(known.annotators) == 0:
        return
    names = known.annotators
    case, annotator, label, weight = _said(known, context.rows)
    at, entry = pairs(case, annotator)
    n_cases = np.bincount(annotator[at], minlength=len(names))
    chosen = [a for a in most(n_cases, MOST_ANNOTATORS).tolist() if n_cases[a] >= LEAST_CASES]
    left_out = int((n_cases > 0).sum()) - len(chosen)
    if left_out:
        notes.append(
            f"{left_out:,} annotators were not taken as the truth one by one: fewer than {LEAST_CASES} cases, "
            f"or not among the {MOST_ANNOTATORS} with most."
        )
    hits = _hits(context, case, label, weight, entry, len(at))
    order = np.argsort(annotator[at], kind="stable")
    ends = np.searchsorted(annotator[at][order], np.arange(len(names) + 1))
    for a in chosen:
        own = order[ends[a] : ends[a + 1]]
        yield Judgement("annotator", str(names[a]), case[at][own], hits[own])


def _hits(context: Context, case: Ints, label: Ints, weight: Array, entry: Ints, n: int) -> Array:
    """(n, M) how much of what an annotator said of a case is a model's first choice."""
    columns = []
    for scores in context.scores.values():
        choice = first_choices(scores, context.options["ties"])
        columns.append(np.bincount(entry, weight * choice[case, label], n))
    return np.stack(columns, 1)


def _said(known: Labels | Rankings, judged: Ints) -> tuple[Ints, Ints, Ints, Array]:
    """``(case, annotator, class, share)`` over judged cases; the shares of one annotator in one case add up to 1.

    Of repeated labels each has its share; of a ranking the classes of the first block have equal ones.
    """
    if isinstance(known, Labels):
        case, annotator, label = row_of(known.offsets), known.annotator.astype(np.int64), known.label.astype(np.int64)
        weight = known.count.astype(np.float64)
    else:
        ranking = np.flatnonzero(sizes_of(known.ranking_offsets) > 0)
        block = known.ranking_offsets[ranking]
        size = sizes_of(known.block_offsets)[block]
        start = np.repeat(known.block_offsets[block] - (np.cumsum(size) - size), size)
        label = known.items[start + np.arange(size.sum())].astype(np.int64)
        ranking = np.repeat(ranking, size)
        case, annotator = row_of(known.case_offsets)[ranking], known.annotator[ranking].astype(np.int64)
        weight = np.ones(len(label))
    place = np.full(known.n_cases, -1, np.int64)
    place[judged] = np.arange(len(judged))
    here = place[case] >= 0
    case, annotator, label, weight = place[case[here]], annotator[here], label[here], weight[here]
    at, entry = pairs(case, annotator)
    return case, annotator, label, weight / np.bincount(entry, weight, len(at))[entry]


def _with_gap(found: Judgement, voted: Array) -> Part:
    """Values of the models, and then their differences from those under the voted label on the same cases."""
    return Part.means(np.concatenate([found.table, found.table - voted[found.rows]], 1), found.rows)


def _rows(models: list[str], found: Judgement, part: Part, ends: Array) -> Iterator[Row]:
    values = part.estimate()
    n_cases = part.below.sum(axis=0)
    n = len(models)
    for m, model in enumerate(models):
        low, high, gap_low, gap_high = (number(end) for end in (*ends[m], *ends[n + m]))
        is_voted = found.truth == "voted"  # no gap to itself
        yield {
            "model": model, "truth": found.truth, "name": found.name, "metric": METRIC, "k": 1, "value": number(values[m]),
            "low": low, "high": high, "n_cases": int(n_cases[m]), "gap": None if is_voted else number(values[n + m]),
            "gap_low": None if is_voted else gap_low, "gap_high": None if is_voted else gap_high,
        }  # fmt: skip
