"""The data that were evaluated, and the cases left out."""

from __future__ import annotations

from ...tables.source import DataFacts, ReportSource
from ..markup import Section, count, definitions, section, table, text

TITLE = "Data"


def render(source: ReportSource) -> Section:
    """Return the section on the data that were evaluated, and the cases left out."""
    facts = source.data
    listed = [
        ("Kind", text(facts.kind)),
        ("Cases", count(facts.n_cases)),
        *([("Rows, each with its number of cases", count(facts.n_rows))] if facts.n_rows is not None else ()),
        *([("Grades" if facts.ordered else "Classes", count(facts.n_classes))] if facts.n_classes else ()),
        *_annotation_facts(facts),
        *([("Models", ", ".join(map(text, source.models)))] if source.models else ()),
    ]
    left_out = source.left_out
    omitted = table("Left out", ["reason", "cases"], [[text(reason), count(n)] for reason, n in left_out.items()]) if left_out else ""
    how = "Cases without what a number needs are left out of that number and counted."
    return section("data", TITLE, how, definitions(listed), omitted)


def _annotation_facts(facts: DataFacts) -> list[tuple[str, str]]:
    """Return facts about annotations, which given plausibilities do not have."""
    spread = facts.annotations_per_case
    if spread is None:
        return []
    more = " each" if spread.min == spread.max else f" to {spread.max:g}, median {spread.median:g}"
    return [
        *([("Classes never named", count(facts.n_unused_classes))] if facts.n_classes else ()),
        ("Annotators", count(facts.n_annotators)),
        ("Annotations", count(facts.n_annotations)),
        ("Annotations per case", f"{spread.min:g}{more}"),
    ]
