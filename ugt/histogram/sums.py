"""From sums by class and bin to losses against label histograms [B], and the bins themselves."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property, lru_cache
from typing import Any

import numpy as np

from .._base.arrays import Array
from .._base.axes import Frozen, owned
from .._base.checks import error, option, whole
from .._core import _histogram

SINGLETONS = ("omit", "zero")
SINGLE_BINS = ("zero", "plugin")
BINNINGS = ("width", "mass")
FEW_EDGES = 4096  # of bins that are remembered
MAX_BINS = 100_000  # what the core's guess of a bin is good for, and more than anybody has cases to fill

# Columns of the cells: cases, Σ z, Σ m, Σ m², Σ (m - z)², Σ m (1 - m) / (n - 1), with m = y / n
CASES, PROB, SHARE, SQUARE, GAP, SPREAD = range(_histogram.N_SUMS)


@dataclass(frozen=True, eq=False)
class Loss(Frozen):
    """An estimate, what it is off by on average, and the difference: numbers, or arrays by class or by class and bin.

    Parameters
    ----------
    plugin : float or array
        With label shares in place of the probabilities that they estimate.
    bias : float or array
        The estimated bias of the plug-in value.
    debiased : float or array
        Without that bias; NaN where it cannot be estimated. May be below 0.
    """

    plugin: Any
    bias: Any
    debiased: Any

    @classmethod
    def of(cls, plugin: Any, bias: Any) -> Loss:
        return cls(plugin, bias, plugin - bias)

    def root(self, negative: str = "nan") -> Loss:
        """Square roots; of a negative loss NaN, or 0 with ``negative="zero"``, as some programs report it. No bias."""
        zero = option("negative", negative, ("nan", "zero")) == "zero"
        with np.errstate(invalid="ignore"):
            roots = [np.sqrt(np.maximum(x, 0) if zero else x) for x in (self.plugin, self.debiased)]
        return Loss(_plain(roots[0]), _plain(np.full(np.shape(roots[0]), np.nan)), _plain(roots[1]))

    def at(self, where: Any) -> Loss:
        return Loss(*(_plain(np.asarray(x)[where]) for x in (self.plugin, self.bias, self.debiased)))

    def minus(self, other: Loss) -> Loss:
        return Loss(self.plugin - other.plugin, self.bias - other.bias, self.debiased - other.debiased)


def _plain(x: Any) -> Any:
    return np.asarray(x) if isinstance(x, np.ndarray) and x.ndim else float(x)


def divided(above: Any, below: Any) -> Any:
    """NaN for 0 / 0, without a warning."""
    with np.errstate(invalid="ignore", divide="ignore"):
        return np.divide(above, below)


def calibration(cells: Array, n: Any, single_bins: str) -> tuple[Array, Array]:
    """(..., B) CL by bin from cells (..., B, 6) of n (...) cases: plug-in value and bias, eq. 12 and 13.

    A weight is 0 or at least 1, so that a size below 2 is that of one case.
    """
    size, n = cells[..., CASES], np.asarray(n)[..., None]
    apart = cells[..., SHARE] - cells[..., PROB]
    variance = np.maximum(cells[..., SQUARE] - cells[..., SHARE] ** 2 / size, 0.0)
    plugin = np.where(size > 0, apart**2 / size, 0.0) / n
    alone = plugin if single_bins == "zero" else 0.0
    bias = np.where(size >= 2, variance / ((size - 1) * n), np.where(size > 0, alone, 0.0))
    return plugin, np.where(n > 0, bias, np.nan)


# Rows of a table of losses: L_sq, and of each other the plug-in value, which its bias and the difference follow
EL, CL, DL, IL = 1, 4, 7, 10
N_ROWS = IL + 3


def table(cells: Array, n: Any, single_bins: str) -> Array:
    """(13, ..., B) losses by bin from cells (..., B, 6) of n (...) cases; NaN for none."""
    rows = np.empty((N_ROWS, *cells.shape[:-1]))
    with np.errstate(invalid="ignore", divide="ignore"):
        below = np.asarray(n, np.float64)[..., None]
        rows[IL] = (cells[..., SHARE] - cells[..., SQUARE]) / below
        rows[EL], rows[EL + 1] = cells[..., GAP] / below, cells[..., SPREAD] / below
        rows[CL], rows[CL + 1] = calibration(cells, n, single_bins)
    # a sum of squares, but computed as a difference
    rows[DL] = np.where(cells[..., CASES] >= 2, np.maximum(rows[EL] - rows[CL], 0.0), rows[EL] * 0)
    return completed(rows)


def completed(rows: Array) -> Array:
    """What follows from the other rows: L_sq, bias of DL and IL, debiased losses."""
    rows[DL + 1], rows[IL + 1] = rows[EL + 1] - rows[CL + 1], -rows[EL + 1]
    rows[0] = rows[EL] + rows[IL]
    rows[3::3] = rows[1::3] - rows[2::3]
    return rows


def of_pairs(both: Array, several: Array) -> Array:
    """Bias of EL, DL and IL from the cases with at least two labels, and the rest from all."""
    for plugin in (EL, DL, IL):
        both[plugin + 1 : plugin + 3] = several[plugin + 1 : plugin + 3]
    return both


@dataclass(frozen=True, eq=False)
class Losses:
    """Losses by class (K,), or by class and bin (K, B): EL = CL + DL and L_sq = EL + IL, in plug-in, bias and debiased."""

    l_sq: Any
    el: Loss
    cl: Loss
    dl: Loss
    il: Loss

    @classmethod
    def of(cls, rows: Array) -> Losses:
        numbers = rows.tolist() if rows.ndim == 1 else owned(rows)[0]
        return cls(numbers[0], *(Loss(*numbers[plugin : plugin + 3]) for plugin in (EL, CL, DL, IL)))


# ---- bins


@dataclass(frozen=True, eq=False)
class Bins:
    """Edges (K, B + 1) of left-closed bins, the last one closed; ``uniform``: those of numpy.linspace(0, 1, B + 1)."""

    edges: Array
    uniform: bool

    @property
    def n_bins(self) -> int:
        return int(self.edges.shape[1] - 1)

    @cached_property
    def search(self) -> Array:
        """(1 or K, B + 1) what the core looks a probability up in: the first and last bin take what lies outside."""
        open_ended = np.array(self.edges[:1] if self.uniform else self.edges, order="C")
        open_ended[:, 0], open_ended[:, -1] = -np.inf, np.inf
        return open_ended

    @classmethod
    def of(cls, binning: Any, n_bins: Any, n_classes: int) -> Bins | None:
        """Equal width, or given edges (B + 1,) or (K, B + 1); None for equal mass, which needs the data."""
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
        """Edges as settings hold them: those that all columns share once."""
        found: list[Any] = (self.edges[0] if (self.edges == self.edges[0]).all() else self.edges).tolist()
        return found

    @classmethod
    def of_plain(cls, edges: Any, n_columns: int) -> Bins:
        found = cls.of(np.array(edges), 1, n_columns)
        assert found is not None
        return found

    @classmethod
    def of_mass(cls, columns: Any, n_bins: int) -> Bins:
        """Quantiles of each column: an iterable of (N,) arrays."""
        at = np.linspace(0, 1, n_bins + 1)
        edges = np.stack([np.quantile(np.asarray(column, np.float64), at) for column in columns])
        edges[:, 0], edges[:, -1] = 0, 1
        return cls(np.maximum.accumulate(np.clip(edges, 0, 1), axis=1), False)


@lru_cache(maxsize=32)
def _few_of_width(n_bins: int, n_classes: int) -> Bins:
    return Bins.of_width(n_bins, n_classes)


def _edges(given: Any, n_classes: int) -> Array:
    must = f"be 'width', 'mass' or ascending edges from 0 to 1, of shape (B + 1,) or ({n_classes}, B + 1)"
    try:
        array = np.asarray(given, np.float64)
    except (TypeError, ValueError):
        raise error("binning", must, repr(given)) from None
    if array.ndim not in (1, 2) or array.shape[-1] < 2 or (array.ndim == 2 and len(array) != n_classes):
        raise error("binning", must, f"shape {array.shape}")
    edges = np.array(np.broadcast_to(array, (n_classes, array.shape[-1])), order="C")
    wrong = ~(np.diff(edges, axis=1) > 0).all(axis=1) | (edges[:, 0] != 0) | (edges[:, -1] != 1)
    if wrong.any():
        raise error("binning", must, edges[np.argmax(wrong)].tolist())
    return edges
