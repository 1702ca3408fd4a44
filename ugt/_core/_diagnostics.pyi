import numpy as np
from numpy.typing import NDArray

def diagnostics(series: NDArray[np.float64], score: NDArray[np.float64], wanted: int, out: NDArray[np.float64]) -> None: ...
