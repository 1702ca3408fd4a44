"""The sensitivity of the results to each annotator, the reliability, the prior, the rule for ties and the truth model; diagnostics."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
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
from ..truth import by_name
from ..truth.by_name import Diagnostic
from .context import Rows
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
    k: int
    value: Number
    change: Number
    best: str | None
    n_cases: int


TABLES = {"sensitivity": SensitivityRow, "diagnostics": Diagnostic}
METRIC = "topk_accuracy"
MOST_ANNOTATORS = 20
BACKGROUNDS = (0.0, 0.001, 0.1)
MOST_WORK = 3 * 10**7  # most annotations, and cases x models, that are read again: some seconds
FIT = 100  # reads of every label for every class in a fit of annotators, at most
MOST_DRAWS = 2 * 10**6  # most cases x draws of a setting that is sampled again
UNDETERMINED = "Sensitivity to {kind} ({name}) was not computed: for the graded-response model labels must {must}. Got {got}."
MOST_POINTS = 12 * 10**6  # most cases x draws of all such settings
LEARNING = 2000  # draws that take as long as the proposal of a case


def make(context: Context, notes: list[Note]) -> Rows:
    """Return rows of top-1 accuracy under each setting."""
    tables: dict[str, Sequence[NamedTuple]] = {"diagnostics": context.diagnostics}
    if context.scores:
        work = _Work(context)
        tables["sensitivity"] = [row for setting in work.settings() for row in work.rows(setting)]
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

    # ---- the settings

    def settings(self) -> Iterator[Setting]:
        """Yield all settings that are meaningful for these data and within the bounds of work."""
        for setting in (*self._rules(), *(self._annotators() if self.annotated else ())):
            if self._affordable(setting):
                yield setting
            else:
                self.left_out.append(f"{setting.kind} ({setting.name})")

    def _rules(self) -> Iterator[Setting]:
        context, how, making = self.context, self.how, self.context.making
        middle = context.reliability
        other = "first" if self.ties == "expectation" else "expectation"
        if self.annotated:
            for value in () if middle is None else (middle / 2, middle * 2):
                yield Setting("reliability", f"{value:g}", how, value)
            if how == "dirichlet":
                for factor in (0.1, 10.0) if np.any(np.asarray(making.prior) > 0) else ():
                    prior = np.asarray(making.prior, np.float64) * factor
                    yield Setting("prior", f"x {factor:g}", how, middle, {"prior": prior if prior.ndim else float(prior)})
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

    def _changed(self, setting: Setting) -> dict[str, Array]:
        """Return the contributions (n,) under a setting; none if the labels do not determine its truth model."""
        context = self.context
        if setting.annotator >= 0 and setting.how not in by_name.FITTED:  # fitted models read all cases together
            rows = self.cases_of[setting.annotator]
            part = self._compared(
                self._truth(setting, without(context.known.given, setting.annotator, context.known.rows[rows])), rows, self.orders
            )
            found = {name: column.copy() for name, column in self.main.items()}
            for name, column in part.items():
                found[name][rows] = column
            return found
        known = context.known.given
        if setting.joined:
            return {name: self._joined(setting, self._chosen(table)) for name, table in context.scores.items()}
        if setting.annotator >= 0:
            known = without(known, setting.annotator, np.arange(known.n_cases, dtype=np.int64))
        lacking = _lacking(known) if setting.how == "graded-response" else None
        if lacking is not None:
            must, got = lacking
            self.said.append(Note("undetermined", UNDETERMINED, kind=setting.kind, name=setting.name, must=must, got=got))
            return {}
        truth = self._truth(setting, known).take(context.known.rows)
        if setting.ties is None:
            return self._compared(truth, None, self.orders)
        orders = {name: Orders.from_dense(table, 1, setting.ties) for name, table in context.scores.items()}
        return self._compared(truth, None, orders, setting.ties)

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
        """Return a row for each model."""
        if not self.main:
            return []
        columns = self._changed(setting)
        values = {name: _mean(column) for name, column in columns.items()}
        known = [value for value in values.values() if value is not None]
        best = " = ".join(name for name, value in values.items() if value is not None and max(known) - value <= EQUAL) or None
        rows = []
        for name, value in values.items():
            main = _mean(self.main[name])
            change = None if value is None or main is None else value - main
            n = int((~np.isnan(columns[name])).sum())
            rows.append(SensitivityRow(setting.kind, setting.name, name, METRIC, 1, value, change, best, n))
        return rows

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


def _lacking(labels: Labels) -> tuple[str, str] | None:
    """Return what labels must do for the graded-response model, and what they do instead; None if it can be fitted."""
    from ..annotators.graded import undetermined  # noqa: PLC0415  (few evaluations need it)

    return undetermined(labels)


def _mean(column: Array) -> float | None:
    defined = column[~np.isnan(column)]
    return finite(defined.mean()) if len(defined) else None


def _rows_of(orders: Orders, rows: Int64) -> Orders:
    """Return the orders of some rows."""
    offsets, at = take(orders.offsets, rows)
    return Orders(offsets, orders.index[at], orders.start[at], orders.n_classes, orders.depth)
