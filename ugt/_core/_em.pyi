import numpy as np
from numpy.typing import NDArray

def start(
    offsets: NDArray[np.int64], vote: NDArray[np.float64], case_key: NDArray[np.uint64], seed: int, number: int, q: NDArray[np.float64]
) -> None: ...

class Table:
    def __init__(
        self,
        offsets: NDArray[np.int64],
        annotator: NDArray[np.int32],
        label: NDArray[np.int32],
        weight: NDArray[np.float64] | None,
        given_offsets: NDArray[np.int64],
        given: NDArray[np.int32],
        n_annotators: int,
        n_classes: int,
        known: NDArray[np.int32] | None = None,
    ) -> None: ...

class Confusions:
    def __init__(self, table: Table, cells: int) -> None: ...
    def sizes(self) -> tuple[int, int, int, bool]: ...
    def layout(self, offsets: NDArray[np.int64], index: NDArray[np.int32], cells: NDArray[np.int32]) -> None: ...
    def count(self, q: NDArray[np.float64], count: NDArray[np.float64], class_count: NDArray[np.float64]) -> None: ...
    def mode(
        self,
        diagonal: float,
        off_diagonal: float,
        prevalence_prior: float,
        count: NDArray[np.float64],
        class_count: NDArray[np.float64],
        probability: NDArray[np.float64],
        prevalence: NDArray[np.float64],
        row_total: NDArray[np.float64],
    ) -> float: ...
    def expect(
        self,
        probability: NDArray[np.float64],
        prevalence: NDArray[np.float64],
        count: NDArray[np.float64],
        class_count: NDArray[np.float64],
        q: NDArray[np.float64] | None = None,
    ) -> float: ...
    def sample(
        self,
        concentration: tuple[float, float, float],
        case_key: NDArray[np.uint64],
        annotator_key: NDArray[np.uint64],
        seed: int,
        schedule: tuple[int, int, int, int, int, int],
        spare: int,
        classes: int,
        stop: NDArray[np.int32],
        value: NDArray[np.float64],
        accuracy: NDArray[np.float64],
        prevalence: NDArray[np.float64],
        cell_mean: NDArray[np.float64],
    ) -> bool: ...

class Coins:
    def __init__(self, table: Table, entry: NDArray[np.int32]) -> None: ...
    def expect(
        self,
        right: NDArray[np.float64],
        wrong: NDArray[np.float64],
        prevalence: NDArray[np.float64],
        q: NDArray[np.float64],
        rest: NDArray[np.float64],
        right_count: NDArray[np.float64],
        class_count: NDArray[np.float64],
        per_label: bool,
    ) -> float: ...
    def labels(
        self,
        prior: tuple[float, float, float, float],
        ability: NDArray[np.float64],
        easiness: NDArray[np.float64],
        right: NDArray[np.float64],
        wrong: NDArray[np.float64],
    ) -> float: ...
    def improve(
        self, prior: tuple[float, float, float, float], q: NDArray[np.float64], ability: NDArray[np.float64], easiness: NDArray[np.float64]
    ) -> None: ...
    def information(
        self,
        q: NDArray[np.float64],
        chance: NDArray[np.float64],
        out: NDArray[np.float64],
        prior: tuple[float, float, float, float] | None = None,
        ability: NDArray[np.float64] | None = None,
        easiness: NDArray[np.float64] | None = None,
    ) -> None: ...
