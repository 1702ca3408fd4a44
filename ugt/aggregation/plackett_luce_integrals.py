"""Plackett–Luce without draws: probabilities to be the most plausible class, and moments, by cubature in the C core."""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial
from typing import Any, Callable

import numpy as np

from .._base import checks
from .._base.arrays import Array, Bools, Int64
from .._base.axes import Axes
from .._base.lazy import cached_property
from .._base.ragged import offsets_of, row_of, sizes_of
from .._core import _plackett_luce as core
from ..annotations import Rankings
from ..plausibilities.dirichlet import Dirichlet
from ..plausibilities.draws import REST, MentionedDraws
from ..plausibilities.integrated import DRAWN, EXACT, Integrated, Later
from ..plausibilities.leaders import First, Leaders

TOLERANCE = 1e-6  # default of the stated error of exact cases
LEAST_TOLERANCE, MOST_TOLERANCE = 1e-8, 1e-2
MOST_DIMENSIONS, MOST_EXACT_TERMS = 7, 200  # of cases that the adaptive rule tries: with more, few reach the tolerance
MOST_NODES = 800_000  # of a case at the default tolerance: some 0.2 s
MOST_TERMS = 5000  # of the expansion of tied blocks
LINES = True  # before the lattice, which tests ask for alone
MOST_POINTS = 400_000  # of the lattice of a case at the default tolerance
# A tenth of the error has six times the nodes and points. The adaptive rule needs four times: at large tolerances lines take less time.
GROWTH = 0.75
MOST_GROUP_NODES, MOST_GROUP_POINTS = 50_000, 100_000  # where groups compete by sums: a node takes some twenty times as long
GROUP_GROWTH = 0.35  # a tenth of the error has 2.2 times the nodes; dermatology cases in three groups took 2.1 times
NUMBERS = 5  # of a case besides those of classes: error, dimensions, terms, how, nodes
TIED = "three or more tied classes that no whole number of annotations counts, more than 8 classes tied, or more than 64 classes mentioned"


