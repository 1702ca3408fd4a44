"""The paired difference of two statistics."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from .._base.arrays import Array, Bools, Int64, NDArray
from .._base.checks import error
from .._base.lazy import cached_property
from ..annotations.other_annotators import case_offsets
from .statistic import Statistic, Without

if TYPE_CHECKING:
    from .design import Design


class Difference(Statistic):
    """One statistic less another of the same cases, number by number, on the same resamples."""

    def __init__(self, first: Statistic, second: Statistic) -> None:
        self.first, self.second, self.n_cases, self.names = first, second, first.n_cases, first.names

    @cached_property
    def _width(self) -> int:
        return int(self.first.sums().shape[1])

    @property
    def kept(self) -> Bools:
        """The (N,) cases that count in either."""
        return self.first.kept | self.second.kept

    def sums(self, cases: Array | None = None) -> Array:
        """Return the sums (B, S + S') of both."""
        return np.concatenate([self.first.sums(cases), self.second.sums(cases)], axis=1)

    def answer(self, sums: Array) -> Array:
        return self.first.answer(sums[:, : self._width]) - self.second.answer(sums[:, self._width :])

    def influence(self) -> Array | None:
        one, other = self.first.influence(), self.second.influence()
        return None if one is None or other is None else one - other

    def few_of(self, number: int, design: Design | None = None) -> str | None:
        return self.first.few_of(number, design) or self.second.few_of(number, design)

    def annotations_by_name(self) -> Any:
        """Return the annotations, which both must share."""
        (known, *rows), (_, *others) = ((one, *_rows(one)) for one in (self.first.annotations_by_name(), self.second.annotations_by_name()))
        if not all(np.array_equal(one, other) for one, other in zip(rows, others)):
            raise error("other", "be of the same annotations, for annotators to be random", "others")
        return known

    def judged_by(self, annotators: NDArray[Any]) -> Difference:
        return Difference(self.first.judged_by(annotators), self.second.judged_by(annotators))

    def without_each(self, annotators: Int64, numbers: Sequence[int]) -> Iterator[Without]:
        if self.influence() is None:
            yield from super().without_each(annotators, numbers)
            return
        for one, other in zip(self.first.without_each(annotators, numbers), self.second.without_each(annotators, numbers)):
            assert one.influence is not None and other.influence is not None
            yield Without(one.values - other.values, one.influence - other.influence)

    def only(self, number: int) -> tuple[Statistic, int]:
        """Return the difference of both statistics with this number."""
        (first, at), (second, _) = self.first.only(number), self.second.only(number)
        return Difference(first, second), at

    @property
    def spans(self) -> Array:
        return np.asarray(self.first.spans - self.second.spans[:, ::-1])

    def steps(self, sums: Array, n_cases: int) -> Array:
        """Return (M,) NaN: the steps are unknown."""
        return np.full(len(self.names), np.nan)

    def counting(self, kept: Bools, design: Design) -> Array:
        """Return the fewer units (M,) of both."""
        return np.minimum(self.first.counting(kept, design), self.second.counting(kept, design))

    def n_annotated(self, kept: Bools, design: Design) -> int:
        """Return the fewer units of both."""
        return min(self.first.n_annotated(kept, design), self.second.n_annotated(kept, design))

    @property
    def recentred(self) -> Bools:
        return self.first.recentred | self.second.recentred

    def varies(self, kept: Bools, design: Design) -> Bools:
        return self.first.varies(kept, design) & self.second.varies(kept, design)


def _rows(known: Any) -> tuple[NDArray[Any], ...]:
    """Return the annotators and which cases they annotated."""
    return known.annotators, case_offsets(known), known.annotator
