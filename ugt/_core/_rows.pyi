from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

class RowReader:
    """Rows of delimited text in blocks; the cells of the columns of group g are numbered together, -1 skips a column."""

    def __init__(self, delimiter: int, group: NDArray[np.int32], n_groups: int, longest: int) -> None: ...
    def read(self, text: memoryview | bytes, last: bool, most: int) -> tuple[NDArray[np.int32], int] | None:
        """``(codes (rows, columns that are not skipped), bytes read)`` of at most ``most`` rows; None where this reader cannot go on."""

    def take_words(self, group: int) -> tuple[bytes, NDArray[np.int64]]:
        """``(the distinct cells one after the other, their offsets)``; the reader forgets them and reads no more."""
