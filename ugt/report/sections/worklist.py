"""The cases that are least certain."""

from __future__ import annotations

from collections.abc import Sequence

from ..._base.counts import counted
from ...tables.panel import PLAIN
from ...tables.rows import reliability_key
from ...tables.source import ReportSource
from ...tables.worklist import CaseColumns
from ..digest import SETTLED, Digest, shown
from ..digits import Digits
from ..markup import NONE, Section, count, finding
from ..openness import open_row
from ..rows import plain_table

MOST_ROWS = 10
PARTS = ("kind", "open, nats")
KINDS = (
    "How the next annotator will judge a case is open for two reasons, in nats: such annotators differ (first number), and these are few "
    "(second). Further labels help most in under-annotated cases, where the second is a larger share than usual. The others are ambiguous "
    "under {model}, in which a case may be so by itself; if each case has one true class, such annotators err instead."
)


def render(source: ReportSource) -> Section | None:
    """Return the cases whose truth is least certain; None if every truth is settled."""
    digest, cases = Digest(source), source.cases
    main = cases.certainty.get(reliability_key(digest.main), ())
    open_ = [(i, certainty) for i, certainty in enumerate(main) if certainty is not None and certainty < SETTLED]
    if not open_:
        return None
    digits, rows = Digits(0), []
    for i, certainty in open_[:MOST_ROWS]:
        every = [column[i] for column in cases.certainty.values()]
        known = [one for one in every if one is not None]
        ends = f"{digits.value(min(known))} to {digits.value(max(known))}" if known else NONE
        n = cases.n_annotations[i]
        of_row = [] if cases.n_cases is None else [count(cases.n_cases[i])]
        cells = [*of_row, NONE if n is None else count(n), _voted(str(cases.voted[i])), digits.value(certainty), ends]
        rows.append((shown(cases.case[i]), cells))
    heads = [
        "case",
        *([] if cases.n_cases is None else ["cases"]),
        "annotations",
        "voted label",
        f"certainty, %{digest.at_main}",
        "over all reliabilities",
    ]
    if len(cases.certainty) < 2:
        rows, heads = [(name, cells[:-1]) for name, cells in rows], heads[:-1]
    parts = _parts(cases, [i for i, _ in open_[:MOST_ROWS]]) if open_row(digest) else None
    if parts is not None:
        rows, heads = [(name, [*cells, *more]) for (name, cells), more in zip(rows, parts)], [*heads, *PARTS]
    n_open = sum(cases.often[i] for i, _ in open_)
    ties = sum(cases.often[i] for i, _ in open_ if " = " in str(cases.voted[i]))
    _, last = open_[len(rows) - 1]
    alike = sum(certainty == last for _, certainty in open_[len(rows) :])
    more = f"; {count(alike)} more are as uncertain as the last one" if alike else ""
    first = "The" if len(rows) == len(open_) else f"The first {len(rows)} of"
    unit = "case" if cases.n_cases is None else "row"
    note = f"{first} {counted(len(open_), unit, ('that is', 'that are'))} less than 99% certain{more}; all are in cases.csv"
    tied = f"; {count(ties)} of them {'have' if ties > 1 else 'has'} a tied vote" if ties else ""
    verb = "is" if n_open == 1 else "are"
    heading = f"{count(n_open)} of {counted(sum(cases.often), 'case')} {verb} less than 99% certain{tied}"
    how = "<p>Another annotation, or a discussion, is worth most where the certainty is lowest.</p>"
    how += f"<p>{KINDS.format(model=PLAIN.get(source.provenance.aggregation, 'this truth model'))}</p>" if parts is not None else ""
    return finding("worklist", "Cases to review", heading, how, plain_table("Cases, least certain first", note, heads, rows))


def _parts(cases: CaseColumns, rows: Sequence[int]) -> list[list[str]] | None:
    """Return for each row the kind of the case and both parts of what is open; None if they are not known."""
    if cases.kind is None or cases.inherent is None or cases.annotation is None:
        return None
    digits = Digits.amount([])
    return [[cases.kind[i] or NONE, f"{digits.value(cases.inherent[i])} + {digits.value(cases.annotation[i])}"] for i in rows]


def _voted(given: str) -> str:
    classes = given.split(" = ")
    joined = ", ".join(shown(one, 16) for one in classes[:5]) + (", …" if len(classes) > 5 else "")
    return joined if len(classes) == 1 else f"{len(classes)}-way tie: {joined}"
