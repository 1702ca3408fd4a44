"""Losses of predicted disagreement between annotators, and of other statistics of several labels of a case [B sec. 4]."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import Any

import numpy as np

from .._base import checks, notices
from .._base.arrays import Array, Bools, NDArray
from .._base.axes import owned
from .._base.lazy import cached_property
from .._core import _histogram
from ..annotations import Labels
from ..annotations.joins import tells_joins
from ..annotations.named import names_of
from ..annotations.named import table as in_order
from ..annotations.probabilities import OUTSIDE
from ..plausibilities.frequent import rows_of
from ..resampling import Panel
from .bins import Bins
from .in_bins import LossesInBins
from .input import NO_WEIGHT, checked_weights, count_table, counts_error, counts_of, named, readable
from .pairs_of_labels import given_statistic, predictions
from .sums import CASES, CL, LANES, RL, SINGLE_BINS, BinLosses, Loss, Losses, Rows, number, slopes, table


class DisagreementStatistic(BinLosses):
    """The losses of M statistics of labels, at first without cases.

    The statistics are that two labels differ, then for each class k that one of two labels is k and the other is not. If a statistic is
    ``given``, it is observed in every case instead, with a column for each of its values (then ``classes``).
    """

    picks = MappingProxyType({"l_phi": 0, "cl": CL + 2, "cl plugin": CL, "rl": RL + 2, "rl plugin": RL})
    kinds = 1
    pairs_per_case = 1.0  # mean number of disjoint pairs of labels per case
    nothing = "no case has enough labels"

    def __init__(
        self, classes: list[Any], bins: Bins, single_bins: str, given: bool = False, labels: Labels | None = None, weighted: bool = False
    ) -> None:
        self.classes, self.bins, self.single_bins, self.given, self.labels = classes, bins, single_bins, given, labels
        self.weighted = weighted
        self.case_ids = None if labels is None or labels.axes.numbered else labels.axes.case_ids
        self.suffixes = ["", *(f"[{name}]" for name in classes)]
        self.n_cases, nothing = 0, np.empty((0, len(bins.edges)))
        self.rows, self.own = (
            Rows(nothing, nothing, nothing.astype(np.int32), None),
            np.zeros((LANES if weighted else 1) * self.n_cells * _histogram.N_SUMS),
        )

    @classmethod
    def of(
        cls,
        counts: object,
        predicted: object,
        *,
        statistic: object,
        n_bins: Any,
        binning: object,
        single_bins: Any,
        weights: object,
        part: bool = False,
        frequency: object = None,
        case_weights: object = None,
    ) -> DisagreementStatistic:
        checks.option("single_bins", single_bins, SINGLE_BINS)
        labels = counts if isinstance(counts, Labels) else None
        _, ids, known = names_of("counts", counts)
        said = count_table(counts)
        given = None if statistic is None else given_statistic(in_order("statistic", statistic, ids), len(said))
        columns = predictions(predicted, said.shape, given, ids, known)
        checks.room("the shares of labels that differ", 12 * columns.size)
        times, sample = rows_of("counts", labels, frequency, case_weights, len(said), ids, weights)
        weight = checked_weights(weights, len(said), ids, part) if sample is None else sample
        bins = Bins.of(binning, n_bins, columns.shape[1])
        if bins is None:
            observed = said.sum(axis=1) >= 2 if given is None else ~np.isnan(given[:, 0])
            bins = _bins_of_mass(columns, n_bins, observed, weight, times)
        names = np.empty(0)
        if columns.shape[1] > 1:
            names = np.arange(columns.shape[1] - (given is None)) if known is None or given is not None else known
        one = cls(names.tolist(), bins, single_bins, given is not None, labels, weight is not None)
        one.case_ids = ids if labels is None else one.case_ids
        one.times, one.case_weights = times, sample
        return one._read(said, columns, given, weight)

    def _read(self, said: NDArray[Any], predicted: Array, given: Array | None = None, weight: Array | None = None) -> DisagreementStatistic:
        search = self.bins.search
        share, cell, own, fault = _histogram.disagreement(readable("counts", said), predicted, given, search, self.bins.uniform, OUTSIDE)
        kind, i, k = fault
        if kind == 4:
            raise checks.error("predicted", "be from 0 to 1", predicted[i, k], f"case {i}")
        if kind:
            raise counts_error(kind, said[i, k].item(), i if self.labels is None else self.labels.axes.case_ids[i], k)
        if weight is not None:
            cell[weight == 0] = -1
        owned(share, predicted, cell)
        self.n_cases, self.rows = len(said), Rows(share, predicted, cell, None, weight)
        counted = cell[:, 0] >= 0
        times = np.ones(len(said)) if self.times is None else self.times
        each = times if weight is None else times * weight
        if given is None and each[counted].any():
            self.pairs_per_case = float(np.average(said[counted].sum(axis=1), weights=each[counted])) / 2
        self.own = own if each is times and self.times is None else self.rows.sums(self.n_cells, times[:, None])[0]
        return self

    @property
    def panel(self) -> Panel:
        return Panel(lambda: named(self.labels), self._judged_by)

    @property
    def _settings(self) -> dict[str, Any]:
        by_class = {"classes": self.classes} if self.classes else {}
        what = "given" if self.given else "disagreement"
        weighted = {"weighted": True} if self.weighted else {}
        return {"edges": self.bins.plain(), "single_bins": self.single_bins, "statistic": what, **by_class, **weighted}

    @classmethod
    def of_settings(cls, settings: Mapping[str, Any]) -> DisagreementStatistic:
        names, given, weighted = settings.get("classes", []), settings["statistic"] == "given", settings.get("weighted", False)
        n_columns = len(names) if given and names else 1 + len(names)
        return cls(names, Bins.of_plain(settings["edges"], n_columns), settings["single_bins"], given, weighted=weighted)

    def _judged_by(self, annotators: NDArray[Any]) -> DisagreementStatistic:
        """Return the losses of some annotators in the same bins; refuse a given statistic, whose values for fewer labels are unknown."""
        if self.given:
            raise checks.error("statistic", "be disagreement if annotators are left out", "another one")
        one = DisagreementStatistic(self.classes, self.bins, self.single_bins, weighted=self.weighted)
        return one._read(counts_of(self.labels, annotators), self.rows.prob, weight=self.rows.weight)

    @property
    def n_counted(self) -> int:
        return int(number(self.cells[0, 0]).sum())

    @property
    def left_out(self) -> Mapping[str, int]:  # type: ignore[override]
        without = 0 if self.rows.weight is None else int((self.rows.weight == 0).sum())
        missing = self.number_of(np.ones(self.n_cases, bool)) - self.n_counted - without
        reasons = ("case without the statistic" if self.given else "case with fewer than two labels", missing), (NO_WEIGHT, without)
        return {reason: n for reason, n in reasons if n > 0}

    def record(self, left_out: Mapping[str, int]) -> DisagreementLosses:
        return DisagreementLosses(left_out, self)

    def numbers(self, sums: Array) -> dict[str, Array]:
        found = super().numbers(sums)
        if self.classes:
            loss, cl = (np.stack([found[f"{name}[{one}]"] for one in self.classes]) for name in ("l_phi", "cl"))
            with np.errstate(invalid="ignore"):
                found.update({"l_mean": loss.mean(axis=0), "ce_mean": np.sqrt(cl).mean(axis=0)})
        return found

    def tables(self, sums: Array) -> Array:
        cells = self.split(sums)[0][:, 0]
        return table(cells, cells[:, :1, :, CASES].sum(axis=-1), self.single_bins)

    def together(self, columns: Array) -> tuple[Array, Array]:
        if self.given and self.classes:
            return np.add.reduce(columns, -1)[..., None], columns
        return columns[..., :1], columns[..., 1:]

    def overall(self, rows: Array, totals: Array) -> Array:
        return np.concatenate(self.together(rows), axis=-1)

    def slopes(self, rows: Rows) -> tuple[Array, Array]:
        return slopes(self.cells[0], float(self.cells[0, 0, :, CASES].sum()), self.single_bins, rows), rows.share


def _bins_of_mass(columns: Array, n_bins: Any, kept: Bools, weight: Array | None, times: Array | None) -> Bins:
    """Return bins of equal mass of the kept cases (N,) with a weight, each as often as it occurs."""
    for count in (weight, times):
        kept = kept if count is None else kept & (count > 0)
    if not kept.any():
        return Bins.of_mass([np.array([0.0, 1.0])] * columns.shape[1], n_bins)
    return Bins.of_mass(columns[kept].T, n_bins, None if times is None else times[kept])


@dataclass(frozen=True, eq=False)
class DisagreementLosses(LossesInBins[DisagreementStatistic]):
    """The losses of predicted disagreement, or of another statistic of several labels.

    Attributes
    ----------
    l_phi : float
        Expected squared loss of the statistic, unbiased [B eq. 39].
    cl : Loss
        Calibration loss [B eq. 41-44]: ``plugin``, ``bias``, ``debiased``.
    rl : Loss
        Refinement loss [B eq. 16, 37]: the mean squared distance of the statistic from its mean in the bin.
    within : float
        Remainder due to predictions that differ within bins: L = CL + RL + within.
    l_per_class, cl_per_class, rl_per_class
        (K,) array and Losses of (K,) arrays for predictions by class, or for the values of a statistic with several values; otherwise None.
    n_cases, left_out : int, mapping
        Cases with enough labels, and cases left out by reason.
    observed : (N,) or (N, M) array
        Unbiased estimates of the expectation of the statistic, or of its values; NaN for cases with too few labels.
    bin_edges, bin_counts : (M, B + 1) and (M, B) arrays
        Bins of the M statistics: the overall one, then those of the classes; or those of the values.
    cl_per_bin : Loss
        Calibration loss in (M, B) arrays.

    Examples
    --------
    >>> import ugt
    >>> counts, probs = [[3, 2], [5, 0], [1, 4]], [[0.6, 0.4], [0.9, 0.1], [0.3, 0.7]]
    >>> found = ugt.calibration.disagreement_losses(counts, ugt.calibration.predicted_disagreement(probs))
    >>> round(found.l_phi, 4), found.l_per_class.round(4)
    (0.1757, array([0.1757, 0.1757]))
    """

    def __repr__(self) -> str:
        return f"DisagreementLosses(n_cases={self.n_cases}, l_phi={self.l_phi:.6g}, cl={self.cl})"

    @cached_property
    def _columns(self) -> Losses:
        return Losses.of(np.concatenate(self._statistic.together(self._tables[1]), axis=-1))

    @property
    def value(self) -> float:  # type: ignore[override]
        return self.l_phi

    @property
    def l_phi(self) -> float:
        return float(self._columns.l_sq[0])

    @property
    def cl(self) -> Loss:
        return self._columns.cl.at(0)

    @property
    def rl(self) -> Loss:
        return self._columns.rl.at(0)

    @property
    def within(self) -> float:
        return self.l_phi - float(self.cl.plugin + self.rl.plugin)

    @property
    def l_per_class(self) -> Array | None:
        found: Array = self._columns.l_sq[1:]
        return found if len(found) else None

    @property
    def cl_per_class(self) -> Loss | None:
        return None if self.l_per_class is None else self._columns.cl.at(slice(1, None))

    @property
    def rl_per_class(self) -> Loss | None:
        return None if self.l_per_class is None else self._columns.rl.at(slice(1, None))

    @property
    def cl_per_bin(self) -> Loss:
        return self.per_bin.cl

    @property
    def observed(self) -> Array:
        one = self._statistic
        return one.rows.share if one.given and one.classes else one.rows.share[:, 0]

    def _column(self, k: Any) -> tuple[int, str, str, float]:
        one = self._statistic
        overall = 0 if one.given and one.classes else 1  # number of columns before those of classes
        if k is None:
            if not overall:
                raise checks.error("k", f"be the number of a value of the statistic, from 0 to {len(one.classes) - 1}", "None")
            column, name = 0, "the statistic" if one.given else "disagreement"
        elif not one.classes:
            raise checks.error("k", "be None if predictions are not by class", repr(k))
        else:
            k = checks.whole("k", k, 0, len(one.classes) - 1)
            column = overall + k
            name = f"{'class' if overall else 'value'} {one.classes[k]}"
        return column, name, "statistic" if one.given else "disagreement", one.pairs_per_case

    @property
    def ce(self) -> float:
        """Calibration error √CL, debiased; NaN for a negative loss."""
        return float(self.cl.root().debiased)

    @property
    def l_mean(self) -> float:
        """Mean over classes of their losses; NaN without predictions by class."""
        return float("nan") if self.l_per_class is None else float(self.l_per_class.mean())

    @property
    def ce_mean(self) -> float:
        """Mean over classes of √CL, debiased; NaN if any class has a negative loss."""
        return float("nan") if self.cl_per_class is None else float(np.mean(self.cl_per_class.root().debiased))


@tells_joins
def disagreement_losses(
    counts: Any,
    predicted: Any,
    *,
    statistic: Array | None = None,
    n_bins: int = 15,
    binning: Any = "width",
    single_bins: str = "zero",
    weights: Any = None,
    frequency: Any = None,
    case_weights: Any = None,
) -> DisagreementLosses:
    """Return the losses of the predicted probability that two labels of a case differ, overall and for each class.

    For each of N cases with at least two labels, let φ be the prediction and μ the unbiased estimate of the probability,
    ``1 - Σ y_k (y_k - 1) / (n (n - 1))`` overall and ``2 y_k (n - y_k) / (n (n - 1))`` by class::

        L  = 1/N Σ (μ - 2 μ φ + φ²)                                                   eq. 39
        CL = Σ_bins |I|/N (mean μ - mean φ)², bias |I|/N var(μ) / (|I| - 1)            eq. 41-44
        RL = Σ_bins |I|/N mean μ (1 - mean μ), bias minus that of CL                   eq. 16, 37

    Parameters
    ----------
    counts : (N, K) array or Labels
        Labels of each case by class, whole numbers.
    predicted : PredictedDisagreement or (N,) array
        Predictions by :func:`predicted_disagreement`, the overall probability alone, or probabilities of the values of ``statistic``.
    statistic : (N,) or (N, M) array, optional
        μ of another statistic instead of disagreement, 0 or 1 for each set of labels, by :func:`symmetric_statistic`;
        NaN for a case with too few labels. ``predicted`` is then an array. For a statistic with M values [B app. C], the shares of the
        values, with predictions (N, M) that add up to 1. Losses are then sums over the values, as L_sq is over classes; with two values
        they are twice those of the statistic of 0 and 1.
    n_bins, binning, single_bins, weights, frequency, case_weights
        As for :func:`histogram_losses`; bins are those of the prediction.

    Returns
    -------
    DisagreementLosses

    Raises
    ------
    ValueError
        If shapes do not fit, counts are not label counts, a prediction lies outside of [0, 1], or an option is unknown.

    References
    ----------
    [B] Mimori et al. (2021), sec. 4 and app. C.

    Examples
    --------
    >>> import ugt
    >>> found = ugt.calibration.disagreement_losses([[3, 2], [5, 0], [1, 4], [1, 0]], [0.5, 0.1, 0.4, 0.1])
    >>> round(found.l_phi, 3), found.observed, found.left_out
    (0.167, array([0.6, 0. , 0.4, nan]), {'case with fewer than two labels': 1})
    """
    rules = {"n_bins": n_bins, "binning": binning, "single_bins": single_bins}
    rows: dict[str, Any] = {"weights": weights, "frequency": frequency, "case_weights": case_weights}
    one = DisagreementStatistic.of(counts, predicted, statistic=statistic, **rules, **rows)
    if not one.n_counted:
        notices.undefined(one.nothing)
    return DisagreementLosses(one.left_out, one)
