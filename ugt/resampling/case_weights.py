"""Case weights: how many cases of a population each sampled case represents, and what intervals make of them."""

from __future__ import annotations

import math
from typing import Any, NamedTuple

import numpy as np

from .._base.arrays import Array, Bools
from .._base.checks import error
from .._base.identifiers import name
from .._base.notes import Note
from .cluster_ids import ids_of_cases, numbers_in
from .design import Design
from .number_facts import NumberFacts
from .panel import Panel
from .statistic import Statistic

MUST = "be finite numbers of at least 0, of which some are above 0"
HEAVY = 0.05  # share of a denominator that one unit may have: with more, intervals depend on it alone
LEAST = 1e-100  # smallest weight, whose square does not underflow
EXTREME = f"be 0 or from {LEAST:g} to {1 / LEAST:g}, of which only the ratios matter"
REFUSED = "be ('cases',) with weights of cases, because the spread over annotators is not known for them"


def case_weights_of(given: object, n_cases: int, case_ids: Any = None) -> Array | None:
    """Return what each of N cases weighs, (N,) numbers whose mean is 1; None if nothing was given.

    Parameters
    ----------
    given : (N,) numbers of at least 0, Series or mapping of case id to number, optional
        Only their ratios matter. A case with 0 does not count.
    n_cases : int
        Number of cases N.
    case_ids : (N,) array, optional
        By which a Series or a mapping is joined.

    Raises
    ------
    ValueError
        If a weight is missing, negative or not finite, or if all are 0.
    """
    if given is None:
        return None
    listed = ids_of_cases("case_weights", given, n_cases, case_ids, what="a number")
    weights = numbers_in(listed)
    bad = ~((weights == 0) | ((weights >= LEAST) & (weights <= 1 / LEAST)))
    if bad.any():
        i = int(np.argmax(bad))
        must = EXTREME if 0 < weights[i] < math.inf else MUST
        raise error("case_weights", must, name(listed[i]), f"case {name(i if case_ids is None else case_ids[i])}")
    if not weights.any():
        raise error("case_weights", MUST, "0 for all")
    return np.asarray(weights / weights.mean())


