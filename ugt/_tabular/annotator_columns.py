"""Columns of a table with one row per case that are not annotators: by their names, or by their cells."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence
from itertools import combinations
from typing import Any

import numpy as np

from .._base.checks import error
from .._base.identifiers import one_number
from .._base.names import listed, look
from .._base.notes import Note
from .._base.notices import note
from .._base.wording import arg
from .role_words import ALIASES, ALSO, DERIVED, FACTORS, FINDINGS, GRADES_OF_PEOPLE, MADE, MODELS, OF_EACH, OTHERS, TIMES, TRUTHS
from .roles import AMOUNT_HEADER, RATER_HEADER, is_id, plain

_CAMEL = re.compile(r"(?<=[a-zß-ÿ])(?=[A-Z])")
_WORD = re.compile(r"[^\W\d_]+")
_NUMBER_AT_END = re.compile(r"([^\W\d_](?:\D*[^\W\d_])?)[ _.:#-]*(?:[0-9]+|(?<=[ _.:#-])[a-z])", re.IGNORECASE)
# A name that ends with one of several readings: "R1 read 2", "Ann session A", "R1_post"; or "R1.2", "R1b".
_NUMBERED = "read|reading|session|visit|round|pass|run|repeat|test|lesung|befundung|durchgang|sitzung|lecture"
_NAMED = r"t[0-9]|pre|post|before|after|first|second|1st|2nd|aided|unaided|(?:with|without)[ _]?\w+"
READING = re.compile(rf"(.*[^\W_])[ _.:-]+(?:(?:{_NUMBERED})[ _.:-]?[0-9a-d]|{_NAMED})", re.IGNORECASE)
SECOND = re.compile(r"(.*[0-9])(?:[ _.:-]+[0-9]+|[ _.:-]?[ab])", re.IGNORECASE)
# One column per class: tick boxes as REDCap exports them, raw or with labels.
BOX = re.compile(r"(.+)___.+|(.+) \(choice=.*\)", re.DOTALL)

# A numbered annotator and a question: "R1_edema", "Reader 1 effusion".
CROSSED = re.compile(r"([^\W\d_]+[ _.-]?[0-9]+)[ _.:-]+(\D+)")

ANNOTATORS = ALIASES["annotator"] | ALSO["annotator"]
SOME_ROWS, SOME_COLUMNS, FEW_ROWS = 2000, 50, 8  # most rows and columns that are compared; the fewest rows for a kappa
MOST_LEFT_OUT = 12  # columns that a message offers to leave out
NUMBERED = re.compile(r"([^\W\d_]+)([^\w]|_)?.*[0-9].*")


def check_questions(header: Sequence[str]) -> None:
    """Reject columns that answer several questions, such as ``colour_1, colour_2, border_1, border_2``."""
    found = [match[1] if match else "" for match in map(NUMBERED.fullmatch, header)]
    several = [name for name in dict.fromkeys(found) if found.count(name) > 1 and name and not _is_person(name)]
    if len(several) > 1 and 2 * sum(map(found.count, several)) > len(header):
        match = NUMBERED.fullmatch(header[found.index(several[0])])
        one = "".join(filter(None, match.groups())) if match else ""
        raise error("columns", "answer one question", listed(map(repr, several)), way="choose: " + _such_as(f"{one}*"))


def check_crossed(header: Sequence[str]) -> None:
    """Reject a column for each annotator and question, such as ``R1_edema, R1_effusion, R2_edema, R2_effusion``."""
    found = [None if READING.fullmatch(name) else CROSSED.fullmatch(name) for name in header]
    pairs = {(match[1], match[2]) for match in found if match}
    who, questions = ([*dict.fromkeys(match[side] for match in found if match)] for side in (1, 2))
    people = any(not ANNOTATORS.isdisjoint(_words(question)) for question in questions)
    if all(found) and len(pairs) == len(header) == len(who) * len(questions) and min(len(who), len(questions)) > 1 and not people:
        raise error("columns", "answer one question", listed(map(repr, questions)), way="choose: " + _such_as(f"*{questions[0]}"))


def check_readings(header: Sequence[str]) -> None:
    """Reject several columns of one annotator, such as ``R1 read 1, R1 read 2``: they are no independent annotators."""
    for pattern in (READING, SECOND):
        found = {name: match[1] for name in header if (match := pattern.fullmatch(name))}
        several = [name for name, one in found.items() if [*found.values()].count(one) > 1]
        if several and (pattern is READING or len(found) == len(header)):
            way = "choose one of each: " + _such_as(f"*{several[0][len(found[several[0]]) :]}")
            way += "; to keep several readings, write one row per label"
            raise error("columns", "be one per annotator", listed(map(repr, several)), way=way)


def check_boxes(header: Sequence[str]) -> None:
    """Reject columns that are tick boxes, one per class."""
    questions = {name: match[1] or match[2] for name in header if (match := BOX.fullmatch(name))}
    boxes = [name for name, question in questions.items() if [*questions.values()].count(question) > 1]
    if boxes:
        way = "write the ticked class in one column; for one annotator " + arg("format", "counts") + " reads 1 as ticked"
        raise error("columns", "be labels, not tick boxes", listed(map(repr, boxes)), way=way)


def _such_as(pattern: str) -> str:
    """Return the way to choose the columns of annotators: columns that are named are taken, whatever their names."""
    return arg("annotator_columns", [pattern]) + ", or the names of all annotators"


def _besides(header: Sequence[str], seen: Any) -> list[str]:
    """Return columns that add to an annotator's column, such as ``reader1_time`` to ``reader1``, and share no value with it."""
    found, at = [], {name: c for c, name in enumerate(header)}
    for name, own in zip(header, seen):
        for sign in re.finditer("[ _.:-]", name):
            c = at.get(name[: sign.start()])
            if c is not None and (plain(name[sign.end() :]) in OTHERS | TIMES or not ((seen[c] > 0) & (own > 0)).any()):
                found.append(name)
    return found


