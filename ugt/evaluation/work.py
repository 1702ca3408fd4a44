"""The evaluation of models under every truth: rows of results, and the contributions of cases that their intervals need."""

from __future__ import annotations

from collections.abc import Iterator
from copy import copy
from dataclasses import MISSING, fields, replace
from functools import partial
from typing import TYPE_CHECKING, Any

import numpy as np

from .._base import notices, parallel
from .._base.checks import error
from .._base.lazy import cached_property
from .._base.notes import Note
from ..metrics import ua_group_accuracy
from ..plausibilities.metric import METRICS
from ..plausibilities.orders import Orders
from ..soft import ScoreOrder
from ..soft.ranking import SoftRanking
from ..tables.answer import ReferenceRow
from ..tables.comparison import HEADLINES
from ..tables.context import MOST_CELLS, Context, score_of
from ..tables.names import COMMONEST, PERFECT
from ..tables.performance import CertaintyRow
from ..tables.rows import finite
from ..tables.standings import MetricRow, shuffled_quantiles
from ..tables.uncertainty import row_of
from ..truth import annotation_certainty, uncertainty_parts
from .grades import Graded, median_grade, read

if TYPE_CHECKING:
    from .._base.arrays import Array
    from ..plausibilities import Plausibilities
    from ..plausibilities.estimates import Certainty, Estimate
    from ..plausibilities.metric import Metric
    from ..truth.by_name import Truths

    Truth = tuple[float | None, Plausibilities]  # with its reliability

TOGETHER, ROOM = 5, 4 * 10**6  # truths that are judged side by side, and their cells (cases x classes)


def metrics_wanted(orders: list[int]) -> list[tuple[Metric, int]]:
    """Return the metrics with their k: first those shown for every k, then for each k those for k above 1."""
    shown = [metric for metric in METRICS.values() if metric.shown]
    first = [(metric, k) for metric in shown if not metric.wider for k in orders]
    return first + [(metric, k) for k in orders if k > 1 for metric in shown if metric.wider]


def shared_spread(first: Array | None, second: Array | None) -> float:
    """Return sqrt(cov(a, b) / var((a + b) / 2)) over draws, a and b the means over every other case; None: the same in every draw."""
    if first is None or second is None:
        return 0.0
    (a, both), (_, b) = np.cov(first, second)
    total = (a + b + 2 * both) / 4
    return float(np.sqrt(np.clip(both / total, 0.0, 1.0))) if total > 0 else 0.0


