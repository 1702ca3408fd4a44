"""Curves, and lines over bins and over reliabilities."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from .._base.arrays import Array
from .._base.checks import error, option
from . import _base

if TYPE_CHECKING:
    Rows = Sequence[Mapping[str, Any]]

STRIP = 0.14  # of the height of a reliability diagram, for the cases in each bin
SHARES = {"labels": "share of labels", "disagreement": "share of pairs of labels that differ", "statistic": "share of sets of labels"}
HOLLOW = "hollow: below 10 cases"
DIAGONALS = 6
MOST_MARKS = 12  # on the axis of reliabilities
LONGEST = 70  # characters of a line of a legend


def soft_curve(curve: Any, *, band: Any = None, ax: Any = None) -> Any:
    """ROC or precision-recall curves, with their areas.

    A curve against probabilities of being positive lies below its twin against hard labels as a rule: no score can tell cases apart on
    which annotators are divided. It is not the model that got worse.

    Parameters
    ----------
    curve : RocCurve, PrecisionRecallCurve, or mapping of name to curves of one kind
        Such as the soft one and the hard one.
    band : (x, low, high), or mapping of name to these, optional
        Three rows of numbers: drawn as a band around the curve of that name, such as pointwise quantiles of resamples.
    ax : matplotlib Axes, optional

    Returns
    -------
    matplotlib Axes
        The legend says which curves are undefined.

    Raises
    ------
    ValueError
        If curves are of both kinds, or a band fits no curve or has rows of different lengths.

    Examples
    --------
    >>> import ugt.plots
    >>> soft = ugt.soft_roc_curve([0.9, 0.6, 0.1], [3.0, 2.0, 1.0])
    >>> hard = ugt.soft_roc_curve([1, 1, 0], [3.0, 2.0, 1.0])
    >>> ax = ugt.plots.soft_curve({"soft": soft, "hard": hard})
    >>> [text.get_text() for text in ax.get_legend().get_texts()]
    ['soft (0.857)', 'hard (1.000)']
    """
    given = _base.records("curve", curve, "a RocCurve or a PrecisionRecallCurve", "area")
    kinds = {hasattr(one, "false_positive_rate") for one in given.values()}
    if len(kinds) != 1:
        raise error("curve", "be curves of one kind", "both kinds")
    bands, roc = _bands(band, given), kinds.pop()
    names = ("false positive rate", "true positive rate") if roc else ("recall", "precision")
    ax = _base.axes_of(ax)
    for i, (name, one) in enumerate(given.items(), start=_base.first_style(ax)):
        label = _base.labelled(name, f"{one.area:.3f}" if np.isfinite(one.area) else "undefined")
        if name in bands:
            x, low, high = bands[name]
            ax.fill_between(x, low, high, color=_base.colour(i), alpha=0.2, linewidth=0)
        x, y = (getattr(one, column.replace(" ", "_")) for column in names)
        ax.plot(x, y, drawstyle="default" if roc else "steps-post", label=label, **_base.style(i))
    if roc:
        ax.plot([0, 1], [0, 1], **_base.GUIDE)
    ax.set_xlim(0, 1)
    ax.set_ylim(0, 1.02)
    return _base.finish(ax, *names, "lower right" if roc else "lower left")


def _bands(band: Any, given: Mapping[str, Any]) -> dict[str, tuple[Array, ...]]:
    if band is None:
        return {}
    found: dict[str, tuple[Array, ...]] = {}
    for name, rows in (_base.named("band", band) if isinstance(band, Mapping) else {next(iter(given)): band}).items():
        if name not in given:
            raise error("band", f"have names of curves, of {', '.join(map(repr, given))}", repr(name))
        arrays = tuple(_base.array("band", row) for row in rows)
        if len(arrays) != 3 or len({array.shape for array in arrays}) != 1 or arrays[0].ndim != 1:
            raise error("band", "be (x, low, high), three rows of one length", [array.shape for array in arrays])
        found[name] = arrays
    return found


def reliability_diagram(curve: Any, *, ax: Any = None) -> Any:
    """Shares of labels against predicted probabilities, or pairs of labels that differ against predicted disagreement [B fig. 2b].

    On the diagonal annotators choose the class, or differ, as often as predicted; below it the model says too much. The strip at the bottom
    shows the cases in each bin, the fullest bin as high as the strip; hollow points have fewer than ten cases and say next to nothing.

    Parameters
    ----------
    curve : ReliabilityCurve, or mapping of name to curves of one kind
        By ``reliability_curve`` of :class:`ugt.HistogramLosses` or :class:`ugt.DisagreementLosses`.
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
    _base.note(ax, f"fullest bin: {_base.counted(most, 'case')}")
    ax.set_xlim(0, 1)
    ax.set_ylim(0, 1)
    return _base.finish(ax, f"predicted {'disagreement' if kinds[0] == 'disagreement' else 'probability'}", SHARES[kinds[0]], "upper left")


