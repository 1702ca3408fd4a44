"""Bins of predicted probabilities."""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache, partial
from typing import Any

import numpy as np

from .._base.arrays import Array
from .._base.checks import error, option, whole
from .._base.lazy import cached_property
from ..resampling.frequencies import quantiles_of_equal

BINNINGS = ("width", "mass")
FEW_EDGES = 4096  # most edges of bins that are kept in the cache
MAX_BINS = 100_000  # up to this number the core's first guess of a bin is accurate


@dataclass(frozen=True, eq=False)
class Bins:
    """The edges (K, B + 1) of left-closed bins, the last one closed; ``uniform``: whether they are numpy.linspace(0, 1, B + 1)."""

    edges: Array
    uniform: bool

    @property
    def n_bins(self) -> int:
        return int(self.edges.shape[1] - 1)

    @cached_property
    def search(self) -> Array:
        """(1 or K, B + 1) edges for the core; the first and the last bin also hold probabilities outside of [0, 1]."""
        open_ended = np.array(self.edges[:1] if self.uniform else self.edges, order="C")
        open_ended[:, 0], open_ended[:, -1] = -np.inf, np.inf
        return open_ended

    @classmethod
    def of(cls, binning: object, n_bins: object, n_classes: int) -> Bins | None:
        """Make bins of equal width or with given edges (B + 1,) or (K, B + 1); return None for equal mass, which needs the data."""
        number = whole("n_bins", n_bins, 1, MAX_BINS)
        if isinstance(binning, str):
            if option("binning", binning, BINNINGS) == "mass":
                return None
            return _few_of_width(number, n_classes) if number * n_classes <= FEW_EDGES else cls.of_width(number, n_classes)
        edges = _edges(binning, n_classes)
        return cls(edges, edges.shape[1] - 1 <= MAX_BINS and bool((edges == np.linspace(0, 1, edges.shape[1])).all()))

    @classmethod
    def of_width(cls, n_bins: int, n_classes: int) -> Bins:
        edges = np.tile(np.linspace(0, 1, n_bins + 1), (n_classes, 1))
        edges.setflags(write=False)
        return cls(edges, True)

    def plain(self) -> list[Any]:
        """Return the edges as plain lists for settings, once if all columns share them."""
        found: list[Any] = (self.edges[0] if (self.edges == self.edges[0]).all() else self.edges).tolist()
        return found

    @classmethod
    def of_plain(cls, edges: object, n_columns: int) -> Bins:
        found = cls.of(np.array(edges), 1, n_columns)
        assert found is not None
        return found

    @classmethod
    def of_mass(cls, columns: Any, n_bins: int, times: Array | None = None) -> Bins:
        """Make bins from the quantiles of each column, of an iterable of (N,) arrays, whose numbers occur once or so often (N,)."""
        at = np.linspace(0, 1, n_bins + 1)
        quantiles = partial(quantiles_of_equal, times) if times is not None else np.quantile
        edges = np.stack([quantiles(np.asarray(column, np.float64), at) for column in columns])
        edges[:, 0], edges[:, -1] = 0, 1
        return cls(np.maximum.accumulate(np.clip(edges, 0, 1), axis=1), False)


@lru_cache(maxsize=32)
def _few_of_width(n_bins: int, n_classes: int) -> Bins:
    return Bins.of_width(n_bins, n_classes)


def _edges(given: object, n_classes: int) -> Array:
    must = f"be 'width', 'mass' or ascending edges from 0 to 1, of shape (B + 1,) or ({n_classes}, B + 1)"
    try:
        array = np.asarray(given, np.float64)
    except (TypeError, ValueError, OverflowError):
        raise error("binning", must, repr(given)) from None
    if array.ndim not in (1, 2) or array.shape[-1] < 2 or (array.ndim == 2 and len(array) != n_classes):
        raise error("binning", must, f"shape {array.shape}")
    edges = np.array(np.broadcast_to(array, (n_classes, array.shape[-1])), order="C")
    wrong = ~(np.diff(edges, axis=1) > 0).all(axis=1) | (edges[:, 0] != 0) | (edges[:, -1] != 1)
    if wrong.any():
        raise error("binning", must, edges[np.argmax(wrong)].tolist())
    return edges
