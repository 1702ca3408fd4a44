"""Agreement coefficients as functions of sums over cases: on the data, on resamples, and their derivatives by the weight of a case."""

from __future__ import annotations

import math
from abc import abstractmethod
from collections.abc import Iterator, Mapping, Sequence
from copy import copy
from functools import cached_property
from types import MappingProxyType
from typing import Any, NamedTuple

import numpy as np

from .._base.arrays import Array, Bools, Int32, Int64, NDArray
from .._base.checks import error
from .._base.ragged import row_of, take
from .._core import _exact, _tables
from ..annotations import Labels
from ..resampling import Alike, Answer, Statistic, Without, by_case, plain
from .table import Judgements, Ragged, values_and_index

MOST_EMPTY = 8  # cells of a table for each that is used
TINY = 1e-14  # an expected disagreement (at most 1) that is rounding
EMPTY, SINGLE = "case without annotations", "case with a single annotator"
NO_PAIRS = "no case has {things} of two annotators"
NO_SHARED = "no case was labelled by both annotators"
ONE_CLASS = "no variation: all labels are of one class, so that chance agrees as often; 1 by convention"
NO_RATING = "no variation: all ratings are equal, so that chance agrees as often; 1 by convention"
NO_WEIGHT = "no variation: all weights between the classes in use are 1; 1 by convention"


class Values(NamedTuple):
    """``(B,)`` each: 1 - disagreement / expected, NaN where nothing varies; observed and expected agreement."""

    value: Array
    observed: Array
    expected: Array

    @classmethod
    def of(cls, disagreement: Array, expected: Array) -> Values:
        """From the disagreement seen and by chance."""
        varies = expected > TINY
        value = np.full(len(expected), np.nan)
        np.divide(disagreement, expected, out=value, where=varies)
        return cls(1 - value, 1 - disagreement, 1 - expected)


class Agreed(NamedTuple):
    """What the data as they are say, conventions included."""

    value: float
    observed: float
    expected: float
    reason: str | None


