from typing import Any

from numpy import float64, int32
from numpy.typing import NDArray

N_SUMS: int
N_TOTALS: int
N_FACTS: int
ROW_SUM: float

Array = NDArray[float64]
Fault = tuple[int, int, int]

def sums(
    counts: NDArray[Any], probs: NDArray[Any], edges: Array, uniform: bool, fractional: bool, tolerance: float, out: Array
) -> Fault: ...
def read(
    counts: NDArray[Any], probs: NDArray[Any], edges: Array, uniform: bool, fractional: bool, tolerance: float
) -> tuple[Array, Array, NDArray[int32], Array, Fault]: ...
def resampled(share: Array, prob: Array, cell: NDArray[int32], fact: Array | None, n_cells: int, weight: Array) -> Array: ...
def disagreement(
    counts: NDArray[Any], prob: Array, observed: Array | None, edges: Array, uniform: bool, tolerance: float
) -> tuple[Array, NDArray[int32], Array, Fault]: ...
