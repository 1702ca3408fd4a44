"""The scores of a model, and their join to the annotated cases by case id and class name, never silently by row order."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from .._base import identifiers
from .._base.arrays import Array, Bools, Int32, NDArray
from .._base.axes import frozen
from .._base.checks import error, room
from .._base.names import alike, find, is_null, listed
from .._base.notes import Note
from .._base.notices import note
from .._base.records import Record
from .._base.wording import CLASSES_WAY, OTHERS_OUT, arg

if TYPE_CHECKING:
    from . import Axes
SUM = 1e-3  # largest difference of the sum of a case's probabilities from 1


@dataclass(frozen=True, eq=False, repr=False)
class Predictions(Record):
    """The scores that one model gives to the classes of each of its cases.

    Parameters
    ----------
    case_ids : (M,) array of int or str, or None
        The case of each row; every case occurs once. None: the rows are the annotated cases, in their order.
    scores : (M, K) array of finite numbers
        Probabilities, logits or any other numbers: higher is more plausible. float32, strided, big-endian and read-only arrays are
        accepted.
    classes : (K,) array of int or str, or None
        The class of each column; every class occurs once. None: the columns are the classes of the annotations, in their order.
    labels : bool
        Whether the scores are predicted labels, 1 for the label and 0 for the others: classes without a column then have score 0.
    numbers : bool
        Whether the only column holds one number per case, on the scale of the grades or ratings, in place of scores of classes.

    Raises
    ------
    ValueError
        If the scores are not a finite table, or ids or classes are repeated or of the wrong number.

    Examples
    --------
    >>> model = Predictions(["b", "a"], [[0.9, 0.1], [0.3, 0.7]], classes=["cat", "dog"])
    >>> model.scores.shape
    (2, 2)
    """

    case_ids: NDArray[Any] | None
    scores: Array
    classes: NDArray[Any] | None = None
    labels: bool = False
    numbers: bool = False

    def __post_init__(self) -> None:
        self._check()
        object.__setattr__(self, "scores", frozen(self.scores))  # a later change of the caller's array must not change the scores

    @classmethod
    def _sharing(cls, *fields: Any) -> Predictions:
        """Return predictions that may share the memory of the scores with the caller's array."""
        made = object.__new__(cls)
        made.__dict__.update(zip(cls.__dataclass_fields__, (*fields, *(None, False, False)[len(fields) - 2 :])))
        made._check()
        return made

    def _check(self) -> None:
        scores = _table(self.scores)
        object.__setattr__(self, "scores", scores)
        object.__setattr__(self, "case_ids", _names("case_ids", self.case_ids, len(scores), "rows"))
        object.__setattr__(self, "classes", _names("classes", self.classes, scores.shape[1], "columns"))
        finite = np.isfinite(scores)
        if not finite.all():
            row, column = np.argwhere(~finite)[0]
            where = f"case {_name(self.case_ids, row)}" + ("" if self.numbers else f", class {_name(self.classes, column)}")
            raise error("scores", "be finite", scores[row, column], where)

    @classmethod
    def from_any(cls, value: object, classes: object = None, positive_class: object = None, *, on_scale: bool = False) -> Predictions:
        """Return predictions from an array, ``(case_ids, scores)``, a mapping or a data frame.

        Parameters
        ----------
        value : Predictions, (N, K) array, (N,) array, tuple, mapping or DataFrame
            An array (N,) of text or whole numbers holds predicted labels, one of decimal numbers the probability of ``positive_class``.
            A mapping has the key ``"scores"`` and optionally ``"case_ids"`` and ``"classes"``. A frame of pandas, polars or pyarrow
            has a column for the case (case, task, item, id) and one for each class, or columns for case, class and score; without a
            column for the case, the index of a pandas frame holds the case ids, and the rows of other frames are the annotated cases.
        classes : (K,) sequence, optional
            The classes of the annotations. If they are given, columns may be named like ``prob_cat``, columns that are not classes are
            left out with a note, and a column of predicted labels is read as 1 for the label and 0 for the others, with a note.
        positive_class : int or str, optional
            The class whose probability a single column holds, if there are two classes.
        on_scale : bool
            Whether the annotations are grades or ratings, so that a single column of numbers, not all of which are names of grades, holds
            one number per case on their scale.

        Raises
        ------
        ValueError
            If a mapping or a frame has other keys or columns, or the scores are not a finite (cases, classes) table.

        Examples
        --------
        >>> Predictions.from_any((["a", "b"], [[0.3, 0.7], [0.9, 0.1]])).case_ids.tolist()
        ['a', 'b']
        """
        found = cls.sharing(value, classes, positive_class, on_scale=on_scale)
        object.__setattr__(found, "scores", frozen(found.scores))
        return found

    @classmethod
    def sharing(cls, value: object, classes: object = None, positive_class: object = None, *, on_scale: bool = False) -> Predictions:
        """Return the predictions of :meth:`from_any`, which may share the memory of the scores with the caller's array."""
        if positive_class is not None:
            positive_position(None if classes is None else identifiers.distinct("classes", classes), positive_class)
        if isinstance(value, cls):
            return value
        if isinstance(value, Mapping):
            unknown = sorted(set(value) - {"case_ids", "scores", "classes"}, key=str)
            if unknown or "scores" not in value:
                got = f"the key {unknown[0]!r}" if unknown else "no key 'scores'"
                raise error("predictions", "be a mapping with the key 'scores' and optionally 'case_ids' and 'classes'", got)
            return cls._of_array(value.get("case_ids"), value["scores"], value.get("classes"), classes, positive_class, on_scale)
        index = identifiers.index_of(value)
        ids = None if index is None else identifiers.names_of_index("predictions", index)
        if identifiers.is_frame(value):
            return cls._of_frame(value, ids, classes, positive_class, on_scale)
        if isinstance(value, tuple) and len(value) == 2:
            return cls._of_array(value[0], value[1], None, classes, positive_class, on_scale)
        return cls._of_array(ids, value, None, classes, positive_class, on_scale)

    @classmethod
    def _of_frame(cls, value: Any, ids: Any, classes: Any, positive_class: Any, on_scale: bool) -> Predictions:
        """Return the predictions of a frame by its columns, or of one whose index names the cases and whose columns are the classes."""
        from .model_scores import read_frame  # noqa: PLC0415  (it imports this module)

        names = None
        if not _has_case_column(value):
            counted = type(value.columns).__name__ == "RangeIndex" and value.columns.tolist() == list(range(value.shape[1]))
            names = None if counted else value.columns.to_numpy()
        others = ids is not None and names is not None and classes is not None and {*map(str, names)} - {*map(str, classes)}
        if others or _has_case_column(value):
            return read_frame(value, classes, positive_class, on_scale, indexed=bool(others))
        table = identifiers.unmasked(value if identifiers.is_array(value) else value.to_numpy())
        if names is not None and len(names) > 1 and table.dtype.kind not in "biuf":
            text = next((name for name in names if identifiers.unmasked(value[name]).dtype.kind not in "biuf"), names[0])
            raise error("scores", "have columns of numbers only (if this one names the cases, make it the index)", f"the column {text!r}")
        return cls._of_array(ids, table, names, classes, positive_class, on_scale)

    @classmethod
    def _of_array(cls, case_ids: object, scores: object, names: object, classes: Any, positive_class: Any, on_scale: bool) -> Predictions:
        """Return the predictions of a table, or of a column of labels, of probabilities, or of numbers on the scale of the annotations."""
        table: NDArray[Any] = identifiers.as_array(scores)
        if on_scale and positive_class is None and table.ndim in (1, 2) and table.size == len(table) and table.dtype.kind in "iuf":
            return cls.of_numbers(case_ids, table.ravel(), classes)
        if table.ndim == 1 and table.dtype.kind in "biuUO" and len(table) and names is None:
            return cls._sharing(case_ids, *one_hot(identifiers.number("labels", scores)), True)
        single = table.dtype.kind == "f" and (table.ndim == 1 or table.shape[1:] == (1,)) and names is None
        if single and positive_class is not None:
            known = None if classes is None else identifiers.distinct("classes", classes)
            return cls._sharing(case_ids, of_two_classes(table.ravel(), positive_position(known, positive_class), case_ids), known)
        if single and classes is not None and len(classes) == 2:
            way = "or name the class of a single column: " + arg("positive_class")
            raise error("scores", "be a table of cases x classes", f"shape {table.shape}", way=way)
        return cls._sharing(case_ids, scores, names)

    @classmethod
    def of_numbers(cls, case_ids: object, numbers: NDArray[Any], classes: object) -> Predictions:
        """Return one number per case on a scale; if all are names of grades, they are predicted labels."""
        found = np.asarray(numbers, np.float64)
        if classes is not None and np.isfinite(found).all():
            cells = identifiers.number("labels", [f"{value:.15g}" for value in found.tolist()])
            if (_positions(cells.ids, identifiers.distinct("classes", classes)) >= 0).all():
                return cls._sharing(case_ids, *one_hot(cells), True)
        return cls._sharing(case_ids, found[:, None], None, False, True)

    def aligned(self, axes: Axes, *, missing: str = "error") -> tuple[Array, Bools]:
        """Return the scores in the order of the annotated cases and classes.

        Parameters
        ----------
        axes : Axes
            The N cases and K classes of the annotations. Ids and names are compared as text if one side has numbers.
        missing : {"error", "drop"}
            What to do with annotated cases without predictions and with predictions for other cases: reject them, or leave them out
            with a note.

        Returns
        -------
        scores : (N, K) array
            Rows without predictions are NaN.
        present : (N,) array of bool
            False for the cases without predictions.

        Raises
        ------
        ValueError
            If there are predictions for an unknown class, no predictions for a class or for any annotated case, with
            ``missing="error"`` predictions for an unknown case or no predictions for a case, or, without ids or classes, the shape does
            not match.
        """
        if missing not in ("error", "drop"):
            raise error("missing", "be 'error' or 'drop'", repr(missing))
        in_order = self._by_class(axes)
        rows = self._rows(axes, missing)
        present = rows >= 0
        if missing == "error" and not present.all():
            got = f"none for {int((~present).sum())} of {axes.n_cases} cases"
            first = axes.case_ids[int(np.argmin(present))]
            where = identifiers.name(first) + ("" if self.case_ids is None else alike(first, self.case_ids))
            raise error("predictions", "cover every case", got, where, way=OTHERS_OUT)
        scores = _take(in_order, rows, 0)
        if not present.all():
            scores[~present] = np.nan
        return scores, present

    def located(self, axes: Axes) -> tuple[Array, Int32]:
        """Return all rows with the annotated classes in their order, and the annotated case of each row (-1: none).

        Parameters
        ----------
        axes : Axes
            As for :meth:`aligned`; without case ids the rows are the annotated cases, in their order.

        Returns
        -------
        scores : (M, K) array
        rows : (M,) array
            Positions of cases.

        Raises
        ------
        ValueError
            As for :meth:`aligned`, except for unknown cases and annotated cases without predictions.
        """
        scores = self._by_class(axes)
        return scores, self._rows(axes, "error") if self.case_ids is None else _positions(self.case_ids, axes.case_ids)

    def _by_class(self, axes: Axes) -> Array:
        """Return the scores in the order of the annotated classes; one number per case as it is."""
        if self.numbers:
            return self.scores
        columns = self._columns(axes)
        scores = _take(self.scores, columns, 1)
        if (columns < 0).any():  # labels need not have a column for each class
            scores[:, columns < 0] = 0
        return scores

    def _columns(self, axes: Axes) -> Int32:
        """Return the column of each class of the annotations."""
        if self.classes is None:
            if self.scores.shape[1] != axes.n_classes:
                must = f"have one column for each of the {axes.n_classes} classes of the annotations"
                raise error("scores", must, f"{self.scores.shape[1]} columns")
            return np.arange(axes.n_classes, dtype=np.int32)
        unknown = _positions(self.classes, axes.classes) < 0
        if unknown.any():
            i = int(np.argmax(unknown))
            hint = alike(self.classes[i], axes.classes) or f" (the annotations have {listed(map(identifiers.name, axes.classes))})"
            if self.labels:
                parts = [part.strip() for part in re.split("[,;>|]", str(self.classes[i]))]
                if len(parts) > 1 and (_positions(np.array(parts), axes.classes) >= 0).all():
                    hint = ", which is several classes (give one column per class instead, with the highest score for the first choice)"
                raise error("labels", "be classes of the annotations", _name(self.classes, i) + hint, way=CLASSES_WAY)
            must, way = "have columns only for classes of the annotations", CLASSES_WAY
            if len(self.classes) == 1 and axes.n_classes == 2:
                must, way = f"have one column for each of the 2 classes, such as 1 - {self.classes[0]} and {self.classes[0]}", ""
            raise error("scores", must, f"a column for class {_name(self.classes, i)}{hint}", way=way)
        columns = _positions(axes.classes, self.classes)
        if (columns < 0).any() and not self.labels:
            absent = axes.classes[columns < 0].tolist()
            codes = listed(repr(one) for one in absent if is_null(str(one)))
            way = f"if {codes} {'mean' if ', ' in codes else 'means'} that there is no label: " + arg("missing", ...) if codes else ""
            must = f"have a column for each of the {axes.n_classes} classes of the annotations"
            raise error("scores", must, f"none for class {listed(map(identifiers.name, absent))}", way=way)
        return columns

    def _rows(self, axes: Axes, missing: str) -> Int32:
        """Return the row of each annotated case, -1 if there is none."""
        if self.case_ids is None:
            if len(self.scores) != axes.n_cases:
                must = f"have one row for each of the {axes.n_cases} cases, as they come without case ids"
                raise error("scores", must, f"{len(self.scores)} rows")
            return np.arange(axes.n_cases, dtype=np.int32)
        unknown = _positions(self.case_ids, axes.case_ids) < 0
        if unknown.any() and (missing == "error" or unknown.all()):
            i = int(np.argmax(unknown))
            got = f"{int(unknown.sum())} unknown of {len(self.case_ids)}"
            must, way = ("be for annotated cases", "") if unknown.all() else ("be for annotated cases only", OTHERS_OUT)
            raise error("predictions", must, got, unknown_case(self.case_ids, i, axes), way=way)
        if unknown.any():
            first = _name(self.case_ids, int(np.argmax(unknown)))
            words = "Predictions for cases that are not annotated were left out: {n} of {of}, first {first}."
            note(Note("predictions_left_out", words, n=int(unknown.sum()), of=len(self.case_ids), first=first))
        return _positions(axes.case_ids, self.case_ids)


