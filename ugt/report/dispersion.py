"""The section with the calibration-dispersion map, and whether models foresee disagreement."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from . import svg
from .markup import UNDEFINED, Cell, Group, Section, grouped_table, interval, number, section, table, text

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    Data = Mapping[str, Any]
    Entry = Mapping[str, Any]

NONE = "–"
FEW = 10
CALIBRATION, DISPERSION = "calibration error", "dispersion error"


def dispersion(source: Data) -> Section:
    """The map, the diagram of disagreement, and the tables behind them."""
    how = (
        "Two ways to be wrong about the shares of labels: the <b>calibration error</b> is what the model gets wrong on average among cases "
        "with the same prediction, the <b>dispersion error</b> is how much such cases still differ from each other, which the model does "
        "not see. The first can be mended by recalibration, the second cannot. Both are roots of debiased losses; smaller is better."
    )
    places, bins = source.get("calibration_map") or (), source.get("disagreement_bins") or ()
    title = "Calibration, dispersion and disagreement"
    if not places and not bins:
        said = "<p>None was computed: it needs labels (not rankings), several to a case, and models that give probabilities.</p>"
        return section("dispersion", title, how, said)
    level = f"{source['provenance']['level'] * 100:g}% interval"
    return section("dispersion", title, how, *_map(places, level), *_disagreement(bins, level))


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
        [text(e["model"]), *(cell for one in ("ce", "de") for cell in (_value(e, one), _ends(e[f"{one}_low"], e[f"{one}_high"])))]
        for e in places
    ]
    return [calibration_map(places), table("Calibration and dispersion error", ["model", CALIBRATION, level, DISPERSION, level], rows)]


def _value(entry: Entry, name: str) -> str:
    if entry[name] is None:
        return UNDEFINED if entry[f"{name}_low"] is None else "loss below 0"
    return number(entry[name])


def _ends(low: float | None, high: float | None) -> str:
    return NONE if low is None or high is None else interval(low, high)


# ---- disagreement


def disagreement_diagram(bins: Sequence[Entry]) -> str:
    """How often two annotators of a case differ against how often they should, bin by bin, a line a model."""
    models = list(dict.fromkeys(e["model"] for e in bins))[: svg.N_STYLES]
    if not models:
        return ""
    x, y = svg.x_scale(0, 1), svg.y_scale(0, 1)
    parts = [svg.guide([(0, 0), (1, 1)], x, y)]
    for style, model in enumerate(models):
        rows = [e for e in bins if e["model"] == model]
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
    groups = [Group(text(model), [_bin_row(e) for e in bins if e["model"] == model]) for model in dict.fromkeys(e["model"] for e in bins)]
    caption = f"Predicted and observed disagreement of two annotators (* fewer than {FEW} cases: says next to nothing)"
    columns = ["model", "predicted", "mean prediction", "pairs that differ", level, "cases"]
    return [disagreement_diagram(bins), grouped_table(caption, columns, groups)]


def _bin_row(e: Entry) -> tuple[str, list[Cell]]:
    cells = (
        number(e["mean_predicted"]),
        number(e["observed"]),
        _ends(e["low"], e["high"]),
        f"{e['n_cases']:,}{'*' if e['n_cases'] < FEW else ''}",
    )
    return f"{e['bin_low']:.3g} to {e['bin_high']:.3g}", [Cell(html) for html in cells]
