"""Calibration: losses of class probabilities against label histograms, and reliability in bins."""

from __future__ import annotations

import math
from collections.abc import Sequence
from functools import partial
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from .._base import notices
from .._base.arrays import Array, NDArray
from .._base.counts import counted
from .._base.notes import Note
from ..annotations.probabilities import is_probability, not_probabilities
from ..calibration import histogram_losses
from ..calibration.disagreement import disagreement_losses
from ..calibration.pairs_of_labels import PredictedDisagreement, predicted_disagreement
from ..calibration.scores import histogram_log_loss
from .context import Ask, Made
from .rows import Number, finite, with_ends

if TYPE_CHECKING:
    from ..resampling import Resamples
    from .context import Context, Options


class LossRow(NamedTuple):
    """A loss of one model's probabilities against shares of labels: as it is, its bias, and without it."""

    model: str
    loss: str
    class_: str | None  # None: all classes together
    plugin: Number
    bias: Number
    debiased: Number
    low: Number
    high: Number
    n_cases: int


class BinRow(NamedTuple):
    """One bin of the scores of a class: the mean score, and the share of labels of the class with its interval, all in [0, 1]."""

    model: str
    class_: str
    bin_low: float
    bin_high: float
    n_cases: int
    mean_probability: float
    label_share: float
    low: float
    high: float
    few: bool


class MapRow(NamedTuple):
    """The calibration error and the dispersion error of one model, in [0, 1]."""

    model: str
    ce: Number
    ce_low: Number
    ce_high: Number
    de: Number
    de_low: Number
    de_high: Number


TABLES = {"calibration": LossRow, "reliability_bins": BinRow, "calibration_map": MapRow}
MOST_CLASSES = 30  # most classes with their own rows
LOSSES = ("l_sq", "el", "cl", "dl", "il", "rl", "erl", "accuracy")
ROOTS = {"cl": "ce", "dl": "de", "disagreement_cl": "disagreement_ce"}


def make(context: Context, notes: list[Note]) -> Made:
    """Return rows of losses and of bins for all models that give probabilities, if annotations are labels."""
    counts = context.label_counts("Calibration was not computed", notes)
    if counts is None:
        return {}
    found: dict[str, ModelLosses] = {}
    for name, table in context.scores.items():
        if is_probability(table):
            found[name] = ModelLosses(counts, table, context.options, classes=context.known.axes.classes, frequency=context.times)
        elif _is_number(context, name, table):
            words = "Model {model} gives one number per case, not probabilities: its calibration was not computed."
            notes.append(Note("no_calibration", words, model=name))
        else:
            why = not_probabilities(table, np.asarray(context.known.axes.case_ids)[context.known.rows])
            words = "The scores of model {model} are not probabilities ({why}): its calibration was not computed."
            notes.append(Note("no_calibration", words, model=name, why=why))
    resampled = yield [ask for one in found.values() for ask in one.asks]
    losses: list[LossRow] = []
    bins: list[BinRow] = []
    places: list[MapRow] = []
    for name, one in found.items():
        own, resampled = resampled[: len(one.asks)], resampled[len(one.asks) :]
        rows = one.rows(own, name)
        losses += rows
        bins += one.bins(name)
        notes += [note for note in one.notes if note not in notes]
        place = _place(name, rows)
        if any(value is not None for value in (place.ce, place.ce_low, place.de, place.de_low)):
            places.append(place)
    return {"calibration": losses, "reliability_bins": bins, "calibration_map": places}


def _is_number(context: Context, model: str, table: Array) -> bool:
    """Return whether the scores of a model were made from one number per case: then they are distances below 0 from the grades."""
    kind = "" if context.graded is None else context.graded.given[model].kind
    return kind == "numbers" or (kind == "grades" and bool((table.max(axis=1) == 0).all()))


