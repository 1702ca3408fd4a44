"""Distances between the annotators of each case, and from each of them to predictions: the parts of discrepancies [C].

Pairs are enumerated only for Python functions and for masks, whose intersections are counted in the core.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any, Callable, NamedTuple

import numpy as np

from .._base import parallel
from .._base.arrays import Array, Bools, Int32, Int64, NDArray
from .._base.axes import Frozen
from .._base.checks import error
from .._base.ragged import row_at
from .._core import _pairs, _tables
from ..annotations import Labels, Masks, Ratings
from .distance_rule import CalledPairs, Measure, Rule, checked, numbers_of, rule_of_labels, rule_of_masks, rule_of_numbers, warn

Task = Callable[[int, int, Any], Any]  # fills the entries of the cases from begin to end
CASES = 2**14  # at a time
CELLS = 2**20  # probabilities, or words of masks, at a time


@dataclass(frozen=True, eq=False)
class Distances(Frozen):
    """The distances between the annotators of each case, and from each of them to the predictions of M models.

    An entry is an annotator of a case, with all of their labels; if only counts are known, it is a class of a case.
    """

    offsets: Int64  # (N + 1,) the entries of case i are offsets[i] to offsets[i + 1], in the order of their first labels
    annotator: Int32  # (E,) position among the annotators; -1 if only counts are known
    count: Int64  # (E,) number of annotators that the entry stands for
    to_others: Array  # (E,) sum over the case's other annotators (also of the same entry) of the mean over all pairs of their labels
    to_model: Array  # (M, E) mean over the entry's labels of the distance to the prediction, expected for probabilities; NaN without one


def distances(annotations: Labels | Ratings | Masks, predictions: Sequence[Any], distance: object, *, values: object = None) -> Distances:
    r"""Return distances ψ(Y, Y') = mean over y in Y and y' in Y' of δ(y, y') [C eq. 1], in time linear in labels (for masks: in pairs).

    Parameters
    ----------
    predictions : sequence of M models' predictions
        For Labels: whole numbers (N,), positions of classes, -1 for none; or numbers (N,), NaN for none, if the distance is one of
        numbers or a function; or probabilities (N, K), a row of NaN for none. For Ratings: numbers (N,), NaN for none. For Masks:
        the argument of :meth:`Masks.predicted`.
    distance : str, tuple, (K, K) array or function
        For labels and ratings "squared", "absolute", "zero-one" or ``("threshold", size)``, which is max(0, |y - y'| - size), 0 up to a
        relative rounding of 1e-12; for labels also a table of costs: symmetric, not negative, 0 on the diagonal. For masks "jaccard" or
        "dice": 1 - |A ∩ B| / |A ∪ B| or 1 - 2 |A ∩ B| / (|A| + |B|), 0 if both are empty; others as
        in ``mask_distances``. A function of two labels (names of classes, or their ``values``), ratings, masks (arrays of bool) or label
        sets (frozensets) must be symmetric; it is called once per pair, in either order.
    values : (K,) array of numbers, optional
        The numbers that the classes of Labels stand for in distances of numbers. Default: the classes, if they are integers.
    """
    layout = Layout.of(annotations)
    if values is not None and not isinstance(annotations, Labels):
        raise error("values", "be given for Labels only", type(annotations).__name__)
    measured = _of_labels if isinstance(annotations, Labels) else _of_ratings if isinstance(annotations, Ratings) else _of_masks
    others, models = measured(annotations, list(predictions), distance, values, layout)  # type: ignore[arg-type]
    for array in (others, models, layout.offsets, layout.size):
        array.flags.writeable = False  # so that freezing does not copy them
    return Distances(layout.offsets, layout.annotator, layout.size, others, models)


class Layout(NamedTuple):
    """The entries of cases, and the rows of entries: ``order`` puts rows in the order of the entries, None if they already are."""

    offsets: Int64
    annotator: Int32
    size: Int64
    row_offsets: Int64 | None
    order: Int64 | None
    times: Int64 | None
    core: _pairs.Entries

    @classmethod
    def of(cls, annotations: Any) -> Layout:
        """Return the layout: the rows of an annotator in a case are one entry; a row without an annotator is an entry of its own."""
        who = annotations.annotator
        count = annotations.count if isinstance(annotations, Labels) else np.ones(len(who), np.int64)
        offsets, entry_of, n = _pairs.find_entries(annotations.offsets, who, len(annotations.annotators))
        times = count if count.max(initial=1) > 1 and (count[who >= 0] > 1).any() else None
        row_offsets = order = None
        if n < len(who):
            row_offsets, order = _tables.group(entry_of.astype(np.int32), n)
            times = None if times is None else times[order]
            who, count = who[order[row_offsets[:-1]]], count[order[row_offsets[:-1]]]
        if times is not None:
            count = np.where(who >= 0, 1, count)
        core = _pairs.Entries(offsets, row_offsets, count, times, len(entry_of))
        return cls(offsets, who, count, row_offsets, order, times, core)

    def rows(self, column: NDArray[Any]) -> NDArray[Any]:
        """Return a column of the annotations in the order of the entries."""
        return column if self.order is None else column[self.order]

    def shares(self, entry: int) -> tuple[Int64, Array]:
        """Return the rows of an entry, in the order of the entries, and the share of each."""
        bounds = (entry, entry + 1) if self.row_offsets is None else self.row_offsets[entry : entry + 2]
        rows = np.arange(*bounds, dtype=np.int64)
        times = np.ones(len(rows)) if self.times is None else self.times[rows]
        return rows, times / times.sum()

    def run(self, task: Task, out: Array, chunk: int = CASES) -> None:
        """Let a task fill the entries (E,)."""
        parallel.run(lambda begin, end: task(begin, end, out), len(self.offsets) - 1, chunk, "measuring distances")

    def measure(self, others: tuple[Task, int], models: Sequence[tuple[Task, int]]) -> tuple[Array, Array]:
        """Return what tasks fill in, (E,) and (M, E); each comes with the number of cases that it takes at a time."""
        to_others, to_model = np.zeros(len(self.size)), np.zeros((len(models), len(self.size)))
        self.run(others[0], to_others, others[1])
        for out, (task, chunk) in zip(to_model, models):
            self.run(task, out, chunk)
        return to_others, to_model

    def call(self, pairs: CalledPairs, laws: list[Any]) -> tuple[Array, Array]:
        """Return the same distances by a function; laws give the possible labels of a prediction with their probabilities."""
        if isinstance(pairs.measure, Measure):
            warn()
        to_others, to_model = np.zeros(len(self.size)), np.full((len(laws), len(self.size)), np.nan)
        pairs.fill_others(to_others)
        for m, law in enumerate(laws):
            pairs.fill_model(m, law, to_model[m])
        return to_others, to_model


# ---- labels ----


def _of_labels(labels: Labels, predictions: list[Any], distance: object, values: object, layout: Layout) -> tuple[Array, Array]:
    rule = rule_of_labels(distance, labels.axes.classes)
    if values is not None and rule.kind == "class":
        raise error("values", "be given for distances of numbers only", f"distance {distance if rule.cost is None else 'by costs'!r}")
    number = None if rule.kind == "class" or (values is None and rule.kind == "function") else numbers_of(labels.axes.classes, values)
    given = [_numbers_or_positions(p, labels) for p in predictions]
    label = layout.rows(labels.label)
    if rule.function is not None:
        return _called_on_labels(labels, given, rule, number, layout, label)
    core, per = rule.core(labels.n_classes, number), max(1, CELLS // labels.n_classes)
    if number is None:
        others, predicted = partial(layout.core.classes, core, label), partial(layout.core.predicted_classes, core, label)
    else:
        value = number[label]
        others, predicted = partial(layout.core.numbers, core, value), partial(layout.core.predicted_numbers, core, value)
        given = [p if p.ndim == 2 or p.dtype.kind == "f" else np.append(number, np.nan)[p] for p in given]
    expected = partial(_expected, labels, layout, core, label)
    return layout.measure((others, CASES), [(partial(expected, p), per) if p.ndim == 2 else (partial(predicted, p), CASES) for p in given])


def _expected(labels: Labels, layout: Layout, core: _pairs.Distance, label: Any, p: NDArray[Any], begin: int, end: int, out: Array) -> None:
    fault = layout.core.probabilities(core, label, np.ascontiguousarray(p[begin:end], np.float64), begin, end, out)
    if fault >= 0:
        got = np.array2string(p[fault], threshold=8, precision=4)
        raise error("predictions", "be probabilities that add up to 1 (within 1e-4)", got, f"case {labels.axes.case_name(fault)}")


def _numbers_or_positions(given: NDArray[Any], labels: Labels) -> NDArray[Any]:
    """Return (N,) int64 positions of classes or float64 numbers; return probabilities (N, K) unchanged."""
    if given.dtype.kind == "f" and given.ndim == 1:
        return checked(np.ascontiguousarray(given, np.float64), "predictions", lambda i: f"case {labels.axes.case_name(i)}", missing=True)
    return given if given.ndim == 2 else np.ascontiguousarray(given, np.int64)


def _called_on_labels(
    labels: Labels, given: list[NDArray[Any]], rule: Rule, number: Array | None, layout: Layout, label: Int32
) -> tuple[Array, Array]:
    names = (labels.axes.classes if number is None else number).tolist()
    measure = Measure(rule.function, kept=True)  # type: ignore[arg-type]
    pairs = CalledPairs(layout, lambda r: names[label[r]], measure, labels, labels.axes.case_name)

    def law(p: NDArray[Any], i: int) -> list[tuple[float, Any]]:
        if p.ndim == 2:
            row = p[i].astype(np.float64)
            return [] if np.isnan(row).all() else [(q / row.sum(), name) for q, name in zip(row.tolist(), names) if q > 0]
        if p.dtype.kind == "f":
            return [] if np.isnan(p[i]) else [(1.0, float(p[i]))]
        return [] if p[i] < 0 else [(1.0, names[p[i]])]

    core, per = Rule("class").core(labels.n_classes), max(1, CELLS // labels.n_classes)
    for p in given:
        if p.ndim == 2:  # only to check the probabilities
            layout.run(partial(_expected, labels, layout, core, label, p), np.empty(len(layout.size)), per)
    return layout.call(pairs, [partial(law, p) for p in given])


# ---- ratings ----


def _of_ratings(ratings: Ratings, predictions: list[Any], distance: object, values: None, layout: Layout) -> tuple[Array, Array]:
    rule = rule_of_numbers(distance)
    value = checked(layout.rows(ratings.value), "ratings", lambda r: f"case {ratings.case_name(row_at(ratings.offsets, r))}")
    given = [
        checked(np.ascontiguousarray(p, np.float64), "predictions", lambda i: f"case {ratings.case_name(i)}", missing=True)
        for p in predictions
    ]
    if rule.function is not None:
        measure = Measure(rule.function, kept=False)
        pairs = CalledPairs(layout, lambda r: float(value[r]), measure, ratings, ratings.case_name)
        return layout.call(pairs, [lambda i, p=p: [] if np.isnan(p[i]) else [(1.0, float(p[i]))] for p in given])
    if rule.kind == "class":
        names, code = np.unique(np.concatenate([value, *given]), return_inverse=True)
        core, label = rule.core(max(1, len(names))), code[: len(value)].astype(np.int32)
        columns = [np.where(np.isnan(p), -1, c) for p, c in zip(given, np.split(code[len(value) :], max(1, len(given))))]
        others, predicted = partial(layout.core.classes, core, label), partial(layout.core.predicted_classes, core, label)
        return layout.measure((others, max(CASES, len(names))), [(partial(predicted, column), CASES) for column in columns])
    core = rule.core()
    others, predicted = partial(layout.core.numbers, core, value), partial(layout.core.predicted_numbers, core, value)
    return layout.measure((others, CASES), [(partial(predicted, p), CASES) for p in given])


# ---- masks ----


def _of_masks(masks: Masks, predictions: list[Any], distance: object, values: None, layout: Layout) -> tuple[Array, Array]:
    rule = rule_of_masks(distance, masks)
    given = [masks.predicted(p) for p in predictions]
    in_order = masks if layout.order is None else masks.take(layout.order)
    if rule.kind in ("function", "pairs"):
        return _called_on_masks(masks, in_order, given, rule, layout)
    core, kind = _pairs.Masks(in_order.start, in_order.words), _pairs.DICE if rule.dice else _pairs.JACCARD
    per = max(1, CELLS * masks.n_cases // max(1, len(masks.words)))
    models = [(partial(layout.core.predicted_masks, kind, core, _pairs.Masks(*one[:2]), one[2].view(np.uint8)), per) for one in given]
    return layout.measure((partial(layout.core.masks, kind, core), per), models)


def _called_on_masks(masks: Masks, in_order: Masks, given: list[Any], rule: Rule, layout: Layout) -> tuple[Array, Array]:
    def thing(mask: Bools, i: int) -> Any:
        if rule.pairs is not None:
            return rule.pairs.thing(mask, i)
        return mask if masks.classes is None else frozenset(masks.classes[mask].tolist())

    def law(start: Int64, words: NDArray[np.uint64], present: Bools, i: int) -> list[tuple[float, Any]]:
        if not present[i] or masks.offsets[i] == masks.offsets[i + 1]:
            return []
        return [(1.0, thing(masks.unpacked(words[start[i] : start[i + 1]], i), i))]

    measure = rule.pairs or Measure(rule.function, kept=False)  # type: ignore[arg-type]
    pairs = CalledPairs(layout, lambda r: thing(in_order.mask(r), row_at(masks.offsets, r)), measure, masks, masks.case_name)
    return layout.call(pairs, [partial(law, *one) for one in given])
