from __future__ import annotations

from numpy import float64, int32, int64, uint64
from numpy.typing import NDArray

_Float = NDArray[float64]
_Four = tuple[float, float, float, float]

def start(offsets: NDArray[int64], vote: _Float, case_key: NDArray[uint64], seed: int, number: int, q: _Float) -> None: ...

class Table:
    def __init__(
        self,
        offsets: NDArray[int64],
        annotator: NDArray[int32],
        label: NDArray[int32],
        weight: _Float | None,
        given_offsets: NDArray[int64],
        given: NDArray[int32],
        n_annotators: int,
        n_classes: int,
        known: NDArray[int32] | None = ...,
    ) -> None: ...

class Confusions:
    def __init__(self, table: Table, cells: int) -> None: ...
    def sizes(self) -> tuple[int, int, int, bool]: ...
    def layout(self, offsets: NDArray[int64], index: NDArray[int32], cells: NDArray[int32]) -> None: ...
    def count(self, q: _Float, count: _Float, class_count: _Float) -> None: ...
    def mode(
        self,
        diagonal: float,
        off_diagonal: float,
        prevalence_prior: float,
        count: _Float,
        class_count: _Float,
        probability: _Float,
        prevalence: _Float,
        row_total: _Float,
    ) -> float: ...
    def expect(self, probability: _Float, prevalence: _Float, count: _Float, class_count: _Float, q: _Float | None = None) -> float: ...
    def sample(
        self,
        concentration: tuple[float, float, float],
        case_key: NDArray[uint64],
        annotator_key: NDArray[uint64],
        seed: int,
        schedule: tuple[int, int, int, int, int, int],
        spare: int,
        classes: int,
        stop: NDArray[int32],
        value: _Float,
        accuracy: _Float,
        prevalence: _Float,
        cell_mean: _Float,
    ) -> bool: ...

class Coins:
    def __init__(self, table: Table, entry: NDArray[int32]) -> None: ...
    def expect(
        self,
        right: _Float,
        wrong: _Float,
        prevalence: _Float,
        q: _Float,
        rest: _Float,
        right_count: _Float,
        class_count: _Float,
        per_label: bool,
    ) -> float: ...
    def labels(self, prior: _Four, ability: _Float, easiness: _Float, right: _Float, wrong: _Float) -> float: ...
    def improve(self, prior: _Four, q: _Float, ability: _Float, easiness: _Float) -> None: ...
    def information(
        self,
        q: _Float,
        chance: _Float,
        out: _Float,
        prior: _Four | None = None,
        ability: _Float | None = None,
        easiness: _Float | None = None,
    ) -> None: ...
