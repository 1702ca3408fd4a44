"""Sums that do not depend on the order of adding: the exact sum as a few doubles, each the rounding of what the ones before leave."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np

from .._base.arrays import Array
from .._core import _exact


def as_exact(sums: Array) -> Array:
    """(..., 1) what has been summed already."""
    return np.asarray(sums, np.float64)[..., None]


def added(tables: Sequence[Array]) -> Array:
    """(..., P) the exact sum of tables (..., P_i) of one shape but for their parts."""
    shape = tables[0].shape[:-1]
    beside = np.concatenate([table.reshape(-1, table.shape[-1]) for table in tables], axis=1)
    found = _exact.exact_rows(np.ascontiguousarray(beside))
    return found.reshape(*shape, found.shape[-1])


def rounded(sums: Mapping[str, Array]) -> dict[str, Array]:
    """(...,) each exact sum as the nearest double."""
    return {name: table[..., 0] for name, table in sums.items()}
