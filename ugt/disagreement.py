"""Losses of predicted disagreement between annotators, and of other statistics of several labels of a case [B sec. 4]."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import numpy as np

from . import _checks, _notices, resampling
from ._axes import Frozen
from ._disagreement import N_PARTS, losses_of, parts_of, statistics_of
from ._histogram.sums import CASES, SINGLE_BINS, Bins, Loss

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Array = NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class DisagreementLosses:
    """Losses of predicted disagreement, or of another statistic of several labels.

    Attributes
    ----------
    l_phi : float
        Expected squared loss of the statistic, unbiased [B eq. 39].
    cl : Loss
        Its calibration loss [B eq. 41-44]: ``plugin``, ``bias``, ``debiased``.
    l_per_class, cl_per_class
        (K,) array and Loss of (K,) arrays, where predictions are by class; None else.
    n_cases : int
        Cases with enough labels.
    left_out : mapping
        Cases left out, by reason.
    observed : (N,) array
        The unbiased estimate of the statistic's expectation; NaN for cases left out.
    bin_edges, bin_counts : (M, B + 1) and (M, B) arrays
        Of the M statistics: the overall one, then those of the classes.
    cl_per_bin : Loss
        Of (M, B) arrays.

    Examples
    --------
    >>> import ugt
    >>> counts, probs = [[3, 2], [5, 0], [1, 4]], [[0.6, 0.4], [0.9, 0.1], [0.3, 0.7]]
    >>> found = ugt.disagreement_losses(counts, ugt.predicted_disagreement(probs))
    >>> round(found.l_phi, 4), found.l_per_class.round(4)
    (0.1757, array([0.1757, 0.1757]))
    """

    l_phi: float
    cl: Loss
    l_per_class: Array | None
    cl_per_class: Loss | None
    n_cases: int
    left_out: Mapping[str, int]
    observed: Array
    bin_edges: Array
    bin_counts: NDArray[np.int64]
    cl_per_bin: Loss
    _columns: _Columns = field(repr=False)

    @property
    def ce(self) -> float:
        """Calibration error √CL, debiased; NaN for a negative loss."""
        return float(self.cl.root().debiased)

    @property
    def l_mean(self) -> float:
        """Mean over classes of their losses; NaN without predictions by class."""
        return float("nan") if self.l_per_class is None else float(self.l_per_class.mean())

    @property
    def ce_mean(self) -> float:
        """Mean over classes of √CL, debiased; NaN as soon as one class has a negative loss."""
        return float("nan") if self.cl_per_class is None else float(np.mean(self.cl_per_class.root().debiased))

    def resamples(
        self,
        *,
        estimate: str = "debiased",
        clusters: Any = None,
        strata: Any = None,
        n_resamples: int = 1000,
        seed: resampling.Seed = 0,
    ) -> resampling.Resamples:
        """Bootstrap over cases or clusters: l_phi and cl, then the loss and CL of the first class, of the next, and so on.

        Cases without enough labels are not there at all. The resamples of CL are shifted so that their mean is the estimate: cases that are
        in a bin together with copies of themselves raise it.
        """
        _checks.option("estimate", estimate, ("debiased", "plugin"))
        columns, kept = self._columns, ~np.isnan(self.observed)
        if not kept.any():
            raise _checks.error("losses", "have cases with enough labels to be resampled", "none")
        ids = {"clusters": _of_kept("clusters", clusters, kept), "strata": _of_kept("strata", strata, kept)}
        found = resampling.bootstrap_rows(
            lambda weights: columns.numbers(estimate, weights), int(kept.sum()), **ids, n_resamples=n_resamples, seed=seed
        )
        shift = np.where(np.arange(len(found)) % 2 == 1, found.estimate - found.values.mean(axis=0), 0.0)
        return resampling.Resamples(found.estimate, found.values + shift, None, found.sources, found._influence)

    def interval(
        self,
        loss: str,
        level: float = 0.95,
        *,
        k: int | None = None,
        kind: str = "percentile",
        estimate: str = "debiased",
        clusters: Any = None,
        strata: Any = None,
        n_resamples: int = 1000,
        seed: resampling.Seed = 0,
    ) -> tuple[float, float]:
        """Bootstrap interval over cases or clusters of ``"l_phi"``, ``"cl"`` or ``"ce"`` (roots of the ends of CL, 0 for one below 0).

        Parameters
        ----------
        loss : {"l_phi", "cl", "ce"}
            Which.
        level, kind, estimate, clusters, strata, n_resamples, seed
            As for :meth:`HistogramLosses.interval`.
        k : int, optional
            Number of a class, for its own loss.

        Returns
        -------
        (low, high)
        """
        at = int(_checks.option("loss", loss, ("l_phi", "cl", "ce")) != "l_phi")
        resampling.check_level(level)
        if k is not None:
            at += 2 + 2 * _checks.whole("k", k, 0, len(self.bin_edges) - 2)
        if self.n_cases == 0:
            return float("nan"), float("nan")
        found = self.resamples(estimate=estimate, clusters=clusters, strata=strata, n_resamples=n_resamples, seed=seed)
        ends = found.take(at).interval(level, kind)[0]
        low, high = np.sqrt(np.maximum(ends, 0)) if loss == "ce" else ends
        return float(low), float(high)


def _of_kept(argument: str, ids: Any, kept: NDArray[np.bool_]) -> Any:
    if ids is None:
        return None
    array = np.asarray(ids)
    if array.shape != kept.shape:
        raise _checks.error(argument, f"be {len(kept)} ids, one a case", f"shape {array.shape}")
    return array[kept]


@dataclass(frozen=True, eq=False)
class _Columns(Frozen):
    """Observed and predicted values (M, n) of M statistics of the cases that count, each in the order (M, n) of the bins of its
    predictions, which hold ``size`` (M, B) cases.
    """

    observed: Array
    predicted: Array
    order: NDArray[np.int32]
    edges: Array
    size: NDArray[np.int64]
    single_bins: str

    @classmethod
    def of(cls, observed: Array, predicted: Array, binning: Any, n_bins: int, single_bins: str) -> _Columns:
        usable = [column if len(column) else np.array([0.0, 1.0]) for column in predicted]
        bins = Bins.of(binning, n_bins, len(predicted)) or Bins.of_mass(usable, n_bins)
        order, size = np.empty(predicted.shape, np.int32), np.empty((len(predicted), bins.n_bins), np.int64)
        for j, (edges, column) in enumerate(zip(bins.edges, predicted)):
            at = np.searchsorted(edges[1:-1], column, "right")
            order[j], size[j] = np.argsort(at, kind="stable"), np.bincount(at, minlength=bins.n_bins)
        observed, predicted = (np.take_along_axis(table, order, axis=1) for table in (observed, predicted))
        return cls(observed, predicted, order, bins.edges, size, single_bins)

    def sums(self, weights: Array) -> Array:
        """(W, M, B, 5) of cases that count ``weights`` (W, n) times."""
        sums = np.zeros((len(weights), *self.size.shape, N_PARTS))
        for j, (mu, predicted, order, size) in enumerate(zip(self.observed, self.predicted, self.order, self.size)):
            starts, filled = (np.cumsum(size) - size)[size > 0], np.flatnonzero(size)
            w = weights[:, order]
            for column, part in enumerate(parts_of(mu, predicted) if len(starts) else ()):
                sums[:, j, filled, column] = np.add.reduceat(w * part, starts, axis=1)
        return sums

    def numbers(self, estimate: str, weights: Array) -> Array:
        """(W, 2 M): loss and CL of each statistic."""
        loss, by_bin = losses_of(self.sums(weights), self.single_bins)
        cl = np.stack([getattr(one.sum(-1), estimate) for one in by_bin])
        return np.stack([loss, cl], axis=2).reshape(len(weights), -1)


def disagreement_losses(
    counts: Any,
    predicted: Any,
    *,
    statistic: Array | None = None,
    n_bins: int = 15,
    binning: Any = "width",
    single_bins: str = "zero",
) -> DisagreementLosses:
    """Losses of the predicted probability that two labels of a case differ, overall and class by class.

    With μ the unbiased estimate of the probability for each of N cases with at least two labels,
    ``1 - Σ y_k (y_k - 1) / (n (n - 1))`` overall and ``2 y_k (n - y_k) / (n (n - 1))`` by class, and φ the prediction::

        L  = 1/N Σ (μ - 2 μ φ + φ²)                                                   eq. 39
        CL = Σ_bins |I|/N (mean μ - mean φ)², bias |I|/N var(μ) / (|I| - 1)            eq. 41-44

    Parameters
    ----------
    counts : (N, K) array or Labels
        Labels of each case by class, whole numbers.
    predicted : PredictedDisagreement or (N,) array
        By :func:`predicted_disagreement`; or the overall probability alone, from 0 to 1.
    statistic : (N,) array, optional
        Instead of disagreement: μ of another statistic that is 0 or 1 for each set of labels, by :func:`symmetric_statistic`;
        NaN where a case has too few labels. ``predicted`` is then an array.
    n_bins, binning, single_bins
        As for :func:`histogram_losses`, bins of the prediction.

    Returns
    -------
    DisagreementLosses

    Raises
    ------
    ValueError
        If shapes do not fit, counts are no counts, a prediction lies outside of [0, 1], or an option is unknown.

    References
    ----------
    [B] Mimori et al. (2021), sec. 4 and app. C.

    Examples
    --------
    >>> import ugt
    >>> found = ugt.disagreement_losses([[3, 2], [5, 0], [1, 4], [1, 0]], [0.5, 0.1, 0.4, 0.1])
    >>> round(found.l_phi, 3), found.observed, found.left_out
    (0.167, array([0.6, 0. , 0.4, nan]), {'case with fewer than two labels': 1})
    """
    _checks.option("single_bins", single_bins, SINGLE_BINS)
    observed, columns, too_few = statistics_of(counts, predicted, statistic)
    kept = ~np.isnan(observed[0])
    if not kept.any():
        _notices.warn("undefined: no case has enough labels", stacklevel=2)
    found = _Columns.of(observed[:, kept], columns[:, kept], binning, n_bins, single_bins)
    sums = found.sums(np.ones((1, int(kept.sum()))))
    (loss,), (per_bin,) = losses_of(sums, single_bins)
    cl = per_bin.sum(-1)
    by_class = Loss(cl.plugin[1:], cl.bias[1:], cl.debiased[1:]) if len(columns) > 1 else None
    missing = int((~kept).sum())
    return DisagreementLosses(
        float(loss[0]), Loss(*(float(x[0]) for x in (cl.plugin, cl.bias, cl.debiased))), loss[1:] if by_class else None, by_class,
        int(kept.sum()), {too_few: missing} if missing else {}, observed[0],
        found.edges, sums[0, ..., CASES].astype(np.int64), per_bin, found,
    )  # fmt: skip
