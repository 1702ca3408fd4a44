"""Joins by a large index of pandas without turning each of its texts into an object of Python."""

from __future__ import annotations

import weakref
from typing import Any

import numpy as np

from .._base.arrays import NDArray

LARGE = 10_000  # rows from which on the index of the cases is kept for the next frame
_kept: list[tuple[Any, Any, Any]] = []  # the last case ids (a weak reference), the type of their index, and the index


def is_same(index: Any, case_ids: NDArray[Any]) -> bool:
    """Return whether a large index of pandas holds these ids in this order; False, too, if that is not known quickly."""
    if len(index) != len(case_ids) or len(index) < LARGE:
        return False
    wanted = _index_of(case_ids, index)
    return wanted is not None and bool(index.equals(wanted))


def places(index: Any, case_ids: NDArray[Any]) -> NDArray[Any] | None:
    """Return the place of each case in a large index of texts that arrow holds; None if a case has none or two, or of other indexes."""
    if len(index) != len(case_ids) or len(index) < LARGE or getattr(index.dtype, "storage", "") != "pyarrow":
        return None
    wanted = _index_of(case_ids, index)
    if wanted is None:
        return None
    from pyarrow.compute import index_in  # type: ignore[import-untyped]  # noqa: PLC0415  (pandas has imported it)

    own, other = (one.array.__arrow_array__() for one in (index, wanted))
    found = index_in(other, value_set=own)
    if found.null_count:
        return None
    at = np.asarray(found.to_numpy(zero_copy_only=False) if not hasattr(found, "chunks") else found.to_numpy())
    return at if np.array_equal(np.bincount(at, minlength=len(at)), np.ones(len(at), np.int64)) else None


def _index_of(case_ids: NDArray[Any], like: Any) -> Any:
    """Return the ids of the cases as an index of the type of another one; None if it cannot hold them."""
    if _kept and _kept[0][0]() is case_ids and _kept[0][1] == like.dtype:
        return _kept[0][2]
    try:
        made = type(like)(case_ids, dtype=like.dtype)
    except (TypeError, ValueError):
        return None
    _kept[:] = [(weakref.ref(case_ids), like.dtype, made)]
    return made
