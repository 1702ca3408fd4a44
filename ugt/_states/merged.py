"""What is made of the state of all cases: the metric, its error, its intervals."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import numpy as np

from .. import _checks, resampling
from .._axes import Frozen

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Array = NDArray[np.float64]

KINDS = ("percentile", "basic", "normal")


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
    n_cases : int
        Cases that count.
    left_out : mapping
        Cases left out, by reason.
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

    def interval(self, level: float = 0.95, *, kind: str = "percentile") -> tuple[float, float]:
        """Interval over cases or clusters, from the Poisson resamples.

        Parameters
        ----------
        level : float
            In (0, 1).
        kind : {"percentile", "basic", "normal"}
            The first two as in :class:`ugt.Resamples`; ``"normal"``: value ± z ``std_error``, which needs no resamples where there are
            sums of squares.

        Returns
        -------
        (low, high)
            NaN where the value or the standard error is undefined.

        Raises
        ------
        ValueError
            If an option is out of range, or there are no resamples.
        """
        resampling.check_level(level)
        if _checks.option("kind", kind, KINDS) == "normal":
            from scipy.special import ndtri  # noqa: PLC0415  (scipy is slow to import)

            half = float(ndtri(0.5 + level / 2)) * self.std_error
            return self.value - half, self.value + half
        if len(self.resampled) == 0:
            raise _checks.error("kind", "be 'normal' for a state without resamples (n_resamples=)", repr(kind))
        low, high = self.resamples().interval(level, kind)[0]
        return float(low), float(high)

    def resamples(self) -> resampling.Resamples:
        """The resamples as those of all other metrics: for differences, of states with the same case ids and seed, and for ranks."""
        return resampling.Resamples(np.array([self.value]), self.resampled[:, None], None, (self.units,))


def spread_of(resampled: Array) -> float:
    """Standard deviation over the resamples in which the metric is defined."""
    defined = resampled[np.isfinite(resampled)]
    return float(defined.std(ddof=1)) if len(defined) > 1 else math.nan
