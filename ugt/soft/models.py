"""Comparison of hard and soft metrics over several models: their correlation, and the ranks of the models [D fig. 1, table 4]."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from .._base import checks, notices
from .._base.arrays import Array, Bools, NDArray
from .._base.lazy import cached_property
from .._base.wording import within, words_of
from ..annotations.joins import tells_joins
from ..resampling import Panel, Results, Statistic
from ..resampling.case_weights import sampled
from ..resampling.parts import ROWS
from .input import check_threshold, read
from .ranking import ALL, BOTH, WORDS, SoftRanking

METRICS = tuple(name for name, *_ in WORDS)
UNDEFINED = "metric without different values of the models"
TIED = 1e-12  # smaller differences of values are rounding error


class HardSoft(Statistic):
    """The R² over models between hard and soft AUROC, and between hard and soft average precision, on the same resamples."""

    names = tuple(f"r_squared_{metric}" for metric in METRICS)
    span = (0.0, 1.0)

    def __init__(self, models: tuple[SoftRanking, ...]) -> None:
        self.models, self.n_cases = models, models[0].n_cases
        self.times, self.case_weights = models[0].times, models[0].case_weights

    @property
    def kept(self) -> Bools:
        """(N,) cases that count, which are the same for all models because the truth is the same."""
        return self.models[0].kept

    def sums(self, cases: Array | None = None) -> Array:
        """Return (B, S) sums of one model after another."""
        return np.concatenate([model.sums(cases) for model in self.models], axis=1)

    def answer(self, sums: Array) -> Array:
        """Return (B, 2) squared Pearson correlations over the models."""
        parts = np.split(sums, len(self.models), axis=1)
        soft, hard = _centred(np.stack([model.answer(part) for model, part in zip(self.models, parts)], axis=-1))
        both, alone = (soft * hard).sum(-1), (soft**2).sum(-1) * (hard**2).sum(-1)
        return np.asarray(np.divide(both**2, alone, out=np.full(both.shape, np.nan), where=alone > 0))

    @property
    def panel(self) -> Panel:
        return Panel(self._refuse)

    def _refuse(self) -> Any:
        """Refuse random annotators, which are available for single metrics only."""
        raise checks.error("random", "be ('cases',) for R² over models", "annotators, too")


@dataclass(frozen=True, eq=False, repr=False)
class HardAgainstSoft(Results):
    """The hard and soft metrics of several models, as :func:`hard_against_soft` returns them.

    ``intervals()`` has one row per metric: intervals of ``r_squared`` of these models over other cases with the same annotators.
    ``"auto"`` combines the percentile and the basic interval, from the lower to the higher of their ends. This is needed because R² of
    noisy values, and of their resamples, is too low, or too high if models hardly differ. In simulations 95% intervals hold the R² of
    infinitely many cases in 97 to 100%, but in 80% if all models lie within 0.03 and 200 cases cannot distinguish them.

    Attributes
    ----------
    models, metrics : tuples of str
        Names of the M models; ``auroc`` and ``average_precision``.
    hard, soft : (2, M) arrays
        The metrics against labels p > threshold, and against p.
    r_squared : (2,) array
        Squared Pearson correlation of hard and soft values over the models, in [0, 1]; NaN if all models have the same value.
    hard_ranks, soft_ranks : (2, M) arrays
        Ranks of the models: 1 is the highest value, equal values share the lowest rank number; NaN if the metric is undefined.
    n_cases, left_out : int, mapping
        Cases counted; cases left out and undefined metrics, by reason.

    Examples
    --------
    >>> import ugt
    >>> models = {"A": [0.1, 0.6, 0.8, 0.3], "B": [0.3, 0.2, 0.4, 0.1], "C": [0.2, 0.7, 0.1, 0.3]}
    >>> ugt.soft.hard_against_soft([0.2, 0.6, 0.8, 0.4], models).soft_ranks[0]
    array([1., 2., 3.])
    """

    models: tuple[str, ...]
    metrics: tuple[str, ...]
    hard: Array
    soft: Array
    r_squared: Array
    hard_ranks: Array
    soft_ranks: Array
    n_cases: int
    left_out: Mapping[str, int]
    _statistic: HardSoft = field(repr=False)
    _ids: NDArray[Any] | None = field(repr=False)

    @cached_property
    def statistic(self) -> Statistic:
        return sampled(self._statistic)

    def intervals(self, level: float = 0.95, *, kind: str = "auto", random: str | tuple[str, ...] = "auto", **given: Any) -> Array:
        """Return (2, 2) intervals of ``r_squared``; the arguments are those of ``Result.interval``, without random annotators."""
        if kind != "auto" or random not in ("auto", ("cases",)):
            return super().intervals(level, kind=kind, random=random, **given)
        drawn = self.resamples(**given)
        ends = np.stack([drawn.interval(level, one) for one in ("percentile", "basic")], axis=-1)
        return np.asarray(np.clip(np.stack([ends[:, 0].min(axis=-1), ends[:, 1].max(axis=-1)], axis=1), 0.0, 1.0))


@tells_joins
def hard_against_soft(
    p: object, predictions: Mapping[str, Any], *, threshold: float = 0.5, average: str = "macro", frequency: object = None,
    case_weights: object = None,
) -> HardAgainstSoft:  # fmt: skip
    """Compare models by hard and by soft AUROC and average precision: R² over the models, and ranks with ties.

    For hard values h_m and soft values s_m of M models, ``R² = (Σ (h_m - h̄)(s_m - s̄))² / (Σ (h_m - h̄)² Σ (s_m - s̄)²)`` [D fig. 1].

    Parameters
    ----------
    p, threshold, average, frequency, case_weights
        As for :func:`soft_auroc`; the errors are the same, too.
    predictions : mapping of name to scores
        Scores of at least three models, as for :func:`soft_auroc`.

    Returns
    -------
    HardAgainstSoft

    Raises
    ------
    TypeError
        If predictions are not a mapping.
    ValueError
        If there are fewer than three models (R² of two is 1), or as :func:`soft_auroc`.

    Notes
    -----
    R² describes these models and is not an estimate for others. To compare two models, use ``soft_auroc(p, a).minus(soft_auroc(p, b))``.
    If models differ by less than the noise of these cases, R² is mostly noise, which hard and soft metric share.

    References
    ----------
    [D] Lionetti et al., figure 1 and table 4.

    Examples
    --------
    >>> import ugt
    >>> models = {"A": [0.9, 0.6, 0.8, 0.3], "B": [0.3, 0.2, 0.4, 0.1], "C": [0.2, 0.7, 0.1, 0.3]}
    >>> found = ugt.soft.hard_against_soft([0.9, 0.6, 0.8, 0.4], models)
    >>> found.r_squared.round(3), found.hard_ranks[0]
    (array([0.996, 0.989]), array([1., 1., 3.]))
    """
    checks.instance("predictions", predictions, Mapping, "be a mapping from model names to scores")
    if len(predictions) < 3:
        raise checks.error("predictions", "hold at least three models", len(predictions))
    weighted = checks.option("average", average, ("macro", "weighted")) == "weighted"
    level, models = check_threshold(threshold), []
    for name, scores in predictions.items():
        try:
            given = read(p, scores, frequency=frequency, case_weights=case_weights)
        except ValueError as problem:
            if getattr(words_of(problem), "argument", None) in ROWS:  # which are of the truth, and of no model
                raise
            raise within(f"model {name!r}", problem) from None
        models.append(SoftRanking(given.columns(level), BOTH, ALL, weighted=weighted, labels=given.labels))
    one = HardSoft(tuple(models))
    soft, hard = _pairs(np.stack([model.estimate for model in models], axis=-1))
    left_out, undefined = given.left_out, int(np.isnan(one.estimate).sum())
    if undefined:
        left_out[UNDEFINED] = undefined
        notices.undefined(UNDEFINED, stacklevel=2)
    names = tuple(map(str, predictions))
    return HardAgainstSoft(
        names, METRICS, hard, soft, one.estimate, _ranks(hard), _ranks(soft), given.n_cases, left_out, one, given.case_ids
    )


def _pairs(values: Array) -> Array:
    """Return (2, ..., 2, M) soft and hard values of each metric from (..., 4, M)."""
    return np.stack([values[..., 0::2, :], values[..., 1::2, :]])


def _centred(values: Array) -> Array:
    """Return the pairs of values less their means over the models; 0 if they differ by rounding error only."""
    pairs = _pairs(values)
    return np.asarray(np.where(np.ptp(pairs, axis=-1, keepdims=True) > TIED, pairs - pairs.mean(axis=-1, keepdims=True), 0 * pairs))


def _ranks(values: Array) -> Array:
    above = (values[:, None, :] > values[:, :, None] + TIED).sum(axis=-1)
    return np.asarray(np.where(np.isnan(values), np.nan, 1.0 + above))
