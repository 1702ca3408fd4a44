"""Losses of predicted probabilities against label histograms, with what is due to few labels taken out [B].

A case has n labels, a histogram y of them, and shares m = y / n; the model says z. All losses are squared: L_sq of a new label,
EL (epistemic) of the label probabilities that m estimates, CL (calibration) and DL (dispersion) its parts, IL what is left to chance.
"""

from __future__ import annotations

import math
from typing import Any, Callable

from .._base import checks, notices
from ..plausibilities.estimates import means
from ..resampling import Part
from .disagreement import DisagreementLosses, DisagreementStatistic, disagreement_losses
from .errors import CalibrationError
from .input import check_in_order
from .log_parts import LogLossPart
from .losses import HistogramLosses, HistogramStatistic
from .pairs_of_labels import PredictedDisagreement, predicted_disagreement, symmetric_statistic
from .reliability import ReliabilityCurve
from .scores import (
    HistogramLogLoss,
    HistogramScore,
    histogram_brier_score,
    histogram_log_loss,
    manhattan_distance,
    ranked_probability_score,
    wasserstein_distance,
)
from .sums import BinLosses

__all__ = [
    "CalibrationError", "DisagreementLosses", "HistogramLogLoss", "HistogramLosses", "HistogramScore", "LogLossPart",
    "PredictedDisagreement", "ReliabilityCurve", "disagreement_losses", "histogram_brier_score", "histogram_log_loss",
    "histogram_losses", "manhattan_distance", "predicted_disagreement", "ranked_probability_score", "symmetric_statistic",
    "wasserstein_distance",
]  # fmt: skip


