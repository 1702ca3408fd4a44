"""Bins, sums of the cases of each class and bin, the losses against label histograms that they make [B], and statistics of these."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Mapping
from copy import copy
from dataclasses import dataclass
from functools import cached_property, lru_cache
from typing import Any, NamedTuple

import numpy as np

from .._base.arrays import Array, Bools, Int32
from .._base.axes import Frozen, owned
from .._base.checks import error, option, whole
from .._core import _histogram
from ..resampling import Answer, Statistic, by_case

SINGLE_BINS = ("zero", "plugin")
BINNINGS = ("width", "mass")
FEW_EDGES = 4096  # of bins that are remembered
MAX_BINS = 100_000  # what the core's guess of a bin is good for, and more than anybody has cases to fill

# Columns of the cells: cases, Σ z, Σ m, Σ m², Σ (m - z)², Σ m (1 - m) / (n - 1), with m = y / n
CASES, PROB, SHARE, SQUARE, GAP, SPREAD = range(_histogram.N_SUMS)
# Rows of a table of losses: L_sq, and of each other the plug-in value, which its bias and the difference follow
EL, CL, DL, IL = 1, 4, 7, 10
N_ROWS = IL + 3
LOSSES = {"el": EL, "cl": CL, "dl": DL, "il": IL}  # rows of a table of losses
ROOTS = {"ce": "cl", "de": "dl"}  # losses of which these are roots
BLOCK = 2**14  # cases whose derivatives are made at a time


@dataclass(frozen=True, eq=False)
class Loss(Frozen):
    """An estimate, what it is off by on average, and the difference: numbers, or arrays by class or by class and bin.

    ``plugin``: with label shares in place of the probabilities that they estimate; ``bias``: the estimated bias of that; ``debiased``:
    without it, NaN where it cannot be estimated. May be below 0.
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
    except (TypeError, ValueError, OverflowError):
        raise error("binning", must, repr(given)) from None
    if array.ndim not in (1, 2) or array.shape[-1] < 2 or (array.ndim == 2 and len(array) != n_classes):
        raise error("binning", must, f"shape {array.shape}")
    edges = np.array(np.broadcast_to(array, (n_classes, array.shape[-1])), order="C")
    wrong = ~(np.diff(edges, axis=1) > 0).all(axis=1) | (edges[:, 0] != 0) | (edges[:, -1] != 1)
    if wrong.any():
        raise error("binning", must, edges[np.argmax(wrong)].tolist())
    return edges


class Rows(NamedTuple):
    """Of N cases and C columns: shares, probabilities and cells (N, C), -1 in a case that does not count; facts (N, 3)."""

    share: Array
    prob: Array
    cell: Int32
    fact: Array | None

    def part(self, begin: int, end: int) -> Rows:
        return Rows(*(None if one is None else one[begin:end] for one in self))  # type: ignore[arg-type]


