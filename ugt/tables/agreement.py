"""Agreement among annotators: by every usual coefficient, by class, and by pair of annotators."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace
from itertools import combinations
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from .._base import notices
from .._base.arrays import Array, Int64, NDArray
from .._base.notes import Note
from .._base.ragged import distinct_pairs, row_of
from ..agreement import cohen_kappa, fleiss_kappa, percent_agreement
from ..agreement.overviews import AgreementRow, agreement_table
from ..agreement.rankings import annotator_average_overlap, leave_one_annotator_out
from ..agreement.record import Agreement, rare_note
from ..annotations import Labels
from ..plausibilities.estimates import mean_of
from ..resampling import Ratios
from .context import MOST_CELLS, MOST_WORK, Ask, Made
from .design import Uses, uses_of
from .rows import Number, both, with_ends

if TYPE_CHECKING:
    from ..annotations import Rankings
    from .context import Context


class AgreementByClassRow(NamedTuple):
    """How often another annotator of the case gives the class too, kappa of the class against all others, and its share of labels."""

    class_: str
    agreement: Number
    low: Number
    high: Number
    kappa: Number
    kappa_low: Number
    kappa_high: Number
    prevalence: float
    n_cases: int


class AgreementByPairRow(NamedTuple):
    """Percent agreement and Cohen's kappa of two annotators on the cases that they share."""

    annotator: str
    other: str
    agreement: Number
    low: Number
    high: Number
    kappa: Number
    kappa_low: Number
    kappa_high: Number
    n_cases: int


TABLES = {"agreement": AgreementRow, "agreement_by_class": AgreementByClassRow, "agreement_by_pair": AgreementByPairRow}
__all__ = ["TABLES", "AgreementRow", "make"]

MOST_CLASSES = 30  # most frequent classes that are shown
MOST_ANNOTATORS = 15  # annotators with most cases that are compared in pairs
MOST_LABELS = 10_000_000  # most labels of two annotators, each of which is read
LEAST_CASES = 2  # least number of cases that two annotators share


def make(context: Context, notes: list[Note]) -> Made:
    """Return the tables for the judged cases; tables by class and by pair need labels, and pairs need names of annotators."""
    known, options = context.known, context.options
    if known.rankings is not None:
        return (yield from _of_rankings(context, known.rankings))
    labels = known.labels
    if labels is None:
        return {}
    size = np.bincount(row_of(labels.offsets), labels.count, labels.n_cases)
    several = bool((size > 1).any())
    with notices.heard() as said_of_all:
        coefficients = agreement_table(labels, frequency=context.times) if several else None
    notes += said_of_all if context.times is None else _of_rows(said_of_all)
    found = coefficients.found if coefficients else ()
    asks = [Ask(one, options.n_resamples) for one in found]
    rare = dict.fromkeys(rare_note(one.statistic) for one in found if one.expected)
    notes += [Note("rare_classes", "{what}.", what=text) for text in rare if text]
    tables: dict[str, Sequence[NamedTuple]] = {}
    classes = None
    if context.details:
        said = uses_of(labels)
        with notices.heard():  # undefined numbers are empty in the tables
            classes = ByClass(context, size, said, notes) if several else None
            tables["agreement_by_pair"] = _by_pair(context, said, notes)
        if classes is not None and len(classes.chosen):
            asks.append(classes.ask(context, notes))
    resampled = yield asks
    if coefficients is not None:
        ends = np.array([context.intervals(one.take(0))[0] for one in resampled[: len(found)]])
        ends[[one.reason is not None for one in found]] = np.nan
        tables["agreement"] = coefficients.rows_of(ends, options.level, context.clusters)
    if classes is not None and len(classes.chosen):
        tables["agreement_by_class"] = classes.rows(context, context.intervals(resampled[-1]))
    return tables


def _of_rows(said: Sequence[Note]) -> list[Note]:
    """Return notes without the one on labels that were added where others differ, which is said elsewhere, with frequencies."""
    return [one for one in said if one.code != "adjudicated"]


def _of_rankings(context: Context, rankings: Rankings) -> Made:
    found = of_rankings(rankings, context.known.rows)
    resampled = yield [Ask(one, context.options.n_resamples) for one in found.values()]
    intervals = [context.intervals(one)[0] for one in resampled]
    return {"agreement": ranking_rows(found, intervals, len(rankings.annotators))}


def of_rankings(rankings: Rankings, rows: Any = slice(None)) -> dict[str, Any]:
    """Return the agreement of rankings of some cases, without correction for chance; empty if no case has two rankings."""
    depth = min(3, rankings.n_classes)
    with notices.heard():  # undefined numbers have no row
        found = {
            "annotator ranked the first class of the others": leave_one_annotator_out(rankings),
            f"average overlap of pairs at {depth}": annotator_average_overlap(rankings, depth),
        }
    chosen = {}
    for name, whole in found.items():
        value, n_cases = mean_of(whole.per_case[rows])
        chosen[name] = replace(whole, value=value, per_case=whole.per_case[rows], n_cases=n_cases, _ids=rankings.axes.case_ids[rows])
    return chosen if all(one.n_cases for one in chosen.values()) else {}


