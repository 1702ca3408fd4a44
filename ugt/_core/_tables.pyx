"""Bindings of tables.c, irn.c and agreement.c."""

import numpy as np

from libc.stdint cimport int32_t, int64_t, uint8_t, uint32_t, uint64_t

from _status cimport check


cdef extern from "ugt.h" nogil:
    ctypedef struct ugt_rankings:
        int64_t n_cases, n_rankings, n_blocks, n_items, n_classes
        const int64_t *case_offsets
        const int64_t *ranking_offsets
        const int64_t *block_offsets
        const int32_t *items

    int ugt_factorize(const uint8_t *rows, int64_t n, int64_t width, int32_t *code, int64_t *first, int64_t *n_distinct)
    int ugt_distinct_rows(const int64_t *offsets, const int32_t *label, const int64_t *count, int64_t n_rows, int64_t n_pairs, int64_t limit,
                          int32_t *code, int64_t *first, int64_t *n_distinct)
    int64_t ugt_count_cells(const int64_t *table, int64_t n_rows, int64_t n_columns, int64_t *offsets)
    int ugt_read_cells(const int64_t *table, int64_t n_rows, int64_t n_columns, int64_t n_cells, int32_t *column, int64_t *count)
    int ugt_group(const int32_t *code, int64_t n, int64_t n_groups, int64_t *offsets, int64_t *order)
    int ugt_row_sums(const int64_t *offsets, const double *value, int64_t n_rows, int64_t n_values, double *sum)
    int ugt_equal_totals(const int64_t *offsets, const int64_t *count, int64_t n_rows, int64_t n_values, int *equal)
    void ugt_text_keys(const uint32_t *text, int64_t n, int64_t width, uint64_t *key)
    void ugt_integer_keys(const int64_t *value, int64_t n, uint64_t *key)
    int ugt_irn(const ugt_rankings *rankings, int full, int64_t depth, int64_t *offsets, int32_t *index, double *value)
    int ugt_class_counts(int64_t n_cases, int64_t n_rows, int64_t n_classes, const int64_t *offsets, const int32_t *label,
                         const int64_t *count, int64_t *out_offsets, int32_t *index, int64_t *total)
    int ugt_pair_sums(int64_t n_cases, int64_t n_rows, int64_t n_classes, const int64_t *offsets, const int32_t *label,
                      const int64_t *count, const double *times, int of_cases, double *sums)
    int ugt_leave_one_out(const ugt_rankings *rankings, const int64_t *count, int64_t n_annotators, const int64_t *annotator_offsets,
                          int full, double *share)
    int ugt_partial_overlaps(const ugt_rankings *x, const ugt_rankings *y, const int64_t *start, const int64_t *stop, const double *norm_x,
                             const double *norm_y, int64_t depth, int64_t begin, int64_t end, double *sum)
    int ugt_find_repeat(int64_t n_rows, int64_t n_items, int64_t n_classes, const int64_t *offsets, const int32_t *items, int64_t *position)


def factorize(const uint8_t[:, ::1] rows):  # -> tuple[NDArray[np.int32], NDArray[np.int64]]
    """``(code (n,), first (n_distinct,))`` of the rows of an (n, width) table of bytes, in order of first appearance."""
    code = np.empty(rows.shape[0], np.int32)
    first = np.empty(rows.shape[0], np.int64)
    cdef int32_t[::1] code_view = code
    cdef int64_t[::1] first_view = first
    cdef int64_t n_distinct = 0
    cdef int status
    with nogil:
        status = ugt_factorize(&rows[0, 0], rows.shape[0], rows.shape[1], &code_view[0], &first_view[0], &n_distinct)
    check(status)
    return code, first[:n_distinct].copy()


