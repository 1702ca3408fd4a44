"""Tables of the scores of one or several models, as Predictions."""

from __future__ import annotations

import re
from contextlib import suppress
from functools import partial
from typing import TYPE_CHECKING, Any

import numpy as np

from .._base import identifiers
from .._base.checks import error
from .._base.names import find, listed
from .._base.notes import Note
from .._base.notices import note
from .._base.wording import CLASSES_WAY, arg, within
from .._tabular.case_columns import beside_case
from .._tabular.csv_table import CellTable
from .._tabular.frames import Columns, check_once
from .._tabular.role_words import ALIASES, CASES
from .._tabular.roles import MOST_SHOWN, as_names, case_column, find_roles, is_number, plain
from .class_columns import (
    ONE_SCORE,
    PROBABLE,
    ClassColumns,
    check_alone,
    check_models,
    check_named,
    check_numbered,
    columns_of_classes,
    numbers_of,
)
from .predictions import SUM, Predictions, of_two_classes, one_hot, positive_position

if TYPE_CHECKING:
    from numpy.typing import NDArray

LONG = ("case", "label", "score")
OF_PREDICTIONS = ("", "label", "class", "grade", "category", "diagnosis", "dx")
LABELS = ALIASES["label"] | {first + last for first in ("pred", "prediction", "predicted") for last in OF_PREDICTIONS} | {"ypred"}
NUMBERS = LABELS | ALIASES["score"] | ALIASES["value"] | {"number", "severity", "estimate"}
DECIMAL_COMMA = re.compile(r"[-+]?\d+,\d+")
NO_CLASS = {"", "index", "unnamed0", "fold", "split", "seed", "epoch", "target", "truth", "ytrue"}

Made = tuple[Any, ...]  # the arguments of Predictions


def read_scores(table: CellTable, classes: object = None, positive_class: object = None, on_scale: bool = False) -> Predictions:
    """Return the predictions of a table with one row per score, or one row per case.

    One row per case has a column for each class, for one of two classes, for the predicted label, or for a number on a scale.
    """
    model = _model_column(table)
    asked = Asked(table, classes, positive_class, None, on_scale)
    if asked.is_long():
        if model is not None:
            (cells,) = table.coded([model])
            if len(cells.values) > 1:
                got = f"{len(cells.values)} in the column {table.header[model]!r}"
                raise error("predictions", "be of one model (read_models reads files of several models)", got)
        return _pivoted(*_long(table), slice(None))
    return Predictions(*asked.wide())


def read_frame(
    frame: object, classes: object = None, positive_class: object = None, on_scale: bool = False, *, indexed: bool = False
) -> Predictions:
    """Return the predictions of a long or wide frame; without a column for the case, its rows are the annotated cases in their order.

    ``indexed``: whether the index of a pandas frame names the cases.
    """
    table = Columns.of(frame, with_index=indexed)
    asked = Asked(table, classes, positive_class, None, on_scale)
    if asked.is_long():
        return read_scores(table, classes, positive_class)
    case = [0] if indexed else [c for c, name in enumerate(table.header) if plain(name) in CASES and c not in asked.at]
    if len(case) > 1:
        raise error("frame", "have one column for the case", " and ".join(repr(table.header[c]) for c in case))
    if len(case) == len(table.header):
        raise error("frame", "have columns for classes", listed(map(repr, table.header), MOST_SHOWN))
    return Predictions(*asked.wide(case))


