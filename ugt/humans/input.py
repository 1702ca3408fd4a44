"""Annotations and predictions as the discrepancies read them: joined by case, checked, distances computed once."""

from __future__ import annotations

import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import filterfalse
from typing import Any, Union

import numpy as np

from .._base import checks, identifiers
from .._base.arrays import Array, Bools, Int32, NDArray
from .._base.lazy import cached_property
from .._base.names import alike
from .._base.ragged import sizes_of
from .._base.wording import CLASSES_WAY, OTHERS_OUT
from .._tabular.rows import is_missing, is_number, wide
from ..annotations import Labels, Ratings
from ..annotations.adjudication import drawn_alike
from ..annotations.masks import Masks
from ..annotations.named import Sheet, check_counted, per_class
from ..annotations.other_annotators import check_not_among, only
from ..annotations.predictions import Predictions
from .distance_rule import OF_LABELS
from .distances import Distances, distances
from .sums import CaseSums

Annotations = Union[Labels, Ratings, Masks]
NUMERIC = ("squared", "absolute")
OUTSIDE = 1e-4  # largest difference from 1 of the sum of a prediction's probabilities
MISSING = ("error", "drop")
UNNAMED = "model"  # name of a model for which the user gave none
WHY = "so that each can be compared with the model"


@dataclass(frozen=True, eq=False)
class Compared:
    """Annotations, the distances in them, and which cases each model has predictions for."""

    annotations: Annotations
    distances: Distances
    models: tuple[str, ...]
    predicted: Bools  # (M, N)
    columns: list[Any]  # predictions of each model
    distance: Any
    values: Any

    @property
    def n_cases(self) -> int:
        return len(self.distances.offsets) - 1

    @property
    def annotators(self) -> NDArray[Any]:
        return np.asarray(self.annotations.annotators)

    @cached_property
    def sums(self) -> CaseSums:
        """The sums of each case."""
        return CaseSums.of(self.distances)

    def judged_by(self, annotators: NDArray[Any]) -> Compared:
        """Return the same comparison with annotators (A,) weighted by 0 or 1; those with 0 are left out."""
        check_known(self.annotations, "to be left out one by one")
        weights = np.asarray(annotators)
        if weights.shape != (len(self.annotators),) or not np.isin(weights, (0, 1)).all():
            raise checks.error("annotators", f"be {len(self.annotators)} weights, 0 or 1", f"{weights.dtype} of shape {weights.shape}")
        held = only(self.annotations, weights)
        return replace(self, annotations=held, distances=distances(held, self.columns, self.distance, values=self.values))


def compare(
    annotations: object, predictions: Mapping[str, Any], distance: object, values: object = None, missing: str = "error", known: str = ""
) -> Compared:
    """Return annotations joined with predictions and their distances; ``known`` says why annotators must be named, if they must."""
    checks.option("missing", missing, MISSING)
    held = as_annotations(annotations, list(predictions.values()), distance, values)
    distance = distance_for(held, distance, values)
    if known:
        check_known(held, known)
    check_not_among(predictions.keys() - {UNNAMED}, held.annotators)
    columns = [read(one, held, distance, values, missing) for one in predictions.values()]
    if missing == "error":
        predicted = np.ones((len(columns), held.n_cases), bool)
    else:
        predicted = np.array([_present(column, held) for column in columns], bool).reshape(len(columns), held.n_cases)
    found = distances(held, columns, distance, values=values)
    return Compared(held, found, tuple(map(str, predictions)), predicted, columns, distance, values)


def distance_for(annotations: Annotations, distance: object, values: object = None) -> Any:
    """Return the given distance, or the default: zero-one for classes that are text or more than two, squared for numbers."""
    if distance is not None or isinstance(annotations, Masks):
        return distance
    if isinstance(annotations, Labels) and values is None:
        return "zero-one" if annotations.n_classes > 2 or identifiers.is_text(annotations.axes.classes) else "squared"
    return "squared"


def check_stated(distance: object) -> None:
    """Refuse None as a distance in functions that have another default."""
    if distance is None:
        raise checks.error("distance", OF_LABELS, "None")


def check_known(annotations: Any, what: str) -> None:
    """Refuse annotations that do not name their annotators."""
    if len(annotations.annotators) == 0:
        raise checks.error("annotations", f"name the annotator of each label, {what}", "label counts")


# ---- annotations ----


