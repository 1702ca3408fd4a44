"""The cases, least certain first."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, ClassVar, NamedTuple

import numpy as np

from .._base.checks import error
from .._base.notes import Note
from .._base.ragged import offsets_of, row_of, sizes_of
from ..annotations.first_choices import first_choices
from ..resampling import distinct_rows
from ..resampling.frequencies import median
from .rows import CERTAINTY, Number, ResultTable, finite, reliability_key

if TYPE_CHECKING:
    from .._base.arrays import Array, Int64
    from ..plausibilities import Point
    from .context import Context, Rows


OPTIONAL = ("least_error", "kind", "inherent", "annotation", "n_cases")  # columns that not all evaluations have


@dataclass(frozen=True, eq=False)
class CaseColumns:
    """The cases as columns: how many annotations, the voted class or mean rating, certainties in [0, 1] by the key of the reliability.

    At the middle reliability: whether a case is ambiguous or under-annotated, and in nats what is open about one more label with any
    number of such annotators (inherent), and because of the annotations.
    """

    COLUMNS: ClassVar = ("case", "n_annotations", "voted", "mean_certainty")  # and certainty_ under each reliability, or least_error

    case: Sequence[str]
    n_annotations: Sequence[int | None]
    voted: Sequence[Any]
    mean_certainty: Sequence[Number]
    certainty: Mapping[str, Sequence[Number]] = field(default_factory=dict)
    least_error: Sequence[Number] | None = None  # of ratings
    kind: Sequence[str] | None = None  # None with those of the parts, if these are not in closed form
    inherent: Sequence[Number] | None = None
    annotation: Sequence[Number] | None = None
    n_cases: Sequence[int] | None = None  # how many equal cases each row stands for; None: one

    @property
    def often(self) -> Sequence[int]:
        """How many equal cases each row stands for."""
        return [1] * len(self.case) if self.n_cases is None else self.n_cases

    @classmethod
    def of(cls, rows: Sequence[Mapping[str, Any]]) -> CaseColumns:
        """Return the columns of rows of plain values."""
        columns = {name: [row[name] for row in rows] for name in (rows[0] if rows else cls.COLUMNS)}
        certainty = {name[len(CERTAINTY) :]: columns.pop(name) for name in [*columns] if name.startswith(CERTAINTY)}
        if not {*cls.COLUMNS} <= {*columns} <= {*cls.COLUMNS, *OPTIONAL}:
            raise error("evaluation", f"have cases with the columns {', '.join(cls.COLUMNS)}", ", ".join(columns)[:80])
        return cls(**columns, certainty=certainty)

    def table(self) -> ResultTable:
        """Return the table of these columns."""
        values = {"case": self.case, "n_annotations": self.n_annotations, "voted": self.voted}
        values.update({f"{CERTAINTY}{name}": column for name, column in self.certainty.items()})
        values.update({name: column for name in OPTIONAL if (column := getattr(self, name)) is not None})
        return ResultTable({**values, "mean_certainty": self.mean_certainty})


class UnanimousRow(NamedTuple):
    """The median certainty of the cases whose annotations, a number of them, have one first class; in [0, 1]."""

    reliability: Number
    n_annotations: int
    certainty: Number
    n_cases: int


TABLES = {"cases": CaseColumns, "unanimous_cases": UnanimousRow}


def make(context: Context, notes: list[Note]) -> Rows:
    """Return the judged cases, least certain first, undefined ones last; and what equal annotations leave open."""
    known, certainty, times = context.known, context.case_certainty, context.times
    mean = np.mean(np.stack(list(certainty.values())), 0)
    order = np.argsort(np.where(np.isnan(mean), np.inf, mean), kind="stable")
    rows = known.rows[order]
    return {
        "cases": CaseColumns(
            [str(case) for case in known.axes.case_ids[rows].tolist()],
            [None] * len(rows) if known.n_annotations is None else known.n_annotations[rows].tolist(),
            _best_classes(context.voted, order), _listed(mean[order]),
            {name: _listed(values[order]) for name, values in certainty.items()}, **_parts(context, order),
            n_cases=None if times is None else times[order].astype(np.int64).tolist(),
        ).table(),
        "unanimous_cases": _unanimous(context) if context.details else (),
    }  # fmt: skip


def _parts(context: Context, order: Int64) -> dict[str, Any]:
    """Return the columns of what is open about one more label at the middle reliability; none if parts are not in closed form."""
    found = context.parts.get(context.reliability)
    if found is None:
        return {}
    each = found.inherent_per_case, found.annotation_per_case
    return {"kind": found.kinds()[order].tolist(), **{name: _listed(part[order]) for name, part in zip(OPTIONAL[2:4], each)}}


def _listed(values: Array) -> list[float]:
    """Return numbers as a list; equal ones are one object if there are few different ones, which saves most of the memory."""
    found = distinct_rows(values)
    return list(values.tolist() if found is None else np.array(values[found[0]].tolist(), object)[found[1]])


def _unanimous(context: Context) -> list[UnanimousRow]:
    """Return the median certainty of the cases whose several annotations have one first class; of the commonest number of annotations."""
    known = context.known.annotations
    if known is None or context.known.n_annotations is None:
        return []
    said, size = first_choices(known), context.known.n_annotations
    low, high = np.full(len(size), np.iinfo(np.int64).max), np.full(len(size), -1)
    np.minimum.at(low, said.case, said.label)
    np.maximum.at(high, said.case, said.label)
    same, times = ((low == high) & (size > 1))[context.known.rows], context.times
    if not same.any():
        return []
    sizes = size[context.known.rows]
    commonest = int(np.bincount(sizes[same], None if times is None else times[same]).argmax())
    here = same & (sizes == commonest)
    own = None if times is None else times[here]
    values = {row.reliability: context.case_certainty[reliability_key(row.reliability)] for row in context.certainty}
    return [UnanimousRow(r, commonest, finite(median(column[here], own)), context.number(here)) for r, column in values.items()]


def _best_classes(voted: Point, cases: Int64) -> list[str]:
    """Return the voted class of each case; tied classes are joined by " = "."""
    names = np.array([str(name) for name in voted.axes.classes.tolist()], object)
    top, rows = np.full(voted.n_cases, -np.inf), np.flatnonzero(sizes_of(voted.offsets))
    if len(rows):
        top[rows] = np.maximum.reduceat(voted.value, voted.offsets[rows])
    row = row_of(voted.offsets)
    best = np.flatnonzero(voted.value == top[row])
    ends = offsets_of(np.bincount(row[best], minlength=voted.n_cases))
    found = np.full(voted.n_cases, "", object)
    alone = sizes_of(ends) == 1
    found[alone] = names[voted.index[best[ends[:-1][alone]]]]
    for i in np.flatnonzero(sizes_of(ends) > 1).tolist():
        found[i] = " = ".join(names[voted.index[best[ends[i] : ends[i + 1]]]])
    return list(found[cases])
