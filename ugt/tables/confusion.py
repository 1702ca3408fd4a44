"""The soft confusion matrix: expected numbers of cases by top class and first choice, and agreement by class."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from .._base.arrays import Array, Int64
from .._base.notes import Note
from ..metrics.groups import FEW_EXPECTED
from ..plausibilities.point import summed
from ..resampling import Ratios, over
from .context import MOST_WORK, Ask, Made, most
from .rows import Number, finite, with_ends

if TYPE_CHECKING:
    from ..resampling import Resamples
    from .context import Context


class ConfusionRow(NamedTuple):
    """The expected number of cases of a true class that a model gives a class, and their share of the true class."""

    model: str
    truth: str
    predicted: str
    n: float
    share: Number


class ClassRow(NamedTuple):
    """Positive and negative percent agreement of a model on one class, in [0, 1]."""

    model: str
    class_: str
    ppa: Number
    ppa_low: Number
    ppa_high: Number
    npa: Number
    npa_low: Number
    npa_high: Number
    n_expected: float
    voted_ppa: Number  # against the voted label


class GroupRow(NamedTuple):
    """Positive percent agreement of a model on a group of classes, and its accuracy given the group, in [0, 1]."""

    model: str
    group: str
    ppa: Number
    ppa_low: Number
    ppa_high: Number
    accuracy: Number
    accuracy_low: Number
    accuracy_high: Number
    n_expected: float


TABLES = {"confusion": ConfusionRow, "class_agreement": ClassRow, "group_agreement": GroupRow}
MOST_CLASSES = 20
OTHERS = "(other classes)"


def make(context: Context, notes: list[Note]) -> Made:
    """Return all tables.

    Class t is the most plausible one of case i with probability m_it, the prediction is p with the share c_ip of the first choice. The
    matrix has n_tp = Σ m_it c_ip, so that Σ_t n_tt over the number of cases is UA top-1 accuracy; positive percent agreement is
    Σ m_ik c_ik / Σ m_ik, negative Σ (1 - m_ik)(1 - c_ik) / Σ (1 - m_ik). Of a group G of classes the former is of sums over the group, and
    the accuracy given the group is Σ_i Σ_{k in G} m_ik c_ik / Σ_i Σ_{k in G} m_ik, as :func:`ugt.metrics.ua_group_accuracy` has them.
    """
    here, times = context.defined, context.times
    if context.top is None or not context.scores or not here.any():
        return {}
    top = np.where(here[:, None], context.top, 0.0)
    kept = most(context.total(top), MOST_CLASSES)
    names = [str(context.known.axes.classes[k]) for k in kept]
    n_classes = top.shape[1]
    if len(kept) < n_classes:
        names.append(OTHERS)
        words = "Confusion: the {shown} classes expected most often are shown; {others:,} others are together."
        notes.append(Note("some_classes", words, shown=MOST_CLASSES, others=n_classes - len(kept)))
    truth = _pooled(top, kept)
    other = np.where(here[:, None], np.maximum(1 - truth, 0.0), 0.0)  # rows add up to 1 except for rounding
    choices = {model: _pooled(choice, kept) for model, choice in context.choices.items()}
    voted = _pooled(np.where(here[:, None], np.nan_to_num(context.voted.membership(1)), 0.0), kept)
    asked = [_agreement(truth, other, choice) for choice in choices.values()]
    if context.groups is not None:
        asked += [_by_group(top, choice, context.groups[0]) for choice in context.choices.values()]
    work = 5 * context.n_cases + sum(one.n_cases * one.n_columns for one in asked)
    n = context.options.affordable(work, "agreement class by class", notes, most=MOST_WORK)
    found = yield [Ask(context.occurring(one), n, context.counted) for one in asked]
    matrix: list[ConfusionRow] = []
    by_class: list[ClassRow] = []
    for (model, choice), resamples in zip(choices.items(), found):
        matrix += _matrix_of(model, names, np.einsum("nt,np->tp", truth if times is None else truth * times[:, None], choice))
        below = context.total(truth), context.total(other)
        rows = _rows(names, below, resamples.estimate, context.intervals(resamples))
        by_class += [ClassRow(model, *row, finite(one)) for row, one in zip(rows, _voted_ppa(context, voted, choice))]
    by_group = [] if context.groups is None else _group_rows(context, *context.groups, top, dict(zip(choices, found[len(choices) :])))
    if min([*(row.n_expected for row in by_class), *(row.n_expected for row in by_group)]) < FEW_EXPECTED:
        words = "Agreement given a class or group has no interval where fewer than {least} cases of it are expected."
        notes.append(Note("no_intervals", words, least=FEW_EXPECTED))
    return {"confusion": matrix, "class_agreement": by_class, "group_agreement": by_group}


def _agreement(truth: Array, other: Array, choice: Array) -> Ratios:
    """Return positive agreement for each class, then negative."""
    above = [truth * choice, other * (1 - choice)]
    return Ratios(np.concatenate([*above, truth, other], 1), np.arange(2 * truth.shape[1], dtype=np.int64)).compact()


def _voted_ppa(context: Context, voted: Array, choice: Array) -> Any:
    """Return positive agreement for each class with the voted label, taken as certain; NaN for a class without a vote."""
    return over(context.total(voted * choice), context.total(voted)).tolist()


def _by_group(top: Array, choice: Array, group: Int64) -> Ratios:
    """Return positive agreement for each group, then the accuracy given the group."""
    truth = summed(top, group)
    above = [truth * summed(choice, group), summed(top * choice, group)]
    return Ratios(np.concatenate([*above, truth], 1), np.tile(np.arange(truth.shape[1], dtype=np.int64), 2)).compact()


def _group_rows(context: Context, group: Int64, names: list[str], top: Array, found: Mapping[str, Resamples]) -> list[GroupRow]:
    below = context.total(summed(top, group)), context.total(summed(top, group))
    rows = [(model, _rows(names, below, one.estimate, context.intervals(one))) for model, one in found.items()]
    return [GroupRow(model, *row) for model, own in rows for row in own]


def _pooled(table: Array, kept: Int64) -> Array:
    """Return (n, C) some columns and, last, the sum of the others."""
    if len(kept) == table.shape[1]:
        return table
    rest = np.ones(table.shape[1], bool)
    rest[kept] = False
    return np.concatenate([table[:, kept], table[:, rest].sum(axis=1, keepdims=True)], 1)


def _matrix_of(model: str, names: list[str], expected: Array) -> Iterator[ConfusionRow]:
    for t, truth in enumerate(names):
        total = float(expected[t].sum())
        for p, predicted in enumerate(names):
            n = float(expected[t, p])
            yield ConfusionRow(model, truth, predicted, n, n / total if total > 0 else None)


Numbers = tuple[str, Number, Number, Number, Number, Number, Number, float]  # a name, two numbers with their ends, expected cases


def _rows(names: list[str], below: tuple[Array, Array], values: Array, ends: Array) -> Iterator[Numbers]:
    """Yield rows without the model; ``below``: expected cases of the two kinds of numbers. With few only 0 and 1 have intervals."""
    for k, name in enumerate(names):
        first, second = (
            with_ends(values[j], (None, None) if expected[k] < FEW_EXPECTED and 0 < values[j] < 1 else ends[j])
            for expected, j in zip(below, (k, len(names) + k))
        )
        yield name, *first, *second, float(below[0][k])
