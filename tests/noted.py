"""Notes in tests: as sentences, and as they stand in the JSON of evaluations and commands."""

from contextlib import contextmanager

from ugt._base import notices
from ugt._base.notes import Note


def noted(code, text):
    """A note as it stands in JSON."""
    return Note(code, "{text}", text=text).to_dict()


def texts(found, part="notes"):
    """The sentences of the notes of what a command or an evaluation wrote."""
    return [note["text"] for note in found[part]]


@contextmanager
def heard():
    """A list that holds the sentences of the warnings after the block."""
    said = []
    try:
        with notices.heard() as notes:
            yield said
    finally:
        said += map(str, notes)
