"""Labels that are probabilities, and curves against them."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from .._base.arrays import Array
from .._base.checks import error, scalar
from .._base.counts import counted
from . import _base
from ._cases import bars

BARS = 20


def soft_labels(p: Any, *, threshold: float = 0.5, ax: Any = None) -> Any:
    """Draw a histogram of soft labels, with the threshold that turns them into hard labels [D fig. 4; C fig. 3a].

    Blue bars are cases with negative, hatched orange bars cases with positive hard labels; the dotted line is the threshold. Annotators
    disagree about cases between 0 and 1. The hard label of a case near the threshold may change with one more annotator. Do not read
    either label as the truth: annotators may share an error.

    Parameters
    ----------
    p : (N,) array in [0, 1], Labels or plausibilities of two classes
        Soft labels; for labels the share, for plausibilities the mean of the second class. Up to 20 different values have one bar each;
        more values are put into 20 bins. Undefined cases (NaN) are counted in the legend.
    threshold : float
        Hard labels are positive if p is above the threshold.
    ax : matplotlib Axes, optional

    Returns
    -------
    matplotlib Axes

    Raises
    ------
    ValueError
        If p is not one number from 0 to 1 for each case, or the threshold is not from 0 to 1.

    Examples
    --------
    >>> import ugt.plots
    >>> ax = ugt.plots.soft_labels(ugt.Labels.from_counts([[6, 2], [3, 3], [0, 4]]))
    >>> [float(round(bar.get_x() + bar.get_width() / 2, 2)) for bar in ax.patches if bar.get_height() > 0]
    [0.25, 0.5, 1.0]
    """
    if hasattr(p, "class_counts"):
        counts = p.counts()
        with np.errstate(invalid="ignore"):
            p = counts / counts.sum(axis=1, keepdims=True)
    values, cut = _base.means("p", p, "plausibilities, Labels of two classes, or probabilities (N,)"), scalar("threshold", threshold)
    values = values[:, 1] if values.ndim == 2 and values.shape[1] == 2 else values
    known = values[~np.isnan(values)]
    if values.ndim != 1 or not ((known >= 0) & (known <= 1)).all() or cut > 1:
        must = "be of shape (N,) and from 0 to 1, as the threshold (for more classes, draw one column at a time)"
        raise error(
            "p", must, f"shape {values.shape}, threshold {cut:g}" if values.ndim != 1 or cut > 1 else known[(known < 0) | (known > 1)][0]
        )
    places, width, heights = bars([known[known <= cut], known[known > cut]], BARS)
    ax, bottom = _base.axes_of(ax), np.zeros(len(places))
    for i, (name, height) in enumerate(zip(("negative", "positive"), heights)):
        remark = _base.undefined(int(np.isnan(values).sum())) if i else ""
        label = _base.labelled(f"{name}: {counted(int(height.sum()), 'case')}", remark)
        ax.bar(places, height, 0.9 * min(width, 0.1), bottom, color=_base.colour(i), edgecolor="white", hatch="//" * i, label=label)
        bottom = bottom + height
    ax.axvline(cut, color="0.3", linestyle=":")
    ax.set_xlim(-0.06, 1.06)
    return _base.finish(ax, "probability of being positive (soft label)", "cases")


def soft_curve(curve: Any, *, band: Any = None, ax: Any = None) -> Any:
    """Draw ROC or precision-recall curves, with their areas in the legend.

    Each curve has its own colour and dashes; the grey diagonal of a ROC plot is a score without information. A curve against soft labels
    usually lies below the curve against hard labels, because no score can rank cases on which annotators are divided; this does not mean
    that the model is worse. Do not compare models by the overlap of bands, which are pointwise: use the paired difference of areas.

    Parameters
    ----------
    curve : RocCurve, PrecisionRecallCurve, or mapping of name to curves of one kind
        Curves, such as the soft and the hard one of a model.
    band : (x, low, high), or mapping of name to these, optional
        Three rows of numbers for a shaded band around the curve of that name, such as pointwise quantiles of resamples.
    ax : matplotlib Axes, optional

    Returns
    -------
    matplotlib Axes
        The legend has the areas and names undefined curves.

    Raises
    ------
    ValueError
        If curves are of both kinds, or a band fits no curve or has rows of different lengths.

    Examples
    --------
    >>> import ugt.plots
    >>> soft = ugt.soft.soft_roc_curve([0.9, 0.6, 0.1], [3.0, 2.0, 1.0])
    >>> hard = ugt.soft.soft_roc_curve([1, 1, 0], [3.0, 2.0, 1.0])
    >>> ax = ugt.plots.soft_curve({"soft": soft, "hard": hard})
    >>> [text.get_text() for text in ax.get_legend().get_texts()]
    ['soft (0.857)', 'hard (1.000)']
    """
    given = _base.records("curve", curve, "a RocCurve or a PrecisionRecallCurve", "area")
    kinds = {hasattr(one, "false_positive_rate") for one in given.values()}
    if len(kinds) != 1:
        raise error("curve", "be curves of one kind", "both kinds")
    bands, roc = _bands(band, given), kinds.pop()
    names = ("false positive rate", "true positive rate") if roc else ("recall", "precision")
    ax = _base.axes_of(ax)
    for i, (name, one) in enumerate(given.items(), start=_base.first_style(ax)):
        label = _base.labelled(name, f"{one.area:.3f}" if np.isfinite(one.area) else "undefined")
        if name in bands:
            x, low, high = bands[name]
            ax.fill_between(x, low, high, color=_base.colour(i), alpha=0.2, linewidth=0)
        x, y = (getattr(one, column.replace(" ", "_")) for column in names)
        ax.plot(x, y, drawstyle="default" if roc else "steps-post", label=label, **_base.style(i))
    if roc:
        ax.plot([0, 1], [0, 1], **_base.GUIDE)
    ax.set_xlim(0, 1)
    ax.set_ylim(0, 1.02)
    return _base.finish(ax, *names, "lower right" if roc else "lower left")


def _bands(band: Any, given: Mapping[str, Any]) -> dict[str, tuple[Array, ...]]:
    if band is None:
        return {}
    found: dict[str, tuple[Array, ...]] = {}
    for name, rows in (_base.named("band", band) if isinstance(band, Mapping) else {next(iter(given)): band}).items():
        if name not in given:
            raise error("band", f"have names of curves, which are {', '.join(map(repr, given))}", repr(name))
        arrays = tuple(_base.array("band", row) for row in rows)
        if len(arrays) != 3 or len({array.shape for array in arrays}) != 1 or arrays[0].ndim != 1:
            raise error("band", "be (x, low, high), three rows of one length", [array.shape for array in arrays])
        found[name] = arrays
    return found
