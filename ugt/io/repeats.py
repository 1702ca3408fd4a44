"""Rows that repeat an annotator's label or rating of a case: rejected, left out or counted."""

from __future__ import annotations

from dataclasses import replace
from typing import Any, Callable

import numpy as np

from .._base import identifiers
from .._base.arrays import NDArray
from .._base.checks import error
from .._base.notes import Note
from .._base.notices import note
from .._base.ragged import offsets_of, row_of
from .._base.wording import Text, arg
from .._core import _tables
from ..annotations import Labels, Ratings

DUPLICATES = ("error", "first", "count")

# From whether rows are equal: what to do if they differ by another column, else "".
Way = Callable[[bool], str]


def no_way(equal: bool) -> str:
    """Return nothing, as for files without other columns."""
    return ""


def once(given: Labels | Ratings, duplicates: str, way: Way = no_way) -> Any:
    """Return annotations with repeated labels of one annotator for a case left out or counted, or reject them; note different labels."""
    if len(given.annotators) == 0 or _tables.find_repeat(given.offsets, given.annotator, len(given.annotators)) < 0:
        return given
    cases, what = (given.axes.case_ids, "label") if isinstance(given, Labels) else (given.case_ids, "value")
    case = row_of(given.offsets).astype(np.int32)
    pair, first_pair = identifiers.factorize(np.stack([case, given.annotator], axis=1))
    code, first = identifiers.factorize(np.stack([pair, identifiers.factorize(getattr(given, what))[0]], axis=1))

    def where(j: Any) -> str:
        return f"case {identifiers.name(cases[case[j]])}, annotator {identifiers.name(given.annotators[given.annotator[j]])}"

    n_different = np.bincount(pair[first], minlength=len(first_pair))
    if (n_different > 1).any():
        at, n = where(first_pair[np.argmax(n_different > 1)]), int((n_different > 1).sum())
        also = " (" + as_words(advice) + ")" if (advice := way(False)) else ""
        times = "once" if n == 1 else f"{n:,} times, first"
        words = "An annotator gave several {what}s to one case, and each counts: {times} at {at}" + also + "."
        note(Note("several_labels", words, what=what, times=times, at=at))
    if not _repeats(code, first, what, duplicates, where, way):
        return given
    keep = np.sort(first)
    rows = {name: getattr(given, name)[keep] for name in ("annotator", what, *(["count"] if what == "label" else []))}
    return replace(given, offsets=offsets_of(np.bincount(case[keep], minlength=len(cases))), **rows)


def as_words(text: str) -> Text:
    """Return a text, which keeps its arguments, as words of a note, where braces are names of values."""
    parts = text.parts if isinstance(text, Text) else (text,)
    return Text(*(part.replace("{", "{{").replace("}", "}}") if isinstance(part, str) else part for part in parts))


def once_rows(columns: dict[str, Any], duplicates: str, way: Way = no_way) -> dict[str, Any]:
    """Return the rows of a table of counts by annotators, with repeated rows left out or counted, or reject them."""
    roles = ("case", "annotator", "label")
    code, first = identifiers.factorize(np.stack([identifiers.number(role, columns[role]).code for role in roles], axis=1))

    def where(j: Any) -> str:
        return ", ".join(f"{role} {identifiers.name(columns[role][j])}" for role in roles[:2])

    gone = _repeats(code, first, "label", duplicates, where, way)
    return {role: column[np.sort(first)] for role, column in columns.items()} if gone else columns


def _repeats(code: NDArray[Any], first: NDArray[Any], what: str, duplicates: str, where: identifiers.Where, way: Way) -> bool:
    """Return whether repeated rows are to be left out, with a note on them, or reject them."""
    n = len(code) - len(first)
    if n and duplicates == "error":
        ways = arg("duplicates", "first") + " counts them once, " + arg("duplicates", "count") + " every time"
        ways = advice + "; else " + ways if (advice := way(True)) else ways
        where_first = where(identifiers.repeated(code, first))
        raise error("rows", f"not repeat a case, annotator and {what}", f"{n:,} repeated", where_first, way=ways)
    if n:
        counted = "counted once" if duplicates == "first" else "counted every time"
        words = "Rows that repeat a case, annotator and {what} were {counted}: {n:,}, first at {at}."
        note(Note("repeated_rows", words, what=what, counted=counted, n=n, at=where(identifiers.repeated(code, first))))
    return bool(n) and duplicates == "first"
