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
    size, times = judged.size, judged.times
    two, table = size >= 2, judged.classes
    others = np.where(two, size - 1, 1.0)
    if chance == "none":
        chosen = table.totals(judged.n_classes, two * times)
        with np.errstate(invalid="ignore"):
            return np.asarray(1 - class_disagreement(judged, two / others) / 2 / np.where(chosen > 0, chosen, np.nan))
    observed = class_disagreement(judged, two / others / np.maximum(size, 1.0)) / max(1.0, (two * times).sum())
    pooled = table.totals(judged.n_classes, times / np.maximum(size, 1.0)) / max(1.0, (times * (size > 0)).sum())
    differ = 2 * pooled * (1 - pooled)
    found = Values.of(observed, 1 - differ if chance == "gwet" else differ).value
    return found if two.any() else np.full(len(found), np.nan)


def two(first: Judgements, second: Judgements, both: Judgements, pooled: bool) -> Array:
    """(K,) for Cohen's kappa and Scott's pi, of judgements of the shared cases."""
    n = max(1.0, float((first.times * (first.size > 0)).sum()))
    p, q = (judged.classes.totals(judged.n_classes, judged.times) / n for judged in (first, second))
    if pooled:
        p = q = (p + q) / 2
    return Values.of(class_disagreement(both, np.ones(both.n_cases)) / 2 / n, p * (1 - q) + q * (1 - p)).value


def alpha(judged: Judgements) -> Array:
    """(K,) for Krippendorff's alpha."""
    counted = judged.size >= 2
    weights = counted * judged.times
    n = float((judged.size * weights).sum())
    if n == 0:
        return np.full(judged.n_classes, np.nan)
    table = judged.classes
    amount = table.totals(judged.n_classes, weights)
    between = class_disagreement(judged, counted / np.where(counted, judged.size - 1, 1.0))
    case, mixed = judged.mixed()
    inside = 2 * mixed.amount * (1 - mixed.amount) * weights[case][mixed.row]
    pairs = 2 * amount * (n - amount) - np.bincount(mixed.index, inside, judged.n_classes)
    return Values.of(between / n, np.maximum(pairs, 0.0) / (n * (n - 1))).value
