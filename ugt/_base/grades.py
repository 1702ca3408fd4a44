"""The order of classes on a scale, and the numbers of its grades: one rule for everything that needs them."""

from __future__ import annotations

from collections.abc import Iterable, Sequence, Set
from typing import TYPE_CHECKING, Any, Union

import numpy as np

from . import identifiers
from .arrays import Array, Int32, NDArray
from .checks import error
from .names import alike, find
from .wording import arg

if TYPE_CHECKING:
    Order = Union[bool, Sequence[Any], None]
Scale = Union[str, "tuple[float, ...]", None]
REAL = "real"
SHOWN = 9  # grades of an order that is said
CODES = "ascend or descend if all class names are numbers (if the numbers are codes, give the classes words as names)"
EACH = "be the classes, lowest first, if their names are not all numbers"
SCALE = "be 'real', or at least two ascending finite numbers"
LOWEST_TO_HIGHEST = ["lowest", ..., "highest"]  # an order of classes, in texts
ORDERED = arg("ordered", LOWEST_TO_HIGHEST)
SCALE_WAY = "if the highest number is the lowest grade, give the order of labels: " + arg("ordered", ...)


def numbers_of(names: NDArray[Any]) -> Array | None:
    """Return the numbers (K,) that class names are, also as text (``"1.5"``); None unless all are different numbers."""
    if identifiers.is_text(names):
        if not all(map(identifiers.NUMBER.fullmatch, names.tolist())):
            return None
        names = np.array(names.tolist(), np.float64)
    found = np.asarray(names, np.float64)
    return found if len(np.unique(found)) == len(found) else None


def grades_of(names: NDArray[Any]) -> Array:
    """Return the numbers (K,) of grades: class names that are numbers, else 1 to K."""
    found = numbers_of(names)
    return np.arange(1, len(names) + 1, dtype=np.float64) if found is None else found


def given_values(values: object, n: int) -> Array:
    """Return numbers of the n classes that were given; reject others."""
    table = identifiers.as_array(values)
    if table.dtype.kind not in "iuf" or table.shape != (n,) or not np.isfinite(table).all():
        raise error("values", f"be {n} finite numbers, one per class", repr(values))
    return table.astype(np.float64)


def check_order(argument: str, names: NDArray[Any], ordered: bool, least: int = 3, by: str = "ordered") -> None:
    """Refuse classes without a stated order: texts, or numbers that do not ascend.

    Fewer than ``least`` classes need none: the reverse of an order changes few statistics. ``by`` is the argument that states one.
    """
    numbers = None if ordered or len(names) < least else numbers_of(names)
    if not ordered and len(names) >= least and (numbers is None or not (np.diff(numbers) > 0).all()):
        shown = ", ".join(map(str, names[:3].tolist()))
        must = "be ordered (" + arg(by, LOWEST_TO_HIGHEST) + "), or have classes that are ascending numbers"
        raise error(argument, must, f"classes such as {shown} without an order")


def order_said(names: Iterable[object]) -> str:
    """Return an order for readers: ``mild < moderate < severe``."""
    shown = [*map(str, names)]
    return " < ".join(shown if len(shown) <= SHOWN else [*shown[: SHOWN - 2], "...", shown[-1]])


def as_grades(values: object) -> Any:
    """Return a column with fractions (1, 1.5) as text, because names of classes are text or whole numbers; others unchanged."""
    column = identifiers.as_array(values)
    numbers = column
    if column.dtype.kind == "O" and column.ndim == 1 and all(type(cell) in (int, float) for cell in column.tolist()):
        numbers = column.astype(np.float64)
    if numbers.dtype.kind != "f" or numbers.ndim != 1 or not np.isfinite(numbers).all() or (numbers == np.floor(numbers)).all():
        return values
    return [named_number("grades", cell) for cell in numbers.tolist()]


