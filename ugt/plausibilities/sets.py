"""Sets of classes that users give, in one ragged form; and sets of the k best classes of sampled vectors, with their frequencies."""

from __future__ import annotations

from itertools import combinations
from math import comb
from typing import Any, Callable

import numpy as np

from .._base.arrays import Array
from .._base.axes import Axes, OnAxes
from .._base.checks import error, room
from .._base.identifiers import as_array, is_text
from .._base.ragged import offsets_of, row_at, row_of
from ..annotations.named import per_class, rows_of
from ..annotations.named import table as in_order
from .orders import CERTAIN, NONE, TIED, Sets

BLOCK = 2**22  # cells of a mask read at a time
MOST_TIED_SETS = 10_000


def as_sets(sets: Any, axes: Axes) -> Sets:
    """Return sets of classes, one per case, from a mask (N, K), an integer table (N, j), or N sequences of positions or names."""
    if isinstance(sets, Sets):
        return sets
    if isinstance(sets, OnAxes):  # PredictionSets
        _check_axes(sets.axes, axes)
        order = rows_of("sets", sets.axes, axes)
        sets = sets if order is None else sets.take(order)  # type: ignore[attr-defined]
    elif type(sets) is not np.ndarray:
        sets = in_order("sets", sets, axes.case_ids, axes.classes)
    if isinstance(sets, np.ndarray) and sets.dtype == bool and not np.ma.is_masked(sets):
        if sets.shape != (axes.n_cases, axes.n_classes):
            raise error("sets", f"be a mask of shape {(axes.n_cases, axes.n_classes)}", sets.shape)
        return _ragged(*_of_mask(sets), axes)
    if not hasattr(sets, "__len__"):
        raise error("sets", f"hold one set for each of the {axes.n_cases} cases", type(sets).__name__)
    rows = [as_array(row) for row in sets]
    if len(rows) != axes.n_cases:
        raise error("sets", f"hold one set for each of the {axes.n_cases} cases", len(rows))
    known = {name: k for k, name in enumerate(axes.classes.tolist())} if is_text(axes.classes) else {}
    rows = [_positions(row, known, axes, i) for i, row in enumerate(rows)]
    return _ragged(np.array([len(row) for row in rows], np.int64), np.concatenate(rows).astype(np.int64), axes)


def _positions(row: Any, known: dict[str, int], axes: Axes, i: int) -> Any:
    """Return the positions of the classes of a set, which are given as positions or names."""
    if known and row.ndim == 1 and len(row) and all(isinstance(name, str) for name in row.tolist()):
        unknown = [name for name in row.tolist() if name not in known]
        if unknown:
            must = f"hold names of the {axes.n_classes} classes, such as {axes.class_name(0)}"
            raise error("sets", must, repr(unknown[0]), f"case {axes.case_name(i)}")
        return np.array([known[name] for name in row.tolist()])
    if row.ndim != 1 or (len(row) and row.dtype.kind not in "iu"):
        raise error("sets", "hold sequences of class positions, or of names of classes", repr(row.tolist()), f"case {axes.case_name(i)}")
    return row


def _check_axes(given: Axes, axes: Axes) -> None:
    """Reject sets with axes of other cases or classes, or in another order."""
    if (given.n_cases, given.n_classes) != (axes.n_cases, axes.n_classes):
        must = f"be of {axes.n_cases} cases and {axes.n_classes} classes, as the truth"
        raise error("sets", must, f"{given.n_cases} cases and {given.n_classes} classes")


