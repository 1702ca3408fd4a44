"""Labels of some cases, and the scores that a judge gave to all of them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any, NamedTuple

import numpy as np

from .._base import identifiers
from .._base.arrays import Array, Int64, NDArray
from .._base.checks import error, instance, option
from .._base.names import alike
from .._base.notes import Note
from .._base.ragged import offsets_of, row_at, row_of
from .._base.wording import OTHERS_OUT, arg
from .._tabular.rows import finite_numbers, is_number
from ..annotations import Labels, Ratings
from ..annotations.named import Sheet, check_counted, per_case
from ..annotations.other_annotators import of_cases
from ..humans.distance_rule import checked, numbers_of
from ..resampling import ids_of_cases, seed_of
from .folds import scores_by_folds


class JudgedCases(NamedTuple):
    """Numbers that annotators gave to some of N cases, and the judge's numbers (N,)."""

    labels: Ratings
    judge: Array
    left_out: int = 0  # labelled cases without a score

    @property
    def notes(self) -> list[Note]:
        """What the left out cases mean for the result."""
        if not self.left_out:
            return []
        cases, were = ("case", "was") if self.left_out == 1 else ("cases", "were")
        words = "{n} labelled {cases} without a score of the judge {were} left out: the mean is of the cases that it scored."
        return [Note("unscored_left_out", words, n=self.left_out, cases=cases, were=were)]


def read(labels: Any, judge: Any, values: Any, missing: str = "error", folds: object = None, seed: object = 0) -> JudgedCases:
    """Return numbers for labels and verdicts, with the cases that only the judge has behind those of the labels.

    A judge that is a function is fitted to the labels by folds.
    """
    drop = option("missing", missing, ("error", "drop")) == "drop"
    ratings, words, worth = _numbered(labels, values)
    seed_of(seed)
    if callable(judge):
        judge = scores_by_folds(ratings, judge, folds, seed)
    elif folds is not None:
        must = "be given with a judge that is a function of labelled cases and their mean labels, which it is fitted to"
        raise error("folds", must, f"folds beside a judge that is a {type(judge).__name__}")
    return _joined(ratings, judge, words, worth, drop)


def _numbered(labels: Any, values: Any) -> tuple[Ratings, NDArray[Any], Array]:
    """Return labels as numbers, and the names and numbers of the verdicts that a judge may give."""
    instance("labels", labels, (Labels, Ratings), "be Labels or Ratings")
    if isinstance(labels, Ratings):
        if values is not None:
            raise error("values", "be given for Labels only", "Ratings")
        checked(labels.value, "labels", lambda i: f"case {identifiers.name(labels.case_ids[row_at(labels.offsets, i)])}")
        return labels, np.empty(0), np.empty(0)
    classes = labels.axes.classes
    named = {str(name): one for name, one in values.items()} if hasattr(values, "keys") else None
    number = numbers_of(classes, values if named is None else _in_order(named, classes))
    words, worth = (classes, number) if named is None else _with_others(classes, number, named)
    case = np.repeat(row_of(labels.offsets), labels.count)
    sizes = np.bincount(case, minlength=labels.n_cases)
    rows = np.repeat(labels.annotator, labels.count), number[np.repeat(labels.label, labels.count)]
    scale = tuple(np.unique(number).tolist())
    return Ratings(labels.axes.case_ids, labels.annotators, offsets_of(sizes), *rows, labels.axes.numbered, scale), words, worth


def _in_order(values: dict[str, Any], classes: NDArray[Any]) -> list[Any]:
    """Return the values of a mapping in the order of the classes."""
    for name, one in values.items():
        if not is_number(one):
            raise error("values", "be numbers", repr(one), f"class {name}")
    names = np.array([*values, ""])
    for one in classes.tolist():
        if str(one) not in values:
            raise error("values", "have a number for every class", f"none for {identifiers.name(one)}{alike(str(one), names)}")
    return [values[str(one)] for one in classes.tolist()]


def _with_others(classes: NDArray[Any], number: Array, values: dict[str, Any]) -> tuple[NDArray[Any], Array]:
    """Return the classes and their numbers, and those that a mapping has for verdicts that only the judge may give."""
    known = set(map(str, classes.tolist()))
    others = [name for name in values if name not in known]
    if not others or not identifiers.is_text(classes):
        return classes, number
    names = np.array(others)
    return np.concatenate([classes, names]), np.concatenate([number, numbers_of(names, [values[name] for name in others])])


def of_rows(labels: Ratings, rows: NDArray[np.intp]) -> Ratings:
    """Return the ratings of some cases, with their annotators only."""
    held: Ratings = of_cases(labels, rows.astype(np.int64))
    who, annotator = np.unique(held.annotator, return_inverse=True)
    return replace(held, annotators=held.annotators[who], annotator=annotator.reshape(-1).astype(np.int32))


def _scored(labels: Ratings, known: NDArray[np.bool_]) -> tuple[Ratings, int]:
    """Return the labels of cases with a score, and the number of labelled cases without."""
    if known.all():
        return labels, 0
    return of_rows(labels, np.flatnonzero(known)), int((np.diff(labels.offsets) > 0)[~known].sum())


def _without_score(given: NDArray[Any]) -> NDArray[np.bool_]:
    """Return which entries are None or NaN."""
    if given.dtype.kind not in "fO":
        return np.zeros(len(given), bool)
    return np.array([one is None or (isinstance(one, (float, np.floating)) and bool(np.isnan(one))) for one in given.tolist()], bool)


