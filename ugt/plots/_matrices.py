"""Tables as pictures: probabilities of ranks, ranks by reliability, agreement of annotators."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from .._base.checks import error, option
from ..resampling import Resamples
from . import _base

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Array = NDArray[np.float64]

MOST_WRITTEN = 16  # rows or columns of a table whose numbers are legible
SHORT = 4  # letters of names that stand beside each other


def rank_heat_map(probability: Any, names: Sequence[Any] | None = None, *, metric: str | None = None, ax: Any = None) -> Any:
    """Probabilities of ranks, models by ranks, as numbers on shades of grey.

    A dark cell in a row: the rank of that model is as good as certain. A row that is grey all along: these cases do not say where the
    model stands.

    Parameters
    ----------
    probability : (M, M) array, Resamples or RankingStability
        An array as ``Resamples.rank_probability`` gives it; of resamples where higher is better.
    names : sequence of M names, optional
        Default: those of the record, or 1 to M.
    metric : str, optional
        Of a RankingStability: one of its metrics. Default: the first.
    ax : matplotlib Axes, optional
        Default: of a new figure.

    Returns
    -------
    matplotlib Axes
        Over 16 models have a scale of greys instead of numbers. Undefined cells are marked and counted in the title.

    Raises
    ------
    ValueError
        If the table does not fit the names, or the metric is unknown.

    Examples
    --------
    >>> import ugt
    >>> from ugt import plots
    >>> right = [[1, 1, 0], [1, 0, 0], [1, 1, 1], [0, 1, 0], [1, 1, 0]]
    >>> ax = plots.rank_heat_map(ugt.bootstrap(right, n_resamples=200, seed=1), ["A", "B", "C"])
    >>> [text.get_text() for text in ax.get_yticklabels()], len(ax.texts)
    (['A', 'B', 'C'], 9)
    """
    if hasattr(probability, "resampled") and hasattr(probability, "metrics"):
        names = probability.models if names is None else names
        m = probability.metrics.index(option("metric", probability.metrics[0] if metric is None else metric, probability.metrics))
        probability = Resamples(probability.values[m], probability.resampled[m])
    elif metric is not None:
        raise error("metric", "be None but for a RankingStability", repr(metric))
    values = probability.rank_probability() if hasattr(probability, "rank_probability") else probability
    table, rows = _table("probability", values, names, 1)
    blank = np.zeros(table.shape, bool)
    return _heat(table, _texts(table), blank, rows, [str(1 + rank) for rank in range(len(rows))], ("rank", ""), (0.0, 1.0), ax)


def rank_by_reliability(evaluation: Any, metric: str = "topk_accuracy", k: int | None = 1, *, ax: Any = None) -> Any:
    r"""Rank of every model at every reliability, with the interval of the rank over resamples of the cases.

    A row that changes from left to right: the place of that model depends on how far annotators are trusted. Intervals say which of
    these changes another set of cases might undo. Darker is better.

    Parameters
    ----------
    evaluation : Evaluation
        With at least two models.
    metric, k
        Which rows of ``evaluation.metrics``.
    ax : matplotlib Axes, optional
        Default: of a new figure.

    Returns
    -------
    matplotlib Axes
        Tied models share the best of their ranks. Undefined cells are marked and counted in the title.

    Raises
    ------
    ValueError
        If there is no such metric with reliabilities.

    Examples
    --------
    >>> import ugt
    >>> from ugt import plots
    >>> models = {"A": [[0.7, 0.3], [0.4, 0.6]], "B": [[0.2, 0.8], [0.4, 0.6]]}
    >>> ax = plots.rank_by_reliability(ugt.evaluate([[6, 2], [1, 3]], models, reliability=(1, 2), k=1, n_resamples=50))
    >>> [text.get_text() for text in ax.texts]
    ['1\n[1, 2]', '1\n[1, 2]', '2\n[1, 2]', '2\n[1, 2]']
    """
    _base.records("evaluation", evaluation, "an Evaluation", "metrics", "models")
    cells = {
        (row["model"], row["reliability"]): row
        for row in evaluation.metrics
        if (row["metric"], row["k"]) == (metric, k) and row["reliability"] is not None
    }
    if not cells:
        known = sorted({str((row["metric"], row["k"])) for row in evaluation.metrics})
        raise error("metric", f"be one with reliabilities, of {', '.join(known)}", repr((metric, k)))
    models, reliabilities = list(evaluation.models), sorted({at for _, at in cells})
    value = np.array([_base.column([cells[model, at] for at in reliabilities], "value") for model in models])
    rank = np.where(np.isnan(value), np.nan, 1.0 + (value[None] > value[:, None] + 1e-12).sum(axis=1))
    ends = [[cells[model, at] for at in reliabilities] for model in models]
    between = "\n" if len(models) <= _base.FEW_ROWS else " "
    texts = [[_rank_text(place, row, between) for place, row in zip(*line)] for line in zip(rank.tolist(), ends)]
    shade = (len(models) - rank) / max(len(models) - 1, 1)
    names = [f"{at:g}" for at in reliabilities]
    blank = np.zeros(rank.shape, bool)
    ax = _heat(0.75 * shade, texts, blank, [str(m) for m in models], names, ("reliability", ""), (0.0, 1.0), ax, always=True)
    _base.note(ax, f"rank by {_base.metric_name(metric, k)}")
    return ax


def _rank_text(rank: float, row: Any, between: str) -> str:
    low, high = (_base.column([row], key)[0] for key in ("rank_low", "rank_high"))
    interval = f"{between}[{low:g}, {high:g}]" if np.isfinite([low, high]).all() else ""
    return "–" if np.isnan(rank) else f"{rank:g}{interval}"


def agreement_matrix(matrix: Any, names: Sequence[Any] | None = None, *, ax: Any = None) -> Any:
    """Agreement of pairs of annotators as numbers on shades of grey.

    A light row is an annotator who sees things in another way than the others; two dark blocks are two schools.

    Parameters
    ----------
    matrix : (A, A) array or PairwiseAgreement
    names : sequence of A names, optional
        Default: those of the record, or 0 to A-1.
    ax : matplotlib Axes, optional
        Default: of a new figure.

    Returns
    -------
    matplotlib Axes
        Over 16 annotators have a scale of greys instead of numbers. Pairs without agreement (no shared case) are marked and counted in
        the title; the diagonal stays white where it is undefined.

    Raises
    ------
    ValueError
        If the matrix does not fit the names.

    Examples
    --------
    >>> import ugt
    >>> from ugt import plots
    >>> labels = ugt.Labels.from_wide([[0, 0, 1], [1, 1, 1], [0, 0, None], [1, 0, 1]], annotators=["ann", "bob", "eve"])
    >>> ax = plots.agreement_matrix(ugt.pairwise_agreement(labels, "percent"))
    >>> [text.get_text() for text in ax.texts]
    ['0.75', '0.67', '0.75', '0.33', '0.67', '0.33']
    """
    if hasattr(matrix, "annotators") and hasattr(matrix, "value"):
        matrix, names = matrix.value, matrix.annotators if names is None else names
    table, rows = _table("matrix", matrix, names, 0)
    blank = np.eye(len(rows), dtype=bool) & np.isnan(table)
    known = table[np.isfinite(table)]
    ends = min(0.0, float(known.min(initial=0.0))), max(1.0, float(known.max(initial=1.0)))
    return _heat(table, _texts(table), blank, rows, rows, ("", ""), ends, ax)


def _table(argument: str, values: Any, names: Sequence[Any] | None, first: int) -> tuple[Array, list[str]]:
    """A square table and the names of its rows; without names they are counted from ``first``."""
    table = _base.array(argument, values)
    if table.ndim != 2 or table.size == 0 or table.shape[0] != table.shape[1]:
        raise error(argument, "be a square table", f"shape {table.shape}")
    rows = [str(name) for name in (range(first, first + len(table)) if names is None else names)]
    if len(rows) != len(table):
        raise error(argument, f"be of shape ({len(rows)}, {len(rows)}), as there are names", table.shape)
    return table, rows


def _texts(table: Array) -> list[list[str]]:
    return [[f"{value:.2f}" if np.isfinite(value) else "–" for value in row] for row in table.tolist()]


def _heat(
    table: Array,
    texts: list[list[str]],
    blank: NDArray[np.bool_],
    rows: list[str],
    columns: list[str],
    labels: tuple[str, str],
    ends: tuple[float, float],
    ax: Any,
    *,
    always: bool = False,
) -> Any:
    """Greys with numbers in them; ``blank``: cells that have none by nature; ``always``: numbers in large tables, too."""
    slanted = {"rotation": 45, "ha": "right", "rotation_mode": "anchor"} if max(map(len, columns)) > SHORT else {}
    below = 0.7 * _base.longest(columns) if slanted else 0.0
    width = 0.1 * max(len(text) for row in texts for text in row[:1]) if always else 0.45
    ax = _base.axes_of(ax, (1 + width * len(columns) + _base.longest(rows), 1 + 0.28 * len(rows) + below))
    image = ax.imshow(np.ma.masked_invalid(table), cmap="Greys", vmin=ends[0], vmax=ends[1], aspect="auto")
    if always or max(table.shape) <= MOST_WRITTEN:
        for i, j in np.argwhere(~blank):
            dark = (table[i, j] - ends[0]) / (ends[1] - ends[0]) > 0.55
            ax.text(j, i, texts[i][j], ha="center", va="center", color="white" if dark else "black")
    else:
        ax.figure.colorbar(image, ax=ax)
    ax.set_xticks(range(len(columns)))
    ax.set_xticklabels([_base.shown(name, _base.WIDER) for name in columns], fontsize=_base.row_size(len(columns)), **slanted)
    _base.name_rows(ax, [_base.row_name(name, len(rows)) for name in rows])
    n = int((np.isnan(table) & ~blank).sum())
    _base.note(ax, f"{_base.counted(n, 'cell')} undefined (–)" if n else "")
    return _base.finish(ax, *labels)
