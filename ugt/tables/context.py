"""The data from which makers make their tables: an evaluation whose models have been judged, with everything read once."""

from __future__ import annotations

from collections.abc import Generator, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, NamedTuple, TypeVar, Union

import numpy as np

from .._base import checks
from .._base.arrays import Array, Bools, Int64, NDArray
from .._base.lazy import cached_property
from .._base.notes import Note
from .._base.ragged import row_of, sizes_of
from ..annotations import Axes, Labels, Rankings, Ratings
from ..annotations.other_annotators import of_cases
from ..metrics.true_class import share
from ..plausibilities import Point
from ..plausibilities.orders import Orders
from ..resampling import CaseNumbers, PartMeans, Ratios, Resamples, Results, Statistic, check_level
from ..resampling.spread import RANDOM, with_annotators
from ..resampling.two_way_spreads import design_if_named, ends_if_named
from .rows import Number, ResultTable, both, reliability_key

if TYPE_CHECKING:
    from ..truth import UncertaintyParts
    from ..truth.by_name import Diagnostic, Making
    from ..truth.leading import CheckedTruth
    from .answer import ReferenceRow
    from .performance import CertaintyRow
    from .standings import MetricRow
    from .uncertainty import UncertaintyRow

StatisticT = TypeVar("StatisticT", bound=Statistic)

MOST_CELLS = 2 * 10**7  # most cells (cases x classes) of a table that is made as a whole
LEAST_RESAMPLES = 100
MOST_WORK = 1e9  # most products for the resamples of a table of means: some seconds
MOST_COUNTS = 10**8  # most cells of a table of counts of labels


@dataclass(frozen=True)
class Options:
    """The options of metrics and intervals."""

    level: float = 0.95
    interval: str = "auto"
    n_resamples: int = 1000
    ties: str = "expectation"
    missing: str = "error"
    random: str | tuple[str, ...] = RANDOM
    margin: float | None = None  # in units of the first measure, at least 0
    shared_error: float = 0.0  # share of the cases in which annotators as a group may be wrong
    claim: float | None = None  # an accuracy that is claimed, from 0 to 1

    def __post_init__(self) -> None:
        object.__setattr__(self, "level", check_level(self.level))
        checks.option("interval", self.interval, ("auto", "percentile", "basic", "bca"))
        object.__setattr__(self, "n_resamples", checks.whole("n_resamples", self.n_resamples))
        checks.option("ties", self.ties, checks.TIES)
        checks.option("missing", self.missing, ("error", "drop"))
        object.__setattr__(self, "random", RANDOM if with_annotators(self.random) else RANDOM[:1])
        if self.margin is not None:
            object.__setattr__(self, "margin", checks.scalar("margin", self.margin))
        object.__setattr__(self, "shared_error", share("shared_error", self.shared_error))
        if self.claim is not None:
            object.__setattr__(self, "claim", share("claim", self.claim))

    def affordable(
        self, work: float, what: str = "", notes: list[Note] | None = None, *, most: float = 2e9, least: int | None = None
    ) -> int:
        """Return the number of resamples: the wanted number, or fewer if resamples of this work would together take over some seconds.

        If there are fewer, a note about ``what`` is added to ``notes``.
        """
        n = min(self.n_resamples, max(LEAST_RESAMPLES if least is None else least, int(most / max(work, 1))))
        if n < self.n_resamples and notes is not None:
            notes.append(Note("fewer_resamples", "Intervals of {what} are from {n} resamples.", what=what, n=n))
        return n


class Ask(NamedTuple):
    """Numbers that a maker wants resampled ``n`` times, from the ``kept`` cases; None: from the cases that count in the numbers."""

    what: Statistic | Results
    n: int
    kept: Bools | None = None


Rows = Mapping[str, Union[Sequence[NamedTuple], ResultTable]]  # rows of the kinds that the maker declares
# A maker yields once, with the numbers that it wants resampled, and receives the resamples.
Steps = Generator[list[Ask], list[Resamples], Rows]
Made = Union[Rows, Steps]


