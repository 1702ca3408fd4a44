from numpy import float64, int64
from numpy.typing import NDArray

def log_likelihood(
    offsets: NDArray[int64], log_share: NDArray[float64], count: NDArray[float64], log_total: NDArray[float64], out: NDArray[float64]
) -> None: ...
