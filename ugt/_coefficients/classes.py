"""Every class against all others, and what an agreement coefficient is left without."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from .forms import Values
from .table import Judgements

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Array = NDArray[np.float64]


def class_disagreement(judged: Judgements, scale: Array) -> Array:
    """(K,) Σ_i scale_i times the ordered pairs of annotators of case i of whom only one chose the class, over all cases."""
    table, k, scale = judged.classes, judged.n_classes, scale * judged.times
    row = table.row
    total = np.bincount(table.index, scale[row] * 2 * table.amount * (judged.size[row] - table.amount), k)
    case, mixed = judged.mixed()
    if len(case):
        inside = 2 * mixed.amount * (1 - mixed.amount)
        total = np.maximum(total - np.bincount(mixed.index, scale[case][mixed.row] * inside, k), 0.0)
    return np.asarray(total)


def prevalence(judged: Judgements) -> Array:
    """(K,) share of each class among all judgements."""
    totals = judged.classes.totals(judged.n_classes, judged.times)
    return np.asarray(totals / max(1.0, float((judged.size * judged.times).sum())))


def shared(judged: Judgements, chance: str) -> Array:
    """(K,) for percent agreement, Fleiss' kappa and AC1."""
    n_two, n_any = (float((judged.times * kept).sum()) for kept in (judged.size >= 2, judged.size > 0))
    return shared_of(shared_sums(judged, chance), n_two, n_any, chance)


def shared_sums(judged: Judgements, chance: str) -> Array:
    """(2, K) over cases: disagreement about each class, and how often it was chosen (by a share of the annotators of the case)."""
    size, times = judged.size, judged.times
    two, table = size >= 2, judged.classes
    others = np.where(two, size - 1, 1.0)
    if chance == "none":
        return np.stack([class_disagreement(judged, two / others), table.totals(judged.n_classes, two * times)])
    differ = class_disagreement(judged, two / others / np.maximum(size, 1.0))
    return np.stack([differ, table.totals(judged.n_classes, times / np.maximum(size, 1.0))])


def shared_of(sums: Array, n_two: float, n_any: float, chance: str) -> Array:
    """(K,) from such sums, and the cases with two annotators and with any."""
    if chance == "none":
        with np.errstate(invalid="ignore"):
            return np.asarray(1 - sums[0] / 2 / np.where(sums[1] > 0, sums[1], np.nan))
    pooled = sums[1] / max(1.0, n_any)
    differ = 2 * pooled * (1 - pooled)
    found = Values.of(sums[0] / max(1.0, n_two), 1 - differ if chance == "gwet" else differ).value
    return found if n_two else np.full(len(found), np.nan)


def two(first: Judgements, second: Judgements, both: Judgements, pooled: bool) -> Array:
    """(K,) for Cohen's kappa and Scott's pi, of judgements of the shared cases."""
    return two_of(two_sums(first, second, both), float((first.times * (first.size > 0)).sum()), pooled)


def two_sums(first: Judgements, second: Judgements, both: Judgements) -> Array:
    """(3, K) over cases: disagreement about each class, and how often either annotator chose it."""
    chosen = (judged.classes.totals(judged.n_classes, judged.times) for judged in (first, second))
    return np.stack([class_disagreement(both, np.ones(both.n_cases)), *chosen])


def two_of(sums: Array, n: float, pooled: bool) -> Array:
    """(K,) from such sums over n cases."""
    differ, p, q = sums / max(1.0, n)
    if pooled:
        p = q = (p + q) / 2
    return Values.of(differ / 2, p * (1 - q) + q * (1 - p)).value


def alpha(judged: Judgements) -> Array:
    """(K,) for Krippendorff's alpha."""
    return alpha_of(alpha_sums(judged), float((judged.size * (judged.size >= 2) * judged.times).sum()))


def alpha_sums(judged: Judgements) -> Array:
    """(3, K) over cases with two annotators: disagreement about each class, how often it was chosen, disagreement within judgements."""
    counted = judged.size >= 2
    weights = counted * judged.times
    amount = judged.classes.totals(judged.n_classes, weights)
    between = class_disagreement(judged, counted / np.where(counted, judged.size - 1, 1.0))
    case, mixed = judged.mixed()
    inside = 2 * mixed.amount * (1 - mixed.amount) * weights[case][mixed.row]
    return np.stack([between, amount, np.asarray(np.bincount(mixed.index, inside, judged.n_classes))])


def alpha_of(sums: Array, n: float) -> Array:
    """(K,) from such sums of n judgements."""
    between, amount, inside = sums
    if n == 0:
        return np.full(len(amount), np.nan)
    return Values.of(between / n, np.maximum(2 * amount * (n - amount) - inside, 0.0) / (n * (n - 1))).value
