"""Sorting by score, and the sums of soft ranking metrics."""

from _status cimport check, stride_of
from libc.stdint cimport int64_t, uint8_t

import numpy as np

cdef extern from "ugt.h" nogil:
    ctypedef struct ugt_scores:
        const double *score
        const float *single
        const double *load
        int64_t n

    ctypedef struct ugt_soft_column:
        const int64_t *row
        const uint8_t *last
        const double *positive
        const double *negative
        double threshold
        int expected
        int64_t n, n_cases

    int UGT_SOFT_SUMS
    int ugt_argsort_descending(const ugt_scores *, int64_t *, int64_t *)
    int ugt_soft_sums(const ugt_scores *, const double *, const double *, double, int, const double *, double *, int64_t *)
    int ugt_soft_curve(const ugt_scores *, const double *, const double *, double *, double *, double *, int64_t *, int64_t *)
    int ugt_soft_resampled(const ugt_soft_column *, const double *, int64_t, const double *, int64_t, double *)
    int UGT_SOFT_GROUP
    void ugt_soft_groups(const double *, int64_t, const double *, int, int, double *)

N_SUMS = UGT_SOFT_SUMS


cdef class Scores:
    """The scores of n cases, float64 or float32, which must not change during the lifetime of this object."""

    cdef ugt_scores scores
    cdef object held

    def __init__(self, scores):  # scores: NDArray[Any] -> None
        cdef const double[::1] as_double
        cdef const float[::1] as_float
        if not 0 < len(scores) < 4294967296:
            raise ValueError("scores must hold from 1 to 2**32 - 1 numbers")
        self.held = scores
        self.scores.n = len(scores)
        if scores.dtype == np.float32:
            as_float = scores
            self.scores.single = &as_float[0]
        else:
            as_double = scores
            self.scores.score = &as_double[0]

    def __len__(self):  # -> int
        return self.scores.n

    cdef int checked(self, int status, int64_t nan_at) except -1:
        if nan_at >= 0:
            raise ValueError(f"scores must not be NaN. Got nan, first at {nan_at}.")
        return check(status)

    def order(self):  # -> NDArray[np.int64]
        """Return the positions (n,) in stable order, highest score first."""
        cdef int64_t[::1] out = np.empty(self.scores.n, np.int64)
        cdef int64_t nan_at
        cdef int status
        with nogil:
            status = ugt_argsort_descending(&self.scores, &out[0], &nan_at)
        self.checked(status, nan_at)
        return np.asarray(out)

    cdef const double *weights(self, const double[::1] p, const double[::1] weight) except? NULL:
        if p.shape[0] != self.scores.n or (weight is not None and weight.shape[0] != self.scores.n):
            raise ValueError("p, weights and scores must be of one length")
        if weight is None:
            return NULL
        return &weight[0]

    def sums(self, const double[::1] p, const double[::1] weight, double threshold, bint expected, const double[::1] above=None):
        # weight: NDArray[np.float64] | None -> NDArray[np.float64]
        """Return the sums of ugt.h (N_SUMS,); above (4,): totals of cases whose scores are higher than all of these."""
        cdef double[::1] out = np.zeros(UGT_SOFT_SUMS)
        cdef const double *w = self.weights(p, weight)
        cdef const double *base = NULL
        cdef int64_t nan_at
        cdef int status
        if above is not None:
            if above.shape[0] != 4:
                raise ValueError(f"above must be 4 totals. Got {above.shape[0]}.")
            base = &above[0]
        with nogil:
            status = ugt_soft_sums(&self.scores, &p[0], w, threshold, expected, base, &out[0], &nan_at)
        self.checked(status, nan_at)
        return np.asarray(out)

    def curve(self, const double[::1] p, const double[::1] weight):
        # weight: NDArray[np.float64] | None -> tuple[NDArray[np.float64], NDArray[np.float64], NDArray[np.float64]]
        """Return the positives and negatives down to the end of each tie group, and its score."""
        cdef double[::1] positive = np.empty(self.scores.n), negative = np.empty(self.scores.n), score = np.empty(self.scores.n)
        cdef const double *w = self.weights(p, weight)
        cdef int64_t nan_at, n_points = 0
        cdef int status
        with nogil:
            status = ugt_soft_curve(&self.scores, &p[0], w, &positive[0], &negative[0], &score[0], &n_points, &nan_at)
        self.checked(status, nan_at)
        return np.asarray(positive)[:n_points], np.asarray(negative)[:n_points], np.asarray(score)[:n_points]


def argsort_descending(scores):  # scores: NDArray[Any] -> NDArray[np.int64]
    """Return the stable order, highest first; 0 and -0 are tied."""
    return Scores(scores).order()


def resampled(const int64_t[::1] row, const uint8_t[::1] last, const double[::1] positive, const double[::1] negative, double threshold,
              bint expected, int64_t n_cases, const double[:, :] weight, const double[:, ::1] p, double[:, ::1] out):
    """Return the sums (B, N_SUMS) with other weights (N, B) or None, and other probabilities (B, N) or None."""
    cdef ugt_soft_column column
    cdef int64_t n = row.shape[0], n_resamples = out.shape[0], stride = 0, i
    cdef const double *w = NULL
    cdef const double *q = NULL
    cdef int status
    if n < 1 or last.shape[0] != n or not last[n - 1] or positive.shape[0] != n or (negative is not None and negative.shape[0] != n) \
            or out.shape[1] != UGT_SOFT_SUMS or (weight is not None and (weight.shape[0] != n_cases or weight.shape[1] != n_resamples)) \
            or (p is not None and (p.shape[0] != n_resamples or p.shape[1] != n_cases)):
        raise ValueError("column, resamples and output do not fit together")
    for i in range(n):
        if row[i] < 0 or row[i] >= n_cases:
            raise ValueError("row out of range")
    if n_resamples == 0:
        return
    column.row, column.last, column.positive = &row[0], &last[0], &positive[0]
    column.negative = NULL
    if negative is not None:
        column.negative = &negative[0]
    column.threshold, column.expected, column.n, column.n_cases = threshold, expected, n, n_cases
    if weight is not None:
        w, stride = &weight[0, 0], stride_of(weight)
    if p is not None:
        q = &p[0, 0]
    with nogil:
        status = ugt_soft_resampled(&column, w, stride, q, n_resamples, &out[0, 0])
    check(status)


def groups(const double[:, :, ::1] table, const double[:, ::1] above, bint expected, bint bounds):  # -> NDArray[np.float64]
    """Return the sums (T, 1, N_SUMS) of T x G tie groups (T, G, 5) below totals (T, 4) or None; (T, 3, N_SUMS) with lower and upper bounds."""
    cdef int64_t n_tables = table.shape[0], n = table.shape[1], t, rows = 3 if bounds else 1
    cdef double[:, :, ::1] out = np.zeros((n_tables, rows, UGT_SOFT_SUMS))
    cdef const double *base = NULL
    if n < 1 or table.shape[2] != UGT_SOFT_GROUP or (above is not None and (above.shape[0] != n_tables or above.shape[1] != 4)):
        raise ValueError("groups and totals above do not fit together")
    with nogil:
        for t in range(n_tables):
            if above is not None:
                base = &above[t, 0]
            ugt_soft_groups(&table[t, 0, 0], n, base, expected, bounds, &out[t, 0, 0])
    return np.asarray(out)