def unknown_case(case_ids: NDArray[Any], i: int, axes: Axes) -> str:
    """Return the name of a case that is not annotated, with one that is and may be meant."""
    return _name(case_ids, i) + (alike(case_ids[i], axes.case_ids) or f" (the annotations have cases such as {_name(axes.case_ids, 0)})")


def one_hot(labels: identifiers.Column) -> tuple[Array, NDArray[Any]]:
    """Return a table with 1 for the label of each case and 0 for the other labels, and these labels."""
    words = (
        "Predicted labels were read as 1 for the label and 0 for every other class: the other classes are tied, and losses and calibration "
        "treat the labels as probabilities of 1."
    )
    note(Note("predicted_labels", words))
    room("predicted labels", 8.0 * len(labels.code) * len(labels.ids))
    scores = np.zeros((len(labels.code), len(labels.ids)))
    scores[np.arange(len(labels.code)), labels.code] = 1
    return scores, labels.ids


def positive_position(classes: NDArray[Any] | None, positive_class: object) -> int | None:
    """Return the position of the positive class among two classes."""
    if classes is None:
        raise error("positive_class", "be given together with classes", repr(positive_class))
    if len(classes) != 2:
        raise error("positive_class", "be given for two classes", f"{len(classes)} classes")
    at = int(find(classes, identifiers.number("positive_class", [positive_class]).ids)[0])
    if at < 0:
        raise error("positive_class", f"be one of the classes {' and '.join(map(identifiers.name, classes))}", repr(positive_class))
    return at


