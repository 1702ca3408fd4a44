# The one place where a status of the C core becomes a Python exception.

cdef extern from "ugt.h":
    const char *ugt_status_message(int status) nogil
    int UGT_ERR_MEMORY
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
