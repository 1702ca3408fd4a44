"""Calibration: losses of class probabilities against label histograms, and reliability in bins."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from .._base import notices
from .._base.arrays import Array, NDArray
from .._base.counts import counted
from ..annotations.probabilities import NOT_COMPUTED, is_probability, not_probabilities
from ..calibration import histogram_losses
from ..calibration.disagreement import disagreement_losses
from ..calibration.pairs_of_labels import PredictedDisagreement, predicted_disagreement
from ..calibration.scores import histogram_log_loss
from .context import Ask, Made
from .rows import finite

if TYPE_CHECKING:
    from ..resampling import Resamples
    from .context import Context, Options
    from .rows import Row

TABLES = {
    "calibration": ("model", "loss", "class", "plugin", "bias", "debiased", "low", "high", "n_cases"),
    "reliability_bins": (*("model", "class", "bin_low", "bin_high", "n_cases", "mean_probability", "label_share", "low", "high", "few"),),
    "calibration_map": ("model", "ce", "ce_low", "ce_high", "de", "de_low", "de_high"),
}
MOST_CLASSES = 30  # most classes with their own rows
LOSSES = ("l_sq", "el", "cl", "dl", "il", "rl", "erl", "accuracy")
ROOTS = {"cl": "ce", "dl": "de", "disagreement_cl": "disagreement_ce"}


def make(context: Context, notes: list[str]) -> Made:
    """Return rows of losses and of bins for all models that give probabilities, if annotations are labels."""
    counts = context.label_counts("Calibration was not computed", notes)
    if counts is None:
        return {}
    found: dict[str, ModelLosses] = {}
    for name, table in context.scores.items():
        if is_probability(table):
            found[name] = ModelLosses(counts, table, context.options, classes=context.known.axes.classes)
        elif _is_number(context, name, table):
            notes.append(f"Model {name} gives one number per case, not probabilities: {NOT_COMPUTED}.")
        else:
            why = not_probabilities(table, np.asarray(context.known.axes.case_ids)[context.known.rows])
            notes.append(f"The scores of model {name} are not probabilities ({why}): {NOT_COMPUTED}.")
    resampled = yield [ask for one in found.values() for ask in one.asks]
    tables: dict[str, list[Row]] = {name: [] for name in TABLES}
    for name, one in found.items():
        own, resampled = resampled[: len(one.asks)], resampled[len(one.asks) :]
        rows = one.rows(own)
        tables["calibration"] += [{"model": name, **row} for row in rows]
        tables["reliability_bins"] += [{"model": name, **row} for row in one.bins()]
        notes += [note for note in one.notes if note not in notes]
        place = _place(rows)
        if any(place[key] is not None for key in ("ce", "ce_low", "de", "de_low")):
            tables["calibration_map"].append({"model": name, **place})
    return tables


def _is_number(context: Context, model: str, table: Array) -> bool:
    """Return whether the scores of a model were made from one number per case: then they are distances below 0 from the grades."""
    kind = "" if context.graded is None else context.graded.given[model].kind
    return kind == "numbers" or (kind == "grades" and bool((table.max(axis=1) == 0).all()))


class ModelLosses:
    """The losses of the probabilities (n, K) of one model against counts of labels (n, K), with requests for resamples.

    Notes for the reader are in ``notes``.
    """

    def __init__(
        self, counts: NDArray[Any], probs: Array, options: Options, classes: Any = None, disagreement: PredictedDisagreement | None = None
    ) -> None:
        self.options, self.notes = options, list[str]()
        with notices.heard():  # undefined numbers are empty in the table
            self.losses = histogram_losses(counts, probs, classes=classes)
            self.log_loss = histogram_log_loss(counts, probs)
            predicted = disagreement or predicted_disagreement(probs / probs.sum(axis=1, keepdims=True))
            self.disagreement = disagreement_losses(counts, predicted.overall)
        n = options.affordable(counts.size, "calibration losses", self.notes)
        resampled: dict[str, Any] = {"losses": self.losses, "log loss": self.log_loss, "disagreement": self.disagreement}
        self._asks = {name: Ask(one, n) for name, one in resampled.items() if one.n_cases > 1}
        if self.log_loss.n_infinite:
            said = f"Log loss is infinite: probability 0 for a class that was observed ({counted(self.log_loss.n_infinite, 'case')})."
            self.notes.append(said)
            self._asks.pop("log loss", None)
        if self.losses.n_cases == 0 or self.losses.paired.n_cases == 0:
            self.notes.append("Epistemic, dispersion and disagreement losses need cases with at least two labels: there are none.")

    @property
    def asks(self) -> list[Ask]:
        """Return the requests for resamples."""
        return list(self._asks.values())

    def rows(self, resampled: Sequence[Resamples]) -> list[Row]:
        """Return the rows of the table of calibration, without the model."""
        intervals = {name: found.interval(self.options.level, self.options.interval) for name, found in zip(self._asks, resampled)}
        found, nothing = self.losses, np.full((2, 2), np.nan)
        rows, of_losses = [], dict(zip(found.statistic.names, intervals.get("losses", ())))
        for name in LOSSES:
            loss, n = getattr(found, name), (found.paired if name in ("el", "dl", "il", "erl") else found).n_cases
            low_high = of_losses.get(name, nothing[0])
            plugin, bias, debiased = (None, None, loss) if isinstance(loss, float) else (loss.plugin, loss.bias, loss.debiased)
            rows.append(_row(name, plugin, bias, debiased, low_high if finite(debiased) is not None else nothing[0], n))
        rows += [_root(rows[LOSSES.index(name)]) for name in ("cl", "dl")]
        rows.append(_row("log_loss", None, None, self.log_loss.value, intervals.get("log loss", nothing)[0], self.log_loss.n_cases))
        other, of_other = self.disagreement, intervals.get("disagreement", nothing)
        cl = _row("disagreement_cl", other.cl.plugin, other.cl.bias, other.cl.debiased, of_other[1], other.n_cases)
        rows += [_row("disagreement_l", None, None, other.l_phi, of_other[0], other.n_cases), cl, _root(cl)]
        for k, name in enumerate(found.classes.tolist() if len(found.classes) <= MOST_CLASSES else ()):
            by_class = found.per_class.cl
            row = _row("cl", by_class.plugin[k], by_class.bias[k], by_class.debiased[k], nothing[0], found.n_cases, str(name))
            rows += [row, _root(row)]
        return rows

    def bins(self) -> list[Row]:
        """Return the rows of the table of bins, without the model; empty if there are many classes."""
        rows = []
        for k, name in enumerate(self.losses.classes.tolist() if len(self.losses.classes) <= MOST_CLASSES else ()):
            with notices.heard():
                curve = self.losses.reliability_curve(k)
            for b in np.flatnonzero(curve.n_cases > 0):
                rows.append({
                    "class": str(name), "bin_low": float(curve.edges[b]), "bin_high": float(curve.edges[b + 1]),
                    "n_cases": int(curve.n_cases[b]), "mean_probability": float(curve.mean_probability[b]),
                    "label_share": float(curve.label_share[b]), "low": float(curve.low[b]), "high": float(curve.high[b]),
                    "few": bool(curve.few[b]),
                })  # fmt: skip
        return rows


def _place(rows: Sequence[Row]) -> Row:
    """Return the place of a model in the map of errors."""
    found: Row = {}
    for name in ("ce", "de"):
        row = next(row for row in rows if row["loss"] == name and row["class"] is None)
        found.update({name: row["debiased"], f"{name}_low": row["low"], f"{name}_high": row["high"]})
    return found


def _row(loss: str, plugin: Any, bias: Any, debiased: Any, low_high: Array, n_cases: int, name: str | None = None) -> Row:
    given = {"plugin": plugin, "bias": bias, "debiased": debiased, "low": low_high[0], "high": low_high[1]}
    return {"loss": loss, "class": name, **{key: finite(value) for key, value in given.items()}, "n_cases": n_cases}


def _root(row: Row) -> Row:
    """Return the row of the square root of a loss; an end below 0 becomes 0, a loss below 0 has none."""
    squares = {key: row[key] for key in ("plugin", "debiased", "low", "high")}
    squares.update({end: max(squares[end], 0.0) for end in ("low", "high") if squares[end] is not None})
    roots = {key: math.sqrt(value) if value is not None and value >= 0 else None for key, value in squares.items()}
    return {**row, "loss": ROOTS[row["loss"]], **roots, "bias": None}