def ranking_rows(found: dict[str, Any], intervals: Sequence[Iterable[float]], n_annotators: int) -> list[AgreementRow]:
    """Return rows like those of :func:`agreement_table`."""
    return [
        AgreementRow(name, one.value, *both(ends), n_cases=one.n_cases, n_annotators=n_annotators or None)
        for (name, one), ends in zip(found.items(), intervals)
    ]  # fmt: skip


class ByClass:
    """Specific agreement (how often another annotator of the case gives the class too), and kappa of the class against all others."""

    def __init__(self, context: Context, size: NDArray[Any], said: Uses, notes: list[Note]) -> None:
        case, _, label, count = said
        n, k = context.n_cases, context.known.n_classes
        self.size, self.given = size, np.bincount(label, count if context.times is None else count * context.times[case], k)
        used = int((self.given > 0).sum())
        self.chosen = np.argsort(-self.given, kind="stable")[: min(MOST_CLASSES, used)]
        if n * len(self.chosen) > MOST_CELLS:
            self.chosen = self.chosen[:0]
            return
        if used > len(self.chosen):
            notes.append(Note("some_classes", "Agreement by class is of the {n} classes that were given most often.", n=len(self.chosen)))
        place = np.full(k, len(self.chosen))
        place[self.chosen] = np.arange(len(self.chosen))
        width = len(self.chosen) + 1
        self.counts = np.bincount(case * width + place[label], count, n * width).reshape(n, width)[:, :-1]
        below = self.counts * (size > 1)[:, None]
        above = below * (self.counts - 1) / np.maximum(size - 1, 1)[:, None]
        self.ratios = context.occurring(Ratios(np.concatenate([above, below], 1), np.arange(len(self.chosen), dtype=np.int64)).compact())

    def ask(self, context: Context, notes: list[Note]) -> Ask:
        """Return the request for resamples."""
        work = context.n_cases * (5 + self.ratios.n_columns)
        return Ask(self.ratios, context.options.affordable(work, "agreement by class", notes, most=MOST_WORK), context.counted)

    def rows(self, context: Context, intervals: Array) -> list[AgreementByClassRow]:
        """Return one row per class."""
        rows = []
        for j, value in enumerate(self.ratios.estimate):
            with notices.heard():
                own = np.stack([self.size - self.counts[:, j], self.counts[:, j]], 1).astype(np.int64)
                kappa = _kappa(fleiss_kappa(Labels.from_counts(own), frequency=context.times), context, slice(None))
            name, prevalence = str(context.known.axes.classes[self.chosen[j]]), float(self.given[self.chosen[j]] / self.given.sum())
            n_cases = context.number(self.ratios.denominator[:, j] > 0)
            rows.append(AgreementByClassRow(name, *with_ends(value, intervals[j]), *kappa, prevalence, n_cases))
        return rows


def _by_pair(context: Context, said: Uses, notes: list[Note]) -> list[AgreementByPairRow]:
    """Return percent agreement and Cohen's kappa of every two annotators on the cases that they share."""
    case, annotator, label, count = said
    names, n = context.known.annotators, context.n_cases
    if len(names) < 2 or not len(case):
        return []
    n_cases = np.bincount(annotator[distinct_pairs(case, annotator)[0]], minlength=len(names))
    chosen = np.sort(np.argsort(-n_cases, kind="stable")[:MOST_ANNOTATORS])
    if (n_cases > 0).sum() > len(chosen):
        notes.append(Note("some_annotators", "Agreement by pair is of the {n} annotators with most cases.", n=len(chosen)))
    order = np.argsort(annotator, kind="stable")
    starts = np.searchsorted(annotator[order], np.arange(len(names) + 1))
    own = {a: order[starts[a] : starts[a + 1]] for a in chosen.tolist()}
    judged = {a: np.bincount(case[at], minlength=n) > 0 for a, at in own.items()}
    rows = []
    for a, b in combinations(own, 2):
        both = judged[a] & judged[b]
        shared = np.flatnonzero(both)
        if len(shared) < LEAST_CASES:
            continue
        at = np.concatenate([own[a], own[b]])
        at = at[both[case[at]]]
        if count[at].sum(dtype=np.float64) > MOST_LABELS:
            words = "Agreement of {first} and {second} is left out: more than {most:,} labels."
            notes.append(Note("too_large", words, first=str(names[a]), second=str(names[b]), most=MOST_LABELS))
            continue
        at = np.repeat(at, count[at])
        pair = Labels.from_long(case[at], annotator[at], label[at], classes=context.known.n_classes, cases=shared)
        found = percent_agreement(pair)
        agreement, kappa = with_ends(found.value, _ends(found, context, shared)), _kappa(cohen_kappa(pair), context, shared)
        rows.append(AgreementByPairRow(str(names[a]), str(names[b]), *agreement, *kappa, len(shared)))
    return rows


def _kappa(kappa: Agreement, context: Context, cases: Int64 | slice) -> tuple[Number, Number, Number]:
    return with_ends(None if kappa.reason is not None else kappa.value, _ends(kappa, context, cases))


def _ends(found: Agreement, context: Context, cases: Int64 | slice) -> tuple[float, float]:
    """Return the analytic interval, since there are too many pairs to resample; NaN if it is undefined."""
    return found.interval(context.options.level, kind="analytic", clusters=context.clusters_of(cases))
