"""What conformal predictors have in common: from the levels that a fit has found to sets and p-values."""

from __future__ import annotations

import math
import numbers
from typing import Any

import numpy as np

from .._base import notices
from .._base.arrays import Array, Int32, Int64
from .._base.checks import error, room
from .._base.ragged import offsets_of
from ..calibrators.estimator import Calibrator
from .input import NO_TRUTH, PREDICTED, Cases, ScoreRule, located_groups
from .levels import Levels
from .sets import PredictionSets


def check_alpha(alpha: Any) -> float:
    if isinstance(alpha, (bool, np.bool_)) or not isinstance(alpha, numbers.Real) or not 0 < float(alpha) < 1:
        raise error("alpha", "be a number between 0 and 1", repr(alpha))
    return float(alpha)


class Conformal(Calibrator):
    """What both predictors do with the levels that a fit has found."""

    score: str
    alpha: float
    class_groups: Any
    randomized: bool
    penalty: float
    k_reg: int
    allow_empty: bool
    seed: Any
    n_classes_: int
    rule_: dict[str, Any]

    @property
    def guarantee(self) -> float:
        """The coverage that is guaranteed at ``alpha``, if calibration cases and new cases are exchangeable."""
        return 1.0 - check_alpha(self.alpha)

    def predict_sets(self, predictions: Any, *, alpha: float | None = None, groups: Any = None, case_ids: Any = None) -> PredictionSets:
        """The classes with a p-value above alpha, which are those that score no higher than the threshold.

        Parameters
        ----------
        predictions : (N, K) array
            Probabilities of new cases.
        alpha : float, optional
            Another error rate than that of the constructor.
        groups : (N,) ids, optional
            Of the cases; exactly where the fit had groups.
        case_ids : (N,) ids, optional
            Keys of the random numbers of each case (0 to N-1 by default).

        Raises
        ------
        ValueError
            If probabilities, classes or groups are not as in the fit.
        """
        rate = check_alpha(self.alpha if alpha is None else alpha)
        thresholds = self.thresholds(rate)
        if alpha is not None:
            self._say_endless(thresholds, rate, 3)
        cases, group, rule = self._read(predictions, groups, case_ids)
        listed = [0]

        def part(begin: int, end: int) -> tuple[Int64, Int32]:
            scores = rule.scores(cases, begin, end, PREDICTED)
            inside = np.asarray(scores <= thresholds[group[begin:end]][:, self.class_group_])
            if not self.allow_empty:
                inside[np.arange(len(inside)), scores.argmin(axis=1)] = True
            sizes = inside.sum(axis=1)
            listed[0] += int(sizes.sum())
            room("the classes of all sets", 8 * listed[0])  # in parts, and joined
            return sizes, np.nonzero(inside)[1].astype(np.int32)

        sizes, index = (np.concatenate(column) for column in zip(*cases.run(part, "predicting sets")))
        return PredictionSets(cases.axes, offsets_of(sizes), index, rate)

    def p_values(self, predictions: Any, *, groups: Any = None, case_ids: Any = None) -> Array:
        """(N, K) p-values of "the label is k"; parameters as for :meth:`predict_sets`."""
        cases, group, rule = self._read(predictions, groups, case_ids)
        levels = self._levels()
        n_class_groups = int(self.class_group_.max()) + 1
        one = len(levels.base) == 1

        room("a table of p-values", 8 * math.prod(cases.table.shape))
        out = np.empty(cases.table.shape)

        def part(begin: int, end: int) -> None:
            category = group[begin:end, None] * n_class_groups + self.class_group_
            out[begin:end] = levels.p_values(rule.scores(cases, begin, end, PREDICTED), 0 if one else category)

        cases.run(part, "computing p-values")
        return out

    def thresholds(self, alpha: float | None = None) -> Array:
        """(groups of cases, groups of classes) highest score of a class in a set; inf: every class is in it."""
        self._check_fitted()
        rate = check_alpha(self.alpha if alpha is None else alpha)
        return self._levels().thresholds(rate).reshape(-1, int(self.class_group_.max()) + 1)

    def _levels(self) -> Levels:
        return Levels(self.level_offsets_, self.level_score_, self.level_p_, self.base_p_)

    def _read(self, predictions: Any, groups: Any, case_ids: Any) -> tuple[Cases, Int64, ScoreRule]:
        self._check_fitted()
        cases = Cases.of(predictions, case_ids, self.n_classes_, self.classes_)
        group = located_groups(groups, len(cases), self.groups_)
        return cases, group, ScoreRule(**self.rule_)

    def _begin(self, predictions: Any) -> tuple[Cases, ScoreRule]:
        check_alpha(self.alpha)
        if not isinstance(self.allow_empty, (bool, np.bool_)):
            raise error("allow_empty", "be True or False", repr(self.allow_empty))
        return Cases.of(predictions), ScoreRule.of(self.score, self.randomized, self.penalty, self.k_reg, self.seed)

    def _keep(self, rule: ScoreRule, levels: Levels, cases: Cases, n_counted: int, groups: list[Any] | None, class_group: Int64) -> None:
        self.rule_ = vars(rule)  # as it was fitted, whatever parameters are set later
        self.n_classes_, self.n_cases_ = cases.axes.n_classes, n_counted
        self.left_out_ = {NO_TRUTH: len(cases) - n_counted} if n_counted < len(cases) else {}
        self.groups_, self.class_group_ = groups, class_group
        self.classes_ = cases.axes.classes.tolist()
        self.level_offsets_, self.level_score_, self.level_p_, self.base_p_ = levels.offsets, levels.score, levels.p, levels.base
        self._say_endless(self.thresholds(), float(self.alpha), 4)

    def _say_endless(self, thresholds: Array, alpha: float, stacklevel: int) -> None:
        n = int(np.isposinf(thresholds).sum())
        if n:
            which = "" if thresholds.size == 1 else f" in {n} of {thresholds.size} groups"
            said = f"too few calibration labels for alpha = {alpha:g}{which}: all classes{' of theirs' if which else ''} are in every set"
            notices.warn(said, stacklevel=stacklevel)


def named(cases: Cases, axes: Any, case_ids: Any) -> Cases:
    if case_ids is not None:
        return Cases.of(cases.table.values, case_ids, classes=None if axes is None else axes.classes)
    return cases if axes is None else Cases(cases.table, axes)
