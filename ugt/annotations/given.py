"""Notes on annotations and predictions as they were given: without names, with an order, with several labels."""

from __future__ import annotations

from .._base import identifiers
from .._base.axes import Axes
from .._base.grades import order_said
from .._base.names import listed
from .._base.notes import Note
from .._base.wording import arg


def position_note(axes: Axes, of: str) -> Note:
    """Return the note that scores without case ids were joined by position."""
    ends = {1: axes.case_ids[0], axes.n_cases: axes.case_ids[-1]}
    rows = ", ".join(f"row {row} is case {identifiers.name(case)}" for row, case in ends.items())
    return Note("joined_by_position", "{of} came without case ids and were joined by position: {rows}.", of=of, rows=rows)


def columns_note(axes: Axes, of: str, ordered: bool) -> Note | None:
    """Return the note that columns without names were read in the order of the classes; None if that order is beyond doubt.

    It is in doubt for grades, and for classes that are texts in alphabetical order, which is that of the labels if no other was given.
    """
    names = axes.classes
    if ordered:
        words = "The columns of {of} have no names: they were taken for the grades {order}."
        return Note("unnamed_columns", words, of=of, order=order_said(names))
    if len(names) < 2 or not identifiers.is_text(names) or names.tolist() != sorted(names.tolist()):
        return None
    words = (
        "The columns of {of} have no names: they were read in the order {order} (if it is another one, name the columns, or give the "
        "classes of the annotations in that order: " + arg("classes", ...) + ")."
    )
    return Note("unnamed_columns", words, of=of, order=listed(map(str, names.tolist())))


def categories_note(axes: Axes) -> Note:
    """Return the note that the order of categories was taken as that of grades."""
    words = "Read the ordered categories as grades, in the order {order} (if they have none: " + arg("classes", ...) + ")."
    return Note("ordered_categories", words, order=order_said(axes.classes))


def several_note(more: int, at: str) -> Note:
    """Return the note that an annotator gave a case several labels; ``at``: the first place."""
    return Note(
        "several_labels", "An annotator gave several labels to one case, and each counts: {more:,} more, first at {at}.", more=more, at=at
    )
