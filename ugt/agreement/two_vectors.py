"""The labels of two annotators as two vectors."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from .._base import identifiers
from .._base.arrays import NDArray
from .._base.checks import error
from .._tabular.rows import held_cells
from ..annotations import Labels, Ratings
from .table import MISSING

FIRST, SECOND = "labels", "other"


def labels_of_two(first: object, second: object, classes: Any, annotators: object) -> Labels:
    """Return the labels of two annotators, joined by index or key if both vectors have one, else by position."""
    if isinstance(first, (Labels, Ratings)) or np.ndim(identifiers.as_array(first)) == 2:
        got = f"labels of {type(first).__name__}"
        raise error(SECOND, "be left out unless labels are those of one annotator, a vector (two annotators: annotators=)", got)
    if annotators is not None:
        raise error("annotators", "be left out for two vectors, which are those of two annotators", repr(annotators))
    (ids, one), (others, two) = _vector(FIRST, first), _vector(SECOND, second)
    numbered = [identifiers.is_numbered(identifiers.index_of(one)) for one in (first, second)]
    if any(numbered):
        _check_numbered(ids if numbered[1] else others)
        ids, others = None, None
    if ids is None or others is None:
        if len(one) != len(two):
            raise error(SECOND, f"have one label for each of the {len(one)} labels of the first annotator", len(two))
        names, known = (ids if others is None else others), None
    else:
        names, known = _joined(ids, others)
    if classes is None:
        same = identifiers.categories(first), identifiers.categories(second)
        classes = same[0] if same[0] == same[1] else None
    cells = np.full((len(one) if known is None else len(names), 2), None, object)
    cells[: len(one), 0] = one
    cells[np.arange(len(two)) if known is None else known, 1] = two
    at, held = held_cells(cells, MISSING)
    return Labels._of_cells(cells.shape, at, held, names, None, classes)


def _check_numbered(own: Any) -> None:
    """Refuse ids of one vector beside an index of the other that numbers its rows because no ids were given."""
    if own is not None and (identifiers.is_text(own) or not np.array_equal(own, np.arange(len(own)))):
        must = "have an index as labels has (one is numbered from 0 on because none was given: give both as arrays, or both with ids)"
        raise error(SECOND, must, f"case {identifiers.name(own[0])} beside row 0")


def _vector(argument: str, given: Any) -> tuple[Any, list[Any]]:
    """Return the ids of the cases, None if there are none, and the labels."""
    index = identifiers.index_of(given)
    ids = None if index is None else index.tolist()
    if isinstance(given, Mapping):
        ids, given = list(given), list(given.values())
    if isinstance(given, (str, bytes)) or not (identifiers.is_array(given) or isinstance(given, (list, tuple))):
        raise TypeError(f"{argument} must be the labels of one annotator, a vector. Got {type(given).__name__}.")
    cells = identifiers.unmasked(given) if identifiers.is_array(given) else np.array([*given, None], object)[:-1]
    if cells.ndim != 1:
        raise error(argument, "be the labels of one annotator, a vector", f"shape {cells.shape}")
    return None if ids is None else identifiers.distinct(f"the index of {argument}", ids), cells.tolist()


def _joined(ids: NDArray[Any], others: NDArray[Any]) -> tuple[NDArray[Any], NDArray[Any]]:
    """Return all ids, those of the first vector first, and the position of each id of the second."""
    if identifiers.is_text(ids) != identifiers.is_text(others):
        ids, others = ids.astype(str), others.astype(str)
    at = identifiers.lookup(ids, others)
    if (at < 0).all():
        got = f"{identifiers.name(ids[0])} and {identifiers.name(others[0])} first"
        raise error(SECOND, "have cases of labels in its index (or give both as arrays)", got)
    at[at < 0] = len(ids) + np.arange(int((at < 0).sum()))
    return np.concatenate([ids, others[at >= len(ids)]]), at
