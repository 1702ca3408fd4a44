"""The intervals that a page withholds because there are too few cases or clusters; the files have them."""

from __future__ import annotations

from typing import TYPE_CHECKING

from .digest import Digest

if TYPE_CHECKING:
    from .markup import Data, Entry

# Tables of numbers of all cases, whose intervals or one-sided limits are over cases. Strata and bins have their own rule, and sections with
# the rows of metrics ask the digest.
OVER_CASES = (
    "agreement", "humans", "next_annotator", "panel_check", "calibration", "curves", "curve_scores", "class_agreement",
    "group_agreement", "true_accuracy", "sources_of_spread", "limits", "strictness", "cuts",
)  # fmt: skip


def withheld(source: Data) -> Data:
    """Return an evaluation without the intervals over cases that are not shown; the same if there are enough cases."""
    if not Digest(source).withheld:
        return source
    return {**source, **{name: [_bare(row) for row in source[name]] for name in OVER_CASES if source.get(name)}}


def _bare(row: Entry) -> Entry:
    """Return a row without the ends of its intervals, except those over draws."""
    if row.get("source") == "draws":
        return row
    return {name: None if _is_end(name, row) else value for name, value in row.items()}


def _is_end(column: str, row: Entry) -> bool:
    """Return whether a column is an end of an interval, or a one-sided limit, but not one of two bounds."""
    limit = column in ("low", "high") or (column == "upper" and "lower" not in row)
    return limit or (column.endswith(("_low", "_high", "_upper")) and not column.startswith("draw_"))
