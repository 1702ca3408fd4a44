"""Input of all losses: label histograms and predictions. Shapes and types are checked here, values while they are summed."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from .._base import identifiers, parallel
from .._base.arrays import Array, Bools, Int64, NDArray
from .._base.checks import error, flag, room
from .._base.grades import check_order
from .._core import _histogram
from ..annotations import Labels
from ..annotations.adjudication import drawn_alike
from ..annotations.named import Sheet, leader, of_new_cases
from ..annotations.named import table as in_order
from ..annotations.probabilities import OUTSIDE
from ..plausibilities.frequent import rows_of
from ..resampling import UNNAMED, ids_of_cases
from .bins import Bins
from .sums import LANES, Rows

NO_LABELS = "case without labels"
NO_WEIGHT = "case of weight 0"
ONE_LABEL = "case with fewer than two labels (in L_sq and CL, not in EL, DL and IL)"

LEAST_WEIGHT = 1e-100  # smallest weight, whose square does not underflow
CELLS = 2**17  # numbers per task, which take about half a millisecond

# Argument and "must" of the message for each fault of the core; "got" is the number found, or the sum of the row.
FAULTS = {
    1: ("counts", "not be negative"),
    2: ("counts", "be finite numbers of at most 2**53"),
    3: ("counts", "be whole numbers (or fractional=True)"),
    4: ("probs", f"be from 0 to 1 (within {OUTSIDE:g})"),
    5: ("probs", f"add up to 1 (within {_histogram.ROW_SUM:g}) for every case"),
    6: ("counts", "add up to at most 2**53, and to 0 or at least 1e-300, for every case"),
}
READ_BY_CORE = {"counts": {("f", 8), ("i", 8), ("i", 4)}, "probs": {("f", 8), ("f", 4)}}
ONE_BIN = np.array([[-np.inf, np.inf]])


@dataclass(frozen=True, eq=False)
class Histograms:
    """The counts (N, K) and probs (N, K) as given, with the names of cases and classes, and the labels if known."""

    counts: NDArray[Any]
    probs: NDArray[Any]
    fractional: bool
    case_ids: NDArray[Any] | None
    classes: NDArray[Any]
    labels: Labels | None = None
    weights: Array | None = None  # (N,)
    sampled: bool = False  # whether these are weights of cases of a sample
    times: Array | None = None  # (N,) how many equal cases each row stands for

    @classmethod
    def of(
        cls,
        counts: object,
        probs: object,
        *,
        fractional: bool = False,
        classes: object = None,
        least: int = 2,
        weights: object = None,
        part: bool = False,
        ordinal: bool = False,
        frequency: object = None,
        case_weights: object = None,
    ) -> Histograms:
        """Read arrays of numbers or :class:`Labels`; refuse fewer than ``least`` classes, and ``ordinal`` ones without an order."""
        labels = drawn_alike(counts) if isinstance(counts, Labels) else None
        if ordinal and labels is not None:
            check_order("counts", labels.axes.classes, labels.ordered)
        sheet = leader("counts", counts) if labels is None else Sheet(labels.counts(), labels.axes.ids_or_none, labels.axes.classes)
        names = sheet.columns
        if ordinal and labels is None and names is not None:
            check_order("counts", names, False)
        if classes is not None:
            names = class_names(classes, labels, np.shape(sheet.values)[-1])
            sheet = sheet if labels is not None else of_new_cases("counts", counts, names)
        table = numbers("counts", sheet.values)
        predicted = numbers("probs", in_order("probs", probs, sheet.rows if labels is None else labels.axes.case_ids, names))
        if predicted.shape != table.shape:
            raise error("probs", f"have the shape of counts, {table.shape}", predicted.shape)
        if table.shape[1] < least:
            raise error("counts", f"have at least {least} classes", table.shape[1])
        fractional = flag("fractional", fractional)
        times, of_cases = rows_of("counts", labels, frequency, case_weights, len(table), sheet.rows, weights)
        sampled = of_cases is not None
        of_cases = of_cases if sampled else checked_weights(weights, len(table), sheet.rows, part)
        names = class_names(names, labels, table.shape[1])
        return cls(table, predicted, fractional, sheet.rows, names, labels, of_cases, sampled, times)

    @property
    def shape(self) -> tuple[int, int]:
        return self.counts.shape

    def case(self, i: int) -> str:
        return identifiers.name(i if self.case_ids is None else self.case_ids[i])

    def blocks(self) -> list[tuple[int, int]]:
        """Return the rows of each task, which do not depend on the number of threads, so that sums do not either."""
        n, k = self.shape
        rows = max(1, CELLS // k)
        return [(begin, min(begin + rows, n)) for begin in range(0, n, rows)]

    def sums(self, bins: Bins) -> Array:
        """Return (S,) sums by one pass over both tables."""
        k, search = self.shape[1], bins.search
        n_sums = 2 * k * bins.n_bins * _histogram.N_SUMS + _histogram.N_TOTALS
        total = np.zeros(n_sums if self.weights is None else LANES * n_sums)

        def part(begin: int, end: int) -> Array:
            own = np.zeros(len(total))
            if self.weights is not None or self.times is not None:
                once = np.ones((end - begin, 1)) if self.times is None else np.array(self.times[begin:end, None])
                own[:] = self.rows(bins, begin, end).sums(2 * k * bins.n_bins, once)[0]
                return own
            y, z = readable("counts", self.counts[begin:end]), readable("probs", self.probs[begin:end])
            self._check(_histogram.sums(y, z, search, bins.uniform, self.fractional, OUTSIDE, own), begin)
            return own

        def add(begin: int, end: int, own: Array) -> None:
            total[...] += own

        # a task has enough rows that its table of sums stays smaller than they are
        rows = max(CELLS, 16 * 2 * k * bins.n_bins) // k + 1
        if self.shape[0] <= rows:
            return part(0, self.shape[0])
        parallel.run(part, self.shape[0], rows, "label histograms", done=add)
        return total

    def rows(self, bins: Bins, begin: int = 0, end: int | None = None) -> Rows:
        y, z = readable("counts", self.counts[begin:end]), readable("probs", self.probs[begin:end])
        share, prob, cell, fact, fault = _histogram.read(y, z, bins.search, bins.uniform, self.fractional, OUTSIDE)
        self._check(fault, begin)
        return Rows(share, prob, cell, fact, None if self.weights is None else self.weights[begin:end])

    def _check(self, found: tuple[int, int, int], begin: int) -> None:
        """Raise the error of a fault that the core found in a row and class after ``begin``."""
        fault, i, k = found[0], begin + found[1], found[2]
        if not fault:
            return
        argument, must = FAULTS[fault]
        given = np.asarray(getattr(self, argument)[i])
        if fault in (5, 6):
            raise error(argument, must, f"a sum of {given.astype(np.float64).sum():.6g}", f"case {self.case(i)}")
        raise error(argument, must, given[k].item(), f"case {self.case(i)}, class {identifiers.name(self.classes[k])}")

    def checked(self) -> Iterator[tuple[int, int, Array, Array]]:
        """Yield ``(begin, end, counts, probs)`` by blocks of rows as float64, after the same checks as in a pass."""
        own = np.zeros(2 * self.shape[1] * _histogram.N_SUMS + _histogram.N_TOTALS)
        for begin, end in self.blocks():
            y, z = readable("counts", self.counts[begin:end]), readable("probs", self.probs[begin:end])
            self._check(_histogram.sums(y, z, ONE_BIN, True, self.fractional, OUTSIDE, own), begin)
            # always in the same layout, because the order of numpy's additions, and so the last bits, depends on it
            yield begin, end, np.ascontiguousarray(y, np.float64), np.ascontiguousarray(z, np.float64)

    def labelled(self) -> Bools:
        found = np.concatenate([np.asarray(self.counts[begin:end]).sum(axis=1) > 0 for begin, end in self.blocks()])
        found = found if self.weights is None else found & (self.weights > 0)
        return found if self.times is None else found & (self.times > 0)

    @property
    def n_all(self) -> int:
        """The number of cases, also of those that do not count."""
        return self.shape[0] if self.times is None else int(self.times.sum())

    def bins_of_mass(self, n_bins: int) -> Bins:
        """Return bins from the quantiles of each class over the cases with labels, or over all cases if none has labels."""
        labelled = self.labelled()
        kept: Any = slice(None) if labelled.all() or not labelled.any() else labelled
        columns = (np.asarray(self.probs[:, k][kept], np.float64) for k in range(self.shape[1]))
        return Bins.of_mass(columns, n_bins, None if self.times is None else self.times[kept])


def numbers(argument: str, values: object) -> NDArray[Any]:
    must = "be numbers of shape (N, K)"
    table = array_of(argument, values, must)
    if table.ndim != 2 or 0 in table.shape:
        raise error(argument, must, f"{table.dtype} of shape {table.shape}")
    return table


def array_of(argument: str, values: object, must: str) -> NDArray[Any]:
    """Return an array of numbers of any shape; refuse masked cells and rows of different lengths."""
    try:
        array = identifiers.unmasked(values)
    except ValueError:
        raise error(argument, must, "rows of different lengths") from None
    if array.dtype.kind not in "biuf":
        raise error(argument, must, f"{array.dtype} of shape {array.shape}")
    return array


def class_names(classes: object, labels: Labels | None, n_classes: int) -> NDArray[Any]:
    """Return the names of the classes: the given ones, those of the labels, or 0 to K-1."""
    if classes is None:
        return np.arange(n_classes, dtype=np.int64) if labels is None else labels.axes.classes
    names = identifiers.distinct("classes", classes)
    if len(names) != n_classes:
        raise error("classes", f"be the names of {n_classes} classes", len(names))
    return names


def readable(argument: str, block: NDArray[Any]) -> NDArray[Any]:
    """Return a block of rows in a type that the core can read, without a copy if possible."""
    kind = block.dtype
    if kind.isnative and (kind.kind, kind.itemsize) in READ_BY_CORE[argument] and block.flags.aligned:
        return np.asarray(block)
    return np.array(block, np.int64 if (argument == "counts" and block.dtype.kind in "bi") else np.float64, order="C")


def check_in_order(counts: object, weights: object) -> None:
    """Refuse weights by case id for a part of the data whose cases have no ids of their own."""
    if isinstance(weights, (Mapping, tuple)) and not (isinstance(counts, Labels) and not counts.axes.numbered):
        raise error("weights", "be an array in the order of the cases, if parts of the data do not name these", type(weights).__name__)


def checked_weights(given: object, n_cases: int, case_ids: Any, part: bool = False) -> Array | None:
    """Return (N,) weights of cases, or None if all are 1, except in a part of the data, where other parts may have other weights."""
    if given is None:
        return None
    listed = ids_of_cases("weights", given, n_cases, case_ids, what="a weight")
    found = array_of("weights", listed, f"be {n_cases} numbers, one per case").astype(np.float64)
    bad = ~((found == 0) | ((found >= LEAST_WEIGHT) & (found <= 1 / LEAST_WEIGHT)))
    if bad.any():
        i = int(np.argmax(bad))
        case = identifiers.name(i if case_ids is None else case_ids[i])
        raise error("weights", f"be 0 or from {LEAST_WEIGHT:g} to {1 / LEAST_WEIGHT:g}", found[i].item(), f"case {case}")
    if not found.any():
        raise error("weights", "be above 0 for at least one case", "0 for all")
    return None if not part and bool((found == 1).all()) else found


def counts_of(labels: Labels | None, annotators: NDArray[Any]) -> Int64:
    """Return (N, K) label counts of the annotators with weight 1; the others have weight 0."""
    if labels is None or len(labels.annotators) == 0:
        raise error("annotators", "be named, to be left out one by one", "annotations without names of annotators")
    weight = np.asarray(annotators, np.float64)
    if weight.shape != labels.annotators.shape or not ((weight == 0) | (weight == 1)).all():
        raise error("annotators", f"be {len(labels.annotators)} weights of 0 or 1", f"shape {weight.shape}")
    return labels._weighted_counts(weight).astype(np.int64)


def named(labels: Labels | None) -> Labels:
    """Return the labels if their annotators have names, which random annotators need; refuse others."""
    if labels is None or not len(labels.annotators):
        raise error("annotators", UNNAMED, "label counts")
    return labels


def count_table(counts: object) -> NDArray[Any]:
    """Return (N, K) counts without a check of their values; refuse fewer than 2 classes."""
    given = counts.counts() if isinstance(counts, Labels) else numbers("counts", leader("counts", counts).values)
    if given.shape[1] < 2:
        raise error("counts", "have at least 2 classes", given.shape[1])
    return given


def whole_counts(counts: object) -> Array:
    """Return (N, K) label counts as float64; refuse counts that are negative or not whole, and fewer than 2 classes."""
    labels = counts if isinstance(counts, Labels) else None
    given = count_table(counts)
    room("counts", 11 * given.size)
    table = given.astype(np.float64)
    for fault, bad in ((2, ~(table <= 2.0**53)), (1, table < 0), (3, table != np.floor(table))):
        if bad.any():
            i, k = (int(j) for j in np.argwhere(bad)[0])
            raise counts_error(fault, given[i, k].item(), i if labels is None else labels.axes.case_ids[i], k)
    return np.asarray(table)


def counts_error(fault: int, got: object, case: object, k: int) -> ValueError:
    return error(FAULTS[fault][0], FAULTS[fault][1].split(" (or")[0], got, f"case {identifiers.name(case)}, class {k}")
