"""What a truth was made of: the annotations and how, so that it can be made again without an annotator."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property
from types import SimpleNamespace
from typing import TYPE_CHECKING, Any, Callable

import numpy as np

from .._base.arrays import Array, Int64, NDArray
from .._base.axes import Frozen
from .._base.checks import error
from .._base.ragged import take
from ..annotations.other_annotators import case_offsets, only, weighing, without_each
from ..resampling import UNNAMED

if TYPE_CHECKING:
    from .protocol import Plausibilities


INFORMED = (
    "The truth is informed by the predictions of a model. It flatters this model and those that resemble it or were made of it: judge them "
    "by a truth of annotations alone."
)


@dataclass(frozen=True, eq=False, repr=False)
class MadeOf(Frozen):
    """Annotations, what makes a truth of them, each case of its own annotations alone; and (n,) which cases it has, None: all.

    ``weights`` (R,): reliabilities of the annotations, a second argument of ``make``; ``of_cases`` (N, K): what it takes as ``alpha``, a
    prior of each case.
    """

    annotations: Any
    make: Callable[..., Plausibilities]
    rows: Int64 | None = None
    weights: Array | None = None
    of_cases: Array | None = None

    def take(self, rows: Any) -> MadeOf:
        """Of some of these cases."""
        return replace(self, rows=np.asarray(np.arange(self.annotations.n_cases) if self.rows is None else self.rows)[rows])

    @property
    def annotations_by_name(self) -> Any:
        """The annotations of the cases, by annotators who have names."""
        known = self.annotations
        if not len(known.annotators):
            raise error("annotators", UNNAMED, "annotations without names of annotators")
        if self.rows is None:
            return known
        offsets, at = take(case_offsets(known), self.rows)
        return SimpleNamespace(annotators=known.annotators, offsets=offsets, annotator=known.annotator[at])

    def judged_by(self, annotators: NDArray[Any]) -> Plausibilities:
        """The truth of some annotators (A,), those that weigh anything."""
        known = only(self.annotations, annotators)
        weights = None if self.weights is None else self.weights[weighing(self.annotations, annotators)]
        found = self._made(known, weights, np.arange(self.annotations.n_cases))
        return found if self.rows is None else found.take(self.rows)

    @cached_property
    def without_each(self) -> tuple[Int64, Int64, Plausibilities]:
        """``(case, annotator, truth)``: the truth of every case without each of its annotators."""
        rows = np.arange(self.annotations.n_cases) if self.rows is None else self.rows
        case, annotator, known, at = without_each(self.annotations, rows, counted=self.weights is None)
        return case, annotator, self._made(known, None if self.weights is None else self.weights[at], rows[case])

    def _made(self, known: Any, weights: Array | None, cases: Int64) -> Plausibilities:
        of_cases = {} if self.of_cases is None else {"alpha": self.of_cases[cases]}
        return self.make(known, **of_cases) if weights is None else self.make(known, weights, **of_cases)
