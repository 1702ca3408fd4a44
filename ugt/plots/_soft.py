"""Labels that are probabilities."""

from __future__ import annotations

from typing import Any

import numpy as np

from .._base.checks import error, scalar
from . import _base
from ._cases import bars

BARS = 20


def soft_labels(p: Any, *, threshold: float = 0.5, ax: Any = None) -> Any:
    """Histogram of soft labels, with the cut that makes hard labels of them [D fig. 4; C fig. 3a].

    The further bars stand from 0 and 1, the more the annotators disagree; cases near the cut have a hard label that one annotator more
    may turn.

    Parameters
    ----------
    p : (N,) array in [0, 1], Labels or plausibilities of two classes
        Probability of being positive; of labels the share, of plausibilities the mean of the second class. Up to 20 different values
        have one bar each, more values 20 bins. Undefined cases (NaN) are counted in the legend.
    threshold : float
        Hard labels are positive where p is above it.
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
    values, cut = _base.array("p", p.mean() if hasattr(p, "axes") else p), scalar("threshold", threshold)
    values = values[:, 1] if values.ndim == 2 and values.shape[1] == 2 else values
    known = values[~np.isnan(values)]
    if values.ndim != 1 or not ((known >= 0) & (known <= 1)).all() or cut > 1:
        must = "be of shape (N,) and from 0 to 1, as the threshold (of more classes one column at a time)"
        raise error(
            "p", must, f"shape {values.shape}, threshold {cut:g}" if values.ndim != 1 or cut > 1 else known[(known < 0) | (known > 1)][0]
        )
    places, width, heights = bars([known[known <= cut], known[known > cut]], BARS)
    ax, bottom = _base.axes_of(ax), np.zeros(len(places))
    for i, (name, height) in enumerate(zip(("negative", "positive"), heights)):
        remark = _base.undefined(int(np.isnan(values).sum())) if i else ""
        label = _base.labelled(f"{name}: {_base.counted(int(height.sum()), 'case')}", remark)
        ax.bar(places, height, 0.9 * min(width, 0.1), bottom, color=_base.colour(i), edgecolor="white", hatch="//" * i, label=label)
        bottom = bottom + height
    ax.axvline(cut, color="0.3", linestyle=":")
    ax.set_xlim(-0.06, 1.06)
    return _base.finish(ax, "probability of being positive (soft label)", "cases")
