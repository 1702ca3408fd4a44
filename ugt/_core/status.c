#include "ugt.h"

const char *ugt_status_message(int status)
{
    switch (status) {
    case UGT_OK:
        return "no error (UGT_OK)";
    case UGT_ERR_MEMORY:
        return "out of memory (UGT_ERR_MEMORY)";
    case UGT_ERR_RANGE:
        return "an index or offset points outside its array (UGT_ERR_RANGE)";
    case UGT_ERR_VALUE:
        return "a number is not finite or outside its domain (UGT_ERR_VALUE)";
    case UGT_ERR_SIZE:
        return "the problem is too large for this method (UGT_ERR_SIZE)";
    case UGT_ERR_CONVERGENCE:
        return "a computation did not reach its accuracy; please report the input (UGT_ERR_CONVERGENCE)";
    default:
        return "unknown status (UGT_ERR_UNKNOWN)";
    }
}
