"""Plackett–Luce without draws: probabilities to be the most plausible class, and moments, by integrals and by weighted points."""

from __future__ import annotations

import math
from typing import Callable

import numpy as np

from .._base import checks
from .._base.arrays import Array, Int64
from .._base.ragged import offsets_of, row_of, sizes_of
from .._base.wording import arg
from ..plausibilities.draws import REST
from ..plausibilities.integrated import EMPTY, EXACT, WEIGHTED, Integrated
from ..plausibilities.lists import SHIFTS
from ..plausibilities.weighted import Points

TOLERANCE = 1e-4  # default of the stated error of exact cases
TARGET = 2e-3  # standard error at which the points of a case are no longer doubled
N_DRAWS = 2304  # weighted points of a case, or draws
RATE = 0.75  # of the fall of the error with the number of points
LEAST_TOLERANCE, MOST_TOLERANCE = 1e-8, 1e-2
MOST_DIMENSIONS, MOST_TERMS = 7, 200  # of cases that the adaptive rule tries: with more, few reach the tolerance
MOST_NODES = 800_000  # of a case at a tolerance of 1e-6: some 0.2 s
LEAST_NODES = 10_000  # at any tolerance
GROWTH = 0.6  # a tenth of the error has four times the nodes
CHAIN = 8 / 9  # the part of the points that the chain makes, where sectors make the fewest
LEAST_POINTS, MOST_POINTS = 8, 65_536  # of the chain in a shift
ERROR, DIMENSIONS, TERMS, HOW, POINTS = range(5)  # facts on a case; then those on its points
FACTS = POINTS + 6
UNKNOWN = f"ties at a reliability that is not whole or with more than {MOST_TERMS} orders, or too large a reliability or shape"
MOST_MENTIONED = 64  # classes of a case that is integrated


def points_of_shift(n_draws: int) -> int:
    """Return the number of points of the chain in each shift for so many points in all: a multiple of 8."""
    return min(max(8 * round(n_draws * CHAIN / SHIFTS / 8), LEAST_POINTS), MOST_POINTS)


def target_of(n_draws: int) -> float:
    """Return the standard error at which the points of a case are no longer doubled: a larger one if few points are asked for."""
    return TARGET * max(1.0, math.pow(N_DRAWS / n_draws, RATE))


def integrate(points: Points, tolerance: float, method: str, n_draws: int, in_parts: Callable[..., None]) -> Integrated:
    """Return the posterior whose cases are integrated, or have weighted points; ``in_parts(part, starts, values, stop, options)``."""
    stop, width = np.zeros(1, np.int32), sizes_of(points.starts)
    most = max(int(MOST_NODES * min(1.0, (1e-6 / tolerance) ** GROWTH)), LEAST_NODES)
    law, limits = (*points.law, REST[points.unranked], tolerance), (MOST_DIMENSIONS, most, MOST_TERMS)
    starts = offsets_of(2 * width + FACTS)  # numbers and proposals of a case, then facts
    values = np.empty(starts[-1])

    def part(begin: int, end: int) -> None:
        rows = np.arange(begin, end, dtype=np.int64)
        out, error, info = np.full(int(width[rows].sum()), np.nan), np.full(len(rows), np.nan), np.zeros((len(rows), 3), np.int64)
        if method != "weighted":
            points.stages.first_class(law, limits, rows, stop, out, error, info)
        how = np.where(width[rows] == 3, EMPTY, np.where(np.isnan(error), WEIGHTED, EXACT))
        missing = rows[how == WEIGHTED]
        if len(missing) and method != "exact" and not stop[0]:
            found, errors = points.fit(missing, points.limits, stop)
            of = np.isin(row_of(offsets_of(width[rows])), missing - begin)
            out[of], error[how == WEIGHTED] = found, np.maximum.reduceat(errors, offsets_of(width[missing])[:-1])
        begins = offsets_of(width[rows])
        for i, row in enumerate(rows.tolist()):
            numbers, fit = out[begins[i] : begins[i + 1]], points.fits[points.starts[row] : points.starts[row + 1]]
            values[starts[row] : starts[row + 1]] = np.concatenate([numbers, fit, [error[i], *info[i, :2], how[i]], points.facts[row]])

    in_parts(part, starts, values, stop, (points.law, points.unranked, tolerance, method, points.limits, points.seed))
    facts = values[starts[1:, None] - FACTS + np.arange(FACTS)]
    if method == "exact":
        _check_exact(points, facts, tolerance)
    points.facts[:] = facts[:, POINTS:]  # a checkpoint has those of an earlier run
    points.fits[:] = values[np.arange(len(points.fits)) + (starts[:-1] + width - points.starts[:-1]).repeat(width)]
    points.warn(np.arange(len(facts), dtype=np.int64))
    return _posterior(points, values, starts[:-1], facts, tolerance, n_draws)


