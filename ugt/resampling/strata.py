"""Strata with a single unit, which show no spread."""

from __future__ import annotations

from typing import Any

import numpy as np

from .._base import notices
from .._base.arrays import NDArray
from .._base.identifiers import name, number_each
from .._base.notes import Note


def merged_strata(strata: NDArray[Any], clusters: NDArray[Any] | None) -> NDArray[Any]:
    """Return ids of strata (n,) in which each stratum with a single unit is merged with the nearest one, with a note.

    That is the one with the nearest number, or the neighbour in alphabetical order: the one before, for the first the one after.
    """
    code, names, _ = number_each("strata", strata, len(strata))
    rank = np.argsort(np.argsort(names, kind="stable"), kind="stable")
    ordered, at = np.sort(names, kind="stable"), rank[code]
    values = np.asarray(ordered, np.float64) if ordered.dtype.kind in "iuf" else np.arange(len(ordered), dtype=np.float64)
    unit = np.arange(len(strata)) if clusters is None else number_each("clusters", clusters, len(clusters))[0]
    alone: list[str] = []
    while True:
        pairs = np.unique(np.stack([at, unit], axis=1), axis=0)[:, 0]
        there, n_units = np.unique(pairs, return_counts=True)
        if n_units.min() >= 2 or len(there) < 2:
            break
        one = there[int(np.argmax(n_units == 1))]
        others = there[there != one]
        at[at == one] = others[int(np.argmin(np.abs(values[others] - values[one])))]
        alone.append(name(ordered[one]))
    if alone:
        words = "Strata with a single unit were merged with the nearest one, because they show no spread: {strata}."
        notices.note(Note("strata_merged", words, strata=", ".join(alone)))
    return np.asarray(ordered[at])
