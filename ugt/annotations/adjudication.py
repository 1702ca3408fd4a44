"""Designs in which the number of labels of a case depends on the labels, such as a third reader if two differ."""

from __future__ import annotations

import math
from dataclasses import replace
from typing import NamedTuple

import numpy as np

from .._base.arrays import Array, Bools, Int64
from .._base.identifiers import name
from .._base.notes import Note
from .._base.notices import note
from .._base.ragged import offsets_of, row_of
from .._core import _tables
from . import Labels
from .first_choices import first_choices

RARE = 1e-3
MOST_READERS = 20  # largest number of first readings of a case
MOST_NAMED = 5
SEEN = (
    "All {n:,} cases with {least} labels are unanimous; of the other cases {alike:.0%} would be with as few labels: more annotators seem "
    "to have been asked if the first ones differed. Agreement, kappa, AC1, alpha, debiased losses and agreement with one more annotator "
    "assume that the labels of a case are drawn alike, and are wrong for such a design;"
)
USED = " they use the first {least} readings of each case, {which}, which differ in all {n_others:,} other cases."


class Adjudicated(NamedTuple):
    """What a design with further annotations of some cases says; ``first``: the first readings, if the data show them."""

    note: Note | None = None
    first: Labels | None = None


def drawn_alike(labels: Labels) -> Labels:
    """Return the first readings if labels were added to cases whose readings differ and the data show which these are, else all labels.

    For functions that assume that the labels of a case are drawn alike. A note says what was found and done.
    """
    found = adjudicated(labels)
    if found.note is not None:
        note(found.note)
    return labels if found.first is None else found.first


def adjudicated(labels: Labels, times: Array | None = None) -> Adjudicated:
    """Return a note if the cases with the fewest labels are unanimous too often for chance, and the first readings if the data show them.

    If the number of labels of a case were independent of the labels, the m labels of a case with the fewest would differ as often as m
    labels drawn from those of another case. With d such differences among the other cases, the probability of none among the cases with m
    labels is hypergeometric (Fisher's exact test); below 1 in 1,000 the note is given. The first m readings of the other cases are known
    if m readings of each differ: those of the annotators who also read cases with m labels, or else the first m in the order of labels.
    ``times`` (N,): how many equal cases each stands for.
    """
    if _tables.equal_totals(labels.offsets, labels.count):  # the common case, and a quick check
        return Adjudicated()
    said = first_choices(labels)
    n_cases, n_classes = labels.n_cases, labels.n_classes
    often = np.ones(n_cases) if times is None else times
    opinions = np.where(often > 0, said.n_opinions(n_cases), 0)
    several = opinions[opinions > 1]
    least = int(several.min(initial=MOST_READERS + 1))
    if least > MOST_READERS or least == several.max():
        return Adjudicated()
    cell, at = np.unique(said.case * n_classes + said.label, return_inverse=True)
    row, given = cell // n_classes, np.bincount(at.reshape(-1), said.share * said.times)
    largest = np.zeros(n_cases)
    np.maximum.at(largest, row, given)
    fewest, others = opinions == least, opinions > least
    if not (largest[fewest] > least - 0.5).all():
        return Adjudicated()
    # The probability that m labels drawn from those of a case are equal: Σ_k C(n_k, m) / C(n, m).
    chance, total = np.ones(len(row)), opinions[row]
    for j in range(least):
        chance *= np.maximum(given - j, 0) / np.maximum(total - j, 1)
    alike = np.bincount(row, chance, n_cases)[others]
    n, n_others, differ = int(often[fewest].sum()), int(often[others].sum()), int(((1.0 - alike) * often[others]).sum() + 1e-9)
    if differ == 0 or _none_among(n, n_others, differ) > RARE:
        return Adjudicated()
    first, which = _first_readings(labels, least, fewest, np.flatnonzero(others))
    words = SEEN + (" give them the first readings only, if an order or a role shows which these are." if first is None else USED)
    share = float(alike.mean() if times is None else often[others] @ alike / n_others)
    values = {"n": n, "least": least, "alike": share, "which": which, "n_others": n_others}
    return Adjudicated(Note("adjudicated", words, **values), first)


def _first_readings(labels: Labels, least: int, fewest: Bools, others: Int64) -> tuple[Labels | None, str]:
    """Return the labels without those added to the cases ``others``, and how these were found; None if the data do not show them."""
    who, sizes = labels.annotator, np.diff(labels.offsets)
    if len(labels.annotators) == 0 or who.min() < 0 or labels.count.max() > 1:  # without names only counts are known, which have no order
        return None, ""
    case = row_of(labels.offsets)
    readers = np.zeros(len(labels.annotators), bool)
    readers[who[fewest[case]]] = True
    place = np.arange(len(who)) - labels.offsets[case]
    added = np.isin(case, others)
    added_by = ", ".join(name(one) for one in labels.annotators[~readers][:MOST_NAMED])
    ways = {f"those of all but {added_by}": readers[who], "in the order of the labels": place < least}
    for which, first in ways.items():
        kept = ~added | first
        offsets = offsets_of(np.bincount(case[kept], minlength=len(sizes)))
        label, start = labels.label[kept], offsets[others]
        if (np.diff(offsets)[others] == least).all() and (
            np.stack([label[start + j] != label[start] for j in range(1, least)]).any(axis=0).all()
        ):
            return replace(labels, offsets=offsets, annotator=who[kept], label=label, count=labels.count[kept]), which
    return None, ""


def _none_among(n: int, n_others: int, d: int) -> float:
    """Return the probability that d cases drawn from n + n_others are all among the others."""
    log = math.lgamma
    return math.exp(log(n_others + 1) - log(n_others - d + 1) - log(n + n_others + 1) + log(n + n_others - d + 1))
