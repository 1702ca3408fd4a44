from typing import Any

from numpy import float64
from numpy.typing import NDArray

N_SUMS: int
N_TOTALS: int
ROW_SUM: float

def sums(
    counts: NDArray[Any],
    probs: NDArray[Any],
    weight: NDArray[float64] | None,
    edges: NDArray[float64],
    uniform: bool,
    fractional: bool,
    tolerance: float,
    cell: NDArray[float64],
    total: NDArray[float64],
) -> tuple[int, int, int]: ...
