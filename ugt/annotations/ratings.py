"""Ratings that annotators gave to cases, as ragged arrays that are checked once and immutable."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import numpy as np

from .._base import identifiers
from .._base.arrays import Array, Int32, Int64, NDArray
from .._base.axes import Axes
from .._base.checks import error
from .._base.grades import REAL, Scale, number_shown, numbers_of, scale_of, scale_said
from .._base.ragged import n_empty, row_at, row_of, sizes_of
from .._base.wording import arg
from .._tabular.rows import LongRows, OnCases, WideCells, finite_numbers, held_cells, wide

if TYPE_CHECKING:
    from . import Labels


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
    scale : None, "real" or tuple of floats
        Which ratings are possible: real numbers, or the grades of a finite scale, ascending. None: not stated.

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
    scale: Scale = None

    @classmethod
    def from_long(cls, case: object, annotator: object, value: object, *, scale: object = None, cases: object = None) -> Ratings:
        """Read a long table with one row per rating.

        Parameters
        ----------
        value : (n,) array
            Finite numbers.
        scale : None, "real" or ascending numbers
            Which ratings are possible: real numbers, or these grades, all of them. None: not stated.
        case, annotator, cases
            As for :meth:`Labels.from_long`.

        Raises
        ------
        ValueError
            As for :meth:`Labels.from_long`; if a value is not a finite number, or not on the scale.

        Examples
        --------
        >>> ratings = Ratings.from_long(["p1", "p1", "p2"], ["ann", "bob", "ann"], [0.5, 1, -2])
        >>> ratings, ratings.means()
        (Ratings(n_cases=2, n_empty=0, n_ratings=3, n_annotators=2), array([ 0.75, -2.  ]))
        """
        rows = LongRows.read(case, annotator, cases)
        column = rows.numbers("value", value)
        offsets, order = rows.grouped()
        return cls(rows.case_ids, rows.annotators, offsets, rows.annotator[order], column[order]).on_scale(scale)

    @classmethod
    def from_wide(
        cls,
        table: object,
        *,
        scale: object = None,
        case_ids: object = None,
        annotators: object = None,
        missing: object = (None, "", float("nan")),
    ) -> Ratings:
        """Read a wide table with one row per case and one column per annotator.

        Parameters
        ----------
        table : (N, A) array or list of lists
            Numbers, and values that mean "no rating".
        scale
            As for :meth:`from_long`.
        case_ids, annotators, missing
            As for :meth:`Labels.from_wide`.

        Raises
        ------
        ValueError
            If the table is not two-dimensional; a cell is not a finite number, or not on the scale; ids are repeated or of another number.

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
        value = finite_numbers("table", held, cells.where)
        return cls(cells.case_ids, cells.annotators, *cells.grouped(), value, case_ids is None).on_scale(scale)

    @classmethod
    def from_labels(cls, labels: Labels) -> Ratings:
        """Return labels as ratings: the grades of ordered labels, on their scale; else the names of the classes as numbers.

        Raises
        ------
        ValueError
            If annotators have no names, or the classes are neither ordered nor numbers.

        Examples
        --------
        >>> import ugt
        >>> Ratings.from_labels(ugt.Labels.from_wide([["mild", "severe"]], ordered=["mild", "severe"])).value
        array([1., 2.])
        """
        if len(labels.annotators) == 0:
            raise error("labels", "be of named annotators to be read as ratings", "counts")
        numbers = labels.grades if labels.ordered else numbers_of(labels.axes.classes)
        if numbers is None:
            shown = ", ".join(map(repr, labels.axes.classes[:3].tolist()))
            raise error("labels", "be numbers, or ordered, to be read as ratings", shown)
        value = np.repeat(numbers[labels.label], labels.count)
        annotator, ends = np.repeat(labels.annotator, labels.count), np.append(0, np.cumsum(labels.count))[labels.offsets]
        axes = labels.axes
        scale = tuple(sorted(numbers.tolist())) if labels.ordered and len(numbers) > 1 else None
        return cls(axes.case_ids, labels.annotators, ends.astype(np.int64), annotator, value, axes.numbered, scale)

    @property
    def n_ratings(self) -> int:
        """Number of ratings."""
        return len(self.value)

    def on_scale(self, scale: object) -> Ratings:
        """Return the ratings on a stated scale.

        Parameters
        ----------
        scale : None, "real" or ascending numbers
            As for :meth:`from_long`.

        Raises
        ------
        ValueError
            If the scale is not ascending, or a rating is not on the scale.

        Examples
        --------
        >>> Ratings.from_wide([[1, 2], [3, 1]]).on_scale([1, 2, 3]).scale
        (1.0, 2.0, 3.0)
        """
        stated = scale_of(scale)
        if isinstance(stated, tuple):
            off = ~np.isin(self.value, stated)
            if off.any():
                i = int(np.argmax(off))
                who = identifiers.name(self.annotators[self.annotator[i]])
                where = f"case {self.case_name(row_at(self.offsets, i))}, annotator {who}"
                must = f"be on the scale {scale_said(stated)} (for numbers between its grades: scale 'real', or a scale that has them)"
                raise error("every rating", must, f"{number_shown(self.value[i])}, {int(off.sum()):,} of {len(off):,} off the scale", where)
        return replace(self, scale=stated)

    def to_labels(self) -> Labels:
        """Return ratings on a finite scale as ordered labels, whose classes are the grades of the scale.

        Raises
        ------
        ValueError
            If the scale is not finite, or not stated.

        Examples
        --------
        >>> labels = Ratings.from_wide([[1, 2], [2, None]], scale=[1, 1.5, 2]).to_labels()
        >>> labels.axes.classes.tolist(), labels.counts().tolist()
        (['1', '1.5', '2'], [[1, 0, 1], [0, 0, 1]])
        """
        from . import Labels  # noqa: PLC0415  (it imports this module)

        if not isinstance(self.scale, tuple):
            stated = "real numbers" if self.scale == REAL else "a scale that is not stated"
            way = "state its grades, all of them: " + arg("scale", [1, 2, 3, 4, 5])
            raise error("ratings", "have a finite scale", stated, way=way)
        names = np.array([*map(number_shown, self.scale)])
        whole = all(grade == np.floor(grade) for grade in self.scale)
        axes = Axes(self.case_ids, names.astype(np.int64) if whole else names, self.numbered)
        label = np.searchsorted(self.scale, self.value).astype(np.int32)
        return Labels(axes, self.annotators, self.offsets, self.annotator, label, np.ones(len(label), np.int64), True)

    def means(self) -> Array:
        """Return the mean rating (N,) of each case; NaN for a case without ratings."""
        with np.errstate(invalid="ignore"):
            return np.asarray(np.bincount(row_of(self.offsets), self.value, self.n_cases) / sizes_of(self.offsets))

    def __repr__(self) -> str:
        sizes = f"n_cases={self.n_cases}, n_empty={n_empty(self.offsets)}, n_ratings={self.n_ratings}"
        stated = "" if self.scale is None else f", scale={self.scale!r}"
        return f"Ratings({sizes}, n_annotators={len(self.annotators)}{stated})"
