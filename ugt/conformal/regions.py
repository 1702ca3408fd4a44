"""Plausibility regions: conformal sets of plausibility vectors."""

from __future__ import annotations

from itertools import combinations
from math import comb
from typing import Any

import numpy as np

from .._base import parallel
from .._base.arrays import Array, Bools
from .._base.checks import error, room, whole
from ..calibration.estimator import Calibrator, Self
from .input import BLOCK, CALIBRATED, NO_TRUTH, PREDICTED, Cases, ScoreRule, Truth
from .predictor import Levels, check_alpha, named, pooled

MOST_CLASSES = 4  # largest number of classes of a grid, whose size grows with its power


class PlausibilityRegions(Calibrator):
    """A conformal predictor of plausibilities: the region of a case holds the vectors λ whose expected score is not too high.

    The expected score of λ in a case with scores s(1) … s(K) is e = Σ_k λ_k s(k). If e_ij are those of m plausibilities of each of n
    calibration cases, the p-value of λ is the mean over j of ``(1 + #{i: e_ij >= e}) / (n + 1)``. The region holds the λ with a
    p-value above alpha, which is the part of the simplex in a half-space, {λ: Σ_k λ_k s(k) <= t}.

    Parameters
    ----------
    score, alpha, randomized, penalty, k_reg
        As for :class:`SplitConformal`; ``"lac"`` by default, with which e is 1 less the mean predicted probability under λ.
    m : int
        Plausibilities per case that are sampled from a posterior; of Draws, the first m. Certain plausibilities need one.
    seed : int, Generator or SeedSequence
        Random seed of sampled plausibilities, u and tied classes.

    Attributes
    ----------
    n_classes_, n_cases_, left_out_
        Classes, calibration cases, and cases left out by reason.
    m_ : int
        Plausibilities per case: 1 if they are certain.
    level_score_, level_p_, base_p_
        p-values as a step function of the expected score.

    Notes
    -----
    If calibration cases and new cases are exchangeable, the plausibilities of a new case are in its region with probability at least
    1 - alpha for certain plausibilities, and at least 1 - 2 alpha for plausibilities sampled from a posterior. Because regions are
    half-spaces, a region that is not empty always contains the vertex of the class with the lowest score.

    References
    ----------
    Stutz et al., "Conformal prediction under ambiguous ground truth" (TMLR 2023), on plausibility regions.

    Examples
    --------
    >>> import numpy as np, ugt
    >>> rng = np.random.default_rng(0)
    >>> p = rng.dirichlet([1, 1, 1], size=200)
    >>> truth = np.array([rng.dirichlet(9 * row + 0.1) for row in p])
    >>> regions = ugt.conformal.PlausibilityRegions("lac", alpha=0.1).fit(p[:100], truth[:100])
    >>> float(regions.contains(p[100:], truth[100:]).mean())
    0.92
    >>> grid, inside = regions.grid([[0.8, 0.1, 0.1]], n_steps=10)
    >>> grid.shape, int(inside.sum())
    ((66, 3), 28)
    """

    def __init__(
        self,
        score: str = "lac",
        alpha: float = 0.1,
        *,
        m: int = 100,
        randomized: bool = True,
        penalty: float = 0.01,
        k_reg: int = 5,
        seed: object = 0,
    ) -> None:
        self.score, self.alpha, self.m = score, alpha, m
        self.randomized, self.penalty, self.k_reg, self.seed = randomized, penalty, k_reg, seed

    def fit(self, predictions: object, truth: object, *, case_ids: object = None) -> Self:
        """Compute the p-values of expected scores from the calibration cases.

        Parameters
        ----------
        predictions, truth, case_ids
            As for :meth:`MonteCarloConformal.fit`.

        Raises
        ------
        ValueError, TypeError
            If shapes do not fit, a number is out of range, no case has a truth, or there are fewer than m draws.
        """
        check_alpha(self.alpha)
        cases = Cases.of(predictions, truth=truth)
        known = Truth.of(truth, cases.table.shape)
        cases = named(cases, known.axes, case_ids)
        rule = ScoreRule.of(self.score, self.randomized, self.penalty, self.k_reg, self.seed)
        certain = isinstance(known.source, np.ndarray) or known.source.is_certain
        m = 1 if certain else whole("m", self.m, 1, 10**6)

        def part(begin: int, end: int) -> Array:
            if certain:
                block = known.block(begin, end)
                drawn = (block / block.sum(axis=1, keepdims=True))[:, None]
            else:
                drawn = known.source.take(np.arange(begin, end, dtype=np.int64)).draws(m, seed=rule.seed)
            return expected(drawn, rule.scores(cases, begin, end, CALIBRATED))

        k = cases.axes.n_classes
        score = np.concatenate(parallel.run(part, len(cases), max(1, BLOCK // (k * m)), "scoring plausibilities"))
        score = score[~np.isnan(score).any(axis=1)]
        if len(score) == 0:
            raise error("truth", "hold plausibilities for at least one case", "none")
        levels = pooled(score, np.zeros(score.shape, np.int64), 1)
        self.rule_, self.m_, self.n_classes_, self.n_cases_ = vars(rule), m, k, len(score)
        self.left_out_ = {NO_TRUTH: len(cases) - len(score)} if len(score) < len(cases) else {}
        self.classes_ = cases.axes.classes.tolist()
        self.level_score_, self.level_p_, self.base_p_ = levels.score, levels.p, levels.base
        return self

    def p_values(self, predictions: object, plausibilities: object, *, case_ids: object = None) -> Array:
        """Return p-values (N,) of one plausibility vector per case (N, K), or (N, G) of G vectors per case (N, G, K)."""
        scores = self._scores(predictions, case_ids)
        given = np.asarray(plausibilities)
        if given.dtype.kind not in "biuf" or given.ndim not in (2, 3) or (given.shape[0], given.shape[-1]) != scores.shape:
            n, k = scores.shape
            raise error("plausibilities", f"be numbers of shape ({n}, {k}) or ({n}, G, {k})", f"{given.dtype} of shape {given.shape}")
        bad = ~((given >= 0).all(axis=-1) & (np.abs(given.sum(axis=-1) - 1) <= 1e-6))
        if bad.any():
            at = tuple(int(i) for i in np.argwhere(bad)[0])
            raise error("plausibilities", "be at least 0 and add up to 1", given[at][:8], f"case {at[0]}")
        table = given.astype(np.float64).reshape(len(given), -1, scores.shape[1])
        return self._levels().p_values(expected(table, scores), 0).reshape(given.shape[:-1])

    def contains(self, predictions: object, plausibilities: object, *, alpha: float | None = None, case_ids: object = None) -> Bools:
        """Return whether plausibilities, as for :meth:`p_values`, are in the region of their case."""
        rate = check_alpha(self.alpha if alpha is None else alpha)
        return np.asarray(self.p_values(predictions, plausibilities, case_ids=case_ids) > rate * (1 + 1e-12))

    def half_spaces(self, predictions: object, *, alpha: float | None = None, case_ids: object = None) -> tuple[Array, float]:
        """Return ``(s, t)``: the region of case i is {λ in the simplex: Σ_k λ_k s_ik <= t}; t = inf if there are too few cases."""
        rate = check_alpha(self.alpha if alpha is None else alpha)
        return self._scores(predictions, case_ids), float(self._levels().thresholds(rate)[0])

    def grid(self, predictions: Any, *, n_steps: int = 20, alpha: float | None = None, case_ids: object = None) -> tuple[Array, Bools]:
        """Return the regions on a grid of plausibility vectors, for at most 4 classes.

        Parameters
        ----------
        predictions : (N, K) array
            Probabilities of new cases.
        n_steps : int
            Resolution of the grid: plausibilities are multiples of 1 / n_steps.
        alpha, case_ids
            As for :meth:`contains`.

        Returns
        -------
        grid : (G, K) array
            All plausibility vectors of the grid.
        inside : (N, G) array of bool
            Whether each vector is in the region of the case.
        """
        self._check_fitted()
        steps = whole("n_steps", n_steps, 1, 1000)
        if self.n_classes_ > MOST_CLASSES:
            raise error("predictions", f"have at most {MOST_CLASSES} classes for a grid (half_spaces has no such limit)", self.n_classes_)
        room("a grid of the simplex", comb(steps + self.n_classes_ - 1, self.n_classes_ - 1) * (80 + len(predictions)))
        scores, threshold = self.half_spaces(predictions, alpha=alpha, case_ids=case_ids)
        grid = simplex_grid(self.n_classes_, steps)
        return grid, np.array([expected(grid[None], row[None])[0] <= threshold for row in scores])

    def _scores(self, predictions: object, case_ids: object) -> Array:
        self._check_fitted()
        return ScoreRule(**self.rule_).table(Cases.of(predictions, case_ids, self.n_classes_, self.classes_), PREDICTED)

    def _levels(self) -> Levels:
        return Levels(np.array([0, len(self.level_score_)], np.int64), self.level_score_, self.level_p_, self.base_p_)


def expected(plausibilities: Array, scores: Array) -> Array:
    """Return (N, G) expected scores of plausibilities (N, G, K)."""
    return np.asarray((plausibilities * scores[:, None]).sum(axis=-1))


def simplex_grid(k: int, steps: int) -> Array:
    """Return (G, k) all vectors of multiples of 1/steps that add up to 1, from the positions of k - 1 bars among ``steps`` stars."""
    bars = np.array(list(combinations(range(steps + k - 1), k - 1)), np.int64).reshape(-1, k - 1)
    edges = np.concatenate([np.full((len(bars), 1), -1), bars, np.full((len(bars), 1), steps + k - 1)], axis=1)
    return np.asarray((np.diff(edges, axis=1) - 1) / steps)
