"""The common part of conformal predictors, which computes sets and p-values from the levels of a fit."""

from __future__ import annotations

import math
import numbers
from collections.abc import Iterator
from dataclasses import dataclass
from functools import partial
from typing import Any, Callable, ClassVar

import numpy as np

from .._base import identifiers, notices
from .._base.arrays import Array, Int32, Int64
from .._base.axes import Axes
from .._base.checks import error, flag, room
from .._base.ragged import offsets_of
from ..calibration.estimator import Calibrator
from .input import NO_TRUTH, PREDICTED, Cases, ScoreRule, located_groups
from .sets import PredictionSets

# Relative tolerance of p-values, which are ratios of whole numbers with far larger steps: p = alpha must not count as p > alpha.
EQUAL = 1e-12


@dataclass(frozen=True, eq=False)
class Levels:
    """The p-values as a step function of the score for every category (of case and class).

    p(s) of a score s is ``p`` at the first level of at least s. The levels of category g are ``score[offsets[g]:offsets[g + 1]]``,
    ascending, with p descending; beyond the last level p is ``base[g]``.
    """

    offsets: Int64
    score: Array
    p: Array
    base: Array

    def _part(self, g: int) -> slice:
        return slice(int(self.offsets[g]), int(self.offsets[g + 1]))

    def p_values(self, scores: Array, category: Int64 | int) -> Array:
        if isinstance(category, (int, np.integer)):
            part = self._part(int(category))
            return np.asarray(np.append(self.p[part], self.base[category])[np.searchsorted(self.score[part], scores, side="left")])
        flat, given = np.broadcast_to(category, scores.shape).ravel(), scores.ravel()
        out = np.empty(flat.shape)
        for g, at in parts(flat, len(self.base)):
            out[at] = self.p_values(given[at], g)
        return out.reshape(scores.shape)

    def thresholds(self, alpha: float) -> Array:
        """Return (categories,) the highest score whose p-value is above alpha; inf if every score has such a p-value."""
        out = np.full(len(self.base), np.inf)
        for g in np.flatnonzero(self.base <= alpha * (1 + EQUAL)):
            part = self._part(int(g))
            above = int((self.p[part] > alpha * (1 + EQUAL)).sum())  # p descends; it is 1 at the first level
            out[g] = self.score[part][above - 1] if above else -np.inf
        return out

    def corrected(self, scores: Array, category: Int64) -> Levels:
        """Return ECDF-corrected levels: p becomes (1 + #{held-out cases of the category with a p-value <= p}) / (1 + #{held-out cases})."""
        held_out = self.p_values(scores, category)
        by_category = dict(parts(category, len(self.base)))
        rows: list[tuple[Array, Array, float]] = []
        for g in range(len(self.base)):
            part = self._part(g)
            seen = np.sort(held_out[by_category[g]]) if g in by_category else np.empty(0)

            def share(p: Any, seen: Array = seen) -> Array:
                return np.asarray((1 + np.searchsorted(seen, p, side="right")) / (1 + len(seen)))

            p = share(self.p[part])
            last = np.append(p[1:] != p[:-1], True)[: len(p)]  # of several levels with one p-value, only the highest matters
            rows.append((self.score[part][last], p[last], float(share(self.base[g]))))
        return assembled(rows)


def parts(category: Int64, n: int) -> list[tuple[int, Int64]]:
    """Return the categories that occur, each with its positions in order."""
    if n == 1:
        return [(0, np.arange(len(category)))] if len(category) else []
    order = np.argsort(category, kind="stable")
    ends = np.cumsum(np.bincount(category, minlength=n))
    return [(g, order[begin:end]) for g, (begin, end) in enumerate(zip([0, *ends[:-1].tolist()], ends.tolist())) if end > begin]


def assembled(rows: list[tuple[Array, Array, float]]) -> Levels:
    score, p, base = zip(*rows)
    return Levels(offsets_of(np.array([len(one) for one in score])), np.concatenate(score), np.concatenate(p), np.array(base))


def pooled(scores: Array, category: Int64, n_categories: int, times: Array | None = None) -> Levels:
    """Return levels from the scores (n, m) of m labels of each of n cases, and the category (n, m) of each label.

    p(s) = mean over the m samples of (1 + #{cases of the category with a score of at least s}) / (1 + #{cases of the category}).
    With one label per case, each row may be so many equal cases (n,).
    """
    m, flat, nothing = scores.shape[1], scores.ravel(), (np.empty(0), np.empty(0), 1.0)
    found = dict(parts(np.ascontiguousarray(category).ravel(), n_categories))
    if times is not None:
        return assembled([_of_equal(flat[found[g]], times[found[g]]) if g in found else nothing for g in range(n_categories)])
    return assembled([_category(flat[found[g]], found[g] % m, m) if g in found else nothing for g in range(n_categories)])


