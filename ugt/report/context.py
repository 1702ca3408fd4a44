"""What the sections of a report make their tables from: an evaluation whose models have been judged, with everything read once."""

from __future__ import annotations

from collections.abc import Generator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any, NamedTuple, Union

import numpy as np

from .._base import checks
from .._base.arrays import Array, Bools, Int64, NDArray
from .._base.ragged import row_of, sizes_of, take
from ..annotations import Labels, Rankings
from ..plausibilities.orders import Orders
from ..resampling import PartMeans, Ratios, Resamples, Result, Statistic, check_level
from .tables import Row

if TYPE_CHECKING:
    from ..accuracy.bounds import Assumed
    from ..aggregation.by_name import Making
    from ..plausibilities import Point

MOST_CELLS = 2 * 10**7  # cases x classes of a table that is made as a whole
LEAST_RESAMPLES = 100
MOST_WORK = 1e9  # products for the resamples of a table of means: some seconds
MOST_COUNTS = 10**8  # of a table of counts of labels


@dataclass(frozen=True)
class Options:
    """Of metrics and intervals."""

    level: float = 0.95
    interval: str = "auto"
    n_resamples: int = 1000
    ties: str = "expectation"
    missing: str = "error"

    def __post_init__(self) -> None:
        check_level(self.level)
        checks.option("interval", self.interval, ("auto", "percentile", "basic", "bca"))
        checks.whole("n_resamples", self.n_resamples)
        checks.option("ties", self.ties, checks.TIES)
        checks.option("missing", self.missing, ("error", "drop"))

    def affordable(
        self, work: float, what: str = "", notes: list[str] | None = None, *, most: float = 2e9, least: int | None = None
    ) -> int:
        """How many resamples there are where each takes this work: those that are wanted, unless together they take some seconds.

        ``notes`` are told of it where there are fewer, in the name of ``what``.
        """
        n = min(self.n_resamples, max(LEAST_RESAMPLES if least is None else least, int(most / max(work, 1))))
        if n < self.n_resamples and notes is not None:
            notes.append(f"Intervals of {what} are from {n} resamples.")
        return n


class Ask(NamedTuple):
    """Numbers that a section wants resampled: ``n`` times, drawing from the ``kept`` cases; None: from those that count in them."""

    what: Statistic | Result
    n: int
    kept: Bools | None = None


Rows = dict[str, list[Row]]
# A section yields once, what it wants resampled, and gets it.
Steps = Generator[list[Ask], list[Resamples], Rows]
Made = Union[Rows, Steps]


@dataclass(frozen=True, eq=False)
class Annotated:
    """What is known of the truth: labels, rankings or plausibilities of all N cases, of which n are judged."""

    given: Any  # Labels, Rankings or plausibilities
    rows: Int64  # (n,) the judged cases among the N

    def __post_init__(self) -> None:
        self.rows.flags.writeable = False

    @property
    def axes(self) -> Any:
        return self.given.axes

    @property
    def n_cases(self) -> int:
        """Judged or not."""
        return int(self.given.n_cases)

    @property
    def n_classes(self) -> int:
        return int(self.given.n_classes)

    @property
    def annotations(self) -> Labels | Rankings | None:
        """Of all cases; None where plausibilities were given."""
        return self.given if isinstance(self.given, (Labels, Rankings)) else None

    @property
    def rankings(self) -> Rankings | None:
        """Of all cases."""
        return self.given if isinstance(self.given, Rankings) else None

    @property
    def is_labels(self) -> bool:
        """Whether annotators gave labels."""
        return isinstance(self.given, Labels)

    @property
    def annotators(self) -> NDArray[Any]:
        """Their names; none where they are not known."""
        return np.asarray(() if self.annotations is None else self.annotations.annotators)

    @cached_property
    def labels(self) -> Labels | None:
        """Of the judged cases."""
        known = self.given
        if not isinstance(known, Labels):
            return None
        if len(self.rows) == known.n_cases:
            return known
        offsets, at = take(known.offsets, self.rows)
        return Labels(known.axes.take(self.rows), known.annotators, offsets, known.annotator[at], known.label[at], known.count[at])

    @property
    def judged(self) -> Labels | Rankings | None:
        """Annotations of the judged cases; None where there are none, or rankings of others too."""
        return self.rankings if self.rankings is not None and len(self.rows) == self.n_cases else self.labels

    @cached_property
    def counts(self) -> NDArray[Any] | None:
        """(n, K) labels of the judged cases; None where there are none, or the table would be too large."""
        return None if self.labels is None or self.n_cases * self.n_classes > MOST_COUNTS else self.labels.counts()

    @cached_property
    def n_annotations(self) -> Int64 | None:
        """(N,) labels or rankings of every case."""
        known = self.annotations
        if isinstance(known, Labels):
            return np.bincount(row_of(known.offsets), known.count, known.n_cases).astype(np.int64)
        return None if known is None else sizes_of(known.case_offsets)


