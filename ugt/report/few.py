"""The intervals that a page withholds because there are too few cases or clusters; the files have them."""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING, NamedTuple

from ..tables.rows import Row, columns_of
from .digest import Digest

if TYPE_CHECKING:
    from ..tables.source import ReportSource

# Tables of numbers of all cases, whose intervals or one-sided limits are over cases. Strata and bins have their own rule, and sections with
# the rows of metrics ask the digest.
OVER_CASES = (
    "agreement", "humans", "next_annotator", "panel_check", "calibration", "curves", "curve_scores", "class_agreement",
    "group_agreement", "true_accuracy", "latent_class", "sources_of_spread", "limits", "strictness", "cuts",
)  # fmt: skip


def withheld(source: ReportSource) -> ReportSource:
    """Return an evaluation without the intervals over cases that are not shown; the same if there are enough cases."""
    if not Digest(source).withheld:
        return source
    return source.with_tables({name: [_bare(row) for row in source.tables[name]] for name in OVER_CASES if name in source.tables})


def _bare(row: Row) -> Row:
    """Return a row without the ends of its intervals, except those over draws."""
    return row if getattr(row, "source", "") == "draws" else row._replace(**dict.fromkeys(_ends_of(type(row))))


@cache
def _ends_of(kind: type[NamedTuple]) -> tuple[str, ...]:
    """Return the columns that are ends of intervals, or one-sided limits, but not one of two bounds."""
    columns = columns_of(kind)
    limits = ("low", "high") if "lower" in columns else ("low", "high", "upper")
    ends = ("_low", "_high", "_upper")
    return tuple(name for name in columns if name in limits or (name.endswith(ends) and not name.startswith("draw_")))
