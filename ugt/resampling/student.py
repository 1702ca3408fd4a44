"""The resampled units, cases or clusters: what intervals need beside the resamples."""

from __future__ import annotations

import math
from collections.abc import Iterable
from functools import cache, partial
from typing import Any, Callable, NamedTuple

import numpy as np

from .._base import notices
from .._base.arrays import Array, Bools, Int64
from .._base.laws import t_quantile
from .._base.lazy import cached_property
from .._base.notes import Note
from .design import Design
from .jackknife import left_out_deviations, left_out_influence
from .scaled_score import PairedDifferences, Terms
from .statistic import Statistic

# Numbers with a smaller relative difference, of resamples or without a unit, are tied: sums in another order differ by about 1e-15.
TIE = 1e-12
LAST_BIT = 1e-15  # the same for a number near 0, as a share of the width of its range
MANY_CLUSTERS = 30  # with fewer, a note is added
FEW_UNITS = 400  # with up to so many units, intervals are Student's,
LEFT_OUT = 100  # and with up to so many, each is left out once; for more, the influence is accurate enough
# Strata with fewer units on average have Student's intervals, too: the resamples of n units have the variance of n - 1 in place of n.
SMALL_STRATA = 20
LEAST_OF_LOGARITHMS = 5  # units from which on positive numbers have intervals on the log scale
LEAST_ALIKE = 20  # units from which on a number that none of them changes has an interval without width
LEAST_DF = 3  # degrees of freedom are at least a third of G - 1


def few_clusters(n: int) -> Note | None:
    """Return the note on intervals over n clusters, if they are few."""
    if not 1 < n < MANY_CLUSTERS:
        return None
    words = "Intervals are over {n} clusters: with fewer than {many}, they depend strongly on which clusters were sampled."
    return Note("few_clusters", words, n=n, many=MANY_CLUSTERS)


def note_few(cautions: Iterable[Note | None]) -> None:
    """Add the notes on numbers that few cases make up, as of ``NumberFacts.few``, each once."""
    for few in dict.fromkeys(cautions):
        if few:
            notices.note(few)


def limits(value: float, half: float, scale: str, span: Any) -> tuple[float, float]:
    """Return an interval of this half width, symmetric on a scale; logits are used for values strictly inside (0, 1)."""
    if scale == "logit" and 0 < value < 1:
        from scipy.special import expit, logit  # noqa: PLC0415  (scipy is slow to import)

        low, high = expit(logit(value) + np.array([-half, half]) / (value * (1.0 - value)))
        return float(low), float(high)
    return max(float(span[0]), value - half), min(float(span[1]), value + half)


def rounding(value: float, span: Any) -> float:
    """Return the largest standard error of a number that is rounding alone, as sums in another order may differ."""
    width = float(span[1] - span[0])
    return max(TIE * abs(value), LAST_BIT * width if np.isfinite(width) else 0.0)


class UnitFacts(NamedTuple):
    """For M numbers, as of :class:`NumberFacts`: units that count, ranges (M, 2), steps from an end or NaN, units that decide, widening."""

    n: Array
    span: Array
    step: Array
    deciding: Any = math.inf
    widening: Any = 1.0

    def at_end(self, estimate: Array, level: float) -> Array:
        """Return (M, 2) Clopper & Pearson's interval if a number is at an end of its range, else NaN.

        With a tail of (1 - level) / 2 all n units are perfect if a share q = tail^(1/n) of all units is; the others move the number by
        up to ``step`` each: from 1 - step (1 - q) to 1 at the upper end.
        """
        n, span, step = self[:3]
        found = np.full((len(estimate), 2), np.nan)
        step = np.where(n >= 2, step, np.nan)
        move = step * (1 - (0.5 - level / 2) ** (1 / np.maximum(n, 1)))
        for end, sign in ((0, 1.0), (1, -1.0)):
            at = (np.abs(estimate - span[:, end]) <= 1e-12) & np.isfinite(move)
            far = np.clip(estimate + sign * move, span[:, 0], span[:, 1])
            found[at] = np.sort(np.stack([estimate, far], axis=1)[at], axis=1)
        return found


