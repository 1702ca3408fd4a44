"""The cases, least certain first."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from ..._base.counts import counted
from ..._base.ragged import offsets_of, row_of, sizes_of
from ...annotations.first_choices import first_choices
from ...resampling import distinct_rows
from ...tables.rows import CERTAINTY, ResultTable, finite, reliability_key
from ..digest import SETTLED, Digest, shown
from ..digits import Digits
from ..markup import NONE, Data, Section, count, finding
from ..rows import plain_table

if TYPE_CHECKING:
    from ..._base.arrays import Array, Int64
    from ...plausibilities import Point
    from ...tables.context import Context
    from ...tables.rows import Row

TABLES = {
    "cases": ("case", "n_annotations", "voted", "mean_certainty"),  # and certainty_ under each reliability
    "unanimous_cases": ("reliability", "n_annotations", "certainty", "n_cases"),
}
MOST_ROWS = 10


def make(context: Context, notes: list[str]) -> dict[str, Any]:
    """Return the judged cases, least certain first, undefined ones last; and what equal annotations leave open."""
    known, certainty = context.known, context.case_certainty
    mean = np.mean(np.stack(list(certainty.values())), 0)
    order = np.argsort(np.where(np.isnan(mean), np.inf, mean), kind="stable")
    rows = known.rows[order]
    return {
        "cases": ResultTable({
            "case": [str(case) for case in known.axes.case_ids[rows].tolist()],
            "n_annotations": [None] * len(rows) if known.n_annotations is None else known.n_annotations[rows].tolist(),
            "voted": _best_classes(context.voted, order),
            **{f"{CERTAINTY}{name}": _listed(values[order]) for name, values in certainty.items()},
            "mean_certainty": _listed(mean[order]),
        }),
        "unanimous_cases": _unanimous(context) if context.details else (),
    }  # fmt: skip


def _listed(values: Array) -> list[float]:
    """Return numbers as a list; equal ones are one object if there are few different ones, which saves most of the memory."""
    found = distinct_rows(values)
    return list(values.tolist() if found is None else np.array(values[found[0]].tolist(), object)[found[1]])


def _unanimous(context: Context) -> list[Row]:
    """Return the median certainty of the cases whose several annotations have one first class; of the commonest number of annotations."""
    known = context.known.annotations
    if known is None or context.known.n_annotations is None:
        return []
    said, size = first_choices(known), context.known.n_annotations
    low, high = np.full(len(size), np.iinfo(np.int64).max), np.full(len(size), -1)
    np.minimum.at(low, said.case, said.label)
    np.maximum.at(high, said.case, said.label)
    same = ((low == high) & (size > 1))[context.known.rows]
    if not same.any():
        return []
    sizes = size[context.known.rows]
    commonest = int(np.bincount(sizes[same]).argmax())
    here = same & (sizes == commonest)
    values = {row["reliability"]: context.case_certainty[reliability_key(row["reliability"])] for row in context.certainty}
    return [
        {"reliability": r, "n_annotations": commonest, "certainty": finite(np.median(column[here])), "n_cases": int(here.sum())}
        for r, column in values.items()
    ]


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


# ---- the page


def render(source: Data) -> Section | None:
    """Return the cases whose truth is least certain; None if every truth is settled."""
    digest, cases = Digest(source), source["cases"]
    main = f"{CERTAINTY}{reliability_key(digest.main)}"
    of_reliability = [name for name in next(iter(cases), ()) if name.startswith(CERTAINTY)]
    open_ = [e for e in cases if e.get(main) is not None and e[main] < SETTLED]
    if not open_:
        return None
    digits, rows = Digits(0), []
    for e in open_[:MOST_ROWS]:
        every = [e[name] for name in of_reliability if e[name] is not None]
        ends = f"{digits.value(min(every))} to {digits.value(max(every))}" if every else NONE
        rows.append(
            (
                shown(e["case"]),
                [NONE if e["n_annotations"] is None else count(e["n_annotations"]), _voted(str(e["voted"])), digits.value(e[main]), ends],
            )
        )
    heads = ["case", "annotations", "voted label", f"certainty, %{digest.at_main}", "over all reliabilities"]
    if len(of_reliability) < 2:
        rows, heads = [(name, cells[:-1]) for name, cells in rows], heads[:-1]
    ties = sum(" = " in str(e["voted"]) for e in open_)
    last = open_[len(rows) - 1][main]
    alike = sum(e[main] == last for e in open_[len(rows) :])
    more = f"; {count(alike)} more are as uncertain as the last one" if alike else ""
    first = "The" if len(rows) == len(open_) else f"The first {len(rows)} of"
    note = f"{first} {counted(len(open_), 'case', ('that is', 'that are'))} less than 99% certain{more}; all are in cases.csv"
    tied = f"; {count(ties)} of them {'have' if ties > 1 else 'has'} a tied vote" if ties else ""
    verb = "is" if len(open_) == 1 else "are"
    heading = f"{count(len(open_))} of {counted(len(cases), 'case')} {verb} less than 99% certain{tied}"
    how = "<p>Another annotation, or a discussion, is worth most where the certainty is lowest.</p>"
    return finding("worklist", "Cases to review", heading, how, plain_table("Cases, least certain first", note, heads, rows))


def _voted(given: str) -> str:
    classes = given.split(" = ")
    joined = ", ".join(shown(one, 16) for one in classes[:5]) + (", …" if len(classes) > 5 else "")
    return joined if len(classes) == 1 else f"{len(classes)}-way tie: {joined}"
