"""The columns of a table of scores that are those of classes, by their names."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Sequence
from typing import Any, NamedTuple

import numpy as np

from .._base.checks import error
from .._base.identifiers import one_number
from .._base.names import alike, find, listed, look
from .._base.notes import Note
from .._base.notices import note
from .._base.wording import CLASSES_WAY, arg, words_of
from .._tabular.csv_table import CellTable
from .._tabular.role_words import ALIASES
from .._tabular.roles import MOST_SHOWN, is_number, plain

ONE_SCORE = ALIASES["score"] | {"prob", "proba", "p", "yprob", "yscore", "predprob", "predproba"}
PROBABLE = ONE_SCORE | {"", "y", "yhat", "pred", "predicted", "prediction", "probability", "conf", "confidence", "likelihood", "risk"}
PROBABLE |= {"softmax", "sigmoid", "output", "posterior", "predictedprobability"}
BESIDE = (PROBABLE | {"class"}) - {"", "y"}  # words beside the name of a class, of which y may be the truth
OF_TRUTH = {"true", "truth", "ytrue", "gt", "groundtruth", "gold", "target", "actual"}
BEFORE = re.compile(r"(\w+?)(?:[ _.:-]*[(\[](?P<inside>.+)[)\]]|[ _.:-]+(?P<after>.+)|(?P<number>[0-9]+))", re.DOTALL)
BEHIND = re.compile(r"(.+)[ _.:-]+(\w+)", re.DOTALL)


class ClassColumns(NamedTuple):
    """The column of each class, none if one lacks; the text before and after the class, if it is the same in all names."""

    at: list[int]
    before: str = ""
    behind: str = ""


def columns_of_classes(header: Sequence[str], classes: Any) -> ClassColumns:
    """Return the columns of classes: of the same names, of these with one text before or after, or of names that match one to one."""
    at = find(np.array(header, np.str_), classes)
    if (at >= 0).all():
        return ClassColumns(at.tolist())
    names = [str(name) for name in classes.tolist()]
    around = {(name[: len(name) - len(names[0])], "") for name in header if name.endswith(names[0])}
    around |= {("", name[len(names[0]) :]) for name in header if name.startswith(names[0])}
    whole = sorted((a, z) for a, z in around if all(a + name + z in header for name in names))
    if len(whole) > 1:
        raise _several(names[0], [a + names[0] + z for a, z in whole])
    if whole:
        (before, behind) = whole[0]
        return ClassColumns([header.index(before + name + behind) for name in names], before, behind)
    return ClassColumns(_one_to_one(header, names))


def _several(name: str, columns: Sequence[str]) -> ValueError:
    return error("file", f"have one column for the class {name!r} (remove the others)", " and ".join(map(repr, columns)))


def _one_to_one(header: Sequence[str], names: list[str]) -> list[int]:
    """Return the column of each class if each has one, whose name is alike or has a word such as ``prob`` beside it; with a note."""
    keys = [*map(_key, names)]
    if len(set(keys)) < len(keys):
        return []
    of = [{_key(one) for one in _without_word(name)} & {*keys} for name in header]
    found = [[c for c, own in enumerate(of) if key in own] for key in keys]
    if not all(found) or max(map(len, of)) > 1:
        return []
    for name, own in zip(names, found):
        if len(own) > 1:
            raise _several(name, [header[c] for c in own])
    at = [c for (c,) in found]
    pairs = listed((f"{header[c]!r} as {name}" for c, name in zip(at, names)), MOST_SHOWN)
    note(Note("columns_as_classes", "Columns were read as those of classes: {pairs}.", pairs=pairs))
    return at


def _without_word(name: str) -> list[str]:
    """Return the name of a column, and it without a word for probabilities before or after it: ``P(cat)``, ``prob_cat``, ``cat_prob``."""
    found = [name]
    before, behind = BEFORE.fullmatch(name), BEHIND.fullmatch(name)
    if before and plain(before[1]) in BESIDE:
        found += filter(None, before.group("inside", "after", "number"))
    if behind and plain(behind[2]) in BESIDE:
        found.append(behind[1])
    return found


def _key(name: str) -> str:
    """Return what alike names share: their number, or their letters and digits in lower case."""
    return f"={one_number(name)}" if is_number(name) else re.sub(r"[\W_]+", "", look(name)) or name


def check_numbered(header: Sequence[str], classes: Any) -> None:
    """Refuse probabilities that are numbered, such as ``p0, p1``, beside classes that have names: numbers do not show which is which."""
    names = [] if classes is None else [*map(str, classes.tolist())]
    found = [match[0] for match in map(BEFORE.fullmatch, header) if match and plain(match[1]) in BESIDE and _number_of(match).isdigit()]
    if names and len(found) == len(names) and not any(map(is_number, names)):
        got = f"{listed(map(repr, found), MOST_SHOWN)} for the classes {listed(map(repr, names), MOST_SHOWN)}"
        way = f"write each class in the name of its column, such as {'prob_' + names[0]!r}"
        raise error("columns of classes", "be named after them, because numbers do not show which is which", got, way=way)


def _number_of(match: re.Match[str]) -> str:
    return "".join(filter(None, match.group("inside", "after", "number")))


def check_models(header: Sequence[str], found: ClassColumns, add_up: Callable[[list[int]], bool]) -> None:
    """Refuse columns of a truth, and ones called like models (``model_0, model_1`` beside classes 0 and 1) unless they add up to 1."""
    if {plain(found.before), plain(found.behind)} & OF_TRUTH:
        got = listed((repr(header[c]) for c in found.at), MOST_SHOWN)
        raise error("columns of classes", "be of a model, not of a truth (if they are, rename them)", got)
    if plain(found.before) in ALIASES["model"] and not add_up(found.at):
        own = [header[c] for c in found.at]
        way = "if each is of one model: " + arg("model_columns", own) + "; else write 'prob' for " + repr(found.before)
        raise error("columns of classes", "not be called like models", listed(map(repr, own), MOST_SHOWN), way=way)


def check_alone(column: str, of: str, others: Sequence[str]) -> None:
    """Reject a column that may be of a class that the annotations lack: ``prob_c`` beside ``prob_a``, for classes a and b."""
    before, _, behind = column.partition(of)
    alike = [name for name in others if (before or behind) and name.startswith(before) and name.endswith(behind)]
    if alike:
        raise error("scores", "have columns only for classes of the annotations", f"a column for class {alike[0]!r}", way=CLASSES_WAY)


def check_named(header: Sequence[str], probable: Iterable[int], classes: Any, add_up: Callable[[list[int]], bool]) -> None:
    """Refuse probabilities under names that are none of two classes, unless they add up to 1: each column may be of one model."""
    if classes is None or len(classes) != 2:  # before any column is read
        return
    columns = [*probable]
    names = [header[c] for c in columns]
    if len(names) < 2 or add_up(columns):
        return
    if not any(alike(name, classes) or len(_without_word(name)) > 1 for name in names):
        way = "if each column is of one model: " + arg("model_columns", names)
        raise error("columns of classes", "be named after them", listed(map(repr, names), MOST_SHOWN), way=way)


def numbers_of(table: CellTable, columns: list[int]) -> Any:
    """Return the numbers of columns of classes; if a column holds words, the error names the way to read them."""
    try:
        return table.numbers(columns)
    except ValueError as problem:
        words = [c for c in columns if all(value[:1].isalpha() for value in table.coded([c])[0].values if value)]
        if not words:
            raise
        way = f"If column {table.header[words[0]]!r} holds predicted labels, name it 'prediction'."
        raise ValueError(words_of(problem) + f" {way}") from None
