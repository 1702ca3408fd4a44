"""Plots of grades: shares of grades by annotator or case, errors by grade, and predictions against the law of grades."""

from __future__ import annotations

from typing import Any

import numpy as np

from .._base.arrays import Array
from .._base.axes import Axes
from .._base.checks import error, option
from .._base.counts import counted
from .._base.grades import given_values, numbers_of
from .._base.ragged import row_of
from ..annotations.named import per_class
from ..annotations.named import table as in_order
from ..plausibilities import as_plausibilities
from ..resampling import bootstrap, ids_of_cases
from . import _base

MOST_SPANS = 400  # most cases whose law is drawn as a line
CENTRAL = (0.1, 0.9)  # ends of the part of a law that is drawn
LIGHT, DARK = 0.08, 0.95  # the part of the scale of colours that grades get, the lowest first
PROBABLE = 1e-6  # largest deviation of a sum of probabilities from 1


def grade_shares(labels: Any, *, by: str = "annotator", ax: Any = None) -> Any:
    """Draw the share of each grade among the labels of each annotator, or of each case, as stacked bars.

    Darker is a higher grade. Annotators stand in the order of their mean grade, the highest at the top; in brackets are their numbers of
    labels. Cases stand from the lowest mean grade to the highest. Do not read a darker annotator as a strict one if annotators rated
    different cases: :func:`ugt.annotators.graded_response` separates the annotator from the severity of the cases.

    Parameters
    ----------
    labels : Labels
        Ordered labels; by annotator, these are named.
    by : {"annotator", "case"}
        What a bar is.
    ax : matplotlib Axes, optional

    Returns
    -------
    matplotlib Axes
        The plot; annotators and cases without labels are counted in the title.

    Raises
    ------
    ValueError
        If labels have no order or no label, or annotators have no names.

    Examples
    --------
    >>> import ugt.plots
    >>> labels = ugt.Labels.from_wide([[1, 2], [2, 3], [1, 3]], annotators=["ann", "bob"], ordered=[1, 2, 3])
    >>> ax = ugt.plots.grade_shares(labels)
    >>> [text.get_text() for text in ax.get_yticklabels()]
    ['bob (3)', 'ann (3)']
    """
    (known,) = _base.records("labels", labels, "ordered Labels", "grades", "counts").values() if hasattr(labels, "axes") else (None,)
    if known is None:
        raise error("labels", "be ordered Labels", type(labels).__name__)
    option("by", by, ("annotator", "case"))
    if by == "annotator" and not len(known.annotators):
        raise error("labels", "name their annotators, or by be 'case'", "counts of labels")
    unit = known.annotator if by == "annotator" else row_of(known.offsets)
    n, k = len(known.annotators) if by == "annotator" else known.n_cases, known.n_classes
    counts = np.bincount(unit * k + known.label, known.count, n * k).reshape(n, k)
    total = counts.sum(axis=1)
    if not total.any():
        raise error("labels", "have a label", "none")
    mean = counts @ known.grades / np.maximum(total, 1)
    rows = np.flatnonzero(total)
    rows = rows[np.argsort(mean[rows], kind="stable")]
    names = [f"{known.annotators[a]} ({total[a]:,.0f})" for a in rows[::-1]] if by == "annotator" else []
    ax = _base.axes_of(ax, (4 + _base.longest(names), 1 + 0.28 * len(names)))
    shares = counts[rows[::-1] if names else rows] / total[rows[::-1] if names else rows, None]
    colours = _colours(k)
    before = np.zeros(len(rows))
    for j in range(k):
        look = {"label": _base.shown(known.axes.classes[j]), "color": colours[j]}
        if names:
            ax.barh(np.arange(len(rows)), shares[:, j], left=before, height=0.8, edgecolor="0.3", linewidth=0.5, **look)
        else:
            edges = 100 * np.arange(len(rows) + 1) / len(rows)
            tops = np.append(before + shares[:, j], 0.0), np.append(before, 0.0)
            ax.fill_between(edges, tops[0], tops[1], step="post", linewidth=0, **look)
        before = before + shares[:, j]
    _base.note(ax, f"{counted(n - len(rows), by)} without labels" if len(rows) < n else "")
    handles, words = ax.get_legend_handles_labels()
    ax.legend(handles[::-1], words[::-1], title="grade", loc="upper left", bbox_to_anchor=(1.0, 1.0), frameon=False)
    if names:
        ax.set_xlim(0, 1)
        ax.set_xlabel("share of labels")
        _base.name_rows(ax, names)
    else:
        ax.set_xlim(0, 100)
        ax.set_ylim(0, 1)
        ax.set_xlabel("share of cases, lowest mean grade first (%)")
        ax.set_ylabel("share of labels")
    return ax


