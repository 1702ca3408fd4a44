"""Draws and points of the classes that annotators mentioned: best classes and groups."""

from _status cimport check
from libc.stdint cimport int32_t, int64_t, uint64_t

cdef extern from "ugt.h" nogil:
    ctypedef struct ugt_mentioned:
        const int64_t *class_offsets
        const int32_t *class_index
        const uint64_t *stream_key
        int64_t n_classes
        int64_t n_draws
        int rest
        double shape
        uint64_t seed
        int logs
        int unnamed
    int ugt_mentioned_top(const ugt_mentioned *, const double *, int64_t, int64_t, int64_t, int32_t *)
    int ugt_mentioned_groups(const ugt_mentioned *, const double *, int64_t, int64_t, const int64_t *, int64_t, double *)


cdef ugt_mentioned mentioned_of(const int64_t[::1] class_offsets, const int32_t[::1] class_index, const uint64_t[::1] stream_key,
                                int64_t n_classes, int64_t n_draws, int rest, double shape, uint64_t seed, const double[::1] value,
                                int64_t begin, int64_t end, bint logs, bint named) except *:
    cdef ugt_mentioned x
    cdef int64_t n = class_offsets.shape[0] - 1, i
    if n < 1 or class_offsets[0] != 0 or class_offsets[n] != class_index.shape[0] or stream_key.shape[0] != n or n_draws < 1 \
            or begin < 0 or end > n or begin >= end \
            or value.shape[0] != (class_offsets[end] - class_offsets[begin] + end - begin) * n_draws:
        raise ValueError("arrays of the draws do not fit together")
    for i in range(class_index.shape[0]):
        if class_index[i] < 0 or class_index[i] >= n_classes:
            raise ValueError("class index out of range")
    x.class_offsets, x.stream_key = &class_offsets[0], &stream_key[0]
    x.class_index = &class_index[0] if class_index.shape[0] > 0 else NULL
    x.n_classes, x.n_draws, x.rest, x.shape, x.seed = n_classes, n_draws, rest, shape, seed
    x.logs, x.unnamed = logs, not named
    return x


def mentioned_top(const int64_t[::1] class_offsets, const int32_t[::1] class_index, const uint64_t[::1] stream_key, int64_t n_classes,
                  int64_t n_draws, int rest, double shape, uint64_t seed, const double[::1] value, int64_t begin, int64_t end,
                  int32_t[:, :, ::1] out, bint logs=False, bint named=True):
    """Fill the best classes (end - begin, draws, depth) of each draw; without names, unmentioned classes are -2."""
    cdef ugt_mentioned draws = mentioned_of(class_offsets, class_index, stream_key, n_classes, n_draws, rest, shape, seed, value, begin, end,
                                            logs, named)
    cdef int64_t depth = out.shape[2]
    cdef int status
    if out.shape[0] != end - begin or out.shape[1] != n_draws or depth < 1:
        raise ValueError("output does not fit")
    with nogil:
        status = ugt_mentioned_top(&draws, &value[0], begin, end, depth, &out[0, 0, 0])
    check(status)


def mentioned_groups(const int64_t[::1] class_offsets, const int32_t[::1] class_index, const uint64_t[::1] stream_key, int64_t n_classes,
                     int64_t n_draws, int rest, double shape, uint64_t seed, const double[::1] value, int64_t begin, int64_t end,
                     const int64_t[::1] group, double[:, :, ::1] out, bint logs=False):
    """Fill the plausibilities (end - begin, draws, groups) of groups of classes."""
    cdef ugt_mentioned draws = mentioned_of(class_offsets, class_index, stream_key, n_classes, n_draws, rest, shape, seed, value, begin, end,
                                            logs, True)
    cdef int64_t n_groups = out.shape[2], k
    cdef int status
    if group.shape[0] != n_classes or out.shape[0] != end - begin or out.shape[1] != n_draws:
        raise ValueError("groups or output do not fit")
    for k in range(n_classes):
        if group[k] < 0 or group[k] >= n_groups:
            raise ValueError("group out of range")
    with nogil:
        status = ugt_mentioned_groups(&draws, &value[0], begin, end, &group[0], n_groups, &out[0, 0, 0])
    check(status)
