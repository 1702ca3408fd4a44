"""Calibration: losses of class probabilities against label histograms, and reliability bin by bin."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from ..._base import notices
from ..._base.arrays import Array, NDArray
from ...histogram import histogram_losses
from ...histogram.disagreement import disagreement_losses
from ...histogram.input import OUTSIDE
from ...histogram.pairs_of_labels import PredictedDisagreement, predicted_disagreement
from ...histogram.scores import histogram_log_loss
from .. import markup as html
from .. import svg
from ..context import Ask, Made
from ..markup import Data, Entry, Group, Section, level_of, of, unique
from ..tables import finite

if TYPE_CHECKING:
    from ...resampling import Resamples
    from ..context import Context, Options
    from ..tables import Row

TITLE = "Calibration"
TABLES = {
    "calibration": ("model", "loss", "class", "plugin", "bias", "debiased", "low", "high", "n_cases"),
    "reliability_bins": (*("model", "class", "bin_low", "bin_high", "n_cases", "mean_probability", "label_share", "low", "high", "few"),),
    "calibration_map": ("model", "ce", "ce_low", "ce_high", "de", "de_low", "de_high"),
}
ROW_SUM = 1e-4
MOST_CLASSES = 30  # with rows of their own
LOSSES = ("l_sq", "el", "cl", "dl", "il", "rl", "erl", "accuracy")
ROOTS = {"cl": "ce", "dl": "de", "disagreement_cl": "disagreement_ce"}
MOST_BIN_TABLES = 3  # classes; the file reliability_bins.csv has the others
_MEANINGS = {
    "l_sq": "squared loss of a new label",
    "il": "irreducible: chance among annotators",
    "el": "epistemic: distance from the label probabilities",
    "cl": "calibration part of it",
    "dl": "dispersion part of it",
    "rl": "refinement: distance of labels from the shares of their bin",
    "erl": "refinement: distance of the label probabilities from these",
    "ce": "calibration error, root of the calibration loss",
    "de": "dispersion error, root of the dispersion loss",
    "log_loss": "log loss of a new label",
    "accuracy": "first choice is the most frequent label",
    "disagreement_l": "squared loss of predicted disagreement",
    "disagreement_cl": "calibration loss of predicted disagreement",
    "disagreement_ce": "its root",
}


def is_probability(table: Array) -> bool:
    """Whether rows are probabilities."""
    inside = table.min() >= -OUTSIDE and table.max() <= 1 + OUTSIDE
    return bool(inside and np.abs(table.sum(axis=1) - 1).max() <= ROW_SUM)


def make(context: Context, notes: list[str]) -> Made:
    """Rows of losses and of bins for all models that give probabilities, where annotations are labels."""
    counts = context.label_counts("Calibration was not computed", notes)
    if counts is None:
        return {}
    found: dict[str, ModelLosses] = {}
    for name, table in context.scores.items():
        if is_probability(table):
            found[name] = ModelLosses(counts, table, context.options, classes=context.known.axes.classes)
        else:
            notes.append(f"The scores of model {name} are not probabilities: its calibration was not computed.")
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


class ModelLosses:
    """Losses of the probabilities (n, K) of one model against counts of labels (n, K), and what their intervals need resampled.

    ``notes`` has what is to be said.
    """

    def __init__(
        self, counts: NDArray[Any], probs: Array, options: Options, classes: Any = None, disagreement: PredictedDisagreement | None = None
    ) -> None:
        self.options, self.notes = options, list[str]()
        with notices.heard():  # what is undefined is empty in the table
            self.losses = histogram_losses(counts, probs, classes=classes)
            self.log_loss = histogram_log_loss(counts, probs)
            predicted = disagreement or predicted_disagreement(probs / probs.sum(axis=1, keepdims=True))
            self.disagreement = disagreement_losses(counts, predicted.overall)
        n = options.affordable(counts.size, "calibration losses", self.notes)
        resampled: dict[str, Any] = {"losses": self.losses, "log loss": self.log_loss, "disagreement": self.disagreement}
        self._asks = {name: Ask(one, n) for name, one in resampled.items() if one.n_cases > 1}
        if self.log_loss.n_infinite:
            said = f"Log loss is infinite: probability 0 for a class that was observed ({self.log_loss.n_infinite:,} cases)."
            self.notes.append(said)
            self._asks.pop("log loss", None)
        if self.losses.n_cases == 0 or self.losses.paired.n_cases == 0:
            self.notes.append("Epistemic, dispersion and disagreement losses need cases with at least two labels: there are none.")

    @property
    def asks(self) -> list[Ask]:
        """What is to be resampled."""
        return list(self._asks.values())

    def rows(self, resampled: Sequence[Resamples]) -> list[Row]:
        """Of the table of calibration, without the model."""
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
        """Of the table of bins, without the model; none where there are many classes."""
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
    """Where a model stands in the map of errors."""
    found: Row = {}
    for name in ("ce", "de"):
        row = next(row for row in rows if row["loss"] == name and row["class"] is None)
        found.update({name: row["debiased"], f"{name}_low": row["low"], f"{name}_high": row["high"]})
    return found


def _row(loss: str, plugin: Any, bias: Any, debiased: Any, low_high: Array, n_cases: int, name: str | None = None) -> Row:
    given = {"plugin": plugin, "bias": bias, "debiased": debiased, "low": low_high[0], "high": low_high[1]}
    return {"loss": loss, "class": name, **{key: finite(value) for key, value in given.items()}, "n_cases": n_cases}


def _root(row: Row) -> Row:
    """The row of the square root of a loss; an end below 0 becomes 0, a loss below 0 has none."""
    squares = {key: row[key] for key in ("plugin", "debiased", "low", "high")}
    squares.update({end: max(squares[end], 0.0) for end in ("low", "high") if squares[end] is not None})
    roots = {key: math.sqrt(value) if value is not None and value >= 0 else None for key, value in squares.items()}
    return {**row, "loss": ROOTS[row["loss"]], **roots, "bias": None}


# ---- the page


def render(source: Data) -> Section:
    """Losses of each model; bins where there are few classes."""
    how = (
        "Probabilities are compared with the shares of labels of each case. A few labels miss the true share by chance, which makes every "
        "plug-in loss too large; <b>debiased</b> losses have that taken out and may come out below 0 where nothing is left. Smaller is "
        "better, but for the accuracy."
    )
    entries = source.get("calibration") or []
    if not entries:
        said = "<p>None was computed: it needs labels (not rankings) and models that give probabilities.</p>"
        return html.section("calibration", TITLE, how, said)
    level = f"{level_of(source)} interval"
    groups = [Group(html.text(model), _loss_rows(of(entries, model=model))) for model in unique(entries, "model")]
    shown = html.grouped_table("Losses against label histograms", ["model", "", "plug-in", "bias", "debiased", level, "cases"], groups)
    return html.section("calibration", TITLE, how, shown, *_bins(source))


def _loss_rows(entries: list[Entry]) -> list[tuple[str, list[html.Cell]]]:
    overall = {e["loss"]: e for e in entries if e["class"] is None}
    rows = []
    for name, meaning in _MEANINGS.items():
        if name in overall:
            e = overall[name]
            plain = e["plugin"] is None and e["bias"] is None
            first = (
                [html.NONE, html.NONE] if plain else [html.number(e["plugin"]), html.NONE if e["bias"] is None else html.number(e["bias"])]
            )
            rows.append((meaning, html.cells(*first, html.number(e["debiased"]), html.ends(e), f"{e['n_cases']:,}")))
    return rows


def _bins(source: Data) -> list[str]:
    """Reliability tables of a few classes: of two classes the second says all."""
    bins = source.get("reliability_bins") or []
    names = unique(bins, "class")
    names = names[1:] if source["data"]["n_classes"] == 2 else names
    if not names or len(names) > MOST_BIN_TABLES:
        return (
            ["<p>The file reliability_bins.csv has predicted probabilities against shares of labels, class by class.</p>"] if bins else []
        )
    columns = ["class", "predicted", "mean prediction", "share of labels", "interval", "cases"]
    groups = []
    for name in names:
        for model in unique(bins, "model"):
            rows = [_bin_row(e) for e in of(bins, model=model, **{"class": name})]
            groups.append(Group(f"{html.text(name)}, {html.text(model)}", rows))
    drawn = [reliability_diagram(source, name, number) for number, name in enumerate(names)]
    caption = "Predicted probabilities against shares of labels (* fewer than 10 cases: says next to nothing)"
    return [*drawn, html.grouped_table(caption, columns, groups)]


def _bin_row(e: Entry) -> tuple[str, list[html.Cell]]:
    span = f"{e['bin_low']:.3g} to {e['bin_high']:.3g}"
    few = "*" if e["few"] else ""
    return span, html.cells(
        html.number(e["mean_probability"]), html.number(e["label_share"]), html.interval(e["low"], e["high"]), f"{e['n_cases']:,}{few}"
    )


def reliability_diagram(source: Data, name: str, number: int = 0) -> str:
    """Shares of labels of a class against its predicted probability, bin by bin, a line a model."""
    bins = of(source["reliability_bins"], **{"class": name})
    models = svg.spread(unique(bins, "model"))
    if not bins:
        return ""
    x, y = svg.x_scale(0, 1), svg.y_scale(0, 1)
    parts = [svg.guide([(0, 0), (1, 1)], x, y)]
    for style, model in enumerate(models):
        rows = of(bins, model=model)
        parts.append(svg.line([(e["mean_probability"], e["label_share"]) for e in rows], x, y, style))
        for e in rows:
            parts.append(svg.error_bar(e["mean_probability"], e["low"], e["high"], x, y, style))
            parts.append(svg.dot(e["mean_probability"], e["label_share"], x, y, style))
    content = svg.axes(x, y, f"predicted probability of {name}", "share of annotators") + "".join(parts)
    words = "Points on the diagonal are calibrated; bars are intervals of the shares, long where a bin has few cases"
    return svg.figure(f"reliability-{number}", f"Reliability of the probability of {name}", words, content, models)
