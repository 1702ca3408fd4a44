"""The labels of cases as distinct rows with frequencies: all that a fit of latent classes reads."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np

from ..._base.arrays import Array, Bools, Int32, Int64, NDArray
from ..._base.checks import error, room
from ..._base.identifiers import factorize
from ..._base.ragged import row_of
from ..._base.wording import arg
from ..._core._stream import Stream
from ...annotations import Labels
from ...resampling import distinct_rows

ABSENT = -1


@dataclass(frozen=True, eq=False)
class LabelRows:
    """Distinct rows of labels by T tests (annotators, and the model if it is one), with the population of their cases.

    ``cells`` (P, T K), sparse: how often each test gave each class; ``times`` (P,): cases with this row; ``row`` (N,): the row of each
    case; ``population`` (P,): its number, from 0 to G - 1. ``cluster`` (N,): the cluster of each case, from 0 on, if there are any.
    """

    cells: Any
    times: Array
    row: Int32
    population: Int32
    n_classes: int
    cluster: Int32 | None = None

    @classmethod
    def of_counts(cls, counts: NDArray[Any], population: Int32, n_classes: int) -> LabelRows:
        """Count the distinct rows of numbers of labels (N, T K) within the populations (N,)."""
        from scipy.sparse import csr_matrix  # noqa: PLC0415  (scipy is slow to import)

        found = distinct_rows(np.ascontiguousarray(counts, np.int32), 1, population)
        first, code = (np.arange(len(counts)), np.arange(len(counts), dtype=np.int32)) if found is None else found
        times = np.bincount(code, minlength=len(first)).astype(np.float64)
        return cls(csr_matrix(counts[first].astype(np.float64)), times, code.astype(np.int32), population[first], n_classes)

    @classmethod
    def of(cls, table: Int32, population: Int32, n_classes: int) -> LabelRows:
        """Count the distinct rows of a table (N, T) of the class of each label, or -1."""
        hot = table[:, :, None] == np.arange(n_classes)
        return cls.of_counts(hot.reshape(len(table), table.shape[1] * n_classes), population, n_classes)

    @classmethod
    def of_labels(cls, labels: Labels, cases: Int64, annotators: Int64) -> LabelRows:
        """Count the distinct rows of some cases and annotators; other labels are left out."""
        case, who = np.full(labels.n_cases, -1), np.full(len(labels.annotators), -1)
        case[cases], who[annotators] = np.arange(len(cases)), np.arange(len(annotators))
        row = np.repeat(np.arange(labels.n_cases), np.diff(labels.offsets))
        kept = (case[row] >= 0) & (who[labels.annotator] >= 0)
        at = case[row[kept]], who[labels.annotator[kept]] * labels.n_classes + labels.label[kept]
        return _counted(at, labels.count[kept], (len(cases), len(annotators)), np.zeros(len(cases), np.int32), labels.n_classes)

    @property
    def n_cases(self) -> float:
        """The number of cases."""
        return float(self.times.sum())

    @property
    def n_tests(self) -> int:
        """T, the number of tests."""
        return int(self.cells.shape[1]) // self.n_classes

    @property
    def n_populations(self) -> int:
        """G, the number of populations."""
        return int(self.population.max(initial=0)) + 1

    @property
    def shares(self) -> Array:
        """(G,) the share of the cases in each population."""
        return np.bincount(self.population, self.times, self.n_populations) / self.n_cases

    @cached_property
    def hot(self) -> Array:
        """(P, T, K) how often each test gave each class."""
        return np.asarray(self.cells.toarray().reshape(len(self.times), self.n_tests, self.n_classes))

    @cached_property
    def given(self) -> Array:
        """(P, T) number of labels of each test."""
        return np.asarray(self.hot.sum(axis=2))

    @property
    def counts(self) -> Array:
        """(P, K) number of labels of each class."""
        return np.asarray(self.hot.sum(axis=1))

    @property
    def table(self) -> Int32:
        """(P, T) the class of each label, or -1, of tests that label a case at most once."""
        return np.where(self.given > 0, self.hot.argmax(axis=2), ABSENT).astype(np.int32)

    @property
    def alike(self) -> tuple[Int32, Array]:
        """The group of each row, by who labelled and the population, and the number of cases of each group."""
        code = factorize(np.concatenate([self.given, self.population[:, None]], axis=1))[0]
        return code, np.bincount(code, self.times).astype(np.float64)

    @property
    def tests_of_most(self) -> int:
        """The most tests that at least a tenth of the cases have together: by these, forms of dependence are offered."""
        n = (self.given > 0).sum(axis=1)
        having = [self.times[n >= m].sum() for m in range(1, self.n_tests + 1)]
        return int(sum(number >= 0.1 * self.n_cases for number in having))

    def beside(self, test: Int32) -> LabelRows:
        """Return the rows with one more test (N,), which stands last."""
        from scipy.sparse import csr_matrix, hstack  # noqa: PLC0415  (scipy is slow to import)

        code, first = factorize(np.stack([self.row, test.astype(np.int32)], axis=1))
        of, times = self.row[first], np.bincount(code, minlength=len(first)).astype(np.float64)
        own = csr_matrix((test[first, None] == np.arange(self.n_classes)).astype(np.float64))
        return LabelRows(hstack([self.cells[of], own], "csr"), times, code, self.population[of], self.n_classes, self.cluster)

    def without(self, test: int) -> tuple[LabelRows, Int64]:
        """Return the rows without one of the tests, and the cases that still have a label."""
        kept = np.delete(self.hot, test, axis=1).reshape(len(self.times), -1)
        cases = np.flatnonzero((kept.sum(axis=1) > 0)[self.row])
        row = self.row[cases]
        population = factorize(self.population[row])[0]
        found = LabelRows.of_counts(kept[row], population, self.n_classes)
        return replace(found, cluster=None if self.cluster is None else factorize(self.cluster[cases])[0]), cases

    def of_cases(self, cases: Int64) -> LabelRows:
        """Return the rows of drawn cases, some of them several times and without clusters; rows without a case stay."""
        row = self.row[cases]
        times = np.bincount(row, minlength=len(self.times)).astype(np.float64)
        return replace(self, times=times, row=row, cluster=None)

    @property
    def n_units(self) -> int:
        """The number of clusters, or of cases without clusters."""
        return len(self.row) if self.cluster is None else int(self.cluster.max(initial=-1)) + 1

    def sums_of_units(self, influence: Array) -> Array:
        """Return the sums (units, ...) of influences (N, ...) less their mean, times a factor: their squares add up to a variance."""
        centred = influence - influence.mean(axis=0)
        if self.cluster is None:
            return np.asarray(centred)
        n = self.n_units
        found = np.zeros((n, *centred.shape[1:]))
        np.add.at(found, self.cluster, centred)
        return np.asarray(found * np.sqrt(n / max(1, n - 1)))

    def drawn_cases(self, stream: Stream) -> Int64:
        """Return the cases of as many clusters, drawn with replacement, as there are; or cases without clusters."""
        n = self.n_units
        drawn = np.empty(n, np.uint64)
        stream.below(n, drawn)
        units = drawn.astype(np.int64)
        if self.cluster is None:
            return units
        order, size = np.argsort(self.cluster, kind="stable"), np.bincount(self.cluster)
        begin, length = (np.cumsum(size) - size)[units], size[units]
        within = np.arange(length.sum()) - np.repeat(np.cumsum(length) - length, length)
        return np.asarray(order[np.repeat(begin, length) + within])

    def each(self) -> tuple[Int64, Int64, Int64]:
        """Return the row of every case, in the order of the rows; and of every label, its case in this order and its test."""
        rows = np.repeat(np.arange(len(self.times)), self.times.astype(np.int64))
        case, test = np.nonzero(self.given[rows])
        n = self.given[rows[case], test].astype(np.int64)
        return rows, np.repeat(case, n), np.repeat(test, n)

    def again(self, rows: Int64, case: Int64, test: Int64, label: NDArray[Any]) -> LabelRows:
        """Return other labels of the cases and tests of :meth:`each`."""
        at = case, test * self.n_classes + label
        return _counted(at, None, (len(rows), self.n_tests), self.population[rows], self.n_classes)


def _counted(at: tuple[Int64, Any], count: Any, shape: tuple[int, int], population: Int32, n_classes: int) -> LabelRows:
    n, n_cells = shape[0], shape[1] * n_classes
    room("rows of labels", 8.0 * n * n_cells)
    counts = np.bincount(at[0] * n_cells + at[1], count, n * n_cells).reshape(n, n_cells)
    return LabelRows.of_counts(counts, population, n_classes)


def wide(labels: Labels) -> Int32:
    """Return the (N, A) classes that annotators gave, -1 for none; refuse two labels of one annotator for a case."""
    if (labels.annotator < 0).any() or not len(labels.annotators):
        way = "accuracy_bounds takes counts with " + arg("assume", "any difficulty")
        raise error("labels", "name the annotator of each label", "counts without annotators", way=way)
    n, n_annotators, case = labels.n_cases, len(labels.annotators), row_of(labels.offsets)
    room("the table of annotators", 8.0 * n * n_annotators)
    given = np.bincount(case * n_annotators + labels.annotator, labels.count, n * n_annotators)
    if (given > 1).any():
        at = int(np.argmax(given > 1)) // n_annotators
        raise error("labels", "have one label of each annotator for a case", "several", f"case {labels.axes.case_name(at)}")
    table = np.full((n, n_annotators), ABSENT, np.int32)
    table[case, labels.annotator] = labels.label
    return table


def overlapping(table: Int32) -> Bools:
    """Return (A,) whether an annotator shares a case with another one."""
    there = table >= 0
    return np.asarray((there & (there.sum(axis=1) > 1)[:, None]).any(axis=0))