@dataclass(frozen=True, eq=False)
class Annotated:
    """The annotations or the truth: labels, rankings or plausibilities of all N cases, of which n are judged."""

    given: Any  # Labels, Rankings, Ratings or plausibilities
    rows: Int64  # (n,) the judged cases among the N
    times: Array | None = None  # (N,) how many equal cases each stands for, 0 for those that are not judged for it; None: one

    def __post_init__(self) -> None:
        self.rows.flags.writeable = False

    @classmethod
    def all_of(cls, given: Any) -> Annotated:
        """Return annotations or a truth, all of whose cases are judged."""
        return cls(given, np.arange(given.n_cases, dtype=np.int64))

    @cached_property
    def axes(self) -> Any:
        """The names of cases and classes; ratings have a class that stands for their scale."""
        given = self.given
        return axes_of_ratings(given) if isinstance(given, Ratings) else given.axes

    @property
    def n_cases(self) -> int:
        """The number of cases, judged or not."""
        return int(self.given.n_cases)

    def number(self, of: Any = slice(None)) -> int:
        """Return the number of cases that some of the N rows stand for."""
        return int(np.ones(self.n_cases, bool)[of].sum() if self.times is None else self.times[of].sum())

    @property
    def n_classes(self) -> int:
        """The number of classes; 0 for ratings."""
        return 0 if isinstance(self.given, Ratings) else int(self.given.n_classes)

    @property
    def annotations(self) -> Labels | Rankings | None:
        """The labels or rankings of all cases; None if plausibilities or ratings were given."""
        return self.given if isinstance(self.given, (Labels, Rankings)) else None

    @property
    def annotated(self) -> Labels | Rankings | Ratings | None:
        """The annotations of all cases; None if plausibilities were given."""
        return self.given if isinstance(self.given, Ratings) else self.annotations

    @cached_property
    def ratings(self) -> Ratings:
        """The ratings of the judged cases, if annotations are ratings."""
        found: Ratings = of_cases(self.given, self.rows)
        return found

    @property
    def rankings(self) -> Rankings | None:
        """The rankings of all cases, if annotations are rankings."""
        return self.given if isinstance(self.given, Rankings) else None

    @property
    def is_labels(self) -> bool:
        """Whether annotations are labels."""
        return isinstance(self.given, Labels)

    @property
    def annotators(self) -> NDArray[Any]:
        """The names of the annotators; empty if unknown."""
        return np.asarray(() if self.annotated is None else self.annotated.annotators)

    @cached_property
    def labels(self) -> Labels | None:
        """The labels of the judged cases, if annotations are labels."""
        known = self.given
        if not isinstance(known, Labels):
            return None
        if len(self.rows) == known.n_cases:
            return known
        found: Labels = of_cases(known, self.rows)
        return found

    @property
    def judged(self) -> Labels | Rankings | None:
        """The annotations of the judged cases; None if there are none, or if rankings include other cases."""
        return self.rankings if self.rankings is not None and len(self.rows) == self.n_cases else self.labels

    @cached_property
    def counts(self) -> NDArray[Any] | None:
        """The (n, K) counts of labels of the judged cases; None without labels, or if the table would be too large."""
        return None if self.labels is None or self.n_cases * self.n_classes > MOST_COUNTS else self.labels.counts()

    @cached_property
    def n_annotations(self) -> Int64 | None:
        """The (N,) number of labels or rankings of every case."""
        known = self.annotated
        if isinstance(known, Labels):
            return np.bincount(row_of(known.offsets), known.count, known.n_cases).astype(np.int64)
        return None if known is None else sizes_of(known.offsets if isinstance(known, Ratings) else known.case_offsets)


def axes_of_ratings(ratings: Ratings) -> Axes:
    """Return the names of the cases of ratings, and one class."""
    return Axes(ratings.case_ids, np.array(["rating"]), ratings.numbered)


