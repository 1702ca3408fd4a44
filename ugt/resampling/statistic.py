"""The central idea of the library: a metric is a function of weighted sums of the contributions of cases.

A :class:`Statistic` alone gives the value, the numbers of single cases, standard errors, resamples, intervals, paired differences and
the states that parts of the data exchange.
"""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from types import MappingProxyType
from typing import Any, NamedTuple

import numpy as np

from .._base.arrays import Array, Bools, Int32, Int64, NDArray
from .._base.checks import error
from .._base.lazy import cached_property
from .._core import _exact
from .design import Design
from .slopes import gradient_of
from .sums import Repeated, added

UNNAMED = "be named for intervals over other annotators"


class Answer(NamedTuple):
    """The result from the sums of all cases: the metric, other numbers by name, the reason if it is undefined, and its record."""

    value: float
    numbers: Mapping[str, Any]
    reason: str | None = None
    record: Any = None


class Without(NamedTuple):
    """Some numbers (M,) without an annotator, and their influences (N, M), or the statistic if these are unknown."""

    values: Array
    influence: Array | None
    statistic: Statistic | None = None

    @classmethod
    def of(cls, one: Statistic, numbers: Sequence[int]) -> Without:
        """Return some numbers of a statistic."""
        found, at = one.influence(), list(numbers)
        return cls(one.estimate[at], None if found is None else found[:, at], one)


class Changes(NamedTuple):
    """A quotient Σ a / Σ b of N cases, and P pairs of a case and one of n annotators without whom a and b of the case are others."""

    above: Array  # (N,) a
    below: Array  # (N,) b
    case: Int64  # (P,)
    annotator: Int64  # (P,) place among the n
    by_above: Array  # (P,) what is added to a
    by_below: Array  # (P,) and to b


