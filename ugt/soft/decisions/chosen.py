"""Thresholds that are chosen on the cases which they are applied to, and decisions by thresholds from other cases."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ..._base import checks
from ..._base.arrays import Array, Bools, Int32, NDArray
from ..._base.records import Record
from .measures import MEASURES

CHOICES = ("youden", "f1", "mcc", "accuracy", "balanced_accuracy", "jaccard")
FOLDS = 10
LEAST = 5.0  # expected positives, and negatives, in each fold


@dataclass(frozen=True, repr=False)
class Chosen(Record):
    """How a threshold was chosen.

    Attributes
    ----------
    by : str
        The measure whose highest value was sought.
    apparent : float
        Its value at ``threshold`` on the cases on which this was chosen, which is too high.
    n_folds : int
        Decisions on each of so many folds were made by the threshold that is best on the other ones.

    Examples
    --------
    >>> import numpy as np
    >>> import ugt
    >>> scores = np.arange(200) / 200
    >>> found = ugt.soft.diagnostic_accuracy(scores**2, scores, threshold="youden")
    >>> round(found.chosen.apparent, 3), round(found.youden, 3)
    (0.577, 0.577)
    """

    by: str
    apparent: float
    n_folds: int


def decisions(p: Array, scores: NDArray[np.floating], weights: Array, by: str, seed: int) -> tuple[Int32, float, Chosen]:
    """Return decisions (N,) by thresholds from other folds, the threshold that is best on all cases, and how it was chosen.

    Cases with weight 0 or without a p have no part in it. Folds are drawn and have about the same share of positives. The order of the rows
    has no part in it. Folds with the same scores, too, would be too alike: a threshold would be judged by cases like those it is from.
    """
    kept = (weights > 0) & ~np.isnan(p)
    q, w = np.where(kept, p, 0.0), np.where(kept, weights, 0.0)
    positive = float((w * q).sum()) / FOLDS * (kept.sum() / w.sum())
    negative = float((w * (1 - q)).sum()) / FOLDS * (kept.sum() / w.sum())
    if min(positive, negative) <= LEAST:
        which, n = ("positive", positive) if positive <= negative else ("negative", negative)
        must = f"be a number, unless each of {FOLDS} folds has more than {LEAST:g} expected positive and negative cases"
        raise checks.error("threshold", must, f"{by!r} with {n:.1f} {which} ones")
    fold = np.full(len(p), -1)
    rows = np.flatnonzero(kept)
    rows = rows[np.lexsort((scores[rows], q[rows]))]
    drawn = np.random.Generator(np.random.Philox(key=np.array([seed, FOLDS], np.uint64))).random(len(rows))
    fold[rows[np.lexsort((drawn, q[rows]))]] = np.arange(len(rows)) % FOLDS
    order = np.argsort(-scores, kind="stable")
    ends = np.append(np.flatnonzero(np.diff(scores[order]) != 0), len(scores) - 1)  # the last case of each group of equal scores
    found = np.zeros(len(p), np.int32)
    for one in range(FOLDS):
        threshold, _ = _best(q[order], (w * (fold != one))[order], scores[order], ends, by)
        own: Bools = fold == one
        found[own] = scores[own] >= threshold
    threshold, apparent = _best(q[order], w[order], scores[order], ends, by)
    return found, threshold, Chosen(by, apparent, FOLDS)


def _best(p: Array, weights: Array, scores: NDArray[np.floating], ends: NDArray[np.int64], by: str) -> tuple[float, float]:
    """Return the threshold with the highest value of a measure, and the value; cases are in descending order of scores."""
    above = np.stack([np.cumsum(weights * p), np.cumsum(weights * (1 - p))], axis=1)
    below = np.maximum(above[-1] - above, 0.0)
    values = MEASURES[by].value(np.concatenate([above, below], axis=1)[ends])
    at = int(np.nanargmax(values))
    return float(scores[ends[at]]), float(values[at])
