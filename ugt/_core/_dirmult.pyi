import numpy as np
from numpy.typing import NDArray

def log_likelihood(
    offsets: NDArray[np.int64],
    log_share: NDArray[np.float64],
    count: NDArray[np.float64],
    log_total: NDArray[np.float64],
    out: NDArray[np.float64],
) -> None: ...
