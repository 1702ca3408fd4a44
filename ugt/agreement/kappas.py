"""The forms of chance-corrected coefficients of labels: of any annotators of a case, and of two annotators by name."""

from __future__ import annotations

import math
from collections.abc import Mapping

import numpy as np

from .._base.arrays import Array, Bools
from .._base.lazy import cached_property
from ..resampling import Answer, Design, Merging, NumberFacts, exact_products
from .chances import Chance
from .costs import Cost, Nominal, disagreement
from .forms import EMPTY, NO_SHARED, NO_WEIGHT, TINY, Agreed, Form, Values, counts_of
from .table import Judgements, Ragged

NEITHER, ONE_OF_TWO = "case that neither of the two annotators labelled", "case that only one of the two annotators labelled"
SINGLE_CLASS = "the label set has a single class, so that annotators cannot disagree"


def class_disagreement(judged: Judgements, scale: Array) -> Array:
    """Return (K,) Σ_i scale_i times the number of ordered pairs of annotators of case i of whom only one chose the class."""
    table, k, scale = judged.classes, judged.n_classes, scale * judged.times
    row = table.row
    total = np.bincount(table.index, scale[row] * 2 * table.amount * (judged.size[row] - table.amount), k)
    case, mixed = judged.mixed()
    if len(case):
        inside = 2 * mixed.amount * (1 - mixed.amount)
        total = np.maximum(total - np.bincount(mixed.index, scale[case][mixed.row] * inside, k), 0.0)
    return np.asarray(total)


