"""Uncertainty-adjusted coverage of prediction sets."""

from __future__ import annotations

from functools import partial
from typing import Any, Callable

import numpy as np

from .._base import checks
from .._base.arrays import Int64
from .._base.ragged import sizes_of
from ..annotations.joins import tells_joins
from ..plausibilities import Plausibilities, as_plausibilities
from ..plausibilities import estimates as results
from ..plausibilities.comparisons import Comparison
from ..plausibilities.frequent import counts_of
from ..plausibilities.metric import METRICS
from ..plausibilities.orders import Sets
from ..plausibilities.sets import as_sets
from ..resampling.case_weights import Counts


@tells_joins
def ua_coverage(
    truth: object, sets: object, *, j: int = 1, ties: str = "expectation", frequency: object = None, case_weights: object = None
) -> results.Estimate:
    """Return the coverage of given prediction sets: how often a set holds the top class, or all top j classes, of a drawn truth.

    The value of a case is ``P(top-j(λ) ⊆ C)``, at j = 1 ``P(argmax λ ∈ C)``. The record also has the mean size of the sets.

    Parameters
    ----------
    truth, ties, frequency, case_weights
        As in :func:`ua_topk_accuracy`.
    sets : (N, K) boolean mask, (N, m) integers, N sequences of class positions or of names of classes, or PredictionSets
        A set may be empty: it covers nothing.
    j : int
        Number of most plausible classes that the set must hold, 1 to K. A set of fewer than j classes has the value 0.

    Returns
    -------
    Estimate
        The value, in [0, 1], with ``mean_set_size``.

    Raises
    ------
    ValueError
        If there are not N sets, a class is unknown, out of range or twice in a set, or j lies outside 1 to K.

    Examples
    --------
    >>> import ugt
    >>> post = ugt.dirichlet(ugt.Labels.from_counts([[6, 2, 0], [1, 1, 3]], classes=["eczema", "psoriasis", "tinea"]), prior=0.5)
    >>> covered = ugt.metrics.ua_coverage(post, [["eczema"], ["psoriasis", "tinea"]])
    >>> round(covered.value, 4), covered.mean_set_size
    (0.8945, 1.5)
    """
    post = as_plausibilities(truth)
    return of_sets(post, sets, "topk_accuracy", checks.whole("j", j, 1, post.n_classes), ties, frequency, case_weights)


@tells_joins
def ua_plausibility_mass(truth: object, sets: object, *, frequency: object = None, case_weights: object = None) -> results.Estimate:
    """Return the plausibility mass of given prediction sets ("aggregated coverage"): the expected plausibility that a set holds.

    The value of a case is ``E_λ Σ_{y ∈ C} λ_y``. For a Dirichlet posterior the mass is Beta distributed, and mean and variance are exact.

    Arguments, errors and range are those of :func:`ua_coverage`. Quantiles over draws of a Dirichlet posterior come from the normal limit.

    Examples
    --------
    >>> import ugt
    >>> mass = ugt.metrics.ua_plausibility_mass(ugt.dirichlet(ugt.Labels.from_counts([[6, 2, 0], [1, 1, 3]]), prior=0.5), [[0], [1, 2]])
    >>> round(mass.value, 4), round(mass.draw_std, 4)
    (0.7267, 0.1052)
    """
    post = as_plausibilities(truth)
    given = as_sets(sets, post.axes)
    again = partial(_of_rows, given, type(post).mass, {})
    return results.estimate(
        post.mass(given),
        post,
        _mean_size(given, post, counts_of(frequency, case_weights, post)),
        again=again,
        frequency=frequency,
        case_weights=case_weights,
    )


def of_sets(post: Plausibilities, sets: object, name: str, j: int, ties: str, frequency: object, case_weights: object) -> results.Estimate:
    given, metric = as_sets(sets, post.axes), METRICS[name]
    options: dict[str, Any] = {"metric": metric, "j": j, "ties": checks.option("ties", ties, checks.TIES)}
    again = partial(_of_rows, given, type(post).compare_sets, options)
    found = post.compare_sets(given, **options)
    return results.estimate(
        found,
        post,
        _mean_size(given, post, counts_of(frequency, case_weights, post)),
        again=again,
        frequency=frequency,
        case_weights=case_weights,
    )


def _of_rows(given: Sets, compare: Callable[..., Comparison], options: Any, truth: Plausibilities, rows: Int64) -> Comparison:
    """Compare the sets of some cases with a truth that has exactly these cases."""
    return compare(truth, given.take(rows), **options)


def _mean_size(sets: Sets, truth: Plausibilities, counts: Counts | None) -> float:
    sizes = sizes_of(sets.offsets)
    if counts is not None:
        return counts.mean(np.where(truth.defined, sizes, np.nan))[0]
    sizes = sizes[truth.defined]
    return float(sizes.mean()) if len(sizes) else float("nan")
