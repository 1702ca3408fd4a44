"""Agreement of annotators with themselves: their repeated labels of a case take the place of several annotators."""

from __future__ import annotations

import math
from types import SimpleNamespace
from typing import Any, Callable

import numpy as np

from .._base.arrays import Array, Bools, NDArray
from .._base.lazy import cached_property
from .._base.ragged import offsets_of, row_of, sizes_of
from ..annotations import Labels, Ratings
from ..resampling import over
from .forms import Agreed, Form, Values
from .table import Judgements, Ragged, case_ids_of, opens, said_by, values_and_index

NOT_TWICE, NEVER_TWICE = "case that no annotator labelled twice", "no annotator labelled a case twice"


def repeats(given: Labels | Ratings) -> tuple[Judgements, NDArray[Any], NDArray[Any]]:
    """Return ``(judged, case, annotator)``: one unit for each annotator and each case that this annotator labelled several times."""
    case, annotator = row_of(given.offsets), given.annotator
    every = np.lexsort((annotator, case))
    every = every[annotator[every] >= 0]
    first_of = opens(case[every], annotator[every])
    unit = np.cumsum(first_of) - 1
    times = np.bincount(unit)
    order, first = every[times[unit] >= 2], every[first_of][times >= 2]
    names, label = (given.axes.classes, given.label) if isinstance(given, Labels) else values_and_index(given.value)
    rows = offsets_of(times[times >= 2]), np.full(len(order), -1, np.int32), label[order], np.ones(len(order), np.int64)
    return Judgements(None, rows, names, isinstance(given, Ratings)), case[first], annotator[first]


class OfUnits(Form):
    """A coefficient of units of an annotator and a case, resampled by case; ``make`` gives the form of the units."""

    by_counts = False

    def __init__(self, given: Labels | Ratings, make: Callable[[Judgements], Form]) -> None:
        judged, self.case, self.annotator = repeats(given)
        self.given, self.make, self.form = given, make, make(judged)
        super().__init__(judged, judged.n_classes)
        self.n_cases, self.case_ids, self.span = len(given.offsets) - 1, case_ids_of(given), self.form.span

    @property
    def in_use(self) -> Bools:
        return np.asarray(np.bincount(self.case[self.form.in_use], minlength=self.n_cases) > 0)

    def _by_case(self, table: Array) -> Array:
        """Return (N, ...) sums over the units of each case."""
        found = np.zeros((self.n_cases, *table.shape[1:]))
        np.add.at(found, self.case, table)
        return found

    @property
    def dense(self) -> Array:
        return self._by_case(self.form.dense)

    @property
    def amounts(self) -> tuple[Ragged, ...]:
        begin = offsets_of(np.bincount(self.case, minlength=self.n_cases))  # the units are sorted by case
        return tuple(Ragged(one.offsets[begin], one.index, one.amount) for one in self.form.amounts)

    def width_of(self, table: Ragged) -> int:
        return next(self.form.width_of(one) for one in self.form.amounts if one.index is table.index)

    @property
    def _ones(self) -> Array:
        return self.form._ones

    def parts(self, sums: Array) -> Values:
        return self.form.parts(sums)

    def slopes(self) -> tuple[Array, Array]:
        observed_by, expected_by = self.form.slopes()
        return self._by_case(observed_by), self._by_case(expected_by)

    def with_judged(self, judged: Judgements) -> OfUnits:
        return OfUnits(judged.given or self.given, self.make)

    def _annotations(self) -> Any:
        """Return the repeated labels, as annotations of the cases."""
        offsets = self.form.judged.offsets
        begin = offsets[offsets_of(np.bincount(self.case, minlength=self.n_cases))]
        return SimpleNamespace(annotators=self.given.annotators, offsets=begin, annotator=np.repeat(self.annotator, sizes_of(offsets)))

    def _judged_by(self, annotators: NDArray[Any]) -> OfUnits:
        return OfUnits(said_by(self.given, annotators), self.make)

    def agreed(self, sums: Array | None = None) -> Agreed:
        found = self.form.agreed(sums)
        return found if len(self.case) else found._replace(reason=NEVER_TWICE)

    @property
    def n_counted(self) -> int:
        return len(np.unique(self.case))

    @property
    def n_annotators(self) -> int:
        """Number of annotators who labelled a case twice."""
        return len(np.unique(self.annotator))

    def missing(self) -> dict[str, int]:
        return {NOT_TWICE: self.n_cases - self.n_counted} if self.n_counted < self.n_cases else {}

    @property
    def per_case(self) -> Array:
        """(N,) mean observed agreement over the units of each case."""
        return over(self._by_case(self.form.per_case), np.bincount(self.case, minlength=self.n_cases))

    @property
    def per_class(self) -> Array:
        return self.form.per_class

    @cached_property
    def per_annotator(self) -> Array:
        """(A,) the coefficient of each annotator's units; NaN for an annotator without repeats."""
        found = np.full(len(self.given.annotators), np.nan)
        for a in np.unique(self.annotator):
            value = float(self.form.values((self.annotator == a)[None].astype(np.float64))[0, 0])
            found[a] = 1.0 if math.isnan(value) else value
        return found
