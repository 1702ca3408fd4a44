"""The paired difference of two statistics."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from .._base.arrays import Array, Bools, Int64, NDArray
from .._base.checks import error
from .._base.lazy import cached_property
from .._base.notes import Note
from .._base.wording import arg
from ..annotations.other_annotators import case_offsets
from .case_weights import linearised_error
from .counted import counted_difference
from .number_facts import NumberFacts
from .panel import Panel, Without
from .scaled_score import PairedDifferences, Terms
from .statistic import Statistic

if TYPE_CHECKING:
    from .counted import Counted
    from .design import Design


class Difference(Statistic):
    """One statistic less another of the same cases, number by number, on the same resamples."""

    def __init__(self, first: Statistic, second: Statistic) -> None:
        if not (first.times is second.times or _all_equal(first.times, second.times)):
            raise error("other", "have the same " + arg("frequency", ...), "another")
        if not (first.case_weights is second.case_weights or _all_equal(first.case_weights, second.case_weights)):
            raise error("other", "have the same " + arg("case_weights", ...), "others")
        self.first, self.second, self.n_cases, self.names = first, second, first.n_cases, first.names
        self.times, self.case_weights = first.times, first.case_weights

    @cached_property
    def _width(self) -> int:
        return int(self.first.sums().shape[1])

    @property
    def kept(self) -> Bools:
        """The (N,) cases that count in either."""
        return self.first.kept | self.second.kept

    @property
    def informative(self) -> Bools:
        """The (N,) cases that are units of either."""
        return self.first.informative | self.second.informative

    def sums(self, cases: Array | None = None) -> Array:
        """Return the sums (B, S + S') of both."""
        return np.concatenate([self.first.sums(cases), self.second.sums(cases)], axis=1)

    def answer(self, sums: Array) -> Array:
        return self.first.answer(sums[:, : self._width]) - self.second.answer(sums[:, self._width :])

    def influence(self) -> Array | None:
        one, other = self.first.influence(), self.second.influence()
        return None if one is None or other is None else one - other

    def std_error(self, design: Design | None = None) -> Array:
        return super().std_error(design) if self.case_weights is None else linearised_error(self, design)

    @property
    def panel(self) -> Panel:
        return Panel(self._annotations, self._judged_by, self._without_each, counted=self._counted)

    def _counted(self, number: int) -> Counted | None:
        return counted_difference(self.first.panel.counted(number), self.second.panel.counted(number))

    def _annotations(self) -> Any:
        """Return the annotations, which both must share."""
        (known, *rows), (_, *others) = ((one, *_rows(one)) for one in (self.first.panel.annotations(), self.second.panel.annotations()))
        if not all(np.array_equal(one, other) for one, other in zip(rows, others)):
            raise error("other", "be of the same annotations, for annotators to be random", "others")
        return known

    def _judged_by(self, annotators: NDArray[Any]) -> Difference:
        return Difference(self.first.panel.judged_by(annotators), self.second.panel.judged_by(annotators))

    def _without_each(self, annotators: Int64, numbers: Sequence[int]) -> Iterator[Without]:
        if self.influence() is None:
            yield from self.panel.one_by_one(annotators, numbers)
            return
        both = (one.panel.without_each(annotators, numbers) for one in (self.first, self.second))
        for one, other in zip(*both):
            assert one.influence is not None and other.influence is not None
            yield Without(one.values - other.values, one.influence - other.influence)

    def only(self, number: int) -> tuple[Statistic, int]:
        """Return the difference of both statistics with this number."""
        (first, at), (second, _) = self.first.only(number), self.second.only(number)
        return Difference(first, second), at

    @property
    def facts(self) -> NumberFacts:
        """What is known of both: of units the fewer, and no steps."""
        one, other = self.first.facts, self.second.facts

        def few(number: int, design: Design | None) -> Note | None:
            return one.few(number, design) or other.few(number, design)

        return NumberFacts.of(len(self.names), lambda: one.spans - other.spans[:, ::-1])._replace(
            counting=lambda kept, design: np.minimum(one.counting(kept, design), other.counting(kept, design)),
            deciding=lambda kept, design: np.minimum(one.deciding(kept, design), other.deciding(kept, design)),
            varies=lambda kept, design: one.varies(kept, design) & other.varies(kept, design),
            n_annotated=lambda kept, design: min(one.n_annotated(kept, design), other.n_annotated(kept, design)),
            steps=lambda sums, n_cases: np.full(len(self.names), np.nan),
            recentred=one.recentred | other.recentred,
            few=few,
            pairs=self._pairs,
        )

    def _pairs(self, kept: Bools, design: Design) -> PairedDifferences | None:
        every = np.arange(len(self.names), dtype=np.int64)
        first, second = (Terms.of(one, kept, design, every) for one in (self.first, self.second))
        return first.less(second.columns) if len(design.strata) == 2 else None


def _all_equal(one: Array | None, other: Array | None) -> bool:
    return one is not None and other is not None and np.array_equal(one, other)


def _rows(known: Any) -> tuple[NDArray[Any], ...]:
    """Return the annotators and which cases they annotated."""
    return known.annotators, case_offsets(known), known.annotator