class Asked:
    """A table with one row per case, and the classes of the annotations if they are known."""

    def __init__(self, table: CellTable, classes: object, positive_class: object, model: int | None, on_scale: bool = False) -> None:
        self.table, self.model, self.on_scale = table, model, on_scale
        self.classes = None if classes is None else identifiers.distinct("classes", classes)
        self.positive = None if positive_class is None else positive_position(self.classes, positive_class)
        self.at, self.before, self.behind = self._class_columns()

    def _class_columns(self) -> ClassColumns:
        """Return the columns of classes; none if there are no two classes, or if one lacks."""
        if self.classes is None or len(self.classes) < 2:
            return ClassColumns([])
        return columns_of_classes(self.table.header, self.classes)

    def _add_up(self, columns: list[int]) -> bool:
        """Return whether columns may be those of classes: their numbers add up to 1; what is no number is refused later."""
        with suppress(ValueError):
            return bool((np.abs(self.table.numbers(columns).sum(axis=1) - 1) <= SUM).all())
        return True

    def is_long(self) -> bool:
        return not self.at and bool(_long_roles(self.table))

    def wide(self, case: list[int] | None = None) -> Made:
        """Return cases (None without a column), scores, classes, and whether the scores are labels. ``case``: its column; None: find it."""
        table, header = self.table, self.table.header
        free = [c for c in range(len(header)) if c != self.model and c not in self.at and c not in table.hidden]
        case, others, ids = self._case_among(free, case)
        model = [] if self.model is None else [self.model]
        if model and not others and not self.at:
            raise error("file", "have a column for each class next to the case and the model", f"the columns {listed(header, MOST_SHOWN)}")
        if self.at:
            check_models(header, ClassColumns(self.at, self.before, self.behind), self._add_up)
            table.used = {"model": model, "case": case, "class": self.at}
            scores = table.numbers(self.at)
            self._ignore(others, scores)
            return ids, scores, self.classes, False
        check_numbered(header, self.classes)
        ways = [("number", self._number, self._of_number), ("probability", self._one_score, self._of_score)]
        for role, find_one, made in [*ways, ("label", self._labels, self._of_label)]:
            one = find_one(others)
            if one is not None:
                self._say([c for c in others if c != one])
                table.used = {"model": model, "case": case, role: [one]}
                return (ids, *made(one, ids))
        if any(not header[c] for c in others):
            got = f"a blank one among {listed(map(repr, header), MOST_SHOWN)}"
            raise error("columns", "have names (remove columns that are not classes)", got)
        table.used = {"model": model, "case": case, "class": others}
        check_named(header, filter(self._may_be_probabilities, others), self.classes, self._add_up)
        return ids, numbers_of(table, others), as_names([header[c] for c in others]), False

    def _case_among(self, free: list[int], case: list[int] | None = None) -> tuple[list[int], list[int], NDArray[Any] | None]:
        """Return the column of the case, among those that are neither the model nor a class, the other columns, and the ids of the rows."""
        header = self.table.header
        if case is None and not free:
            raise error("file", "have a column for the case", f"the columns {listed(header, MOST_SHOWN)}")
        if case is None:
            case = [header.index(name) for name in self.table.case.values() if name] or [free[case_column([header[c] for c in free])]]
        return case, beside_case(self.table, case[0] if case else None, free, True), self._ids(case)

    def _ids(self, case: list[int]) -> NDArray[Any] | None:
        """Return the case of each row, which may recur for other models only; None without a column."""
        if not case:
            return None
        named = self.table.numbered(self.table.coded(case)[0], "case")
        if self.model is None:
            self.table.check_once(named, "occur once (for several models, name them in a column model)")
        return named.ids[named.code]

    def _of_number(self, c: int, ids: Any) -> Made:
        found = Predictions.of_numbers(ids, self.table.numbers([c])[:, 0], self.classes)
        return found.scores, found.classes, found.labels, found.numbers

    def _of_score(self, c: int, ids: Any) -> Made:
        assert self.classes is not None
        name = self.table.header[c]
        said = self._class_in(name)
        of = self.positive if said is None else said
        if of != self.positive or (said is None and plain(name) not in ONE_SCORE):
            words = "Column {column!r} was read as the probability of {of}."
            note(Note("one_score", words, column=name, of=identifiers.name(self.classes[of])))
        return of_two_classes(self.table.numbers([c])[:, 0], of, ids, name), self.classes, False

    def _of_label(self, c: int, ids: Any) -> Made:
        return (*one_hot(self.table.numbered(self.table.coded([c])[0], "label")), True)

    def chosen(self, c: int, ids: Any) -> Made:
        """Return the scores of one column that was chosen: labels, numbers on a scale, or probabilities of one of two classes."""
        values = [value for value in self.table.coded([c])[0].values if value]
        known = self.classes is not None and bool((find(self.classes, np.array(values or [""], np.str_)) >= 0).all())
        if known or not self._has_numbers(c):
            return self._of_label(c, ids)
        if self.classes is None or (self.on_scale and self.positive is None):
            return self._of_number(c, ids)
        name, two = self.table.header[c], len(self.classes) == 2
        of = self._class_in(name) if two and self._says_so(name) else self.positive  # model_1 is not about class 1
        if not two:
            raise error("model_columns", "be predicted labels, if there are not two classes", f"numbers in the column {name!r}")
        if of is None:
            first, second = (arg("positive_class", str(one)) for one in self.classes.tolist())
            must = "be given for a column of probabilities of one of two classes"
            raise error("positive_class", must, f"the column {name!r}", way=first + " or " + second)
        return of_two_classes(self.table.numbers([c])[:, 0], of, ids, name), self.classes, False

    def _number(self, others: list[int]) -> int | None:
        """Return the only column of numbers on the scale of the annotations, if there may be one."""
        if not self.on_scale or self.positive is not None:
            return None
        named = [c for c in others if plain(self.table.header[c]) in NUMBERS]
        found = named if len(named) == 1 else [c for c in others if self._has_numbers(c)]
        return found[0] if len(found) == 1 and self._has_numbers(found[0]) else None

    def _one_score(self, others: list[int]) -> int | None:
        """Return the one column of scores of one of two classes; the class is in its name, or named as the positive one."""
        header = self.table.header
        if self.classes is None or len(self.classes) != 2 or len(self._named_as_classes(others)) > 1 or not others:
            return None
        probable = [c for c in others if self._class_in(header[c]) is not None and self._may_be_probabilities(c)]
        found = [c for c in others if plain(header[c]) in ONE_SCORE or self._is_named(c, probable)]
        may_be = self._may_be_probabilities if plain(header[others[0]]) in LABELS else self._has_numbers
        if not found and len(others) == 1 and may_be(others[0]):
            found = others
        labels = [c for c in others if plain(header[c]) in LABELS and c not in probable]
        self._check_one_score(found, labels, probable)
        self._check_alone(found[:1], others)
        return found[0] if found else None

    def _check_alone(self, found: list[int], others: list[int]) -> None:
        """Reject a column that may be of one more class than the annotations have."""
        assert self.classes is not None
        header = self.table.header
        for c, at in [(c, at) for c in found if (at := self._class_in(header[c])) is not None]:
            more = [header[o] for o in others if o != c and self._may_be_probabilities(o)]
            check_alone(header[c], str(self.classes[at]), more)

    def _is_named(self, c: int, probable: list[int]) -> bool:
        """Return whether the name of a column has one of two classes: any if one is named as positive, else for probabilities only."""
        name = self.table.header[c]
        return c in probable and self._says_so(name) if self.positive is None else self._class_in(name) is not None

    def _named_as_classes(self, others: list[int]) -> list[int]:
        """Return the columns that are named like a class."""
        assert self.classes is not None
        names = np.array([self.table.header[c] for c in others] or [""], np.str_)
        return [c for c, k in zip(others, find(self.classes, names).tolist()) if k >= 0]

    def _check_one_score(self, found: list[int], labels: list[int], probable: list[int]) -> None:
        """Reject columns beside predicted labels that may be probabilities, and scores of a class that is not clear."""
        assert self.classes is not None
        header = self.table.header
        if not found and labels and probable:
            way = "remove the other column; for probabilities name a class: " + arg("positive_class")
            got = f"the columns {listed(repr(header[c]) for c in [*labels, *probable])}"
            raise error("file", "have either predicted labels or probabilities", got, way=way)
        of_first = bool(found) and min(self._shares(found[0]), default=0.0) >= 0.5  # as probabilities of predicted classes, also numbers
        labels = [c for c in labels if c not in found and (of_first or not self._has_numbers(c))]
        if found and labels and self._class_in(header[found[0]]) is None:
            must = "name the class of its probabilities in the name of their column (those of the predicted class are of two classes)"
            raise error("file", must, f"the columns {header[labels[0]]!r} and {header[found[0]]!r}")
        asked = self.positive is None and len(found) == 1 and not self._says_so(header[found[0]])
        if asked or len(found) > 1:
            first, second = map(str, self.classes.tolist())
            must = f"have a column for each of the classes {first!r} and {second!r}, or one of probabilities and its class"
            way = arg("positive_class") if asked else "remove the other columns"
            raise error("predictions", must, "the column " + " and ".join(repr(header[c]) for c in found), way=way)

    def _shares(self, c: int) -> list[float]:
        """Return the numbers of a column if all are from 0 to 1; else none."""
        values = filter(None, self.table.coded([c])[0].values)
        points = [value.replace(",", ".") if DECIMAL_COMMA.fullmatch(value) else value for value in values]
        numbers = [float(value) if is_number(value) else -1.0 for value in points]
        return numbers if all(0 <= one <= 1 for one in numbers) else []

    def _may_be_probabilities(self, c: int) -> bool:
        """Return whether a column has numbers from 0 to 1, not all of them 0 and 1."""
        return any(0 < one < 1 for one in self._shares(c))

    def _says_so(self, name: str) -> bool:
        """Return whether a column is named after a class and, if it has more words, probabilities: ``malignant``, ``prob_malignant``.

        Beside a class of one sign, or of digits, there must be no other words: ``model_1`` is not about class 1.
        """
        at = self._class_in(name)
        if at is None:
            return False
        assert self.classes is not None
        one = str(self.classes[at])
        if plain(re.sub(rf"(?<![^\W_]){re.escape(one)}(?![^\W_])", " ", name)) in PROBABLE:
            return True
        return len(one) > 1 and not is_number(one) and not PROBABLE.isdisjoint(plain(word) for word in re.split(r"[\W_]+", name) if word)

    def _class_in(self, name: str) -> int | None:
        """Return the one of the classes whose name is a word of a column's name, or several; the longest one that is found."""
        assert self.classes is not None
        names = [str(one) for one in self.classes.tolist()]
        found = [k for k, one in enumerate(names) if re.search(rf"(?<![^\W_]){re.escape(one)}(?![^\W_])", name)]
        longest = max(found, key=lambda k: len(names[k]), default=None)
        return longest if longest is not None and all(names[k] in names[longest] for k in found) else None

    def _labels(self, others: list[int]) -> int | None:
        """Return the column of predicted labels, if no column is a class."""
        header = self.table.header
        found = [c for c in others if plain(header[c]) in LABELS]
        if self.classes is None:  # without classes a column of numbers may have any meaning
            return found[0] if found == others and len(found) == 1 and not self._has_numbers(found[0]) else None
        if not found or self._named_as_classes(others):
            return None
        if len(found) > 1:
            raise error("file", "have one column of predicted labels (remove the others)", " and ".join(repr(header[c]) for c in found))
        of_classes = [header[c] for c in others if c not in found and self._may_be_probabilities(c) and self._says_so(header[c])]
        if len(of_classes) > 1:
            must = "have probabilities of every class, or predicted labels alone (remove the other columns)"
            got = f"{header[found[0]]!r} and those of {len(of_classes)} of {len(self.classes)} classes, {listed(map(repr, of_classes))}"
            raise error("file", must, got)
        return found[0]

    def _has_numbers(self, c: int) -> bool:
        """Return whether a column has numbers, also with decimal commas if no cell is a class."""
        values = self.table.coded([c])[0].values
        if any(map(is_number, values)) or self.classes is None or not any(map(DECIMAL_COMMA.fullmatch, values)):
            return any(map(is_number, values))
        return bool((find(self.classes, np.array([value for value in values if value], np.str_)) < 0).all())

    def _ignore(self, others: list[int], scores: NDArray[np.float64]) -> None:
        """Leave out columns that are not classes, and reject those that may be one."""
        header = self.table.header
        whole = (scores >= 0).all() and bool((np.abs(scores.sum(axis=1) - 1) <= SUM).all())
        for c in others:
            alike = (self.before or self.behind) and header[c].startswith(self.before) and header[c].endswith(self.behind)
            if alike or not (self.before or self.behind or whole or plain(header[c]) in NO_CLASS | LABELS or not self._has_numbers(c)):
                must = "have columns only for classes of the annotations"
                way = CLASSES_WAY if alike else CLASSES_WAY + ", or remove columns that are not classes"
                raise error("scores", must, f"a column for class {header[c]!r}", way=way)
        if self.before or self.behind:
            note(Note("named_columns", "Columns of classes are named {pattern!r}.", pattern=f"{self.before}...{self.behind}"))
        self._say(others)

    def _say(self, others: list[int]) -> None:
        names = [self.table.header[c] for c in others if self.table.header[c]]
        if names:
            note(Note("unused_columns", "Columns that are not classes were left out: {names}.", names=listed(map(repr, names))))


