"""Annotations without one annotator, or with one more."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from typing import Any

import numpy as np

from .._base.arrays import Bools, Int64, NDArray
from .._base.axes import Axes
from .._base.checks import error
from .._base.ragged import distinct, offsets_of, row_of, sizes_of, take
from .._core import _tables
from . import Labels
from .masks import Masks
from .rankings import Rankings
from .ratings import Ratings

NO_ANNOTATOR = -2  # -1 is an annotator without a name


def case_offsets(known: Any) -> Int64:
    """Return offsets (N + 1,): the annotations of case i are from place i to place i + 1."""
    return np.asarray(known.case_offsets if isinstance(known, Rankings) else known.offsets)


def one_of_each(known: Labels | Ratings) -> bool:
    """Return whether no annotator gave a case two annotations; those without a name count as one annotator."""
    return _tables.find_repeat(known.offsets, known.annotator + np.int32(1), len(known.annotators) + 1) < 0


def weighing(known: Any, annotators: NDArray[Any]) -> Bools:
    """Return which annotations (R,) are of annotators with a weight (A,) above 0."""
    return np.asarray(np.append(np.asarray(annotators) != 0, False)[known.annotator])


def check_not_among(models: Iterable[Any], annotators: object) -> None:
    """Reject a model with the name of an annotator; numbers of columns without names are not names."""
    named, ids = {str(one) for one in models}, np.asarray(annotators)
    both = named & {str(one) for one in ids.tolist()} if named else named
    if both and not (ids.dtype.kind in "iu" and np.array_equal(ids, np.arange(len(ids)))):
        must = (
            "be of models that are not among the annotators: judged by its own labels a model looks better than it is (leave these labels "
            "out, or give another name to whoever has it by chance)"
        )
        raise error("predictions", must, f"{', '.join(map(repr, sorted(both)))} as both")


def only(known: object, annotators: NDArray[Any]) -> Any:
    """Return the annotations of annotators with a weight (A,) above 0; cases without any are kept as empty cases."""
    return keeping(known, weighing(known, annotators))


def keeping(known: Any, kept: Bools) -> Any:
    """Return some of the annotations (R,); cases without any are kept as empty cases."""
    offsets, at = np.append(0, np.cumsum(kept))[case_offsets(known)].astype(np.int64), np.flatnonzero(kept)
    who = known.annotator[at]
    if isinstance(known, Labels):
        return replace(known, offsets=offsets, annotator=who, label=known.label[at], count=known.count[at])
    if isinstance(known, Ratings):
        return replace(known, offsets=offsets, annotator=who, value=known.value[at])
    if isinstance(known, Rankings):
        return _rankings(known, known.axes, offsets, at)
    start, position = take(known.start, at)
    shape = np.where((sizes_of(offsets) > 0)[:, None], known.shape, -1)
    names = known.case_ids, known.annotators
    return Masks(*names, offsets, who, shape, start, known.words[position], known.classes, known.numbered, known.layers)


def _rankings(known: Rankings, axes: Axes, offsets: Int64, at: Int64) -> Rankings:
    """Return the rankings at the places ``at``, by case."""
    ranking_offsets, blocks = take(known.ranking_offsets, at)
    block_offsets, items = take(known.block_offsets, blocks)
    return replace(
        known, axes=axes, case_offsets=offsets, ranking_offsets=ranking_offsets, block_offsets=block_offsets,
        items=known.items[items], annotator=known.annotator[at],
    )  # fmt: skip


def without_each(known: Labels | Rankings, rows: Int64, counted: bool = True) -> tuple[Int64, Int64, Labels | Rankings, Int64 | None]:
    """Return ``(place, annotator, annotations, at)``: for each annotator of some cases, the case without the annotator's annotations.

    The cases of the result are (place in ``rows``, annotator), in this order, with the id of the case. Its annotations are those at the
    places ``at``; if ``counted``, they are counts of labels without annotators, and ``at`` is None.
    """
    offsets, at = take(case_offsets(known), rows)
    who = known.annotator[at].astype(np.int64)
    n = len(known.annotators)
    pairs = (row_of(offsets) * n + who)[who >= 0]
    first, of = distinct(pairs)
    pairs = pairs[first]
    place, annotator = np.divmod(pairs, n)
    axes = Axes(known.axes.case_ids[rows[place]], known.axes.classes, known.axes.numbered)
    if not isinstance(known, Labels) or not counted:
        sizes, at = take(case_offsets(known), rows[place])
        kept = known.annotator[at] != annotator[row_of(sizes)]
        ends, at = offsets_of(np.bincount(row_of(sizes)[kept], minlength=len(pairs))), at[kept]
        if isinstance(known, Rankings):
            return place, annotator, _rankings(known, axes, ends, at), at
        kept = replace(known, axes=axes, offsets=ends, annotator=known.annotator[at], label=known.label[at], count=known.count[at])
        return place, annotator, kept, at
    begin, index, count = known.class_counts()  # much smaller than the labels if cases have many
    sizes, entry = take(begin, rows[place])
    cells = row_of(sizes) * known.n_classes + index[entry]
    mine = np.searchsorted(cells, of * known.n_classes + known.label[at][who >= 0])
    left = count[entry] - np.bincount(mine, known.count[at][who >= 0], len(cells)).astype(np.int64)
    kept = left > 0
    given = offsets_of(np.bincount(row_of(sizes)[kept], minlength=len(pairs))), np.full(int(kept.sum()), -1, np.int32)
    return place, annotator, Labels(axes, np.empty(0, np.int64), *given, index[entry][kept], left[kept], known.ordered), None


def cases_of_annotators(known: Any, rows: Int64) -> list[Int64]:
    """Return, for each annotator, the places in ``rows`` of the cases with annotations of this annotator."""
    offsets, at = take(case_offsets(known), rows)
    given = known.annotator[at] >= 0
    ends, order = _tables.group(known.annotator[at][given], len(known.annotators))
    case = row_of(offsets)[given][order]  # of each annotator ascending
    return [case[begin:end][distinct(case[begin:end])[0]] for begin, end in zip(ends[:-1], ends[1:])]


def joined(known: Labels, rows: Int64, choice: Int64) -> Labels:
    """Return the labels with one more annotator, who chose these classes for some of the cases."""
    at, n = known.offsets[1:][rows], len(known.annotators)
    names = np.append(np.asarray(known.annotators).astype(np.str_), "the model")
    sizes = np.diff(known.offsets)
    sizes[rows] += 1
    label, count = np.insert(known.label, at, choice), np.insert(known.count, at, 1)
    return replace(
        known, annotators=names, offsets=offsets_of(sizes), annotator=np.insert(known.annotator, at, n), label=label, count=count
    )


def of_cases(known: object, rows: Int64) -> Any:
    """Return the annotations of some cases."""
    return without(known, NO_ANNOTATOR, rows)


def without(known: Any, annotator: int, rows: Int64, alone: bool = False) -> Any:
    """Return the annotations of some cases without those of one annotator, or (``alone``) only those of this annotator."""
    offsets, at = take(case_offsets(known), rows)
    kept = (known.annotator[at] == annotator) == alone
    at, sizes = at[kept], np.bincount(row_of(offsets)[kept], minlength=len(rows))
    if isinstance(known, Ratings):
        return replace(
            known, case_ids=known.case_ids[rows], offsets=offsets_of(sizes), annotator=known.annotator[at], value=known.value[at]
        )
    axes, annotators = known.axes.take(rows), known.annotator[at]
    if isinstance(known, Labels):
        return replace(known, axes=axes, offsets=offsets_of(sizes), annotator=annotators, label=known.label[at], count=known.count[at])
    return _rankings(known, axes, offsets_of(sizes), at)
