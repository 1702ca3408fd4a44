"""Convergence diagnostics of Markov chains."""

from _status cimport check
from libc.stdint cimport int64_t

cdef extern from "ugt.h" nogil:
    int UGT_DIAGNOSTICS
    int ugt_diagnostics(const double *, int64_t, int64_t, int64_t, const double *, int, double *)


def diagnostics(const double[:, :, ::1] series, const double[::1] score, int wanted, double[:, ::1] out):
    """Fill the columns of `out`: R-hat, bulk, tail and mean effective sample size, standard error of the mean."""
    cdef int64_t n_series = series.shape[0], n_chains = series.shape[1], n_draws = series.shape[2]
    cdef int status
    cdef const double *scores = NULL
    if out.shape[0] != n_series or out.shape[1] != UGT_DIAGNOSTICS or n_chains < 1 or n_draws < 1:
        raise ValueError("series and output do not fit together")
    if n_draws >= 4:
        if score.shape[0] != 4 * n_chains * (n_draws // 2) - 1:
            raise ValueError("scores do not fit the series")
        scores = &score[0]
    if n_series == 0:
        return
    with nogil:
        status = ugt_diagnostics(&series[0, 0, 0], n_series, n_chains, n_draws, scores, wanted, &out[0, 0])
    check(status)
