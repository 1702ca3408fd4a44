"""Losses against label histograms and of predicted disagreement [B], from sums over the cases of bins."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import numpy as np

from .._checks import error, option
from .._disagreement import N_PARTS, losses_of, parts_of, statistics_of
from .._histogram.input import Histograms
from .._histogram.losses import HistogramLosses, left_out_of, record
from .._histogram.sums import CASES, SINGLE_BINS, SINGLETONS, Bins, Losses, Sums
from ..annotations import Labels
from .kind import Answer, Kind, check_call, plain
from .part import Part, ids_of

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Array = NDArray[np.float64]

BINNING = ("n_bins", "binning", "single_bins")
OPTIONS = {
    "histogram_losses": (*BINNING, "classes", "singletons", "fractional"),
    "disagreement_losses": (*BINNING, "statistic"),
}
LOSSES = ("el", "cl", "dl", "il")


class LossesOf(Kind):
    """Bins are the same in all parts, so of equal width or given."""

    def part(self, metric: str, data: tuple[Any, ...], options: dict[str, Any]) -> Part:
        """Of counts and probabilities, or counts and predicted disagreement."""
        check_call(metric, data, 2, options, OPTIONS[metric])
        counts, predicted = data
        return _histogram(counts, predicted, **options) if metric == "histogram_losses" else _disagreement(counts, predicted, **options)

    def answer(self, metric: str, settings: Mapping[str, Any], sums: Mapping[str, Array]) -> Answer:
        """L_sq with its parts, or the loss of the overall statistic with those of the classes; debiased, and as ``plugin``."""
        return _histogram_answer(settings, sums) if metric == "histogram_losses" else _disagreement_answer(settings, sums["bins"])

    def record(self, metric: str, settings: Mapping[str, Any], sums: Mapping[str, Array], left_out: Mapping[str, int]) -> Any:
        """:class:`ugt.HistogramLosses`, which has no cases to resample."""
        if metric != "histogram_losses":
            return None
        bins, total = _bins(settings), Sums(sums["cells"].copy(), sums["totals"].copy())
        found: HistogramLosses = record(total, bins, _rules(settings), np.asarray(settings["classes"]), dict(left_out))
        return found

    def groups(self, metric: str, settings: Mapping[str, Any], sums: Mapping[str, Array]) -> Array:
        """Cases of each bin, of all classes."""
        cells = sums["cells"].sum(axis=0) if metric == "histogram_losses" else sums["bins"]
        return np.asarray(np.rint(cells[..., CASES]))


def _edges(binning: Any, n_bins: Any, n_columns: int) -> tuple[Bins, Any]:
    """Bins, and how settings hold them: edges that all columns share once."""
    bins = Bins.of(binning, n_bins, n_columns)
    if bins is None:
        raise error("binning", "be 'width' or edges in parts: bins of equal mass need all cases at once", repr(binning))
    return bins, plain(bins.edges[0] if (bins.edges == bins.edges[0]).all() else bins.edges)


def _bins(settings: Mapping[str, Any]) -> Bins:
    found = Bins.of(np.array(settings["edges"]), 1, len(settings["classes"]))
    assert found is not None
    return found


def _rules(settings: Mapping[str, Any]) -> tuple[str, str]:
    return settings["singletons"], settings["single_bins"]


# ---- histogram_losses


@dataclass(eq=False)
class Pass:
    """Over both tables, for weights that are asked for twice in a row: once for the cells and once for the totals."""

    data: Histograms
    bins: Bins
    _last: tuple[Any, tuple[Array, Array]] | None = field(default=None)

    def __call__(self, weights: Array | None) -> tuple[Array, Array]:
        """Cells (2, K, B, 6) and totals (7,), or with a first axis of weights."""
        if self._last is None or self._last[0] is not weights:
            self._last = weights, self._added(weights)
        return self._last[1]

    def _added(self, weights: Array | None) -> tuple[Array, Array]:
        if weights is None:
            found = self.data.sums(self.bins)
            return found.cell, found.total
        many = self.data.weighted_sums(self.bins, weights)
        return np.stack([one.cell for one in many]), np.stack([one.total for one in many])


@dataclass(frozen=True)
class Half:
    """The cells (0) or the totals (1) of a pass."""

    whole: Pass
    which: int

    def sums(self, weights: Array | None) -> Array:
        """As of Rows."""
        return self.whole(weights)[self.which]


def _histogram(
    counts: Any,
    probs: Any,
    n_bins: Any = 15,
    binning: Any = "width",
    classes: Any = None,
    singletons: Any = "omit",
    single_bins: Any = "zero",
    fractional: Any = False,
) -> Part:
    rules = {"singletons": option("singletons", singletons, SINGLETONS), "single_bins": option("single_bins", single_bins, SINGLE_BINS)}
    data = Histograms.of(counts, probs, fractional=fractional, classes=classes)
    bins, edges = _edges(binning, n_bins, data.shape[1])
    settings = {"classes": plain(data.classes), "edges": edges, **rules, "fractional": data.fractional}
    both = Pass(data, bins)
    found = Sums(*both(None))
    left_out = left_out_of(found, singletons)
    rows = {"cells": Half(both, 0), "totals": Half(both, 1)}
    return Part(settings, data.shape[0], int(found.n_cases), left_out, rows=rows, case_ids=ids_of(counts))


def _histogram_answer(settings: Mapping[str, Any], sums: Mapping[str, Array]) -> Answer:
    rows = []
    for cell, total in zip(sums["cells"], sums["totals"]):
        one = Sums(cell, total)
        losses = Losses.of(one, *_rules(settings)).summed(-1).summed(-1)
        parts = [getattr(losses, name) for name in LOSSES]
        rows.append([losses.l_sq, *(part.debiased for part in parts), *(part.plugin for part in parts), one.accuracy])
    value, *columns = np.array(rows).T
    names = (*LOSSES, *(f"{name} plugin" for name in LOSSES), "accuracy")
    numbers: dict[str, Array] = dict(zip(names, columns))
    with np.errstate(invalid="ignore"):
        numbers["ce"], numbers["de"] = np.sqrt(numbers["cl"]), np.sqrt(numbers["dl"])
    return Answer(value, numbers, "no case has labels" if np.isnan(value[0]) else None)


# ---- disagreement_losses


@dataclass(frozen=True, eq=False)
class Statistics:
    """Observed and predicted values (M, n) of M statistics, and their bins ``at`` (M, n), of the n cases kept (N,)."""

    observed: Array
    predicted: Array
    at: NDArray[np.int64]
    n_bins: int
    kept: NDArray[np.bool_]

    def sums(self, weights: Array | None) -> Array:
        """(M, B, 5) or, with weights (W, N), (W, M, B, 5)."""
        if weights is None:
            return self._sums(np.ones(self.observed.shape[1]))
        return np.stack([self._sums(each[self.kept]) for each in weights])

    def _sums(self, weight: Array) -> Array:
        out = np.empty((len(self.at), self.n_bins, N_PARTS))
        for own, mu, predicted, at in zip(out, self.observed, self.predicted, self.at):
            for column, part in enumerate(parts_of(mu, predicted)):
                own[:, column] = np.bincount(at, weight * part, self.n_bins)
        return out


def _disagreement(
    counts: Any, predicted: Any, statistic: Any = None, n_bins: Any = 15, binning: Any = "width", single_bins: Any = "zero"
) -> Part:
    option("single_bins", single_bins, SINGLE_BINS)
    observed, columns, too_few = statistics_of(counts, predicted, statistic)
    kept = ~np.isnan(observed[0])
    bins, edges = _edges(binning, n_bins, len(columns))
    observed, columns = observed[:, kept], columns[:, kept]
    at = np.stack([np.searchsorted(own[1:-1], column, "right") for own, column in zip(bins.edges, columns)])
    names = counts.axes.classes if isinstance(counts, Labels) else np.arange(len(columns) - 1)
    by_class = {"classes": plain(names)} if len(columns) > 1 else {}
    settings = {"edges": edges, "single_bins": single_bins, "statistic": "given" if statistic is not None else "disagreement", **by_class}
    missing = int((~kept).sum())
    rows = {"bins": Statistics(observed, columns, at, bins.n_bins, kept)}
    left_out = {too_few: missing} if missing else {}
    return Part(settings, len(kept), int(kept.sum()), left_out, rows=rows, case_ids=ids_of(counts))


def _disagreement_answer(settings: Mapping[str, Any], sums: Array) -> Answer:
    loss, by_bin = losses_of(sums, settings["single_bins"])
    debiased, plugin = (np.stack([getattr(one.sum(-1), name) for one in by_bin]) for name in ("debiased", "plugin"))
    with np.errstate(invalid="ignore"):
        numbers = {"cl": debiased[:, 0], "cl plugin": plugin[:, 0], "ce": np.sqrt(debiased[:, 0])}
        if loss.shape[1] > 1:
            numbers.update({"l_per_class": loss[:, 1:], "cl_per_class": debiased[:, 1:], "cl_per_class plugin": plugin[:, 1:]})
            numbers.update({"l_mean": loss[:, 1:].mean(axis=1), "ce_mean": np.sqrt(debiased[:, 1:]).mean(axis=1)})
    return Answer(loss[:, 0], numbers, "no case has enough labels" if np.isnan(loss[0, 0]) else None)


KIND = LossesOf()
