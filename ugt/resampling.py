"""One engine for resampling: weights on per-case contributions instead of copies of cases."""

from __future__ import annotations

import numbers
from typing import TYPE_CHECKING, Any, Union

import numpy as np

from . import _threads
from ._checks import error, whole
from ._core import _resample

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Array = NDArray[np.float64]
    Seed = Union[int, np.random.Generator, np.random.SeedSequence]

CHUNK = 64


def seed_of(seed: Any) -> int:
    """The 64-bit seed of the library's streams from an int, a Generator (which moves on) or a SeedSequence."""
    if isinstance(seed, np.random.Generator):
        return int(seed.integers(0, 2**64, dtype=np.uint64))
    if isinstance(seed, np.random.SeedSequence):
        return int(seed.generate_state(1, np.uint64)[0])
    if isinstance(seed, bool) or not isinstance(seed, numbers.Integral) or not 0 <= int(seed) < 2**64:
        raise error("seed", "be an int from 0 to 2**64 - 1, a numpy Generator or a SeedSequence", repr(seed))
    return int(seed)


def check_level(level: Any) -> float:
    """A confidence level."""
    if isinstance(level, bool) or not isinstance(level, numbers.Real) or not 0 < float(level) < 1:
        raise error("level", "be a number between 0 and 1", repr(level))
    return float(level)


def case_intervals(per_case: Array, level: float, n_resamples: int, seed: Seed) -> Array:
    """Percentile bootstrap intervals over cases, (M, 2), for M metrics on the same resamples.

    Parameters
    ----------
    per_case : (N, M) array
        Contributions of cases; a case that is NaN in a column does not count there.
    level : float
        Confidence level in (0, 1).
    n_resamples : int
        At least 1.
    seed : int, Generator or SeedSequence
        Resample b uses the stream of (seed, b): the same for any number of threads and any other metrics beside.

    Returns
    -------
    (M, 2) array
        NaN in a column with fewer than two cases.
    """
    check_level(level)
    whole("n_resamples", n_resamples)
    word = seed_of(seed)
    intervals = np.full((per_case.shape[1], 2), np.nan)
    defined = ~np.isnan(per_case)
    # columns with the same defined cases share their resamples
    patterns: dict[bytes, list[int]] = {}
    for column in range(per_case.shape[1]):
        patterns.setdefault(np.packbits(defined[:, column]).tobytes(), []).append(column)
    for columns in patterns.values():
        rows = defined[:, columns[0]]
        if rows.sum() < 2:
            continue
        means = bootstrap_means(per_case[rows][:, columns], int(n_resamples), word)
        intervals[columns] = np.quantile(means, [0.5 - level / 2, 0.5 + level / 2], axis=0).T
    return intervals


def bootstrap_means(values: Array, n_resamples: int, seed: int) -> Array:
    """(B, M) means of the columns of ``values`` (N, M) over resamples of its rows."""
    table = np.ascontiguousarray(values, np.float64)
    means = np.empty((n_resamples, table.shape[1]))

    def part(begin: int, end: int) -> None:
        _resample.bootstrap_means(table, seed, begin, end, means[begin:end])

    _threads.run(part, n_resamples, CHUNK, "bootstrap over cases")
    return means


def case_interval(per_case: Array, level: float, n_resamples: int, seed: Seed) -> tuple[float, float]:
    """The interval of one metric."""
    low, high = case_intervals(per_case[:, None], level, n_resamples, seed)[0]
    return float(low), float(high)
