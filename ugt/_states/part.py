"""What a kind of metric says of some cases: numbers a case, which are added up, once as they are and once for every resample."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Protocol

import numpy as np

from .sums import as_exact, exact_columns

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Array = NDArray[np.float64]


class Sparse(Protocol):
    """What cases add to a table that is mostly zeros for each of them."""

    def sums(self, weights: Array | None) -> Array:
        """(*shape) or, with weights (B, N), (B, *shape)."""


@dataclass(frozen=True, eq=False)
class Rows:
    """A sparse table (N, width): what each case adds to which of many sums; row i is [offsets[i], offsets[i + 1])."""

    offsets: NDArray[np.int64]
    index: NDArray[Any]
    amount: Array
    shape: tuple[int, ...]

    @property
    def width(self) -> int:
        """How many sums."""
        return int(np.prod(self.shape))

    def sums(self, weights: Array | None) -> Array:
        """(*shape) or, with weights (B, N), (B, *shape)."""
        if weights is None:
            return np.bincount(self.index, self.amount, self.width).astype(np.float64).reshape(self.shape)
        from scipy import sparse  # noqa: PLC0415  (scipy is slow to import)

        table = sparse.csr_matrix((self.amount, self.index, self.offsets), shape=(len(self.offsets) - 1, self.width))
        return np.asarray((table.T @ np.ascontiguousarray(weights.T)).T).reshape(len(weights), *self.shape)


@dataclass(frozen=True, eq=False)
class Part:
    """Some of the cases, as a kind of metric reads them.

    Parameters
    ----------
    settings : mapping
        What all parts must have alike; plain numbers, text and lists.
    n_rows, n_cases, left_out
        All N cases, how many of them count, and the others by reason.
    columns : mapping of name to (N, C) array
        What each case adds to C sums; 0 where it does not count. Added up exactly.
    rows : mapping of name to Sparse, such as Rows
        The same of tables that are mostly zeros.
    squares : tuple of names
        Of columns whose products (C, C) are added up too, for standard errors.
    fixed : mapping of name to array
        Sums that do not go into resamples.
    case_ids : (N,) ids or None
        None: the cases are only numbered.
    """

    settings: Mapping[str, Any]
    n_rows: int
    n_cases: int
    left_out: Mapping[str, int]
    columns: Mapping[str, Array] = field(default_factory=dict)
    rows: Mapping[str, Sparse] = field(default_factory=dict)
    squares: tuple[str, ...] = ()
    fixed: Mapping[str, Array] = field(default_factory=dict)
    case_ids: NDArray[Any] | None = None

    def sums(self) -> dict[str, Array]:
        """Exact sums (..., P)."""
        found = {name: exact_columns(table) for name, table in self.columns.items()}
        found.update({name: as_exact(table.sums(None)) for name, table in self.rows.items()})
        for name in self.squares:
            table = self.columns[name]
            c = table.shape[1]
            products = exact_columns((table[:, :, None] * table[:, None, :]).reshape(len(table), c * c))
            found[f"{name} squared"] = products.reshape(c, c, products.shape[-1])
        found.update({name: as_exact(table) for name, table in self.fixed.items()})
        return found

    def weighted(self, weights: Array) -> dict[str, Array]:
        """Sums (B, ...) with weights (B, N)."""
        # not a matrix product: its last bits depend on the threads
        found = {name: np.einsum("bn,nc->bc", weights, table) for name, table in self.columns.items()}
        found.update({name: table.sums(weights) for name, table in self.rows.items()})
        return found


def ids_of(*data: Any) -> NDArray[Any] | None:
    """The case ids of the first of the data that has any."""
    for one in data:
        named = getattr(one, "axes", one)
        ids = getattr(named, "case_ids", None)
        if ids is not None and not getattr(named, "numbered", False):
            return np.asarray(ids)
    return None
