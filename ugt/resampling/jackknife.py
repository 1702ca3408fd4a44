"""Statistics with units left out one at a time."""

from __future__ import annotations

import numpy as np

from .._base import parallel
from .._base.arrays import Array, Bools
from .._base.checks import room
from .design import Design
from .loop import everybody
from .statistic import Statistic

FEW = 8  # evaluations per task, each of which may take long


def without_units(statistic: Statistic, kept: Bools, design: Design, make_up: bool) -> Array:
    """Return the numbers (G, M) without each unit; ``make_up``: the others of its stratum weigh more, so that strata keep their sizes."""
    m = len(statistic.names)
    room(f"{m} numbers without each unit", 8.0 * design.n_units * m)
    values = np.full((design.n_units, m), np.nan)
    sizes, stratum, times = design.sizes, design.of_units(np.arange(len(design.sizes))), design.times

    def part(begin: int, end: int) -> None:
        for unit in range(begin, end):
            share = sizes[stratum[unit]] / max(1, sizes[stratum[unit]] - 1) if make_up else 1.0
            weights = np.where(stratum == stratum[unit], share, 1.0)
            if times is None:
                weights[unit] = 0.0
            else:  # one of the equal units that it stands for
                weights = weights * times
                weights[unit] -= share
            values[unit] = statistic.values(everybody(weights[design.unit][None], kept))[0]

    if design.size > 1:
        parallel.run(part, design.n_units, FEW, "leaving out one unit at a time")
    return values


def left_out_deviations(statistic: Statistic, kept: Bools, design: Design) -> Array:
    """Return (G, M) sqrt((n - 1) / n) (value without a unit - mean of these), whose squares add up to the jackknife's variance.

    Efron & Tibshirani (1993), eq. 11.5, stratum by stratum. A number that is undefined without a unit is taken as unchanged; one that is
    undefined without nearly every unit, so that fewer than two values are left, shows no variance: NaN.
    """
    sizes, alone = design.sizes, np.repeat(design.sizes == 1, np.diff(design.strata))
    values = np.empty((design.n_units, len(statistic.names)))
    without = without_units(statistic, kept, design, make_up=True)
    values[design.place] = without
    known = ~np.isnan(values)
    values = np.where(known, values, statistic.estimate)
    values[alone] = 0.0  # the only unit of a stratum is in every resample once
    values[:, design.total(known.astype(np.float64)) < np.minimum(2, design.size)] = np.nan
    return np.asarray(design.centred(values) * np.sqrt(design.of_units((sizes - 1) / sizes))[:, None])


def left_out_influence(statistic: Statistic, kept: Bools, design: Design) -> Array:
    """Return the influence (G, M) of units by leaving out each: (n - 1) / n (mean of the values without one unit - value without it)."""
    sizes, of_places = design.sizes, np.diff(design.strata)
    values = np.empty((design.n_units, len(statistic.names)))
    values[design.place] = without_units(statistic, kept, design, make_up=True)
    values[np.repeat(sizes == 1, of_places)] = 0.0  # the only unit of a stratum is in every resample once
    return design.centred(-values * np.repeat((sizes - 1) / sizes, of_places)[:, None])
