"""The calibration and the refinement part of the log loss, in groups of cases with similar predictions [B theorems 1, 2]."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import numpy as np

from .._base import checks
from .._base.arrays import Array, Bools
from .._base.lazy import cached_property
from ..resampling import NumberFacts, Result, Statistic, by_case, over
from ..resampling.case_weights import sampled
from .bins import MAX_BINS
from .input import Histograms
from .sums import CASES, PROB, SHARE, Loss, Rows, noise, several, split

PARTS = ("calibration", "refinement")


class LogPart(Statistic):
    """The statistic of one part of the log loss, debiased or not; cells of rows are (K, groups that occur)."""

    def __init__(self, rows: Rows, n_groups: int, name: str, debiased: bool, times: Array | None) -> None:
        self.rows, self.n_groups, self.n_cases, self.debiased, self.times = rows, n_groups, len(rows.cell), debiased, times
        self.names = (name,)

    @classmethod
    def of(cls, rows: Rows, n_bins: object, name: str, debiased: bool, times: Array | None) -> LogPart:
        """Group the cases by their most probable class (the first of several) and the bin of its probability."""
        n, k = rows.prob.shape
        edges, kept = np.linspace(0, 1, checks.whole("n_bins", n_bins, 1, MAX_BINS) + 1)[1:-1], rows.cell[:, 0] >= 0
        likeliest = rows.prob.argmax(axis=1)
        place = likeliest * (len(edges) + 1) + np.searchsorted(edges, rows.prob[np.arange(n), likeliest], side="right")
        found, group = np.unique(place[kept], return_inverse=True)
        n_groups = max(1, len(found))
        checks.room("groups of predictions", 80 * k * n_groups)
        cell = np.full((n, k), -1, np.int32)
        cell[kept] = group.reshape(-1, 1) + n_groups * np.arange(k, dtype=np.int64)
        return cls(Rows(rows.share, rows.prob, cell, None, rows.weight), n_groups, name, debiased, times)

    @property
    def kept(self) -> Bools:
        there = self.standing(self.rows.cell[:, 0] >= 0)
        return there if self.rows.weight is None else there & (self.rows.weight > 0)

    @property
    def facts(self) -> NumberFacts:
        return super().facts._replace(recentred=np.ones(1, bool))

    def sums(self, cases: Array | None = None) -> Array:
        if cases is None:
            cases = np.ones((1, self.n_cases)) if self.times is None else self.times[None]
        return self.rows.sums(self.rows.prob.shape[1] * self.n_groups, by_case(cases))

    def answer(self, sums: Array) -> Array:
        plugin, bias = self.parts(sums)[self.names[0]]
        return np.asarray(plugin - bias if self.debiased else plugin)[:, None]

    def parts(self, sums: Array) -> dict[str, tuple[Array, Array]]:
        """Return plug-in value and bias (W,) of each part: Σ over groups |I|/N Σ_k c log(c / z), or -c log c."""
        shape = (1, self.rows.prob.shape[1], self.n_groups)
        cells = split(sums, shape, self.rows.weight is not None)[0][:, 0]
        size = cells[..., CASES]
        c, z = over(cells[..., SHARE], size), over(cells[..., PROB], size)
        with np.errstate(divide="ignore", invalid="ignore"):
            entropy = np.where(c > 0, -c * np.log(c), 0.0)
            calibration = (np.where(c > 0, -c * np.log(np.maximum(z, 0.0)), 0.0) - entropy).sum(axis=1)
            curved = np.where(c > 0, noise(cells, size) / (2 * c), 0.0).sum(axis=1)
        bias = np.where(several(cells)[:, 0], curved, calibration)
        share = over(size[:, 0], size[:, 0].sum(axis=-1, keepdims=True))
        plugin, biases, rest = ((share * np.where(share > 0, x, 0.0)).sum(axis=-1) for x in (calibration, bias, entropy.sum(axis=1)))
        return {"calibration": (plugin, biases), "refinement": (rest, -biases)}


@dataclass(frozen=True, eq=False, repr=False)
class LogLossPart(Result):
    """The calibration or the refinement part of the log loss.

    A group holds the cases whose predictions have the same most probable class, with its probability in the same bin. Let c be the mean
    shares and z the mean predictions of a group. The calibration part is ``Σ_groups |I|/N Σ_k c_k log(c_k / z_k)``, the divergence of
    predictions from label shares. The refinement part is ``-Σ_groups |I|/N Σ_k c_k log c_k``, the entropy of label shares. Weights of
    cases enter all means and ``|I|``.

    Attributes
    ----------
    value : float
        The part in nats, debiased by default; infinite if a group has labels of a class that always had probability 0.
    loss : Loss
        ``plugin``; its ``bias`` ``Σ |I|/N Σ_k var(c_k) / (2 c_k)``, to the first order in the cases of a group (for single labels Miller &
        Madow's), or the whole calibration part of a group with a single case; and ``debiased``.
    n_groups : int
        Groups with cases, at least 1.

    Notes
    -----
    The log loss is calibration + refinement + a remainder due to predictions that differ within groups. If a class has only one or two
    labels in a group, the first order does not capture the bias. Intervals shift resamples to the estimate, as for CL.

    Examples
    --------
    >>> import ugt
    >>> counts, probs = [[3, 1], [4, 0], [2, 2], [1, 3]] * 5, [[0.9, 0.1], [0.9, 0.1], [0.9, 0.1], [0.3, 0.7]] * 5
    >>> found = ugt.calibration.histogram_log_loss(counts, probs)
    >>> round(found.calibration.plugin, 3), round(found.refinement.plugin, 3), round(found.value, 3)
    (0.071, 0.562, 0.633)
    """

    value: float
    loss: Loss
    n_groups: int
    _statistic: LogPart = field(repr=False)
    _ids: Any = field(default=None, repr=False)

    @cached_property
    def statistic(self) -> Statistic:
        return sampled(self._statistic)

    @classmethod
    def of(cls, rows: Rows, n_bins: object, name: str, debiased: bool, data: Histograms) -> LogLossPart:
        one = LogPart.of(rows, n_bins, name, debiased, data.times)
        one.case_weights = data.weights if data.sampled else None
        plugin, bias = (float(x[0]) for x in one.parts(one.sums())[name])
        return cls(float(one.estimate[0]), Loss.of(plugin, bias), one.n_groups, one, data.case_ids)