def _posterior(points: Points, values: Array, at: Int64, facts: Array, tolerance: float, n_draws: int) -> Integrated:
    offsets, index, k, shape, how = points.offsets, points.index, points.axes.n_classes, points.law[1], facts[:, HOW].astype(np.int8)
    m, case = sizes_of(offsets), row_of(offsets)
    place = np.arange(len(index)) - offsets[case]
    listed = values[at[case, None] + place[:, None] + (m[case, None] + 1) * np.arange(3)]
    rest = values[at[:, None] + m[:, None] + (m[:, None] + 1) * np.arange(3)]
    listed[:, 0], rest[:, 0] = np.maximum(listed[:, 0], 0.0), np.maximum(rest[:, 0], 0.0)  # combined rules have negative weights
    rest = _of_each(rest, k - m, shape, points.unranked)
    prior = 1 / k, 1 / k, (k - 1) / k**2 / (k * shape + 1) if points.unranked == "individual" else 0.0
    rest[m == 0] = np.nan if points.unranked == "ignore" else prior
    error = np.where(how == EMPTY, 0.0, np.where(points.unreliable, np.nan, facts[:, ERROR]))
    return Integrated(points.axes, offsets, index, listed, rest, error, how, tolerance, n_draws, points)


def tolerance_of(tolerance: object) -> float:
    """Return the error at which integrals stop; reject one that cannot be reached or says next to nothing."""
    value = checks.scalar("tolerance", tolerance, positive=True)
    if not LEAST_TOLERANCE <= value <= MOST_TOLERANCE:
        raise checks.error("tolerance", f"be from {LEAST_TOLERANCE:g} to {MOST_TOLERANCE:g}", repr(tolerance))
    return value


def _of_each(rest: Array, others: Int64, shape: float, unranked: str) -> Array:
    """Return the numbers (N, 3) of each unmentioned class from those of all of them together."""
    n = np.maximum(others, 1)
    square = rest[:, 2] + rest[:, 1] ** 2
    share = (shape + 1) / (n * (n * shape + 1)) if unranked == "individual" else 1 / n**2
    mean = rest[:, 1] / n
    return np.stack([rest[:, 0] / n, mean, np.maximum(square * share - mean**2, 0.0)], axis=1)


def _check_exact(points: Points, facts: Array, tolerance: float) -> None:
    """Reject cases that are not exact, with the first one and its dimension."""
    bad = np.flatnonzero(facts[:, HOW] == WEIGHTED)
    if len(bad):
        dims, terms = (int(facts[bad[0], column]) for column in (DIMENSIONS, TERMS))
        m = int(sizes_of(points.offsets)[bad[0]])
        other = f"{m} mentioned classes" if m > MOST_MENTIONED else UNKNOWN
        size = f"{dims} dimensions and {terms} terms" if terms else f"{dims} dimensions" if dims else other
        where = f"case {points.axes.case_name(int(bad[0]))}"
        more = f"; {len(bad)} of {len(facts)} cases are such, and " + arg("method", "auto") + " computes them with a standard error"
        raise checks.error("method", f"be 'auto' or 'weighted' for cases whose integral does not reach {tolerance:g}", size + more, where)
