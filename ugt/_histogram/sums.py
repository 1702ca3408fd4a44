"""From sums by class and bin to losses against label histograms [B], and the bins themselves."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Union

import numpy as np

from .._axes import Frozen, owned
from .._checks import error, option, whole
from .._core import _histogram

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Array = NDArray[np.float64]
    Number = Union[float, Array]

SINGLETONS = ("omit", "zero")
SINGLE_BINS = ("zero", "plugin")
BINNINGS = ("width", "mass")
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
        """Plug-in value less bias."""
        return cls(plugin, bias, plugin - bias)

    def root(self, negative: str = "nan") -> Loss:
        """Square roots; of a negative loss NaN, or 0 with ``negative="zero"``, as some programs report it. No bias."""
        zero = option("negative", negative, ("nan", "zero")) == "zero"
        with np.errstate(invalid="ignore"):
            roots = [np.sqrt(np.maximum(x, 0) if zero else x) for x in (self.plugin, self.debiased)]
        return Loss(_plain(roots[0]), _plain(np.full(np.shape(roots[0]), np.nan)), _plain(roots[1]))

    def sum(self, axis: Any = None) -> Loss:
        """Sums over axes."""
        return Loss(*(_plain(np.add.reduce(x, axis)) for x in (self.plugin, self.bias, self.debiased)))

    def minus(self, other: Loss) -> Loss:
        """Differences."""
        return Loss(self.plugin - other.plugin, self.bias - other.bias, self.debiased - other.debiased)


def _plain(x: Any) -> Any:
    return np.asarray(x) if isinstance(x, np.ndarray) and x.ndim else float(x)


def divided(above: Any, below: Any) -> Any:
    """NaN for 0 / 0, without a warning."""
    with np.errstate(invalid="ignore", divide="ignore"):
        return np.divide(above, below)


@dataclass(frozen=True, eq=False)
class Sums:
    """What a pass adds up: ``cell`` (2, K, B, 6), cases with one label and others, and ``total`` (7,)."""

    cell: Array
    total: Array

    @classmethod
    def zeros(cls, n_classes: int, n_bins: int) -> Sums:
        """Of no cases."""
        return cls(np.zeros((2, n_classes, n_bins, _histogram.N_SUMS)), np.zeros(_histogram.N_TOTALS))

    def add(self, other: Sums) -> None:
        """Those of more cases."""
        self.cell[...] += other.cell
        self.total[...] += other.total

    def same(self, other: Sums) -> bool:
        """Whether they are equal to the last bit."""
        return np.array_equal(self.cell, other.cell) and np.array_equal(self.total, other.total)

    def paired(self) -> Sums:
        """Only of the cases with at least two labels."""
        cell, total = self.cell.copy(), self.total.copy()
        cell[0], total[:3] = 0, 0
        return Sums(cell, total)

    @property
    def n_cases(self) -> float:
        """Cases with labels."""
        return float(self.total[0] + self.total[3])

    @property
    def n_single(self) -> float:
        """Cases with one label."""
        return float(self.total[0])

    @property
    def n_labels(self) -> float:
        """Labels."""
        return float(self.total[2] + self.total[5])

    @property
    def n_empty(self) -> float:
        """Cases without labels."""
        return float(self.total[6])

    @property
    def accuracy(self) -> float:
        """Mean P(an argmax of the prediction is one of the histogram)."""
        return float(divided(self.total[1] + self.total[4], self.n_cases))


def calibration(cells: Array, n: float, single_bins: str) -> Loss:
    """(..., B) CL by bin, from cells (..., B, 6) or (..., B, 4 or more of them) of n cases."""
    with np.errstate(invalid="ignore", divide="ignore"):
        return Loss.of(*_calibration(cells, n, single_bins))


def _calibration(cells: Array, n: float, single_bins: str) -> tuple[Array, Array]:
    """Plug-in value and bias, eq. 12 and 13. A weight is 0 or at least 1, so that a size below 2 is that of one case."""
    size = cells[..., CASES]
    if not n:
        return np.full(size.shape, np.nan), np.full(size.shape, np.nan)
    apart = cells[..., SHARE] - cells[..., PROB]
    variance = np.maximum(cells[..., SQUARE] - cells[..., SHARE] ** 2 / size, 0.0)
    plugin = np.where(size > 0, apart**2 / size, 0.0) / n
    alone = plugin if single_bins == "zero" else 0.0
    return plugin, np.where(size >= 2, variance / ((size - 1) * n), np.where(size > 0, alone, 0.0))


@dataclass(frozen=True, eq=False)
class Losses:
    """Losses (K, B) by class and bin of one set of cases: EL = CL + DL and L_sq = EL + IL, in plug-in, bias and debiased."""

    l_sq: Any
    el: Loss
    cl: Loss
    dl: Loss
    il: Loss

    @classmethod
    def of(cls, sums: Sums, singletons: str, single_bins: str) -> Losses:
        """By the rules for cases with one label and for bins with one case; NaN for what the cases do not say."""
        both = _table(sums, single_bins)
        if singletons != "zero" and sums.n_single > 0:
            several = _table(sums.paired(), single_bins)
            for plugin in (EL, DL, IL):
                both[plugin + 1 : plugin + 3] = several[plugin + 1 : plugin + 3]
        return cls._of_rows(owned(both)[0])

    @classmethod
    def _of_rows(cls, rows: Any) -> Losses:
        return cls(rows[0], *(Loss(*rows[plugin : plugin + 3]) for plugin in (EL, CL, DL, IL)))

    def summed(self, axis: int) -> Losses:
        """Added up over an axis."""
        losses = (self.el, self.cl, self.dl, self.il)
        rows = [self.l_sq, *(x for loss in losses for x in (loss.plugin, loss.bias, loss.debiased))]
        found = np.add.reduce(np.array(rows), axis if axis < 0 else axis + 1)
        return self._of_rows(found.tolist() if found.ndim == 1 else owned(found)[0])


# Rows of a table of losses: L_sq, and of each other the plug-in value, which its bias and the difference follow
EL, CL, DL, IL = 1, 4, 7, 10


def _table(sums: Sums, single_bins: str) -> Array:
    """(13, K, B)."""
    cells, n = sums.cell[0] + sums.cell[1], sums.n_cases
    rows = np.empty((IL + 3, *cells.shape[:2]))
    with np.errstate(invalid="ignore", divide="ignore"):
        rows[IL] = (cells[..., SHARE] - cells[..., SQUARE]) / np.float64(n)
        rows[EL], rows[EL + 1] = cells[..., GAP] / np.float64(n), cells[..., SPREAD] / np.float64(n)
        rows[CL], rows[CL + 1] = _calibration(cells, n, single_bins)
    # a sum of squares, but computed as a difference
    rows[DL] = np.where(cells[..., CASES] >= 2, np.maximum(rows[EL] - rows[CL], 0.0), rows[EL] * 0)
    rows[DL + 1], rows[IL + 1] = rows[EL + 1] - rows[CL + 1], -rows[EL + 1]
    rows[0] = rows[EL] + rows[IL]
    rows[3::3] = rows[1::3] - rows[2::3]
    return rows


# ---- bins


@dataclass(frozen=True, eq=False)
class Bins:
    """Edges (K, B + 1) of left-closed bins, the last one closed; ``uniform``: those of numpy.linspace(0, 1, B + 1)."""

    edges: Array
    uniform: bool

    @property
    def n_bins(self) -> int:
        """Their number B."""
        return int(self.edges.shape[1] - 1)

    @property
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
            return cls(np.tile(np.linspace(0, 1, number + 1), (n_classes, 1)), True)
        edges = _edges(binning, n_classes)
        return cls(edges, edges.shape[1] - 1 <= MAX_BINS and bool((edges == np.linspace(0, 1, edges.shape[1])).all()))

    @classmethod
    def of_mass(cls, columns: Any, n_bins: int) -> Bins:
        """Quantiles of each column: an iterable of (N,) arrays."""
        at = np.linspace(0, 1, n_bins + 1)
        edges = np.stack([np.quantile(np.asarray(column, np.float64), at) for column in columns])
        edges[:, 0], edges[:, -1] = 0, 1
        return cls(np.maximum.accumulate(np.clip(edges, 0, 1), axis=1), False)


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
