# The one place where a status of the C core becomes a Python exception, and where rows are checked before the core reads them.

from libc.stdint cimport int64_t

cdef extern from "ugt.h":
    const char *ugt_status_message(int status) nogil
    int UGT_ERR_MEMORY
    int UGT_ERR_RANGE
    int UGT_ERR_CONVERGENCE


cdef inline int check(int status) except -1:
    if status == 0:
        return 0
    message = ugt_status_message(status).decode("ascii")
    if status == UGT_ERR_MEMORY:
        raise MemoryError(message)
    if status == UGT_ERR_CONVERGENCE:
        raise ArithmeticError(message)
    raise ValueError(message)


cdef inline int check_rows(const int64_t[::1] offsets, int64_t begin, int64_t end, int64_t length) except -1:
    """Rows [begin, end) of a ragged array lie inside of it."""
    cdef int64_t i
    for i in range(begin, end):
        if offsets[i] < 0 or offsets[i + 1] < offsets[i] or offsets[i + 1] > length:
            return check(UGT_ERR_RANGE)
    return 0


cdef inline int64_t stride_of(const double[:, :] weight) except? -1:
    """Doubles from the weights of a case (N, B) to those of the next; those of one case must lie beside each other."""
    if (weight.shape[1] > 1 and weight.strides[1] != 8) or weight.strides[0] % 8:
        raise ValueError("weights of a case must lie beside each other")
    return weight.strides[0] // 8
