"""Bootstrap by weights and the law of a sum."""

from _status cimport check, check_rows
from libc.stdint cimport int32_t, int64_t, uint64_t

cdef extern from "ugt.h" nogil:
    ctypedef struct ugt_design:
        const int64_t *offsets
        int64_t n_strata
        uint64_t seed
    int ugt_bootstrap_sums(const ugt_design *, const double *, int64_t, int64_t, int64_t, double *)
    int ugt_bootstrap_weights(const ugt_design *, const int32_t *, int64_t, int64_t, int64_t, double *)
    int ugt_resample_rows(const int64_t *, const int64_t *, int64_t, uint64_t, int64_t, int64_t, int64_t *)
    int ugt_law_of_sum(const double *, int64_t, int64_t, double *)


cdef int64_t n_units(const int64_t[::1] strata, int64_t begin, int64_t end, int64_t n_out) except -1:
    """Units of a design; refuses empty strata and ranges of resamples that do not fit."""
    cdef int64_t k, n = strata.shape[0] - 1
    if begin < 0 or end < begin or n_out != end - begin:
        raise ValueError("range of resamples and output do not fit together")
    if n < 1 or strata[0] != 0:
        raise ValueError("strata do not fit")
    for k in range(n):
        if strata[k + 1] <= strata[k] or strata[k + 1] > 2147483647:
            raise ValueError("strata do not fit")
    return strata[n]


def bootstrap_sums(
    const int64_t[::1] strata, const double[:, ::1] value, uint64_t seed, int64_t begin, int64_t end, double[:, ::1] out
):
    """Sums of the columns over resamples begin..end of the rows, which are units ordered by stratum."""
    cdef int64_t m = value.shape[1]
    cdef ugt_design design
    cdef int status
    if n_units(strata, begin, end, out.shape[0]) != value.shape[0] or out.shape[1] != m:
        raise ValueError("table, strata and output do not fit together")
    if begin == end or m == 0:
        return
    design.offsets, design.n_strata, design.seed = &strata[0], strata.shape[0] - 1, seed
    with nogil:
        status = ugt_bootstrap_sums(&design, &value[0, 0], m, begin, end, &out[0, 0])
    check(status)


def bootstrap_weights(
    const int64_t[::1] strata, const int32_t[::1] unit, uint64_t seed, int64_t begin, int64_t end, double[:, ::1] out
):
    """How often the unit of each case was drawn in resamples begin..end."""
    cdef int64_t i, n_cases = unit.shape[0], n = n_units(strata, begin, end, out.shape[0])
    cdef ugt_design design
    cdef int status
    if out.shape[1] != n_cases:
        raise ValueError("cases and output do not fit together")
    for i in range(n_cases):
        if unit[i] < 0 or unit[i] >= n:
            raise ValueError("unit out of range")
    if begin == end or n_cases == 0:
        return
    design.offsets, design.n_strata, design.seed = &strata[0], strata.shape[0] - 1, seed
    with nogil:
        status = ugt_bootstrap_weights(&design, &unit[0], n_cases, begin, end, &out[0, 0])
    check(status)


def resample_rows(
    const int64_t[::1] offsets, const int64_t[::1] count, uint64_t seed, int64_t begin, int64_t end, int64_t[:, ::1] out
):
    """How often each row of annotations was drawn in resamples begin..end."""
    cdef int64_t i, n_cases = offsets.shape[0] - 1, n_rows = count.shape[0]
    cdef int status
    if n_cases < 1 or offsets[0] != 0 or offsets[n_cases] != n_rows or out.shape[1] != n_rows:
        raise ValueError("offsets, rows and output do not fit together")
    if begin < 0 or end < begin or out.shape[0] != end - begin:
        raise ValueError("range of resamples and output do not fit together")
    check_rows(offsets, 0, n_cases, n_rows)
    for i in range(n_rows):
        if count[i] < 0 or count[i] > 9007199254740992:
            raise ValueError("count out of range")
    if begin == end or n_rows == 0:
        return
    with nogil:
        status = ugt_resample_rows(&offsets[0], &count[0], n_cases, seed, begin, end, &out[0, 0])
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
