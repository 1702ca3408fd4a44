"""The cases that are least certain."""

from __future__ import annotations

from ..._base.counts import counted
from ...tables.rows import CERTAINTY, reliability_key
from ..digest import SETTLED, Digest, shown
from ..digits import Digits
from ..markup import NONE, Data, Section, count, finding
from ..rows import plain_table

MOST_ROWS = 10


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
