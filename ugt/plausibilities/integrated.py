"""Posteriors that were integrated: probabilities to be the most plausible class, and moments; draws answer the other questions."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import partial
from math import comb
from typing import Any, Callable, NamedTuple

import numpy as np

from .._base.arrays import Array, Bools, Int32, Int64, NDArray
from .._base.axes import Axes
from .._base.checks import TIES, option, room, whole
from .._base.lazy import cached_property
from .._base.ragged import dense, row_of, sizes_of, take
from .._core import _order
from .comparisons import Comparison
from .dirichlet_comparison import best_class
from .draws import Draws, MentionedDraws
from .leaders import AtRank, First, GivenSet, Leaders, Leading, MostProbable, Search
from .metric import METRICS, TIED_LATTICE, TOPK, Metric
from .orders import Orders, Sets
from .protocol import Plausibilities
from .sets import as_sets, named_groups

EMPTY, EXACT, LATTICE, DRAWN = range(4)  # how the numbers of a case were computed


class Summary(NamedTuple):
    """How the cases of a posterior were computed: their numbers, the largest standard errors, and the draws of all cases, if any."""

    exact: int
    quasi_random: int
    drawn: int
    tolerance: float
    quasi_random_error: float
    drawn_error: float
    n_draws: int
    has_sets: bool  # whether the best sets of classes are integrals, too


def note_of(found: list[Summary]) -> str:
    """Return the note of one or several posteriors, whose cases are counted together."""
    exact, lattice, drawn = (sum(getattr(one, word) for one in found) for word in ("exact", "quasi_random", "drawn"))
    n, said = exact + lattice + drawn, []
    if lattice:
        said.append(f"{lattice:,} by quasi-Monte Carlo (largest standard error {max(one.quasi_random_error for one in found):.1g})")
    if drawn:
        said.append(f"{drawn:,} by draws (largest standard error {max(one.drawn_error for one in found):.1g})")
    times = f", over {len(found)} reliabilities" if len(found) > 1 else ""
    bound = f"an error of at most {found[0].tolerance:g} in {exact:,} of {n:,} cases{times}"
    first = f"Plackett-Luce probabilities of the most plausible class are integrals with {bound}"
    n_draws = max(one.n_draws for one in found)
    what = "Metrics of whole orders of classes" if found[0].has_sets else "Certainty of several classes and metrics of whole orders"
    tail = f" {what} use {n_draws:,} draws of each case." if n_draws else ""
    return f"{first}{''.join(f'; {one}' for one in said)}.{tail}"


class Later:
    """The draws of all cases, made when they are first needed."""

    def __init__(self, make: Callable[[], Any], n_draws: int, *, with_empty: bool = True) -> None:
        self._make, self.n_draws, self._with_empty = make, n_draws, with_empty

    @property
    def are_made(self) -> bool:
        return "draws" in self.__dict__

    def without_empty(self) -> Later:
        """Return the draws in which cases without annotations are undefined."""
        return Later(self._make, self.n_draws, with_empty=False)

    @cached_property
    def draws(self) -> MentionedDraws:
        made: MentionedDraws = self._make()
        return replace(made, with_empty=self._with_empty)


class LaterGroups(Later):
    """The draws of groups of classes, made from those of the classes when they are first needed."""

    @cached_property
    def draws(self) -> Any:
        return self._make()


def _draws_of_groups(of: Integrated, group: Int64, names: Any) -> Draws:
    return of._drawn.grouped(group, names)


@dataclass(frozen=True, eq=False, repr=False)
class Integrated(Plausibilities):
    """The posterior of :func:`plackett_luce` whose probabilities and moments are integrals; metrics of whole orders use draws.

    Parameters
    ----------
    axes, offsets, index
        The mentioned classes of each case, as in :class:`Point`.
    listed : (E, 3) float64
        For each mentioned class the probability to be the most plausible one, and mean and variance of its plausibility.
    rest : (N, 3) float64
        The same for each class that is not mentioned.
    error : (N,) float64
        Upper bound of the error of these numbers if the case is exact, else their standard error.
    how : (N,) int8
        0 for a case without annotations, 1 exact, 2 by randomised quasi-Monte Carlo, 3 by draws.
    tolerance : float
        Error at which the integrals stopped.
    later : Later
        Draws of all cases.
    leaders : Leaders
        Integrals about the k best classes; None: they are drawn.
    """

    axes: Axes
    offsets: Int64
    index: Int32
    listed: Array
    rest: Array
    error: Array
    how: NDArray[np.int8]
    tolerance: float
    later: Later
    leaders: Leaders | None = None
    rows: Int64 | None = None  # the cases among those of the draws; None: all

    @property
    def n_draws(self) -> int:  # type: ignore[override]
        return self.later.n_draws

    def without_empty(self) -> Integrated:
        """Return the posterior in which cases without annotations are undefined, as in every other truth model."""
        rest = np.where((self.how == EMPTY)[:, None], np.nan, self.rest)
        return replace(self, rest=rest, later=self.later.without_empty())

    def __repr__(self) -> str:
        counts = ", ".join(f"{word}={n}" for word, n in self.counts().items() if n)
        return f"Integrated(n_cases={self.n_cases}, n_classes={self.n_classes}{', ' if counts else ''}{counts})"

    def counts(self) -> dict[str, int]:
        """Return the number of cases that are exact, by quasi-Monte Carlo, and by draws."""
        return {word: int((self.how == number).sum()) for word, number in (("exact", EXACT), ("quasi_random", LATTICE), ("drawn", DRAWN))}

    def summary(self) -> Summary:
        """Return how the numbers were computed so far."""
        lattice, drawn = (float(self.error[self.how == number].max(initial=0.0)) for number in (LATTICE, DRAWN))
        (exact, lattices, drawings), has_sets = self.counts().values(), self.leaders is not None
        return Summary(exact, lattices, drawings, self.tolerance, lattice, drawn, self._n_drawn, has_sets)

    @property
    def _n_drawn(self) -> int:
        return self.n_draws if self.later.are_made else 0

    @property
    def note(self) -> str:
        return note_of([self.summary()]) + ("" if self.leaders is None else self.leaders.note)

    @property
    def defined(self) -> Bools:
        return ~np.isnan(self.rest[:, 0])

    @cached_property
    def _drawn(self) -> Draws:
        return self.later.draws if self.rows is None else self.later.draws.take(self.rows)

    def _table(self, column: int) -> Array:
        room("a table of plausibilities", 8 * self.n_cases * self.n_classes)
        return dense(self.offsets, self.index, self.listed[:, column], self.n_classes, self.rest[:, column])

    def mean(self) -> Array:
        return self._table(1)

    def variance(self) -> Array:
        """Return the posterior variances of the plausibilities (N, K)."""
        return self._table(2)

    def membership(self, k: int, *, ties: str = "expectation") -> Array:
        """Return the probability (N, K) that a class is among the best k: integrals for k > 1, too, unless ``leaders`` is None."""
        option("ties", ties, TIES)
        k = whole("k", k, 1, self.n_classes)
        if k == 1:
            return self._table(0)
        return self._drawn.membership(k, ties=ties) if self.leaders is None else self._of_ranks(k, ties)[:, :k].sum(axis=1)

    def _of_ranks(self, k: int, ties: str) -> Array:
        """Return the probability (N, k, K) of each class to be at each of the first k ranks."""
        room("a table of probabilities", 8 * self.n_cases * k * self.n_classes)
        table = np.full((self.n_cases, k, self.n_classes), np.nan)
        table[(self.how == EMPTY) & self.defined] = 1 / self.n_classes
        found = self._leading(AtRank, k)
        for i, one in found.answered:
            table[i] = one.value[:, -1:]
            table[i][:, self.index[self.offsets[i] : self.offsets[i + 1]]] = one.value[:, :-1]
        if len(found.drawn):
            of = np.stack([found.draws.membership(j, ties=ties) for j in range(1, k + 1)], axis=1)
            table[found.drawn] = np.diff(of, axis=1, prepend=0.0)
        return table

    def _leading(self, kind: type[Search], k: int) -> Leading:
        """Return what integrals say about the best k classes."""

        def ask() -> Leading:
            return self._lead(kind, [None if how == EMPTY else k for how in self.how])

        found: Leading = self._kept.last(f"the best classes: {kind.__name__}", k, ask)
        return found

    def _lead(self, kind: type[Search], asked: list[Any]) -> Leading:
        assert self.leaders is not None
        rows = np.arange(self.n_cases) if self.rows is None else self.rows
        others = self.n_classes - sizes_of(self.offsets)

        def whole(i: int) -> First:
            """Return the chances of the mentioned classes and of all others together."""
            chance = np.append(self.listed[self.offsets[i] : self.offsets[i + 1], 0], np.nan_to_num(self.rest[i, 0]) * others[i])
            return First(chance, np.nan if self.how[i] == DRAWN else float(self.error[i]), bool(self.how[i] == EXACT))

        return self.leaders.about(rows, whole, kind, asked)

    def certainty(self, k: int, *, kind: str = "set", ties: str = "expectation") -> Array:
        if k > 1 and self.leaders is None:
            return self._drawn.certainty(k, kind=kind, ties=ties)
        if k > 1 and kind == "rank":
            value, found = self._of_ranks(k, ties)[:, k - 1].max(axis=1), self._leading(AtRank, k)
            if found.draws is not None:
                value[found.drawn] = found.draws.certainty(k, kind=kind, ties=ties)
            return np.asarray(value)
        if k > 1:
            value = np.where(self.defined, 1 / comb(self.n_classes, k), np.nan)  # of cases without annotations
            found = self._leading(MostProbable, k)
            for i, one in found.answered:
                value[i] = one.value
            value[found.drawn] = 1.0 if found.draws is None else found.draws.certainty(k, ties=ties)
            return value
        most = self.rest[:, 0] * (sizes_of(self.offsets) < self.n_classes)
        with np.errstate(invalid="ignore"):  # of cases that are left out
            np.maximum.at(most, row_of(self.offsets), self.listed[:, 0])
        return np.asarray(most)

    def certainty_error(self, per_case: Array, k: int, kind: str, group: Int64 | None = None) -> Array:
        """Return the standard errors (N,): 0 for exact cases."""
        if k > 1 and (self.leaders is None or group is not None):
            return self._drawn.certainty_error(per_case, k, kind, group)
        if k > 1:
            found, error = self._leading(MostProbable if kind == "set" else AtRank, k), np.zeros(self.n_cases)
            for i, one in found.answered:
                error[i] = 0.0 if one.exact else one.error
            if found.draws is not None:
                error[found.drawn] = found.draws.certainty_error(per_case[found.drawn], k, kind)
            return error
        return self.standard_error if group is None else self._of_sets(np.full(self.n_cases, self.n_classes))

    def set_probability(self, sets: Any, *, ties: str = "expectation") -> Array:
        r"""Return the probability (N,) that the best \|C\| classes are exactly the set C of a case, as integrals; 0 for an empty set."""
        if self.leaders is None:
            return super().set_probability(sets, ties=ties)
        of = as_sets(sets, self.axes)
        row, size = row_of(of.offsets), sizes_of(of.offsets)
        known, wanted = row_of(self.offsets) * self.n_classes + self.index, row * self.n_classes + of.index
        at = np.searchsorted(known, wanted)  # classes of a case ascend
        hit = np.append(known, -1)[at] == wanted
        bits = np.zeros(self.n_cases, np.uint64)
        np.bitwise_or.at(bits, row[hit], np.uint64(1) << (at - self.offsets[row])[hit].astype(np.uint64))
        above = np.bincount(row[~hit], minlength=self.n_cases)
        asked = [(int(b), int(u)) if n and how != EMPTY else None for b, u, n, how in zip(bits, above, size, self.how)]
        value = np.array([1 / comb(self.n_classes, n) if n else 0.0 for n in size.tolist()])
        found = self._lead(GivenSet, asked)
        for i, one in found.answered:
            value[i] = one.value
        if found.draws is not None:
            value[found.drawn] = found.draws.compare_sets(of.take(found.drawn), METRICS["set_accuracy"], ties=ties).per_case
        return np.where(self.defined, value, np.nan)

    def risk_error(self, risk: Array) -> Array:
        return np.asarray(np.ptp(risk) * self._of_sets(self.n_classes))

    @property
    def standard_error(self) -> Array:
        """Standard errors (N,) of the probability of one class: 0 for exact cases."""
        return np.where(self.how >= LATTICE, self.error, 0.0)

    def _of_sets(self, size: Any) -> Array:
        """Return upper bounds (N,) of the standard errors of sums over sets of a size: those of single classes added up."""
        listed = sizes_of(self.offsets) + 1
        return np.asarray(self.standard_error * np.maximum(np.minimum(np.minimum(size, listed), listed // 2), 1))

    def _role_sums(self, sets: Sets, k: int) -> Array:
        """Return (4, N): the probability to be first, summed over the certain and over the tied classes of each set, and their numbers."""
        return self._over(sets, 0)

    def _over(self, sets: Sets, column: int) -> Array:
        out = np.empty((self.n_cases, 4))
        own = np.ascontiguousarray(self.listed[:, column]), np.ascontiguousarray(self.rest[:, column])
        _order.role_sums(self.offsets, self.index, *own, sets.offsets, sets.index, sets.role, sets.rest_role, self.n_classes, 1.0, out)
        return np.asarray(out.T)

    def _first(self, sets: Sets, size: Any) -> Comparison:
        found = best_class(self, sets, size)
        error = self._of_sets(size)[self.defined]
        return replace(found, mc_error=float(np.sqrt((error**2).sum())) / max(len(error), 1))

    def compare_sets(self, sets: Sets, metric: Metric, *, j: int = 1, ties: str = "expectation") -> Comparison:
        if metric.number == TOPK and j == 1:
            return self._first(sets, sizes_of(sets.offsets))
        return self._drawn.compare_sets(sets, metric, j=j, ties=ties)

    def compare(self, order: Orders, metric: Metric, k: int, *, parameter: float = 0.0, ties: str = "expectation") -> Comparison:
        if metric.number == TOPK and parameter == 1:
            return self._first(order.sets(k), np.full(self.n_cases, k))
        return self._drawn.compare(order, metric, k, parameter=parameter, ties=ties)

    def of_best_class(self, worth: Array, *, ties: str = "expectation") -> Comparison:
        found = Comparison.of_values(worth, self.membership(1), TIED_LATTICE)
        error = (np.ptp(worth, axis=1) * self._of_sets(self.n_classes))[self.defined]
        return replace(found, mc_error=float(np.sqrt((error**2).sum())) / max(len(error), 1))

    def mass(self, sets: Sets) -> Comparison:
        listed = np.bincount(row_of(sets.offsets), minlength=self.n_cases)
        mean = np.where(self.defined, self._over(sets, 1)[0], np.nan)
        return self._centred(self._drawn.mass(sets), mean, self._of_sets(listed))

    def of_class(self, worth: Array) -> Comparison:
        mean = np.where(self.defined, (np.nan_to_num(self.mean()) * worth).sum(axis=1), np.nan)
        return self._centred(self._drawn.of_class(worth), mean, np.ptp(worth, axis=1) * self._of_sets(self.n_classes))

    def _centred(self, drawn: Comparison, mean: Array, error: Array) -> Comparison:
        """Return a comparison whose spread is that of draws, and whose expectations are integrals with standard errors."""
        error = error[self.defined]
        shift = float((mean - drawn.per_case)[self.defined].mean()) if len(error) else 0.0
        per_draw = None if drawn.per_draw is None else drawn.per_draw + shift
        mc_error = float(np.sqrt((error**2).sum())) / max(len(error), 1)
        return replace(drawn, per_case=mean, mc_error=mc_error, per_draw=per_draw)

    def of_cumulative(self, law: Array, order: Int64, steps: Array, power: int, *, spread: bool = True) -> Comparison:
        return self._drawn.of_cumulative(law, order, steps, power, spread=spread)

    def grouped(self, groups: Any, names: Any = None) -> Plausibilities:
        """Return the plausibilities of groups of classes: integrals, or draws if ``leaders`` is None."""
        if self.leaders is None:
            return self._drawn.grouped(groups, names)
        group, own = named_groups(groups, self.axes)
        called = own if names is None else list(names)

        def make() -> Integrated:
            return self._of_groups(group, called)

        found: Integrated = self._kept.last("groups", (group.tobytes(), repr(called)), make)
        return found

    def _of_groups(self, group: Int64, names: list[str] | None) -> Integrated:
        assert self.leaders is not None
        n, n_groups = self.n_cases, int(group.max()) + 1
        room("a table of groups", 32 * n * n_groups)
        value, error, exact, drawn = self.leaders.of_groups(np.arange(n) if self.rows is None else self.rows, group)
        how = np.where(self.how == EMPTY, EMPTY, np.where(exact, EXACT, LATTICE)).astype(np.int8)
        if drawn is not None:
            missing, of = np.isnan(error) & (self.how != EMPTY), drawn.grouped(group)
            table = of.draws(of.n_draws)
            value[missing] = np.stack([of.membership(1), table.mean(axis=1), table.var(axis=1)], axis=1)
            how[missing], error[missing] = DRAWN, of.certainty_error(of.certainty(1), 1, "set")
        value[~self.defined] = np.nan
        rest = np.where(self.defined[:, None], np.zeros((n, 3)), np.nan)
        listed, offsets = value.transpose(0, 2, 1).reshape(-1, 3), np.arange(n + 1, dtype=np.int64) * n_groups
        axes, index = Axes.of(n, n_groups, self.ids_or_none, names), np.tile(np.arange(n_groups, dtype=np.int32), n)
        later = LaterGroups(partial(_draws_of_groups, self, group, names), self.n_draws)
        return Integrated(axes, offsets, index, listed, rest, error, how, self.tolerance, later)

    def draws(self, n: int, *, seed: Any = 0) -> Array:
        return self._drawn.draws(n, seed=seed)

    def bytes_to_order(self, depth: int) -> float:
        return self._drawn.bytes_to_order(depth) if depth > 1 else 0.0

    def take(self, rows: Any) -> Integrated:
        offsets, at = take(self.offsets, np.asarray(rows))
        of_draws = np.asarray(np.arange(self.n_cases) if self.rows is None else self.rows)[rows]
        return replace(
            self, axes=self.axes.take(rows), offsets=offsets, index=self.index[at], listed=self.listed[at], rest=self.rest[rows],
            error=self.error[rows], how=self.how[rows], rows=of_draws,
        )  # fmt: skip
