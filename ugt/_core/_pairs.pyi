from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

_Int32 = NDArray[np.int32]
_Int64 = NDArray[np.int64]
_Float64 = NDArray[np.float64]

SQUARED: int
THRESHOLD: int
JACCARD: int
DICE: int

def find_entries(offsets: _Int64, annotator: _Int32, n_annotators: int) -> tuple[_Int64, _Int64, int]:
    """``(entry_offsets (N + 1,), entry_of (R,), number of entries)``: the rows of an annotator in a case are one entry."""

def case_sums(offsets: _Int64, count: _Int64, to_others: _Float64, to_model: _Float64) -> tuple[_Int64, _Float64, _Float64, _Float64]:
    """``(n (N,), total (N,), alpha (N,), mu (M, N))``: annotators, sum and mean over their pairs, mean distance to each model."""

class Distance:
    def __init__(self, kind: int, slack: float, n_classes: int, cost: _Float64 | None, number: _Float64 | None) -> None: ...

class Masks:
    def __init__(self, start: _Int64, word: NDArray[np.uint64]) -> None: ...

class Entries:
    def __init__(self, offsets: _Int64, row_offsets: _Int64 | None, count: _Int64, times: _Int64 | None, n_rows: int) -> None: ...
    def numbers(self, distance: Distance, value: _Float64, begin: int, end: int, out: _Float64) -> None: ...
    def predicted_numbers(self, distance: Distance, value: _Float64, prediction: _Float64, begin: int, end: int, out: _Float64) -> None: ...
    def classes(self, distance: Distance, label: _Int32, begin: int, end: int, out: _Float64) -> None: ...
    def predicted_classes(self, distance: Distance, label: _Int32, prediction: _Int64, begin: int, end: int, out: _Float64) -> None: ...
    def probabilities(self, distance: Distance, label: _Int32, probability: _Float64, begin: int, end: int, out: _Float64) -> int: ...
    def masks(self, kind: int, masks: Masks, begin: int, end: int, out: _Float64) -> None: ...
    def predicted_masks(
        self, kind: int, masks: Masks, predicted: Masks, present: NDArray[np.uint8], begin: int, end: int, out: _Float64
    ) -> None: ...
