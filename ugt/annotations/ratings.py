"""Ratings that annotators gave to cases, as ragged arrays that are checked once and immutable."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from .._base import identifiers
from .._base.arrays import Array, Int32, Int64, NDArray
from .._base.ragged import n_empty, row_of, sizes_of
from .._tabular.rows import LongRows, OnCases, WideCells, finite_numbers, held_cells, wide


@dataclass(frozen=True, eq=False, repr=False)
class Ratings(OnCases):
    """The ratings on a scale of numbers that annotators gave to cases. The ``from_*`` constructors make them.

    Parameters
    ----------
    case_ids, numbered
        As in :class:`Axes`.
    annotators, offsets, annotator
        As in :class:`Labels`; every annotator has a name.
    value : (R,) float64
        The ratings, finite.

    Notes
    -----
    One annotator may rate a case several times: every rating counts. A case without ratings is kept.

    Examples
    --------
    >>> import ugt
    >>> ugt.Ratings.from_wide([[1.5, 2.0], [float("nan"), 0.5]])
    Ratings(n_cases=2, n_empty=0, n_ratings=3, n_annotators=2)
    """

    case_ids: NDArray[Any]
    annotators: NDArray[Any]
    offsets: Int64
    annotator: Int32
    value: Array
    numbered: bool = False

    @classmethod
    def from_long(cls, case: Any, annotator: Any, value: Any, *, cases: Any = None) -> Ratings:
        """Read a long table with one row per rating.

        Parameters
        ----------
        value : (n,) array
            Finite numbers.
        case, annotator, cases
            As for :meth:`Labels.from_long`.

        Raises
        ------
        ValueError
            As for :meth:`Labels.from_long`; if a value is not a finite number.

        Examples
        --------
        >>> ratings = Ratings.from_long(["p1", "p1", "p2"], ["ann", "bob", "ann"], [0.5, 1, -2])
        >>> ratings, ratings.means()
        (Ratings(n_cases=2, n_empty=0, n_ratings=3, n_annotators=2), array([ 0.75, -2.  ]))
        """
        rows = LongRows.read(case, annotator, cases)
        column = rows.numbers("value", value)
        offsets, order = rows.grouped()
        return cls(rows.case_ids, rows.annotators, offsets, rows.annotator[order], column[order])

    @classmethod
    def from_wide(cls, table: Any, *, case_ids: Any = None, annotators: Any = None, missing: Any = (None, "", float("nan"))) -> Ratings:
        """Read a wide table with one row per case and one column per annotator.

        Parameters
        ----------
        table : (N, A) array or list of lists
            Numbers, and values that mean "no rating".
        case_ids, annotators, missing
            As for :meth:`Labels.from_wide`.

        Raises
        ------
        ValueError
            If the table is not two-dimensional; a cell is not a finite number; ids are repeated or of another number.

        Examples
        --------
        >>> Ratings.from_wide([[3, None], [4, 5]], case_ids=["a", "b"]).value
        array([3., 4., 5.])
        """
        if identifiers.is_frame(table):
            from .._tabular.frames import wide_names  # noqa: PLC0415

            case_ids, annotators, _ = wide_names(table, case_ids, annotators, 0)
        given = wide(table)
        at, held = held_cells(given, missing)
        cells = WideCells.of(given.shape, at, case_ids, annotators)
        return cls(cells.case_ids, cells.annotators, *cells.grouped(), finite_numbers("table", held, cells.where), case_ids is None)

    @property
    def n_ratings(self) -> int:
        """Number of ratings."""
        return len(self.value)

    def means(self) -> Array:
        """Return the mean rating (N,) of each case; NaN for a case without ratings."""
        with np.errstate(invalid="ignore"):
            return np.asarray(np.bincount(row_of(self.offsets), self.value, self.n_cases) / sizes_of(self.offsets))

    def __repr__(self) -> str:
        sizes = f"n_cases={self.n_cases}, n_empty={n_empty(self.offsets)}, n_ratings={self.n_ratings}"
        return f"Ratings({sizes}, n_annotators={len(self.annotators)})"
