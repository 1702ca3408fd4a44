"""Losses against label histograms: the statistic and its record."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from types import MappingProxyType
from typing import Any

import numpy as np

from .._base import checks
from .._base.arrays import Array, Bools, NDArray
from .._base.lazy import cached_property
from .._core import _histogram
from ..resampling import Panel, over
from .bins import Bins
from .in_bins import LossesInBins
from .input import NO_LABELS, NO_WEIGHT, ONE_LABEL, Histograms, counts_of, named
from .sums import (
    LANES,
    LOSSES,
    N_ROWS,
    REFINEMENT,
    SINGLE_BINS,
    BinLosses,
    Loss,
    Losses,
    Rows,
    of_pairs,
    slopes,
    table,
)

SINGLETONS = ("omit", "zero")
RIGHT = N_ROWS  # row of accuracy, after those of losses


class HistogramStatistic(BinLosses):
    """The losses of K classes, with separate cells for cases with one label and with more; ``data`` is None without cases."""

    picks = MappingProxyType({
        "l_sq": 0, **{name: row + 2 for name, row in LOSSES.items()}, "accuracy": RIGHT,
        **{f"{name} plugin": row for name, row in LOSSES.items()}, **{name: row + 2 for name, row in REFINEMENT.items()},
        **{f"{name} plugin": row for name, row in REFINEMENT.items()},
    })  # fmt: skip
    kinds = 2
    nothing = "no case has labels"

    def __init__(
        self, data: Histograms | None, bins: Bins, rules: tuple[str, str], classes: NDArray[Any], own: Array | None = None,
        weighted: bool = False,
    ) -> None:  # fmt: skip
        self.data, self.bins, self.rules, self.single_bins, self.classes = data, bins, rules, rules[1], classes
        self.n_cases, self.case_ids, self.times = (0, None, None) if data is None else (data.shape[0], data.case_ids, data.times)
        self.weighted = weighted if data is None else data.weights is not None
        self.case_weights = data.weights if data is not None and data.sampled else None
        if own is None:
            n_sums = (LANES if self.weighted else 1) * (self.n_cells * _histogram.N_SUMS + _histogram.N_TOTALS)
            own = np.zeros(n_sums) if data is None else data.sums(bins)
        self.own = own

    @classmethod
    def of(
        cls, counts: object, probs: object, *, n_bins: Any, binning: Any, singletons: object, single_bins: object, **read: Any
    ) -> HistogramStatistic:
        rules = checks.option("singletons", singletons, SINGLETONS), checks.option("single_bins", single_bins, SINGLE_BINS)
        data = Histograms.of(counts, probs, **read)
        return cls(data, Bins.of(binning, n_bins, data.shape[1]) or data.bins_of_mass(n_bins), rules, data.classes)

    @cached_property
    def suffixes(self) -> list[str]:  # type: ignore[override]
        return ["", *(f"[{name}]" for name in self.classes.tolist())]

    @property
    def panel(self) -> Panel:
        return Panel(lambda: named(None if self.data is None else self.data.labels), self._judged_by)

    @property
    def _settings(self) -> dict[str, Any]:
        rules = dict(zip(("singletons", "single_bins"), self.rules))
        fractional = self.data is not None and self.data.fractional
        weighted = {"weighted": True} if self.weighted else {}
        return {"classes": self.classes.tolist(), "edges": self.bins.plain(), **rules, "fractional": fractional, **weighted}

    @classmethod
    def of_settings(cls, settings: Mapping[str, Any]) -> HistogramStatistic:
        classes, rules = np.asarray(settings["classes"]), (settings["singletons"], settings["single_bins"])
        return cls(None, Bins.of_plain(settings["edges"], len(classes)), rules, classes, weighted=settings.get("weighted", False))

    def record(self, left_out: Mapping[str, int]) -> HistogramLosses:
        return HistogramLosses(left_out, self)

    def _judged_by(self, annotators: NDArray[Any]) -> HistogramStatistic:
        labels = None if self.data is None else self.data.labels
        counts = counts_of(labels, annotators)
        assert self.data is not None
        return HistogramStatistic(replace(self.data, counts=counts, labels=None), self.bins, self.rules, self.classes)

    @cached_property
    def kept(self) -> Bools:
        return self._known().labelled()

    def _known(self) -> Histograms:
        if self.data is None:
            raise checks.error("losses", "come from histogram_losses to be resampled", "sums without cases")
        return self.data

    @cached_property
    def rows(self) -> Rows:  # type: ignore[override]
        """The rows of the tables, read a second time; refuse tables that changed since."""
        data = self._known()
        if not np.array_equal(data.sums(self.bins), self.own):
            raise checks.error("counts and probs", "be as they were when the losses were computed", "other numbers")
        return data.rows(self.bins)

    @property
    def totals(self) -> list[float]:
        """Totals by weight: cases, right predictions and labels of cases with one label, then of the others; last, cases without labels."""
        found: list[float] = self.split(self.own[None])[1][0, : _histogram.N_TOTALS].tolist()
        return found

    @property
    def counts(self) -> list[float]:
        """The totals without weights, of the cases that count."""
        found: list[float] = self.own[-_histogram.N_TOTALS :].tolist()
        return found

    @property
    def n_counted(self) -> int:
        return int(self.counts[0] + self.counts[3])

    @property
    def left_out(self) -> Mapping[str, int]:  # type: ignore[override]
        counts, n_all = self.counts, 0 if self.data is None else self.data.n_all
        n_single = counts[0] if self.rules[0] == "omit" else 0
        reasons = (NO_LABELS, counts[6]), (ONE_LABEL, n_single), (NO_WEIGHT, n_all - counts[0] - counts[3] - counts[6])
        return {reason: int(n) for reason, n in reasons if n > 0}

    def undefined(self) -> str | None:
        n_single, n_several = self.counts[0], self.counts[3]
        if n_several or (n_single and self.rules[0] != "omit"):
            return None
        return "EL, DL and IL need cases with at least two labels" if n_single else self.nothing

    def paired(self) -> HistogramStatistic:
        """Return the losses of the cases with at least two labels, as sums without cases."""
        lanes = self.own.reshape(LANES if self.weighted else 1, -1).copy()
        lanes[:, : lanes.shape[1] // 2 - 3], lanes[:, -_histogram.N_TOTALS :][:, :3] = 0, 0
        return HistogramStatistic(None, self.bins, self.rules, self.classes, lanes.ravel(), self.weighted)

    def tables(self, sums: Array) -> Array:
        """Return the losses by the rules for cases with one label and bins with one case; NaN if they cannot be computed."""
        cells, totals = self.split(sums)
        n = totals[:, [0, 3], None]
        both = table(cells[:, 0] + cells[:, 1], n[:, 0] + n[:, 1], self.single_bins)
        every = self.rules[0] == "zero" or not n[:, 0].any()
        return both if every else of_pairs(both, table(cells[:, 1], n[:, 1], self.single_bins))

    def together(self, columns: Array) -> tuple[Array, Array]:
        return np.add.reduce(columns, -1)[..., None], columns

    def overall(self, rows: Array, totals: Array) -> Array:
        found = np.empty((N_ROWS + 1, rows.shape[1], 1 + rows.shape[2]))
        found[:N_ROWS] = np.concatenate(self.together(rows), axis=-1)
        found[RIGHT] = over(totals[:, 1] + totals[:, 4], totals[:, 0] + totals[:, 3])[:, None]
        return found

    def slopes(self, rows: Rows) -> tuple[Array, Array]:
        """Return the derivatives; totals are such that their ratio is the derivative of accuracy."""
        assert rows.fact is not None
        (single, several), totals = self.cells, self.totals
        n = totals[0] + totals[3]
        found = slopes(single + several, n, self.single_bins, rows)
        if self.rules[0] != "zero" and totals[0]:
            pairs = slopes(several, totals[3], self.single_bins, rows)
            pairs[:, rows.fact[:, 0] < 2] = 0.0
            found = of_pairs(found, pairs)
        ratio, right = np.zeros((len(rows.fact), _histogram.N_TOTALS)), rows.fact[:, 1] - over(totals[1] + totals[4], n)
        ratio[:, 0], ratio[:, 1] = n, right if rows.weight is None else rows.weight * right
        return found, ratio


@dataclass(frozen=True, eq=False)
class HistogramLosses(LossesInBins[HistogramStatistic]):
    """The losses of predicted probabilities against label histograms.

    Attributes
    ----------
    l_sq : float
        Expected squared loss of a new label, unbiased [B eq. 7].
    el, cl, dl, il : Loss
        Epistemic, calibration, dispersion and irreducible loss, each as ``plugin``, ``bias`` and ``debiased``
        (= plugin - bias). EL = CL + DL; L_sq = EL + IL.
    rl, erl : Loss
        Refinement loss E[d(Y, C)] and epistemic refinement loss E[d(Q, C)] [B eq. 5, 6]: the mean squared distances of labels Y, and of
        label probabilities Q, from the mean share C of the bin. RL = ERL + IL.
    within : float
        Remainder due to predictions that differ within bins: L_sq = CL + RL + within, EL = CL + ERL + within, DL = ERL + within. It is 0
        if all predictions of each bin are equal, and below 0 if they distinguish the cases of a bin.
    accuracy : float
        Voted accuracy: share of cases whose predicted class has most labels, ties by expectation.
    per_class, per_bin : Losses
        The same losses by class (K,), and by class and bin (K, B); they add up to the losses above.
    n_cases, left_out : int, mapping
        Cases with labels, and cases left out of all or of some losses by reason.
    classes : (K,) array
        Names of the classes.
    bin_edges : (K, B + 1) array
        Edges of the bins of each class; bins are closed on the left, the last one on both sides.
    bin_counts : (K, B) array
        Cases with labels in each bin.
    paired : HistogramLosses
        The losses of the cases with at least two labels only. If some cases have one label, the plug-in values of ``el``, ``dl``, ``il``
        and ``erl`` come from all cases and their biases from these cases, and only ``paired`` adds up in every column.

    Notes
    -----
    A debiased loss may be below 0; its root (:attr:`ce`, :attr:`de`) is then NaN.

    Examples
    --------
    >>> import ugt
    >>> counts = [[3, 0], [2, 1], [0, 3], [1, 2], [3, 0], [0, 3]]
    >>> found = ugt.histogram_losses(counts, [[0.9, 0.1], [0.8, 0.2], [0.2, 0.8], [0.3, 0.7], [0.6, 0.4], [0.1, 0.9]], n_bins=2)
    >>> round(found.l_sq, 3), round(found.el.plugin, 3), round(found.el.debiased, 3), round(found.accuracy, 3)
    (0.228, 0.08, 0.006, 1.0)
    >>> found.bin_counts.tolist(), found.per_class.cl.debiased.round(4).tolist()
    ([[3, 3], [3, 3]], [-0.0009, -0.0009])
    """

    def __repr__(self) -> str:
        return f"HistogramLosses(n_cases={self.n_cases}, l_sq={self.l_sq:.6g}, el={self.el}, cl={self.cl}, dl={self.dl}, il={self.il})"

    _ece = 1

    @cached_property
    def _overall(self) -> Losses:
        return Losses.of(np.add.reduce(self._tables[1], -1))

    @property
    def value(self) -> float:  # type: ignore[override]
        return self.l_sq

    @property
    def l_sq(self) -> float:
        return float(self._overall.l_sq)

    @property
    def el(self) -> Loss:
        return self._overall.el

    @property
    def cl(self) -> Loss:
        return self._overall.cl

    @property
    def dl(self) -> Loss:
        return self._overall.dl

    @property
    def il(self) -> Loss:
        return self._overall.il

    @property
    def rl(self) -> Loss:
        return self._overall.rl

    @property
    def erl(self) -> Loss:
        return self._overall.erl

    @property
    def within(self) -> float:
        return float(self.dl.plugin - self.erl.plugin)

    @property
    def accuracy(self) -> float:
        single, right, _, several, right_too, *_ = self._statistic.totals
        return (right + right_too) / (single + several) if single + several else float("nan")

    @cached_property
    def per_class(self) -> Losses:
        return Losses.of(self._tables[1])

    @property
    def classes(self) -> NDArray[Any]:
        return self._statistic.classes

    @property
    def ce(self) -> float:
        """Class-wise calibration error √CL, debiased, with CL summed over classes."""
        return float(self.cl.root().debiased)

    @property
    def de(self) -> float:
        """Dispersion error √DL, debiased."""
        return float(self.dl.root().debiased)

    @property
    def ce_per_class(self) -> Array:
        """(K,) √CL of each class, debiased."""
        return np.asarray(self.per_class.cl.root().debiased)

    @property
    def ce_mean(self) -> float:
        """Mean over classes of √CL; NaN if any class has a negative CL, for which ``per_class.cl.root("zero")`` has 0."""
        return float(self.ce_per_class.mean())

    @property
    def paired(self) -> HistogramLosses:
        return self._paired or self  # itself is not kept within itself: it would stay in memory until cycles are looked for

    @cached_property
    def _paired(self) -> HistogramLosses | None:
        return HistogramLosses({}, self._statistic.paired()) if self._statistic.totals[0] else None

    def _column(self, k: Any) -> tuple[int, str, str, float]:
        k, totals = checks.whole("k", k, 0, len(self.classes) - 1), self._statistic.totals
        per_case = over(totals[2] + totals[5], totals[0] + totals[3])
        return k, f"class {self.classes[k]}", "labels", float(per_case) if self.n_cases else 1.0
