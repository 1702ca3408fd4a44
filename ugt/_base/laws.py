"""The t distribution, central and noncentral, p-values and intervals of shares.

One thread at a time asks scipy for quantiles and noncentral distributions: before scipy 1.12 the code behind them keeps its state in
global variables.
"""

from __future__ import annotations

import math
import os
import threading
from collections.abc import Sequence
from typing import Any

import numpy as np

SMALL = 1e-6  # a larger step is more than rounding
FEW = 0.05  # degrees of freedom: with them, the quantile at 0.975 is 1e25

_ALONE = threading.RLock()


def _anew() -> None:
    """Replace the lock in a forked process, as another thread may have held it during the fork."""
    global _ALONE  # noqa: PLW0603
    _ALONE = threading.RLock()


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_anew)


def t_quantile(df: object, q: object) -> Any:
    """Return quantiles of Student's t for broadcast ``df`` and ``q``, without end below ``FEW`` degrees of freedom.

    One Newton step adds digits, as old scipy has nine only. Below some 1e-20 degrees of freedom old scipy ends the whole process.
    """
    from scipy.special import gammaln, stdtr, stdtrit  # noqa: PLC0415  (scipy is slow to import)

    n, q = np.broadcast_arrays(np.asarray(df, np.float64), np.asarray(q, np.float64))
    few = n < FEW
    n = np.where(few, 1.0, np.minimum(n, 1e300))  # old scipy has 1e100 for infinite degrees of freedom
    with _ALONE:
        t = stdtrit(n, q)
    with np.errstate(all="ignore"):
        density = np.exp(gammaln((n + 1) / 2) - gammaln(n / 2) - np.log1p(t * t / n) * (n + 1) / 2) / np.sqrt(n * np.pi)
        step = (stdtr(n, t) - q) / density
        t = np.where(np.abs(step) < SMALL * np.abs(t), t - step, t)
        return np.where(few, np.where(q == 0.5, 0.0, np.copysign(np.inf, q - 0.5)), t)


def noncentral_t(df: object, shift: object, t: object) -> Any:
    """Return P(T <= t) of the noncentral t distribution."""
    from scipy.special import nctdtr  # noqa: PLC0415  (scipy is slow to import)

    with _ALONE:
        return nctdtr(df, shift, t)


def above(t: float, df: float) -> float:
    """Return P(T > t) of Student's t; for infinite degrees of freedom, of the normal distribution."""
    from scipy.special import ndtr, stdtr  # noqa: PLC0415  (scipy is slow to import)

    return float(ndtr(-t) if math.isinf(df) else stdtr(df, -t))


def holm(p: Sequence[float]) -> list[float]:
    """Return p-values adjusted by Holm's method; undefined ones count as hypotheses."""
    order = sorted(range(len(p)), key=lambda i: math.inf if math.isnan(p[i]) else p[i])
    adjusted, highest = list(p), 0.0
    for rank, i in enumerate(order):
        highest = max(highest, min(1.0, (len(p) - rank) * p[i])) if not math.isnan(p[i]) else highest
        adjusted[i] = highest if not math.isnan(p[i]) else math.nan
    return adjusted


def wilson(p: Any, n: Any, level: float) -> Any:
    """Return Wilson's intervals (..., 2) of shares p of n independent cases each."""
    from scipy.special import ndtri  # noqa: PLC0415

    z = float(ndtri(0.5 + level / 2))
    with np.errstate(invalid="ignore", divide="ignore"):
        middle = (p + z**2 / (2 * n)) / (1 + z**2 / n)
        half = z / (1 + z**2 / n) * np.sqrt(p * (1 - p) / n + z**2 / (4 * n**2))
        ends = np.stack([np.where(p == 0, 0.0, middle - half), np.where(p == 1, 1.0, middle + half)], axis=-1)
    return np.clip(ends, 0, 1)
