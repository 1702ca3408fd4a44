import numpy as np
from numpy.typing import NDArray

class TwoClasses:
    def __init__(
        self,
        yes: NDArray[np.float64],
        no: NDArray[np.float64],
        times: NDArray[np.float64],
        population: NDArray[np.int32],
        n_populations: int,
        log_weight: NDArray[np.float64],
        z: NDArray[np.float64],
        own: NDArray[np.float64],
        fixed: NDArray[np.float64],
        of: NDArray[np.float64],
        mixture: bool,
        ridge: float,
    ) -> None: ...
    def joint(self, x: NDArray[np.float64], joint: NDArray[np.float64], scores: NDArray[np.float64]) -> None: ...
    def value(self, x: NDArray[np.float64], gradient: NDArray[np.float64]) -> float: ...