@dataclass(frozen=True)
class Integrals:
    """The integrals of the cases of a posterior."""

    stages: core.Stages
    keys: Any
    law: tuple[float, float]
    unranked: str
    seed: int
    tolerance: float
    exact: bool
    in_parts: Callable[..., None]

    @cached_property
    def mentioned(self) -> Int64:
        """Return the number of classes of each case."""
        offsets = np.empty(self.stages.n_cases + 1, np.int64)
        self.stages.classes(offsets, np.empty(self.stages.n_mentioned(), np.int32))
        return sizes_of(offsets)

    def numbers(self, tasks: Int64, *, kept: bool = False) -> tuple[Array, Int64, Array]:
        """Return the numbers of tasks (n, 3) one after the other, where they start (n + 1,), and the facts (n, 5) of each.

        A task is a case, the bits of its classes that are no rivals, and how many of the unmentioned ones may be above. ``kept``: with the
        checkpoint.
        """
        share = min(1.0, TOLERANCE / self.tolerance) ** GROWTH
        nodes, points = int(share * MOST_NODES), 0 if self.exact else int(share * MOST_POINTS)
        limits = MOST_DIMENSIONS, MOST_EXACT_TERMS, nodes, MOST_TERMS, points
        width = 3 * (self.mentioned[tasks[:, 0]] + 1)
        starts, stop = offsets_of(width + NUMBERS), np.zeros(1, np.int32)
        values = np.empty(starts[-1])

        def part(begin: int, end: int) -> None:
            out, error, info = np.empty(int(width[begin:end].sum())), np.empty(end - begin), np.empty((end - begin, 4), np.int64)
            self.stages.first_class(self.keys, self._law, limits, LINES, self.seed, tasks[begin:end], stop, out, error, info)
            at = 0
            for i in range(begin, end):
                room = values[starts[i] : starts[i + 1]]
                room[: width[i]] = out[at : at + width[i]]
                room[width[i] :] = error[i - begin], *info[i - begin]
                at += width[i]

        run = (self.law, self.unranked, self.tolerance, limits, self.seed) if kept else None
        self.in_parts(part, starts, values, stop, run)
        return values, starts, values[starts[1:, None] - NUMBERS + np.arange(NUMBERS)]

    @property
    def _law(self) -> tuple[float, float, int, float]:
        return *self.law, REST[self.unranked], self.tolerance

    def of_groups(self, rows: Int64, group: Int64) -> tuple[Array, Array, Bools]:
        """Return the numbers (n, 3, G) of groups of classes, which compete by sums, their errors, and whether they are exact.

        The numbers are NaN for cases that are not integrated; the error, too.
        """
        n, stop = len(rows), np.zeros(1, np.int32)
        value, error, info = np.full((n, 3, int(group.max()) + 1), np.nan), np.full(n, np.nan), np.zeros((n, 4), np.int64)
        share = min(1.0, TOLERANCE / self.tolerance) ** GROUP_GROWTH
        nodes = int(share * (MOST_NODES if self.exact else MOST_GROUP_NODES))
        limits = MOST_DIMENSIONS, MOST_EXACT_TERMS, nodes, MOST_TERMS, 0 if self.exact else MOST_GROUP_POINTS
        at = np.flatnonzero(self.mentioned[rows])

        def part(begin: int, end: int) -> None:
            of = at[begin:end]
            out = value[of], error[of], info[of]
            self.stages.first_group(self.keys, self._law, limits, LINES, self.seed, group, rows[of], stop, *out)
            value[of], error[of], info[of] = out

        if len(at):
            self.in_parts(part, np.arange(len(at) + 1), error, stop, None)
        exact = info[:, 2] == EXACT
        if len(at) < n:
            empty = self.mentioned[rows] == 0
            value[empty], error[empty], exact[empty] = self._of_empty(group), 0.0, True
        return value, error, exact

    def _of_empty(self, group: Int64) -> Array:
        """Return the numbers (3, G) of the groups of a case without annotations."""
        k = len(group)
        if self.unranked == "ignore":
            return np.full((3, int(group.max()) + 1), np.nan)
        share = np.bincount(group) / k
        if self.unranked == "lump":  # the classes share evenly
            return np.stack([(share == share.max()) / (share == share.max()).sum(), share, 0.0 * share])
        prior = Dirichlet.from_array(np.full((1, k), self.law[1])).grouped(group)
        return np.stack([prior.membership(1)[0], share, share * (1.0 - share) / (k * self.law[1] + 1.0)])

    def first(self, tasks: Int64) -> list[First]:
        """Return the chances of the rivals of each task to be the first of them."""
        values, starts, facts = self.numbers(tasks)
        found = []
        for at, row, (error, _, _, how, _) in zip(starts, tasks[:, 0], facts):
            chance = np.maximum(values[at : at + self.mentioned[row] + 1], 0.0)  # combined rules have negative weights
            found.append(First(chance, error if how > 0 else np.nan, how == EXACT))
        return found


def integrate(
    integrals: Integrals,
    offsets: Int64,
    index: Any,
    rankings: Rankings,
    solver: Callable[[], Any],
    draws_of: Callable[[Any], MentionedDraws],
    n_draws: int,
) -> Integrated:
    """Return the integrated posterior; ``solver()`` makes ``integrals`` again, and ``draws_of(rows)`` draws of some cases (None: all)."""
    law, unranked, tolerance, exact = integrals.law, integrals.unranked, integrals.tolerance, integrals.exact
    n, m = rankings.n_cases, sizes_of(offsets)
    whole = np.zeros((n, 3), np.int64)
    whole[:, 0] = np.arange(n)
    values, starts, facts = integrals.numbers(whole, kept=True)
    of_class, case = np.arange(len(index)) - offsets[row_of(offsets)], row_of(offsets)
    first = starts[:-1]
    listed = values[first[case, None] + of_class[:, None] + (m[case, None] + 1) * np.arange(3)]
    rest = values[first[:, None] + m[:, None] + (m[:, None] + 1) * np.arange(3)]
    listed[:, 0], rest[:, 0] = np.maximum(listed[:, 0], 0.0), np.maximum(rest[:, 0], 0.0)  # combined rules have negative weights
    others = rankings.n_classes - m
    rest = _of_each(rest, others, law[1], unranked)
    how, error = facts[:, 3].astype(np.int8), np.where(facts[:, 3] > 0, facts[:, 0], np.nan)
    empty = m == 0
    k = rankings.n_classes
    rest[empty] = np.nan if unranked == "ignore" else (1 / k, 1 / k, (k - 1) / k**2 / (k * law[1] + 1) if unranked == "individual" else 0.0)
    error[empty] = 0.0
    missing = np.flatnonzero((how == 0) & ~empty)
    if exact:
        _check_exact(rankings, how, empty, facts, tolerance)
    elif len(missing):
        drawn = draws_of(missing)
        how[missing] = DRAWN
        _fill(drawn, missing, offsets, listed, rest, error)
    if exact:
        refused = f"an integral that does not reach {tolerance:g}"
        leaders_draws: Any = partial(_refuse, rankings.axes, refused)
    else:
        leaders_draws = draws_of
    leaders = Leaders(solver, leaders_draws, m, np.zeros_like(others) if unranked == "ignore" else others, 0.5 * tolerance)
    return Integrated(rankings.axes, offsets, index, listed, rest, error, how, tolerance, Later(partial(draws_of, None), n_draws), leaders)


