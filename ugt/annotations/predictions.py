"""A model's scores, and their join to the annotated cases: by case id and class name, never silently by row order."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from .._base import identifiers
from .._base.checks import error, room
from .._base.names import find
from .._base.records import Record

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from . import Axes


@dataclass(frozen=True, eq=False, repr=False)
class Predictions(Record):
    """The scores that one model gives to the classes of the cases it saw.

    Parameters
    ----------
    case_ids : (M,) array of int or str, or None
        The case of each row, each once. None: the rows are the annotated cases, in their order.
    scores : (M, K) array of finite numbers
        Higher = more plausible: probabilities, logits or any other score. float32, strided, big-endian and read-only arrays are taken.
    classes : (K,) array of int or str, or None
        The class of each column, each once. None: the columns are the classes of the annotations, in their order.

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
    scores: NDArray[np.float64]
    classes: NDArray[Any] | None = None

    def __post_init__(self) -> None:
        scores = _table(self.scores)
        object.__setattr__(self, "scores", scores)
        object.__setattr__(self, "case_ids", _names("case_ids", self.case_ids, len(scores), "rows"))
        object.__setattr__(self, "classes", _names("classes", self.classes, scores.shape[1], "columns"))
        finite = np.isfinite(scores)
        if not finite.all():
            row, column = np.argwhere(~finite)[0]
            where = f"case {_name(self.case_ids, row)}, class {_name(self.classes, column)}"
            raise error("scores", "be finite", scores[row, column], where)

    @classmethod
    def from_any(cls, value: Any) -> Predictions:
        """Predictions from what people have: an array, ``(case_ids, scores)``, a mapping or a data frame.

        Parameters
        ----------
        value : Predictions, (N, K) array, tuple, mapping or DataFrame
            A mapping has the key ``"scores"`` and optionally ``"case_ids"`` and ``"classes"``. A frame of pandas, polars or pyarrow
            has a column for the case (case, task, item, id) and one for each class, or columns for case, class and score; where no
            column is the case, the index of a pandas frame holds the case ids, and the rows of others are the annotated cases.

        Raises
        ------
        ValueError
            If a mapping or a frame has other keys or columns, or the scores are not a finite (cases, classes) table.

        Examples
        --------
        >>> Predictions.from_any((["a", "b"], [[0.3, 0.7], [0.9, 0.1]])).case_ids.tolist()
        ['a', 'b']
        """
        if isinstance(value, cls):
            return value
        if isinstance(value, Mapping):
            unknown = sorted(set(value) - {"case_ids", "scores", "classes"}, key=str)
            if unknown or "scores" not in value:
                got = f"the key {unknown[0]!r}" if unknown else "no key 'scores'"
                raise error("predictions", "be a mapping with the key 'scores' and optionally 'case_ids' and 'classes'", got)
            return cls(value.get("case_ids"), value["scores"], value.get("classes"))
        if _has_case_column(value):
            from .model_scores import read_frame  # noqa: PLC0415  (which needs this module)

            return read_frame(value)
        if hasattr(value, "columns") and hasattr(value, "index"):
            return cls(value.index.to_numpy(), value.to_numpy(), value.columns.to_numpy())
        if isinstance(value, tuple) and len(value) == 2:
            return cls(value[0], value[1])
        return cls(None, value)

    def aligned(self, axes: Axes, *, missing: str = "error") -> tuple[NDArray[np.float64], NDArray[np.bool_]]:
        """The scores in the order of annotated cases and classes.

        Parameters
        ----------
        axes : Axes
            The N cases and K classes of the annotations. Ids and names compare as text when one side has numbers.
        missing : {"error", "drop"}
            What to do with annotated cases without predictions.

        Returns
        -------
        scores : (N, K) array
            Rows without predictions are NaN.
        present : (N,) array of bool
            False for the cases without predictions.

        Raises
        ------
        ValueError
            If there are predictions for unknown cases or classes, none for a class, none for a case
            (``missing="error"``), or the shape does not match where there are no ids or classes.
        """
        if missing not in ("error", "drop"):
            raise error("missing", "be 'error' or 'drop'", repr(missing))
        columns = self._columns(axes)
        rows = self._rows(axes)
        present = rows >= 0
        if missing == "error" and not present.all():
            got = f"none for {int((~present).sum())} of {axes.n_cases} cases"
            where = _name(axes.case_ids, int(np.argmin(present)))
            raise error("predictions", "cover every case (missing='drop' leaves the others out)", got, where)
        scores = _take(_take(self.scores, columns, 1), rows, 0)
        if not present.all():
            scores[~present] = np.nan
        return scores, present

    def located(self, axes: Axes) -> tuple[NDArray[np.float64], NDArray[np.int32]]:
        """All rows, in the order of annotated classes, and which annotated case each is about (-1: of none).

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
            As for :meth:`aligned`, but for unknown cases and annotated cases without predictions.
        """
        scores = _take(self.scores, self._columns(axes), 1)
        return scores, self._rows(axes) if self.case_ids is None else _positions(self.case_ids, axes.case_ids)

    def _columns(self, axes: Axes) -> NDArray[np.int32]:
        """The column of every class of the annotations."""
        if self.classes is None:
            if self.scores.shape[1] != axes.n_classes:
                must = f"have one column for each of the {axes.n_classes} classes of the annotations"
                raise error("scores", must, f"{self.scores.shape[1]} columns")
            return np.arange(axes.n_classes, dtype=np.int32)
        unknown = _positions(self.classes, axes.classes) < 0
        if unknown.any():
            must = "have columns only for classes of the annotations (name them all with classes= if the annotations miss some)"
            raise error("scores", must, f"a column for class {_name(self.classes, int(np.argmax(unknown)))}")
        columns = _positions(axes.classes, self.classes)
        if (columns < 0).any():
            got = f"none for class {_name(axes.classes, int(np.argmin(columns)))}"
            raise error("scores", f"have a column for each of the {axes.n_classes} classes of the annotations", got)
        return columns

    def _rows(self, axes: Axes) -> NDArray[np.int32]:
        """The row of every annotated case, -1 where there is none."""
        if self.case_ids is None:
            if len(self.scores) != axes.n_cases:
                must = f"have one row for each of the {axes.n_cases} cases, as they come without case ids"
                raise error("scores", must, f"{len(self.scores)} rows")
            return np.arange(axes.n_cases, dtype=np.int32)
        unknown = _positions(self.case_ids, axes.case_ids) < 0
        if unknown.any():
            got = f"{int(unknown.sum())} unknown of {len(self.case_ids)}"
            raise error("predictions", "be for annotated cases only", got, _name(self.case_ids, int(np.argmax(unknown))))
        return _positions(axes.case_ids, self.case_ids)