@dataclass(frozen=True, eq=False)
class Context:
    """An evaluation whose models have been judged; arrays are over the n judged cases, in their order."""

    known: Annotated
    scores: Mapping[str, Array]  # model -> (n, K)
    voted: Any  # a Point, or the mean ratings (n,)
    clusters: NDArray[Any] | None  # (n,) ids
    subgroups: Mapping[str, NDArray[Any]]  # name, such as site -> (n,) text, "" if not stated
    making: Making  # arguments of the truth model and its options
    options: Options
    details: bool  # whether further tables are wanted
    aggregation: str  # the truth model
    reliability: float | None  # the middle one, for tables that need a single truth
    diagnostics: Sequence[Diagnostic]  # how cases were integrated, and diagnostics of the Markov chains of sampled truths
    groups: tuple[Int64, list[str]] | None = None  # (K,) group of each class, and the names of the groups
    positive: int = 1  # of two classes
    checked: Sequence[CheckedTruth] = ()  # the truth models among which the one that leads was chosen
    # what the models were found to be, under one truth after the other
    certainty: list[CertaintyRow] = field(default_factory=list)  # rows of the table, without intervals over cases
    certainty_columns: CaseNumbers = field(default_factory=CaseNumbers)  # for each row contributions (n,) whose mean is the value, or NaN
    metrics: list[MetricRow] = field(default_factory=list)  # rows of the table of metrics, as certainty
    columns: CaseNumbers = field(default_factory=CaseNumbers)  # as certainty_columns
    deviations: list[Array] = field(default_factory=list)  # (B,) for each metric over draws of the truth, one per resample
    uncertainty: list[UncertaintyRow] = field(default_factory=list)  # rows of the table, without intervals
    parts: dict[float | None, UncertaintyParts] = field(default_factory=dict)  # what is open about one more label, at ``reliability`` only
    further: list[tuple[Statistic, list[MetricRow]]] = field(default_factory=list)  # measures that are not means of shares, with their rows
    references: list[ReferenceRow] = field(default_factory=list)  # values of simple and of perfect models
    constant: dict[tuple[str, float | None], Array] = field(default_factory=dict)  # metric, reliability -> (n,) of the commonest class
    choices: Mapping[str, Array] = field(default_factory=dict)  # model -> (n, K) first choices, with ties as in the evaluation
    shares: Array | None = None  # (K,) number of votes for each class; None if nothing is compared with the commonest class
    mean: Array | None = None  # (n, K) plausibilities at ``reliability``, NaN for cases without annotations; None if it would be too large
    top: Array | None = None  # (n, K) probability that each class is the most plausible one; NaN and None as in mean; only with details
    # of the headline measures, by metric, model and reliability, if annotators are random: the number, for differences of models
    heads: dict[tuple[str, str, float | None], Statistic] = field(default_factory=dict)
    graded: Any = None  # the measures of grades or ratings of ugt/evaluation/grades.py; None if there are none
    fitted: Any = None  # the fit of annotators from which the truth comes, if there is one

    def over_annotators(self, one: Statistic, n: int, *, panels: bool = True) -> list[tuple[Number, Number]]:
        """Return the intervals of the first n numbers for other annotators, too, if these are random; ``panels``: of ``ends_if_named``."""
        if "annotators" not in self.options.random:
            return [(None, None)] * n
        return [both(ends) for ends in ends_if_named(one, range(n), self.clusters, self.options.level, panels=panels)]

    def are_random(self, one: Statistic) -> bool:
        """Whether annotators are random in the intervals of a statistic: they are named, and there are not too many labels."""
        return "annotators" in self.options.random and design_if_named(one, self.clusters) is not None

    @property
    def n_cases(self) -> int:
        """The number of judged cases; those of one row with a frequency are one."""
        return len(self.known.rows)

    @cached_property
    def times(self) -> Array | None:
        """The (n,) number of equal cases that each judged case stands for; None: one."""
        return None if self.known.times is None else self.known.times[self.known.rows]

    @property
    def often(self) -> Array:
        """The (n,) number of equal cases that each judged case stands for, 1 without frequencies."""
        return np.ones(self.n_cases) if self.times is None else self.times

    def number(self, of: Bools) -> int:
        """Return the number of cases that some of the judged ones (n,) stand for."""
        return int(np.count_nonzero(of) if self.times is None else self.times[of].sum())

    def total(self, table: Array | Int64) -> Array:
        """Return the sums of numbers of judged cases, (n,) or (n, ...), each as often as it occurs."""
        return np.asarray(table.sum(axis=0) if self.times is None else np.tensordot(self.times, table, 1))

    def mean_of(self, column: Array) -> float:
        """Return the mean over the defined judged cases, each as often as it occurs; NaN if there are none."""
        here = ~np.isnan(column)
        n, own = self.number(here), column[here]
        return (float(own.mean() if self.times is None else self.times[here] @ own / n)) if n else np.nan

    def occurring(self, one: StatisticT) -> StatisticT:
        """Return a statistic of the judged cases, each of which counts as often as it occurs."""
        one.times = self.times
        return one

    @cached_property
    def all_metrics(self) -> list[MetricRow]:
        """The rows of all metrics: those that are means over cases, then further measures."""
        return [*self.metrics, *(row for _, rows in self.further for row in rows)]

    @cached_property
    def means(self) -> list[Ratios]:
        """All certainties, then all metrics, as means over cases."""
        found = [*self.certainty_columns.means, *self.columns.means]
        for one in found:
            self.occurring(one).span = (0.0, 1.0)
        return found

    @property
    def measures(self) -> list[Statistic]:
        """The statistics of certainties, metrics and further measures."""
        return [*self.means, *(one for one, _ in self.further)]

    @property
    def case_certainty(self) -> dict[str, Array]:
        """The certainty of order 1 (n,) of each case under each reliability ("given" if there is none)."""
        own = ((i, row) for i, row in enumerate(self.certainty) if (row.measure, row.k) == ("certainty", 1))
        return {reliability_key(row.reliability): self.certainty_columns[i] for i, row in own}

    @cached_property
    def counted(self) -> Bools:
        """The (n,) cases that count in any of the means; the others are not resampled."""
        kept = np.logical_or.reduce([np.zeros(self.n_cases, bool), *(one.kept for one in self.means or self.measures)])
        return kept if kept.any() else np.ones_like(kept)

    @property
    def asked(self) -> list[Ask]:
        """The requests for resamples of certainties, metrics and further measures."""
        return [Ask(one, self.options.n_resamples, self.counted) for one in self.measures]

    def beside(self, answers: Sequence[Resamples]) -> Resamples:
        """Return the resamples of all certainties, metrics and further measures, in the order of their rows, from those of ``asked``."""
        n = len(self.certainty_columns)
        places = np.concatenate([self.certainty_columns.places, n + self.columns.places])
        found = Resamples.beside(answers)
        begin, at = len(places), [places]
        for one, rows in self.further:
            at.append(np.arange(begin, begin + len(rows), dtype=np.int64))
            begin += len(one.names)
        return found.take(np.concatenate(at))

    def label_counts(self, without: str, notes: list[Note]) -> Int64 | None:
        """Return the counts of labels (n, K) if there are scores to compare with them; add a note if there are too many."""
        if not self.known.is_labels or not self.scores:
            return None
        if self.known.counts is None:
            notes.append(Note("too_large", "{without}: over {most:,} cases x classes.", without=without, most=MOST_COUNTS))
        return self.known.counts

    def ask_parts(self, parts: Iterable[tuple[Int64, Array]], what: str, notes: list[Note]) -> Ask:
        """Return a request for means over parts of the cases, on the resamples of the metrics."""
        found = self.occurring(PartMeans(self.n_cases, parts))
        return Ask(found, self.options.affordable(found.work + 5 * self.n_cases, what, notes, most=MOST_WORK), self.counted)

    def metric(self, model: str, metric: str, reliability: float | None, k: int = 1) -> int | None:
        """Return the place of a metric among the metrics, or None if it was not evaluated."""
        wanted = model, metric, k, reliability
        return next((i for i, row in enumerate(self.metrics) if (row.model, row.metric, row.k, row.reliability) == wanted), None)

    def column(self, model: str, metric: str, reliability: float | None) -> Array | None:
        """Return the contributions (n,) to a metric at k = 1 or without k, or None if it was not evaluated."""
        if self.graded is not None and (model, metric, reliability) in self.graded.columns:
            return np.asarray(self.graded.columns[model, metric, reliability])
        at = self.metric(model, metric, reliability)
        return None if at is None else self.columns[at]

    @property
    def resampling(self) -> dict[str, Any]:
        """The options of resampling cases, as metrics take them."""
        return {"clusters": self.clusters, "n_resamples": self.options.n_resamples, "seed": self.making.seed}

    def intervals(self, found: Resamples) -> Array:
        """Return the intervals (M, 2) of the wanted level and kind."""
        return found.interval(self.options.level, self.options.interval)

    @cached_property
    def unit_names(self) -> tuple[str]:
        return ("cases",) if self.clusters is None else ("clusters",)

    def clusters_of(self, cases: Int64 | Bools | slice) -> NDArray[Any] | None:
        return None if self.clusters is None else self.clusters[cases]

    @cached_property
    def defined(self) -> Bools:
        """The (n,) cases with mean plausibilities."""
        return np.zeros(self.n_cases, bool) if self.mean is None else np.asarray(~np.isnan(self.mean).any(axis=1))

    @cached_property
    def truth_of_grades(self) -> Point | None:
        """The mean law of the grades of each case under the main truth; None without grades, or without a mean."""
        if self.graded is None or self.graded.values is None or self.mean is None or not self.defined.any():
            return None
        return Point.from_array(self.mean, classes=self.known.axes.classes)


def score_of(table: Array, k: int) -> Array:
    """Return scores (N,) of class k: its probability, or its lead over the best other class if rows do not add up to one number."""
    own = np.ascontiguousarray(table[:, k], np.float64)
    with np.errstate(invalid="ignore"):
        if np.ptp(table.sum(axis=1)) < 1e-6:
            return own
        others = np.delete(table, k, axis=1).max(axis=1)
        return np.where(own == others, 0.0, own - others)  # two equal infinities are tied


def first_choices(scores: Array, ties: str = "expectation") -> Array:
    """Return (n, K) 1 for the class with the highest score; tied classes share it, or the first of them has it."""
    return Orders.from_dense(scores, 1, ties).sets(1).membership(1)


def most(numbers: NDArray[Any], n: int) -> Int64:
    """Return the positions of the n largest numbers, ascending; of equal numbers the first ones."""
    return np.sort(np.argsort(-np.asarray(numbers, np.float64), kind="stable")[:n])
