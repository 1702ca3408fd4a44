"""Losses of class probabilities against label histograms, as an appendix."""

from __future__ import annotations

from ...tables.calibration import LossRow
from ...tables.source import ReportSource
from .. import markup as html
from ..digest import Digest, shown
from ..digits import Digits
from ..markup import Section, unique
from ..rows import by_model, cell, first_of, plain_table

TITLE = "Losses against label histograms"
_MEANINGS = {  # meanings of the losses on the page
    "el": "epistemic loss: distance from the label probabilities",
    "cl": "calibration loss: the part that recalibration can remove",
    "dl": "dispersion loss: the part that it cannot",
    "log_loss": "log loss of a new label",
    "disagreement_cl": "calibration loss of predicted disagreement",
}
MOST_MODELS = 4  # columns


def render(source: ReportSource) -> Section | None:
    """Return the debiased losses of all models; None if there are none."""
    entries = [e for e in source.rows(LossRow) if e.class_ is None and e.loss in _MEANINGS and e.debiased is not None]
    if not entries:
        return None
    how = (
        "Probabilities are compared with the shares of labels of each case. Few labels miss the true share by chance; the losses have that "
        "bias taken out and may come out below 0. Smaller is better."
    )
    every = unique(e.model for e in entries)
    models = every[:MOST_MODELS]
    digits = Digits.proportion((e.low, e.high) for e in entries)
    found = dict(by_model(entries, lambda e: e.loss, models))
    cells = {loss: [cell(digits, e and (e.debiased, e.low, e.high)) for e in own] for loss, own in found.items()}
    rows = [(meaning, cells[loss]) for loss, meaning in _MEANINGS.items() if loss in cells]
    note = f"{Digest(source).intervals}; calibration.csv has all losses, with their bias{first_of(models, every)}"
    return html.section("calibration", TITLE, how, plain_table("Debiased losses", note, ["loss", *map(shown, models)], rows))
