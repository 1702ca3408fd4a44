"""What the evaluation wants to be known."""

from __future__ import annotations

from ..cautions import further
from ..digest import Digest
from ..markup import Data, Section, bullets, section, text

TITLE = "Notes"


def render(source: Data) -> Section | None:
    """The cautions that the first page has no room for, and the notes of the evaluation; None where there are none."""
    said = [f"<b>{one.claim}</b> {one.sentence}" for one in further(Digest(source))]
    notes = [*said, *(text(note) for note in source["notes"])]
    return section("notes", TITLE, "What was noticed during the evaluation.", bullets(notes)) if notes else None
