"""The section on calibration: losses of the models' probabilities against label histograms, and reliability bin by bin."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from . import figures
from .markup import UNDEFINED, Cell, Group, Section, grouped_table, interval, number, section, text

if TYPE_CHECKING:
    from collections.abc import Mapping

    Data = Mapping[str, Any]
    Entry = Mapping[str, Any]

NONE = "–"
MOST_BIN_TABLES = 3  # classes; the file reliability_bins.csv has the others

_LOSSES = {
    "l_sq": "squared loss of a new label",
    "il": "irreducible: chance among annotators",
    "el": "epistemic: distance from the label probabilities",
    "cl": "calibration part of it",
    "dl": "dispersion part of it",
    "ce": "calibration error, root of the calibration loss",
    "de": "dispersion error, root of the dispersion loss",
    "log_loss": "log loss of a new label",
    "accuracy": "first choice is the most frequent label",
    "disagreement_l": "squared loss of predicted disagreement",
    "disagreement_cl": "calibration loss of predicted disagreement",
    "disagreement_ce": "its root",
}


def calibration(source: Data) -> Section:
    """Losses of each model; bins where there are few classes."""
    how = (
        "Probabilities are compared with the shares of labels of each case. A few labels miss the true share by chance, which makes every "
        "plug-in loss too large; <b>debiased</b> losses have that taken out and may come out below 0 where nothing is left. Smaller is "
        "better, but for the accuracy."
    )
    entries = source.get("calibration") or []
    if not entries:
        said = "<p>None was computed: it needs labels (not rankings) and models that give probabilities.</p>"
        return section("calibration", "Calibration", how, said)
    level = f"{source['provenance']['level'] * 100:g}% interval"
    groups = [
        Group(text(model), _rows([e for e in entries if e["model"] == model])) for model in dict.fromkeys(e["model"] for e in entries)
    ]
    shown = grouped_table("Losses against label histograms", ["model", "", "plug-in", "bias", "debiased", level, "cases"], groups)
    return section("calibration", "Calibration", how, shown, *_bins(source))


def _rows(entries: list[Entry]) -> list[tuple[str, list[Cell]]]:
    overall = {e["loss"]: e for e in entries if e["class"] is None}
    rows = []
    for name, meaning in _LOSSES.items():
        if name in overall:
            e = overall[name]
            plain = e["plugin"] is None and e["bias"] is None
            first = [NONE, NONE] if plain else [_number(e["plugin"]), NONE if e["bias"] is None else _number(e["bias"])]
            ends = interval(e["low"], e["high"]) if e["low"] is not None else NONE
            rows.append((meaning, [Cell(html) for html in (*first, _number(e["debiased"]), ends, f"{e['n_cases']:,}")]))
    return rows


def _number(value: float | None) -> str:
    return UNDEFINED if value is None else number(value)


def _bins(source: Data) -> list[str]:
    """Reliability tables of a few classes: of two classes the second says all."""
    bins = source.get("reliability_bins") or []
    names = list(dict.fromkeys(e["class"] for e in bins))
    names = names[1:] if source["data"]["n_classes"] == 2 else names
    if not names or len(names) > MOST_BIN_TABLES:
        return (
            ["<p>The file reliability_bins.csv has predicted probabilities against shares of labels, class by class.</p>"] if bins else []
        )
    columns = ["class", "predicted", "mean prediction", "share of labels", "interval", "cases"]
    groups = []
    for name in names:
        for model in dict.fromkeys(e["model"] for e in bins):
            rows = [_bin_row(e) for e in bins if e["model"] == model and e["class"] == name]
            groups.append(Group(f"{text(name)}, {text(model)}", rows))
    drawn = [figures.reliability_diagram(source, name, number) for number, name in enumerate(names)]
    caption = "Predicted probabilities against shares of labels (* fewer than 10 cases: says next to nothing)"
    return [*drawn, grouped_table(caption, columns, groups)]


def _bin_row(e: Entry) -> tuple[str, list[Cell]]:
    span = f"{e['bin_low']:.3g} to {e['bin_high']:.3g}"
    cells = (
        number(e["mean_probability"]),
        number(e["label_share"]),
        interval(e["low"], e["high"]),
        f"{e['n_cases']:,}{'*' if e['few'] else ''}",
    )
    return span, [Cell(html) for html in cells]