@dataclass(frozen=True, eq=False)
class Context:
    """An evaluation whose models have been judged; arrays are over the n judged cases, in their order."""

    known: Annotated
    scores: Mapping[str, Array]  # model -> (n, K)
    voted: Point
    clusters: NDArray[Any] | None  # (n,) ids
    subgroups: Mapping[str, NDArray[Any]]  # name, such as site -> (n,) text, "" where it is not known
    certainty: Sequence[Row]  # of the table, without intervals over cases
    certainty_columns: Sequence[Array]  # contributions (n,) of the cases whose mean each value is; NaN where a case has none
    metrics: Sequence[Row]  # as certainty
    columns: Sequence[Array]  # as certainty_columns
    deviations: Sequence[Array]  # (B,) of each metric over draws of the truth, one a resample
    soft: Sequence[tuple[Statistic, Sequence[Row]]]  # scores of two classes, and the rows of their numbers
    bounds: Sequence[tuple[str, float | None, Assumed]]  # of the accuracy against the true class: model, reliability
    references: Sequence[Row]  # what simple and perfect models would have
    constant: Mapping[tuple[str, float | None], Array]  # metric and reliability -> (n,) contributions of always the commonest class
    shares: Array | None  # (K,) how often each class is voted for; None where nothing is compared with the commonest one
    case_certainty: Mapping[str, Array]  # reliability ("given" where there is none) -> (n,) certainty of order 1
    reliability: float | None  # the middle one: tables that need a single truth use it
    mean: Array | None  # (n, K) plausibilities under it, NaN for cases without annotations; None where the table would be too large
    top: Array | None  # (n, K) probability of each class to be the most plausible one, as accuracies take it; as mean; if details
    aggregation: str  # how annotations became truth
    diagnostics: Sequence[Row]  # of the Markov chains of sampled truths
    making: Making  # as ugt.evaluate takes it, and the options
    options: Options
    details: bool  # whether further tables are wanted
    groups: tuple[Int64, list[str]] | None = None  # (K,) of the classes, and their names

    @property
    def n_cases(self) -> int:
        """Judged ones."""
        return len(self.known.rows)

    @cached_property
    def core(self) -> Statistic:
        """All certainties, then all metrics, as means over cases."""
        found = Ratios.of(np.stack([*self.certainty_columns, *self.columns], 1))
        found.span = (0.0, 1.0)
        return found

    @cached_property
    def counted(self) -> Bools:
        """(n,) cases that count in any of them; the others are not there at all when cases are resampled."""
        kept = self.core.kept
        return kept if kept.any() else np.ones_like(kept)

    @property
    def asked(self) -> list[Ask]:
        """What certainties, metrics and soft scores want resampled."""
        n = self.options.n_resamples
        return [Ask(self.core, n, self.counted), *(Ask(score, n, self.counted) for score, _ in self.soft)]

    def label_counts(self, without: str, notes: list[str]) -> Int64 | None:
        """(n, K) counts of labels, where there are scores to hold against them; a note where they are too many."""
        if not self.known.is_labels or not self.scores:
            return None
        if self.known.counts is None:
            notes.append(f"{without}: over {MOST_COUNTS:,} cases x classes.")
        return self.known.counts

    def ask_parts(self, parts: Sequence[tuple[Int64, Array]], what: str, notes: list[str]) -> Ask:
        """Means over parts of the cases, on the resamples that the metrics have."""
        found = PartMeans(self.n_cases, parts)
        return Ask(found, self.options.affordable(found.work + 5 * self.n_cases, what, notes, most=MOST_WORK), self.counted)

    def metric(self, model: str, metric: str, reliability: float | None, k: int = 1) -> int | None:
        """Where a metric stands among the metrics, or None if it was not evaluated."""
        wanted = {"model": model, "metric": metric, "k": k, "reliability": reliability}
        return next((i for i, row in enumerate(self.metrics) if all(row[key] == value for key, value in wanted.items())), None)

    def column(self, model: str, metric: str, reliability: float | None) -> Array | None:
        """(n,) contributions to a metric at k = 1, or None if it was not evaluated."""
        at = self.metric(model, metric, reliability)
        return None if at is None else self.columns[at]

    @property
    def resampling(self) -> dict[str, Any]:
        """How cases are resampled, as metrics take it."""
        return {"clusters": self.clusters, "n_resamples": self.options.n_resamples, "seed": self.making.seed}

    def intervals(self, found: Resamples) -> Array:
        """(M, 2) as the evaluation wants them."""
        return found.interval(self.options.level, self.options.interval)

    @cached_property
    def unit_names(self) -> tuple[str]:
        return ("cases",) if self.clusters is None else ("clusters",)

    def clusters_of(self, cases: Any) -> NDArray[Any] | None:
        return None if self.clusters is None else self.clusters[cases]

    @cached_property
    def defined(self) -> Bools:
        """(n,) cases with mean plausibilities."""
        return np.zeros(self.n_cases, bool) if self.mean is None else np.asarray(~np.isnan(self.mean).any(axis=1))

    @cached_property
    def choices(self) -> dict[str, Array]:
        """(n, K) first choices of every model, as the ties of the evaluation go."""
        return {name: first_choices(table, self.options.ties) for name, table in self.scores.items()}


def first_choices(scores: Array, ties: str = "expectation") -> Array:
    """(n, K) 1 for the class with the highest score; tied ones share it, or the first has it."""
    return Orders.from_dense(scores, 1, ties).sets(1).membership(1)


def most(numbers: NDArray[Any], n: int) -> Int64:
    """The positions of the n largest numbers, ascending; of equal ones the first."""
    return np.sort(np.argsort(-np.asarray(numbers, np.float64), kind="stable")[:n])


def pairs(first: Int64, second: Int64) -> tuple[Int64, Int64]:
    """``(where each distinct pair stands first, number of every row's pair)``."""
    keys = first.astype(np.int64) * (int(second.max(initial=0)) + 1) + second
    _, at, code = np.unique(keys, return_index=True, return_inverse=True)
    return at, code.reshape(-1)
