"""Orders of classes and their comparison. Class indices and offsets are checked by the C core."""

from _status cimport check, check_rows
from libc.stdint cimport int8_t, int32_t, int64_t, uint8_t

cdef extern from "ugt.h" nogil:
    ctypedef struct ugt_orders:
        const int64_t *offsets
        const int32_t *class_index
        const int32_t *start
    ctypedef struct ugt_sets:
        const int64_t *offsets
        const int32_t *class_index
        const int8_t *role
        const int8_t *rest_role
    void ugt_order_roles(const int64_t *, const int32_t *, int64_t, int64_t, int64_t, int8_t *, int8_t *)
    int ugt_role_sums(const int64_t *, const int32_t *, const double *, const double *, const ugt_sets *, int64_t, int64_t, double, double *)
    int ugt_order_rows(const int64_t *, const int32_t *, const double *, int64_t, int64_t, int64_t, int, int64_t, int64_t *, int32_t *,
                       int32_t *)
    int ugt_compare_orders(const ugt_orders *, const ugt_orders *, const uint8_t *, int64_t, int64_t, int64_t, int64_t, int, int, double, double *, double *)
    int ugt_compare_width(int, int)
    int ugt_compare_column(int, int, int)


def dense_rows(const double[:, ::1] value, int64_t depth, bint ties_first, int64_t[::1] offsets, int32_t[::1] index=None,
               int32_t[::1] start=None):
    """Fill offsets, and the rows that fit into index and start: if offsets[n] exceeds their length, call again with more room."""
    cdef int64_t n = value.shape[0], n_classes = value.shape[1], room = 0
    cdef int32_t *index_out = NULL
    cdef int32_t *start_out = NULL
    cdef int status
    if offsets.shape[0] != n + 1 or depth < 1 or depth > n_classes:
        raise ValueError("depth or output does not fit")
    if index is not None:
        if start is None or index.shape[0] != start.shape[0]:
            raise ValueError("outputs do not fit")
        room = index.shape[0]
        if room:
            index_out, start_out = &index[0], &start[0]
    if n == 0:
        return
    with nogil:
        status = ugt_order_rows(NULL, NULL, &value[0, 0], n, n_classes, depth, ties_first, room, &offsets[0], index_out, start_out)
    check(status)


def ragged_rows(const int64_t[::1] row_offsets, const int32_t[::1] row_index, const double[::1] value, int64_t n_classes,
                int64_t depth, bint ties_first, int64_t[::1] offsets, int32_t[::1] index=None, int32_t[::1] start=None):
    """Like dense_rows, for ragged rows; unlisted classes have the lowest value."""
    cdef int64_t n = row_offsets.shape[0] - 1, room = 0
    cdef int32_t *index_out = NULL
    cdef int32_t *start_out = NULL
    cdef int status
    if n < 0 or row_offsets[n] != value.shape[0] or row_index.shape[0] != value.shape[0] or offsets.shape[0] != n + 1 \
            or depth < 1 or depth > n_classes:
        raise ValueError("depth or output does not fit")
    if index is not None:
        if start is None or index.shape[0] != start.shape[0]:
            raise ValueError("outputs do not fit")
        room = index.shape[0]
        if room:
            index_out, start_out = &index[0], &start[0]
    if n == 0 or value.shape[0] == 0:
        offsets[:] = 0
        return
    check_rows(row_offsets, 0, n, value.shape[0])
    with nogil:
        status = ugt_order_rows(&row_offsets[0], &row_index[0], &value[0], n, n_classes, depth, ties_first, room, &offsets[0],
                                index_out, start_out)
    check(status)


cdef inline const int32_t *first(const int32_t[::1] x) noexcept nogil:
    return &x[0] if x.shape[0] > 0 else NULL


