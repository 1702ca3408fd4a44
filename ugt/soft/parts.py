"""Soft AUROC and average precision of data in several places.

They are computed in bins of the scores, with bounds for the unknown order within bins. Or they are computed exactly from ranges of
scores, each of which is sorted separately: given the totals above each range, the sums of the ranges add up to those of all scores. Equal
scores are always in one range.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from importlib import import_module
from typing import Any

import numpy as np

from .._base.arrays import Array, Bools, Int64, NDArray
from .._base.checks import error, option, whole
from .._core import _soft
from ..resampling import Merging, Part
from ..resampling.parts import options_of
from ..resampling.spread import with_annotators
from .columns import HARD_POSITIVE, POSITIVE, SELF_PAIRS, Auroc, Precision
from .input import NO_TRUTH, Input, check_threshold, read
from .ranking import Metric, SoftRanking

GROUP = 5  # sums per bin: Σ p, Σ (1 - p), Σ p (1 - p), and positives and negatives of the hard labels
BOUNDED = ("value", "hard", "low", "hard low", "high", "hard high")
EDGES, MOST_EDGES = 1000, 1_000_000
ELSEWHERE = ("multiclass",)  # options that need all cases in one place
WORDS = {
    "average": ("macro", "weighted"), "ties": ("group", "expected"),
    "self_pairs": tuple(SELF_PAIRS), "self_term": ("certain", "probability"),
}  # fmt: skip
METRICS = ("soft_auroc", "soft_average_precision")
SAMPLES = 1 << 18  # sampled scores of all parts together, from which the ends of ranges are chosen
U, V, S, HARD_U, HARD_V = range(5)  # sums of a range: Σ p, Σ (1 - p), Σ p (1 - p), and positives and negatives of the hard labels


def checked(options: Mapping[str, Any]) -> dict[str, Any]:
    """Return the options of a metric; refuse unknown words and thresholds out of range."""
    for name in options.keys() & WORDS.keys():
        option(name, options[name], WORDS[name])
    return {**options, "threshold": check_threshold(options["threshold"])}


def metric_of(settings: Mapping[str, Any]) -> Metric:
    return Auroc(settings["self_pairs"]) if "self_pairs" in settings else Precision(settings["self_term"])


def of_settings(settings: Mapping[str, Any]) -> SoftRanking:
    """Return the statistic without cases, which answers for sums of bins, or of sorted ranges of scores."""
    if "edges" in settings:
        return BinnedRanking.of_settings(settings)
    return SoftRanking((), (metric_of(settings),), weighted=settings["average"] == "weighted")


class BinnedRanking(SoftRanking):
    """The statistic of binned scores: the cases of a bin count as tied, in expectation; ``low`` and ``high`` are bounds over their orders.

    ``settings``: options of the metric, and ``edges`` between bins; ``at`` (N, C): cells of the cases in a table of C columns x B bins;
    ``p`` (N, C): their probabilities, NaN in cases that do not count; ``labels``: the labels of which these are shares.
    """

    def __init__(self, settings: Mapping[str, Any], at: Int64, p: Array, labels: Any = None) -> None:
        super().__init__((), (metric_of(settings),), BOUNDED, weighted=settings["average"] == "weighted", labels=labels)
        self.at, self.p, self.n_cases, self._settings = at, p, len(p), dict(settings)

    @classmethod
    def of(cls, data: tuple[Any, ...], options: Mapping[str, Any]) -> BinnedRanking:
        """Make the statistic from p and scores, with one column or K."""
        p, scores = data
        given = read(p, scores, may_lack=True)
        settings = {**checked(options), "edges": edges_of(options["edges"])}
        p, scores = (table if table.ndim == 2 else table[:, None] for table in (given.p, given.table))
        n_bins = len(settings["edges"]) + 1
        at = np.searchsorted(settings["edges"], scores.ravel(), side="right").reshape(scores.shape) + np.arange(p.shape[1]) * n_bins
        return cls(settings, at, p, given.labels)

    @classmethod
    def of_settings(cls, settings: Mapping[str, Any]) -> BinnedRanking:
        return cls(settings, np.empty((0, 1), np.int64), np.empty((0, 1)))

    @property
    def merging(self) -> Merging:
        return super().merging._replace(settings=self._settings, groups=self._groups, influence_at=self._influence_at)

    @property
    def kept(self) -> Bools:
        return np.asarray(~np.isnan(self.p).any(axis=1))

    @property
    def left_out(self) -> Mapping[str, int]:  # type: ignore[override]
        missing = self.n_cases - self.n_counted
        return {NO_TRUTH: missing} if missing else {}

    def _judged_by(self, annotators: NDArray[Any]) -> BinnedRanking:
        """Return the statistic of some annotators, in the same bins."""
        p = self._means_of(annotators)
        return BinnedRanking(self._settings, self.at, p if p.shape == self.p.shape else p[:, 1:], self.labels)

    def sums(self, cases: Array | None = None) -> Array:
        if cases is None:
            return self._sums(None)[None]
        return np.stack([self._sums(np.repeat(each, self.p.shape[1])) for each in cases[:, self.kept]])

    def _sums(self, weight: Array | None) -> Array:
        size = self.p.shape[1] * (len(self._settings["edges"]) + 1)
        at, parts = self.at[self.kept].ravel(), self._parts(self.p[self.kept].ravel())
        table = [np.bincount(at, part if weight is None else part * weight, size) for part in parts]
        return np.stack(table, axis=1).astype(np.float64).ravel()

    def _parts(self, p: Array) -> tuple[Array, ...]:
        """Return what probabilities add to the GROUP sums of a bin."""
        hard = (p > self._settings["threshold"]) * 1.0
        return p, 1.0 - p, p * (1.0 - p), hard, 1.0 - hard

    def _influence_at(self, sums: Array) -> Array:
        """Return (N, 2) influences on the value and on the hard value; 0 for cases that do not count."""
        kept, (metric,), found = self.kept, self.metrics, np.zeros((self.n_cases, 2))
        columns = self._of_bins(sums[None])[0, 0].reshape(-1, _soft.N_SUMS)
        bins, parts = self._bins(sums[None])[0], self._parts(self.p[kept])
        rows = self.at[kept] - np.arange(len(bins)) * bins.shape[1]
        soft, hard = (metric.values(columns), [U, V, S], POSITIVE), (metric.hard_values(columns), [HARD_U, HARD_V], HARD_POSITIVE)
        for number, (values, which, mass) in enumerate((soft, hard)):
            on_values: list[Any] = [0.0] * len(bins)
            for k in np.flatnonzero(~np.isnan(values)):
                groups = np.zeros((bins.shape[1], 3))
                groups[:, : len(which)] = bins[k, ::-1][:, which]
                by = metric.slopes(groups, True)[::-1][rows[:, k]]
                on_values[k] = sum(parts[one][:, k] * by[:, i] for i, one in enumerate(which))
            found[kept, number] = self.averaged(values, on_values, parts[which[0]].T, columns[:, mass], len(rows))
        return found

    def answer(self, sums: Array) -> Array:
        table, answer = self._of_bins(sums), super().answer
        return np.concatenate([answer(table[:, j]) for j in range(3)], axis=1)

    def per_class(self, metric: Metric, sums: Array) -> tuple[Array, Array]:
        return super().per_class(metric, self._of_bins(sums)[:, 0])

    def influence(self) -> Array | None:  # type: ignore[override]
        return None

    def _steps(self, sums: Array, n_cases: int) -> Array:
        return np.tile(super()._steps(self._of_bins(sums[None])[0, 0], n_cases), 3)

    def _of_bins(self, sums: Array) -> Array:
        """Return (B, 3, K x N_SUMS) sums of the columns: expected, smallest and largest."""
        bins = self._bins(sums)[:, :, ::-1]  # highest scores first
        found = _soft.groups(np.ascontiguousarray(bins.reshape(-1, *bins.shape[2:])), None, True, True)
        return np.ascontiguousarray(found.reshape(len(bins), -1, 3, _soft.N_SUMS).transpose(0, 2, 1, 3)).reshape(len(bins), 3, -1)

    def _bins(self, sums: Array) -> Array:
        return sums.reshape(len(sums), -1, len(self._settings["edges"]) + 1, GROUP)

    def _groups(self, sums: Array, fixed: Array) -> Array:
        bins = self._bins(sums[None])[0]
        return np.asarray(np.rint(bins[..., 0] + bins[..., 1]))


def edges_of(given: Any) -> list[float]:
    """Return the edges between bins: given ascending numbers, or those of n bins of equal width from 0 to 1."""
    must = f"be a number of bins from 2 to {MOST_EDGES}, or ascending finite numbers between them"
    if np.ndim(given) == 0:
        return [float(edge) for edge in np.linspace(0, 1, whole("edges", given, 2, MOST_EDGES) + 1)[1:-1]]
    edges = np.asarray(given)
    good = edges.ndim == 1 and edges.dtype.kind in "iuf" and 1 <= len(edges) < MOST_EDGES
    if not good or not np.isfinite(edges).all() or not (np.diff(edges) > 0).all():
        raise error("edges", must, f"{edges.dtype} of shape {edges.shape}")
    return [float(edge) for edge in edges]


PART = Part(BinnedRanking.of, of_settings, {"edges": EDGES}, (*ELSEWHERE, "ties"))


def settings_of(metric: str, options: Mapping[str, Any]) -> dict[str, Any]:
    """Return the checked options of the public function; pairs of classes need all cases in one place and are refused."""
    return checked(options_of(getattr(import_module(__package__), metric), ("p", "scores"), options, without=ELSEWHERE))


def by_ranges(metric: str, options: dict[str, Any]) -> bool:
    """Return whether scores are sorted, not binned; remove the options of bins from ``options``."""
    if metric not in METRICS or "edges" in options:
        return False
    asked = {"n_resamples": options.pop("n_resamples", 0), "random": with_annotators(options.pop("random", "cases"))}
    for name, one in asked.items():
        if one:
            what = "resamples" if name == "n_resamples" else "intervals over annotators"
            raise error("edges", f"be given with {name}, because {what} need cases in bins", None)
    return True


def column_of(given: Input, k: int) -> tuple[Array, Array]:
    """Return ``(p, scores)`` of one column as float64."""
    columns = (given.p, given.table) if given.p.ndim == 1 else (given.p[:, k], given.table[:, k])
    p, scores = (np.ascontiguousarray(one if given.kept is None else one[given.kept], np.float64) for one in columns)
    return p, scores


def read_part(data: Sequence[Any]) -> Input:
    p, scores = data
    return read(p, scores, may_lack=True)


def sample(scores: Array, n_parts: int) -> Array:
    """Return an even sample of the scores of a part, ascending; it is smaller if there are many parts."""
    most = max(64, SAMPLES // n_parts)
    found = np.sort(scores[:: -(-len(scores) // (4 * most)) or 1])
    return found[:: -(-len(found) // most) or 1]


@dataclass(frozen=True, eq=False)
class Ranges:
    """The ranges of scores, lowest first: range r holds lower[r] <= score < lower[r + 1], and the first one all lower scores, too.

    ``single`` (R,): whether all scores of a range are equal, as those of a tie group that is too large for the memory of one task.
    """

    lower: Array
    single: Bools

    @classmethod
    def of(cls, samples: Sequence[tuple[Array, int]], n_ranges: int) -> Ranges:
        """Choose ranges with about equal numbers of cases; ``samples``: sorted scores, and the number of scores they stand for."""
        scores = np.concatenate([scores for scores, _ in samples])
        weight = np.concatenate([np.full(len(scores), n / max(1, len(scores))) for scores, n in samples])
        order = np.argsort(scores, kind="stable")
        scores, upto = scores[order], np.cumsum(weight[order])
        at = np.searchsorted(upto, upto[-1] * np.arange(1, n_ranges) / n_ranges) if len(scores) else np.empty(0, np.int64)
        chosen, times = np.unique(scores[at], return_counts=True)
        heavy = chosen[times > 1]  # scores that fill a range on their own
        above = np.nextafter(heavy, np.inf)
        lower = np.unique(np.concatenate([[-np.inf], chosen, above]))
        return cls(lower, np.isin(lower, heavy) & np.isin(np.append(lower[1:], np.inf), above))

    def __len__(self) -> int:
        return len(self.lower)

    def which(self, scores: Array) -> NDArray[np.intp]:
        """Return the (N,) range of every score."""
        return np.searchsorted(self.lower[1:], scores, side="right")

    def holds(self, scores: Array, r: int) -> Bools:
        """Return (N,) whether a score is in range r, without the search of ``which``."""
        inside = scores >= self.lower[r] if r > 0 else np.ones(len(scores), bool)
        return inside & (scores < self.lower[r + 1]) if r + 1 < len(self) else inside

    def totals(self, p: Array, scores: Array, threshold: float) -> Array:
        """Return (R, 6) totals of each range: U, V, S, HARD_U, HARD_V and the number of cases."""
        at, hard = self.which(scores), (p > threshold) * 1.0
        parts = (p, 1.0 - p, p * (1.0 - p), hard, 1.0 - hard, None)
        return np.stack([np.bincount(at, part, len(self)) for part in parts], axis=1).astype(np.float64)


def above_of(totals: Array) -> Array:
    """Return (R, 4): positives and negatives, soft and hard, with higher scores than each range."""
    return np.ascontiguousarray(np.append(np.cumsum(totals[:, [U, V, HARD_U, HARD_V]][:0:-1], axis=0)[::-1], np.zeros((1, 4)), axis=0))


def range_sums(p: Array, scores: Array, settings: Mapping[str, Any], above: Array) -> Array:
    if len(p) == 0:
        return np.zeros(_soft.N_SUMS)
    return _soft.Scores(scores).sums(p, None, settings["threshold"], settings.get("ties") == "expected", np.ascontiguousarray(above))


def tie_sums(total: Array, settings: Mapping[str, Any], above: Array) -> Array:
    """Return the (N_SUMS,) sums of a range whose scores are all equal, from its totals alone."""
    table = np.ascontiguousarray(total[None, None, :5])
    return np.asarray(_soft.groups(table, above[None], settings.get("ties") == "expected", False)[0, 0])
