"""Plots, one function each: takes the numbers of a record and an ``ax``, draws, returns the ax. Needs matplotlib (``ugt[plot]``).

Lines differ by dashes and markers as well as by colour (Okabe & Ito), so that they can be told apart on a grey printer.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from ._checks import error, option

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Array = NDArray[np.float64]

COLOURS = ("#0072b2", "#d55e00", "#009e73", "#cc79a7", "#b08900", "#56b4e9", "#000000")
DASHES = ("-", "--", ":", "-.", (0, (8, 2)), (0, (3, 1, 1, 1, 1, 1)), "-")
MARKERS = ("o", "s", "^", "D", "v", "P", "x")


def _axes(ax: Any) -> Any:
    try:
        from matplotlib import pyplot  # noqa: PLC0415  (optional)
    except ImportError:
        raise ImportError("plots need matplotlib: install ugt with the extra plot, or matplotlib itself") from None
    return pyplot.subplots()[1] if ax is None else ax


def _style(i: int) -> dict[str, Any]:
    return {"color": COLOURS[i % len(COLOURS)], "linestyle": DASHES[i % len(DASHES)]}


def _named(argument: str, given: Any) -> dict[str, Any]:
    """One thing as a mapping without a name."""
    if isinstance(given, Mapping):
        if not given:
            raise error(argument, "hold something to draw", "an empty mapping")
        return {str(name): value for name, value in given.items()}
    return {"": given}


def _finish(ax: Any, names: Sequence[str], x: str, y: str) -> Any:
    ax.set_xlabel(x)
    ax.set_ylabel(y)
    if any(names):
        ax.legend(frameon=False)
    return ax


def certainty_curve(certainty: Any, *, ax: Any = None) -> Any:
    """Certainty of the cases, least certain first.

    Parameters
    ----------
    certainty : Certainty, (N,) array, or mapping of name to these
        Such as one for each reliability.
    ax : matplotlib Axes, optional
        Default: of a new figure.
    """
    ax, given = _axes(ax), _named("certainty", certainty)
    for i, (name, one) in enumerate(given.items()):
        values = np.sort(_known(getattr(one, "per_case", one)))
        ax.plot(100 * (np.arange(len(values)) + 0.5) / len(values), values, label=name, drawstyle="steps-mid", **_style(i))
    ax.set_ylim(0, 1.02)
    return _finish(ax, list(given), "share of cases, least certain first (%)", "certainty")


def metric_by_reliability(evaluation: Any, metric: str = "topk_accuracy", k: int | None = 1, *, ax: Any = None) -> Any:
    """A metric of every model against the reliability: bands over draws, bars over draws and cases together.

    Parameters
    ----------
    evaluation : Evaluation
    metric, k
        Which rows of ``evaluation.metrics``.
    ax : matplotlib Axes, optional
    """
    ax = _axes(ax)
    rows = [row for row in evaluation.metrics if (row["metric"], row["k"]) == (metric, k) and row["reliability"] is not None]
    if not rows:
        known = sorted({str((row["metric"], row["k"])) for row in evaluation.metrics})
        raise error("metric", f"be one with reliabilities, of {', '.join(known)}", repr((metric, k)))
    for i, model in enumerate(evaluation.models):
        mine = sorted((row for row in rows if row["model"] == model), key=lambda row: float(row["reliability"]))
        x = np.array([row["reliability"] for row in mine]) * (1 + 0.01 * (i - (len(evaluation.models) - 1) / 2))
        value = np.array([row["value"] for row in mine])
        ends = {name: np.array([np.nan if row[name] is None else row[name] for row in mine]) for name in ("draw_low", "draw_high")}
        ax.fill_between(x, ends["draw_low"], ends["draw_high"], color=COLOURS[i % len(COLOURS)], alpha=0.2, linewidth=0)
        both = np.array([[row["both_low"], row["both_high"]] for row in mine], dtype=float).T
        ax.errorbar(x, value, np.abs(both - value), marker=MARKERS[i % len(MARKERS)], capsize=3, label=model, **_style(i))
    ax.set_xscale("log")
    marks = sorted({row["reliability"] for row in rows})
    ax.set_xticks(marks)
    ax.set_xticklabels([f"{mark:g}" for mark in marks])
    ax.minorticks_off()
    return _finish(ax, evaluation.models, "reliability", metric.replace("_", " "))


def plausibilities(
    truth: Any, case: int, *, annotations: Any = None, names: Sequence[Any] | None = None, top: int = 10, ax: Any = None
) -> Any:
    """Plausibilities of one case: bars of means, dots of draws, and beside each class how many annotators named it.

    Parameters
    ----------
    truth : Point, Dirichlet or Draws
    case : int
        Position of the case.
    annotations : Labels, optional
        Adds the numbers of labels.
    names : sequence of K names, optional
        Default: those of the truth.
    top : int
        Most classes shown, the most plausible ones.
    ax : matplotlib Axes, optional
    """
    ax = _axes(ax)
    one = truth.take(np.array([case]))
    mean = one.mean()[0]
    order = np.argsort(-mean, kind="stable")[: min(top, int((mean > 0).sum()) or 1)]
    labels = [str(name) for name in (one.axes.classes if names is None else names)]
    if annotations is not None:
        counts = annotations.counts()[case]
        labels = [f"{name} ({counts[k]})" for k, name in enumerate(labels)]
    place = np.arange(len(order))
    ax.barh(place, mean[order], color=COLOURS[5], edgecolor=COLOURS[0], height=0.7)
    if hasattr(one, "draws") and type(one).__name__ != "Point":
        n = min(100, getattr(one, "n_draws", 100))
        values = one.draws(n)[0][:, order]
        shift = (np.arange(n) / max(n - 1, 1) - 0.5) * 0.5
        for j in range(len(order)):
            ax.plot(values[:, j], j + shift, ".", color="black", markersize=2, alpha=0.5)
    ax.set_yticks(place)
    ax.set_yticklabels([labels[k] for k in order])
    ax.invert_yaxis()
    ax.set_xlim(0, 1)
    ax.set_xlabel("plausibility")
    return ax


def accuracy_over_draws(estimate: Any, *, bins: int = 30, ax: Any = None) -> Any:
    """Law of a metric over draws of the truth, with its mean.

    Parameters
    ----------
    estimate : Estimate
    bins : int
        Quantiles that the law is drawn from: densities between them.
    ax : matplotlib Axes, optional
    """
    ax = _axes(ax)
    if estimate.per_draw is not None:
        ax.hist(estimate.per_draw, bins=bins, color=COLOURS[5], edgecolor=COLOURS[0], density=True)
    else:
        p = np.linspace(0.001, 0.999, 400)
        ax.hist(estimate.draw_quantile(p), bins=bins, color=COLOURS[5], edgecolor=COLOURS[0], density=True)
    ax.axvline(estimate.value, **_style(1))
    return _finish(ax, [], "value over draws of the truth", "density")


def soft_curve(curve: Any, *, ax: Any = None) -> Any:
    """ROC or precision-recall curves.

    Parameters
    ----------
    curve : RocCurve, PrecisionRecallCurve, or mapping of name to curves of one kind
    ax : matplotlib Axes, optional
    """
    ax, given = _axes(ax), _named("curve", curve)
    kinds = {hasattr(one, "false_positive_rate") for one in given.values()}
    if len(kinds) != 1:
        raise error("curve", "be curves of one kind", "both kinds")
    roc = kinds.pop()
    for i, (name, one) in enumerate(given.items()):
        label = f"{name} ({one.area:.3f})" if name else f"{one.area:.3f}"
        if roc:
            ax.plot(one.false_positive_rate, one.true_positive_rate, label=label, **_style(i))
        else:
            ax.plot(one.recall, one.precision, drawstyle="steps-post", label=label, **_style(i))
    if roc:
        ax.plot([0, 1], [0, 1], color="0.6", linewidth=1)
    ax.set_xlim(0, 1)
    ax.set_ylim(0, 1.02)
    names = ("false positive rate", "true positive rate") if roc else ("recall", "precision")
    return _finish(ax, ["area"], *names)


def reliability_diagram(curve: Any, *, ax: Any = None) -> Any:
    """Shares of labels against predicted probabilities, with intervals; hollow points have fewer than ten cases.

    Parameters
    ----------
    curve : ReliabilityCurve, or mapping of name to these
    ax : matplotlib Axes, optional
    """
    ax, given = _axes(ax), _named("curve", curve)
    ax.plot([0, 1], [0, 1], color="0.6", linewidth=1)
    for i, (name, one) in enumerate(given.items()):
        there = one.n_cases > 0
        x, y = one.mean_probability[there], one.label_share[there]
        error_ = np.abs(np.stack([one.low[there], one.high[there]]) - y)
        ax.errorbar(x, y, np.nan_to_num(error_), label=name, capsize=2, **_style(i))
        face = np.where(one.few[there], "none", COLOURS[i % len(COLOURS)])
        ax.scatter(x, y, marker=MARKERS[i % 6], facecolors=face.tolist(), edgecolors=COLOURS[i % len(COLOURS)], zorder=3)
    ax.set_xlim(0, 1)
    ax.set_ylim(0, 1)
    return _finish(ax, list(given), "predicted probability", "share of labels")


def calibration_dispersion_map(losses: Mapping[str, Any], *, estimate: str = "debiased", ax: Any = None) -> Any:
    """Calibration loss against dispersion loss of several models; lines of equal epistemic loss are diagonals.

    Parameters
    ----------
    losses : mapping of name to HistogramLosses
    estimate : {"debiased", "plugin"}
    ax : matplotlib Axes, optional
    """
    ax, given = _axes(ax), _named("losses", losses)
    option("estimate", estimate, ("debiased", "plugin"))
    points = {name: (getattr(one.dl, estimate), getattr(one.cl, estimate)) for name, one in given.items()}
    for i, (name, (x, y)) in enumerate(points.items()):
        ax.plot(x, y, MARKERS[i % len(MARKERS)], color=COLOURS[i % len(COLOURS)], label=name, linestyle="none")
    low, high = ax.get_xlim(), ax.get_ylim()
    for total in np.linspace(low[0] + high[0], low[1] + high[1], 7)[1:-1]:
        ax.plot(low, total - np.array(low), color="0.85", linewidth=0.8, zorder=0)
    ax.set_xlim(low)
    ax.set_ylim(high)
    return _finish(ax, list(given), f"dispersion loss ({estimate})", f"calibration loss ({estimate})")


def forest(rows: Mapping[str, tuple[float, float, float]], *, reference: float = 1.0, x_label: str = "", ax: Any = None) -> Any:
    """Values with intervals, one above the other, and a line at a reference value.

    Parameters
    ----------
    rows : mapping of name to (value, low, high)
        From top to bottom.
    reference : float
        Such as 1 for ratios.
    x_label : str
    ax : matplotlib Axes, optional
    """
    ax, given = _axes(ax), _named("rows", rows)
    for i, (value, low, high) in enumerate(given.values()):
        ax.plot([low, high], [i, i], color=COLOURS[0], linewidth=2)
        ax.plot(value, i, "s", color=COLOURS[0], markersize=6)
    ax.axvline(reference, color="0.5", linestyle="--", linewidth=1)
    ax.set_yticks(range(len(given)))
    ax.set_yticklabels(list(given))
    ax.invert_yaxis()
    ax.set_xlabel(x_label)
    return ax


def rank_heat_map(probability: Any, names: Sequence[Any], *, ax: Any = None) -> Any:
    """Probabilities of ranks, models by ranks, as numbers on shades of grey.

    Parameters
    ----------
    probability : (M, M) array
        As ``Resamples.rank_probability`` gives it.
    names : sequence of M names
    ax : matplotlib Axes, optional
    """
    table = _table("probability", probability, len(names))
    ranks = [str(rank + 1) for rank in range(len(names))]
    return _heat(table, [str(name) for name in names], ranks, "rank", "", 0.0, 1.0, ax)


def agreement_matrix(matrix: Any, names: Sequence[Any], *, ax: Any = None) -> Any:
    """Agreement of pairs of annotators as numbers on shades of grey; what is undefined stays white.

    Parameters
    ----------
    matrix : (A, A) array
    names : sequence of A names
    ax : matplotlib Axes, optional
    """
    table = _table("matrix", matrix, len(names))
    shown = [str(name) for name in names]
    low = min(0.0, float(np.nanmin(table))) if np.isfinite(table).any() else 0.0
    return _heat(table, shown, shown, "", "", low, 1.0, ax)


def _table(argument: str, values: Any, n: int) -> Array:
    table = np.asarray(values, np.float64)
    if table.shape != (n, n):
        raise error(argument, f"be of shape ({n}, {n}), as there are names", table.shape)
    return table


def _heat(table: Array, rows: list[str], columns: list[str], x: str, y: str, low: float, high: float, ax: Any) -> Any:
    ax = _axes(ax)
    ax.imshow(np.ma.masked_invalid(table), cmap="Greys", vmin=low, vmax=high, aspect="auto")
    for i, j in np.argwhere(np.isfinite(table)):
        dark = (table[i, j] - low) / max(high - low, 1e-300) > 0.55
        ax.text(j, i, f"{table[i, j]:.2f}", ha="center", va="center", color="white" if dark else "black")
    ax.set_xticks(range(len(columns)))
    ax.set_xticklabels(columns)
    ax.set_yticks(range(len(rows)))
    ax.set_yticklabels(rows)
    return _finish(ax, [], x, y)


def coverage_and_size(coverage: Mapping[str, tuple[float, float]], *, target: float | None = None, ax: Any = None) -> Any:
    """Coverage of prediction sets against their mean size.

    Parameters
    ----------
    coverage : mapping of name to (mean size, coverage)
    target : float, optional
        Wanted coverage, drawn as a line.
    ax : matplotlib Axes, optional
    """
    ax, given = _axes(ax), _named("coverage", coverage)
    for i, (name, (size, share)) in enumerate(given.items()):
        ax.plot(size, share, MARKERS[i % len(MARKERS)], color=COLOURS[i % len(COLOURS)], label=name, linestyle="none")
    if target is not None:
        ax.axhline(target, color="0.5", linestyle="--", linewidth=1)
    return _finish(ax, list(given), "mean number of classes in a set", "coverage")


def ternary(draws: Any, *, names: Sequence[Any] = ("", "", ""), ax: Any = None) -> Any:
    """Draws of the plausibilities of three classes in a triangle.

    Parameters
    ----------
    draws : (n, 3) array
        Such as ``posterior.draws(500)[case]``.
    names : sequence of three names
        Of the corners: left, right, top.
    ax : matplotlib Axes, optional
    """
    table = np.asarray(draws, np.float64)
    if table.ndim != 2 or table.shape[1] != 3 or not np.isfinite(table).all():
        raise error("draws", "be of shape (n, 3) and finite", f"shape {table.shape}")
    ax = _axes(ax)
    table = table / table.sum(axis=1, keepdims=True)
    height = np.sqrt(3) / 2
    ax.plot([0, 1, 0.5, 0], [0, 0, height, 0], color="black", linewidth=1)
    ax.plot(table[:, 1] + table[:, 2] / 2, table[:, 2] * height, ".", color=COLOURS[0], markersize=3, alpha=0.5)
    for (x, y), name, side in zip([(0, -0.05), (1, -0.05), (0.5, height + 0.03)], names, ("center",) * 3):
        ax.text(x, y, str(name), ha=side)
    ax.set_aspect("equal")
    ax.set_axis_off()
    return ax


def _known(values: Any) -> Array:
    array = np.asarray(values, np.float64)
    known = array[np.isfinite(array)]
    if len(known) == 0:
        raise error("certainty", "have a case that is defined", "none")
    return known
