"""Exact soft AUROC and average precision of scores that are never in one place: ranges of scores, each sorted by itself.

The sums of a range, given what lies above it, add up to those of all scores; equal scores are always in one range.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from importlib import import_module
from typing import Any

import numpy as np

from .._base.arrays import Array, Bools, NDArray
from .._core import _soft
from ..resampling.parts import options_of
from .input import Input, read
from .parts import ELSEWHERE, checked

METRICS = ("soft_auroc", "soft_average_precision")
SAMPLES = 1 << 18  # scores of all parts together, from which the ends of ranges are chosen
U, V, S, HARD_U, HARD_V = range(5)  # of a range: Σ p, Σ (1 - p), Σ p (1 - p), and of the hard labels


def settings_of(metric: str, options: Mapping[str, Any]) -> dict[str, Any]:
    """What the function takes, checked; weights and pairs of classes are for cases in one place."""
    function = getattr(import_module(__package__), metric)
    return checked(options_of(function, ("p", "scores"), options, without=ELSEWHERE))


def column_of(given: Input, k: int) -> tuple[Array, Array]:
    """``(p, scores)`` of one column, float64."""
    columns = (given.p, given.table) if given.p.ndim == 1 else (given.p[:, k], given.table[:, k])
    p, scores = (np.ascontiguousarray(one if given.kept is None else one[given.kept], np.float64) for one in columns)
    return p, scores


def read_part(data: Sequence[Any]) -> Input:
    p, scores = data
    return read(p, scores, None, may_lack=True)


def sample(scores: Array, n_parts: int) -> Array:
    """Some of the scores of a part, evenly, ascending; fewer where there are many parts."""
    most = max(64, SAMPLES // n_parts)
    found = np.sort(scores[:: -(-len(scores) // (4 * most)) or 1])
    return found[:: -(-len(found) // most) or 1]


@dataclass(frozen=True, eq=False)
class Ranges:
    """Ranges of scores, from the lowest up: range r holds lower[r] <= score < lower[r + 1], the first all below lower[1] too.

    ``single`` (R,): whether all scores of a range are the same, a tie group too large to be held.
    """

    lower: Array
    single: Bools

    @classmethod
    def of(cls, samples: Sequence[tuple[Array, int]], n_ranges: int) -> Ranges:
        """About as many cases in each; ``samples``: sorted scores, and how many they stand for."""
        scores = np.concatenate([scores for scores, _ in samples])
        weight = np.concatenate([np.full(len(scores), n / max(1, len(scores))) for scores, n in samples])
        order = np.argsort(scores, kind="stable")
        scores, upto = scores[order], np.cumsum(weight[order])
        at = np.searchsorted(upto, upto[-1] * np.arange(1, n_ranges) / n_ranges) if len(scores) else np.empty(0, np.int64)
        chosen, times = np.unique(scores[at], return_counts=True)
        heavy = chosen[times > 1]  # as many as fill a range: by themselves
        above = np.nextafter(heavy, np.inf)
        lower = np.unique(np.concatenate([[-np.inf], chosen, above]))
        single = np.isin(lower, heavy) & np.isin(np.append(lower[1:], np.inf), above)
        return cls(lower, single)

    def __len__(self) -> int:
        return len(self.lower)

    def which(self, scores: Array) -> NDArray[np.intp]:
        """(N,) range of every score."""
        return np.searchsorted(self.lower[1:], scores, side="right")

    def holds(self, scores: Array, r: int) -> Bools:
        """(N,) whether a score is of range r; as ``which``, but without a search."""
        inside = scores >= self.lower[r] if r > 0 else np.ones(len(scores), bool)
        return inside & (scores < self.lower[r + 1]) if r + 1 < len(self) else inside

    def totals(self, p: Array, scores: Array, threshold: float) -> Array:
        """(R, 6) of each range: U, V, S, HARD_U, HARD_V and the number of cases."""
        at, hard = self.which(scores), (p > threshold) * 1.0
        parts = (p, 1.0 - p, p * (1.0 - p), hard, 1.0 - hard, None)
        return np.stack([np.bincount(at, part, len(self)) for part in parts], axis=1).astype(np.float64)


def above_of(totals: Array) -> Array:
    """(R, 4) positives, negatives and hard ones with higher scores than each range."""
    own = totals[:, [U, V, HARD_U, HARD_V]]
    return np.ascontiguousarray(np.append(np.cumsum(own[:0:-1], axis=0)[::-1], np.zeros((1, 4)), axis=0))


def range_sums(p: Array, scores: Array, settings: Mapping[str, Any], above: Array) -> Array:
    if len(p) == 0:
        return np.zeros(_soft.N_SUMS)
    expected = settings.get("ties") == "expected"
    return _soft.Scores(scores).sums(p, None, settings["threshold"], expected, np.ascontiguousarray(above))


def tie_sums(total: Array, settings: Mapping[str, Any], above: Array) -> Array:
    """(N_SUMS,) of a range whose scores are all the same, from its totals alone."""
    table = np.ascontiguousarray(total[None, None, :5])
    return np.asarray(_soft.groups(table, above[None], settings.get("ties") == "expected", False)[0, 0])
