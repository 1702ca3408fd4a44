"""Masks and label sets that annotators gave to cases, one bit a pixel, ragged, checked once, immutable."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import chain
from typing import TYPE_CHECKING, Any

import numpy as np

from .._base import identifiers, parallel
from .._base.arrays import Bools, Int32, Int64, NDArray
from .._base.axes import class_axis
from .._base.checks import error
from .._base.ragged import n_empty, offsets_of, row_at, row_of, sizes_of, take
from .._tabular.rows import LongRows, OnCases, WideCells

if TYPE_CHECKING:
    from .._base.axes import Classes
    from .._base.identifiers import Where

    Words = NDArray[np.uint64]
    Packed = tuple[Int64, Int64, Words]  # shapes by case (N, D), where the words of each mask start (R + 1,), and the words
PIXELS = 2**20  # packed at a time, at least one mask
WORD = 64


@dataclass(frozen=True, eq=False, repr=False)
class Masks(OnCases):
    """Masks of images, or sets of labels, one bit a pixel or class. Made by one of the ``from_*`` constructors.

    Parameters
    ----------
    case_ids, numbered
        As of :class:`Axes`.
    annotators, offsets, annotator
        As of :class:`Labels`; every annotator has a name.
    shape : (N, D) int64
        The shape of the masks of each case; -1 for dimensions that they do not have, everywhere for a case without masks.
    start : (R + 1,) int64
        Mask r is ``words[start[r]:start[r + 1]]``.
    words : uint64
        The pixels in C order, pixel p of a mask the bit p % 8 of its byte p // 8; 0 behind the last.
    classes : (K,) array of int64 or str, or None
        What the pixels of label sets are called.

    Notes
    -----
    One annotator may give several masks of a case: every mask counts. A case without masks is kept. All masks of a case have
    one shape; different cases may have different ones.

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

    @classmethod
    def from_long(cls, case: Any, annotator: Any, masks: Any, *, cases: Any = None) -> Masks:
        """Read a long table, one row a mask.

        Parameters
        ----------
        masks : sequence of n arrays
            True and False, or 1 and 0, of any number of dimensions; those of one case have one shape.
        case, annotator, cases
            As for :meth:`Labels.from_long`.

        Raises
        ------
        ValueError
            As for :meth:`Labels.from_long`; if a mask holds something else or has another shape than the first of its case.

        Examples
        --------
        >>> Masks.from_long([7, 7, 8], [0, 1, 0], [[[True, False]], [[True, True]], [[False], [True]]]).shape.tolist()
        [[1, 2], [2, 1]]
        """
        rows = LongRows.read(case, annotator, cases)
        given = list(masks) if isinstance(masks, Iterable) else []
        rows.check_length("masks", len(given))
        offsets, order = rows.grouped()
        packed = _packed([given[r] for r in order], offsets, lambda r: rows.where(int(order[r])))
        return cls(rows.case_ids, rows.annotators, offsets, rows.annotator[order], *packed)

    @classmethod
    def from_wide(cls, masks: Any, *, case_ids: Any = None, annotators: Any = None) -> Masks:
        """Read a wide table, one row a case and one column an annotator.

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
        return cls(cells.case_ids, cells.annotators, offsets, annotator, *_packed(given, offsets, cells.where), numbered=case_ids is None)

    @classmethod
    def from_sets(cls, case: Any, annotator: Any, sets: Any, *, classes: Classes = None, cases: Any = None) -> Masks:
        """Read a long table of label sets, one row a set.

        Parameters
        ----------
        sets : sequence of n lists or sets of classes
            May be empty; a class named twice counts once.
        case, annotator, classes, cases
            As for :meth:`Labels.from_long`, the members of sets in place of labels.

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
        of, flat = _members(sets, rows.where)
        rows.check_length("sets", len(of) - 1)

        def where(j: int) -> str:
            return rows.where(row_at(of, j))

        names, code = class_axis("sets", identifiers.number("sets", flat, where), classes, where)
        offsets, order = rows.grouped()
        by_case, at = take(of, order)
        packed = _packed_sets(by_case, code[at], offsets, len(names))
        return cls(rows.case_ids, rows.annotators, offsets, rows.annotator[order], *packed, names)

    @property
    def n_masks(self) -> int:
        """Number of masks."""
        return len(self.annotator)

    def shape_of(self, i: int) -> tuple[int, ...]:
        """The shape of the masks of case i; (-1,) where it has none."""
        return tuple(int(n) for n in self.shape[i] if n >= 0) or (-1,)

    def mask(self, r: int) -> Bools:
        """Mask r (a row of the table) as an array of bool."""
        return self.unpacked(self.words[self.start[r] : self.start[r + 1]], row_at(self.offsets, r))

    def unpacked(self, words: NDArray[np.uint64], i: int) -> Bools:
        """The words of one mask of case i as an array of bool."""
        shape = self.shape_of(i)
        return np.unpackbits(words.view(np.uint8), count=math.prod(shape), bitorder="little").astype(bool).reshape(shape)

    def take(self, rows: NDArray[np.integer]) -> Masks:
        """The masks in another order, which leaves each in its case."""
        start, at = take(self.start, rows)
        return replace(self, annotator=self.annotator[rows], start=start, words=self.words[at])

    def sizes(self) -> Int64:
        """(R,) how many pixels each mask holds.

        Examples
        --------
        >>> Masks.from_wide([[[1, 0, 1], None], [[1, 1], [0, 0]]]).sizes().tolist()
        [2, 2, 0]
        """
        return np.array([np.count_nonzero(self.mask(r)) for r in range(self.n_masks)], np.int64)

    def __repr__(self) -> str:
        sizes = f"n_cases={self.n_cases}, n_empty={n_empty(self.offsets)}, n_masks={self.n_masks}"
        return f"Masks({sizes}, n_annotators={len(self.annotators)})"

    def predicted(self, prediction: Any) -> tuple[Int64, NDArray[np.uint64], Bools]:
        """A model's masks, packed, one a case.

        Parameters
        ----------
        prediction : Masks, (N, ...) array, or list of N masks or None
            Masks: at most one a case, cases in any order. Lists go by the order of the cases; of label sets they may hold sets of
            classes, too. None: no prediction.

        Returns
        -------
        start : (N + 1,) int64
            Where the words of each case start.
        words : uint64
        present : (N,) bool

        Raises
        ------
        ValueError
            If a mask has another shape than those of its case, a case is unknown or has several predictions, or there are not N.

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
        for bad, must in ((unknown, "be for annotated cases only"), (several, "have one mask a case")):
            if bad.any():
                raise error("predictions", must, f"{int(bad.sum())} others", f"case {given.case_name(int(np.argmax(bad)))}")
        if (self.classes is None) != (given.classes is None) or not np.array_equal(self.classes, given.classes):  # type: ignore[arg-type]
            raise error("predictions", "have the classes of the annotations", given.classes)
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

    def _like(self, prediction: Any) -> Masks:
        """Predictions in the order of the cases as masks of one annotator."""
        given = list(prediction) if isinstance(prediction, Iterable) and not isinstance(prediction, str) else []
        if len(given) != self.n_cases:
            raise error("predictions", f"be a mask or None for each of the {self.n_cases} cases", len(given))
        cases = [i for i, mask in enumerate(given) if mask is not None]
        ids, kept = self.case_ids[cases], [given[i] for i in cases]
        nobody = np.zeros(len(kept), np.int64)
        if self.classes is None:
            return Masks.from_long(ids, nobody, kept, cases=self.case_ids)
        if all(isinstance(mask, np.ndarray) and mask.dtype == bool for mask in kept):
            return replace(Masks.from_long(ids, nobody, kept, cases=self.case_ids), classes=self.classes)
        return Masks.from_sets(ids, nobody, kept, classes=self.classes, cases=self.case_ids)


def _cells(masks: Any) -> tuple[Any, Bools]:
    """Masks, row after row, and which cells (N, A) of the table have one."""
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


# ---- masks and sets as words, one bit a pixel or class


def _packed(given: Any, offsets: Int64, where: Where) -> Packed:
    """Masks in the order of their cases, an array (R, ...) or a list of R arrays; those of one case have one shape."""
    masks = given if isinstance(given, np.ndarray) else [_array(mask, where, r) for r, mask in enumerate(given)]
    first = offsets[:-1]
    known = np.flatnonzero(sizes_of(offsets))
    table = masks if isinstance(masks, np.ndarray) else None  # all of one shape
    shapes = [masks[r].shape for r in first[known].tolist()] if table is None else [table.shape[1:]] * len(known)
    _check_shapes(masks, offsets, where)
    sizes = np.zeros(len(first), np.int64)
    sizes[known] = [_n_words(shape) for shape in shapes]
    start = offsets_of(sizes[row_of(offsets)])
    words: Words = np.zeros(start[-1], np.uint64)
    octets = words.view(np.uint8)

    def part(begin: int, end: int) -> None:
        if table is not None:
            bits = _bits(table[begin:end], where, begin)
            octets.reshape(len(table), -1)[begin:end, : bits.shape[1]] = bits
            return
        for r in range(begin, end):
            bits = _bits(masks[r][None], where, r)
            octets[8 * start[r] : 8 * start[r] + bits.shape[1]] = bits

    if len(words):
        parallel.run(part, len(masks), max(1, PIXELS // (WORD * int(sizes.max()))), "packing masks")
    words.flags.writeable = False
    return _shape_table(len(first), known, shapes), start, words


def _packed_sets(of: Int64, code: Int32, offsets: Int64, n_classes: int) -> Packed:
    """Set r holds the classes ``code[of[r]:of[r + 1]]``."""
    n_sets, n_words = len(of) - 1, _n_words((n_classes,))
    words: Words = np.zeros(n_sets * n_words, np.uint64)
    octets = words.view(np.uint8).reshape(n_sets, 8 * n_words)

    def part(begin: int, end: int) -> None:
        table = np.zeros((end - begin, n_classes), bool)
        own = of[begin : end + 1]
        table[row_of(own), code[own[0] : own[-1]]] = True
        bits = np.packbits(table, axis=1, bitorder="little")
        octets[begin:end, : bits.shape[1]] = bits

    parallel.run(part, n_sets, max(1, PIXELS // n_classes), "packing sets")
    words.flags.writeable = False
    return np.full((len(offsets) - 1, 1), n_classes, np.int64), np.arange(n_sets + 1, dtype=np.int64) * n_words, words


def _members(sets: Any, where: Where) -> tuple[Int64, list[Any]]:
    """The members of all sets, one set after the other, and where each set starts."""
    given = list(sets) if isinstance(sets, Iterable) and not isinstance(sets, (str, bytes)) else [sets]
    for r, one in enumerate(given):
        if not isinstance(one, Iterable) or isinstance(one, (str, bytes, Mapping)):
            raise error("sets", "be lists or sets of classes", repr(one), where(r))
    kept = [list(one) for one in given]
    return offsets_of(np.array([len(one) for one in kept], np.int64)), list(chain.from_iterable(kept))


def _array(mask: Any, where: Where, r: int) -> NDArray[Any]:
    try:
        array = np.asarray(mask)
    except ValueError:  # lists of different lengths
        array = np.empty(0, object)
    if np.ma.is_masked(mask) or array.dtype.kind not in "biuf" or array.ndim == 0:
        raise error("masks", "be arrays of True and False", f"{type(mask).__name__} of {array.dtype}, shape {array.shape}", where(r))
    return array


def _bits(masks: NDArray[Any], where: Where, begin: int) -> NDArray[np.uint8]:
    """(n, octets) of n masks, the first of which is mask ``begin``."""
    flat = masks.reshape(len(masks), -1)
    if flat.dtype != bool:
        wrong = (flat != 0) & (flat != 1)
        if wrong.any():
            j, pixel = np.argwhere(wrong)[0]
            raise error("masks", "hold only True and False, or 1 and 0", flat[j, pixel], where(begin + int(j)))
        flat = flat != 0
    return np.packbits(flat, axis=1, bitorder="little")


def _check_shapes(masks: Sequence[NDArray[Any]] | NDArray[Any], offsets: Int64, where: Where) -> None:
    if isinstance(masks, np.ndarray):
        if masks.dtype.kind not in "biuf":
            raise error("masks", "be arrays of True and False", f"an array of {masks.dtype}")
        return
    first = np.repeat(offsets[:-1], sizes_of(offsets)).tolist()
    for r, mask in enumerate(masks):
        if mask.shape != masks[first[r]].shape:
            raise error("masks", f"have one shape in a case, {masks[first[r]].shape}", mask.shape, where(r))


def _n_words(shape: tuple[int, ...]) -> int:
    return (math.prod(shape) + WORD - 1) // WORD


def _shape_table(n_cases: int, known: Int64, shapes: list[tuple[int, ...]]) -> Int64:
    """(N, D), -1 for what is not there."""
    table = np.full((n_cases, max(map(len, shapes), default=1)), -1, np.int64)
    for dimension in range(table.shape[1]):
        table[known, dimension] = [shape[dimension] if dimension < len(shape) else -1 for shape in shapes]
    return table
