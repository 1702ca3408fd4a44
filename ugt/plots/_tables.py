"""Plots of tables: shares of ranks, ranks by reliability, agreement of annotators; and values with intervals."""

from __future__ import annotations

import inspect
from collections.abc import Sequence
from typing import Any

import numpy as np

from .._base.arrays import Array
from .._base.checks import error, option
from .._base.counts import counted
from .._base.records import Record
from ..resampling import Resamples
from . import _base

MOST_WRITTEN = 16  # most rows or columns of a table whose numbers are legible
SHORT = 4  # most letters of column names that are not slanted
THREE = "hold (value, low, high), or a DiscrepancyRatio, for every name"
WITH_ENDS = "records with a value and an interval, a table of annotators (AnnotatorDiscrepancy, AnnotatorStrictness), or an Evaluation"
TWO = "hold (mean size, coverage), or a SetCoverage, for every name"


def rank_heat_map(probability: Any, names: Sequence[Any] | None = None, *, metric: str | None = None, ax: Any = None) -> Any:
    """Draw the shares of resamples in which each model has each rank, as numbers on shades of grey.

    Each row is a model and each column a rank; the darker the cell, the larger the share. If a row has one dark cell, the rank of the
    model hardly changes between resamples; if the whole row is grey, these cases do not settle the rank. Do not read a share as the
    probability of a rank, or the first column as that of the best model. Models of nearly equal value exchange ranks, too.

    Parameters
    ----------
    probability : (M, M) array, Resamples or RankingStability
        Shares as ``Resamples.rank_share`` returns them, or resamples of a metric of which higher is better.
    names : sequence of M names, optional
        Names of the models. Default: those of the record, or 1 to M.
    metric : str, optional
        For a RankingStability, one of its metrics. Default: the first.
    ax : matplotlib Axes, optional

    Returns
    -------
    matplotlib Axes
        The plot; with more than 16 models, a scale of greys replaces the numbers. Undefined cells are marked and counted in the title.

    Raises
    ------
    ValueError
        If the table does not fit the names, or the metric is unknown.

    Examples
    --------
    >>> import ugt.plots
    >>> right = [[1, 1, 0], [1, 0, 0], [1, 1, 1], [0, 1, 0], [1, 1, 0]]
    >>> ax = ugt.plots.rank_heat_map(ugt.bootstrap(right, n_resamples=200, seed=1), ["A", "B", "C"])
    >>> [text.get_text() for text in ax.get_yticklabels()], len(ax.texts)
    (['A', 'B', 'C'], 9)
    """
    if hasattr(probability, "resampled") and hasattr(probability, "metrics"):
        names = probability.models if names is None else names
        m = probability.metrics.index(option("metric", probability.metrics[0] if metric is None else metric, probability.metrics))
        probability = Resamples(probability.values[m], probability.resampled[m])
    elif metric is not None:
        raise error("metric", "be None except for a RankingStability", repr(metric))
    values = probability.rank_share() if hasattr(probability, "rank_share") else probability
    table, rows = _table("probability", values, names, 1)
    return _heat(table, _texts(table), rows, [str(1 + rank) for rank in range(len(rows))], "rank", ax)


def rank_by_reliability(evaluation: Any, metric: str = "topk_accuracy", k: int | None = 1, *, ax: object = None) -> Any:
    r"""Draw the rank of every model at every reliability, with the interval of the rank over resamples of the cases.

    Each row is a model and each column a reliability; darker cells are better ranks. If a row changes from left to right, the rank of the
    model depends on the reliability; its intervals show whether another set of cases could undo the change. Do not read ranks as sizes of
    differences: neighbouring ranks may belong to values that cannot be distinguished.

    Parameters
    ----------
    evaluation : Evaluation
        Evaluation of at least two models.
    metric, k
        Name and k of the rows of ``evaluation.metrics``.
    ax : matplotlib Axes, optional

    Returns
    -------
    matplotlib Axes
        The plot. Tied models share the best of their ranks. Undefined cells are marked and counted in the title.

    Raises
    ------
    ValueError
        If no such metric has reliabilities.

    Examples
    --------
    >>> import ugt.plots
    >>> models = {"A": [[0.7, 0.3], [0.4, 0.6]], "B": [[0.2, 0.8], [0.4, 0.6]]}
    >>> labels = ugt.Labels.from_counts([[6, 2], [1, 3]])
    >>> ax = ugt.plots.rank_by_reliability(ugt.evaluate(labels, models, reliability=(1, 2), k=1, n_resamples=50))
    >>> [text.get_text() for text in ax.texts]
    ['1\n[1, 2]', '1\n[1, 2]', '2\n[1, 2]', '2\n[1, 2]']
    """
    _base.records("evaluation", evaluation, "an Evaluation", "metrics", "models", "tables")
    cells = {(row["model"], row["reliability"]): row for row in _base.rows_of_metric(evaluation, metric, k)}
    models, reliabilities = list(evaluation.models), sorted({at for _, at in cells})
    value = np.array([_base.column([cells[model, at] for at in reliabilities], "value") for model in models])
    rank = np.where(np.isnan(value), np.nan, 1.0 + (value[None] > value[:, None] + 1e-12).sum(axis=1))
    ends = [[cells[model, at] for at in reliabilities] for model in models]
    between = "\n" if len(models) <= _base.FEW_ROWS else " "
    texts = [[_rank_text(place, row, between) for place, row in zip(*line)] for line in zip(rank.tolist(), ends)]
    shade = (len(models) - rank) / max(len(models) - 1, 1)
    ax = _heat(0.75 * shade, texts, [str(m) for m in models], [f"{at:g}" for at in reliabilities], "reliability", ax, always=True)
    _base.note(ax, f"rank by {_base.metric_name(metric, k)}")
    return ax


