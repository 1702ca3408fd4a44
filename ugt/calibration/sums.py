"""Sums over the cases of each class and bin, the losses against label histograms as functions of them [B], and statistics of these."""

from __future__ import annotations

import math
from abc import abstractmethod
from collections.abc import Mapping
from copy import copy
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np

from .._base.arrays import Array, Bools, Int32
from .._base.axes import Frozen, owned
from .._base.checks import option
from .._base.lazy import cached_property
from .._base.notes import Note
from .._core import _histogram
from ..resampling import Answer, Merging, NumberFacts, Statistic, by_case, finished, over
from .bins import Bins

SINGLE_BINS = ("zero", "plugin")

# Columns of the cells: cases, Σ z, Σ m, Σ m², Σ (m - z)², Σ m (1 - m) / (n - 1), with m = y / n
CASES, PROB, SHARE, SQUARE, GAP, SPREAD = range(_histogram.N_SUMS)
# With weights w of cases, all terms are multiplied by w (CASES: Σ w), and more columns follow: Σ w², Σ w² m, Σ w² m², number of cases
SQUARED, SQUARED_SHARE, SQUARED_SQUARE, NUMBER = range(_histogram.N_SUMS, _histogram.N_SUMS + 4)
LANES = 3  # sets of sums with weights of cases: weighted by w, weighted by w², and unweighted
# Rows of a table of losses: L_sq, then for each other loss the plug-in value, its bias and the difference
EL, CL, DL, IL, RL, ERL = range(1, 19, 3)
N_ROWS = ERL + 3
LOSSES = {"el": EL, "cl": CL, "dl": DL, "il": IL}  # rows of a table of losses
REFINEMENT = {"rl": RL, "erl": ERL}
ROOTS = {"ce": "cl", "de": "dl"}  # names of roots, and the losses of which they are roots
NEAR_ZERO = "a calibration loss is a square: near 0 its 95% interval for other annotators held it in 86 to 95% of simulations."
OTHERS = Note("loss_near_zero", NEAR_ZERO)
BLOCK = 2**14  # cases whose derivatives are in memory at a time


@dataclass(frozen=True, eq=False)
class Loss(Frozen):
    """The plug-in estimate of a loss, its bias, and the difference: numbers, or arrays by class or by class and bin.

    ``plugin`` uses label shares in place of the probabilities that they estimate; ``bias`` is its estimated bias. ``debiased`` is the
    difference, which may be below 0, and NaN if the bias cannot be estimated.
    """

    plugin: Any
    bias: Any
    debiased: Any

    @classmethod
    def of(cls, plugin: Any, bias: Any) -> Loss:
        return cls(plugin, bias, plugin - bias)

    def root(self, negative: str = "nan") -> Loss:
        """Return the square roots, without a bias; for a negative loss NaN, or 0 with ``negative="zero"``, as some programs report it."""
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


def number(cells: Array) -> Array:
    """Return (...) the number of cases of cells (..., 6 or 10)."""
    return np.asarray(cells[..., NUMBER if cells.shape[-1] > NUMBER else CASES])


def effective(cells: Array) -> Array:
    """Return (...) the effective number of cases, (Σ w)² / Σ w²."""
    size = cells[..., CASES]
    return np.asarray(over(size**2, cells[..., SQUARED]) if cells.shape[-1] > NUMBER else size)


def several(cells: Array) -> Bools:
    """Return (...) whether cells hold more than one case.

    In a resample a case counts 0 times or at least once, so that a size below 2 means one case. A case also counts as alone if the weight
    of all others is negligible (1e-9).
    """
    many = number(cells) >= 2
    return many & (_pairs(cells)[1] > 1e-9 * cells[..., CASES] ** 2) if cells.shape[-1] > NUMBER else many


