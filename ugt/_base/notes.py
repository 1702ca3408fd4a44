"""Facts that a reader must know, each with a code: code asks for the code, people read the sentence."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from string import Formatter
from typing import Any

from .checks import error
from .wording import Text

FORM = Formatter()
CODE = re.compile(r"[a-z]+(?:_[a-z]+)*")


@dataclass(frozen=True, init=False)
class Note:
    """A fact that a reader must know.

    Parameters
    ----------
    code : str
        What it is: small letters and underscores. Whatever depends on a note asks for its code, never for its words.
    words : str
        The sentence, with the names of values in braces, as in :meth:`str.format`. Where it names an argument, it has an
        :func:`~ugt._base.wording.arg`, which the text keeps.
    **values
        The numbers and names in the sentence, plain values: texts, numbers, None.

    Attributes
    ----------
    code : str
    text : str
        The sentence, also ``str(note)``.
    values : mapping
    words : str

    Examples
    --------
    >>> note = Note("few_clusters", "Intervals are over {n} clusters.", n=7)
    >>> print(note)
    Intervals are over 7 clusters.
    >>> note.code, note.values
    ('few_clusters', {'n': 7})
    """

    code: str
    text: str
    values: Mapping[str, Any] = field(compare=False, repr=False)
    words: str = field(compare=False, repr=False)

    def __init__(self, code: str, words: str, /, **values: Any) -> None:
        if not CODE.fullmatch(code):
            raise error("code", "be small letters and underscores", repr(code))
        for name, value in (("code", code), ("text", _filled(words, values)), ("values", values), ("words", words)):
            object.__setattr__(self, name, value)

    def __str__(self) -> str:
        return self.text

    def with_text(self, text: str) -> Note:
        """Return the same fact as another sentence."""
        return self.of_dict({"code": self.code, "values": self.values, "text": text})

    def to_dict(self) -> dict[str, Any]:
        """Return code, values and text, as in the JSON of an evaluation."""
        return {"code": self.code, "values": dict(self.values), "text": self.text}

    @classmethod
    def of_dict(cls, found: Mapping[str, Any]) -> Note:
        """Return the note of what :meth:`to_dict` returns."""
        code, values, text = (found[name] for name in ("code", "values", "text"))
        note = cls(code, "{text}", text=text)
        object.__setattr__(note, "values", dict(values))
        return note


def _filled(words: str, values: Mapping[str, Any]) -> Text:
    """Return the sentence with its values; arguments that it names stay parts of it."""
    found: list[object] = []
    for part in words.parts if isinstance(words, Text) else (words,):
        if not isinstance(part, str):
            found.append(part)
            continue
        for literal, name, form, conversion in FORM.parse(part):
            found.append(literal)
            if name is not None:
                value = values[name]
                found.append(value if isinstance(value, Text) else FORM.format_field(FORM.convert_field(value, conversion), form or ""))
    return Text(*found)


def noted(message: str | Note) -> Note:
    """Return a message of a computation as a note; one that has no code of its own is a ``warning``."""
    return message if isinstance(message, Note) else Note("warning", "{text}", text=message)


def notes_of(found: Mapping[str, Any]) -> list[Note]:
    """Return the notes of the plain values of an evaluation."""
    return [Note.of_dict(one) for one in found["notes"]]


def of_codes(notes: Iterable[Note], *codes: str) -> list[Note]:
    """Return the notes with one of these codes."""
    return [note for note in notes if note.code in codes]
