"""Annotators who are held out of their cases: by random keys of case and annotator, one of each case or more."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np

from .._base import checks
from .._base.arrays import Array, Bools, Int64, NDArray
from .._base.axes import stream_keys_of
from .._base.ragged import distinct_pairs, row_of
from ..annotations import Labels
from ..annotations.other_annotators import case_offsets


def one_each(labels: Labels) -> Labels:
    """Return the labels with one row per label."""
    checks.room("a table with one row per label", 16 * labels.count.sum(dtype=np.float64))
    ends = np.append(0, np.cumsum(labels.count))[labels.offsets]
    who, label = np.repeat(labels.annotator, labels.count), np.repeat(labels.label, labels.count)
    return replace(labels, offsets=ends, annotator=who, label=label, count=np.ones(len(label), np.int64))


def divided(labels: Labels, times: Array, seed: int) -> tuple[Labels, Labels, Array]:
    """Return rows of counts with one label taken out at random of each of their equal cases, these labels, and the cases of each row.

    Of the f cases of a row with n labels, a multinomial number has a label of class k held out: the law of f cases with a row each. A row
    without two labels stays whole.
    """
    counts = labels.counts()
    n, left = counts.sum(axis=1), times.copy()
    rest, found = n.astype(np.float64), list[tuple[Int64, Int64, Int64]]()
    random = np.random.Generator(np.random.Philox(seed))
    for k in range(labels.n_classes):
        here = np.flatnonzero((counts[:, k] > 0) & (n > 1) & (left > 0))
        own = random.binomial(left[here].astype(np.int64), np.minimum(counts[here, k] / rest[here], 1.0))
        left[here] -= own
        rest -= counts[:, k]
        found.append((here[own > 0], np.full(int((own > 0).sum()), k, np.int64), own[own > 0]))
    whole = np.flatnonzero(n < 2)
    found.append((whole, np.zeros(len(whole), np.int64), times[whole].astype(np.int64)))
    rows, out, often = (np.concatenate(column) for column in zip(*found))
    checks.room("the held-out labels of all rows", 32.0 * len(rows) * labels.n_classes)
    held = np.zeros((len(rows), labels.n_classes), np.int64)
    held[np.arange(len(rows)), out] = n[rows] > 1
    both = (Labels.from_counts(table, classes=labels.axes.classes) for table in (counts[rows] - held, held))
    return next(both), next(both), often.astype(np.float64)


def held_out(known: Any, keys: NDArray[np.uint64], n: int, seed: int) -> Bools:
    """Return which annotations (R,) are held out: those of n annotators of each case with more, by random keys of case and annotator."""
    case, who = row_of(case_offsets(known)), known.annotator.astype(np.int64)
    nobody = np.flatnonzero(who < 0)  # numbered within the case, by class or by position
    order = nobody[np.lexsort((getattr(known, "label", np.arange(len(who)))[nobody], case[nobody]))]
    who[order] = len(known.annotators) + np.arange(len(order)) - np.searchsorted(case[order], case[order])
    at, of = distinct_pairs(case, who)
    case, who = case[at], who[at]
    names = np.append(
        stream_keys_of(known.annotators), np.arange(max(0, int(who.max(initial=0)) + 1 - len(known.annotators)), dtype=np.uint64)
    )
    number = mixed(mixed(keys[case] + np.uint64(seed)) + mixed(names[who]))
    place = np.empty(len(at), np.int64)
    sizes = np.bincount(case, minlength=len(keys))
    place[np.lexsort((number, case))] = np.arange(len(at)) - np.repeat(np.cumsum(sizes) - sizes, sizes)
    return np.asarray(((place < n) & (sizes[case] > n))[of])


def mixed(x: NDArray[np.uint64]) -> NDArray[np.uint64]:
    """Return the finaliser of splitmix64: numbers that look random."""
    for shift, factor in ((30, 0xBF58476D1CE4E5B9), (27, 0x94D049BB133111EB)):
        x = (x ^ (x >> np.uint64(shift))) * np.uint64(factor)
    return np.asarray(x ^ (x >> np.uint64(31)))
