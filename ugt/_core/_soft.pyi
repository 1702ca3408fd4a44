from typing import Any

from numpy import float64, int64, uint8
from numpy.typing import NDArray

N_SUMS: int

class Scores:
    def __init__(self, scores: NDArray[Any]) -> None: ...
    def __len__(self) -> int: ...
    def order(self) -> NDArray[int64]: ...
    def sums(
        self,
        p: NDArray[float64],
        weight: NDArray[float64] | None,
        threshold: float,
        expected: bool,
        above: NDArray[float64] | None = None,
    ) -> NDArray[float64]: ...
    def curve(
        self, p: NDArray[float64], weight: NDArray[float64] | None
    ) -> tuple[NDArray[float64], NDArray[float64], NDArray[float64]]: ...

def argsort_descending(scores: NDArray[Any]) -> NDArray[int64]: ...
def resampled(
    row: NDArray[int64],
    last: NDArray[uint8],
    positive: NDArray[float64],
    negative: NDArray[float64] | None,
    threshold: float,
    expected: bool,
    n_cases: int,
    weight: NDArray[float64] | None,
    p: NDArray[float64] | None,
    out: NDArray[float64],
) -> None: ...
def groups(table: NDArray[float64], above: NDArray[float64] | None, expected: bool, bounds: bool) -> NDArray[float64]: ...
