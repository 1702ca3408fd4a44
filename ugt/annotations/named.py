"""The one door for tables with names: arrays are positions; frames, Series, mappings and Predictions are joined by id and class name."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, NamedTuple

import numpy as np

from .._base import identifiers
from .._base.arrays import NDArray
from .._base.axes import Axes
from .._base.checks import error
from .._base.names import alike, find, listed
from .joins import BY_POSITION, ID, NAME, POSITION, Join, tell
from .large_index import LARGE, is_same, places
from .predictions import Predictions

SHOWN = 4  # names of each side in a message
PLURAL = {"case": "cases", "class": "classes", "feature": "features"}


class Sheet(NamedTuple):
    """Values with the names of their rows and columns; None: they have none, or only numbers from 0 on because none were given."""

    values: Any
    rows: NDArray[Any] | None = None
    columns: NDArray[Any] | None = None
    counted: bool = False  # whether the rows are numbered from 0 because no ids were given


def table(argument: str, given: object, case_ids: NDArray[Any] | None, classes: NDArray[Any] | None = None) -> Any:
    """Return a table of cases (x classes) in the order of the cases and classes; what has no names is returned as it is.

    Parameters
    ----------
    argument : str
        Its name in messages.
    given : object
        Arrays and lists are positions. Frames (index, or a column for the case), Series, mappings of class to column, and
        :class:`Predictions` have names.
    case_ids, classes : arrays or None
        The names of the cases and classes; None: they have none, so that named rows or columns are refused unless they are 0 to N-1.
        Names that are repeated, or are not these, are refused.
    """
    kind = type(given)
    if kind is np.ndarray or kind is list or kind is tuple:
        _check_rows(argument, given)
        tell(argument, BY_POSITION)
        return given
    if isinstance(given, Mapping) and "scores" in given:
        given = Predictions.sharing(given, classes)
    if isinstance(given, Predictions):
        return _of_predictions(argument, given, case_ids, classes)
    index = None if case_ids is None else identifiers.index_of(given)
    at: Any = None
    if index is not None and len(index) >= LARGE and not identifiers.is_numbered(index):
        at = slice(None) if is_same(index, case_ids) else places(index, case_ids)  # type: ignore[arg-type]
    sheet = sheet_of(argument, given, classes, with_rows=at is None)
    if sheet is None:
        tell(argument, BY_POSITION)
        return given
    if sheet.columns is not None and classes is not None and sheet.columns.shape != (1,) and not _covers(sheet.columns, classes):
        return _of_predictions(argument, Predictions.sharing(given, classes), case_ids, classes)
    return placed(argument, sheet, case_ids, classes, at)


def placed(
    argument: str, sheet: Sheet, case_ids: NDArray[Any] | None, classes: NDArray[Any] | None = None, at: object = None
) -> NDArray[Any]:
    """Return the values of a sheet in the order of the cases (and classes); ``at``: the rows of the cases, if they are known."""
    rows = _places(argument, "rows", "case", sheet.rows, case_ids, sheet.counted) if at is None else at
    values, columns = sheet.values, None
    if values.ndim == 2 and values.shape[1] == 1 and (classes is None or len(classes) != 1):
        values = values[:, 0]  # one column is a column
    elif values.ndim == 2:
        columns = _places(argument, "columns", "class", sheet.columns, classes)
    if columns is not None:
        values = values.take(columns, axis=1)
    if isinstance(rows, np.ndarray):
        values = values.take(rows, axis=0)
    by = "" if values.ndim == 1 else POSITION if sheet.columns is None else NAME
    tell(argument, Join(POSITION if sheet.rows is None and at is None else ID, by))
    return np.asarray(values)


def of_new_cases(argument: str, given: object, classes: object, what: str = "class") -> Sheet:
    """Return a table of cases that need not be known, its columns in the order of the classes or features, and the names of its rows."""
    known = None if classes is None else identifiers.distinct("classes", classes)
    found = leader(argument, given)
    if found.columns is None or np.ndim(found.values) != 2:
        return found
    places = _places(argument, "columns", what, found.columns, known)
    tell(argument, Join("", NAME))
    return found if places is None else found._replace(values=found.values[:, places], columns=known)


def names_of(argument: str, given: object) -> tuple[Any, NDArray[Any] | None, NDArray[Any] | None]:
    """Return what other arguments are joined to, and the names of its cases and classes: annotations, plausibilities or a table."""
    axes = getattr(given, "axes", None)
    if isinstance(axes, Axes):
        return given, axes.case_ids, axes.classes
    ids = getattr(given, "case_ids", None)
    if isinstance(ids, np.ndarray) and not isinstance(given, Predictions):
        return given, ids, None
    found = leader(argument, given)
    return found.values, found.rows, found.columns


def rows_of(argument: str, given: Axes, wanted: Axes) -> NDArray[Any] | None:
    """Return the rows of the wanted cases, None if they are in the same order; refuse other cases, and other or reordered classes."""
    if identifiers.is_text(given.classes) == identifiers.is_text(wanted.classes) and not same(given.classes, wanted.classes):
        counted = np.arange(len(given.classes))  # numbers from 0 on are those of classes without names
        unnamed = any(np.array_equal(one.classes, counted) for one in (given, wanted))
        if not unnamed or np.array_equal(np.sort(given.classes), np.sort(wanted.classes)):
            raise _refused(argument, "columns", "class", given.classes, wanted.classes)
    rows = None
    if not (given.numbered or wanted.numbered):
        rows = _places(argument, "rows", "case", given.case_ids, wanted.case_ids, explicit=True)
    tell(argument, Join(POSITION if given.numbered or wanted.numbered else ID, NAME))
    return rows


def leader(argument: str, given: object) -> Sheet:
    """Return what other arguments are joined to: its values, and the names of its cases and classes, if it has any."""
    kind = type(given)
    if kind is np.ndarray or kind is list or kind is tuple:
        _check_rows(argument, given)
        return Sheet(given)
    if isinstance(given, Predictions):
        return Sheet(given.scores, given.case_ids, given.classes)
    found = sheet_of(argument, given)
    if found is None:
        return Sheet(given)
    if found.rows is not None:
        found = found._replace(rows=identifiers.distinct(argument, found.rows))
    if found.values.ndim == 2 and found.values.shape[1] == 1:
        return found._replace(values=found.values[:, 0], columns=None)
    return found if found.columns is None else found._replace(columns=identifiers.distinct(argument, found.columns))


def per_case(argument: str, given: object) -> Sheet | None:
    """Return one value for each case with the ids of a Series or a frame of one column; None for anything else."""
    if type(given) is np.ndarray or type(given) is list or isinstance(given, Mapping):
        return None
    found = sheet_of(argument, given)
    if found is None or found.values.ndim == 1:
        return found
    if found.values.shape[1] != 1:
        names = "several" if found.columns is None else listed(map(identifiers.name, found.columns), SHOWN)
        raise error(argument, "have one column of values for the cases", f"the columns {names}")
    return found._replace(values=found.values[:, 0], columns=None)


def per_class(argument: str, given: object, classes: NDArray[Any]) -> Any:
    """Return one value for each class in the order of the classes, from a Series or a mapping of class to value; others unchanged."""
    if isinstance(given, Mapping):
        names, values = list(given), list(given.values())
    elif type(given) is np.ndarray or (index := identifiers.index_of(given)) is None or identifiers.is_frame(given):
        return given
    else:
        ids = identifiers.names_of_index(argument, index)
        if ids is None:
            return identifiers.unmasked(given)
        names, values = ids.tolist(), identifiers.unmasked(given).tolist()
    ids = as_ids(argument, names)
    unknown, at = find(classes, ids) < 0, find(ids, classes)
    if unknown.any() or (at < 0).any():
        if unknown.any():
            first = ids[int(np.argmax(unknown))]
            got = f"one of {identifiers.name(first)}{alike(first, classes)}, which is not a class"
        else:
            got = f"none for {identifiers.name(classes[int(np.argmax(at < 0))])}"
        known = listed(map(identifiers.name, classes))
        raise error(argument, f"hold a value for exactly the {len(classes)} classes {known}", got)
    tell(argument, Join("", NAME))
    return [values[i] for i in at.tolist()]


def of_pairs(argument: str, given: object, classes: NDArray[Any]) -> Any:
    """Return a table (K, K) of numbers for pairs of classes in their order, from a frame whose index and columns are the classes."""
    return table(argument, given, classes, classes) if identifiers.is_frame(given) else given


def sheet_of(argument: str, given: object, classes: NDArray[Any] | None = None, with_rows: bool = True) -> Sheet | None:
    """Return the values and names of a frame, a Series, or a mapping of class to column; None of what has no names.

    Without ``with_rows`` the names of the rows of an index are not read.
    """
    if isinstance(given, Mapping):
        return _of_mapping(argument, given)
    if identifiers.is_frame(given):
        return _of_frame(argument, given, classes, with_rows)
    index = identifiers.index_of(given)
    if index is None:
        return None
    rows = identifiers.names_of_index(argument, index) if with_rows else None
    return Sheet(identifiers.unmasked(given), rows, None, rows is None and with_rows)


def _check_rows(argument: str, given: Any) -> None:
    """Refuse a list of Series, each of which may have its names in another order."""
    if type(given) is not np.ndarray and len(given) and identifiers.index_of(given[0]) is not None:
        must = "be one table, not a list of Series, each of which has names (pandas.DataFrame(list, index=case ids) makes one)"
        raise error(argument, must, f"a {type(given).__name__} of {len(given)} {type(given[0]).__name__}")


def _of_mapping(argument: str, given: Mapping[Any, Any]) -> Sheet | None:
    """Return the sheet of a mapping of class to column, whose columns have the same index or none."""
    columns = list(given.values())
    if columns and all(np.ndim(one) == 0 for one in columns):  # one value for each case
        return Sheet(np.array(columns), as_ids(argument, list(given)))
    if not columns or any(np.ndim(one) != 1 for one in columns):
        return None
    index = [identifiers.index_of(one) for one in columns]
    every = [None if one is None else identifiers.names_of_index(argument, one) for one in index]
    rows, counted = every[0], index[0] is not None and every[0] is None
    for name, own in zip(given, every):
        if (own is None) != (rows is None) or (own is not None and not same(own, rows)):
            raise error(argument, "have columns with the same index", "another index", f"column {name!r}")
    sizes = {len(one) for one in columns}
    if len(sizes) > 1:
        raise error(argument, "have columns of the same length", " and ".join(map(str, sorted(sizes))))
    values = np.column_stack([identifiers.unmasked(one) for one in columns])
    return Sheet(values, rows, identifiers.number(argument, list(given)).ids, counted)


def _of_frame(argument: str, frame: Any, classes: NDArray[Any] | None, with_rows: bool) -> Sheet:
    """Return the sheet of a frame; without an index of names, its column for the case, if there is one, names the rows."""
    names, index = identifiers.columns_of(frame), identifiers.index_of(frame)
    rows = None if index is None or not with_rows else identifiers.names_of_index(argument, index)
    counted = index is not None and rows is None and with_rows
    case = case_column_of(argument, frame, classes) if with_rows else None
    if case is not None:
        rows, counted = np.asarray(identifiers.unmasked(frame[case])), False
        names = [name for name in names if name != case]
        frame = frame[names] if hasattr(frame, "loc") or hasattr(frame, "lazy") else frame.select(names)
    numbered = type(getattr(frame, "columns", None)).__name__ == "RangeIndex" and names == list(range(len(names)))
    columns = None if numbered else np.array(names) if all(isinstance(one, str) for one in names) else as_ids(argument, names)
    return Sheet(_values(frame, names), rows, columns, counted)


def _values(frame: Any, names: list[Any]) -> NDArray[Any]:
    if hasattr(frame, "column_names"):  # pyarrow, whose tables are no arrays
        return np.column_stack([identifiers.unmasked(frame[name].to_numpy()) for name in names])
    return identifiers.unmasked(frame if hasattr(frame, "__array__") else frame.to_numpy())


def case_column_of(argument: str, frame: object, classes: NDArray[Any] | None) -> Any:
    """Return the column that names the cases, None if there is none or an index does; one that has the name of a class does not."""
    from .._tabular.role_words import CASES  # noqa: PLC0415  (only frames need it)
    from .._tabular.roles import plain  # noqa: PLC0415

    names, index = identifiers.columns_of(frame), identifiers.index_of(frame)
    if index is not None and (getattr(index, "name", None) is not None or getattr(getattr(index, "dtype", None), "kind", "O") not in "iu"):
        return None  # an index of numbers without a name may be what a filter left
    known = set() if classes is None else set(map(str, classes.tolist()))
    called = [name for name in names if plain(str(name)) in CASES and str(name) not in known]
    if len(called) > 1:
        raise error(argument, "have one column for the case", " and ".join(map(repr, called)))
    if called and len(names) == 1:
        raise error(argument, "have a column besides the one for the case", repr(called[0]))
    return called[0] if called else None


def as_ids(argument: str, names: Any) -> NDArray[Any]:
    """Return names of columns, of any kind, as ids in their order."""
    column = identifiers.number(argument, [one if isinstance(one, (str, int, np.integer)) else str(one) for one in names])
    return column.ids[column.code]


def check_counted(argument: str, sheet: Sheet, case_ids: NDArray[Any] | None) -> None:
    """Refuse rows that are numbered because no ids were given, if the cases have these numbers as ids in another order."""
    if sheet.counted and case_ids is not None and case_ids.dtype.kind == "i" and _numbers_in_another_order(case_ids):
        must = (
            f"have the case ids, which are the numbers of its rows in another order (make them the index of {argument}, or give an array)"
        )
        raise error(argument, must, "an index from 0 on")


def _of_predictions(argument: str, given: Predictions, case_ids: Any, classes: Any) -> Any:
    """Return the scores of predictions in the order of the cases and classes."""
    rows = _places(argument, "rows", "case", given.case_ids, case_ids, explicit=True)
    values = given.scores
    if given.numbers:
        values = values[:, 0]
    elif given.labels and given.classes is not None and classes is not None:
        at = find(given.classes, classes)
        if (find(classes, given.classes) < 0).any():
            raise _refused(argument, "columns", "class", given.classes, classes)
        values = np.where(at >= 0, values[:, np.maximum(at, 0)], 0.0)  # labels need not have a column for each class
    else:
        columns = _places(argument, "columns", "class", given.classes, classes)
        values = values if columns is None else values[:, columns]
    by = "" if values.ndim == 1 else POSITION if given.classes is None else NAME
    tell(argument, Join(POSITION if given.case_ids is None else ID, by))
    return values if rows is None else values[rows]


def _places(
    argument: str,
    where: str,
    what: str,
    names: NDArray[Any] | None,
    wanted: NDArray[Any] | None,
    counted: bool = False,
    explicit: bool = False,
) -> NDArray[Any] | None:
    """Return the position of each wanted name, None if the order is the same; refuse names that are not those wanted.

    ``counted``: whether the rows are numbered only because no ids were given; ``explicit``: whether the names were given as such.
    """
    if names is None:
        if counted:
            check_counted(argument, Sheet(None, None, None, True), wanted)
        return None
    if wanted is None:
        if names.dtype.kind in "iu" and np.array_equal(names, np.arange(len(names))):
            return None
        things = PLURAL[what]
        way = f"an array if its {where} are in their order, or give the {things} their names"
        raise error(argument, f"have {where} without names, as the {things} have none ({way})", _some(names))
    if same(names, wanted):
        return None
    quick = _quick_places(names, wanted) if len(names) == len(wanted) else None
    if quick is not None:
        return quick
    column = identifiers.number(argument, names, f"{where[:-1]} {{}}".format)
    if len(column.ids) < len(column.code):
        at = identifiers.repeated(column.code, column.first)
        raise error(argument, f"have each {what} once", f"{identifiers.name(names[at])} twice", f"{where[:-1]} {at}")
    own = column.ids[column.code]
    places = find(own, wanted)
    if (places >= 0).all() and len(own) == len(wanted):
        return places
    if not explicit and len(own) == len(wanted) and own.dtype.kind == "i" and np.array_equal(own, np.arange(len(own))):
        return None  # 0 to N-1 are positions
    raise _refused(argument, where, what, own, wanted)


def _quick_places(names: NDArray[Any], wanted: NDArray[Any]) -> NDArray[Any] | None:
    """Return the position of each wanted name if both sides have the same distinct names of one kind; else None."""
    if names.dtype.kind == "O" and wanted.dtype.kind == "U" and set(map(type, names.tolist())) == {str}:
        names = names if "\0" in "".join(names.tolist()) else np.array(names.tolist())  # arrays of text lose a NUL at the end
    if names.dtype.kind not in "iuU" or names.dtype.kind != wanted.dtype.kind:
        return None
    code, n = identifiers.factorize(np.concatenate([names, wanted]))[0], len(names)
    return code[n:] if code.max() < n and np.array_equal(code[:n], np.arange(n)) else None


def _refused(argument: str, where: str, what: str, names: NDArray[Any], wanted: NDArray[Any]) -> ValueError:
    """Return the error for names that are not those wanted, with both lists and the first name that lacks."""
    things = PLURAL[what]
    unknown, missing = find(wanted, names) < 0, find(names, wanted) < 0
    got = f"{where} {_some(names)} for {things} {_some(wanted)}"
    if not unknown.any() and not missing.any():
        got += ", in another order"
    elif unknown.any():
        first = names[int(np.argmax(unknown))]
        got += f": {int(unknown.sum())} unknown, first {identifiers.name(first)}{alike(first, wanted)}"
    else:
        got += f": none for {int(missing.sum())}, first {identifiers.name(wanted[int(np.argmax(missing))])}"
    way = "leave the others out before" if unknown.any() and not unknown.all() else f"the {what} names of both sides must agree"
    return error(argument, f"have the {things} as its {where} ({way})", got)


def _some(names: NDArray[Any]) -> str:
    return listed(map(identifiers.name, names[: SHOWN + 1]), SHOWN) if len(names) > SHOWN else listed(map(identifiers.name, names))


def _covers(names: NDArray[Any], wanted: NDArray[Any]) -> bool:
    """Return whether the names are those wanted, or numbers from 0 on."""
    if len(names) != len(wanted):
        return False
    return bool((find(wanted, as_ids("columns", names.tolist())) >= 0).all()) or names.tolist() == list(range(len(names)))


def _numbers_in_another_order(ids: NDArray[Any]) -> bool:
    numbers = np.arange(len(ids))
    return not np.array_equal(ids, numbers) and np.array_equal(np.sort(ids), numbers)


def same(names: NDArray[Any] | None, wanted: NDArray[Any] | None) -> bool:
    """Return whether names are those wanted, in the same order."""
    if names is None or wanted is None or len(names) != len(wanted):
        return False
    if len(names) and str(names[0]) != str(wanted[0]):
        return False
    if names.dtype.kind == wanted.dtype.kind or (names.dtype.kind in "iu" and wanted.dtype.kind in "iu"):
        return np.array_equal(names, wanted)
    if names.dtype.kind == "O" and wanted.dtype.kind == "U":
        return bool(names.tolist() == wanted.tolist())
    return False
