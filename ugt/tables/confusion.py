"""The soft confusion matrix: expected numbers of cases by top class and first choice, and agreement by class."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, Any

import numpy as np

from .._base.arrays import Array, Int64
from ..metrics.groups import FEW_EXPECTED
from ..plausibilities.point import summed
from ..resampling import Ratios, over
from .context import MOST_WORK, Ask, Made, most
from .rows import ends_of, finite

if TYPE_CHECKING:
    from .context import Context
    from .rows import Row

TABLES = {
    "confusion": ("model", "truth", "predicted", "n", "share"),
    "class_agreement": ("model", "class", "ppa", "ppa_low", "ppa_high", "npa", "npa_low", "npa_high", "n_expected", "voted_ppa"),
    "group_agreement": ("model", "group", "ppa", "ppa_low", "ppa_high", "accuracy", "accuracy_low", "accuracy_high", "n_expected"),
}
MOST_CLASSES = 20
OTHERS = "(other classes)"


def make(context: Context, notes: list[str]) -> Made:
    """Return all tables.

    Class t is the most plausible one of case i with probability m_it, the prediction is p with the share c_ip of the first choice. The
    matrix has n_tp = Σ m_it c_ip, so that Σ_t n_tt over the number of cases is UA top-1 accuracy; positive percent agreement is
    Σ m_ik c_ik / Σ m_ik, negative Σ (1 - m_ik)(1 - c_ik) / Σ (1 - m_ik). Of a group G of classes the former is of sums over the group, and
    the accuracy given the group is Σ_i Σ_{k in G} m_ik c_ik / Σ_i Σ_{k in G} m_ik, as :func:`ugt.metrics.ua_group_accuracy` has them.
    """
    here = context.defined
    if context.top is None or not context.scores or not here.any():
        return {}
    top = np.where(here[:, None], context.top, 0.0)
    kept = most(top.sum(axis=0), MOST_CLASSES)
    names = [str(context.known.axes.classes[k]) for k in kept]
    n_classes = top.shape[1]
    if len(kept) < n_classes:
        names.append(OTHERS)
        notes.append(f"Confusion: the {MOST_CLASSES} classes expected most often are shown; {n_classes - len(kept):,} others are together.")
    truth = _pooled(top, kept)
    other = np.where(here[:, None], np.maximum(1 - truth, 0.0), 0.0)  # rows add up to 1 except for rounding
    choices = {model: _pooled(choice, kept) for model, choice in context.choices.items()}
    voted = _pooled(np.where(here[:, None], np.nan_to_num(context.voted.membership(1)), 0.0), kept)
    asked = [_agreement(truth, other, choice) for choice in choices.values()]
    if context.groups is not None:
        asked += [_by_group(top, choice, context.groups[0]) for choice in context.choices.values()]
    work = 5 * context.n_cases + sum(one.n_cases * one.n_columns for one in asked)
    n = context.options.affordable(work, "agreement class by class", notes, most=MOST_WORK)
    found = yield [Ask(one, n, context.counted) for one in asked]
    tables: dict[str, list[Row]] = {name: [] for name in TABLES}
    for (model, choice), resamples in zip(choices.items(), found):
        tables["confusion"] += _matrix_of(model, names, np.einsum("nt,np->tp", truth, choice))
        below = {"ppa": truth.sum(axis=0), "npa": other.sum(axis=0)}
        of_classes = _rows(model, "class", names, below, resamples.estimate, context.intervals(resamples))
        tables["class_agreement"] += [{**row, "voted_ppa": finite(one)} for row, one in zip(of_classes, _voted_ppa(voted, choice))]
    if context.groups is not None:
        group, names = context.groups
        below = dict.fromkeys(("ppa", "accuracy"), summed(top, group).sum(axis=0))
        for model, resamples in zip(choices, found[len(choices) :]):
            tables["group_agreement"] += _rows(model, "group", names, below, resamples.estimate, context.intervals(resamples))
    rows = [*tables["class_agreement"], *tables["group_agreement"]]
    if any(row["n_expected"] < FEW_EXPECTED for row in rows):
        notes.append(f"Agreement given a class or group has no interval where fewer than {FEW_EXPECTED} cases of it are expected.")
    return tables


def _agreement(truth: Array, other: Array, choice: Array) -> Ratios:
    """Return positive agreement for each class, then negative."""
    above = [truth * choice, other * (1 - choice)]
    return Ratios(np.concatenate([*above, truth, other], 1), np.arange(2 * truth.shape[1], dtype=np.int64)).compact()


def _voted_ppa(voted: Array, choice: Array) -> Any:
    """Return positive agreement for each class with the voted label, taken as certain; NaN for a class without a vote."""
    return over((voted * choice).sum(axis=0), voted.sum(axis=0)).tolist()


def _by_group(top: Array, choice: Array, group: Int64) -> Ratios:
    """Return positive agreement for each group, then the accuracy given the group."""
    truth = summed(top, group)
    above = [truth * summed(choice, group), summed(top * choice, group)]
    return Ratios(np.concatenate([*above, truth], 1), np.tile(np.arange(truth.shape[1], dtype=np.int64), 2)).compact()


def _pooled(table: Array, kept: Int64) -> Array:
    """Return (n, C) some columns and, last, the sum of the others."""
    if len(kept) == table.shape[1]:
        return table
    rest = np.ones(table.shape[1], bool)
    rest[kept] = False
    return np.concatenate([table[:, kept], table[:, rest].sum(axis=1, keepdims=True)], 1)


def _matrix_of(model: str, names: list[str], expected: Array) -> Iterator[Row]:
    for t, truth in enumerate(names):
        total = float(expected[t].sum())
        for p, predicted in enumerate(names):
            n = float(expected[t, p])
            yield {"model": model, "truth": truth, "predicted": predicted, "n": n, "share": n / total if total > 0 else None}


def _rows(model: str, of_what: str, names: list[str], below: Mapping[str, Array], values: Array, ends: Array) -> Iterator[Row]:
    """Yield rows; ``below``: the two kinds of numbers, with their expected cases. With few cases only 0 and 1 have intervals."""
    for k, name in enumerate(names):
        row: Row = {"model": model, of_what: name}
        for kind, j in zip(below, (k, len(names) + k)):
            shown = (None, None) if below[kind][k] < FEW_EXPECTED and 0 < values[j] < 1 else ends[j]
            row.update({kind: finite(values[j]), **ends_of(shown, f"{kind}_low", f"{kind}_high")})
        yield {**row, "n_expected": float(below["ppa"][k])}
