"""Plots of the ranks of models that data leave open."""

from __future__ import annotations

from typing import Any

import numpy as np

from .._base.checks import error
from . import _base

SPREAD = 0.7  # of the height of a row, over which the bars of several records are spread


def rank_sets(found: Any, *, ax: Any = None) -> Any:
    """Draw the ranks that the data leave open, one bar per model, from its best rank to its worst.

    Models are in the order of their values, and the marker is the rank of the value. Bars that overlap do not show that a pair is open:
    ``found.pairs`` has every pair. If bars over other annotators are long and those over these annotators are short, more annotators are
    needed, not more cases. Do not read a bar as probabilities of ranks: use :func:`rank_heat_map` for resamples.

    Parameters
    ----------
    found : RankSets, or mapping of name to these
        Rank sets by :func:`ugt.rank_sets`; several of the same models are drawn beside each other.
    ax : matplotlib Axes, optional

    Returns
    -------
    matplotlib Axes
        The rows have the models, the legend the names of several rank sets.

    Raises
    ------
    ValueError
        If ``found`` is something else, or holds rank sets of other models.

    Examples
    --------
    >>> import ugt.plots
    >>> labels = ugt.Labels.from_wide([[1, 1, 0], [0, 0, 0], [1, 0, 1], [0, 0, 1]] * 20)
    >>> scores = {"good": [0.9, 0.1, 0.8, 0.2] * 20, "bad": [0.2, 0.7, 0.4, 0.9] * 20}
    >>> results = {name: ugt.soft_auroc(labels, one) for name, one in scores.items()}
    >>> ax = ugt.plots.rank_sets(ugt.rank_sets(results, random=("cases",)))
    >>> [text.get_text() for text in ax.get_yticklabels()], [int(end) for end in ax.lines[0].get_xdata()]
    (['good', 'bad'], [1, 1])
    """
    given = _base.records("found", found, "RankSets, as ugt.rank_sets returns", "rank_low", "rank_high", "pairs")
    first = next(iter(given.values()))
    names = [row["model"] for row in first.table()]
    for name, one in given.items():
        if sorted(one.models) != sorted(names):
            raise error("found", f"have rank sets of the same {len(names)} models", f"those of {', '.join(one.models)}", repr(name))
    ax = _base.axes_of(ax, (3.5 + _base.longest(names), 1 + 0.3 * len(names)))
    for i, (name, one) in enumerate(given.items()):
        _bars(ax, one, names, (i + 0.5) / len(given) - 0.5, _base.first_style(ax), _base.labelled(name))
    _base.name_rows(ax, names)
    lines = len(ax.get_legend_handles_labels()[0])
    if 0 < lines <= _base.FEW_LINES:
        ax.set_ylim(len(names) - 0.5 + max(0.6 * lines, 1.0), -0.5)  # room for the legend below the rows
    ax.set_xlim(0.5, len(names) + 0.5)
    ax.set_xticks(range(1, len(names) + 1) if len(names) <= _base.SOME_ROWS else np.linspace(1, len(names), 8).round())
    return _base.finish(ax, "rank", "", "lower left")


def _bars(ax: Any, found: Any, names: list[str], above: float, i: int, label: str | None) -> None:
    """Draw the rank sets of one record, each from end to end, with a marker at the rank of the value."""
    rows = {row["model"]: (place, row) for place, row in enumerate(found.table(), start=1)}
    style = {**_base.style(i), "marker": "|", "markersize": 8, "linewidth": 2.5}
    for y, name in enumerate(names):
        place, row = rows[name]
        at = [y + SPREAD * above] * 2
        ax.plot([row["rank_low"], row["rank_high"]], at, label=label if y == 0 else None, **style)
        ax.plot(place, at[0], _base.marker(i), color=_base.colour(i), markersize=6, zorder=3)