def _rank_text(rank: float, row: Any, between: str) -> str:
    low, high = _base.cells(row, "rank_low", "rank_high")
    interval = f"{between}[{low:g}, {high:g}]" if np.isfinite([low, high]).all() else ""
    return "–" if np.isnan(rank) else f"{rank:g}{interval}"


def agreement_matrix(matrix: Any, names: Sequence[Any] | None = None, *, ax: object = None) -> Any:
    """Draw the agreement of pairs of annotators as numbers on shades of grey.

    Darker cells are higher agreement. An annotator with a light row agrees less with the others; two dark blocks are two groups that agree
    within themselves. Do not read agreement as correctness: the annotator with the light row may be the one who is right. Pairs may share
    different cases, so that small differences need intervals.

    Parameters
    ----------
    matrix : (A, A) array or PairwiseAgreement
        Agreement of each pair.
    names : sequence of A names, optional
        Names of the annotators. Default: those of the record, or 0 to A-1.
    ax : matplotlib Axes, optional

    Returns
    -------
    matplotlib Axes
        The plot; with more than 16 annotators, a scale of greys replaces the numbers. Pairs without agreement (no shared case) are marked
        and counted in the title; an undefined diagonal stays white.

    Raises
    ------
    ValueError
        If the matrix does not fit the names.

    Examples
    --------
    >>> import ugt.plots
    >>> labels = ugt.Labels.from_wide([[0, 0, 1], [1, 1, 1], [0, 0, None], [1, 0, 1]], annotators=["ann", "bob", "eve"])
    >>> ax = ugt.plots.agreement_matrix(ugt.agreement.pairwise_agreement(labels, "percent"))
    >>> [text.get_text() for text in ax.texts]
    ['0.75', '0.67', '0.75', '0.33', '0.67', '0.33']
    """
    if hasattr(matrix, "annotators") and hasattr(matrix, "value"):
        matrix, names = matrix.value, matrix.annotators if names is None else names
    table, rows = _table("matrix", matrix, names, 0)
    known = table[np.isfinite(table)]
    ends = float(known.min(initial=0.0)), float(known.max(initial=1.0))
    return _heat(table, _texts(table), rows, rows, "", ax, ends, np.eye(len(rows), dtype=bool) & np.isnan(table))


def _table(argument: str, values: object, names: Sequence[Any] | None, first: int) -> tuple[Array, list[str]]:
    """Return a square table and the names of its rows, which by default are numbers from ``first`` on."""
    table = _base.array(argument, values)
    if table.ndim != 2 or table.size == 0 or table.shape[0] != table.shape[1]:
        raise error(argument, "be a square table", f"shape {table.shape}")
    rows = [str(name) for name in (range(first, first + len(table)) if names is None else names)]
    if len(rows) != len(table):
        raise error(argument, f"be of shape ({len(rows)}, {len(rows)}), as the number of names", table.shape)
    return table, rows


def _texts(table: Array) -> list[list[str]]:
    return [[f"{value:.2f}" if np.isfinite(value) else "–" for value in row] for row in table.tolist()]


