"""Masks and sets of classes as words with one bit per pixel or class; and maps of classes as one mask per class."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from itertools import chain
from typing import TYPE_CHECKING, Any

import numpy as np

from .._base import parallel
from .._base.arrays import Bools, Int32, Int64, NDArray
from .._base.checks import error
from .._base.ragged import offsets_of, row_of, sizes_of

if TYPE_CHECKING:
    from .._base.identifiers import Where

    Words = NDArray[np.uint64]
    Packed = tuple[Int64, Int64, Words]  # shapes by case (N, D), where the words of each mask start (R + 1,), and the words
PIXELS = 2**20  # pixels packed at a time, but at least one mask
WORD = 64
PLAIN = np.dtype("<u8")  # bit p % 64 of a word is bit p % 8 of its byte p // 8


def packed(given: Any, offsets: Int64, where: Where) -> Packed:
    """Return masks, an array (R, ...) or a list of R arrays in the order of their cases, as words; masks of one case have one shape."""
    masks = given if isinstance(given, np.ndarray) else [_array(mask, where, r) for r, mask in enumerate(given)]
    first = offsets[:-1]
    known = np.flatnonzero(sizes_of(offsets))
    table = masks if isinstance(masks, np.ndarray) else None  # an array: all masks have one shape
    shapes = [masks[r].shape for r in first[known].tolist()] if table is None else [table.shape[1:]] * len(known)
    _check_shapes(masks, offsets, where)
    sizes = np.zeros(len(first), np.int64)
    sizes[known] = [_n_words(shape) for shape in shapes]
    start = offsets_of(sizes[row_of(offsets)])
    words: Words = np.zeros(start[-1], PLAIN)
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
    return _shape_table(len(first), known, shapes), start, _native(words)


def packed_sets(of: Int64, code: Int32, offsets: Int64, n_classes: int) -> Packed:
    """Return sets as words; set r holds the classes ``code[of[r]:of[r + 1]]``."""
    n_sets, n_words = len(of) - 1, _n_words((n_classes,))
    words: Words = np.zeros(n_sets * n_words, PLAIN)
    octets = words.view(np.uint8).reshape(n_sets, 8 * n_words)

    def part(begin: int, end: int) -> None:
        table = np.zeros((end - begin, n_classes), bool)
        own = of[begin : end + 1]
        table[row_of(own), code[own[0] : own[-1]]] = True
        bits = np.packbits(table, axis=1, bitorder="little")
        octets[begin:end, : bits.shape[1]] = bits

    parallel.run(part, n_sets, max(1, PIXELS // n_classes), "packing sets")
    return np.full((len(offsets) - 1, 1), n_classes, np.int64), np.arange(n_sets + 1, dtype=np.int64) * n_words, _native(words)


def unpacked(words: Words, shape: tuple[int, ...]) -> Bools:
    """Return the words of one mask as an array of bool."""
    octets = words.astype(PLAIN, copy=False).view(np.uint8)
    return np.unpackbits(octets, count=math.prod(shape), bitorder="little").astype(bool).reshape(shape)


def members(sets: Any, where: Where) -> tuple[Int64, list[Any]]:
    """Return where each set starts, and the members of all sets, one set after the other."""
    given = list(sets) if isinstance(sets, Iterable) and not isinstance(sets, (str, bytes)) else [sets]
    for r, one in enumerate(given):
        if not isinstance(one, Iterable) or isinstance(one, (str, bytes, Mapping)):
            raise error("sets", "be lists or sets of classes", repr(one), where(r))
    kept = [list(one) for one in given]
    return offsets_of(np.array([len(one) for one in kept], np.int64)), list(chain.from_iterable(kept))


def _array(mask: object, where: Where, r: int) -> NDArray[Any]:
    try:
        array = np.asarray(mask)
    except ValueError:  # lists of different lengths
        array = np.empty(0, object)
    if np.ma.is_masked(mask) or array.dtype.kind not in "biuf" or array.ndim == 0:
        raise error("masks", "be arrays of True and False", f"{type(mask).__name__} of {array.dtype}, shape {array.shape}", where(r))
    return array


def _bits(masks: NDArray[Any], where: Where, begin: int) -> NDArray[np.uint8]:
    """Return the bits (n, octets) of n masks, the first of which is mask ``begin``."""
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


def _native(words: Words) -> Words:
    """Return words in the byte order of the machine, read-only."""
    words = words.astype(np.uint64, copy=False)
    words.flags.writeable = False
    return words


def _n_words(shape: tuple[int, ...]) -> int:
    return (math.prod(shape) + WORD - 1) // WORD


def _shape_table(n_cases: int, known: Int64, shapes: list[tuple[int, ...]]) -> Int64:
    """Return the shapes (N, D) of the masks of each case, -1 for dimensions that they do not have."""
    table = np.full((n_cases, max(map(len, shapes), default=1)), -1, np.int64)
    for dimension in range(table.shape[1]):
        table[known, dimension] = [shape[dimension] if dimension < len(shape) else -1 for shape in shapes]
    return table


def layers_of(maps: Any, classes: object, where: Where) -> tuple[list[NDArray[Any]], NDArray[Any]]:
    """Return maps of whole numbers as masks whose first axis is the classes, and the classes."""
    arrays = [np.asarray(one) for one in maps]
    for r, one in enumerate(arrays):
        if one.dtype.kind not in "biu" or one.ndim == 0:
            raise error("maps", "be arrays of whole numbers, one per pixel", f"{one.dtype} of shape {one.shape}", where(r))
    found = sorted({int(value) for one in arrays for value in np.unique(one)} - {0})
    names = np.array(found if classes is None else classes, np.int64)
    if names.ndim != 1 or not len(names) or len(set(names.tolist())) < len(names) or 0 in names:
        raise error("classes", "be one or more different whole numbers other than 0, the background", names.tolist())
    for r, one in enumerate(arrays):
        other = ~np.isin(one, [*names.tolist(), 0])
        if other.any():
            raise error("maps", f"hold the classes {names.tolist()} and 0, the background", int(one[other][0]), where(r))
    return [np.stack([one == name for name in names]) for one in arrays], names
