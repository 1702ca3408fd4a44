import numpy as np
from numpy.typing import NDArray

def bootstrap(
    strata: NDArray[np.int64],
    seed: int,
    begin: int,
    end: int,
    value: NDArray[np.float64] | None = None,
    sums: NDArray[np.float64] | None = None,
    unit: NDArray[np.int32] | None = None,
    weights: NDArray[np.float64] | None = None,
) -> None: ...
def resample_rows(
    offsets: NDArray[np.int64], count: NDArray[np.int64], seed: int, begin: int, end: int, urn: bool, out: NDArray[np.int64]
) -> None: ...
def law_of_sum(pmf: NDArray[np.float64], starts: NDArray[np.int64], law: NDArray[np.float64]) -> None: ...
def grouped_sums(
    row: NDArray[np.int64] | None,
    group: NDArray[np.int32],
    value: NDArray[np.float64] | None,
    weight: NDArray[np.float64],
    out: NDArray[np.float64],
) -> None: ...
