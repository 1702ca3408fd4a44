import numpy as np
from numpy.typing import NDArray

def concentration_range(concentration: NDArray[np.float64], background: NDArray[np.float64]) -> tuple[float, float]: ...

class Profiles:
    n_cases: int
    n_classes: int
    def __init__(
        self,
        offsets: NDArray[np.int64],
        index: NDArray[np.int32],
        concentration: NDArray[np.float64],
        background: NDArray[np.float64],
        n_classes: int,
        case_profile: NDArray[np.int64],
        entry_group: NDArray[np.int32],
        background_group: NDArray[np.int32],
    ) -> None: ...
    def __len__(self) -> int: ...
    def n_groups(self) -> int: ...
    def first_groups(self, first: NDArray[np.int64]) -> None: ...
    def ranks(self, begin: int, end: int, rank: NDArray[np.float64]) -> None: ...
    def memberships(self, rank: NDArray[np.float64], member: NDArray[np.float64], rest: NDArray[np.float64]) -> None: ...
    def overlaps(
        self,
        offsets: NDArray[np.int64],
        index: NDArray[np.int32],
        role: NDArray[np.int8],
        rest_role: NDArray[np.int8],
        k: NDArray[np.int32],
        begin: int,
        end: int,
        table: NDArray[np.float64],
    ) -> None: ...
    def certainty(self, begin: int, end: int, k: int, out: NDArray[np.float64]) -> None: ...
    def list_sizes(self, begin: int, end: int, depth: int, most: int, size: NDArray[np.int64]) -> None: ...
    def lists(self, begin: int, end: int, depth: int, table_offsets: NDArray[np.int64], table: NDArray[np.float64]) -> None: ...
    def list_values(
        self,
        offsets: NDArray[np.int64],
        index: NDArray[np.int32],
        start: NDArray[np.int32],
        number: int,
        depth: int,
        parameter: float,
        scale: float,
        table_offsets: NDArray[np.int64],
        table: NDArray[np.float64],
        begin: int,
        end: int,
        moments: NDArray[np.float64],
        pmf: NDArray[np.float64],
    ) -> None: ...

def draws(
    offsets: NDArray[np.int64],
    index: NDArray[np.int32],
    concentration: NDArray[np.float64],
    background: NDArray[np.float64],
    stream_key: NDArray[np.uint64],
    n_classes: int,
    seed: int,
    begin: int,
    end: int,
    out: NDArray[np.float64],
) -> None: ...
def top(
    offsets: NDArray[np.int64],
    index: NDArray[np.int32],
    concentration: NDArray[np.float64],
    background: NDArray[np.float64],
    stream_key: NDArray[np.uint64],
    n_classes: int,
    seed: int,
    begin: int,
    end: int,
    out: NDArray[np.int32],
) -> None: ...
