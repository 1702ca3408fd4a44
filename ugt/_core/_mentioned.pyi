import numpy as np
from numpy.typing import NDArray

def mentioned_top(
    class_offsets: NDArray[np.int64],
    class_index: NDArray[np.int32],
    stream_key: NDArray[np.uint64],
    n_classes: int,
    n_draws: int,
    rest: int,
    shape: float,
    seed: int,
    value: NDArray[np.float64],
    begin: int,
    end: int,
    out: NDArray[np.int32],
    logs: bool = False,
    named: bool = True,
) -> None: ...
def mentioned_groups(
    class_offsets: NDArray[np.int64],
    class_index: NDArray[np.int32],
    stream_key: NDArray[np.uint64],
    n_classes: int,
    n_draws: int,
    rest: int,
    shape: float,
    seed: int,
    value: NDArray[np.float64],
    begin: int,
    end: int,
    group: NDArray[np.int64],
    out: NDArray[np.float64],
    logs: bool = False,
) -> None: ...