def named_by(classes: object, ordered: object) -> Any:
    """Return the classes that are given: those of an order, if there are no others."""
    if classes is not None or ordered is None or isinstance(ordered, (bool, np.bool_)):
        return classes
    return identifiers.Grades(_names_of(ordered).tolist())


def _names_of(ordered: object) -> NDArray[Any]:
    """Return the distinct names of an order that is given."""
    if isinstance(ordered, Set):
        raise error("ordered", "be a list of the classes, lowest first, because a set has no order", type(ordered).__name__)
    names = identifiers.distinct("ordered", as_grades(ordered))
    if len(names) == 0:
        raise error("ordered", "name the classes, lowest first", "none")
    return names


def order_of(ordered: object, known: NDArray[Any]) -> tuple[NDArray[Any], Int32]:
    """Return the names of the grades, lowest first, and the position of each known class among them, -1 if it has none.

    ``ordered`` is True for names that are numbers, which ascend, or a sequence of names.
    """
    if isinstance(ordered, (bool, np.bool_)):
        numbers = numbers_of(known)
        if numbers is None or not ordered:
            words = [one for one in known.tolist() if numbers_of(np.array([one])) is None]
            raise error("ordered", EACH, f"no order, and the class {words[0] if words else known[0]!r}")
        names = known[np.argsort(numbers)]
    else:
        names = _names_of(ordered)
    numbers = numbers_of(names)
    if numbers is None and identifiers.is_text(names) and all(map(identifiers.NUMBER.fullmatch, names.tolist())):
        raise error("ordered", "name each grade once (1 and 1.0 are one number)", order_said(names))
    if numbers is not None and len(numbers) > 1 and len(set(np.sign(np.diff(numbers)).tolist())) > 1:
        raise error("ordered", CODES, order_said(names))
    return names, find(names, known)


def not_in_order(names: NDArray[Any], item: object, where: str) -> ValueError:
    """Return the error for a class without a place in the order."""
    numbers, own = numbers_of(names), numbers_of(np.array([item]))
    hint = alike(item, names)
    if numbers is not None and own is not None and numbers.min() < own[0] < numbers.max():
        hint = " (it is between two grades: give it a place in the order, or read ratings on the scale 'real')"
    return error("ordered", "name every class, lowest first", f"{order_said(names)}, without {identifiers.name(item)}{hint}", where)


def scale_of(scale: object) -> Scale:
    """Return the scale of ratings: None, "real" or a tuple of its grades, ascending; reject others."""
    if scale is None or (isinstance(scale, str) and scale == REAL):
        return scale
    array = identifiers.as_array(scale) if not isinstance(scale, str) else np.empty(0)
    good = array.ndim == 1 and len(array) > 1 and array.dtype.kind in "iuf" and bool(np.isfinite(array).all())
    if not good or not (np.diff(array.astype(np.float64)) > 0).all():
        raise error("scale", SCALE, repr(scale), way=SCALE_WAY)
    found = array.astype(np.float64)
    if (found != np.floor(found)).any() or np.abs(found).max() > identifiers.MAX_WHOLE:  # names are text
        for grade in found.tolist():
            named_number("scale", grade)
    return tuple(found.tolist())


def scale_said(scale: Scale) -> str:
    """Return a scale of ratings for readers."""
    if isinstance(scale, tuple):
        return order_said(np.array([*map(number_shown, scale)]))
    return "not stated" if scale is None else "real numbers"


def number_shown(value: float) -> str:
    """Return a number of a scale for readers: 3 for 3.0."""
    whole = value == np.floor(value) and abs(value) <= identifiers.MAX_WHOLE
    return str(int(value)) if whole else str(np.format_float_positional(value, trim="-"))


def named_number(argument: str, value: float) -> str:
    """Return the name of a class that is a number, which is read as this number; reject numbers with too many digits for that."""
    name = number_shown(value)
    if not identifiers.NUMBER.fullmatch(name):
        raise error(argument, "be numbers of at most 15 digits before the point and 15 after it (round or scale them)", f"{value!r}")
    return name
