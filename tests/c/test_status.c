/* Every status has its own message, which ends with the code's name. */
#include "check.h"
#include "ugt.h"

static const struct {
    int status;
    const char *name;
} STATUSES[] = {
    {UGT_OK, "UGT_OK"},
    {UGT_ERR_MEMORY, "UGT_ERR_MEMORY"},
    {UGT_ERR_RANGE, "UGT_ERR_RANGE"},
    {UGT_ERR_VALUE, "UGT_ERR_VALUE"},
    {UGT_ERR_SIZE, "UGT_ERR_SIZE"},
    {UGT_ERR_CONVERGENCE, "UGT_ERR_CONVERGENCE"},
};

static void check_message(const char *message, const char *name)
{
    const size_t length = strlen(message), tail = strlen(name) + 3;
    CHECK(length > tail + 5);
    CHECK(strncmp(message + length - tail, " (", 2) == 0);
    CHECK(strncmp(message + length - tail + 2, name, tail - 3) == 0);
    CHECK(message[length - 1] == ')');
}

int main(void)
{
    for (size_t i = 0; i < LENGTH(STATUSES); i++) {
        check_message(ugt_status_message(STATUSES[i].status), STATUSES[i].name);
        CHECK(STATUSES[i].status == -(int)i); /* no gaps: a new code belongs into this table */
        for (size_t j = 0; j < i; j++)
            CHECK(strcmp(ugt_status_message(STATUSES[i].status), ugt_status_message(STATUSES[j].status)) != 0);
    }
    check_message(ugt_status_message(-(int)LENGTH(STATUSES)), "UGT_ERR_UNKNOWN");
    check_message(ugt_status_message(1), "UGT_ERR_UNKNOWN");
    return RESULT;
}