def as_annotations(annotations: object, predictions: Sequence[Any], distance: Any, values: Any = None) -> Annotations:
    """Return annotations; in an array (N, A) text is labels and numbers are ratings; for whole numbers an argument must tell which."""
    if isinstance(annotations, (Labels, Ratings, Masks)):
        return drawn_alike(annotations) if isinstance(annotations, Labels) else annotations
    if isinstance(annotations, (str, Mapping)) or not (hasattr(annotations, "__iter__") or identifiers.is_array(annotations)):
        raise checks.error("annotations", "be Labels, Ratings, Masks or an array (cases, annotators)", type(annotations).__name__)
    cells = wide(annotations)
    held = cells[~is_missing(cells, (None, "", float("nan")))].tolist()
    text = any(isinstance(cell, str) for cell in held)
    n_classes = max(_n_classes(predictions, distance), 0 if values is None else len(values))
    if text or n_classes:
        return Labels.from_wide(cells, classes=None if text else n_classes)
    if distance is None and len(set(held)) > 2 and all(is_number(cell) and cell == cell // 1 for cell in held):
        must = "be Labels.from_wide(...) if whole numbers are classes, or Ratings.from_wide(...) if they are a scale (or give distance=)"
        raise checks.error("annotations", must, "a bare table")
    return Ratings.from_wide(cells)


def as_labels(annotations: object, predictions: Sequence[Any], distance: object = None, values: object = None) -> Annotations:
    """Like :func:`as_annotations`, but read whole numbers as classes from 0 to the largest in annotations or predictions."""
    if isinstance(annotations, (Labels, Ratings, Masks)):
        return annotations
    largest = -1.0
    for one in (annotations, *predictions):
        table = _plain(wide(one) if one is annotations else list(one.values()) if isinstance(one, Mapping) else one)
        cells = np.empty(0) if table is None or (one is not annotations and table.ndim != 1) else table.astype(np.float64)
        largest = max(largest, np.max(cells[~np.isnan(cells)], initial=-1.0))
    return as_annotations(annotations, [*predictions, np.empty((0, int(largest) + 1))], distance, values)


def of_two_classes(annotations: object) -> Labels:
    """Return Labels of two classes, also from an array of 0 and 1 or of two names."""
    held = annotations if isinstance(annotations, Labels) else as_annotations(annotations, [], np.zeros((2, 2)))
    if not isinstance(held, Labels) or held.n_classes != 2:
        got = f"{held.n_classes} classes" if isinstance(held, Labels) else type(held).__name__
        raise checks.error("annotations", "be Labels of two classes", got)
    return held


def _n_classes(predictions: Sequence[Any], distance: Any) -> int:
    """Return the number of classes in probabilities or a table of costs; 0 if there is neither."""
    tables = [distance] if np.ndim(_plain(distance)) == 2 else []
    for one in predictions:
        table = one.scores if isinstance(one, Predictions) else one
        tables += [table] if not isinstance(table, Mapping) and np.ndim(_plain(table)) == 2 else []
    return max((np.shape(table)[1] for table in tables), default=0)


def _plain(value: object) -> Any:
    """Return numbers as a float array, None as NaN; return None for anything else."""
    try:
        array = np.asarray(value)
        return array.astype(np.float64) if array.dtype.kind in "biufO" else None
    except (TypeError, ValueError):
        return None


def ids_of(annotations: Any) -> NDArray[Any]:
    """Return the (N,) case ids."""
    return np.asarray(annotations.axes.case_ids if isinstance(annotations, Labels) else annotations.case_ids)


def where(annotations: object, i: int) -> str:
    """Return the name of case i for a message."""
    return f"case {identifiers.name(ids_of(annotations)[i])}"


# ---- predictions ----


def models_of(predictions: object) -> dict[str, Any]:
    """Return models by name, from a mapping of names, one model's predictions, or None."""
    if predictions is None:
        return {}
    return dict(predictions) if isinstance(predictions, Mapping) else {UNNAMED: predictions}


def read(predictions: object, annotations: object, distance: object, values: object, missing: str) -> Any:
    """Return one model's predictions in the order of the cases, as :func:`distances` takes them."""
    given = joined(predictions, annotations)
    if isinstance(annotations, Labels):
        column: Any = _for_labels(given, annotations, distance, values)
    elif isinstance(annotations, Ratings):
        column = numbers(given, annotations)
    elif isinstance(given, Masks):
        column = given
    else:
        if isinstance(given, str) or not hasattr(given, "__iter__"):
            raise checks.error("predictions", "be a mask or None for each case", type(given).__name__)
        column = list(given)
        _check_length(len(column), annotations)
    if missing == "error":
        check_all("predictions", _present(column, annotations), annotations)
    return column


def check_all(argument: str, present: Bools, annotations: Any) -> None:
    """Refuse cases without a prediction."""
    if not present.all():
        got = f"none for {int((~present).sum())} of {annotations.n_cases} cases"
        raise checks.error(argument, "cover every case", got, where(annotations, int(np.argmin(present))), way=OTHERS_OUT)


def joined(predictions: Any, annotations: Any) -> Any:
    """Return predictions with case ids in the order of the cases, None for cases without one; return others unchanged."""
    pair = isinstance(predictions, tuple) and len(predictions) == 2 and np.ndim(_plain(predictions[1])) == 2  # ids and scores
    if isinstance(predictions, Predictions) or identifiers.is_frame(predictions) or (pair and isinstance(annotations, Labels)):
        if not isinstance(annotations, Labels):
            raise checks.error("predictions", "be one value per case if annotations are not Labels", type(predictions).__name__)
        given = Predictions.from_any(predictions, annotations.axes.classes)
        if given.case_ids is not None:
            _check_known(given.case_ids, given.located(annotations.axes)[1], ids_of(annotations))
        return given.aligned(annotations.axes, missing="drop")[0]
    if isinstance(predictions, Mapping):
        values = list(predictions.values())
        if isinstance(annotations, Labels):
            values = [per_class("predictions", one, annotations.axes.classes) for one in values]
        return _by_id(list(predictions), values, annotations)
    if _is_pair(predictions):
        return _by_id(list(predictions[0]), list(predictions[1]), annotations)
    index = identifiers.index_of(predictions)
    if index is not None:
        ids = identifiers.names_of_index("predictions", index)
        check_counted("predictions", Sheet(None, ids, None, ids is None), ids_of(annotations))
        return predictions.tolist() if ids is None else _by_id(ids.tolist(), predictions.tolist(), annotations)
    return predictions


def _is_pair(given: object) -> bool:
    """Return whether predictions are names of cases, which are texts, and one value for each."""
    if not isinstance(given, tuple) or len(given) != 2 or any(np.ndim(part) != 1 for part in given):
        return False
    return 0 < len(given[0]) == len(given[1]) and all(isinstance(one, str) for one in given[0])


def _by_id(ids: list[Any], given: list[Any], annotations: object) -> list[Any]:
    names, cases = identifiers.distinct("predictions", ids), ids_of(annotations)
    if identifiers.is_text(names) != identifiers.is_text(cases):
        names, cases = names.astype(str), cases.astype(str)
    at = identifiers.lookup(cases, names)
    _check_known(names, at, cases)
    column: list[Any] = [None] * len(cases)
    for i, value in zip(at.tolist(), given):
        column[i] = value
    return column


def _check_known(names: NDArray[Any], at: NDArray[Any], cases: NDArray[Any]) -> None:
    if (at < 0).any():
        got, first = f"{int((at < 0).sum())} unknown of {len(names)}", names[int(np.argmax(at < 0))]
        raise checks.error("predictions", "be for annotated cases only", got, f"case {identifiers.name(first)}{alike(first, cases)}")


def _check_length(n: int, annotations: Any, argument: str = "predictions") -> None:
    if n != annotations.n_cases:
        raise checks.error(argument, f"be one per case, {annotations.n_cases}", n)


def _present(column: Any, annotations: Any) -> Bools:
    """Return (N,) bools, whether each case has a prediction."""
    if isinstance(column, Masks):
        row = identifiers.lookup(column.case_ids, annotations.case_ids)
        return np.asarray((row >= 0) & (sizes_of(column.offsets) > 0)[row])
    if isinstance(column, list):
        return np.array([one is not None for one in column], bool)
    return np.asarray(column >= 0 if column.dtype.kind == "i" else ~np.isnan(column if column.ndim == 1 else column[:, 0]))


def _table(given: object) -> NDArray[Any]:
    """Return a column, or a table of probabilities in which a missing row (None) is NaN."""
    if not isinstance(given, (list, tuple)):
        return identifiers.unmasked(given)
    if {type(one) for one in given} <= {int, float} and len(given):
        return np.asarray(given)
    there = list(filterfalse(identifiers.is_null, given))
    sizes = {_size(one) for one in there}
    (size,) = sizes if len(sizes) == 1 else ((),)
    if len(size) == 1:
        empty = np.full(size, np.nan)
        return np.array([empty if identifiers.is_null(one) else one for one in given], np.float64)
    if len(size) > 1 and len(there) == len(given):
        return np.asarray(given)
    cells = np.empty(len(given), object)
    for i, one in enumerate(given):
        cells[i] = one
    kinds = {np.asarray(one).dtype.kind if _size(one) == () else "" for one in there}
    if "f" in kinds and kinds <= set("iuf"):
        return np.where(is_missing(cells, None), np.nan, cells).astype(np.float64)
    return cells.astype(bool) if kinds == {"b"} and not is_missing(cells, None).any() else cells


def _size(one: Any) -> tuple[int, ...]:
    """Return the shape of one prediction; (0,) * 9 for nested lists of different lengths."""
    try:
        return np.shape(one)
    except ValueError:
        return (0,) * 9


def _for_labels(given: object, labels: Labels, distance: object, values: object) -> NDArray[Any]:
    table = _table(given)
    if table.ndim not in (1, 2):
        raise checks.error("predictions", "be one value per case, or probabilities (cases, classes)", f"{table.ndim} dimensions")
    _check_length(len(table), labels)
    if table.ndim == 2:
        return _probabilities(table, labels)
    numeric = isinstance(distance, tuple) or callable(distance) or (isinstance(distance, str) and distance in NUMERIC)
    if table.dtype.kind == "f" and numeric and (values is not None or not identifiers.is_text(labels.axes.classes)):
        return numbers(table, labels)
    return _classes(table, labels)


def _probabilities(table: NDArray[Any], labels: Labels) -> Array:
    if table.dtype.kind not in "biuf" or table.shape[1] != labels.n_classes:
        must = f"be probabilities with a column for each of the {labels.n_classes} classes"
        raise checks.error("predictions", must, f"{table.dtype} of shape {table.shape}")
    p = table.astype(np.float64)
    missing = np.isnan(p).all(axis=1)
    bad = ~missing & ~((p >= -OUTSIDE).all(axis=1) & (np.abs(p.sum(axis=1) - 1) <= OUTSIDE))
    if bad.any():
        i = int(np.argmax(bad))
        must = "be probabilities that add up to 1 for every case, or one class per case"
        raise checks.error("predictions", must, p[i].tolist(), where(labels, i))
    return np.ascontiguousarray(np.maximum(p, 0) / np.where(missing, 1, np.maximum(p, 0).sum(axis=1))[:, None])


def _classes(table: NDArray[Any], labels: Labels) -> Int32:
    """Return (N,) positions of the predicted classes, -1 for none."""
    names = labels.axes.classes
    if table.dtype.kind in "ib" and names.dtype.kind == "i":
        code = table.astype(np.int64)
        at = np.minimum(np.maximum(code, 0), len(names) - 1).astype(np.int32)
        if (names[at] == code).all():  # classes that are positions
            return at
        table = code
    absent = is_missing(table, (None, "", float("nan")))
    at = np.full(len(table), -1, np.int32)
    if not absent.all():
        rows = np.flatnonzero(~absent)
        column = identifiers.number("predictions", table[rows], lambda j: where(labels, int(rows[j])))
        position = identifiers.lookup(names, column.ids)
        if (position < 0).any():
            j = int(column.first[np.argmax(position < 0)])
            got, must = identifiers.name(table[rows[j]]), f"be one of the {len(names)} classes"
            raise checks.error("predictions", must, got, where(labels, int(rows[j])), way=CLASSES_WAY)
        at[rows] = position[column.code]
    return at


def numbers(given: object, annotations: object, argument: str = "predictions") -> Array:
    """Return (N,) numbers, NaN for none."""
    table = _table(given)
    if table.ndim != 1:
        raise checks.error(argument, "be one number per case", f"{table.ndim} dimensions")
    _check_length(len(table), annotations, argument)
    absent = is_missing(table, (None, "", float("nan")))
    cells = table[~absent]
    if cells.dtype.kind not in "biuf":
        strange = [cell for cell in cells.tolist() if not isinstance(cell, (int, float, np.integer, np.floating))]
        strange += [cell for cell in cells.tolist() if isinstance(cell, int) and abs(cell) > sys.float_info.max]
        if strange:
            raise checks.error(argument, "be numbers, as the annotations are", repr(strange[0]))
    column = np.full(len(table), np.nan)
    column[~absent] = cells.astype(np.float64)
    if np.isinf(column).any():
        i = int(np.argmax(np.isinf(column)))
        raise checks.error(argument, "be finite, or NaN for none", column[i], where(annotations, i))
    return column
