"""The central idea of the library: a metric is a function of weighted sums of the contributions of cases.

A :class:`Statistic` alone gives the value, the numbers of single cases, standard errors, resamples, intervals, paired differences and
the states that parts of the data exchange.
"""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from collections.abc import Iterable, Mapping
from types import MappingProxyType
from typing import Any

import numpy as np

from .._base.arrays import Array, Bools, NDArray
from .._base.lazy import cached_property
from .._core import _exact
from .design import Design
from .merging import Merging
from .number_facts import NumberFacts
from .of_cases import OfCases
from .panel import Panel
from .sums import Repeated, added


class Statistic(OfCases, ABC):
    """M numbers that are a function of S weighted sums over N cases.

    A subclass reads its data once, when it is made, and keeps what it needs; it implements :meth:`sums` and :meth:`answer`, and
    :meth:`influence` if the derivative is known in closed form. The weight of a case is its number of copies: 1 in the data, any
    whole number in a resample. A case that stands for several equal ones, by ``times``, has this number in the data.

    What else is known of the numbers stands in three collaborators: :attr:`facts` for intervals, :attr:`panel` for the annotators, and
    :attr:`merging` for data in several places. A subclass that knows more overrides them.

    Attributes
    ----------
    n_cases, case_ids, times
        The number of cases N, their ids (None: those of the data) and how many equal cases each stands for (None: one).
    names : tuple of str
        Names of the M numbers.
    span : (low, high)
        The range of the numbers, unless each has its own, see :attr:`facts`.
    left_out : mapping
        Cases left out, by reason.
    """

    names: tuple[str, ...] = ("value",)
    span = (-math.inf, math.inf)
    left_out: Mapping[str, int] = MappingProxyType({})

    @abstractmethod
    def sums(self, cases: Array | None = None) -> Array:
        """Return the (B, S) sums under weights of cases (B, N); None: (1, S), every case as often as it occurs."""

    @abstractmethod
    def answer(self, sums: Array) -> Array:
        """Return the (B, M) numbers for sums (B, S), NaN if undefined. The formula of the metric is here and nowhere else."""

    def numbers(self, sums: Array) -> dict[str, Array]:
        """Return the numbers that accompany the first one, (B, ...) each, by name."""
        values = self.answer(sums)
        return {name: values[:, j] for j, name in enumerate(self.names) if j > 0}

    @property
    def informative(self) -> Bools:
        """The (N,) kept cases that show how far the numbers vary, which are the units of intervals; others, if any, move a number only."""
        return self.kept

    @property
    def n_counted(self) -> int:
        """The number of cases that count in the first of the numbers."""
        return self.number_of(self.kept)

    @property
    def facts(self) -> NumberFacts:
        """What intervals must know of the numbers."""
        return NumberFacts.within(len(self.names), self.span)

    @property
    def panel(self) -> Panel:
        """The annotators, and the same numbers without some of them."""
        return Panel()

    @property
    def merging(self) -> Merging:
        """What parts of the data exchange."""
        return Merging.of(self)

    def values(self, cases: Array | None = None, annotators: NDArray[Any] | None = None) -> Array:
        """Return the (B, M) numbers under weights of cases (B, N) and of annotators (A,)."""
        one = self if annotators is None else self.panel.judged_by(annotators)
        return one.answer(one.sums(cases))

    @cached_property
    def estimate(self) -> Array:
        """The (M,) numbers on the data."""
        return np.asarray(self.values()[0])

    def influence(self) -> Array | None:
        """Return the derivative (N, M) of each number by the weight of each case, 0 for cases that do not count; None if unknown."""
        return None

    def quotient(self, number: int) -> tuple[Array, Array] | None:
        """Return numerators and denominators, (N,) each, of a number that is a quotient of two sums, for its bootstrap-t; else None."""
        return None

    def denominators(self, number: int) -> Array | None:
        """Return (N, D) what each case adds to the sums by which a number is divided; None if unknown."""
        found = self.quotient(number)
        return None if found is None else found[1][:, None]

    def only(self, number: int) -> tuple[Statistic, int]:
        """Return a statistic with this number, if possible without others that cost time and memory, and the number's place in it."""
        return self, number

    def std_error(self, design: Design | None = None) -> Array:
        """Return (M,) sqrt(Σ L² G / (G - 1)), the infinitesimal jackknife; NaN if G < 2.

        The sum is over the kept cases, or the units of their ``design``; G of these count in the number.
        """
        found, kept = self.influence(), self.kept
        if found is None or not kept.any():
            return np.full(len(self.names), np.nan)
        units = self.units() if design is None else design
        n, squares = self.facts.counting(kept, units), units.total(units.added_up(found[kept]) ** 2)
        with np.errstate(invalid="ignore", divide="ignore"):
            return np.sqrt(np.where(n > 1, squares * n / (n - 1), np.nan))


class Linear(Statistic):
    """A statistic whose sums are those of the columns of a table.

    Examples
    --------
    >>> import numpy as np
    >>> from ugt.resampling import Linear
    >>> class Quotient(Linear):
    ...     def __init__(self, above, below):
    ...         self.columns, self.n_cases = np.stack([above, below], axis=1), len(above)
    ...
    ...     def answer(self, sums):
    ...         return sums[:, :1] / sums[:, 1:]
    >>> Quotient([1.0, 2.0, 4.0], [2.0, 2.0, 10.0]).estimate
    array([0.5])
    """

    columns: Array  # (N, S), rows of 0 for cases that do not count

    @property
    def table(self) -> Array | Repeated:
        """The columns (N, S), or their distinct rows if these are known."""
        return self.columns

    def sums(self, cases: Array | None = None) -> Array:
        """Return the sums (B, S)."""
        return added(self.table, self.times[None] if cases is None and self.times is not None else cases)

    @property
    def merging(self) -> Merging:
        return super().merging._replace(exact_sums=self.exact_sums, by_case=self.by_case)

    def by_case(self) -> Array:
        """Return the columns (N, S)."""
        return self.columns

    def exact_sums(self) -> Array:
        """Return the exact sums (S, P)."""
        return np.asarray(_exact.exact_columns(np.ascontiguousarray(self.columns)))


def exact_products(columns: Array) -> Array:
    """Return the exact sums (C, C, P) of the products of all pairs of columns (N, C)."""
    both, c = columns[:, :, None] * columns[:, None, :], columns.shape[1]
    return np.asarray(_exact.exact_columns(np.ascontiguousarray(both.reshape(-1, c * c)))).reshape(c, c, -1)


class PlainSums(Linear):
    """A statistic whose numbers are the sums themselves."""

    def __init__(self, columns: Array) -> None:
        self.columns, self.n_cases, self.names = columns, len(columns), ("sum",) * columns.shape[1]

    def answer(self, sums: Array) -> Array:
        """Return the sums (B, S)."""
        return sums


class Wide(Linear):
    """A linear statistic that may have too many columns for memory."""

    too_wide = True  # whether it has

    @abstractmethod
    def blocks(self) -> Iterable[Array]:
        """Yield tables (N, s) of some of the columns at a time."""

    @property
    def columns(self) -> Array:  # type: ignore[override]
        """All columns (N, S)."""
        return np.concatenate(list(self.blocks()), axis=1)

    def sums(self, cases: Array | None = None) -> Array:
        """Return the sums (B, S)."""
        return np.concatenate([added(block, cases) for block in self.blocks()], axis=1)
