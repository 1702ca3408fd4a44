"""Bootstrap by weights and the law of a sum."""

from _status cimport check, check_rows, stride_of
from libc.stdint cimport int32_t, int64_t, uint64_t

cdef extern from "ugt.h" nogil:
    ctypedef struct ugt_design:
        const int64_t *offsets
        int64_t n_strata
        uint64_t seed
    int ugt_bootstrap(const ugt_design *, const double *, int64_t, const int32_t *, int64_t, int64_t, int64_t, double *, double *)
    int ugt_resample_rows(const int64_t *, const int64_t *, int64_t, uint64_t, int64_t, int64_t, int, int64_t *)
    int ugt_grouped_sums(const int64_t *, const int32_t *, const double *, int64_t, int64_t, int64_t, const double *, int64_t, int64_t, double *)
    int ugt_law_of_sum(const double *, const int64_t *, int64_t, int64_t, double *)


cdef int64_t n_units(const int64_t[::1] strata, int64_t begin, int64_t end, int64_t n_out) except -1:
    """Return the number of units of a design; reject empty strata and ranges of resamples that do not fit."""
    cdef int64_t k, n = strata.shape[0] - 1
    if begin < 0 or end < begin or n_out != end - begin:
        raise ValueError("range of resamples and output do not fit together")
    if n < 1 or strata[0] != 0:
        raise ValueError("strata do not fit")
    for k in range(n):
        if strata[k + 1] <= strata[k] or strata[k + 1] > 2147483647:
            raise ValueError("strata do not fit")
    return strata[n]


def bootstrap(
    const int64_t[::1] strata, uint64_t seed, int64_t begin, int64_t end, const double[::1] value=None, double[:, ::1] sums=None,
    const int32_t[::1] unit=None, double[:, ::1] weights=None
):
    """Compute resamples begin..end of units ordered by stratum: sums (B, m) of the columns of a table in strips (see ugt.h), and the
    weights (N, B), which say how often the unit of each case was drawn; either may be left out."""
    cdef int64_t i, m = 0, n_cases = 0, n = n_units(strata, begin, end, end - begin)
    cdef const double *values = NULL
    cdef const int32_t *units = NULL
    cdef double *added = NULL
    cdef double *drawn = NULL
    cdef ugt_design design
    cdef int status
    if value is not None:
        m = 0 if sums is None else sums.shape[1]
        if sums is None or value.shape[0] != n * m or sums.shape[0] != end - begin:
            raise ValueError("table, strata and output do not fit together")
    if unit is not None:
        n_cases = unit.shape[0]
        if weights is None or weights.shape[0] != n_cases or weights.shape[1] != end - begin:
            raise ValueError("cases and output do not fit together")
        for i in range(n_cases):
            if unit[i] < 0 or unit[i] >= n:
                raise ValueError("unit out of range")
    if begin == end or (m == 0 and n_cases == 0):
        return
    if m > 0:
        values, added = &value[0], &sums[0, 0]
    if n_cases > 0:
        units, drawn = &unit[0], &weights[0, 0]
    design.offsets, design.n_strata, design.seed = &strata[0], strata.shape[0] - 1, seed
    with nogil:
        status = ugt_bootstrap(&design, values, m, units, n_cases, begin, end, added, drawn)
    check(status)


def resample_rows(
    const int64_t[::1] offsets, const int64_t[::1] count, uint64_t seed, int64_t begin, int64_t end, bint urn, int64_t[:, ::1] out
):
    """Fill how often each row of annotations was drawn in resamples begin..end, with replacement or from an urn (see ugt.h)."""
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
        status = ugt_resample_rows(&offsets[0], &count[0], n_cases, seed, begin, end, urn, &out[0, 0])
    check(status)


def law_of_sum(const double[:, ::1] pmf, const int64_t[::1] starts, double[::1] law):
    """Fill the law of the sum of independent variables: those of each row have the same law on 0..width-1."""
    cdef int64_t n_groups = pmf.shape[0], width = pmf.shape[1], group
    cdef int status
    if n_groups < 1 or width < 1 or starts.shape[0] != n_groups + 1 or starts[0] != 0 or starts[n_groups] < 1:
        raise ValueError("there must be variables, and a start before and after each row")
    for group in range(n_groups):
        if starts[group + 1] < starts[group]:
            raise ValueError("starts must ascend")
    if law.shape[0] != starts[n_groups] * (width - 1) + 1:
        raise ValueError("output does not fit")
    with nogil:
        status = ugt_law_of_sum(&pmf[0, 0], &starts[0], n_groups, width, &law[0])
    check(status)


def grouped_sums(
    const int64_t[::1] row, const int32_t[::1] group, const double[:, ::1] value, const double[:, :] weight, double[:, :, ::1] out
):
    """Fill the sums of weight x value over the entries of each group, out (B, groups, m): entry i (n,) belongs to case row[i] (i if None)
    and has values (n, m), or 1 if None; weights (N, B) are of cases."""
    cdef int64_t i, n = group.shape[0], m = 1 if value is None else value.shape[1], n_groups = out.shape[1], n_cases = weight.shape[0], stride = stride_of(weight)
    cdef const double *values = NULL
    cdef int status
    cdef const int64_t *rows = NULL
    if (value is not None and value.shape[0] != n) or (n > n_cases if row is None else row.shape[0] != n) or out.shape[0] != weight.shape[1] or out.shape[2] != m:
        raise ValueError("groups, values, weights and output do not fit together")
    for i in range(n):
        if group[i] < 0 or group[i] >= n_groups:
            raise ValueError("group out of range")
        if row is not None and (row[i] < 0 or row[i] >= n_cases):
            raise ValueError("case out of range")
    if n == 0 or m == 0 or n_groups == 0 or weight.shape[1] == 0:
        out[:, :, :] = 0.0
        return
    if value is not None:
        values = &value[0, 0]
    if row is not None:
        rows = &row[0]
    with nogil:
        status = ugt_grouped_sums(rows, &group[0], values, n, m, n_groups, &weight[0, 0], stride, weight.shape[1], &out[0, 0, 0])
    check(status)
