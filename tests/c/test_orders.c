/* Orders of classes and their comparison: a few by hand, and what bad arrays get. */
#include "check.h"
#include "core.h"

enum { N_CLASSES = 4, DEPTH = 2, WIDTH = UGT_BY_K * DEPTH + 1 };

static void test_order_rows(void)
{
    const double value[] = {0.1, 0.4, 0.4, 0.1, 0.5, 0.2, 0.3, 0.1};
    int64_t offsets[3] = {0};
    int32_t classes[8], start[8];
    CHECK(ugt_order_rows(NULL, NULL, value, 2, N_CLASSES, DEPTH, 0, 0, offsets, NULL, NULL) == UGT_OK);
    CHECK(offsets[1] == 2 && offsets[2] == 4);
    CHECK(ugt_order_rows(NULL, NULL, value, 2, N_CLASSES, DEPTH, 0, LENGTH(classes), offsets, classes, start) == UGT_OK);
    CHECK(classes[0] == 1 && classes[1] == 2 && start[0] == 0 && start[1] == 0);
    CHECK(classes[2] == 0 && classes[3] == 2 && start[2] == 0 && start[3] == 1);
    /* of rows that do not fit only the offsets are filled in */
    classes[2] = classes[3] = -7;
    CHECK(ugt_order_rows(NULL, NULL, value, 2, N_CLASSES, DEPTH, 0, 3, offsets, classes, start) == UGT_OK);
    CHECK(offsets[1] == 2 && offsets[2] == 4 && classes[0] == 1 && classes[2] == -7 && classes[3] == -7);
    /* all tied: one bucket, which need not be listed; by position: the first two */
    const double tied[] = {1, 1, 1, 1};
    CHECK(ugt_order_rows(NULL, NULL, tied, 1, N_CLASSES, DEPTH, 0, 0, offsets, NULL, NULL) == UGT_OK);
    CHECK(offsets[1] == 0);
    CHECK(ugt_order_rows(NULL, NULL, tied, 1, N_CLASSES, DEPTH, 1, 0, offsets, NULL, NULL) == UGT_OK);
    CHECK(offsets[1] == 2);
    /* ragged rows: falling offsets, and more values than classes */
    const int64_t falling[] = {0, 3, 2}, wide[] = {0, 5, 5};
    const int32_t index[] = {0, 1, 2, 3, 3};
    CHECK(ugt_order_rows(falling, index, value, 2, N_CLASSES, DEPTH, 0, 0, offsets, NULL, NULL) == UGT_ERR_RANGE);
    CHECK(ugt_order_rows(wide, index, value, 2, N_CLASSES, DEPTH, 0, 0, offsets, NULL, NULL) == UGT_ERR_RANGE);
}

/* orders of many classes against all pairs of them */
static void test_long_rows(void)
{
    enum { K = 60 };
    double value[K];
    int64_t offsets[2] = {0};
    int32_t classes[K], start[K];
    for (int k = 0; k < K; k++)
        value[k] = (double)(k * 37 % 23);
    CHECK(ugt_order_rows(NULL, NULL, value, 1, K, K, 0, 0, offsets, NULL, NULL) == UGT_OK && offsets[1] > 0 && offsets[1] <= K);
    CHECK(ugt_order_rows(NULL, NULL, value, 1, K, K, 0, LENGTH(classes), offsets, classes, start) == UGT_OK);
    for (int64_t j = 0; j < offsets[1]; j++) {
        int better = 0;
        for (int k = 0; k < K; k++)
            better += value[k] > value[classes[j]];
        CHECK(start[j] == better);
        CHECK(j == 0 || value[classes[j]] < value[classes[j - 1]] || classes[j] > classes[j - 1]);
    }
    CHECK(ugt_order_rows(NULL, NULL, value, 1, K, K, 1, 0, offsets, NULL, NULL) == UGT_OK && offsets[1] == K);
}

static int compare(const int64_t *truth_offsets, const int32_t *truth_class, const int64_t *model_offsets,
                   const int32_t *model_class, int metric, double *per_case, double *per_draw)
{
    static const int32_t start[] = {0, 1, 2, 3};
    static const uint8_t defined[] = {1, 0};
    const ugt_orders truth = {truth_offsets, truth_class, start}, model = {model_offsets, model_class, start};
    for (int m = 0; m < WIDTH; m++)
        per_draw[m] = 0.0;
    return ugt_compare_orders(&truth, &model, defined, 0, 2, 1, N_CLASSES, DEPTH, metric, 0.5, per_case, per_draw);
}

