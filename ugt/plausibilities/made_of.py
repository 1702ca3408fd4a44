"""The annotations and the function behind a truth, from which the truth without an annotator can be computed."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import partial
from types import SimpleNamespace
from typing import TYPE_CHECKING, Any, Callable

import numpy as np

from .._base.arrays import Array, Int64, NDArray
from .._base.axes import Frozen
from .._base.checks import error
from .._base.lazy import cached_property
from .._base.ragged import row_of, sizes_of, take
from ..annotations import Labels
from ..annotations.other_annotators import case_offsets, of_cases, only, weighing, without_each
from ..resampling import UNNAMED
from .fitted_prior import FittedPrior
from .orders import Kept

if TYPE_CHECKING:
    from ..resampling.panels import Panels
    from .protocol import Plausibilities


INFORMED = (
    "The truth depends on the predictions of a model. It flatters this model and models that resemble it or are based on it: evaluate "
    "these against a truth from annotations only."
)


@dataclass(frozen=True, eq=False, repr=False)
class MadeOf(Frozen):
    """The annotations, the function ``make`` that turns them case by case into a truth, and the cases (n,) of the truth (None: all).

    ``weights`` (R,): reliabilities of the annotations, the second argument of ``make``; ``of_cases`` (N, K): its argument ``alpha``, a
    prior for each case. ``fit``: that of a prior to the same annotations, whose rows are those of this origin.
    """

    annotations: Any
    make: Callable[..., Plausibilities]
    rows: Int64 | None = None
    weights: Array | None = None
    of_cases: Array | None = None
    fit: FittedPrior | None = None

    def take(self, rows: Any) -> MadeOf:
        """Return the origin of the truth of some of these cases."""
        return replace(self, rows=np.asarray(np.arange(self.annotations.n_cases) if self.rows is None else self.rows)[rows])

    def added(self, columns: Callable[[Any], Array]) -> Callable[..., Array] | None:
        """Return what the fit of the prior adds to columns of the cases, for intervals over cases; None for a prior that was given."""
        return None if self.fit is None else partial(replace(self.fit, rows=self.rows).added, columns)  # type: ignore[type-var]

    @property
    def n_annotations(self) -> Int64:
        """The (N,) number of annotations of each case that they were made of, also of those that the truth has not."""
        known, offsets = self.annotations, case_offsets(self.annotations)
        if isinstance(known, Labels):
            return np.bincount(row_of(offsets), known.count, known.n_cases).astype(np.int64)
        return sizes_of(offsets)

    @property
    def annotations_by_name(self) -> Any:
        """The annotations of the cases; an error if annotators have no names."""
        known = self.annotations
        if not len(known.annotators):
            raise error("annotators", UNNAMED, "annotations without names of annotators")
        if self.rows is None:
            return known
        offsets, at = take(case_offsets(known), self.rows)
        return SimpleNamespace(annotators=known.annotators, offsets=offsets, annotator=known.annotator[at])

    def judged_by(self, annotators: NDArray[Any]) -> Plausibilities:
        """Return the truth from the annotators with a weight (A,) above 0."""
        known = only(self.annotations, annotators)
        weights = None if self.weights is None else self.weights[weighing(self.annotations, annotators)]
        found = self._made(known, weights, np.arange(self.annotations.n_cases, dtype=np.int64))
        return found if self.rows is None else found.take(self.rows)

    @cached_property
    def without_each(self) -> tuple[Int64, Int64, Plausibilities]:
        """Return ``(case, annotator, truth)``: the truth of each case without each of its annotators."""
        rows = np.arange(self.annotations.n_cases) if self.rows is None else self.rows
        case, annotator, known, at = without_each(self.annotations, rows, counted=self.weights is None)
        return case, annotator, self._made(known, None if self.weights is None else self.weights[at], rows[case])

    @property
    def counted(self) -> Labels | None:
        """The labels of named annotators, if the truth follows from the counts of each case."""
        known = self.annotations
        return known if isinstance(known, Labels) and len(known.annotators) and self.weights is None else None

    def of_counts(self, panels: Panels, counts: Int64, case: Int64) -> Plausibilities:
        """Return the truth of P cases, each with some of the counts of panels (P,) and with the prior of a case (P,)."""

        def make() -> Plausibilities:
            if self.of_cases is None:
                return self._made(panels.counts, None, case).take(counts)
            rows = case if self.rows is None else np.asarray(self.rows)[case]
            return self._made(of_cases(panels.counts, counts), None, rows)

        key = panels, counts.tobytes(), None if self.of_cases is None else case.tobytes()
        found: Plausibilities = self._kept.last("counts of panels", key, make)
        return found

    @cached_property
    def _kept(self) -> Kept:
        return Kept()

    def _made(self, known: object, weights: Array | None, cases: Int64) -> Plausibilities:
        of_cases = {} if self.of_cases is None else {"alpha": self.of_cases[cases]}
        return self.make(known, **of_cases) if weights is None else self.make(known, weights, **of_cases)
