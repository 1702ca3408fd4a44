"""The record that soft ranking metrics return: values beside their hard twins, standard errors, intervals."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from .._base.arrays import Array, NDArray
from ..resampling import Result
from .ranking import SoftRanking


@dataclass(frozen=True, eq=False)
class SoftScore(Result):
    """A ranking metric against probabilities, and its twin against hard labels.

    Standard errors are DeLong's by structural components for AUROC, else the infinitesimal jackknife; analytic intervals are value ± z
    standard errors on the scale of logits, and NaN where the error is 0: a perfect score says nothing about its error. With scores
    that are tied in expectation (``ties="expected"``) there are percentile and basic intervals only.

    Attributes
    ----------
    value : float
        The metric; NaN where it is undefined.
    hard : float
        The same metric with labels ``p > threshold`` in place of p; ``.interval(of="hard")``.
    per_class, per_class_hard : (K,) arrays or None
        By column, for tables of scores, one against the rest; NaN where a column is undefined (it is then left out of the average).
    n_cases : int
        Cases counted.
    left_out : mapping
        What was left out, by reason.

    Examples
    --------
    >>> import ugt
    >>> found = ugt.soft_auroc([0.9, 0.6, 0.2, 0.0], [3.1, 0.2, 0.4, -1.0])
    >>> round(found.value, 3), found.hard
    (0.731, 0.75)
    """

    value: float
    hard: float
    per_class: Array | None
    per_class_hard: Array | None
    n_cases: int
    left_out: Mapping[str, int]
    _statistic: SoftRanking = field(repr=False)
    _ids: NDArray[Any] | None = field(repr=False)

    @property
    def statistic(self) -> SoftRanking:
        return self._statistic

    @property
    def _case_ids(self) -> NDArray[Any] | None:
        return self._ids

    @property
    def hard_std_error(self) -> float:
        """Standard error of ``hard``."""
        return float(self.statistic.std_error()[1])
