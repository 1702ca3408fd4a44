"""Frequencies: how many equal cases each row of the data stands for."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from .._base.arrays import Array, NDArray
from .._base.checks import error
from .._base.identifiers import MAX_WHOLE, name
from .cluster_ids import ids_of_cases, numbers_in

MUST = "be whole numbers of at least 0, of which some are above 0"
NAMED = "be left out for {} of annotators with names, since a row does not tell who judged which of its cases"


def frequency_of(given: object, n_cases: int, case_ids: Any = None) -> Array | None:
    """Return how many equal cases each of N cases stands for, (N,) whole numbers; None if none were given.

    Numbers of a statistic with these ``times``, their standard errors and intervals are those of the data with each row repeated so often.

    Parameters
    ----------
    given : (N,) whole numbers of at least 0, Series or mapping of case id to number, optional
        A row with 0 does not count.
    n_cases : int
        Number of rows N.
    case_ids : (N,) array, optional
        By which a Series or a mapping is joined.

    Raises
    ------
    ValueError
        If a number is missing, negative or not whole, if all are 0, or if they add up to more than 2**53.
    """
    if given is None:
        return None
    listed = ids_of_cases("frequency", given, n_cases, case_ids, what="a number")
    times = numbers_in(listed)
    bad = ~(np.isfinite(times) & (times >= 0) & (times == np.floor(times)))
    if bad.any():
        i = int(np.argmax(bad))
        raise error("frequency", MUST, name(listed[i]), f"case {name(i if case_ids is None else case_ids[i])}")
    if not times.any():
        raise error("frequency", MUST, "0 for all")
    if math.fsum(times) > MAX_WHOLE:
        raise error("frequency", "add up to at most 2**53", f"{times.sum():.6g}")
    return times


def quantiles_of_equal(times: Array, x: Array, q: Array) -> Array:
    """Return quantiles of numbers, each of which occurs so often, between two of them as by numpy.quantile."""
    order = np.argsort(x, kind="stable")
    x, upto = x[order], np.cumsum(times[order])
    at = q * (upto[-1] - 1)
    low = np.floor(at)
    below, above = (x[np.searchsorted(upto, np.minimum(one, upto[-1] - 1), side="right")] for one in (low, low + 1))
    share = at - low
    return np.asarray(np.where(share < 0.5, below + (above - below) * share, above - (above - below) * (1 - share)))


def median(values: NDArray[Any], times: Array | None) -> float:
    """Return the median of numbers (n,), each of which occurs once or so often."""
    return float(np.median(values) if times is None else quantiles_of_equal(times, values, np.array([0.5]))[0])


def check_counts(argument: str, annotations: Any) -> None:
    """Refuse annotations (or None) whose annotators have names, beside frequencies."""
    if annotations is not None and len(getattr(annotations, "annotators", ())):
        got = f"{argument} of {len(annotations.annotators)} annotators"
        raise error("frequency", NAMED.format(argument), got, way="Labels.from_counts(labels.counts()) keeps the counts only")
