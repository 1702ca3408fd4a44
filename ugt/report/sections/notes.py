"""What the evaluation wants to be known."""

from __future__ import annotations

from ..markup import Data, Section, bullets, section, text


def render(source: Data) -> Section:
    """What the evaluation wants to be known."""
    how = "What was noticed on the way; “undefined” in a table has its reason here or under Data."
    return section("notes", "Notes", how, bullets(map(text, source["notes"])) if source["notes"] else "<p>Nothing to note.</p>")
