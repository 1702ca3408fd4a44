"""Sums that do not depend on the order of adding: an exact sum is a few doubles, each the rounding of the remainder of those before.

In a resample, a case counts Poisson(1) times, which is a function of the case's id, the seed and the resample.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np

from .._base.arrays import Array, NDArray
from .._base.axes import stream_keys_of
from .._base.checks import error, room, whole
from .._base.identifiers import number_each
from .._core import _exact
from ..resampling import seed_of

CELLS = 1 << 21  # most weights in memory at a time


def as_exact(sums: Array) -> Array:
    """Return (..., 1) exact sums from sums that are already rounded."""
    return np.asarray(sums, np.float64)[..., None]


def added(tables: Sequence[Array]) -> Array:
    """Return the (..., P) exact sum of tables (..., P_i), whose other dimensions are equal."""
    shape = tables[0].shape[:-1]
    found = _exact.exact_rows(np.ascontiguousarray(np.concatenate([table.reshape(-1, table.shape[-1]) for table in tables], axis=1)))
    return found.reshape(*shape, found.shape[-1])


def rounded(sums: Mapping[str, Array]) -> dict[str, Array]:
    """Return each exact sum (...,) as the nearest double."""
    return {name: table[..., 0] for name, table in sums.items()}


class PlannedResamples(NamedTuple):
    """The number, seed and units of resamples."""

    n: int
    seed: int
    units: str
    ids: Any

    @classmethod
    def of(cls, n_resamples: object, clusters: object, case_ids: object, seed: object, two_way: bool = False) -> PlannedResamples:
        n = whole("n_resamples", n_resamples, 0)
        if n == 0:
            if clusters is not None and not two_way:
                raise error("clusters", "be given with n_resamples, since clusters are resampled", "n_resamples=0")
            return cls(0, 0, "cases", None)
        return cls(n, seed_of(seed), *(("cases", case_ids) if clusters is None else ("clusters", clusters)))

    @property
    def settings(self) -> dict[str, Any]:
        return {"n_resamples": self.n, "seed": self.seed, "units": self.units} if self.n else {"n_resamples": 0}

    def keys(self, n_cases: int, case_ids: object) -> NDArray[np.uint64]:
        ids = self.ids if self.ids is not None else case_ids
        if ids is None:
            must = "be given for resamples if cases are only numbered: ids make the resamples of all parts agree"
            raise error("case_ids", must, None)
        column = number_each("case_ids" if self.units == "cases" else "clusters", ids, n_cases)
        return np.asarray(stream_keys_of(column.ids)[column.code])

    def sums(self, n_cases: int, case_ids: object, weighted: Callable[[Array], dict[str, Array]]) -> dict[str, Array]:
        """Return the sums (B, ..., 1) of every resample of the cases; ``weighted`` computes them for weights (W, N)."""
        if self.n == 0:
            return {}
        keys, blocks = self.keys(n_cases, case_ids), []
        step = max(1, min(self.n, CELLS // max(1, n_cases)))
        for begin in range(0, self.n, step):
            blocks.append(weighted(_exact.poisson_weights(keys, self.seed, begin, min(begin + step, self.n))))
        room(f"{self.n} resamples", 16.0 * self.n * sum(table[0].size for table in blocks[0].values()))
        return {name: as_exact(np.concatenate([block[name] for block in blocks])) for name in blocks[0]}


def ids_of(*data: Any) -> NDArray[Any] | None:
    """Return the case ids of the first of the data that has any."""
    for one in data:
        named = getattr(one, "axes", one)
        ids = getattr(named, "case_ids", None)
        if ids is not None and not getattr(named, "numbered", False):
            return np.asarray(ids)
    return None
