"""The calibration-dispersion map of the models, and whether they foresee how often annotators disagree."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np

from ..._base import notices
from ..._base.arrays import Array, Int64
from ...histogram.disagreement import disagreement_losses
from ...histogram.pairs_of_labels import predicted_disagreement
from ...histogram.reliability import LabelShares
from .. import markup as html
from .. import svg
from ..context import Ask, Made
from ..markup import Data, Entry, Section, level_of, of, unique
from ..tables import ends_of
from .calibration import is_probability

if TYPE_CHECKING:
    from ..context import Context
    from ..tables import Row

TITLE = "Calibration, dispersion and disagreement"
TABLES = {"disagreement_bins": ("model", "bin_low", "bin_high", "n_cases", "mean_predicted", "observed", "low", "high")}
MOST_RESAMPLES = 1000
FEW = 10
CALIBRATION, DISPERSION = "calibration error", "dispersion error"


def make(context: Context, notes: list[str]) -> Made:
    """Rows of bins for the models that give probabilities, where annotations are labels; the map is made beside calibration."""
    counts = context.label_counts("The calibration-dispersion map was not made", notes)
    if counts is None:
        return {}
    total = counts.sum(axis=1)
    if not (total > 1).any():
        notes += ["Dispersion and disagreement need cases with at least two labels: there are none."] if total.any() else []
        return {}
    models = {model: DisagreementBins(counts, table) for model, table in context.scores.items() if is_probability(table)}
    asks = [] if context.clusters is None else [one.ask(context) for one in models.values()]
    resampled = yield asks
    rows: list[Row] = []
    for i, (model, one) in enumerate(models.items()):
        level = context.options.level
        intervals = resampled[i].interval(level, context.options.interval) if asks else None
        rows += [{"model": model, **row} for row in one.rows(level, intervals)]
    return {"disagreement_bins": rows}


class DisagreementBins:
    """Predicted disagreement of two annotators against that of the pairs of labels of a case, bin by bin."""

    def __init__(self, counts: Int64, probs: Array) -> None:
        with notices.heard():
            self.losses = disagreement_losses(counts, predicted_disagreement(probs / probs.sum(axis=1, keepdims=True)).overall)

    def ask(self, context: Context) -> Ask:
        """The mean disagreement of each bin, over clusters."""
        n = min(MOST_RESAMPLES, context.options.affordable(4 * self.losses.n_cases))
        return Ask(LabelShares(self.losses._statistic, 0), n)

    def rows(self, level: float, intervals: Array | None) -> list[Row]:
        """One a filled bin; with score intervals where there are no others."""
        with notices.heard():
            curve = self.losses.reliability_curve(level=level)
        ends = np.stack([curve.low, curve.high], axis=1) if intervals is None else intervals
        return [
            {"bin_low": float(curve.edges[b]), "bin_high": float(curve.edges[b + 1]), "n_cases": int(curve.n_cases[b]),
             "mean_predicted": float(curve.mean_probability[b]), "observed": float(curve.label_share[b]), **ends_of(ends[b])}
            for b in np.flatnonzero(curve.n_cases)
        ]  # fmt: skip


# ---- the page


def render(source: Data) -> Section:
    """The map, the diagram of disagreement, and the tables behind them."""
    how = (
        "Two ways to be wrong about the shares of labels: the <b>calibration error</b> is what the model gets wrong on average among cases "
        "with the same prediction, the <b>dispersion error</b> is how much such cases still differ from each other, which the model does "
        "not see. The first can be mended by recalibration, the second cannot. Both are roots of debiased losses; smaller is better."
    )
    places, bins = source.get("calibration_map") or (), source.get("disagreement_bins") or ()
    if not places and not bins:
        said = "<p>None was computed: it needs labels (not rankings), several to a case, and models that give probabilities.</p>"
        return html.section("dispersion", TITLE, how, said)
    level = f"{level_of(source)} interval"
    return html.section("dispersion", TITLE, how, *_map(places, level), *_disagreement(bins, level))


def calibration_map(places: Sequence[Entry]) -> str:
    """A mark for each model where its two errors meet, with their intervals; a loss below 0 stands at 0."""
    shown = [e for e in places if any(e[name] is not None for name in ("ce", "ce_low", "de", "de_low"))][: svg.N_STYLES]
    if not shown:
        return ""
    names = ("ce", "ce_low", "ce_high", "de", "de_low", "de_high")
    x, y = (
        scale(0, max(svg.around([0.0, *(e[name] for e in shown for name in part if e[name] is not None)])[1], 0.01))
        for scale, part in ((svg.x_scale, names[:3]), (svg.y_scale, names[3:]))
    )
    parts = []
    for style, e in enumerate(shown):
        at = e["ce"] or 0.0, e["de"] or 0.0
        if e["ce_low"] is not None:
            parts.append(svg.row_bar(e["ce_low"], e["ce_high"], y.at(at[1]), x, style))
        if e["de_low"] is not None:
            parts.append(svg.error_bar(at[0], e["de_low"], e["de_high"], x, y, style))
        parts.append(svg.dot(*at, x, y, style))
    words = "Down and to the left is better; bars are intervals, and an error stands at 0 where its debiased loss is below 0 or undefined"
    content = svg.axes(x, y, CALIBRATION, DISPERSION) + "".join(parts)
    return svg.figure("calibration-map", "Calibration-dispersion map", words, content, [e["model"] for e in shown], lines=False)


def _map(places: Sequence[Entry], level: str) -> list[str]:
    if not places:
        return []
    rows = [
        [html.text(e["model"]), *(cell for one in ("ce", "de") for cell in (_value(e, one), html.ends(e, f"{one}_low", f"{one}_high")))]
        for e in places
    ]
    return [calibration_map(places), html.table("Calibration and dispersion error", ["model", CALIBRATION, level, DISPERSION, level], rows)]


def _value(entry: Entry, name: str) -> str:
    if entry[name] is None:
        return html.UNDEFINED if entry[f"{name}_low"] is None else "loss below 0"
    return html.number(entry[name])


def disagreement_diagram(bins: Sequence[Entry]) -> str:
    """How often two annotators of a case differ against how often they should, bin by bin, a line a model."""
    models = unique(bins, "model")[: svg.N_STYLES]
    if not models:
        return ""
    x, y = svg.x_scale(0, 1), svg.y_scale(0, 1)
    parts = [svg.guide([(0, 0), (1, 1)], x, y)]
    for style, model in enumerate(models):
        rows = of(bins, model=model)
        parts.append(svg.line([(e["mean_predicted"], e["observed"]) for e in rows], x, y, style))
        for e in rows:
            if e["low"] is not None:
                parts.append(svg.error_bar(e["mean_predicted"], e["low"], e["high"], x, y, style))
            parts.append(svg.dot(e["mean_predicted"], e["observed"], x, y, style))
    content = svg.axes(x, y, "predicted disagreement", "pairs of annotators that differ") + "".join(parts)
    words = "On the diagonal a model foresees how often two annotators of a case differ; below it the annotators differ less than it says"
    return svg.figure("disagreement", "Reliability of predicted disagreement", words, content, models)


def _disagreement(bins: Sequence[Entry], level: str) -> list[str]:
    if not bins:
        return ["<p>Disagreement was not compared: no case has two labels.</p>"]
    caption = f"Predicted and observed disagreement of two annotators (* fewer than {FEW} cases: says next to nothing)"
    columns = ["model", "predicted", "mean prediction", "pairs that differ", level, "cases"]
    return [disagreement_diagram(bins), html.grouped_table(caption, columns, html.by_model(bins, _bin_row))]


def _bin_row(e: Entry) -> tuple[str, list[html.Cell]]:
    few = "*" if e["n_cases"] < FEW else ""
    found = html.cells(html.number(e["mean_predicted"]), html.number(e["observed"]), html.ends(e), f"{e['n_cases']:,}{few}")
    return f"{e['bin_low']:.3g} to {e['bin_high']:.3g}", found
