"""Plots of readers against each other and next to the curve of a model."""

from __future__ import annotations

from typing import Any

import numpy as np

from . import _base
from ._soft import soft_curve


def bland_altman(limits: Any, *, ax: Any = None) -> Any:
    """Draw the differences of two readers against their means, with the bias and the limits of agreement.

    Each dot is a case. The thick line is the bias, the thin lines are the limits, and bands are the intervals of these three. If the
    spread or the mean changes along the horizontal axis, single limits do not describe the readers. Do not use the plot to decide which
    reader is right: it compares readers with each other only.

    Parameters
    ----------
    limits : LimitsOfAgreement, or mapping of name to these
        Limits of a pair of readers, such as one of ``bland_altman(...).pairs``.
    ax : matplotlib Axes, optional

    Returns
    -------
    matplotlib Axes
        The legend has the bias and the limits.

    Raises
    ------
    ValueError
        If ``limits`` is something else.

    Examples
    --------
    >>> import ugt.plots
    >>> found = ugt.humans.bland_altman([[1.0, 2.0], [3.0, 3.5], [5.0, 5.0], [2.0, 3.5]])
    >>> ax = ugt.plots.bland_altman({"0 and 1": found.pairs[0]})
    >>> [text.get_text() for text in ax.get_legend().get_texts()]
    ['0 and 1 (bias -0.75, limits -2.02 to 0.515)']
    """
    given = _base.records("limits", limits, "LimitsOfAgreement, one of the pairs of bland_altman", "difference", "upper_interval")
    ax = _base.axes_of(ax)
    for i, (name, one) in enumerate(given.items(), start=_base.first_style(ax)):
        ax.plot(one.mean, one.difference, _base.marker(i), color=_base.colour(i), markersize=4, alpha=0.6, linestyle="none")
        said = f"bias {one.bias:.3g}, limits {one.lower:.3g} to {one.upper:.3g}"
        label = _base.labelled(name, one.reason or said)
        for what in ("bias", "lower", "upper"):
            value, (low, high) = getattr(one, what), getattr(one, f"{what}_interval")
            ax.axhline(value, label=label if what == "bias" else None, linewidth=1.5 if what == "bias" else 1, **_base.style(i))
            if np.isfinite([low, high]).all():
                ax.axhspan(low, high, color=_base.colour(i), alpha=0.12, linewidth=0)
    return _base.finish(ax, "mean of both", "difference, first less second")


def annotator_roc_points(points: Any, curve: Any = None, *, ax: Any = None) -> Any:
    """Draw each annotator, with the others as the reference, in the plane of a ROC curve, with intervals in both directions.

    Each annotator is a marker of its own colour and shape, with whiskers. Do not compare points with a curve by eye: the reference of a
    curve is all annotators, that of a point the other annotators. ``points.model_sensitivity`` has the reference of each point.

    Parameters
    ----------
    points : AnnotatorRocPoints
        Sensitivity and specificity of each annotator.
    curve : RocCurve, or mapping of name to these, optional
        Curves of models, drawn as by :func:`soft_curve`.
    ax : matplotlib Axes, optional

    Returns
    -------
    matplotlib Axes
        The legend has the annotators; the title counts undefined ones.

    Raises
    ------
    ValueError
        If ``points`` is something else, or the curve is of precision and recall.

    Examples
    --------
    >>> import ugt.plots
    >>> readers = [[1, 1, 0], [1, 1, 1], [0, 0, 0], [0, 1, 0], [1, 0, 1], [0, 0, 1]]
    >>> scores = [0.8, 0.9, 0.1, 0.4, 0.5, 0.3]
    >>> curve = ugt.soft.soft_roc_curve(ugt.Labels.from_wide(readers), scores)
    >>> ax = ugt.plots.annotator_roc_points(ugt.humans.annotator_roc_points(readers), {"model": curve})
    >>> [text.get_text() for text in ax.get_legend().get_texts()]
    ['model (0.852)', '0', '1', '2']
    """
    _base.records("points", {"": points}, "AnnotatorRocPoints", "sensitivity", "specificity", "annotators")
    if curve is not None:
        _base.records("curve", curve, "a RocCurve", "false_positive_rate")
    rows = points.table()
    ax = _base.axes_of(ax) if curve is None else soft_curve(curve, ax=ax)
    missing = 0
    for i, row in enumerate(rows, start=_base.first_style(ax)):
        x = tuple(1 - row[name] for name in ("specificity", "specificity_high", "specificity_low"))
        y = tuple(row[name] for name in ("sensitivity", "sensitivity_low", "sensitivity_high"))
        if not np.isfinite([x[0], y[0]]).all():
            missing += 1
            continue
        _base.point(ax, i, _base.shown(row["annotator"]), x, y)
    if curve is None:
        ax.plot([0, 1], [0, 1], **_base.GUIDE)
        ax.set_xlim(0, 1)
        ax.set_ylim(0, 1.02)
    _base.note(ax, _base.undefined(missing))
    return _base.finish(ax, "false positive rate (1 - specificity)", "true positive rate (sensitivity)", "lower right")
