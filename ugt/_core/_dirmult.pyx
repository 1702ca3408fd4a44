"""Dirichlet-multinomial log-likelihoods of label counts."""

from _status cimport check_rows
from libc.stdint cimport int64_t

cdef extern from "ugt.h" nogil:
    void ugt_dirichlet_multinomial(const int64_t *, const double *, const double *, const double *, int64_t, int64_t,
                                   double *, double *, double *)


def log_likelihood(const int64_t[::1] offsets, const double[::1] log_share, const double[::1] count,
                   const double[::1] log_total, double[:, ::1] out):
    """Fill the rows of `out` (3, N): log-likelihood of each case without its coefficient, first and second derivative in log_total."""
    cdef int64_t n = log_total.shape[0]
    if offsets.shape[0] != n + 1 or log_share.shape[0] != count.shape[0] or out.shape[0] != 3 or out.shape[1] != n:
        raise ValueError("counts, shares and output do not fit together")
    check_rows(offsets, 0, n, count.shape[0])
    if n == 0 or count.shape[0] == 0:
        out[:, :] = 0.0
        return
    with nogil:
        ugt_dirichlet_multinomial(&offsets[0], &log_share[0], &count[0], &log_total[0], 0, n, &out[0, 0], &out[1, 0], &out[2, 0])