def error_by_grade(truth: Any, predictions: Any, *, values: Any = None, clusters: Any = None, ax: Any = None) -> Any:
    """Draw the mean error of predictions for each grade that the truth of a case may be.

    A grade is drawn from the truth of each case; a marker is the mean of prediction less grade over the cases of this grade, with a 95%
    interval over cases (bootstrap). The grey dashed line is the error of the mean grade of each case. It is above 0 for low grades and
    below 0 for high ones, because a case with an uncertain truth is among those of several grades. A model above the line predicts higher
    grades for these cases than their annotators give on average. Do not compare a model with 0.

    Parameters
    ----------
    truth : Point, Dirichlet, Draws, GradedResponse, or array (N, K) or (N, draws, K)
        Law of each case over the grades.
    predictions : (N,) numbers or (N, K) probabilities of the grades, or mapping of name to these
        Of probabilities, the mean counts.
    values : (K,) array, optional
        Numbers of the grades. Default: the names of the classes if these are numbers; 1 to K for a truth from ordered labels.
    clusters : (N,) ids, optional
        Such as patients, for the intervals.
    ax : matplotlib Axes, optional

    Returns
    -------
    matplotlib Axes
        The plot; cases without a truth or a prediction are counted in the legend.

    Raises
    ------
    ValueError
        If numbers of the grades are unknown, or predictions do not fit.
    TypeError
        If ``truth`` is something else.

    Examples
    --------
    >>> import ugt.plots
    >>> truth = [[0.5, 0.5, 0.0], [0.0, 0.5, 0.5], [0.0, 0.0, 1.0]]
    >>> ax = ugt.plots.error_by_grade(truth, {"model": [1.0, 2.5, 2.0]}, values=[1, 2, 3])
    >>> [line.get_ydata().round(2).tolist() for line in ax.lines if line.get_label() in ("model", "mean grade of the case")]
    [[0.5, 0.0, -0.17], [0.0, -0.25, -0.83]]
    """
    known, law, grades = _law(truth, values)
    given = _predicted(predictions, law, grades, known.axes)
    names = [str(name) for name in known.axes.classes]
    units = None if clusters is None else ids_of_cases("clusters", clusters, known.n_cases, known.axes.case_ids)
    ax, n_models = _base.axes_of(ax), len(given)
    _, mean = _errors(law, law @ grades, grades)
    ax.axhline(0, **{**_base.GUIDE, "linewidth": 0.8})
    ax.plot(np.arange(len(grades)), mean, label="mean grade of the case", **{**_base.GUIDE, "linestyle": "--"})
    for i, (name, x) in enumerate(given.items(), start=_base.first_style(ax) - 1):
        parts, found = _errors(law, x, grades)
        at = np.arange(float(len(grades))) + 0.16 * (i % max(n_models, 1) - (n_models - 1) / 2)
        kept = np.isfinite(parts[0]).any(axis=1)
        lost = int((~kept).sum())
        ends = np.full((len(grades), 2), np.nan)
        if kept.sum() > 1:
            ends = bootstrap(parts[0][kept], parts[1][kept], clusters=None if units is None else units[kept]).interval(0.95)
        look = {"color": _base.colour(i), "linestyle": "none", "label": _base.labelled(name, _base.undefined(lost))}
        ax.plot(at, found, _base.marker(i), zorder=3, **look)
        _base.whiskers(ax, at, ends[:, 0], ends[:, 1], _base.colour(i))
    ax.set_xticks(np.arange(len(grades)))
    ax.set_xticklabels([_base.shown(name) for name in names], fontsize=_base.row_size(len(names)))
    return _base.finish(ax, "grade drawn from the truth", "prediction less grade")