def _bins(ax: Any, name: str, one: Any, i: int) -> None:
    there, colour = one.n_cases > 0, _base.colour(i)
    x, y = one.mean_probability[there], one.label_share[there]
    ends = one.low[there], one.high[there]
    bare = int((~(np.isfinite(ends[0]) & np.isfinite(ends[1]))).sum())
    label = _base.labelled(name, f"{_base.counted(bare, 'bin')} without interval" if bare else "")
    ax.plot(x, y, label=label, **_base.style(i))
    _base.whiskers(ax, x, *ends, colour)
    ax.scatter(x, y, marker=_base.marker(i), facecolors=np.where(one.few[there], "white", colour).tolist(), edgecolors=colour, zorder=3)


def _strip(ax: Any, one: Any, most: int, i: int | None) -> None:
    """Cases in each bin: bars for a single curve, an outline each for several."""
    height = STRIP * one.n_cases / most
    if i is None:
        ax.bar(one.edges[:-1], height, np.diff(one.edges), align="edge", color="0.88", edgecolor="0.7", linewidth=0.6, zorder=0)
        return
    outline = np.concatenate([[0.0], np.repeat(height, 2), [0.0]])
    ax.plot(np.repeat(one.edges, 2), outline, linewidth=0.9, alpha=0.7, zorder=0, **_base.style(i))