def _refuse(axes: Axes, what: str, rows: Int64) -> MentionedDraws:
    """Reject a question about the best classes of a case that cannot be answered exactly."""
    must = "be 'auto' or 'draws' for these questions about more than one class"
    raise checks.error("method", must, what, f"case {axes.case_name(int(rows[0]))}")


def tolerance_of(tolerance: Any) -> float:
    """Return the error at which integrals stop; reject one that cannot be reached or says next to nothing."""
    value = checks.scalar("tolerance", tolerance, positive=True)
    if not LEAST_TOLERANCE <= value <= MOST_TOLERANCE:
        raise checks.error("tolerance", f"be from {LEAST_TOLERANCE:g} to {MOST_TOLERANCE:g}", repr(tolerance))
    return value


def _of_each(rest: Array, others: Int64, shape: float, unranked: str) -> Array:
    """Return the numbers (N, 3) of each unmentioned class from those of all of them together."""
    n = np.maximum(others, 1)
    square = rest[:, 2] + rest[:, 1] ** 2
    share = (shape + 1) / (n * (n * shape + 1)) if unranked == "individual" else 1 / n**2
    mean = rest[:, 1] / n
    return np.stack([rest[:, 0] / n, mean, np.maximum(square * share - mean**2, 0.0)], axis=1)


def _check_exact(rankings: Rankings, how: Any, empty: Any, facts: Array, tolerance: float) -> None:
    """Reject cases that are not exact, with the first one and its dimension."""
    bad = np.flatnonzero((how != EXACT) & ~empty)
    if len(bad):
        i = int(bad[0])
        dims, terms = int(facts[i, 1]), int(facts[i, 2])
        size = f"{dims} dimensions and {terms} terms" if terms else f"{dims} dimensions" if dims else TIED
        where = f"case {rankings.axes.case_name(i)}"
        more = f"; {len(bad)} of {len(how)} cases are such, and method='auto' computes them with a standard error"
        raise checks.error("method", f"be 'auto' or 'draws' for cases whose integral does not reach {tolerance:g}", size + more, where)


def _fill(drawn: MentionedDraws, rows: Int64, offsets: Int64, listed: Array, rest: Array, error: Array) -> None:
    """Fill the numbers of cases that were drawn; of unmentioned classes by the expected share of each in the draws of their total."""
    for i, row in enumerate(rows.tolist()):
        values, one = drawn.case(i).astype(np.float64), drawn.take(np.array([i], np.int64))
        n = drawn.n_classes - values.shape[1] + 1
        mentioned = slice(offsets[row], offsets[row + 1])
        first = one.membership(1)[0]
        index = one.index
        listed[mentioned] = np.stack([first[index], values[:, :-1].mean(0), values[:, :-1].var(0)], axis=1)
        mean, square = values[:, -1].mean(), (values[:, -1] ** 2).mean()
        all_others = np.array([[max(1.0 - first[index].sum(), 0.0), mean, square - mean**2]])
        rest[row] = _of_each(all_others, np.array([n], np.int64), drawn.shape, drawn.unranked)[0]
    error[rows] = drawn.certainty_error(drawn.certainty(1), 1, "set")