def _pairs(cells: Array) -> tuple[Array, Array]:
    """Return P and Q of weighted cells; P / Q is the variance of the mean share, see :func:`noise`."""
    size, squared = cells[..., CASES], cells[..., SQUARED]
    z, c = over(cells[..., PROB], size), over(cells[..., SHARE], size)
    around = cells[..., SQUARED_SQUARE] - 2 * z * cells[..., SQUARED_SHARE] + squared * z**2
    return around - squared * (c - z) ** 2, size**2 - squared


def noise(cells: Array, n: Any = 1.0) -> Array:
    """Return (...) size / n times the variance of the mean share c of a bin, from pairs of its cases; meaningless for a single case.

    Eq. 31 replaces c² by the mean of m_i m_j over pairs of different cases. With weights, the mean over pairs has weights w_i w_j, and
    (m_i - z)(m_j - z) replaces (c - z)², with z the mean prediction. Given z, weights, and cases whose m_i have one mean C in the bin, the
    expectation is (C - z)², whatever the variances of the m_i. Without weights z cancels, which gives eq. 31. The difference from (c - z)²
    is [Σ w² (m - z)² - Σ w² (c - z)²] / [(Σ w)² - Σ w²].
    """
    size = cells[..., CASES]
    if cells.shape[-1] > NUMBER:
        over, pairs = _pairs(cells)
        return np.asarray(size * over / (pairs * n))
    return np.asarray(np.maximum(cells[..., SQUARE] - cells[..., SHARE] ** 2 / size, 0.0) / ((size - 1) * n))


def calibration(cells: Array, n: object, single_bins: str) -> tuple[Array, Array]:
    """Return (..., B) plug-in value and bias of CL by bin, eq. 12 and 13, from cells (..., B, 6 or 10) of n (...) cases."""
    size, n = cells[..., CASES], np.asarray(n)[..., None]
    apart = cells[..., SHARE] - cells[..., PROB]
    plugin = np.where(size > 0, apart**2 / size, 0.0) / n
    alone = plugin if single_bins == "zero" else 0.0
    bias = np.where(several(cells), noise(cells, n), np.where(size > 0, alone, 0.0))
    return plugin, np.where(n > 0, bias, np.nan)


def table(cells: Array, n: object, single_bins: str) -> Array:
    """Return (19, ..., B) losses by bin from cells (..., B, 6 or 10) of n (...) cases; NaN without cases."""
    rows = np.empty((N_ROWS, *cells.shape[:-1]))
    with np.errstate(invalid="ignore", divide="ignore"):
        below = np.asarray(n, np.float64)[..., None]
        rows[IL] = (cells[..., SHARE] - cells[..., SQUARE]) / below
        rows[EL], rows[EL + 1] = cells[..., GAP] / below, cells[..., SPREAD] / below
        rows[CL], rows[CL + 1] = calibration(cells, n, single_bins)
        size = cells[..., CASES]
        rows[RL] = np.where(size > 0, cells[..., SHARE] - cells[..., SHARE] ** 2 / size, 0.0) / below
    # these are sums of squares, but the differences can be negative by rounding
    for plugin, whole, part in ((DL, EL, CL), (ERL, RL, IL)):
        rows[plugin] = np.where(several(cells), np.maximum(rows[whole] - rows[part], 0.0), rows[whole] * 0)
    return completed(rows)


def completed(rows: Array) -> Array:
    """Fill in the rows that follow from others: L_sq, the biases of DL, IL, RL and ERL, and debiased losses.

    RL is ERL + IL: with c the mean share of a bin, Σ c (1 - c) over its cases is Σ (m - c)² + Σ m (1 - m). The biases of c² in RL, and of
    m² and c² in ERL, are those that EL and CL have from these terms.
    """
    rows[DL + 1], rows[IL + 1] = rows[EL + 1] - rows[CL + 1], -rows[EL + 1]
    rows[RL + 1], rows[ERL + 1] = -rows[CL + 1], rows[DL + 1]
    rows[0] = rows[EL] + rows[IL]
    rows[3::3] = rows[1::3] - rows[2::3]
    return rows