def pooled_by_class(scores: Array, label: Int32) -> Levels:
    """Return the levels of a single category from the scores (n, K) of all classes and m labels (n, m) of each case."""
    n, m = label.shape
    drawn = np.bincount((label + scores.shape[1] * np.arange(n, dtype=np.int64)[:, None]).ravel(), minlength=scores.size)
    at = np.flatnonzero(drawn)
    at = at[np.argsort(scores.ravel()[at], kind="stable")]
    ordered = scores.ravel()[at]
    first = np.flatnonzero(np.append(True, ordered[1:] != ordered[:-1]))
    at_least = np.cumsum(drawn[at][::-1])[::-1][first]
    return assembled([(ordered[first], (m + at_least) / (m * (n + 1)), 1 / (n + 1))])


def _of_equal(scores: Array, times: Array) -> tuple[Array, Array, float]:
    """Return the levels of a category whose rows are so many equal cases, as whole numbers over whole numbers."""
    scores, times = scores[times > 0], times[times > 0]
    order, n = np.argsort(scores, kind="stable"), 1 + float(times.sum())
    ordered = scores[order]
    first = np.flatnonzero(np.append(True, ordered[1:] != ordered[:-1])[: len(ordered)])
    return ordered[first], (1 + np.cumsum(times[order][::-1])[::-1][first]) / n, 1 / n


def _category(scores: Array, sample: Int64, m: int) -> tuple[Array, Array, float]:
    size = np.bincount(sample, minlength=m)
    if (size == size[0]).all():  # whole numbers give p-values that are exact to the last bit: (m + count) / (m (n + 1))
        ordered = np.sort(scores)
        first = np.flatnonzero(np.append(True, ordered[1:] != ordered[:-1]))
        n = m * (int(size[0]) + 1)
        return ordered[first], (m + len(ordered) - first) / n, m / n
    weight = 1.0 / (1.0 + size) / m
    base = float(weight.sum())
    order = np.argsort(scores, kind="stable")
    ordered = scores[order]
    first = np.flatnonzero(np.append(True, ordered[1:] != ordered[:-1]))
    at_least = np.cumsum(weight[sample[order]][::-1])[::-1][first]
    return ordered[first], np.minimum(base + at_least, 1.0), base


def check_alpha(alpha: object) -> float:
    if isinstance(alpha, (bool, np.bool_)) or not isinstance(alpha, numbers.Real) or not 0 < alpha < 1:  # type: ignore[operator]
        raise error("alpha", "be a number between 0 and 1", repr(alpha))
    return float(alpha)


