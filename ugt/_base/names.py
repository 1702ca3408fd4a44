"""Names with one meaning: names that are equal as numbers are one name; names that look alike give a note, and are joined on request."""

from __future__ import annotations

import re
import unicodedata
from collections import Counter, defaultdict
from collections.abc import Iterable, Sequence
from functools import partial
from typing import Any, Callable

import numpy as np

from . import identifiers
from .arrays import Int32, NDArray
from .checks import error
from .identifiers import INTEGER, one_number
from .notes import Note
from .notices import note
from .wording import arg

NINES = re.compile(r"(7+|8+|9+)")  # 7, 88, 999: how codes are written
_ZEROS = re.compile(r"^\+?0*(?=[0-9])|(?<![0-9.])0+(?=[0-9])")
_SIGNS = re.compile("[;,|\n]")
_RANKS = re.compile("[<>=≤≥]")
# Texts of cells without an annotation, in small letters, without blanks and without a point at their end.
_NULLS = {"?", "??", "???", "-", "--", "\u2013", "\u2014", ".", "na", "n/a", "n.a", "<na>", "nan", "nat", "null", "none", "undefined"}
_NULLS |= {"#n/a", "#nv", "#div/0!", "#name?", "#null!", "#num!", "#ref!", "#value!", "#wert!", "#zahl!", "#bezug!"}
_NULLS |= {"missing", "unlabeled", "unlabelled", "unknown", "unk", "skipped", "notread", "notdone", "nd", "n.d", "nr", "n.r"}
_NULLS |= {"ungradable", "ungradeable", "notgradable", "notgradeable", "unklar", "keineangabe", "k.a", "n.b", "nichtbeurteilbar"}
_NULLS |= {"unbekannt", "fehlt", "fehlend", "entf\u00e4llt", "non\u00e9valuable", "nonevaluable", "manquant", "inconnu"}
_NULLS |= {"notreadable", "unreadable", "cannotassess", "notassessable", "unassessable", "notassessed", "notevaluable", "notevaluated"}
_NULLS |= {"noimage", "noanswer", "nolabel", "notrated", "notavailable", "notapplicable", "nichtlesbar", "nichtbefundet", "nichtbewertbar"}
_PERCENTAGE = re.compile(r"[+-]?[0-9][0-9.,]*\s*%")
_PATH = re.compile(r".*[/\\]|\.[A-Za-z0-9]{2,5}$", re.DOTALL)
_SHOWN = 5
_BITS = ("0", "1"), ("False", "True")
DIFFER = "differ only by case, blanks, Unicode form or leading zeros"


def look(name: str) -> str:
    """Return the name without case, outer blanks, invisible characters and leading zeros: it is equal for names that look alike."""
    seen = "".join(c for c in unicodedata.normalize("NFKC", name) if unicodedata.category(c) != "Cf")
    return one_number(_ZEROS.sub("", " ".join(unicodedata.normalize("NFKC", seen.casefold()).split())))


def numbers_as_one(what: str, names: Sequence[str]) -> list[str]:
    """Return the names with one spelling for those equal as numbers, integers for whole numbers; give a note if that changes any."""
    plain = [*map(one_number, names)]
    if plain == list(names):
        return plain
    forms: dict[str, set[str]] = defaultdict(set)
    for name, form in zip(names, plain):
        forms[form].add(name)
    found = [form if INTEGER.fullmatch(form) or len(forms[form]) > 1 else name for name, form in zip(names, plain)]
    changed = dict((name, form) for name, form in zip(names, found) if name != form)
    if changed:
        shown = listed(f"{a!r} is read as {b}" for a, b in changed.items())
        note(Note("equal_as_numbers", "Names of {what} that are equal as numbers are one: {shown}.", what=what, shown=shown))
    return found


def joined(what: str, column: identifiers.Column, merge: bool = False) -> identifiers.Column:
    """Return the column with one id for names equal as numbers and, with ``merge``, for names that look alike (else note them)."""
    if not identifiers.is_text(column.ids):
        return column
    column = _renamed(column, numbers_as_one(what, column.ids.tolist()))
    groups = note_alike(what, column.ids, merge)
    if merge and groups:
        times, names = np.bincount(column.code, minlength=len(column.ids)), column.ids.tolist()
        for group in groups:
            best = min(group, key=lambda i: (-times[i], names[i]))  # the commonest name, so that the order of the rows does not matter
            for i in group:
                names[i] = str(column.ids[best])
        column = _renamed(column, names)
    return column