def of_pairs(both: Array, several: Array) -> Array:
    """Return the losses of all cases, with the biases of EL, DL, IL and ERL from the cases with at least two labels."""
    for plugin in (EL, DL, IL, ERL):
        both[plugin + 1 : plugin + 3] = several[plugin + 1 : plugin + 3]
    return both


@dataclass(frozen=True, eq=False)
class Losses:
    """The losses by class (K,), or by class and bin (K, B): EL = CL + DL, L_sq = EL + IL, RL = ERL + IL, each also in its bias."""

    l_sq: Any
    el: Loss
    cl: Loss
    dl: Loss
    il: Loss
    rl: Loss
    erl: Loss

    @classmethod
    def of(cls, rows: Array) -> Losses:
        numbers = rows.tolist() if rows.ndim == 1 else owned(rows)[0]
        return cls(numbers[0], *(Loss(*numbers[plugin : plugin + 3]) for plugin in range(1, N_ROWS, 3)))


class Rows(NamedTuple):
    """The rows of N cases, C columns: shares, probabilities and cells (N, C), -1 if a case does not count; facts (N, 3); weights (N,)."""

    share: Array
    prob: Array
    cell: Int32
    fact: Array | None
    weight: Array | None = None

    def part(self, begin: int, end: int) -> Rows:
        return Rows(*(None if one is None else one[begin:end] for one in self))  # type: ignore[arg-type]

    def sums(self, n_cells: int, times: Array) -> Array:
        """Return (W, S) sums, with each case ``times`` (N, W); with weights, sums by w, by w², and unweighted."""
        if self.weight is None:
            return _histogram.resampled(self.share, self.prob, self.cell, self.fact, n_cells, times)
        found = np.asarray(0.0)
        for begin in range(0, len(times), BLOCK):  # in blocks, because weights take three times the memory of ``times``
            share, prob, cell, fact, weight = self.part(begin, begin + BLOCK)
            w, once = np.asarray(weight)[:, None], times[begin : begin + BLOCK]
            lanes = np.concatenate([once * w, once * w**2, once * (w > 0)], axis=1)
            found = found + _histogram.resampled(share, prob, cell, fact, n_cells, lanes)
        return np.ascontiguousarray(found.reshape(LANES, times.shape[1], -1).transpose(1, 0, 2)).reshape(times.shape[1], -1)


def split(sums: Array, shape: tuple[int, ...], weighted: bool) -> tuple[Array, Array]:
    """Split sums (W, S) into cells (W, *shape, 6 or 10) and totals (W, T)."""
    n, shape = math.prod(shape) * _histogram.N_SUMS, (*shape, _histogram.N_SUMS)
    if not weighted:
        return sums[:, :n].reshape((len(sums), *shape)), sums[:, n:]
    lanes = sums.reshape((len(sums), LANES, -1))
    by_weight, squared, once = np.moveaxis(lanes[:, :, :n].reshape((len(sums), LANES, *shape)), 1, 0)
    cells = np.concatenate([by_weight, squared[..., [CASES, SHARE, SQUARE]], once[..., [CASES]]], axis=-1)
    return cells, np.concatenate([lanes[:, 0, n:], lanes[:, 2, n:]], axis=1)


