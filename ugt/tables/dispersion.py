"""The calibration-dispersion map of the models, and how well they predict how often annotators disagree."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from .._base import notices
from .._base.arrays import Array, Int64
from .._base.notes import Note
from ..annotations.probabilities import is_probability
from ..calibration.disagreement import disagreement_losses
from ..calibration.pairs_of_labels import predicted_disagreement
from ..calibration.reliability import LabelShares
from .context import Ask, Made
from .rows import Number, both

if TYPE_CHECKING:
    from .context import Context


class DisagreementRow(NamedTuple):
    """One bin of the disagreement that a model predicts: its mean, and the observed one with its interval, all in [0, 1]."""

    model: str
    bin_low: float
    bin_high: float
    n_cases: int
    mean_predicted: float
    observed: float
    low: Number
    high: Number


TABLES = {"disagreement_bins": DisagreementRow}
MOST_RESAMPLES = 1000


def make(context: Context, notes: list[Note]) -> Made:
    """Return rows of bins for the models that give probabilities, if annotations are labels; calibration makes the map."""
    counts = context.label_counts("The calibration-dispersion map was not made", notes)
    if counts is None:
        return {}
    total = counts.sum(axis=1)
    if not (total > 1).any():
        words = "Dispersion and disagreement need cases with at least two labels: there are none."
        notes += [Note("single_labels", words)] if total.any() else []
        return {}
    models = {model: DisagreementBins(counts, table) for model, table in context.scores.items() if is_probability(table)}
    asks = [] if context.clusters is None else [one.ask(context) for one in models.values()]
    resampled = yield asks
    rows: list[DisagreementRow] = []
    for i, (model, one) in enumerate(models.items()):
        level = context.options.level
        intervals = resampled[i].interval(level, context.options.interval) if asks else None
        rows += one.rows(model, level, intervals)
    return {"disagreement_bins": rows}


class DisagreementBins:
    """Predicted disagreement of two annotators against that of the pairs of labels of a case, in bins."""

    def __init__(self, counts: Int64, probs: Array) -> None:
        with notices.heard():
            self.losses = disagreement_losses(counts, predicted_disagreement(probs / probs.sum(axis=1, keepdims=True)).overall)

    def ask(self, context: Context) -> Ask:
        """Return the request for the mean disagreement of each bin, over clusters."""
        n = min(MOST_RESAMPLES, context.options.affordable(4 * self.losses.n_cases))
        return Ask(LabelShares.of_column(self.losses._statistic, 0), n)

    def rows(self, model: str, level: float, intervals: Array | None) -> list[DisagreementRow]:
        """Return one row per filled bin, with score intervals if there are no others."""
        with notices.heard():
            curve = self.losses.reliability_curve(level=level)
        ends = np.stack([curve.low, curve.high], axis=1) if intervals is None else intervals
        return [
            DisagreementRow(model, float(curve.edges[b]), float(curve.edges[b + 1]), int(curve.n_cases[b]),
                            float(curve.mean_probability[b]), float(curve.label_share[b]), *both(ends[b]))
            for b in np.flatnonzero(curve.n_cases)
        ]  # fmt: skip