def note_alike(what: str, ids: NDArray[Any], merge: bool = False, way: str = arg("merge_names") + " joins them") -> list[list[int]]:
    """Return the positions of ids that look alike, in groups of at least two, and give a note on them."""
    if not identifiers.is_text(ids):
        return []
    found: dict[str, list[int]] = defaultdict(list)
    for i, name in enumerate(ids.tolist()):
        found[look(name)].append(i)
    groups = [group for group in found.values() if len(group) > 1]
    if groups:
        shown = listed(" and ".join(sorted(repr(str(ids[i])) for i in group)) for group in groups)
        if merge:
            note(Note("names_joined", "Joined {what} whose names {differ}: {shown}.", what=what, differ=DIFFER, shown=shown))
        else:
            words = "Read as different {what}, though their names {differ}: {shown} (" + way + ")."
            note(Note("cases_alike" if what == "cases" else "names_alike", words, what=what, differ=DIFFER, shown=shown))
    return groups


def find(known: NDArray[Any], ids: NDArray[Any], merge: bool = False) -> Int32:
    """Return the position of each id among distinct names: of the same name, else an equal number or, with ``merge``, one alike.

    False and True are 0 and 1, if the names are the ones and the ids the others, and both are there on one side.
    """
    if 0 < len(known) <= 2 and 0 < len(ids) <= 2 < len(known) + len(ids):
        for own, others in (_BITS, _BITS[::-1]):
            if {*map(str, known.tolist())} <= {*own} and {*map(str, ids.tolist())} <= {*others}:
                ids = np.array(own)[(ids.astype(str) == others[1]).astype(np.int64)]
                break
    if identifiers.is_text(known) != identifiers.is_text(ids):
        known, ids = known.astype(str), ids.astype(str)
    at = identifiers.lookup(known, ids)
    for key in (one_number, look) if merge else (one_number,):
        unknown = np.flatnonzero(at < 0)
        if len(unknown) == 0:
            break
        if key is one_number and not (_has_points(known) or _has_points(ids[unknown])):
            continue
        names: dict[str, int] = {}
        for i, name in enumerate(map(key, map(str, known.tolist()))):
            names[name] = -1 if name in names else i  # if several are alike, none is chosen
        for j in unknown.tolist():
            at[j] = names.get(key(str(ids[j])), -1)
    return at


def alike(name: object, known: NDArray[Any]) -> str:
    """Return a hint at the one known name that looks like this one."""
    at = int(find(known, np.array([name]), merge=True)[0])
    if at < 0 and isinstance(name, str):  # a file name, whose stem may be the name of a case
        at = int(find(np.array([_PATH.sub("", str(one)) for one in known.tolist()]), np.array([_PATH.sub("", name)]), merge=True)[0])
    return "" if at < 0 else f" (there is {identifiers.name(known[at])}; write both alike)"


def _has_points(ids: NDArray[Any]) -> bool:
    return identifiers.is_text(ids) and bool((np.char.find(ids, ".") >= 0).any())


_MONTH = r"(?:jan|feb|mar|mrz|mär|apr|mai|may|jun|jul|aug|sep|oct|okt|nov|dec|dez)[a-z]*\.?"
_DATE = re.compile(
    rf"\d{{4}}-\d\d-\d\d(?:[T ][\d:.]+)?|\d{{1,2}}[-. /]+{_MONTH}(?:[-. /]*\d{{2,4}})?|{_MONTH}[-. /]*\d{{1,4}}", re.IGNORECASE
)


def suspicious(given: Sequence[str]) -> tuple[Note, ...]:
    """Return notes on labels that look like several labels, like dates, or like codes for "no label"."""
    numbers = sorted({int(value) for value in given if INTEGER.fullmatch(value)})
    if len(numbers) == len(given) and (not numbers or (numbers[0] >= 0 and not NINES.fullmatch(str(numbers[-1])))):
        return ()  # the common case: ordinary numbers only
    found = ((made, look_for(given)) for made, look_for in _ODD_LABELS)
    return tuple(made(labels=listed(labels)) for made, labels in found if labels)


