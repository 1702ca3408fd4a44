"""Plots of lines over bins, over reliabilities and over designs, and the map of calibration and dispersion."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from .._base.arrays import Array
from .._base.checks import error, option
from .._base.counts import counted
from . import _base

if TYPE_CHECKING:
    Rows = Sequence[Mapping[str, Any]]

STRIP = 0.14  # share of the height of a reliability diagram for the strip of cases
SHARES = {"labels": "share of labels", "disagreement": "share of pairs of labels that differ", "statistic": "share of sets of labels"}
HOLLOW = "hollow: below 10 cases"
DIAGONALS = 6
MOST_MARKS = 12  # most marks on the axis of reliabilities
LONGEST = 70  # most characters in a line of a legend


def reliability_diagram(curve: Any, *, ax: Any = None) -> Any:
    """Draw shares of labels against predicted probabilities, or disagreeing pairs of labels against predicted disagreement [B fig. 2b].

    On the grey diagonal, annotators choose the class, or differ, as often as predicted. Below it predictions are too high, above it too
    low. Whiskers are intervals. Hollow points have fewer than ten cases and are too small to interpret. The strip at the bottom shows the
    cases in each bin, relative to the fullest. Do not read a curve on the diagonal as correct predictions: calibration is about shares of
    labels, and bins hide differences within them.

    Parameters
    ----------
    curve : ReliabilityCurve, or mapping of name to curves of one kind
        Curves by ``reliability_curve`` of :class:`ugt.calibration.HistogramLosses` or :class:`ugt.calibration.DisagreementLosses`.
    ax : matplotlib Axes, optional

    Returns
    -------
    matplotlib Axes

    Raises
    ------
    ValueError
        If no bin of a curve has a case, or curves are of several kinds.

    Examples
    --------
    >>> import ugt.plots
    >>> counts = [[3, 1]] * 12 + [[1, 3]] * 18
    >>> curve = ugt.histogram_losses(counts, [[0.7, 0.3]] * 12 + [[0.2, 0.8]] * 18, n_bins=2).reliability_curve(1)
    >>> ax = ugt.plots.reliability_diagram(curve)
    >>> ax.lines[1].get_ydata().tolist()
    [0.25, 0.75]
    """
    given = _base.records("curve", curve, "a ReliabilityCurve", "edges", "label_share", "n_cases")
    for name, one in given.items():
        if not (np.asarray(one.n_cases) > 0).any():
            raise error("curve", "have a bin with cases", "none", repr(name) if name else "")
    kinds = sorted({one.of for one in given.values()})
    if len(kinds) > 1:
        raise error("curve", "be curves of one kind", " and ".join(kinds))
    ax = _base.axes_of(ax)
    ax.plot([0, 1], [0, 1], **_base.GUIDE)
    most = max(int(one.n_cases.max()) for one in given.values())
    for i, (name, one) in enumerate(given.items(), start=_base.first_style(ax)):
        _bins(ax, name, one, i)
        _strip(ax, one, most, i if len(given) > 1 else None)
    if any(one.few.any() for one in given.values()) and HOLLOW not in ax.get_legend_handles_labels()[1]:
        ax.plot([], [], "o", color="0.3", markerfacecolor="none", label=HOLLOW)
    _base.note(ax, f"fullest bin: {counted(most, 'case')}")
    ax.set_xlim(0, 1)
    ax.set_ylim(0, 1)
    return _base.finish(ax, f"predicted {'disagreement' if kinds[0] == 'disagreement' else 'probability'}", SHARES[kinds[0]], "upper left")


def _bins(ax: Any, name: str, one: Any, i: int) -> None:
    there, colour = one.n_cases > 0, _base.colour(i)
    x, y = one.mean_probability[there], one.label_share[there]
    ends = one.low[there], one.high[there]
    bare = int((~(np.isfinite(ends[0]) & np.isfinite(ends[1]))).sum())
    label = _base.labelled(name, f"{counted(bare, 'bin')} without interval" if bare else "")
    ax.plot(x, y, label=label, **_base.style(i))
    _base.whiskers(ax, x, *ends, colour)
    ax.scatter(x, y, marker=_base.marker(i), facecolors=np.where(one.few[there], "white", colour).tolist(), edgecolors=colour, zorder=3)


def _strip(ax: Any, one: Any, most: int, i: int | None) -> None:
    """Draw the cases in each bin: bars for a single curve, one outline per curve for several."""
    height = STRIP * one.n_cases / most
    if i is None:
        ax.bar(one.edges[:-1], height, np.diff(one.edges), align="edge", color="0.88", edgecolor="0.7", linewidth=0.6, zorder=0)
        return
    outline = np.concatenate([[0.0], np.repeat(height, 2), [0.0]])
    ax.plot(np.repeat(one.edges, 2), outline, linewidth=0.9, alpha=0.7, zorder=0, **_base.style(i))


def calibration_dispersion_map(losses: object, *, estimate: str = "debiased", ax: object = None) -> Any:
    """Draw the calibration loss of several models against their dispersion loss; grey diagonals are lines of equal epistemic loss (EL).

    Each model is one marker; its whiskers, if any, are intervals. Losses are smaller towards the lower left. A calibrator can remove
    calibration loss (vertical). Dispersion loss (horizontal) falls only with a model that distinguishes more cases. A debiased loss below
    0 cannot be distinguished from 0. Do not compare models of different cases, or plug-in losses of data with different numbers of labels.

    Parameters
    ----------
    losses : HistogramLosses, mapping of name to these, or Evaluation
        Losses of each model; of an evaluation its table ``calibration``, with intervals.
    estimate : {"debiased", "plugin"}
        Estimate of the losses.
    ax : matplotlib Axes, optional

    Returns
    -------
    matplotlib Axes
        The legend names models whose losses are undefined (no case has two labels), and counts cases left out.

    Raises
    ------
    ValueError
        If the option is unknown, or an evaluation has no calibration.

    Examples
    --------
    >>> import ugt.plots
    >>> from ugt import synthetic
    >>> counts, truth = synthetic.make_counts(200, 3, 5, difficulty=0.5)
    >>> losses = {"truth": ugt.histogram_losses(counts, truth), "blunt": ugt.histogram_losses(counts, (truth + 1) / 4)}
    >>> ax = ugt.plots.calibration_dispersion_map(losses)
    >>> ax.get_xlabel(), [text.get_text() for text in ax.get_legend().get_texts()]
    ('dispersion loss (debiased)', ['truth', 'blunt'])
    """
    option("estimate", estimate, ("debiased", "plugin"))
    points = _of_evaluation(losses, estimate) if hasattr(losses, "tables") else _of_losses(losses, estimate)
    ax = _base.axes_of(ax)
    for i, (name, (x, y, remark)) in enumerate(points.items(), start=_base.first_style(ax)):
        _base.point(ax, i, _base.labelled(name, "" if np.isfinite([x[0], y[0]]).all() else "undefined", remark), x, y)
    _diagonals(ax)
    return _base.finish(ax, f"dispersion loss ({estimate})", f"calibration loss ({estimate})")


def _of_losses(losses: object, estimate: str) -> dict[str, tuple[Any, Any, str]]:
    given = _base.records("losses", losses, "HistogramLosses or an Evaluation", "cl", "dl", "l_sq")
    none = (np.nan, np.nan)
    return {
        name: ((getattr(one.dl, estimate), *none), (getattr(one.cl, estimate), *none), _base.left_out(one)) for name, one in given.items()
    }


def _of_evaluation(evaluation: Any, estimate: str) -> dict[str, tuple[Any, Any, str]]:
    """Return value and ends of both losses by model; ends exist for debiased losses only."""
    found: dict[str, dict[str, Array]] = {}
    for row in evaluation.calibration:
        if row["class"] is None and row["loss"] in ("dl", "cl"):
            values = np.array(_base.cells(row, estimate, "low", "high"))
            found.setdefault(row["model"], {})[row["loss"]] = values if estimate == "debiased" else values * [1, np.nan, np.nan]
    if not found:
        raise error("losses", "be of an evaluation with calibration", "none")
    return {name: (one["dl"], one["cl"], "") for name, one in found.items()}


def _diagonals(ax: Any) -> None:
    """Draw lines of equal epistemic loss without fixing the limits, so that more models can be added to the axes."""
    from matplotlib.ticker import MaxNLocator  # noqa: PLC0415  (optional)

    limits, (left, right), (bottom, top) = ax.dataLim.frozen(), ax.get_xlim(), ax.get_ylim()
    if left < 0:
        ax.axvline(0, **_base.GUIDE)
    if bottom < 0:
        ax.axhline(0, **_base.GUIDE)
    totals = MaxNLocator(DIAGONALS).tick_values(left + bottom, right + top)
    for total in totals[(totals > left + bottom) & (totals < right + top)]:
        ax.axline((left, total - left), slope=-1, color="0.85", linewidth=0.8, zorder=0)
        x = max(left, total - top)  # left end of the line in the axes
        if x < right - 0.1 * (right - left) and total - x > bottom + 0.1 * (top - bottom):  # there is room for its name
            look = {"ha": "left", "va": "top", "fontsize": "x-small", "color": "0.5", "annotation_clip": True}
            ax.annotate(f"EL {total:.3g}", (x, total - x), (2, -2), textcoords="offset points", **look)
    ax.dataLim.set(limits)


def metric_by_reliability(
    evaluation: Any, metric: str = "topk_accuracy", k: int | None = 1, *, voted: bool = False, flips: bool = False, ax: Any = None
) -> Any:
    """Draw a metric of every model against the reliability, with bands over draws and bars over draws and cases.

    Each model is a line of its own colour, dashes and marker. Bands are intervals over draws of the truth for the same cases; bars also
    cover other cases. If lines cross, the order of the estimates depends on the reliability. Do not compare models by the overlap of bands
    or bars: both are computed on the same cases, so use the paired difference. Do not choose the reliability at which a model does well.

    Parameters
    ----------
    evaluation : Evaluation
        Evaluation to draw.
    metric, k
        Name and k of the rows of ``evaluation.metrics``.
    voted : bool
        Whether to add voted accuracy as hollow markers at the right, with its interval over cases (top-1 accuracy only).
    flips : bool
        Whether to add a dotted line at each flip, the reliability at which two models change order, if its interval has both ends.
    ax : matplotlib Axes, optional

    Returns
    -------
    matplotlib Axes
        The plot. The horizontal axis is logarithmic, and models are shifted a little so that their bars do not overlap.

    Raises
    ------
    ValueError
        If no such metric has reliabilities, or ``voted`` is set for another metric than top-1 accuracy.

    Examples
    --------
    >>> import ugt.plots
    >>> labels = ugt.Labels.from_counts([[6, 2], [1, 3]])
    >>> ev = ugt.evaluate(labels, {"A": [[0.7, 0.3], [0.4, 0.6]]}, reliability=(1, 2), k=1, n_resamples=50)
    >>> ax = ugt.plots.metric_by_reliability(ev)
    >>> [text.get_text() for text in ax.get_xticklabels()], ax.get_ylabel()
    (['1', '2'], 'top-1 accuracy')
    """
    _base.records("evaluation", evaluation, "an Evaluation", "metrics", "models", "flips")
    rows = _base.rows_of_metric(evaluation, metric, k)
    if voted and (metric, k) != ("topk_accuracy", 1):
        raise error("voted", "be False except for topk_accuracy with k = 1", repr(voted))
    ax = _base.axes_of(ax)
    marks = sorted({float(row["reliability"]) for row in rows})
    gap = float(np.diff(np.log(marks)).min()) if len(marks) > 1 else float(np.log(2.0))
    width = float(np.log(marks[-1] / marks[0])) if len(marks) > 1 else gap
    after = marks[-1] * float(np.exp(max(gap, 0.25 * width)))  # position of voted accuracy
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
        _changes(
            ax, [row for row in evaluation.flips if (row["metric"], row["k"]) == (metric, k) and None not in (row["low"], row["high"])]
        )
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
    """Draw voted accuracy with hollow markers, since it has no reliability and no line leads to it."""
    x = np.full(len(rows), at)
    _base.whiskers(ax, x, _base.column(rows, "case_low"), _base.column(rows, "case_high"), _base.colour(i))
    look = {"marker": _base.marker(i), "linestyle": "none", "color": _base.colour(i), "markerfacecolor": "white"}
    ax.plot(x, _base.column(rows, "value"), zorder=4, **look)


def _changes(ax: Any, rows: Rows) -> None:
    for row in rows:
        first, second = (row["model"], row["other"]) if row["better_above"] else (row["other"], row["model"])
        label = _base.shown(f"{first} above {second} from {row['reliability']:.3g}")
        ax.axvline(row["reliability"], color="0.3", linestyle=(0, (2, 2)), linewidth=1, label=label, zorder=1)


def _marks(ax: Any, marks: Sequence[float], voted: float | None) -> None:
    """Mark every reliability on the axis, or some of them if there are many."""
    step = -(-len(marks) // MOST_MARKS)
    at = [*marks[::step], *([] if voted is None else [voted])]
    names = [f"{mark:g}" for mark in marks[::step]] + ([] if voted is None else ["voted\nlabel"])
    ax.set_xscale("log")
    ax.set_xticks(at)
    ax.set_xticklabels(names)
    ax.minorticks_off()
    if len(at) == 1:
        ax.set_xlim(at[0] / 2, at[0] * 2)


def plan_frontier(plan: object, *, ax: Any = None) -> Any:
    """Draw the cost of the cheapest design for each number of annotators or readers; a marker shows the cheapest of all.

    Each plan is a line of its own colour and dashes. To the left of a line, no number of cases is enough. Do not read the costs as
    certain: they hold for the variance components of the plan, which a small pilot knows badly.

    Parameters
    ----------
    plan : AnnotationPlan, ReaderPlan, or mapping of name to plans of one kind
        Plans, such as those for several metrics or several widths.
    ax : matplotlib Axes, optional

    Returns
    -------
    matplotlib Axes
        The plot with logarithmic axes; the legend has the cheapest design of each plan.

    Raises
    ------
    ValueError
        If plans are of both kinds.

    Examples
    --------
    >>> import ugt.plots
    >>> plan = ugt.plan_annotations(components={"cases": 0.09, "annotators": 0.002, "labels": 0.12}, width=0.15, cost=(2, 1, 5))
    >>> ax = ugt.plots.plan_frontier({"width 0.15": plan})
    >>> [text.get_text() for text in ax.get_legend().get_texts()]
    ['width 0.15 (121 cases, 2 labels per case, 14 annotators)']
    """
    given = _base.records("plan", plan, "a plan of annotations or of readers", "table", "best", "design")
    kinds = {hasattr(one, "metric") for one in given.values()}
    if len(kinds) != 1:
        raise error("plan", "be plans of one kind", "both kinds")
    who = "annotators" if kinds.pop() else "readers"
    ax = _base.axes_of(ax)
    ax.set_xscale("log")
    ax.set_yscale("log")
    for i, (name, one) in enumerate(given.items(), start=_base.first_style(ax)):
        x, y = ([getattr(design, column) for design in one.table] for column in (f"n_{who}", "cost"))
        best = "no design is enough"
        if one.best is not None:
            sizes = [("case", one.best.n_cases), (f"{who[:-1]}", getattr(one.best, f"n_{who}"))]
            words = [counted(n, noun) for noun, n in sizes]
            if who == "annotators":
                words.insert(1, f"{counted(one.best.n_labels, 'label')} per case")
            best = ", ".join(words)
        label = _base.labelled(name, best)
        ax.plot(x, y, label=label if not label or len(label) <= LONGEST else label.replace(f" ({best})", f"\n({best})"), **_base.style(i))
        if one.best is not None:
            ax.plot(getattr(one.best, f"n_{who}"), one.best.cost, marker=_base.marker(i), color=_base.colour(i))
    from matplotlib.ticker import ScalarFormatter  # noqa: PLC0415  (optional)

    ax.xaxis.set_major_formatter(ScalarFormatter())
    return _base.finish(ax, f"number of {who}", "cost of the cheapest design")
