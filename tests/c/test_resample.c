/* The bootstrap and the law of a sum, by hand. */
#include "check.h"
#include "ugt.h"

/* which of 4 units each of the first 4 pairs of bits of a word is */
static void count_by_hand(uint64_t seed, uint64_t b, int64_t n, int64_t *count)
{
    ugt_stream stream;
    ugt_stream_open(&stream, seed, b, 0, UGT_PURPOSE_BOOTSTRAP);
    const uint64_t word = ugt_stream_bits(&stream);
    memset(count, 0, (size_t)n * sizeof *count);
    for (int64_t drawn = 0, at = 0; drawn < n; at++) {
        const uint64_t unit = word >> 2 * at & 3u;
        if (unit < (uint64_t)n) {
            count[unit]++;
            drawn++;
        }
    }
}

static void test_bootstrap(void)
{
    const double value[] = {1, 10, 2, 20, 3, 30, 4, 40};
    for (int64_t n = 3; n <= 4; n++) {
        const int64_t strata[] = {0, n};
        const ugt_design design = {strata, 1, 7};
        double sums[2 * 20], again[2 * 9];
        CHECK(ugt_bootstrap(&design, value, 2, NULL, 0, 0, 20, sums, NULL) == UGT_OK);
        CHECK(ugt_bootstrap(&design, value, 2, NULL, 0, 2, 11, again, NULL) == UGT_OK);
        CHECK(memcmp(again, sums + 4, sizeof again) == 0);
        for (uint64_t b = 0; b < 20; b++) {
            int64_t count[4];
            count_by_hand(7, b, n, count);
            double sum = 0.0;
            for (int i = 0; i < n; i++)
                sum += (double)count[i] * value[2 * i];
            CHECK(sums[2 * b] == sum && sums[2 * b + 1] == 10 * sum);
        }
    }
}

static void test_strata(void)
{
    enum { N = 10007, B = 11 };
    const int64_t strata[] = {0, 1, 5000, N};
    const ugt_design design = {strata, 3, 3};
    int32_t *unit = NEW(int32_t, N);
    double *value = NEW(double, N * 6), *weight = NEW(double, N * B), sums[B * 6];
    for (int32_t i = 0; i < N; i++) { /* four columns of all units, then two */
        const double first[] = {i < 1, i < 5000, (double)i, 1.0}, then[] = {3.0 * i, (double)-i};
        unit[i] = i;
        memcpy(value + 4 * i, first, sizeof first);
        memcpy(value + 4 * N + 2 * i, then, sizeof then);
    }
    CHECK(ugt_bootstrap(&design, value, 6, unit, N, 0, B, sums, weight) == UGT_OK);
    for (int b = 0; b < B; b++) {
        double sum = 0.0;
        for (int i = 0; i < N; i++)
            sum += weight[i * B + b] * i;
        const double expected[] = {1, 5000, sum, N, 3 * sum, -sum};
        CHECK(memcmp(sums + 6 * b, expected, sizeof expected) == 0);
    }
    /* two cases of one unit */
    const int32_t pair[] = {6000, 6000};
    double both[2];
    CHECK(ugt_bootstrap(&design, NULL, 0, pair, 2, 4, 5, NULL, both) == UGT_OK);
    CHECK(both[0] == weight[6000 * B + 4] && both[1] == both[0]);
}

static void test_rows(void)
{
    const int64_t offsets[] = {0, 3, 3, 5, 6, 8}, count[] = {2, 0, 1, 100, 0, 0, 40, 60}, b = 1;
    int64_t rows[2 * 8];
    CHECK(ugt_resample_rows(offsets, count, 5, 9, 0, 2, 0, rows) == UGT_OK);
    for (int i = 0; i < 2; i++) {
        const int64_t *row = rows + 8 * i;
        CHECK(row[0] + row[2] == 3 && row[1] == 0);
        CHECK(row[3] == 100 && row[4] == 0 && row[5] == 0);
        CHECK(row[6] + row[7] == 100 && row[6] > 10 && row[7] > 10);
    }
    ugt_stream stream;
    ugt_stream_open(&stream, 9, (uint64_t)b, 0, UGT_PURPOSE_ANNOTATIONS);
    int64_t first = 0;
    for (int i = 0; i < 3; i++)
        first += ugt_stream_below(&stream, 3) < 2;
    CHECK(rows[8] == first);
    CHECK(rows[8 + 6] == ugt_stream_binomial(&stream, 100, 0.4));
}

