"""Resampling one case at a time."""

from __future__ import annotations

import numpy as np
from twins import stream

from ugt._core import _stream

BOOTSTRAP = 2  # UGT_PURPOSE_BOOTSTRAP


def bootstrap_means(values, n_resamples, seed):
    """Means of each column over cases drawn with replacement; resample b takes its cases from the stream of (seed, b)."""
    means = []
    for b in range(n_resamples):
        rows = stream.drawn(_stream.Stream(seed, case_key=b, purpose=BOOTSTRAP), "below", len(values), len(values))
        means.append(np.mean([values[int(i)] for i in rows], axis=0))
    return np.array(means)


def law_of_sum(pmfs):
    """The law of a sum of independent variables."""
    law = np.ones(1)
    for pmf in pmfs:
        law = np.convolve(law, pmf)
    return law
