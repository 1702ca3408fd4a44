"""Plots of numbers of single cases: sorted curves, scatter plots and histograms; and of their mean over draws of the truth."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from .._base.arrays import Array, Int64
from .._base.checks import error, option, whole
from .._base.counts import counted
from ..annotations import Ratings
from ..annotations.named import Sheet, placed
from ..plausibilities import Certainty
from ..plausibilities.normal_posterior import NormalPosterior
from ..resampling import beside, numbers_of_cases
from . import _base

HATCHES = ("", "//", "..", "xx", "\\\\", "++", "oo")  # of the bars of several series
DOTS, NORMALS = 100, 4000  # draws of a posterior that are shown, and draws from which the axes get their range
SIDE = 120  # points per side of the grid of a density
SHADES = ("#e3f2fb", "#b9dff5", "#8ecbef")  # light blues of areas, the outermost first
QUANTILES = 400  # quantiles from which an exact law is drawn


def certainty_curve(certainty: Any, *, by: Any = None, ax: Any = None) -> Any:
    """Draw the certainty of the cases, least certain first, or another value of each case [A figures 3, 7, 13, 14].

    Each named series is a line of its own colour and dashes. Cases on a line below 1 have a truth that the annotations leave open. If the
    lines of several reliabilities lie far apart, conclusions depend on the reliability. With ``by``, other values, such as the accuracy of
    a model, are dots, one per case. Do not read certainty as correctness: cases that all annotators get wrong are certain, too. Without
    ``by`` every line has its own order, so that one position belongs to different cases.

    Parameters
    ----------
    certainty : Certainty, Estimate or AgreementScore, (N,) array, or mapping of name to these
        Values of the cases, such as one record for each reliability. Undefined cases (NaN) are counted in the legend.
    by : record or (N,) array, optional
        Values by which the cases of all series are sorted. Default: each line is sorted by its own values.
    ax : matplotlib Axes, optional

    Returns
    -------
    matplotlib Axes
        Each line has ``case_ids``, the ids of its points in their order; None if the cases have none.

    Raises
    ------
    ValueError
        If there is nothing to draw, or values are not in one row, or not of the same cases as ``by``.
    ImportError
        Without matplotlib, as for all plots.

    Examples
    --------
    >>> import ugt.plots
    >>> truth = ugt.dirichlet(ugt.Labels.from_counts([[6, 2], [3, 3]]), prior=1.0)
    >>> certainty, accuracy = ugt.annotation_certainty(truth), ugt.ua_topk_accuracy(truth, [[0.9, 0.1], [0.2, 0.8]])
    >>> ax = ugt.plots.certainty_curve({"prior 1": certainty})
    >>> ax.lines[0].get_ydata().round(2).tolist()
    [0.5, 0.91]
    >>> ax = ugt.plots.certainty_curve({"certainty": certainty, "accuracy": accuracy}, by=certainty)
    >>> ax.lines[1].get_ydata().round(2).tolist()
    [0.5, 0.91]
    """
    named = _base.named("certainty", certainty)
    order, rows = (None, None) if by is None else (of_cases("by", by), numbers_of_cases("by", by).rows)
    given = {name: of_cases("certainty", one if by is None else beside("certainty", one, by)) for name, one in named.items()}
    for name, values in given.items():
        if order is not None and len(values) != len(order):
            raise error("certainty", f"have {len(order)} cases, as by", len(values), repr(name) if name else "")
    ax = _base.axes_of(ax)
    same = [name for name, values in given.items() if order is None or np.array_equal(values, order, equal_nan=True)]
    for i, (name, values) in enumerate(given.items(), start=_base.first_style(ax)):
        key = values if order is None else order
        known = np.isfinite(values) & np.isfinite(key)
        at = np.flatnonzero(known)[np.argsort(key[known], kind="stable")]
        ids, shown = numbers_of_cases("certainty", named[name]).rows if rows is None else rows, values[at]
        x, label = 100 * (np.arange(len(shown)) + 0.5) / len(shown), _base.labelled(name, _base.undefined(len(values) - len(shown)))
        if name in same:
            (line,) = ax.plot(x, shown, label=label, drawstyle="steps-mid", zorder=3, **_base.style(i))
        else:
            (line,) = ax.plot(x, shown, _base.marker(i), label=label, color=_base.colour(i), markersize=3, alpha=0.6)
        line.case_ids = None if ids is None else ids[at]
    drawn = np.concatenate([values[np.isfinite(values)] for values in given.values()])
    ax.set_ylim(min(0.0, drawn.min()), 1.02 * max(1.0, drawn.max()))
    return _base.finish(ax, *_axis_words(named, None if order is None else same), "lower right")


def _axis_words(named: Mapping[Any, Any], same: Sequence[Any] | None) -> tuple[str, str]:
    """Return the labels of both axes; ``same``: the series whose own order the cases have, None if each line has its own."""
    certain = all(isinstance(one, Certainty) or not hasattr(one, "per_case") for one in named.values())
    first = "least certain first" if certain else "lowest value first"
    if same is not None:
        first = f"in the order of {same[0]}" if same and same[0] else "in the order given"
    return f"share of cases, {first} (%)", "certainty" if certain else "value of the case"


def of_cases(argument: str, given: object) -> Array:
    """Return the (N,) values of the cases; refuse values of which none is defined."""
    array = _base.array(argument, numbers_of_cases(argument, given).values)
    if array.ndim != 1:
        raise error(argument, "be of shape (N,)", array.shape)
    if not np.isfinite(array).any():
        raise error(argument, "have a case that is defined", "none")
    return array


def case_scatter(correlation: Any, *, ax: Any = None) -> Any:
    """Draw two numbers of each case against each other, with their correlation r [A figure 13].

    Each dot is a case; where many cases coincide, the dots are darker. The grey line is the least-squares line. Cases far from the line
    have two numbers that describe them differently. Do not read a high correlation as correctness: two numbers from the same annotations
    share the errors of these annotations.

    Parameters
    ----------
    correlation : CaseCorrelation
        Record of :func:`ugt.truth.case_correlation`, such as certainty and agreement of each annotator with the others.
    ax : matplotlib Axes, optional

    Returns
    -------
    matplotlib Axes
        The legend has the correlation and the numbers of cases drawn and undefined; ``lines[0].case_ids`` are the ids of the dots, None if
        the cases have none.

    Raises
    ------
    ValueError
        If ``correlation`` is something else.

    Examples
    --------
    >>> import ugt.plots
    >>> ax = ugt.plots.case_scatter(ugt.truth.case_correlation([0.9, 0.5, 0.7, 1.0], [1.0, 0.4, 0.5, 0.9]))
    >>> [text.get_text() for text in ax.get_legend().get_texts()]
    ['r = 0.92 (4 cases)']
    """
    (found,) = _base.records("correlation", correlation, "a CaseCorrelation", "first", "second", "names").values()
    x, y = (one[found.statistic.kept] for one in (found.first, found.second))
    ax = _base.axes_of(ax)
    i = _base.first_style(ax)
    label = _base.labelled(f"r = {found.value:.2f}", counted(len(x), "case"), _base.undefined(sum(found.left_out.values())))
    (dots,) = ax.plot(x, y, _base.marker(i), color=_base.colour(i), markersize=4, alpha=0.4, markeredgewidth=0, label=label)
    dots.case_ids = None if found.case_ids is None else found.case_ids[found.statistic.kept]
    if np.isfinite(found.value):
        ends = np.array([x.min(), x.max()])
        ax.plot(ends, y.mean() + found.value * y.std() / x.std() * (ends - x.mean()), **_base.GUIDE)
    across, up = found.names
    return _base.finish(ax, across, up, "lower right")


def case_histogram(values: Any, *, bins: int = 20, ax: Any = None) -> Any:
    """Draw a histogram of a value of each case, such as the expected risk [A figure 8].

    Bars of several series have different colours and hatches. For expected risks, cases between the risks of single classes are those on
    which annotators differ. Such a value is a mean of several risks: do not read it as a class of its own between them.

    Parameters
    ----------
    values : record with ``per_case``, (N,) array, or mapping of name to these
        Values of the cases. Undefined cases (NaN) are counted in the legend.
    bins : int
        Number of bars over the range of all values, or from 0 to 1 if all lie in it. If there are at most this many different values, each
        has a bar.
    ax : matplotlib Axes, optional

    Returns
    -------
    matplotlib Axes

    Raises
    ------
    ValueError
        If there is nothing to draw, values are not in one row, or ``bins`` is below 1.

    Examples
    --------
    >>> import ugt.plots
    >>> truth = ugt.dirichlet(ugt.Labels.from_counts([[4, 1, 0], [0, 1, 4], [0, 0, 5]]))
    >>> ax = ugt.plots.case_histogram(ugt.truth.expected_risk(truth, [0, 1, 2]), bins=2)
    >>> [int(bar.get_height()) for bar in ax.patches]
    [1, 2]
    """
    given, n_bins = {name: of_cases("values", one) for name, one in _base.named("values", values).items()}, whole("bins", bins)
    known = {name: one[np.isfinite(one)] for name, one in given.items()}
    centres, width, counts = bars(list(known.values()), n_bins)
    ax = _base.axes_of(ax)
    start, n = _base.first_style(ax), len(given)
    for i, (name, heights) in enumerate(zip(known, counts)):
        at = i + start
        hatch = HATCHES[(at + at // len(HATCHES)) % len(HATCHES)]
        look = {"color": _base.colour(at), "hatch": hatch, "edgecolor": "black", "linewidth": 0.5}
        label = _base.labelled(name, _base.undefined(len(given[name]) - len(known[name])))
        ax.bar(centres + (i - (n - 1) / 2) * 0.9 * width / n, heights, 0.9 * width / n, label=label, **look)
    ax.set_ylim(0, max(ax.get_ylim()[1], (1.05 + 0.09 * n) * np.max(counts)))  # leave room for the legend
    return _base.finish(ax, "value of the case", "cases")


def bars(drawn: Sequence[Array], bins: int) -> tuple[Array, float, list[Int64]]:
    """Return the centres of bars, their width, and the counts of each series; few different values have one bar each."""
    every = np.concatenate(drawn)
    few = np.unique(every.round(9))
    if len(few) <= bins:
        width = float(np.diff(few).min()) if len(few) > 1 else 1.0
        return few, width, [np.array((one.round(9) == few[:, None]).sum(axis=1)) for one in drawn]
    edges = np.histogram_bin_edges(every, bins, (0, 1) if every.min() >= 0 and every.max() <= 1 else None)
    return (edges[1:] + edges[:-1]) / 2, float(edges[1] - edges[0]), [np.histogram(one, edges)[0] for one in drawn]


def rated_case(posterior: Any, case: int | str, *, spread: str = "precision", ratings: Any = None, ax: Any = None) -> Any:
    """Draw the posterior of the mean and the spread of the ratings of one case [A figures 9 and 10].

    Blue areas hold 50, 80 and 95% of the posterior, the darkest 50%. Each black dot is a draw, a normal law from which the ratings of the
    case may come. If the areas are narrow along the horizontal axis, the ratings settle the mean of the case; if they lie across a cut,
    the ratings do not settle the side of the cut. Do not read the areas as a range of ratings: they are for the mean.

    Parameters
    ----------
    posterior : NormalPosterior
        Posterior by :func:`ugt.truth.normal`.
    case : int or str
        Position of the case, or its id as text; the title of the plot is the id.
    spread : {"precision", "std"}
        Quantity of the vertical axis: 1/σ², or σ.
    ratings : Ratings, or (N, A) array with NaN where there is none, optional
        Ratings of the same cases, joined by their ids; those of the drawn case are orange ticks at the bottom.
    ax : matplotlib Axes, optional

    Returns
    -------
    matplotlib Axes
        The plot; for a case without ratings, a note instead of areas.

    Raises
    ------
    ValueError
        If the case does not exist, ``spread`` is unknown, or ratings are not of the same cases.

    Examples
    --------
    >>> import ugt.plots
    >>> ratings = ugt.Ratings.from_wide([[-1, 0, 2, 1, -2, 0, 1, 1, -1, 0]])
    >>> ax = ugt.plots.rated_case(ugt.truth.normal(ratings, prior=(0, 1, 2, 1.5)), 0, ratings=ratings)
    >>> ax.get_ylabel(), [text.get_text() for text in ax.get_legend().get_texts()]
    ('precision 1/σ²', ['mean of the case, 100 draws', '10 ratings'])
    """
    kinds = {"precision": "precision 1/σ²", "std": "standard deviation σ"}
    (given,) = _base.records("posterior", posterior, "a NormalPosterior", "location", "kappa", "shape", "scale", "n_cases").values()
    i, title = _base.case_at(case, given.n_cases, None if given.numbered else given.case_ids)
    label = kinds[option("spread", spread, tuple(kinds))]
    marks = None if ratings is None else _ratings_of(ratings, i, given)
    m, k, a, b = (float(values[i]) for values in (given.location, given.kappa, given.shape, given.scale))
    ax = _base.axes_of(ax)
    ax.set_title(title)
    if np.isfinite([m, k, a, b]).all():
        rng = np.random.default_rng(0)
        precision = rng.standard_gamma(a, NORMALS) / b
        mean = m + rng.standard_normal(NORMALS) / np.sqrt(k * precision)
        height = precision if spread == "precision" else precision**-0.5
        ends = [np.quantile(one, [0.002, 0.998]) for one in (mean, height)]
        x, y = (np.linspace(low, high, SIDE) for low, high in ends)
        tau = y if spread == "precision" else y**-2.0
        with np.errstate(divide="ignore"):  # the log density up to a constant; for σ it has the factor dτ = 2 σ⁻³ dσ
            law = (a - 0.5) * np.log(tau) - b * tau - (0 if spread == "precision" else 3 * np.log(y))
        density = np.exp((found := law[:, None] - k * tau[:, None] * (x - m) ** 2 / 2) - found.max())
        ordered = np.sort(density.ravel())[::-1]
        levels = ordered[np.searchsorted(np.cumsum(ordered) / ordered.sum(), [0.95, 0.8, 0.5])]
        ax.contourf(x, y, density, [*levels, 1.01], colors=SHADES)
        ax.contour(x, y, density, levels, colors=_base.COLOURS[0], linewidths=1)
        ax.plot(mean[:DOTS], height[:DOTS], ".", color="black", markersize=3, label=f"mean of the case, {DOTS} draws")
    else:
        _base.note(ax, "undefined: no ratings")
    if marks is not None and len(marks):
        foot = {"transform": ax.get_xaxis_transform(), "linestyle": "none", "markersize": 7, "clip_on": False}
        values = np.sort(marks)  # ticks of equal ratings are stacked
        above = np.arange(len(values)) - np.searchsorted(values, values)
        ax.plot(values, 0.02 + 0.03 * above, "|", color=_base.COLOURS[1], label=counted(len(marks), "rating"), **foot)
    return _base.finish(ax, "mean μ", label, "upper right")


def _ratings_of(given: object, case: int, posterior: NormalPosterior) -> Array:
    """Return the ratings of one case."""
    known = given if isinstance(given, Ratings) else Ratings.from_wide(given)
    if known.n_cases != posterior.n_cases:
        raise error("ratings", f"have {posterior.n_cases} cases, as the posterior", known.n_cases)
    if not (known.numbered or posterior.numbered):
        case = int(placed("ratings", Sheet(np.arange(known.n_cases), known.case_ids), posterior.case_ids)[case])
    return known.value[known.offsets[case] : known.offsets[case + 1]]


def accuracy_over_draws(estimate: Any, *, bins: int = 30, ax: Any = None) -> Any:
    """Draw the distribution of a metric over draws of the truth, with a vertical line at its mean.

    The width shows how far the metric of these cases depends on the truth that the annotations leave open. Several series have different
    colours and dashes. Do not use the width as an interval for other cases. Do not compare models by the overlap of their distributions:
    both depend on the same draws, so use ``a.minus(b)``.

    Parameters
    ----------
    estimate : Estimate, or mapping of name to these
        Metrics to draw.
    bins : int
        Number of bars over the range of all distributions.
    ax : matplotlib Axes, optional

    Returns
    -------
    matplotlib Axes
        The plot; a metric without spread (the truth is certain) is a line only. Cases left out are counted in the legend.

    Raises
    ------
    ValueError
        If an estimate is undefined or ``bins`` is below 1.

    Examples
    --------
    >>> import ugt.plots
    >>> found = ugt.ua_topk_accuracy(ugt.dirichlet(ugt.Labels.from_counts([[3, 1], [2, 2], [1, 5]])), [[0.6, 0.4]] * 3)
    >>> ax = ugt.plots.accuracy_over_draws(found)
    >>> bool(ax.lines[0].get_xdata()[0] == found.value)
    True
    """
    given = _base.records("estimate", estimate, "an Estimate", "value", "per_draw", "draw_quantile")
    n_bins = whole("bins", bins)
    for name, one in given.items():
        if not np.isfinite(one.value):
            raise error("estimate", "be defined", one.value, repr(name) if name else "")
    laws = {name: _law(one) for name, one in given.items()}
    ax = _base.axes_of(ax)
    edges = np.linspace(min(law.min() for law in laws.values()), max(law.max() for law in laws.values()), n_bins + 1)
    for i, (name, law) in enumerate(laws.items(), start=_base.first_style(ax)):
        one, spread = given[name], bool(law.min() < law.max())
        if spread:
            look: dict[str, Any] = {"color": _base.COLOURS[5], "edgecolor": _base.COLOURS[0]}
            if len(given) > 1:
                look = {"histtype": "stepfilled", "alpha": 0.35, "color": _base.colour(i), "edgecolor": _base.colour(i)}
                look["linestyle"] = _base.style(i)["linestyle"]
            ax.hist(law, bins=edges, density=True, **look)
        remarks = (f"{one.value:.3f}" if name else "", "" if spread else "no spread", _base.left_out(one))
        ax.axvline(one.value, label=_base.labelled(name, *remarks), **_base.style(i if name else 1))
    return _base.finish(ax, "value over draws of the truth", "density")


def _law(estimate: Any) -> Array:
    """Return values to draw a distribution from: the draws, or quantiles of an exact distribution."""
    values = estimate.per_draw if estimate.per_draw is not None else estimate.draw_quantile(np.linspace(0.001, 0.999, QUANTILES))
    return np.asarray(values, np.float64)
