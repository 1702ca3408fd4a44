"""Who judged which case, as a sparse table of cases and classes, from labels, ratings or plain tables."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np

from .. import _ids
from .._annotations.table import held_cells, wide
from .._checks import error
from .._core import _tables
from .._ragged import offsets_of, row_of, sizes_of, take
from ..annotations import Labels, Ratings

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Array = NDArray[np.float64]
    Int64 = NDArray[np.int64]

FEW, MANY = 1 << 10, 1 << 16  # cases, and different ones, between which those that are alike are looked for
MISSING = (None, "", float("nan"))


@dataclass(frozen=True, eq=False)
class Ragged:
    """Rows of (class, amount), classes ascending: a sparse table (rows, K)."""

    offsets: Int64
    index: NDArray[np.int32]
    amount: Array

    @cached_property
    def row(self) -> Int64:
        """The row of every entry."""
        return row_of(self.offsets)

    def sums(self, of: Array) -> Array:
        """(rows,) sums of numbers (entries,) over each row."""
        return _tables.row_sums(self.offsets, np.ascontiguousarray(of, np.float64))

    def totals(self, n_classes: int, weights: Array) -> Array:
        """(K,) sums over rows, with a weight each."""
        return np.asarray(np.bincount(self.index, self.amount * weights.repeat(sizes_of(self.offsets)), n_classes))

    def take(self, rows: NDArray[Any]) -> Ragged:
        """Some of the rows, by position."""
        offsets, at = take(self.offsets, rows)
        return Ragged(offsets, self.index[at], self.amount[at])


@dataclass(frozen=True, eq=False)
class Judgements:
    """What annotators made of cases. All labels of one annotator in one case are a single judgement, of which each label is a share.

    Parameters
    ----------
    case, annotator : (J,) arrays
        Of each judgement, ordered by case; annotator -1 where unknown.
    count : (J,) int64
        How many annotators it stands for: 1, or more for counts, which are of one class.
    shares : Ragged
        A row a judgement, that adds up to 1.
    classes : Ragged
        A row a case: the shares of all its annotators added up.
    size : (N,) array
        Annotators of each case.
    names : (K,) array
        Of the classes: ids, or the distinct values of ratings, ascending.
    annotators : (A,) array
        Empty where only counts are known.
    ratings : bool
        Whether the classes are values of ratings.
    row : (M,) int32 or None
        Where the N cases are the different ones among M: which of them each is. Who judged them is then known of one of the alike only.
    n_annotators : int or None
        Annotators with at least one judgement; None where they are unknown.
    """

    case: Int64
    annotator: NDArray[np.int32]
    count: Int64
    shares: Ragged
    classes: Ragged
    size: Array
    names: NDArray[Any]
    annotators: NDArray[Any]
    ratings: bool
    row: NDArray[np.int32] | None = None
    n_annotators: int | None = None

    @cached_property
    def times(self) -> Array:
        """(N,) how many cases each stands for."""
        return np.ones(self.n_cases) if self.row is None else np.bincount(self.row, minlength=self.n_cases).astype(np.float64)

    @property
    def n_cases(self) -> int:
        """Number of cases."""
        return len(self.size)

    @property
    def n_classes(self) -> int:
        """Number of classes."""
        return len(self.names)

    def mixed(self) -> tuple[Int64, Ragged]:
        """``(case, shares)`` of the judgements that are of several classes."""
        if len(self.shares.index) == len(self.case):
            return self.case[:0], Ragged(np.zeros(1, np.int64), self.shares.index[:0], self.shares.amount[:0])
        at = np.flatnonzero(sizes_of(self.shares.offsets) > 1)
        return self.case[at], self.shares.take(at)

    def only(self, keep: NDArray[np.bool_]) -> Judgements:
        """Some of the judgements (J,), of all cases."""
        if keep.all():
            return self
        at = np.flatnonzero(keep)
        case, count, shares = self.case[at], self.count[at], self.shares.take(at)
        classes, size = _by_case(case, count, shares, self.n_cases, self.n_classes)
        return replace(self, case=case, annotator=self.annotator[at], count=count, shares=shares, classes=classes, size=size)

    def means(self, values: Array) -> Array:
        """(J,) mean value of each judgement, given the values (K,) of the classes."""
        return self.shares.sums(self.shares.amount * values[self.shares.index])


def read(argument: str, given: Any, classes: Any = None, *, ratings: bool = True, alike: str | None = None) -> Judgements:
    """Judgements from Labels, Ratings or a table (N, A) of labels or numbers, None or NaN where there is none.

    A table of text or of whole numbers holds labels, of other numbers ratings. ``alike``: cases with the same "labels", or the same labels
    by the same "annotators", become one; where most cases differ they stay as they are.
    """
    if not isinstance(given, (Labels, Ratings)):
        given = _from_table(argument, given, classes)
    elif classes is not None:
        raise error("classes", f"be left out where {argument} are {type(given).__name__}", repr(classes))
    if isinstance(given, Labels):
        label, count, names = given.label, given.count, given.axes.classes
    else:
        if not ratings and len(given.value):
            raise error(argument, "hold labels (integers or strings), not ratings", _first_rating(given))
        names, label = values_and_index(given.value)
        count = np.ones(len(label), np.int64)
    who, offsets, annotator, row = given.annotators, given.offsets, given.annotator, None
    n_annotators = int(np.count_nonzero(np.bincount(annotator))) if len(who) else None
    merged = _merged(alike, given, label, count, len(names))
    if merged is not None:
        row, (offsets, at) = merged[0], take(offsets, merged[1])
        annotator, label, count = annotator[at], label[at], count[at]
    return judgements_of(offsets, annotator, label, count, names, who, isinstance(given, Ratings), row, n_annotators)


def _merged(
    alike: str | None, given: Labels | Ratings, label: NDArray[np.int32], count: Int64, n_classes: int
) -> tuple[NDArray[np.int32], Int64] | None:
    """``(row, first)``: which of the different cases each is, and where these stand first; None where it does not pay."""
    n = len(given.offsets) - 1
    if alike is None or n < FEW or len(label) == 0:
        return None
    if alike == "annotators":
        if len(given.annotators) * n_classes > np.iinfo(np.int32).max:
            return None
        label = label + given.annotator * np.int32(n_classes)
    elif _repeat(given.offsets, given.annotator, len(given.annotators)):
        return None
    return _tables.distinct_rows(given.offsets, label, count, min(n // 8, MANY))


def values_and_index(values: Array) -> tuple[Array, NDArray[np.int32]]:
    """Distinct ratings, ascending, and which of them each is."""
    names, index = np.unique(values, return_inverse=True)
    return names, index.reshape(-1).astype(np.int32)


def _first_rating(ratings: Ratings) -> str:
    return f"ratings such as {ratings.value[int(np.argmax(ratings.value != np.floor(ratings.value)))]}"


def _from_table(argument: str, given: Any, classes: Any) -> Labels | Ratings:
    if isinstance(given, (str, bytes)) or not (hasattr(given, "__array__") or isinstance(given, (list, tuple))):
        raise TypeError(f"{argument} must be Labels, Ratings or a table, cases x annotators. Got {type(given).__name__}.")
    cells = wide(given)
    at, held = held_cells(cells, MISSING)
    if classes is not None or (len(held) > 0 and _are_labels(held)):
        return Labels._of_cells(cells.shape, at, held, None, None, classes)
    return Ratings.from_wide(cells)


def _are_labels(held: NDArray[Any]) -> bool:
    """Whether cells are text or whole numbers; infinite ones are neither, and ratings refuse them."""
    if held.dtype.kind == "O":
        numbers = [cell for cell in held.tolist() if isinstance(cell, (float, np.floating))]
        held = np.array(numbers, np.float64)
    return held.dtype.kind != "f" or bool(((held == np.floor(held)) & (np.abs(held) <= _ids.MAX_WHOLE)).all())


def judgements_of(
    offsets: Int64,
    annotator: NDArray[np.int32],
    label: NDArray[np.int32],
    count: Int64,
    names: NDArray[Any],
    annotators: NDArray[Any],
    ratings: bool,
    row: NDArray[np.int32] | None = None,
    n_annotators: int | None = None,
) -> Judgements:
    case = row_of(offsets)
    n = len(case)
    if _repeat(offsets, annotator, len(annotators)):
        order = np.lexsort((label, annotator, case))
        case, annotator, label = case[order], annotator[order], label[order]
        opens = _opens(case, annotator)
        case, annotator, shares = _shares(case, annotator, label, opens)
        ones = np.ones(len(case), np.int64)
        classes, size = _by_case(case, ones, shares, len(offsets) - 1, len(names))
        return Judgements(case, annotator, ones, shares, classes, size, names, annotators, ratings, row, n_annotators)
    shares = Ragged(np.arange(n + 1, dtype=np.int64), label, np.ones(n))
    classes, size = _by_class(offsets, case, label, count, len(names))
    return Judgements(case, annotator, count, shares, classes, size, names, annotators, ratings, row, n_annotators)


def _opens(case: Int64, annotator: NDArray[np.int32]) -> NDArray[np.bool_]:
    """Where a row is of another case or annotator than the row before; unknown annotators are all different."""
    opens = np.ones(len(case), bool)
    opens[1:] = (case[1:] != case[:-1]) | (annotator[1:] != annotator[:-1]) | (annotator[1:] < 0)
    return opens


def _repeat(offsets: Int64, annotator: NDArray[np.int32], n_annotators: int) -> bool:
    """Whether some annotator judged a case twice."""
    return n_annotators > 0 and _tables.find_repeat(offsets, annotator, n_annotators) >= 0


def _shares(
    case: Int64, annotator: NDArray[np.int32], label: NDArray[np.int32], opens: NDArray[np.bool_]
) -> tuple[Int64, NDArray[np.int32], Ragged]:
    """``(case, annotator, shares)`` of judgements from labels that are ordered by case, annotator and label."""
    judgement = np.cumsum(opens) - 1
    n_labels = np.bincount(judgement)
    entry = opens.copy()
    entry[1:] |= label[1:] != label[:-1]
    first = np.flatnonzero(entry)
    times = np.diff(np.append(first, len(label)))
    amount = times / n_labels[judgement[first]]
    shares = Ragged(offsets_of(np.bincount(judgement[first])), label[first], amount)
    return case[opens], annotator[opens], shares


def _by_case(case: Int64, count: Int64, shares: Ragged, n_cases: int, n_classes: int) -> tuple[Ragged, Array]:
    """``(classes, size)``: the shares of the judgements of each case, added up, and how many there are."""
    if len(shares.index) == len(case):  # one class each
        return _by_class(offsets_of(np.bincount(case, minlength=n_cases)), case, shares.index, count, n_classes)
    judgement = shares.row
    of_entry, amount = case[judgement], shares.amount * count[judgement]
    order = np.lexsort((shares.index, of_entry))
    of_entry, index = of_entry[order], shares.index[order]
    opens = np.ones(len(order), bool)
    opens[1:] = (of_entry[1:] != of_entry[:-1]) | (index[1:] != index[:-1])
    total = np.asarray(np.bincount(np.cumsum(opens) - 1, amount[order]), np.float64)
    offsets = offsets_of(np.bincount(of_entry[opens], minlength=n_cases))
    return Ragged(offsets, index[opens], total.astype(np.float64)), np.asarray(np.bincount(case, count, n_cases))


def _by_class(offsets: Int64, case: Int64, label: NDArray[np.int32], count: Int64, n_classes: int) -> tuple[Ragged, Array]:
    """The same of judgements that are of one class each."""
    amount = count.astype(np.float64)
    size = _tables.row_sums(offsets, amount)
    if (count > 0).all() and ((label[1:] > label[:-1]) | (case[1:] != case[:-1])).all():  # ascending, no class twice: nothing to add up
        return Ragged(offsets, label, amount), size
    of_case, index, total = _tables.class_counts(offsets, label, count, n_classes)
    return Ragged(of_case, index, total.astype(np.float64)), size