def _heat(
    table: Array,
    texts: list[list[str]],
    rows: list[str],
    columns: list[str],
    label: str,
    ax: Any,
    ends: tuple[float, float] = (0.0, 1.0),
    blank: Any = False,
    *,
    always: bool = False,
) -> Any:
    """Draw a table as greys with numbers; ``blank`` cells never have a number; with ``always``, large tables have numbers, too."""
    blank = np.broadcast_to(blank, table.shape)
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
    _base.name_rows(ax, rows)
    n = int((np.isnan(table) & ~blank).sum())
    _base.note(ax, f"{counted(n, 'cell')} undefined (–)" if n else "")
    return _base.finish(ax, label, "")


def forest(rows: Any, *, reference: float | None = None, x_label: str = "", numbers: bool = False, ax: Any = None) -> Any:
    """Draw values with intervals, one per row, and a dashed line at a reference value.

    Rows are blue squares with solid lines, except that annotators of a record are hollow orange circles with dashed lines.
    For discrepancy ratios, a model to the left of 1 is closer to the annotators than they are to each other; if the interval includes 1,
    the data do not show this. It does not mean that the model is better than the annotators. Do not compare two rows by the overlap of
    their intervals: use the paired difference.

    Parameters
    ----------
    rows : mapping of name to (value, low, high) or DiscrepancyRatio; or a record that is listed below
        Rows from top to bottom. Records: AnnotatorDiscrepancy, GroupedDiscrepancy; AnnotatorStrictness with its joint intervals; Evaluation
        with its table ``humans``.
    reference : float, optional
        Position of the line. Default: 0 for AnnotatorStrictness, else 1, as for ratios.
    x_label : str
        Label of the horizontal axis.
    numbers : bool
        Whether to add the numbers to the names.
    ax : matplotlib Axes, optional

    Returns
    -------
    matplotlib Axes
        The plot; a row with numbers that are not finite has them in words.

    Raises
    ------
    ValueError
        If there is nothing to draw, or a row is something else.

    Examples
    --------
    >>> import ugt.plots
    >>> ax = ugt.plots.forest({"model": (0.9, 0.8, 1.05), "ann": (1.1, 1.0, 1.3)}, x_label="discrepancy ratio")
    >>> ax.lines[0].get_xdata().tolist(), [text.get_text() for text in ax.get_yticklabels()]
    ([0.8, 1.05], ['model', 'ann'])
    >>> strictness = ugt.agreement.annotator_strictness([[1, 2, 2], [0, 2, 1], [3, 3, 3], [1, 3, 2]] * 3)
    >>> ax = ugt.plots.forest(strictness, x_label="strictness, grades")
    >>> [text.get_text() for text in ax.get_yticklabels()]
    ['1', '2', '0']
    """
    given = _rows(rows)
    ax = _base.axes_of(ax, (4 + _base.longest([name for name, _, _ in given]), 1 + 0.28 * len(given)))
    for i, (_, ends, human) in enumerate(given):
        value, low, high = ends
        colour = _base.COLOURS[int(human)]
        if np.isfinite([low, high]).all():
            ax.plot([low, high], [i, i], color=colour, linewidth=2, linestyle="--" if human else "-")
        if np.isfinite(value):
            ax.plot(value, i, "o" if human else "s", color=colour, markersize=6, markerfacecolor="white" if human else colour)
        if not np.isfinite(ends).all():
            where = {"transform": ax.get_yaxis_transform(), "ha": "right", "va": "center"}
            ax.text(0.98, i, _in_words(ends), fontsize="small", color="0.3", **where)
    reference = (0.0 if hasattr(rows, "others_spread") else 1.0) if reference is None else reference
    ax.axvline(reference, color="0.5", linestyle="--", linewidth=1, zorder=0)
    _base.name_rows(ax, [name for name, _, _ in given], [f"  {_in_words(ends)}" for _, ends, _ in given if numbers])
    ax.set_xlabel(x_label)
    return ax


def _in_words(ends: tuple[float, ...]) -> str:
    value, low, high = ("undefined" if np.isnan(end) else f"{end:.2f}" if np.isfinite(end) else f"{end}" for end in ends)
    if np.isnan(ends[1]) and np.isnan(ends[2]):
        return value if np.isnan(ends[0]) else f"{value}, no interval"
    return f"{value} [{low}, {high}]"


