"""Notes on predictions without names, which were joined by position."""

from __future__ import annotations

from .._base import identifiers
from .._base.axes import Axes
from .._base.grades import order_said
from .._base.names import listed


def position_note(axes: Axes, of: str) -> str:
    """Return the note that scores without case ids were joined by position."""
    ends = {1: axes.case_ids[0], axes.n_cases: axes.case_ids[-1]}
    rows = ", ".join(f"row {row} is case {identifiers.name(case)}" for row, case in ends.items())
    return f"{of} came without case ids and were joined by position: {rows}."


def columns_note(axes: Axes, of: str, ordered: bool) -> str:
    """Return the note that columns without names were read in the order of the classes; "" if that order is beyond doubt.

    It is in doubt for grades, and for classes that are texts in alphabetical order, which is that of the labels if no other was given.
    """
    names = axes.classes
    if ordered:
        return f"The columns of {of} have no names: they were taken for the grades {order_said(names)}."
    if len(names) < 2 or not identifiers.is_text(names) or names.tolist() != sorted(names.tolist()):
        return ""
    return (
        f"The columns of {of} have no names: they were read in the order {listed(map(str, names.tolist()))} (if it is another one, "
        "name the columns, or give the classes of the annotations in that order: classes=)."
    )
