"""Dirichlet posteriors over plausibilities: exact results by quadrature in C, computed once for cases with equal concentrations."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, TypeVar

import numpy as np

from .._base import parallel
from .._base.arrays import Array, Bools, Int32, Int64
from .._base.axes import Axes
from .._base.checks import error, room, whole
from .._base.lazy import cached_property
from .._base.ragged import dense, offsets_of, row_at, row_of, sizes_of, take
from .._core import _dirichlet, _order
from ..resampling import over, seed_of
from .comparisons import Comparison
from .dirichlet_comparison import compare, compare_sets
from .dirichlet_grades import compare_cumulative
from .dirichlet_parts import annotation_after, parts_of
from .made_of import MadeOf
from .metric import TIED_LATTICE, Metric
from .open_parts import LabelLoss, Parts
from .orders import Orders, Sets, distinct_ragged
from .outcomes import expected_after
from .point import check_table
from .protocol import Plausibilities
from .sets import named_groups

Out = TypeVar("Out", Array, Int32)
PROFILES, CASES, SAMPLED = 512, 512, 64  # sizes of chunks: of profiles, of cases, of cases that are sampled
LEAST, MOST = 1e-300, 1e300  # range of concentrations, as in profile.c
MOST_TOTAL = 1e18  # plausibilities then have relative deviations of 1e-9; above, grids of doubles do not resolve their order


@dataclass(frozen=True, eq=False, repr=False)
class Dirichlet(Plausibilities):
    """A posterior Dirichlet(c) over the plausibilities of each case.

    Parameters
    ----------
    axes, offsets, index
        As in :class:`Point`.
    concentration : (E,) float64
        Concentrations, positive.
    background : float or (N,) float64
        Concentration of each class that is not listed; 0: its plausibility is exactly 0. A case without entries and
        with background 0 is undefined.
    made_of : optional
        As in :class:`Point`.

    Notes
    -----
    Probabilities about the order of plausibilities are integrals over independent gamma variables, computed by the
    trapezoid rule on a transformed axis with an error of about 1e-13 (Soch & Allefeld 2016 for the best class).

    Examples
    --------
    >>> post = Dirichlet.from_array([[6.5, 2.5, 0.5]])
    >>> post.membership(1).round(4)
    array([[0.9213, 0.0763, 0.0025]])
    """

    axes: Axes
    offsets: Int64
    index: Int32
    concentration: Array
    background: Any = 0.0
    made_of: MadeOf | None = field(default=None, repr=False)

    n_draws = 0
    has_exact_parts = True

    def __post_init__(self) -> None:
        object.__setattr__(self, "background", np.full(self.axes.n_cases, self.background, np.float64))
        least, most = self._range
        if not (least > 0 and most * self.axes.n_classes < np.inf):
            self._check()
        super().__post_init__()

    @cached_property
    def _range(self) -> tuple[float, float]:
        """Return the least and the largest concentration, NaN if one is; a background of 0 is none."""
        return _dirichlet.concentration_range(np.ascontiguousarray(self.concentration, np.float64), self.background)

    def _check(self) -> None:
        bad = ~np.isfinite(self.concentration) | (self.concentration <= 0)
        if bad.any():
            at = int(np.argmax(bad))
            where = f"case {self.axes.case_name(row_at(self.offsets, at))}"
            raise error("concentration", "be finite and above 0", self.concentration[at], where)
        bad = ~np.isfinite(self.background) | (self.background < 0)
        if bad.any():
            at = int(np.argmax(bad))
            raise error("background", "be finite and not below 0", self.background[at], f"case {self.axes.case_name(at)}")
        endless = ~np.isfinite(self._totals())
        if endless.any():
            where = f"case {self.axes.case_name(int(np.argmax(endless)))}"
            raise error("concentration", "have a finite sum over the classes of a case", np.inf, where)

    @classmethod
    def from_array(cls, array: object, *, case_ids: object = None, classes: object = None) -> Dirichlet:
        """Return the posterior with concentrations (N, K) of at least 0 (0: plausibility exactly 0); rows of NaN are undefined."""
        with np.errstate(over="ignore"):  # an infinite sum is rejected below
            table, _, undefined = check_table(array, "concentrations", 2)
        if undefined is not None:
            table = np.where(undefined[:, None], 0.0, table)
        row, index = np.nonzero(table)
        offsets = offsets_of(np.bincount(row, minlength=len(table)))
        return cls(Axes.of(len(table), table.shape[1], case_ids, classes), offsets, index.astype(np.int32), table[row, index])

    @property
    def defined(self) -> Bools:
        return np.asarray((sizes_of(self.offsets) > 0) | (self.background > 0))

    @property
    def has_impossible_classes(self) -> bool:
        return bool((self.support < self.n_classes)[self.defined].any())

    @property
    def support(self) -> Int64:
        """Number of classes (N,) with positive plausibility."""
        return np.where(self.background > 0, self.n_classes, sizes_of(self.offsets))

    def _totals(self) -> Array:
        """Return the sum (N,) of the concentrations of all classes."""
        listed = np.bincount(row_of(self.offsets), self.concentration, self.n_cases)
        with np.errstate(over="ignore"):
            return np.asarray(listed + (self.n_classes - sizes_of(self.offsets)) * self.background)

    @cached_property
    def distinct(self) -> tuple[Int64, Int32] | None:
        """A case of each distinct posterior, and the distinct posterior of each case; None if there are too many."""
        return distinct_ragged(self.offsets, self.index, self.concentration, rest=(self.background,))

    # ---- results of the C core ----

    @cached_property
    def _profiles(self) -> tuple[_dirichlet.Profiles, Int64]:
        """Return the profiles, and that of each case (-1: undefined)."""
        least, most = self._range
        if least < LEAST or most * self.n_classes > MOST_TOTAL:
            self._check_resolved()
        case_profile = np.empty(self.n_cases, np.int64)
        groups = np.empty(len(self.index), np.int32), np.empty(self.n_cases, np.int32)
        law = self.offsets, self.index, self.concentration, self.background
        return _dirichlet.Profiles(*law, self.n_classes, case_profile, *groups), case_profile

    def _check_resolved(self) -> None:
        total = self._totals()
        if (total > MOST_TOTAL).any():
            at = int(np.argmax(total > MOST_TOTAL))
            must = f"add up to at most {MOST_TOTAL:g} over the classes of a case, for the order of plausibilities to be resolved"
            raise error("concentration", must, total[at], f"case {self.axes.case_name(at)}")
        value = np.append(self.concentration, np.where(self.background > 0, self.background, 1.0))
        bad = (value < LEAST) | (value > MOST)
        if bad.any():
            at = int(np.argmax(bad))
            case = int(np.append(row_of(self.offsets), np.arange(self.n_cases))[at])
            raise error("concentration", f"be 0 or from {LEAST:g} to {MOST:g}", value[at], f"case {self.axes.case_name(case)}")

    def _ranks(self, depth: int) -> Array:
        """Return the probability (groups, depth) that one class of a group has each rank."""

        def make() -> Array:
            profiles = self._profiles[0]
            room(f"the probabilities of {depth} ranks", 8 * profiles.n_groups() * depth)
            rank = np.empty((profiles.n_groups(), depth))
            parallel.run(lambda begin, end: profiles.ranks(begin, end, rank), len(profiles), PROFILES, "integrating ranks")
            return rank

        return np.asarray(self._kept.every(("ranks", depth), make))

    def _memberships(self, k: int) -> tuple[Array, Array]:
        """Return P(among the best k) of each entry (E,), and of each unlisted class of a case (N,)."""

        def make() -> tuple[Array, Array]:
            entry, rest = np.empty(len(self.index)), np.empty(self.n_cases)
            self._profiles[0].memberships(self._ranks(k), entry, rest)
            return entry, rest

        found: tuple[Array, Array] = self._kept.last("memberships", k, make)
        return found

    # ---- the protocol ----

    def mean(self) -> Array:
        """Return the posterior means c / sum(c), (N, K); NaN for an undefined case."""
        room("a table of means", 16 * self.n_cases * self.n_classes)
        table = dense(self.offsets, self.index, self.concentration, self.n_classes, self.background)
        return over(table, table.sum(1, keepdims=True))

    def membership(self, k: int, *, ties: str = "expectation") -> Array:
        room("a table of probabilities", 8 * self.n_cases * self.n_classes)
        entry, rest = self._memberships(whole("k", k, 1, self.n_classes))
        return dense(self.offsets, self.index, entry, self.n_classes, rest)

    def _role_sums(self, sets: Sets, k: int) -> Array:
        """Return (4, N): P(among the best k) summed over the certain and over the tied classes of each set, and their numbers."""
        entry, rest = self._memberships(k)
        return self._over(sets, entry, rest, k)

    def _over(self, sets: Sets, value: Array, rest: Array, total: float) -> Array:
        out = np.empty((self.n_cases, 4))
        of_sets = sets.offsets, sets.index, sets.role, sets.rest_role
        _order.role_sums(self.offsets, self.index, value, rest, *of_sets, self.n_classes, total, out)
        return np.asarray(out.T)

    def _overlaps(self, sets: Sets, k: Int32) -> Array:
        """Return the joint distribution (N, max k + 1, max k + 1) of the numbers of certain and tied classes among the best k."""

        def make() -> Array:
            profiles = self._profiles[0]
            side = int(k.max()) + 1
            room(f"the law of the overlap of the best {side - 1}", 8 * self.n_cases * side**2)
            table = np.empty((self.n_cases, side, side))

            def part(begin: int, end: int) -> None:
                profiles.overlaps(sets.offsets, sets.index, sets.role, sets.rest_role, k, begin, end, table)

            parallel.run(part, self.n_cases, CASES, "integrating overlaps")
            return table

        return np.asarray(self._kept.last("overlaps", (sets, k.tobytes()), make))

    def certainty(self, k: int, *, kind: str = "set", ties: str = "expectation") -> Array:
        profiles, profile = self._profiles
        value_or_nan = np.full(len(profiles) + 1, np.nan)  # the last one is for an undefined case, whose profile is -1
        value = value_or_nan[:-1]
        if kind == "rank" or k == 1:
            first = np.empty(len(profiles), np.int64)
            profiles.first_groups(first)
            np.maximum.reduceat(self._ranks(k)[:, k - 1], first, out=value)
        else:
            parallel.run(lambda begin, end: profiles.certainty(begin, end, k, value), len(profiles), PROFILES, "integrating certainty")
        settled = self.support < k if kind == "rank" and k > 1 else self.support <= k
        return np.asarray(np.where(self.defined & settled, 1.0, np.minimum(value_or_nan[profile], 1.0)))

    def certainty_after(self, n_annotators: int, k: int, reliability: float) -> Array:
        """Return the expected certainty (N,) of order k after labels of n more annotators, whose possible labels are enumerated."""
        k = whole("k", k, 1, self.n_classes)
        return np.asarray(np.minimum(expected_after(self, n_annotators, reliability, lambda later: later.certainty(k)), 1.0))

    def parts(self, loss: LabelLoss) -> Parts:
        return parts_of(self, loss)

    def annotation_after(self, n_annotators: int, loss: LabelLoss, reliability: float) -> Array:
        return annotation_after(self, n_annotators, loss, reliability)

    def grouped(self, groups: object, names: object = None) -> Dirichlet:
        """Return the plausibilities of groups of classes: a Dirichlet posterior with summed concentrations."""
        group, own = named_groups(groups, self.axes)
        n_groups = int(group.max()) + 1
        room("a table of groups", 32 * self.n_cases * n_groups)
        cells, of_entry = self.n_cases * n_groups, row_of(self.offsets) * n_groups + group[self.index]
        unlisted = np.bincount(group, minlength=n_groups) - np.bincount(of_entry, minlength=cells).reshape(-1, n_groups)
        total = np.bincount(of_entry, self.concentration, cells).reshape(-1, n_groups) + unlisted * self.background[:, None]
        total[~self.defined] = np.nan
        return Dirichlet.from_array(total, case_ids=self.ids_or_none, classes=own if names is None else names)

    def take(self, rows: object) -> Dirichlet:
        offsets, at = take(self.offsets, np.asarray(rows))
        made_of = None if self.made_of is None else self.made_of.take(rows)
        return Dirichlet(self.axes.take(rows), offsets, self.index[at], self.concentration[at], self.background[rows], made_of)

    def draws(self, n: int, *, seed: object = 0) -> Array:
        """Return sampled plausibilities (N, n, K); the draws of a case depend on the seed and its id only."""
        n = whole("n", n)
        room(f"{n} draws of all plausibilities", 8 * self.n_cases * n * self.n_classes)
        return self._sampled(_dirichlet.draws, np.empty((self.n_cases, n, self.n_classes)), seed, "drawing plausibilities")

    def top(self, n: int, depth: int, *, seed: object = 0) -> Int32:
        """Return the best classes (N, n, depth) of each draw, -1 after the last one with positive plausibility."""
        n, depth = whole("n", n), whole("depth", depth, 1, self.n_classes)
        room(f"{n} draws of best classes", 4 * self.n_cases * n * depth)
        return self._sampled(_dirichlet.top, np.empty((self.n_cases, n, depth), np.int32), seed, "drawing best classes")

    def _sampled(self, kernel: Any, out: Out, seed: object, what: str) -> Out:
        word = seed_of(seed)

        def part(begin: int, end: int) -> None:
            kernel(*self._law(), word, begin, end, out[begin:end])

        parallel.run(part, self.n_cases, SAMPLED, what)
        return out

    def _law(self) -> tuple[Any, Any, Any, Any, Any, int]:
        return self.offsets, self.index, self.concentration, self.background, self.axes.stream_keys, self.n_classes

    # ---- comparison with sets and with the order of a model ----

    def compare_sets(self, sets: Sets, metric: Metric, *, j: int = 1, ties: str = "expectation") -> Comparison:
        return compare_sets(self, sets, sizes_of(sets.offsets), metric, j)

    def of_best_class(self, worth: Array, *, ties: str = "expectation") -> Comparison:
        return Comparison.of_values(worth, self.membership(1), TIED_LATTICE)

    def mass(self, sets: Sets) -> Comparison:
        """Return the comparison of each set's plausibility, a Beta variable."""
        total, part = self._totals(), self._over(sets, self.concentration, self.background, 0.0)[0]
        with np.errstate(invalid="ignore", divide="ignore"):
            mean = part / total
            return Comparison.independent(mean, mean * (1.0 - mean) / (total + 1.0))

    def of_class(self, worth: Array) -> Comparison:
        mean, total = self.mean(), self._totals()
        value = (mean * worth).sum(1)
        return Comparison.independent(value, (mean * (worth - value[:, None]) ** 2).sum(1) / (total + 1.0))

    def of_cumulative(self, law: Array, order: Int64, steps: Array, power: int, *, spread: bool = True) -> Comparison:
        return compare_cumulative(self, law, order, steps, power, spread)

    def compare(self, order: Orders, metric: Metric, k: int, *, parameter: float = 0.0, ties: str = "expectation") -> Comparison:
        return compare(self, order, metric, k, parameter)
