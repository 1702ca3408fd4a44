"""Exact sums, and resample weights that depend on the case only: both are the same for parts of the data and for the whole."""

from _status cimport check
from libc.stdint cimport int64_t, uint64_t

import numpy as np

cdef extern from "ugt.h" nogil:
    int UGT_EXACT_PARTS
    int ugt_exact_columns(const double *, int64_t, int64_t, int64_t, double *, int64_t *)
    int ugt_exact_rows(const double *, int64_t, int64_t, int64_t, double *, int64_t *)
    int ugt_poisson_weights(const uint64_t *, int64_t, uint64_t, int64_t, int64_t, double *)

EXACT_PARTS = UGT_EXACT_PARTS
cdef int64_t NUMBERS_AT_ONCE = 262144  # doubles of scratch memory


def exact_columns(const double[:, ::1] x):  # -> NDArray[np.float64]
    """Return the sums of the columns of x (n, m) as expansions (m, P); see ugt.h."""
    cdef int64_t n = x.shape[0], m = x.shape[1], n_parts = 1
    cdef double[:, ::1] parts
    cdef int status
    if n == 0 or m == 0:
        return np.zeros((m, 1))
    parts = np.empty((m, UGT_EXACT_PARTS))
    with nogil:
        status = ugt_exact_columns(&x[0, 0], n, m, UGT_EXACT_PARTS, &parts[0, 0], &n_parts)
    check(status)
    return np.ascontiguousarray(np.asarray(parts)[:, :n_parts])


def exact_rows(const double[:, ::1] x):  # -> NDArray[np.float64]
    """Return the sums of the rows of x (n, m) as expansions (n, P); see ugt.h."""
    cdef int64_t n = x.shape[0], m = x.shape[1], n_parts = 1, begin, size
    cdef int64_t room = min(m + 1, UGT_EXACT_PARTS), block = NUMBERS_AT_ONCE // room
    cdef double[:, ::1] parts
    cdef int status
    out = np.zeros((n, 1))
    if n == 0 or m == 0:
        return out
    parts = np.empty((min(block, n), room))
    for begin in range(0, n, block):
        size = min(block, n - begin)
        with nogil:
            status = ugt_exact_rows(&x[begin, 0], size, m, room, &parts[0, 0], &n_parts)
        check(status)
        if n_parts > out.shape[1]:
            out, few = np.zeros((n, n_parts)), out
            out[:begin, :few.shape[1]] = few[:begin]
        out[begin:begin + size, :n_parts] = np.asarray(parts)[:size, :n_parts]
    return out


def poisson_weights(const uint64_t[::1] keys, uint64_t seed, int64_t begin, int64_t end):  # -> NDArray[np.float64]
    """Return how often each key counts in resamples begin..end (end - begin, n)."""
    cdef int64_t n = keys.shape[0]
    cdef double[:, ::1] weight
    cdef int status
    if begin < 0 or end < begin:
        raise ValueError(f"resamples must be a range from 0 on. Got {begin} to {end}.")
    out = np.empty((end - begin, n))
    if out.size == 0:
        return out
    weight = out
    with nogil:
        status = ugt_poisson_weights(&keys[0], n, seed, begin, end, &weight[0, 0])
    check(status)
    return out
