r"""Which classes are the best j, from integrals: probabilities to be the first of the classes that are left when others do not compete.

The best j classes are named by the mentioned ones among them (bits) and the number u of others. B(X; k) is the probability that k is above
all mentioned classes outside X and has at most u others above it; E(X; k) that exactly X is above k:

    B((Z, u); k) = Σ_{Y ⊆ Z, v <= u} E((Y, v); k),     P(the best j are S) = Σ_{k in S} E(S \ k; k),

the second with the next one of the others in the place of k, if S has any. Only sets that may matter are integrated.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from math import comb
from typing import Any, Callable, NamedTuple

import numpy as np

from .._base.arrays import Array, Int64
from .._base.lazy import cached_property

Node = tuple[int, int]  # bits of mentioned classes, and number of the others
MOST_INTEGRALS = 256  # of a case; beyond them it has draws
MOST_SETS = 4096  # that may be the best ones of a case
WORST = 0.02  # bound of the error, above which a case has draws: errors of differences of many integrals add up


class First(NamedTuple):
    """B(X; ·) of one node: of each mentioned class, then of the next one of the others; and its error, NaN if it was not integrated."""

    chance: Array
    error: float
    exact: bool


class Found(NamedTuple):
    """What is known about a case: the value, its error (a bound if exact, else a standard error), and whether it is exact."""

    value: Array
    error: float
    exact: bool


@dataclass(eq=False)
class Tree:
    """The integrals of one case, a set of nodes that holds the subsets of each of its nodes."""

    m: int
    others: int
    first: dict[Node, First]
    ahead: dict[Node, Array] = field(default_factory=dict)  # E(X; ·)
    weights: dict[Node, tuple[float, float]] = field(default_factory=dict)

    def add(self, node: Node, first: First) -> None:
        self.first[node] = first
        self.weights.clear()

    def below(self, node: Node) -> Iterator[Node]:
        """Yield the nodes that have one class less."""
        bits, u = node
        for k in self.members(bits):
            yield bits & ~(1 << k), u
        if u:
            yield bits, u - 1

    def members(self, bits: int) -> Iterator[int]:
        while bits:
            low = bits & -bits
            yield low.bit_length() - 1
            bits ^= low

    def within(self, node: Node) -> Iterator[Node]:
        """Yield the nodes whose classes are among those of a node, itself last."""
        bits, u = node
        part = 0
        while True:
            for v in range(u + 1):
                yield part, v
            if part == bits:
                return
            part = (part - bits) & bits

    def exactly(self, node: Node) -> Array:
        """Return E(X; ·) of a node that was integrated."""
        if node not in self.ahead:
            bits, u = node
            found = self.first[node].chance.copy()
            for part, v in self.within(node):
                if (part, v) == node:
                    continue
                other = self.exactly((part, v))
                found[: self.m] -= other[: self.m]
                if v == u:
                    found[self.m] -= other[self.m]
            for k in self.members(bits):
                found[k] = 0.0
            self.ahead[node] = found
        return self.ahead[node]

    def weight(self, node: Node) -> tuple[float, float]:
        """Return the probability that these classes are the best ones, of the integrals that are there, and an upper bound."""
        if node in self.weights:
            return self.weights[node]
        bits, u = node
        known = bound = float(node == (0, 0))
        for below in self.below(node):
            last = self.m if below[1] < u else (bits ^ below[0]).bit_length() - 1
            if below in self.first:
                known += float(self.exactly(below)[last])
            else:
                bound += self.weight(below)[1]
        self.weights[node] = known, min(known + bound, 1.0)
        return self.weights[node]

    def missing(self, node: Node, least: float) -> list[Node]:
        """Return the nodes that a weight still needs, those of fewest classes first, without those of a weight of at most ``least``."""
        found: list[Node] = []
        for below in self.below(node):
            if below in self.first or self.weight(below)[1] <= least:
                continue
            found += self.missing(below, -1.0) or [below]
        return list(dict.fromkeys(found))

    def sets(self, j: int) -> Iterator[Node]:
        """Yield all sets of j classes."""
        for u in range(max(0, j - self.m), min(j, self.others) + 1):
            for bits in _subsets(self.m, j - u):
                yield bits, u

    def n_sets(self, j: int) -> int:
        return sum(comb(self.m, j - u) for u in range(max(0, j - self.m), min(j, self.others) + 1))

    def error(self, nodes: list[Node]) -> tuple[float, bool]:
        """Return the error of a sum of E over sets of nodes: that of all integrals in it, as often as they occur."""
        used = [self.first[part] for node in nodes for part in self.within(node)]
        return float(sum(one.error for one in used)), all(one.exact for one in used)


def _subsets(m: int, size: int) -> Iterator[int]:
    """Yield the words of m bits of which ``size`` are set."""
    if size == 0:
        yield 0
        return
    bits = (1 << size) - 1
    while bits >> m == 0:
        yield bits
        low = bits & -bits
        up = bits + low
        bits = up | (((bits ^ up) >> 2) // low)


class Search:
    """A question about one case: what must be integrated next, until the answer is known."""

    def __init__(self, tree: Tree, j: Any, slack: float) -> None:
        self.tree, self.j, self.slack = tree, int(j), slack

    @property
    def is_possible(self) -> bool:
        """Whether the case was integrated, and has so many classes."""
        return not np.isnan(self.tree.first[0, 0].error) and self.tree.m + self.tree.others >= self.j

    def wanted(self) -> list[Node]:
        raise NotImplementedError

    def answer(self) -> Found:
        raise NotImplementedError


class MostProbable(Search):
    """The most probable set of j classes: a set is looked at while its upper bound is above what is known of the best one."""

    @property
    def is_possible(self) -> bool:
        return super().is_possible and self.tree.n_sets(self.j) <= MOST_SETS

    def wanted(self) -> list[Node]:
        tree, least = self.tree, self.slack / (2 * self.j)
        known: list[tuple[float, float, Node]] = []
        for node in tree.sets(self.j):
            ways = comb(tree.others, node[1])
            low, high = tree.weight(node)
            known.append((low / ways, high / ways, node))
        self.best = max(known, key=lambda one: one[0])
        rivals = [one for one in known if one[1] > self.best[0] + self.slack and one is not self.best]
        rivals.sort(key=lambda one: -one[1])
        found = tree.missing(self.best[2], least)
        for one in rivals[:2]:
            found += tree.missing(one[2], least)
        return list(dict.fromkeys(found))

    def answer(self) -> Found:
        tree, (low, _, node) = self.tree, self.best
        error, exact = tree.error([below for below in tree.below(node) if below in tree.first])
        return Found(np.clip(low, 0.0, 1.0), error / comb(tree.others, node[1]) + self.slack, exact)


class GivenSet(Search):
    """The probability that the best classes are a given set."""

    def __init__(self, tree: Tree, node: Node, slack: float) -> None:
        super().__init__(tree, bin(node[0]).count("1") + node[1], slack)
        self.node = node

    def wanted(self) -> list[Node]:
        return self.tree.missing(self.node, self.slack / (2 * self.j)) if self.node[1] <= self.tree.others else []

    def answer(self) -> Found:
        if self.node[1] > self.tree.others:  # a class of plausibility 0
            return Found(np.array(0.0), 0.0, True)
        ways, tree = comb(self.tree.others, self.node[1]), self.tree
        error, exact = tree.error([below for below in tree.below(self.node) if below in tree.first])
        return Found(np.clip(tree.weight(self.node)[0] / ways, 0.0, 1.0), error / ways + self.slack, exact)


class AtRank(Search):
    """The probability of each class to be at ranks 1 to j: (j, m + 1), the last one of each of the others."""

    def wanted(self) -> list[Node]:
        tree, level = self.tree, [(0, 0)]
        least = self.slack / max(tree.m + 1, 1) ** (self.j - 1)
        for _ in range(1, self.j):
            above = dict.fromkeys(node for below in level for node in self._above(below))
            wanted = [node for node in above if node not in tree.first and tree.weight(node)[1] > least]
            if wanted:
                return list(dict.fromkeys(one for node in wanted for one in tree.missing(node, -1.0) or [node]))
            level = [node for node in above if node in tree.first]
        return []

    def _above(self, node: Node) -> Iterator[Node]:
        """Yield the nodes with one class more."""
        bits, u = node
        yield from ((bits | 1 << k, u) for k in range(self.tree.m) if not bits >> k & 1)
        if u < self.tree.others:
            yield bits, u + 1

    def answer(self) -> Found:
        tree = self.tree
        value = np.zeros((self.j, tree.m + 1))
        levels: list[list[Node]] = [[] for _ in range(self.j)]
        for node in tree.first:
            size = bin(node[0]).count("1") + node[1]
            if size < self.j:
                levels[size].append(node)
                value[size] += tree.exactly(node)
        left = sum(abs(1.0 - float(row.sum())) for row in value)  # what was not followed
        value = np.maximum(value, 0.0)
        value /= value.sum(axis=1, keepdims=True)
        error, exact = tree.error([node for level in levels for node in level])
        value[:, -1] /= max(tree.others, 1)
        return Found(value, error + left, exact)


@dataclass(frozen=True)
class Leading:
    """The answers about the best classes of some cases; those of draws where there is none."""

    answers: list[Found | None]
    drawn: Int64  # positions of the cases that are drawn
    draws: Any

    @property
    def answered(self) -> Iterator[tuple[int, Found]]:
        return ((i, one) for i, one in enumerate(self.answers) if one is not None)


class Leaders:
    """The integrals about the best classes of a posterior, made when they are first needed and kept.

    ``make()`` returns what integrates: ``first`` takes tasks (n, 3): a case, the bits of the classes that do not compete, and how many
    of the others may be above; ``of_groups`` takes cases and the group of each class. ``draws_of(rows)`` makes draws of other cases;
    ``sizes`` and ``others`` (N,) are numbers of classes.
    """

    def __init__(self, make: Callable[[], Any], draws_of: Callable[[Int64], Any], sizes: Int64, others: Int64, slack: float) -> None:
        self._made_from = make, draws_of, sizes, others, slack
        self._trees: dict[int, Tree] = {}
        self.note = ""  # how the last question was answered

    def __reduce__(self) -> tuple[Any, ...]:
        return Leaders, self._made_from

    @cached_property
    def _integrals(self) -> Any:
        return self._made_from[0]()

    def _tree(self, row: int, whole: First) -> Tree:
        if row not in self._trees:
            _, _, sizes, others, _ = self._made_from
            self._trees[row] = Tree(int(sizes[row]), int(others[row]), {(0, 0): whole})
        return self._trees[row]

    def about(self, rows: Int64, whole: Callable[[int], First], kind: type[Search], asked: list[Any]) -> Leading:
        """Return what is known about some cases, whose chances are ``whole(i)`` if all classes compete.

        ``asked`` is the number or the set of the best classes of each; None leaves a case out.
        """
        _, draws_of, _, _, slack = self._made_from
        answers: list[Found | None] = [None] * len(rows)
        of = [(i, row, one) for i, (row, one) in enumerate(zip(rows.tolist(), asked)) if one is not None]
        searches = {i: kind(self._tree(row, whole(i)), one, slack) for i, row, one in of}
        active = [i for i, one in searches.items() if one.is_possible]
        while active:
            tasks, owner = [], []
            for i in active:
                nodes = searches[i].wanted()
                if not nodes:
                    answer = searches[i].answer()
                    answers[i] = answer if answer.error <= WORST else None
                elif len(searches[i].tree.first) + len(nodes) <= MOST_INTEGRALS:
                    tasks += [(int(rows[i]), *node) for node in nodes]
                    owner += [i] * len(nodes)
            lost = set()
            for i, task, first in zip(owner, tasks, self._solve(tasks)):
                if np.isnan(first.error):
                    lost.add(i)
                else:
                    searches[i].tree.add(task[1:], first)
            active = [i for i in dict.fromkeys(owner) if i not in lost]
        drawn = np.array([i for i in searches if answers[i] is None], np.int64)
        known = [one for one in answers if one is not None]
        exact, others = ([one.error for one in known if one.exact is which] for which in (True, False))
        self.note = self._note("several best classes", exact, others, len(drawn))
        return Leading(answers, drawn, draws_of(rows[drawn]) if len(drawn) else None)

    def of_groups(self, rows: Int64, group: Int64) -> tuple[Array, Array, Any, Any]:
        """Return of each group the probability to have the largest sum, and mean and variance of its sum: (N, 3, G).

        Then the errors (N,) of these numbers, whether they are exact (N,), and the draws of the cases that are not integrated, whose
        numbers are NaN; None if there are none.
        """
        value, error, exact = self._integrals.of_groups(rows, group)
        missing = np.flatnonzero(np.isnan(error))
        self.note = self._note("groups", error[exact], error[~exact & ~np.isnan(error)], len(missing))
        return value, error, exact, self._made_from[1](rows[missing]) if len(missing) else None

    def _note(self, what: str, exact: Any, others: Any, drawn: int) -> str:
        bound = f"an error of at most {max(exact, default=0.0):.1g} in {len(exact):,} of {len(exact) + len(others) + drawn:,} cases"
        text = f" Those of {what} are integrals with {bound}"
        if len(others):
            text += f"; {len(others):,} by quasi-Monte Carlo (standard error at most {max(others):.1g})"
        return text + (f"; {drawn:,} by draws." if drawn else ".")

    def _solve(self, tasks: list[tuple[int, int, int]]) -> list[First]:
        """Return the integrals of tasks; a single rival is first for certain."""
        found = [self._alone(*task) for task in tasks]
        open_at = [i for i, one in enumerate(found) if one is None]
        if open_at:
            array = np.array([tasks[i] for i in open_at], np.uint64).astype(np.int64)
            for i, first in zip(open_at, self._integrals.first(array)):
                found[i] = first
        return found  # type: ignore[return-value]

    def _alone(self, row: int, bits: int, above: int) -> First | None:
        tree = self._trees[row]
        competing = [k for k in range(tree.m) if not bits >> k & 1] + [tree.m] * (tree.others > above)
        if len(competing) > 1:
            return None
        chance = np.zeros(tree.m + 1)
        chance[competing] = 1.0
        return First(chance, 0.0, True)
