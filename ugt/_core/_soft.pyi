from typing import Any

import numpy as np
from numpy.typing import NDArray

N_SUMS: int

class Scores:
    def __init__(self, scores: NDArray[Any]) -> None: ...
    def __len__(self) -> int: ...
    def order(self) -> NDArray[np.int64]: ...
    def sums(
        self,
        p: NDArray[np.float64],
        weight: NDArray[np.float64] | None,
        threshold: float,
        expected: bool,
        above: NDArray[np.float64] | None = None,
    ) -> NDArray[np.float64]: ...
    def curve(
        self, p: NDArray[np.float64], weight: NDArray[np.float64] | None
    ) -> tuple[NDArray[np.float64], NDArray[np.float64], NDArray[np.float64]]: ...

def argsort_descending(scores: NDArray[Any]) -> NDArray[np.int64]: ...
def resampled(
    row: NDArray[np.int64],
    last: NDArray[np.uint8],
    positive: NDArray[np.float64],
    negative: NDArray[np.float64] | None,
    threshold: float,
    expected: bool,
    n_cases: int,
    weight: NDArray[np.float64] | None,
    p: NDArray[np.float64] | None,
    out: NDArray[np.float64],
) -> None: ...
def groups(table: NDArray[np.float64], above: NDArray[np.float64] | None, expected: bool, bounds: bool) -> NDArray[np.float64]: ...