def _rows(rows: Any) -> list[tuple[str, tuple[float, ...], bool]]:
    """Return for each row its name, three numbers, and whether it is an annotator."""
    if hasattr(rows, "others_spread"):
        return [(row["annotator"], _base.cells(row, "strictness", "joint_low", "joint_high"), True) for row in rows.table()]
    if hasattr(rows, "humans") or callable(getattr(rows, "table", None)):
        table = rows.humans if hasattr(rows, "humans") else rows.table()
        if any(not {"name", "kind", "value", "low", "high"} <= set(row) for row in table):
            raise _base.wrong_kind("rows", WITH_ENDS, rows)
        found = [(str(row["name"]), _base.cells(row, "value", "low", "high"), row["kind"] == "annotator") for row in table]
        if not found:
            raise error("rows", "hold something to draw", "an empty table")
        return found
    if isinstance(getattr(rows, "names", None), np.ndarray) and hasattr(rows, "intervals"):
        both = zip(rows.names.tolist(), rows.value.tolist(), rows.intervals()[1:].tolist())
        return [(str(name), (value, *ends), False) for name, value, ends in both]
    found = []
    for name, one in _base.named("rows", rows).items():
        if isinstance(one, Record) and not (hasattr(one, "value") and _is_of_value(one)):
            raise _base.wrong_kind("rows", WITH_ENDS, one, repr(name) if name else "")
        three = (one.value, *one.interval()) if hasattr(one, "value") and hasattr(one, "interval") else one
        found.append((name, _base.numbers("rows", three, 3, THREE, repr(name)), False))
    return found


def _is_of_value(one: object) -> bool:
    """Return whether a record has an interval of its value, whose first argument is the level; those of plans are of other numbers."""
    return hasattr(one, "interval") and next(iter(inspect.signature(one.interval).parameters), "") == "level"


def coverage_and_size(coverage: object, *, target: float | None = None, against: str = "mass", ax: Any = None) -> Any:
    """Draw the coverage of prediction sets against their mean size.

    Each method is one marker, with a whisker for the interval of its coverage; the dashed line is the wanted coverage. Good sets reach the
    line with few classes, that is, to the left. If the whole interval lies above the line, the sets are larger than needed. Do not read
    mean coverage as coverage of every class or group: :meth:`ugt.conformal.PredictionSets.coverage_by_class` and ``coverage_by_group`` show
    these.

    Parameters
    ----------
    coverage : SetCoverage, or mapping of name to these or to (mean size, coverage)
        Coverage of each method; records have intervals over cases.
    target : float, optional
        Wanted coverage, drawn as a line.
    against : {"mass", "best", "voted"}
        Coverage of records to draw: of a label drawn from the truth, of the most plausible class, of the voted label.
    ax : matplotlib Axes, optional

    Returns
    -------
    matplotlib Axes
        The legend names undefined values and counts empty sets and cases left out.

    Raises
    ------
    ValueError
        If there is nothing to draw, an entry is something else, or the option is unknown.

    Examples
    --------
    >>> import ugt.plots
    >>> labels = ugt.Labels.from_counts([[6, 2, 2], [5, 0, 5]])
    >>> given = {"A": [[0], [2]], "B": [[0, 1], [2]]}
    >>> found = {name: ugt.conformal.PredictionSets.of(sets, n_classes=3).coverage(labels) for name, sets in given.items()}
    >>> ax = ugt.plots.coverage_and_size(found, target=0.9)
    >>> [line.get_xydata().round(2).tolist() for line in ax.lines if line.get_label() in found]
    [[[1.0, 0.55]], [[1.5, 0.65]]]
    """
    option("against", against, ("mass", "best", "voted"))
    given = _base.named("coverage", coverage)
    points = {name: _point(name, one, against) for name, one in given.items()}
    ax = _base.axes_of(ax)
    for i, (name, (size, share, low, high)) in enumerate(points.items(), start=_base.first_style(ax)):
        empty = int(getattr(given[name], "n_empty", 0))
        undefined = "" if np.isfinite([size, share]).all() else "undefined"
        remarks = (undefined, f"{empty:,} empty" if empty else "", _base.left_out(getattr(given[name], against, None)))
        _base.point(ax, i, _base.labelled(name, *remarks), (size, np.nan, np.nan), (share, low, high))
    if target is not None:
        ax.axhline(target, color="0.5", linestyle="--", linewidth=1, zorder=0, label=f"wanted: {target:g}")
    return _base.finish(ax, "mean number of classes in a set", "coverage")


def _point(name: str, one: object, against: str) -> tuple[float, ...]:
    if hasattr(one, "mean_size") and hasattr(one, against):
        found = getattr(one, against)
        return (float(one.mean_size), float(found.value), *found.interval())
    return (*_base.numbers("coverage", one, 2, TWO, repr(name)), np.nan, np.nan)
