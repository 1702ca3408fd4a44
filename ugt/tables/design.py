"""The design of the annotation: annotators, cases that two of them share, annotations per case, use of the classes."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from .._base.arrays import Array, Int64, NDArray
from .._base.notes import Note
from .._base.ragged import distinct_pairs, row_of
from ..annotations import Labels, Rankings
from .context import most
from .rows import Number, finite

if TYPE_CHECKING:
    from .context import Annotated, Context, Rows


class AnnotatorRow(NamedTuple):
    """One annotator: what was annotated, and the share of others' labels that equal the own, in [0, 1]."""

    annotator: str
    n_cases: int
    n_annotations: int
    n_classes_used: int
    agreement: Number


class OverlapRow(NamedTuple):
    """The number of cases that two annotators share."""

    annotator: str
    other: str
    n_common: int


class SizeRow(NamedTuple):
    """The number of cases that have a number of annotations."""

    n_annotations: int
    n_cases: int


class ClassCountRow(NamedTuple):
    """How often a class was given, or was named in rankings, and its share of all annotations, in [0, 1]."""

    class_: str
    n_annotations: int
    share: Number
    n_cases: int
    unused: bool


TABLES = {"annotators": AnnotatorRow, "annotator_overlap": OverlapRow, "case_sizes": SizeRow, "classes": ClassCountRow}
MOST_OVERLAP = 30  # annotators with most cases whose overlap is shown
MOST_CLASSES = 10_000
CHUNK = 1 << 16  # cases at a time


class Uses(NamedTuple):
    """One row for every class that an annotation names: a label, or each class of a ranking."""

    case: Int64
    annotator: Int64  # -1 if unknown
    label: Int64
    times: Int64


def make(context: Context, notes: list[Note]) -> Rows:
    """Return the tables, over all cases, judged or not; without rows if annotations are unknown."""
    known = context.known.annotations
    if known is None:
        return {}
    uses = uses_of(known)
    tables: dict[str, Sequence[NamedTuple]] = {
        "case_sizes": _sizes_of(context.known),
        "classes": _classes_of(context.known, known, uses, notes),
    }
    if len(known.annotators):
        case, annotator = annotations_of(known)
        at, _ = distinct_pairs(case, annotator)  # each annotator of a case once, ordered by case
        tables["annotators"] = _annotators_of(known, uses, annotator[at])
        tables["annotator_overlap"] = _overlap_of(known.annotators, case[at], annotator[at], notes)
    return tables


def annotations_of(known: Labels | Rankings) -> tuple[Int64, Int64]:
    """Return ``(case, annotator)`` of every annotation."""
    offsets = known.offsets if isinstance(known, Labels) else known.case_offsets
    return row_of(offsets), known.annotator.astype(np.int64)


def uses_of(known: Labels | Rankings) -> Uses:
    case, annotator = annotations_of(known)
    if isinstance(known, Labels):
        return Uses(case, annotator, known.label.astype(np.int64), known.count)
    ranking = row_of(known.ranking_offsets)[row_of(known.block_offsets)]
    return Uses(case[ranking], annotator[ranking], known.items.astype(np.int64), np.ones(len(ranking), np.int64))


def _annotators_of(known: Labels | Rankings, uses: Uses, annotator_of_case: Int64) -> list[AnnotatorRow]:
    n = len(known.annotators)
    n_cases = np.bincount(annotator_of_case, minlength=n)
    n_annotations = np.bincount(known.annotator, known.count if isinstance(known, Labels) else None, n)
    used = np.bincount(uses.annotator[distinct_pairs(uses.annotator, uses.label)[0]], minlength=n)
    agreement = _agreement(uses, n, known.n_cases) if isinstance(known, Labels) else np.full(n, np.nan)
    return [
        AnnotatorRow(str(name), int(cases), int(given), int(k), finite(value))
        for name, cases, given, k, value in zip(known.annotators.tolist(), n_cases, n_annotations, used, agreement)
    ]


