"""Scores of shares of labels m and probabilities z, (N, K) each, case by case: (N,) numbers, without checks."""

from __future__ import annotations

import math
from typing import Callable, NamedTuple

import numpy as np

from .._base.arrays import Array
from ..resampling import over


class BoundedScore(NamedTuple):
    """A score of shares of labels and probabilities (N, K), and the largest that a case can have."""

    score: Callable[[Array, Array], Array]
    largest: float = math.inf


def log_loss(m: Array, z: Array) -> Array:
    with np.errstate(divide="ignore"):
        return 0.0 - sum_of_logs(m, np.clip(z, 0, 1))


def brier(m: Array, z: Array) -> Array:
    return np.asarray(((m - z) ** 2 + m * (1 - m)).sum(axis=1))


def ranked(m: Array, z: Array, normalized: bool) -> Array:
    upto, predicted = (np.cumsum(x, axis=1)[:, :-1] for x in (m, z))
    score = ((upto - predicted) ** 2 + upto * (1 - upto)).sum(axis=1)
    return np.asarray(score / (m.shape[1] - 1) if normalized else score)


def manhattan(m: Array, z: Array) -> Array:
    return np.asarray(np.abs(m - z).sum(axis=1))


def earth_mover(m: Array, z: Array, steps: Array) -> Array:
    # the last bits of a matrix product would depend on the layout and the processor
    return np.asarray((np.abs(np.cumsum(m - z, axis=1)[:, :-1]) * steps).sum(axis=1))


def sum_of_logs(m: Array, z: Array) -> Array:
    """Return Σ m log z, with terms of 0 where m is 0; NaN for a case without labels."""
    return np.asarray((m * np.log(z, out=np.zeros_like(m), where=m > 0)).sum(axis=1))


def shares_of(y: Array) -> tuple[Array, Array]:
    """Return the number of labels of each case, and their shares, NaN for a case without labels."""
    n = y.sum(axis=1)
    return n, np.asarray(over(y, n[:, None]))
