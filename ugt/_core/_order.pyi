import numpy as np
from numpy.typing import NDArray

def dense_rows(
    value: NDArray[np.float64],
    depth: int,
    ties_first: bool,
    offsets: NDArray[np.int64],
    index: NDArray[np.int32] | None = None,
    start: NDArray[np.int32] | None = None,
) -> None: ...
def ragged_rows(
    row_offsets: NDArray[np.int64],
    row_index: NDArray[np.int32],
    value: NDArray[np.float64],
    n_classes: int,
    depth: int,
    ties_first: bool,
    offsets: NDArray[np.int64],
    index: NDArray[np.int32] | None = None,
    start: NDArray[np.int32] | None = None,
) -> None: ...
def roles(
    offsets: NDArray[np.int64], start: NDArray[np.int32], n_classes: int, k: int, role: NDArray[np.int8], rest_role: NDArray[np.int8]
) -> None: ...
def role_sums(
    offsets: NDArray[np.int64],
    index: NDArray[np.int32],
    value: NDArray[np.float64],
    rest: NDArray[np.float64],
    set_offsets: NDArray[np.int64],
    set_index: NDArray[np.int32],
    role: NDArray[np.int8],
    rest_role: NDArray[np.int8],
    n_classes: int,
    total: float,
    out: NDArray[np.float64],
) -> None: ...
def width(metric: int, depth: int) -> int: ...
def column(metric: int, k: int, depth: int) -> int: ...
def compare(
    truth_offsets: NDArray[np.int64],
    truth_index: NDArray[np.int32],
    truth_start: NDArray[np.int32],
    model_offsets: NDArray[np.int64],
    model_index: NDArray[np.int32],
    model_start: NDArray[np.int32],
    defined: NDArray[np.uint8],
    begin: int,
    end: int,
    n_draws: int,
    n_classes: int,
    depth: int,
    metric: int,
    parameter: float,
    per_case: NDArray[np.float64],
    per_draw: NDArray[np.float64],
) -> None: ...
