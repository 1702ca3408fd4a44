"""Ratios over some of the cases, on the resamples that the metrics of the evaluation have."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from ... import _threads, resampling

if TYPE_CHECKING:
    from collections.abc import Mapping

    from numpy.typing import NDArray

    from .context import Context

    Array = NDArray[np.float64]

ROOM = 1 << 18  # weights held at a time by a thread
MOST_WORK = 1e9  # products for the resamples of one table: some seconds
LEAST_RESAMPLES = 100


class Part(NamedTuple):
    """Numbers Σ w_i a_ij / Σ w_i b_ij over ``rows`` (r,) of the judged cases; a_ij (r, M), b_ij (r, M)."""

    rows: NDArray[np.int64]
    above: Array
    below: Array

    @classmethod
    def means(cls, table: Array, rows: NDArray[np.int64] | None = None) -> Part:
        """Of contributions (r, M), which are NaN where a case does not count."""
        undefined = np.isnan(table)
        at = np.arange(len(table)) if rows is None else rows
        return cls(at, np.where(undefined, 0.0, table), np.asarray(~undefined, np.float64))

    def estimate(self) -> Array:
        """(M,) the numbers on the data."""
        return _divided(self.above.sum(axis=0), self.below.sum(axis=0))


@dataclass(frozen=True, eq=False)
class Samples:
    """The judged cases that count anywhere, what is drawn of them, and how intervals are taken."""

    counted: NDArray[np.bool_]  # (n,)
    design: resampling.Design
    sources: tuple[str, ...]
    options: Mapping[str, Any]
    seed: int

    @classmethod
    def of(cls, context: Context) -> Samples:
        """Those of the metrics: cases that count nowhere are not there."""
        columns = [*context.certainty.values(), *context.columns]
        counted = np.ones(len(context.rows), bool)
        if columns:
            counted = np.logical_or.reduce([~np.isnan(column) for column in columns])
            counted |= not counted.any()
        groups = None if context.clusters is None else np.asarray(context.clusters)[counted]
        design = resampling.Design.of(int(counted.sum()), groups)
        return cls(counted, design, ("cases" if groups is None else "clusters",), context.options, context.seed)

    def intervals(self, parts: Sequence[Part], notes: list[str], what: str) -> list[Array]:
        """(M, 2) of every part; NaN where fewer than two units count. Says so in ``notes`` where there are fewer resamples."""
        place = np.cumsum(self.counted) - 1
        kept = [_kept(part, self.counted, place) for part in parts]
        tables = [_by_number(part) for part in kept]
        products = 5 * self.design.n_cases + sum(above.size + below.size for above, below in tables)
        wanted = int(self.options["n_resamples"])
        n = min(wanted, max(LEAST_RESAMPLES, int(MOST_WORK / products)))
        if n < wanted:
            notes.append(f"Intervals of {what} are from {n} resamples.")
        values = self._values(kept, tables, n)
        return [self._interval(part, found) for part, found in zip(kept, values)]

    def _values(self, parts: Sequence[Part], tables: Sequence[tuple[Array, Array]], n: int) -> list[Array]:
        values = [np.empty((n, part.above.shape[1])) for part in parts]
        n_cases = self.design.n_cases

        def task(begin: int, end: int) -> None:
            weights = self.design.weights(self.seed, begin, end)
            for part, (above, below), out in zip(parts, tables, values):
                own = weights if len(part.rows) == n_cases else weights[:, part.rows]
                out[begin:end] = _divided(_sums(own, above), _sums(own, below))

        _threads.run(task, n, max(1, ROOM // n_cases), "bootstrap")
        return values

    def _interval(self, part: Part, values: Array) -> Array:
        unit = self.design.unit[part.rows]
        for j in range(values.shape[1]):
            here = unit[part.below[:, j] != 0]
            if len(here) == 0 or (here == here[0]).all():
                values[:, j] = np.nan
        influence = partial(self._influence, part)
        found = resampling.Resamples(part.estimate(), values, None, self.sources, influence)
        return found.interval(self.options["level"], self.options["interval"])

    def _influence(self, part: Part) -> Array:
        """Of every unit on the numbers of a part: (a - θ b) / Σ b, centred."""
        full = np.zeros((self.design.n_cases, part.above.shape[1]))
        full[part.rows] = _divided(part.above - np.nan_to_num(part.estimate()) * part.below, part.below.sum(axis=0))
        return self.design.centred(self.design.added_up(full))


def _kept(part: Part, counted: NDArray[np.bool_], place: NDArray[np.int64]) -> Part:
    """A part with its rows numbered among the cases that count."""
    here = counted[part.rows]
    if here.all():
        return part._replace(rows=place[part.rows])
    return Part(place[part.rows[here]], part.above[here], part.below[here])


def _by_number(part: Part) -> tuple[Array, Array]:
    """(M, r) what is added up above and below; a single row below where all numbers have the same."""
    alike = bool((part.below == part.below[:, :1]).all())
    return np.ascontiguousarray(part.above.T), np.ascontiguousarray(part.below[:, :1].T if alike else part.below.T)


def _sums(weights: Array, table: Array) -> Array:
    """(c, M) weighted sums of a table (M, r). Not a matrix product, whose last bits depend on the threads of BLAS."""
    return np.asarray(np.einsum("cr,mr->cm", weights, table))


def _divided(above: Array, below: Array) -> Array:
    with np.errstate(invalid="ignore", divide="ignore"):
        return np.asarray(above / below)


def contributions(context: Context, model: str, metric: str, reliability: float | None) -> Array | None:
    """(n,) of a metric at k = 1, or None if it was not evaluated."""
    wanted = {"model": model, "metric": metric, "k": 1, "reliability": reliability}
    for row, column in zip(context.metrics, context.columns):
        if all(row[key] == value for key, value in wanted.items()):
            return column
    return None


def first_choices(scores: Array, ties: str) -> Array:
    """(n, K) 1 for the class with the highest score; tied ones share it, or the first has it, as the ties of the evaluation go."""
    if ties == "first":
        found = np.zeros(scores.shape)
        found[np.arange(len(scores)), scores.argmax(axis=1)] = 1.0
        return found
    top = scores == scores.max(axis=1, keepdims=True)
    return np.asarray(top / top.sum(axis=1, keepdims=True))


def number(value: Any) -> float | None:
    """None where a value is undefined."""
    return float(value) if math.isfinite(value) else None
