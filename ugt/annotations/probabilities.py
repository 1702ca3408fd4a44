"""Whether scores are probabilities, percentages or rounded probabilities: one answer for ``check``, evaluations and calibration."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING, Any

import numpy as np

from .._base import identifiers
from .._base.notes import Note

if TYPE_CHECKING:
    from .._base.arrays import Array, Bools

OUTSIDE = 1e-6  # largest distance of a probability from [0, 1], which allows for rounding of single-precision softmax and of means
ROW_SUM = 1e-4  # largest difference of the sum of a case's probabilities from 1
FEW_CASES = 5  # fewest cases whose scores are taken for ranks
HUNDRED = 1.5  # largest difference of the sum of a case's percentages, which may be rounded to whole ones, from 100


def is_probability(table: Array) -> bool:
    """Return whether rows are probabilities."""
    return _inside(table) and bool(np.abs(table.sum(axis=1) - 1).max() <= ROW_SUM)


def _inside(table: Array) -> bool:
    return bool(table.min() >= -OUTSIDE and table.max() <= 1 + OUTSIDE)


def not_probabilities(table: Array, case_ids: object = None) -> str:
    """Return why scores are not probabilities: ``the values of a case add up to 0.9 to 1.1, not to 1``.

    If some cases are, it also says how many are not, and which is the first.
    """
    sums = table.sum(axis=1)
    bad = (table < -OUTSIDE).any(axis=1) | (table > 1 + OUTSIDE).any(axis=1)
    if bad.any():
        return f"the values go from {table.min():.4g} to {table.max():.4g}{_where(bad | (np.abs(sums - 1) > ROW_SUM), case_ids)}"
    low, high = sums.min(), sums.max()
    ends = f"{low:.4g}" if f"{low:.4g}" == f"{high:.4g}" else f"{low:.4g} to {high:.4g}"
    rounded = np.abs(sums - 1).max() <= 0.05 * table.shape[1] + 1e-9  # as of probabilities with one decimal
    where = _where(np.abs(sums - 1) > ROW_SUM, case_ids)
    return f"the values of a case add up to {ends}, not to 1{where}" + ("; give more digits if they were rounded" if rounded else "")


def _where(bad: Bools, case_ids: Any) -> str:
    """Return how many cases are bad, and the first; "" if all are."""
    if bad.all():
        return ""
    first = int(np.argmax(bad))
    return f", in {int(bad.sum()):,} of {len(bad):,} cases, first {identifiers.name(first if case_ids is None else case_ids[first])}"


def may_be_probabilities(table: Array) -> bool:
    """Return whether scores are from 0 to 1, as logits hardly are."""
    return _inside(table)


def is_percentage(scores: Array) -> bool:
    """Return whether the scores look like percentages: those of each case add up to 100."""
    return bool((scores >= 0).all() and (np.abs(scores.sum(axis=1) - 100) <= HUNDRED).all())


def is_ranking(scores: Array) -> bool:
    """Return whether the scores of each of several cases are the numbers from 1 to K, or from 0 to K - 1 of three classes, as ranks are."""
    n, k = scores.shape
    if n < FEW_CASES or k < 2:
        return False
    low = scores.min()
    if low not in (0, 1) or low + k < 3 or scores.max() != low + k - 1:  # 0 and 1 of two classes are labels
        return False
    return bool((np.sort(scores, axis=1) == low + np.arange(k)).all())


def unrounded(scores: Array, rows: Any) -> tuple[Array, int]:
    """Return probabilities (N, K) that were rounded to 2 to 8 decimals, divided by their sums, and the decimals; others, and 0."""
    table = scores[rows]
    off = np.abs(table.sum(axis=1) - 1).max(initial=0.0)
    if scores.shape[1] < 2 or off <= 1e-6 or (table < 0).any() or (table > 1).any():
        return scores, 0
    for decimals in range(2, 9):
        shifted = table * 10**decimals
        if (np.abs(shifted - np.rint(shifted)) < 1e-6).all():
            if off > scores.shape[1] * 0.5 * 10**-decimals + 1e-9:
                break
            found = scores.copy()
            found[rows] = table / table.sum(axis=1, keepdims=True)
            return found, decimals
    return scores, 0


def rounded_note(decimals: Mapping[str, int]) -> Iterable[Note]:
    """Yield the note on models, or files of one, whose probabilities were rounded to some decimals; 0 means that they were not."""
    rounded = [f"{name} ({n} decimals)" for name, n in decimals.items() if n > 0]
    if rounded:
        words = "The probabilities of {models} are rounded: those of each case were divided by their sum."
        yield Note("rounded", words, models=", ".join(rounded))
