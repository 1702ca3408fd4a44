"""Masks and label sets that annotators gave to cases, with one bit per pixel, as ragged arrays that are checked once and immutable."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import numpy as np

from .._base import identifiers
from .._base.arrays import Bools, Int32, Int64, NDArray
from .._base.axes import class_axis
from .._base.checks import error
from .._base.ragged import n_empty, offsets_of, row_at, sizes_of, take
from .._tabular.rows import LongRows, OnCases, WideCells
from .mask_words import layers_of, members, packed, packed_sets, unpacked

if TYPE_CHECKING:
    from .._base.axes import Classes


@dataclass(frozen=True, eq=False, repr=False)
class Masks(OnCases):
    """The masks of images or sets of labels that annotators gave to cases. The ``from_*`` constructors make them.

    Parameters
    ----------
    case_ids, numbered
        As in :class:`Axes`.
    annotators, offsets, annotator
        As in :class:`Labels`; every annotator has a name.
    shape : (N, D) int64
        The shape of the masks of each case; -1 for dimensions that they do not have, and for a case without masks.
    start : (R + 1,) int64
        Mask r is ``words[start[r]:start[r + 1]]``.
    words : uint64
        The pixels in C order: pixel p of a mask is bit p % 64 of its word p // 64; bits after the last pixel are 0.
    classes : (K,) array of int64 or str, or None
        The classes that the pixels of label sets mean.
    layers : (K,) array of int64, or None
        The classes of :meth:`from_maps`, which are the first axis of the masks.

    Notes
    -----
    One annotator may give several masks of a case: every mask counts. A case without masks is kept. All masks of a case have
    one shape; different cases may have different shapes.

    Examples
    --------
    >>> import numpy as np, ugt
    >>> masks = ugt.Masks.from_long(["p1", "p1"], ["ann", "bob"], np.array([[[0, 1], [1, 1]], [[0, 0], [1, 1]]]))
    >>> masks, masks.sizes().tolist()
    (Masks(n_cases=1, n_empty=0, n_masks=2, n_annotators=2), [3, 2])
    """

    case_ids: NDArray[Any]
    annotators: NDArray[Any]
    offsets: Int64
    annotator: Int32
    shape: Int64
    start: Int64
    words: NDArray[np.uint64]
    classes: NDArray[Any] | None = None
    numbered: bool = False
    layers: NDArray[Any] | None = None

    @classmethod
    def from_long(cls, case: object, annotator: object, masks: object, *, cases: object = None) -> Masks:
        """Read a long table with one row per mask.

        Parameters
        ----------
        masks : sequence of n arrays
            True and False, or 1 and 0, of any number of dimensions; masks of one case have one shape.
        case, annotator, cases
            As for :meth:`Labels.from_long`.

        Raises
        ------
        ValueError
            As for :meth:`Labels.from_long`; if a mask holds other values or has another shape than the first of its case.

        Examples
        --------
        >>> Masks.from_long([7, 7, 8], [0, 1, 0], [[[True, False]], [[True, True]], [[False], [True]]]).shape.tolist()
        [[1, 2], [2, 1]]
        """
        rows = LongRows.read(case, annotator, cases)
        given = list(masks) if isinstance(masks, Iterable) else []
        rows.check_length("masks", len(given))
        offsets, order = rows.grouped()
        words = packed([given[r] for r in order], offsets, lambda r: rows.where(int(order[r])))
        return cls(rows.case_ids, rows.annotators, offsets, rows.annotator[order], *words)

    @classmethod
    def from_wide(cls, masks: object, *, case_ids: object = None, annotators: object = None) -> Masks:
        """Read a wide table with one row per case and one column per annotator.

        Parameters
        ----------
        masks : (N, A, ...) array, or list of N lists of A masks or None
            True and False, or 1 and 0; None: the annotator gave no mask of the case.
        case_ids, annotators
            As for :meth:`Labels.from_wide`.

        Raises
        ------
        ValueError
            As for :meth:`from_long`; if rows differ in length; if ids are repeated or of another number.

        Examples
        --------
        >>> Masks.from_wide([[[1, 0, 1], None], [[1, 1], [0, 1]]])
        Masks(n_cases=2, n_empty=0, n_masks=3, n_annotators=2)
        """
        given, present = _cells(masks)
        cells = WideCells.of(present.shape, np.flatnonzero(present), case_ids, annotators)
        offsets, annotator = cells.grouped()
        return cls(cells.case_ids, cells.annotators, offsets, annotator, *packed(given, offsets, cells.where), numbered=case_ids is None)

    @classmethod
    def from_sets(cls, case: object, annotator: object, sets: object, *, classes: Classes = None, cases: object = None) -> Masks:
        """Read a long table of label sets with one row per set.

        Parameters
        ----------
        sets : sequence of n lists or sets of classes
            A set may be empty; a class that it names twice counts once.
        case, annotator, classes, cases
            As for :meth:`Labels.from_long`, with the members of sets instead of labels.

        Raises
        ------
        ValueError
            As for :meth:`Labels.from_long`.

        Examples
        --------
        >>> masks = Masks.from_sets([0, 0], ["ann", "bob"], [["cough", "fever"], []])
        >>> masks.classes.tolist(), masks.mask(0).tolist()
        (['cough', 'fever'], [True, True])
        """
        rows = LongRows.read(case, annotator, cases)
        of, flat = members(sets, rows.where)
        rows.check_length("sets", len(of) - 1)

        def where(j: int) -> str:
            return rows.where(row_at(of, j))

        names, code = class_axis("sets", identifiers.number("sets", flat, where), classes, where)
        offsets, order = rows.grouped()
        by_case, at = take(of, order)
        words = packed_sets(by_case, code[at], offsets, len(names))
        return cls(rows.case_ids, rows.annotators, offsets, rows.annotator[order], *words, names)

    @classmethod
    def from_maps(cls, case: object, annotator: object, maps: object, *, classes: object = None, cases: object = None) -> Masks:
        """Read a long table of maps, which give the class of each pixel, with one row per map.

        Parameters
        ----------
        maps : sequence of n arrays of whole numbers
            Maps of one case have one shape; 0 is the background, which is not a class.
        classes : sequence of whole numbers, optional
            Default: all in the maps except 0. Give them if a prediction may hold other classes.
        case, annotator, cases
            As for :meth:`Labels.from_long`.

        Returns
        -------
        Masks
            One mask per class along the first axis. Distances are means over the classes that occur in either of two maps.

        Raises
        ------
        ValueError
            As for :meth:`from_long`; if a map holds a class that is not among ``classes``.

        Examples
        --------
        >>> maps = Masks.from_maps([7, 7], ["ann", "bob"], [[[0, 1, 2]], [[0, 2, 2]]])
        >>> maps.layers.tolist(), maps.mask(1).astype(int).tolist()
        ([1, 2], [[[0, 0, 0]], [[0, 1, 1]]])
        """
        rows = LongRows.read(case, annotator, cases)
        given, names = layers_of(maps, classes, rows.where)
        return replace(cls.from_long(case, annotator, given, cases=cases), layers=names)

    @property
    def n_masks(self) -> int:
        """Number of masks."""
        return len(self.annotator)

    def shape_of(self, i: int) -> tuple[int, ...]:
        """Return the shape of the masks of case i; (-1,) if it has no masks."""
        return tuple(int(n) for n in self.shape[i] if n >= 0) or (-1,)

    def mask(self, r: int) -> Bools:
        """Return mask r (a row of the table) as an array of bool."""
        return self.unpacked(self.words[self.start[r] : self.start[r + 1]], row_at(self.offsets, r))

    def unpacked(self, words: NDArray[np.uint64], i: int) -> Bools:
        """Return the words of one mask of case i as an array of bool."""
        return unpacked(words, self.shape_of(i))

    def take(self, rows: NDArray[np.integer]) -> Masks:
        """Return the masks in another order, in which each remains in its case."""
        start, at = take(self.start, rows)
        return replace(self, annotator=self.annotator[rows], start=start, words=self.words[at])

    def sizes(self) -> Int64:
        """Return the number of pixels (R,) of each mask.

        Examples
        --------
        >>> Masks.from_wide([[[1, 0, 1], None], [[1, 1], [0, 0]]]).sizes().tolist()
        [2, 2, 0]
        """
        return np.array([np.count_nonzero(self.mask(r)) for r in range(self.n_masks)], np.int64)

    def __repr__(self) -> str:
        sizes = f"n_cases={self.n_cases}, n_empty={n_empty(self.offsets)}, n_masks={self.n_masks}"
        return f"Masks({sizes}, n_annotators={len(self.annotators)})"

    def predicted(self, prediction: object) -> tuple[Int64, NDArray[np.uint64], Bools]:
        """Return the masks of a model, packed, one per case.

        Parameters
        ----------
        prediction : Masks, (N, ...) array, or list of N masks or None
            Masks: at most one per case, cases in any order. Arrays and lists are in the order of the cases; for label sets they may also
            hold sets of classes. None: no prediction.

        Returns
        -------
        start : (N + 1,) int64
            Where the words of each case start.
        words : uint64
        present : (N,) bool

        Raises
        ------
        ValueError
            If a mask has another shape than those of its case, a case is unknown or has several predictions, or their number is not N.

        Examples
        --------
        >>> masks = Masks.from_wide([[[1, 0, 1]], [[1, 1, 0]]])
        >>> [part.tolist() for part in masks.predicted([[1, 1, 1], None])]
        [[0, 1, 1], [7], [True, False]]
        """
        given = prediction if isinstance(prediction, Masks) else self._like(prediction)
        rows = identifiers.lookup(given.case_ids, self.case_ids)
        unknown = identifiers.lookup(self.case_ids, given.case_ids) < 0
        several = sizes_of(given.offsets) > 1
        for bad, must in ((unknown, "be for annotated cases only"), (several, "have one mask per case")):
            if bad.any():
                raise error("predictions", must, f"{int(bad.sum())} others", f"case {given.case_name(int(np.argmax(bad)))}")
        for own, other in ((self.classes, given.classes), (self.layers, given.layers)):
            if (own is None) != (other is None) or not np.array_equal(own, other):  # type: ignore[arg-type]
                raise error("predictions", "have the classes of the annotations", other)
        present = (rows >= 0) & (sizes_of(given.offsets)[rows] > 0)
        self._check_shapes(given, rows, present & (sizes_of(self.offsets) > 0))
        at = given.start[given.offsets]
        sizes = np.where(present, np.diff(at)[rows], 0)
        start = offsets_of(sizes)
        position = np.arange(start[-1], dtype=np.int64) + np.repeat(at[rows] - start[:-1], sizes)
        return start, given.words[position], present

    def _check_shapes(self, given: Masks, rows: Int32, compared: Bools) -> None:
        depth = max(self.shape.shape[1], given.shape.shape[1])
        own, other = (np.pad(m.shape, ((0, 0), (0, depth - m.shape.shape[1])), constant_values=-1) for m in (self, given))
        bad = compared & (own != other[rows]).any(axis=1)
        if bad.any():
            i = int(np.argmax(bad))
            must = f"have the shape of the masks of its case, {self.shape_of(i)}"
            raise error("predictions", must, given.shape_of(int(rows[i])), f"case {self.case_name(i)}")

    def _like(self, prediction: object) -> Masks:
        """Return predictions in the order of the cases, as masks of one annotator."""
        given = list(prediction) if isinstance(prediction, Iterable) and not isinstance(prediction, str) else []
        if len(given) != self.n_cases:
            raise error("predictions", f"be a mask or None for each of the {self.n_cases} cases", len(given))
        cases = [i for i, mask in enumerate(given) if mask is not None]
        ids, kept = self.case_ids[cases], [given[i] for i in cases]
        nobody = np.zeros(len(kept), np.int64)
        stacked = all(isinstance(mask, np.ndarray) and mask.dtype == bool for mask in kept)
        if self.layers is not None and not (stacked and all(given[i].shape == self.shape_of(i) for i in cases)):
            return Masks.from_maps(ids, nobody, kept, classes=self.layers, cases=self.case_ids)
        if self.classes is None or stacked:
            return replace(Masks.from_long(ids, nobody, kept, cases=self.case_ids), classes=self.classes, layers=self.layers)
        return Masks.from_sets(ids, nobody, kept, classes=self.classes, cases=self.case_ids)


def _cells(masks: object) -> tuple[Any, Bools]:
    """Return the masks, row after row, and which cells (N, A) of the table have one."""
    if isinstance(masks, np.ndarray) and masks.dtype.kind != "O":
        if masks.ndim < 3 or 0 in masks.shape[:2] or np.ma.is_masked(masks):
            raise error("masks", "be a table of masks (cases, annotators, ...)", f"shape {masks.shape}")
        return masks.reshape(-1, *masks.shape[2:]), np.ones(masks.shape[:2], np.bool_)
    table = [list(row) for row in masks] if isinstance(masks, Iterable) and not isinstance(masks, str) else []
    lengths = sorted({len(row) for row in table})
    if len(lengths) != 1 or lengths[0] == 0:
        raise error("masks", "be a table of masks, cases x annotators", f"rows of lengths {lengths}")
    present = np.array([[cell is not None for cell in row] for row in table])
    return [cell for row in table for cell in row if cell is not None], present
