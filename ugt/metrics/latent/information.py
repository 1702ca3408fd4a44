"""The information on the parameters of a fit, inverted, and data sets drawn from a fit."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from ..._base import parallel
from ..._base.arrays import Array, Bools
from ..._core._stream import Stream

SINGULAR = 1e-8  # smallest eigenvalue of the scaled information, by the largest, that is no rounding error
PURPOSE = 16  # UGT_PURPOSE_LATENT
CHUNK = 4  # data sets of one task; changes nothing


def squared_scores(scores: Array, times: Array) -> Array:
    """Return (q, q) the sum of squared scores (P, q) over cases: the information of a maximum."""
    return np.asarray((scores * times[:, None]).T @ scores)


def inverted(information: Array, ridge: Array | None = None, inner: Bools | None = None) -> tuple[Array, bool]:
    """Return the generalised inverse of an information with a ridge (q,), and whether the labels determine the parameters without it.

    ``inner`` (q,): the parameters that must be determined; default: all.
    """
    if not information.size:
        return information, True
    if not np.isfinite(information).all():
        return np.full(information.shape, np.nan), False
    values = np.linalg.eigvalsh(_scaled(information if inner is None else information[np.ix_(inner, inner)])[0])
    scaled, scale = _scaled(information if ridge is None else information + np.diag(ridge))
    found = np.linalg.pinv(scaled, rcond=SINGULAR, hermitian=True) / scale
    return np.asarray(found, np.float64), bool(not len(values) or values[0] > SINGULAR * values[-1])


def _scaled(information: Array) -> tuple[Array, Array]:
    """Return a matrix with 1 on its diagonal, and what it was divided by."""
    root = np.sqrt(np.maximum(np.diag(information), 1e-300))
    return information / np.outer(root, root), np.outer(root, root)


def of_drawn(number: Callable[[Stream], Array], n: int, seed: int) -> Array:
    """Return (n, M) numbers of n data sets, each from random numbers of its own: any number of threads gives the same ones."""

    def task(begin: int, end: int) -> list[Array]:
        return [number(Stream(seed, 0, i, PURPOSE)) for i in range(begin, end)]

    return np.array([one for part in parallel.run(task, n, CHUNK, "data sets drawn from a fit") for one in part])
