"""Types of arrays for type hints; at run time all are Any, because an old numpy may not have them."""

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
