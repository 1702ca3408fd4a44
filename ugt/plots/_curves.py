"""ROC and precision-recall curves, reliability diagrams, and calibration against dispersion."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import numpy as np

from .._base.checks import error, option
from . import _base

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Array = NDArray[np.float64]

STRIP = 0.14  # of the height of a reliability diagram, for the cases in each bin
HOLLOW = "hollow: below 10 cases"
DIAGONALS = 6


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
        Default: of a new figure.

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
    >>> import ugt
    >>> from ugt import plots
    >>> soft = ugt.soft_roc_curve([0.9, 0.6, 0.1], [3.0, 2.0, 1.0])
    >>> hard = ugt.soft_roc_curve([1, 1, 0], [3.0, 2.0, 1.0])
    >>> ax = plots.soft_curve({"soft": soft, "hard": hard})
    >>> [text.get_text() for text in ax.get_legend().get_texts()]
    ['soft (0.857)', 'hard (1.000)']
    """
    given = _base.records("curve", curve, "a RocCurve or a PrecisionRecallCurve", "area")
    kinds = {hasattr(one, "false_positive_rate") for one in given.values()}
    if len(kinds) != 1:
        raise error("curve", "be curves of one kind", "both kinds")
    bands, roc = _bands(band, given), kinds.pop()
    ax = _base.axes_of(ax)
    for i, (name, one) in enumerate(given.items(), start=_base.first_style(ax)):
        label = _base.labelled(name, f"{one.area:.3f}" if np.isfinite(one.area) else "undefined")
        if name in bands:
            x, low, high = bands[name]
            ax.fill_between(x, low, high, color=_base.colour(i), alpha=0.2, linewidth=0)
        if roc:
            ax.plot(one.false_positive_rate, one.true_positive_rate, label=label, **_base.style(i))
        else:
            ax.plot(one.recall, one.precision, drawstyle="steps-post", label=label, **_base.style(i))
    if roc:
        ax.plot([0, 1], [0, 1], **_base.GUIDE)
    ax.set_xlim(0, 1)
    ax.set_ylim(0, 1.02)
    if roc:
        return _base.finish(ax, "false positive rate", "true positive rate", "lower right")
    return _base.finish(ax, "recall", "precision", "lower left")


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
    """Shares of labels against predicted probabilities, with intervals, and how many cases each bin has.

    On the diagonal annotators choose the class as often as predicted; below it the model says too much. The strip at the bottom shows
    the cases in each bin, the fullest bin as high as the strip; hollow points have fewer than ten cases and say next to nothing.

    Parameters
    ----------
    curve : ReliabilityCurve, or mapping of name to these
    ax : matplotlib Axes, optional
        Default: of a new figure.

    Returns
    -------
    matplotlib Axes

    Raises
    ------
    ValueError
        If no bin of a curve has a case.

    Examples
    --------
    >>> import ugt
    >>> from ugt import plots
    >>> counts = [[3, 1]] * 12 + [[1, 3]] * 18
    >>> curve = ugt.histogram_losses(counts, [[0.7, 0.3]] * 12 + [[0.2, 0.8]] * 18, n_bins=2).reliability_curve(1)
    >>> ax = plots.reliability_diagram(curve)
    >>> ax.lines[1].get_ydata().tolist()
    [0.25, 0.75]
    """
    given = _base.records("curve", curve, "a ReliabilityCurve", "edges", "label_share", "n_cases")
    for name, one in given.items():
        if not (np.asarray(one.n_cases) > 0).any():
            raise error("curve", "have a bin with cases", "none", repr(name) if name else "")
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
    return _base.finish(ax, "predicted probability", "share of labels", "upper left")


def _bins(ax: Any, name: str, one: Any, i: int) -> None:
    there, colour = one.n_cases > 0, _base.colour(i)
    x, y = one.mean_probability[there], one.label_share[there]
    ends = one.low[there], one.high[there]
    bare = int((~(np.isfinite(ends[0]) & np.isfinite(ends[1]))).sum())
    label = _base.labelled(name, f"{_base.counted(bare, 'bin')} without interval" if bare else "")
    ax.plot(x, y, label=label, **_base.style(i))
    _base.whiskers(ax, x, *ends, colour)
    face = np.where(one.few[there], "white", colour)
    ax.scatter(x, y, marker=_base.marker(i), facecolors=face.tolist(), edgecolors=colour, zorder=3)


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
        Default: of a new figure.

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
    >>> import ugt
    >>> from ugt import plots, synthetic
    >>> counts, truth = synthetic.make_counts(200, 3, 5, difficulty=0.5)
    >>> losses = {"truth": ugt.histogram_losses(counts, truth), "blunt": ugt.histogram_losses(counts, (truth + 1) / 4)}
    >>> ax = plots.calibration_dispersion_map(losses)
    >>> ax.get_xlabel(), [text.get_text() for text in ax.get_legend().get_texts()]
    ('dispersion loss (debiased)', ['truth', 'blunt'])
    """
    option("estimate", estimate, ("debiased", "plugin"))
    points = _of_evaluation(losses, estimate) if hasattr(losses, "calibration") else _of_losses(losses, estimate)
    ax = _base.axes_of(ax)
    for i, (name, (x, y, remark)) in enumerate(points.items(), start=_base.first_style(ax)):
        known = np.isfinite(x[0]) and np.isfinite(y[0])
        label = _base.labelled(name, "" if known else "undefined", remark)
        ax.plot(x[0], y[0], _base.marker(i), color=_base.colour(i), label=label, linestyle="none", zorder=3)
        if known:
            _base.whiskers(ax, y[:1], x[1:2], x[2:], _base.colour(i), across=True)
            _base.whiskers(ax, x[:1], y[1:2], y[2:], _base.colour(i))
    _diagonals(ax)
    return _base.finish(ax, f"dispersion loss ({estimate})", f"calibration loss ({estimate})")


def _of_losses(losses: Any, estimate: str) -> dict[str, tuple[Array, Array, str]]:
    given = _base.records("losses", losses, "HistogramLosses or an Evaluation", "cl", "dl")
    none = [np.nan, np.nan]
    return {
        name: (
            np.array([float(getattr(one.dl, estimate)), *none]),
            np.array([float(getattr(one.cl, estimate)), *none]),
            _base.left_out(one),
        )
        for name, one in given.items()
    }


def _of_evaluation(evaluation: Any, estimate: str) -> dict[str, tuple[Array, Array, str]]:
    """Value and ends of both losses; the ends are those of the debiased ones."""
    found: dict[str, dict[str, Array]] = {}
    for row in evaluation.calibration:
        if row["class"] is None and row["loss"] in ("dl", "cl"):
            keys = (estimate, "low", "high")
            values = np.array([_base.column([row], key)[0] for key in keys])
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