class Statistic(ABC):
    """M numbers that are a function of S weighted sums over N cases.

    A subclass reads its data once, when it is made, and keeps what it needs; it implements :meth:`sums` and :meth:`answer`, and
    :meth:`influence` if the derivative is known in closed form. The weight of a case is its number of copies: 1 in the data, any
    whole number in a resample.

    Attributes
    ----------
    n_cases : int
        Number of cases N of the data, including those that do not count.
    names : tuple of str
        Names of the M numbers.
    scale : {"identity", "logit"}
        Scale on which an analytic interval is symmetric.
    normal : bool
        Whether the ends of an analytic interval are quantiles of the normal law instead of Student's.
    span : (low, high)
        The range of the numbers, to which analytic intervals are cut.
    smooth : bool
        Whether the numbers are smooth in the weights of units, so that the jackknife holds.
    left_out : mapping
        Cases left out, by reason.
    case_ids : (N,) array or None
        Ids of cases; None if they are those of the data.
    fixed : (F,) array
        Sums over all cases that resamples do not need.
    n_squared : int
        Number of the first sums whose products are added up, too, if parts exchange sums: see :meth:`gradient`.
    """

    n_cases: int
    names: tuple[str, ...] = ("value",)
    scale = "identity"
    normal = False
    span = (-math.inf, math.inf)
    smooth = True
    left_out: Mapping[str, int] = MappingProxyType({})
    case_ids: NDArray[Any] | None = None
    fixed: Array = np.empty(0)
    n_squared = 0
    limits: Callable[[float], tuple[float, float]] | None = None  # interval of the first number by level, if it has its own form

    @abstractmethod
    def sums(self, cases: Array | None = None) -> Array:
        """Return the (B, S) sums under weights of cases (B, N); None: (1, S), every case once."""

    @abstractmethod
    def answer(self, sums: Array) -> Array:
        """Return the (B, M) numbers for sums (B, S), NaN if undefined. The formula of the metric is here and nowhere else."""

    @property
    def settings(self) -> Mapping[str, Any]:
        """The arguments of :meth:`answer` beside sums, as JSON values; parts of the data whose sums are added must agree in them."""
        return {}

    @classmethod
    def of_settings(cls, settings: Mapping[str, Any]) -> Statistic:
        """Return the statistic without cases, which can compute answers from sums that were computed elsewhere."""
        raise NotImplementedError

    def exact_sums(self) -> Array:
        """Return (S, P), every sum as P doubles, each the rounding of the remainder of those before: the same for any order of cases."""
        return np.asarray(self.sums()[0][:, None])

    def exact_squares(self) -> Array:
        """Return the (C, C, P) exact sums of products of the cases' contributions to the first ``n_squared`` sums."""
        return np.empty((0, 0, 1))

    def numbers(self, sums: Array) -> dict[str, Array]:
        """Return the numbers that accompany the first one, (B, ...) each, by name."""
        values = self.answer(sums)
        return {name: values[:, j] for j, name in enumerate(self.names) if j > 0}

    def finish(self, sums: Array, fixed: Array, left_out: Mapping[str, int]) -> Answer:
        """Return the result from sums (S,) and fixed sums (F,) of all cases."""
        value, numbers = float(self.answer(sums[None])[0, 0]), self.numbers(sums[None])
        return Answer(value, {name: one[0] for name, one in numbers.items()}, "no case is left" if math.isnan(value) else None)

    def replicated(self, sums: Array, replicates: Array) -> tuple[Array, dict[str, Array]]:
        """Return the first number (B,) and the others (B, ...) for sums (B, S) of resamples; ``sums`` (S,) are those of the data."""
        return self.answer(replicates)[:, 0], self.numbers(replicates)

    def gradient(self, sums: Array) -> Array | None:
        """Return the derivative (C,) of the first number by each of the first ``n_squared`` sums, at sums (S,)."""
        return None

    def groups(self, sums: Array, fixed: Array) -> Array:
        """Return the number of cases (or labels) in each group that the sums (S,) distinguish, such as bins; empty if there are none."""
        return np.empty(0)

    @property
    def kept(self) -> Bools:
        """The (N,) cases that count in any of the numbers; the others are not resampled."""
        return np.ones(self.n_cases, bool)

    @property
    def n_counted(self) -> int:
        """The number of cases that count in the first of the numbers."""
        return int(self.kept.sum())

    def judged_by(self, annotators: NDArray[Any]) -> Statistic:
        """Return the same metric with annotators (A,) weighted by 0 or 1; annotations of those with 0 are left out.

        Raises
        ------
        ValueError
            If the annotations do not name their annotators.
        """
        raise error("annotators", "be named, to be left out one by one", "annotations without names of annotators")

    def annotations_by_name(self) -> Any:
        """Return the annotations that the numbers are computed from, whose annotators are named.

        Raises
        ------
        ValueError
            If the annotations do not name their annotators.
        """
        raise error("annotators", UNNAMED, "annotations, or a truth, without names of annotators")

    def without_each(self, annotators: Int64, numbers: Sequence[int]) -> Iterator[Without]:
        """Yield some numbers without each of these annotators; subclasses may have a faster way."""
        each = np.ones(len(self.annotations_by_name().annotators))
        for j in annotators.tolist():
            weights = each.copy()
            weights[j] = 0.0
            yield Without.of(self.judged_by(weights), numbers)

    def changes(self, annotators: Int64, number: int) -> Changes | None:
        """Return what leaving out each of these annotators changes in a number that is a quotient; None if unknown."""
        return None

    @property
    def scales(self) -> tuple[str, ...]:
        """The (M,) scales on which each number is approximately normal over cases and annotators."""
        of_span = {(0.0, 1.0): "logit", (0.0, math.inf): "log"}
        return tuple(of_span.get((low, high), "identity") for low, high in self.spans.tolist())

    def notes_of(self, number: int) -> tuple[str, ...]:
        """Return the limits of a number's interval over cases and annotators."""
        few = self.few_of(number)
        return () if few is None else (few,)

    def few_of(self, number: int, design: Design | None = None) -> str | None:
        """Return a caution if so few cases, or units of a design of the kept ones, make up a number that its intervals are too narrow."""
        return None

    def by_case(self) -> Array:
        """Return the contributions (N, S) of the cases to the sums.

        Raises
        ------
        ValueError
            If sums do not consist of contributions of single cases.
        """
        raise error("metric", "be one of sums over cases, for intervals of parts over annotators", type(self).__name__)

    def influence_at(self, sums: Array) -> Array:
        """Return the influence (N, m) of the cases on the first m numbers if all cases have these sums (S,), of which this is a part."""
        return np.asarray(self.by_case() @ gradient_of(self.answer, sums))[:, None]

    def values(self, cases: Array | None = None, annotators: NDArray[Any] | None = None) -> Array:
        """Return the (B, M) numbers under weights of cases (B, N) and of annotators (A,)."""
        one = self if annotators is None else self.judged_by(annotators)
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

    def only(self, number: int) -> tuple[Statistic, int]:
        """Return a statistic with this number, if possible without others that cost time and memory, and the number's place in it."""
        return self, number

    @property
    def recentred(self) -> Bools:
        """The (M,) numbers that copies of a case bias by about their own bias: resamples are moved so that their mean is the estimate."""
        return np.zeros(len(self.names), bool)

    def varies(self, kept: Bools, design: Design) -> Bools:
        """Return (M,) whether two units of some stratum of the design count in a number; otherwise it cannot be resampled."""
        return np.full(len(self.names), bool(np.diff(design.strata).max() >= 2))

    @property
    def spans(self) -> Array:
        """The (M, 2) range of each number."""
        return np.tile(np.array(self.span, np.float64), (len(self.names), 1))

    def steps(self, sums: Array, n_cases: int) -> Array:
        """Return (M,) the largest distance of each number from the end of its range per share of units that are not perfect."""
        low, high = self.spans.T
        return np.asarray(high - low)

    def counting(self, kept: Bools, design: Design) -> Array:
        """Return the number (M,) of units of the design that count in each number."""
        return np.full(len(self.names), float(design.n_units))

    def deciding(self, kept: Bools, design: Design) -> Array:
        """Return the number (M,) of units of the design that decide how far each number varies: fewer than all if these are rare."""
        return np.full(len(self.names), float(design.n_units))

    def n_annotated(self, kept: Bools, design: Design) -> int:
        """Return the number of units of the design that have annotations: fewer than all units if a judge scored others, too."""
        return design.n_units

    def std_error(self, units: Int32 | None = None) -> Array:
        """Return (M,) sqrt(Σ L² G / (G - 1)) over G kept cases or ``units`` (n,) of these: the infinitesimal jackknife; NaN if G < 2."""
        found = self.influence()
        if found is None:
            return np.full(len(self.names), np.nan)
        total = found[self.kept]
        if units is not None:
            total = np.stack([np.bincount(units, column) for column in total.T], axis=1)
        n = len(total)
        return np.sqrt((total**2).sum(axis=0) * n / (n - 1)) if n > 1 else np.full(len(self.names), np.nan)


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
        return added(self.table, cases)

    def by_case(self) -> Array:
        """Return the columns (N, S)."""
        return self.columns

    def exact_sums(self) -> Array:
        """Return the exact sums (S, P)."""
        return np.asarray(_exact.exact_columns(np.ascontiguousarray(self.columns)))

    def exact_squares(self) -> Array:
        """Return the exact sums of products (C, C, P)."""
        return exact_products(self.columns[:, : self.n_squared]) if self.n_squared else super().exact_squares()


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
