"""The one idea of the library: cases contribute numbers, weighted sums of these give the metric.

From a :class:`Statistic` alone come the value, the numbers of single cases, standard errors, resamples, intervals, paired differences and
the states that parts of the data exchange.
"""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import cached_property
from types import MappingProxyType
from typing import Any, NamedTuple

import numpy as np

from .._base import parallel
from .._base.arrays import Array, Bools, Int32, Int64, NDArray
from .._base.checks import error, room
from .._core import _exact
from .design import Design
from .slopes import gradient_of
from .sums import Sums, added

UNNAMED = "be named to be random"


class Answer(NamedTuple):
    """What sums of all cases say: the metric, other numbers by name, why the metric is undefined, and the record of its function."""

    value: float
    numbers: Mapping[str, Any]
    reason: str | None = None
    record: Any = None


class Without(NamedTuple):
    """Some numbers (M,) without an annotator, and their influences (N, M); or the statistic, where these are not known."""

    values: Array
    influence: Array | None
    statistic: Statistic | None = None

    @classmethod
    def of(cls, one: Statistic, numbers: Sequence[int]) -> Without:
        """Some numbers of a statistic."""
        found, at = one.influence(), list(numbers)
        return cls(one.estimate[at], None if found is None else found[:, at], one)


class Statistic(ABC):
    """M numbers that are a function of S weighted sums over N cases.

    A subclass reads its data once, when it is made, and keeps what it needs; it answers :meth:`sums` and :meth:`answer`, and
    :meth:`influence` where the derivative is known in closed form. Weights of cases are how often each case is there: 1 for the data
    as they are, any number of times in a resample.

    Attributes
    ----------
    n_cases : int
        Cases N of the data, those that do not count among them.
    names : tuple of str
        Of the M numbers.
    scale : {"identity", "logit"}
        On which an analytic interval is symmetric.
    normal : bool
        Whether its ends are quantiles of the normal law, not of Student's.
    span : (low, high)
        The range of the numbers, which no analytic interval leaves.
    smooth : bool
        Whether the numbers may be taken for smooth in the weights of units, so that the jackknife holds.
    left_out : mapping
        Cases left out, by reason.
    case_ids : (N,) array or None
        Ids of cases; None where they are those of the data.
    fixed : (F,) array
        Sums over all cases of what resamples do not need.
    n_squared : int
        So many of the first sums have their products added up too, where parts exchange sums: see :meth:`gradient`.
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
    limits: Callable[[float], tuple[float, float]] | None = None  # of the first number by level, where they are of a form of their own

    @abstractmethod
    def sums(self, cases: Array | None = None) -> Array:
        """(B, S) sums under weights of cases (B, N); None: (1, S), every case once."""

    @abstractmethod
    def answer(self, sums: Array) -> Array:
        """(B, M) the numbers that sums (B, S) say: the formula, here and nowhere else. NaN where one is undefined."""

    @property
    def settings(self) -> Mapping[str, Any]:
        """What :meth:`answer` needs beside sums, as JSON values; what parts of the data must have alike for their sums to be added."""
        return {}

    @classmethod
    def of_settings(cls, settings: Mapping[str, Any]) -> Statistic:
        """The statistic of no cases, which can answer for sums that were made elsewhere."""
        raise NotImplementedError

    def exact_sums(self) -> Array:
        """(S, P) every sum as P doubles, each the rounding of what the ones before leave of it: the same for any order of cases."""
        return np.asarray(self.sums()[0][:, None])

    def exact_squares(self) -> Array:
        """(C, C, P) exact sums of products of what the cases add to the first ``n_squared`` sums."""
        return np.empty((0, 0, 1))

    def numbers(self, sums: Array) -> dict[str, Array]:
        """(B, ...) what goes with the first of the numbers, by name."""
        values = self.answer(sums)
        return {name: values[:, j] for j, name in enumerate(self.names) if j > 0}

    def finish(self, sums: Array, fixed: Array, left_out: Mapping[str, int]) -> Answer:
        """What sums (S,) and fixed sums (F,) of all cases say."""
        value, numbers = float(self.answer(sums[None])[0, 0]), self.numbers(sums[None])
        return Answer(value, {name: one[0] for name, one in numbers.items()}, "no case is left" if math.isnan(value) else None)

    def replicated(self, sums: Array, replicates: Array) -> tuple[Array, dict[str, Array]]:
        """(B,) the first number and (B, ...) the others, of sums (B, S) of resamples; ``sums`` (S,): of the cases as they are."""
        return self.answer(replicates)[:, 0], self.numbers(replicates)

    def gradient(self, sums: Array) -> Array | None:
        """(C,) derivative of the first number by each of the first ``n_squared`` sums, at sums (S,)."""
        return None

    def groups(self, sums: Array, fixed: Array) -> Array:
        """How many cases (or labels) are in each of the groups that sums (S,) tell apart, such as bins; empty if there are none."""
        return np.empty(0)

    @property
    def kept(self) -> Bools:
        """(N,) cases that count in any of the numbers; the others are not there at all when cases are resampled."""
        return np.ones(self.n_cases, bool)

    @property
    def n_counted(self) -> int:
        """Cases that are counted in the first of the numbers."""
        return int(self.kept.sum())

    def judged_by(self, annotators: NDArray[Any]) -> Statistic:
        """The same metric when annotators (A,) weigh 0 or 1; 0: what they said is not there.

        Raises
        ------
        ValueError
            If it is not known who said what.
        """
        raise error("annotators", "be named, to be left out one by one", "annotations without names of annotators")

    def annotations_by_name(self) -> Any:
        """The annotations that the numbers are of, whose annotators are known.

        Raises
        ------
        ValueError
            If it is not known who said what.
        """
        raise error("annotators", UNNAMED, "annotations, or a truth, without names of annotators")

    def without_each(self, annotators: Int64, numbers: Sequence[int]) -> Iterator[Without]:
        """Some numbers without each of these annotators; subclasses may know a faster way."""
        each = np.ones(len(self.annotations_by_name().annotators))
        for j in annotators.tolist():
            weights = each.copy()
            weights[j] = 0.0
            yield Without.of(self.judged_by(weights), numbers)

    @property
    def scales(self) -> tuple[str, ...]:
        """(M,) scales on which each number varies about normally with cases and annotators."""
        of_span = {(0.0, 1.0): "logit", (0.0, math.inf): "log"}
        return tuple(of_span.get((low, high), "identity") for low, high in self.spans.tolist())

    def notes_of(self, number: int) -> tuple[str, ...]:
        """What must be known of a number's interval over cases and annotators."""
        return ()

    def by_case(self) -> Array:
        """(N, S) what each case adds to the sums.

        Raises
        ------
        ValueError
            If sums are not those of what single cases add.
        """
        raise error("metric", "be one of sums over cases, for intervals of parts over annotators", type(self).__name__)

    def influence_at(self, sums: Array) -> Array:
        """(N, m) influence of the cases on the first m numbers where the sums of all cases are these (S,): those of a part among others."""
        return np.asarray(self.by_case() @ gradient_of(self.answer, sums))[:, None]

    def values(self, cases: Array | None = None, annotators: NDArray[Any] | None = None) -> Array:
        """(B, M) the numbers under weights of cases (B, N) and of annotators (A,)."""
        one = self if annotators is None else self.judged_by(annotators)
        return one.answer(one.sums(cases))

    @cached_property
    def estimate(self) -> Array:
        """(M,) the numbers on the data as they are."""
        return np.asarray(self.values()[0])

    def influence(self) -> Array | None:
        """(N, M) derivative of each number by the weight of each case, 0 for cases that do not count; None where it is not known."""
        return None

    def quotient(self, number: int) -> tuple[Array, Array] | None:
        """(N,), (N,) what cases add above and below, of a number that is the quotient of two sums: for its bootstrap-t; else None."""
        return None

    def only(self, number: int) -> tuple[Statistic, int]:
        """A statistic that has this number, perhaps without others that cost time and room, and where it has it."""
        return self, number

    @property
    def recentred(self) -> Bools:
        """(M,) numbers that copies of a case raise or lower by about their bias: resamples are moved so that their mean is the estimate."""
        return np.zeros(len(self.names), bool)

    def varies(self, kept: Bools, design: Design) -> Bools:
        """(M,) whether two units of some stratum, of a design of the kept cases, count in a number: else nothing can be resampled."""
        return np.full(len(self.names), bool(np.diff(design.strata).max() >= 2))

    @property
    def spans(self) -> Array:
        """(M, 2) the range of each number."""
        return np.tile(np.array(self.span, np.float64), (len(self.names), 1))

    def steps(self, sums: Array, n_cases: int) -> Array:
        """(M,) how far each number stands from the end of its range, at most, for each share of units that are not perfect."""
        low, high = self.spans.T
        return np.asarray(high - low)

    def counting(self, kept: Bools, design: Design) -> Array:
        """(M,) units, of a design of the kept cases, that count in each number."""
        return np.full(len(self.names), float(design.n_units))

    def std_error(self, units: Int32 | None = None) -> Array:
        """(M,) sqrt(Σ L² G / (G - 1)) over G kept cases, or units (n,) of these: the infinitesimal jackknife; NaN for fewer than two."""
        found = self.influence()
        if found is None:
            return np.full(len(self.names), np.nan)
        total = found[self.kept]
        if units is not None:
            total = np.stack([np.bincount(units, column) for column in total.T], axis=1)
        n = len(total)
        return np.sqrt((total**2).sum(axis=0) * n / (n - 1)) if n > 1 else np.full(len(self.names), np.nan)