class CaseWeighted(Statistic):
    """Another statistic, of which each case counts by its weight and is one case.

    ``of.times`` are the weights: values are those of as many copies. Here a case with all its copies is one unit. Its influence is that
    of a copy times the weight, the terms z of the linearised variance ``Σ_h n_h / (n_h - 1) Σ (z - mean_h z)²`` over units in strata h.
    Resamples draw n_h - 1 units and multiply by n_h / (n_h - 1). A statistic that weighs its sums itself has the weights as
    ``of.case_weights`` in place of ``times``, as if pairs of cases count by the product of two weights.

    References
    ----------
    Rao & Wu, Journal of the American Statistical Association 83 (1988) 231 (resamples); Kish, "Survey Sampling" (1965), sec. 11.7
    (effective number of cases).
    """

    def __init__(self, of: Statistic, weights: Array) -> None:
        self._weighed = of.case_weights is weights  # by the statistic itself
        assert self._weighed or of.times is weights
        self.of, self.case_weights, self.n_cases, self.names, self.case_ids = of, weights, of.n_cases, of.names, of.case_ids
        self.span, self.left_out = of.span, of.left_out

    def sums(self, cases: Array | None = None) -> Array:
        return self.of.sums(None if cases is None else self._times_weights(cases))

    @property
    def _weights(self) -> Array:
        assert self.case_weights is not None
        return self.case_weights

    def _times_weights(self, of_cases: Array) -> Array:
        """Return numbers (..., N) of cases times their weights, unless the statistic has weighed them."""
        return of_cases if self._weighed else of_cases * self._weights

    def answer(self, sums: Array) -> Array:
        return self.of.answer(sums)

    def numbers(self, sums: Array) -> dict[str, Array]:
        return self.of.numbers(sums)

    @property
    def kept(self) -> Bools:
        return self.of.kept

    @property
    def informative(self) -> Bools:
        return self.of.informative

    @property
    def n_counted(self) -> int:
        return int(self.of.informative.sum())

    def influence(self) -> Array | None:
        found = self.of.influence()
        return None if found is None else self._times_weights(found.T).T

    def quotient(self, number: int) -> tuple[Array, Array] | None:
        found = self.of.quotient(number)
        return None if found is None else (self._times_weights(found[0]), self._times_weights(found[1]))

    def denominators(self, number: int) -> Array:
        """Return (N, D) what each case adds to the sums that make up a number, or its weight if these are unknown."""
        found = self.of.denominators(number)
        return (self.informative * self._weights)[:, None] if found is None else self._times_weights(found.T).T

    def only(self, number: int) -> tuple[Statistic, int]:
        one, at = self.of.only(number)
        return (self, number) if one is self.of else (CaseWeighted(one, self._weights), at)

    @property
    def panel(self) -> Panel:
        return Panel(self._refuse)

    def _refuse(self) -> Any:
        raise error("random", REFUSED, "annotators")

    @property
    def facts(self) -> NumberFacts:
        """Facts with Kish's effective numbers of units in the rules of few cases."""
        of = self.of.facts

        def deciding(kept: Bools, design: Design) -> Array:
            sizes = np.array([_kish(self._masses(number, kept, design)[:, 0]) for number in range(len(self.names))])
            return np.asarray(np.minimum(of.deciding(kept, design), np.maximum(sizes + 1 - len(design.sizes), 1.0)))

        def steps(sums: Array, n_cases: int) -> Array:
            one = Design.of(int(self.kept.sum()))
            least = [max(1.0, min(map(_kish, self._masses(number, self.kept, one).T))) for number in range(len(self.names))]
            return np.asarray(of.steps(sums, n_cases) * of.counting(self.kept, one) / np.array(least))

        return of._replace(deciding=deciding, steps=steps, few=lambda *asked: self._heavy(*asked) or of.few(*asked))

    def _masses(self, number: int, kept: Bools, design: Design) -> Array:
        """Return (G, D) what each unit adds to the denominators of a number."""
        return design.added_up(self.denominators(number)[kept])

    def _heavy(self, number: int, design: Design | None) -> Note | None:
        """Return a caution if one case, or cluster, has more than 5% of a denominator, and twice its even share."""
        units = design or self.units()
        masses = self._masses(number, self.kept, units).T
        even = units.added_up((self.denominators(number) / np.maximum(self._weights, LEAST)[:, None])[self.kept]).T
        shares = [mass.max(initial=0.0) / mass.sum() if mass.any() else 0.0 for mass in masses]
        most = int(np.argmax(shares))
        share, n = float(shares[most]), int(np.count_nonzero(masses[most]))
        if n < 2 or not share > max(HEAVY, 2 / _kish(even[most])):
            return None
        what = "case" if units.n_units == units.n_cases else "cluster"
        words = (
            "One {what} has {percent:.0f}% of the weight of all {n:,}: intervals depend on it, and may miss the truth far more often than "
            "they say, because no other {what} like it was sampled."
        )
        return Note("heavy_case", words, what=what, percent=100 * share, n=n)

    def std_error(self, design: Design | None = None) -> Array:
        """Return (M,) the root of the linearised variance."""
        return linearised_error(self, design)


def linearised_error(one: Statistic, design: Design | None = None) -> Array:
    """Return (M,) the root of the linearised variance over units in strata; NaN for fewer than two units."""
    units = one.units() if design is None else design
    found = one.influence()
    if found is None or units.size < 2:
        return np.full(len(one.names), math.nan)
    sizes = np.maximum(units.sizes - 1, 1)
    squares = units.centred(units.added_up(found[one.kept])) ** 2 * units.of_units(units.sizes / sizes)[:, None]
    return np.asarray(np.sqrt(squares.sum(axis=0)))


def sampled(one: Statistic) -> Statistic:
    """Return a statistic as that of a sample, if it has weights of cases."""
    return one if one.case_weights is None else CaseWeighted(one, one.case_weights)


class Counts(NamedTuple):
    """How often cases count, ``times`` (N,): numbers of equal cases or, if ``weighted``, weights of cases."""

    times: Array
    weighted: bool

    def of(self, one: Statistic) -> Statistic:
        """Return a statistic whose cases count so often."""
        one.times = self.times
        return CaseWeighted(one, self.times) if self.weighted else one

    def number(self, which: Bools) -> int:
        """Return the number of cases that some of the rows (N,) are."""
        return int(np.count_nonzero(which & (self.times > 0)) if self.weighted else self.times[which].sum())

    def mean(self, per_case: Array) -> tuple[float, int]:
        """Return the mean over defined cases, each as often as it counts (NaN if there are none), and their number."""
        defined = ~np.isnan(per_case) & (self.times > 0)
        total = float(self.times[defined].sum())
        return (float(self.times[defined] @ per_case[defined]) / total if total else math.nan), self.number(defined)


def _kish(masses: Array) -> float:
    """Return (Σ w)² / Σ w²."""
    squares = float(masses @ masses)
    return float(masses.sum()) ** 2 / squares if squares > 0 else 0.0