def predictions_by_grade(truth: object, predictions: object, *, values: object = None, ax: Any = None) -> Any:
    """Draw the prediction for each case against the law of its grades.

    Each marker is a case: across is the mean grade of its law, up the prediction. With at most 400 cases, a pale line spans the law from
    its 10% to its 90% point. A case whose line meets the grey diagonal at the height of its prediction has a truth that the prediction may
    be. Do not read the distance from the diagonal as an error: the truth of a case with a long line is open.

    Parameters
    ----------
    truth, predictions, values
        As for :func:`error_by_grade`.
    ax : matplotlib Axes, optional

    Returns
    -------
    matplotlib Axes
        The plot; cases without a truth or a prediction are counted in the legend.

    Raises
    ------
    ValueError, TypeError
        As for :func:`error_by_grade`.

    Examples
    --------
    >>> import ugt.plots
    >>> truth = ugt.dirichlet(ugt.Labels.from_counts([[4, 1, 0], [0, 2, 3]], classes=[1, 2, 3]), prior=0.5)
    >>> ax = ugt.plots.predictions_by_grade(truth, {"model": [1.0, 2.5]})
    >>> ax.lines[1].get_xdata().round(2).tolist(), ax.lines[1].get_ydata().tolist()
    ([1.38, 2.46], [1.0, 2.5])
    """
    known, law, grades = _law(truth, values)
    given = _predicted(predictions, law, grades, known.axes)
    order = np.argsort(grades)
    upto = np.cumsum(law[:, order], axis=1)
    spans = np.stack([grades[order][(upto < end - 1e-12).sum(axis=1).clip(max=len(grades) - 1)] for end in CENTRAL], axis=1)
    ax, mean = _base.axes_of(ax), law @ grades
    low, high = min(grades.min(), *map(np.nanmin, given.values())), max(grades.max(), *map(np.nanmax, given.values()))
    ax.plot([low, high], [low, high], **_base.GUIDE)
    for i, (name, x) in enumerate(given.items(), start=_base.first_style(ax)):
        known = np.isfinite(mean) & np.isfinite(x)
        label = _base.labelled(name, _base.undefined(int((~known).sum())))
        if len(law) <= MOST_SPANS:
            ax.hlines(x[known], *spans[known].T, color=_base.colour(i), alpha=0.25, linewidth=1)
        ax.plot(mean[known], x[known], _base.marker(i), color=_base.colour(i), markersize=4, alpha=0.5, markeredgewidth=0, label=label)
    return _base.finish(ax, "mean grade of the case", "prediction", "upper left")


def _colours(n: int) -> list[Any]:
    """Return a colour for each grade, lighter for lower ones, that differ on a grey printer, too."""
    from matplotlib import pyplot  # noqa: PLC0415  (optional)

    return [pyplot.get_cmap("Blues")(LIGHT + (DARK - LIGHT) * j / max(n - 1, 1)) for j in range(n)]


def _law(truth: object, values: object) -> tuple[Any, Array, Array]:
    """Return plausibilities, their means (N, K) and the numbers (K,) of the grades."""
    known: Any = as_plausibilities(_base.truth("truth", truth))
    if values is not None:
        return known, known.mean(), given_values(per_class("values", values, known.axes.classes), known.n_classes)
    source: Any = getattr(known.made_of, "annotations", None)
    found = source.grades if source is not None and getattr(source, "ordered", False) else numbers_of(known.axes.classes)
    if found is None:
        must = "be given, one number per class, because names of classes do not say which grade is higher"
        raise error("values", must, f"class {known.axes.class_name(0)}")
    return known, known.mean(), found


def _predicted(given: object, law: Array, grades: Array, axes: Axes) -> dict[str, Array]:
    """Return predictions as numbers (N,) by name; of probabilities, the mean."""
    found = {}
    for name, one in _base.named("predictions", given).items():
        table = _base.array("predictions", in_order("predictions", one, axes.case_ids, axes.classes))
        where = repr(name) if name else ""
        if table.shape == law.shape and law.ndim == 2:
            bad = np.abs(table.sum(axis=1) - 1) > PROBABLE
            if (bad | (table < 0).any(axis=1)).any():
                raise error("predictions", "be probabilities that add up to 1", table[int(np.argmax(bad))][:8], where)
            table = table @ grades
        if table.shape != law.shape[:1]:
            must = f"be {len(law)} numbers, or probabilities of shape {law.shape}"
            raise error("predictions", must, f"shape {table.shape}", where)
        if not np.isfinite(table).any():
            raise error("predictions", "be finite for a case", "none", where)
        found[name] = table
    return found


def _errors(law: Array, x: Array, grades: Array) -> tuple[tuple[Array, Array], Array]:
    """Return the parts (N, K) of the mean error for each grade, NaN for undefined cases, and the mean error (K,)."""
    lost = ~(np.isfinite(law).all(axis=1) & np.isfinite(x))
    below = np.where(lost[:, None], np.nan, law)
    above = below * (np.where(lost, 0.0, x)[:, None] - grades)
    total = np.nansum(below, axis=0)
    return (above, below), np.divide(np.nansum(above, axis=0), total, out=np.full(len(grades), np.nan), where=total > 0)
