"""Columns of ids (cases, annotators, classes): integers, text or bools (as text), numbered in order of first appearance."""

from __future__ import annotations

import math
import re
from collections.abc import Mapping
from typing import Any, Callable, NamedTuple

import numpy as np

from .._core import _tables
from .arrays import Int32, Int64, NDArray
from .checks import error
from .notes import Note
from .notices import note

MAX_WHOLE = 2**53  # the largest range in which doubles hold every whole number

# Text that is an int64 written the usual way: "007" and "+7" remain names. Of 19 digits, those up to the largest.
_LARGEST = str(2**63 - 1)
_OF_19 = "|".join(f"{_LARGEST[:i]}[{int(i == 0)}-{int(d) - 1}][0-9]{{{18 - i}}}" for i, d in enumerate(_LARGEST) if d != "0")
INTEGER = re.compile(f"0|-?(?:[1-9][0-9]{{0,17}}|{_OF_19}|{_LARGEST})|{-(2**63)}")
NUMBER = re.compile(r"-?(?:0|[1-9][0-9]{0,14})(?:\.[0-9]{1,15})?")  # text that names a number
_DECIMAL = re.compile(r"(-?(?:0|[1-9][0-9]{0,17}))\.([0-9]*)")

Where = Callable[[int], str]  # names a row of a column in a message


class Column(NamedTuple):
    """A column of n ids as codes: ``ids[code]`` is the column, ``first`` the row where each distinct id appears first."""

    code: Int32
    ids: NDArray[Any]
    first: Int64


def number(argument: str, values: object, where: Where = "row {}".format) -> Column:
    """Return the column with its distinct ids numbered; reject ids that are missing, empty, mixed or neither integers nor text.

    Bools are the text "False" and "True", as files and data frames have them.
    """
    plain = _plain(argument, values, where)
    column = _number_list(argument, plain, where) if isinstance(plain, list) else _number_array(plain)
    if is_text(column.ids) and (column.ids == "").any():
        raise error(argument, "not be empty", "''", where(int(column.first[column.ids == ""][0])))
    return column


def number_each(argument: str, values: object, n: int, what: str = "case") -> Column:
    """Return the column, which must have one id for each of n cases."""
    column = number(argument, values)
    if len(column.code) != n:
        raise error(argument, f"be {n} ids, one per {what}", len(column.code))
    return column


def is_text(ids: NDArray[Any]) -> bool:
    return bool(ids.dtype.kind == "U")


def name(item: object) -> str:
    """Return an id as messages show it: ``'p17'`` or ``17``."""
    return repr(item.item() if isinstance(item, np.generic) else item)


def one_number(name: str) -> str:
    """Return the name; a decimal number loses the zeros at its end: 1 for ``"1.0"``, 1.5 for ``"1.50"``."""
    match = _DECIMAL.fullmatch(name) if "." in name else None
    if match is None:
        return name
    found = f"{match[1]}.{match[2]}".rstrip("0").rstrip(".")
    return "0" if found == "-0" else found


def factorize(values: NDArray[Any]) -> tuple[Int32, Int64]:
    """Return ``(code, first)`` of the distinct entries (rows of a 2-D array) of one fixed width, in order of first appearance."""
    values = np.ascontiguousarray(values)
    width = values.nbytes // max(1, len(values))
    return _tables.factorize(values.view(np.uint8).reshape(len(values), width))


def lookup(table: NDArray[Any], ids: NDArray[Any]) -> Int32:
    """Return the position of each id in a table of distinct ids, or -1. Integers and text never match."""
    if is_text(table) != is_text(ids):
        return np.full(len(ids), -1, np.int32)
    code = factorize(np.concatenate([table, ids]))[0][len(table) :]
    return np.where(code < len(table), code, np.int32(-1))


def distinct(argument: str, values: object) -> NDArray[Any]:
    """Return the ids of a column; reject one in which an id occurs twice."""
    column = number(argument, values, "position {}".format)
    if len(column.ids) < len(column.code):
        i = repeated(column.code, column.first)
        raise error(argument, "not repeat an id", f"{name(column.ids[column.code[i]])} twice", f"position {i}")
    return column.ids


