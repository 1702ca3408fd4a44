"""The reliability of annotations: one number, or one for each annotator or each label."""

from __future__ import annotations

from collections.abc import Mapping
from numbers import Real
from typing import Any

import numpy as np

from .._base import checks, identifiers
from .._base.arrays import Array
from .._base.ragged import row_of
from .._base.wording import changed
from ..annotations import Labels, Rankings
from ..annotations.other_annotators import case_offsets


def is_mapping(reliability: object) -> bool:
    """Return whether the reliability is a mapping of annotator to number, or a value with keys such as a Series of pandas."""
    return isinstance(reliability, Mapping) or (hasattr(reliability, "keys") and not identifiers.is_frame(reliability))


def reliability_of(reliability: Any, known: Labels | Rankings) -> tuple[float, Array | None]:
    """Return ``(γ, None)`` for one number or equal numbers; else ``(1, w)`` with the reliability w (R,) of each label or ranking."""
    if isinstance(reliability, Real):
        return checks.scalar("reliability", reliability, positive=True), None
    if is_mapping(reliability):
        found = _of_annotators(dict(reliability.items()), known)
    elif identifiers.is_frame(reliability):
        raise checks.error("reliability", "be a number, a mapping or an array (for a frame use its to_numpy())", type(reliability).__name__)
    elif (table := identifiers.as_array(reliability)).ndim == 0:
        return checks.scalar("reliability", reliability, positive=True), None
    else:
        found = _of_table(table, reliability, known)
    bad = ~((found > 0) & np.isfinite(found))
    if bad.any():
        r = int(np.argmax(bad))
        raise checks.error("reliability", "be finite numbers above 0", identifiers.name(found[r]), _where(known, r))
    equal = len(found) == 0 or bool((found == found[0]).all())
    return (float(found[0]) if len(found) else 1.0, None) if equal else (1.0, found)


def annotator_reliabilities(mapping: Mapping[Any, Any], known: Labels | Rankings) -> dict[Any, float]:
    """Return the names and numbers of a mapping after checks, in the order of the annotators."""
    reliability_of(mapping, known)
    return {name: float(mapping[name]) for name in known.annotators.tolist()}


def _of_annotators(given: dict[Any, Any], known: Labels | Rankings) -> Array:
    if len(known.annotators) == 0 and len(known.annotator):
        raise checks.error("reliability", "be one number if annotators have no names, as in counts", "a mapping of annotators")
    names = known.annotators.tolist()
    unknown = [name for name in given if name not in set(names)]
    if unknown:
        raise checks.error("reliability", "be of annotators in the data", identifiers.name(unknown[0]))
    missing = [name for name in names if name not in given]
    if missing:
        raise checks.error("reliability", "be given for every annotator", f"none for {identifiers.name(missing[0])}")
    found = {}
    for name, value in given.items():
        try:
            found[name] = checks.scalar("reliability", value, positive=True)
        except ValueError as wrong:
            raise changed(wrong, where=f"annotator {identifiers.name(name)}") from None
    return np.array([found[name] for name in names])[known.annotator]


def _of_table(table: Any, given: Any, known: Labels | Rankings) -> Array:
    n, n_named = len(case_offsets(known)) - 1, len(known.annotators)
    shapes: tuple[tuple[int, ...], ...]
    if n_named:
        a = f", a mapping of annotator to number, {n_named} numbers (one per annotator) or a table ({n}, {n_named}), cases x annotators"
        shapes = (n_named,), (n, n_named)
    elif isinstance(known, Labels):
        a, shapes = f" or, as annotators have no names, a table ({n}, {known.n_classes}), cases x classes", ((n, known.n_classes),)
    else:
        a, shapes = f" or, as annotators have no names, {known.n_rankings} numbers (one per ranking)", ((known.n_rankings,),)
    if table.dtype.kind not in "iuf" or table.shape not in shapes:
        got = f"{table.dtype} of shape {table.shape}" if table.size > 9 else repr(given)
        raise checks.error("reliability", f"be a number above 0{a}", got)
    column = known.annotator if n_named else known.label if isinstance(known, Labels) else np.arange(known.n_rankings)
    at: Any = column if table.ndim == 1 else (row_of(case_offsets(known)), column)
    return np.asarray(table[at], np.float64)


def _where(known: Labels | Rankings, r: int) -> str:
    case = f"case {known.axes.case_name(int(row_of(case_offsets(known))[r]))}"
    if len(known.annotators):
        return f"{case}, annotator {identifiers.name(known.annotators[known.annotator[r]])}"
    return f"{case}, class {known.axes.class_name(int(known.label[r]))}" if isinstance(known, Labels) else case


def merged(case: Any, index: Any, value: Array, n_cases: int, n_classes: int) -> tuple[Any, Any, Array]:
    """Return ``(offsets, index, sums)`` of the values of each class of each case; equal values in any order give the same double."""
    cell = case.astype(np.int64) * n_classes + index
    order = np.lexsort((value, cell))
    cell = cell[order]
    first = np.flatnonzero(np.append(True, cell[1:] != cell[:-1])[: len(cell)])
    row, column = np.divmod(cell[first], n_classes)
    sums = np.add.reduceat(value[order], first) if len(first) else np.empty(0)
    offsets = np.append(0, np.cumsum(np.bincount(row, minlength=n_cases))).astype(np.int64)
    return offsets, column.astype(np.int32), sums
