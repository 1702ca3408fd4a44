/* Plackett-Luce log-likelihoods by hand, plausibilities of 0 and at the end of the range of doubles, gradients by differences. */
#include "check.h"
#include "core.h"

enum { K = 14 };

/* one ranking of n blocks that start at blocks[0..n-1] and end at blocks[n] */
static double log_likelihood(const double *p, const int32_t *items, const int64_t *blocks, int64_t n, int64_t n_classes, double *gradient)
{
    const int64_t cases[] = {0, 1}, rankings[] = {0, n};
    const ugt_rankings x = {1, 1, n, blocks[n], n_classes, cases, rankings, blocks, items};
    double log_p = 7.0;
    CHECK(ugt_plackett_luce_log_likelihood(&x, p, 0, 1, &log_p, gradient) == UGT_OK);
    return log_p;
}

static const int32_t ITEMS[] = {0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13};
static const int64_t EACH[] = {0, 1, 2, 3}, TIED[] = {0, 2, 3};

static void test_by_hand(void)
{
    const double p[] = {0.5, 0.3, 0.2}, doubled[] = {1.0, 0.6, 0.4};
    CHECK_CLOSE(log_likelihood(p, ITEMS, EACH, 1, 3, NULL), log(0.5), 1e-14, 0.0);
    CHECK_CLOSE(log_likelihood(p, ITEMS, EACH, 2, 3, NULL), log(0.5 * 0.3 / 0.5), 1e-14, 0.0);
    CHECK_CLOSE(log_likelihood(p, ITEMS, EACH, 3, 3, NULL), log(0.5 * 0.3 / 0.5), 1e-14, 0.0);
    CHECK_CLOSE(log_likelihood(p, ITEMS, TIED, 1, 3, NULL), log(0.5 * 0.3 / 0.5 + 0.3 * 0.5 / 0.7), 1e-14, 0.0);
    CHECK_CLOSE(log_likelihood(p, ITEMS, TIED, 2, 3, NULL), log(0.5 * 0.3 / 0.5 + 0.3 * 0.5 / 0.7), 1e-14, 0.0);
    CHECK_CLOSE(log_likelihood(doubled, ITEMS, TIED, 1, 3, NULL), log(0.5 * 0.3 / 0.5 + 0.3 * 0.5 / 0.7), 1e-14, 0.0);
    CHECK(log_likelihood(p, ITEMS, EACH, 0, 3, NULL) == 0.0);
}

static void test_zeros(void)
{
    const double none[] = {0.5, 0.0, 0.5}, one[] = {1.0, 0.0, 0.0}, two[] = {0.5, 0.5, 0.0};
    double gradient[3];
    CHECK(log_likelihood(none, ITEMS, EACH, 2, 3, gradient) == -INFINITY); /* 1 before 2 */
    CHECK(isnan(gradient[1]));
    CHECK(isnan(log_likelihood(one, ITEMS, EACH, 2, 3, NULL)));           /* 1 before 2: nobody ever arrives */
    CHECK_CLOSE(log_likelihood(two, ITEMS, EACH, 2, 3, gradient), log(0.5), 1e-14, 0.0);
    CHECK(log_likelihood(one, ITEMS, EACH, 1, 3, gradient) == 0.0);
    CHECK(gradient[0] == 0.0 && gradient[1] == 0.0 && gradient[2] == 0.0);
    CHECK(log_likelihood(two, ITEMS, TIED, 2, 3, NULL) == 0.0); /* 0 and 1 before 2, which never arrives */
}

/* log p of a class in a large tied block falls as its plausibility does, down to the smallest double there is */
static void test_tiny(void)
{
    const int64_t block[] = {0, 12};
    double p[K];
    for (int k = 0; k < K; k++)
        p[k] = 1.0 / K;
    p[3] = 1e-290;
    const double base = log_likelihood(p, ITEMS, block, 1, K, NULL);
    p[3] = 1e-300;
    CHECK_CLOSE(log_likelihood(p, ITEMS, block, 1, K, NULL), base + log(1e-10), 1e-13, 0.0);
    p[3] = 0x1p-1070;
    CHECK_CLOSE(log_likelihood(p, ITEMS, block, 1, K, NULL), base + log(0x1p-1070) - log(1e-290), 1e-13, 0.0);
}

/* twelve equal classes before two others: one after the other, each against those that are left */
static void test_odds(void)
{
    const int64_t block[] = {0, 12};
    for (double odds = 1e-3; odds < 1e300; odds *= 1e6) {
        double p[K], expected = 0.0;
        for (int k = 0; k < K; k++)
            p[k] = k < 12 ? 1.0 : 0.5 / odds;
        for (int j = 1; j <= 12; j++)
            expected -= log1p(1.0 / odds / j);
        CHECK_CLOSE(log_likelihood(p, ITEMS, block, 1, K, NULL), expected, 1e-12, 1e-15);
    }
}

static void test_gradient(void)
{
    const int64_t blocks[] = {0, 1, 4, 6, 7};
    double p[K], gradient[K];
    ugt_stream stream;
    ugt_stream_open(&stream, 3, 0, 0, 99);
    for (int k = 0; k < K; k++)
        p[k] = 0.1 + ugt_stream_uniform(&stream);
    log_likelihood(p, ITEMS, blocks, 4, K, gradient);
    double sum = 0.0;
    for (int k = 0; k < K; k++) {
        const double held = p[k], step = 1e-5;
        p[k] = held * exp(step);
        const double up = log_likelihood(p, ITEMS, blocks, 4, K, NULL);
        p[k] = held * exp(-step);
        const double down = log_likelihood(p, ITEMS, blocks, 4, K, NULL);
        p[k] = held;
        CHECK_CLOSE(gradient[k], (up - down) / (2.0 * step), 1e-7, 1e-9);
        sum += gradient[k];
    }
    CHECK_CLOSE(sum, 0.0, 0.0, 1e-13); /* a common factor changes nothing */
}

int main(void)
{
    test_by_hand();
    test_zeros();
    test_tiny();
    test_odds();
    test_gradient();
    return RESULT;
}
