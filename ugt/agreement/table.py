"""Judgements of cases as a sparse table of cases and classes, read from labels, ratings or plain tables."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from .._base import identifiers
from .._base.arrays import Array, Bools, Int32, Int64, NDArray
from .._base.checks import error, room
from .._base.lazy import cached_property
from .._base.ragged import offsets_of, row_of, sizes_of, take
from .._base.wording import arg
from .._core import _tables
from .._tabular.frames import wide_names
from .._tabular.rows import held_cells, wide
from ..annotations import Labels, Ratings
from ..annotations.adjudication import drawn_alike
from ..annotations.bare import OF_PANEL, check_bare
from ..annotations.other_annotators import only
from ..resampling import Alike
from ..resampling.case_weights import Counts, case_weights_of
from ..resampling.frequencies import check_counts, frequency_of

FEW, MANY = 1 << 10, 1 << 16  # equal cases are merged from FEW cases on, if there are at most MANY different ones
MISSING = (None, "", float("nan"))


@dataclass(frozen=True, eq=False)
class Ragged:
    """A sparse table (rows, K): rows of (class, amount) with ascending classes."""

    offsets: Int64
    index: Int32
    amount: Array

    @cached_property
    def row(self) -> Int64:
        return row_of(self.offsets)

    def sums(self, of: Array) -> Array:
        """Return (rows,) sums of numbers (entries,) over each row."""
        return _tables.row_sums(self.offsets, np.ascontiguousarray(of, np.float64))

    def totals(self, n_classes: int, weights: Array) -> Array:
        """Return (K,) weighted sums over the rows."""
        return np.asarray(np.bincount(self.index, self.amount * weights.repeat(sizes_of(self.offsets)), n_classes))

    def take(self, rows: NDArray[Any]) -> Ragged:
        """Return some of the rows, by position."""
        offsets, at = take(self.offsets, rows)
        return Ragged(offsets, self.index[at], self.amount[at])


class Judgements:
    """The judgements of cases by annotators. All labels of one annotator for one case are one judgement, of which each label is a share.

    ``given``: the annotations that were read; None for units that are not cases. ``rows``: offsets, annotator, label and count, as in
    :class:`ugt.Labels`, sorted by case. ``names`` (K,): class names, or the distinct values of ``ratings``, ascending. ``row`` (M,): if
    the N cases are the different ones among M, the position of each of the M cases; annotators are then those of one of the equal cases.
    ``counting`` (M,): how often each of the M cases counts; None: once.
    """

    counting: Counts | None = None

    def __init__(
        self, given: Any, rows: tuple[Int64, Int32, Int32, Int64], names: NDArray[Any], ratings: bool, row: Int32 | None = None
    ) -> None:
        self.given, self.names, self.ratings, self.row = given, names, ratings, row
        self.offsets, self.annotator_of_label, self.label, self.count_of_label = rows
        self.annotators: NDArray[Any] = np.empty(0, np.int64) if given is None else given.annotators
        self.n_cases, self.n_classes = len(self.offsets) - 1, len(names)
        self.n_all = self.n_cases if row is None else len(row)
        self.stated, self.stated_by = self.ordered or ratings, "ordered"  # whether the order of the classes is, and by which argument
        if len(self.annotators) == 0:
            self.single = True

    @cached_property
    def alike(self) -> Alike | None:
        """The M cases, of which N are different; None if all are."""
        if self.row is None:
            return None
        first = np.empty(self.n_cases, np.int64)
        first[self.row[::-1]] = np.arange(self.n_all)[::-1]
        return Alike(None, self.row, first)

    @property
    def ordered(self) -> bool:
        """Whether the classes are the grades of a scale."""
        return isinstance(self.given, Labels) and self.given.ordered

    @cached_property
    def single(self) -> bool:
        """Whether every label is a judgement of its own, because no annotator labelled a case twice."""
        return _tables.find_repeat(self.offsets, self.annotator_of_label, len(self.annotators)) < 0

    @cached_property
    def case_of_label(self) -> Int64:
        return row_of(self.offsets)

    @property
    def n_annotators(self) -> int | None:
        """Number of annotators with at least one judgement; None if annotators are unknown."""
        return None if self.given is None or not len(self.annotators) else int(np.count_nonzero(np.bincount(self.given.annotator)))

    @property
    def case_ids(self) -> NDArray[Any] | None:
        return None if self.given is None else case_ids_of(self.given)

    @cached_property
    def _each(self) -> tuple[Int64, Int32, Int64, Ragged]:
        case, annotator, label = self.case_of_label, self.annotator_of_label, self.label
        n = len(case)
        if self.single:
            return case, annotator, self.count_of_label, Ragged(np.arange(n + 1, dtype=np.int64), label, np.ones(n))
        order = np.lexsort((label, annotator, case))
        case, annotator, label = case[order], annotator[order], label[order]
        case, annotator, shares = _shares(case, annotator, label, opens(case, annotator))
        return case, annotator, np.ones(len(case), np.int64), shares

    @property
    def case(self) -> Int64:
        """(J,) case of each judgement, ascending."""
        return self._each[0]

    @property
    def annotator(self) -> Int32:
        """(J,) annotator of each judgement, -1 if unknown."""
        return self._each[1]

    @property
    def shares(self) -> Ragged:
        """Shares of the classes, one row per judgement; each row adds up to 1."""
        return self._each[3]

    @cached_property
    def _summed(self) -> tuple[Ragged, Array]:
        if self.single:
            return _by_class(self.offsets, self.label, self.count_of_label, self.n_classes)
        case, _, count, shares = self._each
        return _by_case(case, count, shares, self.n_cases, self.n_classes)

    @property
    def classes(self) -> Ragged:
        """Sums of the shares of all annotators of a case, one row per case."""
        return self._summed[0]

    @property
    def size(self) -> Array:
        """(N,) number of annotators of each case."""
        return self._summed[1]

    @cached_property
    def times(self) -> Array:
        """(N,) number of cases of the data that each different case stands for."""
        if self.row is None:
            return np.ones(self.n_cases) if self.counting is None else self.counting.times
        return np.bincount(self.row, None if self.counting is None else self.counting.times, self.n_cases).astype(np.float64)

    def number(self, which: Bools) -> int:
        """Return the number of cases of the data that some of the different cases (N,) are."""
        if self.counting is None:
            return int(self.times[which].sum())
        return self.counting.number(which if self.row is None else which[self.row])

    def pair_sums(self, of_cases: bool) -> Array:
        """Return the (3 + K,) sums over cases for single labels, as the kernel defines them."""
        times = None if self.row is None and self.counting is None else self.times
        return _tables.pair_sums(self.offsets, self.label, self.count_of_label, times, self.n_classes, of_cases)

    def mixed(self) -> tuple[Int64, Ragged]:
        """Return ``(case, shares)`` of the judgements that name several classes."""
        if self.single or len(self.shares.index) == len(self.case):
            return np.empty(0, np.int64), Ragged(np.zeros(1, np.int64), np.empty(0, np.int32), np.empty(0))
        at = np.flatnonzero(sizes_of(self.shares.offsets) > 1)
        return self.case[at], self.shares.take(at)

    def by_annotator(self) -> Ragged:
        """Return the (N, A K) shares of the classes that each annotator chose, one row per case; annotator after annotator."""
        case, annotator, _, shares = self._each
        room("the classes of all annotators", 16.0 * len(self.annotators) * self.n_classes)
        column = annotator[shares.row] * np.int32(self.n_classes) + shares.index
        return Ragged(shares.offsets[np.searchsorted(case, np.arange(self.n_cases + 1))], column, shares.amount)

    def only(self, keep: Bools) -> Judgements:
        """Return the judgements from the labels to keep; all cases remain."""
        if keep.all():
            return self
        at = np.flatnonzero(keep)
        offsets = offsets_of(np.bincount(self.case_of_label[at], minlength=self.n_cases))
        rows = offsets, self.annotator_of_label[at], self.label[at], self.count_of_label[at]
        found = Judgements(self.given, rows, self.names, self.ratings, self.row)
        found.counting = self.counting
        return found

    def occurring(self, argument: str, frequency: object, case_weights: object) -> Judgements:
        """Let each of the M cases stand for so many equal ones, or count so much, and return the judgements.

        Weights are scaled so that the judgements of cases with two count as many as they are: the n / (n - 1) of alpha depends on that.
        """
        if frequency is not None:
            if case_weights is not None:
                raise error("case_weights", "be left out with " + arg("frequency", ...), type(case_weights).__name__)
            check_counts(argument, self.given)
            times, weighted = frequency_of(frequency, self.n_all, self.case_ids), False
        else:
            times, weighted = case_weights_of(case_weights, self.n_all, self.case_ids), True
        if times is not None:
            size = self.size if self.row is None else self.size[self.row]
            some = (size >= 2) & (times > 0)
            scale = size[some].sum() / (times @ np.where(some, size, 0.0)) if weighted and some.any() else 1.0
            self.counting = Counts(times * scale, weighted)
        return self

    def with_annotators(self) -> Judgements:
        """Return the judgements themselves, unless cases are merged that differ by their annotators."""
        if self.row is None:
            return self
        found = judgements(self.given, "annotators")
        found.stated, found.stated_by, found.counting = self.stated, self.stated_by, self.counting
        return found

    def check_named(self) -> None:
        """Refuse counts, which have no annotators."""
        if len(self.annotators) == 0:
            raise error("labels", "name their annotators", "counts, which have none")

    def by(self, annotators: NDArray[Any]) -> Judgements:
        """Return the judgements of the annotators whose weight (A,) is not 0."""
        if self.given is None or not len(self.annotators):
            raise error("annotators", "be named, to be left out one by one", "annotations without names of annotators")
        return judgements(said_by(self.given, annotators))

    def means(self, values: Array) -> Array:
        """Return the (J,) mean value of each judgement from the values (K,) of the classes."""
        return self.shares.sums(self.shares.amount * values[self.shares.index])

    @cached_property
    def prevalence(self) -> Array:
        """(K,) share of each class among all judgements."""
        return np.asarray(self.classes.totals(self.n_classes, self.times) / max(1.0, float((self.size * self.times).sum())))


def case_ids_of(given: Labels | Ratings) -> NDArray[Any]:
    return given.axes.case_ids if isinstance(given, Labels) else given.case_ids


def said_by(given: Labels | Ratings, annotators: NDArray[Any]) -> Any:
    """Return the labels or ratings of the annotators whose weight (A,) is not 0."""
    if np.shape(annotators) != given.annotators.shape:
        raise error("annotators", f"be {len(given.annotators)} weights, one per annotator", f"shape {np.shape(annotators)}")
    return only(given, annotators)


def read(argument: str, given: Any, classes: Any = None, *, ratings: bool = True, alike: str | None = None) -> Judgements:
    """Read Labels, Ratings or a table (N, A) of labels or numbers (None or NaN where there is none) into judgements.

    A table of text, or with ``classes``, holds labels, a table of numbers with fractions ratings; whole numbers alone are refused. With
    ``alike``, cases with the same "labels", or the same labels by the same "annotators", are merged unless most cases differ; with "few",
    the annotators matter only if they may matter to some coefficient: in ratings, if there are two annotators, or if an annotator
    labelled a case twice.
    """
    is_table = not isinstance(given, (Labels, Ratings))
    if is_table:
        given = _from_table(argument, given, classes)
    elif classes is not None:
        raise error("classes", f"be left out if {argument} are {type(given).__name__}", repr(classes))
    if isinstance(given, Labels):
        given = drawn_alike(given)
    elif not ratings and len(given.value):
        first = given.value[int(np.argmax(given.value != np.floor(given.value)))]
        raise error(argument, "hold labels (integers or strings), not ratings", f"ratings such as {first}")
    found = judgements(given, alike)
    if is_table:
        found.stated, found.stated_by = found.stated or classes is not None, "classes"
        found.single = True  # each column is one annotator, who gave at most one label per case
    return found


def judgements(given: Labels | Ratings, alike: str | None = None) -> Judgements:
    """Return the judgements of Labels or Ratings; ``alike`` merges equal cases, as in `read`."""
    if isinstance(given, Labels):
        label, count, names = given.label, given.count, given.axes.classes
    else:
        names, label = values_and_index(given.value)
        count = np.ones(len(label), np.int64)
    offsets, annotator, row = given.offsets, given.annotator, None
    merged = _merged(alike, given, label, count, len(names))
    if merged is not None:
        row, (offsets, at) = merged[0], take(offsets, merged[1])
        annotator, label, count = annotator[at], label[at], count[at]
    return Judgements(given, (offsets, annotator, label, count), names, isinstance(given, Ratings), row)


def _merged(alike: str | None, given: Labels | Ratings, label: Int32, count: Int64, n_classes: int) -> tuple[Int32, Int64] | None:
    """Return ``(row, first)``, the different case of each case and its first position; None if merging would save too little."""
    n = len(given.offsets) - 1
    if alike is None or n < FEW or len(label) == 0:
        return None
    repeats = len(given.annotators) > 0 and _tables.find_repeat(given.offsets, given.annotator, len(given.annotators)) >= 0
    if alike == "annotators" or (alike == "few" and (repeats or isinstance(given, Ratings) or len(given.annotators) == 2)):
        if len(given.annotators) * n_classes > np.iinfo(np.int32).max:
            return None
        label = label + given.annotator * np.int32(n_classes)
    elif repeats:
        return None
    return _tables.distinct_rows(given.offsets, label, count, min(n // 8, MANY))


def values_and_index(values: Array) -> tuple[Array, Int32]:
    """Return the distinct ratings, ascending, and the position of each rating among them."""
    names, index = np.unique(values, return_inverse=True)
    return names, index.reshape(-1).astype(np.int32)


def _from_table(argument: str, given: object, classes: Any) -> Labels | Ratings:
    if isinstance(given, (str, bytes)) or not (identifiers.is_array(given) or isinstance(given, (list, tuple))):
        raise TypeError(f"{argument} must be Labels, Ratings or a table, cases x annotators. Got {type(given).__name__}.")
    case_ids, annotators, classes = wide_names(given, classes=classes)
    if classes is None:
        check_bare(argument, given, ways=OF_PANEL)
    cells = wide(given)
    at, held = held_cells(cells, MISSING)
    if classes is not None or held.dtype.kind in "US" or (held.dtype.kind == "O" and any(isinstance(one, str) for one in held)):
        return Labels._of_cells(cells.shape, at, held, case_ids, annotators, classes)
    return Ratings.from_wide(cells)


def opens(case: Int64, annotator: Int32) -> Bools:
    """Return whether each row has another case or annotator than the row before; unknown annotators are all different."""
    first = np.ones(len(case), bool)
    first[1:] = (case[1:] != case[:-1]) | (annotator[1:] != annotator[:-1]) | (annotator[1:] < 0)
    return first


def _shares(case: Int64, annotator: Int32, label: Int32, first_of: Bools) -> tuple[Int64, Int32, Ragged]:
    """Return ``(case, annotator, shares)`` of the judgements from labels that are sorted by case, annotator and label."""
    judgement = np.cumsum(first_of) - 1
    n_labels = np.bincount(judgement)
    entry = first_of.copy()
    entry[1:] |= label[1:] != label[:-1]
    first = np.flatnonzero(entry)
    times = np.diff(np.append(first, len(label)))
    amount = times / n_labels[judgement[first]]
    shares = Ragged(offsets_of(np.bincount(judgement[first])), label[first], amount)
    return case[first_of], annotator[first_of], shares


def _by_case(case: Int64, count: Int64, shares: Ragged, n_cases: int, n_classes: int) -> tuple[Ragged, Array]:
    """Return ``(classes, size)``: the sums of the shares of the judgements of each case, and the number of judgements."""
    if len(shares.index) == len(case):  # every judgement names one class
        return _by_class(offsets_of(np.bincount(case, minlength=n_cases)), shares.index, count, n_classes)
    judgement = shares.row
    of_entry, amount = case[judgement], shares.amount * count[judgement]
    order = np.lexsort((shares.index, of_entry))
    of_entry, index = of_entry[order], shares.index[order]
    first = opens(of_entry, index)
    total = np.asarray(np.bincount(np.cumsum(first) - 1, amount[order]), np.float64)
    offsets = offsets_of(np.bincount(of_entry[first], minlength=n_cases))
    return Ragged(offsets, index[first], total), np.asarray(np.bincount(case, count, n_cases))


def _by_class(offsets: Int64, label: Int32, count: Int64, n_classes: int) -> tuple[Ragged, Array]:
    """Return the same as `_by_case` for judgements that name one class each."""
    amount = count.astype(np.float64)
    size = _tables.row_sums(offsets, amount)
    rises = label[1:] > label[:-1]
    rises[offsets[(offsets > 0) & (offsets < len(label))] - 1] = True
    if rises.all() and (count > 0).all():  # no class occurs twice in a case, so that there is nothing to add up
        return Ragged(offsets, label, amount), size
    of_case, index, total = _tables.class_counts(offsets, label, count, n_classes)
    return Ragged(of_case, index, total.astype(np.float64)), size
