"""The truth of cases: plausibilities of one case, and of three classes in a triangle."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from .._base.arrays import Array, Int64
from .._base.checks import error, whole
from ..annotations import Rankings
from ..plausibilities import as_plausibilities
from . import _base

DOTS = 100  # draws shown of a case
MOST_RANKS = 6  # shown of a class
HEIGHT = float(np.sqrt(3) / 2)  # of the triangle
MUST = "be of shape (n, 3) and finite (or NaN in a whole row), not negative, and not 0 throughout a row"


def plausibilities(
    truth: Any,
    case: int,
    *,
    annotations: Any = None,
    points: Mapping[str, Any] | None = None,
    names: Sequence[Any] | None = None,
    top: int = 10,
    ax: Any = None,
) -> Any:
    """Plausibilities of one case: bars of means, dots of draws, and beside each class what annotators said of it.

    A long first bar with its dots close together: annotators leave no doubt. Dots of two classes over the same range: either may be the
    true one.

    Parameters
    ----------
    truth : Point, Dirichlet, Draws, or array (N, K) or (N, draws, K)
    case : int
        Position of the case.
    annotations : Labels or Rankings, optional
        Adds to the names of classes the numbers of labels, or the ranks that annotators gave (tied classes share the first of theirs).
    points : mapping of name to Point, Dirichlet, Draws or array (N, K), optional
        Other plausibilities of the same cases, whose means are drawn as markers beside the bars, such as point estimates:
        ``{"ML": ugt.plackett_luce_mle(rankings), "IRN": ugt.irn(rankings)}`` [A figures 5 and 15]. The legend says where one is
        undefined.
    names : sequence of K names, optional
        Default: those of the truth.
    top : int
        Most classes shown, the most plausible ones; the others are one bar. Classes of plausibility 0 are others, too.
    ax : matplotlib Axes, optional

    Returns
    -------
    matplotlib Axes
        Without bars, and with a note, where the case has no annotations.

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
    known: Any = as_plausibilities(truth if hasattr(truth, "axes") else _base.array("truth", truth))
    at, most = whole("case", case, 0, known.n_cases - 1), whole("top", top)
    labels = [str(name) for name in (known.axes.classes if names is None else names)]
    if len(labels) != known.n_classes:
        raise error("names", f"be {known.n_classes} names, one a class", len(labels))
    said, beside = _said(annotations, at, known), {name: _mean(name, given, at, known) for name, given in (points or {}).items()}
    ax, one = _base.axes_of(ax), known.take(np.array([at]))
    ax.set_xlim(0, 1)
    ax.set_xlabel("plausibility")
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
        shown.append(_base.counted(len(others), "other"))
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
    """Mean plausibilities of one case, of others than the truth."""
    other: Any = as_plausibilities(given if hasattr(given, "axes") else _base.array("points", given))
    if (other.n_cases, other.n_classes) != (known.n_cases, known.n_classes):
        must = f"have {known.n_cases} cases and {known.n_classes} classes, as the truth"
        raise error("points", must, (other.n_cases, other.n_classes), repr(name))
    return np.asarray(other.take(np.array([case])).mean()[0])


def _dots(ax: Any, one: Any, order: Int64) -> None:
    n = min(DOTS, one.n_draws or DOTS)
    values = one.draws(n)[0][:, order]
    shift = (np.arange(n) / max(n - 1, 1) - 0.5) * 0.5
    for j in range(len(order)):
        ax.plot(values[:, j], j + shift, ".", color="black", markersize=2, alpha=0.5)


def _said(annotations: Any, case: int, known: Any) -> list[str]:
    """What annotators said of each class, in a word; nothing without annotations."""
    if annotations is None:
        return []
    if not hasattr(annotations, "counts") and not isinstance(annotations, Rankings):
        raise error("annotations", "be Labels or Rankings", type(annotations).__name__)
    shape = annotations.axes.n_cases, annotations.axes.n_classes
    if shape != (known.n_cases, known.n_classes):
        raise error("annotations", f"have {known.n_cases} cases and {known.n_classes} classes, as the truth", shape)
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


def ternary(draws: Any, *, names: Sequence[Any] | None = None, ax: Any = None) -> Any:
    """Plausibilities of three classes in a triangle: draws of a case, or means of many cases.

    Each corner is a class; a point is the nearer to it the more plausible the class, and in the middle all three are alike. A tight
    cloud at a corner: annotations settle the case; a cloud along an edge: they leave two classes open.

    Parameters
    ----------
    draws : (n, 3) array, Point, Dirichlet or Draws, or mapping of name to these
        An array such as ``posterior.draws(500)[case]``; of plausibilities the mean of every case. Rows are divided by their sums; rows
        of NaN (cases without annotations) are counted in the legend.
    names : sequence of three names, optional
        Of the corners: left, right, top. Default: those of the classes, or none.
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


def _rows(one: Any) -> tuple[Array, int]:
    """Points of the triangle, and how many are undefined."""
    table = _base.array("draws", one.mean() if hasattr(one, "axes") else one)
    if table.ndim != 2 or table.shape[1] != 3:
        raise error("draws", MUST, f"shape {table.shape}")
    known = ~np.isnan(table).all(axis=1)
    table = table[known]
    bad = ~np.isfinite(table).all(axis=1) | (table < 0).any(axis=1) | (table.sum(axis=1) == 0)
    if bad.any():
        row = int(np.flatnonzero(bad)[0])
        raise error("draws", MUST, table[row].tolist(), f"row {int(np.flatnonzero(known)[row])}")
    return table / table.sum(axis=1, keepdims=True), int((~known).sum())