def _of_mask(mask: Any) -> tuple[Any, Any]:
    """Return the sizes of the sets and their classes, read in blocks of rows, which is faster for a table that is not contiguous."""
    sizes, indices, k = [], [], mask.shape[1]
    step = max(1, BLOCK // k)
    for begin in range(0, len(mask), step):
        block = np.ascontiguousarray(mask[begin : begin + step])
        at = np.flatnonzero(block)
        sizes.append(np.bincount(at // k, minlength=len(block)))
        indices.append((at % k).astype(np.int32))
        room("the classes of all sets", 28 * sum(len(one) for one in indices))
    return np.concatenate(sizes), np.concatenate(indices)


def _ragged(sizes: Any, index: Any, axes: Axes) -> Sets:
    offsets = offsets_of(sizes)
    outside = (index < 0) | (index >= axes.n_classes)
    if outside.any():
        at = int(np.argmax(outside))
        where = f"case {axes.case_name(row_at(offsets, at))}"
        raise error("sets", f"hold class positions from 0 to {axes.n_classes - 1}", int(index[at]), where)
    row = np.repeat(np.arange(axes.n_cases, dtype=np.int64), sizes)
    index = index[np.argsort(row * axes.n_classes + index, kind="stable")]
    twice = (row[1:] == row[:-1]) & (index[1:] == index[:-1])
    if twice.any():
        at = int(np.argmax(twice))
        name, case = axes.class_name(int(index[at])), axes.case_name(int(row[at]))
        raise error("sets", "hold each class once", f"class {name} twice", f"case {case}")
    role = np.full(len(index), CERTAIN, np.int8)
    return Sets(offsets, index.astype(np.int32), role, np.full(axes.n_cases, NONE, np.int8), axes.n_classes)


def as_groups(groups: object, axes: Axes) -> Any:
    """Return the group of each class (K,) as positions 0 to G-1; groups with names are in alphabetical order."""
    return named_groups(groups, axes)[0]


def named_groups(groups: object, axes: Axes) -> tuple[Any, list[str] | None]:
    """Return the group of each class and the names of the groups, if they have any. A mapping gives the group of each class by name."""
    found = as_array(per_class("groups", groups, axes.classes))
    if found.shape == (axes.n_classes,) and found.dtype.kind in "UO" and all(isinstance(name, str) for name in found.tolist()):
        names, group = np.unique(found.astype(str), return_inverse=True)
        return group.reshape(-1).astype(np.int64), names.tolist()
    if found.dtype.kind == "f" and (np.abs(found) < 2**53).all() and (found == np.floor(found)).all():
        found = found.astype(np.int64)  # a column of numbers that are all whole
    if found.shape != (axes.n_classes,) or found.dtype.kind not in "iu":
        must = f"be {axes.n_classes} integers or names, one per class, or a mapping from classes to these"
        got = f"{len(found)} names" if found.ndim == 1 and found.dtype.kind in "UO" else f"{found.dtype} of shape {found.shape}"
        raise error("groups", must, got)
    if found.min() < 0 or found.max() > 2**24:
        bad = int(np.argmax((found < 0) | (found > 2**24)))
        raise error("groups", "hold group numbers from 0 on", int(found[bad]), f"class {axes.class_name(bad)}")
    return found.astype(np.int64), None


def one_group(group: Any, groups: object, axes: Axes, argument: str) -> tuple[Any, int]:
    """Return the group of each class (K,) as positions, and the position of one group given by name or number."""
    found, names = named_groups(groups, axes)
    known = names if names is not None else sorted(set(found.tolist()))
    if isinstance(group, (bool, np.bool_)) or group not in known:
        raise error(argument, f"be one of the groups {', '.join(map(repr, known[:8]))}{', ...' if len(known) > 8 else ''}", repr(group))
    return found, names.index(group) if names is not None else int(group)


def best_sets(sets: Sets, k: int, zero_tail: Any, wanted: Any, name: Callable[[int], str]) -> tuple[Any, Any, Array]:
    """Return the best k of each wanted row as ``(row, members, weight)``: members (…, k) ascending after a padding of -1.

    Ties at the border give several sets, each with its probability. Classes of plausibility 0 never belong to a set: with fewer than k
    positive classes, the set holds all of them.
    """
    certain = sets.role == CERTAIN
    row = row_of(sets.offsets)
    size = np.bincount(row[certain], minlength=len(wanted))
    open_rest = (sets.rest_role == TIED) & ~zero_tail
    everything = (sets.rest_role == CERTAIN) & ~zero_tail
    split = wanted & (open_rest | (np.bincount(row[sets.role == TIED], minlength=len(wanted)) > 0))
    room(f"the best {k} of every case", 4 * len(wanted) * k)
    members = np.full((len(wanted), k), -1, np.int32)
    members[row[certain], np.arange(certain.sum()) - np.repeat(np.cumsum(size) - size, size)] = sets.index[certain]
    if everything.any():  # k = K
        members[everything] = np.arange(k)
    members.sort(1)
    whole = np.flatnonzero(wanted & ~split)
    parts = [(whole, members[whole], np.ones(len(whole)))]
    tied = np.bincount(row[sets.role == TIED], minlength=len(wanted))
    tied[open_rest] = sets.n_classes - size[open_rest]  # listed classes are never tied with unlisted ones
    shape = size * (sets.n_classes + 1) + tied
    for one in np.unique(shape[split]).tolist():  # rows with equal numbers of certain and of tied classes are handled together
        here = np.flatnonzero(split & (shape == one))
        some = _tie_broken(sets, here, k, members[here], open_rest[here], name)
        parts.append((np.repeat(here, some.shape[1]), some.reshape(-1, k), np.full(some.shape[0] * some.shape[1], 1.0 / some.shape[1])))
    rows, chosen, weight = zip(*parts)
    return np.concatenate(rows), np.concatenate(chosen), np.concatenate(weight)


def _tie_broken(sets: Sets, rows: Any, k: int, members: Any, open_rest: Any, name: Callable[[int], str]) -> Any:
    """Return the sets (rows, ways, k) that tie-breaking makes of rows with equal numbers of certain and of tied classes."""
    n_sure = int((members[0] >= 0).sum())
    of_rows = [slice(sets.offsets[i], sets.offsets[i + 1]) for i in rows.tolist()]
    everything = np.arange(sets.n_classes, dtype=np.int32)
    tied = np.array(
        [
            np.setdiff1d(everything, sets.index[part]) if is_open else sets.index[part][sets.role[part] == TIED]
            for part, is_open in zip(of_rows, open_rest)
        ]
    )
    ways = comb(tied.shape[1], k - n_sure)
    if ways > MOST_TIED_SETS:
        raise error("ties", "be 'first' if ties make more than 10,000 sets", f"{ways} sets", f"case {name(int(rows[0]))}")
    room("the sets that ties make", 8 * len(rows) * ways * k)
    more = tied[:, np.array(list(combinations(range(tied.shape[1]), k - n_sure)), np.int64).reshape(ways, k - n_sure)]
    sure = np.repeat(members[:, None, k - n_sure :], ways, axis=1)
    return np.sort(np.concatenate([sure, more], 2), 2)


def heaviest(case: Any, members: Any, weight: Array, n_classes: int) -> Any:
    """Return which sets have the largest total weight within their case; of several, the first."""
    code = case.astype(np.int64)
    for column in members.T:  # renumber after each column, so that the code never overflows
        code = np.unique(code, return_inverse=True)[1].reshape(-1) * (n_classes + 1) + (column + 1)
    _, first, group = np.unique(code, return_index=True, return_inverse=True)
    group = group.reshape(-1)
    total = np.bincount(group, weight)
    order = np.lexsort((-total, case[first]))
    of_case = case[first][order]
    top = np.ones(len(order), bool)
    top[1:] = of_case[1:] != of_case[:-1]
    best = np.zeros(len(total), bool)
    best[order[top]] = True
    return best[group]
