"""Sums of label histograms and predicted probabilities by class and bin."""

from _status cimport check, stride_of
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
        const double *edges
        int uniform, fractional
        double tolerance

    ctypedef struct ugt_histogram_rows:
        double *share
        double *prob
        double *fact
        int32_t *cell
        int64_t n_rows, n_columns, n_cells

    int UGT_FLOAT64
    int UGT_FLOAT32
    int UGT_INT64
    int UGT_INT32
    int UGT_HISTOGRAM_SUMS
    int UGT_HISTOGRAM_TOTALS
    int UGT_HISTOGRAM_FACTS
    double UGT_HISTOGRAM_ROW_SUM
    int ugt_histogram_sums(const ugt_histograms *, int64_t, int64_t, double *, double *, int64_t *)
    int ugt_histogram_read(const ugt_histograms *, int64_t, int64_t, ugt_histogram_rows *, int64_t *)
    int ugt_histogram_resampled(const ugt_histogram_rows *, const double *, int64_t, int64_t, double *)
    int ugt_disagreement_sums(const ugt_histograms *, int64_t, int, ugt_histogram_rows *, double *, int64_t *)

N_SUMS = UGT_HISTOGRAM_SUMS
N_TOTALS = 2 * UGT_HISTOGRAM_TOTALS + 1
N_FACTS = UGT_HISTOGRAM_FACTS
ROW_SUM = UGT_HISTOGRAM_ROW_SUM  # float


cdef ugt_table table_of(array) except *:
    """Return the address and strides of a table (N, K), which the caller keeps alive."""
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


cdef ugt_histograms tables_of(counts, probs, const double[:, ::1] edges, bint uniform, bint fractional, double tolerance) except *:
    """Return the description of two tables of one shape, with common bins or bins for each column."""
    cdef ugt_histograms out
    if counts.ndim != 2 or 0 in counts.shape or counts.shape != probs.shape or not (counts.flags.aligned and probs.flags.aligned) \
            or edges.shape[0] != (1 if uniform else counts.shape[1]) or edges.shape[1] < 2:
        raise ValueError("tables and edges do not fit together")
    out.counts, out.probs = table_of(counts), table_of(probs)
    out.n_classes, out.n_bins = counts.shape[1], edges.shape[1] - 1
    out.edges, out.uniform, out.fractional, out.tolerance = &edges[0, 0], uniform, fractional, tolerance
    return out


def sums(counts, probs, const double[:, ::1] edges, bint uniform, bint fractional, double tolerance, double[::1] out):
    # counts: NDArray[Any], probs: NDArray[Any] -> tuple[int, int, int]
    """Add cells [2, K, B, N_SUMS] and totals [N_TOTALS] to out; return the first fault (0: none), its row and its class."""
    cdef ugt_histograms given = tables_of(counts, probs, edges, uniform, fractional, tolerance)
    cdef int64_t n = len(counts)
    cdef int64_t[3] fault
    cdef int64_t n_cells = 2 * given.n_classes * given.n_bins * UGT_HISTOGRAM_SUMS
    cdef int status
    if out.shape[0] != n_cells + 2 * UGT_HISTOGRAM_TOTALS + 1:
        raise ValueError("sums do not fit to the tables")
    with nogil:
        status = ugt_histogram_sums(&given, 0, n, &out[0], &out[n_cells], fault)
    check(status)
    return fault[0], fault[1], fault[2]


def read(counts, probs, const double[:, ::1] edges, bint uniform, bint fractional, double tolerance):
    # counts: NDArray[Any], probs: NDArray[Any] -> tuple[NDArray[np.float64], NDArray[np.float64], NDArray[np.int32], NDArray[np.float64],
    # tuple[int, int, int]]
    """Return shares, probabilities and cells (N, K), facts (N, N_FACTS), and the first fault as for sums."""
    cdef ugt_histograms given = tables_of(counts, probs, edges, uniform, fractional, tolerance)
    cdef int64_t n = len(counts)
    cdef int64_t[3] fault
    cdef int status
    cdef ugt_histogram_rows rows
    if 2 * given.n_classes * given.n_bins > 2**31 - 1:
        raise ValueError("too many cells")
    made = np.empty(counts.shape), np.empty(counts.shape), np.empty(counts.shape, np.int32), np.empty((n, UGT_HISTOGRAM_FACTS))
    cdef double[:, ::1] share = made[0], prob = made[1], fact = made[3]
    cdef int32_t[:, ::1] cell = made[2]
    rows.share, rows.prob, rows.cell, rows.fact = &share[0, 0], &prob[0, 0], &cell[0, 0], &fact[0, 0]
    with nogil:
        status = ugt_histogram_read(&given, 0, n, &rows, fault)
    check(status)
    return (*made, (fault[0], fault[1], fault[2]))


