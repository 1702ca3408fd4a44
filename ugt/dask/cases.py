"""Cases of long frames in partitions: as labels, checked to be whole in one partition, and metrics with one row per case."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import numpy as np

from .._base import identifiers
from .._base.arrays import NDArray
from .._base.axes import stream_keys_of
from .._base.checks import error
from .._base.grades import named_by
from ..annotations import Labels, Ratings
from ..states.sums import ids_of
from .parts import Graph, held, needed, partitions, values, zipped

MOST_RANGES = 64  # most ranges of hashes of case ids


def labels(
    frame: object,
    case: str = "case",
    annotator: str = "annotator",
    label: str = "label",
    *,
    classes: object = None,
    ordered: object = None,
    check: bool = False,
) -> list[Any]:
    """Return the labels of each partition of a long data frame of dask, which has one row per label.

    Parameters
    ----------
    frame : dask DataFrame
        Frame with all rows of a case in one partition, such as after ``frame.shuffle(on=case)``.
    case, annotator, label : str
        Names of its columns.
    classes : int K or sequence of K names
        As for :meth:`ugt.Labels.from_long`; a single partition does not show all classes. They may be left out if ``ordered`` names them.
    ordered : True or sequence of K names, optional
        As for :meth:`ugt.Labels.from_long`.
    check : bool
        Check first that all rows of each case are in one partition, by :func:`cases_apart`, which reads the frame once more.

    Returns
    -------
    list of dask Delayed of Labels
        For :func:`partial` and :func:`compute`; None for a partition without rows.

    Raises
    ------
    ValueError, ImportError
        If a column or dask is missing; or, with ``check``, if a case is in two partitions. When the labels are computed: as
        :meth:`ugt.Labels.from_long`.

    Examples
    --------
    >>> import dask.dataframe
    >>> import pandas
    >>> import ugt.dask
    >>> table = pandas.DataFrame({"case": [0, 0, 1, 1], "annotator": [0, 1, 0, 1], "label": [2, 2, 0, 1]})
    >>> frame = dask.dataframe.from_pandas(table.set_index("case", drop=False), npartitions=2)
    >>> [part.compute() for part in ugt.dask.labels(frame, classes=3, check=True)]  # doctest: +NORMALIZE_WHITESPACE
    [Labels(n_cases=1, n_empty=0, n_classes=3, n_labels=2, n_annotators=2),
     Labels(n_cases=1, n_empty=0, n_classes=3, n_labels=2, n_annotators=2)]
    """
    if named_by(classes, ordered) is None:
        raise error("classes", "be given, since a single partition does not show all classes", None)
    return _read(frame, (case, annotator, label), check, Labels.from_long, classes=classes, ordered=ordered)


def ratings(
    frame: object, case: str = "case", annotator: str = "annotator", value: str = "value", *, scale: object = None, check: bool = False
) -> list[Any]:
    """Return the ratings of each partition of a long data frame of dask, which has one row per rating.

    Parameters
    ----------
    frame, case, annotator, check
        As for :func:`labels`.
    value : str
        Name of the column of the ratings.
    scale : None, "real" or ascending numbers
        As for :meth:`ugt.Ratings.from_long`, of all partitions.

    Returns
    -------
    list of dask Delayed of Ratings
        For :func:`partial` and :func:`compute`; None for a partition without rows.

    Raises
    ------
    ValueError, ImportError
        As for :func:`labels`. When the ratings are computed: as :meth:`ugt.Ratings.from_long`.

    Examples
    --------
    >>> import dask.dataframe
    >>> import pandas
    >>> import ugt.dask
    >>> table = pandas.DataFrame({"case": [0, 0, 1, 1], "annotator": [0, 1, 0, 1], "value": [2, 2, 1, 3]})
    >>> frame = dask.dataframe.from_pandas(table.set_index("case", drop=False), npartitions=2)
    >>> [part.compute().scale for part in ugt.dask.ratings(frame, scale=[1, 2, 3])]
    [(1.0, 2.0, 3.0), (1.0, 2.0, 3.0)]
    """
    return _read(frame, (case, annotator, value), check, Ratings.from_long, scale=scale)


def _read(frame: object, names: tuple[str, ...], check: bool, make: Callable[..., Any], **options: Any) -> list[Any]:
    """Return the annotations of each partition, made of three columns; with ``check``, reject cases in several partitions."""
    _check_columns(frame, names)
    case = names[0]
    if check:
        shared = cases_apart(frame, case)[1]
        if shared:
            must = f"have all rows of a case in one partition: frame.shuffle(on={case!r}) does so"
            raise error("frame", must, f"{shared} cases in two partitions or more")
    read = needed().delayed(_annotations)
    return [read(part, names, make, options) for part in partitions("frame", frame)]


def _check_columns(frame: object, names: tuple[str, ...]) -> None:
    needed()
    columns = getattr(frame, "columns", None)
    if columns is None or not hasattr(frame, "to_delayed"):
        raise error("frame", "be a data frame of dask", type(frame).__name__)
    for name in names:
        if name not in columns:
            raise error("frame", f"have a column {name!r}", ", ".join(map(repr, columns)))


def _annotations(part: Any, names: tuple[str, ...], make: Callable[..., Any], options: Mapping[str, Any]) -> Labels | Ratings | None:
    return None if len(part) == 0 else make(*(part[name] for name in names), **options)


# ---- whether cases are whole


def cases_apart(frame: Any, case: str = "case") -> tuple[int, int]:
    """Return the number of cases, and of those that are in two partitions or more.

    Parameters
    ----------
    frame : dask DataFrame
        Frame with a column of case ids.
    case : str
        Name of the column.

    Returns
    -------
    (n_cases, n_shared)
        The counts are exact. Each partition's distinct ids are divided by ranges of their hashes, and each range is counted separately:
        no worker holds all ids.

    Raises
    ------
    ValueError, ImportError
        If the column or an id is missing, or if ids are integers in one partition and text in another; if dask is missing.

    Examples
    --------
    >>> import dask.dataframe
    >>> import pandas
    >>> import ugt.dask
    >>> table = pandas.DataFrame({"case": ["p1", "p2", "p2", "p3"], "label": [0, 1, 1, 0]})
    >>> ugt.dask.cases_apart(dask.dataframe.from_pandas(table, npartitions=2))
    (3, 1)
    """
    _check_columns(frame, (case,))
    parts = partitions("frame", frame[[case]])
    n, graph = max(1, min(len(parts), MOST_RANGES)), Graph(parts)
    pieces = [graph.add(_by_hash, part.key, case=case, n=n) for part in parts]
    counts = [graph.add(_repeated, some) for some in graph.exchanged(pieces, n)]
    n_cases, n_shared = graph.delayed(graph.add(_added, counts)).compute()
    return n_cases, n_shared


def _added(counts: list[tuple[int, int]]) -> list[int]:
    return [sum(column) for column in zip(*counts)]


def _by_hash(part: Any, *, case: str, n: int) -> list[NDArray[Any] | None]:
    """Return the distinct ids of a partition, in n pieces by range of their hashes."""
    if len(part) == 0:
        return [None] * n
    ids = identifiers.number("case", part[case]).ids
    at = ((stream_keys_of(ids) >> np.uint64(32)) * np.uint64(n)) >> np.uint64(32)
    order = np.argsort(at, kind="stable")
    ends = np.searchsorted(at[order], np.arange(n + 1, dtype=np.uint64))
    return [ids[order[ends[r] : ends[r + 1]]] for r in range(n)]


def _repeated(pieces: list[list[NDArray[Any] | None]]) -> tuple[int, int]:
    """Return the number of distinct ids of a range, and of those in two pieces or more."""
    some = [piece for batch in pieces for piece in batch if piece is not None]
    kinds = {identifiers.is_text(piece) for piece in some}
    if len(kinds) > 1:
        raise error("case", "hold only integers or only strings", "both, in different partitions")
    if not some:
        return 0, 0
    times = np.unique(np.concatenate(some), return_counts=True)[1]
    return len(times), int(np.count_nonzero(times > 1))


# ---- one row per case


def per_case(function: Callable[..., Any], *collections: Any) -> Any:
    """Return a data frame of dask with one row per case: the results of a function for the cases of each partition.

    Parameters
    ----------
    function : callable
        Called with the data of a partition, one argument per collection. Returns a record with ``per_case`` (such as
        :class:`ugt.metrics.Estimate`), an (N,) array, or a dict of these, one per column; a dict may hold the case ids itself, as
        ``"case"``.
    *collections
        As for :func:`partial`; the first that names its cases (such as :func:`labels`) gives the ids.

    Returns
    -------
    dask DataFrame
        Columns ``case`` and ``value``, or those of the dict, with as many partitions as the collections. ``.to_parquet(folder)`` writes it
        without collecting it in one place.

    Raises
    ------
    ValueError, ImportError
        If no partition has a case, no data name their cases, or a column does not have one number per case; if dask or pandas is missing.

    Notes
    -----
    To find the names and types of the columns, partitions are computed in this process until one has cases.

    Examples
    --------
    >>> import ugt
    >>> import ugt.dask
    >>> parts = [ugt.Labels.from_long(["a", "a", "b"], [0, 1, 0], [0, 1, 1]), ugt.Labels.from_long(["c"], [0], [1])]
    >>> frame = ugt.dask.per_case(lambda labels: ugt.annotation_certainty(ugt.votes(labels)), parts)
    >>> frame.compute().to_dict("list")
    {'case': ['a', 'b', 'c'], 'value': [0.5, 1.0, 1.0]}
    """
    delayed, parts = needed().delayed, zipped(collections)
    from dask import dataframe  # noqa: PLC0415

    how = delayed(function, traverse=False)
    tables = [delayed(_table)(how, *data) for data in parts]
    meta = next((found for found in (table.compute() for table in tables) if found is not None), None)
    if meta is None:
        raise error("collections", "hold at least one case", "none")
    meta = meta.iloc[:0]
    return dataframe.from_delayed([delayed(_filled)(table, meta) for table in tables], meta=meta)


def _filled(table: object, meta: object) -> Any:
    return meta if table is None else table


def _table(function: Callable[..., Any], *data: Any) -> Any:
    """Return the rows of a partition; None if it has no cases."""
    import pandas  # noqa: PLC0415

    found = held(data)
    if found is None:
        return None
    answer = function(*found)
    columns = dict(answer) if isinstance(answer, Mapping) else {"value": answer}
    ids = columns.pop("case", None)
    ids = ids_of(*found) if ids is None else identifiers.distinct("case", ids)
    if ids is None:
        raise error("collections", "name their cases, or function return a dict with 'case'", "data without case ids")
    out = {name: values(getattr(one, "per_case", one)) for name, one in columns.items()}
    for name, one in out.items():
        if np.shape(one) != (len(ids),):
            raise error(f"column {name!r} of function", f"be one number for each of {len(ids)} cases", f"shape {np.shape(one)}")
    return pandas.DataFrame({"case": ids.astype(object) if identifiers.is_text(ids) else ids, **out})
