"""The sets of k best classes among sampled vectors, and how often each of them occurs."""

from __future__ import annotations

from itertools import combinations
from math import comb
from typing import Any, Callable

import numpy as np

from .._base.arrays import Array
from .._base.checks import error, room
from .._base.ragged import row_of
from .orders import CERTAIN, TIED, Sets

MOST_TIED_SETS = 10_000


def best_sets(sets: Sets, k: int, zero_tail: Any, wanted: Any, name: Callable[[int], str]) -> tuple[Any, Any, Array]:
    """The best k of each wanted row as ``(row, members, weight)``: members (…, k) ascending behind a padding of -1.

    Ties that cross the border make several sets, each with its probability. Classes of plausibility 0 never belong to
    a set: where fewer than k are positive, the set is all of these.
    """
    certain = sets.role == CERTAIN
    row = row_of(sets.offsets)
    size = np.bincount(row[certain], minlength=len(wanted))
    open_rest = (sets.rest_role == TIED) & ~zero_tail
    everything = (sets.rest_role == CERTAIN) & ~zero_tail
    split = wanted & (open_rest | (np.bincount(row[sets.role == TIED], minlength=len(wanted)) > 0))
    room(f"the best {k} of every case", 4 * len(wanted) * k)
    members = np.full((len(wanted), k), -1, np.int32)
    place = np.arange(certain.sum()) - np.repeat(np.cumsum(size) - size, size)
    members[row[certain], place] = sets.index[certain]
    if everything.any():  # k = K
        members[everything] = np.arange(k)
    members.sort(1)
    whole = np.flatnonzero(wanted & ~split)
    parts = [(whole, members[whole], np.ones(len(whole)))]
    for i in np.flatnonzero(split).tolist():
        some = _tie_broken(sets, i, k, members[i][members[i] >= 0], bool(open_rest[i]), name)
        parts.append((np.full(len(some), i), some, np.full(len(some), 1.0 / len(some))))
    rows, chosen, weight = zip(*parts)
    return np.concatenate(rows), np.concatenate(chosen), np.concatenate(weight)


def _tie_broken(sets: Sets, row: int, k: int, sure: Any, open_rest: bool, name: Callable[[int], str]) -> Any:
    """(ways, k) the sets that tie-breaking makes of one row."""
    part = slice(sets.offsets[row], sets.offsets[row + 1])
    listed = sets.index[part]
    tied = np.setdiff1d(np.arange(sets.n_classes), listed) if open_rest else listed[sets.role[part] == TIED]
    ways = comb(len(tied), k - len(sure))
    if ways > MOST_TIED_SETS:
        raise error("ties", "be 'first' where ties make more than 10,000 sets", f"{ways} sets", f"case {name(row)}")
    more = np.array(list(combinations(tied, k - len(sure))), np.int32)
    return np.sort(np.concatenate([np.repeat(sure[None], ways, 0), more], 1), 1)


def heaviest(case: Any, members: Any, weight: Array, n_cases: int, n_classes: int) -> Array:
    """(n_cases,) the largest total weight that any set has within its case; 0 for a case without sets."""
    code = case.astype(np.int64)
    for column in members.T:  # renumbered after every column, so that the code never overflows
        code = np.unique(code, return_inverse=True)[1].reshape(-1) * (n_classes + 1) + (column + 1)
    _, first, group = np.unique(code, return_index=True, return_inverse=True)
    total = np.bincount(group.reshape(-1), weight)
    top = np.zeros(n_cases)
    np.maximum.at(top, case[first], total)
    return top
