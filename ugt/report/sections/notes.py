"""The notes of the evaluation."""

from __future__ import annotations

from ...tables.source import ReportSource
from ..cautions import further
from ..digest import Digest
from ..markup import Section, bullets, section, text

TITLE = "Notes"


def render(source: ReportSource) -> Section | None:
    """Return the cautions for which the first page has no room, and the notes of the evaluation; None if there are none."""
    said = [f"<b>{one.claim}</b> {one.sentence}" for one in further(Digest(source))]
    notes = [*said, *(text(note.text) for note in source.notes)]
    return section("notes", TITLE, "What was noticed during the evaluation.", bullets(notes)) if notes else None
