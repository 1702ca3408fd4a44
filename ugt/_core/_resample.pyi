from numpy import float64, int32, int64
from numpy.typing import NDArray

def bootstrap(
    strata: NDArray[int64],
    seed: int,
    begin: int,
    end: int,
    value: NDArray[float64] | None = None,
    sums: NDArray[float64] | None = None,
    unit: NDArray[int32] | None = None,
    weights: NDArray[float64] | None = None,
) -> None: ...
def resample_rows(
    offsets: NDArray[int64], count: NDArray[int64], seed: int, begin: int, end: int, urn: bool, out: NDArray[int64]
) -> None: ...
def law_of_sum(pmf: NDArray[float64], starts: NDArray[int64], law: NDArray[float64]) -> None: ...
def grouped_sums(
    row: NDArray[int64] | None,
    group: NDArray[int32],
    value: NDArray[float64] | None,
    weight: NDArray[float64],
    out: NDArray[float64],
) -> None: ...
