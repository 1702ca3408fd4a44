"""What intervals must know of numbers beside their values."""

from __future__ import annotations

import math
from collections.abc import Callable
from functools import partial
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from .._base.arrays import Array, Bools
from .._base.notes import Note
from .design import Design

if TYPE_CHECKING:
    from .scaled_score import PairedDifferences

SCALE_OF_SPAN = {(0.0, 1.0): "logit", (0.0, math.inf): "log"}
CountOfUnits = Callable[[Bools, Design], Array]  # of the kept cases (N,) and their design: (M,)
WhetherUnits = Callable[[Bools, Design], Bools]


class NumberFacts(NamedTuple):
    """What intervals must know of M numbers of a statistic.

    Attributes
    ----------
    ranges : function
        The ranges (M, 2), see :attr:`spans`.
    counting : function of (kept, design)
        The number (M,) of units of the design of the kept cases that count in each number.
    deciding : function of (kept, design)
        The number (M,) of units that decide how far each number varies: fewer than all if these are rare.
    varies : function of (kept, design)
        Whether (M,) two units of some stratum count in a number; otherwise it cannot be resampled.
    n_annotated : function of (kept, design)
        The number of units that have annotations: fewer than all units if a judge scored others, too.
    steps : function of (sums, n_cases)
        The largest distance (M,) of each number from the end of its range per share of units that are not perfect; NaN if unknown.
    recentred : (M,) bool array
        The numbers that copies of a case bias by about their own bias: resamples are moved so that their mean is the estimate.
    widening : function of (kept, design)
        Factors (M,) of at least 1 by which each number's intervals are wider than its spread, 1 for nearly all.
    scales : tuple of M str, optional
        Scales on which each number is approximately normal over cases and annotators; by default those of their ranges.
    scale : {"identity", "logit"}
        Scale on which an analytic interval is symmetric.
    normal : bool
        Whether the ends of an analytic interval are quantiles of the normal law instead of Student's.
    skewed : tuple of int
        Ratios of sums whose interval over cases is by default the bootstrap-t of their logarithm.
    smooth : bool
        Whether the numbers are smooth in the weights of units, so that the jackknife holds.
    few : function of (number, design or None)
        A caution if so few cases, or units of a design of the kept ones, make up a number that its intervals are too narrow; else None.
    pairs : function of (kept, design)
        What the score interval must know of the numbers, if they are paired differences of shares; else None.
    others : function of number
        Further limits of a number's interval over cases and annotators.
    """

    ranges: Callable[[], Array]
    counting: CountOfUnits
    deciding: CountOfUnits
    varies: WhetherUnits
    n_annotated: Callable[[Bools, Design], int]
    steps: Callable[[Array, int], Array]
    recentred: Bools
    widening: CountOfUnits
    scales: tuple[str, ...] | None = None
    scale: str = "identity"
    normal: bool = False
    skewed: tuple[int, ...] = ()
    smooth: bool = True
    few: Callable[[int, Design | None], Note | None] = lambda number, design: None
    others: Callable[[int], tuple[Note, ...]] = lambda number: ()
    pairs: Callable[[Bools, Design], PairedDifferences | None] = lambda kept, design: None

    @classmethod
    def within(cls, m: int, span: tuple[float, float]) -> NumberFacts:
        """Return the facts of M numbers in one range to which every unit adds."""
        return cls.of(m, partial(_same, m, span))

    @classmethod
    def of(cls, m: int, ranges: Callable[[], Array]) -> NumberFacts:
        """Return the facts of M numbers in these ranges (M, 2) to which every unit adds."""
        counting = partial(_every_unit, m)
        return cls(
            ranges, counting, counting, partial(_several, m), _n_units, partial(_widths, ranges), np.zeros(m, bool), partial(_ones, m)
        )

    def counting_only(self, informative: Callable[[], Bools]) -> NumberFacts:
        """Return the facts if only units with an informative case (N,) count, such as cases with two annotators for agreement."""

        def counted(kept: Bools) -> Array:
            return np.asarray(informative()[kept, None], np.float64)

        def n_units(kept: Bools, design: Design) -> int:
            return int(design.number(counted(kept))[0])

        def each(kept: Bools, design: Design) -> Array:
            return np.full(len(self.recentred), float(n_units(kept, design)))

        def vary(kept: Bools, design: Design) -> Bools:
            return np.full(len(self.recentred), bool(design.vary(counted(kept))[0]))

        return self._replace(counting=each, deciding=each, varies=vary, n_annotated=n_units)

    @property
    def spans(self) -> Array:
        """The range (M, 2) of each number, to which intervals are cut."""
        return self.ranges()

    def scale_of(self, number: int) -> str:
        """Return the scale on which a number is approximately normal over cases and annotators."""
        if self.scales is not None:
            return self.scales[number]
        low, high = self.spans[number].tolist()
        return SCALE_OF_SPAN.get((low, high), "identity")

    def notes_of(self, number: int) -> tuple[Note, ...]:
        """Return the limits of a number's interval over cases and annotators."""
        few = self.few(number, None)
        return (*(() if few is None else (few,)), *self.others(number))


def _same(m: int, span: tuple[float, float]) -> Array:
    found = np.empty((m, 2))
    found[:] = span
    return found


def _every_unit(m: int, kept: Bools, design: Design) -> Array:
    return np.full(m, float(design.size))


def _several(m: int, kept: Bools, design: Design) -> Bools:
    return np.full(m, bool(design.sizes.max() >= 2))


def _ones(m: int, kept: Bools, design: Design) -> Array:
    return np.ones(m)


def _n_units(kept: Bools, design: Design) -> int:
    return design.size


def _widths(ranges: Callable[[], Array], sums: Array, n_cases: int) -> Array:
    low, high = ranges().T
    return np.asarray(high - low)
