"""Agreement of ratings on a real scale: intraclass correlations and alpha."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from .._base import notices
from .._base.notes import Note, of_codes
from ..agreement import agreement_table
from ..agreement.overviews import AgreementRow
from .context import Ask, Made

if TYPE_CHECKING:
    from .context import Context

TABLES = {"agreement": AgreementRow}


def make(context: Context, notes: list[Note]) -> Made:
    """Return a row for each coefficient; empty if no case has two ratings."""
    ratings = context.known.ratings
    if np.diff(ratings.offsets).max(initial=0) < 2:
        return {}
    with notices.heard() as said:  # undefined coefficients give a reason
        found = agreement_table(ratings)
    notes += of_codes(said, "repeated_ratings", "sizes_go_with_disagreement")
    drawn = yield [Ask(one, context.options.n_resamples) for one in found.found]
    ends = np.array([context.intervals(one.take(0))[0] for one in drawn])
    ends[[one.reason is not None for one in found.found]] = np.nan
    return {"agreement": found.rows_of(ends, context.options.level, context.clusters)}
