"""What a comparison of a model's order with plausibilities gives: expectations per case, and their spread over draws."""

from __future__ import annotations

from dataclasses import dataclass
from math import gcd
from typing import TYPE_CHECKING, Callable

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    Array = NDArray[np.float64]

# With ties, values of a case are fractions r/t: twelfths hold those of two, three, four and six tied classes exactly.
TIED_LATTICE = 12
FINEST_LATTICE = 720


@dataclass(frozen=True, eq=False)
class Law:
    """The law over draws of a sum over cases: a constant, and a law on 0, 1/n, …, 1 for every case that varies.

    ``pmf`` (cases, n + 1): probabilities of a case's lattice points.
    """

    constant: float
    pmf: Array


@dataclass(frozen=True, eq=False)
class Agreement:
    """Expectation per case (NaN: undefined), standard deviation over draws of the mean over cases, and the law behind it."""

    per_case: Array
    draw_std: float
    mc_error: float = 0.0
    per_draw: Array | None = None
    law: Callable[[], Law] | None = None


def distance_scale(metric: str, k: int, penalty: float) -> float:
    """The largest value of a distance between two lists of k, by which it is divided (Fagin et al. 2003)."""
    if metric == "kendall":
        return k * k + penalty * k * (k - 1)
    return float(k * (k + 1))


def lattice(metric: str, k: int, penalty: float, ties: bool) -> int:
    """Points of a case's law on [0, 1]: all its values lie on them, unless ties or an odd penalty put them between."""
    if metric in ("topk", "set"):
        points = 1
    elif metric == "overlap":
        points = k
    elif metric == "average_overlap":
        common = 1
        for j in range(1, k + 1):
            common = common * j // gcd(common, j)
        points = k * common
    else:
        scale = distance_scale(metric, k, penalty) * (1 if metric == "footrule" else 2)
        points = int(scale) if scale == int(scale) else TIED_LATTICE
    if ties:
        points = max(points, 1) * TIED_LATTICE // gcd(points, TIED_LATTICE)
    return min(points, FINEST_LATTICE)
