"""Ratios of sums over cases, the form that every resampled metric has where it can."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from .._checks import error, room
from .._ids import as_array
from .design import Design

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Array = NDArray[np.float64]


class Ratios(NamedTuple):
    """Numbers Σ a_ij / Σ b_ij, with columns of denominators that several of them share kept once."""

    numerator: Array  # (N, M), 0 where a case does not count
    denominator: Array  # (N, P) distinct columns
    of_number: NDArray[np.int64]  # (M,) the column of denominators of each number

    @classmethod
    def of(cls, contributions: Any, denominators: Any) -> Ratios:
        if isinstance(contributions, tuple) and len(contributions) == 2:
            contributions, denominators = contributions
        table = table_of("contributions", contributions)
        room("contributions", table.size)
        undefined = np.isnan(table)
        if denominators is None:
            if not undefined.any():
                return cls(table, np.ones((len(table), 1)), np.zeros(table.shape[1], np.int64))
            at, of_number = _distinct(np.packbits(column).tobytes() for column in undefined.T)
            return cls(np.where(undefined, 0.0, table), (~undefined[:, at]).astype(np.float64), of_number)
        below = table_of("denominators", denominators)
        if below.shape not in (table.shape, (len(table), 1)):
            raise error("denominators", f"have the shape of contributions, {table.shape}, or one column", below.shape)
        undefined = undefined | np.isnan(below)
        below = np.where(undefined, 0.0, below)
        at, of_number = _distinct(column.tobytes() for column in below.T)
        return cls(np.where(undefined, 0.0, table), below[:, at], of_number)

    @property
    def n_cases(self) -> int:
        return len(self.numerator)

    def divided(self, above: Array, below: Array) -> Array:
        with np.errstate(invalid="ignore", divide="ignore"):
            return np.asarray(above / below[..., self.of_number])

    def estimate(self) -> Array:
        return self.divided(self.numerator.sum(axis=0), self.denominator.sum(axis=0))

    def resampled(self, design: Design, seed: int, end: int, begin: int = 0) -> Array:
        """(end - begin, M) the numbers on resamples begin to end."""
        below = design.added_up(self.denominator)
        # where all units of a stratum weigh alike, every resample has the same denominator
        alike = (below == np.repeat(below[design.strata[:-1]], np.diff(design.strata), axis=0)).all(axis=0)
        above, m = design.added_up(self.numerator), self.numerator.shape[1]
        placed = above if alike.all() else np.ascontiguousarray(np.concatenate([above, below[:, ~alike]], axis=1))
        sums = design.placed_sums(placed, seed, begin, end)
        totals = np.tile(below.sum(axis=0), (end - begin, 1))
        totals[:, ~alike] = sums[:, m:]
        values = self.divided(sums[:, :m], totals)
        values[:, ~self.vary(design)] = np.nan
        return values

    def vary(self, design: Design) -> NDArray[np.bool_]:
        """(M,) whether at least two units of some stratum count in a number."""
        return np.asarray(design.vary(self.denominator)[self.of_number])

    def drawn_with(self, base: Ratios, weights: Array) -> Array:
        """(M,) the numbers where each of w copies of a case has a draw of its own.

        Their sum has the mean w a and the variance w v, with a the contribution to the estimate and v the variance of the draws. w times
        the same draw would have the variance w² v, on average twice as much; (w - √w) a + √w draw has the right one.
        """
        root = np.sqrt(weights)
        above = (weights - root) @ base.numerator + root @ self.numerator
        below = ((weights - root) @ base.denominator)[base.of_number] + (root @ self.denominator)[self.of_number]
        with np.errstate(invalid="ignore", divide="ignore"):
            return np.asarray(above / below)

    def influence(self, design: Design) -> Array:
        """(G, M) L = (a - θ b) / Σ b of each unit, centred within strata."""
        total = self.denominator.sum(axis=0)
        below = design.added_up(self.denominator)[:, self.of_number]
        with np.errstate(invalid="ignore", divide="ignore"):
            return design.centred((design.added_up(self.numerator) - self.estimate() * below) / total[self.of_number])


def table_of(argument: str, values: Any) -> Array:
    """(N, M) finite numbers or NaN."""
    table = as_array(values)
    if table.dtype.kind not in "biuf" or table.ndim not in (1, 2) or len(table) < 1:
        raise error(argument, "be an array of numbers, cases or cases x numbers", f"{table.dtype} of shape {table.shape}")
    table = np.asarray(table if table.ndim == 2 else table[:, None], np.float64)
    if np.isinf(table).any():
        i, j = (int(k) for k in np.argwhere(np.isinf(table))[0])
        raise error(argument, "be finite, or NaN where a case does not count", table[i, j], f"row {i}, column {j}")
    return table


def _distinct(keys: Iterable[bytes]) -> tuple[list[int], NDArray[np.int64]]:
    """``(where each distinct key appears first, number of every key)``."""
    first: dict[bytes, tuple[int, int]] = {}
    numbers_ = [first.setdefault(key, (len(first), j))[0] for j, key in enumerate(keys)]
    return [j for _, j in first.values()], np.array(numbers_, np.int64)