def distinct_rows(const int64_t[::1] offsets, const int32_t[::1] label, const int64_t[::1] count, int64_t limit):
    # -> tuple[NDArray[np.int32], NDArray[np.int64]] | None
    """``(code (n,), first (n_distinct,))`` of rows of pairs (label, count); None where more than ``limit`` are distinct."""
    cdef int64_t n = offsets.shape[0] - 1, n_distinct = 0
    if n < 1 or label.shape[0] < 1 or label.shape[0] != count.shape[0] or not 0 <= limit <= n:
        raise ValueError("there must be rows, as many counts as labels, and a limit from 0 to their number")
    code, first = np.empty(n, np.int32), np.empty(max(1, limit), np.int64)
    cdef int32_t[::1] code_view = code
    cdef int64_t[::1] first_view = first
    cdef int status
    with nogil:
        status = ugt_distinct_rows(&offsets[0], &label[0], &count[0], n, label.shape[0], limit, &code_view[0], &first_view[0], &n_distinct)
    check(status)
    return None if n_distinct < 0 else (code, first[:n_distinct].copy())


def count_cells(const int64_t[:, ::1] table, int64_t[::1] offsets):  # -> int
    """Go on from offsets[0] with the cells above 0 of each row; return the first row with a count below 0 or a sum above 2**53, or -1."""
    cdef int64_t bad
    if table.shape[0] == 0 or table.shape[0] + 1 != offsets.shape[0]:
        raise ValueError("there must be an offset before and after each row")
    if table.shape[1] == 0:
        offsets[1:] = offsets[0]
        return -1
    with nogil:
        bad = ugt_count_cells(&table[0, 0], table.shape[0], table.shape[1], &offsets[0])
    return bad


def read_cells(const int64_t[:, ::1] table, const int64_t[::1] offsets, int32_t[::1] column, int64_t[::1] count):
    """Column and count of the cells above 0, row after row, at the offsets of `count_cells`."""
    cdef int64_t begin, end
    cdef int status
    if table.shape[0] + 1 != offsets.shape[0]:
        raise ValueError("there must be an offset before and after each row")
    begin, end = offsets[0], offsets[table.shape[0]]
    if not 0 <= begin <= end <= column.shape[0] or column.shape[0] != count.shape[0]:
        raise ValueError("column and count must be of one length and have room for all cells")
    if begin == end or table.shape[0] == 0 or table.shape[1] == 0:
        return
    with nogil:
        status = ugt_read_cells(&table[0, 0], table.shape[0], table.shape[1], end - begin, &column[begin], &count[begin])
    check(status)


def group(const int32_t[::1] code, int64_t n_groups):  # -> tuple[NDArray[np.int64], NDArray[np.int64]]
    """``(offsets (n_groups + 1,), order (n,))``: a stable sort of row numbers by code."""
    offsets = np.empty(n_groups + 1, np.int64)
    order = np.empty(code.shape[0], np.int64)
    cdef int64_t[::1] offsets_view = offsets, order_view = order
    cdef int status
    with nogil:
        status = ugt_group(&code[0], code.shape[0], n_groups, &offsets_view[0], &order_view[0])
    check(status)
    return offsets, order


def row_sums(const int64_t[::1] offsets, const double[::1] value):  # -> NDArray[np.float64]
    """Sums of values over each row, added up from its first one on."""
    cdef int64_t n = offsets.shape[0] - 1
    if n < 0:
        raise ValueError("offsets must hold at least one number")
    total = np.zeros(n)
    cdef double[::1] total_view = total
    cdef int status
    if n == 0 or value.shape[0] == 0:
        if offsets[n] != value.shape[0]:
            raise ValueError("offsets and values do not fit together")
        return total
    with nogil:
        status = ugt_row_sums(&offsets[0], &value[0], n, value.shape[0], &total_view[0])
    check(status)
    return total


