"""scipy.stats.bootstrap: intervals of a mean and of a paired difference of means."""

from __future__ import annotations

from functools import partial

import inputs
import numpy as np
from job import Job

RESAMPLES = 9_999
KINDS = {"percentile": "percentile", "bca": "BCa"}


def ends_apart(ours, theirs):
    """Difference of the ends of two intervals, in standard errors."""
    ours, theirs = np.asarray(ours), np.asarray(theirs)
    return float(np.abs(ours - theirs).max() / ((theirs[1] - theirs[0]) / (2 * 1.96)))


def mean(n, kind, paired=False):
    def ours(data):
        import ugt

        def call():
            found = ugt.bootstrap(data if paired else data[:, 0], n_resamples=RESAMPLES, seed=1)
            return (found.minus(1) if paired else found).interval(kind=kind)[0]

        return call

    def difference(first, second, axis=-1):
        return np.mean(first, axis=axis) - np.mean(second, axis=axis)

    def theirs(data):
        from scipy import stats

        given, statistic = ((data[:, 0], data[:, 1]), difference) if paired else ((data[:, 0],), np.mean)
        options = {"vectorized": True, "paired": paired, "n_resamples": RESAMPLES, "method": KINDS[kind], "batch": 100}

        def call():
            return tuple(stats.bootstrap(given, statistic, rng=np.random.default_rng(1), **options).confidence_interval)

        return call

    name = f"{KINDS[kind]} interval of a {'paired difference' if paired else 'mean'}"
    note = "the ends may differ by a fifth of the standard error, some five times their Monte Carlo error; the peer in batches of 100"
    return Job(name, f"{n:,} cases, {RESAMPLES:,} resamples", partial(inputs.paired_models, n), ours, theirs, 0.2, ends_apart, note)


def jobs(quick):
    sizes = (100, 500) if quick else (100, 10_000)
    found = [mean(n, kind) for n in sizes for kind in KINDS]
    return found + [mean(n, "percentile", True) for n in sizes]
