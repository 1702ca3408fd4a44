"""Types of arrays, for annotations; at run time, where numpy may be too old to have them, all are Any."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

__all__ = ["Array", "Bools", "Int32", "Int64", "NDArray"]

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Array = NDArray[np.float64]
    Bools = NDArray[np.bool_]
    Int32 = NDArray[np.int32]
    Int64 = NDArray[np.int64]
else:
    NDArray = Array = Bools = Int32 = Int64 = Any
