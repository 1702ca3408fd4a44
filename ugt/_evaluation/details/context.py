"""What the tables of an evaluation beyond its metrics are made from."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from ...plausibilities import Point

    Array = NDArray[np.float64]

Row = dict[str, Any]  # of a table: column to plain value; None where a value is undefined
MOST_CELLS = 2 * 10**7  # cases x classes of a table that is made as a whole


@dataclass(frozen=True, eq=False)
class Context:
    """An evaluation after its metrics; arrays are over the n judged cases, in their order.

    Attributes
    ----------
    known : Labels, Rankings or plausibilities
        Of all cases, judged or not.
    rows : (n,) int
        The judged cases among them.
    scores : mapping of model to (n, K) float
    voted : Point
        The voted label of the judged cases.
    clusters : (n,) ids or None
    subgroups : mapping of name to (n,) str
        What the user gave, such as the site of each case; "" where it is not known.
    metrics, columns : sequences of the same length
        Rows of the table of metrics and the contributions (n,) whose mean each value is, NaN where a case has none.
        Rows of soft scores come after them and have no contributions.
    certainty : mapping of reliability to (n,) float
        Certainty of order 1 under each reliability ("given" where there is none).
    reliability : float or None
        The middle one: tables that need a single truth use it.
    mean : (n, K) float or None
        Mean plausibilities under it, rows of NaN for cases without annotations; None where the table would be too large.
    settings : mapping
        ``aggregation``, ``parameters`` and ``reliability`` (a list) of the truths.
    making : mapping
        All options of aggregations, as :func:`evaluate` takes them.
    options : mapping
        ``level, interval, n_resamples, ties, missing``.
    seed : int
    n_threads : int
    """

    known: Any
    rows: NDArray[np.int64]
    scores: Mapping[str, Array]
    voted: Point
    clusters: Any
    subgroups: Mapping[str, NDArray[Any]]
    metrics: Sequence[Mapping[str, Any]]
    columns: Sequence[Array]
    certainty: Mapping[str, Array]
    reliability: float | None
    mean: Array | None
    settings: Mapping[str, Any]
    making: Mapping[str, Any]
    options: Mapping[str, Any]
    seed: int
    n_threads: int
