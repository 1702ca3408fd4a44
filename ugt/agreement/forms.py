"""Agreement coefficients as functions of sums over cases: values on data and resamples, and derivatives by the weight of a case."""

from __future__ import annotations

import math
from abc import abstractmethod
from collections.abc import Iterator, Mapping, Sequence
from copy import copy
from typing import Any, NamedTuple

import numpy as np

from .._base.arrays import Array, Bools, Int32, Int64, NDArray
from .._base.checks import error
from .._base.lazy import cached_property
from .._base.ragged import row_of, take
from .._core import _exact, _tables
from ..annotations import Labels
from ..resampling import Answer, Design, Merging, NumberFacts, Panel, Statistic, Without, by_case, plain
from ..resampling.merging import NO_SETTINGS
from .table import Judgements, Ragged, values_and_index

MOST_EMPTY = 8  # cells of a lookup table per cell in use, above which a search is used instead
TINY = 1e-14  # an expected disagreement (at most 1) below this is rounding error
EMPTY, SINGLE, WEIGHTLESS = "case without annotations", "case with a single annotator", "case of weight 0"
NO_PAIRS = "no case has {things} of two annotators"
NO_SHARED = "no case was labelled by both annotators"
ONE_CLASS = "no variation: all labels are of one class, so that agreement by chance is complete; 1 by convention"
NO_RATING = "no variation: all ratings are equal, so that agreement by chance is complete; 1 by convention"
NO_WEIGHT = "no variation: all weights between the classes in use are 1; 1 by convention"


class Values(NamedTuple):
    """The value (1 - observed / expected disagreement, NaN without variation) and observed and expected agreement.

    Each is an array ``(B,)``, or a numpy number of one weighting, which takes a fraction of the time.
    """

    value: Array
    observed: Array
    expected: Array

    @classmethod
    def of(cls, disagreement: Array, expected: Array) -> Values:
        """Compute the values from observed disagreement and disagreement expected by chance."""
        if isinstance(expected, np.ndarray):
            usable = np.where(expected > TINY, expected, np.nan)
        else:
            usable = expected if expected > TINY else np.nan
        return cls(1 - disagreement / usable, 1 - disagreement, 1 - expected)

    def like(self, sums: Array) -> Values:
        """Return numbers instead of arrays (1,) if the sums (S,) are those of one weighting."""
        return self if sums.ndim > 1 else Values(*np.concatenate(self))


class Agreed(NamedTuple):
    """The numbers of the unweighted data, with conventions applied and their reason."""

    value: float
    observed: float
    expected: float
    reason: str | None


