from numpy import float64
from numpy.typing import NDArray

def diagnostics(series: NDArray[float64], score: NDArray[float64], wanted: int, out: NDArray[float64]) -> None: ...
