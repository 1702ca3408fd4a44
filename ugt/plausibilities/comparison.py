"""What a comparison of a model's order, or of sets, with plausibilities gives: expectations per case, and their spread over draws."""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial
from typing import Callable

import numpy as np

from .._base.arrays import Array, Bools
from .._base.checks import room

NO_SPREAD = 1e-15  # a variance below this is rounding: a million such cases move the mean by less than 1e-10


@dataclass(frozen=True, eq=False)
class Law:
    """The law over draws of a sum over cases: a constant, and a law on 0, 1/n, …, 1 for every case that varies.

    ``pmf`` (cases, n + 1): probabilities of a case's lattice points.
    """

    constant: float
    pmf: Array


@dataclass(frozen=True, eq=False)
class Comparison:
    """Expectation per case (NaN: undefined), standard deviation over draws of the mean over cases, and the law behind it."""

    per_case: Array
    draw_std: float
    mc_error: float = 0.0
    per_draw: Array | None = None
    law: Callable[[float], Law | None] | None = None  # nothing where it would have more cells than given

    @classmethod
    def of_values(cls, values: Array, law: Array, n_points: int) -> Comparison:
        """From the values (N, V) that a case can take and their probabilities (N, V); n_points: of the lattice that they lie on."""
        per_case = (values * law).sum(1)
        return cls(per_case, spread_of(((values - per_case[:, None]) ** 2 * law).sum(1)), law=partial(_law_of, values, law, n_points))

    @classmethod
    def of_chances(cls, chance: Array, settled: Bools | None = None) -> Comparison:
        """From the probability (N,) that it is 1 and not 0; settled: cases where all draws have this number itself."""
        p = np.minimum(np.maximum(chance, 0.0), 1.0)
        variance = p * (1.0 - p)
        if settled is not None:
            variance[settled] *= 0.0  # of an undefined case it stays undefined
        return cls(p, spread_of(variance), law=partial(_law_of_chances, p, variance > NO_SPREAD))


def spread_of(variance: Array) -> float:
    """Standard deviation of the mean over defined cases, which are independent."""
    defined = variance[~np.isnan(variance)]
    return float(np.sqrt(defined[defined > NO_SPREAD].sum()) / len(defined)) if len(defined) else float("nan")


def _law_of(values: Array, law: Array, n_points: int, most_cells: float) -> Law | None:
    """Values between two points of the lattice are split so that means stay; cases that cannot vary add a constant."""
    mean = (values * law).sum(1)
    varies = ((values - mean[:, None]) ** 2 * law).sum(1) > NO_SPREAD  # false for an undefined case
    if varies.sum() * (n_points + 1) > most_cells:
        return None
    at = values[varies] * n_points
    low = np.minimum(np.floor(at + 1e-9), n_points).astype(np.int64)
    split = np.where(np.abs(at - low) < 1e-9, 0.0, at - low)
    room("the law of a metric", 8 * len(low) * (n_points + 2))
    pmf = np.zeros((len(low), n_points + 2))
    row = np.arange(len(low))[:, None]
    np.add.at(pmf, (row, low), law[varies] * (1.0 - split))
    np.add.at(pmf, (row, low + 1), law[varies] * split)
    return Law(float(np.nansum(mean[~varies])), pmf[:, : n_points + 1])


def _law_of_chances(p: Array, varies: Bools, most_cells: float) -> Law | None:
    if 2 * varies.sum() > most_cells:
        return None
    return Law(float(np.nansum(p[~varies])), np.stack([1.0 - p[varies], p[varies]], 1))