def roles(const int64_t[::1] offsets, const int32_t[::1] start, int64_t n_classes, int64_t k, int8_t[::1] role, int8_t[::1] rest_role):
    cdef int64_t n = rest_role.shape[0]
    if offsets.shape[0] != n + 1 or role.shape[0] != start.shape[0]:
        raise ValueError("arrays of the orders do not fit together")
    if n == 0:
        return
    check_rows(offsets, 0, n, start.shape[0])
    with nogil:
        ugt_order_roles(&offsets[0], first(start), n, n_classes, k, &role[0] if role.shape[0] > 0 else NULL, &rest_role[0])


def role_sums(const int64_t[::1] offsets, const int32_t[::1] index, const double[::1] value, const double[::1] rest,
              const int64_t[::1] set_offsets, const int32_t[::1] set_index, const int8_t[::1] role, const int8_t[::1] rest_role,
              int64_t n_classes, double total, double[:, ::1] out):
    """Return for each case the sums over the certain and the tied classes of its set, and their numbers."""
    cdef int64_t n = rest.shape[0]
    cdef ugt_sets sets
    cdef int status
    if offsets.shape[0] != n + 1 or index.shape[0] != value.shape[0] or set_offsets.shape[0] != n + 1 or role.shape[0] != set_index.shape[0] \
            or rest_role.shape[0] != n or out.shape[0] != n or out.shape[1] != 4:
        raise ValueError("arrays of the sets do not fit together")
    if n == 0:
        return
    check_rows(offsets, 0, n, index.shape[0])
    check_rows(set_offsets, 0, n, set_index.shape[0])
    sets.offsets, sets.class_index, sets.rest_role = &set_offsets[0], first(set_index), &rest_role[0]
    sets.role = &role[0] if role.shape[0] > 0 else NULL
    with nogil:
        status = ugt_role_sums(&offsets[0], first(index), &value[0] if value.shape[0] > 0 else NULL, &rest[0], &sets, n, n_classes, total,
                               &out[0, 0])
    check(status)


def width(int metric, int depth):  # -> int
    """Return the number of values of a comparison."""
    return ugt_compare_width(metric, depth)


def column(int metric, int k, int depth):  # -> int
    """Return the column of a metric among the values of a comparison."""
    return ugt_compare_column(metric, k, depth)


def compare(const int64_t[::1] truth_offsets, const int32_t[::1] truth_index, const int32_t[::1] truth_start,
            const int64_t[::1] model_offsets, const int32_t[::1] model_index, const int32_t[::1] model_start,
            const uint8_t[::1] defined, int64_t begin, int64_t end, int64_t n_draws, int64_t n_classes, int depth, int metric,
            double parameter, double[:, ::1] per_case, double[:, ::1] per_draw):
    cdef ugt_orders truth, model
    cdef int64_t n = defined.shape[0]
    cdef int width = ugt_compare_width(metric, depth), status
    if n_draws < 1 or depth < 1 or depth > n_classes or truth_offsets.shape[0] != n * n_draws + 1 or model_offsets.shape[0] != n + 1 \
            or truth_offsets[n * n_draws] != truth_index.shape[0] or truth_start.shape[0] != truth_index.shape[0] \
            or model_offsets[n] != model_index.shape[0] or model_start.shape[0] != model_index.shape[0] \
            or begin < 0 or end > n or per_case.shape[0] != n or per_case.shape[1] != width \
            or per_draw.shape[0] != n_draws or per_draw.shape[1] != width:
        raise ValueError("arrays of the comparison do not fit together")
    if begin >= end:
        return
    check_rows(truth_offsets, begin * n_draws, end * n_draws, truth_index.shape[0])
    check_rows(model_offsets, begin, end, model_index.shape[0])
    truth.offsets, truth.class_index, truth.start = &truth_offsets[0], first(truth_index), first(truth_start)
    model.offsets, model.class_index, model.start = &model_offsets[0], first(model_index), first(model_start)
    with nogil:
        status = ugt_compare_orders(&truth, &model, &defined[0], begin, end, n_draws, n_classes, depth, metric, parameter,
                                    &per_case[0, 0], &per_draw[0, 0])
    check(status)
