"""The truth of the cases of a reader study: 0/1, probabilities, labels of a panel, or an uncertain truth."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from .._base import identifiers
from .._base.arrays import Array, NDArray
from .._base.checks import error
from .._base.names import look, positive_by_default, positive_of
from .._base.notes import Note
from .._base.wording import arg
from ..annotations import Labels
from ..plausibilities import Plausibilities
from ..resampling import ids_of_cases
from ..soft.input import shares
from .readings import Readings


class CaseTruth(NamedTuple):
    """The probability p (N,) that each case is positive; if its annotators are known, also p without each of them, (A, N).

    ``without`` is NaN for cases that have no label without an annotator; ``share`` (A,) is each annotator's share of the labels.
    """

    p: Array
    without: Array | None = None
    share: Array | None = None
    single: int = 0  # annotators with one label, who count in p but are not left out one by one

    def take(self, cases: Any) -> CaseTruth:
        """Return the truth of some cases."""
        return self._replace(p=self.p[cases], without=None if self.without is None else self.without[:, cases])

    @property
    def is_hard(self) -> bool:
        """Whether every case is positive or negative with certainty."""
        return bool(((self.p == 0) | (self.p == 1)).all())


def read_truth(truth: object, readings: Readings, positive: object) -> CaseTruth:
    """Return the truth of every case that was read; refuse one that the readers made."""
    if isinstance(truth, (Labels, Plausibilities)):
        rows, column = _rows(truth.axes, readings), _positive_class(truth.axes.classes, positive)
        if not isinstance(truth, Labels):
            return CaseTruth(_checked(truth.mean()[rows, column], readings))
        looks = {look(str(name)) for name in truth.annotators.tolist()}
        own = [name for name in readings.readers.tolist() if look(str(name)) in looks]
        if own and not readings.unnamed:
            got = f"{len(own)} of them" if len(own) > 1 else "one of them"
            raise error("truth", "be made without the readers that it judges", got, f"reader {identifiers.name(own[0])}")
        return _of_panel(truth, rows, column, readings)
    given = ids_of_cases("truth", truth, readings.n_cases, readings.case_ids)
    words = given.dtype.kind in "OU" and any(isinstance(one, str) for one in given.tolist())
    if positive is not None and not words:
        raise error("positive", "be left out for a truth of numbers", repr(positive))
    if positive is not None:
        missing = np.array([identifiers.is_null(one) for one in given.tolist()])
        found = np.array([str(one) == str(positive) for one in given.tolist()], np.float64)
        if not found.any():
            raise error("positive", "be a class that a case of the truth has", repr(positive))
        return CaseTruth(_checked(np.where(missing, np.nan, found), readings))
    try:
        numbers = given.astype(np.float64)
    except (TypeError, ValueError):
        must, way = "be 0, 1 or probabilities of being positive", "for names of classes give the positive one as " + arg("positive", ...)
        raise error("truth", must, repr(given.reshape(-1)[0]), way=way) from None
    return CaseTruth(_checked(numbers, readings))


def _rows(axes: Any, readings: Readings) -> NDArray[Any]:
    """Return the rows of the readings' cases in a truth with ids; by position if one of the two has no ids."""
    if axes.numbered or readings.numbered:
        if axes.n_cases != readings.n_cases:
            raise error("truth", f"have the {readings.n_cases} cases of the readings, or case ids in common", axes.n_cases)
        return np.arange(readings.n_cases)
    place = {str(case): i for i, case in enumerate(axes.case_ids.tolist())}
    return ids_of_cases("truth", place, readings.n_cases, readings.case_ids)


def _positive_class(classes: NDArray[Any], positive: object) -> int:
    names = [str(name) for name in classes.tolist()]
    if positive is None:
        return positive_of(names, "positive", "a truth")
    if str(positive) not in names:
        raise error("positive", f"be one of the classes {', '.join(map(repr, names[:12]))}", repr(positive))
    return names.index(str(positive))


def positive_note(truth: object, positive: object) -> list[Note]:
    """Return a note on the positive class of a truth of classes with names, if it was not given."""
    if positive is not None or not isinstance(truth, (Labels, Plausibilities)):
        return []
    return positive_by_default(truth.axes.classes.tolist(), "positive")


def _checked(p: Array, readings: Readings) -> Array:
    """Return probabilities of all cases that were read; other cases may be missing."""
    read = readings.read.any(axis=(0, 1))
    if not read.any():
        raise error("readings", "hold a rating", "none")
    wrong = ~((p >= 0) & (p <= 1)) & read
    if wrong.any():
        i = int(np.argmax(wrong))
        must = "be known for every case that was read" if np.isnan(p[i]) else "be from 0 to 1"
        raise error("truth", must, p[i], f"case {identifiers.name(readings.case_ids[i])}")
    if (p[read] == 0).all() or (p[read] == 1).all():
        raise error("truth", "leave a positive and a negative case", f"{'negative' if (p[read] == 0).all() else 'positive'} cases only")
    return np.ascontiguousarray(p)


def _of_panel(labels: Labels, rows: NDArray[Any], column: int, readings: Readings) -> CaseTruth:
    p = _checked(shares(labels)[rows, column], readings)
    n = len(labels.annotators)
    each = np.array([labels._weighted_counts(one).sum(axis=1)[rows].sum() for one in np.eye(n)])
    who, single = np.flatnonzero(each > 1), int((each == 1).sum())
    if len(who) == 0:
        return CaseTruth(p)
    without = np.array([shares(labels, 1.0 - np.eye(n)[a])[rows, column] for a in who])
    return CaseTruth(p, without, each[who] / each[who].sum(), single)


def panel_variance(value: Array, without: Array, share: Array) -> Array:
    """Return the variance (...,) by leaving out each of A annotators with these shares of the labels; ``without`` (A, ...) are the values.

    The jackknife of Busing, Meijer & van der Leeden (1999) for groups of unequal size; NaN if a value is undefined without an annotator.
    """
    h = (1 / share).reshape(-1, *[1] * np.ndim(value))
    pseudo = h * value - (h - 1) * without
    return np.asarray(((pseudo - pseudo.mean(axis=0)) ** 2 / (h - 1)).mean(axis=0))
