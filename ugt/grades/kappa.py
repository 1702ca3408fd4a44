"""Weighted kappa between predictions and grades drawn from the truth: functions of sums over cases."""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial
from typing import Any

import numpy as np

from .._base.arrays import Array, Bools
from .._base.checks import error, option
from .._base.lazy import cached_property
from ..plausibilities import Plausibilities, as_plausibilities
from ..plausibilities.estimates import NO_ANNOTATIONS
from ..plausibilities.normal import NO_RATINGS, NormalPosterior
from ..plausibilities.normal_posterior import posterior_of_ratings
from ..resampling import Linear, Merging, over
from .errors import mode_of
from .input import GradeScale, Predicted
from .normal_costs import numbers_of_ratings
from .record import NAMES, GradeCoefficient, GradeStatistic, counted

SAME = 1e-12  # expected disagreement by chance, as a share of the squared numbers of the grades, that is rounding
WEIGHTS = ("quadratic", "linear")
NO_VARIATION = "predictions and grades are all of one grade, so that no disagreement is expected by chance"
INFINITE = "a new rating has an infinite variance in {} of {} cases (a prior with a larger shape, above 1, makes it finite)"
STEPS = 100  # of Dinkelbach's algorithm, which takes a few


class KappaSums(GradeStatistic, Linear):
    """The numbers 1 - D_o / D_e from sums over cases, and their influences."""

    def __init__(self, columns: Array, kept: Bools) -> None:
        self.columns, self._kept, self.n_cases = columns * kept[:, None], kept, len(kept)

    @property
    def kept(self) -> Bools:
        return self._kept

    @property
    def reason(self) -> str | None:
        if not self._kept.any():
            return "no case is left"
        return NO_VARIATION if np.isnan(self.estimate[0]) else None

    def influence(self) -> Array:
        return np.asarray(self.columns @ self.slopes)

    def numbers_of(self, sums: Array) -> tuple[Array, ...]:
        """Return observed and expected disagreement of the predictions, then of an independent annotator, (B,) each."""
        raise NotImplementedError

    def answer(self, sums: Array) -> Array:
        observed, chance, own, own_chance = self.numbers_of(sums)
        human = 1.0 - over(own, np.where(own_chance > 0, own_chance, np.nan))
        found = [1.0 - over(observed, np.where(chance > 0, chance, np.nan)), human, np.sqrt(np.maximum(human, 0.0))]
        return np.stack(found[: len(self.names)], axis=1)


class QuadraticKappa(KappaSums):
    """Squared differences: sums of E x, E x², E y, E y², E (x - y)² and E (y - y')², and of cases."""

    grades: Array = np.empty(0)
    n_infinite = 0  # cases in which the variance of new ratings is infinite

    @property
    def reason(self) -> str | None:
        return INFINITE.format(self.n_infinite, self.n_counted) if self.n_infinite else super().reason

    @classmethod
    def of(cls, x: Array, xx: Array, y: Array, yy: Array, kept: Bools) -> QuadraticKappa:
        """Return the statistic of moments (N,) about a common centre."""
        x, xx, y, yy = (np.where(kept, one, 0.0) for one in (x, xx, y, yy))
        return cls(np.stack([x, xx, y, yy, xx - 2.0 * x * y + yy, 2.0 * (yy - y**2), np.ones(len(x))], axis=1), kept)

    @property
    def merging(self) -> Merging:
        return super().merging._replace(settings={"weights": "quadratic", "grades": self.grades.tolist()})

    def numbers_of(self, sums: Array) -> tuple[Array, ...]:
        x, xx, y, yy, observed, own, n = sums.T
        n = np.where(n > 0, n, np.nan)
        moments = [one / n for one in (x, xx, y, yy, observed, own)]
        x, xx, y, yy, observed, own = moments
        chance, own_chance = xx - 2.0 * x * y + yy, 2.0 * (yy - y**2)
        return observed, np.where(chance > SAME * (xx + yy), chance, 0.0), own, np.where(own_chance > SAME * yy, own_chance, 0.0)


class LinearKappa(KappaSums):
    """Absolute differences: sums of E|x - y|, E|y - y'|, E|x - v_k|, of the law, and of cases."""

    names = NAMES[:2]

    def __init__(self, cost: Array, law: Array, grades: Array, kept: Bools) -> None:
        self.cost, self.law, self.grades = cost, np.where(kept[:, None], law, 0.0), grades
        between = np.abs(grades[:, None] - grades)
        own = ((self.law[:, :, None] * between).sum(axis=1) * self.law).sum(axis=1)
        super().__init__(np.column_stack([(cost * self.law).sum(axis=1), own, cost, self.law, np.ones(len(law))]), kept)

    @property
    def merging(self) -> Merging:
        return super().merging._replace(settings={"weights": "linear", "grades": self.grades.tolist()})

    def numbers_of(self, sums: Array) -> tuple[Array, ...]:
        k, n = len(self.grades), np.where(sums[:, -1] > 0, sums[:, -1], np.nan)
        cost, law = sums[:, 2 : 2 + k] / n[:, None], sums[:, 2 + k : 2 + 2 * k] / n[:, None]
        between = np.abs(self.grades[:, None] - self.grades)
        own_chance = ((law[:, :, None] * between).sum(axis=1) * law).sum(axis=1)
        return sums[:, 0] / n, (cost * law).sum(axis=1), sums[:, 1] / n, own_chance

    @cached_property
    def ceiling(self) -> float:
        """The highest kappa of any predictions, by Dinkelbach's algorithm: the least ratio of observed to expected disagreement.

        For a given ratio r each case has its own best prediction, which minimises E|x - y_i| - r E|x - y|, piecewise linear between grades.
        """
        between, law = np.abs(self.grades[:, None] - self.grades), self.law[self._kept]
        if not len(law):
            return float("nan")
        observed, chance = law @ between, between @ law.mean(axis=0)
        ratio = 1.0
        for _ in range(STEPS):
            best = np.argmin(observed - ratio * chance, axis=1)
            below = chance[best].mean()
            found = observed[np.arange(len(law)), best].mean() / below if below > 0 else np.nan
            if not found < ratio - 1e-15:
                break
            ratio = found
        return float(1.0 - ratio)


