"""The soft confusion matrix: expected numbers of cases by plausible class and first choice, and agreement class by class."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

import numpy as np

from ._samples import Part, Samples, first_choices, number
from .design import most

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from .context import Context, Row

    Array = NDArray[np.float64]
    Ints = NDArray[np.int64]

HEADINGS = {
    "confusion": ("model", "truth", "predicted", "n", "share"),
    "class_agreement": ("model", "class", "ppa", "ppa_low", "ppa_high", "npa", "npa_low", "npa_high", "n_expected"),
}
MOST_CLASSES = 20
OTHERS = "(other classes)"


def make(context: Context) -> tuple[dict[str, list[Row]], list[str]]:
    """Both tables.

    The truth of case i is class t with its mean plausibility m_it, the prediction is p with the share c_ip of the first choice. The matrix
    has n_tp = Σ m_it c_ip; positive percent agreement is Σ m_ik c_ik / Σ m_ik, negative Σ (1 - m_ik)(1 - c_ik) / Σ (1 - m_ik).
    """
    tables: dict[str, list[Row]] = {name: [] for name in HEADINGS}
    notes: list[str] = []
    if context.mean is None or not context.scores:
        return tables, notes
    rows = np.flatnonzero(~np.isnan(context.mean).any(axis=1))
    if len(rows) == 0:
        return tables, notes
    kept = most(context.mean[rows].sum(axis=0), MOST_CLASSES)
    names = [str(context.known.axes.classes[k]) for k in kept]
    n_classes = context.mean.shape[1]
    if len(kept) < n_classes:
        names.append(OTHERS)
        notes.append(f"Confusion: the {MOST_CLASSES} classes expected most often are shown; {n_classes - len(kept):,} others are together.")
    truth = _pooled(context.mean[rows], kept)
    choices = {model: _pooled(first_choices(scores[rows], context.options["ties"]), kept) for model, scores in context.scores.items()}
    parts = [Part(rows, *_ratios(truth, choice)) for choice in choices.values()]
    intervals = Samples.of(context).intervals(parts, notes, "agreement class by class")
    for (model, choice), part, ends in zip(choices.items(), parts, intervals):
        tables["confusion"] += _matrix(model, names, np.einsum("nt,np->tp", truth, choice))
        tables["class_agreement"] += _agreement(model, names, part.estimate(), ends, truth.sum(axis=0))
    return tables, notes


def _pooled(table: Array, kept: Ints) -> Array:
    """(r, C) some columns and, last, the sum of the others."""
    if len(kept) == table.shape[1]:
        return table
    rest = np.ones(table.shape[1], bool)
    rest[kept] = False
    return np.concatenate([table[:, kept], table[:, rest].sum(axis=1, keepdims=True)], 1)


def _ratios(truth: Array, choice: Array) -> tuple[Array, Array]:
    """Of positive agreement class by class, then of negative: what is added up above and below."""
    other = np.maximum(1 - truth, 0.0)  # rows add up to 1 but for rounding
    return np.concatenate([truth * choice, other * (1 - choice)], 1), np.concatenate([truth, other], 1)


def _matrix(model: str, names: list[str], expected: Array) -> Iterator[Row]:
    for t, truth in enumerate(names):
        total = float(expected[t].sum())
        for p, predicted in enumerate(names):
            n = float(expected[t, p])
            yield {"model": model, "truth": truth, "predicted": predicted, "n": n, "share": n / total if total > 0 else None}


def _agreement(model: str, names: list[str], values: Array, ends: Array, expected: Array) -> Iterator[Row]:
    n = len(names)
    for k, name in enumerate(names):
        row: Row = {"model": model, "class": name}
        for kind, j in (("ppa", k), ("npa", n + k)):
            row.update({kind: number(values[j]), f"{kind}_low": number(ends[j, 0]), f"{kind}_high": number(ends[j, 1])})
        yield {**row, "n_expected": float(expected[k])}