def histogram_losses(
    counts: Any,
    probs: Any,
    *,
    n_bins: int = 15,
    binning: Any = "width",
    classes: Any = None,
    singletons: str = "omit",
    single_bins: str = "zero",
    fractional: bool = False,
    weights: Any = None,
) -> HistogramLosses:
    """Losses of predicted class probabilities against label histograms: plug-in, bias and debiased, per class and bin.

    The record is :class:`HistogramLosses`. With m = y / n, sums over cases i (N with labels) and classes k, I the cases of a bin, and
    every case of weight 1::

        L_sq = 1/N Σ (m - z)² + m (1 - m)                                             eq. 7
        EL   = 1/N Σ (m - z)²,                bias 1/N Σ m (1 - m) / (n - 1)           eq. 8, 9
        CL   = Σ_bins |I|/N (mean m - mean z)², bias |I|/N var(m) / (|I| - 1)          eq. 12, 13
        DL   = EL - CL                                                                eq. 34, 35
        IL   = L_sq - EL
        RL   = Σ_bins |I|/N mean m (1 - mean m), bias minus that of CL                eq. 5
        ERL  = RL - IL                                                               eq. 6

    Parameters
    ----------
    counts : (N, K) array or Labels
        Labels of each case by class. Cases without any are left out.
    probs : (N, K) array
        Probabilities from 0 to 1 (to within 1e-6) that add up to 1 (to within 1e-4) for each case; float64 or float32, with any
        strides, memory-mapped or not.
    n_bins : int
        Number of bins B.
    binning : {"width", "mass"} or (B + 1,) or (K, B + 1) array
        Bins of equal width (numpy.linspace), with equally many cases (quantiles of each class: a copy of one column at a time, and about
        as long as sorting it), or ascending edges from 0 to 1.
    classes : (K,) names, optional
        Default: those of the labels, or 0 to K-1.
    singletons : {"omit", "zero"}
        Cases with one label have no bias of EL that could be estimated: they are left out of EL, DL and IL, or their bias is taken for 0.
    single_bins : {"zero", "plugin"}
        A bin with one case has no bias of CL that could be estimated: its debiased CL is 0, or the plug-in value.
    fractional : bool
        Whether counts need not be whole. Then nothing is unbiased, and cases count as having one label up to a total of 2.
    weights : (N,) array, mapping of case id to weight, or (case ids, weights), optional
        Of cases, 0 or from 1e-100 to 1e100; only their ratios matter. Cases of weight 0 are left out. The numbers of labels, as
        ``counts.sum(axis=1)``, have the least variance where cases differ little and labels much; weights of 1, the default, where it is
        the other way round [B app. B]. By cases of a target population over cases here: losses there.

    Raises
    ------
    ValueError
        If shapes do not fit, K is 1, a count is negative, not finite or not whole, a probability is NaN or outside of [0, 1], a
        row does not add up to 1, a weight is negative, not finite or missing, all are 0, or an option is unknown. The message names the
        first case.

    Notes
    -----
    The tables are read once; nothing of their size is made. Debiased estimates assume that the labels of
    a case are drawn independently of each other and of the prediction. CL depends on the bins and misses what happens within them.

    With weights w, W = Σ w, and sums over the cases of a bin in the bias of CL, where c and z are the bin's means by weight, and W_b
    its Σ w::

        L_sq = 1/W Σ w [(m - z)² + m (1 - m)],  EL = 1/W Σ w (m - z)²,  its bias 1/W Σ w m (1 - m) / (n - 1)
        CL   = Σ_bins W_b/W (c - z)²,           its bias W_b/W [Σ w² (m - z)² - Σ w² (c - z)²] / (W_b² - Σ w²)

    The bias of EL is that of each case, whatever its weight. That of CL puts the mean of (m_i - z)(m_j - z) over pairs of different cases
    of the bin, with weights w_i w_j, in place of (c - z)²: without bias where the weights say nothing about the labels of cases of the bin
    (eq. 31 is this with equal weights). Where they do, as those of a target population may, what is left is of the order of (C - z) over
    the number of cases of the bin, so next to nothing for a model that is calibrated there. Whole weights give the plug-in values, L_sq and
    EL of cases repeated as often; the bias of CL is another one, as repeated cases are not independent.

    References
    ----------
    [B] Mimori et al., "Diagnostic uncertainty calibration" (2021), sec. 3 and app. B.

    Examples
    --------
    >>> import ugt
    >>> found = ugt.histogram_losses([[2, 3, 0], [0, 5, 0], [4, 0, 1]], [[0.3, 0.6, 0.1], [0.1, 0.9, 0.0], [0.7, 0.1, 0.2]])
    >>> round(found.l_sq, 3), round(found.el.plugin, 3), round(found.il.debiased, 3), round(found.dl.debiased, 3)
    (0.287, 0.02, 0.333, -0.047)
    """
    rules = {"singletons": singletons, "single_bins": single_bins, "fractional": fractional, "weights": weights}
    one = HistogramStatistic.of(counts, probs, n_bins=n_bins, binning=binning, classes=classes, **rules)
    if (reason := one.undefined()) is not None:
        notices.warn(f"undefined: {reason}")
    return one.record(one.left_out)


def _in_parts(read: Callable[..., BinLosses]) -> Callable[[tuple[Any, ...], dict[str, Any]], BinLosses]:
    def part(data: tuple[Any, ...], options: dict[str, Any]) -> BinLosses:
        if isinstance(options["binning"], str) and options["binning"] == "mass":
            raise checks.error("binning", "be 'width' or edges in parts: bins of equal mass need all cases at once", "'mass'")
        return read(*data, **options, part=True)

    return _weighed(part)


def _weighed(read: Callable[[tuple[Any, ...], dict[str, Any]], Any]) -> Callable[[tuple[Any, ...], dict[str, Any]], Any]:
    def part(data: tuple[Any, ...], options: dict[str, Any]) -> Any:
        check_in_order(data[0], options["weights"])
        return read(data, options)

    return part


_SCORES = histogram_brier_score, histogram_log_loss, ranked_probability_score, manhattan_distance, wasserstein_distance
PARTS = {
    **{name: one._replace(read=_weighed(one.read)) for name, one in means(*_SCORES, span=(0.0, math.inf)).items()},
    "histogram_losses": Part(_in_parts(HistogramStatistic.of), HistogramStatistic.of_settings),
    "disagreement_losses": Part(_in_parts(DisagreementStatistic.of), DisagreementStatistic.of_settings),
}