def of_two_classes(scores: NDArray[Any], positive: int | None, case_ids: Any, column: str = "") -> Array:
    """Return probabilities (N, 2) of two classes from those of one, which are in a column with this name."""
    p = np.asarray(scores, dtype=np.float64)
    bad = ~((p >= 0) & (p <= 1))
    if bad.any():
        first = int(np.argmax(bad))
        must = "be probabilities from 0 to 1 if one column is for two classes (divide percentages by 100; write logits as two columns)"
        where = f"case {identifiers.name(case_ids[first])}" if case_ids is not None else f"row {first}"
        raise error("scores", must, p[first], where + (f", column {column!r}" if column else ""))
    return np.column_stack([p, 1 - p] if positive == 0 else [1 - p, p])


def _has_case_column(value: object) -> bool:
    """Return whether a data frame names its cases in a column: always, except for pandas frames with an index of names."""
    if isinstance(value, (np.ndarray, type)) or not hasattr(value, "__getitem__") or not hasattr(value, "columns"):
        return False
    index = identifiers.index_of(value)
    if index is None:
        return True
    from .._tabular.role_words import CASES  # noqa: PLC0415
    from .._tabular.roles import plain  # noqa: PLC0415

    kind = getattr(getattr(index, "dtype", None), "kind", "O")
    unnamed = getattr(index, "name", None) is None and kind in "iu"  # also after a filter, which leaves gaps
    return unnamed and any(plain(str(name)) in CASES for name in value.columns)


