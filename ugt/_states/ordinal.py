"""Krippendorff's alpha of ordinal labels from sums: mid-ranks are known when all cases are, so that pairs of classes are added up."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from .._checks import error
from .._coefficients import forms
from .._coefficients.costs import pairs_of
from .._coefficients.table import Judgements, Ragged
from .._ragged import offsets_of
from .part import Rows

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Array = NDArray[np.float64]

N = 0  # column: judgements of cases with two annotators
MOST_CLASSES = 1000


class Pairs(NamedTuple):
    """What is added up: judgements (N, 1) and amounts of classes in the order of their values, where a case has two annotators."""

    dense: Array
    amounts: tuple[Ragged, ...]
    per_case: Array

    @classmethod
    def of(cls, judged: Judgements, rank: NDArray[np.int64]) -> Pairs:
        """NaN ``per_case`` (N,): a case that does not count."""
        two, table = judged.size >= 2, judged.classes
        ranked = Ragged(table.offsets, rank[table.index].astype(np.int32), table.amount * two[table.row])
        return cls(np.stack([judged.size * two], axis=1), (ranked,), np.where(two, 0.0, np.nan))


def part_of(judged: Judgements, values: Array) -> tuple[Pairs, dict[str, Rows]]:
    """The form, and tables (K, K) of pairs of labels: ``between`` / (annotators - 1) the annotators of a case, ``within`` judgements."""
    k = judged.n_classes
    if len(np.unique(values)) < k:
        raise error("values", "differ for an ordinal scale", "equal ones")
    if k > MOST_CLASSES:
        raise error("classes", f"be at most {MOST_CLASSES} for an ordinal scale in parts: all pairs of them are counted", k)
    rank = np.empty(k, np.int64)
    rank[np.argsort(values, kind="stable")] = np.arange(k)
    case, mixed = judged.mixed()
    many = judged.size[case] >= 2
    case, mixed = case[many], mixed.take(np.flatnonzero(many))
    scale = np.where(judged.size >= 2, 1 / np.maximum(judged.size - 1, 1.0), 0.0)
    rows, index, amount = _pairs(judged.classes, rank)
    inside, inside_index, inside_amount = _pairs(mixed, rank)
    inside = case[inside]
    between = (np.append(rows, inside), np.append(index, inside_index), np.append(amount * scale[rows], -inside_amount * scale[inside]))
    tables = {"between": between, "within": (inside, inside_index, inside_amount)}
    return Pairs.of(judged, rank), {name: _rows(*table, judged.n_cases, k) for name, table in tables.items()}


def _pairs(table: Ragged, rank: NDArray[np.int64]) -> tuple[NDArray[np.int64], NDArray[np.int64], Array]:
    """Row, cell of a table (K, K) and amount of all ordered pairs of entries of different classes; in the upper triangle only."""
    found = [(np.empty(0, np.int64), np.empty(0, np.int64), np.empty(0))]
    for first, second in pairs_of(table):
        one, other = rank[table.index[first]], rank[table.index[second]]
        at = np.minimum(one, other) * len(rank) + np.maximum(one, other)
        found.append((table.row[first], at, 2 * table.amount[first] * table.amount[second]))
    rows, index, amount = (np.concatenate(parts) for parts in zip(*found))
    return rows, index, amount


def _rows(case: NDArray[np.int64], index: NDArray[np.int64], amount: Array, n: int, k: int) -> Rows:
    order = np.argsort(case, kind="stable")
    return Rows(offsets_of(np.bincount(case, minlength=n)), index[order], amount[order], (k, k))


def values_of(sums: Mapping[str, Array]) -> forms.Values:
    """(B,) each, by the mid-ranks in all judgements."""
    n, amounts = sums["cases"][:, N], sums["classes 0"]
    x = forms.ranked(amounts)
    parts = [[float((table * (each[:, None] - each) ** 2).sum()) for table, each in zip(sums[name], x)] for name in ("between", "within")]
    between, within = (np.maximum(part, 0.0) for part in parts)
    return forms.alpha_of(between, n, within, forms.rank_pairs(x, amounts))
