"""Annotators who are the same in all parts, and cases as sparse tables about them."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from .. import _ids
from .._checks import error, room
from .._discrepancy.input import Compared, as_annotations, compare
from .._ragged import offsets_of
from .discrepancies import _described
from .kind import plain
from .part import Rows

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Array = NDArray[np.float64]


class Same(NamedTuple):
    """The annotators of all parts, ascending, and which of them (A',) those of this part are."""

    names: list[Any]
    at: NDArray[Any]

    @classmethod
    def of(cls, known: NDArray[Any], annotators: Any, any_labels: bool) -> Same:
        """Of those that the data name; ``annotators``: of all parts, where that says who they are."""
        if annotators is None:
            if len(known) == 0 and not any_labels:
                raise error("annotators", "be given for a part without labels", None)
            names = np.sort(known)
        else:
            names = np.sort(_ids.distinct("annotators", annotators))
        at = _ids.lookup(names, known) if len(known) else np.empty(0, np.int32)
        if (at < 0).any():
            raise error("annotators", "name all annotators of every part", f"not {_ids.name(known[int(np.argmax(at < 0))])}")
        return cls(plain(names), at)

    @property
    def n(self) -> int:
        """How many."""
        return len(self.names)

    def spread(self, table: Array, others: Array | None = None) -> Array:
        """(N, A) of (N, A'): NaN, or (N,) others, for those who are not in this part."""
        found = np.full((len(table), self.n), np.nan)
        if others is not None:
            found[:] = others[:, None]
        found[:, self.at] = table
        return found


def options_of(metric: str, given: Mapping[str, Any], defaults: Mapping[str, Any]) -> dict[str, Any]:
    """The options, all of them."""
    unknown = [name for name in given if name not in defaults]
    if unknown:
        raise TypeError(f"{metric} in parts knows no option {unknown[0]!r}")
    return {**defaults, **given}


def settings_of(options: Mapping[str, Any], same: Same) -> dict[str, Any]:
    """What states must have alike."""
    described = _described({name: one for name, one in options.items() if name not in ("annotators", "predictions")})
    return {"options": described, "annotators": same.names}


def compared_of(annotations: Any, models: Mapping[str, Any], options: Mapping[str, Any], why: str) -> tuple[Compared, Same]:
    """Annotations joined with predictions, and who gave them."""
    distance, values = options["distance"], options["values"]
    held = as_annotations(annotations, list(models.values()), distance, values)
    some = bool(held.offsets[-1] > 0)
    compared = compare(held, models, distance, values, options["missing"], known=why if some else "")
    return compared, Same.of(compared.annotators, options["annotators"], some)


def in_columns(same: Same, tables: list[Array]) -> Array:
    """(N, T A) of T tables (N, A'), 0 where they are NaN, and for those who are not in this part."""
    room("what each case adds for each annotator", 8.0 * len(tables) * len(tables[0]) * same.n)
    return zeros(np.concatenate([same.spread(table) for table in tables], axis=1))


def zeros(table: Array) -> Array:
    """0 in the place of NaN."""
    return np.where(np.isnan(table), 0.0, table)


def sparse_rows(case: NDArray[Any], index: NDArray[Any], amount: Array, n_cases: int, shape: tuple[int, ...]) -> Rows:
    """What cases add to a table, from entries in any order."""
    order = np.argsort(case, kind="stable")
    offsets = offsets_of(np.bincount(case, minlength=n_cases))
    return Rows(offsets, np.asarray(index)[order], np.asarray(amount, np.float64)[order], shape)


def mean_of(table: Array) -> Array:
    """(B,) over the last axes of those that are defined; NaN where none is."""
    flat = table.reshape(len(table), -1)
    defined = ~np.isnan(flat)
    with np.errstate(invalid="ignore"):
        return np.asarray(np.where(defined, flat, 0.0).sum(axis=1) / defined.sum(axis=1))


def over(above: Array, below: Array) -> Array:
    """The quotient, NaN for 0 / 0."""
    with np.errstate(invalid="ignore", divide="ignore"):
        return np.asarray(above / below)