def read_scores_of_models(
    table: CellTable, classes: object = None, positive_class: object = None, on_scale: bool = False
) -> dict[str, Predictions]:
    """Return the predictions of each model of a table with a column that names the model, in order of first appearance."""
    column = _model_column(table)
    if column is None:
        raise error("file", "have a column model", f"the columns {listed(table.header, MOST_SHOWN)}")
    (cells,) = table.coded([column])
    model = table.numbered(cells, "model")
    asked = Asked(table, classes, positive_class, column, on_scale)
    of_rows = partial(_pivoted, *_long(table)) if asked.is_long() else partial(_taken, *asked.wide())
    found = {}
    for m, name in enumerate(map(str, model.ids.tolist())):
        try:
            found[name] = of_rows(np.flatnonzero(model.code == m))
        except ValueError as problem:
            raise within(f"model {name!r}", problem) from None
    return found


def read_columns_of_models(
    table: CellTable, columns: list[int], classes: object = None, positive_class: object = None, on_scale: bool = False
) -> dict[str, Predictions]:
    """Return the predictions of each model of a table with one row per case and one column per model, named after the column."""
    asked = Asked(table, classes, positive_class, None, on_scale)
    case, _, ids = asked._case_among([c for c in range(len(table.header)) if c not in columns and c not in table.hidden])
    table.used = {"case": case, "model": columns}
    return {table.header[c]: Predictions(ids, *asked.chosen(c, ids)) for c in columns}


