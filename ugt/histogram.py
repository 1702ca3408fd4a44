"""Losses of predicted probabilities against label histograms, with what is due to few labels taken out [B].

A case has n labels, a histogram y of them, and shares m = y / n; the model says z. All losses are squared: L_sq of a new label,
EL (epistemic) of the label probabilities that m estimates, CL (calibration) and DL (dispersion) its parts, IL what is left to chance.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from . import _checks, _notices
from ._histogram.input import Histograms, class_names
from ._histogram.losses import HistogramLosses, left_out_of, record
from ._histogram.sums import SINGLE_BINS, SINGLETONS, Bins, Sums


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
) -> HistogramLosses:
    """Losses of predicted class probabilities against label histograms: plug-in, bias and debiased, per class and bin.

    With m = y / n, sums over cases i (N with labels) and classes k, I the cases of a bin::

        L_sq = 1/N Σ (m - z)² + m (1 - m)                                             eq. 7
        EL   = 1/N Σ (m - z)²,                bias 1/N Σ m (1 - m) / (n - 1)           eq. 8, 9
        CL   = Σ_bins |I|/N (mean m - mean z)², bias |I|/N var(m) / (|I| - 1)          eq. 12, 13
        DL   = EL - CL                                                                eq. 34, 35
        IL   = L_sq - EL

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

    Returns
    -------
    HistogramLosses

    Raises
    ------
    ValueError
        If shapes do not fit, K is 1, a count is negative, not finite or not whole, a probability is NaN or outside of [0, 1], a
        row does not add up to 1, or an option is unknown. The message names the first case.

    Notes
    -----
    The tables are read once; nothing of their size is made. All cases count the same. Debiased estimates assume that the labels of
    a case are drawn independently of each other and of the prediction. CL depends on the bins and misses what happens within them.

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
    rules = _rules(singletons, single_bins)
    data = Histograms.of(counts, probs, fractional=fractional, classes=classes)
    bins = Bins.of(binning, n_bins, data.shape[1]) or Bins.of_mass(data.columns(), n_bins)
    sums = data.sums(bins)
    return record(sums, bins, rules, data.classes, _said(sums, singletons), data)


def _rules(singletons: str, single_bins: str) -> tuple[str, str]:
    return _checks.option("singletons", singletons, SINGLETONS), _checks.option("single_bins", single_bins, SINGLE_BINS)


def _said(sums: Sums, singletons: str) -> dict[str, int]:
    """What is left out, by reason; a warning where nothing is left."""
    if sums.n_cases == (sums.n_single if singletons == "omit" else 0):
        reason = "no case has labels" if sums.n_cases == 0 else "EL, DL and IL need cases with at least two labels"
        _notices.warn(f"undefined: {reason}", stacklevel=3)
    return left_out_of(sums, singletons)


class HistogramAccumulator:
    """:func:`histogram_losses` for cases that come in batches, or from several processes: the same numbers but for rounding.

    Parameters
    ----------
    n_classes : int
        Number of classes K, at least 2.
    n_bins, binning, classes, singletons, single_bins, fractional
        As for :func:`histogram_losses`. Bins of equal mass need all cases at once.

    Examples
    --------
    >>> import ugt
    >>> stream = ugt.HistogramAccumulator(2)
    >>> _ = stream.update([[2, 1], [0, 3]], [[0.7, 0.3], [0.2, 0.8]]).update([[3, 0]], [[0.9, 0.1]])
    >>> other = ugt.HistogramAccumulator(2).update([[1, 1]], [[0.5, 0.5]])
    >>> round(stream.merge(other).finish().l_sq, 3)
    0.262
    """

    def __init__(
        self,
        n_classes: int,
        *,
        n_bins: int = 15,
        binning: Any = "width",
        classes: Any = None,
        singletons: str = "omit",
        single_bins: str = "zero",
        fractional: bool = False,
    ) -> None:
        k = _checks.whole("n_classes", n_classes, 2)
        bins = Bins.of(binning, n_bins, k)
        if bins is None:
            raise _checks.error("binning", "be 'width' or edges for a stream", repr(binning))
        self.bins, self.rules, self.fractional = bins, _rules(singletons, single_bins), fractional
        self.classes = class_names(classes, None, k)
        self.n_seen, self.sums = 0, Sums.zeros(k, bins.n_bins)

    def update(self, counts: Any, probs: Any) -> HistogramAccumulator:
        """More cases; on an error in any of them none is counted. Returns itself."""
        data = Histograms.of(counts, probs, fractional=self.fractional)
        if data.shape[1] != len(self.classes):
            raise _checks.error("counts", f"have {len(self.classes)} classes", data.shape[1])
        self.sums.add(data.after(self.n_seen).sums(self.bins))
        self.n_seen += data.shape[0]
        return self

    def merge(self, other: HistogramAccumulator) -> HistogramAccumulator:
        """The cases of another one with the same classes, bins and rules. Returns itself."""
        alike = isinstance(other, HistogramAccumulator) and (self.rules, self.fractional) == (other.rules, other.fractional)
        if not alike or not all(np.array_equal(*pair) for pair in ((self.classes, other.classes), (self.bins.edges, other.bins.edges))):
            raise _checks.error("other", "be a HistogramAccumulator with the same classes, bins and rules", type(other).__name__)
        self.sums.add(other.sums)
        self.n_seen += other.n_seen
        return self

    def finish(self) -> HistogramLosses:
        """The losses of all cases so far. They keep no cases, so that nothing can be resampled."""
        total = Sums.zeros(len(self.classes), self.bins.n_bins)
        total.add(self.sums)
        return record(total, self.bins, self.rules, self.classes, _said(total, self.rules[0]))