def equal_totals(const int64_t[::1] offsets, const int64_t[::1] count):  # -> bool
    """Whether all sums of counts over a row that are above 1 are the same."""
    cdef int status, equal = 0
    if offsets.shape[0] < 1:
        raise ValueError("offsets must hold at least one number")
    with nogil:
        status = ugt_equal_totals(&offsets[0], &count[0] if count.shape[0] > 0 else NULL, offsets.shape[0] - 1, count.shape[0], &equal)
    check(status)
    return equal != 0


def text_keys(const uint32_t[:, ::1] text):  # -> NDArray[np.uint64]
    """Stream keys of an (n, width) table of code points."""
    key = np.empty(text.shape[0], np.uint64)
    cdef uint64_t[::1] key_view = key
    with nogil:
        ugt_text_keys(&text[0, 0], text.shape[0], text.shape[1], &key_view[0])
    return key


def integer_keys(const int64_t[::1] value):  # -> NDArray[np.uint64]
    """Stream keys of integers: those of their decimal digits."""
    key = np.empty(value.shape[0], np.uint64)
    cdef uint64_t[::1] key_view = key
    with nogil:
        ugt_integer_keys(&value[0], value.shape[0], &key_view[0])
    return key


cdef ugt_rankings rankings_of(const int64_t[::1] case_offsets, const int64_t[::1] ranking_offsets, const int64_t[::1] block_offsets,
                              const int32_t[::1] items, int64_t n_classes) noexcept:
    cdef ugt_rankings x
    x.n_cases, x.n_rankings, x.n_blocks = case_offsets.shape[0] - 1, ranking_offsets.shape[0] - 1, block_offsets.shape[0] - 1
    x.n_items, x.n_classes = items.shape[0], n_classes
    x.case_offsets, x.ranking_offsets, x.block_offsets, x.items = &case_offsets[0], &ranking_offsets[0], &block_offsets[0], &items[0]
    return x


def irn(const int64_t[::1] case_offsets, const int64_t[::1] ranking_offsets, const int64_t[::1] block_offsets, const int32_t[::1] items,
        int64_t n_classes, bint full, int64_t depth):  # -> tuple[NDArray[np.int64], NDArray[np.int32], NDArray[np.float64]]
    """``(offsets, index, value)`` of inverse rank normalisation, of the first ``depth`` blocks of each ranking."""
    cdef ugt_rankings rankings = rankings_of(case_offsets, ranking_offsets, block_offsets, items, n_classes)
    cdef int64_t n_cases = rankings.n_cases
    offsets, index, value = np.empty(n_cases + 1, np.int64), np.empty(items.shape[0], np.int32), np.empty(items.shape[0])
    cdef int64_t[::1] offsets_view = offsets
    cdef int32_t[::1] index_view = index
    cdef double[::1] value_view = value
    cdef int status
    with nogil:
        status = ugt_irn(&rankings, full, depth, &offsets_view[0], &index_view[0], &value_view[0])
    check(status)
    cdef int64_t end = offsets_view[n_cases]
    return offsets, index[:end].copy(), value[:end].copy()


def class_counts(const int64_t[::1] offsets, const int32_t[::1] label, const int64_t[::1] count, int64_t n_classes):
    # -> tuple[NDArray[np.int64], NDArray[np.int32], NDArray[np.int64]]
    """``(offsets, index, total)``: counts of equal labels of a case, added up."""
    cdef int64_t n_cases = offsets.shape[0] - 1
    out, index, total = np.empty(n_cases + 1, np.int64), np.empty(label.shape[0], np.int32), np.empty(label.shape[0], np.int64)
    cdef int64_t[::1] out_view = out, total_view = total
    cdef int32_t[::1] index_view = index
    cdef int status
    if count.shape[0] != label.shape[0]:
        raise ValueError("label and count must be of one length")
    with nogil:
        status = ugt_class_counts(n_cases, label.shape[0], n_classes, &offsets[0], &label[0], &count[0],
                                  &out_view[0], &index_view[0], &total_view[0])
    check(status)
    cdef int64_t end = out_view[n_cases]
    return out, index[:end].copy(), total[:end].copy()


