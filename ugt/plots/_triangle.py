"""Plausibilities of three classes in a triangle."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from .._base.checks import error
from . import _base

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Array = NDArray[np.float64]

HEIGHT = float(np.sqrt(3) / 2)
MUST = "be of shape (n, 3) and finite (or NaN in a whole row), not negative, and not 0 throughout a row"


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
        Default: of a new figure.

    Returns
    -------
    matplotlib Axes

    Raises
    ------
    ValueError
        If there are not three classes, or numbers are infinite or negative.

    Examples
    --------
    >>> import ugt
    >>> from ugt import plots
    >>> ax = plots.ternary(ugt.dirichlet([[6, 1, 0], [1, 1, 1]]).draws(100)[0], names=["a", "b", "c"])
    >>> ax.lines[1].get_xdata().shape, [text.get_text() for text in ax.texts]
    ((100,), ['a', 'b', 'c'])
    """
    given = _base.named("draws", draws)
    tables = {name: _rows(one) for name, one in given.items()}
    corners = _corners(names, given)
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


def _corners(names: Sequence[Any] | None, given: dict[str, Any]) -> list[str]:
    if names is None:
        names = next((one.axes.classes for one in given.values() if hasattr(one, "axes")), ("", "", ""))
    corners = [str(name) for name in names]
    if len(corners) != 3:
        raise error("names", "be three names", len(corners))
    return corners
