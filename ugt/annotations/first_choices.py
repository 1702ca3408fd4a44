"""The first choice of each annotator for each case."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from .._base.arrays import Array, Int64
from .._base.ragged import distinct, distinct_pairs, row_of, sizes_of
from . import Labels, Rankings


class FirstChoices(NamedTuple):
    """The first choices, one row per class that an annotator chose for a case; the shares of an annotator on a case add up to 1."""

    case: Int64
    annotator: Int64  # -1 if unknown
    label: Int64
    share: Array
    opinion: Int64
    times: Int64  # number of opinions of this row: labels without annotators are counts

    def n_opinions(self, n_cases: int) -> Array:
        """Return the number of opinions (N,) on each case."""
        first, _ = distinct(self.opinion)
        return np.asarray(np.bincount(self.case[first], self.times[first], n_cases))


def first_choices(known: Labels | Rankings) -> FirstChoices:
    """Return the first choices.

    Repeated labels of an annotator share one opinion, and each label without annotator is one opinion; the classes of the first block of
    a ranking have equal shares.
    """
    if isinstance(known, Labels):
        case, annotator, label = row_of(known.offsets), known.annotator.astype(np.int64), known.label.astype(np.int64)
        nobody = annotator < 0
        weight, times = np.where(nobody, 1, known.count).astype(np.float64), np.where(nobody, known.count, 1)
        alone = len(known.annotators) + np.arange(len(label))
        named = np.where(annotator < 0, alone, annotator)
        _, opinion = distinct_pairs(case, named)
    else:
        ranking = np.flatnonzero(sizes_of(known.ranking_offsets) > 0)
        block = known.ranking_offsets[ranking]
        size = sizes_of(known.block_offsets)[block]
        start = np.repeat(known.block_offsets[block] - (np.cumsum(size) - size), size)
        label = known.items[start + np.arange(size.sum())].astype(np.int64)
        opinion = np.repeat(np.arange(len(ranking)), size)
        case, annotator = row_of(known.case_offsets)[ranking][opinion], known.annotator[ranking][opinion].astype(np.int64)
        weight, times = np.ones(len(label)), np.ones(len(label), np.int64)
    return FirstChoices(case, annotator, label, weight / np.bincount(opinion, weight)[opinion], opinion, times)