cdef int64_t MOST_CLASSES = 1 << 56  # above, numpy does not raise MemoryError


def pair_sums(const int64_t[::1] offsets, const int32_t[::1] label, const int64_t[::1] count, const double[::1] times, int64_t n_classes,
              bint of_cases):  # -> NDArray[np.float64]
    """(3 + K,) what nominal agreement is made of: see ``ugt_pair_sums``."""
    cdef int64_t n_cases = offsets.shape[0] - 1
    if count.shape[0] != label.shape[0] or (times is not None and times.shape[0] != n_cases):
        raise ValueError("label and count must be of one length, and times one a case")
    if not 0 <= n_classes < MOST_CLASSES:
        raise MemoryError
    sums = np.empty(3 + n_classes)
    cdef double[::1] view = sums
    cdef const double *often = NULL
    cdef int status
    if times is not None and n_cases > 0:
        often = &times[0]
    with nogil:
        status = ugt_pair_sums(n_cases, label.shape[0], n_classes, &offsets[0], &label[0], &count[0], often, of_cases, &view[0])
    check(status)
    return sums


def find_repeat(const int64_t[::1] offsets, const int32_t[::1] items, int64_t n_classes):  # -> int
    """The first position at which a class stands again in its row, or -1."""
    cdef int64_t position = -1
    cdef int status
    with nogil:
        status = ugt_find_repeat(offsets.shape[0] - 1, items.shape[0], n_classes, &offsets[0], &items[0], &position)
    check(status)
    return position


def leave_one_out(const int64_t[::1] case_offsets, const int64_t[::1] ranking_offsets, const int64_t[::1] block_offsets,
                  const int32_t[::1] items, int64_t n_classes, const int64_t[::1] count, const int64_t[::1] annotator_offsets, bint full):
    # -> NDArray[np.float64]
    """Share of the top classes of the others that each annotator of a case ranked; NaN where the others ranked nothing."""
    cdef ugt_rankings rankings = rankings_of(case_offsets, ranking_offsets, block_offsets, items, n_classes)
    share = np.empty(annotator_offsets.shape[0] - 1)
    cdef double[::1] share_view = share
    cdef int status
    if count.shape[0] != rankings.n_rankings:
        raise ValueError("count must be of the length of the rankings")
    with nogil:
        status = ugt_leave_one_out(&rankings, &count[0], annotator_offsets.shape[0] - 1, &annotator_offsets[0], full, &share_view[0])
    check(status)
    return share


def partial_overlaps(first, second, int64_t n_classes, const int64_t[::1] start, const int64_t[::1] stop, const double[::1] norm_first,
                     const double[::1] norm_second, int64_t depth, int64_t begin, int64_t end, double[::1] total):
    # first: tuple[NDArray[np.int64], NDArray[np.int64], NDArray[np.int64], NDArray[np.int32]], second: tuple[NDArray[np.int64],
    # NDArray[np.int64], NDArray[np.int64], NDArray[np.int32]] -> None
    """Overlaps of ranking r of the first with the rankings ``start[r]`` to ``stop[r]`` of the second, summed into ``total[r]``."""
    cdef ugt_rankings x = rankings_of(first[0], first[1], first[2], first[3], n_classes)
    cdef ugt_rankings y = rankings_of(second[0], second[1], second[2], second[3], n_classes)
    cdef int status
    if not start.shape[0] == stop.shape[0] == norm_first.shape[0] == total.shape[0] == x.n_rankings or norm_second.shape[0] != y.n_rankings:
        raise ValueError("arrays must be of the length of their rankings")
    if not 0 <= begin <= end <= x.n_rankings or not 0 <= depth <= n_classes:
        raise ValueError("begin, end and depth must lie in their ranges")
    with nogil:
        status = ugt_partial_overlaps(&x, &y, &start[0], &stop[0], &norm_first[0], &norm_second[0], depth, begin, end, &total[0])
    check(status)
