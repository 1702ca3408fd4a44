from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

_Int32 = NDArray[np.int32]
_Int64 = NDArray[np.int64]
_Float64 = NDArray[np.float64]
_Rankings = tuple[_Int64, _Int64, _Int64, _Int32]  # case, ranking and block offsets, items

def factorize(rows: NDArray[np.uint8]) -> tuple[_Int32, _Int64]:
    """``(code (n,), first (n_distinct,))`` of the rows of an (n, width) table of bytes, in order of first appearance."""

def distinct_rows(offsets: _Int64, label: _Int32, count: _Int64, limit: int) -> tuple[_Int32, _Int64] | None:
    """``(code (n,), first (n_distinct,))`` of rows of pairs (label, count); None where more than ``limit`` are distinct."""

def count_cells(table: _Int64, offsets: _Int64) -> int:
    """Go on from offsets[0] with the cells above 0 of each row; return the first row with a count below 0 or a sum above 2**53, or -1."""

def read_cells(table: _Int64, offsets: _Int64, column: _Int32, count: _Int64) -> None:
    """Column and count of the cells above 0, row after row, at the offsets of `count_cells`."""

def group(code: _Int32, n_groups: int) -> tuple[_Int64, _Int64]:
    """``(offsets (n_groups + 1,), order (n,))``: a stable sort of row numbers by code."""

def row_sums(offsets: _Int64, value: _Float64) -> _Float64:
    """Sums of values over each row, added up from its first one on."""

def equal_totals(offsets: _Int64, count: _Int64) -> bool:
    """Whether all sums of counts over a row that are above 1 are the same."""

def text_keys(text: NDArray[np.uint32]) -> NDArray[np.uint64]:
    """Stream keys of an (n, width) table of code points."""

def integer_keys(value: _Int64) -> NDArray[np.uint64]:
    """Stream keys of integers: those of their decimal digits."""

def irn(
    case_offsets: _Int64, ranking_offsets: _Int64, block_offsets: _Int64, items: _Int32, n_classes: int, full: bool, depth: int
) -> tuple[_Int64, _Int32, NDArray[np.float64]]:
    """``(offsets, index, value)`` of inverse rank normalisation, of the first ``depth`` blocks of each ranking."""

def class_counts(offsets: _Int64, label: _Int32, count: _Int64, n_classes: int) -> tuple[_Int64, _Int32, _Int64]:
    """``(offsets, index, total)``: counts of equal labels of a case, added up."""

def pair_sums(offsets: _Int64, label: _Int32, count: _Int64, times: _Float64 | None, n_classes: int, of_cases: bool) -> _Float64:
    """(3 + K,) what nominal agreement is made of: see ``ugt_pair_sums``."""

def find_repeat(offsets: _Int64, items: _Int32, n_classes: int) -> int:
    """The first position at which a class stands again in its row, or -1."""

def leave_one_out(
    case_offsets: _Int64,
    ranking_offsets: _Int64,
    block_offsets: _Int64,
    items: _Int32,
    n_classes: int,
    count: _Int64,
    annotator_offsets: _Int64,
    full: bool,
) -> _Float64:
    """Share of the top classes of the others that each annotator of a case ranked; NaN where the others ranked nothing."""

def partial_overlaps(
    first: _Rankings,
    second: _Rankings,
    n_classes: int,
    start: _Int64,
    stop: _Int64,
    norm_first: _Float64,
    norm_second: _Float64,
    depth: int,
    begin: int,
    end: int,
    total: _Float64,
) -> None:
    """Overlaps of ranking r of the first with the rankings ``start[r]`` to ``stop[r]`` of the second, summed into ``total[r]``."""
