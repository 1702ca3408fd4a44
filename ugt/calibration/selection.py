"""Splits of the data for the choice of a regulariser: one held-out share, or folds; the cases of a cluster stay together."""

from __future__ import annotations

import numbers
from typing import Any

import numpy as np

from .._base.arrays import Bools, Int32
from .._base.checks import error, scalar
from .._core._stream import Stream
from ..resampling.design import seed_of

PURPOSE = 9  # UGT_PURPOSE_FOLDS of the core


def candidates(argument: str, given: Any) -> list[float]:
    """Return the regularisers to choose from, one or several, each finite and at least 0."""
    if isinstance(given, numbers.Real):
        return [scalar(argument, given)]
    try:
        values = list(given)
    except TypeError:
        values = []
    if not values:
        raise error(argument, "be a number of at least 0, or several to choose from", repr(given))
    return [scalar(argument, value) for value in values]


def held_out(validation: Any, n_cases: int, clusters: Int32 | None, seed: Any) -> list[Bools]:
    """Return masks (N,) of held-out cases: one for a share, one per fold for a number of folds; clusters (N,) stay together."""
    unit = np.arange(n_cases) if clusters is None else clusters
    n_units = int(unit.max()) + 1
    random = np.empty(n_units, np.uint64)
    Stream(seed_of(seed), purpose=PURPOSE).bits(random)
    place = np.empty(n_units, np.int64)
    place[np.argsort(random, kind="stable")] = np.arange(n_units)
    whole = isinstance(validation, numbers.Integral) and not isinstance(validation, bool)
    if whole and 2 <= validation <= n_units:
        return [(place % int(validation) == fold)[unit] for fold in range(int(validation))]
    share = isinstance(validation, numbers.Real) and not whole and not isinstance(validation, bool) and 0 < float(validation) < 1
    if not share or not 1 <= round(n_units * float(validation)) < n_units:
        must = f"be a share of the cases or clusters in (0, 1), or a number of folds from 2 to {n_units}"
        raise error("validation", must, repr(validation))
    return [(place < round(n_units * float(validation)))[unit]]