def calibration_dispersion_map(losses: Any, *, estimate: str = "debiased", ax: Any = None) -> Any:
    """Calibration loss against dispersion loss of several models; lines of equal epistemic loss are diagonals.

    Towards the lower left is better. Calibration loss (upwards) a calibrator can take away; dispersion loss (to the right) only a model
    that tells cases apart which it takes for the same. Debiased losses may lie below 0: not distinguishable from 0.

    Parameters
    ----------
    losses : HistogramLosses, mapping of name to these, or Evaluation
        Of an evaluation its table ``calibration``, with intervals.
    estimate : {"debiased", "plugin"}
    ax : matplotlib Axes, optional

    Returns
    -------
    matplotlib Axes
        The legend says which models have no such losses (no case with two labels), and what was left out.

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
    points = _of_evaluation(losses, estimate) if hasattr(losses, "calibration") else _of_losses(losses, estimate)
    ax = _base.axes_of(ax)
    for i, (name, (x, y, remark)) in enumerate(points.items(), start=_base.first_style(ax)):
        _base.point(ax, i, _base.labelled(name, "" if np.isfinite([x[0], y[0]]).all() else "undefined", remark), x, y)
    _diagonals(ax)
    return _base.finish(ax, f"dispersion loss ({estimate})", f"calibration loss ({estimate})")


def _of_losses(losses: Any, estimate: str) -> dict[str, tuple[Any, Any, str]]:
    given = _base.records("losses", losses, "HistogramLosses or an Evaluation", "cl", "dl")
    none = (np.nan, np.nan)
    return {
        name: ((getattr(one.dl, estimate), *none), (getattr(one.cl, estimate), *none), _base.left_out(one)) for name, one in given.items()
    }


def _of_evaluation(evaluation: Any, estimate: str) -> dict[str, tuple[Any, Any, str]]:
    """Value and ends of both losses; the ends are those of the debiased ones."""
    found: dict[str, dict[str, Array]] = {}
    for row in evaluation.calibration:
        if row["class"] is None and row["loss"] in ("dl", "cl"):
            values = np.array(_base.cells(row, estimate, "low", "high"))
            found.setdefault(row["model"], {})[row["loss"]] = values if estimate == "debiased" else values * [1, np.nan, np.nan]
    if not found:
        raise error("losses", "be of an evaluation that has calibration", "none")
    return {name: (one["dl"], one["cl"], "") for name, one in found.items()}


def _diagonals(ax: Any) -> None:
    """Lines of equal epistemic loss; they leave the limits free, so that the axes can take more models."""
    from matplotlib.ticker import MaxNLocator  # noqa: PLC0415  (optional)

    limits, (left, right), (bottom, top) = ax.dataLim.frozen(), ax.get_xlim(), ax.get_ylim()
    if left < 0:
        ax.axvline(0, **_base.GUIDE)
    if bottom < 0:
        ax.axhline(0, **_base.GUIDE)
    totals = MaxNLocator(DIAGONALS).tick_values(left + bottom, right + top)
    for total in totals[(totals > left + bottom) & (totals < right + top)]:
        ax.axline((left, total - left), slope=-1, color="0.85", linewidth=0.8, zorder=0)
        x = max(left, total - top)  # where the line comes in
        if x < right - 0.1 * (right - left) and total - x > bottom + 0.1 * (top - bottom):  # room for its name
            look = {"ha": "left", "va": "top", "fontsize": "x-small", "color": "0.5", "annotation_clip": True}
            ax.annotate(f"EL {total:.3g}", (x, total - x), (2, -2), textcoords="offset points", **look)
    ax.dataLim.set(limits)


def metric_by_reliability(
    evaluation: Any, metric: str = "topk_accuracy", k: int | None = 1, *, voted: bool = False, flips: bool = False, ax: Any = None
) -> Any:
    """A metric of every model against the reliability: bands over draws, bars over draws and cases together.

    Bands are what the annotations leave open; bars also what another set of cases would change. Where lines cross, the order of the values
    depends on the reliability.

    Parameters
    ----------
    evaluation : Evaluation
    metric, k
        Which rows of ``evaluation.metrics``.
    voted : bool
        Add ordinary accuracy against the voted label, at the right, with its interval over cases (top-1 accuracy only).
    flips : bool
        Add a line where the order of two models changes, if the interval of that reliability has both ends.
    ax : matplotlib Axes, optional

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


def plan_frontier(plan: Any, *, ax: Any = None) -> Any:
    """What the cheapest design costs for each number of annotators or readers, with the cheapest of all.

    Left of the first point no number of cases is enough.

    Parameters
    ----------
    plan : AnnotationPlan, ReaderPlan, or mapping of name to plans of one kind
        Such as plans by several metrics, or for several widths.
    ax : matplotlib Axes, optional

    Returns
    -------
    matplotlib Axes
        The legend has the best design of each plan; both axes are logarithmic.

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
            words = [_base.counted(n, noun) for noun, n in sizes]
            if who == "annotators":
                words.insert(1, f"{_base.counted(one.best.n_labels, 'label')} per case")
            best = ", ".join(words)
        label = _base.labelled(name, best)
        ax.plot(x, y, label=label if not label or len(label) <= LONGEST else label.replace(f" ({best})", f"\n({best})"), **_base.style(i))
        if one.best is not None:
            ax.plot(getattr(one.best, f"n_{who}"), one.best.cost, marker=_base.marker(i), color=_base.colour(i))
    from matplotlib.ticker import ScalarFormatter  # noqa: PLC0415  (optional)

    ax.xaxis.set_major_formatter(ScalarFormatter())
    return _base.finish(ax, f"number of {who}", "cost of the cheapest design")