def position_note(axes: Axes, of: str) -> str:
    """What must be said of scores without case ids."""
    ends = {1: axes.case_ids[0], axes.n_cases: axes.case_ids[-1]}
    rows = ", ".join(f"row {row} is case {identifiers.name(case)}" for row, case in ends.items())
    return f"{of} came without case ids and were joined by position: {rows}."


def _has_case_column(value: Any) -> bool:
    """Whether a data frame tells its cases by a column: always, but for pandas frames with an index of their own."""
    if isinstance(value, (np.ndarray, type)) or not hasattr(value, "__getitem__") or not hasattr(value, "columns"):
        return False
    index = getattr(value, "index", None)
    if index is None or callable(index):
        return True
    from .._tabular.frames import CASES  # noqa: PLC0415
    from .._tabular.roles import plain  # noqa: PLC0415

    return type(index).__name__ == "RangeIndex" and any(plain(str(name)) in CASES for name in value.columns)


def _table(scores: Any) -> NDArray[np.float64]:
    """The scores as a read-only float64 table; not copied where they are one already."""
    table: NDArray[Any] = identifiers.as_array(scores)
    if table.ndim != 2 or table.size == 0:
        raise error("scores", "be a table of cases x classes", f"shape {table.shape}")
    if table.dtype.kind not in "biuf":
        raise error("scores", "be numbers", f"dtype {table.dtype}")
    room("scores", table.size * (1 if table.flags.c_contiguous and table.dtype == np.float64 else 9))
    table = np.ascontiguousarray(table, dtype=np.float64).view()
    table.flags.writeable = False
    return table


def _names(argument: str, values: Any, n: int, of: str) -> NDArray[Any] | None:
    """Ids, each once, for each of the n rows or columns of the scores."""
    if values is None:
        return None
    names = identifiers.distinct(argument, values)
    if len(names) != n:
        raise error(argument, f"have one entry for each of the {n} {of} of scores", f"{len(names)} entries")
    names.flags.writeable = False
    return names


def _name(names: NDArray[Any] | None, i: int) -> str:
    return str(i) if names is None else identifiers.name(names[i])


def _positions(wanted: NDArray[Any], ids: NDArray[Any]) -> NDArray[np.int32]:
    """Where each wanted id stands in ids, -1 where it does not; numbers against strings compare as text, 1 and 1.0 are one."""
    return find(ids, wanted)


def _take(table: NDArray[np.float64], index: NDArray[np.int32], axis: int) -> NDArray[np.float64]:
    """table.take(index, axis), without the copy where the order is right already."""
    return table if np.array_equal(index, np.arange(table.shape[axis])) else table.take(index, axis=axis)
