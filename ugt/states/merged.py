"""What is made of the state of all cases: the metric, its error, its intervals."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from .. import resampling
from .._base import checks
from .._base.arrays import Array
from .._base.axes import Frozen

KINDS = ("percentile", "basic", "analytic")


@dataclass(frozen=True, eq=False)
class Merged(Frozen):
    """A metric of all cases, from sums alone; made by :func:`ugt.states.finish`.

    Attributes
    ----------
    metric : str
        Name of the function that gives the same for cases in one place.
    value : float
        The metric; NaN where ``reason`` says why. Of a metric with a value for each annotator or pair of annotators the mean of these,
        which are in ``numbers``; of :func:`ugt.alternative_annotator_test` the average advantage.
    numbers : mapping
        What goes with it, by name, such as ``alpha`` and ``mu`` of a discrepancy ratio, or ``low`` and ``high``, between which a value
        from bins must lie.
    n_cases, left_out : int, mapping
        Cases that count; cases left out, by reason.
    std_error : float
        Over cases: from sums of squares where the metric has them, else the standard deviation over resamples; NaN without either.
    reason : str or None
        Why the value is undefined, or a convention.
    resampled : (B,) array
        The metric in each of the B resamples that were asked for.
    units : {"cases", "clusters"}
        What was resampled.
    record : object or None
        The record of the function itself, where it can be made without cases: :class:`ugt.HistogramLosses`.
    resampled_numbers : mapping of name to (B, ...) array
        Those of ``numbers`` in each of the resamples that are known there.

    Examples
    --------
    >>> from ugt import states
    >>> votes, said = [[0, 1, 1], [1, 1, 0], [0, 0, 1]], [1, 1, 1]
    >>> found = states.finish(states.partial("discrepancy_ratio", votes, said, case_ids=["a", "b", "c"], n_resamples=200))
    >>> round(found.value, 3), round(found.numbers["alpha"], 3), found.n_cases
    (0.667, 0.667, 3)
    """

    metric: str
    value: float
    numbers: Mapping[str, Any]
    n_cases: int
    left_out: Mapping[str, int]
    std_error: float
    reason: str | None = None
    resampled: Array = field(default_factory=lambda: np.empty(0), repr=False)
    units: str = "cases"
    record: Any = field(default=None, repr=False)
    resampled_numbers: Mapping[str, Array] = field(default_factory=dict, repr=False)
    _scale: str = field(default="identity", repr=False)
    _span: tuple[float, float] = field(default=(-math.inf, math.inf), repr=False)

    def interval(self, level: float = 0.95, *, of: str | None = None, kind: str = "percentile") -> tuple[float, float]:
        """Interval over cases or clusters, as of the record of the function itself: from the Poisson resamples, or analytic.

        Parameters
        ----------
        level : float
            In (0, 1).
        of : str, optional
            Which of the ``numbers`` that are known in each resample. Default: ``value``.
        kind : {"percentile", "basic", "analytic"}
            The first two as in :class:`ugt.Resamples`; ``"analytic"``: of ``value``, by its ``std_error`` and Student's t (over clusters:
            the normal law), which needs no resamples where there are sums of squares.

        Returns
        -------
        (low, high)
            NaN where the number or the standard error is undefined.

        Raises
        ------
        ValueError
            If an option is out of range, or there are no resamples.

        Examples
        --------
        >>> from ugt import states
        >>> p = [[0.9, 0.1], [0.5, 0.5], [0.2, 0.8], [0.6, 0.4]]
        >>> found = states.finish(states.partial("expected_risk", p, [0, 1], kind="plausibility"))
        >>> [round(end, 3) for end in found.interval(kind="analytic")]
        [-0.009, 0.909]
        """
        resampling.check_level(level)
        if checks.option("kind", kind, KINDS) == "analytic":
            if of is not None:
                raise checks.error("of", "be None for kind='analytic'", repr(of))
            return self._analytic(level)
        if len(self.resampled) == 0:
            raise checks.error("kind", "be 'analytic' for a state without resamples (n_resamples=)", repr(kind))
        low, high = self.resamples(of).interval(level, kind)[0]
        return float(low), float(high)

    def _analytic(self, level: float) -> tuple[float, float]:
        from scipy.special import ndtri, stdtrit  # noqa: PLC0415  (scipy is slow to import)

        if not self.std_error > 0:
            return math.nan, math.nan
        far = ndtri(0.5 + level / 2) if self.units == "clusters" else stdtrit(self.n_cases - 1, 0.5 + level / 2)
        return resampling.limits(self.value, float(far) * self.std_error, self._scale, self._span)

    def resamples(self, of: str | None = None) -> resampling.Resamples:
        """The resamples of the value, or of another number, as those of all other metrics."""
        one, again = (self.value, self.resampled) if of is None else self._number(of)
        return resampling.Resamples(np.array([one]), again[:, None], None, (self.units,))

    def _number(self, of: str) -> tuple[float, Array]:
        known = [name for name, table in self.resampled_numbers.items() if np.ndim(table) == 1]
        return self.numbers[checks.option("of", of, tuple(known))], self.resampled_numbers[of]

    def minus(self, other: Merged) -> resampling.Resamples:
        """Paired difference to another metric or model, resample by resample: of states with the same ids and seed.

        Parameters
        ----------
        other : Merged
            With as many resamples.

        Raises
        ------
        ValueError
            If it has more or fewer resamples, or of other units.
        """
        if not isinstance(other, Merged):
            raise TypeError(f"other must be Merged. Got {type(other).__name__}.")
        mine, its = ((len(one.resampled), one.units) for one in (self, other))
        if mine != its or not mine[0]:
            raise checks.error("other", f"have the same resamples, {mine[0]} of {mine[1]}, and some", f"{its[0]} of {its[1]}")
        beside = np.stack([other.resampled, self.resampled], axis=1)
        return resampling.Resamples(np.array([other.value, self.value]), beside, None, (self.units,)).minus(0).take(1)


def spread_of(resampled: Array) -> float:
    """Standard deviation over the resamples in which the metric is defined."""
    defined = resampled[np.isfinite(resampled)]
    return float(defined.std(ddof=1)) if len(defined) > 1 else math.nan
