r"""What metrics ask of a truth, whatever kind it is."""

from __future__ import annotations

from functools import cached_property
from typing import Any, TypeVar

import numpy as np

from .._base.arrays import Array, Bools, Int64
from .._base.axes import OnAxes
from .diagnostics import Diagnostics
from .estimates import Comparison
from .made_of import MadeOf
from .metric import METRICS, Metric
from .orders import Kept, Orders, Sets
from .sets import as_sets

Self = TypeVar("Self", bound="Plausibilities")


class Plausibilities(OnAxes):
    """A law over distributions of K classes for each of N cases; cases are independent of each other.

    :class:`Point` is certain of one vector a case, :class:`Dirichlet` a posterior that answers exactly, :class:`Draws` holds sampled
    vectors. Metrics ask what is written here and never which of them a truth is.
    """

    is_certain = False  # whether there is nothing but one vector a case
    is_sampled = False  # whether answers are means over draws, and have Monte Carlo errors
    is_joint = False  # whether draws of one case may go with those of another, as where parameters of annotators are drawn
    n_draws: int  # how many vectors a case has; 0 for as many as are asked for
    made_of: MadeOf | None = None  # annotations, for intervals that have random annotators; None where it is not known

    @cached_property
    def _kept(self) -> Kept:
        return Kept()

    def __repr__(self) -> str:
        return f"{type(self).__name__}(n_cases={self.n_cases}, n_classes={self.n_classes})"

    # ---- each case

    @property
    def defined(self) -> Bools:
        """(N,) whether a case has plausibilities at all; all answers for others are NaN."""
        raise NotImplementedError

    @property
    def has_impossible_classes(self) -> bool:
        """Whether a posterior gives classes a plausibility of exactly 0, which no draw of it changes."""
        return False

    def mean(self) -> Array:
        """(N, K) expected plausibilities."""
        raise NotImplementedError

    def membership(self, k: int, *, ties: str = "expectation") -> Array:
        """(N, K) probability that a class is among the best k."""
        raise NotImplementedError

    def certainty(self, k: int, *, kind: str = "set", ties: str = "expectation") -> Array:
        """(N,) highest probability of any set of k classes (``"set"``) or of any class at rank k (``"rank"``)."""
        raise NotImplementedError

    def certainty_error(self, per_case: Array, k: int, kind: str, group: Int64 | None = None) -> Array:
        """(N,) Monte Carlo standard errors of these certainties: of classes, or of the group of the best class."""
        return np.zeros(self.n_cases)

    def certainty_after(self, n_annotators: int, k: int, reliability: float) -> Array:
        """(N,) expectation of the certainty of order k after labels of n more annotators; a TypeError if labels update no such law."""
        raise TypeError(f"posterior must be a Dirichlet, as dirichlet makes it. Got {type(self).__name__}.")

    def diagnostics(self) -> Diagnostics | None:
        """Did the chains of each case converge? None where there are no chains."""
        return None

    # ---- sets of classes

    def label_probability(self, sets: Any, *, ties: str = "expectation") -> Array:
        """(N,) probability that the best class is in a case's set: sum of ``membership(1)`` over the set."""
        return self._probability(sets, METRICS["topk_accuracy"], ties)

    def set_probability(self, sets: Any, *, ties: str = "expectation") -> Array:
        r"""(N,) probability that the best \|C\| classes are exactly the case's set C [A eq. 6]; 0 for an empty set."""
        return self._probability(sets, METRICS["set_accuracy"], ties)

    def _probability(self, sets: Any, metric: Metric, ties: str) -> Array:
        found = self.compare_sets(as_sets(sets, self.axes), metric, ties=ties)
        return np.asarray(np.minimum(np.maximum(found.per_case, 0.0), 1.0))

    def compare_sets(self, sets: Sets, metric: Metric, *, j: int = 1, ties: str = "expectation") -> Comparison:
        r"""What a metric says of given sets C as the model's best \|C\|: are the best j in C (top-k accuracy), the best \|C\| exactly C,
        which share of them in C? 0 for an empty set.
        """
        raise NotImplementedError

    def mass(self, sets: Sets) -> Comparison:
        """How much plausibility does the set hold?"""
        raise NotImplementedError

    def of_best_class(self, worth: Array, *, ties: str = "expectation") -> Comparison:
        """What the best class is worth, where each case has a number (N, K) for each class."""
        raise NotImplementedError

    # ---- a model's order of classes

    def compare(self, order: Orders, metric: Metric, k: int, *, parameter: float = 0.0, ties: str = "expectation") -> Comparison:
        """What a metric says of a model's order, deep enough for its best k."""
        raise NotImplementedError

    # ---- others of the same kind, and plain numbers

    def take(self: Self, rows: Any) -> Self:
        """The plausibilities of some cases, by position."""
        raise NotImplementedError

    def grouped(self, groups: Any, names: Any = None) -> Plausibilities:
        """Plausibilities of groups of classes: sums over each group (K,)."""
        raise NotImplementedError

    def draws(self, n: int, *, seed: Any = 0) -> Array:
        """(N, n, K) vectors."""
        raise NotImplementedError

    def bytes_to_order(self, depth: int) -> float:
        """What keeping the best classes of every vector takes."""
        return 0.0

    def _ids(self) -> Any:
        """Case ids, where there are any that were not made up."""
        return None if self.axes.numbered else self.axes.case_ids
