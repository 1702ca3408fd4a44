from numpy import float64, int8, int32, int64, uint64
from numpy.typing import NDArray

def concentration_range(concentration: NDArray[float64], background: NDArray[float64]) -> tuple[float, float]:
    """The least and the largest of concentrations and of backgrounds that are not 0; NaN if one is."""

class Profiles:
    n_cases: int
    n_classes: int
    def __init__(
        self,
        offsets: NDArray[int64],
        index: NDArray[int32],
        concentration: NDArray[float64],
        background: NDArray[float64],
        n_classes: int,
        case_profile: NDArray[int64],
        entry_group: NDArray[int32],
        background_group: NDArray[int32],
    ) -> None: ...
    def __len__(self) -> int: ...
    def n_groups(self) -> int: ...
    def first_groups(self, first: NDArray[int64]) -> None: ...
    def ranks(self, begin: int, end: int, rank: NDArray[float64]) -> None: ...
    def memberships(self, rank: NDArray[float64], member: NDArray[float64], rest: NDArray[float64]) -> None: ...
    def overlaps(
        self,
        offsets: NDArray[int64],
        index: NDArray[int32],
        role: NDArray[int8],
        rest_role: NDArray[int8],
        k: NDArray[int32],
        begin: int,
        end: int,
        table: NDArray[float64],
    ) -> None: ...
    def certainty(self, begin: int, end: int, k: int, out: NDArray[float64]) -> None: ...
    def list_sizes(self, begin: int, end: int, depth: int, most: int, size: NDArray[int64]) -> None: ...
    def lists(self, begin: int, end: int, depth: int, table_offsets: NDArray[int64], table: NDArray[float64]) -> None: ...
    def list_values(
        self,
        offsets: NDArray[int64],
        index: NDArray[int32],
        start: NDArray[int32],
        number: int,
        depth: int,
        parameter: float,
        scale: float,
        table_offsets: NDArray[int64],
        table: NDArray[float64],
        begin: int,
        end: int,
        moments: NDArray[float64],
        pmf: NDArray[float64],
    ) -> None: ...

def draws(
    offsets: NDArray[int64],
    index: NDArray[int32],
    concentration: NDArray[float64],
    background: NDArray[float64],
    stream_key: NDArray[uint64],
    n_classes: int,
    seed: int,
    begin: int,
    end: int,
    out: NDArray[float64],
) -> None: ...
def top(
    offsets: NDArray[int64],
    index: NDArray[int32],
    concentration: NDArray[float64],
    background: NDArray[float64],
    stream_key: NDArray[uint64],
    n_classes: int,
    seed: int,
    begin: int,
    end: int,
    out: NDArray[int32],
) -> None: ...