class Work:
    """What judges the models of a context, one truth after the other, and adds the results to its lists."""

    def __init__(self, found: Context, truths: Truths, orders: list[int]) -> None:
        self.found, self.truths, self.orders = found, truths, orders
        self.known, self.scores, self.voted, self.clusters = found.known, found.scores, found.voted, found.clusters
        self.options, self.details, self.positive = found.options, found.details, found.positive
        self.times = found.times  # (n,) how many equal cases each stands for, the frequency of all functions
        self.groups = None if found.groups is None else found.groups[0]  # (K,) group of each class
        self.graded: Graded | None = None  # measures of grades
        self.mean: Array | None = None  # as in the context
        self.top: Array | None = None

    def grade(self, values: Array | None, numbers: set[str], kind: str | None) -> None:
        """Prepare the measures of grades with these numbers (K,), if there are grades; ``numbers``: the models of one number per case."""
        if values is None:
            if kind is not None:
                raise error("predictions_are", "be left out unless labels are ordered", repr(kind))
            return
        self.scores, given, notes = read(dict(self.scores), numbers, values, self.known.axes, kind)
        for note in notes:
            self.truths.say(note)
        if self.scores and self.voted.defined.any():
            median = median_grade(self.votes, values)
            names, level = self.known.axes.classes, self.options.level
            lists = self.found.further, self.found.references
            self.graded = Graded(given, values, names, median, self.found.over_annotators, *lists, level, self.truths.say, self.found.heads)

    def run(self) -> Context:
        """Compute everything; return the context with it."""
        ties, n_classes = self.options.ties, self.known.n_classes
        self.quantiles = shuffled_quantiles(self.options.n_resamples, self.found.making.seed)
        self.ranked = {name: Orders.from_dense(table, self.orders[-1], ties) for name, table in self.scores.items()}
        self.of_positive = (
            {name: ScoreOrder.of(score_of(table, self.positive)) for name, table in self.scores.items()} if n_classes == 2 else {}
        )
        self.choices = {name: order.sets(1).membership(1) for name, order in self.ranked.items()}
        topk = METRICS["topk_accuracy"]
        for name, order in self.ranked.items():
            for k in self.orders:
                self._add_metric(name, None, "voted_accuracy", k, topk.of(self.voted, order, k, ties=ties, frequency=self.times))
        self._add_constant(None, self.voted, "voted_accuracy")
        if self.graded is not None:
            self.graded.against(self.voted)
        for some in self._together():
            if len(some) == 1:
                self._judge(*some[0])
            else:
                for own, said in parallel.run(partial(self._apart, some), len(some), 1, "truths"):
                    for message in said:
                        notices.warn(message)
                    self._add(own)
            some.clear()  # draws are large and must be freed before the next ones are made
        for name in ("ranked", "commonest"):  # orders of all cases, which nothing else needs
            self.__dict__.pop(name, None)
        return replace(
            self.found, scores=self.scores, choices=self.choices, shares=self.shares, mean=self.mean, top=self.top, graded=self.graded,
            fitted=next(iter(self.truths.fits), None),
        )  # fmt: skip

    def _together(self) -> Iterator[list[Truth]]:
        """Return all truths: some small ones that follow from the annotations at once together, each other one by itself."""
        alone = self.graded is not None or not self.truths.conjugate
        most = 1 if alone else min(TOGETHER, ROOM // max(1, self.known.n_cases * self.known.n_classes))
        together: list[Truth] = []
        for reliability, truth in self.truths:
            together.append((reliability, truth if self.known.n_cases == len(self.known.rows) else truth.take(self.known.rows)))
            del truth
            if len(together) >= most:
                yield together
        if together:
            yield together

    def _apart(self, some: list[Truth], at: int, _: int) -> tuple[Work, list[Note]]:
        """Return an object with the results of one of some truths only, and the warnings."""
        own = copy(self)
        own.found = replace(self.found, **{name: type(getattr(self.found, name))() for name in RESULTS})
        with notices.heard() as said:
            own._judge(*some[at])
        return own, said

    def _add(self, own: Work) -> None:
        """Add the results of one truth."""
        for name in RESULTS:
            mine, new = getattr(self.found, name), getattr(own.found, name)
            (mine.update if isinstance(mine, dict) else mine.extend)(new)
        self.mean, self.top = (self.mean if own.mean is None else own.mean), (self.top if own.top is None else own.top)

    def _judge(self, reliability: float | None, truth: Plausibilities) -> None:
        """Add the certainty under one truth, and the metrics of every model against it."""
        ties = self.options.ties
        for k in sorted({1, *self.orders}, reverse=True):  # the deepest first, because draws keep their best classes
            self._add_certainty(reliability, "certainty", k, annotation_certainty(truth, k=k, ties=ties, frequency=self.times))
        if truth.has_exact_parts and self.truths.conjugate:  # not of one class that annotators try to name
            self._add_parts(reliability, truth)
        if self.groups is not None:
            by_group = annotation_certainty(truth, groups=self.groups, group_rule="top_class", ties=ties, frequency=self.times)
            self._add_certainty(reliability, "group_certainty", 1, by_group)
        halves = [slice(begin, None, 2) for begin in (0, 1)] if truth.is_joint and truth.n_cases > 1 else []
        truths = [truth.take(np.arange(truth.n_cases, dtype=np.int64)[half]) for half in halves]
        for name, order in self.ranked.items():
            pairs = [(one, Orders.from_dense(self.scores[name][half], self.orders[-1], ties)) for one, half in zip(truths, halves)]
            for metric, k in metrics_wanted(self.orders):
                shared = shared_spread(*(metric.of(*pair, k, ties=ties).per_draw for pair in pairs)) if pairs else 0.0
                self._add_metric(name, reliability, metric.name, k, metric.of(truth, order, k, ties=ties, frequency=self.times), shared)
            if self.groups is not None:
                shared = shared_spread(*(self._of_groups(one, name, half).per_draw for one, half in zip(truths, halves))) if halves else 0.0
                self._add_metric(name, reliability, "group_accuracy", 1, self._of_groups(truth, name), shared)
        self._add_soft(reliability, truth)
        if self.graded is not None:
            self.graded.judge(reliability, truth, np.full(truth.n_classes, 1 / truth.n_classes))
        if self.details and truth.n_cases * truth.n_classes <= MOST_CELLS:
            self._add_first(reliability, truth)
        if reliability == self.truths.middle and truth.n_cases * truth.n_classes <= MOST_CELLS:
            self.mean = truth.mean()

    def _add_parts(self, reliability: float | None, truth: Plausibilities) -> None:
        """Add what is open about one more label; only that of the middle reliability is kept case by case."""
        with notices.heard():  # without any case there are no rows
            found = uncertainty_parts(truth, frequency=self.times)
        if found.n_cases:
            self.found.uncertainty.append(row_of(reliability, found, self.known.is_labels))
            if reliability == self.truths.middle:
                self.found.parts[reliability] = found

    def _of_groups(self, truth: Plausibilities, model: str, cases: Any = ...) -> Estimate:
        rules = {"group_rule": "top_class", "ties": self.options.ties, "frequency": self.times}
        return ua_group_accuracy(truth, self.scores[model][cases], self.groups, **rules)  # type: ignore[arg-type]

    def _add_certainty(self, reliability: float | None, measure: str, k: int, found: Certainty) -> None:
        below = self.found.number(found.per_case < 0.99)
        self.found.certainty.append(
            CertaintyRow(reliability, measure, k, found.value, mc_error=found.mc_error, n_below_099=below, n_cases=found.n_cases)
        )
        self.found.certainty_columns.add(found.per_case, resampled=found.resampled)

    def _add_metric(self, model: str, reliability: float | None, metric: str, k: int, found: Estimate, shared: float = 0.0) -> None:
        """Add a metric; ``shared`` is the part of the spread over draws that cases share, as resamples of cases include the rest."""
        half = self.options.level / 2
        over_draws = found.draw_quantile(np.concatenate([[0.5 - half, 0.5 + half], self.quantiles]))
        low, high = float(over_draws[0]), float(over_draws[1])
        ((two_way_low, two_way_high),) = self.found.over_annotators(found.statistic, 1, panels=k == 1)
        if k == 1 and metric in HEADLINES and reliability in (None, self.truths.middle) and self.found.are_random(found.statistic):
            self.found.heads[metric, model, reliability] = found.statistic
        self.found.metrics.append(
            MetricRow(model, reliability, metric, k, found.value, found.draw_std, low, high, two_way_low=two_way_low,
                      two_way_high=two_way_high, mc_error=found.mc_error, n_cases=found.n_cases)
        )  # fmt: skip
        self.found.columns.add(found.per_case, model, found.resampled)
        self.found.deviations.append((over_draws[2:] - found.value) * shared)

    def _add_first(self, reliability: float | None, truth: Plausibilities) -> None:
        """Add the probability of each class to be the first one under the main truth, and the baseline of the commonest class."""
        if reliability == self.truths.middle:
            self.top = truth.membership(1, ties=self.options.ties)
        self._add_constant(reliability, truth)

    @cached_property
    def shares(self) -> Array | None:
        """The number of votes (K,) for each class; None if nothing is compared with the commonest class."""
        few = self.voted.n_cases * self.voted.n_classes <= MOST_CELLS
        wanted = self.details and self.scores and few and self.voted.defined.any()
        return self.votes if wanted else None

    @cached_property
    def votes(self) -> Array:
        """The number of votes (K,) for each class."""
        own = self.voted.mean()[self.voted.defined]
        return np.asarray(own.sum(axis=0) if self.times is None else self.times[self.voted.defined] @ own)

    @cached_property
    def commonest(self) -> Orders:
        """The classes by their shares, the same for every case."""
        assert self.shares is not None
        return Orders.from_dense(np.repeat(self.shares[None], self.voted.n_cases, axis=0), self.orders[-1], "first")

    def _add_constant(self, reliability: float | None, truth: Plausibilities, metric: str = "topk_accuracy") -> None:
        """Add the results of predicting the commonest classes for every case."""
        for k in self.orders if self.shares is not None else ():
            found = METRICS["topk_accuracy"].of(truth, self.commonest, k, ties=self.options.ties, frequency=self.times)
            self._add_reference(COMMONEST, reliability, metric, k, found.value)
            if k == 1:
                self.found.constant[metric, reliability] = found.per_case

    def _add_reference(self, reference: str, reliability: float | None, metric: str, k: int | None, value: float) -> None:
        self.found.references.append(ReferenceRow(reference, reliability, metric, k, finite(value)))

    def _add_soft(self, reliability: float | None, truth: Plausibilities) -> None:
        """Add, for two classes, AUROC and average precision of the positive one against the means of its plausibilities."""
        if not self.of_positive:
            return
        if truth.is_sampled:
            self.truths.say(Note("draws", "AUROC and average precision are computed for truths without draws only."))
            return
        p = truth.mean()[:, self.positive]
        for reference, own in ((PERFECT, np.where(np.isnan(p), 0.0, p)), (COMMONEST, np.zeros(len(p)))):
            baseline = SoftRanking.by_default(p, ScoreOrder.of(own), frequency=self.times)
            for metric, value in zip(baseline.names, baseline.estimate.tolist()):
                self._add_reference(reference, reliability, metric, None, value)
        for name, scores in self.of_positive.items():
            found, rows = SoftRanking.by_default(truth, scores, self.positive, self.times).refitted(), []
            others = self.found.over_annotators(found, len(found.names))
            for metric, value, (low, high) in zip(found.names, found.estimate.tolist(), others):
                row = MetricRow(name, reliability, metric, None, value, n_cases=self.found.number(found.kept))
                rows.append(row._replace(two_way_low=low, two_way_high=high))
            self.found.further.append((found, rows))
        few_of = found.facts.few
        for few in filter(None, [few_of(0, None), few_of(1, None)]):
            self.truths.say(few)


RESULTS = tuple(one.name for one in fields(Context) if one.default_factory is not MISSING and one.name != "choices")  # added to by truths