class BinLosses(Statistic):
    """Losses of C columns (classes, or statistics of labels) in B bins each, which may be left out of the numbers.

    ``picks``: names of losses of a column and their rows in a table; ``kinds``: sets of cells that cases are told apart by; ``own``: the
    sums (S,) of the cases as they are, cells and then totals.
    """

    picks: Mapping[str, int]
    kinds: int
    own: Array
    rows: Rows  # what resamples need of every case
    bins: Bins
    single_bins: str
    suffixes: list[str]  # of names: of all together, then of each class
    by_class = True

    nothing: str  # why there may be no loss

    @abstractmethod
    def record(self, left_out: Mapping[str, int]) -> Any:
        """Of the function."""

    @abstractmethod
    def tables(self, sums: Array) -> Array:
        """(13, W, C, B) losses from sums (W, S)."""

    @abstractmethod
    def overall(self, rows: Array, sums: Array) -> Array:
        """(R, W, 1 + classes) rows of losses of all together and of each class, from those of columns (13, W, C) and sums (W, S)."""

    @abstractmethod
    def slopes(self, rows: Rows) -> tuple[Array, Array]:
        """Derivatives by the weight of each case (13, N, C) of losses, and what stands for sums (N, S)."""

    @cached_property
    def names(self) -> tuple[str, ...]:  # type: ignore[override]
        """Of losses, debiased and as ``plugin``; with the class, in brackets, of single ones."""
        return tuple(self._named(suffix, name) for j, suffix in enumerate(self.suffixes) for name in self._of_column(j))

    @staticmethod
    def _named(suffix: str, name: str) -> str:
        first, *rest = name.split()
        return " ".join([first + suffix, *rest])

    def _of_column(self, j: int) -> list[str]:
        """Accuracy is that of all classes only."""
        return [name for name in self.picks if j == 0 or (self.by_class and name != "accuracy")]

    @property
    def recentred(self) -> Bools:
        """(M,) CL and DL: cases that share a bin with copies of themselves raise the one and lower the other."""
        return np.array([name[:2] in ("cl", "dl") for name in self.names])

    def only(self, number: int) -> tuple[Statistic, int]:
        """Without the classes, if that will do."""
        if number >= len(self.picks) or not self.by_class:
            return self, number
        other = copy(self)
        other.__dict__["rows"] = self.rows
        for name in ("names", "estimate"):
            other.__dict__.pop(name, None)
        other.by_class = False
        return other, number

    @property
    def n_cells(self) -> int:
        return self.kinds * len(self.bins.edges) * self.bins.n_bins

    @property
    def cells(self) -> Array:
        """(kinds, C, B, 6) of the cases as they are."""
        return np.asarray(self.split(self.own[None])[0][0])

    def split(self, sums: Array) -> tuple[Array, Array]:
        """BinLosses (W, kinds, C, B, 6) and totals (W, T) of sums (W, S)."""
        n = self.n_cells * _histogram.N_SUMS
        return sums[:, :n].reshape((len(sums), self.kinds, len(self.bins.edges), self.bins.n_bins, _histogram.N_SUMS)), sums[:, n:]

    @property
    def kept(self) -> Bools:
        return np.asarray(self.rows.cell[:, 0] >= 0)

    def sums(self, cases: Array | None = None) -> Array:
        if cases is None:
            return np.asarray(self.own[None])
        share, prob, cell, fact = self.rows
        return _histogram.resampled(share, prob, cell, fact, self.n_cells, by_case(cases))

    def answer(self, sums: Array) -> Array:
        return self._picked(self.overall(np.add.reduce(self.tables(sums), -1), sums))

    def _picked(self, rows: Array) -> Array:
        picked = [rows[[self.picks[name] for name in self._of_column(j)], :, j] for j in range(len(self.suffixes) if self.by_class else 1)]
        return np.asarray(np.concatenate(picked).T)

    def numbers(self, sums: Array) -> dict[str, Array]:
        found = super().numbers(sums)
        with np.errstate(invalid="ignore"):
            return {**found, **{root: np.sqrt(found[loss]) for root, loss in ROOTS.items() if loss in found}}

    def finish(self, sums: Array, fixed: Array, left_out: Mapping[str, int]) -> Answer:
        found = super().finish(sums, fixed, left_out)
        self.own = sums
        return found._replace(reason=self.nothing if found.reason else None, record=self.record(left_out))

    def groups(self, sums: Array, fixed: Array) -> Array:
        return np.asarray(np.rint(self.split(sums[None])[0][0, ..., CASES].sum(axis=0)))

    def influence(self) -> Array:
        """(N, M), where bins stay as they are."""
        found = np.empty((self.n_cases, len(self.names)))
        with np.errstate(invalid="ignore", divide="ignore"):
            for begin in range(0, self.n_cases, BLOCK):
                found[begin : begin + BLOCK] = self._picked(self.overall(*self.slopes(self.rows.part(begin, begin + BLOCK))))
        found[~self.kept] = 0.0
        return found


def slopes(cells: Array, n: float, single_bins: str, rows: Rows) -> Array:
    """(13, N, C) derivatives of losses by the weight of each case, from cells (C, B, 6) of n cases."""
    losses = np.add.reduce(table(cells, n, single_bins), -1)[:, None]
    own = cells.reshape(-1, _histogram.N_SUMS)[rows.cell % (cells.shape[0] * cells.shape[1])]
    size, gap, mean = own[..., CASES], rows.share - rows.prob, own[..., SHARE] / own[..., CASES]
    apart, inner = mean - own[..., PROB] / size, rows.share - rows.share**2
    variance = np.maximum(own[..., SQUARE] - size * mean**2, 0.0) / (size - 1)
    found = np.empty((N_ROWS, *gap.shape))
    found[EL], found[IL], found[CL] = gap**2, inner, 2 * apart * gap - apart**2
    found[EL + 1] = 0.0 if rows.fact is None else inner * rows.fact[:, 2:]
    alone = found[CL] if single_bins == "zero" else 0.0
    found[CL + 1] = np.where(size >= 2, ((rows.share - mean) ** 2 - variance) / (size - 1), alone)
    at = [EL, EL + 1, CL, CL + 1, IL]
    found[at] = (found[at] - losses[at]) / n
    found[DL] = found[EL] - found[CL]
    return completed(found)
