"""Truths whose rows stand for several equal cases each."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from .._base.arrays import Array
from .._base.checks import error
from .._base.wording import arg
from ..resampling.frequencies import check_counts, frequency_of

if TYPE_CHECKING:
    from .comparisons import Comparison

INDEPENDENT = "be a Point or a Dirichlet posterior with " + arg("frequency", ...) + ", so that equal cases have independent draws"
NO_FIT = "have a prior that was not fitted to the rows, with " + arg("frequency", ...) + ", since the fit took each row for one case"


def times_of(given: object, truth: Any) -> Array | None:
    """Return how many equal cases each case of a truth stands for, (N,); None if nothing was given. Refuse truths that cannot have it."""
    if given is None:
        return None
    if truth.is_sampled:
        raise error("truth", INDEPENDENT, type(truth).__name__)
    check_origin("truth", truth.made_of)
    return frequency_of(given, truth.n_cases, truth.axes.case_ids)


def check_origin(argument: str, of: Any) -> None:
    """Refuse labels, or the origin of a truth (or None), from annotators with names or with a prior that was fitted to the rows."""
    check_counts(argument, getattr(of, "annotations", of))
    if getattr(of, "fit", None) is not None:
        raise error(argument, NO_FIT, "a fitted prior", way="give its numbers, as prior=fit.value")


def times_beside(argument: str, of: Any, weights: object, given: object, n_cases: int, case_ids: Any) -> Array | None:
    """Return the same for cases whose labels, or whose truth, are ``of`` some origin (or None), and which have no ``weights``."""
    if given is None:
        return None
    if weights is not None:
        raise error("weights", "be left out with " + arg("frequency", ...), type(weights).__name__)
    check_origin(argument, of)
    return frequency_of(given, n_cases, case_ids)


def check_exact(found: Comparison) -> None:
    """Refuse a comparison by draws, which equal cases would share."""
    if found.per_draw is not None or found.mc_error != 0 or (found.variance is None and found.draw_std != 0):
        raise error("truth", INDEPENDENT, "a comparison by draws")


def mean_of_equal(per_case: Array, times: Array) -> tuple[float, int]:
    """Return the mean over defined cases, each as often as it occurs (NaN if there are none), and their number."""
    defined = ~np.isnan(per_case) & (times > 0)
    n = float(times[defined].sum())
    return (float(times[defined] @ per_case[defined]) / n if n else float("nan")), int(n)
