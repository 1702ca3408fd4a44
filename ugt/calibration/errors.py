"""Calibration errors of any power p, from the distances of predictions and label shares in bins [B def. 2]."""

from __future__ import annotations

from dataclasses import dataclass, field
from math import gamma, inf, pi, sqrt
from typing import Any

import numpy as np

from .._base import checks
from .._base.arrays import Array, Bools, NDArray
from .._base.lazy import cached_property
from ..resampling import NumberFacts, Panel, Result, Statistic, over
from ..resampling.case_weights import sampled
from .sums import CASES, PROB, SHARE, BinLosses, noise, several

MOST = 100.0  # largest power; with larger ones, powers of differences underflow to 0


class BinErrors(Statistic):
    """The calibration error over all classes, its mean over classes, then that of each class; or that of a single column."""

    span = (0.0, inf)
    nothing = "be ('cases',) for calibration errors, whose bias for other annotators is unknown"

    def __init__(self, whole: BinLosses, p: float) -> None:
        self.whole, self.p, self.n_cases, self.case_ids = whole, p, whole.n_cases, whole.case_ids
        self.times, self.case_weights = whole.times, whole.case_weights
        self.names = ("ce", "mean", *(f"ce{suffix}" for suffix in whole.suffixes[1:]))

    @property
    def kept(self) -> Bools:
        return self.whole.kept

    @property
    def facts(self) -> NumberFacts:
        """Facts of numbers that are not smooth, because |c - z| is not differentiable at 0."""
        return super().facts._replace(smooth=False, recentred=np.ones(len(self.names), bool))

    @property
    def panel(self) -> Panel:
        return Panel(self._refuse)

    def _refuse(self) -> Any:
        raise checks.error("random", self.nothing, "annotators")

    def sums(self, cases: Array | None = None) -> Array:
        return self.whole.sums(cases)

    def answer(self, sums: Array) -> Array:
        cells = self._cells(sums)
        size = cells[..., CASES]
        return self._numbers(cells, np.abs(over(cells[..., SHARE] - cells[..., PROB], size)) ** self.p)

    def chance(self) -> Array:
        """Return the (M,) numbers for calibrated bins with normal c - z: E|c - z|^p = (2 v)^(p/2) Γ((p + 1) / 2) / √π."""
        cells = self._cells(self.sums())
        with np.errstate(invalid="ignore", divide="ignore"):
            variance = np.maximum(noise(cells, cells[..., CASES]), 0.0)
        moment = gamma((self.p + 1) / 2) / sqrt(pi) * (2 * variance) ** (self.p / 2)
        return np.asarray(self._numbers(cells, np.where(several(cells), moment, 0.0))[0])

    def _cells(self, sums: Array) -> Array:
        return np.asarray(self.whole.split(sums)[0].sum(axis=1))

    def _numbers(self, cells: Array, powers: Array) -> Array:
        """Return (W, M) numbers from |c - z|^p (W, C, B) of bins."""
        size = cells[..., CASES]
        mean = over(np.where(size > 0, size * powers, 0.0).sum(axis=-1), size.sum(axis=-1))
        together, single = (part ** (1 / self.p) for part in self.whole.together(mean))
        everywhere = single.mean(axis=1, keepdims=True) if single.shape[1] else together
        return np.asarray(np.concatenate([together, everywhere, single], axis=1))


@dataclass(frozen=True, eq=False, repr=False)
class CalibrationError(Result):
    """The calibration error of a power p: ``CE_k = (Σ_bins |I|/N |mean m - mean z|^p)^(1/p)`` for class k [B def. 2].

    Weights of cases enter all means and ``|I|``. It is a plug-in value: chance among the cases of a bin makes it too large, so that it is
    above 0 even for a calibrated model. Only p = 2 has a debiased value, the root of ``cl`` (``ce``). Read it with ``chance``, and compare
    models on the same cases and bins. Intervals are those of the plug-in value; for a calibrated model they do not include 0.

    Attributes
    ----------
    value : float
        Value over all classes, ``(Σ_k CE_k^p)^(1/p)``; for p = 2 the root of the plug-in ``cl``. For disagreement, the overall value.
    p : float
        The power; p = 1 gives the expected calibration error ECE.
    mean : float
        Mean over classes, ``1/K Σ_k CE_k``; with two classes and symmetric bins, the ECE of either class.
    per_class : (K,) array
        CE_k; empty for predictions that are not by class.
    chance : float
        Expected value (of its p-th power) for a model that is calibrated in every bin, under normal differences; without bins of one case,
        for which it cannot be computed.

    Notes
    -----
    Other programs may differ: "top-label" ECE uses the predicted class only, this error the probabilities of every class.

    Examples
    --------
    >>> import ugt
    >>> counts = [[3, 1], [2, 2], [0, 4], [1, 3], [4, 0], [1, 3]]
    >>> found = ugt.histogram_losses(counts, [[0.9, 0.1], [0.8, 0.2], [0.2, 0.8], [0.3, 0.7], [0.6, 0.4], [0.1, 0.9]], n_bins=2)
    >>> one = found.calibration_error(1)
    >>> round(one.value, 3), round(one.mean, 3), round(found.ece, 3), one.per_class.round(3), round(one.chance, 2)
    (0.05, 0.025, 0.025, array([0.025, 0.025]), 0.18)
    """

    value: float
    p: float
    mean: float
    per_class: Array
    chance: float
    _statistic: BinErrors = field(repr=False)
    _ids: NDArray[Any] | None = field(default=None, repr=False)

    @cached_property
    def statistic(self) -> Statistic:
        return sampled(self._statistic)

    @classmethod
    def of(cls, whole: BinLosses, p: object) -> CalibrationError:
        power = checks.finite("p", p)
        if not 1 <= power <= MOST:
            raise checks.error("p", f"be from 1 to {MOST:g}", p)
        one = BinErrors(whole, power)
        value, mean, *single = one.estimate.tolist()
        return cls(value, power, mean, np.array(single), float(one.chance()[0]), one)

    def interval(self, level: float = 0.95, *, of: str | None = None, **options: Any) -> tuple[float, float]:
        """Return the interval over cases or clusters, as for all metrics (:meth:`Estimate.interval`), cut at 0.

        Resamples are shifted so that their mean is the estimate, as for CL.
        """
        low, high = super().interval(level, of=of, **options)
        return float(np.maximum(low, 0.0)), float(np.maximum(high, 0.0))
