"""The sensitivity of the results to each annotator, the reliability, the prior, the rule for ties and the truth model; diagnostics."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from .._base import notices
from .._base.arrays import Array, Int64
from .._base.notes import Note
from .._base.ragged import take
from ..annotations.other_annotators import cases_of_annotators, joined, without
from ..plausibilities.metric import METRICS
from ..plausibilities.orders import Orders
from ..soft import ScoreOrder
from ..soft.ranking import SoftRanking
from ..truth import by_name
from ..truth.by_name import Diagnostic
from ..truth.leading import OPTIONS, REFUTED, fitted, halves_of, options_of
from .context import Rows, score_of
from .rows import Number, finite
from .standings import EQUAL

if TYPE_CHECKING:
    from ..annotations import Labels
    from .context import Context


__all__ = ["TABLES", "Diagnostic", "make"]


class SensitivityRow(NamedTuple):
    """The value of a model if one choice is made differently, and its change, in [-1, 1]."""

    kind: str
    setting: str
    model: str
    metric: str
    k: int | None
    value: Number
    change: Number
    best: str | None
    n_cases: int


class DefaultTruthRow(NamedTuple):
    """The value of a model under the default truth, in [0, 1], if held-out annotators refute that truth and another one leads."""

    model: str
    metric: str
    k: int | None
    value: Number
    n_cases: int


TABLES = {"sensitivity": SensitivityRow, "default_truth": DefaultTruthRow, "diagnostics": Diagnostic}
METRIC = "topk_accuracy"
CHECKED = tuple(name for name in OPTIONS if name != "plackett-luce")  # truth models that are quick to check
OF_POSITIVE = ("soft_auroc", "soft_average_precision")  # of two classes
MOST_ANNOTATORS = 20
BACKGROUNDS = (0.0, 0.001, 0.1)
MOST_WORK = 3 * 10**7  # most annotations, and cases x models, that are read again: some seconds
FIT = 100  # reads of every label for every class in a fit of annotators, at most
MOST_DRAWS = 2 * 10**6  # most cases x draws of a setting that is sampled again
IN_PROPORTION = "reliability and prior in proportion"  # a kind of setting
UNDETERMINED = "Sensitivity to {kind} ({name}) was not computed: for the graded-response model labels must {must}. Got {got}."
MOST_POINTS = 12 * 10**6  # most cases x draws of all such settings
LEARNING = 2000  # draws that take as long as the proposal of a case


def make(context: Context, notes: list[Note]) -> Rows:
    """Return rows of top-1 accuracy under each setting."""
    tables: dict[str, Sequence[NamedTuple]] = {"diagnostics": context.diagnostics}
    if context.scores:
        work = _Work(context)
        tables["sensitivity"] = [row for setting in work.settings() for row in work.rows(setting)]
        tables["default_truth"] = work.by_default()
        notes += work.notes()
    return tables


@dataclass(frozen=True)
class Setting:
    """One choice that differs from the main analysis."""

    kind: str
    name: str
    how: str  # the truth model
    reliability: float | None = None
    making: dict[str, Any] = field(default_factory=dict)  # its changed options
    ties: str | None = None  # rule for ties of the predictions
    annotator: int = -1  # the annotator who is left out
    joined: bool = False  # whether the model is one of the annotators


class ChangedCases(NamedTuple):
    """What a setting makes of the cases: contributions (n,) of each model, and the plausibility (n,) of the positive class, if known."""

    columns: dict[str, Array]
    positive: Array | None = None


class _Work:
    """Top-1 accuracy of all models, setting by setting; cases that a setting does not affect keep their values."""

    def __init__(self, context: Context) -> None:
        self.context = context
        self.ties = context.options.ties
        self.how = context.aggregation
        self.annotated = context.known.annotations is not None
        self.orders = {name: Orders.from_dense(table, 1, self.ties) for name, table in context.scores.items()}
        self.left_out: list[str] = []
        self.said: list[Note] = []
        self.work = self.n_points = 0
        self.main = self._main()
        areas = [row for row in context.all_metrics if row.metric in OF_POSITIVE and row.reliability == context.reliability]
        self.main_areas = {(row.model, row.metric): row.value for row in areas}
        self.of_positive = {row.model: ScoreOrder.of(score_of(context.scores[row.model], context.positive)) for row in areas}
        known, making = context.known.judged, context.making
        self.halves = halves_of(known, context.clusters, making, context.times) if known is not None and self.main else None

    # ---- the settings

    def settings(self) -> Iterator[Setting]:
        """Yield all settings that are meaningful for these data and within the bounds of work."""
        for setting in (*self._rules(), *(self._annotators() if self.annotated else ())):
            if self._affordable(setting):
                if not self._refuted(setting):
                    yield setting
            else:
                self.left_out.append(f"{setting.kind} ({setting.name})")

    def _refuted(self, setting: Setting) -> bool:
        """Return whether held-out annotators refute the truth model of a setting; False if that is not checked."""
        if self.halves is None or setting.annotator >= 0 or setting.joined or setting.ties is not None or setting.how not in CHECKED:
            return False
        making = replace(self.context.making, **setting.making)
        own, reliability = making.annotator_reliability, setting.reliability
        weight = reliability if own is None or reliability is None else {name: reliability * value for name, value in own.items()}
        try:
            with notices.heard():
                return self.halves.check(setting.how.replace("-", "_"), False, options_of(setting.how, weight, making)).p_value < REFUTED
        except ValueError:  # no case has a held-out annotation beside those that are left
            return False

    def _rules(self) -> Iterator[Setting]:
        context, how, making = self.context, self.how, self.context.making
        middle = context.reliability
        other = "first" if self.ties == "expectation" else "expectation"
        if self.annotated:
            for value in () if middle is None else (middle / 2, middle * 2):
                yield Setting("reliability", f"{value:g}", how, value)
            if how == "dirichlet":
                yield from self._priors(middle)
            if how == "prirn":
                for value in (v for v in BACKGROUNDS if v != making.background):
                    yield Setting("prior", f"background {value:g}", how, middle, {"background": value})
        yield Setting("tie rule", f"tied scores by {'position' if other == 'first' else 'expectation'}", how, middle, ties=other)
        if self.annotated:
            if how in ("irn", "prirn") and context.known.rankings is not None:
                weight = "full" if making.tie_weight == "split" else "split"
                name = f"tied classes of a ranking weigh {'1 each' if weight == 'full' else 'one share'}"
                yield Setting("tie rule", name, how, middle, {"tie_weight": weight})
            yield from self._aggregations()

    def _priors(self, middle: float | None) -> Iterator[Setting]:
        """Yield other priors: in proportion to the reliability, between which no further label decides; the fitted ones."""
        own = np.asarray(self.context.making.prior, np.float64)
        if middle is not None and np.any(own > 0):
            for factor in (0.5, 2.0):
                prior = own * factor if own.ndim else float(own) * factor
                yield Setting(IN_PROPORTION, f"{middle * factor:g}", self.how, middle * factor, {"prior": prior})
        if not own.ndim and own != by_name.Making.prior:
            yield Setting("prior", f"{by_name.Making.prior:g}", self.how, middle, {"prior": by_name.Making.prior})
        for name, per_class in (("fitted", False), ("fitted per class", True)):
            known = self.context.known
            fit = fitted(known.given, per_class, None, known.times) if known.is_labels and self.halves is not None else None
            if fit is not None and not np.array_equal(fit.value, own):
                yield Setting("prior", name, self.how, middle, {"prior": fit.value})

    def _aggregations(self) -> Iterator[Setting]:
        given = self.context.known.given
        known = ("dirichlet",) if self.context.known.is_labels else ()
        fitted = [how for how in by_name.FITTED if how != "graded-response" or given.ordered] if known and len(given.annotators) > 1 else []
        alike = {"annotator_reliability": None}  # reliabilities of annotators in one truth model have no meaning in another
        for how in ("votes", "irn", "prirn", *known, *fitted):
            if how != self.how:
                values = by_name.RELIABILITIES.get(how)
                middle = None if values is None else float(values[len(values) // 2])
                yield Setting("aggregation", how if middle is None else f"{how}, reliability {middle:g}", how, middle, alike)
        if fitted:
            yield Setting("model as an annotator", "dawid-skene", "dawid-skene", joined=True)

    def _annotators(self) -> Iterator[Setting]:
        known = self.context.known.given
        if len(known.annotators) < 2:  # if they are not named, the evaluation has a note
            self.said += [Note("one_annotator", "No annotator was dropped: there is one only.")] * len(known.annotators)
            return
        per_annotator = cases_of_annotators(known, self.context.known.rows)
        n = len(known.annotators)
        counts = np.array([len(cases) for cases in per_annotator])
        self.cases_of = per_annotator
        order = np.argsort(-counts, kind="stable")[:MOST_ANNOTATORS]
        order = order[counts[order] > 0]
        if n > len(order):
            words = "Of {n:,} annotators the {shown} with most cases were dropped one by one."
            self.said.append(Note("some_annotators", words, n=n, shown=len(order)))
        for a in order.tolist():
            yield Setting("annotator dropped", str(known.annotators[a]), self.how, self.context.reliability, annotator=a)

    def _affordable(self, setting: Setting) -> bool:
        """Return whether a setting is within the bounds of work; if so, count its work."""
        n = self.context.n_cases if setting.annotator < 0 else len(self.cases_of[setting.annotator])
        if setting.how == "plackett-luce":
            n_draws = self.context.making.few["n_draws"]
            n_points = n * (n_draws + LEARNING)
            if self.context.n_cases * n_draws > MOST_DRAWS or self.n_points + n_points > MOST_POINTS:
                return False
            self.n_points += n_points
        work = n * (2 + len(self.orders))
        if setting.how in by_name.FITTED:
            work += FIT * len(self.context.known.given.label) * self.context.known.n_classes * (len(self.orders) if setting.joined else 1)
        if setting.ties:
            work += sum(table.size for table in self.context.scores.values()) // 4
        if self.work + work > MOST_WORK:
            return False
        self.work += work
        return True

    # ---- the computation

    def _main(self) -> dict[str, Array]:
        """Return the contributions (n,) of the main analysis."""
        context = self.context
        if self.how == "plackett-luce":  # settings have fewer points: their differences share the random numbers
            truth = self._truth(Setting("", "", self.how, context.reliability), context.known.given)
            if truth is not None:
                return self._compared(truth.take(context.known.rows), None, self.orders)
        columns = {model: context.column(model, METRIC, context.reliability) for model in self.orders}
        found = {model: column for model, column in columns.items() if column is not None}
        if len(found) == len(self.orders):
            return found
        truth = self._truth(Setting("", "", self.how, context.reliability), context.known.given)
        return {} if truth is None else self._compared(truth.take(context.known.rows), None, self.orders)

    def _truth(self, setting: Setting, known: Any) -> Any:
        """Return plausibilities of all cases of ``known`` under a setting; None if sampling them again would take too long."""
        context = self.context
        if setting.how == "plackett-luce" and context.n_cases * context.making.few["n_draws"] > MOST_DRAWS:
            return None
        making = replace(context.making, **context.making.few, **setting.making)
        truths = by_name.truths(known, setting.how if self.annotated else "auto", setting.reliability, making)
        with notices.heard():  # notes were added for the main analysis
            return truths.makers[0][1]()  # without the diagnostics of chains

    def _compared(self, truth: Any, rows: Int64 | None, orders: dict[str, Orders], ties: str | None = None) -> dict[str, Array]:
        ties = ties or self.ties
        if rows is not None:
            orders = {name: _rows_of(order, rows) for name, order in orders.items()}
        return {name: np.asarray(truth.compare(order, METRICS[METRIC], 1, ties=ties).per_case) for name, order in orders.items()}

    def _changed(self, setting: Setting) -> ChangedCases:
        """Return the cases under a setting; no models if the labels do not determine its truth model."""
        context = self.context
        if setting.annotator >= 0 and setting.how not in by_name.FITTED:  # fitted models read all cases together
            return self._without(setting, self.cases_of[setting.annotator])
        known = context.known.given
        if setting.joined:
            return ChangedCases({name: self._joined(setting, self._chosen(table)) for name, table in context.scores.items()})
        if setting.annotator >= 0:
            known = without(known, setting.annotator, np.arange(known.n_cases, dtype=np.int64))
        lacking = _lacking(known) if setting.how == "graded-response" else None
        if lacking is not None:
            must, got = lacking
            self.said.append(Note("undetermined", UNDETERMINED, kind=setting.kind, name=setting.name, must=must, got=got))
            return ChangedCases({})
        truth = self._truth(setting, known).take(context.known.rows)
        if setting.ties is None:
            return ChangedCases(self._compared(truth, None, self.orders), self._positive(truth))
        orders = {name: Orders.from_dense(table, 1, setting.ties) for name, table in context.scores.items()}
        return ChangedCases(self._compared(truth, None, orders, setting.ties))

    def _without(self, setting: Setting, rows: Int64) -> ChangedCases:
        """Return the cases without an annotator, of whom only some cases have labels."""
        context = self.context
        truth = self._truth(setting, without(context.known.given, setting.annotator, context.known.rows[rows]))
        found = {name: column.copy() for name, column in self.main.items()}
        for name, column in self._compared(truth, rows, self.orders).items():
            found[name][rows] = column
        part = self._positive(truth)
        if part is None or context.mean is None:
            return ChangedCases(found)
        positive = context.mean[:, context.positive].copy()
        positive[rows] = part
        return ChangedCases(found, positive)

    def _positive(self, truth: Any) -> Array | None:
        """Return the plausibility of the positive one of two classes; None if there are no areas of it."""
        return np.asarray(truth.mean()[:, self.context.positive]) if self.of_positive and not truth.is_sampled else None

    def _chosen(self, table: Array) -> Array:
        """Return (n, K) the share of each class in the first choice: tied best classes share it, unless ties go by position."""
        best = table == table.max(axis=1, keepdims=True)
        if self.ties == "first":
            best &= np.cumsum(best, axis=1) == 1
        return np.asarray(best / best.sum(axis=1, keepdims=True))

    def _joined(self, setting: Setting, chosen: Array) -> Array:
        """Return (n,) the probability of the first choice if the model is one of the annotators: its accuracy, if all err independently.

        A case whose best classes are tied gets no label of the model, and the mean probability of these classes.
        """
        rows = self.context.known.rows
        one = np.flatnonzero(np.count_nonzero(chosen, axis=1) == 1)
        truth = self._truth(setting, joined(self.context.known.given, rows[one], chosen[one].argmax(axis=1))).take(rows)
        found = (truth.mean() * chosen).sum(axis=1)
        found[~self.context.voted.defined] = np.nan  # cases that no annotator has judged
        return np.asarray(found)

    def rows(self, setting: Setting) -> list[SensitivityRow]:
        """Return a row for each model and measure."""
        if not self.main:
            return []
        found = self._changed(setting)
        values = {name: self._mean(column) for name, column in found.columns.items()}
        counts = {name: self.context.number(~np.isnan(column)) for name, column in found.columns.items()}
        mains = {name: self._mean(self.main[name]) for name in values}
        rows = _rows_of_measure(setting, METRIC, 1, values, mains, counts)
        for metric, own in self._areas(found.positive).items():
            n = 0 if found.positive is None else self.context.number(~np.isnan(found.positive))
            mains = {name: self.main_areas[name, metric] for name in own}
            rows += _rows_of_measure(setting, metric, None, own, mains, dict.fromkeys(own, n))
        return rows

    def _areas(self, positive: Array | None) -> dict[str, dict[str, float | None]]:
        """Return AUROC and average precision of each model against plausibilities of the positive class."""
        found: dict[str, dict[str, float | None]] = {}
        for model, order in self.of_positive.items() if positive is not None else ():
            statistic = SoftRanking.by_default(positive, order, frequency=self.context.times)
            for metric, value in zip(statistic.names, statistic.estimate.tolist()):
                if metric in OF_POSITIVE:
                    found.setdefault(metric, {})[model] = finite(value)
        return found

    def _mean(self, column: Array) -> float | None:
        return finite(self.context.mean_of(column))

    def by_default(self) -> list[DefaultTruthRow]:
        """Return the values under the default truth, if another one leads because held-out annotators refute it."""
        default = next((one for one in self.context.checked if one.role == "default"), None)
        if default is None or not self.main:
            return []
        making = {"prior": by_name.Making.prior, "fit": None}
        rows = self.rows(Setting("", "", default.aggregation, default.reliability, making))
        return [DefaultTruthRow(row.model, row.metric, row.k, row.value, row.n_cases) for row in rows]

    def notes(self) -> list[Note]:
        """Return notes on what was left out."""
        notes = list(self.said)
        if not self.main:
            return [*notes, Note("too_long", "Sensitivity was not computed: sampling all cases anew takes too long.")]
        if self.left_out:
            shown = ", ".join(self.left_out[:10])
            more = f" and {len(self.left_out) - 10} more" if len(self.left_out) > 10 else ""
            words = "Sensitivity to some settings was not computed, because it takes too long: {settings}{more}."
            notes.append(Note("too_long", words, settings=shown, more=more))
        return notes


def _rows_of_measure(
    setting: Setting, metric: str, k: int | None, values: Mapping[str, Number], mains: Mapping[str, Number], n_cases: Mapping[str, int]
) -> list[SensitivityRow]:
    """Return a row for each model, with those that have the best value."""
    known = [value for value in values.values() if value is not None]
    best = " = ".join(name for name, value in values.items() if value is not None and max(known) - value <= EQUAL) or None
    rows = []
    for name, value in values.items():
        main = mains[name]
        change = None if value is None or main is None else value - main
        rows.append(SensitivityRow(setting.kind, setting.name, name, metric, k, value, change, best, n_cases[name]))
    return rows


def _lacking(labels: Labels) -> tuple[str, str] | None:
    """Return what labels must do for the graded-response model, and what they do instead; None if it can be fitted."""
    from ..annotators.graded import undetermined  # noqa: PLC0415  (few evaluations need it)

    return undetermined(labels)


def _rows_of(orders: Orders, rows: Int64) -> Orders:
    """Return the orders of some rows."""
    offsets, at = take(orders.offsets, rows)
    return Orders(offsets, orders.index[at], orders.start[at], orders.n_classes, orders.depth)