static void test_compare(void)
{
    const int64_t offsets[] = {0, 2, 2}, falling[] = {0, -1, 2};
    const int32_t truth[] = {1, 0}, model[] = {0, 2}, low[] = {0, -1}, high[] = {N_CLASSES, 0};
    double per_case[2 * WIDTH], per_draw[WIDTH];
    /* model 0 > 2, truth 1 > 0 */
    const double expected[] = {0, 0, 0, 0, 0, 0.5, 0, 0.25}, of_lists[] = {2, 4, 0.25, 2.5, 1};
    CHECK(ugt_compare_width(UGT_SET, DEPTH) == WIDTH && ugt_compare_width(UGT_TOPK, DEPTH) == DEPTH && ugt_compare_column(UGT_OVERLAP, 2, DEPTH) == 5);
    for (int metric = UGT_KENDALL; metric <= UGT_DISCOUNTED_GAIN; metric++) {
        CHECK(compare(offsets, truth, offsets, model, metric, per_case, per_draw) == UGT_OK);
        for (int m = 0; m < WIDTH; m++) {
            const double wanted = m < UGT_BY_K * DEPTH ? expected[m] : of_lists[metric - UGT_KENDALL];
            CHECK(m < UGT_BY_K * DEPTH || m == ugt_compare_column(metric, DEPTH, DEPTH));
            CHECK_CLOSE(per_case[m], wanted, 0.0, 1e-15);
            CHECK_CLOSE(per_draw[m], wanted, 0.0, 1e-15);
            CHECK(isnan(per_case[WIDTH + m])); /* not defined */
        }
    }
    CHECK(compare(offsets, truth, offsets, model, UGT_SET, per_case, per_draw) == UGT_OK && isnan(per_case[WIDTH - 1]));
    /* the truth's best two among the model's: not with one place, and only in the same two */
    const ugt_orders one = {offsets, truth, (const int32_t[]){0, 1}}, other = {offsets, model, (const int32_t[]){0, 1}};
    for (int same = 0; same < 2; same++) {
        const uint8_t defined[] = {1, 0};
        CHECK(ugt_compare_orders(&one, same ? &one : &other, defined, 0, 1, 1, N_CLASSES, DEPTH, UGT_TOPK, 2.0, per_case, per_draw) == UGT_OK);
        CHECK(isnan(per_case[0]) && per_case[1] == same);
    }
    /* ties on both sides: the truth's best two are class 1 and any other, the model's two of classes 0, 1 and 2 */
    const int64_t first[] = {0, 1}, three[] = {0, 3};
    const ugt_orders open = {first, (const int32_t[]){1}, (const int32_t[]){0}}, tied = {three, (const int32_t[]){0, 1, 2}, (const int32_t[]){0, 0, 0}};
    const double both = 2.0 / (N_CLASSES - 1) / 3.0;
    for (int metric = UGT_TOPK; metric <= UGT_SET; metric++) {
        const uint8_t defined[] = {1};
        CHECK(ugt_compare_orders(&open, &tied, defined, 0, 1, 1, N_CLASSES, DEPTH, metric, 2.0, per_case, per_draw) == UGT_OK);
        CHECK_CLOSE(per_case[ugt_compare_column(metric, 2, DEPTH)], both, 1e-15, 0.0);
    }
    CHECK(compare(offsets, truth, offsets, low, UGT_TOPK, per_case, per_draw) == UGT_ERR_RANGE);
    CHECK(compare(offsets, truth, offsets, high, UGT_TOPK, per_case, per_draw) == UGT_ERR_RANGE);
    CHECK(compare(offsets, low, offsets, model, UGT_TOPK, per_case, per_draw) == UGT_ERR_RANGE);
    CHECK(compare(offsets, high, offsets, model, UGT_TOPK, per_case, per_draw) == UGT_ERR_RANGE);
    CHECK(compare(falling, truth, offsets, model, UGT_TOPK, per_case, per_draw) == UGT_ERR_RANGE);
    CHECK(compare(offsets, truth, falling, model, UGT_TOPK, per_case, per_draw) == UGT_ERR_RANGE);
}

static void test_role_sums(void)
{
    /* case 0: class 1 has 0.5, all others 0.25; case 1 is undefined */
    const int64_t offsets[] = {0, 1, 1}, set_offsets[] = {0, 2, 3};
    const int32_t entry[] = {1}, listed[] = {0, 1, 2};
    const double value[] = {0.5}, rest[] = {0.25, NAN};
    const int8_t role[] = {UGT_ROLE_CERTAIN, UGT_ROLE_CERTAIN, UGT_ROLE_TIED}, rest_role[] = {UGT_ROLE_TIED, UGT_ROLE_NONE};
    const int8_t wrong[] = {UGT_ROLE_CERTAIN, UGT_ROLE_TIED + 1, 0};
    double out[8];
    ugt_sets sets = {set_offsets, listed, role, rest_role};
    CHECK(ugt_role_sums(offsets, entry, value, rest, &sets, 2, N_CLASSES, 1.25, out) == UGT_OK);
    CHECK(out[0] == 0.75 && out[1] == 0.5 && out[2] == 2 && out[3] == 2);
    CHECK(isnan(out[4]) && isnan(out[5]) && out[6] == 0 && out[7] == 1);
    sets.role = wrong;
    CHECK(ugt_role_sums(offsets, entry, value, rest, &sets, 2, N_CLASSES, 1.25, out) == UGT_ERR_RANGE);
}

static void test_choose(void)
{
    CHECK(ugt_choose(5, 0) == 1 && ugt_choose(5, 2) == 10 && ugt_choose(2, 3) == 0 && ugt_choose(0, 0) == 1);
    CHECK(ugt_choose(3, -1) == 0);
    CHECK_CLOSE(ugt_choose(419, 3), 419.0 * 418.0 * 417.0 / 6.0, 1e-15, 0.0);
}

int main(void)
{
    test_order_rows();
    test_long_rows();
    test_compare();
    test_role_sums();
    test_choose();
    return RESULT;
}
