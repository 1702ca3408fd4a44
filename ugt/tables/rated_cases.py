"""The cases of ratings on a real scale, with their mean rating and what the annotations leave open."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from .._base.notes import Note
from .worklist import CaseColumns

if TYPE_CHECKING:
    from .context import Context
    from .rows import ResultTable

TABLES = {"cases": CaseColumns}


def make(context: Context, notes: list[Note]) -> dict[str, ResultTable]:
    """Return the judged cases, those with the largest least error first: there, any prediction is expected to be far from a new rating."""
    known, graded = context.known, context.graded
    assert graded is not None
    least = graded.least[context.reliability]
    order = np.argsort(np.where(np.isnan(least), -np.inf, -least), kind="stable")
    rows, means = known.rows[order], context.voted[order]
    assert known.n_annotations is not None
    return {
        "cases": CaseColumns(
            [str(case) for case in known.axes.case_ids[rows].tolist()], known.n_annotations[rows].tolist(),
            [None if np.isnan(mean) else float(mean) for mean in means], [None] * len(rows),
            least_error=[None if np.isnan(value) else float(value) for value in least[order]],
        ).table()
    }  # fmt: skip
