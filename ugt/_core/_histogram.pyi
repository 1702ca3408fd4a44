from typing import Any

import numpy as np
from numpy.typing import NDArray

N_SUMS: int
N_TOTALS: int
N_FACTS: int
ROW_SUM: float

def sums(
    counts: NDArray[Any],
    probs: NDArray[Any],
    edges: NDArray[np.float64],
    uniform: bool,
    fractional: bool,
    tolerance: float,
    out: NDArray[np.float64],
) -> tuple[int, int, int]: ...
def read(
    counts: NDArray[Any], probs: NDArray[Any], edges: NDArray[np.float64], uniform: bool, fractional: bool, tolerance: float
) -> tuple[NDArray[np.float64], NDArray[np.float64], NDArray[np.int32], NDArray[np.float64], tuple[int, int, int]]: ...
def resampled(
    share: NDArray[np.float64],
    prob: NDArray[np.float64],
    cell: NDArray[np.int32],
    fact: NDArray[np.float64] | None,
    n_cells: int,
    weight: NDArray[np.float64],
) -> NDArray[np.float64]: ...
def disagreement(
    counts: NDArray[Any],
    prob: NDArray[np.float64],
    observed: NDArray[np.float64] | None,
    edges: NDArray[np.float64],
    uniform: bool,
    tolerance: float,
) -> tuple[NDArray[np.float64], NDArray[np.int32], NDArray[np.float64], tuple[int, int, int]]: ...
