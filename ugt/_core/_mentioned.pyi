from __future__ import annotations

from numpy import float64, int32, int64, uint64
from numpy.typing import NDArray

def mentioned_top(
    class_offsets: NDArray[int64],
    class_index: NDArray[int32],
    stream_key: NDArray[uint64],
    n_classes: int,
    n_draws: int,
    rest: int,
    shape: float,
    seed: int,
    value: NDArray[float64],
    begin: int,
    end: int,
    out: NDArray[int32],
    logs: bool = ...,
    named: bool = ...,
) -> None: ...
def mentioned_groups(
    class_offsets: NDArray[int64],
    class_index: NDArray[int32],
    stream_key: NDArray[uint64],
    n_classes: int,
    n_draws: int,
    rest: int,
    shape: float,
    seed: int,
    value: NDArray[float64],
    begin: int,
    end: int,
    group: NDArray[int64],
    out: NDArray[float64],
    logs: bool = ...,
) -> None: ...
def modal_sets(top: NDArray[int32], k: int, share: NDArray[float64], example: NDArray[int64]) -> None: ...
