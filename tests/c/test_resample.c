/* The bootstrap and the law of a sum, by hand. */
#include "check.h"
#include "ugt.h"

static void test_bootstrap(void)
{
    const double value[] = {1, 10, 2, 20, 3, 30, 4, 40};
    double means[2 * 3], again[2];
    CHECK(ugt_bootstrap_means(value, 4, 2, 7, 0, 3, means) == UGT_OK);
    CHECK(ugt_bootstrap_means(value, 4, 2, 7, 2, 3, again) == UGT_OK);
    CHECK(again[0] == means[4] && again[1] == means[5]);
    for (uint64_t b = 0; b < 3; b++) {
        ugt_stream stream;
        ugt_stream_open(&stream, 7, b, 0, UGT_PURPOSE_BOOTSTRAP);
        double sum = 0.0;
        for (int i = 0; i < 4; i++)
            sum += value[2 * ugt_stream_below(&stream, 4)];
        CHECK_CLOSE(means[2 * b], sum / 4, 1e-15, 0.0);
        CHECK_CLOSE(means[2 * b + 1], 10 * sum / 4, 1e-15, 0.0);
    }
    CHECK(ugt_bootstrap_means(value, 1, 2, 7, 0, 1, again) == UGT_OK);
    CHECK(again[0] == 1 && again[1] == 10);
}

static void test_law_of_sum(void)
{
    const double pmf[] = {0, 0.5, 0.5, 0.25, 0.75, 0, 0, 0, 1};
    const double expected[] = {0, 0, 0, 0.125, 0.5, 0.375, 0};
    double law[7];
    CHECK(ugt_law_of_sum(pmf, 3, 3, law) == UGT_OK);
    for (int i = 0; i < 7; i++)
        CHECK(law[i] == expected[i]);
    const double certain[] = {1, 1, 1};
    CHECK(ugt_law_of_sum(certain, 3, 1, law) == UGT_OK);
    CHECK(law[0] == 1);
}

int main(void)
{
    test_bootstrap();
    test_law_of_sum();
    return RESULT;
}
