"""The record that agreement coefficients return: the value, its parts, the reason if it is undefined, and the methods of all results."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import numpy as np

from .._base import checks, notices
from .._base.arrays import Array
from .._base.lazy import cached_property
from ..resampling import Result
from ..resampling.spread import with_annotators
from .icc import Icc
from .repeats import OfUnits

if TYPE_CHECKING:
    from .forms import Form


RARE = 3  # labels outside of the commonest class, up to which intervals of chance-corrected agreement are not to be trusted
HELD = (
    "the default 95% interval of the Cohen's or Fleiss' kappa of two annotators held it in 55% of simulations with one to three such labels"
)


def rare_note(one: Form) -> str | None:
    """Return a note if hardly any label is of another class than the commonest one; None for ratings."""
    if isinstance(one, Icc) or one.ratings:
        return None
    told = one.told
    times = np.ones(len(told.size)) if told.counting is not None and told.counting.weighted else told.times
    counts = told.classes.totals(one.n_classes, times * (told.size >= 2))
    others = float(counts.sum() - counts.max(initial=0.0))
    if not 0 < others <= min(RARE, 0.1 * counts.sum()):
        return None
    return f"Only {others:g} of {counts.sum():g} labels are not of the commonest class: {HELD}"


@dataclass(frozen=True, eq=False, repr=False)
class Agreement(Result):
    """The agreement between annotators, with or without correction for chance.

    The standard error is over cases, by linearisation, as by Gwet (2008) and, for Cohen's kappa, by Fleiss, Cohen & Everitt (1969); it is
    not that under the hypothesis of chance agreement. Analytic intervals are value ± t standard errors within the range of the
    coefficient, with one degree of freedom less than there are cases (clusters). For intraclass correlations they use the F distribution,
    without clusters, and are NaN where its approximation does not hold.

    Ranges end at 1; most begin at -1. Some coefficients can be lower: Fleiss' kappa if cases have one label only, AC2 and
    Brennan-Prediger with weights, any kappa with weights that are no squared distances, and intraclass correlations.

    Attributes
    ----------
    coefficient : str
        Name of the coefficient.
    value : float
        ``(observed - expected) / (1 - expected)``. If agreement by chance is complete, because all labels are of one class, it is 1 by
        convention; if there is nothing to compare, NaN. ``reason`` then says so.
    observed, expected : float or None
        Observed agreement and agreement by chance, in [0, 1]; the latter is 0 for percent agreement. None for intraclass correlations.
    reason : str or None
        Reason why the value is undefined or a convention; errors, resamples and intervals are then NaN. Otherwise None; errors and
        intervals over a single case are NaN, too.

    Examples
    --------
    >>> import ugt
    >>> found = ugt.fleiss_kappa([[0, 0, 1], [0, 0, 0], [1, 1, 1], [2, 2, None], [2, 2, 1]], classes=3)
    >>> round(found.value, 3), round(found.observed, 3), round(found.expected, 3), round(found.std_error, 3)
    (0.6, 0.733, 0.333, 0.245)
    >>> [round(limit, 2) for limit in found.interval(kind="analytic")]
    [-0.08, 1.0]
    >>> ugt.fleiss_kappa([[0, 0], [0, 0]], classes=2).reason
    'no variation: all labels are of one class, so that agreement by chance is complete; 1 by convention'
    """

    coefficient: str
    value: float
    observed: float | None
    expected: float | None
    reason: str | None
    _statistic: Form = field(repr=False)

    @classmethod
    def of(cls, coefficient: str, statistic: Form) -> Agreement:
        """Make the record of a statistic."""
        value, observed, expected, reason = statistic.agreed()
        if isinstance(statistic, Icc):
            return cls(coefficient, value, None, None, reason, statistic)
        return cls(coefficient, value, observed, expected, reason, statistic)

    @cached_property
    def statistic(self) -> Any:
        """The coefficient and observed and expected agreement, as functions of sums over cases."""
        one = self._statistic
        counting = None if one._judged is None else one._judged.counting
        return one if counting is None else counting.of(one)

    @property
    def n_cases(self) -> int:
        """Cases counted in ``observed``."""
        return int(self.statistic.n_counted)

    @property
    def n_annotators(self) -> int | None:
        """Annotators with at least one judgement; None if only counts are known."""
        return self._statistic.n_annotators

    @cached_property
    def left_out(self) -> Mapping[str, int]:
        """Cases left out of ``observed``, by reason."""
        return self._statistic.missing()

    @cached_property
    def per_case(self) -> Array | None:
        """(N,) observed agreement of each case; NaN for fewer than two annotators. None for intraclass correlations."""
        return None if isinstance(self._statistic, Icc) else self._statistic.per_case

    @cached_property
    def per_class(self) -> Array | None:
        """(K,) the coefficient of each class against all others, without weights; None for ratings.

        For percent agreement, how often another annotator of the case chose the class, given that one did. NaN without variation.
        """
        return None if self._statistic.ratings else self._statistic.per_class

    @cached_property
    def prevalence(self) -> Array | None:
        """(K,) share of each class among all judgements, to be read with a chance-corrected value; None for ratings."""
        return None if self._statistic.ratings else self._statistic.told.prevalence

    @cached_property
    def per_annotator(self) -> Array | None:
        """(A,) the coefficient of each annotator, for :func:`intra_annotator_agreement` only; None for other functions."""
        return self._statistic.per_annotator if isinstance(self._statistic, OfUnits) else None

    def _ends(self, number: int, level: float, kind: str, given: dict[str, Any], random: tuple[str, ...]) -> tuple[float, float]:
        """Return an interval; that of an intraclass correlation over cases and annotators is the analytic one."""
        if self.expected and self.reason is None and (said := rare_note(self._statistic)):
            notices.warn(said, UserWarning, stacklevel=4)
        if isinstance(self._statistic, Icc) and with_annotators(random) and kind in ("auto", "analytic"):
            kind, random = "analytic", ("cases",)
        return super()._ends(number, level, kind, given, random)

    def ends_if_named(self, level: float, clusters: object, alone: tuple[float, float]) -> tuple[float, float]:
        """Return the interval over cases and annotators for tables; of intraclass correlations the analytic one, NaN for clusters."""
        if not isinstance(self._statistic, Icc):
            return super().ends_if_named(level, clusters, alone)
        return self._statistic.limits(level) if clusters is None else (math.nan, math.nan)

    def _analytic(self, number: int, level: float, clusters: object) -> tuple[float, float]:
        one = self._statistic
        return one.limits(level) if isinstance(one, Icc) and not one.of_one else super()._analytic(number, level, clusters)

    def _check_analytic(self, given: Mapping[str, Any]) -> None:
        super()._check_analytic(given)
        if given["clusters"] is not None and isinstance(self._statistic, Icc):
            raise checks.error("clusters", "be None for analytic intervals of intraclass correlations", "clusters")
