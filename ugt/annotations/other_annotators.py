"""The same annotations with one annotator less, or one more."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np

from .._base.arrays import Int64
from .._base.ragged import offsets_of, row_of, take
from . import Labels


def _case_offsets(known: Any) -> Int64:
    return np.asarray(known.offsets if isinstance(known, Labels) else known.case_offsets)


def cases_of_annotators(known: Any, rows: Int64) -> list[Int64]:
    """For every annotator the places in ``rows`` of the cases annotated."""
    offsets, at = take(_case_offsets(known), rows)
    pairs = np.unique(known.annotator[at].astype(np.int64) * len(rows) + row_of(offsets))
    pairs = pairs[pairs >= 0]
    ends = np.searchsorted(pairs, np.arange(len(known.annotators) + 1) * len(rows))
    return [pairs[begin:end] % len(rows) for begin, end in zip(ends[:-1], ends[1:])]


def joined(known: Labels, rows: Int64, choice: Int64) -> Labels:
    """Labels with one annotator more, who chose these classes for some of the cases."""
    at, n = known.offsets[1:][rows], len(known.annotators)
    names = np.append(np.asarray(known.annotators).astype(np.str_), "the model")
    sizes = np.diff(known.offsets)
    sizes[rows] += 1
    label, count = np.insert(known.label, at, choice), np.insert(known.count, at, 1)
    return replace(
        known, annotators=names, offsets=offsets_of(sizes), annotator=np.insert(known.annotator, at, n), label=label, count=count
    )


def without(known: Any, annotator: int, rows: Int64) -> Any:
    """The annotations of some cases, those of one annotator left out."""
    offsets, at = take(_case_offsets(known), rows)
    kept = known.annotator[at] != annotator
    at, sizes = at[kept], np.bincount(row_of(offsets)[kept], minlength=len(rows))
    axes, annotators = known.axes.take(rows), known.annotator[at]
    if isinstance(known, Labels):
        return replace(known, axes=axes, offsets=offsets_of(sizes), annotator=annotators, label=known.label[at], count=known.count[at])
    ranking_offsets, blocks = take(known.ranking_offsets, at)
    block_offsets, items = take(known.block_offsets, blocks)
    return replace(
        known, axes=axes, case_offsets=offsets_of(sizes), ranking_offsets=ranking_offsets, block_offsets=block_offsets,
        items=known.items[items], annotator=annotators,
    )  # fmt: skip