class Units:
    """The resampled units, whose properties are computed when they are first asked for."""

    def __init__(
        self,
        facts: Callable[[], UnitFacts],
        influence: Callable[[], Array],
        deviations: Callable[[Int64], Array],
        few: Bools,
        per_stratum: float,
        terms: Callable[[Int64], Terms] | None = None,
        pairs: Callable[[], PairedDifferences | None] = lambda: None,
        times: Array | None = None,
    ) -> None:
        self._facts, self.influence, self.per_stratum, self.times = facts, influence, per_stratum, times
        self._terms, self._pairs = terms, cache(pairs)  # of shares, for paired differences of them; of such differences
        self.deviations = deviations  # (G, m) of some of the numbers without each unit, as :func:`left_out_deviations`
        self.few = few  # (M,) numbers that so few units decide that their intervals are Student's

    @classmethod
    def of(cls, one: Statistic, kept: Bools, design: Design) -> Units:
        """Return the units of a statistic on the kept cases, which have this design."""

        def influence() -> Array:
            found = one.influence()
            return left_out_influence(one, kept, design) if found is None else design.centred(design.added_up(found[kept]))

        @cache
        def deviations() -> Array:
            if design.size <= LEFT_OUT or one.influence() is None:
                return left_out_deviations(one, kept, design)
            sizes = design.of_units(design.sizes)
            sizes = np.minimum(sizes[:, None], n) if n_strata == 1 else sizes[:, None]
            return np.asarray(-influence() * np.sqrt(sizes / np.maximum(sizes - 1, 1)))

        n_strata = len(design.strata) - 1
        per_stratum = design.size / n_strata if n_strata > 1 else math.inf
        small = per_stratum < SMALL_STRATA and one.influence() is not None
        known = one.facts
        n = known.counting(kept, design)
        deciding = np.minimum(known.deciding(kept, design), n)
        return cls(
            lambda: UnitFacts(n, known.spans, known.steps(one.sums()[0], one.number_of(kept)), deciding, known.widening(kept, design)),
            influence,
            lambda at: deviations()[:, at],
            known.smooth & ((deciding <= FEW_UNITS) | small),
            per_stratum,
            partial(Terms.of, one, kept, design) if n_strata == 1 else None,
            partial(known.pairs, kept, design),
            design.times,
        )

    def __reduce__(self) -> tuple[Any, ...]:
        at = np.flatnonzero(self.few)
        terms = None if self._terms is None else self._terms(np.arange(len(self.few), dtype=np.int64))
        own = self.deviations(at) if len(at) else None
        return _known, (self.facts, self.influence(), at, own, self.few, self.per_stratum, terms, self._pairs(), self.times)

    @cached_property
    def facts(self) -> UnitFacts:
        return self._facts()

    def take(self, at: Any) -> Units:
        """Return the units for some of the numbers."""
        places = np.arange(len(self.few), dtype=np.int64)[at]
        facts = lambda: UnitFacts(*(part[places] for part in self.facts))  # noqa: E731
        own = self._terms
        return Units(
            facts,
            lambda: self.influence()[:, places],
            lambda some: self.deviations(places[some]),
            self.few[places],
            self.per_stratum,
            None if own is None else lambda some: own(places[some]),
            lambda: None if (pairs := self._pairs()) is None else pairs.take(places),
            self.times,
        )

    def minus(self, j: int) -> Units:
        """Return the units for differences to number j."""

        def facts() -> UnitFacts:
            n, span, _, deciding, widening = self.facts
            least = np.minimum(n, n[j]), span - span[j, ::-1], np.full(len(n), np.nan), np.minimum(deciding, deciding[j])
            return UnitFacts(*least, np.ones(len(widening)))

        def influence() -> Array:
            found = self.influence()
            return found - found[:, j : j + 1]

        def deviations(at: Int64) -> Array:
            return self.deviations(at) - self.deviations(np.array([j]))

        own, every = self._terms, np.arange(len(self.few), dtype=np.int64)
        pairs = (lambda: None) if own is None else lambda: own(every).minus(j)
        return Units(facts, influence, deviations, self.few & self.few[j], self.per_stratum, None, pairs, self.times)

    def widen(self, found: Array, estimate: Array) -> None:
        """Move the ends (M, 2) of intervals of resamples away from the numbers that are to be wider than their spread."""
        at = np.flatnonzero(self.facts.widening > 1)
        found[at] = estimate[at, None] + self.facts.widening[at, None] * (found[at] - estimate[at, None])

    def note_small_strata(self) -> None:
        """Add a note that quantiles of resamples lie too close together, if strata have few units."""
        if self.per_stratum < SMALL_STRATA:
            short = f"quantiles of resamples are too close together, by a factor of about {math.sqrt(1 - 1 / self.per_stratum):.2f}"
            way = "; kind='auto' has no such fault" if self.few.all() else ""
            words = "Strata have {n:.3g} units on average: {short}{way}."
            notices.note(Note("small_strata", words, n=self.per_stratum, short=short, way=way))

    @classmethod
    def beside(cls, parts: list[Units]) -> Units:
        """Return the units for the numbers of several parts, one after the other."""
        begin = np.cumsum([0, *(len(one.few) for one in parts)])

        def deviations(at: Int64) -> Array:
            of = np.searchsorted(begin, at, side="right") - 1
            tables = {p: parts[p].deviations(at[of == p] - begin[p]) for p in np.unique(of).tolist()}
            found = np.empty((len(next(iter(tables.values()))), len(at)))
            for p, table in tables.items():
                found[:, of == p] = table
            return found

        def terms(at: Int64) -> Terms:
            of = np.searchsorted(begin, at, side="right") - 1
            return Terms.beside([parts[p]._terms(np.array([j - begin[p]], np.int64)) for p, j in zip(of.tolist(), at.tolist())])

        return cls(
            lambda: UnitFacts(*(np.concatenate(part) for part in zip(*(one.facts for one in parts)))),
            lambda: np.concatenate([one.influence() for one in parts], axis=1),
            deviations,
            np.concatenate([one.few for one in parts]),
            min(one.per_stratum for one in parts),
            None if any(one._terms is None for one in parts) else terms,
            times=parts[0].times,
        )

    def of_few_pairs(self, level: float) -> Array | None:
        """Return (M, 2) the intervals of paired differences that few cases make up, else NaN; None: the numbers are no differences."""
        pairs = self._pairs()
        return None if pairs is None else pairs.ends_of_few(level)

    def student(self, estimate: Array, level: float) -> Array:
        """Return the intervals (M, 2) by the jackknife and Student's t, see :meth:`Resamples.interval`; NaN for numbers of many units."""
        at = np.flatnonzero(self.few)
        found = np.full((len(estimate), 2), np.nan)
        if len(at):
            found[at] = self.take(at).jackknifed(estimate[at]).ends(level)
        return found

    def total(self, table: Array) -> Array:
        """Return the sums (M,) over units of a table (M, G), equal ones added as often as they occur."""
        return np.asarray((table if self.times is None else table * self.times).sum(axis=1))

    def jackknifed(self, estimate: Array) -> Jackknifed:
        """Return the jackknife's standard errors of all numbers, also of those of many units."""
        table = self.deviations(np.arange(len(estimate)))
        table = np.ascontiguousarray(table.T)  # so that sums of a number do not depend on its neighbours
        squares = self.total(table**2)
        with np.errstate(invalid="ignore", divide="ignore"):
            m = np.minimum(self.facts.n, self.facts.deciding)
            kurtosis = m * self.total(table**4) / squares**2
            # shares of one half have units that are equally far away: a kurtosis of 1, from which rounding may take off a little
            df = np.clip(2 * (m - 1) / np.maximum(kurtosis - 1, 0.0), np.maximum((m - 1) / LEAST_DF, 1), np.maximum(m - 1, 1))
        return Jackknifed(estimate, squares, np.where(squares > 0, df, 1.0), self.facts, self._pairs())


