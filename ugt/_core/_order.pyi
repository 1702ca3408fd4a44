from numpy import float64, int8, int32, int64, uint8
from numpy.typing import NDArray

def dense_rows(
    value: NDArray[float64],
    depth: int,
    ties_first: bool,
    offsets: NDArray[int64],
    index: NDArray[int32] | None = None,
    start: NDArray[int32] | None = None,
) -> None: ...
def ragged_rows(
    row_offsets: NDArray[int64],
    row_index: NDArray[int32],
    value: NDArray[float64],
    n_classes: int,
    depth: int,
    ties_first: bool,
    offsets: NDArray[int64],
    index: NDArray[int32] | None = None,
    start: NDArray[int32] | None = None,
) -> None: ...
def roles(
    offsets: NDArray[int64], start: NDArray[int32], n_classes: int, k: int, role: NDArray[int8], rest_role: NDArray[int8]
) -> None: ...
def role_sums(
    offsets: NDArray[int64],
    index: NDArray[int32],
    value: NDArray[float64],
    rest: NDArray[float64],
    set_offsets: NDArray[int64],
    set_index: NDArray[int32],
    role: NDArray[int8],
    rest_role: NDArray[int8],
    n_classes: int,
    total: float,
    out: NDArray[float64],
) -> None: ...
def width(metric: int, depth: int) -> int: ...
def column(metric: int, k: int, depth: int) -> int: ...
def compare(
    truth_offsets: NDArray[int64],
    truth_index: NDArray[int32],
    truth_start: NDArray[int32],
    model_offsets: NDArray[int64],
    model_index: NDArray[int32],
    model_start: NDArray[int32],
    defined: NDArray[uint8],
    begin: int,
    end: int,
    n_draws: int,
    n_classes: int,
    depth: int,
    metric: int,
    parameter: float,
    per_case: NDArray[float64],
    per_draw: NDArray[float64],
) -> None: ...
