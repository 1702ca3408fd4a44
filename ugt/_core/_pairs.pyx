"""Distances between the annotators of a case, and to predictions."""

from _status cimport check, check_rows
from libc.stdint cimport int32_t, int64_t, uint8_t, uint64_t

import numpy as np

cdef extern from "distances.h" nogil:
    ctypedef struct ugt_entries:
        const int64_t *offsets
        const int64_t *row_offsets
        const int64_t *count
        const int64_t *times

    ctypedef struct ugt_distance:
        int kind
        double slack "lambda"
        int64_t n_classes
        const double *cost
        const double *number

    ctypedef struct ugt_masks:
        const int64_t *start
        const uint64_t *word

    int UGT_SQUARED
    int UGT_THRESHOLD
    int UGT_JACCARD
    int UGT_DICE
    int ugt_find_entries(const int64_t *, const int32_t *, int64_t, int64_t, int64_t *, int64_t *, int64_t *)
    void ugt_case_sums(const ugt_entries *, const double *, const double *, int64_t, int64_t, int64_t *, double *, double *,
                       double *)
    int ugt_number_distances(const ugt_entries *, const ugt_distance *, const double *, int64_t, int64_t, double *)
    void ugt_number_predictions(const ugt_entries *, const ugt_distance *, const double *, const double *, int64_t, int64_t, double *)
    int ugt_class_distances(const ugt_entries *, const ugt_distance *, const int32_t *, int64_t, int64_t, double *)
    int ugt_class_predictions(const ugt_entries *, const ugt_distance *, const int32_t *, const int64_t *, int64_t, int64_t, double *)
    int ugt_class_probabilities(const ugt_entries *, const ugt_distance *, const int32_t *, const double *, int64_t, int64_t, double *,
                                int64_t *)
    int ugt_mask_distances(const ugt_entries *, const ugt_masks *, int, int64_t, int64_t, double *)
    int ugt_mask_predictions(const ugt_entries *, const ugt_masks *, const ugt_masks *, const uint8_t *, int, int64_t, int64_t, double *)

SQUARED, THRESHOLD, JACCARD, DICE = UGT_SQUARED, UGT_THRESHOLD, UGT_JACCARD, UGT_DICE


def find_entries(const int64_t[::1] offsets, const int32_t[::1] annotator, int64_t n_annotators):
    # -> tuple[NDArray[np.int64], NDArray[np.int64], int]
    """``(entry_offsets (N + 1,), entry_of (R,), number of entries)``: the rows of an annotator in a case are one entry."""
    cdef int64_t n_cases = offsets.shape[0] - 1, n_entries = 0
    entry_offsets, entry_of = np.empty(n_cases + 1, np.int64), np.empty(annotator.shape[0], np.int64)
    cdef int64_t[::1] offsets_view = entry_offsets, of_view = entry_of
    cdef int status
    check_rows(offsets, 0, n_cases, annotator.shape[0])
    with nogil:
        status = ugt_find_entries(&offsets[0], &annotator[0], n_cases, n_annotators, &offsets_view[0], &of_view[0], &n_entries)
    check(status)
    return entry_offsets, entry_of, n_entries


def case_sums(const int64_t[::1] offsets, const int64_t[::1] count, const double[::1] to_others, const double[:, ::1] to_model):
    # -> tuple[NDArray[np.int64], NDArray[np.float64], NDArray[np.float64], NDArray[np.float64]]
    """``(n (N,), total (N,), alpha (N,), mu (M, N))``: annotators, sum and mean over their pairs, mean distance to each model."""
    cdef int64_t n_cases = offsets.shape[0] - 1, n_models = to_model.shape[0]
    cdef ugt_entries entries
    if n_cases < 1 or offsets[0] != 0 or offsets[n_cases] != count.shape[0] or to_others.shape[0] != count.shape[0] \
            or to_model.shape[1] != count.shape[0]:
        raise ValueError("arrays of the entries do not fit together")
    check_rows(offsets, 0, n_cases, count.shape[0])
    n, total, alpha, mu = np.empty(n_cases, np.int64), np.empty(n_cases), np.empty(n_cases), np.empty((n_models, n_cases))
    cdef int64_t[::1] n_view = n
    cdef double[::1] total_view = total, alpha_view = alpha
    cdef double[:, ::1] mu_view = mu
    entries.offsets, entries.row_offsets, entries.times = &offsets[0], NULL, NULL
    entries.count = &count[0] if count.shape[0] > 0 else NULL
    with nogil:
        ugt_case_sums(&entries, &to_others[0] if to_others.shape[0] > 0 else NULL, &to_model[0, 0] if n_models > 0 and count.shape[0] > 0 else NULL,
                      n_cases, n_models, &n_view[0], &total_view[0], &alpha_view[0],
                      &mu_view[0, 0] if n_models > 0 else NULL)
    return n, total, alpha, mu


cdef class Distance:
    """The parameters of a distance; arrays are kept alive."""

    cdef ugt_distance distance
    cdef object held

    def __init__(self, int kind, double slack, int64_t n_classes, const double[:, ::1] cost, const double[::1] number):
        if n_classes < 1 or not slack >= 0 or kind not in (UGT_SQUARED, UGT_THRESHOLD) or (number is not None and number.shape[0] != n_classes) \
                or (cost is not None and (cost.shape[0] != n_classes or cost.shape[1] != n_classes)):
            raise ValueError("classes, costs and numbers do not fit together")
        self.held = cost, number
        self.distance.kind, self.distance.slack, self.distance.n_classes = kind, slack, n_classes
        self.distance.cost = NULL
        self.distance.number = NULL
        if cost is not None:
            self.distance.cost = &cost[0, 0]
        if number is not None:
            self.distance.number = &number[0]