def _of_each(name: str) -> bool:
    return re.sub("[0-9]+$", "", plain(name)) in OF_EACH


def _is_person(name: str) -> bool:
    return plain(name) in ANNOTATORS or not (ANNOTATORS | GRADES_OF_PEOPLE).isdisjoint(_words(name))


def _is_model(name: str) -> bool:
    return re.sub("[0-9]+[a-z]?$", "", plain(name)) in MODELS


def check_findings(header: Sequence[str]) -> None:
    """Reject columns of several findings, such as ``Edema, Fracture``: each is a question of its own, and none is an annotator."""
    found = [name for name in header if plain(name) in FINDINGS]
    if len(found) > 1:
        way = "choose one: " + _such_as(found[0])
        raise error("columns", "be annotators, not findings, each of which is a question of its own", listed(map(repr, found)), way=way)


def _words(name: str) -> list[str]:
    return [word.casefold() for word in _WORD.findall(_CAMEL.sub(" ", name))]


def _derived(header: Sequence[str]) -> list[str]:
    """Return the columns whose names have a word for a truth, a vote or a model, or are those of models, unless most names do."""
    found = [name for name in header if not DERIVED.isdisjoint(_words(name)) or _is_model(name)]
    found = [name for name in found if RATER_HEADER.fullmatch(name) is None]
    return found if 2 * len(found) <= len(header) else []


def note_names(names: Sequence[str]) -> None:
    """Note annotators in rows who have the name of a consensus, a truth or a model."""
    few = 1 < len(names) <= SOME_ROWS
    derived = {*_derived(names)} if few else set()
    found = [name for name in names if plain(name) in MADE | TRUTHS or name in derived] if few else []
    if found:
        words = "Counted as annotators, though their names are those of a consensus, a truth or a model: {names} (if they are none, remove "
        note(Note("consensus_counted", words + "their rows).", names=listed(map(repr, found))))


def stem_of(name: str) -> str:
    """Return the name of a numbered column without its number, such as ``reader`` for ``Reader 1``; "" if it has no number."""
    match = _NUMBER_AT_END.fullmatch(name)
    return match[1].casefold() if match else ""


def _unnumbered(header: Sequence[str]) -> list[str]:
    """Return the columns without a number, such as ``Gold``, next to annotators with numbers, such as ``Reader 1, Reader 2``."""
    stems = [*map(stem_of, header)]
    total = Counter(stems)
    times = Counter(stem for stem, name in zip(stems, header) if stem and (name[-1].isdigit() or not ANNOTATORS.isdisjoint(_words(stem))))
    stem, most = max(times.items(), key=lambda one: one[1], default=("", 0))
    people = not ANNOTATORS.isdisjoint(_words(stem))
    if most < 2 or (2 * most <= len(header) and not people):
        return []
    alone = [not own or (people and total[own] == 1) for own in stems]
    return [name for name, one in zip(header, alone) if one and ANNOTATORS.isdisjoint(_words(name))]


def _disjoint(header: Sequence[str], seen: Any) -> list[str]:
    """Return the columns outside the group that has the annotators, if groups of several columns share no class with each other."""
    groups: list[list[int]] = []
    left = seen.sum(axis=1) > 2
    while left.any():
        group = np.arange(len(header)) == np.argmax(left)
        while (more := (seen[:, (seen[group] > 0).any(axis=0)] > 0).any(axis=1)).sum() > group.sum():
            group = more
        groups.append(np.flatnonzero(group).tolist())
        left &= ~group
    raters = [sum(RATER_HEADER.fullmatch(header[c]) is not None for c in group) for group in groups]
    own = max(range(len(groups)), key=lambda i: (raters[i], len(groups[i])), default=0)
    return [header[c] for i, group in enumerate(groups) if i != own and not raters[i] for c in group]


def _by_names(header: Sequence[str], format: str) -> list[str]:
    """Return the columns whose names are not those of annotators, or of classes."""
    beside = OTHERS | MADE if len(header) > 1 else OTHERS
    found = [name for name in header if plain(name) in beside or name.endswith("_complete")]
    if format == "counts" or len(header) < 2:
        return found
    found += [name for name in header if is_id(name) or plain(name) in TRUTHS | FACTORS or _of_each(name)]
    amounts = [name for name in header if AMOUNT_HEADER.fullmatch(name)]  # all columns may be so called for another reason
    return [*found, *(amounts if len(amounts) < len(header) else ()), *_derived(header), *_unnumbered(header)]


