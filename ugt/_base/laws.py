"""Student's law, central and not, from scipy: one thread at a time, since before 1.12 its programme keeps what it works on in one place."""

from __future__ import annotations

import os
import threading
from typing import Any

import numpy as np

SMALL = 1e-6  # steps beyond it are no rounding

_ALONE = threading.RLock()


def _anew() -> None:
    """In a process that was forked while another thread held the lock."""
    global _ALONE  # noqa: PLW0603
    _ALONE = threading.RLock()


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_anew)


def t_quantile(df: Any, q: Any) -> Any:
    """Quantiles of Student's t, of the shape of both together; with one step of Newton's, as old scipy has nine digits only."""
    from scipy.special import gammaln, stdtr, stdtrit  # noqa: PLC0415  (scipy is slow to import)

    with _ALONE:
        t = stdtrit(df, q)
    with np.errstate(all="ignore"):
        n = np.asarray(df, np.float64)
        density = np.exp(gammaln((n + 1) / 2) - gammaln(n / 2) - np.log1p(t * t / n) * (n + 1) / 2) / np.sqrt(n * np.pi)
        step = (stdtr(df, t) - q) / density
        return np.where(np.abs(step) < SMALL * np.abs(t), t - step, t)


def noncentral_t(df: Any, shift: Any, t: Any) -> Any:
    """P(T <= t) of the noncentral t."""
    from scipy.special import nctdtr  # noqa: PLC0415  (scipy is slow to import)

    with _ALONE:
        return nctdtr(df, shift, t)
