"""Values with intervals: forests, and coverage against size of prediction sets."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from .._base.checks import error, option
from . import _base

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Array = NDArray[np.float64]

THREE = "hold (value, low, high), or a DiscrepancyRatio, for every name"
TWO = "hold (mean size, coverage), or a SetCoverage, for every name"


def forest(rows: Any, *, reference: float = 1.0, x_label: str = "", numbers: bool = False, ax: Any = None) -> Any:
    """Values with intervals, one above the other, and a line at a reference value.

    For discrepancy ratios: left of the line at 1 a model is nearer to the annotators than they are to each other; an interval that
    crosses the line leaves that open. Hollow circles are annotators, where rows come from a record.

    Parameters
    ----------
    rows : mapping of name to (value, low, high) or DiscrepancyRatio; or AnnotatorDiscrepancy, GroupedDiscrepancy or Evaluation
        From top to bottom. Of an evaluation its table ``humans``.
    reference : float
        Such as 1 for ratios.
    x_label : str
    numbers : bool
        Add the numbers to the names.
    ax : matplotlib Axes, optional
        Default: of a new figure.

    Returns
    -------
    matplotlib Axes
        What is not finite stands in its row in words.

    Raises
    ------
    ValueError
        If there is nothing to draw, or a row is something else.

    Examples
    --------
    >>> from ugt import plots
    >>> ax = plots.forest({"model": (0.9, 0.8, 1.05), "ann": (1.1, 1.0, 1.3)}, x_label="discrepancy ratio")
    >>> ax.lines[0].get_xdata().tolist(), [text.get_text() for text in ax.get_yticklabels()]
    ([0.8, 1.05], ['model', 'ann'])
    """
    given = _rows(rows)
    ax = _base.axes_of(ax, (4 + _base.longest([name for name, _, _ in given]), 1 + 0.28 * len(given)))
    names = []
    for i, (name, ends, human) in enumerate(given):
        value, low, high = ends
        colour = _base.COLOURS[int(human)]
        if np.isfinite([low, high]).all():
            ax.plot([low, high], [i, i], color=colour, linewidth=2, linestyle="--" if human else "-")
        if np.isfinite(value):
            face = "white" if human else colour
            ax.plot(value, i, "o" if human else "s", color=colour, markersize=6, markerfacecolor=face)
        if not np.isfinite(ends).all():
            where = {"transform": ax.get_yaxis_transform(), "ha": "right", "va": "center"}
            ax.text(0.98, i, _in_words(ends), fontsize="small", color="0.3", **where)
        names.append(_base.row_name(name, len(given)) + (f"  {_in_words(ends)}" if numbers else ""))
    ax.axvline(reference, color="0.5", linestyle="--", linewidth=1, zorder=0)
    _base.name_rows(ax, names)
    ax.set_xlabel(x_label)
    return ax


def _in_words(ends: tuple[float, ...]) -> str:
    value, low, high = ("undefined" if np.isnan(end) else f"{end:.2f}" if np.isfinite(end) else f"{end}" for end in ends)
    if np.isnan(ends[1]) and np.isnan(ends[2]):
        return value if np.isnan(ends[0]) else f"{value}, no interval"
    return f"{value} [{low}, {high}]"


def _rows(rows: Any) -> list[tuple[str, tuple[float, ...], bool]]:
    """Name, three numbers, and whether it is an annotator."""
    if hasattr(rows, "humans") or hasattr(rows, "table"):
        table = rows.humans if hasattr(rows, "humans") else rows.table()
        found = [(str(row["name"]), _ends(row), row["kind"] == "annotator") for row in table]
        if not found:
            raise error("rows", "hold something to draw", "an empty table")
        return found
    if hasattr(rows, "names") and hasattr(rows, "intervals"):
        both = zip(rows.names.tolist(), rows.value.tolist(), rows.intervals()[1:].tolist())
        return [(str(name), (value, *ends), False) for name, value, ends in both]
    return [(name, _three(name, one), False) for name, one in _base.named("rows", rows).items()]


def _ends(row: Any) -> tuple[float, ...]:
    return tuple(float(_base.column([row], key)[0]) for key in ("value", "low", "high"))


def _three(name: str, one: Any) -> tuple[float, ...]:
    if hasattr(one, "value") and hasattr(one, "interval"):
        one = (one.value, *one.interval())
    return _base.numbers("rows", one, 3, THREE, repr(name))


def coverage_and_size(coverage: Any, *, target: float | None = None, against: str = "mass", ax: Any = None) -> Any:
    """Coverage of prediction sets against their mean size.

    Sets should reach the wanted coverage with as few classes as can be: upwards the line is reached, to the left sets are small. A
    coverage whose interval lies above the line is bought with needlessly large sets.

    Parameters
    ----------
    coverage : SetCoverage, or mapping of name to these or to (mean size, coverage)
        Records come with intervals over cases.
    target : float, optional
        Wanted coverage, drawn as a line.
    against : {"mass", "best", "voted"}
        Which coverage of records: of a label drawn from the truth, of the most plausible class, of the voted label.
    ax : matplotlib Axes, optional
        Default: of a new figure.

    Returns
    -------
    matplotlib Axes
        The legend says what is undefined, and how many sets are empty and cases left out.

    Raises
    ------
    ValueError
        If there is nothing to draw, an entry is something else, or the option is unknown.

    Examples
    --------
    >>> import ugt
    >>> from ugt import plots
    >>> labels = ugt.Labels.from_counts([[6, 2, 2], [5, 0, 5]])
    >>> given = {"A": [[0], [2]], "B": [[0, 1], [2]]}
    >>> found = {name: ugt.PredictionSets.of(sets, n_classes=3).coverage(labels) for name, sets in given.items()}
    >>> ax = plots.coverage_and_size(found, target=0.9)
    >>> [line.get_xydata().round(2).tolist() for line in ax.lines if line.get_label() in found]
    [[[1.0, 0.55]], [[1.5, 0.65]]]
    """
    option("against", against, ("mass", "best", "voted"))
    given = _base.named("coverage", coverage)
    points = {name: _point(name, one, against) for name, one in given.items()}
    ax = _base.axes_of(ax)
    for i, (name, (size, share, low, high)) in enumerate(points.items(), start=_base.first_style(ax)):
        one, colour = given[name], _base.colour(i)
        known = np.isfinite(size) and np.isfinite(share)
        empty = int(getattr(one, "n_empty", 0))
        remarks = ("" if known else "undefined", f"{empty:,} empty" if empty else "", _base.left_out(getattr(one, against, None)))
        label = _base.labelled(name, *remarks)
        ax.plot(size, share, _base.marker(i), color=colour, label=label, linestyle="none", zorder=3)
        if known:
            _base.whiskers(ax, np.array([size]), np.array([low]), np.array([high]), colour)
    if target is not None:
        ax.axhline(target, color="0.5", linestyle="--", linewidth=1, zorder=0, label=f"wanted: {target:g}")
    return _base.finish(ax, "mean number of classes in a set", "coverage")


def _point(name: str, one: Any, against: str) -> tuple[float, ...]:
    """Size, coverage and its interval."""
    if hasattr(one, "mean_size") and hasattr(one, against):
        found = getattr(one, against)
        return (float(one.mean_size), float(found.value), *found.interval())
    return (*_base.numbers("coverage", one, 2, TWO, repr(name)), np.nan, np.nan)