class Form(Statistic):
    """A coefficient that is a function of sums over cases: of dense columns (N, C) and of amounts of classes (N, K).

    The N cases are the different ones among the M cases of the data; public methods take and return all M. A form without judgements
    has no cases and only answers for sums that were computed elsewhere.
    """

    names: tuple[str, ...] = ("value", "observed", "expected")
    span = (-1.0, 1.0)
    finite = True  # whether the variance has the factor n / (n - 1)
    n_dense: int
    n_tables = 1  # number of tables of classes among the sums
    singles = False  # whether cases without a pair of annotators are in use, too: they show how common the classes are
    n_at = 1  # position of the sum that counts what is compared; if it is 0, the coefficient is undefined
    no_pairs = NO_PAIRS
    by_counts = True  # whether a case adds the same to all sums as any other case with the same label counts
    settings: Mapping[str, Any] = NO_SETTINGS
    fixed: Array = np.empty(0)

    def __init__(self, judged: Judgements | None, n_classes: int) -> None:
        self._judged, self.n_cases, self.n_classes = judged, 0 if judged is None else judged.n_all, n_classes
        self.ratings, self.case_ids = judged is not None and judged.ratings, None if judged is None else judged.case_ids
        self.times = None if judged is None or judged.counting is None else judged.counting.times

    @property
    def judged(self) -> Judgements:
        assert self._judged is not None
        return self._judged

    @property
    def facts(self) -> NumberFacts:
        """Facts with scales of intervals: for chance-corrected agreement log(1 - value), the log ratio of the two disagreements."""
        scales = ("logit" if self.span[0] == 0 else "complement", *("logit" for _ in self.names[1:]))
        return NumberFacts.of(len(scales), self._ranges)._replace(scales=scales, steps=self._steps)

    def _ranges(self) -> Array:
        return np.array([self.span, (0.0, 1.0), (0.0, 1.0)][: len(self.names)])

    def _steps(self, sums: Array, n_cases: int) -> Array:
        """Return (3,) steps of the numbers; a case without any agreement lowers the coefficient by its share / (1 - expected)."""
        return np.array([1 / max(1 - self.answer(sums[None])[0, 2], TINY), 1.0, 1.0])

    # ---- defined by each coefficient

    @property
    @abstractmethod
    def in_use(self) -> Bools:
        """(N,) which of the different cases count; the others have zeros throughout."""

    @property
    def paired(self) -> Bools:
        """(N,) which of the different cases show how annotators agree: the units of intervals."""
        return self.in_use

    @property
    @abstractmethod
    def dense(self) -> Array:
        """(N, C) the amount that each case adds to each of C sums."""

    @property
    def amounts(self) -> tuple[Ragged, ...]:
        """Tables (N, K), whose sums follow those of ``dense``."""
        return ()

    @abstractmethod
    def parts(self, sums: Array) -> Values:
        """Return value, observed and expected agreement from sums (B, S), or (S,) of one weighting."""

    @abstractmethod
    def slopes(self) -> tuple[Array, Array]:
        """Return the derivatives (N,) of observed and (N,) of expected disagreement by the weight of a case."""

    @abstractmethod
    def with_judged(self, judged: Judgements) -> Form:
        """Return the same coefficient of other judgements."""

    @property
    def observed(self) -> Array:
        """(N,) observed agreement of each different case; NaN without a pair of annotators."""
        total, compared = self.dense.T[:2]
        return np.where(compared > 0, 1 - total / np.where(compared > 0, compared, 1.0), np.nan)

    def class_sums(self) -> Array:
        """Return (R, K) sums over cases, from which `of_classes` computes the coefficient of each class."""
        return np.empty((0, self.n_classes))

    def of_classes(self, class_sums: Array, sums: Array) -> Array:
        """Return (K,) coefficients of each class against all others."""
        return np.full(self.n_classes, np.nan)

    @property
    def n_counted(self) -> int:
        """Number of cases with a pair of annotators."""
        return int(self._ones[self.n_at])

    @property
    def n_annotators(self) -> int | None:
        """Number of annotators with a judgement."""
        return self.judged.n_annotators

    def missing(self) -> dict[str, int]:
        return few(self.judged)

    # ---- the same for all coefficients

    def sums(self, cases: Array | None = None) -> Array:
        if cases is None:
            return self._ones[None]
        alike = self.judged.alike  # sums are over the different cases only
        weights = by_case(cases) if alike is None else alike.times_in(cases)
        return np.asarray((self._columns @ np.ascontiguousarray(weights)).T)

    @cached_property
    def _ones(self) -> Array:
        times = self.judged.times
        dense = np.einsum("i,ij->j", times, self.dense)  # the last bits of a matrix product would depend on the threads
        return np.concatenate([dense, *(table.totals(self.width_of(table), times) for table in self.amounts)])

    @cached_property
    def _columns(self) -> Any:
        """(S, N) sparse, so that sums are added in the same order for any number of resamples at a time."""
        from scipy import sparse  # noqa: PLC0415  (scipy is slow to import)

        n = len(self.dense)
        tables = [sparse.csr_matrix((one.amount, one.index, one.offsets), shape=(n, self.width_of(one))) for one in self.amounts]
        return sparse.hstack([sparse.csr_matrix(self.dense), *tables]).T.tocsr()

    def by_case(self) -> Array:
        """Return (M, S): what each case adds to each sum."""
        return np.asarray(self.each(self._columns.T.toarray()))

    def width_of(self, table: Ragged) -> int:
        """Return the number of sums of a table."""
        return self.n_classes

    def _exact_sums(self) -> Array:
        """Return (S, P) partial sums; those of the dense columns are exact."""
        dense = np.asarray(_exact.exact_columns(np.ascontiguousarray(self.dense)))
        found = np.zeros((len(self._ones), dense.shape[1]))
        found[: len(dense)], found[len(dense) :, 0] = dense, self._ones[len(dense) :]
        return found

    def answer(self, sums: Array) -> Array:
        with np.errstate(invalid="ignore", divide="ignore"):
            return np.stack(self.parts(sums), axis=1)

    @property
    def kept(self) -> Bools:
        """(M,) whether a case counts."""
        return self.standing(np.asarray(self.each(self.in_use)))

    @property
    def informative(self) -> Bools:
        return self.standing(np.asarray(self.each(self.paired)))

    def each(self, table: Any) -> Any:
        """Expand (N, ...) of the different cases to (M, ...) of all cases."""
        return table if self.judged.row is None else table[self.judged.row]

    def influence(self) -> Array:
        """Return the (M, 3) derivatives of the numbers; NaN if the value is NaN."""
        value, _, expected = self.estimate
        if math.isnan(value):
            return np.full((self.n_cases, 3), np.nan)
        observed_by, expected_by = self.slopes()
        by = ((1 - value) * expected_by - observed_by) / (1 - expected)
        return np.asarray(self.each(np.stack([by, -observed_by, -expected_by], axis=1)))

    def std_error(self, design: Design | None = None) -> Array:
        found, n = super().std_error(design), self.number_of(self.kept)
        return found if self.finite or design is not None or n < 2 else found * math.sqrt((n - 1) / n)

    def _judged_by(self, annotators: NDArray[Any]) -> Form:
        return self.with_judged(self.judged.by(annotators))

    @property
    def panel(self) -> Panel:
        return Panel(self._annotations, self._judged_by, self._without_each)

    def _annotations(self) -> Any:
        given = self.judged.given
        return super().panel.annotations() if given is None or not len(given.annotators) else given

    def _without_each(self, annotators: Int64, numbers: Sequence[int]) -> Iterator[Without]:
        """Yield numbers and influence without each annotator in turn; for single labels from counts, because few counts differ."""
        judged, k = self.judged, self.n_classes
        if not self.by_counts or not judged.single:
            yield from self.panel.one_by_one(annotators, numbers)
            return
        given, n = judged.given, judged.n_cases
        case, label = row_of(given.offsets), given.label if isinstance(given, Labels) else values_and_index(given.value)[1]
        row = np.arange(n, dtype=np.int32) if judged.row is None else judged.row
        less, of_entry = self._with_one_less()
        cells, own = judged.classes.row * k + judged.classes.index, row[case].astype(np.int64) * k + label
        if n * k <= len(cells) * MOST_EMPTY:  # a lookup table is several times as fast as a search
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
        """Return the form of the different cases followed by those with one label less, and the position of each entry (case, class)."""
        table, n = self.judged.classes, self.judged.n_cases
        offsets, at = take(table.offsets, table.row)
        count = np.rint(table.amount[at]).astype(np.int64)
        count[offsets[:-1] + np.arange(len(table.row)) - table.offsets[table.row]] -= 1
        kept = count > 0
        offsets, index, count = np.append(0, np.cumsum(kept))[offsets].astype(np.int64), table.index[at][kept], count[kept]
        merged = _tables.distinct_rows(offsets, index, count, len(table.row)) if len(index) else None  # None: no case has two labels
        of_entry = np.arange(len(table.row), dtype=np.int32)
        if merged is not None:
            of_entry, (offsets, at) = merged[0], take(offsets, merged[1])
            index, count = index[at], count[at]
        index, count = np.append(table.index, index), np.append(np.rint(table.amount).astype(np.int64), count)
        rows = np.append(table.offsets, table.offsets[-1] + offsets[1:]), np.full(len(index), -1, np.int32), index, count
        return self.with_judged(Judgements(None, rows, self.judged.names, self.ratings)), of_entry + np.int32(n)

    def agreed(self, sums: Array | None = None) -> Agreed:
        """Return the numbers and the reason of a convention, from sums (S,) or, by default, from these data."""
        sums = self._ones if sums is None else sums
        if sums[self.n_at] == 0:
            return Agreed(math.nan, math.nan, math.nan, self.no_pairs.format(things="ratings" if self.ratings else "labels"))
        value, observed, expected = self.parts(sums)
        if not math.isnan(value):
            return Agreed(float(value), float(observed), float(expected), None)
        return Agreed(1.0, 1.0, 1.0, self.without_variation(sums))

    def without_variation(self, sums: Array) -> str:
        """Return the reason why agreement by chance is complete."""
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
        """The judgements of the cases that the coefficient compares."""
        return self.judged

    # ---- for data in parts

    def in_parts(self, settings: Mapping[str, Any]) -> Form:
        """Turn this form into one of several parts that exchange sums; for labels, add the sums for each class as fixed sums."""
        self.settings, self.left_out, self.case_ids = settings, self.missing(), None
        if not self.ratings:
            self.settings = {**settings, "classes": plain(self.judged.names)}
            self.fixed = np.append(self.told.classes.totals(self.n_classes, self.judged.times), self.class_sums())
        elif not np.isfinite(self.dense).all():
            where = f"row {int(np.argmin(np.isfinite(self.dense).all(axis=1)))}"
            raise error("ratings", "have finite squares about center", "larger ones", where)
        return self

    @property
    def merging(self) -> Merging:
        return super().merging._replace(
            settings=self.settings, exact_sums=self._exact_sums, by_case=self.by_case, fixed=self.fixed, finish=self._finish,
            groups=self._groups,
        )  # fmt: skip

    def _finish(self, sums: Array, fixed: Array, left_out: Mapping[str, int]) -> Answer:
        value, *others, reason = self.agreed(sums)
        numbers: dict[str, Any] = dict(zip(self.names[1:], others))
        if not self.ratings:
            labels, by_class = np.split(fixed, [self.n_classes])
            numbers["prevalence"] = labels / max(1.0, float(labels.sum()))
            numbers["per_class"] = self.of_classes(by_class.reshape(-1, self.n_classes), sums)
        return Answer(value, numbers, reason)

    def _groups(self, sums: Array, fixed: Array) -> Array:
        """Return the number of labels of each class."""
        return np.asarray(np.rint(fixed[: self.n_classes]))


def counts_of(judged: Judgements, reasons: dict[str, Bools]) -> dict[str, int]:
    """Return for each reason the number of cases to which it applies; leave out reasons without cases."""
    found = {reason: judged.number(applies) for reason, applies in reasons.items()}
    if judged.counting is not None and judged.counting.weighted:
        found[WEIGHTLESS] = int(np.count_nonzero(judged.counting.times == 0))
    return {reason: n for reason, n in found.items() if n}


def few(judged: Judgements) -> dict[str, int]:
    """Return the numbers of cases without and with a single annotator, by reason."""
    return counts_of(judged, {EMPTY: judged.size == 0, SINGLE: judged.size == 1})
