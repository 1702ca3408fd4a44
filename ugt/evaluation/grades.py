"""What an evaluation of grades or of ratings adds: errors and further measures of every model, with their baselines and limits."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Callable, NamedTuple

import numpy as np

from .._base import notices
from .._base.checks import error
from .._base.grades import numbers_of
from .._base.notes import Note
from .._base.ragged import row_of, sizes_of
from .._base.wording import within
from ..annotations import Ratings
from ..grades import GRADE_METRICS
from ..grades.errors import median_of
from ..grades.input import GradeScale, Predicted
from ..plausibilities import Estimate, Point
from ..resampling import over
from ..tables.answer import ReferenceRow
from ..tables.errors import distance_of_pairs
from ..tables.names import ERROR, MEDIAN, PERFECT, VOTED_ERROR, WITHIN
from ..tables.rows import finite
from ..tables.standings import MetricRow

if TYPE_CHECKING:
    from .._base.arrays import Array, NDArray
    from ..grades.declared import GradeMetric
    from ..resampling import Statistic
    from ..tables.context import Context
    from ..tables.rows import Number

OF_LAWS = ("ranked_probability_score", "grade_wasserstein")
OF_ORDER = ("spearman", "kendall", "concordance", "auroc_at_cuts")  # a constant answer has no order
ROUNDED = "Measures of classes and within-one accuracy take, of one number per case, the nearest grades: {models}."
NOT_PROBABILITIES = "The scores of model {model!r} are not probabilities of the grades: measures of grades use its first choice."


@dataclass
class GradePredictions:
    """The predictions of one model: numbers or grades (n,), or probabilities of the grades (n, K), as the metrics of grades take them."""

    table: Array
    kind: str  # "numbers", "grades" or "probabilities"


def predictions_of(scores: Array, values: Array) -> tuple[GradePredictions, bool]:
    """Return the predictions of a model on a scale of grades, and whether they are what metrics of grades need."""
    first = scores.argmax(axis=1)
    if np.array_equal(scores, np.eye(len(values))[first]):
        return GradePredictions(values[first], "grades"), True
    total = scores.sum(axis=1)
    if (scores >= 0).all() and np.abs(total - 1).max(initial=0.0) < 1e-6:
        return GradePredictions(scores, "probabilities"), True
    return GradePredictions(values[first], "grades"), False


class Beside(NamedTuple):
    """The distances (n,) of each model to one annotator of a case, and of two annotators to each other; NaN if there are none."""

    models: Mapping[str, Array]
    annotators: Array


def _at(reliability: float | None) -> str:
    return "" if reliability is None else f" at reliability {reliability:g}"


def nearness(numbers: Array, values: Array) -> Array:
    """Return scores (n, K): the nearer a grade to the number, the higher."""
    return np.asarray(-np.abs(numbers[:, None] - values).round(12))


def read(
    scores: dict[str, Array], numbers: set[str], values: Array, axes: Any, kind: str | None
) -> tuple[dict[str, Array], dict[str, GradePredictions], list[Note]]:
    """Return scores (n, K) for measures of classes, predictions for measures of grades, and notes; one number is nearest to a grade."""
    found, given, notes, between = {}, {}, [], []
    for name, table in scores.items():
        if name in numbers:
            try:
                one = Predicted.of(table[:, 0], axes, GradeScale(values, numbers_of(axes.classes) is not None), kind)
            except ValueError as problem:
                raise within(f"model {name!r}", problem) from None
            assert one.numbers is not None
            given[name], found[name] = GradePredictions(one.numbers, one.kind), nearness(one.numbers, values)
            between += [name] if one.kind == "numbers" else []
            continue
        given[name], needed = predictions_of(table, values)
        found[name] = table
        notes += [] if needed else [Note("scores_no_probabilities", NOT_PROBABILITIES, model=name)]
    if between:
        notes.append(Note("nearest_grades", ROUNDED, models=", ".join(sorted(between))))
    return found, given, notes


def median_grade(shares: Array, values: Array) -> float:
    """Return the lowest grade up to which half of all votes (K,) lie."""
    return float(values[int(np.searchsorted(np.cumsum(shares), shares.sum() / 2 * (1 - 1e-12)))])


@dataclass
class Graded:
    """The measures of grades of all models, added one truth after the other; arrays are over the n judged cases."""

    given: Mapping[str, GradePredictions]
    values: Array | None  # (K,) numbers of the grades; None: ratings on a real scale
    names: NDArray[Any] | None  # (K,) names of the grades; None: ratings on a real scale
    median: float  # of all grades or ratings
    two_way: Callable[[Statistic, int], list[tuple[Number, Number]]]
    further: list[tuple[Statistic, list[MetricRow]]]  # as in the context
    references: list[ReferenceRow]
    level: float
    say: Callable[[Note], None]  # adds a note
    heads: dict[tuple[str, str, float | None], Statistic]  # as in the context
    columns: dict[tuple[str, str, float | None], Array] = field(default_factory=dict)  # model, metric, reliability -> (n,) contributions
    constant: dict[tuple[str, float | None], Array] = field(default_factory=dict)  # as in the context
    least: dict[float | None, Array] = field(default_factory=dict)  # reliability -> (n,) least expected error of any prediction

    @property
    def answer(self) -> str:
        """The constant answer, as text: the name of the grade, or a rating."""
        if self.values is None or self.names is None:
            return f"{self.median:.6g}"
        return str(self.names[int(np.argmin(np.abs(self.values - self.median)))])

    def point(self, model: str) -> Array:
        """Return the predicted numbers (n,): of probabilities, the median."""
        one = self.given[model]
        if one.kind != "probabilities":
            return one.table
        assert self.values is not None
        return median_of(Predicted(one.kind, law=one.table), GradeScale(self.values, True))

    def judge(self, reliability: float | None, truth: Any, empty: object) -> None:
        """Add all measures under one truth; ``empty``: a prediction for cases without a truth, which do not count."""
        for metric in self.metrics():
            for model, given in self.given.items():
                if given.kind == "numbers" and not metric.numbers:
                    continue
                with notices.heard() as said:
                    found = self.of(metric, truth, given)
                if isinstance(found, Estimate) and (infinite := int(np.isinf(found.per_case).sum())):
                    self._without(metric, reliability, infinite, truth.n_cases)
                    continue
                self._add(model, reliability, metric.name, found)
                where = _at(reliability) if self.values is None else ""  # of grades, what is undefined is so under every truth
                for message in said:
                    self.say(message.with_text(f"{metric.label} of model {model!r}{where}: {message}."))
            if metric.name not in OF_ORDER:
                self._refer(MEDIAN, reliability, metric, truth, self._always(truth))
            self._refer(PERFECT, reliability, metric, truth, self._own(truth, empty))
        headline = GRADE_METRICS[ERROR]
        self.constant[ERROR, reliability] = self.of(headline, truth, self._always(truth)).per_case
        self.least[reliability] = self.of(headline, truth, self._own(truth, empty)).per_case

    def _without(self, metric: GradeMetric, reliability: float | None, infinite: int, n: int) -> None:
        """Say that an error is infinite; refuse a truth under which the headline is."""
        if metric.name == ERROR:
            must = "leave new ratings a finite expected distance (a larger reliability, or a prior with a larger shape)"
            raise error("reliability", must, f"an infinite one at {reliability:g}, in {infinite:,} of {n:,} cases")
        words = "{metric}{at}: not computed, as new ratings have an infinite variance in {infinite:,} of {n:,} cases."
        self.say(Note("infinite", words, metric=metric.label, at=_at(reliability), infinite=infinite, n=n))

    def metrics(self) -> list[GradeMetric]:
        """Return the metrics that say something of these predictions; for one number per case, distances of laws are its absolute error."""
        laws = any(one.kind == "probabilities" for one in self.given.values())
        shown = [one for one in GRADE_METRICS.values() if one.shown and (laws or one.name not in OF_LAWS)]
        return shown if self.values is not None else [one for one in shown if one.real and one.unit != "share"]

    def against(self, voted: object) -> None:
        """Add the errors against voted grades, a truth."""
        headline = GRADE_METRICS[ERROR]
        for model, given in self.given.items():
            self._add(model, None, VOTED_ERROR, self.of(headline, voted, given))
        self.constant[VOTED_ERROR, None] = self.of(headline, voted, self._always(voted)).per_case

    def beside(self, context: Context) -> Beside | None:
        """Return the errors of models against one annotator, and of annotators against each other; None without annotations."""
        known, values = context.known, self.values
        if isinstance(known.given, Ratings):
            ratings = known.ratings
            row, n = row_of(ratings.offsets), sizes_of(ratings.offsets)
            with np.errstate(invalid="ignore"):
                models = {name: np.bincount(row, np.abs(one.table[row] - ratings.value), len(n)) / n for name, one in self.given.items()}
            return Beside(models, distance_of_pairs(ratings))
        shares = self.given_grades(context)
        if known.counts is None or values is None or shares is None:
            return None
        counts, n = known.counts.astype(np.float64), known.counts.sum(axis=1)
        with np.errstate(invalid="ignore", divide="ignore"):
            away = np.abs(values[:, None] - values)
            apart = np.where(n > 1, (counts * (counts @ away)).sum(axis=1) / (n * (n - 1.0)), np.nan)
        headline = GRADE_METRICS[ERROR]
        return Beside({name: self.of(headline, shares, one).per_case for name, one in self.given.items()}, apart)

    def given_grades(self, context: Context) -> Point | None:
        """Return the shares of the grades that annotators gave to the judged cases, as a truth; None without labels."""
        counts = context.known.counts
        if counts is None or self.values is None or not counts.any():
            return None
        return Point.from_array(over(counts, counts.sum(axis=1, keepdims=True)), classes=context.known.axes.classes)

    def of(self, metric: GradeMetric, truth: object, given: GradePredictions) -> Any:
        table, kind = given.table, given.kind
        if metric.name == WITHIN and kind == "numbers" and self.values is not None:
            table, kind = self.values[nearness(table, self.values).argmax(axis=1)], "grades"
        return metric.function(truth, table, values=self.values, predictions_are=kind, **metric.options)

    def _add(self, model: str, reliability: float | None, metric: str, found: Any) -> None:
        one = found.statistic.only(0)[0]
        self.add_row(model, reliability, metric, one, found)
        if metric in (ERROR, VOTED_ERROR):
            self.heads[metric, model, reliability] = one
        if metric in (ERROR, VOTED_ERROR):
            self.columns[model, metric, reliability] = found.per_case

    def add_row(self, model: str, reliability: float | None, metric: str, one: Statistic, found: object = None) -> None:
        """Add the row of a number, with its statistic and, if it is a mean over cases, its result."""
        ((low, high),) = self.two_way(one, 1)
        row = MetricRow(model, reliability, metric, None, float(one.estimate[0]), n_cases=int(one.n_counted))
        row = row._replace(two_way_low=low, two_way_high=high)
        if isinstance(found, Estimate):
            low, high = found.draw_interval(self.level)
            row = row._replace(draw_std=found.draw_std, draw_low=low, draw_high=high, mc_error=found.mc_error)
        self.further.append((one, [row]))

    def _refer(self, name: str, reliability: float | None, metric: GradeMetric, truth: object, given: GradePredictions) -> None:
        if given.kind != "numbers" or metric.numbers:
            with notices.heard():  # undefined if the truth is the same for all cases
                value = self.of(metric, truth, given).value
            self.references.append(ReferenceRow(name, reliability, metric.name, None, finite(value)))

    def _always(self, truth: Any) -> GradePredictions:
        return GradePredictions(np.full(truth.n_cases, self.median), "numbers" if self.values is None else "grades")

    def _own(self, truth: Any, empty: Any) -> GradePredictions:
        """Return the truth's own law, or mean, as a prediction."""
        mean = np.asarray(truth.mean())
        defined = ~np.isnan(mean if mean.ndim == 1 else mean[:, 0])
        table = np.where(defined if mean.ndim == 1 else defined[:, None], mean, empty)
        return GradePredictions(table, "numbers" if mean.ndim == 1 else "probabilities")