def _by_cells(header: Sequence[str], cells: Any, missing: Sequence[str], merge_names: bool) -> list[str]:
    """Return the columns that share too few classes with the others to be annotators."""
    names = [*map(look if merge_names else one_number, cells.values)]
    numbered = {name: i for i, name in enumerate(dict.fromkeys(names))}
    classes = np.array([numbered[name] for name in names])[cells.codes]
    seen = np.array([np.bincount(column, minlength=len(numbered)) for column in classes.T])
    seen[:, [numbered[name] for name, value in zip(names, cells.values) if value in missing]] = 0
    shared = np.where((seen > 0).sum(axis=0) > 1, seen, 0).sum(axis=1)
    alone = (2 * shared < seen.sum(axis=1)) & (seen.sum(axis=1) > 2)
    found = [name for name, one in zip(header, alone) if one]
    return [*found, *_besides(header, seen), *_disjoint(header, seen)]


def check_annotators(header: Sequence[str], cells: Any, missing: Sequence[str], format: str, merge_names: bool = False) -> None:
    """Reject a column that is not an annotator: by its name, or because no other column has half of its three or more labels."""
    others = _others(header, cells, missing, format, merge_names)
    if others:
        must = "be annotators with the same classes" if format == "wide" else "be classes" if format == "counts" else "be annotators"
        way = arg("annotator_columns") + " names those that are, whatever their names"
        way += "; or write classes alike" if format == "wide" else ""
        left = _left(header, others, cells, missing, format, merge_names)
        way = "leave out: " + arg("ignore_columns", left) + "; or " + way if left else way
        raise error("columns", must, f"{listed(map(repr, others))} among {len(header)} columns", way=way)
    if format == "wide":
        _note_strangers(header, cells, missing)


def _others(header: Sequence[str], cells: Any, missing: Sequence[str], format: str, merge_names: bool) -> list[str]:
    """Return the columns that are doubted: by their names, and of the others by their cells."""
    named = list(dict.fromkeys(_by_names(header, format)))
    at = [c for c, name in enumerate(header) if name not in named]
    if format != "wide" or len(at) < 2:
        return named
    return [*named, *dict.fromkeys(_by_cells([header[c] for c in at], cells._replace(codes=cells.codes[:, at]), missing, merge_names))]


def _left(header: Sequence[str], others: Sequence[str], cells: Any, missing: Sequence[str], format: str, merge_names: bool) -> list[str]:
    """Return the columns without which the others are not doubted; none if this is a guess, or too much to be typed."""
    gone, named = list(others), set(_by_names(header, format))
    while others:
        at = [c for c, name in enumerate(header) if name not in gone]
        if not at or (len(at) == 1 and not (named.issuperset(gone) or _is_person(header[at[0]]))) or len(gone) > MOST_LEFT_OUT:
            return []
        if len({cells.values[code] for code in np.unique(cells.codes[:, at]).tolist()} - {*missing}) < 2:  # what is left is constant
            return []
        others = _others([header[c] for c in at], cells._replace(codes=cells.codes[:, at]), missing, format, merge_names)
        gone += others
    return [name for name in header if name in gone]


def _note_strangers(header: Sequence[str], cells: Any, missing: Sequence[str]) -> None:
    """Note a column that hardly agrees with the others, which agree, such as numbers of lesions from 1 to 3 next to grades from 1 to 5."""
    codes, n = cells.codes[:SOME_ROWS], len(cells.values)
    held = ~np.array([value in missing for value in cells.values], bool)[codes]
    if not 3 <= len(header) <= SOME_COLUMNS:
        return
    kappa = np.full((len(header), len(header)), np.nan)
    for a, b in combinations(range(len(header)), 2):
        x, y = codes[held[:, a] & held[:, b]][:, [a, b]].T
        chance = np.bincount(x, minlength=n) @ np.bincount(y, minlength=n) / max(1, len(x)) ** 2
        if len(x) >= FEW_ROWS and chance < 1:
            kappa[a, b] = kappa[b, a] = ((x == y).mean() - chance) / (1 - chance)
    for c, name in enumerate(header):
        others = np.delete(np.delete(kappa, c, 0), c, 1)
        own, rest = kappa[c][~np.isnan(kappa[c])], others[~np.isnan(others)]
        if len(own) and len(rest) and own.mean() < 0.1 and rest.mean() > 0.4 and not RATER_HEADER.fullmatch(name):
            words = (
                "Read {name!r} as an annotator, though it agrees with the others by a kappa of {own:.2f}, and these with each other by "
                "{rest:.2f} (if it is not an annotator, name it in " + arg("ignore_columns") + ")."
            )
            note(Note("odd_annotator", words, name=name, own=float(own.mean()), rest=float(rest.mean())))