def resampled(const double[:, ::1] share, const double[:, ::1] prob, const int32_t[:, ::1] cell, fact, int64_t n_cells,
              const double[:, :] weight):  # fact: NDArray[np.float64] | None -> NDArray[np.float64]
    """Return the sums of rows from read or disagreement, with facts or None, under weights (N, W): (W, cells [and totals])."""
    cdef const double[:, ::1] facts = fact
    cdef int64_t n = share.shape[0], m = share.shape[1], n_weights = weight.shape[1], stride = stride_of(weight), i, k
    cdef int32_t least = 0, most = -1
    cdef int status
    cdef ugt_histogram_rows rows
    if n < 1 or m < 1 or prob.shape[0] != n or prob.shape[1] != m or cell.shape[0] != n or cell.shape[1] != m or weight.shape[0] != n \
            or n_weights < 1 or n_cells < 1 or (facts is not None and (facts.shape[0] != n or facts.shape[1] != UGT_HISTOGRAM_FACTS)):
        raise ValueError("rows and weights do not fit together")
    with nogil:
        for i in range(n):
            for k in range(m):  # a row that counts does so in all columns
                most = cell[i, k] if cell[i, k] > most else most
                least = -1 if (cell[i, k] < 0) != (cell[i, 0] < 0) else least
            if facts is not None and facts[i, 0] != 0 and cell[i, 0] < 0:  # one with labels counts
                least = -1
    if least < 0 or most >= n_cells:
        raise ValueError("cells do not fit to their number")
    cdef double[:, ::1] out = np.empty((n_weights, n_cells * UGT_HISTOGRAM_SUMS + (0 if facts is None else 2 * UGT_HISTOGRAM_TOTALS + 1)))
    rows.share, rows.prob, rows.cell = <double *>&share[0, 0], <double *>&prob[0, 0], <int32_t *>&cell[0, 0]
    rows.fact = NULL if facts is None else <double *>&facts[0, 0]
    rows.n_rows, rows.n_columns, rows.n_cells = n, m, n_cells
    with nogil:
        status = ugt_histogram_resampled(&rows, &weight[0, 0], stride, n_weights, &out[0, 0])
    check(status)
    return np.asarray(out)


def disagreement(counts, const double[:, ::1] prob, observed, const double[:, ::1] edges, bint uniform, double tolerance):
    # counts: NDArray[Any], observed: NDArray[np.float64] | None -> tuple[NDArray[np.float64], NDArray[np.int32], NDArray[np.float64],
    # tuple[int, int, int]]
    """Return observed values (N, M) of the predictions (N, M), or those given, cells (N, M), sums [M, B, N_SUMS], and the first fault."""
    cdef bint known = observed is not None
    cdef int64_t n = len(counts), n_classes = counts.shape[1], m = prob.shape[1], n_bins = edges.shape[1] - 1
    cdef int64_t[3] fault
    cdef int status
    cdef ugt_histograms given
    cdef ugt_histogram_rows rows
    if n < 1 or n_classes < 1 or prob.shape[0] != n or (not known and m not in (1, 1 + n_classes)) or not counts.flags.aligned or n_bins < 1 \
            or edges.shape[0] != (1 if uniform else m) or m * n_bins > 2**31 - 1:
        raise ValueError("counts, predictions and edges do not fit together")
    made = np.empty((n, m)) if not known else observed, np.empty((n, m), np.int32), np.zeros(m * n_bins * UGT_HISTOGRAM_SUMS)
    cdef double[:, ::1] share = made[0]
    cdef int32_t[:, ::1] cell = made[1]
    cdef double[::1] out = made[2]
    if share.shape[0] != n or share.shape[1] != m:
        raise ValueError("what was observed does not fit to the predictions")
    given.counts, given.n_classes, given.n_bins = table_of(counts), m, n_bins
    given.edges, given.uniform, given.fractional, given.tolerance = &edges[0, 0], uniform, False, tolerance
    rows.share, rows.prob, rows.cell, rows.n_rows = &share[0, 0], <double *>&prob[0, 0], &cell[0, 0], n
    with nogil:
        status = ugt_disagreement_sums(&given, n_classes, known, &rows, &out[0], fault)
    check(status)
    return (*made, (fault[0], fault[1], fault[2]))