class BinLosses(Statistic):
    """The losses of C columns (classes, or statistics of labels) in B bins each; columns may be left out of the numbers.

    ``picks``: names of losses of a column and their rows in a table; ``kinds``: number of sets of cells, between which cases are divided;
    ``own``: the unweighted sums (S,), cells and then totals.
    """

    picks: Mapping[str, int]
    kinds: int
    own: Array
    rows: Rows  # the numbers of every case from which resamples are summed
    bins: Bins
    single_bins: str
    suffixes: list[str]  # suffixes of names: of all classes together, then of each class
    by_class = True
    weighted = False  # whether cases have weights

    nothing: str  # reason if the losses are undefined

    @abstractmethod
    def record(self, left_out: Mapping[str, int]) -> Any:
        """Return the record of the public function."""

    @abstractmethod
    def tables(self, sums: Array) -> Array:
        """Return (19, W, C, B) losses from sums (W, S)."""

    @abstractmethod
    def together(self, columns: Array) -> tuple[Array, Array]:
        """Return (..., 1) sums over all classes and (..., classes) values of each class from columns (..., C)."""

    @abstractmethod
    def overall(self, rows: Array, totals: Array) -> Array:
        """Return (R, W, 1 + classes) losses of all together and of each class from those of columns (19, W, C) and totals (W, T)."""

    @abstractmethod
    def slopes(self, rows: Rows) -> tuple[Array, Array]:
        """Return the derivatives (19, N, C) of losses by the weight of each case, and the corresponding totals (N, T)."""

    @property
    @abstractmethod
    def _settings(self) -> dict[str, Any]:
        """The bins and options in which parts must agree."""

    @property
    def facts(self) -> NumberFacts:
        return super().facts._replace(recentred=self._recentred, others=self._others)

    @property
    def merging(self) -> Merging:
        return super().merging._replace(settings=self._settings, finish=self._finish, groups=self._groups, influence_at=self._influence_at)

    def _others(self, number: int) -> tuple[Note, ...]:
        return (OTHERS,) if self.names[number].startswith("cl") else ()

    @cached_property
    def names(self) -> tuple[str, ...]:  # type: ignore[override]
        """Names of losses, debiased and ``plugin``; losses of single classes have the class in brackets."""
        return tuple(self._named(suffix, name) for j, suffix in enumerate(self.suffixes) for name in self._of_column(j))

    @staticmethod
    def _named(suffix: str, name: str) -> str:
        first, *rest = name.split()
        return " ".join([first + suffix, *rest])

    def _of_column(self, j: int) -> list[str]:
        """Return the names of losses of a column; accuracy exists for all classes together only."""
        return [name for name in self.picks if j == 0 or (self.by_class and name != "accuracy")]

    @cached_property
    def _recentred(self) -> Bools:
        """(M,) whether resamples are recentred: CL, DL, RL and ERL, because copies of a case in a bin raise CL and lower the others."""
        return np.array([name.startswith(("cl", "dl", "rl", "erl")) for name in self.names])

    def only(self, number: int) -> tuple[Statistic, int]:
        """Return a statistic without the columns of classes if the number does not need them, and the number's position in it."""
        if number >= len(self.picks) or not self.by_class:
            return self, number
        other = copy(self)
        other.__dict__["rows"] = self.rows
        for name in ("names", "estimate", "_recentred"):
            other.__dict__.pop(name, None)
        other.by_class = False
        return other, number

    @property
    def n_cells(self) -> int:
        return self.kinds * len(self.bins.edges) * self.bins.n_bins

    @property
    def cells(self) -> Array:
        """(kinds, C, B, 6 or 10) cells of the unweighted cases."""
        return np.asarray(self.split(self.own[None])[0][0])

    def split(self, sums: Array) -> tuple[Array, Array]:
        """Split sums (W, S) into cells (W, kinds, C, B, 6 or 10) and totals (W, T), with weights those of weights, then of cases."""
        return split(sums, (self.kinds, len(self.bins.edges), self.bins.n_bins), self.weighted)

    @property
    def kept(self) -> Bools:
        return self.standing(np.asarray(self.rows.cell[:, 0] >= 0))

    def sums(self, cases: Array | None = None) -> Array:
        if cases is None:
            return np.asarray(self.own[None])
        return self.rows.sums(self.n_cells, by_case(cases))

    def answer(self, sums: Array) -> Array:
        return self._picked(self.overall(np.add.reduce(self.tables(sums), -1), self.split(sums)[1]))

    def _picked(self, rows: Array) -> Array:
        picked = [rows[[self.picks[name] for name in self._of_column(j)], :, j] for j in range(len(self.suffixes) if self.by_class else 1)]
        return np.asarray(np.concatenate(picked).T)

    def numbers(self, sums: Array) -> dict[str, Array]:
        found = super().numbers(sums)
        with np.errstate(invalid="ignore"):
            return {**found, **{root: np.sqrt(found[loss]) for root, loss in ROOTS.items() if loss in found}}

    def _finish(self, sums: Array, fixed: Array, left_out: Mapping[str, int]) -> Answer:
        found = finished(self, sums, fixed, left_out)
        self.own = sums
        return found._replace(reason=self.nothing if found.reason else None, record=self.record(left_out))

    def _groups(self, sums: Array, fixed: Array) -> Array:
        return np.asarray(np.rint(number(self.split(sums[None])[0][0]).sum(axis=0)))

    def influence(self) -> Array:
        """Return the (N, M) derivatives for fixed bins."""
        found = np.empty((self.n_cases, len(self.names)))
        with np.errstate(invalid="ignore", divide="ignore"):
            for begin in range(0, self.n_cases, BLOCK):
                found[begin : begin + BLOCK] = self._picked(self.overall(*self.slopes(self.rows.part(begin, begin + BLOCK))))
        found[~self.kept] = 0.0
        return found

    def _influence_at(self, sums: Array) -> Array:
        """Return the (N, M) influences on the numbers that are not of single classes."""
        rows, other = self.rows, copy(self.only(0)[0])  # rows must be read before the sums are replaced, since they are checked by them
        assert isinstance(other, BinLosses)
        other.__dict__["rows"], other.own = rows, sums
        return other.influence()


