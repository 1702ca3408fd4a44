"""The authors' texts for a page: title, names, notes, nouns for cases and annotators, and whether appendices are open."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any, Callable, NamedTuple

from .._base import checks
from .plan import check_plan

if TYPE_CHECKING:
    from ..tables.source import ReportSource

MOST_TITLE, MOST_NOTE = 200, 400  # characters
APPENDICES = ("folded", "open")


class Wording(NamedTuple):
    """What the authors say, and their nouns."""

    title: str | None = None
    authors: str | None = None
    note: Sequence[str] = ()
    unit: str = "case"
    annotators_are: str = "annotator"
    appendices: str = APPENDICES[0]


FIELDS = Wording._fields
_NOUN = re.compile(r"[^\W\d_][^\W_]*(?:[ -][^\W\d_][^\W_]*){0,2}")
# Names of files and of columns must stay, as they are not prose.
_PROSE = re.compile(r"\b(?:([Aa])n? )?(cases?|annotators?)\b(?![\w./]*\.csv|_|=)", re.IGNORECASE)


def check(given: Mapping[str, Any] | None, plan: Mapping[str, Any] | None = None) -> dict[str, Any]:
    """Return the stated fields, from the plan if they are not given; ``note`` becomes a list.

    Raises
    ------
    ValueError
        If a field is unknown, a title or a note is too long, a noun is not one in the singular, or appendices are neither folded nor open.
    """
    if given is not None and not isinstance(given, Mapping):
        raise checks.error("report", f"be a mapping with the fields {', '.join(FIELDS)}", type(given).__name__)
    for name in given or ():
        if name not in FIELDS:
            raise checks.error("report", f"have the fields {', '.join(FIELDS)} only", repr(name)[:80])
    found = check_plan({**{name: value for name, value in (plan or {}).items() if name in FIELDS}, **(given or {})})
    return {name: _CHECKS[name](name, found[name]) for name in FIELDS if name in found}


def _text(name: str, value: Any) -> str:
    if not isinstance(value, str):
        raise checks.error(name, "be a text", type(value).__name__)
    return value


def _title(name: str, value: Any) -> str:
    if len(_text(name, value)) > MOST_TITLE:
        raise checks.error(name, f"be a text of at most {MOST_TITLE} characters", len(value))
    return str(value)


def _noun(name: str, value: Any) -> str:
    if not _NOUN.fullmatch(_text(name, value)) or _is_plural(str(value)):
        raise checks.error(name, "be a noun in the singular, such as image or reader", repr(value))
    return str(value)


def _is_plural(noun: str) -> bool:
    """Return whether a noun has the ending of a plural, such as images; glass, corpus and diagnosis are singular."""
    return noun.endswith("s") and not noun.endswith(("ss", "us", "is"))


def _notes(name: str, value: Any) -> list[str]:
    """Return one or several notes as a list."""
    notes = value if isinstance(value, list) else [value]
    for i, note in enumerate(notes):
        if not isinstance(note, str) or len(note) > MOST_NOTE:
            got = f"{len(note):,} characters" if isinstance(note, str) else type(note).__name__
            raise checks.error(f"{name}[{i}]", f"be a text of at most {MOST_NOTE} characters", got)
    return notes


def _folding(name: str, value: Any) -> str:
    return str(checks.option(name, _text(name, value), APPENDICES))


# What checks each field, and returns its value.
_CHECKS: dict[str, Callable[[str, Any], Any]] = {
    "title": _title, "authors": _text, "note": _notes, "unit": _noun, "annotators_are": _noun, "appendices": _folding,
}  # fmt: skip


def said(source: ReportSource) -> Wording:
    """Return what the authors of an evaluation say."""
    return Wording(**source.provenance.report)


def nouns(source: ReportSource) -> Callable[[str], str]:
    """Return a function that puts the authors' nouns for cases and annotators into words of ours."""
    own = {"case": said(source).unit, "annotator": said(source).annotators_are}

    def replaced(match: re.Match[str]) -> str:
        article, word = match.groups()
        plural = word.lower().endswith("s")
        noun = own[word.lower().rstrip("s")]
        noun = _plural(noun) if plural else noun
        noun = noun[0].upper() + noun[1:] if word[0].isupper() else noun
        return noun if article is None else f"{article}{'n' if noun[0].lower() in 'aeiou' else ''} {noun}"

    return str if own == {"case": "case", "annotator": "annotator"} else lambda words: _PROSE.sub(replaced, words)


def _plural(noun: str) -> str:
    if re.search("[^aeiou]y$", noun):
        return noun[:-1] + "ies"
    return noun + ("es" if re.search("(s|x|z|ch|sh)$", noun) else "s")
