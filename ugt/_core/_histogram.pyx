"""Sums of label histograms and predicted probabilities by class and bin."""

from _status cimport check
from libc.stdint cimport int32_t, int64_t

import numpy as np

cdef extern from "ugt.h" nogil:
    ctypedef struct ugt_table:
        const void *at
        int64_t row_stride, column_stride
        int type

    ctypedef struct ugt_histograms:
        ugt_table counts, probs
        int64_t n_classes, n_bins
        const double *weight
        int64_t n_weights, weight_stride
        const double *edges
        int uniform, fractional
        double tolerance

    int UGT_FLOAT64
    int UGT_FLOAT32
    int UGT_INT64
    int UGT_INT32
    int UGT_HISTOGRAM_SUMS
    int UGT_HISTOGRAM_TOTALS
    double UGT_HISTOGRAM_ROW_SUM
    int ugt_histogram_sums(const ugt_histograms *, int64_t, int64_t, double *, double *, int64_t *)

N_SUMS = UGT_HISTOGRAM_SUMS
N_TOTALS = 2 * UGT_HISTOGRAM_TOTALS + 1
ROW_SUM = UGT_HISTOGRAM_ROW_SUM


cdef ugt_table table_of(array) except *:
    """The address and strides of a table (N, K) that the caller keeps alive."""
    cdef const double[:, :] as_float64
    cdef const float[:, :] as_float32
    cdef const int64_t[:, :] as_int64
    cdef const int32_t[:, :] as_int32
    cdef ugt_table out
    if array.dtype == np.float64:
        as_float64 = array
        out.at, out.type = &as_float64[0, 0], UGT_FLOAT64
        out.row_stride, out.column_stride = as_float64.strides[0], as_float64.strides[1]
    elif array.dtype == np.float32:
        as_float32 = array
        out.at, out.type = &as_float32[0, 0], UGT_FLOAT32
        out.row_stride, out.column_stride = as_float32.strides[0], as_float32.strides[1]
    elif array.dtype == np.int64:
        as_int64 = array
        out.at, out.type = &as_int64[0, 0], UGT_INT64
        out.row_stride, out.column_stride = as_int64.strides[0], as_int64.strides[1]
    elif array.dtype == np.int32:
        as_int32 = array
        out.at, out.type = &as_int32[0, 0], UGT_INT32
        out.row_stride, out.column_stride = as_int32.strides[0], as_int32.strides[1]
    else:
        raise ValueError("type of table is none of float64, float32, int64, int32")
    return out


def sums(counts, probs, weight, const double[:, ::1] edges, bint uniform, bint fractional, double tolerance,
         double[:, :, :, :, ::1] cell, double[:, ::1] total):
    """Adds to cell (W, 2, K, B, N_SUMS) and total (W, N_TOTALS) of W weights (W, N), or 1 of None; returns what is wrong first
    (0: nothing), its row and its class."""
    cdef const double[:, :] weights = weight
    cdef ugt_histograms given
    cdef int64_t n = len(counts), fault[3]
    cdef int64_t n_classes = cell.shape[2], n_bins = cell.shape[3]
    cdef int status
    if n < 1 or n_classes < 1 or n_bins < 1 or counts.shape != (n, n_classes) or probs.shape != (n, n_classes):
        raise ValueError("tables and sums do not fit together")
    if not (counts.flags.aligned and probs.flags.aligned):
        raise ValueError("tables are not aligned")
    if cell.shape[1] != 2 or cell.shape[4] != UGT_HISTOGRAM_SUMS or total.shape[1] != 2 * UGT_HISTOGRAM_TOTALS + 1 \
            or edges.shape[0] != (1 if uniform else n_classes) or edges.shape[1] != n_bins + 1 or cell.shape[0] < 1 \
            or total.shape[0] != cell.shape[0] or (weights is None and cell.shape[0] != 1) \
            or (weights is not None and (weights.shape[0] != cell.shape[0] or weights.shape[1] != n or weights.strides[1] != 8
                                         or weights.strides[0] % 8)):
        raise ValueError("edges, weights and sums do not fit together")
    given.counts, given.probs = table_of(counts), table_of(probs)
    given.n_classes, given.n_bins = n_classes, n_bins
    given.weight = NULL
    given.n_weights, given.weight_stride = 1, 0
    if weights is not None:
        given.weight = &weights[0, 0]
        given.n_weights, given.weight_stride = cell.shape[0], weights.strides[0] // 8
    given.edges, given.uniform, given.fractional, given.tolerance = &edges[0, 0], uniform, fractional, tolerance
    with nogil:
        status = ugt_histogram_sums(&given, 0, n, &cell[0, 0, 0, 0, 0], &total[0, 0], fault)
    check(status)
    return fault[0], fault[1], fault[2]
