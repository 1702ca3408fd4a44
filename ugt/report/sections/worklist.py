"""The cases, least certain first."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from .. import words
from ..markup import Data, Section, count, number, section, table, text
from ..tables import CERTAINTY, ResultTable

if TYPE_CHECKING:
    from ...plausibilities import Point
    from ..context import Context

TITLE = "Worklist"
TABLES = {"cases": ("case", "n_annotations", "voted", "mean_certainty")}  # and certainty_ under each reliability
MOST_ROWS = 100


def make(context: Context, notes: list[str]) -> dict[str, ResultTable]:
    """The judged cases, least certain first, undefined last."""
    known, certainty = context.known, context.case_certainty
    mean = np.mean(np.stack(list(certainty.values())), 0)
    order = np.argsort(np.where(np.isnan(mean), np.inf, mean), kind="stable")
    rows = known.rows[order]
    return {
        "cases": ResultTable({
            "case": [str(case) for case in known.axes.case_ids[rows].tolist()],
            "n_annotations": [None] * len(rows) if known.n_annotations is None else known.n_annotations[rows].tolist(),
            "voted": _best_classes(context.voted, order.tolist()),
            **{f"{CERTAINTY}{name}": values[order].tolist() for name, values in certainty.items()},
            "mean_certainty": mean[order].tolist(),
        })
    }  # fmt: skip


def _best_classes(voted: Point, cases: list[int]) -> list[str]:
    """The voted class of each case; tied ones joined by " = "."""
    names, offsets = [str(name) for name in voted.axes.classes.tolist()], voted.offsets.tolist()
    index, value = voted.index.tolist(), voted.value.tolist()
    found = []
    for i in cases:
        begin, end = offsets[i], offsets[i + 1]
        top = max(value[begin:end], default=None)
        found.append(" = ".join(names[index[j]] for j in range(begin, end) if value[j] == top))
    return found


# ---- the page


def render(source: Data) -> Section:
    """The cases, least certain first."""
    cases = source["cases"]
    of_reliability = [name for name in next(iter(cases), ()) if name.startswith(CERTAINTY)]
    rows = [
        [text(e["case"]), count(e["n_annotations"]), text(e["voted"]), *(number(e[name]) for name in (*of_reliability, "mean_certainty"))]
        for e in cases[:MOST_ROWS]
    ]
    certainties = (f"certainty, {words.key_name(name[len(CERTAINTY) :])}" for name in of_reliability)
    headings = ["case", "annotations", "voted label", *certainties, "mean certainty"]
    how = "The cases whose truth is least certain stand first: another annotation, or a discussion, is worth most there."
    more = f"<p>{count(min(len(cases), MOST_ROWS))} of {count(len(cases))} cases are shown; the file cases.csv has all of them.</p>"
    return section("worklist", TITLE, how, more, table("Cases, least certain first", headings, rows))
