"""Files of preferences between two models, one row per vote: which two were offered, and which was preferred."""

from __future__ import annotations

import os
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from .._base.arrays import NDArray
from .._base.checks import error
from .._base.identifiers import name as shown
from .._base.identifiers import one_number
from .._base.names import listed
from .._base.records import Record
from .._base.wording import arg
from .._tabular.case_columns import with_case
from .._tabular.csv_table import CellTable
from .._tabular.foreign import JSON, table_of
from .._tabular.frames import Columns
from .._tabular.role_words import ALIASES, ALSO, YES
from .._tabular.roles import MOST_SHOWN, find_roles, plain, roles_of
from .._tabular.source import Source, check_text, naming
from .annotation_file import MISSING
from .mapping import json_lines, parse_json, plain_table

SIDES = ("first", "second")
ROLES = (*SIDES, "preferred", "annotator", "case")
STEMS = ("model", "system", "generator", "response", "answer", "assistant", "option", "candidate", "output")
LETTERS = {"first": ("a", "1", "first", "left"), "second": ("b", "2", "second", "right")}
NAMES = {
    **{side: {stem + end for stem in STEMS for end in ends} | {ends[2]} for side, ends in LETTERS.items()},
    "preferred": {"preferred", "winner", "preference", "choice", "chosen", "better", "vote", "verdict"},
    "annotator": ALIASES["annotator"] | ALSO["annotator"],
    "case": ALIASES["case"] | ALSO["case"] | {"prompt", "promptid"},
}
TIES = {"tie", "ties", "tied", "draw", "equal", "same", "both", "neither", "tiebothbad", "bothbad", "bothgood", "tiebothgood"}
OUTCOME = re.compile("winner((?:model|system|response)?(?:[ab12])|tie)")
TIE = "tie"
NO_VOTE = "row without a preference"


@dataclass(frozen=True, eq=False, repr=False)
class PreferenceFile(Record):
    """The columns of a file of preferences; ``preferred`` is one of the two models, or ``tie``."""

    first: NDArray[Any]
    second: NDArray[Any]
    preferred: NDArray[Any]
    annotator: NDArray[Any] | None
    case: NDArray[Any] | None
    tie: str
    left_out: dict[str, int]
    columns: dict[str, tuple[str, ...]]
    unused: tuple[str, ...] = ()


def preference_roles(header: Sequence[str], columns: Mapping[str, Any] | None = None) -> dict[str, int]:
    """Return the column of each role of a table of preferences that its names show."""
    return find_roles(list(header), columns or {}, ROLES, NAMES)


def names_votes(header: Sequence[str]) -> bool:
    """Return whether columns are those of votes: two models, and the preferred one or an outcome for each."""
    try:
        roles = preference_roles(header)
    except ValueError:  # two columns may have one role
        return False
    return {*SIDES} <= roles.keys() and ("preferred" in roles or sum(map(bool, map(OUTCOME.fullmatch, map(plain, header)))) >= len(SIDES))


def has_votes(source: Source) -> bool:
    """Return whether a JSON file holds records of votes."""
    try:
        return names_votes(_table(source).header)
    except ValueError:
        return False


def preference_file(
    path: str | os.PathLike[str], columns: Mapping[str, Any] | None = None, *, missing: Sequence[str] = MISSING, encoding: str = "utf-8"
) -> PreferenceFile:
    """Return the preferences of a table with one row per vote; rows without one are left out and counted."""
    with naming(path):
        source = Source(path, encoding)
        table, named = with_case(_voted(_table(source)), columns or {})
        roles = preference_roles(table.header, named)
        absent = [role for role in ROLES[:3] if role not in roles]
        if absent:
            must, way = "have columns for the first and the second model and the preferred one", "name the existing ones: "
            got = f"no {' and no '.join(absent)} among {listed(map(repr, table.header), MOST_SHOWN)}"
            raise error("file", must, got, way=way + arg("columns", dict.fromkeys(absent, ...)))
        table.used = {role: [c] for role, c in roles.items()}
        cells = dict(zip(roles, table.coded(*([c] for c in roles.values()))))
        values = {role: [*map([*one.values].__getitem__, one.codes[:, 0].tolist())] for role, one in cells.items()}
        keep = [text not in missing for text in values["preferred"]]
        names = {*values["first"], *values["second"]}
        tie = next(word for word in (TIE, f"({TIE})", f"[{TIE}]") if word not in names)
        rows = [i for i, one in enumerate(keep) if one]
        heads = {role: table.header[roles[role]] for role in SIDES}
        preferred = [_preferred(values, i, names, heads, tie, table) for i in rows]
        own = {role: np.array([values[role][i] for i in rows], np.str_) for role in values if role != "preferred"}
        n = len(keep) - len(rows)
        people = own.get("annotator"), own.get("case")
        found = roles_of(table.header, table.sources())
        return PreferenceFile(own["first"], own["second"], np.array(preferred, np.str_), *people, tie, {NO_VOTE: n} if n else {}, *found)


def _table(source: Source) -> CellTable:
    if source.ending not in JSON:
        return table_of(source)
    text = source.read(text=True)
    content = parse_json(text) if source.ending == ".json" else [one for _, one in json_lines(check_text(text))]
    return plain_table(content)


def _voted(table: CellTable) -> CellTable:
    """Return the table with one column of preferences, if it has a column of 0 and 1 per outcome, such as ``winner_model_a``."""
    outcomes = {c: match[1] for c, name in enumerate(table.header) if (match := OUTCOME.fullmatch(plain(name)))}
    if len(outcomes) < len(SIDES) or {"preferred"} <= preference_roles(table.header).keys():
        return table
    every = table.coded(*([c] for c in range(len(table.header))))
    cells = [[*map([*one.values].__getitem__, one.codes[:, 0].tolist())] for one in every]
    won = [[outcomes[c] for c in outcomes if plain(cells[c][row]) in YES] for row in range(len(cells[0]))]
    odd = next((row for row, own in enumerate(won) if len(own) != 1), None)
    if odd is not None:
        names = listed(repr(table.header[c]) for c in outcomes)
        raise error("row", f"have one 1 among the columns {names}", len(won[odd]), table.place(odd))
    return Columns([*table.header, "winner"], [*cells, [one for (one,) in won]], [place for place, _ in zip(table.places(), won)])


def _preferred(values: Mapping[str, Sequence[str]], i: int, names: set[str], heads: Mapping[str, str], tie: str, table: CellTable) -> str:
    """Return the model that a row prefers: by its name, by the name or letter of its column, or a tie."""
    word, both = one_number(values["preferred"][i]), {side: values[side][i] for side in SIDES}
    if word in names:
        if word in both.values():
            return word
    elif plain(word) in TIES:
        return tie
    else:
        for side, model in both.items():
            if plain(word) in {plain(heads[side]), *LETTERS[side], *(stem + end for stem in STEMS for end in LETTERS[side])}:
                return model
    must = f"be one of the two models of its row, the name of their column ({heads['first']!r}, {heads['second']!r}), or a tie"
    raise error("preferred", must, shown(word), table.place(i))
