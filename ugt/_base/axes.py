"""The names of cases and classes, and the frozen record on which every container is based."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, fields
from functools import lru_cache
from typing import TYPE_CHECKING, Any, Union

import numpy as np

from .._core import _tables
from . import identifiers
from . import names as naming
from .arrays import Int32, NDArray
from .checks import error
from .grades import not_in_order
from .lazy import cached_property
from .notices import note
from .records import Record

if TYPE_CHECKING:
    Classes = Union[int, Sequence[Any], NDArray[Any], None]

# Work arrays have one cell of 32 bytes for each class: 512 MB at this limit. A larger number is a mistake (an id taken for a count).
MAX_CLASSES = 2**24
MOST_CLASSES, MOST_TEXT = 1000, 60  # labels of more classes than this, and than half of their number, are free text; characters shown
MOST_KEPT = 1024  # cases and classes of axes that are kept for the next table of their shape: 1 MB in all


class Frozen(Record):
    """The base of frozen dataclasses, whose arrays are read-only copies, also after pickling and copying."""

    def __post_init__(self) -> None:
        for name, value in tuple(self.__dict__.items()):
            if isinstance(value, np.ndarray) and not _is_frozen(value):
                object.__setattr__(self, name, _frozen_copy(value))

    @classmethod
    def _owning(cls, *values: Any) -> Any:
        """Return the record of all its fields in half the time; arrays are those that nothing else refers to, as for `owned`."""
        made = object.__new__(cls)
        held = made.__dict__
        held.update(zip(cls.__dataclass_fields__, values))  # type: ignore[attr-defined]
        for name, value in zip(held, values):
            if isinstance(value, np.ndarray):
                if value.flags.owndata:
                    value.setflags(False)  # type: ignore[call-arg]  # by name it takes twice the time
                else:
                    held[name] = frozen(value)
        return made

    def __reduce__(self) -> tuple[Any, ...]:
        return type(self), tuple(getattr(self, field.name) for field in fields(self))  # type: ignore[arg-type]


def _frozen_copy(array: NDArray[Any]) -> NDArray[Any]:
    copied: NDArray[Any] = array.copy()
    copied.flags.writeable = False
    return copied


def frozen(array: NDArray[Any]) -> NDArray[Any]:
    """Return the array if it is read-only for everybody, else a read-only copy."""
    return array if _is_frozen(array) else _frozen_copy(array)


def _is_frozen(array: NDArray[Any]) -> bool:
    flags, base = array.flags, array.base
    if flags.writeable:
        return False
    return flags.owndata or (type(base) is np.ndarray and base.flags.owndata and not base.flags.writeable)


def owned(*arrays: NDArray[Any]) -> tuple[NDArray[Any], ...]:
    """Return the arrays as read-only ones that nothing else refers to, so that records need not copy them."""
    for array in arrays:
        if array.flags.owndata:
            array.flags.writeable = False
    return arrays


@dataclass(frozen=True, eq=False, repr=False)
class Axes(Frozen):
    """The names of N cases and K classes.

    Parameters
    ----------
    case_ids : (N,) array of int64 or str
        Distinct case ids, in the order of the rows.
    classes : (K,) array of int64 or str
        Distinct class names, in the order of the columns.
    numbered : bool
        Whether the case ids are 0 to N-1 because none were given.

    Notes
    -----
    The constructor does not check the arrays; :meth:`of` does.

    Examples
    --------
    >>> axes = Axes.of(2, 3, case_ids=["p1", "p2"])
    >>> axes
    Axes(n_cases=2, n_classes=3)
    >>> axes.case_name(0), axes.class_name(2)
    ("'p1'", '2')
    """

    case_ids: NDArray[Any]
    classes: NDArray[Any]
    numbered: bool = False

    @classmethod
    def of(cls, n_cases: int, n_classes: int, case_ids: object = None, classes: object = None) -> Axes:
        """Return axes for a table of N rows and K columns; without ids they are 0 to N-1 and 0 to K-1.

        Raises
        ------
        ValueError
            If there are no cases or no classes, or ids are missing, repeated, mixed or of another number.
        """
        if case_ids is None and classes is None and n_cases <= MOST_KEPT and n_classes <= MOST_KEPT:
            return _numbered(n_cases, n_classes)
        return cls(given_ids("case_ids", case_ids, n_cases), given_ids("classes", classes, n_classes), case_ids is None)

    @property
    def ids_or_none(self) -> NDArray[Any] | None:
        """(N,) case ids; None if none were given."""
        return None if self.numbered else self.case_ids

    @property
    def n_cases(self) -> int:
        """Number of cases."""
        return len(self.case_ids)

    @property
    def n_classes(self) -> int:
        """Number of classes."""
        return len(self.classes)

    @cached_property
    def stream_keys(self) -> NDArray[np.uint64]:
        """(N,) stable 64-bit hashes of the case ids, the keys of their random streams; 5 and ``"5"`` have the same hash."""
        keys = stream_keys_of(self.case_ids)
        keys.flags.writeable = False
        return keys

    def take(self, rows: Any) -> Axes:
        """Return the axes of some cases, by position."""
        return Axes(self.case_ids[rows], self.classes, self.numbered)

    def case_name(self, i: int) -> str:
        """Return the name of case i in messages: ``'p17'`` or ``17``."""
        return identifiers.name(self.case_ids[i])

    def class_name(self, k: int) -> str:
        """Return the name of class k in messages."""
        return identifiers.name(self.classes[k])

    def __repr__(self) -> str:
        return f"Axes(n_cases={self.n_cases}, n_classes={self.n_classes})"


@lru_cache(maxsize=64)
def _numbered(n_cases: int, n_classes: int) -> Axes:
    """Return axes without names, which small tables of one shape share."""
    return Axes(given_ids("case_ids", None, n_cases), given_ids("classes", None, n_classes), True)


class OnAxes(Frozen):
    """Base of what has a row for every case and a column for every class."""

    axes: Axes

    @property
    def n_cases(self) -> int:
        """Number of cases."""
        return self.axes.n_cases

    @property
    def n_classes(self) -> int:
        """Number of classes."""
        return self.axes.n_classes

    def __len__(self) -> int:
        return self.n_cases


def stream_keys_of(ids: NDArray[Any]) -> NDArray[np.uint64]:
    """Return stable 64-bit hashes (n,) of ids, int64 or text."""
    if identifiers.is_text(ids):
        return _tables.text_keys(np.ascontiguousarray(ids).view(np.uint32).reshape(len(ids), -1))
    return _tables.integer_keys(ids)


def given_ids(argument: str, ids: object, n: int) -> NDArray[Any]:
    """Return the n distinct ids that were given, or 0 to n-1."""
    if n < 1:
        raise error(argument, "name at least one", "an empty table")
    if ids is None:
        return owned(np.arange(n, dtype=np.int64))[0]
    found = identifiers.distinct(argument, ids)
    if len(found) != n:
        raise error(argument, f"be {n} ids", len(found))
    return found


def class_ids(classes: object) -> NDArray[Any]:
    """Return class names from a number K (0 to K-1) or a sequence of distinct names."""
    if isinstance(classes, (int, np.integer)) and not isinstance(classes, bool):
        if not 1 <= classes <= MAX_CLASSES:
            raise error("classes", f"be a number from 1 to {MAX_CLASSES}", classes)
        return np.arange(int(classes), dtype=np.int64)
    names = identifiers.distinct("classes", classes)
    if not 1 <= len(names) <= MAX_CLASSES:
        raise error("classes", f"be 1 to {MAX_CLASSES} names", len(names))
    return names


def case_axis(column: identifiers.Column, cases: object) -> tuple[NDArray[Any], Int32]:
    """Return the case ids, in order of first appearance or as in a list that is given, and the case index of each row."""
    if cases is None:
        if len(column.ids) == 0:
            raise error("case", "have at least one row, or cases be given", "none")
        return column.ids, column.code
    ids = identifiers.distinct("cases", cases)
    if len(ids) == 0:
        raise error("cases", "have at least one id", "none")
    position = identifiers.lookup(ids, column.ids)
    if (position < 0).any():
        j = int(np.argmax(position < 0))
        raise error("case", "be one of cases", identifiers.name(column.ids[j]), f"row {column.first[j]}")
    return ids, position[column.code]


def check_shared(argument: str, n_classes: int, n_labels: int, example: object, way: str = "") -> None:
    """Reject labels of free text, of which nearly every one is a class of its own; classes that are given are never doubted."""
    if n_classes > MOST_CLASSES and 2 * n_classes > n_labels:
        must = "be names of classes that cases share"
        got = f"{n_classes:,} classes for {n_labels:,} labels, as free text has, such as {str(example)[:MOST_TEXT]!r}"
        raise error(argument, must, got, way=way)


def class_axis(
    argument: str, column: identifiers.Column, classes: Classes, where: identifiers.Where, merge: bool = False
) -> tuple[NDArray[Any], Int32]:
    """Return the class names and the class index of each row; with ``merge``, names that look alike are one class.

    Without ``classes`` the names are the labels that occur, sorted. With a number K, labels are 0 to K-1. With names, labels are names,
    equal as text or as numbers; or positions, if the labels are integers and the names are not.
    """
    if classes is None:
        if len(column.ids) == 0:
            raise error("classes", "be given if there are no labels", None)
        if identifiers.is_text(column.ids):
            check_shared(argument, len(column.ids), len(column.code), column.ids[0])
        column = naming.joined("classes", column, merge)
        found = column.ids.tolist()
        if identifiers.is_text(column.ids) or min(found) < 0 or naming.NINES.fullmatch(str(max(found))):  # else ordinary numbers
            for said in naming.suspicious([*map(str, found)]):
                note(said)
        order, rank = column.ids.argsort(), np.empty(len(column.ids), np.int32)
        rank[order] = np.arange(len(order), dtype=np.int32)
        return column.ids[order], rank[column.code]
    names = class_ids(classes)
    numbers = not identifiers.is_text(names) or all(map(identifiers.NUMBER.fullmatch, names.tolist()))
    if isinstance(classes, (int, np.integer)) or not (numbers or identifiers.is_text(column.ids)):
        ids = column.ids
        if identifiers.is_text(ids):
            position = naming.find(np.arange(len(names), dtype=np.int64), ids)
        else:
            position = np.where((ids >= 0) & (ids < len(names)), ids, -1).astype(np.int32)
        must = f"hold class indices from 0 to {len(names) - 1}"
    else:
        position = naming.find(names, column.ids, merge)
        must = f"be one of the {len(names)} classes"
    if position.min(initial=0) < 0:
        j = int(np.argmax(position < 0))  # ids are in order of first appearance
        place = where(int(column.first[j]))
        if isinstance(classes, identifiers.Grades):
            raise not_in_order(names, column.ids[j], place)
        raise error(argument, must, identifiers.name(column.ids[j]), place)
    return names, position[column.code]