class Shared(Form):
    """The form with disagreement within cases and classes pooled over annotators; without ``chance``, percent agreement.

    Sums: disagreement, cases with two annotators, cases in use; shares of the classes, if agreement by chance depends on these, or the
    classes of each annotator in turn, if it depends on theirs. By Gwet's formula, they are of all cases with labels. Cases with a single
    annotator show how common the classes are, and nothing of how annotators agree: they are no units of intervals, nor do they set the
    distance from 1 of the first case of disagreement.
    """

    n_dense = 3

    def __init__(self, judged: Judgements | None, cost: Cost, chance: Chance | None, n_annotators: int = 0) -> None:
        super().__init__(judged, cost.n_classes)
        self.cost, self.chance = cost, chance
        self.singles = chance is not None and chance.of_shares
        self.by_annotator = chance is not None and chance.by_annotator
        self.by_counts = not self.by_annotator
        self.n_tables = (n_annotators if judged is None else len(judged.annotators)) if self.by_annotator else int(self.singles)

    @property
    def span(self) -> tuple[float, float]:  # type: ignore[override]
        """The range: a share, or from an end of the coefficient's own, which may be below -1, if cases of one annotator are among these."""
        return (0.0 if self.chance is None else self.chance.lowest(self.cost, self._compared)), 1.0

    @property
    def _compared(self) -> bool:
        """Whether each case that counts for chance has two annotators; by annotator, whether all judged each of them."""
        _, two, any_, *chosen = self._ones
        of_each = np.rint(np.reshape(chosen, (self.n_tables, -1)).sum(axis=1)) if self.by_annotator else np.empty(0)
        return bool(two == any_ and ((of_each == 0) | (of_each == two)).all())

    @property
    def facts(self) -> NumberFacts:
        """Facts; those of a linear function of percent agreement have its scale, the logit of the share of the range.

        No case counts if those with two annotators are of one class, so that they alone have no disagreement by chance.
        """
        found = super().facts
        if not self.singles:
            return found._replace(scales=("logit",) * len(self.names))
        return found.counting_only(lambda: self.informative & (self._expected_of_pairs > TINY))._replace(widening=self._widening)

    def _widening(self, kept: Bools, design: Design) -> Array:
        """Return (3,) factors, so that no interval is narrower for cases of which the classes, and no agreement, are known."""
        found = np.ones(3)
        if self._ones[2] > self._ones[1]:
            alone = self.with_judged(self.judged.only(self.paired[self.judged.case_of_label]))
            own, its = (float(design.total(design.added_up(one.influence()[kept, :1]) ** 2)[0]) for one in (self, alone))
            found[0] = math.sqrt(max(1.0, its / own)) if own > 0 else 1.0
        return found

    @property
    def merging(self) -> Merging:
        if self.singles:
            return super().merging
        return super().merging._replace(squares=lambda: exact_products(self.dense), gradient=self._gradient)

    def _finish(self, sums: Array, fixed: Array, left_out: Mapping[str, int]) -> Answer:
        """Answer for sums of all parts and keep them, because the range is computed from them, too."""
        self.__dict__["_ones"] = sums
        if self.singles:
            vars(self).update(_expected_of_pairs=self._by_chance(fixed[-self.n_tables * self.n_classes :], sums))
        return super()._finish(sums, fixed, left_out)

    def _groups(self, sums: Array, fixed: Array) -> Array:
        """Return the number of labels of each class, and of each annotator if they are known."""
        of_each = sums[3:].reshape(self.n_tables, -1).sum(axis=1) if self.by_annotator else np.empty(0)
        return np.append(super()._groups(sums, fixed), np.rint(of_each))

    def width_of(self, table: Ragged) -> int:
        return self.n_tables * self.n_classes

    def with_judged(self, judged: Judgements) -> Shared:
        return Shared(judged, self.cost, self.chance)

    @cached_property
    def _ones(self) -> Array:
        if self.by_annotator or not (isinstance(self.cost, Nominal) and self.judged.single):
            return super()._ones
        found = self.judged.pair_sums(of_cases=True)
        return found if self.singles else found[[0, 1, 1]]

    @cached_property
    def in_use(self) -> Bools:
        """(N,) cases with two annotators, or with any annotator if they count for chance."""
        return np.asarray(self.judged.size >= (1 if self.singles else 2))

    @cached_property
    def paired(self) -> Bools:
        """(N,) cases with two annotators."""
        return np.asarray(self.judged.size >= 2)

    @cached_property
    def _expected_of_pairs(self) -> float:
        """The disagreement by chance from the cases with two annotators alone."""
        return self._by_chance(self._of_pairs(), self._ones)

    def _by_chance(self, of_pairs: Array, sums: Array) -> float:
        share = of_pairs / max(1.0, sums[1])
        assert self.chance is not None
        return float(self.chance.of(self.cost, share, share))

    def _of_pairs(self) -> Array:
        """Return the sums of the shares over cases with two annotators."""
        (table,) = self.amounts
        return table.totals(self.width_of(table), self.judged.times * self.paired)

    def _steps(self, sums: Array, n_cases: int) -> Array:
        found = super()._steps(sums, n_cases)
        if self.singles and sums[2] > sums[1]:
            found[0] = 1 / max(self._expected_of_pairs, TINY)
        return found

    @cached_property
    def dense(self) -> Array:
        size = self.judged.size
        two = size >= 2
        between, _ = disagreement(self.judged, self.cost)
        a = np.where(two, between / np.where(two, size * (size - 1), 1.0), 0.0)
        return np.stack([a, two * 1.0, self.in_use * 1.0], axis=1)

    @cached_property
    def amounts(self) -> tuple[Ragged, ...]:
        """(N, K) share of the annotators of a case that chose each class; by annotator, (N, A K) the classes that each of them chose."""
        table = self.judged.classes
        if self.by_annotator:
            return (self.judged.by_annotator(),)
        return () if not self.singles else (Ragged(table.offsets, table.index, table.amount / self.judged.size[table.row]),)

    def parts(self, sums: Array) -> Values:
        by_sum = sums.T
        mean = by_sum[0] / by_sum[1]
        if self.chance is None:
            return Values(1 - mean, 1 - mean, np.zeros(np.shape(mean)))
        pooled = (by_sum[3:] / by_sum[2]).T if self.singles else np.empty((*np.shape(mean), 0))
        found = Values.of(mean, self.chance.of(self.cost, pooled, pooled))
        return found if self.n_classes >= self.chance.least_classes else found._replace(value=np.full(np.shape(mean), np.nan))

    def slopes(self) -> tuple[Array, Array]:
        a, two, any_ = self.dense.T
        n_two, n_any = self._ones[1:3]
        observed_by = (a - self._ones[0] / n_two * two) / n_two
        if not self.singles:
            return observed_by, np.zeros(len(a))
        assert self.chance is not None
        pooled = self._ones[3:] / n_any
        by_one, by_other = self.chance.by(self.cost, pooled, pooled)
        slope, (share,) = by_one + by_other, self.amounts
        return observed_by, (share.sums(share.amount * slope[share.index]) - slope @ pooled * any_) / n_any

    def _gradient(self, sums: Array) -> Array:
        """Return the (3,) derivatives of 1 - (a / n) / expected disagreement, which is 1 for percent agreement, by the sums."""
        expected = 1.0 if self.chance is None else 1 - float(self.parts(sums).expected)
        return np.array([-1 / sums[1], sums[0] / sums[1] ** 2, 0.0]) / expected

    def class_sums(self) -> Array:
        """Return (R, K): disagreement about each class, and how often it was chosen; for Gwet's forms, the latter in pairs alone, too.

        How often a class was chosen is one row, or one of each annotator.
        """
        judged, some, two = self.judged, np.maximum(self.judged.size, 1.0), self.judged.size >= 2
        scale, weights = two / np.where(two, judged.size - 1, 1.0), two * judged.times
        if self.chance is not None:
            scale, weights = scale / some, judged.times / some
        chosen = [self._ones[3:], self._of_pairs()] if self.singles else [judged.classes.totals(self.n_classes, weights)]
        return np.concatenate([class_disagreement(judged, scale), *chosen]).reshape(-1, self.n_classes)

    def of_classes(self, class_sums: Array, sums: Array) -> Array:
        """Return (K,) coefficients; for percent agreement, how often another annotator chose the class, given that one did."""
        differ, chosen = class_sums[0], class_sums[1 : 1 + max(1, self.n_tables)]
        if self.chance is None:
            with np.errstate(invalid="ignore"):
                return np.asarray(1 - differ / 2 / np.where(chosen[0] > 0, chosen[0], np.nan))
        if sums[1] == 0:
            return np.full(self.n_classes, np.nan)
        share = chosen / sums[2]
        return _against_others(differ / sums[1], share, share, self.chance)

    def without_variation(self, sums: Array) -> str:
        return super().without_variation(sums) if self.singles else NO_WEIGHT

    def agreed(self, sums: Array | None = None) -> Agreed:
        """Return the numbers; a label set of a single class gives 1 by convention with its own reason."""
        found = super().agreed(sums)
        if self.chance is None or self.n_classes >= self.chance.least_classes or math.isnan(found.value):
            return found
        return Agreed(1.0, 1.0, 0.0, SINGLE_CLASS)