static void test_binomial(void)
{
    ugt_stream stream;
    ugt_stream_open(&stream, 1, 0, 0, 0);
    CHECK(ugt_stream_binomial(&stream, 10, 0.0) == 0 && ugt_stream_binomial(&stream, 10, -1e-17) == 0);
    CHECK(ugt_stream_binomial(&stream, 10, 1.0) == 10 && ugt_stream_binomial(&stream, 0, 0.5) == 0);
    const int64_t n[] = {12, 50, 1000, 1000000000000};
    for (int i = 0; i < 4; i++)
        for (double p = 0.003; p < 1; p += 0.1) {
            const double drawn = (double)ugt_stream_binomial(&stream, n[i], p), mean = (double)n[i] * p;
            CHECK(drawn >= 0 && drawn <= (double)n[i]);
            CHECK(fabs(drawn - mean) < 8 + 8 * sqrt(mean * (1 - p)));
        }
    ugt_stream other = stream;
    uint64_t word[5];
    ugt_stream_words(&other, 5, word);
    for (int i = 0; i < 5; i++)
        CHECK(word[i] == ugt_stream_bits(&stream));
    CHECK(ugt_stream_bits(&stream) == ugt_stream_bits(&other));
}

static void test_law_of_sum(void)
{
    const double pmf[] = {0, 0.5, 0.5, 0.25, 0.75, 0, 0, 0, 1};
    const double expected[] = {0, 0, 0, 0.125, 0.5, 0.375, 0};
    const int64_t starts[] = {0, 1, 2, 3};
    double law[7];
    CHECK(ugt_law_of_sum(pmf, starts, 3, 3, law) == UGT_OK);
    for (int i = 0; i < 7; i++)
        CHECK(law[i] == expected[i]);
    const double certain[] = {1, 1, 1};
    CHECK(ugt_law_of_sum(certain, starts, 3, 1, law) == UGT_OK);
    CHECK(law[0] == 1);
}

/* More cases than are added one by one: coins, whose number of heads is binomial, each by itself, in three groups, and all in one. */
static void test_law_of_many(void)
{
    enum { N = 150 };
    const int64_t three[] = {0, 0, 33, N}, all[] = {0, N};
    double pmf[2 * N], law[N + 1];
    int64_t each[N + 1];
    for (int i = 0; i < 2 * N; i++)
        pmf[i] = 0.5;
    for (int i = 0; i <= N; i++)
        each[i] = i;
    const int64_t *starts[] = {each, three, all}, n_groups[] = {N, 3, 1};
    for (int i = 0; i < 3; i++) {
        CHECK(ugt_law_of_sum(pmf, starts[i], n_groups[i], 2, law) == UGT_OK);
        for (int k = 0; k <= N; k++)
            CHECK_CLOSE(law[k], exp(lgamma(N + 1.0) - lgamma(k + 1.0) - lgamma(N - k + 1.0) - N * log(2.0)), 1e-10, 1e-17);
    }
}

/* Runs of 1 to 3 entries of a group, m numbers each; with m = 1 they are counted. */
static void test_grouped_sums(int64_t m, int64_t n_weights)
{
    enum { N = 600, CASES = 50, GROUPS = 7, WIDEST = 7, MOST = 9 };
    static double value[N * WIDEST], weight[MOST * CASES], expected[MOST * GROUPS * WIDEST], found[LENGTH(expected)];
    int64_t row[N];
    int32_t group[N];
    for (int i = 0; i < N; i++) {
        row[i] = i * 7 % CASES;
        group[i] = i / (1 + i % 100 / 34) % GROUPS;
    }
    for (int j = 0; j < N * WIDEST; j++)
        value[j] = j % 11;
    for (int j = 0; j < MOST * CASES; j++)
        weight[j] = j % 5;
    memset(expected, 0, sizeof expected);
    for (int64_t b = 0; b < n_weights; b++)
        for (int64_t i = 0; i < N; i++)
            for (int64_t j = 0; j < m; j++)
                expected[(b * GROUPS + group[i]) * m + j] += weight[row[i] * MOST + b] * (m == 1 ? 1.0 : value[i * m + j]);
    CHECK(ugt_grouped_sums(row, group, m == 1 ? NULL : value, N, m, GROUPS, weight, MOST, n_weights, found) == UGT_OK);
    CHECK_ALL_CLOSE(found, expected, n_weights * GROUPS * m, 0.0, 0.0);
}

int main(void)
{
    for (int64_t m = 1; m <= 7; m += 3)
        for (int64_t n_weights = 3; n_weights <= 9; n_weights += 6)
            test_grouped_sums(m, n_weights);
    test_bootstrap();
    test_strata();
    test_rows();
    test_binomial();
    test_law_of_sum();
    test_law_of_many();
    return RESULT;
}
