"""The record of measures of decisions at one threshold."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from ..._base.arrays import Array
from ...resampling import Result, Statistic
from .chosen import Chosen


@dataclass(frozen=True, eq=False, repr=False)
class DiagnosticAccuracy(Result):
    """Measures of decisions against an uncertain truth, as :func:`diagnostic_accuracy` returns them.

    Each is that of the expected table, in which a case with probability p counts as p positive and 1 - p negative cases.
    ``interval(of=...)`` takes the name of a measure; without it, the interval is of the sensitivity.

    Attributes
    ----------
    sensitivity, specificity, ppv, npv, accuracy, balanced_accuracy, f1, jaccard : float
        Shares in [0, 1].
    youden, mcc : float
        Sensitivity + specificity - 1, and Matthews' correlation coefficient, in [-1, 1].
    lr_positive, lr_negative : float
        Likelihood ratios of a positive and of a negative call, in [0, inf].
    called : float
        The share of cases that are called positive.
    prevalence : float
        The expected share of positive cases, or the stated one, to which ppv, npv, accuracy, f1, jaccard, mcc and called belong.
    table : (2, 2) array
        The expected numbers of cases: rows are the truth (negative, positive), columns the decision.
    spread : mapping
        The standard deviation of each measure over truths, each case's drawn on its own, to first order. It is no part of intervals.
    threshold : float or None
        Scores of at least this are called positive; None if decisions were given.
    chosen : Chosen or None
        How the threshold was chosen, if it was chosen on these cases: measures are of decisions by thresholds from other folds.
    n_cases, left_out : int, mapping
        Cases counted; cases left out, by reason.

    Examples
    --------
    >>> import ugt
    >>> found = ugt.soft.diagnostic_accuracy([1.0, 0.8, 0.3, 0.0, 0.1], [0.9, 0.6, 0.7, 0.2, 0.1], threshold=0.5)
    >>> round(found.sensitivity, 3), round(found.ppv, 3), round(found.spread["ppv"], 3)
    (0.955, 0.7, 0.203)
    """

    sensitivity: float
    specificity: float
    ppv: float
    npv: float
    accuracy: float
    balanced_accuracy: float
    youden: float
    f1: float
    jaccard: float
    mcc: float
    lr_positive: float
    lr_negative: float
    called: float
    prevalence: float
    table: Array
    spread: Mapping[str, float]
    threshold: float | None
    chosen: Chosen | None
    n_cases: int
    left_out: Mapping[str, int]
    _statistic: Statistic = field(repr=False)

    @property
    def value(self) -> float:  # type: ignore[override]
        """The sensitivity."""
        return self.sensitivity