def everyone(known: NDArray[Any], annotators: object, any_labels: bool) -> tuple[list[Any], Int32]:
    """Return the annotators of all parts of the data, ascending, and the position of each annotator of this part among them.

    ``annotators`` are those of all parts; if None, this part is all of the data.
    """
    if annotators is None and len(known) == 0 and not any_labels:
        raise error("annotators", "be given for a part without labels", None)
    names = np.sort(known if annotators is None else distinct("annotators", annotators))
    at = lookup(names, known) if len(known) else np.empty(0, np.int32)
    if (at < 0).any():
        raise error("annotators", "name all annotators of every part", f"a list without {name(known[int(np.argmax(at < 0))])}")
    return names.tolist(), at


def repeated(code: Int32, first: Int64) -> int:
    """Return the first row whose id occurs in an earlier row."""
    return int(np.argmax(first[code] != np.arange(len(code))))


def _number_array(values: NDArray[Any]) -> Column:
    code, first = factorize(values)
    return Column(code, values[first], first)


def _number_list(argument: str, values: list[str], where: Where) -> Column:
    length, longest = sum(map(len, values)), max(map(len, values), default=0)
    # An array of fixed width takes a fifth of the time, but one long id among millions of short ones must not multiply the memory.
    if longest * len(values) <= 32 * len(values) + 4 * length:
        column = _number_array(np.array(values, dtype=np.str_))
    else:
        seen = dict.fromkeys(values)
        codes = dict(zip(seen, range(len(seen))))
        code = np.fromiter(map(codes.__getitem__, values), np.int32, len(values))
        first = np.empty(len(seen), np.int64)
        first[code[::-1]] = np.arange(len(values))[::-1]  # the last assignment, which is that of the first row, remains
        column = Column(code, np.array(list(seen), dtype=np.str_), first)
    if np.char.str_len(column.ids)[column.code].sum() < length:  # arrays of text lose a NUL at the end
        i = next(i for i, v in enumerate(values) if v.endswith("\0"))
        raise error(argument, "not end in a NUL character", repr(values[i]), where(i))
    return column


def _plain(argument: str, values: Any, where: Where) -> NDArray[Any] | list[str]:
    """Return the column as an int64 array, a native text array, or a list of str."""
    if isinstance(values, (str, bytes, Mapping)) or not (hasattr(values, "__iter__") or is_array(values)):
        raise error(argument, "be a one-dimensional sequence of ids", type(values).__name__)
    if not is_array(values):
        return _plain_objects(argument, list(values), where)
    array = unmasked(values)
    if array.ndim != 1:
        raise error(argument, "be a one-dimensional sequence of ids", f"{array.ndim} dimensions")
    if array.dtype.kind in "iuf":
        return _whole(argument, array, where)
    if array.dtype.kind in "bU":
        return array.astype(np.str_ if array.dtype.kind == "b" else array.dtype.newbyteorder("="), copy=False)
    if array.dtype.kind in "OT":  # T: the variable-width strings of numpy 2
        return _plain_objects(argument, array.tolist(), where)
    raise error(argument, "hold integers or strings", f"an array of {array.dtype}")


def _plain_objects(argument: str, values: list[Any], where: Where) -> NDArray[Any] | list[str]:
    kinds = {_kind(t) for t in set(map(type, values))}
    if kinds == {"str"}:
        return values
    if kinds == {"bool"}:
        return [str(value) for value in values]
    if kinds <= {"int", "float"}:
        array = np.array(values)
        if array.dtype.kind == "O":
            raise error(argument, "fit into 64 bits", name(max(values, key=abs)))
        return _whole(argument, array, where)
    if "str" in kinds and kinds <= {"str", "int", "float"}:
        plain = [one_number(value) if isinstance(value, str) else value for value in values]
        if all(not isinstance(value, str) or INTEGER.fullmatch(value) for value in plain):
            words = "The column {argument} holds numbers, and text that is equal to numbers; both are read as numbers."
            note(Note("numbers_as_text", words, argument=argument))
            return _plain_objects(argument, [int(value) if isinstance(value, str) else value for value in plain], where)
    raise _mixture(argument, values, where)