def _codes(given: Sequence[str]) -> list[str]:
    """Return negative numbers, one number of nines, eights or sevens above all others, "?" and "-", as repr."""
    numbers = sorted({int(value) for value in given if INTEGER.fullmatch(value)})
    codes = [value for value in given if is_null(value)]
    if len(numbers) < len(given) - len(codes):  # a code that is a number, among names
        codes += [str(n) for n in numbers if n < 0 or NINES.fullmatch(str(n))]
    else:
        codes += [str(n) for n in numbers if n < 0 <= numbers[-1]]
        while len(numbers) > 2 and NINES.fullmatch(str(numbers[-1])) and numbers[-1] > numbers[-2] + 1:
            codes.append(str(numbers.pop()))
    return [*map(repr, codes)]


def _matching(pattern: re.Pattern[str], given: Sequence[str]) -> list[str]:
    return [repr(value) for value in given if pattern.fullmatch(value)]


def _initials(given: Sequence[str]) -> list[str]:
    """Return letters, each with the one word that it begins, if there is one for each of several letters."""
    letters, words = [{value for value in given if (len(value) == 1) is one and value.isalpha()} for one in (True, False)]
    begun = {letter: [word for word in words if word.casefold().startswith(letter.casefold())] for letter in letters}
    if len(letters) < 2 or any(len(found) != 1 for found in begun.values()):
        return []
    return [f"{letter!r} and {found[0]!r}" for letter, found in sorted(begun.items())]


def _marked(given: Sequence[str]) -> list[str]:
    """Return labels with a mark at their end, each with the same label without it."""
    known, bare = set(given), {value: value.rstrip("?!* ") for value in given}
    return [f"{value!r} and {bare[value]!r}" for value in given if bare[value] != value and bare[value] in known]


def _lists(given: Sequence[str]) -> list[str]:
    known = set(given)
    return [repr(value) for value in given if is_list(value, known)]


def _rankings(given: Sequence[str]) -> list[str]:
    """Return labels such as "a > b", whose parts are labels or parts of others."""
    known, parts = set(given), {value: {part.strip() for part in _RANKS.split(value)} for value in given if _RANKS.search(value)}
    times = Counter(part for own in parts.values() for part in own)
    return [repr(value) for value, own in parts.items() if "" not in own and any(part in known or times[part] > 1 for part in own)]


# What labels may be that is no label: the note, and what finds such labels.
_ODD_LABELS: tuple[tuple[Callable[..., Note], Callable[[Sequence[str]], list[str]]], ...] = (
    (
        partial(
            Note, "like_missing", "Taken as annotations, though they look like codes for 'none': {labels} (if they are, use "
            + arg("missing", ...) + ").",
        ),
        _codes,
    ),
    (
        partial(
            Note, "like_dates",
            "Taken as classes, though they look like dates: {labels} (a spreadsheet makes them of names such as 2-3: write these as text).",
        ),
        partial(_matching, _DATE),
    ),
    (
        partial(
            Note, "like_percentages",
            "Read percentages as classes, not as numbers: {labels} (for numbers write 0.9 for 90%, and give "
            + arg("scale", "real") + ").",
        ),
        partial(_matching, _PERCENTAGE),
    ),
    (
        partial(Note, "like_initials", "Read as different classes, though one may be short for the other: {labels} (write them alike)."),
        _initials,
    ),
    (
        partial(Note, "like_marked", "Read as different classes, though one may be the other with a mark: {labels} (write them alike)."),
        _marked,
    ),
    (partial(Note, "like_lists", "Taken for one class each, though they look like several: {labels} (write one label per row; "
            "for one class per set of ticks, in any order: " + arg("ticks", "sets") + ")."), _lists),
    (
        partial(
            Note, "like_rankings",
            "Taken for one class each, though they look like rankings: {labels} (write one ranking per row, in a column 'ranking', with > "
            "and =).",
        ),
        _rankings,
    ),
)  # fmt: skip


