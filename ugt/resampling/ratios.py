"""Ratios of sums over cases, the form of every resampled metric that has one."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Iterable, Iterator, Sequence
from typing import Any

import numpy as np

from .._base.arrays import Array, Bools, Int32, Int64, NDArray
from .._base.checks import error, room
from .._base.identifiers import as_array
from .._base.lazy import cached_property
from .._core import _tables
from .design import Design
from .merging import Merging
from .number_facts import NumberFacts
from .panel import Changes, Panel, Without
from .statistic import Linear, exact_products
from .sums import Repeated


class Quotients(Linear):
    """Numbers that are quotients of linear functions of sums; with ``averaged``, the first one is the mean of some of these."""

    averaged: NDArray[np.intp] | None = None
    n_squared = 0  # number of the first sums whose products parts add up, for a standard error

    @abstractmethod
    def parts(self, table: Array) -> tuple[Array, Array]:
        """Return the numerators and denominators, (R, M) each, of R rows of sums or of columns (R, S): linear in each row."""

    def answer(self, sums: Array) -> Array:
        return self._mean_first(over(*self.parts(sums)))

    def _mean_first(self, table: Array) -> Array:
        if self.averaged is None:
            return table
        with np.errstate(invalid="ignore"):  # inf - inf
            return np.concatenate([over(table[:, self.averaged].sum(axis=1, keepdims=True), len(self.averaged)), table], axis=1)

    def quotient(self, number: int) -> tuple[Array, Array] | None:
        above, below = self.parts(self.columns)
        at = number if self.averaged is None else number - 1
        return None if at < 0 else (above[:, at], below[:, at])

    def varies(self, kept: Bools, design: Design) -> Bools:
        """Return (M,) whether two units of some stratum have a denominator."""
        return self._all_first(design.vary(self.parts(self.columns[kept])[1]))

    def _all_first(self, found: Bools) -> Bools:
        return found if self.averaged is None else np.append(found[self.averaged].all(), found)

    @property
    def facts(self) -> NumberFacts:
        return NumberFacts.of(len(self.names), lambda: self._spans)._replace(counting=self.counting, varies=self.varies)

    @property
    def _spans(self) -> Array:
        """The ranges (M, 2), from 0 if no contribution is negative."""
        found = np.empty((len(self.names), 2))
        found[:] = self.span
        found[self._all_first(self._positive), 0] = 0.0
        return found

    @cached_property
    def _positive(self) -> Bools:
        """Whether no contribution is negative, of each number before the mean."""
        above, below = self.parts(self.columns)
        return np.asarray(((above >= 0) & (below >= 0)).all(axis=0))

    def counting(self, kept: Bools, design: Design) -> Array:
        """Return the number (M,) of units that have a denominator."""
        below = self.parts(self.columns[kept])[1]
        found = design.number(below)
        return found if self.averaged is None else np.append(found[self.averaged].min(), found)

    def influence(self) -> Array:
        """Return the influence (N, M), L = (a - θ b) / Σ b, and its mean."""
        above, below = self.parts(self.columns)
        of_all, total = (self.of_all(part) for part in (above, below))
        with np.errstate(invalid="ignore"):  # inf * 0
            return self._mean_first(over(above - over(of_all, total) * below, total))

    @property
    def panel(self) -> Panel:
        return super().panel._replace(each=self._without_each, changes=self._changes)

    def _without_pairs(self) -> tuple[Int64, Int64, Array] | None:
        """Return ``(case, annotator, columns)``: columns of cases without each of their annotators in turn; None if unknown."""
        return None

    def _without_each(self, annotators: Int64, numbers: Sequence[int]) -> Iterator[Without]:
        """Yield some numbers without each annotator; if pairs are known, only changed cases are computed again."""
        pairs = self._without_pairs()
        if pairs is None:
            yield from self.panel.one_by_one(annotators, numbers)
            return
        case, annotator, rows = pairs
        begin, order = _tables.group(annotator.astype(np.int32), int(annotator.max(initial=-1)) + 1)
        total, (above, below), changed = self.columns.sum(axis=0), self.parts(self.columns), self.parts(rows)
        for j in annotators.tolist():
            at = order[begin[j] : begin[j + 1]]
            cases = case[at]
            sums = self.parts((total + (rows[at] - self.columns[cases]).sum(axis=0))[None])
            a, b = above.copy(), below.copy()
            a[cases], b[cases] = changed[0][at], changed[1][at]
            values = over(*sums)
            with np.errstate(invalid="ignore"):  # inf * 0
                found = self._mean_first(values)[0], self._mean_first(over(a - values * b, sums[1]))
            yield Without(found[0][list(numbers)], found[1][:, list(numbers)])

    def _changes(self, annotators: Int64, number: int) -> Changes | None:
        """Return what leaving out each of these annotators changes in a number."""
        pairs = None if self.averaged is not None else self._without_pairs()
        if pairs is None:
            return None
        case, annotator, rows = pairs
        place = np.full(max(annotator.max(initial=-1), annotators.max(initial=-1)) + 1, -1, np.int64)
        place[annotators] = np.arange(len(annotators))
        annotator = place[annotator]
        here = (annotator >= 0) & self.kept[case]
        if not here.all():
            case, annotator, rows = case[here], annotator[here], rows[here]
        (above, below), (a, b) = ((part[:, number] for part in self.parts(table)) for table in (self.columns, rows))
        return Changes(above, below, case, annotator, a - above[case], b - below[case])

    @property
    def merging(self) -> Merging:
        if not self.n_squared:
            return super().merging
        return super().merging._replace(squares=lambda: exact_products(self.columns[:, : self.n_squared]), gradient=self._gradient)

    def _gradient(self, sums: Array) -> Array:
        """Return the derivative (C,) of the first number by sums."""
        (above, below), (steps, widths) = self.parts(sums[None]), self.parts(np.eye(self.n_squared, len(sums)))
        return over(steps[:, 0] - over(above[0, 0], below[0, 0]) * widths[:, 0], below[0, 0])


class Ratios(Quotients):
    """Numbers Σ w a_ij / Σ w b_ij, with columns of denominators that several of them share kept once.

    ``shares``: whether a number is a share if every contribution is between 0 and its denominator, and some are above 0.
    ``columns`` (N, M + P): the a_ij, 0 if a case does not count, then P distinct columns of b_ij; ``of_number`` (M,): which of these.
    With ``code`` (N,), the columns are those of distinct rows, and the code is the row of each case.
    """

    shares = True

    def __init__(self, columns: Array, of_number: Int64, names: tuple[str, ...] = (), code: Int32 | None = None) -> None:
        self._rows, self._code, self.of_number, self.n_cases = columns, code, of_number, len(columns if code is None else code)
        self.names = names or tuple(map(str, range(len(of_number)))) if len(of_number) != 1 else names or ("value",)

    @classmethod
    def of(cls, contributions: object, denominators: object = None, names: tuple[str, ...] = (), code: Int32 | None = None) -> Ratios:
        """Return ratios of tables (N, M) as :func:`bootstrap` takes them; means if there are no denominators; ``code`` as above."""
        if isinstance(contributions, tuple) and len(contributions) == 2:
            contributions, denominators = contributions
        table = table_of("contributions", contributions)
        room("contributions", table.size)
        undefined = np.isnan(table)
        if denominators is None:
            at, of_number = _distinct(np.packbits(column).tobytes() for column in undefined.T)
            m = table.shape[1]
            columns = np.empty((len(table), m + len(at)))
            columns[:, :m], columns[:, m:] = table, ~undefined[:, at]
            columns[:, :m][undefined] = 0.0
            return cls(columns, of_number, names, code)
        below = table_of("denominators", denominators)
        if below.shape not in (table.shape, (len(table), 1)):
            raise error("denominators", f"have the shape of contributions, {table.shape}, or one column", below.shape)
        undefined = undefined | np.isnan(below)
        below = np.where(undefined, 0.0, below)
        at, of_number = _distinct(column.tobytes() for column in below.T)
        return cls(np.concatenate([np.where(undefined, 0.0, table), below[:, at]], axis=1), of_number, names, code)

    def compact(self) -> Ratios:
        """Keep distinct rows only, if these are few, which takes a fraction of the memory; return the object itself."""
        found = None if self._code is not None else Repeated.of(self._rows)
        if found is not None:
            self._rows, self._code = found
        return self

    @property
    def columns(self) -> Array:  # type: ignore[override]
        return np.asarray(self._of_cases(self._rows))

    def _of_cases(self, rows: Any) -> Any:
        return rows if self._code is None else rows[self._code]

    @property
    def table(self) -> Array | Repeated:
        return self._rows if self._code is None else Repeated(self._rows, self._code)

    @property
    def n_columns(self) -> int:
        return int(self._rows.shape[1])

    @property
    def numerator(self) -> Array:
        return np.asarray(self._of_cases(self._rows[:, : len(self.of_number)]))

    @property
    def denominator(self) -> Array:
        return np.asarray(self._of_cases(self._rows[:, len(self.of_number) :]))

    @property
    def kept(self) -> Bools:
        """The (N,) cases with a denominator."""
        return self.standing(np.asarray(self._of_cases((self._rows[:, len(self.of_number) :] != 0).any(axis=1))))

    def parts(self, table: Array) -> tuple[Array, Array]:
        m = len(self.of_number)
        return table[:, :m], table[:, m:][:, self.of_number]

    def quotient(self, number: int) -> tuple[Array, Array] | None:
        at, m = number if self.averaged is None else number - 1, len(self.of_number)
        return None if at < 0 else (self._of_cases(self._rows[:, at]), self._of_cases(self._rows[:, m + self.of_number[at]]))

    @property
    def _spans(self) -> Array:
        found = super()._spans
        if self.shares:
            found[self._all_first(self._are_shares)] = (0.0, 1.0)
        return found

    @cached_property
    def _positive(self) -> Bools:
        at_least: Bools = np.asarray((self._rows >= 0).all(axis=0))
        return np.asarray(at_least[: len(self.of_number)] & at_least[len(self.of_number) :][self.of_number])

    @cached_property
    def _are_shares(self) -> Bools:
        numerator, denominator = np.split(self._rows, [len(self.of_number)], axis=1)
        found: Bools = self._positive & (numerator != 0).any(axis=0)
        for p, below in enumerate(denominator.T):
            for j in np.flatnonzero(found & (self.of_number == p)):
                found[j] = (numerator[:, j] <= below * (1 + 1e-12)).all()
        return found

    def varies(self, kept: Bools, design: Design) -> Bools:
        """Return (M,) whether two units of some stratum have a denominator, computed once for each distinct column."""
        return self._all_first(design.vary(self.denominator[kept])[self.of_number])

    def counting(self, kept: Bools, design: Design) -> Array:
        """Return the number (M,) of units that have a denominator, computed once for each distinct column."""
        found = design.number(self.denominator[kept])[self.of_number]
        return found if self.averaged is None else np.append(found[self.averaged].min(), found)

    def drawn_with(self, base: Ratios, weights: Array) -> Array:
        """Return the numbers (M,) if each of w copies of a case has its own draw.

        The sum of the copies has the mean w a and the variance w v, with a the contribution to the estimate and v the variance of draws.
        w times the same draw would have the variance w² v, on average twice as much; (w - √w) a + √w draw has the right one.
        """
        root, m = np.sqrt(weights), len(self.of_number)
        own, of_base = root @ self.columns, (weights - root) @ base.columns
        below = of_base[m:][base.of_number] + own[m:][self.of_number]
        return over(of_base[:m] + own[:m], below)


def over(above: Any, below: Any) -> Array:
    """Return the quotient, NaN for 0 / 0."""
    with np.errstate(invalid="ignore", divide="ignore"):
        return np.asarray(np.asarray(above, np.float64) / below)


def table_of(argument: str, values: object) -> Array:
    """Return (N, M) finite numbers or NaN."""
    table = as_array(values)
    if table.dtype.kind not in "biuf" or table.ndim not in (1, 2) or len(table) < 1:
        raise error(argument, "be an array of numbers, cases or cases x numbers", f"{table.dtype} of shape {table.shape}")
    table = np.asarray(table if table.ndim == 2 else table[:, None], np.float64)
    if np.isinf(table).any():
        i, j = (int(k) for k in np.argwhere(np.isinf(table))[0])
        raise error(argument, "be finite, or NaN if a case does not count", table[i, j], f"row {i}, column {j}")
    return table


def _distinct(keys: Iterable[bytes]) -> tuple[list[int], Int64]:
    """Return the place of the first of each distinct key, and the number of every key."""
    first: dict[bytes, tuple[int, int]] = {}
    numbers_ = [first.setdefault(key, (len(first), j))[0] for j, key in enumerate(keys)]
    return [j for _, j in first.values()], np.array(numbers_, np.int64)
