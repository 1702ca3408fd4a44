import numpy as np
from numpy.typing import NDArray

def factorize(rows: NDArray[np.uint8]) -> tuple[NDArray[np.int32], NDArray[np.int64]]: ...
def distinct_rows(
    offsets: NDArray[np.int64], label: NDArray[np.int32], count: NDArray[np.int64], limit: int
) -> tuple[NDArray[np.int32], NDArray[np.int64]] | None: ...
def count_cells(table: NDArray[np.int64], offsets: NDArray[np.int64]) -> int: ...
def read_cells(table: NDArray[np.int64], offsets: NDArray[np.int64], column: NDArray[np.int32], count: NDArray[np.int64]) -> None: ...
def group(code: NDArray[np.int32], n_groups: int) -> tuple[NDArray[np.int64], NDArray[np.int64]]: ...
def row_sums(offsets: NDArray[np.int64], value: NDArray[np.float64]) -> NDArray[np.float64]: ...
def equal_totals(offsets: NDArray[np.int64], count: NDArray[np.int64]) -> bool: ...
def text_keys(text: NDArray[np.uint32]) -> NDArray[np.uint64]: ...
def integer_keys(value: NDArray[np.int64]) -> NDArray[np.uint64]: ...
def irn(
    case_offsets: NDArray[np.int64],
    ranking_offsets: NDArray[np.int64],
    block_offsets: NDArray[np.int64],
    items: NDArray[np.int32],
    n_classes: int,
    full: bool,
    depth: int,
) -> tuple[NDArray[np.int64], NDArray[np.int32], NDArray[np.float64]]: ...
def class_counts(
    offsets: NDArray[np.int64], label: NDArray[np.int32], count: NDArray[np.int64], n_classes: int
) -> tuple[NDArray[np.int64], NDArray[np.int32], NDArray[np.int64]]: ...
def pair_sums(
    offsets: NDArray[np.int64],
    label: NDArray[np.int32],
    count: NDArray[np.int64],
    times: NDArray[np.float64] | None,
    n_classes: int,
    of_cases: bool,
) -> NDArray[np.float64]: ...
def find_repeat(offsets: NDArray[np.int64], items: NDArray[np.int32], n_classes: int) -> int: ...
def leave_one_out(
    case_offsets: NDArray[np.int64],
    ranking_offsets: NDArray[np.int64],
    block_offsets: NDArray[np.int64],
    items: NDArray[np.int32],
    n_classes: int,
    count: NDArray[np.int64],
    annotator_offsets: NDArray[np.int64],
    full: bool,
) -> NDArray[np.float64]: ...
def partial_overlaps(
    first: tuple[NDArray[np.int64], NDArray[np.int64], NDArray[np.int64], NDArray[np.int32]],
    second: tuple[NDArray[np.int64], NDArray[np.int64], NDArray[np.int64], NDArray[np.int32]],
    n_classes: int,
    start: NDArray[np.int64],
    stop: NDArray[np.int64],
    norm_first: NDArray[np.float64],
    norm_second: NDArray[np.float64],
    depth: int,
    begin: int,
    end: int,
    total: NDArray[np.float64],
) -> None: ...