class ModelLosses:
    """The losses of the probabilities (n, K) of one model against counts of labels (n, K), with requests for resamples.

    Notes for the reader are in ``notes``.
    """

    def __init__(
        self,
        counts: NDArray[Any],
        probs: Array,
        options: Options,
        classes: Any = None,
        disagreement: PredictedDisagreement | None = None,
        frequency: Array | None = None,
    ) -> None:
        self.options, self.notes = options, list[Note]()
        with notices.heard():  # undefined numbers are empty in the table
            self.losses = histogram_losses(counts, probs, classes=classes, frequency=frequency)
            self.log_loss = histogram_log_loss(counts, probs, frequency=frequency)
            self.disagreement = None  # its losses need one row per case
            if frequency is None:
                predicted = disagreement or predicted_disagreement(probs / probs.sum(axis=1, keepdims=True))
                self.disagreement = disagreement_losses(counts, predicted.overall)
        n = options.affordable(counts.size, "calibration losses", self.notes)
        resampled: dict[str, Any] = {"losses": self.losses, "log loss": self.log_loss, "disagreement": self.disagreement}
        self._asks = {name: Ask(one, n) for name, one in resampled.items() if one is not None and one.n_cases > 1}
        if self.log_loss.n_infinite:
            words = "Log loss is infinite: probability 0 for a class that was observed ({cases})."
            self.notes.append(Note("infinite", words, cases=counted(self.log_loss.n_infinite, "case")))
            self._asks.pop("log loss", None)
        if self.losses.n_cases == 0 or self.losses.paired.n_cases == 0:
            words = "Epistemic, dispersion and disagreement losses need cases with at least two labels: there are none."
            self.notes.append(Note("single_labels", words))

    @property
    def asks(self) -> list[Ask]:
        """Return the requests for resamples."""
        return list(self._asks.values())

    def rows(self, resampled: Sequence[Resamples], model: str = "") -> list[LossRow]:
        """Return the rows of the table of calibration."""
        intervals = {name: found.interval(self.options.level, self.options.interval) for name, found in zip(self._asks, resampled)}
        found, nothing = self.losses, np.full((2, 2), np.nan)
        row = partial(_row, model)
        rows, of_losses = [], dict(zip(found.statistic.names, intervals.get("losses", ())))
        for name in LOSSES:
            loss, n = getattr(found, name), (found.paired if name in ("el", "dl", "il", "erl") else found).n_cases
            low_high = of_losses.get(name, nothing[0])
            plugin, bias, debiased = (None, None, loss) if isinstance(loss, float) else (loss.plugin, loss.bias, loss.debiased)
            rows.append(row(name, plugin, bias, debiased, low_high if finite(debiased) is not None else nothing[0], n))
        rows += [_root(rows[LOSSES.index(name)]) for name in ("cl", "dl")]
        rows.append(row("log_loss", None, None, self.log_loss.value, intervals.get("log loss", nothing)[0], self.log_loss.n_cases))
        if (other := self.disagreement) is not None:
            of_other = intervals.get("disagreement", nothing)
            cl = row("disagreement_cl", other.cl.plugin, other.cl.bias, other.cl.debiased, of_other[1], other.n_cases)
            rows += [row("disagreement_l", None, None, other.l_phi, of_other[0], other.n_cases), cl, _root(cl)]
        for k, name in enumerate(found.classes.tolist() if len(found.classes) <= MOST_CLASSES else ()):
            by_class = found.per_class.cl
            own = row("cl", by_class.plugin[k], by_class.bias[k], by_class.debiased[k], nothing[0], found.n_cases, str(name))
            rows += [own, _root(own)]
        return rows

    def bins(self, model: str = "") -> list[BinRow]:
        """Return the rows of the table of bins; empty if there are many classes."""
        rows = []
        for k, name in enumerate(self.losses.classes.tolist() if len(self.losses.classes) <= MOST_CLASSES else ()):
            with notices.heard():
                curve = self.losses.reliability_curve(k)
            for b in np.flatnonzero(curve.n_cases > 0):
                rows.append(BinRow(
                    model, str(name), float(curve.edges[b]), float(curve.edges[b + 1]), int(curve.n_cases[b]),
                    float(curve.mean_probability[b]), float(curve.label_share[b]), float(curve.low[b]), float(curve.high[b]),
                    bool(curve.few[b]),
                ))  # fmt: skip
        return rows


def _place(model: str, rows: Sequence[LossRow]) -> MapRow:
    """Return the place of a model in the map of errors."""
    ce, de = (next(row for row in rows if row.loss == name and row.class_ is None) for name in ("ce", "de"))
    return MapRow(model, ce.debiased, ce.low, ce.high, de.debiased, de.low, de.high)


def _row(
    model: str, loss: str, plugin: Number, bias: Number, debiased: Number, low_high: Array, n_cases: int, name: str | None = None
) -> LossRow:
    return LossRow(model, loss, name, finite(plugin), finite(bias), *with_ends(debiased, low_high), n_cases)


def _root(row: LossRow) -> LossRow:
    """Return the row of the square root of a loss; an end below 0 becomes 0, a loss below 0 has none."""
    low, high = (None if end is None else math.sqrt(max(end, 0.0)) for end in (row.low, row.high))
    plugin, debiased = (math.sqrt(value) if value is not None and value >= 0 else None for value in (row.plugin, row.debiased))
    return row._replace(loss=ROOTS[row.loss], plugin=plugin, bias=None, debiased=debiased, low=low, high=high)
