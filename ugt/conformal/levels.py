"""p-values as a function of the score: what calibration finds, and what prediction reads off."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from .._base.arrays import Array, Int64
from .._base.ragged import offsets_of

# p-values are ratios of whole numbers below 2**53 with steps far above this: equal to alpha is told from above alpha.
EQUAL = 1e-12


@dataclass(frozen=True, eq=False)
class Levels:
    """For every category (of case and class) a step function: p(s) of a score s is ``p`` at the first level of at least s.

    Levels of category g are ``score[offsets[g]:offsets[g + 1]]``, ascending, p descending; beyond the last p is ``base[g]``.
    """

    offsets: Int64
    score: Array
    p: Array
    base: Array

    def _part(self, g: int) -> slice:
        return slice(int(self.offsets[g]), int(self.offsets[g + 1]))

    def p_values(self, scores: Array, category: Int64 | int) -> Array:
        if isinstance(category, (int, np.integer)):
            part = self._part(int(category))
            values = np.append(self.p[part], self.base[category])
            return np.asarray(values[np.searchsorted(self.score[part], scores, side="left")])
        flat, given = np.broadcast_to(category, scores.shape).ravel(), scores.ravel()
        out = np.empty(flat.shape)
        for g, at in parts(flat, len(self.base)):
            out[at] = self.p_values(given[at], g)
        return out.reshape(scores.shape)

    def thresholds(self, alpha: float) -> Array:
        """(categories,) the highest score whose p-value is above alpha; inf where that of every score is."""
        out = np.full(len(self.base), np.inf)
        for g in np.flatnonzero(self.base <= alpha * (1 + EQUAL)):
            part = self._part(int(g))
            above = int((self.p[part] > alpha * (1 + EQUAL)).sum())  # p descends; it is 1 at the first level
            out[g] = self.score[part][above - 1] if above else -np.inf
        return out

    def corrected(self, scores: Array, category: Int64) -> Levels:
        """ECDF-corrected: p becomes (1 + #{held-out cases of the category with a p-value of at most p}) / (1 + their number)."""
        held_out = self.p_values(scores, category)
        by_category = dict(parts(category, len(self.base)))
        rows: list[tuple[Array, Array, float]] = []
        for g in range(len(self.base)):
            part = self._part(g)
            seen = np.sort(held_out[by_category[g]]) if g in by_category else np.empty(0)

            def share(p: Any, seen: Array = seen) -> Array:
                return np.asarray((1 + np.searchsorted(seen, p, side="right")) / (1 + len(seen)))

            p = share(self.p[part])
            last = np.append(p[1:] != p[:-1], True)[: len(p)]  # of the levels of one p-value only the highest counts
            rows.append((self.score[part][last], p[last], float(share(self.base[g]))))
        return assembled(rows)


def parts(category: Int64, n: int) -> list[tuple[int, Int64]]:
    """The categories that occur, and where, in order."""
    if n == 1:
        return [(0, np.arange(len(category)))] if len(category) else []
    order = np.argsort(category, kind="stable")
    ends = np.cumsum(np.bincount(category, minlength=n))
    return [(g, order[begin:end]) for g, (begin, end) in enumerate(zip([0, *ends[:-1].tolist()], ends.tolist())) if end > begin]


def assembled(rows: list[tuple[Array, Array, float]]) -> Levels:
    score, p, base = zip(*rows)
    return Levels(offsets_of(np.array([len(one) for one in score])), np.concatenate(score), np.concatenate(p), np.array(base))


def pooled(scores: Array, category: Int64, n_categories: int) -> Levels:
    """Levels from the scores (n, m) of m labels of each of n cases, with the category (n, m) of each.

    p(s) = mean over the m samples of (1 + #{cases of the category with a score of at least s}) / (1 + #{cases of the category}).
    """
    m = scores.shape[1]
    flat, of = scores.ravel(), np.ascontiguousarray(category).ravel()
    found = dict(parts(of, n_categories))
    nothing = np.empty(0), np.empty(0), 1.0
    return assembled([_category(flat[found[g]], found[g] % m, m) if g in found else nothing for g in range(n_categories)])


def _category(scores: Array, sample: Int64, m: int) -> tuple[Array, Array, float]:
    size = np.bincount(sample, minlength=m)
    if (size == size[0]).all():  # whole numbers, so that p-values are exact to the last bit: (m + count) / (m (n + 1))
        ordered = np.sort(scores)
        first = np.flatnonzero(np.append(True, ordered[1:] != ordered[:-1]))
        n = m * (int(size[0]) + 1)
        return ordered[first], (m + len(ordered) - first) / n, m / n
    weight = 1.0 / (1.0 + size) / m
    base = float(weight.sum())
    order = np.argsort(scores, kind="stable")
    ordered = scores[order]
    first = np.flatnonzero(np.append(True, ordered[1:] != ordered[:-1]))
    at_least = np.cumsum(weight[sample[order]][::-1])[::-1][first]
    return ordered[first], np.minimum(base + at_least, 1.0), base
