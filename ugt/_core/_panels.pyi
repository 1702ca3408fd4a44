import numpy as np
from numpy.typing import NDArray

N_SUMS: int
N_AREAS: int

def cells(
    offsets: NDArray[np.int64],
    annotator: NDArray[np.int32],
    key: NDArray[np.uint64],
    times: NDArray[np.uint64],
    begin: int,
    end: int,
    cell: NDArray[np.int32],
    first: NDArray[np.int32],
    code: NDArray[np.uint64],
    n_cells: NDArray[np.int64],
) -> None: ...

class Values:
    def __init__(
        self,
        cell: NDArray[np.int32],
        row: NDArray[np.int64],
        start: NDArray[np.int64],
        above: NDArray[np.float64],
        below: NDArray[np.float64],
        offsets: NDArray[np.int64],
        kind: NDArray[np.int64],
        times: NDArray[np.float64],
    ) -> None: ...
    def sums(self, out: NDArray[np.float64]) -> None: ...
    def means(self, of_above: NDArray[np.float64], of_below: NDArray[np.float64], out: NDArray[np.float64]) -> None: ...

class Scores:
    def __init__(
        self,
        cell: NDArray[np.int32],
        start: NDArray[np.int64],
        positive: NDArray[np.float64],
        row: NDArray[np.int64],
        unit: NDArray[np.int64],
        last: NDArray[np.uint8],
        n_units: int,
    ) -> None: ...
    def areas(self, begin: int, end: int, out: NDArray[np.float64]) -> None: ...
    def influences(
        self,
        less: Scores | None,
        by: NDArray[np.float64],
        p: NDArray[np.float64],
        begin: int,
        end: int,
        square: NDArray[np.float64],
        mean: NDArray[np.float64],
    ) -> None: ...