class Conformal(Calibrator):
    """The base class of both predictors, which uses the levels of a fit."""

    n_classes_: int
    rule_: dict[str, Any]
    _fitted: ClassVar[dict[str, Any]] = {
        **{"n_classes_": int, "n_cases_": int, "classes_": list, "left_out_": dict, "rule_": dict, "groups_": (list, type(None))},
        **{"class_group_": np.ndarray, "base_p_": "G", "level_offsets_": np.ndarray, "level_score_": "L", "level_p_": "L"},
    }

    def __init__(
        self,
        score: str = "aps",
        alpha: float = 0.1,
        *,
        class_groups: object = None,
        randomized: bool = True,
        penalty: float = 0.01,
        k_reg: int = 5,
        allow_empty: bool = True,
        seed: object = 0,
    ) -> None:
        self.score, self.alpha, self.class_groups = score, alpha, class_groups
        self.randomized, self.penalty, self.k_reg, self.allow_empty, self.seed = randomized, penalty, k_reg, allow_empty, seed

    @property
    def guarantee(self) -> float:
        """The guaranteed coverage at ``alpha``, if calibration cases and new cases are exchangeable."""
        return 1.0 - check_alpha(self.alpha)

    def predict_sets(
        self, predictions: object, *, alpha: float | None = None, groups: object = None, case_ids: object = None
    ) -> PredictionSets:
        """Return the sets of classes with a p-value above alpha, which are the classes that score at most the threshold.

        Parameters
        ----------
        predictions : (N, K) array
            Probabilities of new cases.
        alpha : float, optional
            Error rate that replaces that of the constructor.
        groups : (N,) ids, optional
            Groups of the cases; required if and only if the fit had groups.
        case_ids : (N,) ids, optional
            Keys of the random numbers of each case (0 to N-1 by default).

        Raises
        ------
        ValueError
            If probabilities, classes or groups do not match the fit.
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
            room("the classes of all sets", 8 * listed[0])  # counts the parts and their joined copy
            return sizes, np.nonzero(inside)[1].astype(np.int32)

        sizes, index = (np.concatenate(column) for column in zip(*cases.run(part, "predicting sets")))
        return PredictionSets(cases.axes, offsets_of(sizes), index, rate)

    def p_values(self, predictions: object, *, groups: object = None, case_ids: object = None) -> Array:
        """Return (N, K) p-values of "the label is k"; the parameters are those of :meth:`predict_sets`."""
        cases, group, rule = self._read(predictions, groups, case_ids)
        levels, n_class_groups = self._levels(), int(self.class_group_.max()) + 1
        room("a table of p-values", 8 * math.prod(cases.table.shape))
        out = np.empty(cases.table.shape)

        def part(begin: int, end: int) -> None:
            category = 0 if len(levels.base) == 1 else group[begin:end, None] * n_class_groups + self.class_group_
            out[begin:end] = levels.p_values(rule.scores(cases, begin, end, PREDICTED), category)

        cases.run(part, "computing p-values")
        return out

    def thresholds(self, alpha: float | None = None) -> Array:
        """Return (groups of cases, groups of classes) the highest score of a class in a set; inf if every class is in every set."""
        self._check_fitted()
        return self._levels().thresholds(check_alpha(self.alpha if alpha is None else alpha)).reshape(-1, int(self.class_group_.max()) + 1)

    def _levels(self) -> Levels:
        return Levels(self.level_offsets_, self.level_score_, self.level_p_, self.base_p_)

    def _read(self, predictions: object, groups: object, case_ids: object) -> tuple[Cases, Int64, ScoreRule]:
        self._check_fitted()
        cases = Cases.of(predictions, case_ids, self.n_classes_, self.classes_)
        return cases, located_groups(groups, cases.axes, self.groups_), ScoreRule(**self.rule_)

    def _begin(self, predictions: object, truth: object, what: str = "truth") -> tuple[Cases, ScoreRule]:
        check_alpha(self.alpha)
        flag("allow_empty", self.allow_empty)
        return Cases.of(predictions, truth=truth, what=what), ScoreRule.of(self.score, self.randomized, self.penalty, self.k_reg, self.seed)

    def _check_restored(self) -> None:
        check_alpha(self.alpha)
        for name, fits in self._conditions():
            try:
                good = fits()
            except (ValueError, TypeError, OverflowError):  # a condition can fail on values of the wrong kind, too
                good = False
            if not good:
                raise error("source", f"have {name} of a {type(self).__name__}", repr(getattr(self, name))[:200])

    def _counts(self, name: str) -> bool:
        return bool(0 <= getattr(self, name) < 2**63)

    def _conditions(self) -> Iterator[tuple[str, Callable[[], Any]]]:
        """Yield a condition for each attribute of a fit; a condition may rely on those before it."""
        k, group, ends = self.n_classes_, self.class_group_, self.level_offsets_
        score, p, base = self.level_score_, self.level_p_, self.base_p_
        yield "n_classes_", lambda: 0 < k < 2**31
        for name in (name for name, kind in self._fitted.items() if kind is int):
            yield name, partial(self._counts, name)
        yield "classes_", lambda: Axes.of(1, k, None, self.classes_).classes.tolist() == self.classes_
        yield "left_out_", lambda: all(type(n) is int and n >= 0 for n in self.left_out_.values())
        yield "rule_", lambda: vars(ScoreRule.of(**self.rule_)) == self.rule_
        yield "groups_", lambda: self.groups_ is None or 0 < len(self.groups_) == len(identifiers.number("groups", self.groups_).ids)
        yield "class_group_", lambda: group.shape == (k,) and np.array_equal(np.unique(group), np.arange(len(set(group.tolist()))))
        yield "base_p_", lambda: len(base) == len(self.groups_ or [0]) * (int(group.max()) + 1) and _are_shares(base)
        yield "level_offsets_", lambda: ends.dtype == np.int64 and ends.shape == (len(base) + 1,) and len(p) == len(score)
        yield "level_offsets_", lambda: ends[0] == 0 and ends[-1] == len(score) and bool((np.diff(ends) >= 0).all())
        following = np.isin(np.arange(1, len(score)), ends, invert=True)  # all levels except the first of each category
        yield "level_score_", lambda: bool((np.diff(score)[following] > 0).all())
        yield "level_p_", lambda: _are_shares(p) and bool((np.diff(p)[following] <= 0).all())

    def _keep(self, rule: ScoreRule, levels: Levels, cases: Cases, n_counted: int, groups: list[Any] | None, class_group: Int64) -> None:
        self.rule_ = vars(rule)  # later changes of parameters must not change the fitted rule
        self.n_classes_, self.n_cases_ = cases.axes.n_classes, n_counted
        self.left_out_ = {NO_TRUTH: len(cases) - n_counted} if n_counted < len(cases) else {}
        self.groups_, self.class_group_, self.classes_ = groups, class_group, cases.axes.classes.tolist()
        self.level_offsets_, self.level_score_, self.level_p_, self.base_p_ = levels.offsets, levels.score, levels.p, levels.base
        self._say_endless(self.thresholds(), float(self.alpha), 4)

    def _say_endless(self, thresholds: Array, alpha: float, stacklevel: int) -> None:
        n = int(np.isposinf(thresholds).sum())
        if n:
            which = "" if thresholds.size == 1 else f" in {n} of {thresholds.size} groups"
            said = f"too few calibration labels for alpha = {alpha:g}{which}: all classes{' there' if which else ''} are in every set"
            notices.warn(said, stacklevel=stacklevel)


def _are_shares(values: Array) -> bool:
    return bool(((values >= 0) & (values <= 1)).all())


def named(cases: Cases, axes: Any, case_ids: Any) -> Cases:
    if case_ids is not None:
        return Cases(cases.table, Axes.of(*cases.table.shape, case_ids, cases.table.classes if axes is None else axes.classes))
    return cases if axes is None else Cases(cases.table, axes)
