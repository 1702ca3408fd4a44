"""Truths whose rows stand for several equal cases each, or have weights."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from .._base.arrays import Array
from .._base.checks import error
from .._base.wording import arg
from ..resampling.case_weights import Counts, case_weights_of
from ..resampling.frequencies import check_counts, frequency_of

if TYPE_CHECKING:
    from .comparisons import Comparison

DRAWN = {
    "frequency": "be a Point or a Dirichlet posterior with " + arg("frequency", ...) + ", so that equal cases have independent draws",
    "case_weights": "be a Point or a Dirichlet posterior with " + arg("case_weights", ...) + ", which draws do not take",
}
FITTED = ", since the fit took each row for one case"
NO_FIT = {one: "have a prior that was not fitted to the rows, with " + arg(one, ...) + FITTED for one in DRAWN}


def counts_of(frequency: object, case_weights: object, truth: Any) -> Counts | None:
    """Return how often each case of a truth counts; None if nothing was given. Refuse truths that cannot have it."""
    if frequency is None and case_weights is None:
        return None
    argument = "frequency" if case_weights is None else "case_weights"
    if truth.is_sampled:
        raise error("truth", DRAWN[argument], type(truth).__name__)
    check_origin("truth", truth.made_of, argument)
    if case_weights is None:
        times = frequency_of(frequency, truth.n_cases, truth.axes.case_ids)
    elif frequency is not None:
        raise error("case_weights", "be left out with " + arg("frequency", ...), type(case_weights).__name__)
    else:
        times = case_weights_of(case_weights, truth.n_cases, truth.axes.case_ids)
    assert times is not None
    return Counts(times, case_weights is not None)


def check_origin(argument: str, of: Any, given: str = "frequency") -> None:
    """Refuse labels, or the origin of a truth (or None), with a prior that was fitted to the rows; with frequencies names of annotators."""
    if given == "frequency":
        check_counts(argument, getattr(of, "annotations", of))
    if getattr(of, "fit", None) is not None:
        raise error(argument, NO_FIT[given], "a fitted prior", way="give its numbers, as prior=fit.value")


def times_beside(argument: str, of: Any, weights: object, given: object, n_cases: int, case_ids: Any) -> Array | None:
    """Return how many equal cases each row stands for; its labels or truth are ``of`` some origin (or None), and it has no ``weights``."""
    if given is None:
        return None
    if weights is not None:
        raise error("weights", "be left out with " + arg("frequency", ...), type(weights).__name__)
    check_origin(argument, of)
    return frequency_of(given, n_cases, case_ids)


def counted(found: Comparison, counts: Counts) -> Comparison:
    """Return a comparison whose cases count so often; refuse one by draws, which equal cases would share."""
    if found.per_draw is not None or found.mc_error > 0 or (found.variance is None and found.draw_std > 0):
        raise error("truth", DRAWN["case_weights" if counts.weighted else "frequency"], "a comparison by draws")
    return found.occurring(counts.times, counts.weighted)
