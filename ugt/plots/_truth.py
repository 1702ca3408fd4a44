"""Plots of the truth of cases: plausibilities of one case, and of three classes in a triangle."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from .._base.arrays import Array, Int64
from .._base.checks import error, whole
from .._base.counts import counted
from ..annotations import Rankings
from ..annotations.named import rows_of
from ..plausibilities import as_plausibilities
from . import _base

DOTS = 100  # draws of a case that are shown
MOST_RANKS = 6  # ranks of a class that are shown
HEIGHT = float(np.sqrt(3) / 2)  # height of the triangle
MUST = "be of shape (n, 3) and finite (or NaN in a whole row), not negative, and not 0 throughout a row"


def plausibilities(
    truth: Any,
    case: int | str,
    *,
    annotations: Any = None,
    points: Mapping[str, Any] | None = None,
    names: Sequence[Any] | None = None,
    top: int = 10,
    ax: Any = None,
) -> Any:
    """Draw the plausibilities of one case: bars of means, dots of draws, and the annotations of each class next to its name.

    Blue bars are means, black dots draws, and the hatched grey bar adds up the other classes. If the first bar is long and its dots are
    close together, the annotations settle the class under this truth model. If the dots of two classes cover the same range, either may
    be the most plausible one. Do not read a bar as the probability that a diagnosis is right: annotators may share an error.

    Parameters
    ----------
    truth : Point, Dirichlet, Draws, or array (N, K) or (N, draws, K)
        Plausibilities of the cases.
    case : int or str
        Position of the case, or its id as text; the title of the plot is the id.
    annotations : Labels or Rankings, optional
        Annotations of the same cases, joined by their ids, which add the numbers of labels, or the ranks that annotators gave, to the
        names of classes. Tied classes share their first rank.
    points : mapping of name to Point, Dirichlet, Draws or array (N, K), optional
        Other plausibilities of the same cases, whose means are drawn as markers on the bars, such as point estimates:
        ``{"ML": ugt.truth.plackett_luce_mle(rankings), "IRN": ugt.irn(rankings)}`` [A figures 5 and 15]. The legend names undefined ones.
    names : sequence of K names, optional
        Names of the classes. Default: those of the truth.
    top : int
        Largest number of classes shown, the most plausible first; the others, and classes of plausibility 0, are one bar.
    ax : matplotlib Axes, optional

    Returns
    -------
    matplotlib Axes
        The plot; for a case without annotations, a note instead of bars.

    Raises
    ------
    ValueError
        If the case does not exist, or annotations, points or names do not fit.
    TypeError
        If ``truth`` is neither plausibilities nor such an array.

    Examples
    --------
    >>> import ugt.plots
    >>> labels = ugt.Labels.from_counts([[1, 0, 1], [0, 1, 5]], classes=["a", "b", "c"])
    >>> ax = ugt.plots.plausibilities(ugt.dirichlet(labels), 1, annotations=labels)
    >>> [text.get_text() for text in ax.get_yticklabels()]
    ['c (5)', 'b (1)', 'a (0)']
    """
    known: Any = as_plausibilities(_base.truth("truth", truth))
    (at, title), most = _base.case_at(case, known.n_cases, known.axes.ids_or_none), whole("top", top)
    labels = [str(name) for name in (known.axes.classes if names is None else names)]
    if len(labels) != known.n_classes:
        raise error("names", f"be {known.n_classes} names, one per class", len(labels))
    said, beside = _said(annotations, at, known), {name: _mean(name, given, at, known) for name, given in (points or {}).items()}
    ax, one = _base.axes_of(ax), known.take(np.array([at], np.int64))
    ax.set_xlim(0, 1)
    ax.set_xlabel("plausibility")
    ax.set_title(title)
    mean = one.mean()[0]
    if not np.isfinite(mean).all():
        ax.set_yticks([])
        _base.note(ax, "undefined: no annotations")
        return ax
    order = np.argsort(-mean, kind="stable")[: min(most, int((mean > 0).sum()))]
    others = np.setdiff1d(np.arange(len(mean)), order)
    ax.barh(np.arange(len(order)), mean[order], color=_base.COLOURS[5], edgecolor=_base.COLOURS[0], height=0.7)
    shown = [f"{labels[k]} ({said[k]})" if said else labels[k] for k in order]
    if len(others):
        ax.barh([len(order)], [mean[others].sum()], color="0.9", edgecolor="0.5", height=0.7, hatch="//")
        shown.append(counted(len(others), "other"))
    if not one.is_certain:
        _dots(ax, one, order)
    for i, (name, values) in enumerate(beside.items(), start=1):
        x = np.append(values[order], [values[others].sum()] if len(others) else [])
        look = {"color": _base.colour(i), "markeredgecolor": "black", "linestyle": "none", "clip_on": False, "zorder": 3}
        ax.plot(x, np.arange(len(x)), _base.marker(i), label=_base.labelled(name, "" if np.isfinite(x).all() else "undefined"), **look)
    _base.name_rows(ax, shown)
    _base.legend(ax, "lower right")
    return ax


def _mean(name: str, given: Any, case: int, known: Any) -> Array:
    """Return the mean plausibilities of one case from plausibilities other than the truth."""
    other: Any = as_plausibilities(_base.truth("points", given))
    if (other.n_cases, other.n_classes) != (known.n_cases, known.n_classes):
        must = f"have {known.n_cases} cases and {known.n_classes} classes, as the truth"
        raise error("points", must, (other.n_cases, other.n_classes), repr(name))
    rows = rows_of("points", other.axes, known.axes)
    case = case if rows is None else int(rows[case])
    return np.asarray(other.take(np.array([case], np.int64)).mean()[0])


def _dots(ax: Any, one: Any, order: Int64) -> None:
    n = min(DOTS, one.n_draws or DOTS)
    values = one.draws(n)[0][:, order]
    shift = (np.arange(n) / max(n - 1, 1) - 0.5) * 0.5
    for j in range(len(order)):
        ax.plot(values[:, j], j + shift, ".", color="black", markersize=2, alpha=0.5)


def _said(annotations: Any, case: int, known: Any) -> list[str]:
    """Return the counts or ranks that annotators gave to each class, as text; an empty list without annotations."""
    if annotations is None:
        return []
    if not hasattr(annotations, "counts") and not isinstance(annotations, Rankings):
        raise error("annotations", "be Labels or Rankings", type(annotations).__name__)
    shape = annotations.axes.n_cases, annotations.axes.n_classes
    if shape != (known.n_cases, known.n_classes):
        raise error("annotations", f"have {known.n_cases} cases and {known.n_classes} classes, as the truth", shape)
    rows = rows_of("annotations", annotations.axes, known.axes)
    case = case if rows is None else int(rows[case])
    if not isinstance(annotations, Rankings):
        return [f"{n:,}" for n in annotations.counts()[case]]
    ranks: list[list[int]] = [[] for _ in range(known.n_classes)]
    for ranking in range(*annotations.case_offsets[case : case + 2]):
        begin, end = annotations.ranking_offsets[ranking : ranking + 2]
        for block in range(begin, end):
            first, last = annotations.block_offsets[block : block + 2]
            for item in annotations.items[first:last]:
                ranks[item].append(int(first - annotations.block_offsets[begin]) + 1)
    return [_ranks(sorted(given)) for given in ranks]


def _ranks(given: Sequence[int]) -> str:
    if not given:
        return "not ranked"
    more = f", … {len(given)} in all" if len(given) > MOST_RANKS else ""
    return f"{'rank' if len(given) == 1 else 'ranks'} {', '.join(map(str, given[:MOST_RANKS]))}{more}"


def ternary(draws: object, *, names: Sequence[Any] | None = None, ax: Any = None) -> Any:
    """Draw plausibilities of three classes in a triangle: draws of one case, or means of many cases.

    Each corner is a class: the closer a point is to the corner, the more plausible is the class; in the centre all three are equally
    plausible. Several series differ by colour and marker. If the draws of a case form a tight cloud at a corner, the annotations settle
    the case; if they lie along an edge, the annotations leave two classes open. Do not read a point at a corner as a correct class.

    Parameters
    ----------
    draws : (n, 3) array, Point, Dirichlet or Draws, or mapping of name to these
        Points to draw: an array such as ``posterior.draws(500)[case]``, or the mean of every case of plausibilities. Rows are divided by
        their sums; rows of NaN (cases without annotations) are counted in the legend.
    names : sequence of three names, optional
        Names of the left, right and top corner. Default: those of the classes, or none.
    ax : matplotlib Axes, optional

    Returns
    -------
    matplotlib Axes

    Raises
    ------
    ValueError
        If there are not three classes, or numbers are infinite or negative.

    Examples
    --------
    >>> import ugt.plots
    >>> ax = ugt.plots.ternary(ugt.dirichlet(ugt.Labels.from_counts([[6, 1, 0], [1, 1, 1]])).draws(100)[0], names=["a", "b", "c"])
    >>> ax.lines[1].get_xdata().shape, [text.get_text() for text in ax.texts]
    ((100,), ['a', 'b', 'c'])
    """
    given = _base.named("draws", draws)
    tables = {name: _rows(one) for name, one in given.items()}
    if names is None:
        names = next((one.axes.classes for one in given.values() if hasattr(one, "axes")), ("", "", ""))
    corners = list(names)
    if len(corners) != 3:
        raise error("names", "be three names", len(corners))
    ax = _base.axes_of(ax)
    start = _base.first_style(ax)
    ax.plot([0, 1, 0.5, 0], [0, 0, HEIGHT, 0], color="black", linewidth=1)
    for i, (name, (table, n)) in enumerate(tables.items(), start=start):
        label = _base.labelled(name, _base.undefined(n))
        look = {"marker": _base.marker(i) if name else ".", "markersize": 3, "alpha": 0.5, "linestyle": "none"}
        ax.plot(table[:, 1] + table[:, 2] / 2, table[:, 2] * HEIGHT, color=_base.colour(i), label=label, **look)
    for (x, y), corner, above in zip([(0, -0.03), (1, -0.03), (0.5, HEIGHT + 0.03)], corners, ("top", "top", "bottom")):
        ax.text(x, y, _base.shown(corner), ha="center", va=above)
    ax.set_aspect("equal")
    ax.set_xlim(-0.15, 1.15)
    ax.set_ylim(-0.12, HEIGHT + 0.12)
    ax.set_axis_off()
    _base.legend(ax, "upper left")
    return ax


def _rows(one: object) -> tuple[Array, int]:
    """Return the points of the triangle, and the number of undefined rows."""
    table = _base.means("draws", one, "plausibilities of three classes, or numbers (N, 3)")
    if table.ndim != 2 or table.shape[1] != 3:
        raise error("draws", MUST, f"shape {table.shape}")
    known = ~np.isnan(table).all(axis=1)
    table = table[known]
    bad = ~np.isfinite(table).all(axis=1) | (table < 0).any(axis=1) | (table.sum(axis=1) == 0)
    if bad.any():
        row = int(np.flatnonzero(bad)[0])
        raise error("draws", MUST, table[row].tolist(), f"row {int(np.flatnonzero(known)[row])}")
    return table / table.sum(axis=1, keepdims=True), int((~known).sum())
