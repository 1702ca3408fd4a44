"""Discrepancies as functions of counts of labels, for panels of annotators."""

from __future__ import annotations

from typing import TYPE_CHECKING
from weakref import WeakKeyDictionary

import numpy as np

from .._base.arrays import Array, Int64
from .._base.axes import Axes
from .._core import _tables
from ..annotations import Labels, Ratings
from ..annotations.other_annotators import of_cases, one_of_each
from ..resampling.counted import CountedQuotient
from .distances import distances
from .sums import CaseSums

if TYPE_CHECKING:
    from collections.abc import MutableMapping

    from ..resampling.panels import Panels
    from .input import Compared

_labels: MutableMapping[Ratings, Labels] = WeakKeyDictionary()


def counted(compared: Compared, columns: tuple[int, int]) -> CountedQuotient | None:
    """Return the quotient of two columns of cases (N, ALPHA, MU) under panels of annotators; None if it does not follow from counts.

    It does where each annotator gave a case one label or number, and where no Python function is called.
    """
    known, values = compared.annotations, compared.values
    if callable(compared.distance) or not isinstance(known, (Labels, Ratings)) or not len(known.annotator):
        return None
    if not one_of_each(known):
        return None  # labels of one annotator share an opinion
    if isinstance(known, Ratings):
        if compared.distance == "zero-one":
            return None
        labels = _as_labels(known)
        values = labels.axes.classes
    else:
        labels = known
        if labels.count.max() > 1:
            return None
    column = np.ascontiguousarray(compared.columns[0])

    def alike() -> Int64:
        rows = column.reshape(len(column), -1)
        return _tables.factorize(rows.view(np.uint8))[0].astype(np.int64)

    def of(panels: Panels, counts: Int64, case: Int64) -> Array:
        found = CaseSums.of(distances(of_cases(panels.counts, counts), [column[case]], compared.distance, values=values))
        pairs = found.n.astype(np.float64) ** 2 - panels.squares[counts]
        two = pairs > 0
        alpha = np.where(two, 2 * found.total / np.maximum(pairs, 1), 0.0)
        table = np.stack([two, alpha, np.where(two, found.mu[0], 0.0)], axis=1)
        return table[:, list(columns)]

    return CountedQuotient(labels, None, alike, of, pairs=True)


def _as_labels(ratings: Ratings) -> Labels:
    """Return ratings as labels, whose classes are the different numbers."""
    if ratings not in _labels:
        numbers, label = np.unique(ratings.value, return_inverse=True)
        axes = Axes(np.asarray(ratings.case_ids), numbers, False)
        ones = np.ones(len(label), np.int64)
        at = np.asarray(label.reshape(-1), np.int32)
        _labels[ratings] = Labels(axes, ratings.annotators, ratings.offsets, ratings.annotator, at, ones, True)
    return _labels[ratings]
