"""The record that agreement coefficients return: value, what it is made of, why it is undefined; and what all results have."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING, Any

from .._base import checks
from .._base.arrays import Array
from ..resampling import Result
from .icc import Icc
from .repeats import OfUnits

if TYPE_CHECKING:
    from .forms import Form


@dataclass(frozen=True, eq=False, repr=False)
class Agreement(Result):
    """Agreement between annotators, corrected for chance or not.

    Its standard error is over cases, not under the hypothesis of chance: by linearisation, as of Gwet (2008) and, for Cohen's kappa,
    Fleiss, Cohen & Everitt (1969). Analytic intervals are value ± t standard errors with one degree of freedom less than cases (clusters),
    within [-1, 1], and for intraclass correlations by the F distribution, without clusters.

    Attributes
    ----------
    coefficient : str
        Which one.
    value : float
        ``(observed - expected) / (1 - expected)``. Where chance agrees as often as can be, because all labels are of one class, it is
        1 by convention; where there is nothing to compare, NaN. ``reason`` then says so.
    observed, expected : float or None
        Agreement seen and by chance, in [0, 1]; 0 by chance for percent agreement. None for intraclass correlations.
    reason : str or None
        Why the value is undefined or a convention. Errors, resamples and intervals are then NaN.

    Examples
    --------
    >>> import ugt
    >>> found = ugt.fleiss_kappa([[0, 0, 1], [0, 0, 0], [1, 1, 1], [2, 2, None], [2, 2, 1]])
    >>> round(found.value, 3), round(found.observed, 3), round(found.expected, 3), round(found.std_error, 3)
    (0.6, 0.733, 0.333, 0.245)
    >>> [round(limit, 2) for limit in found.interval(kind="analytic")]
    [-0.08, 1.0]
    >>> ugt.fleiss_kappa([[0, 0], [0, 0]], classes=2).reason
    'no variation: all labels are of one class, so that chance agrees as often; 1 by convention'
    """

    coefficient: str
    value: float
    observed: float | None
    expected: float | None
    reason: str | None
    _statistic: Form = field(repr=False)

    @classmethod
    def of(cls, coefficient: str, statistic: Form) -> Agreement:
        """The record of a statistic."""
        value, observed, expected, reason = statistic.agreed()
        if isinstance(statistic, Icc):
            return cls(coefficient, value, None, None, reason, statistic)
        return cls(coefficient, value, observed, expected, reason, statistic)

    @property
    def statistic(self) -> Form:
        """The coefficient, agreement observed and expected, as functions of sums over cases."""
        return self._statistic

    @property
    def n_cases(self) -> int:
        """Cases counted in ``observed``."""
        return self._statistic.n_counted

    @property
    def n_annotators(self) -> int | None:
        """Annotators with at least one judgement; None where only counts are known."""
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
        """(K,) each class against all others, without weights; None for ratings.

        For percent agreement, how often another annotator of the case chose the class, given that one did. NaN where it does not vary.
        """
        return None if self._statistic.ratings else self._statistic.per_class

    @cached_property
    def prevalence(self) -> Array | None:
        """(K,) share of each class among all judgements, to be read beside a chance-corrected value; None for ratings."""
        return None if self._statistic.ratings else self._statistic.told.prevalence

    @cached_property
    def per_annotator(self) -> Array | None:
        """(A,) for :func:`intra_annotator_agreement` only; None for others."""
        return self._statistic.per_annotator if isinstance(self._statistic, OfUnits) else None

    def _analytic(self, number: int, level: float, clusters: Any) -> tuple[float, float]:
        one = self._statistic
        return one.limits(level) if isinstance(one, Icc) else super()._analytic(number, level, clusters)

    def _check_analytic(self, given: Mapping[str, Any]) -> None:
        super()._check_analytic(given)
        if given["clusters"] is not None and isinstance(self._statistic, Icc):
            raise checks.error("clusters", "be None for analytic intervals of intraclass correlations", "clusters")
