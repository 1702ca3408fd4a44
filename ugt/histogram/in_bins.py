"""What the records of losses in bins have in common."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, Generic, TypeVar

import numpy as np

from .. import resampling
from .._base.arrays import Array, Int64
from ..resampling.result import ResultsOf
from . import reliability
from .errors import CalibrationError
from .reliability import ReliabilityCurve
from .sums import ROOTS, BinLosses, Losses, number

Sums = TypeVar("Sums", bound=BinLosses)


@dataclass(frozen=True, eq=False)
class LossesInBins(resampling.Result, Generic[Sums]):
    """What records of losses in bins have in common. Intervals of the roots of losses are the roots of their ends."""

    left_out: Mapping[str, int]
    _statistic: Sums = field(repr=False)
    _ece = 0  # number, of those of a calibration error

    @cached_property
    def _tables(self) -> tuple[Array, Array]:
        """Losses by column and bin (19, C, B), and by column (19, C)."""
        by_bin = self._statistic.tables(self._statistic.sums())[:, 0]
        return by_bin, np.add.reduce(by_bin, -1)

    @cached_property
    def per_bin(self) -> Losses:
        return Losses.of(self._tables[0])

    @property
    def n_cases(self) -> int:
        return self._statistic.n_counted

    @property
    def bin_edges(self) -> Array:
        return self._statistic.bins.edges

    @cached_property
    def bin_counts(self) -> Int64:
        return np.asarray(number(self._statistic.cells).sum(axis=0).astype(np.int64))

    def _curve(self, column: int, name: str, of: str, per_case: float, level: float, drawn: dict[str, Any]) -> ReliabilityCurve:
        """Of a column, with intervals by as many independent observations a case at most, or of what is drawn."""
        resampling.check_level(level)
        one = self._statistic
        cells = one.cells.sum(axis=0)[column]
        ends = reliability.score_interval(cells, per_case, level)
        if drawn["clusters"] is not None or drawn["strata"] is not None:
            ends = ResultsOf(reliability.LabelShares(one, column), self).resamples(**drawn).interval(level)
        return reliability.curve(self.bin_edges[column], cells, ends, name, of)

    def calibration_error(self, p: float = 1.0) -> CalibrationError:
        """Calibration error of any power p from 1 to 100, in the same bins: :class:`CalibrationError`, plug-in.

        Raises
        ------
        ValueError
            If p is another number.
        """
        return CalibrationError.of(self._statistic, p)

    @property
    def ece(self) -> float:
        """Expected calibration error (p = 1), plug-in: mean over classes, of disagreement overall; see :meth:`calibration_error`."""
        return float(self.calibration_error().statistic.estimate[self._ece])

    def interval(self, level: float = 0.95, *, of: str | None = None, **options: Any) -> tuple[float, float]:
        """Interval over cases, or over clusters of cases.

        Parameters
        ----------
        level : float
            In (0, 1).
        of : str, optional
            A loss by its name, debiased (``"cl"``) or not (``"cl plugin"``), of all classes or of one (``"cl[benign]"``); or a root
            (``"ce"``, ``"de"``), whose ends are the roots of those of the loss, 0 for an end below 0; or ``"ece"``. Default: the first
            one, ``value``. All of them: ``statistic.names``.
        kind, clusters, strata, n_resamples, seed
            As for the intervals of all metrics: see :meth:`Estimate.interval`. Bins stay as they are.

        Returns
        -------
        (low, high)
            NaN where the loss is undefined, or fewer than two units are there to be resampled.

        Notes
        -----
        In a resample cases share a bin with copies of themselves, which raises CL, and lowers DL, RL and ERL, by about the bias of its
        plug-in value once more. The resamples of these are therefore shifted so that their mean is the estimate. Where predictions are
        calibrated to within the noise of the bins, intervals of CL are too wide rather than too narrow: 95 % ones held a CL of 0.006 in
        98.6 % of simulations with 240 cases.
        """
        if of == "ece":
            return self.calibration_error().interval(level, of=("ce", "mean")[self._ece], **options)
        root = of[:2] if isinstance(of, str) else None
        if of is None or root not in ROOTS:
            return super().interval(level, of=of, **options)
        low, high = super().interval(level, of=ROOTS[root] + of[2:], **options)
        return float(np.sqrt(np.maximum(low, 0))), float(np.sqrt(np.maximum(high, 0)))