class Jackknifed(NamedTuple):
    """M numbers with the squares of their standard errors over units, and degrees of freedom."""

    estimate: Array
    squares: Array
    df: Array
    facts: UnitFacts
    pairs: PairedDifferences | None = None

    def ends(self, level: float) -> Array:
        """Return the intervals (M, 2): Student's, or those of paired differences that few cases make up."""
        found = self._ends(level)
        of_few = np.full_like(found, np.nan) if self.pairs is None else self.pairs.ends_of_few(level)
        return np.where(np.isnan(of_few), found, of_few)

    def _ends(self, level: float) -> Array:
        from scipy.special import expit, logit  # noqa: PLC0415  (scipy is slow to import)

        estimate, squares, (n, span, step, _, widening) = self.estimate, self.squares, self.facts
        with np.errstate(invalid="ignore", divide="ignore", over="ignore"):
            half = t_quantile(self.df, 0.5 + level / 2) * np.sqrt(squares) * widening
            rest = span[:, 1] - estimate
            # coefficients 1 - ratio have no lower end but are rarely below -1: logits in [-1, 1] cover better than logarithms
            low = np.where(np.isneginf(span[:, 0]) & (rest < 2), span[:, 1] - 2, span[:, 0])
            width = span[:, 1] - low
            share = (estimate - low) / width
            bounded = np.isfinite(step) & np.isfinite(width) & (share > 0) & (share < 1)
            share = np.where(bounded, share, 0.5)
            middle, reach = logit(share), half / np.where(bounded, width, 1.0) / (share * (1 - share))
            # positive numbers without an upper end use logarithms; with very few units the exponential would be meaningless
            # and those below an upper end alone the logarithms of their distance from it
            positive = ~np.isnan(step) & (low == 0) & np.isposinf(width) & (estimate > 0) & (n >= LEAST_OF_LOGARITHMS)
            below = np.isfinite(step) & np.isneginf(low) & np.isfinite(rest) & (rest > 0) & (n >= LEAST_OF_LOGARITHMS)
            ends = []
            for sign in (-1, 1):
                alone = np.clip(estimate + sign * half, span[:, 0], span[:, 1])
                found = np.where(positive, estimate * np.exp(sign * half / estimate), alone)
                found = np.where(below, span[:, 1] - rest * np.exp(-sign * half / rest), found)
                ends.append(np.where(bounded, low + width * expit(middle + sign * reach), found))
        alike = np.where(~np.isnan(step) & (n < LEAST_ALIKE), np.nan, estimate)  # few equal cases do not show how others would differ
        still = squares <= (TIE * np.where(bounded, width, np.where(below, rest, np.abs(estimate)))) ** 2
        return np.where(still[:, None], alike[:, None], np.stack(ends, axis=1))


def _known(
    facts: UnitFacts,
    influence: Array,
    at: Int64,
    deviations: Array | None,
    few: Bools,
    per_stratum: float,
    terms: Terms | None,
    pairs: PairedDifferences | None,
    times: Array | None = None,
) -> Units:
    def some_deviations(some: Int64) -> Array:
        assert deviations is not None
        return deviations[:, np.searchsorted(at, some)]

    own = None if terms is None else terms.take
    return Units(lambda: facts, lambda: influence, some_deviations, few, per_stratum, own, lambda: pairs, times)