def _against_others(disagreement: Array, p: Array, q: Array, chance: Chance) -> Array:
    """Return (K,) coefficients of each class against all others as one class, from the classes' shares (..., K) among labels."""
    against = (np.stack([one.T, (one.sum(axis=-1, keepdims=True) - one).T], axis=-1) for one in (p, q))
    shares = (one.reshape(len(disagreement), -1) for one in against)
    return Values.of(disagreement, chance.of(Nominal(2), *shares)).value


class Two(Form):
    """The form of two annotators, on the cases that both judged: Cohen's kappa (chance from each one's own classes) and Scott's pi.

    Sums: disagreement, cases of both; classes of the first and of the second.
    """

    n_dense, n_tables = 2, 2
    no_pairs, n_annotators, by_counts = NO_SHARED, 2, False

    def __init__(self, judged: Judgements | None, columns: tuple[int, int], named: bool, cost: Cost, chance: Chance) -> None:
        super().__init__(judged, cost.n_classes)
        self.columns, self.named, self.cost, self.chance, self.finite = columns, named, cost, chance, chance.pooled

    @property
    def span(self) -> tuple[float, float]:  # type: ignore[override]
        """The range, which depends on the weights."""
        return self.chance.lowest(self.cost, True), 1.0

    def with_judged(self, judged: Judgements) -> Two:
        return Two(judged, self.columns, self.named, self.cost, self.chance)

    @cached_property
    def pair(self) -> tuple[Judgements, Judgements, Judgements, Array]:
        """Judgements of the first, the second and both, in the cases that they share; and (N,) how many of the two judged each case."""
        every = self.judged
        case = every.case_of_label
        his, hers = (every.annotator_of_label == column for column in self.columns)
        did = [np.bincount(case[own], minlength=every.n_cases) > 0 for own in (his, hers)]
        shared = (did[0] & did[1])[case]
        first, second, both = (every.only(own & shared) for own in (his, hers, his | hers))
        return first, second, both, did[0].astype(np.float64) + did[1]

    @cached_property
    def _ones(self) -> Array:
        every = self.judged
        if not every.single:
            return super()._ones
        label = np.full((2, every.n_cases), -1, np.int64)  # labels of the two annotators; -1 if there is none
        for own, column in zip(label, self.columns):
            at = np.flatnonzero(every.annotator_of_label == column)
            own[every.case_of_label[at]] = every.label[at]
        shared = np.flatnonzero((label >= 0).all(axis=0))
        (one, other), k = label[:, shared], self.n_classes
        differ, times = self.cost.between(one, other), None if every.row is None else every.times[shared]
        total = [differ.sum(), len(shared)] if times is None else [differ @ times, times.sum()]
        return np.concatenate([total, np.bincount(one, times, k), np.bincount(other, times, k)])

    @property
    def in_use(self) -> Bools:
        return np.asarray(self.pair[3] == 2)

    @cached_property
    def dense(self) -> Array:
        return np.stack([np.where(self.in_use, disagreement(self.pair[2], self.cost)[0] / 2, 0.0), self.in_use * 1.0], axis=1)

    @property
    def amounts(self) -> tuple[Ragged, ...]:
        return self.pair[0].classes, self.pair[1].classes

    @property
    def told(self) -> Judgements:
        return self.pair[2]

    def missing(self) -> dict[str, int]:
        n_judges = self.pair[3]
        return counts_of(self.judged, {NEITHER if self.named else EMPTY: n_judges == 0, ONE_OF_TWO: n_judges == 1})

    def parts(self, sums: Array) -> Values:
        disagreed, both = sums.T[:2]
        p, q = (one.T for one in np.split(sums.T[2:] / both, 2))
        return Values.of(disagreed / both, self.chance.of(self.cost, p, q))

    def slopes(self) -> tuple[Array, Array]:
        a, both = self.dense.T
        n = self._ones[1]
        p, q = np.split(self._ones[2:] / n, 2)
        slopes = self.chance.by(self.cost, p, q)
        by = -(slopes[0] @ p + slopes[1] @ q) * both
        for table, slope in zip(self.amounts, slopes):
            by = by + table.sums(table.amount * slope[table.index])
        return (a - self._ones[0] / n * both) / n, by / n

    def class_sums(self) -> Array:
        """Return (3, K): disagreement about each class, and how often each of the two annotators chose it."""
        first, second, both, _ = self.pair
        chosen = (judged.classes.totals(self.n_classes, judged.times) for judged in (first, second))
        return np.stack([class_disagreement(both, np.ones(both.n_cases)), *chosen])

    def of_classes(self, class_sums: Array, sums: Array) -> Array:
        differ, p, q = class_sums / max(1.0, sums[1])
        return _against_others(differ / 2, p, q, self.chance)