def slopes(cells: Array, n: float, single_bins: str, rows: Rows) -> Array:
    """Return (19, N, C) derivatives of losses by the weight of each case, from cells (C, B, 6 or 10) of n cases."""
    losses = np.add.reduce(table(cells, n, single_bins), -1)[:, None]
    own = cells.reshape(-1, cells.shape[-1])[rows.cell % (cells.shape[0] * cells.shape[1])]
    size, gap, mean = own[..., CASES], rows.share - rows.prob, own[..., SHARE] / own[..., CASES]
    apart, inner = mean - own[..., PROB] / size, rows.share - rows.share**2
    found = np.empty((N_ROWS, *gap.shape))
    found[EL], found[IL], found[CL] = gap**2, inner, 2 * apart * gap - apart**2
    found[RL] = mean**2 + (1 - 2 * mean) * rows.share
    found[EL + 1] = 0.0 if rows.fact is None else inner * rows.fact[:, 2:]
    alone = found[CL] if single_bins == "zero" else 0.0
    found[CL + 1] = np.where(several(own), _noise_slope(own, rows, mean), alone)
    at = [EL, EL + 1, CL, CL + 1, IL, RL]
    found[at] = (found[at] - losses[at]) / n
    if rows.weight is not None:
        found[at] *= rows.weight[:, None]
    found[DL], found[ERL] = found[EL] - found[CL], found[RL] - found[IL]
    return completed(found)


def _noise_slope(own: Array, rows: Rows, mean: Array) -> Array:
    """Return (N, C) derivatives of the noise of each case's bin by the number of times that it counts, divided by its weight."""
    size = own[..., CASES]
    if rows.weight is None:
        return np.asarray(((rows.share - mean) ** 2 - noise(own)) / (size - 1))
    w, (over, pairs), z = rows.weight[:, None], _pairs(own), own[..., PROB] / size
    c_slope, z_slope = (rows.share - mean) / size, (rows.prob - z) / size
    slope = w * ((rows.share - z) ** 2 - (mean - z) ** 2) - 2 * own[..., SQUARED] * (mean - z) * c_slope
    slope -= 2 * (own[..., SQUARED_SHARE] - own[..., SQUARED] * mean) * z_slope
    return np.asarray((over + size * slope - size * over * (2 * size - w) / pairs) / pairs)
