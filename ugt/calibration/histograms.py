"""Losses of predicted probabilities against label histograms, corrected for the bias of few labels [B].

A case has n labels, their histogram y, and shares m = y / n; the model predicts z. All losses are squared. L_sq is the loss of a new
label, EL (epistemic) that of the label probabilities that m estimates. EL has the parts CL (calibration) and DL (dispersion); IL
(irreducible) is the rest of L_sq.
"""

from __future__ import annotations

import math
from typing import Any, Callable

from .._base import checks, notices
from ..annotations.joins import tells_joins
from ..plausibilities.means import means
from ..resampling import Part
from .disagreement import DisagreementStatistic
from .input import check_in_order
from .losses import HistogramLosses, HistogramStatistic
from .scores import (
    histogram_brier_score,
    histogram_log_loss,
    manhattan_distance,
    ranked_probability_score,
    wasserstein_distance,
)
from .sums import BinLosses


@tells_joins
def histogram_losses(
    counts: object,
    probs: object,
    *,
    n_bins: int = 15,
    binning: object = "width",
    classes: object = None,
    singletons: str = "omit",
    single_bins: str = "zero",
    fractional: bool = False,
    weights: object = None,
    frequency: object = None,
    case_weights: object = None,
) -> HistogramLosses:
    """Return the losses of predicted class probabilities against label histograms: plug-in, bias and debiased, per class and bin.

    With m = y / n, sums over cases i (N with labels) and classes k, I the cases of a bin, and weight 1 for every case::

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
        Labels of each case by class. Cases without labels are left out.
    probs : (N, K) array
        Probabilities from 0 to 1 (within 1e-6) that add up to 1 (within 1e-4) for each case; float64 or float32, with any
        strides, memory-mapped or not.
    n_bins : int
        Number of bins B.
    binning : {"width", "mass"} or (B + 1,) or (K, B + 1) array
        Bins of equal width (numpy.linspace), bins with equal numbers of cases (quantiles of each class, which take a copy of one column
        at a time and about the time of sorting it), or ascending edges from 0 to 1.
    classes : (K,) names, optional
        Names of the classes. Default: those of the labels, or 0 to K-1.
    singletons : {"omit", "zero"}
        Rule for cases with one label, whose bias of EL cannot be estimated: leave them out of EL, DL and IL, or take their bias as 0.
    single_bins : {"zero", "plugin"}
        Debiased CL of a bin with one case, whose bias cannot be estimated: 0, or the plug-in value.
    fractional : bool
        Whether counts may be fractions. Losses are then not unbiased, and a case with a total below 2 counts as having one label.
    weights : (N,) array, mapping of case id to weight, or (case ids, weights), optional
        Weights of the cases, 0 or from 1e-100 to 1e100; only their ratios matter. Cases of weight 0 are left out. Numbers of labels, as
        ``counts.sum(axis=1)``, have the least variance if cases differ little and labels much, equal weights (default) in the opposite
        situation [B app. B]. Ratios of the cases of a target population to those of the data give the losses in that population.
    frequency : (N,) whole numbers, Series or mapping of case id to number, optional
        How many equal cases each row stands for, at least 0. All numbers, intervals and bins of equal mass are those of the rows repeated
        so often, also the bias of CL, which weights would not give. Not with weights, nor with labels of named annotators.
    case_weights : (N,) numbers, Series or mapping of case id to weight, optional
        How many cases of a population each case represents, at least 0. Values are those with these ``weights``, and estimate the
        population. Intervals are those of a sample of cases, drawn within the strata that an interval names. Bins of equal mass have
        equal numbers of cases of the sample. Not with another of these arguments.

    Returns
    -------
    HistogramLosses

    Raises
    ------
    ValueError
        If shapes do not fit, K is 1, a count is negative, not finite or not whole, a probability is NaN or outside of [0, 1], a
        row does not add up to 1, a weight is negative, not finite or missing, all weights are 0, a frequency is negative, not whole or
        missing, or an option is unknown. The message names the first case.

    Notes
    -----
    The tables are read once and not copied. Debiased estimates assume that the labels of a case are drawn independently of each other and
    of the prediction. CL depends on the bins and does not see miscalibration within them.

    With weights w, let W = Σ w, and let c and z be the weighted means of a bin and W_b its Σ w; the bias of CL has sums over the cases of
    a bin::

        L_sq = 1/W Σ w [(m - z)² + m (1 - m)],  EL = 1/W Σ w (m - z)²,  its bias 1/W Σ w m (1 - m) / (n - 1)
        CL   = Σ_bins W_b/W (c - z)²,           its bias W_b/W [Σ w² (m - z)² - Σ w² (c - z)²] / (W_b² - Σ w²)

    The bias of EL belongs to each case and does not depend on its weight. Debiased CL replaces (c - z)² by the mean of
    (m_i - z)(m_j - z) over pairs of different cases of the bin, with weights w_i w_j. This is unbiased if the weights are unrelated to the
    labels within the bin (eq. 31 is the case of equal weights). If they are related, as weights of a target population may be, the
    remaining bias is of the order of (C - z) over the number of cases of the bin, which is small if the model is calibrated there. Whole
    weights give the plug-in values, L_sq and EL of repeated cases; the bias of CL differs, because a case of weight 2 is still one case.
    Rows that stand for several cases have a ``frequency``.

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
    rules = {"singletons": singletons, "single_bins": single_bins, "fractional": fractional}
    rows: dict[str, Any] = {"weights": weights, "frequency": frequency, "case_weights": case_weights}
    one = HistogramStatistic.of(counts, probs, n_bins=n_bins, binning=binning, classes=classes, **rules, **rows)
    if (reason := one.undefined()) is not None:
        notices.undefined(reason)
    return one.record(one.left_out)


def _in_parts(read: Callable[..., BinLosses]) -> Callable[[tuple[Any, ...], dict[str, Any]], BinLosses]:
    def part(data: tuple[Any, ...], options: dict[str, Any]) -> BinLosses:
        if isinstance(options["binning"], str) and options["binning"] == "mass":
            raise checks.error("binning", "be 'width' or edges in parts, because bins of equal mass need all cases at once", "'mass'")
        return read(*data, **options, part=True)

    return _weighed(part)


def _weighed(read: Callable[[tuple[Any, ...], dict[str, Any]], Any]) -> Callable[[tuple[Any, ...], dict[str, Any]], Any]:
    def part(data: tuple[Any, ...], options: dict[str, Any]) -> Any:
        check_in_order(data[0], options["weights"])
        return read(data, options)

    return part


_UP_TO_TWO = means(histogram_brier_score, manhattan_distance, span=(0.0, 2.0))
_SCORES = {**_UP_TO_TWO, **means(histogram_log_loss, ranked_probability_score, wasserstein_distance, span=(0.0, math.inf))}
PARTS = {
    **{name: one._replace(read=_weighed(one.read)) for name, one in _SCORES.items()},
    "histogram_losses": Part(_in_parts(HistogramStatistic.of), HistogramStatistic.of_settings),
    "disagreement_losses": Part(_in_parts(DisagreementStatistic.of), DisagreementStatistic.of_settings),
}
