"""Lines over cases and over reliabilities: certainty, and metrics."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from .._base.checks import error
from . import _base

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Array = NDArray[np.float64]
    Rows = Sequence[Mapping[str, Any]]

MOST_MARKS = 12  # on the axis of reliabilities


def certainty_curve(certainty: Any, *, ax: Any = None) -> Any:
    """Certainty of the cases, least certain first.

    The further a line stays below 1, the more cases have a truth that the annotations leave open. Where two lines are far apart,
    conclusions depend on how far annotators are trusted.

    Parameters
    ----------
    certainty : Certainty, (N,) array, or mapping of name to these
        Such as one for each reliability. Undefined cases (NaN) are counted in the legend.
    ax : matplotlib Axes, optional
        Default: of a new figure.

    Returns
    -------
    matplotlib Axes

    Raises
    ------
    ValueError
        If there is nothing to draw, or values are not in one row.
    ImportError
        Without matplotlib, as for all plots.

    Examples
    --------
    >>> import ugt
    >>> from ugt import plots
    >>> certainty = ugt.annotation_certainty(ugt.dirichlet([[6, 2], [3, 3]], prior=1.0))
    >>> ax = plots.certainty_curve({"prior 1": certainty})
    >>> ax.lines[0].get_ydata().round(2).tolist()
    [0.5, 0.91]
    """
    given = {name: _split(getattr(one, "per_case", one)) for name, one in _base.named("certainty", certainty).items()}
    ax = _base.axes_of(ax)
    for i, (name, (values, n)) in enumerate(given.items(), start=_base.first_style(ax)):
        x = 100 * (np.arange(len(values)) + 0.5) / len(values)
        ax.plot(x, values, label=_base.labelled(name, _base.undefined(n)), drawstyle="steps-mid", **_base.style(i))
    ax.set_ylim(0, 1.02)
    return _base.finish(ax, "share of cases, least certain first (%)", "certainty", "lower right")


def _split(values: Any) -> tuple[Array, int]:
    """What is defined, in order, and how many are not."""
    array = _base.array("certainty", values)
    if array.ndim != 1:
        raise error("certainty", "be of shape (N,)", array.shape)
    known = np.sort(array[np.isfinite(array)])
    if len(known) == 0:
        raise error("certainty", "have a case that is defined", "none")
    return known, len(array) - len(known)


def metric_by_reliability(
    evaluation: Any, metric: str = "topk_accuracy", k: int | None = 1, *, voted: bool = False, flips: bool = False, ax: Any = None
) -> Any:
    """A metric of every model against the reliability: bands over draws, bars over draws and cases together.

    Bands are what the annotations leave open; bars also what another set of cases would change. Where lines cross, the better model
    depends on how far annotators are trusted.

    Parameters
    ----------
    evaluation : Evaluation
    metric, k
        Which rows of ``evaluation.metrics``.
    voted : bool
        Add ordinary accuracy against the voted label, at the right, with its interval over cases (top-1 accuracy only).
    flips : bool
        Add a line where the order of two models changes.
    ax : matplotlib Axes, optional
        Default: of a new figure.

    Returns
    -------
    matplotlib Axes
        Horizontal is the logarithm of the reliability; models stand a little beside each other.

    Raises
    ------
    ValueError
        If there is no such metric with reliabilities, or ``voted`` is wanted for another one than top-1 accuracy.

    Examples
    --------
    >>> import ugt
    >>> from ugt import plots
    >>> ev = ugt.evaluate([[6, 2], [1, 3]], {"A": [[0.7, 0.3], [0.4, 0.6]]}, reliability=(1, 2), k=1, n_resamples=50)
    >>> ax = plots.metric_by_reliability(ev)
    >>> [text.get_text() for text in ax.get_xticklabels()], ax.get_ylabel()
    (['1', '2'], 'top-1 accuracy')
    """
    _base.records("evaluation", evaluation, "an Evaluation", "metrics", "models", "flips")
    rows = [row for row in evaluation.metrics if (row["metric"], row["k"]) == (metric, k) and row["reliability"] is not None]
    if not rows:
        known = sorted({str((row["metric"], row["k"])) for row in evaluation.metrics})
        raise error("metric", f"be one with reliabilities, of {', '.join(known)}", repr((metric, k)))
    if voted and (metric, k) != ("topk_accuracy", 1):
        raise error("voted", "be False but for topk_accuracy with k = 1", repr(voted))
    ax = _base.axes_of(ax)
    marks = sorted({float(row["reliability"]) for row in rows})
    gap = float(np.diff(np.log(marks)).min()) if len(marks) > 1 else float(np.log(2.0))
    width = float(np.log(marks[-1] / marks[0])) if len(marks) > 1 else gap
    after = marks[-1] * float(np.exp(max(gap, 0.25 * width)))  # where the voted label stands
    start, n = _base.first_style(ax), len(evaluation.models)
    step = min(0.025 * width, 0.4 * gap / n)
    for i, model in enumerate(evaluation.models):
        mine = sorted((row for row in rows if row["model"] == model), key=lambda row: float(row["reliability"]))
        beside = float(np.exp(step * (i - (n - 1) / 2)))
        _model(ax, mine, str(model), beside, start + i)
        if voted:
            alone = [row for row in evaluation.metrics if row["metric"] == "voted_accuracy" and row["model"] == model]
            _voted(ax, alone, after * beside, start + i)
    if flips:
        _changes(ax, [row for row in evaluation.flips if (row["metric"], row["k"]) == (metric, k)])
    _marks(ax, marks, after if voted else None)
    return _base.finish(ax, "reliability", _base.metric_name(metric, k))


def _model(ax: Any, rows: Rows, name: str, beside: float, i: int) -> None:
    x, value = _base.column(rows, "reliability") * beside, _base.column(rows, "value")
    low, high = _base.column(rows, "draw_low"), _base.column(rows, "draw_high")
    ax.fill_between(x, low, high, color=_base.colour(i), alpha=0.2, linewidth=0)
    label = _base.labelled(name, _base.undefined(int(np.isnan(value).sum())))
    ax.plot(x, value, marker=_base.marker(i), label=label, **_base.style(i))
    _base.whiskers(ax, x, _base.column(rows, "both_low"), _base.column(rows, "both_high"), _base.colour(i))


def _voted(ax: Any, rows: Rows, at: float, i: int) -> None:
    """Hollow, as no line leads there."""
    x = np.full(len(rows), at)
    _base.whiskers(ax, x, _base.column(rows, "case_low"), _base.column(rows, "case_high"), _base.colour(i))
    look = {"marker": _base.marker(i), "linestyle": "none", "color": _base.colour(i), "markerfacecolor": "white"}
    ax.plot(x, _base.column(rows, "value"), zorder=4, **look)


def _changes(ax: Any, rows: Rows) -> None:
    for row in rows:
        first, second = (row["model"], row["other"]) if row["better_above"] else (row["other"], row["model"])
        label = _base.shown(f"{first} overtakes {second} at {row['reliability']:.3g}")
        ax.axvline(row["reliability"], color="0.3", linestyle=(0, (2, 2)), linewidth=1, label=label, zorder=1)


def _marks(ax: Any, marks: Sequence[float], voted: float | None) -> None:
    """Every reliability on the axis, or some of many."""
    step = -(-len(marks) // MOST_MARKS)
    at = [*marks[::step], *([] if voted is None else [voted])]
    names = [f"{mark:g}" for mark in marks[::step]] + ([] if voted is None else ["voted\nlabel"])
    ax.set_xscale("log")
    ax.set_xticks(at)
    ax.set_xticklabels(names)
    ax.minorticks_off()
    if len(at) == 1:
        ax.set_xlim(at[0] / 2, at[0] * 2)
