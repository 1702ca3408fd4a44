"""Reading what soft metrics are given: probabilities, scores and weights of the cases that have a truth."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from .. import _checks
from .._ids import as_array
from ..annotations import Labels
from ..plausibilities import Dirichlet, Draws, Point
from .columns import Column, quotient

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Array = NDArray[np.float64]

NO_TRUTH = "case without annotations"
MOST_WHOLE = 2.0**53
LEAST_WEIGHT, LEAST_MEAN = 1e-100, 0.5


@dataclass(frozen=True, eq=False)
class Input:
    """p and scores, (N, K) or (N,), of the cases that have a p."""

    p: Array
    scores: NDArray[Any]
    weights: Array | None
    kept: NDArray[np.bool_]

    @property
    def left_out(self) -> dict[str, int]:
        missing = len(self.kept) - len(self.p)
        return {NO_TRUTH: missing} if missing else {}

    def column(self, k: int, threshold: float, expected: bool = False) -> Column:
        p, scores = (self.p, self.scores) if self.p.ndim == 1 else (self.p[:, k], self.scores[:, k])
        # copies: what is asked for later must not see what the caller does to his arrays in the meantime
        return Column(np.array(scores), np.array(p), None, self.weights, threshold, expected)

    def columns(self, threshold: float, expected: bool = False) -> tuple[Column, ...]:
        n = 1 if self.p.ndim == 1 else self.p.shape[1]
        _checks.room("the ordered scores of all classes", (self.scores.itemsize + 16) * self.p.size)
        return tuple(self.column(k, threshold, expected) for k in range(n))


def read(p: Any, scores: Any, weights: Any, *, may_lack: bool = False) -> Input:
    """Checked; ``may_lack``: a part of the data, which need not have a case with a truth."""
    truth = _shares(p) if isinstance(p, Labels) else p.mean() if isinstance(p, (Point, Dirichlet, Draws)) else as_array(p)
    if truth.dtype.kind not in "fiub" or truth.ndim not in (1, 2) or truth.size == 0:
        raise _checks.error("p", "be numbers of shape (N,) or (N, K)", f"{truth.dtype} of shape {truth.shape}")
    _checks.room("p", truth.size if truth.dtype == np.float64 else 9 * truth.size)
    truth = truth.astype(np.float64, copy=False)
    table = given = as_array(scores)
    if table.dtype.kind not in "fiub":
        raise _checks.error("scores", "be numbers", table.dtype)
    if table.ndim == 1 and truth.ndim == 2 and truth.shape[1] == 2 and truth is not p:
        truth = truth[:, 1]
    if table.shape != truth.shape:
        raise _checks.error("scores", f"be of the shape of p, {truth.shape}", table.shape)
    if table.dtype != np.float32:
        table = table.astype(np.float64, copy=False)
    complete = _in_range("p", truth, 1.0)
    kept = np.ones(len(truth), bool) if complete else np.asarray(~np.isnan(truth.reshape(len(truth), -1)).any(1))
    low, high = _ends(table)
    if low != low:  # noqa: PLR0124  (NaN)
        raise _checks.error("scores", "not be NaN", "nan", _place(np.isnan(table)))
    if table.dtype == np.float64 and given.dtype.kind in "iu" and max(abs(low), abs(high)) >= MOST_WHOLE:
        raise _checks.error("scores", "be below 2**53 where they are whole numbers (larger ones would tie)", high)
    weights = _weights(weights, len(truth))
    if complete or kept.all():
        return Input(truth, table, weights, kept)
    if not kept.any() and not may_lack:
        raise _checks.error("p", "hold a probability for at least one case", "NaN in all of them")
    return Input(truth[kept], table[kept], None if weights is None else weights[kept], kept)


def _weights(given: Any, n: int) -> Array | None:
    if given is None:
        return None
    weights = as_array(given)
    if weights.dtype.kind not in "fiub" or weights.shape != (n,):
        raise _checks.error("weights", f"be {n} numbers, one a case", f"{weights.dtype} of shape {weights.shape}")
    weights = np.array(weights, np.float64)
    if not np.isfinite(weights).all():
        raise _checks.error("weights", "be finite", weights[~np.isfinite(weights)][0], _place(~np.isfinite(weights)))
    _in_range("weights", weights, np.inf)
    extreme = (weights > 0) & ((weights < LEAST_WEIGHT) | (weights > 1 / LEAST_WEIGHT))
    if extreme.any():
        raise _checks.error("weights", f"be 0 or from {LEAST_WEIGHT:g} to {1 / LEAST_WEIGHT:g}", weights[extreme][0], _place(extreme))
    return weights


def check_scale(weights: Array | None, option: str, scale_free: str) -> None:
    """Self terms are for cases that are counted: weights that add up to 1 would drown everything else in them."""
    if weights is None or not (weights > 0).any():
        return
    mean = weights[weights > 0].mean()
    if mean < LEAST_MEAN:
        advice = f"(multiply them, or take {scale_free}, which does not depend on their scale)"
        must = f"be numbers of cases, at least {LEAST_MEAN} on average, with {option} {advice}"
        raise _checks.error("weights", must, f"a mean of {mean:.3g}")


def _shares(labels: Labels) -> Array:
    """(N, K) shares of the labels; NaN for a case without any."""
    counts = labels.counts().astype(np.float64)
    return np.asarray(quotient(counts, counts.sum(1, keepdims=True)))


def _ends(values: NDArray[Any]) -> tuple[Any, Any]:
    """Least and greatest value; NaN if there is one (in a third of the time that a search for it takes)."""
    with np.errstate(invalid="ignore"):
        return np.minimum.reduce(values, None), np.maximum.reduce(values, None)


def _in_range(argument: str, values: Array, most: float) -> bool:
    """Whether all values are from 0 to most; false if some are NaN, an error if some are not in the range."""
    low, high = _ends(values)
    if low >= 0 and high <= most:
        return True
    bad = (values < 0) | (values > most)
    if bad.any():
        raise _checks.error(argument, "be from 0 to 1" if most == 1.0 else "not be negative", values[bad][0], _place(bad))
    return False


def _place(bad: NDArray[np.bool_]) -> str:
    at = np.argwhere(bad)[0]
    return f"case {at[0]}" + (f", column {at[1]}" if len(at) > 1 else "")


def check_threshold(value: Any) -> float:
    number = _checks.scalar("threshold", value)
    if number > 1:
        raise _checks.error("threshold", "be from 0 to 1", repr(value))
    return number