def _long_roles(table: CellTable) -> dict[str, int]:
    """Return the columns of a table with one row per score; none for a wide one (whose classes may have names of a case column)."""
    if len(find_roles(table.header, {}, LONG[1:])) < 2:
        return {}
    roles = find_roles(table.header, table.case, LONG)
    return roles if len(roles) == len(LONG) else {}


def _model_column(table: CellTable) -> int | None:
    return find_roles(table.header, {}, ("model",)).get("model")


def _long(table: CellTable) -> tuple[identifiers.Column, identifiers.Column, NDArray[np.float64]]:
    """Return case, class and score of a table with one row per score."""
    roles = find_roles(table.header, table.case, LONG)
    model = _model_column(table)
    table.used = {**({} if model is None else {"model": [model]}), **{role: [c] for role, c in roles.items()}}
    case, label = table.coded([roles["case"]], [roles["label"]])
    return table.numbered(case, "case"), table.numbered(label, "class"), table.numbers([roles["score"]])[:, 0]


def _taken(cases: NDArray[Any], scores: NDArray[np.float64], classes: Any, *kind_and_rows: Any) -> Predictions:
    *kind, rows = kind_and_rows
    return Predictions(cases[rows], scores[rows], classes, *kind)


def _pivoted(case: identifiers.Column, label: identifiers.Column, score: NDArray[np.float64], rows: Any) -> Predictions:
    """Return some rows of a long table as predictions; reject them unless each case has one score for each class."""
    row, first = identifiers.factorize(np.ascontiguousarray(case.code[rows]))
    column, at = identifiers.factorize(np.ascontiguousarray(label.code[rows]))
    cases, classes = case.ids[case.code[rows][first]], label.ids[label.code[rows][at]]
    check_once(row, column, cases, classes)
    scores, absent = (np.full((len(cases), len(classes)), fill) for fill in (0.0, True))
    scores[row, column] = score[rows]
    absent[row, column] = False
    if absent.any():
        i, k = np.argwhere(absent)[0]
        where = f"case {identifiers.name(cases[i])}, class {identifiers.name(classes[k])}"
        single = " (from files with one label per case, remove the scores)" if len(cases) == len(row) else " (0 is a score, too)"
        raise error("scores", f"be given for every case and class{single}", f"none for {int(absent.sum())} of {absent.size}", where)
    return Predictions(cases, scores, classes)
