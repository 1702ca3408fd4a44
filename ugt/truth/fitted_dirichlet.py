"""What the fit of a Dirichlet prior to labels adds to intervals over their cases."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Callable

import numpy as np

from .._base.lazy import cached_property
from ..plausibilities import Dirichlet
from ..plausibilities.fitted_prior import FittedPrior

if TYPE_CHECKING:
    from .._base.arrays import Array, Bools, Int64
    from .label_prior import DirichletPrior


@dataclass(frozen=True, eq=False, repr=False)
class FittedDirichlet(FittedPrior):
    """The fit of log α, one number for all classes, to the labels from which ``make(alpha=α)`` makes the posteriors."""

    prior: DirichletPrior
    make: Callable[..., Dirichlet]
    rows: Int64 | None = None

    @property
    def told(self) -> Bools:
        return np.asarray(self.prior.counts.told)

    @cached_property
    def steps(self) -> Array:
        alpha = np.array([self.prior.value])
        return np.asarray(self.prior.counts.case_scores(alpha) / self.prior.counts.information(alpha))

    def of_a_case(self, step: float) -> Dirichlet:
        return Dirichlet.from_array(np.full((1, self.prior.counts.n_classes), self.prior.value * float(np.exp(step))))

    def moved(self, parameter: int, step: float) -> Dirichlet:
        found = self.make(alpha=self.prior.value * float(np.exp(step)))
        return found if self.rows is None else found.take(self.rows)