def weighted_kappa(truth: object, predictions: object, weights: str, values: object, kind: str | None) -> GradeCoefficient:
    rated = posterior_of_ratings(truth)
    if rated is not None:
        return _of_ratings(rated, predictions, weights, values, kind)
    post = as_plausibilities(truth)
    scale = GradeScale.of(post, values)
    given = Predicted.of(predictions, post.axes, scale, kind)
    one = statistic_of(given, scale, weights, post)
    return GradeCoefficient.of(one, lambda: post.of_class(_by_law(one, given, scale, weights)), NO_ANNOTATIONS)


def read_part(data: tuple[Any, ...], options: dict[str, Any]) -> KappaSums:
    """Return the statistic of a part of the cases."""
    truth, predictions = data
    post = as_plausibilities(truth)
    scale = GradeScale.of(post, options["values"])
    given = Predicted.of(predictions, post.axes, scale, options["predictions_are"])
    one = statistic_of(given, scale, option("weights", options["weights"], WEIGHTS), post)
    one.left_out = {NO_ANNOTATIONS: one.n_cases - one.n_counted} if one.n_counted < one.n_cases else {}
    return one


def of_settings(settings: Mapping[str, Any]) -> KappaSums:
    """Return the statistic without cases."""
    grades, none = np.array(settings["grades"], np.float64), np.zeros(1, bool)
    if settings["weights"] == "linear":
        return LinearKappa(np.zeros((1, len(grades))), np.zeros((1, len(grades))), grades, none)
    return QuadraticKappa(np.zeros((1, 7)), none)


def statistic_of(given: Predicted, scale: GradeScale, weights: str, truth: Plausibilities) -> KappaSums:
    """Return the statistic against a truth of the same cases."""
    law, kept = counted(truth)
    centred = scale.values - (scale.values.max() + scale.values.min()) / 2
    one: KappaSums
    if weights == "quadratic":
        x, xx = moments_of(given, scale, centred)
        one = QuadraticKappa.of(x, xx, law @ centred, law @ centred**2, kept)
        one.grades = scale.values
    else:
        one = LinearKappa(_costs(given, scale), law, scale.values, kept)
    one.made_of, one.again, one.case_ids = truth.made_of, partial(statistic_of, given, scale, weights), truth.ids_or_none
    return one


def moments_of(given: Predicted, scale: GradeScale, centred: Array) -> tuple[Array, Array]:
    """Return mean and mean square of predictions about the middle of the scale; of a law, those of its most probable grades."""
    if given.numbers is not None:
        x = given.numbers - scale.values[0] + centred[0]
        return x, x**2
    mode = mode_of(given, scale)
    return mode @ centred, mode @ centred**2


def _costs(given: Predicted, scale: GradeScale) -> Array:
    """Return the distance (N, K) of each prediction from each grade; of a law, the mean over its most probable grades."""
    if given.numbers is not None:
        return np.abs(given.numbers[:, None] - scale.values)
    return np.asarray(mode_of(given, scale) @ np.abs(scale.values[:, None] - scale.values))


def _by_law(one: KappaSums, given: Predicted, scale: GradeScale, weights: str) -> Array:
    """Return the derivatives (N, K) of kappa by the laws of the cases."""
    slopes = one.slopes[:, 0]
    if weights == "linear":
        k = len(scale.values)
        return np.asarray(slopes[0] * _costs(given, scale) + slopes[2 + k : 2 + 2 * k])
    v = scale.values - (scale.values.max() + scale.values.min()) / 2
    x, _ = moments_of(given, scale, v)
    return np.asarray(slopes[2] * v + slopes[3] * v**2 + slopes[4] * (v**2 - 2.0 * x[:, None] * v))


def _of_ratings(truth: NormalPosterior, predictions: object, weights: str, values: object, kind: str | None) -> GradeCoefficient:
    if weights != "quadratic":
        raise error("weights", "be 'quadratic' for ratings, which are real numbers", repr(weights))
    x, kept = numbers_of_ratings(truth, predictions, values, kind), truth.defined
    centre = float(np.mean(truth.location[kept])) if kept.any() else 0.0

    def spread(post: NormalPosterior) -> Array:
        with np.errstate(invalid="ignore", divide="ignore"):
            return np.where(post.shape > 1, post.scale * (1.0 + 1.0 / post.kappa) / (post.shape - 1.0), np.inf)

    def sums(post: NormalPosterior) -> QuadraticKappa:
        y = post.location - centre
        return QuadraticKappa.of(x - centre, (x - centre) ** 2, y, y**2 + np.where(n_infinite, np.nan, spread(post)), kept)

    n_infinite = int(np.count_nonzero(np.isinf(spread(truth)[kept])))
    one, added = sums(truth), truth.added(lambda post: sums(post).columns)
    if added is not None and not n_infinite:
        one.columns = one.columns + added()
    one.n_infinite = n_infinite
    return GradeCoefficient.of(one, None, NO_RATINGS)
