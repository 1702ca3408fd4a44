from __future__ import annotations

from numpy import float64, int32, int64, uint8, uint64
from numpy.typing import NDArray

def log_likelihood(
    case_offsets: NDArray[int64],
    ranking_offsets: NDArray[int64],
    block_offsets: NDArray[int64],
    items: NDArray[int32],
    plausibility: NDArray[float64],
    begin: int,
    end: int,
    log_p: NDArray[float64],
    gradient: NDArray[float64] | None = None,
) -> None: ...

class Stages:
    n_cases: int
    def __init__(
        self,
        case_offsets: NDArray[int64],
        ranking_offsets: NDArray[int64],
        block_offsets: NDArray[int64],
        items: NDArray[int32],
        n_classes: int,
        rest: bool,
        weight: NDArray[float64] | None = ...,
    ) -> None: ...
    def __len__(self) -> int: ...
    def n_mentioned(self) -> int: ...
    def classes(self, offsets: NDArray[int64], index: NDArray[int32]) -> None: ...
    def map(self, reliability: float, shape: NDArray[float64], rest: int, begin: int, end: int, plausibility: NDArray[float64]) -> int: ...
    def unbeaten(self, mark: NDArray[uint8]) -> None: ...
    def first_class(
        self,
        law: tuple[float, float, int, float],
        limits: tuple[int, int, int, int],
        row: NDArray[int64],
        stop: NDArray[int32],
        out: NDArray[float64],
        error: NDArray[float64],
        info: NDArray[int64],
    ) -> bool: ...
    def gibbs(
        self,
        stream_key: NDArray[uint64],
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
        stop: NDArray[int32],
        draws: NDArray[float64],
        tempering: float = ...,
    ) -> bool: ...
    def fit_points(
        self,
        stream_key: NDArray[uint64],
        law: tuple[float, float, int],
        limits: tuple[float, int, int],
        seed: int,
        row: NDArray[int64],
        stop: NDArray[int32],
        fit: NDArray[float64],
        out: NDArray[float64],
        error: NDArray[float64],
        info: NDArray[float64],
    ) -> bool: ...
    def count_points(
        self, rest: int, row: NDArray[int64], fit: NDArray[float64], n_points: NDArray[int64], count: NDArray[int64]
    ) -> None: ...
    def points(
        self,
        stream_key: NDArray[uint64],
        law: tuple[float, float, int],
        seed: int,
        row: NDArray[int64],
        fit: NDArray[float64],
        n_points: NDArray[int64],
        stop: NDArray[int32],
        log_value: NDArray[float64],
        weight: NDArray[float64],
        info: NDArray[float64] | None = ...,
    ) -> bool: ...
    def point_draws(
        self,
        stream_key: NDArray[uint64],
        law: tuple[float, float, int],
        seed: int,
        row: NDArray[int64],
        fit: NDArray[float64],
        n_points: NDArray[int64],
        n_draws: int,
        stop: NDArray[int32],
        log_value: NDArray[float64],
    ) -> bool: ...
