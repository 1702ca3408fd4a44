import numpy as np
from numpy.typing import NDArray

def log_likelihood(
    case_offsets: NDArray[np.int64],
    ranking_offsets: NDArray[np.int64],
    block_offsets: NDArray[np.int64],
    items: NDArray[np.int32],
    plausibility: NDArray[np.float64],
    begin: int,
    end: int,
    log_p: NDArray[np.float64],
    gradient: NDArray[np.float64] | None = None,
) -> None: ...

class Stages:
    n_cases: int
    def __init__(
        self,
        case_offsets: NDArray[np.int64],
        ranking_offsets: NDArray[np.int64],
        block_offsets: NDArray[np.int64],
        items: NDArray[np.int32],
        n_classes: int,
        rest: bool,
        weight: NDArray[np.float64] | None = None,
    ) -> None: ...
    def __len__(self) -> int: ...
    def n_mentioned(self) -> int: ...
    def classes(self, offsets: NDArray[np.int64], index: NDArray[np.int32]) -> None: ...
    def map(
        self, reliability: float, shape: NDArray[np.float64], rest: int, begin: int, end: int, plausibility: NDArray[np.float64]
    ) -> int: ...
    def unbeaten(self, mark: NDArray[np.uint8]) -> None: ...
    def gibbs(
        self,
        stream_key: NDArray[np.uint64],
        reliability: float,
        shape: float,
        rate: float,
        rest: int,
        n_warmup: int,
        n_draws: int,
        n_thin: int,
        n_chains: int,
        seed: int,
        begin: int,
        end: int,
        stop: NDArray[np.int32],
        draws: NDArray[np.float64],
        tempering: float = 1.0,
    ) -> bool: ...
    def first_class(
        self,
        law: tuple[float, float, int, float],
        limits: tuple[int, int, int],
        row: NDArray[np.int64],
        stop: NDArray[np.int32],
        out: NDArray[np.float64],
        error: NDArray[np.float64],
        info: NDArray[np.int64],
    ) -> bool: ...
    def fit_points(
        self,
        stream_key: NDArray[np.uint64],
        law: tuple[float, float, int],
        limits: tuple[float, int, int],
        seed: int,
        row: NDArray[np.int64],
        stop: NDArray[np.int32],
        fit: NDArray[np.float64],
        out: NDArray[np.float64],
        error: NDArray[np.float64],
        info: NDArray[np.float64],
    ) -> bool: ...
    def count_points(
        self, rest: int, row: NDArray[np.int64], fit: NDArray[np.float64], n_points: NDArray[np.int64], count: NDArray[np.int64]
    ) -> None: ...
    def points(
        self,
        stream_key: NDArray[np.uint64],
        law: tuple[float, float, int],
        seed: int,
        row: NDArray[np.int64],
        fit: NDArray[np.float64],
        n_points: NDArray[np.int64],
        stop: NDArray[np.int32],
        log_value: NDArray[np.float64],
        weight: NDArray[np.float64],
        info: NDArray[np.float64] | None = None,
    ) -> bool: ...
