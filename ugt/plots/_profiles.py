"""Plots of the profile likelihood of fitted reliabilities."""

from __future__ import annotations

from typing import Any

import numpy as np

from .._base.checks import error
from . import _base

DEEPEST = -8.0  # lowest drawn log-likelihood, relative to the maximum


def reliability_profile(found: Any, *, level: float = 0.95, ax: Any = None) -> Any:
    """Draw the log-likelihood of each reliability, relative to its maximum.

    The shaded area under a curve is the interval, which ends where the curve meets the dashed grey line. If the curve stays above this
    line on one side, that end of the interval is open: the references do not limit the reliability there. Do not read the height as the
    probability of a reliability, and do not use the fit for cases that differ from the reference cases.

    Parameters
    ----------
    found : FittedReliability, or mapping of name to these
        Fits by :func:`ugt.fit_reliability` or :func:`ugt.truth.fit_predictive_reliability`.
    level : float
        Level of the intervals; default 0.95.
    ax : matplotlib Axes, optional

    Returns
    -------
    matplotlib Axes
        The legend has the value and the interval.

    Raises
    ------
    ValueError
        If ``found`` is not a fitted reliability, or is one of each annotator.

    Examples
    --------
    >>> import ugt.plots
    >>> labels = ugt.Labels.from_counts([[3, 0], [2, 1], [1, 2], [0, 3], [3, 0], [2, 1]] * 4)
    >>> ax = ugt.plots.reliability_profile(ugt.fit_reliability(labels, [0, 0, 1, 1, 0, 1] * 4))
    >>> ax.get_legend().get_texts()[0].get_text()
    '0.868, 0.125 to 4.25'
    """
    from scipy.special import chdtri  # noqa: PLC0415  (scipy is slow to import)

    given = _base.records("found", found, "a FittedReliability of all annotators together", "profile", "interval")
    for name, one in given.items():
        if one.std_error is not None:
            raise error("found", "be of all annotators together", "one of each annotator", repr(name) if name else "")
    ax = _base.axes_of(ax)
    for i, (name, one) in enumerate(given.items(), start=_base.first_style(ax)):
        low, high = one.interval(level)
        t = np.linspace(np.log(one.grid[0]), np.log(one.grid[-1]), 400)
        below = np.array([one.at(x) for x in t]) - one.log_likelihood
        label = _base.labelled(name, f"{one.value:.3g}, {low:.3g} to {high:.3g}")
        ax.plot(np.exp(t), below, label=label, **_base.style(i))
        inside = (np.exp(t) >= low) & (np.exp(t) <= high)
        ax.fill_between(np.exp(t), DEEPEST, below, where=inside, color=_base.colour(i), alpha=0.15, linewidth=0)
    ax.axhline(-float(chdtri(1, 1 - level)) / 2, linestyle="--", **_base.GUIDE)
    ax.set_xscale("log")
    ax.set_ylim(DEEPEST, 0.3)
    return _base.finish(ax, "reliability", "log-likelihood below its maximum", "lower center")