def _joined(labels: Ratings, judge: object, classes: NDArray[Any], number: Array, drop: bool) -> JudgedCases:
    """Return the labels with the cases of the judge, and its numbers."""
    ids, given = _by_id(judge)
    check_counted("judge", Sheet(None, counted=identifiers.is_numbered(identifiers.index_of(judge))), labels.case_ids)
    if ids is None:
        if len(given) != labels.n_cases:
            must = f"be one score for each of the {labels.n_cases} cases (cases without labels, too: name them with cases=, or give ids)"
            raise error("judge", must, len(given))
        left_out = 0
        if drop:
            known = ~_without_score(given)
            (labels, left_out), given = _scored(labels, known), given[known]
        return JudgedCases(labels, _numbers(given, labels.case_ids, classes, number), left_out)
    names, cases, left_out = identifiers.distinct("judge", ids), labels.case_ids, 0
    if drop:
        known = ~_without_score(given)
        names, given = names[known], given[known]
    if identifiers.is_text(names) != identifiers.is_text(cases):
        names, cases = names.astype(str), cases.astype(str)
    at = identifiers.lookup(names, cases)
    if drop and (at >= 0).any():
        labels, left_out = _scored(labels, at >= 0)
        cases, at = cases[at >= 0], at[at >= 0]
    if (at < 0).any():
        got, i = f"none for {int((at < 0).sum())} of {len(cases)} cases", int(np.argmax(at < 0))
        if len(names) and (at < 0).all():
            got += f": its ids are others, such as {identifiers.name(names[0])}"
        where = f"case {identifiers.name(labels.case_ids[i])}{alike(cases[i], names)}"
        raise error("judge", "have a score for every case", got, where, way=OTHERS_OUT)
    others = np.ones(len(names), bool)
    others[at] = False
    order = np.concatenate([at, np.flatnonzero(others)])
    offsets = np.append(labels.offsets, np.full(int(others.sum()), labels.offsets[-1])).astype(np.int64)
    held = Ratings(np.append(cases, names[others]), labels.annotators, offsets, labels.annotator, labels.value, scale=labels.scale)
    return JudgedCases(held, _numbers(given[order], held.case_ids, classes, number), left_out)


def _by_id(judge: Any) -> tuple[Any, NDArray[Any]]:
    """Return the ids of cases, None if scores have none, and the scores."""
    ids: Any
    if isinstance(judge, Mapping):
        ids, given = list(judge), list(judge.values())
    elif isinstance(judge, tuple) and len(judge) == 2 and all(np.ndim(part) == 1 for part in judge):
        ids, given = judge
        if len(ids) != len(given):
            raise error("judge", "have as many case ids as scores", f"{len(ids)} and {len(given)}")
    elif (sheet := per_case("judge", judge)) is not None:
        ids, given = None if sheet.rows is None else sheet.rows.tolist(), sheet.values
    else:
        ids, given = None, judge
    try:
        column = identifiers.unmasked(given)
    except ValueError:
        column = np.empty((0, 0))
    if column.ndim != 1:
        raise error("judge", "be one score per case", f"shape {column.shape}")
    return ids, column


def _numbers(given: NDArray[Any], cases: NDArray[Any], classes: NDArray[Any], number: Array) -> Array:
    """Return the judge's numbers; verdicts that are names of classes have the numbers of these."""

    def where(i: int) -> str:
        return f"case {identifiers.name(cases[i])}"

    cells = given.tolist() if given.dtype.kind == "O" else []
    if given.dtype.kind == "b" or (cells and all(isinstance(cell, (bool, np.bool_)) for cell in cells)):
        return given.astype(np.float64)
    if given.dtype.kind not in "US" and not any(isinstance(cell, str) for cell in cells):
        must = "be a finite number (" + arg("missing", "drop") + " leaves out cases without a score)"
        return checked(finite_numbers("judge", given, where, nulls=True, finite=must), "judge", where)
    if not (len(classes) and identifiers.is_text(classes)):
        i = next((i for i, cell in enumerate(given.tolist()) if not identifiers.NUMBER.fullmatch(str(cell))), 0)
        raise error("judge", "be numbers, unless labels are of classes with names", repr(str(given[i])), where(i))
    column = identifiers.number("judge", given, where)
    at: Int64 = identifiers.lookup(classes, column.ids).astype(np.int64)
    if (at < 0).any():
        i = int(column.first[int(np.argmax(at < 0))])
        must, way = f"be one of the {len(classes)} classes, or numbers", arg("values", ...) + " may give numbers to further verdicts"
        raise error("judge", must, identifiers.name(given[i]), f"{where(i)}{alike(given[i], classes)}", way=way)
    return number[at[column.code]]


def probabilities_of(given: object, n: int, ids: NDArray[Any]) -> Array:
    """Return the probability with which each case was chosen to be labelled."""
    column = ids_of_cases("probabilities", given, n, ids, what="a number")

    def where(i: int) -> str:
        return f"case {identifiers.name(ids[i])}"

    found = column.astype(np.float64) if column.dtype.kind == "b" else finite_numbers("probabilities", column, where, nulls=True)
    if not ((found > 0) & (found <= 1)).all():
        i = int(np.argmin((found > 0) & (found <= 1)))
        must = "be above 0 and at most 1 (leave out cases that could not be chosen: the mean is then of the others)"
        raise error("probabilities", must, found[i], where(i))
    return found


def strata_of(given: NDArray[Any], labelled: NDArray[Any]) -> Int64:
    """Return the number of the stratum of each case; refuse strata with fewer than two labelled cases."""
    column = identifiers.number("strata", given)
    n = np.bincount(column.code[labelled], minlength=len(column.ids))
    if (n < 2).any():
        must = "have at least 2 labelled cases each (merge small strata)"
        raise error("strata", must, int(n.min()), f"stratum {identifiers.name(column.ids[int(np.argmin(n))])}")
    return column.code.astype(np.int64)
