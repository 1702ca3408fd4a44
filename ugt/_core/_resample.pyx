"""Bootstrap by weights and the law of a sum."""

from _status cimport check
from libc.stdint cimport int64_t, uint64_t

cdef extern from "ugt.h" nogil:
    int ugt_bootstrap_means(const double *, int64_t, int64_t, uint64_t, int64_t, int64_t, double *)
    int ugt_law_of_sum(const double *, int64_t, int64_t, double *)


def bootstrap_means(const double[:, ::1] value, uint64_t seed, int64_t begin, int64_t end, double[:, ::1] out):
    """Means of the columns over resamples begin..end of the rows."""
    cdef int64_t n = value.shape[0], m = value.shape[1]
    cdef int status
    if n < 1 or n >= 4294967296 or begin < 0 or end < begin or out.shape[0] != end - begin or out.shape[1] != m:
        raise ValueError("table, range and output do not fit together")
    if begin == end or m == 0:
        return
    with nogil:
        status = ugt_bootstrap_means(&value[0, 0], n, m, seed, begin, end, &out[0, 0])
    check(status)


def law_of_sum(const double[:, ::1] pmf, double[::1] law):
    """The law of the sum of independent variables with these laws on 0..width-1."""
    cdef int64_t n = pmf.shape[0], width = pmf.shape[1]
    cdef int status
    if n < 1 or width < 1 or law.shape[0] != n * (width - 1) + 1:
        raise ValueError("output does not fit")
    with nogil:
        status = ugt_law_of_sum(&pmf[0, 0], n, width, &law[0])
    check(status)
