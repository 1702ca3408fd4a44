r"""The methods that metrics use of a truth of any kind."""

from __future__ import annotations

from typing import Any, TypeVar

import numpy as np

from .._base.arrays import Array, Bools, Int64
from .._base.axes import OnAxes
from .._base.lazy import cached_property
from .comparisons import Comparison
from .diagnostics import Diagnostics
from .made_of import MadeOf
from .metric import METRICS, Metric
from .open_parts import LabelLoss, Parts
from .orders import Kept, Orders, Sets
from .sets import as_sets

Self = TypeVar("Self", bound="Plausibilities")


class Plausibilities(OnAxes):
    """A distribution over the plausibilities of K classes for each of N cases, which are independent of each other.

    :class:`Point` holds one certain vector per case, :class:`Dirichlet` is a posterior with exact results, :class:`Draws` holds sampled
    vectors. Metrics use only the methods below, and never ask for the kind of a truth.
    """

    is_certain = False  # whether each case has one certain vector
    is_sampled = False  # whether results are means over draws, with Monte Carlo errors
    has_exact_parts = False  # whether what is open about one more label is known in closed form
    is_joint = False  # whether draws of different cases may be dependent, such as through drawn parameters of annotators
    n_draws: int  # number of vectors of a case; 0 if any number can be drawn
    made_of: MadeOf | None = None  # the annotations, for intervals over annotators; None if unknown

    @cached_property
    def _kept(self) -> Kept:
        return Kept()

    def __repr__(self) -> str:
        return f"{type(self).__name__}(n_cases={self.n_cases}, n_classes={self.n_classes})"

    @property
    def note(self) -> str:
        """How results were computed, for an evaluation; "" if there is nothing to say."""
        return ""

    # ---- each case

    @property
    def defined(self) -> Bools:
        """Whether each case (N,) has plausibilities; all results for the other cases are NaN."""
        raise NotImplementedError

    @property
    def has_impossible_classes(self) -> bool:
        """Whether a posterior gives classes a plausibility of exactly 0 in all draws."""
        return False

    def mean(self) -> Array:
        """Return the expected plausibilities (N, K)."""
        raise NotImplementedError

    def membership(self, k: int, *, ties: str = "expectation") -> Array:
        """Return the probability (N, K) that a class is among the best k."""
        raise NotImplementedError

    def certainty(self, k: int, *, kind: str = "set", ties: str = "expectation") -> Array:
        """Return the highest probability (N,) of any set of k classes (``"set"``) or of any class at rank k (``"rank"``)."""
        raise NotImplementedError

    def certainty_error(self, per_case: Array, k: int, kind: str, group: Int64 | None = None) -> Array:
        """Return the Monte Carlo standard errors (N,) of these certainties: of classes, or of the group of the best class."""
        return np.zeros(self.n_cases)

    def risk_error(self, risk: Array) -> Array:
        """Return the standard errors (N,) of the expected risk (K,) of each case, for truths that are not sampled."""
        return np.zeros(self.n_cases)

    def certainty_after(self, n_annotators: int, k: int, reliability: float) -> Array:
        """Return the expected certainty (N,) of order k after labels of n more annotators; only Dirichlet posteriors have one."""
        raise TypeError(f"posterior must be a Dirichlet, which dirichlet returns. Got {type(self).__name__}.")

    def parts(self, loss: LabelLoss) -> Parts:
        """Return what is open about one more label of each case, and what knowing the plausibilities would leave open."""
        raise NotImplementedError

    def annotation_after(self, n_annotators: int, loss: LabelLoss, reliability: float) -> Array:
        """Return what annotations are expected to leave open (N,) after labels of n more annotators; only of Dirichlet posteriors."""
        raise TypeError(
            f"truth must be a Dirichlet, which dirichlet returns, for what further labels would settle. Got {type(self).__name__}."
        )

    def diagnostics(self) -> Diagnostics | None:
        """Return the diagnostics of the chains of each case; None without chains."""
        return None

    # ---- sets of classes

    def label_probability(self, sets: object, *, ties: str = "expectation") -> Array:
        """Return the probability (N,) that the best class is in the set of a case: the sum of ``membership(1)`` over the set."""
        return self._probability(sets, METRICS["topk_accuracy"], ties)

    def set_probability(self, sets: object, *, ties: str = "expectation") -> Array:
        r"""Return the probability (N,) that the best \|C\| classes are exactly the set C of a case [A eq. 6]; 0 for an empty set."""
        return self._probability(sets, METRICS["set_accuracy"], ties)

    def _probability(self, sets: object, metric: Metric, ties: str) -> Array:
        found = self.compare_sets(as_sets(sets, self.axes), metric, ties=ties)
        return np.asarray(np.minimum(np.maximum(found.per_case, 0.0), 1.0))

    def compare_sets(self, sets: Sets, metric: Metric, *, j: int = 1, ties: str = "expectation") -> Comparison:
        r"""Return the comparison of a metric with given sets C as the model's best \|C\|.

        The metric is whether the best j are in C (top-k accuracy), whether the best \|C\| are exactly C, or which share of them is in C;
        0 for an empty set.
        """
        raise NotImplementedError

    def mass(self, sets: Sets) -> Comparison:
        """Return the comparison of the plausibility that each set holds."""
        raise NotImplementedError

    def of_best_class(self, worth: Array, *, ties: str = "expectation") -> Comparison:
        """Return the comparison of the worth (N, K) of the best class."""
        raise NotImplementedError

    # ---- a class that is drawn from the plausibilities, and the plausibilities as a law of grades

    def of_class(self, worth: Array) -> Comparison:
        """Return the comparison of the expected worth (N, K) of a class that is drawn from the plausibilities: Σ_k λ_k worth_k."""
        raise NotImplementedError

    def of_cumulative(self, law: Array, order: Int64, steps: Array, power: int, *, spread: bool = True) -> Comparison:
        r"""Return the comparison of ``Σ_k steps_k |Z_k - Λ_k|^power`` with power 1 or 2.

        Z and Λ are the cumulative sums, without the last one, of ``law`` (N, K) and of the plausibilities, with the classes in this
        ``order`` (K,). Without ``spread`` the deviation over draws may be NaN.
        """
        raise NotImplementedError

    # ---- the order of classes of a model

    def compare(self, order: Orders, metric: Metric, k: int, *, parameter: float = 0.0, ties: str = "expectation") -> Comparison:
        """Return the comparison of a metric with a model's order, which holds at least the best k."""
        raise NotImplementedError

    # ---- plausibilities of other cases or classes, and plain numbers

    def take(self: Self, rows: object) -> Self:
        """Return the plausibilities of some cases, by position."""
        raise NotImplementedError

    def grouped(self, groups: object, names: object = None) -> Plausibilities:
        """Return the plausibilities of groups (K,) of classes: the sum over each group."""
        raise NotImplementedError

    def draws(self, n: int, *, seed: object = 0) -> Array:
        """Return n vectors (N, n, K) of each case."""
        raise NotImplementedError

    def bytes_to_order(self, depth: int) -> float:
        """Return the bytes that the best classes of all vectors take."""
        return 0.0

    @property
    def ids_or_none(self) -> Any:
        """The case ids; None if none were given."""
        return self.axes.ids_or_none