class Form(Statistic):
    """A coefficient whose sums over cases, of dense columns (N, C) and of amounts of classes (N, K), say everything.

    The N cases are the different ones among M of the data; what is public speaks of these. Without judgements it is of no cases, to
    answer for sums that were made elsewhere.
    """

    names: tuple[str, ...] = ("value", "observed", "expected")
    span = (-1.0, 1.0)
    finite = True  # whether the variance takes n / (n - 1)
    n_dense: int
    n_tables = 1  # of classes
    n_at = 1  # which sum says how much is compared
    no_pairs = NO_PAIRS
    by_counts = True  # whether the counts of the labels of a case say all that it adds
    settings: Mapping[str, Any] = MappingProxyType({})

    def __init__(self, judged: Judgements | None, n_classes: int) -> None:
        self._judged, self.n_cases, self.n_classes = judged, 0 if judged is None else judged.n_all, n_classes
        self.ratings, self.case_ids = judged is not None and judged.ratings, None if judged is None else judged.case_ids

    @property
    def judged(self) -> Judgements:
        assert self._judged is not None
        return self._judged

    @property
    def spans(self) -> Array:
        return np.array([self.span, (0.0, 1.0), (0.0, 1.0)][: len(self.names)])

    def steps(self, sums: Array, n_cases: int) -> Array:
        """(3,); a share of cases without any agreement takes so much / (1 - expected) off the coefficient."""
        if len(self.names) == 1:
            return super().steps(sums, n_cases)
        return np.array([1 / max(1 - self.answer(sums[None])[0, 2], TINY), 1.0, 1.0])

    # ---- what a coefficient says

    @property
    @abstractmethod
    def in_use(self) -> Bools:
        """(N,) different cases that take part; others have zeros throughout."""

    @property
    @abstractmethod
    def dense(self) -> Array:
        """(N, C) what each case adds to C sums."""

    @property
    def amounts(self) -> tuple[Ragged, ...]:
        """Tables (N, K), whose sums follow."""
        return ()

    @abstractmethod
    def parts(self, sums: Array) -> Values:
        """Value, observed and expected agreement from sums (B, S)."""

    @abstractmethod
    def slopes(self) -> tuple[Array, Array]:
        """(N,) each: derivatives of the disagreement seen and by chance by the weight of a case."""

    @abstractmethod
    def with_judged(self, judged: Judgements) -> Form:
        """The same of other judgements."""

    @property
    def observed(self) -> Array:
        """(N,) agreement of each different case; NaN where there is no pair of annotators."""
        total, compared = self.dense.T[:2]
        return np.where(compared > 0, 1 - total / np.where(compared > 0, compared, 1.0), np.nan)

    def class_sums(self) -> Array:
        """(R, K) sums over cases for each class against all others."""
        return np.empty((0, self.n_classes))

    def of_classes(self, class_sums: Array, sums: Array) -> Array:
        """(K,) the coefficient of each class against all others."""
        return np.full(self.n_classes, np.nan)

    @property
    def n_counted(self) -> int:
        """How many cases have a pair of annotators."""
        return int(self._ones[self.n_at])

    @property
    def n_annotators(self) -> int | None:
        """Annotators with a judgement."""
        return self.judged.n_annotators

    def missing(self) -> dict[str, int]:
        return few(self.judged)

    # ---- what follows

    def sums(self, cases: Array | None = None) -> Array:
        if cases is None:
            return self._ones[None]
        weights, row = by_case(cases), self.judged.row
        if row is not None:  # of the different ones
            weights = Alike(np.arange(len(row)), row, len(self.judged.times)).times(weights)
        return np.asarray((self._columns @ np.ascontiguousarray(weights)).T)

    @cached_property
    def _ones(self) -> Array:
        times = self.judged.times
        dense = np.einsum("i,ij->j", times, self.dense)  # not a matrix product: its last bits depend on the threads
        return np.concatenate([dense, *(table.totals(self.width_of(table), times) for table in self.amounts)])

    @cached_property
    def _columns(self) -> Any:
        """(S, N) sparse: a product with it adds up in the same order for any number of resamples at a time."""
        from scipy import sparse  # noqa: PLC0415  (scipy is slow to import)

        n = len(self.dense)
        tables = [sparse.csr_matrix((one.amount, one.index, one.offsets), shape=(n, self.width_of(one))) for one in self.amounts]
        return sparse.hstack([sparse.csr_matrix(self.dense), *tables]).T.tocsr()

    def by_case(self) -> Array:
        """(M, S)."""
        return np.asarray(self.each(self._columns.T.toarray()))

    def width_of(self, table: Ragged) -> int:
        """How many sums a table has."""
        return self.n_classes

    def exact_sums(self) -> Array:
        """(S, P), those of the dense columns exact."""
        dense = np.asarray(_exact.exact_columns(np.ascontiguousarray(self.dense)))
        found = np.zeros((len(self._ones), dense.shape[1]))
        found[: len(dense)], found[len(dense) :, 0] = dense, self._ones[len(dense) :]
        return found

    def answer(self, sums: Array) -> Array:
        return np.stack(self.parts(sums), axis=1)

    @property
    def kept(self) -> Bools:
        """(M,) cases that take part."""
        return np.asarray(self.each(self.in_use))

    def each(self, table: Any) -> Any:
        """(M, ...) of all cases from (N, ...) of the different ones."""
        return table if self.judged.row is None else table[self.judged.row]

    def influence(self) -> Array:
        """(M, 3); NaN where the value is."""
        value, _, expected = self.estimate
        if math.isnan(value):
            return np.full((self.n_cases, 3), np.nan)
        observed_by, expected_by = self.slopes()
        by = ((1 - value) * expected_by - observed_by) / (1 - expected)
        return np.asarray(self.each(np.stack([by, -observed_by, -expected_by], axis=1)))

    def std_error(self, units: Int32 | None = None) -> Array:
        found, n = super().std_error(units), int(self.kept.sum())
        return found if self.finite or units is not None or n < 2 else found * math.sqrt((n - 1) / n)

    def judged_by(self, annotators: NDArray[Any]) -> Form:
        return self.with_judged(self.judged.by(annotators))

    @property
    def scales(self) -> tuple[str, ...]:
        """Of agreement corrected for chance log(1 - value), the quotient of disagreement seen and by chance."""
        return ("logit" if self.span[0] == 0 else "complement", *("logit" for _ in self.names[1:]))

    def annotations_by_name(self) -> Any:
        given = self.judged.given
        if given is None or not len(given.annotators):
            return super().annotations_by_name()
        return given

    def without_each(self, annotators: Int64, numbers: Sequence[int]) -> Iterator[Without]:
        """Of single labels from counts: a case without one label is as another with these counts, and few of these differ."""
        judged, k = self.judged, self.n_classes
        if not self.by_counts or not judged.single:
            yield from super().without_each(annotators, numbers)
            return
        given, n = judged.given, judged.n_cases
        case, label = row_of(given.offsets), given.label if isinstance(given, Labels) else values_and_index(given.value)[1]
        row = np.arange(n, dtype=np.int32) if judged.row is None else judged.row
        less, of_entry = self._with_one_less()
        cells, own = judged.classes.row * k + judged.classes.index, row[case].astype(np.int64) * k + label
        if n * k <= len(cells) * MOST_EMPTY:  # a table is several times as quick as a search
            found = np.empty(n * k, np.int32)
            found[cells] = of_entry
            of_label = found[own]
        else:
            of_label = of_entry[np.searchsorted(cells, own)]
        begin, order = _tables.group(given.annotator, len(given.annotators))
        for j in annotators.tolist():
            at = order[begin[j] : begin[j + 1]]
            of_case = row.copy()
            of_case[case[at]] = of_label[at]
            without = copy(less)
            without.__dict__.pop("estimate", None)
            without.__dict__["_ones"] = less._columns @ np.bincount(of_case, minlength=less.n_cases).astype(np.float64)
            left = Without.of(without, numbers)
            assert left.influence is not None
            yield Without(left.values, left.influence[of_case])

    def _with_one_less(self) -> tuple[Form, Int32]:
        """The same of the different cases and, after these, of those with one label less; which of these each entry (case, class) is."""
        table, n = self.judged.classes, self.judged.n_cases
        offsets, at = take(table.offsets, table.row)
        count = np.rint(table.amount[at]).astype(np.int64)
        count[offsets[:-1] + np.arange(len(table.row)) - table.offsets[table.row]] -= 1
        kept = count > 0
        offsets, index, count = np.append(0, np.cumsum(kept))[offsets].astype(np.int64), table.index[at][kept], count[kept]
        merged = _tables.distinct_rows(offsets, index, count, len(table.row))
        of_entry = np.arange(len(table.row), dtype=np.int32)
        if merged is not None:
            of_entry, (offsets, at) = merged[0], take(offsets, merged[1])
            index, count = index[at], count[at]
        index, count = np.append(table.index, index), np.append(np.rint(table.amount).astype(np.int64), count)
        rows = np.append(table.offsets, table.offsets[-1] + offsets[1:]), np.full(len(index), -1, np.int32), index, count
        return self.with_judged(Judgements(None, rows, self.judged.names, self.ratings)), of_entry + np.int32(n)

    def agreed(self, sums: Array | None = None) -> Agreed:
        """Of all data, from sums (S,), with what is so by convention; None: of these data."""
        sums = self._ones if sums is None else sums
        if sums[self.n_at] == 0:
            return Agreed(math.nan, math.nan, math.nan, self.no_pairs.format(things="ratings" if self.ratings else "labels"))
        value, observed, expected = (float(part[0]) for part in self.parts(sums[None]))
        if not math.isnan(value):
            return Agreed(value, observed, expected, None)
        return Agreed(1.0, 1.0, 1.0, self.without_variation(sums))

    def without_variation(self, sums: Array) -> str:
        """Why chance agrees as often as can be."""
        if self.ratings:
            return NO_RATING
        used = (sums[self.n_dense :][: self.n_tables * self.n_classes].reshape(self.n_tables, -1) > 0).any(axis=0)
        return ONE_CLASS if np.count_nonzero(used) < 2 else NO_WEIGHT

    @property
    def per_case(self) -> Array:
        return np.asarray(self.each(self.observed))

    @property
    def per_class(self) -> Array:
        return self.of_classes(self.class_sums(), self._ones)

    @property
    def told(self) -> Judgements:
        """What was said in cases that the coefficient is of."""
        return self.judged

    # ---- of cases in parts

    def in_parts(self, settings: Mapping[str, Any]) -> Form:
        """Itself, as one of the parts that exchange sums; of labels with those for each class, which resamples do not need."""
        self.settings, self.left_out, self.case_ids = settings, self.missing(), None
        if not self.ratings:
            self.settings = {**settings, "classes": plain(self.judged.names)}
            self.fixed = np.append(self.told.classes.totals(self.n_classes, self.judged.times), self.class_sums())
        elif not np.isfinite(self.dense).all():
            where = f"row {int(np.argmin(np.isfinite(self.dense).all(axis=1)))}"
            raise error("ratings", "have finite squares about center", "larger ones", where)
        return self

    def finish(self, sums: Array, fixed: Array, left_out: Mapping[str, int]) -> Answer:
        value, *others, reason = self.agreed(sums)
        numbers: dict[str, Any] = dict(zip(self.names[1:], others))
        if not self.ratings:
            labels, by_class = np.split(fixed, [self.n_classes])
            numbers["prevalence"] = labels / max(1.0, float(labels.sum()))
            numbers["per_class"] = self.of_classes(by_class.reshape(-1, self.n_classes), sums)
        return Answer(value, numbers, reason)

    def groups(self, sums: Array, fixed: Array) -> Array:
        """Labels of each class."""
        return np.asarray(np.rint(fixed[: self.n_classes]))


def counts_of(judged: Judgements, reasons: dict[str, Bools]) -> dict[str, int]:
    """How many cases each reason applies to, where it applies to any."""
    found = {reason: int(judged.times[applies].sum()) for reason, applies in reasons.items()}
    return {reason: n for reason, n in found.items() if n}


def few(judged: Judgements) -> dict[str, int]:
    """Cases with fewer than two annotators."""
    return counts_of(judged, {EMPTY: judged.size == 0, SINGLE: judged.size == 1})