def _kind(t: type) -> str:
    for kind, types in (("str", str), ("bool", (bool, np.bool_)), ("int", (int, np.integer)), ("float", (float, np.floating))):
        if issubclass(t, types):
            return kind
    return ""


def unmasked(values: Any) -> NDArray[Any]:
    """Return the array with masked cells as None: numpy.asarray would show the values under the mask, also in the rows of a list."""
    if type(values) is np.ndarray:
        return values
    if isinstance(values, (list, tuple)) and any(isinstance(row, np.ma.MaskedArray) for row in values):
        values = np.ma.array(values)
    if np.ma.is_masked(values):
        return np.array(values.tolist(), dtype=object)
    for step in ("detach", "cpu"):  # numpy cannot read a tensor of torch with a gradient or from a device
        values = getattr(values, step)() if hasattr(values, step) and hasattr(values, "__array__") else values
    if hasattr(values, "__dlpack__") and not hasattr(values, "__array__") and hasattr(np, "from_dlpack"):
        values = np.from_dlpack(values)
    found = np.asarray(values)
    if (
        found.dtype == object
        and isinstance(values, (list, tuple))
        and any(isinstance(row, (list, tuple, np.ndarray)) for row in found.flat)
    ):
        raise ValueError("rows of different lengths")  # of which numpy before 1.24 makes an array of lists
    return _without_boxes(found) if found.dtype == object and hasattr(values, "to_numpy") else found


def without_masks(values: object) -> Any:
    """Return nested lists in which masked arrays are lists with None for masked cells, and other values are unchanged."""
    if isinstance(values, np.ma.MaskedArray):
        return values.tolist()
    return list(map(without_masks, values)) if isinstance(values, (list, tuple)) else values


def is_array(values: object) -> bool:
    """Return whether numpy can read the values as an array: one of numpy, torch or jax, a data frame or a column of one."""
    return hasattr(values, "__array__") or hasattr(values, "__dlpack__")


def is_frame(value: object) -> bool:
    """Return whether a value has named columns, as data frames of pandas, polars and pyarrow do."""
    if isinstance(value, (np.ndarray, type)):
        return False
    return hasattr(value, "__getitem__") and (hasattr(value, "column_names") or hasattr(value, "columns"))


def columns_of(frame: Any) -> list[Any]:
    """Return the names of the columns of a data frame."""
    return list(frame.column_names if hasattr(frame, "column_names") else frame.columns)


def index_of(value: object) -> Any:
    """Return the index of a frame or a Series of pandas; None for anything else (lists and arrow arrays have a method of this name)."""
    index = getattr(value, "index", None)
    return None if index is None or callable(index) or not hasattr(index, "to_numpy") else index


def names_of_index(argument: str, index: Any) -> NDArray[Any] | None:
    """Return the ids of an index; None if it numbers the rows from 0 on because no ids were given."""
    if getattr(index, "nlevels", 1) > 1:
        raise error(argument, "have one index (use reset_index())", f"{index.nlevels} levels")
    return None if is_numbered(index) else np.asarray(index.to_numpy())


def mapping_of(argument: str, given: Any) -> Any:
    """Return a Series with an index of names as the mapping that it is; anything else unchanged."""
    index = None if isinstance(given, Mapping) or is_frame(given) else index_of(given)
    names = None if index is None else names_of_index(argument, index)
    if names is None:
        return given
    keys, values = names.tolist(), given.tolist()
    found = dict(zip(keys, values))
    if len(found) < len(keys):
        raise error(argument, "name each of them once", f"{next(name(key) for i, key in enumerate(keys) if key in keys[:i])} twice")
    return found


def is_numbered(index: Any) -> bool:
    """Return whether the index of a data frame or a Series is 0 to N-1 because none was given."""
    return type(index).__name__ == "RangeIndex" and index.name is None and (index.start, index.step) == (0, 1)