def _table(scores: object) -> Array:
    """Return the scores as a read-only float64 table, without a copy if they are one."""
    table: NDArray[Any] = identifiers.as_array(scores)
    if table.ndim != 2 or table.size == 0:
        raise error("scores", "be a table of cases x classes", f"shape {table.shape}")
    if table.dtype.kind not in "biuf":
        raise error("scores", "be numbers", f"dtype {table.dtype}")
    room("scores", table.size * (1 if table.flags.c_contiguous and table.dtype == np.float64 else 9))
    table = np.ascontiguousarray(table, dtype=np.float64).view()
    table.flags.writeable = False
    return table


def _names(argument: str, values: object, n: int, of: str) -> NDArray[Any] | None:
    """Return distinct ids of the n rows or columns of the scores; reject other ids."""
    if values is None:
        return None
    names = identifiers.distinct(argument, values)
    if len(names) != n:
        raise error(argument, f"have one entry for each of the {n} {of} of scores", f"{len(names)} entries")
    names.flags.writeable = False
    return names


def _name(names: NDArray[Any] | None, i: int) -> str:
    return str(i) if names is None else identifiers.name(names[i])


def _positions(wanted: NDArray[Any], ids: NDArray[Any]) -> Int32:
    """Return the position of each wanted id in ids, or -1; numbers and strings are compared as text, 1 and 1.0 are equal."""
    return find(ids, wanted)


def _take(table: Array, index: Int32, axis: int) -> Array:
    """Return ``table.take(index, axis)``, without a copy if the order does not change."""
    return table if np.array_equal(index, np.arange(table.shape[axis])) else table.take(index, axis=axis)