cdef class Masks:
    """Packed masks; arrays are kept alive."""

    cdef ugt_masks masks
    cdef int64_t n
    cdef object held

    def __init__(self, const int64_t[::1] start, const uint64_t[::1] word):
        check_rows(start, 0, start.shape[0] - 1, word.shape[0])
        self.held, self.n = (start, word), start.shape[0] - 1
        self.masks.start, self.masks.word = &start[0], &word[0]


cdef class Entries:
    """The annotators of cases and their rows; arrays are kept alive. Each method fills its last argument for the cases [begin, end)."""

    cdef ugt_entries entries
    cdef int64_t n_cases, n_entries, n_rows
    cdef object held

    def __init__(self, const int64_t[::1] offsets, const int64_t[::1] row_offsets, const int64_t[::1] count, const int64_t[::1] times,
                 int64_t n_rows):
        cdef int64_t i
        self.n_cases, self.n_entries, self.n_rows = offsets.shape[0] - 1, count.shape[0], n_rows
        check_rows(offsets, 0, self.n_cases, self.n_entries)
        if (row_offsets is None and n_rows != self.n_entries) or (row_offsets is not None and row_offsets.shape[0] != self.n_entries + 1) \
                or (times is not None and times.shape[0] != n_rows):
            raise ValueError("entries and rows do not fit together")
        for i in range(self.n_entries):
            if count[i] < 1 or (row_offsets is not None and row_offsets[i + 1] - row_offsets[i] < 1):
                raise ValueError("an entry must have annotators and rows")
        if row_offsets is not None:
            check_rows(row_offsets, 0, self.n_entries, n_rows)
        for i in range(n_rows if times is not None else 0):
            if times[i] < 1:
                raise ValueError("a label must have been given once at least")
        self.held = offsets, row_offsets, count, times
        self.entries.offsets, self.entries.count = &offsets[0], &count[0]
        self.entries.row_offsets = NULL
        self.entries.times = NULL
        if row_offsets is not None:
            self.entries.row_offsets = &row_offsets[0]
        if times is not None:
            self.entries.times = &times[0]

    cdef int fit(self, int64_t n_rows, int64_t begin, int64_t end, int64_t n_out) except -1:
        if n_rows != self.n_rows or n_out != self.n_entries or not 0 <= begin <= end <= self.n_cases:
            raise ValueError("rows, range or output do not fit")
        return 0

    def numbers(self, Distance distance, const double[::1] value, int64_t begin, int64_t end, double[::1] out):
        cdef int status
        self.fit(value.shape[0], begin, end, out.shape[0])
        with nogil:
            status = ugt_number_distances(&self.entries, &distance.distance, &value[0], begin, end, &out[0])
        check(status)

    def predicted_numbers(self, Distance distance, const double[::1] value, const double[::1] prediction, int64_t begin, int64_t end,
                          double[::1] out):
        self.fit(value.shape[0], begin, end, out.shape[0])
        if prediction.shape[0] != self.n_cases:
            raise ValueError("one prediction a case")
        with nogil:
            ugt_number_predictions(&self.entries, &distance.distance, &value[0], &prediction[0], begin, end, &out[0])

    def classes(self, Distance distance, const int32_t[::1] label, int64_t begin, int64_t end, double[::1] out):
        cdef int status
        self.fit(label.shape[0], begin, end, out.shape[0])
        with nogil:
            status = ugt_class_distances(&self.entries, &distance.distance, &label[0], begin, end, &out[0])
        check(status)

    def predicted_classes(self, Distance distance, const int32_t[::1] label, const int64_t[::1] prediction, int64_t begin, int64_t end,
                          double[::1] out):
        cdef int status
        self.fit(label.shape[0], begin, end, out.shape[0])
        if prediction.shape[0] != self.n_cases:
            raise ValueError("one prediction a case")
        with nogil:
            status = ugt_class_predictions(&self.entries, &distance.distance, &label[0], &prediction[0], begin, end, &out[0])
        check(status)

    def probabilities(self, Distance distance, const int32_t[::1] label, const double[:, ::1] probability, int64_t begin, int64_t end,
                      double[::1] out):  # -> int
        """Return the first case whose row is not a row of probabilities, or -1. The table holds only the rows of the range."""
        cdef int64_t fault = -1
        cdef int status
        self.fit(label.shape[0], begin, end, out.shape[0])
        if probability.shape[0] != end - begin or probability.shape[1] != distance.distance.n_classes:
            raise ValueError("one row of probabilities a case")
        with nogil:
            status = ugt_class_probabilities(&self.entries, &distance.distance, &label[0], &probability[0, 0], begin, end, &out[0], &fault)
        check(status)
        return fault

    def masks(self, int kind, Masks masks, int64_t begin, int64_t end, double[::1] out):
        cdef int status
        self.fit(masks.n, begin, end, out.shape[0])
        with nogil:
            status = ugt_mask_distances(&self.entries, &masks.masks, kind, begin, end, &out[0])
        check(status)

    def predicted_masks(self, int kind, Masks masks, Masks predicted, const uint8_t[::1] present, int64_t begin, int64_t end, double[::1] out):
        cdef int status
        self.fit(masks.n, begin, end, out.shape[0])
        if predicted.n != self.n_cases or present.shape[0] != self.n_cases:
            raise ValueError("one mask a case")
        with nogil:
            status = ugt_mask_predictions(&self.entries, &masks.masks, &predicted.masks, &present[0], kind, begin, end, &out[0])
        check(status)
