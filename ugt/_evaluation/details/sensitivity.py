"""What the results hang on: each annotator, the reliability, the prior, the rule for ties, the aggregation; diagnostics of draws."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any

import numpy as np

from ... import _notices
from ..._orders import Orders
from ..._ragged import offsets_of, row_of, take
from ...annotations import Labels, Rankings
from .. import truths as _truths
from ..standings import EQUAL

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from .context import Context, Row

    Array = NDArray[np.float64]

HEADINGS = {
    "sensitivity": ("kind", "setting", "model", "metric", "k", "value", "change", "best", "n_cases"),
    "diagnostics": ("reliability", "quantity", "value"),
}
METRIC = "topk_accuracy"
MOST_ANNOTATORS = 20
BACKGROUNDS = (0.0, 0.001, 0.1)
MOST_WORK = 3 * 10**7  # annotations, and cases x models, that are read anew: some seconds
MOST_DRAWS = 2 * 10**6  # cases x draws of a setting that is sampled anew
MOST_SWEEPS = 12 * 10**6  # cases x draws, those of the warm-up too, of all such settings


def make(context: Context) -> tuple[dict[str, list[Row]], list[str]]:
    """Rows of top-1 accuracy under each setting, and what was left out.

    ``context.settings["diagnostics"]``, where it is there, has the rows of the table of diagnostics.
    """
    tables: dict[str, list[Row]] = {"sensitivity": [], "diagnostics": [dict(row) for row in context.settings.get("diagnostics", ())]}
    if not context.scores:
        return tables, []
    work = _Work(context)
    tables["sensitivity"] = [row for setting in work.settings() for row in work.rows(setting)]
    return tables, work.notes()


@dataclass(frozen=True)
class Setting:
    """One thing that is done differently."""

    kind: str
    name: str
    how: str  # the aggregation
    reliability: float | None = None
    making: dict[str, Any] = field(default_factory=dict)  # what is changed of it
    ties: str | None = None  # of the predictions
    annotator: int = -1  # who is dropped


class _Work:
    """Top-1 accuracy of all models, setting by setting; cases that a setting does not touch keep their values."""

    def __init__(self, context: Context) -> None:
        self.context = context
        self.ties = context.options["ties"]
        self.how = str(context.settings["aggregation"])
        self.annotated = isinstance(context.known, (Labels, Rankings))
        self.orders = {name: Orders.from_dense(table, 1, self.ties) for name, table in context.scores.items()}
        self.left_out: list[str] = []
        self.said: list[str] = []
        self.work = self.sweeps = 0
        self.main = self._main()

    # ---- what is to be done

    def settings(self) -> Iterator[Setting]:
        """All settings that mean something here and fit into the bounds."""
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
                for factor in (0.1, 10.0) if np.any(np.asarray(making["prior"]) > 0) else ():
                    prior = np.asarray(making["prior"], np.float64) * factor
                    yield Setting("prior", f"x {factor:g}", how, middle, {"prior": prior if prior.ndim else float(prior)})
            if how == "prirn":
                for value in (v for v in BACKGROUNDS if v != making["background"]):
                    yield Setting("prior", f"background {value:g}", how, middle, {"background": value})
        yield Setting("tie rule", f"tied scores by {'position' if other == 'first' else 'expectation'}", how, middle, ties=other)
        if self.annotated:
            if how in ("irn", "prirn") and isinstance(context.known, Rankings):
                weight = "full" if making["tie_weight"] == "split" else "split"
                yield Setting(
                    "tie rule",
                    f"tied classes of a ranking weigh {'1 each' if weight == 'full' else 'one share'}",
                    how,
                    middle,
                    {"tie_weight": weight},
                )
            yield from self._aggregations()

    def _aggregations(self) -> Iterator[Setting]:
        known = ("dirichlet",) if isinstance(self.context.known, Labels) else ()
        for how in ("votes", "irn", "prirn", *known):
            if how != self.how:
                given = _truths.RELIABILITIES.get(how)
                middle = None if given is None else float(np.atleast_1d(given)[(np.size(given) - 1) // 2])
                yield Setting("aggregation", how if middle is None else f"{how}, reliability {middle:g}", how, middle)

    def _annotators(self) -> Iterator[Setting]:
        known = self.context.known
        if len(known.annotators) < 2:  # the evaluation says itself where they are not named
            self.said += ["No annotator was dropped: there is one only."] * len(known.annotators)
            return
        per_annotator = _cases_of(known, self.context.rows)
        n = len(known.annotators)
        counts = np.array([len(cases) for cases in per_annotator])
        self.cases_of = per_annotator
        order = np.argsort(-counts, kind="stable")[:MOST_ANNOTATORS]
        order = order[counts[order] > 0]
        if n > len(order):
            self.said.append(f"Of {n:,} annotators the {len(order)} with most cases were dropped one by one.")
        for a in order.tolist():
            yield Setting("annotator dropped", str(known.annotators[a]), self.how, self.context.reliability, annotator=a)

    def _affordable(self, setting: Setting) -> bool:
        """Whether it fits into the bounds; then it is counted."""
        n = len(self.context.rows) if setting.annotator < 0 else len(self.cases_of[setting.annotator])
        if setting.how == "plackett-luce":
            making = self.context.making
            sweeps = n * (making["n_draws"] + making["n_warmup"] * making["n_chains"])
            if len(self.context.rows) * making["n_draws"] > MOST_DRAWS or self.sweeps + sweeps > MOST_SWEEPS:
                return False
            self.sweeps += sweeps
        work = n * (2 + len(self.orders))
        if setting.ties:
            work += sum(table.size for table in self.context.scores.values()) // 4
        if self.work + work > MOST_WORK:
            return False
        self.work += work
        return True

    # ---- how it is done

    def _main(self) -> dict[str, Array]:
        """Contributions (n,) of the main analysis."""
        context = self.context
        found = {
            row["model"]: np.asarray(column)
            for row, column in zip(context.metrics, context.columns)
            if (row["metric"], row["k"], row["reliability"]) == (METRIC, 1, context.reliability)
        }
        if all(model in found for model in self.orders):
            return found
        truth = self._truth(Setting("", "", self.how, context.reliability), context.known)
        return {} if truth is None else self._compared(truth.take(context.rows), None, self.orders)

    def _truth(self, setting: Setting, known: Any) -> Any:
        """Plausibilities of all cases of ``known`` under a setting; None where they would be sampled anew at great cost."""
        context = self.context
        if setting.how == "plackett-luce" and len(context.rows) * context.making["n_draws"] > MOST_DRAWS:
            return None
        truths = _truths.truths(known, setting.how if self.annotated else "auto", setting.reliability, {**context.making, **setting.making})
        with _notices.heard():  # said of the main analysis
            return truths.makers[0][1]()  # without the diagnostics of chains

    def _compared(self, truth: Any, rows: NDArray[np.int64] | None, orders: dict[str, Orders], ties: str | None = None) -> dict[str, Array]:
        ties = ties or self.ties
        if rows is not None:
            orders = {name: _rows_of(order, rows) for name, order in orders.items()}
        return {name: np.asarray(truth.compare(order, "topk", 1, ties=ties).per_case) for name, order in orders.items()}

    def _changed(self, setting: Setting) -> dict[str, Array]:
        """Contributions (n,) under a setting."""
        context = self.context
        if setting.annotator >= 0:
            rows = self.cases_of[setting.annotator]
            part = self._compared(self._truth(setting, without(context.known, setting.annotator, context.rows[rows])), rows, self.orders)
            found = {name: column.copy() for name, column in self.main.items()}
            for name, column in part.items():
                found[name][rows] = column
            return found
        truth = self._truth(setting, context.known).take(context.rows)
        if setting.ties is None:
            return self._compared(truth, None, self.orders)
        orders = {name: Orders.from_dense(table, 1, setting.ties) for name, table in context.scores.items()}
        return self._compared(truth, None, orders, setting.ties)

    def rows(self, setting: Setting) -> list[Row]:
        """A row for each model."""
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
            rows.append(
                {"kind": setting.kind, "setting": setting.name, "model": name, "metric": METRIC, "k": 1, "value": value,
                 "change": change, "best": best, "n_cases": n}
            )  # fmt: skip
        return rows

    def notes(self) -> list[str]:
        """What was left out."""
        notes = list(self.said)
        if not self.main:
            return [*notes, "Sensitivity was not computed: sampling all cases anew takes too long."]
        if self.left_out:
            shown = ", ".join(self.left_out[:10])
            more = f" and {len(self.left_out) - 10} more" if len(self.left_out) > 10 else ""
            notes.append(f"Sensitivity to some settings was not computed, because it takes too long: {shown}{more}.")
        return notes


def _mean(column: Array) -> float | None:
    defined = column[~np.isnan(column)]
    value = float(defined.mean()) if len(defined) else math.nan
    return None if math.isnan(value) else value


def _rows_of(orders: Orders, rows: NDArray[np.int64]) -> Orders:
    """The orders of some rows."""
    offsets, at = take(orders.offsets, rows)
    return Orders(offsets, orders.index[at], orders.start[at], orders.n_classes, orders.depth)


# ---- annotations without one annotator


def _case_offsets(known: Any) -> NDArray[np.int64]:
    return np.asarray(known.offsets if isinstance(known, Labels) else known.case_offsets)


def _cases_of(known: Any, rows: NDArray[np.int64]) -> list[NDArray[np.int64]]:
    """For every annotator the places in ``rows`` of the cases annotated."""
    offsets, at = take(_case_offsets(known), rows)
    pairs = np.unique(known.annotator[at].astype(np.int64) * len(rows) + row_of(offsets))
    pairs = pairs[pairs >= 0]
    ends = np.searchsorted(pairs, np.arange(len(known.annotators) + 1) * len(rows))
    return [pairs[begin:end] % len(rows) for begin, end in zip(ends[:-1], ends[1:])]


def without(known: Any, annotator: int, rows: NDArray[np.int64]) -> Any:
    """The annotations of some cases, those of one annotator left out."""
    offsets, at = take(_case_offsets(known), rows)
    kept = known.annotator[at] != annotator
    at, sizes = at[kept], np.bincount(row_of(offsets)[kept], minlength=len(rows))
    axes, annotators = known.axes.take(rows), known.annotator[at]
    if isinstance(known, Labels):
        return replace(known, axes=axes, offsets=offsets_of(sizes), annotator=annotators, label=known.label[at], count=known.count[at])
    ranking_offsets, blocks = take(known.ranking_offsets, at)
    block_offsets, items = take(known.block_offsets, blocks)
    return replace(
        known, axes=axes, case_offsets=offsets_of(sizes), ranking_offsets=ranking_offsets, block_offsets=block_offsets,
        items=known.items[items], annotator=annotators,
    )  # fmt: skip
