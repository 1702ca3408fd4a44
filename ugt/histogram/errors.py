"""Calibration errors of any power p: the mean over cases of how far predictions are from the shares of labels of their bin [B def. 2]."""

from __future__ import annotations

from dataclasses import dataclass, field
from math import gamma, inf, pi, sqrt
from typing import Any

import numpy as np

from .._base import checks
from .._base.arrays import Array, Bools, NDArray
from ..resampling import Result, Statistic
from .sums import CASES, PROB, SHARE, BinLosses, divided, noise, several

MOST = 100.0  # powers of differences of more than that are 0 for doubles


class BinErrors(Statistic):
    """CE of all columns of losses in bins, its mean over classes, then that of each class; of a single column that."""

    span = (0.0, inf)
    smooth = False  # |c - z| has an edge
    nothing = "be ('cases',) for calibration errors: what other annotators would change of their bias is not known"

    def __init__(self, whole: BinLosses, p: float) -> None:
        self.whole, self.p, self.n_cases, self.case_ids = whole, p, whole.n_cases, whole.case_ids
        self.names = ("ce", "mean", *(f"ce{suffix}" for suffix in whole.suffixes[1:]))

    @property
    def kept(self) -> Bools:
        return self.whole.kept

    @property
    def recentred(self) -> Bools:
        return np.ones(len(self.names), bool)

    def annotations_by_name(self) -> Any:
        raise checks.error("random", self.nothing, "annotators")

    def sums(self, cases: Array | None = None) -> Array:
        return self.whole.sums(cases)

    def answer(self, sums: Array) -> Array:
        cells = self._cells(sums)
        size = cells[..., CASES]
        return self._numbers(cells, np.abs(divided(cells[..., SHARE] - cells[..., PROB], size)) ** self.p)

    def chance(self) -> Array:
        """(M,) the numbers if each bin were calibrated and c - z normal: E|c - z|^p = (2 v)^(p/2) Γ((p + 1) / 2) / √π."""
        cells = self._cells(self.sums())
        with np.errstate(invalid="ignore", divide="ignore"):
            variance = np.maximum(noise(cells, cells[..., CASES]), 0.0)
        moment = gamma((self.p + 1) / 2) / sqrt(pi) * (2 * variance) ** (self.p / 2)
        return np.asarray(self._numbers(cells, np.where(several(cells), moment, 0.0))[0])

    def _cells(self, sums: Array) -> Array:
        return np.asarray(self.whole.split(sums)[0].sum(axis=1))

    def _numbers(self, cells: Array, powers: Array) -> Array:
        """(W, M) from |c - z|^p (W, C, B) of bins."""
        size = cells[..., CASES]
        mean = divided(np.where(size > 0, size * powers, 0.0).sum(axis=-1), size.sum(axis=-1))
        together, single = (part ** (1 / self.p) for part in self.whole.together(mean))
        over = single.mean(axis=1, keepdims=True) if single.shape[1] else together
        return np.asarray(np.concatenate([together, over, single], axis=1))


@dataclass(frozen=True, eq=False, repr=False)
class CalibrationError(Result):
    """Calibration error of a power p: ``CE_k = (Σ_bins |I|/N |mean m - mean z|^p)^(1/p)`` of class k [B def. 2].

    By weight, where cases have weights. It is a plug-in value: chance among the cases of the bins makes it too large, above 0 for the best
    of models. Only for p = 2 there is a debiased one, the root of ``cl`` (``ce``). Read it beside ``chance``, and compare models on the
    same cases and bins. Its intervals are those of the plug-in value; of a model that is calibrated they leave out 0.

    Attributes
    ----------
    value : float
        Over all classes, ``(Σ_k CE_k^p)^(1/p)``: for p = 2 the root of the plug-in ``cl``. Of disagreement that of the overall one.
    p : float
        The power; 1: the expected calibration error ECE.
    mean : float
        Mean over classes, ``1/K Σ_k CE_k``; with two classes the ECE of either, where bins are symmetric.
    per_class : (K,) array
        CE_k; empty for predictions that are not by class.
    chance : float
        What ``value`` would be on average, its p-th power that is, if the model were calibrated in every bin, by the normal law; without
        bins with one case, of which nothing is known.

    Notes
    -----
    Programs differ: "top-label" ECE looks at the predicted class only, this one at the probabilities of every class.

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

    @classmethod
    def of(cls, whole: BinLosses, p: Any) -> CalibrationError:
        power = checks.finite("p", p)
        if not 1 <= power <= MOST:
            raise checks.error("p", f"be from 1 to {MOST:g}", p)
        one = BinErrors(whole, power)
        value, mean, *single = one.estimate.tolist()
        return cls(value, power, mean, np.array(single), float(one.chance()[0]), one)

    def interval(self, level: float = 0.95, *, of: str | None = None, **options: Any) -> tuple[float, float]:
        """Interval over cases or clusters, as of all metrics (:meth:`Estimate.interval`), at 0 where it would go below.

        Resamples are moved so that their mean is the estimate, as those of CL are.
        """
        low, high = super().interval(level, of=of, **options)
        return float(np.maximum(low, 0.0)), float(np.maximum(high, 0.0))
