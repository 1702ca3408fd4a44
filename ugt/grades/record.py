"""The record of coefficients between predictions and grades drawn from the truth, and statistics that are functions of their sums."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from .._base import notices
from .._base.arrays import Array, Bools, NDArray
from .._base.checks import error
from .._base.lazy import cached_property
from ..plausibilities import Plausibilities
from ..plausibilities.comparisons import Comparison
from ..plausibilities.made_of import MadeOf
from ..plausibilities.refitted import refitted
from ..resampling import UNNAMED, NumberFacts, Panel, Result, Statistic
from ..resampling.slopes import gradient_of

NAMES = ("value", "human", "ceiling")
ONE_GRADE = "the truth is certain of one grade in all cases, so that annotators do not differ"


@dataclass(frozen=True, eq=False, repr=False)
class GradeCoefficient(Result):
    """The coefficient between predictions and grades drawn from the truth, next to what other predictions would have.

    :meth:`interval` takes ``value``, ``human`` and, if it is a function of sums over cases, ``ceiling``.

    Attributes
    ----------
    value : float
        The coefficient; NaN if it is undefined.
    human : float
        What the same formula gives, in expectation, for an independent annotator, whose grades are drawn from the same laws. NaN, with a
        warning, if all laws are certain of one grade.
    ceiling : float
        A bound that no prediction exceeds; NaN together with ``human``, except with linear weights.
    draw_std : float
        Standard deviation of the value over draws of the laws, to first order; 0 for certain plausibilities, NaN if it is not known.
    mc_error : float
        Monte Carlo standard error of the value; 0 if it is exact.
    n_cases, left_out : int, mapping
        Number of cases that count; number of cases left out, by reason.
    reason : str or None
        Why the value is undefined.

    Examples
    --------
    >>> import ugt
    >>> found = ugt.grades.ua_weighted_kappa([[0.8, 0.2, 0.0], [0.1, 0.8, 0.1], [0.0, 0.3, 0.7]], [0, 1, 2])
    >>> round(found.value, 3), round(found.human, 3), round(found.ceiling, 3)
    (0.811, 0.664, 0.815)
    """

    value: float
    human: float
    ceiling: float
    draw_std: float
    mc_error: float
    n_cases: int
    left_out: Mapping[str, int] = field(default_factory=dict)
    reason: str | None = None
    _statistic: Any = field(default=None, repr=False)

    @classmethod
    def of(cls, one: GradeStatistic, spread: Callable[[], Comparison] | None, missing: str) -> GradeCoefficient:
        """Return the record of a statistic; ``spread()`` is the comparison of the derivatives by the laws, a mean over cases."""
        found = dict(zip(one.names, one.estimate.tolist()))
        n, reason = one.n_counted, one.reason
        left_out = {} if n == one.n_cases else {missing: one.n_cases - n}
        draw_std = mc_error = np.nan
        if reason is not None:
            notices.undefined(reason, stacklevel=4)
        elif np.isnan(found["human"]):
            notices.warn(f"{'human and ceiling are' if np.isnan(one.ceiling) else 'human is'} undefined: {ONE_GRADE}", stacklevel=4)
        if reason is None and spread is not None:
            change = spread()
            draw_std, mc_error = n * change.draw_std, n * change.mc_error
        return cls(found["value"], found["human"], one.ceiling, draw_std, mc_error, n, left_out, reason, one)

    @cached_property
    def statistic(self) -> Statistic:
        one: GradeStatistic = self._statistic
        return refitted(one, one.made_of, one.again)


class GradeStatistic(Statistic):
    """Numbers about predictions and the laws of a truth, which can be computed again without an annotator."""

    made_of: MadeOf | None = None
    again: Callable[[Plausibilities], GradeStatistic] | None = None
    names: tuple[str, ...] = NAMES

    @property
    def reason(self) -> str | None:
        """Why the value is undefined; None if it is defined."""
        raise NotImplementedError

    @property
    def ceiling(self) -> float:
        return float(self.estimate[self.names.index("ceiling")])

    @property
    def facts(self) -> NumberFacts:
        spans = np.array([[-1.0, 1.0], [0.0, 1.0], [0.0, 1.0]][: len(self.names)])
        return NumberFacts.of(len(spans), lambda: spans)._replace(scales=("complement",) * len(spans))

    @property
    def panel(self) -> Panel:
        return Panel(self._annotations, self._judged_by)

    def _annotations(self) -> Any:
        if self.made_of is None:
            raise error("annotators", UNNAMED, "a truth without its annotations")
        return self.made_of.annotations_by_name

    def _judged_by(self, annotators: NDArray[Any]) -> GradeStatistic:
        if self.made_of is None or self.again is None:
            raise error("annotators", UNNAMED, "a truth without its annotations")
        return self.again(self.made_of.judged_by(annotators))

    @cached_property
    def slopes(self) -> Array:
        """The derivatives (S, M) of the numbers by the sums."""
        sums = self.sums()[0]
        return np.stack([gradient_of(lambda s, j=j: self.answer(s)[:, j : j + 1], sums) for j in range(len(self.names))], axis=1)  # type: ignore[misc]


def counted(truth: Plausibilities) -> tuple[Array, Bools]:
    """Return the laws (N, K) of a new grade, 0 in cases without one, and which cases (N,) have one."""
    law = truth.mean()
    kept = np.asarray(~np.isnan(law).any(axis=1))
    return np.where(kept[:, None], law, 0.0), kept