BRACKETS = re.compile(r"""\[\s*(["'][^"']*["']\s*,?\s*)+\]|\[[^\[\]]+\](\s*\[[^\[\]]+\])*""")


def is_null(value: str) -> bool:
    """Return whether a label looks like a code for "no label"."""
    word = "".join(unicodedata.normalize("NFKC", value).lower().split())
    return (word.rstrip(".") or word) in _NULLS


def is_list(name: str, known: set[str]) -> bool:
    """Return whether a name is a list, separated by commas or similar signs, of whole numbers or of names of which one is known."""
    if BRACKETS.fullmatch(name):  # a list of JSON or of Python, or words in brackets: [A] [B]
        return True
    parts = [part.strip() for part in _SIGNS.split(name)]
    return len(parts) > 1 and "" not in parts and (all(map(INTEGER.fullmatch, parts)) or not known.isdisjoint(parts))


def _renamed(column: identifiers.Column, names: list[str]) -> identifiers.Column:
    """Return the column with other names, of which several may be equal."""
    if names == column.ids.tolist():
        return column
    one = identifiers.number("names", names)
    return identifiers.Column(one.code[column.code], one.ids, column.first[one.first])


# What a class is called that is no finding: it is never the positive one by default.
ABSENCE = {"normal", "healthy", "negative", "neg", "benign", "absent", "no", "none", "non", "not", "0", "control", "controls", "sinus"}
ABSENCE |= {"false", "without", "clear", "nsr", "unremarkable", "gesund", "negativ", "kein", "keine", "ohne", "nein", "sain", "sano"}
ABSENT_BEHIND = {"absent", "negative", "neg", "0"}  # "HER2 negative", "grade 0"
_NUMBER = re.compile(r"[-+]?[0-9]*\.?[0-9]+")
OF_TWO = "two classes"  # of which evaluations ask for the positive one


def positive_among(classes: Sequence[Any]) -> int | None:
    """Return which of two classes is positive by their names: 1 of 0 and 1, or the one beside a word of absence; None if neither shows."""
    names = [str(name).casefold().strip() for name in classes]
    absent = [_is_absence(name) or any(name == before + other for before in ("non", "no", "not") for other in names) for name in names]
    return absent.index(False) if sorted(absent) == [False, True] else None


def _is_absence(name: str) -> bool:
    """Return whether a class is called like no finding: by its first word, its last one, a minus sign, or a number that is not above 0."""
    if _NUMBER.fullmatch(name):
        return float(name) <= 0
    words = [word for word in re.split(r"[\W_]+", name) if word]
    return name[-1:] in ("-", "\u2212") or (bool(words) and (words[0] in ABSENCE or words[-1] in ABSENT_BEHIND))


def positive_of(classes: Sequence[Any], option: str, what: str) -> int:
    """Return which of two classes is positive by its name; ask for it (in an argument ``option``) if the names do not show it."""
    names = [str(name) for name in classes]
    found = positive_among(names) if len(names) == 2 else None
    if found is None:
        must = f"be given for {what} " + ("whose names do not show which is the finding" if len(names) == 2 else "without two classes")
        way = arg(option, names[0]) + " or " + arg(option, names[1]) if len(names) == 2 else arg(option, names[-1]) + " or another"
        raise error(option, must, f"the classes {listed(map(repr, names), 12)}", way=way)
    return found


def positive_by_default(classes: Sequence[Any], option: str) -> list[Note]:
    """Return the note which of two classes is taken as positive; none for 0 and 1, of which 1 is."""
    first, second = classes if positive_among(classes) != 0 else classes[::-1]
    if [str(first), str(second)] == ["0", "1"]:
        return []
    words = "Positive class: {second} (of {first} and {second}; " + arg(option, ...) + " sets it)."
    return [Note("positive_class", words, first=str(first), second=str(second))]


def listed(shown: Iterable[str], most: int = _SHOWN) -> str:
    """Return the first of many names, and how many are not shown."""
    every = list(shown)
    more = f" and {len(every) - most:,} more" if len(every) > most else ""
    return ", ".join(every[:most]) + more