def _agreement(uses: Uses, n_annotators: int, n_cases: int) -> Array:
    """Return (A,) the share of other annotators' labels that equal the annotator's own, averaged over the cases that have others.

    An annotator who labels a case several times counts with the share of each label in it.
    """
    count = uses.times.astype(np.float64)
    at, entry = distinct_pairs(uses.case, uses.annotator)  # an entry: all annotations of one case by one annotator
    own = np.bincount(entry, count)
    _, of_class = distinct_pairs(uses.case, uses.label)
    _, own_class = distinct_pairs(entry, uses.label)
    alike = np.bincount(of_class, count)[of_class] - np.bincount(own_class, count)[own_class]
    others = np.bincount(uses.case, count, n_cases)[uses.case[at]] - own
    sums = np.bincount(entry, count * alike) / own
    judged = others > 0
    annotator = uses.annotator[at][judged]
    total = np.bincount(annotator, sums[judged] / others[judged], n_annotators)
    cases = np.bincount(annotator, minlength=n_annotators)
    return np.asarray(np.where(cases > 0, total / np.maximum(cases, 1), np.nan))


def _overlap_of(names: NDArray[Any], case: Int64, annotator: Int64, notes: list[Note]) -> list[OverlapRow]:
    """Return the number of cases that two annotators share: every pair once, in the order of the annotators."""
    n = len(names)
    chosen = most(np.bincount(annotator, minlength=n), MOST_OVERLAP)
    if n > MOST_OVERLAP:
        words = "Cases that two annotators share are counted among the {shown} of {n:,} annotators with most cases."
        notes.append(Note("some_annotators", words, shown=MOST_OVERLAP, n=n))
    place = np.full(n, -1, np.int64)
    place[chosen] = np.arange(len(chosen))
    here = place[annotator] >= 0
    _, row = np.unique(case[here], return_inverse=True)
    common = _common(row.reshape(-1), place[annotator[here]], len(chosen))
    return [
        OverlapRow(str(names[chosen[a]]), str(names[chosen[b]]), int(common[a, b]))
        for a in range(len(chosen))
        for b in range(a + 1, len(chosen))
    ]


def _common(row: Int64, column: Int64, n: int) -> Array:
    """Return (n, n) products of the columns of a table that is 1 at (row, column), rows ascending; some rows at a time."""
    common = np.zeros((n, n))
    n_rows = int(row[-1]) + 1 if len(row) else 0
    for begin in range(0, n_rows, CHUNK):
        first, last = np.searchsorted(row, [begin, begin + CHUNK])
        table = np.zeros((min(CHUNK, n_rows - begin), n))
        table[row[first:last] - begin, column[first:last]] = 1.0
        common += table.T @ table
    return common


def _sizes_of(known: Annotated) -> list[SizeRow]:
    assert known.n_annotations is not None
    sizes, at = np.unique(known.n_annotations, return_inverse=True)
    n_cases = np.bincount(at.reshape(-1), known.times)
    return [SizeRow(int(size), int(n)) for size, n in zip(sizes, n_cases) if n]


def _classes_of(annotated: Annotated, known: Labels | Rankings, uses: Uses, notes: list[Note]) -> list[ClassCountRow]:
    """Return the number of labels of every class, or of rankings that name it, and their share of all."""
    k, often = known.n_classes, annotated.times
    given = np.bincount(uses.label, uses.times if often is None else uses.times * often[uses.case], k)
    at = distinct_pairs(uses.case, uses.label)[0]
    cases = np.bincount(uses.label[at], None if often is None else often[uses.case[at]], k)
    total = float(given.sum()) if isinstance(known, Labels) else float(len(known.annotator))
    chosen = most(given, MOST_CLASSES)
    if k > MOST_CLASSES:
        words = "The table of classes has the {shown:,} of {n:,} that were given most often."
        notes.append(Note("some_classes", words, shown=MOST_CLASSES, n=k))
    return [
        ClassCountRow(str(known.axes.classes[c]), int(given[c]), float(given[c] / total) if total else None, int(cases[c]),
                      bool(given[c] == 0))
        for c in chosen
    ]  # fmt: skip
