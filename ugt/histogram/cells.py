"""Statistics whose sums are those of the cases of each class and bin: losses [B] as functions of these, and their derivatives."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Mapping
from copy import copy
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np

from .._base.arrays import Array, Bools, Int32
from .._core import _histogram
from ..resampling import Answer, Statistic
from .sums import CASES, CL, DL, EL, IL, N_ROWS, PROB, SHARE, SQUARE, Bins, completed, table

LOSSES = {"el": EL, "cl": CL, "dl": DL, "il": IL}  # rows of a table of losses
ROOTS = {"ce": "cl", "de": "dl"}  # losses of which these are roots
BLOCK = 2**14  # cases whose derivatives are made at a time


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
    bins: Bins
    single_bins: str
    suffixes: list[str]  # of names: of all together, then of each class
    by_class = True

    nothing: str  # why there may be no loss

    @abstractmethod
    def record(self, left_out: Mapping[str, int]) -> Any:
        """Of the function."""

    @property
    @abstractmethod
    def rows(self) -> Rows:
        """What resamples need of every case."""

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
        shape = (len(sums), self.kinds, len(self.bins.edges), self.bins.n_bins, _histogram.N_SUMS)
        return sums[:, :n].reshape(shape), sums[:, n:]

    @property
    def kept(self) -> Bools:
        return np.asarray(self.rows.cell[:, 0] >= 0)

    def sums(self, cases: Array | None = None) -> Array:
        if cases is None:
            return np.asarray(self.own[None])
        share, prob, cell, fact = self.rows
        return _histogram.resampled(share, prob, cell, fact, self.n_cells, np.ascontiguousarray(cases, np.float64))

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
