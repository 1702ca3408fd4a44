"""Exports of surveys, which have further headings below the first: the text of the questions, and ids of their program."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Sequence
from itertools import chain, islice

from .._base.checks import error
from .._base.names import listed
from .._base.notes import Note
from .._base.notices import note
from .._base.wording import arg
from .csv_table import CellTable
from .frames import Columns
from .role_words import PERSONAL, RESPONDENTS, STAMPS, SURVEYS
from .roles import plain

IMPORT_ID = re.compile(r'\{"ImportId":\s*"([^"]*)".*\}')
MOST_HEADINGS = 4  # rows of a file among which the ids are looked for
RESPONSE = "_recordId"  # the id of the column that names the response


class Survey(Columns):
    """A survey without its further headings: a row for each response, a column for each question and for each fact about the response.

    ``facts`` are the columns that are no question, ``response`` the one that names the response, if there is one.
    """

    def __init__(self, header: Sequence[str], ids: Sequence[str], rows: Sequence[tuple[str, Sequence[str]]]) -> None:
        super().__init__(header, list(zip(*(cells for _, cells in rows))), [place for place, _ in rows])
        self.facts = [name for name, own in zip(header, ids) if not own.startswith("QID") and own != RESPONSE]
        self.response = next((name for name, own in zip(header, ids) if own == RESPONSE), None)


def survey_of(header: Sequence[str], rows: Iterable[tuple[str, Sequence[str]]]) -> Survey | None:
    """Return the survey that a table is, from its header and its ``(place, cells)``; None if it is none. A note counts the headings."""
    rows = iter(rows)
    first = list(islice(rows, MOST_HEADINGS))
    for i, (_, cells) in enumerate(first):
        found = [match[1] if (match := IMPORT_ID.fullmatch(cell.strip())) else "" for cell in cells]
        if all(found) and len(found) == len(header):
            below = [*chain(first[i + 1 :], rows)]
            places = " and ".join(place for place, _ in first[: i + 1])
            note(Note("headings", "Left out: further headings of a survey in {places}.", places=places))
            if odd := next(((f"{len(cells)}", place) for place, cells in below if len(cells) != len(header)), None):
                raise error("row", f"have {len(header)} fields, as the header", *odd)
            return Survey(header, found, below) if below else None
    return None


def check_survey(facts: Sequence[str], response: str | None, format: str) -> None:
    """Ask how a survey is read: each response may be by one annotator of several cases, or about one case."""
    way = "if each response is by an annotator and each question a case: " + arg("format", "transposed") + " and "
    way += arg("columns", {"annotator": response or ...}) + (" and " + arg("ignore_columns", list(facts)) if facts else "")
    raise error("format", "be 'transposed', or the case column be given, for an export of a survey", repr(format), way=way)


def check_form(table: CellTable, ignored: Collection[int], format: str) -> None:
    """Ask how a table is read whose columns are those of a survey: a stamp first, as of Google Forms, or two facts about the response."""
    at = [c for c in range(len(table.header)) if c not in ignored]
    names = {c: plain(table.header[c]) for c in at}
    if (at and names[at[0]] in STAMPS) or len(SURVEYS.intersection(names.values())) > 1:
        named = [c for name in (*RESPONDENTS, names[at[0]]) for c in at if names[c] == name]
        whose = next((c for c in named if _differ(table, c)), None)
        beside = SURVEYS | STAMPS | {*RESPONDENTS, *PERSONAL}
        if whose is not None:  # else rows are no responses, each by another person
            check_survey([table.header[c] for c in at if names[c] in beside and c != whose], table.header[whose], format)


def check_questions_only(names: Sequence[str]) -> None:
    """Reject facts about the response among the columns of a survey that are read as cases."""
    facts = [name for name in names if plain(name) in SURVEYS | STAMPS]
    if facts:
        way = "leave out: " + arg("ignore_columns", facts)
        raise error("columns", "be cases, if each row is an annotator", listed(map(repr, facts)), way=way)


def _differ(table: CellTable, c: int) -> bool:
    """Return whether a column has another value in each row, none of them blank."""
    (cells,) = table.coded([c])
    return len(cells.values) == len(cells.codes) and "" not in cells.values