class Grades(list):  # type: ignore[type-arg]
    """Names of classes in the order of a scale, lowest first."""


class OrderedCategories(Grades):
    """The grades that a column declares."""


def categories(column: Any) -> list[Any] | None:
    """Return all categories of a categorical column of pandas, an Enum of polars or an ordered dictionary of pyarrow; None of another.

    The categories of a Categorical of polars are those of every such column of the process, so that it is a column of text.
    """
    dtype = getattr(column, "dtype", None)
    if getattr(getattr(column, "type", None), "ordered", False) is True and hasattr(column, "unify_dictionaries"):
        return OrderedCategories(column.unify_dictionaries().chunk(0).dictionary.to_pylist() if column.num_chunks else ())
    pooled = type(dtype).__module__.startswith("polars.") and type(dtype).__name__ != "Enum"
    found = None if pooled else getattr(dtype, "categories", None)
    return None if found is None else OrderedCategories(found) if getattr(dtype, "ordered", False) is True else list(found)


def _without_boxes(cells: NDArray[Any]) -> NDArray[Any]:
    """Return nullable numbers of pandas, which numpy reads as objects, as numbers with NaN for missing ones; other cells unchanged."""
    flat = cells.ravel().tolist()
    kinds = {_kind(type(cell)) for cell in flat if not is_null(cell)}
    if not kinds or not kinds <= {"int", "float"} or any(abs(cell) > MAX_WHOLE for cell in flat if not is_null(cell)):
        return cells
    whole = kinds == {"int"} and not any(map(is_null, flat))
    numbers = [np.nan if is_null(cell) else cell for cell in flat]
    return np.array(numbers, np.int64 if whole else np.float64).reshape(cells.shape)


def as_array(values: Any) -> NDArray[Any]:
    """Like :func:`unmasked`, but also accept rows of different lengths, as an object array that later checks reject."""
    try:
        return unmasked(values)
    except ValueError:
        rows = list(values)
        found = np.empty(len(rows), object)
        for i, row in enumerate(rows):
            found[i] = row
        return found


def is_null(value: object) -> bool:
    """Return whether a value is None, nan or a missing value of pandas (by its name, as pandas need not be installed)."""
    nan = isinstance(value, (float, np.floating)) and math.isnan(value)
    return value is None or nan or type(value).__name__ in ("NAType", "NaTType")


def _mixture(argument: str, values: list[Any], where: Where) -> ValueError:
    """Return the error for the first missing row; without one, for the first row that is no id or differs in kind from those before."""
    missing = [i for i, v in enumerate(values) if is_null(v)]
    if missing:
        return error(argument, "not be missing", repr(values[missing[0]]), where(missing[0]))
    kinds = [_kind(type(v)).replace("float", "int") for v in values]
    i = next(i for i, kind in enumerate(kinds) if kind in ("", *{"str", "int", "bool"} - {kinds[0]}))
    if kinds[i] == "":
        return error(argument, "hold integers or strings", f"{values[i]!r} ({type(values[i]).__name__})", where(i))
    must = "hold only integers or only strings" + (" or only bools" if "bool" in (kinds[0], kinds[i]) else "")
    return error(argument, must, f"both {values[0]!r} and {values[i]!r}", where(i))


def _whole(argument: str, values: NDArray[Any], where: Where) -> Int64:
    """Return numbers as int64, as a column of integers with gaps is often one of floats; reject numbers that are not whole."""
    if values.dtype.kind == "i":
        return np.ascontiguousarray(values, np.int64)
    if values.dtype.kind == "f":
        bad = ~((values == np.floor(values)) & (np.abs(values, dtype=np.float64) <= MAX_WHOLE))  # which float16 cannot hold
    else:
        bad = values > np.iinfo(np.int64).max if values.dtype == np.uint64 else np.zeros(0, bool)
    if bad.any():
        i = int(np.argmax(bad))
        must = "not be missing" if is_null(values[i]) else "hold integers of at most 64 bits or strings"
        raise error(argument, must, name(values[i]), where(i))
    return np.ascontiguousarray(values, np.int64)