class Linear(Statistic):
    """A statistic whose sums are those of the columns of a table."""

    columns: Array  # (N, S), rows of 0 for cases that do not count

    def sums(self, cases: Array | None = None) -> Array:
        """(B, S)."""
        return added(self.columns, cases)

    def by_case(self) -> Array:
        """(N, S)."""
        return self.columns

    def exact_sums(self) -> Array:
        """(S, P)."""
        return np.asarray(_exact.exact_columns(np.ascontiguousarray(self.columns)))

    def exact_squares(self) -> Array:
        """(C, C, P)."""
        c, own = self.n_squared, self.columns[:, : self.n_squared]
        if c == 0:
            return super().exact_squares()
        products = _exact.exact_columns((own[:, :, None] * own[:, None, :]).reshape(len(own), c * c))
        return np.asarray(products.reshape(c, c, -1))


class PlainSums(Linear):
    """The sums themselves."""

    def __init__(self, columns: Array) -> None:
        self.columns, self.n_cases, self.names = columns, len(columns), ("sum",) * columns.shape[1]

    def answer(self, sums: Array) -> Array:
        """(B, S)."""
        return sums


class Wide(Linear):
    """A linear statistic with too many columns for memory."""

    @abstractmethod
    def blocks(self) -> Iterable[Array]:
        """Tables (N, s) of some of the columns at a time."""

    @property
    def columns(self) -> Array:  # type: ignore[override]
        """(N, S) all of them."""
        return np.concatenate(list(self.blocks()), axis=1)

    def sums(self, cases: Array | None = None) -> Array:
        """(B, S)."""
        return np.concatenate([added(block, cases) for block in self.blocks()], axis=1)


