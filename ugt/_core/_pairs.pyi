import numpy as np
from numpy.typing import NDArray

SQUARED: int
THRESHOLD: int
JACCARD: int
DICE: int

def find_entries(
    offsets: NDArray[np.int64], annotator: NDArray[np.int32], n_annotators: int
) -> tuple[NDArray[np.int64], NDArray[np.int64], int]: ...
def case_sums(
    offsets: NDArray[np.int64], count: NDArray[np.int64], to_others: NDArray[np.float64], to_model: NDArray[np.float64]
) -> tuple[NDArray[np.int64], NDArray[np.float64], NDArray[np.float64], NDArray[np.float64]]: ...

class Distance:
    def __init__(
        self, kind: int, slack: float, n_classes: int, cost: NDArray[np.float64] | None, number: NDArray[np.float64] | None
    ) -> None: ...

class Masks:
    def __init__(self, start: NDArray[np.int64], word: NDArray[np.uint64]) -> None: ...

class Entries:
    def __init__(
        self,
        offsets: NDArray[np.int64],
        row_offsets: NDArray[np.int64] | None,
        count: NDArray[np.int64],
        times: NDArray[np.int64] | None,
        n_rows: int,
    ) -> None: ...
    def numbers(self, distance: Distance, value: NDArray[np.float64], begin: int, end: int, out: NDArray[np.float64]) -> None: ...
    def predicted_numbers(
        self,
        distance: Distance,
        value: NDArray[np.float64],
        prediction: NDArray[np.float64],
        begin: int,
        end: int,
        out: NDArray[np.float64],
    ) -> None: ...
    def classes(self, distance: Distance, label: NDArray[np.int32], begin: int, end: int, out: NDArray[np.float64]) -> None: ...
    def predicted_classes(
        self, distance: Distance, label: NDArray[np.int32], prediction: NDArray[np.int64], begin: int, end: int, out: NDArray[np.float64]
    ) -> None: ...
    def probabilities(
        self, distance: Distance, label: NDArray[np.int32], probability: NDArray[np.float64], begin: int, end: int, out: NDArray[np.float64]
    ) -> int: ...
    def masks(self, kind: int, masks: Masks, begin: int, end: int, out: NDArray[np.float64]) -> None: ...
    def predicted_masks(
        self, kind: int, masks: Masks, predicted: Masks, present: NDArray[np.uint8], begin: int, end: int, out: NDArray[np.float64]
    ) -> None: ...
