"""Decision curves."""

from __future__ import annotations

from typing import Any

import numpy as np

from .._base.checks import error, flag
from . import _base

LOWEST = -0.05  # net benefit below which treating all is not followed


def decision_curve(found: Any, *, band: bool = False, by_annotators: bool = False, ax: Any = None) -> Any:
    """Draw the net benefit of models along thresholds, beside that of treating all cases and of treating none.

    A model helps at thresholds where its curve is above both grey lines: the dashed one treats all, the one at 0 treats none. Read the
    curve at thresholds at which somebody would treat, not where it is highest. With ``by_annotators`` the shaded area is the range over
    single annotators: by whose judgement the model helps.

    Parameters
    ----------
    found : NetBenefit, or mapping of name to NetBenefit
        At the same thresholds and of the same truth.
    band : bool
        Whether to shade the simultaneous 95% band of each model over cases.
    by_annotators : bool
        Whether to shade the range of each model over single annotators.
    ax : matplotlib Axes, optional

    Returns
    -------
    matplotlib Axes

    Raises
    ------
    ValueError
        If thresholds differ, both kinds of shades are asked for, or annotators are not named.

    Examples
    --------
    >>> import ugt.plots
    >>> found = ugt.soft.net_benefit([1.0, 0.8, 0.3, 0.0, 0.1], [0.9, 0.6, 0.7, 0.2, 0.1], [0.1, 0.3, 0.5])
    >>> ax = ugt.plots.decision_curve({"model": found})
    >>> [text.get_text() for text in ax.get_legend().get_texts()]
    ['model', 'treat all', 'treat none']
    """
    given = _base.records("found", found, "a NetBenefit", "treat_all", "thresholds")
    first, *others = given.values()
    if flag("band", band) and flag("by_annotators", by_annotators):
        raise error("band", "be left out with the range over annotators, which is another shade", "both")
    for one in others:
        if not np.array_equal(one.thresholds, first.thresholds) or not np.allclose(one.treat_all, first.treat_all, equal_nan=True):
            raise error("found", "be of the same thresholds and truth", "others")
    ax, x = _base.axes_of(ax), first.thresholds
    highest = [0.0, float(np.nanmax(first.treat_all)), *(float(np.nanmax(one.value)) for one in given.values())]
    for i, (name, one) in enumerate(given.items(), start=_base.first_style(ax)):
        if band or by_annotators:
            low, high = (one.band() if band else one.by_annotators().range).T
            highest.append(float(np.nanmax(high)))
            ax.fill_between(x, low, high, color=_base.colour(i), alpha=0.2, linewidth=0)
        ax.plot(x, one.value, label=_base.labelled(name), **_base.style(i))
    known = ax.get_legend_handles_labels()[1]
    for label, y, line in (("treat all", first.treat_all, "--"), ("treat none", np.zeros(len(x)), "-")):
        ax.plot(x, y, color="0.45", linestyle=line, linewidth=1, label=None if label in known else label)
    top = max(highest)
    ax.set_ylim(LOWEST * max(1.0, top / 0.25), 1.05 * top if top > 0 else 0.05)
    return _base.finish(ax, "threshold probability", "net benefit")