def resample(statistics: Sequence[Statistic], kept: Bools, design: Design, seed: int, n: int | Sequence[int]) -> list[Array]:
    """(n, M) numbers of every statistic on the same n resamples: the one loop of all bootstraps over cases.

    Weights of cases are drawn once for some resamples, and all statistics take them.

    Parameters
    ----------
    statistics : sequence of Statistic
        Of the same N cases.
    kept : (N,) bool
        The cases that are drawn from.
    design : Design
        Of these.
    seed : int
        Resample b uses the stream of (seed, b), whatever else is computed.
    n : int or sequence of int
        How many resamples; or how many of the same ones each statistic takes.
    """
    if any(isinstance(one, Wide) for one in statistics):
        return _one_by_one(statistics, kept, design, seed, n)
    wanted = [n] * len(statistics) if isinstance(n, int) else list(n)
    most = max(wanted, default=0)
    room(f"{most} resamples", 8.0 * sum(k * len(one.names) for one, k in zip(statistics, wanted)))
    tables = [one.columns if kept.all() else one.columns[kept] for one in statistics if isinstance(one, Linear)]
    sums = Sums(tables, design, most)
    found = [np.full((k, len(one.names)), np.nan) for one, k in zip(statistics, wanted)]
    others = [(one, out) for one, out in zip(statistics, found) if not isinstance(one, Linear)]
    deepest = max((len(out) for _, out in others), default=0)

    def task(begin: int, end: int) -> None:
        weights = sums.add(design, seed, begin, end, begin < deepest)
        if weights is None:
            return
        weights = everybody(weights, kept)
        for one, out in others:
            if begin < len(out):
                last = min(end, len(out))
                out[begin:last] = one.values(weights[: last - begin])

    if np.diff(design.strata).max() >= 2:
        parallel.run(task, most, sums.chunk(design, len(kept) if others else 0), "bootstrap")
    parts = iter(sums.found)
    for one, out in zip(statistics, found):
        if isinstance(one, Linear):
            out[:] = one.answer(next(parts)[: len(out)])
        out[:, ~one.varies(kept, design)] = np.nan
        _recentre(out, one)
    return found


def _recentre(values: Array, one: Statistic) -> None:
    at = np.flatnonzero(one.recentred)
    if len(at):
        table, estimate = values[:, at], one.estimate[at]
        defined = ~np.isnan(table)
        means = np.where(defined, table, 0).sum(axis=0) / np.maximum(defined.sum(axis=0), 1)
        values[:, at] = table + np.where(np.isnan(estimate), 0.0, estimate - means)


def _one_by_one(statistics: Sequence[Statistic], kept: Bools, design: Design, seed: int, n: int | Sequence[int]) -> list[Array]:
    """The same with a few columns at a time."""
    found = []
    for one, k in zip(statistics, [n] * len(statistics) if isinstance(n, int) else n):
        if isinstance(one, Wide):
            room(f"{k} resamples", 8.0 * k * len(one.names))
            blocks = (block for block in one.blocks() if block.shape[1] > 0)
            drawn = [resample([PlainSums(block)], kept, design, seed, k)[0] for block in blocks]
            found.append(one.answer(np.concatenate(drawn, axis=1)))
            found[-1][:, ~one.varies(kept, design)] = np.nan
        else:
            found += resample([one], kept, design, seed, k)
    return found


def everybody(weights: Array, kept: Bools) -> Array:
    """(B, N) weights of all cases from those of the kept ones."""
    if weights.shape[1] == len(kept):
        return weights
    found = np.zeros((len(kept), len(weights)))
    found[kept] = weights.T
    return np.asarray(found.T)
